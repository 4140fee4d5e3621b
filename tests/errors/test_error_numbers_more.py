"""More of it: Bad numbers: none, missing, infinite, too large, of the wrong shape or length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, inf, params

import assay

MANY = np.linspace(0, 1, 3000)
SHARES = np.full(3000, 1 / 3000)

CASES: list[Bad] = [
    (
        "inf weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[inf, 1]),
        assay.InputError,
        "MSE: weight must be finite and not negative, got inf in row 0.",
    ),
    (
        "len weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1.0, 1, 1]),
        assay.InputError,
        "MSE: weight must hold one number a row (2), got float64 of shape (3,).",
    ),
    (
        "const",
        lambda: assay.r2([1.0, 1], [1.0, 2], undefined="error"),
        assay.UndefinedError,
        "R2: the value does not exist here: the target is constant.",
    ),
    (
        "swapped",
        lambda: assay.interval_score([1.0], [2.0], [1.0]),
        assay.InputError,
        "IntervalScore: lower must not exceed upper, got 2 and 1 in row 0. Were they swapped?",
    ),
    (
        "msle",
        lambda: assay.msle([1.0, -2], [1.0, 2]),
        assay.InputError,
        (
            "MSLE: y_true must be above -1, got -2.0 in row 1. The logarithm of 1 + value does not exist "
            "there; use mse or mae."
        ),
    ),
    (
        "rmsle pred",
        lambda: assay.rmsle([1.0, 2], [1.0, -1.0]),
        assay.InputError,
        (
            "RMSLE: y_pred must be above -1, got -1.0 in row 1. The logarithm of 1 + value does not exist"
            " there; use mse or mae."
        ),
    ),
    (
        "influence",
        lambda: assay.metrics.MedianAbsoluteError().influence([1.0, 2, 3], [1.0, 2, 3]),
        assay.InputError,
        "MedianAbsoluteError: has no influence values: it does not change smoothly with the weights. Resample instead.",
    ),
    (
        "overflow",
        lambda: assay.mse([1e200, 0.0], [-1e200, 0.0]),
        assay.InputError,
        (
            "MSE: the inputs are so large that what is computed of them does not fit in a number. Divide "
            "them all by one unit first."
        ),
    ),
    (
        "overflow r2",
        lambda: assay.r2([1e200, 0.0], [-1e200, 0.0]),
        assay.InputError,
        (
            "R2: the inputs are so large that what is computed of them does not fit in a number. Divide "
            "them all by one unit first."
        ),
    ),
    (
        "overflow mae",
        lambda: assay.mae([1.7e308, 0.0], [-1.7e308, 0.0]),
        assay.InputError,
        (
            "MAE: the inputs are so large that what is computed of them does not fit in a number. Divide "
            "them all by one unit first."
        ),
    ),
    (
        "overflow median",
        lambda: assay.median_absolute_error([1.7e308, 0.0], [-1.7e308, 0.0]),
        assay.InputError,
        (
            "MedianAbsoluteError: the inputs are so large that what is computed of them does not fit in a"
            " number. Divide them all by one unit first."
        ),
    ),
    (
        "overflow smape",
        lambda: assay.smape([1.7e308, 0.0], [-1.7e308, 0.0]),
        assay.InputError,
        (
            "SMAPE: the inputs are so large that what is computed of them does not fit in a number. "
            "Divide them all by one unit first."
        ),
    ),
    (
        "overflow mape",
        lambda: assay.mape([1e-300, 1.0], [1e300, 0.0]),
        assay.InputError,
        (
            "MAPE: the inputs are so large that what is computed of them does not fit in a number. Divide"
            " them all by one unit first."
        ),
    ),
    (
        "overflow crps",
        lambda: assay.crps([1.7e308], members=[[-1.7e308, 0.0]]),
        assay.InputError,
        (
            "CRPS: the inputs are so large that what is computed of them does not fit in a number. Divide"
            " them all by one unit first."
        ),
    ),
    (
        "overflow iw",
        lambda: assay.interval_width([0.0], [-1.7e308], [1.7e308]),
        assay.InputError,
        (
            "IntervalWidth: the inputs are so large that what is computed of them does not fit in a "
            "number. Divide them all by one unit first."
        ),
    ),
    (
        "sse overflow",
        lambda: assay.sse([1e200], [0.0]),
        assay.InputError,
        (
            "SSE: the inputs are so large that what is computed of them does not fit in a number. Divide "
            "them all by one unit first."
        ),
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
