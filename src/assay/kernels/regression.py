"""One pass over (target, prediction, weight): sums of losses and central moments, block by block in cache."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact, kernel

BLOCK = 4096
CODES = {
    "error": 0, "absolute": 1, "squared": 2, "percentage": 3, "symmetric": 4, "squared_log": 5, "pinball": 6, "zero": 7,
    "nonzero": 8, "target_size": 9, "squared_percentage": 10,
}  # fmt: skip


@kernel
def _percentage(y: float, e: float, least: float) -> float:
    size = max(abs(y), least)
    return abs(e) / size if size > 0.0 else 0.0 * e  # NaN must show in the sum


@kernel
def _symmetric(y: float, p: float, e: float) -> float:
    size = abs(y) + abs(p)
    return 2.0 * abs(e) / (size if size != 0.0 else 1.0)


@kernel
def _squared_log(y: float, p: float) -> float:
    d = math.log1p(p) - math.log1p(y)
    return d * d


@kernel
def _pinball(e: float, q: float) -> float:
    return (q - 1.0) * -e if e > 0 else q * -e


@kernel
def _loss(code: int, parameter: float, y: Any, p: Any, e: Any, w: Any) -> float:
    """Weighted sum of one loss over a block; the branch is outside the loops so that each loop vectorises."""
    n = len(y)
    total = 0.0
    if code == 0:
        for i in range(n):
            total += w[i] * e[i]
    elif code == 1:
        for i in range(n):
            total += w[i] * abs(e[i])
    elif code == 2:
        for i in range(n):
            total += w[i] * e[i] * e[i]
    elif code == 3:
        for i in range(n):
            total += w[i] * _percentage(y[i], e[i], parameter)
    elif code == 4:
        for i in range(n):
            total += w[i] * _symmetric(y[i], p[i], e[i])
    elif code == 5:
        for i in range(n):
            total += w[i] * _squared_log(y[i], p[i])
    elif code == 6:
        for i in range(n):
            total += w[i] * _pinball(e[i], parameter)
    elif code == 7:
        for i in range(n):
            total += w[i] if y[i] == 0.0 else 0.0
    elif code == 8:
        for i in range(n):
            total += w[i] if y[i] != 0.0 else 0.0
    elif code == 9:
        for i in range(n):
            total += w[i] * abs(y[i])
    else:
        for i in range(n):
            total += w[i] * _percentage(y[i], e[i], parameter) ** 2
    return total


@kernel
def add_loss(code: int, parameter: float, slope: float, y: Any, p: Any, e: Any, out: Any) -> None:
    """Add one loss of each row of a block, times its slope; `_loss` without the sum."""
    n = len(y)
    if code == 0:
        for i in range(n):
            out[i] += slope * e[i]
    elif code == 1:
        for i in range(n):
            out[i] += slope * abs(e[i])
    elif code == 2:
        for i in range(n):
            out[i] += slope * e[i] * e[i]
    elif code == 3:
        for i in range(n):
            out[i] += slope * _percentage(y[i], e[i], parameter)
    elif code == 4:
        for i in range(n):
            out[i] += slope * _symmetric(y[i], p[i], e[i])
    elif code == 5:
        for i in range(n):
            out[i] += slope * _squared_log(y[i], p[i])
    elif code == 6:
        for i in range(n):
            out[i] += slope * _pinball(e[i], parameter)
    elif code == 7:
        for i in range(n):
            out[i] += slope if y[i] == 0.0 else 0.0
    elif code == 8:
        for i in range(n):
            out[i] += slope if y[i] != 0.0 else 0.0
    elif code == 9:
        for i in range(n):
            out[i] += slope * abs(y[i])
    else:
        for i in range(n):
            out[i] += slope * _percentage(y[i], e[i], parameter) ** 2


@kernel
def _powers(values: Any, w: Any) -> tuple[float, float]:
    """Sums of the squares and cubes of weighted values."""
    square, cube = 0.0, 0.0
    for i in range(len(values)):
        v = w[i] * values[i] if len(w) else values[i]
        square += v * v
        cube += v * v * v
    return square, cube


@kernel
def _around(a: Any, b: Any, centre_a: float, centre_b: float, w: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += w[i] * (a[i] - centre_a) * (b[i] - centre_b)
    return total


@kernel
def _mean_around(a: Any, centre: float, w: Any, weight: float) -> float:
    total = 0.0
    for i in range(len(a)):
        total += w[i] * (a[i] - centre)
    return centre + total / weight


@kernel
def subtract(p: Any, y: Any, out: Any) -> None:
    """Write ``p - y`` to ``out``."""
    for i in range(len(p)):
        out[i] = p[i] - y[i]


@kernel
def _total(w: Any) -> float:
    total = 0.0
    for i in range(len(w)):
        total += w[i]
    return total


@exact
def _merge_block(columns: Any, which: Any, w: Any, weight: float, here: float, mean: Any, m2: Any, middle: Any) -> None:
    """Chan's merge of one block of columns into the running mean and second moments.

    The mean of a block is computed around the running mean, that of the first block around itself: around a single row, which may be
    an outlier of hardly any weight, digits would be lost.
    """
    k = len(which)
    for a in range(k):
        column = columns[which[a]]
        centre = mean[a] if weight > 0 else _mean_around(column, column[0], w, here)
        middle[a] = _mean_around(column, centre, w, here)
    share = here / (weight + here)
    for a in range(k):
        for b in range(a, k):
            inner = _around(columns[which[a]], columns[which[b]], middle[a], middle[b], w)
            m2[a, b] += inner + (middle[a] - mean[a]) * (middle[b] - mean[b]) * weight * share
            m2[b, a] = m2[a, b]
    for a in range(k):
        mean[a] += (middle[a] - mean[a]) * share


@exact("f8[::1], f8[::1], f8[::1], i8[::1], f8[::1], i8[::1], f8[::1], f8[::1], f8[:, ::1], f8[:, ::1]")
def _scan(
    y: Any, p: Any, w: Any, codes: Any, parameters: Any, which: Any, sums: Any, mean: Any, m2: Any, spare: Any
) -> float:
    n = len(y)
    error, ones, middle = spare[0], spare[1], spare[2]
    weight = 0.0
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        by, bp, be = y[start : start + size], p[start : start + size], error[:size]
        subtract(bp, by, be)
        bw = w[start : start + size] if len(w) else ones[:size]
        here = _total(bw) if len(w) else float(size)
        for c in range(len(codes)):
            sums[c] += _loss(codes[c], parameters[c], by, bp, be, bw)
        if len(which) and here > 0:
            _merge_block((by, bp, be), which, bw, weight, here, mean, m2, middle)
        weight += here
    return weight


def scan(y: Any, p: Any, w: Any, codes: Any, parameters: Any, which: Any, sums: Any, mean: Any, m2: Any) -> float:
    """Fill ``sums``, ``mean`` and ``m2`` from float64 rows; returns the total weight. ``w`` may be empty.

    ``which`` names the columns of the moments: 0 target, 1 prediction, 2 error.
    """
    return _scan(y, p, w, codes, parameters, which, sums, mean, m2, np.ones((3, BLOCK)))


@exact("f8[::1], f8[::1], f8[::1], i8[::1], f8[::1], f8[::1], f8, f8[::1], f8[::1]")
def _spread(
    y: Any, p: Any, w: Any, codes: Any, parameters: Any, slopes: Any, centre: float, error: Any, values: Any
) -> tuple[float, float]:
    square, cube = 0.0, 0.0
    for start in range(0, len(y), BLOCK):
        stop = min(start + BLOCK, len(y))
        by, bp, be, bv = y[start:stop], p[start:stop], error[: stop - start], values[: stop - start]
        subtract(bp, by, be)
        bv[:] = -centre
        for c in range(len(codes)):
            add_loss(codes[c], parameters[c], slopes[c], by, bp, be, bv)
        here = _powers(bv, w[start:stop])
        square += here[0]
        cube += here[1]
    return square, cube


def spread(y: Any, p: Any, w: Any, codes: Any, parameters: Any, slopes: Any, centre: float) -> tuple[float, float]:
    """Sums over rows of the square and the cube of ``w (slopes . losses - centre)``; ``w`` may be empty."""

    def work(a: int, b: int) -> tuple[float, float]:
        first, second = (kernels.ready(column[a:b], np.float64) for column in (y, p))
        return _spread(first, second, w[a:b], codes, parameters, slopes, centre, np.empty(BLOCK), np.empty(BLOCK))

    square, cube = np.sum(kernels.over_chunks(len(y), work), axis=0).tolist()
    return square, cube


@kernel("T[::1]", T="f8 f4")
def _extent(x: Any) -> tuple[float, float]:
    low, high, bad = np.inf, -np.inf, 0
    for i in range(len(x)):
        v = float(x[i])
        low, high = min(low, v), max(high, v)
        bad += v != v
    return (np.nan, np.nan) if bad else (low, high)


def extent(x: Any) -> tuple[float, float]:
    """Smallest and largest value of an array of any shape; NaN if it contains NaN."""
    flat = kernels.ready(x).reshape(-1)
    parts = np.array(kernels.over_chunks(len(flat), lambda a, b: _extent(flat[a:b])))
    return float(parts[:, 0].min()), float(parts[:, 1].max())
