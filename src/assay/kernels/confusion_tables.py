"""Pairs of integer labels counted into a table, in one pass over the data, one thread per chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

_LANES = 4
_SMALL = 4096  # cells; below this, four tables in rotation, so that no increment waits for the previous one


@exact("i8[::1], i8[::1], i8, i8[:, ::1]")
def _count_small(true: Any, predicted: Any, k: int, table: Any) -> None:
    """Counts of ``true * k + predicted`` into the first row; the last entry counts labels out of range."""
    size = k * k
    n = len(true)
    whole = n - n % _LANES
    for i in range(0, whole, _LANES):
        for lane in range(_LANES):
            t, p = true[i + lane], predicted[i + lane]
            fits = (t >= 0) & (t < k) & (p >= 0) & (p < k)
            table[lane, t * k + p if fits else size] += 1
    for i in range(whole, n):
        t, p = true[i], predicted[i]
        fits = (t >= 0) & (t < k) & (p >= 0) & (p < k)
        table[0, t * k + p if fits else size] += 1
    for lane in range(1, _LANES):
        for cell in range(size + 1):
            table[0, cell] += table[lane, cell]


@exact("i8[::1], i8[::1], i8, u4[::1]")
def _count_large(true: Any, predicted: Any, k: int, table: Any) -> None:
    """As `_count_small` for tables that fill a cache: one table, with cells of half the size."""
    size = k * k
    for i in range(len(true)):
        t, p = true[i], predicted[i]
        fits = (t >= 0) & (t < k) & (p >= 0) & (p < k)
        table[t * k + p if fits else size] += np.uint32(1)


@exact("i8[::1], i8, i8, b1[::1]")
def _mask(labels: Any, negative: int, positive: int, out: Any) -> int:
    others = 0
    for i in range(len(labels)):
        out[i] = labels[i] == positive
        others += (labels[i] != positive) & (labels[i] != negative)
    return others


def mask(labels: Any, negative: int, positive: int) -> Any:
    """True where a label is positive; None if some label is neither positive nor negative."""
    labels = kernels.ready(labels, np.int64)
    out = np.empty(len(labels), dtype=np.bool_)
    others = kernels.over_chunks(len(labels), lambda a, b: _mask(labels[a:b], negative, positive, out[a:b]))
    return None if sum(others) else out


@exact("i8[::1], i8[::1], f8[::1], i8, f8[::1]")
def _count_weighted(true: Any, predicted: Any, weight: Any, k: int, table: Any) -> None:
    size = k * k
    outside = 0.0
    for i in range(len(true)):
        t, p = true[i], predicted[i]
        if 0 <= t < k and 0 <= p < k:
            table[t * k + p] += weight[i]
        else:
            outside += 1.0
    table[size] = outside


def count(true: Any, predicted: Any, weight: Any, k: int) -> Any:
    """The k x k table, or None if some label is not in 0..k-1."""
    if k <= 0:
        return None
    true, predicted = (kernels.ready(a, np.int64) for a in (true, predicted))
    weight = None if weight is None else kernels.ready(weight, np.float64)
    small = k * k <= _SMALL
    # Large tables live in the caches of the cores: no more of them than cores, and no more rows than a cell can count.
    least = 1 << 16 if small else min(max(1 << 16, -(-len(true) // kernels.threads())), 1 << 31)

    def work(start: int, stop: int) -> Any:
        rows = true[start:stop], predicted[start:stop]
        if weight is not None:
            table = np.zeros(k * k + 1)
            _count_weighted(*rows, weight[start:stop], k, table)
            return table
        if not small:
            table = np.zeros(k * k + 1, dtype=np.uint32)
            _count_large(*rows, k, table)
            return table
        tables = np.zeros((_LANES, k * k + 1), dtype=np.int64)
        _count_small(*rows, k, tables)
        return tables[0]

    parts = kernels.over_chunks(len(true), work, least=least)
    table: Any = np.sum(parts, axis=0, dtype=np.int64 if weight is None else np.float64)
    return None if table[-1] else table[:-1].reshape(k, k)
