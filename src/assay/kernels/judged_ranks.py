"""Where some documents of a ranking stand: how many have a higher score, and how many the same. Nothing is sorted.

A measure needs the ranks of the few judged documents. Each is one pass over the scores without branches; where many documents are
judged, their scores are sorted instead and every score of the ranking is looked up among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.arrays import Floats, Host
from assay.kernels import over_chunks, ready
from assay.kernels.jit import exact, lanes

_FEW = 24  # wanted scores of a ranking up to which one pass for each is faster than looking every score up


@lanes
def _counted(scores: Any, first: int, last: int, score: float) -> tuple[int, int]:
    """How many scores are higher, and how many are equal."""
    higher, same = 0, 0
    for i in range(first, last):
        higher += scores[i] > score
        same += scores[i] == score
    return higher, same


@exact
def _looked_up(scores: Any, first: int, last: int, ordered: Any, above: Any, equal: Any) -> None:
    """The same for every one of the ascending scores ``ordered``, by a search for each score of the ranking."""
    m = len(ordered)
    for j in range(m):
        above[j] = 0
        equal[j] = 0
    for i in range(first, last):
        low, high = 0, m  # the first of the ordered scores that is not below this one
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < scores[i]:
                low = middle + 1
            else:
                high = middle
        if low > 0:
            above[low - 1] += 1
        if low < m and ordered[low] == scores[i]:
            equal[low] += 1
    for j in range(m - 2, -1, -1):
        above[j] += above[j + 1]
    for j in range(1, m):
        if ordered[j] == ordered[j - 1]:  # equal scores have one place, which the first of them counted
            equal[j] = equal[j - 1]
    for j in range(m - 2, -1, -1):
        if ordered[j] == ordered[j + 1]:  # the last of them knows what is above all of them
            above[j] = above[j + 1]


@exact("f8[::1], i8[::1], f8[::1], i8[::1], i8[::1], i8[::1], i8, i8")
def _standing(
    scores: Any, starts: Any, wanted: Any, wanted_starts: Any, above: Any, equal: Any, first: int, last: int
) -> None:
    for row in range(first, last):
        a, b = wanted_starts[row], wanted_starts[row + 1]
        if b - a <= _FEW:
            for j in range(a, b):
                above[j], equal[j] = _counted(scores, starts[row], starts[row + 1], wanted[j])
            continue
        order = np.argsort(wanted[a:b])
        ordered = wanted[a:b][order]
        over, same = np.empty(b - a, np.int64), np.empty(b - a, np.int64)
        _looked_up(scores, starts[row], starts[row + 1], ordered, over, same)
        for j in range(b - a):
            above[a + order[j]] = over[j]
            equal[a + order[j]] = same[j]


def standing(scores: Floats, starts: Host, wanted: Floats, wanted_starts: Host) -> tuple[Host, Host]:
    """For each of the ``wanted`` scores, row by row, the number of scores of its row that are higher, and that are equal."""
    scores, wanted = ready(scores, np.float64), ready(wanted, np.float64)
    starts, wanted_starts = ready(starts, np.int64), ready(wanted_starts, np.int64)
    above, equal = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    over_chunks(
        len(starts) - 1, lambda a, b: _standing(scores, starts, wanted, wanted_starts, above, equal, a, b), least=64
    )
    return above, equal
