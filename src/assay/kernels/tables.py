"""Counting pairs of integer labels into a table: one read of the data, one thread a chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

_LANES = 4
_SMALL = 4096  # cells; below this, four tables in turn keep one cell from waiting for itself


@exact
def _count(true: Any, predicted: Any, k: int, lanes: int) -> Any:
    """Counts of ``true * k + predicted``; the last entry tells how many labels do not fit."""
    size = k * k
    table = np.zeros((lanes, size + 1), dtype=np.int64)
    n = len(true)
    whole = n - n % _LANES
    for i in range(0, whole, _LANES):
        for lane in range(_LANES):
            t, p = true[i + lane], predicted[i + lane]
            fits = (t >= 0) & (t < k) & (p >= 0) & (p < k)
            table[lane if lanes > 1 else 0, t * k + p if fits else size] += 1
    for i in range(whole, n):
        t, p = true[i], predicted[i]
        fits = (t >= 0) & (t < k) & (p >= 0) & (p < k)
        table[0, t * k + p if fits else size] += 1
    return table.sum(axis=0)


@exact
def _count_weighted(true: Any, predicted: Any, weight: Any, k: int) -> Any:
    size = k * k
    table = np.zeros(size + 1)
    outside = 0.0
    for i in range(len(true)):
        t, p = true[i], predicted[i]
        if 0 <= t < k and 0 <= p < k:
            table[t * k + p] += weight[i]
        else:
            outside += 1.0
    table[size] = outside
    return table


def count(true: Any, predicted: Any, weight: Any, k: int) -> Any:
    """The k x k table, or None if some label is not in 0..k-1."""
    if k <= 0:
        return None
    true, predicted = (np.ascontiguousarray(a, dtype=np.int64) for a in (true, predicted))
    lanes = _LANES if k * k <= _SMALL else 1
    # Large tables live in the caches of the cores: no more of them than cores.
    least = 1 << 16 if lanes > 1 else max(1 << 16, len(true) // kernels.threads())

    def work(start: int, stop: int) -> Any:
        if weight is None:
            return _count(true[start:stop], predicted[start:stop], k, lanes)
        return _count_weighted(true[start:stop], predicted[start:stop], weight[start:stop], k)

    table = sum(kernels.over_chunks(len(true), work, least=least))
    return None if table[-1] else table[:-1].reshape(k, k)
