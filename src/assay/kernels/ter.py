"""Edits of TER, compiled: the search of `assay.metrics.text.ter_edits`, step by step the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.words import Places

BEAM, LONGEST, FARTHEST, MOST = 25, 10, 50, 1000
_KEEP, _CHANGE, _DELETE, _INSERT = 0, 1, 2, 3
_NEVER = 1 << 29


@exact
def _fill(text: Any, n: int, ids: Any, c: int, m: int, begin: int, cost: Any, how: Any, limit: int) -> int:
    """Fill in the rows from ``begin`` on; the distance, or more than ``limit`` once no row can lead to less."""
    ratio = m / n
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(begin, n + 1):
        centre = math.floor(i * ratio)
        low = max(0, centre - beam)
        high = m + 1 if i == n else min(m + 1, centre + beam)
        for j in range(low):
            cost[i, j] = _NEVER
        for j in range(high, m + 1):
            cost[i, j] = _NEVER
        least = _NEVER
        for j in range(low, high):
            if j == 0:
                cost[i, 0], how[i, 0] = cost[i - 1, 0] + 1, _DELETE
            else:
                equal = text[i - 1] == ids[c + j - 1]
                best, name = cost[i - 1, j - 1] + (0 if equal else 1), _KEEP if equal else _CHANGE
                if cost[i - 1, j] + 1 < best:
                    best, name = cost[i - 1, j] + 1, _DELETE
                if j > low and cost[i, j - 1] + 1 < best:
                    best, name = cost[i, j - 1] + 1, _INSERT
                cost[i, j], how[i, j] = min(best, _NEVER), name
            least = min(least, cost[i, j])
        if least > limit:
            return least
    return cost[n, m]


@exact
def _align(how: Any, n: int, m: int, aligned: Any, wrong_reference: Any, wrong_text: Any) -> None:
    """For each reference word the last text word up to it; how many words up to each are wrong on both sides."""
    i, j = n, m
    while i > 0 or j > 0:
        name = how[i, j] if i > 0 else _INSERT
        if name != _INSERT:
            i -= 1
            wrong_text[i + 1] = 1 if name != _KEEP else 0
        if name != _DELETE:
            j -= 1
            wrong_reference[j + 1] = 1 if name != _KEEP else 0
            aligned[j] = i if name != _INSERT else i - 1
    for at in range(n):
        wrong_text[at + 1] += wrong_text[at]
    for at in range(m):
        wrong_reference[at + 1] += wrong_reference[at]


@exact
def _shift(text: Any, n: int, a: int, size: int, target: int, out: Any) -> int:
    """Write the text with ``size`` words from ``a`` moved to ``target``; the first word that changes."""
    at = min(target - size if target > a + size else target, n - size)
    low, high = min(a, at), max(a, at) + size
    for k in range(n):
        if k < low or k >= high:
            out[k] = text[k]
        elif at <= k < at + size:
            out[k] = text[a + k - at]
        elif at < a:
            out[k] = text[k - size]
        else:
            out[k] = text[k + size]
    return low


@exact
def _targets(
    text: Any, n: int, ids: Any, c: int, m: int, a: int, b: int, size: int, before: int, aligned: Any, cost: Any, how: Any, trial: Any,
    moved: Any, best: Any,
) -> int:  # fmt: skip
    """Try the places to which ``size`` words from ``a`` may go, and keep the best (gain, size, -a, -target); how many there were."""
    last, tried = -1, 0
    for at in range(b - 1, b + size):
        target = 0 if at < 0 else aligned[at] + 1
        if target == last:
            continue
        last = target
        tried += 1
        low = _shift(text, n, a, size, target, moved)
        for j in range(m + 1):
            trial[low, j] = cost[low, j]
        # A shift that gains less than the best one so far is not followed to the end.
        gain = before - _fill(moved, n, ids, c, m, low + 1, trial, how[n + 1 :], before - best[0])
        if gain > best[0] or (gain == best[0] and (size, -a, -target) > (best[1], best[2], best[3])):
            best[0], best[1], best[2], best[3] = gain, size, -a, -target
    return tried


@exact
def _search(
    text: Any, n: int, ids: Any, c: int, m: int, before: int, cost: Any, how: Any, trial: Any, moved: Any, marks: Any, best: Any, tried: int
) -> int:  # fmt: skip
    """Find the best shift of all phrases that the reference has elsewhere; how many were tried so far."""
    aligned, wrong_reference, wrong_text = marks[0], marks[1], marks[2]
    for a in range(n):
        for b in range(max(0, a - FARTHEST), min(m, a + FARTHEST + 1)):
            size = 0
            while size < min(LONGEST, n - a, m - b) and text[a + size] == ids[c + b + size]:
                size += 1
                wrong = wrong_text[a + size] > wrong_text[a] and wrong_reference[b + size] > wrong_reference[b]
                if wrong and not a <= aligned[b] < a + size:
                    tried += _targets(text, n, ids, c, m, a, b, size, before, aligned, cost, how, trial, moved, best)
            if tried >= MOST:
                return tried
    return tried


@exact
def _edits(
    text: Any, n: int, ids: Any, c: int, m: int, cost: Any, how: Any, trial: Any, moved: Any, marks: Any, best: Any
) -> int:  # fmt: skip
    """Edits of one text, which is changed on the way. ``trial`` is the table of shifted texts."""
    if m == 0 or n == 0:
        return max(n, m)
    shifts, tried, begin = 0, 0, 1
    for j in range(m + 1):
        cost[0, j] = j
    while True:
        before = _fill(text, n, ids, c, m, begin, cost, how, _NEVER)
        _align(how, n, m, marks[0], marks[1], marks[2])
        best[0], best[1], best[2], best[3] = 0, 0, 0, 0
        tried = _search(text, n, ids, c, m, before, cost, how, trial, moved, marks, best, tried)
        if tried >= MOST or best[0] <= 0:  # the best shift of the last round is lost with it
            return shifts + before
        begin = _shift(text, n, -best[2], best[1], -best[3], moved) + 1
        for k in range(n):
            text[k] = moved[k]
        shifts += 1


@exact(
    "i4[::1], i8[::1], i8[::1], i8, i8, i4[:, ::1], i1[:, ::1], i4[:, ::1], i4[:, ::1], i4[:, ::1], i8[::1], i8[::1]"
)
def _rows(
    ids: Any, starts: Any, first: Any, begin: int, end: int, cost: Any, how: Any, trial: Any, tracks: Any, marks: Any, best: Any,
    found: Any,
) -> None:  # fmt: skip
    """Fill in the edits against every reference of some rows."""
    texts = first[len(first) - 1]
    for row in range(begin, end):
        a, n = starts[texts + row], starts[texts + row + 1] - starts[texts + row]
        for who in range(first[row], first[row + 1]):
            for k in range(n):
                tracks[0, k] = ids[a + k]
            c, m = starts[who], starts[who + 1] - starts[who]
            found[who] = _edits(tracks[0], n, ids, c, m, cost, how, trial, tracks[1], marks, best)


def edits(ids: NDArray[np.int32], starts: Places, first: Places) -> NDArray[np.int64]:
    """For each reference the edits that turn the text of its row into it; row i has the text ``first[-1] + i``."""
    found, sizes = np.zeros(int(first[-1]), dtype=np.int64), np.diff(starts)

    def work(begin: int, end: int) -> None:
        m = int(sizes[first[begin] : first[end]].max(initial=0)) + 1
        n = int(sizes[first[-1] + begin : first[-1] + end].max(initial=0)) + 1
        cost, trial = np.empty((n, m), dtype=np.int32), np.empty((n, m), dtype=np.int32)
        how, marks = np.empty((2 * n + 2, m), dtype=np.int8), np.zeros((3, max(n, m)), dtype=np.int32)
        tracks = np.empty((2, n), dtype=np.int32)
        _rows(ids, starts, first, begin, end, cost, how, trial, tracks, marks, np.empty(4, dtype=np.int64), found)

    kernels.over_chunks(len(first) - 1, work, least=64)
    return found
