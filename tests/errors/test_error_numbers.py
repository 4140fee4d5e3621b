"""Bad numbers: none, missing, infinite, too large, of the wrong shape or length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, inf, nan, params

import assay
from messages import refuses

MANY = np.linspace(0, 1, 3000)
SHARES = np.full(3000, 1 / 3000)

CASES: list[Bad] = [
    (
        "squares vanish r2",
        lambda: assay.r2([1e-170, 2e-170, 4e-170], [1e-170, 3e-170, 4e-170]),
    ),
    (
        "squares vanish pearson",
        lambda: assay.pearson([1.0, 2.0, 4.0], [1e-170, 3e-170, 4e-170]),
    ),
    (
        "normalised weights adjusted_r2",
        lambda: assay.adjusted_r2(MANY, MANY**2, weight=SHARES),
    ),
    (
        "normalised weights state",
        lambda: assay.metrics.AdjustedR2().state(MANY, MANY**2, weight=SHARES),
    ),
    (
        "normalised weights calibration",
        lambda: assay.calibration_error(MANY > 0.4, y_prob=MANY, norm="l2", debiased=True, weight=SHARES),
    ),
    (
        "empty",
        lambda: assay.mse([], []),
    ),
    (
        "empty cls",
        lambda: assay.f1([], []),
    ),
    (
        "empty matrix",
        lambda: assay.mse(np.zeros((0, 2)), np.zeros((0, 2))),
    ),
    (
        "one row r2",
        lambda: assay.r2([1.0], [1.0], undefined="error"),
    ),
    (
        "nan y_true",
        lambda: assay.mse([1.0, nan], [1.0, 2.0]),
    ),
    (
        "nan y_pred",
        lambda: assay.mae([1.0, 2], [1.0, nan]),
    ),
    (
        "inf",
        lambda: assay.mse([1.0, inf], [1.0, 2.0]),
    ),
    (
        "nan r2",
        lambda: assay.r2([1.0, nan, 3], [1.0, 2.0, 3]),
    ),
    (
        "nan spearman",
        lambda: assay.spearman([1.0, nan, 3], [1.0, 2.0, 3]),
    ),
    (
        "nan median",
        lambda: assay.median_absolute_error([1.0, nan, 3], [1.0, 2.0, 3]),
    ),
    (
        "inf median",
        lambda: assay.median_absolute_error([1.0, inf, 3], [1.0, inf, 3]),
    ),
    (
        "nan kendall",
        lambda: assay.kendall([1.0, 2, 3], [1.0, nan, 3]),
    ),
    (
        "nan mape",
        lambda: assay.mape([1.0, 2, 3], [1.0, nan, 3]),
    ),
    (
        "nan mape target",
        lambda: assay.mape([1.0, nan, 3], [1.0, 2.0, 3]),
    ),
    (
        "nan mape skip",
        lambda: assay.mape([1.0, 0, 3], [1.0, nan, 3], zeros="skip"),
    ),
    (
        "nan smape",
        lambda: assay.smape([1.0, 2, 3], [1.0, nan, 3]),
    ),
    (
        "nan nrmse iqr",
        lambda: assay.nrmse([1.0, nan, 3], [1.0, 2, 3], divisor="iqr"),
    ),
    (
        "nan nrmse range",
        lambda: assay.nrmse([1.0, nan, 3], [1.0, 2, 3], divisor="range"),
    ),
    (
        "nan skill",
        lambda: assay.skill_score([1.0, 2, 3], [1.0, 2, 3], [1.0, nan, 3]),
    ),
    (
        "nan coverage",
        lambda: assay.interval_coverage([nan, 1], [0.0, 0], [1.0, 1]),
    ),
    (
        "nan lower",
        lambda: assay.interval_score([1.0, 1], [nan, 0], [1.0, 1]),
    ),
    (
        "nan crps",
        lambda: assay.crps([1.0], members=[[nan, 1.0]]),
    ),
    (
        "nan sd",
        lambda: assay.crps([1.0], mean=[0.0], sd=[nan]),
    ),
    (
        "sd 0",
        lambda: assay.crps([1.0], mean=[0.0], sd=[0.0]),
    ),
    (
        "length",
        lambda: assay.mse([1.0, 2], [1.0, 2, 3]),
    ),
    (
        "length cls",
        lambda: assay.f1([1, 0], [1, 0, 1]),
    ),
    (
        "nan weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[nan, 1]),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)


def test_normalised_weights_are_fine_where_no_correction_reads_them() -> None:
    """Totals and tables of shares are what they say; rows of weight 0 are absent, so few may be left."""
    assert assay.sse([1.0, 2.0], [1.0, 4.0], weight=[0.25, 0.25]) == 1.0
    assert assay.calibration_error(MANY > 0.4, y_prob=MANY, weight=SHARES) > 0
    few = (np.arange(3000) % 10 == 0).astype(float)
    assert assay.adjusted_r2(MANY, MANY**2, weight=few) == pytest.approx(assay.adjusted_r2(MANY[::10], MANY[::10] ** 2))
