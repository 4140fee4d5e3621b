"""What users write by mistake or with reason: refused in our words, or taken for what it means."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from valid_calls import LEARNER, SITE, T, U, V, X

import assay
from assay.core.call_checks import Call, guarded
from assay.core.value_checks import Level, Name, Says, Seed, kind_of_hint
from assay.inference import plan
from messages import refusal

NUMPY = [np.int64(3), np.uint8(3), np.array(3), torch.tensor(3)]


@pytest.mark.parametrize("seed", NUMPY)
def test_seeds_of_numpy_are_seeds(seed: Any) -> None:
    def curve(seed: Any) -> Any:
        return assay.learning_curve(LEARNER, X, T, "mae", sizes=[4, 6, 8, 12], resampling="cv:3", seed=seed)

    assert curve(seed).to_dict() == curve(3).to_dict()
    assert assay.metrics.MAE().interval(T, U, seed=seed, method="bootstrap").low == pytest.approx(
        assay.metrics.MAE().interval(T, U, seed=3, method="bootstrap").low, abs=0
    )
    assert assay.CrossValidation(seed=seed) == assay.CrossValidation(seed=3)


def test_numbers_and_flags_of_numpy_are_parameters() -> None:
    assert assay.metrics.FBeta(beta=np.float32(2)) == assay.metrics.FBeta(beta=2.0)
    assert assay.metrics.BalancedAccuracy(adjusted=np.bool_(True)) == assay.metrics.BalancedAccuracy(adjusted=True)
    assert type(assay.metrics.TopKAccuracy(k=np.int64(3)).k) is int
    assert assay.metrics.MSE(outputs=np.array([1, 3])).outputs == (1, 3)


def test_models_may_have_numbers_for_names() -> None:
    ranking = assay.metrics.MAE().rank(T, {1: U, 2: V})
    assert ranking.order == ["1", "2"]
    assert "1 is best" in str(ranking) or "cannot be told apart" in str(ranking)
    assert ranking.pair(1, 2) == ranking.pair("1", "2")
    found = assay.compare(task="regression", y_true=T, models={1: U, 2: V}, metrics=["mae"])
    assert float(found.pair("mae", 1, 2)) == float(found.pair("mae", "1", "2"))


def test_names_that_become_one_are_refused() -> None:
    with refusal(assay.ParameterError):
        assay.metrics.MAE().rank(T, {1: U, "1": V})


def test_slices_may_have_numbers_for_names() -> None:
    result = assay.evaluate(task="regression", y_true=T, y_pred=U, slices={1: SITE}, metrics=["mae"])
    assert set(result.slices) == {"1"}
    assert set(result.slices["1"]) == {"north", "south", "east"}
    assert "by 1" in str(result)


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.evaluate(task="binary", y_true=[0, 1], y_pred=[0, 1], classes=3),
        lambda: plan.plan("accuracy", width=0.1, value=0.9, level=None),
        lambda: assay.metrics.AverageRecall(iou_thresholds=0.5),
        lambda: assay.metrics.MAE().rank(T, [U, V]),
        lambda: assay.evaluate(task="regression", y_true=T, y_pred=U, slices=SITE),
        lambda: assay.evaluate(task="regression", y_true=T, y_prd=U),
        lambda: assay.evaluate("regression"),
        lambda: assay.evaluate(task="regression"),
        lambda: assay.metrics.MAE().interval(T, U, level="95 %"),
        lambda: assay.metrics.MAE().interval(T, U, replicates=10**9),
        lambda: assay.CrossValidation(folds="10"),
        lambda: assay.CrossValidation(10),
        lambda: assay.Holdout(tset=0.2),
        lambda: assay.guideline(10**5000),
    ],
)  # fmt: skip
def test_refused_in_our_words(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_what_is_not_finite_in_large_pictures_is_refused() -> None:
    picture = np.zeros((1, 1200, 1200))  # which the compiled route takes
    spoilt = picture.copy()
    spoilt[0, 0, 0] = np.inf
    with refusal(assay.InputError):
        assay.psnr(picture, spoilt, data_range=1.0)
    spoilt[0, 0, 0] = 1e200
    with refusal(assay.InputError):
        assay.psnr(picture, spoilt, data_range=1.0)


def test_tensors_of_other_devices_and_of_few_bits() -> None:
    device = array_api_strict.Device("device1")
    here, there = array_api_strict.asarray([1.0, 2.0]), array_api_strict.asarray([1.0, 4.0], device=device)
    with refusal(assay.InputError):
        assay.mae(here, there)
    assert float(assay.mae(there, [1.0, 2.0])) == 1.0
    with refusal(assay.InputError):
        assay.mae(torch.eye(2).to_sparse(), torch.eye(2))
    short = torch.tensor([1.0, 4.0]).to(torch.float8_e4m3fn)
    assert assay.mae(short, torch.tensor([1.0, 2.0])) == 1.0
    assert assay.mae(short, [1.0, 2.0]) == 1.0


# ---- the checker itself


def test_signatures_are_kept() -> None:
    assert list(inspect.signature(assay.evaluate).parameters)[:3] == ["data", "predictions", "task"]
    assert assay.evaluate.__doc__
    assert pickle.loads(pickle.dumps(assay.guideline)) is assay.guideline


@guarded
def example(a: int, b: Level = 0.5, *, name: Name = "x", seed: Seed = 0, of: Says | None = None) -> Any:
    return a, b, name, seed


def test_arguments_are_taken_as_python_values() -> None:
    assert example(np.int32(1), np.float32(0.5), name=3, seed=2**100) == (1, 0.5, "3", 2**100)
    assert [type(value) for value in example(np.int32(1), np.float32(0.5))] == [int, float, str, int]
    for bad in (
        {"a": 1.5},
        {"a": True},
        {"a": "1"},
        {"a": 1, "b": 1.0},
        {"a": 1, "b": np.nan},
        {"a": 1, "seed": -1},
        {"a": 1, "of": 2},
    ):
        with refusal(assay.ParameterError):
            example(**bad)
    with refusal(assay.InputError):
        example(1, a=2)


def test_every_public_function_is_guarded() -> None:
    plain = {"box_iou_matrix", "cost_minimal_threshold", "cost_minimal_decisions", "checked"}
    plain |= {"no_answer_threshold", "sacrebleu_test", "sacrebleu_signature", "from_sacrebleu_signature"}
    for name in assay._PUBLIC:
        value = getattr(assay, name)
        if inspect.isfunction(value) and name not in plain:
            assert hasattr(value, "__wrapped__"), name


def test_every_annotation_is_understood() -> None:
    """What a public function asks for is read without an error, and whoever asks for a number gets one."""
    assert kind_of_hint(int | None) is not None
    for name in ("evaluate", "compare", "estimate", "learning_curve", "compare_learners", "bias_variance", "guideline"):
        rules = Call(inspect.unwrap(getattr(assay, name)))._rules
        assert {"level", "seed"} & set(rules.kinds), name
