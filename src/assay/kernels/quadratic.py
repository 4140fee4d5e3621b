"""Sums of powers of a quadratic polynomial of two columns in one pass: the variance of every metric made of second moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import kernel


@kernel("f8[::1], f8[::1], f8[::1], f8[::1]")
def _powers(y: Any, p: Any, w: Any, c: Any) -> tuple[float, float]:
    """``c``: shifts of y and p, the constant, then the coefficients of u, v, u², uv, v²."""
    square, cube = 0.0, 0.0
    weighted = len(w) > 0
    for i in range(len(y)):
        u, v = y[i] - c[0], p[i] - c[1]
        value = c[2] + u * (c[3] + c[5] * u + c[6] * v) + v * (c[4] + c[7] * v)
        if weighted:
            value *= w[i]
        square += value * value
        cube += value * value * value
    return square, cube


def powers(y: Any, p: Any, weight: Any, coefficients: Any) -> tuple[float, float]:
    """Sums of squares and cubes of ``w (c + a u + b v + ...)``."""
    w = np.empty(0) if weight is None else kernels.ready(weight, np.float64)

    def work(start: int, stop: int) -> tuple[float, float]:
        first, second = (kernels.ready(a[start:stop], np.float64) for a in (y, p))
        return _powers(first, second, w[start:stop] if len(w) else w, coefficients)

    square, cube = np.sum(kernels.over_chunks(len(y), work), axis=0).tolist()
    return square, cube
