"""One name, one number: what a row of a table shows is the plain function with the parameters that the row names."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay import testing
from assay.core.signatures import from_spec, spec_parameters
from assay.evaluation.presets import RANKINGS, TASKS, TEXTS

RNG = np.random.default_rng(5)
KINDS = {"detection": "objects", "segmentation": "label maps", "panoptic": "panoptic maps", "image_quality": "pictures"}


def data_of(task: str) -> list[dict[str, Any]]:
    """Inputs of the task, one set for each kind of prediction."""
    if task == "image_generation":
        return [{"y_true": RNG.normal(size=(60, 4)), "y_pred": RNG.normal(size=(50, 4)) + 0.2}]
    if task in KINDS:
        problem = next(p for p in testing.problems() if p.kind == KINDS[task])
        return [{"y_true": problem.truth, "y_pred": problem.inputs["y_pred"][0]}]
    if task in RANKINGS:
        problem = next(p for p in testing.problems() if p.kind == "rankings")
        return [{"y_true": problem.truth, "y_score": problem.inputs["y_score"][0]}]
    if task in TEXTS:
        problem = next(p for p in testing.problems() if p.kind == "texts")
        return [{"y_true": problem.truth, "y_pred": problem.inputs["y_pred"][0]}]
    name = {"regression": "values", "binary": "binary", "multiclass": "classes", "multilabel": "multilabel"}[task]
    problem = next(p for p in testing.problems() if p.name == name)
    kinds = ["y_pred"] if task == "regression" else ["y_pred", "y_prob", "logits", "y_score"]
    return [{"y_true": problem.truth, kind: problem.inputs[kind][0]} for kind in kinds]


def plainly(spec: str, task: str, data: dict[str, Any]) -> Any:
    """The value by the plain function, told nothing but what the name shows."""
    metric = from_spec(spec)
    named = {"y_true": "real", "y_pred": "fake"} if task == "image_generation" else {}
    return getattr(assay, metric.key)(**{named.get(k, k): v for k, v in data.items()}, **spec_parameters(spec))


@pytest.mark.parametrize("task", TASKS)
def test_a_row_shows_what_its_number_is(task: str) -> None:
    for data in data_of(task):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = assay.evaluate(task=task, **data, level=None)
            printed = result.to_markdown()
            for name, value in result.scores.items():
                label = result.label(name)
                assert label.startswith(name)
                assert f"| {label} |" in printed
                wanted = plainly(label, task, data)
                np.testing.assert_allclose(float(value), wanted, rtol=1e-12, equal_nan=True, err_msg=label)


def test_rows_show_what_the_call_said() -> None:
    y = RNG.integers(0, 2, 60)
    p = np.clip(0.3 * y + 0.7 * RNG.random(60), 0, 1)
    result = assay.evaluate(
        task="binary", y_true=y, y_prob=p, threshold=0.25, metrics=["f1", "f_beta:beta=2", "brier"], level=None
    )
    assert [result.label(name) for name in result] == ["f1:threshold=0.25", "f_beta:beta=2,threshold=0.25", "brier"]
    assert float(result["f1"]) == assay.f1(y, y_prob=p, threshold=0.25)
    text = str(result)
    assert all(result.label(name) in text for name in result)
    sliced = assay.evaluate(
        task="binary", y_true=y, y_prob=p, threshold=0.25, metrics=["f1"], slices={"half": np.arange(60) % 2}
    )
    assert str(sliced).count("f1:threshold=0.25") >= 2


def test_comparisons_show_it_too() -> None:
    y = RNG.integers(0, 3, 90)
    models = {name: np.where(RNG.random(90) < share, y, 0) for name, share in (("a", 0.8), ("b", 0.5))}
    found = assay.compare(task="multiclass", y_true=y, models=models, metrics=["f1", "accuracy"], replicates=100)
    assert str(found).count("f1:average=macro") >= 2
    assert "accuracy:" not in str(found)
