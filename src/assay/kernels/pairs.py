"""One pass over (target, prediction, weight): sums of per-row losses and centred moments, block by block in cache."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.kernels.jit import exact, kernel

BLOCK = 2048
CODES = {
    "error": 0, "absolute": 1, "squared": 2, "percentage": 3, "symmetric": 4, "squared_log": 5, "pinball": 6, "nonzero": 7,
}  # fmt: skip


@kernel
def _fill(code: int, parameter: float, y: Any, p: Any, out: Any) -> None:
    """The per-row values of one loss; the branch is outside the loops so that each loop vectorises."""
    n = len(y)
    if code == 0:
        for i in range(n):
            out[i] = float(p[i]) - float(y[i])
    elif code == 1:
        for i in range(n):
            out[i] = abs(float(p[i]) - float(y[i]))
    elif code == 2:
        for i in range(n):
            e = float(p[i]) - float(y[i])
            out[i] = e * e
    elif code == 3:
        for i in range(n):
            size = max(abs(float(y[i])), parameter)
            e = abs(float(p[i]) - float(y[i])) / (size if size > 0.0 else 1.0)
            out[i] = e if size > 0.0 else 0.0
    elif code == 4:
        for i in range(n):
            size = abs(float(y[i])) + abs(float(p[i]))
            e = 2.0 * abs(float(p[i]) - float(y[i]))
            out[i] = e / (size if size != 0.0 else 1.0)
    elif code == 5:
        for i in range(n):
            e = math.log1p(float(p[i])) - math.log1p(float(y[i]))
            out[i] = e * e
    elif code == 6:
        for i in range(n):
            e = float(y[i]) - float(p[i])
            out[i] = parameter * e if e >= 0 else (parameter - 1.0) * e
    else:
        for i in range(n):
            out[i] = 1.0 if y[i] != 0 else 0.0


@kernel
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@kernel
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def _column(which: int, y: Any, p: Any, out: Any) -> None:
    if which == 0:
        for i in range(len(y)):
            out[i] = float(y[i])
    elif which == 1:
        for i in range(len(y)):
            out[i] = float(p[i])
    else:
        for i in range(len(y)):
            out[i] = float(p[i]) - float(y[i])


@kernel
def _merge_block(columns: Any, size: int, w: Any, weight: float, block: float, mean: Any, m2: Any, centre: Any) -> None:
    """Chan's merge of one block of columns into the running mean and second moments."""
    k = len(mean)
    for a in range(k):
        row = columns[a, :size]
        centre[a] = (_dot(row, w) if len(w) else _sum(row)) / block
        for i in range(size):
            row[i] -= centre[a]
    share = block / (weight + block)
    for a in range(k):
        for b in range(a, k):
            left, right = columns[a, :size], columns[b, :size]
            inner = 0.0
            if len(w):
                for i in range(size):
                    inner += w[i] * left[i] * right[i]
            else:
                inner = _dot(left, right)
            m2[a, b] += inner + (centre[a] - mean[a]) * (centre[b] - mean[b]) * weight * share
            m2[b, a] = m2[a, b]
    for a in range(k):
        mean[a] += (centre[a] - mean[a]) * share


@exact
def scan(y: Any, p: Any, w: Any, codes: Any, parameters: Any, which: Any, sums: Any, mean: Any, m2: Any) -> float:
    """Fill ``sums``, ``mean`` and ``m2`` from the rows; returns the total weight. ``w`` may be empty."""
    n = len(y)
    k = len(which)
    buffer = np.empty(BLOCK)
    columns = np.empty((max(k, 1), BLOCK))
    centre = np.empty(k)
    weight = 0.0
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        size = stop - start
        by, bp = y[start:stop], p[start:stop]
        bw = w[start:stop] if len(w) else w
        block = _sum(bw) if len(w) else float(size)
        for c in range(len(codes)):
            out = buffer[:size]
            _fill(codes[c], parameters[c], by, bp, out)
            sums[c] += _dot(out, bw) if len(w) else _sum(out)
        if k and block > 0:
            for a in range(k):
                _column(which[a], by, bp, columns[a, :size])
            _merge_block(columns, size, bw, weight, block, mean, m2, centre)
        weight += block
    return weight
