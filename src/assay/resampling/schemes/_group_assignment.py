"""Assigns whole groups to parts: at random, but so that the parts have similar numbers of rows of every stratum.

Everything is counted in integers, so that the same seed gives the same parts on every platform.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from typing import Any, cast

import numpy as np

from assay.inference.draws import mix

MOST_PARTS = 20  # a fraction is drawn as some of at most this many parts, unless it is smaller than one of them
_STEP = np.uint64(0x9E3779B97F4A7C15)
_SCALE = 1 << 30  # of the weights of strata: with fewer rows than 2**32 no sum leaves 63 bits


def assigned(table: Any, parts: int, key: Any) -> Any:
    """A part for every row of the table (rows per group and stratum), each where it leaves the least imbalance.

    Large groups go first, since small ones can still even out the imbalance. A strict order by size would leave nothing to
    chance where all sizes differ, so each size is first multiplied by a random factor from one to four; groups of equal size are
    ordered by their keys. No part stays empty.
    """
    sizes = table.sum(axis=1)
    standing = sizes.astype(np.uint64) * (np.uint64(1 << 34) - np.uint64(3) * (key >> np.uint64(32)))
    order: Any = np.lexsort(cast(Any, (key, ~standing)))
    return _by_size(sizes, parts, order) if table.shape[1] == 1 else _by_strata(table, parts, order)


def _by_size(sizes: Any, parts: int, order: Any) -> Any:
    """Each to the part with the fewest rows, which a heap keeps on top."""
    part = np.empty(len(sizes), dtype=np.int64)
    heap = [(0, at) for at in range(parts)]
    for unit, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
        have, at = heap[0]
        part[unit] = at
        heapq.heapreplace(heap, (have + size, at))
    return part


def _by_strata(table: Any, parts: int, order: Any) -> Any:
    """Each to the part whose squared deviations grow least, every stratum relative to its total; ties go to the smallest part.

    All parts have the same target, so the costs differ only in the product of what a part has and what the group adds.
    """
    table = table.astype(np.int64)
    weights = table * np.maximum(_SCALE // np.maximum(table.sum(axis=0), 1), 1)
    sizes = table.sum(axis=1).tolist()
    have, rows = np.zeros((parts, table.shape[1]), dtype=np.int64), np.zeros(parts, dtype=np.int64)
    part = np.empty(len(table), dtype=np.int64)
    for unit in order.tolist():
        cost = have @ weights[unit]
        equal = (cost == cost.min()).nonzero()[0]
        best = equal[0] if len(equal) == 1 else equal[rows[equal].argmin()]
        part[unit] = best
        have[best] += table[unit]
        rows[best] += sizes[unit]
    return part


def sampled(table: Any, fraction: float, key: Any) -> Any:
    """Whether each group is in the test part; every group, large or small, has the same probability ``fraction``.

    Some of several balanced parts are drawn, so the test part is balanced too. The remainder, less than one part, is made up of
    single groups. With few groups a small fraction cannot be met: at least one group is tested, and at least one is not.
    """
    if fraction > 0.5:
        return ~sampled(table, 1 - fraction, key)
    count = len(table)
    taken, parts = _ratio(fraction, count)
    second, third = mix(key + _STEP), mix(key - _STEP)
    chosen = np.zeros(parts, dtype=bool)
    chosen[np.argsort(second[:parts], kind="stable")[:taken]] = True
    chosen = chosen[assigned(table, parts, key)]
    start = float(mix(third[:1] + _STEP)[0] >> np.uint64(11)) / 2**53
    missing = int(np.floor((fraction - taken / parts) * count + start))  # rounded at random: unbiased
    side = np.flatnonzero(chosen == (missing < 0))
    moved = side[np.argsort(third[side], kind="stable")[: min(abs(missing), len(side) - 1)]]
    chosen[moved] = missing > 0
    return chosen


def _ratio(fraction: float, count: int) -> tuple[int, int]:
    """How many of how many parts approximate the fraction: at least one part, and no more parts than groups."""
    if fraction * MOST_PARTS < 1:
        return 1, count if fraction * count < 1 else max(2, min(count, round(1 / fraction)))
    near = Fraction(fraction).limit_denominator(min(MOST_PARTS, count))
    return (near.numerator, near.denominator) if near else (1, count)
