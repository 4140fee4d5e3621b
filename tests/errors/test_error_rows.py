"""The same refusals on data large enough for the compiled route: the row that is wrong is named."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import assay
from assay import kernels

N, ROW = kernels.LARGE + 1, 77
VALUES = (
    "mse",
    "mae",
    "rmse",
    "r2",
    "pearson",
    "spearman",
    "kendall",
    "smape",
    "mape",
    "median_absolute_error",
    "pinball",
)


def refused(call: Any, *parts: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(assay.InputError) as caught:
            call()
    for part in parts:
        assert part in str(caught.value)


def numbers(bad: float, dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y, p = rng.normal(5, 1, N).astype(dtype), rng.normal(5, 1, N).astype(dtype)
    p[ROW] = bad
    return y, p


@pytest.mark.parametrize("key", VALUES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values(key: str, bad: float, dtype: Any) -> None:
    y, p = numbers(bad, dtype)
    name = type(getattr(assay, key).metric()).__name__
    refused(
        lambda: getattr(assay, key)(y, p),
        f"{name}: y_pred must be finite, got {bad} in row {ROW}",
        "(1 such values in all)",
    )
    refused(lambda: getattr(assay, key)(p, y), f"{name}: y_true must be finite, got {bad} in row {ROW}")


@pytest.mark.parametrize(
    "key", ["log_loss", "brier", "roc_auc", "average_precision", "f1", "calibration_error", "tpr_at_fpr"]
)
@pytest.mark.parametrize("bad", [np.nan, 1.5, -0.25, np.inf], ids=str)
def test_probabilities(key: str, bad: float) -> None:
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, N), rng.random(N)
    p[ROW] = bad
    refused(lambda: getattr(assay, key)(y, y_prob=p), "y_prob", f"row {ROW}")


@pytest.mark.parametrize("key", ["log_loss", "brier", "roc_auc", "f1", "calibration_error"])
@pytest.mark.parametrize("bad", [[0.5, 0.5, np.nan], [0.5, 0.75, -0.25], [0.5, 0.4, 0.0]], ids=["nan", "range", "sum"])
def test_rows_of_probabilities(key: str, bad: list[float]) -> None:
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 3, N), rng.dirichlet([1, 1, 1], N)
    p[ROW] = bad
    options = {"average": "macro"} if key in ("roc_auc", "f1") else {}
    refused(lambda: getattr(assay, key)(y, y_prob=p, **options), "y_prob", f"row {ROW}")


@pytest.mark.parametrize("key", ["accuracy", "f1", "confusion_matrix", "cohen_kappa", "matthews_correlation"])
def test_labels(key: str) -> None:
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 3, N), rng.integers(0, 3, N)
    p[ROW] = 9
    options = {"average": "macro"} if key == "f1" else {}
    refused(
        lambda: getattr(assay, key)(y, p, classes=(0, 1, 2), **options),
        "y_pred must hold labels of 0..2, got 9",
        f"row {ROW}",
    )
    scores = p + np.where(np.arange(N) == ROW, 0.5, 0.0)
    refused(
        lambda: getattr(assay, key)(y, scores, **options),
        "y_pred must hold labels",
        f"row {ROW} looks like a score (9.5)",
    )


@pytest.mark.parametrize("key", ["mse", "f1", "roc_auc", "log_loss", "spearman", "calibration_error"])
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf], ids=str)
def test_weights(key: str, bad: float) -> None:
    rng = np.random.default_rng(4)
    y, p, w = rng.integers(0, 2, N), rng.random(N), rng.random(N)
    w[ROW] = bad
    second = (p > 0.5).astype(int) if key == "f1" else p
    refused(
        lambda: getattr(assay, key)(y, second, weight=w),
        f"weight must be finite and non-negative, got {bad} in row {ROW}",
    )


def test_labels_that_differ_only_in_one_row_of_text() -> None:
    y = np.array(["a", "b"] * (N // 2 + 1))[:N]
    p = y.copy()
    p[ROW] = "z"
    refused(
        lambda: assay.f1(y, p, classes=("a", "b"), positive="a"),
        f"y_pred must hold labels of 'a', 'b', got 'z' in row {ROW}",
    )


def test_scores_that_are_infinite_have_a_place() -> None:
    """Infinity is a fine score, only NaN has no place in an order."""
    assert assay.roc_auc([0, 1], [-np.inf, np.inf]) == 1.0
    refused(lambda: assay.roc_auc([0, 1], [np.nan, np.inf]), "y_score must not hold NaN, found it in row 0")


def test_a_state_is_added_to_states_only() -> None:
    """Python's own protocol: what is not a state is not ours to name."""
    state = assay.metrics.MSE().state([1.0], [2.0])
    with pytest.raises(TypeError, match="unsupported operand"):
        state + 1
    assert sum([state, state]).n == 2
