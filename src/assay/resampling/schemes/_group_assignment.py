"""How whole groups are dealt to parts: by chance, but so that the parts have alike numbers of rows of every stratum.

Everything is counted in whole numbers, so that the same seed gives the same parts on every platform.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from typing import Any, cast

import numpy as np

from assay.inference.draws import mix

MOST_PARTS = 20  # a share is drawn as some of at most so many parts, unless it is smaller than one of them
_STEP = np.uint64(0x9E3779B97F4A7C15)
_SCALE = 1 << 30  # of the weights of strata: with fewer rows than 2**32 no sum leaves 63 bits


def assigned(table: Any, parts: int, key: Any) -> Any:
    """A part for every row of the table (rows of a group by stratum), each where it leaves the least imbalance.

    Large groups go first, since small ones can still even out what they did. But a strict order of size would leave nothing to
    chance where all sizes differ, so a group stands in the order with one to four times its size; groups of one size stand in the
    order of their keys. No part stays empty.
    """
    sizes = table.sum(axis=1)
    standing = sizes.astype(np.uint64) * (np.uint64(1 << 34) - np.uint64(3) * (key >> np.uint64(32)))
    order: Any = np.lexsort(cast(Any, (key, ~standing)))
    return _by_size(sizes, parts, order) if table.shape[1] == 1 else _by_strata(table, parts, order)


def _by_size(sizes: Any, parts: int, order: Any) -> Any:
    """Each to the part with the fewest rows; a heap knows it without a look at the others."""
    part = np.empty(len(sizes), dtype=np.int64)
    heap = [(0, at) for at in range(parts)]
    for unit, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
        have, at = heap[0]
        part[unit] = at
        heapq.heapreplace(heap, (have + size, at))
    return part


def _by_strata(table: Any, parts: int, order: Any) -> Any:
    """Each to the part whose squared deviations grow least, every stratum by its own total; among equals the smallest part.

    The parts want the same, so what differs between them is only the product of what they have and what comes.
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


def sampled(table: Any, share: float, key: Any) -> Any:
    """Whether each group is in the test part; every group, large or small, has the same chance ``share``.

    Some of several balanced parts are drawn, so the test part is balanced too. What is missing to the share, less than a part,
    is made up by single groups. Few groups can keep no small share: one is always tested, and one never.
    """
    if share > 0.5:
        return ~sampled(table, 1 - share, key)
    count = len(table)
    taken, parts = _fraction(share, count)
    second, third = mix(key + _STEP), mix(key - _STEP)
    chosen = np.zeros(parts, dtype=bool)
    chosen[np.argsort(second[:parts], kind="stable")[:taken]] = True
    chosen = chosen[assigned(table, parts, key)]
    start = float(mix(third[:1] + _STEP)[0] >> np.uint64(11)) / 2**53
    missing = int(np.floor((share - taken / parts) * count + start))  # rounded by chance: right on average
    side = np.flatnonzero(chosen == (missing < 0))
    moved = side[np.argsort(third[side], kind="stable")[: min(abs(missing), len(side) - 1)]]
    chosen[moved] = missing > 0
    return chosen


def _fraction(share: float, count: int) -> tuple[int, int]:
    """How many of how many parts are about the share: at least one part, and no more parts than groups."""
    if share * MOST_PARTS < 1:
        return 1, count if share * count < 1 else max(2, min(count, round(1 / share)))
    near = Fraction(share).limit_denominator(min(MOST_PARTS, count))
    return (near.numerator, near.denominator) if near else (1, count)
