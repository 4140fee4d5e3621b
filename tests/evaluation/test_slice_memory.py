"""Slices of large data: about the memory of the whole, and the same numbers as by rows."""

from __future__ import annotations

import copy
import tracemalloc
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.name_columns import CodedNames
from assay.core.signatures import from_spec
from assay.inference.sample import Sample

N = 300_000


def case(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    p = np.round(1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * y - 0.75))), 3)
    return {"task": "binary", "y_true": y, "y_prob": p}


def peak(**arguments: Any) -> int:
    tracemalloc.start()
    assay.evaluate(**arguments)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_slices_need_at_most_twice_the_memory_of_the_whole():
    data, site = case(N), np.arange(N) % 6
    assay.evaluate(**case(1000), slices={"site": np.arange(1000) % 6})  # modules and kernels are loaded
    assay.evaluate(**data)
    columns = data["y_true"].nbytes + data["y_prob"].nbytes
    whole = columns + peak(**data)
    assert columns + peak(**data, slices={"site": site}) <= 2 * (whole + site.nbytes)


@pytest.mark.parametrize(
    "spec", ["accuracy", "f1", "roc_auc", "average_precision", "log_loss", "brier", "calibration_error", "balanced_accuracy"]
)  # fmt: skip
@pytest.mark.parametrize("n", [400, 40_000])
def test_a_product_of_influence_values_is_the_sum_over_rows(spec, n):
    """A slice is correlated with the whole without keeping its rows where that is possible."""
    metric: Metric[Any] = from_spec(spec, {"classes": (0, 1)})
    data = case(n)
    inputs = Inputs({"y_true": data["y_true"], "y_prob": data["y_prob"]})
    rows = np.flatnonzero(np.arange(n) % 7 < 3)
    whole, part = Sample(metric, inputs), Sample(metric, inputs.rows(rows))
    by_rows = part.influence @ whole.influence[rows]
    found = part.product(whole)
    assert found is None or found == pytest.approx(by_rows, rel=1e-9)
    assert (found is None) == (spec in ("roc_auc", "average_precision", "calibration_error"))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "spec", ["calibration_error", "calibration_error:norm=l2,debiased=true", "calibration_error:norm=max"]
)
def test_the_influence_of_bins_by_blocks_is_that_of_their_rows(spec, weighted):
    metric: Metric[Any] = from_spec(spec)
    data = case(70_000)  # more than a block
    weight = np.arange(70_000) % 3 + 1.0 if weighted else None
    inputs = Inputs({"y_true": data["y_true"], "y_prob": data["y_prob"]}, weight=weight)
    rows = metric.statistic().linear(inputs)
    by_rows = Metric.influence_of(metric, inputs)
    assert rows is not None
    np.testing.assert_allclose(metric.influence_of(inputs), by_rows, rtol=1e-9, atol=1e-16)


def test_rows_are_forgotten_and_sums_kept():
    @memo
    def doubled(inputs: Inputs) -> dict[str, Any]:
        return {"rows": inputs["y_true"] * 2}

    @memo
    def kept(inputs: Inputs, wanted: str) -> Any:
        return (inputs["y_true"] + 1,)

    @memo
    def total(inputs: Inputs) -> Any:
        return inputs["y_true"].sum()

    inputs = Inputs({"y_true": np.arange(10.0)})
    before = copy.copy([doubled(inputs), kept(inputs, "later"), total(inputs)])
    inputs.forget_rows(["later"])
    assert inputs.known(doubled) is None
    assert inputs.known(kept, "later") is before[1]
    assert inputs.known(total) == 45


def test_names_as_codes_are_those_of_the_column():
    data, names = case(600), np.array(["b", "a", "c"] * 200)
    coded = CodedNames(np.array([1, 0, 2] * 200, dtype=np.uint8), ["a", "b", "c"])
    plain, short = (assay.evaluate(**data, slices={"site": column}).slices["site"] for column in (names, coded))
    assert plain == short
    assert coded.tolist() == names.tolist()
