"""Bad numbers: none, missing, infinite, too large, of the wrong shape or length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, inf, nan, params

import assay

MANY = np.linspace(0, 1, 3000)
SHARES = np.full(3000, 1 / 3000)

CASES: list[Bad] = [
    (
        "squares vanish r2",
        lambda: assay.r2([1e-170, 2e-170, 4e-170], [1e-170, 3e-170, 4e-170]),
        assay.InputError,
        (
            "R2: y_true differs from row to row by so little that its squares do not fit in a number. Multiply all inputs "
            "by one unit first."
        ),
    ),
    (
        "squares vanish pearson",
        lambda: assay.pearson([1.0, 2.0, 4.0], [1e-170, 3e-170, 4e-170]),
        assay.InputError,
        "Pearson: y_pred differs from row to row by so little that its squares do not fit in a number. Multiply ...",
    ),
    (
        "normalised weights adjusted_r2",
        lambda: assay.adjusted_r2(MANY, MANY**2, weight=SHARES),
        assay.UndefinedError,
        ("AdjustedR2: weights count rows here, but they add up to 1 for 3000 rows. Multiply them by n / weight.sum()."),
    ),
    (
        "normalised weights state",
        lambda: assay.metrics.AdjustedR2().state(MANY, MANY**2, weight=SHARES),
        assay.UndefinedError,
        "AdjustedR2: weights count rows here, but they add up to 1 for 3000 rows. Multiply them by ...",
    ),
    (
        "normalised weights calibration",
        lambda: assay.calibration_error(MANY > 0.4, y_prob=MANY, norm="l2", debiased=True, weight=SHARES),
        assay.UndefinedError,
        "CalibrationError: weights count rows here, but they add up to 1 for 3000 rows. Multiply them by ...",
    ),
    (
        "empty",
        lambda: assay.mse([], []),
        assay.InputError,
        "MSE: the inputs are empty; at least one row is needed.",
    ),
    (
        "empty cls",
        lambda: assay.f1([], []),
        assay.InputError,
        "F1: the inputs are empty; at least one row is needed.",
    ),
    (
        "empty matrix",
        lambda: assay.mse(np.zeros((0, 2)), np.zeros((0, 2))),
        assay.InputError,
        "MSE: the inputs are empty; at least one row is needed.",
    ),
    (
        "one row r2",
        lambda: assay.r2([1.0], [1.0], undefined="error"),
        assay.UndefinedError,
        "R2: the value does not exist here: the target is constant.",
    ),
    (
        "nan y_true",
        lambda: assay.mse([1.0, nan], [1.0, 2.0]),
        assay.InputError,
        (
            "MSE: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan y_pred",
        lambda: assay.mae([1.0, 2], [1.0, nan]),
        assay.InputError,
        (
            "MAE: y_pred must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "inf",
        lambda: assay.mse([1.0, inf], [1.0, 2.0]),
        assay.InputError,
        (
            "MSE: y_true must be finite, got inf in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan r2",
        lambda: assay.r2([1.0, nan, 3], [1.0, 2.0, 3]),
        assay.InputError,
        (
            "R2: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan spearman",
        lambda: assay.spearman([1.0, nan, 3], [1.0, 2.0, 3]),
        assay.InputError,
        (
            "Spearman: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair "
            "those rows in every input first."
        ),
    ),
    (
        "nan median",
        lambda: assay.median_absolute_error([1.0, nan, 3], [1.0, 2.0, 3]),
        assay.InputError,
        (
            "MedianAbsoluteError: y_true must be finite, got nan in row 1 (1 such values in all). Drop or"
            " repair those rows in every input first."
        ),
    ),
    (
        "inf median",
        lambda: assay.median_absolute_error([1.0, inf, 3], [1.0, inf, 3]),
        assay.InputError,
        (
            "MedianAbsoluteError: y_true must be finite, got inf in row 1 (1 such values in all). Drop or"
            " repair those rows in every input first."
        ),
    ),
    (
        "nan kendall",
        lambda: assay.kendall([1.0, 2, 3], [1.0, nan, 3]),
        assay.InputError,
        (
            "Kendall: y_pred must be finite, got nan in row 1 (1 such values in all). Drop or repair "
            "those rows in every input first."
        ),
    ),
    (
        "nan mape",
        lambda: assay.mape([1.0, 2, 3], [1.0, nan, 3]),
        assay.InputError,
        (
            "MAPE: y_pred must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan mape target",
        lambda: assay.mape([1.0, nan, 3], [1.0, 2.0, 3]),
        assay.InputError,
        (
            "MAPE: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan mape skip",
        lambda: assay.mape([1.0, 0, 3], [1.0, nan, 3], zeros="skip"),
        assay.InputError,
        (
            "MAPE: y_pred must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan smape",
        lambda: assay.smape([1.0, 2, 3], [1.0, nan, 3]),
        assay.InputError,
        (
            "SMAPE: y_pred must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan nrmse iqr",
        lambda: assay.nrmse([1.0, nan, 3], [1.0, 2, 3], divisor="iqr"),
        assay.InputError,
        (
            "NRMSE: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan nrmse range",
        lambda: assay.nrmse([1.0, nan, 3], [1.0, 2, 3], divisor="range"),
        assay.InputError,
        (
            "NRMSE: y_true must be finite, got nan in row 1 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan skill",
        lambda: assay.skill_score([1.0, 2, 3], [1.0, 2, 3], [1.0, nan, 3]),
        assay.InputError,
        (
            "SkillScore: y_baseline must be finite, got nan in row 1 (1 such values in all). Drop or "
            "repair those rows in every input first."
        ),
    ),
    (
        "nan coverage",
        lambda: assay.interval_coverage([nan, 1], [0.0, 0], [1.0, 1]),
        assay.InputError,
        (
            "IntervalCoverage: y_true must be finite, got nan in row 0 (1 such values in all). Drop or "
            "repair those rows in every input first."
        ),
    ),
    (
        "nan lower",
        lambda: assay.interval_score([1.0, 1], [nan, 0], [1.0, 1]),
        assay.InputError,
        (
            "IntervalScore: lower must be finite, got nan in row 0 (1 such values in all). Drop or repair"
            " those rows in every input first."
        ),
    ),
    (
        "nan crps",
        lambda: assay.crps([1.0], members=[[nan, 1.0]]),
        assay.InputError,
        (
            "CRPS: members must be finite, got nan in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan sd",
        lambda: assay.crps([1.0], mean=[0.0], sd=[nan]),
        assay.InputError,
        (
            "CRPS: sd must be finite, got nan in row 0 (1 such values in all). Drop or repair those rows "
            "in every input first."
        ),
    ),
    (
        "sd 0",
        lambda: assay.crps([1.0], mean=[0.0], sd=[0.0]),
        assay.InputError,
        "CRPS: sd must be positive, got 0.",
    ),
    (
        "length",
        lambda: assay.mse([1.0, 2], [1.0, 2, 3]),
        assay.InputError,
        "MSE: the inputs must have the same number of rows, got y_true 2, y_pred 3.",
    ),
    (
        "length cls",
        lambda: assay.f1([1, 0], [1, 0, 1]),
        assay.InputError,
        "F1: the inputs must have the same number of rows, got y_true 2, y_pred 3.",
    ),
    (
        "nan weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[nan, 1]),
        assay.InputError,
        "MSE: weight must be finite and not negative, got nan in row 0.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)


def test_normalised_weights_are_fine_where_no_correction_reads_them() -> None:
    """Totals and tables of shares are what they say; rows of weight 0 are absent, so few may be left."""
    assert assay.sse([1.0, 2.0], [1.0, 4.0], weight=[0.25, 0.25]) == 1.0
    assert assay.calibration_error(MANY > 0.4, y_prob=MANY, weight=SHARES) > 0
    few = (np.arange(3000) % 10 == 0).astype(float)
    assert assay.adjusted_r2(MANY, MANY**2, weight=few) == pytest.approx(assay.adjusted_r2(MANY[::10], MANY[::10] ** 2))
