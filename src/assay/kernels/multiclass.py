"""Probability matrices (rows, classes): proper losses and ranks of the true class, in one pass over the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact, kernel


@kernel
def _row(p: Any) -> tuple[float, float, float, float]:
    """Sum, sum of squares, lowest and highest of one row."""
    total, squares, low, high = 0.0, 0.0, np.inf, -np.inf
    for j in range(len(p)):
        x = np.float64(p[j])  # under numba, float() leaves float32 as it is
        total += x
        squares += x * x
        low, high = min(low, x), max(high, x)
    return total, squares, low, high


@exact("T[:, ::1], i8[::1], f8[::1], f8[::1]", T="f8 f4")
def _losses(p: Any, code: Any, w: Any, sums: Any) -> None:
    for i in range(len(p)):
        total, squares, low, high = _row(p[i])
        q = np.float64(p[i, code[i]])
        u = w[i] if len(w) else 1.0
        sums[0] += u
        sums[1] += u * (squares - 2.0 * q + 1.0)
        if q > 0.0:
            sums[2] -= u * math.log(q)
        else:
            sums[3] += u
        sums[4], sums[5] = min(sums[4], low), max(sums[5], high)
        off = abs(total - 1.0)
        sums[6] = max(sums[6], off) if off == off else np.inf


def losses(p: Any, code: Any, weight: Any) -> Any:
    """Array of (weight, Brier, log, infinite weight, lowest, highest, largest |row sum - 1|)."""
    p, w = kernels.ready(p), np.empty(0) if weight is None else kernels.ready(weight, np.float64)

    def work(a: int, b: int) -> Any:
        sums = np.array([0.0, 0.0, 0.0, 0.0, np.inf, -np.inf, 0.0])
        _losses(p[a:b], code[a:b], w[a:b] if len(w) else w, sums)
        return sums

    parts = np.array(kernels.over_chunks(len(p), work, least=4096))
    return np.array([*parts[:, :4].sum(axis=0), parts[:, 4].min(), parts[:, 5].max(), parts[:, 6].max()])


@exact("T[:, ::1], i8[::1], f8[::1], f8, f8, f8", T="f8 f4")
def _spread(p: Any, code: Any, w: Any, slope_brier: float, slope_log: float, centre: float) -> tuple[float, float]:
    square, cube = 0.0, 0.0
    for i in range(len(p)):
        q = np.float64(p[i, code[i]])
        v = -centre
        if slope_brier != 0.0:
            _, squares, _, _ = _row(p[i])
            v += slope_brier * (squares - 2.0 * q + 1.0)
        if slope_log != 0.0 and q > 0.0:
            v -= slope_log * math.log(q)
        if len(w):
            v *= w[i]
        square += v * v
        cube += v * v * v
    return square, cube


def spread(p: Any, code: Any, weight: Any, slope_brier: float, slope_log: float, centre: float) -> tuple[float, float]:
    """Sums over rows of the square and the cube of ``w (slope_brier Brier + slope_log log - centre)``.

    The log loss of an infinite row counts as zero, as in `losses`.
    """
    p, w = kernels.ready(p), np.empty(0) if weight is None else kernels.ready(weight, np.float64)

    def work(a: int, b: int) -> tuple[float, float]:
        return _spread(p[a:b], code[a:b], w[a:b], slope_brier, slope_log, centre)

    square, cube = np.sum(kernels.over_chunks(len(p), work, least=4096), axis=0).tolist()
    return square, cube


@kernel
def _above(p: Any, q: float) -> tuple[int, int, int]:
    """How many entries are greater than, equal to, and comparable with q."""
    greater, equal, valid = 0, 0, 0
    for j in range(len(p)):
        greater += p[j] > q
        equal += p[j] == q
        valid += p[j] == p[j]
    return greater, equal, valid


@exact("T[:, ::1], i8[::1], i8[::1], i8[::1]", T="f8 f4")
def _standing(p: Any, code: Any, greater: Any, equal: Any) -> int:
    bad = 0
    for i in range(len(p)):
        g, e, valid = _above(p[i], p[i, code[i]])
        greater[i], equal[i] = g, e
        bad += valid != p.shape[1]
    return bad


def standing(p: Any, code: Any) -> tuple[Any, Any, int]:
    """Per row, how many scores exceed that of the true class and how many equal it (itself included); and how many rows hold NaN."""
    p = kernels.ready(p)
    greater, equal = np.empty(len(p), dtype=np.int64), np.empty(len(p), dtype=np.int64)
    bad = kernels.over_chunks(len(p), lambda a, b: _standing(p[a:b], code[a:b], greater[a:b], equal[a:b]), least=4096)
    return greater, equal, sum(bad)
