"""Bad arrays and weights: objects, text, masks, ragged lists, frames with missing values, mixed libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, params

import assay
from assay.core.registry import find
from messages import refuses

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
torch = pytest.importorskip("torch")
jnp = pytest.importorskip("jax.numpy")
pa = pytest.importorskip("pyarrow")

CASES: list[Bad] = [
    (
        "zero columns",
        lambda: assay.mse(np.zeros((3, 0)), np.zeros((3, 0))),
    ),
    (
        "rank scalar",
        lambda: assay.mse(1.0, 1.0),
    ),
    (
        "rank 3",
        lambda: assay.mse(np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
    ),
    (
        "rank mix",
        lambda: assay.mse(np.zeros((3, 1)), np.zeros(3)),
    ),
    (
        "object",
        lambda: assay.mse(np.array([1.0, None, 2.0], dtype=object), [1.0, 2, 3]),
    ),
    (
        "object mixed",
        lambda: assay.mse(np.array([1.0, "a", 2.0], dtype=object), [1.0, 2, 3]),
    ),
    (
        "object matrix",
        lambda: assay.mse(np.array([[1.0, None], [2, 3]], dtype=object), np.zeros((2, 2))),
    ),
    (
        "object matrix 2nd col",
        lambda: assay.mse(np.array([[1.0, "x"], [2, 3]], dtype=object), np.zeros((2, 2))),
    ),
    (
        "masked",
        lambda: assay.mse(np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, 2]),
    ),
    (
        "ragged",
        lambda: assay.mse([[1.0], [1.0, 2]], [1.0, 2]),
    ),
    (
        "neg weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1, -1]),
    ),
    (
        "zero weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[0, 0]),
    ),
    (
        "rank weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[[1.0], [1]]),
    ),
    (
        "scalar weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=1.0),
    ),
    (
        "text weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=["a", "b"]),
    ),
    (
        "textnum weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=["1", "2"]),
    ),
    (
        "None weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[None, 1.0]),
    ),
    (
        "huge weights",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1e308, 1e308]),
    ),
    (
        "single text",
        lambda: assay.f1(["a", "a"], ["a", "a"]),
    ),
    (
        "complex",
        lambda: assay.mse(np.array([1 + 1j, 2]), [1.0, 2]),
    ),
    (
        "string nums",
        lambda: assay.mse(["1", "2"], ["1", "2"]),
    ),
    (
        "none values",
        lambda: assay.mse([1.0, None], [1.0, 2]),
    ),
    (
        "None arg",
        lambda: assay.mse(None, [1.0, 2]),
    ),
    (
        "None pred",
        lambda: assay.f1([1, 0], None),
    ),
    (
        "mixed libs",
        lambda: assay.mse(torch.tensor([1.0, 2]), jnp.asarray([1.0, 2])),
    ),
    (
        "pandas na",
        lambda: assay.mse(pd.Series([1.0, None]), [1.0, 2]),
    ),
    (
        "polars null",
        lambda: assay.mse(pl.Series([1.0, None]), [1.0, 2]),
    ),
    (
        "arrow null",
        lambda: assay.mse(pa.array([1.0, None]), [1.0, 2]),
    ),
    (
        "polars lazy",
        lambda: assay.mse(pl.LazyFrame({"a": [1.0]}), [1.0]),
    ),
    (
        "datetime",
        lambda: assay.mse(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), [1.0, 2]),
    ),
    (
        "pd datetime",
        lambda: assay.mse(pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])), [1.0, 2]),
    ),
    (
        "pd categorical",
        lambda: assay.mse(pd.Series(["a", "b"], dtype="category"), [1.0, 2]),
    ),
    (
        "dict",
        lambda: assay.mse({"a": 1}, [1.0]),
    ),
    (
        "set",
        lambda: assay.mse({1.0, 2.0}, [1.0, 2]),
    ),
    (
        "str",
        lambda: assay.mse("12", [1.0, 2]),
    ),
    (
        "generator",
        lambda: assay.mse((x for x in [1.0, 2]), [1.0, 2]),
    ),
    (
        "outputs len",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=(1.0, 2.0, 3.0)),
    ),
    (
        "cost 3 text",
        lambda: assay.expected_cost(["a", "b", "c"], ["a", "b", "c"], cost=np.ones((3, 3)).tolist()),
    ),
    (
        "ovo ml",
        lambda: assay.roc_auc(np.array([[0, 1], [1, 0]]), np.zeros((2, 2)), multiclass="ovo", average="macro"),
    ),
    (
        "sweep best unknown",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).best("f11"),
    ),
    (
        "sweep all nan",
        lambda: assay.threshold_sweep([0, 0], [0.1, 0.2]).best("recall"),
    ),
    (
        "replicates shape",
        lambda: assay.metrics.MSE().replicates(np.ones((2, 3)), [1.0, 2], [1.0, 2]),
    ),
    (
        "replicates text",
        lambda: assay.metrics.MSE().replicates([["a", "b"]], [1.0, 2], [1.0, 2]),
    ),
    (
        "replicates neg",
        lambda: assay.metrics.MSE().replicates([[-1, 1]], [1.0, 2], [1.0, 2]),
    ),
    (
        "find",
        lambda: find("f11"),
    ),
    (
        "compare lengths",
        lambda: assay.metrics.MSE().compare([1.0, 2], [1.0, 2], [1.0, 2, 3]),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
