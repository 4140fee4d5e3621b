"""Bad arrays and weights: objects, text, masks, ragged lists, frames with missing values, mixed libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, params

import assay
from assay.core.registry import find

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
torch = pytest.importorskip("torch")
jnp = pytest.importorskip("jax.numpy")
pa = pytest.importorskip("pyarrow")

CASES: list[Bad] = [
    (
        "zero columns",
        lambda: assay.mse(np.zeros((3, 0)), np.zeros((3, 0))),
        assay.InputError,
        "MSE: y_true has no columns (float64 of shape (3, 0)); at least one is needed.",
    ),
    (
        "rank scalar",
        lambda: assay.mse(1.0, 1.0),
        assay.InputError,
        "MSE: y_true must hold one value a row, got a single value (float64 of shape ()).",
    ),
    (
        "rank 3",
        lambda: assay.mse(np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
        assay.InputError,
        ("MSE: y_true must be one number a row or a matrix (rows, columns), got float64 of shape (2, 2, 2)."),
    ),
    (
        "rank mix",
        lambda: assay.mse(np.zeros((3, 1)), np.zeros(3)),
        assay.InputError,
        (
            "MSE: y_true and y_pred must have the same shape, got (3, 1) and (3,). One of them has a "
            "column axis: pass array[:, 0]."
        ),
    ),
    (
        "object",
        lambda: assay.mse(np.array([1.0, None, 2.0], dtype=object), [1.0, 2, 3]),
        assay.InputError,
        (
            "MSE: y_true must hold numbers, got None (NoneType) in row 1. Convert or drop such rows in "
            "every input first."
        ),
    ),
    (
        "object mixed",
        lambda: assay.mse(np.array([1.0, "a", 2.0], dtype=object), [1.0, 2, 3]),
        assay.InputError,
        ("MSE: y_true must hold numbers, got 'a' (str) in row 1. Convert or drop such rows in every input first."),
    ),
    (
        "object matrix",
        lambda: assay.mse(np.array([[1.0, None], [2, 3]], dtype=object), np.zeros((2, 2))),
        assay.InputError,
        (
            "MSE: y_true must hold numbers, got None (NoneType) in row 0. Convert or drop such rows in "
            "every input first."
        ),
    ),
    (
        "object matrix 2nd col",
        lambda: assay.mse(np.array([[1.0, "x"], [2, 3]], dtype=object), np.zeros((2, 2))),
        assay.InputError,
        ("MSE: y_true must hold numbers, got 'x' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "masked",
        lambda: assay.mse(np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, 2]),
        assay.InputError,
        (
            "MSE: y_true is a masked array with 1 masked values. Remove those rows from every input "
            "first, or give them weight 0 and any valid value: y_true.filled(...)."
        ),
    ),
    (
        "ragged",
        lambda: assay.mse([[1.0], [1.0, 2]], [1.0, 2]),
        assay.InputError,
        "MSE: y_true is ragged: its rows differ in length. Give one number or label a row.",
    ),
    (
        "neg weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1, -1]),
        assay.InputError,
        "MSE: weight must be finite and not negative, got -1.0 in row 1.",
    ),
    (
        "zero weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[0, 0]),
        assay.InputError,
        "MSE: all weights are zero, so nothing would be measured. Give some row a positive weight.",
    ),
    (
        "rank weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[[1.0], [1]]),
        assay.InputError,
        "MSE: weight must hold one number a row (2), got float64 of shape (2, 1).",
    ),
    (
        "scalar weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=1.0),
        assay.InputError,
        "MSE: weight must hold one number a row (2), got float64 of shape ().",
    ),
    (
        "text weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=["a", "b"]),
        assay.InputError,
        ("MSE: weight must hold numbers, got 'a' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "textnum weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=["1", "2"]),
        assay.InputError,
        ("MSE: weight must hold numbers, got '1' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "None weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[None, 1.0]),
        assay.InputError,
        (
            "MSE: weight must hold numbers, got None (NoneType) in row 0. Convert or drop such rows in "
            "every input first."
        ),
    ),
    (
        "huge weights",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1e308, 1e308]),
        assay.InputError,
        "MSE: the weights add up to more than a number can hold. Divide them all by their largest.",
    ),
    (
        "single text",
        lambda: assay.f1(["a", "a"], ["a", "a"]),
        assay.InputError,
        "F1: which class is positive? The labels are 'a'. Say positive='a' (or another of them).",
    ),
    (
        "complex",
        lambda: assay.mse(np.array([1 + 1j, 2]), [1.0, 2]),
        assay.InputError,
        ("MSE: y_true must be real, got complex128 of shape (2,). Take .real or the absolute value first."),
    ),
    (
        "string nums",
        lambda: assay.mse(["1", "2"], ["1", "2"]),
        assay.InputError,
        ("MSE: y_true must hold numbers, got '1' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "none values",
        lambda: assay.mse([1.0, None], [1.0, 2]),
        assay.InputError,
        (
            "MSE: y_true must hold numbers, got None (NoneType) in row 1. Convert or drop such rows in "
            "every input first."
        ),
    ),
    (
        "None arg",
        lambda: assay.mse(None, [1.0, 2]),
        assay.InputError,
        "MSE: y_true must be given; it takes y_true, y_pred.",
    ),
    (
        "None pred",
        lambda: assay.f1([1, 0], None),
        assay.InputError,
        "F1: give exactly one of y_pred, y_prob, logits; got none.",
    ),
    (
        "mixed libs",
        lambda: assay.mse(torch.tensor([1.0, 2]), jnp.asarray([1.0, 2])),
        assay.InputError,
        "MSE: the inputs mix jaxlib and torch. Convert them to one array library first.",
    ),
    (
        "pandas na",
        lambda: assay.mse(pd.Series([1.0, None]), [1.0, 2]),
        assay.InputError,
        "MSE: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "polars null",
        lambda: assay.mse(pl.Series([1.0, None]), [1.0, 2]),
        assay.InputError,
        "MSE: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "arrow null",
        lambda: assay.mse(pa.array([1.0, None]), [1.0, 2]),
        assay.InputError,
        "MSE: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "polars lazy",
        lambda: assay.mse(pl.LazyFrame({"a": [1.0]}), [1.0]),
        assay.InputError,
        "MSE: y_true is a LazyFrame, which holds no data yet. Pass its .collect().",
    ),
    (
        "datetime",
        lambda: assay.mse(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), [1.0, 2]),
        assay.InputError,
        (
            "MSE: y_true must hold numbers or labels, got dates (datetime64[D] of shape (2,)). Take y_true - y_true[0] in units of "
            "np.timedelta64(1, 's')."
        ),
    ),
    (
        "pd datetime",
        lambda: assay.mse(pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])), [1.0, 2]),
        assay.InputError,
        (
            "MSE: y_true must hold numbers or labels, got dates (datetime64[us] of shape (2,)). Take y_true - y_true[0] in units of "
            "np.timedelta64(1, 's')."
        ),
    ),
    (
        "pd categorical",
        lambda: assay.mse(pd.Series(["a", "b"], dtype="category"), [1.0, 2]),
        assay.InputError,
        ("MSE: y_true must hold numbers, got 'a' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "dict",
        lambda: assay.mse({"a": 1}, [1.0]),
        assay.InputError,
        "MSE: y_true must be an array, a list or a column, got dict.",
    ),
    (
        "set",
        lambda: assay.mse({1.0, 2.0}, [1.0, 2]),
        assay.InputError,
        "MSE: y_true must be an array, a list or a column, got set.",
    ),
    (
        "str",
        lambda: assay.mse("12", [1.0, 2]),
        assay.InputError,
        "MSE: y_true must be an array, a list or a column, got str.",
    ),
    (
        "generator",
        lambda: assay.mse((x for x in [1.0, 2]), [1.0, 2]),
        assay.InputError,
        "MSE: y_true must be an array, a list or a column, got generator.",
    ),
    (
        "outputs len",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=(1.0, 2.0, 3.0)),
        assay.InputError,
        "MSE: outputs holds 3 weights, the data have 2 outputs.",
    ),
    (
        "cost 3 text",
        lambda: assay.expected_cost(["a", "b", "c"], ["a", "b", "c"], cost=np.ones((3, 3)).tolist()),
        assay.InputError,
        (
            "ExpectedCost: which label is which row of cost? The labels are 'a', 'b', 'c'. Say "
            "classes=(...) in that order."
        ),
    ),
    (
        "ovo ml",
        lambda: assay.roc_auc(np.array([[0, 1], [1, 0]]), np.zeros((2, 2)), multiclass="ovo", average="macro"),
        assay.InputError,
        "RocAuc: multiclass='ovo' is for one class a row, not for a multilabel problem.",
    ),
    (
        "sweep best unknown",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).best("f11"),
        assay.UnknownNameError,
        "unknown metric 'f11'. Did you mean 'f1'? `assay list` shows all.",
    ),
    (
        "sweep all nan",
        lambda: assay.threshold_sweep([0, 0], [0.1, 0.2]).best("recall"),
        assay.UndefinedError,
        "threshold_sweep: recall does not exist at any threshold: one of the classes does not occur.",
    ),
    (
        "replicates shape",
        lambda: assay.metrics.MSE().replicates(np.ones((2, 3)), [1.0, 2], [1.0, 2]),
        assay.InputError,
        "MSE: weights must be (replicates, 2), got (2, 3).",
    ),
    (
        "replicates text",
        lambda: assay.metrics.MSE().replicates([["a", "b"]], [1.0, 2], [1.0, 2]),
        assay.InputError,
        "MSE: weights must be a matrix of numbers (replicates, 2)...",
    ),
    (
        "replicates neg",
        lambda: assay.metrics.MSE().replicates([[-1, 1]], [1.0, 2], [1.0, 2]),
        assay.InputError,
        "MSE: weights of replicates must lie between 0 and 1e+100, got -1 to 1.",
    ),
    (
        "find",
        lambda: find("f11"),
        assay.UnknownNameError,
        "unknown metric 'f11'. Did you mean 'f1'? `assay list` shows all.",
    ),
    (
        "compare lengths",
        lambda: assay.metrics.MSE().compare([1.0, 2], [1.0, 2], [1.0, 2, 3]),
        assay.InputError,
        "MSE: the inputs must have the same number of rows, got y_true 2, y_pred 3.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
