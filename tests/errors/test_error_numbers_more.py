"""More of it: Bad numbers: none, missing, infinite, too large, of the wrong shape or length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, inf, params

import assay
from messages import refuses

MANY = np.linspace(0, 1, 3000)
SHARES = np.full(3000, 1 / 3000)

CASES: list[Bad] = [
    (
        "inf weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[inf, 1]),
    ),
    (
        "len weight",
        lambda: assay.mse([1.0, 2], [1.0, 2], weight=[1.0, 1, 1]),
    ),
    (
        "const",
        lambda: assay.r2([1.0, 1], [1.0, 2], undefined="error"),
    ),
    (
        "swapped",
        lambda: assay.interval_score([1.0], [2.0], [1.0]),
    ),
    (
        "msle",
        lambda: assay.msle([1.0, -2], [1.0, 2]),
    ),
    (
        "rmsle pred",
        lambda: assay.rmsle([1.0, 2], [1.0, -1.0]),
    ),
    (
        "influence",
        lambda: assay.metrics.MedianAbsoluteError().influence([1.0, 2, 3], [1.0, 2, 3]),
    ),
    (
        "overflow",
        lambda: assay.mse([1e200, 0.0], [-1e200, 0.0]),
    ),
    (
        "overflow r2",
        lambda: assay.r2([1e200, 0.0], [-1e200, 0.0]),
    ),
    (
        "overflow mae",
        lambda: assay.mae([1.7e308, 0.0], [-1.7e308, 0.0]),
    ),
    (
        "overflow median",
        lambda: assay.median_absolute_error([1.7e308, 0.0], [-1.7e308, 0.0]),
    ),
    (
        "overflow smape",
        lambda: assay.smape([1.7e308, 0.0], [-1.7e308, 0.0]),
    ),
    (
        "overflow mape",
        lambda: assay.mape([1e-300, 1.0], [1e300, 0.0]),
    ),
    (
        "overflow crps",
        lambda: assay.crps([1.7e308], members=[[-1.7e308, 0.0]]),
    ),
    (
        "overflow iw",
        lambda: assay.interval_width([0.0], [-1.7e308], [1.7e308]),
    ),
    (
        "sse overflow",
        lambda: assay.sse([1e200], [0.0]),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
