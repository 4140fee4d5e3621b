"""Edits that turn one sequence into another, counted along one of the shortest ways.

Distances are bit-parallel (Myers 1999, in the blocks of Hyyrö 2003): a word holds 64 columns of the table, and the signs of its
differences are kept, so that the way back can be walked. It prefers deletions, then insertions, as RapidFuzz does.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact

Ids: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]
_ONE, _TOP = np.uint64(1), np.uint64(63)


@exact
def symbol_masks(ids: Any, begin: int, size: int, slot: Any, masks: Any) -> int:
    """For each distinct symbol the columns in which it stands; returns the number of symbols."""
    found = 0
    for k in range(size):
        at = slot[ids[begin + k]]
        if at < 0:
            at = found
            slot[ids[begin + k]] = at
            for w in range(masks.shape[1]):
                masks[at, w] = 0
            found += 1
        masks[at, k >> 6] |= _ONE << np.uint64(k & 63)
    return found


@exact
def _fill(ids: Any, begin: int, size: int, slot: Any, masks: Any, words: int, ups: Any, downs: Any) -> None:
    """The signs of the differences along each row: ``ups`` where the distance grows from a column to the next, ``downs`` where it falls."""
    for row in range(size):
        at = slot[ids[begin + row]]
        up_carry, down_carry = _ONE, np.uint64(0)
        for w in range(words):
            up = ups[row - 1, w] if row else ~np.uint64(0)
            down = downs[row - 1, w] if row else np.uint64(0)
            match = (masks[at, w] if at >= 0 else np.uint64(0)) | down_carry
            diagonal = (((match & up) + up) ^ up) | match | down
            right_up, right_down = down | ~(diagonal | up), diagonal & up
            next_up, next_down = right_up >> _TOP, right_down >> _TOP
            right_up, right_down = (right_up << _ONE) | up_carry, (right_down << _ONE) | down_carry
            up_carry, down_carry = next_up, next_down
            ups[row, w] = right_down | ~(diagonal | right_up)
            downs[row, w] = right_up & diagonal


@exact
def _walk(ids: Any, a: int, rows_a: int, b: int, rows_b: int, ups: Any, downs: Any, out: Any) -> None:
    """From the end to the beginning: (hits, substitutions, deletions, insertions) are added to ``out``."""
    col, row = rows_a, rows_b
    while row and col:
        if (ups[row - 1, (col - 1) >> 6] >> np.uint64((col - 1) & 63)) & _ONE:
            out[2] += 1
            col -= 1
            continue
        row -= 1
        if row and (downs[row - 1, (col - 1) >> 6] >> np.uint64((col - 1) & 63)) & _ONE:
            out[3] += 1
            continue
        col -= 1
        out[0 if ids[a + col] == ids[b + row] else 1] += 1
    out[2] += col
    out[3] += row


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i4[::1], i8[:, ::1]")
def _edits(ids: Any, starts: Any, left: Any, right: Any, slot: Any, out: Any) -> None:
    """``slot`` is -1 for every symbol, before and after."""
    masks = np.empty((1, 1), dtype=np.uint64)
    ups, downs = np.empty((1, 1), dtype=np.uint64), np.empty((1, 1), dtype=np.uint64)
    for pair in range(len(left)):
        a, b = starts[left[pair]], starts[right[pair]]
        end_a, end_b = starts[left[pair] + 1], starts[right[pair] + 1]
        while a < end_a and b < end_b and ids[a] == ids[b]:
            a, b, out[pair, 0] = a + 1, b + 1, out[pair, 0] + 1
        while a < end_a and b < end_b and ids[end_a - 1] == ids[end_b - 1]:
            end_a, end_b, out[pair, 0] = end_a - 1, end_b - 1, out[pair, 0] + 1
        n, m = end_a - a, end_b - b
        words = (n + 63) >> 6
        if n and m:
            if masks.shape[0] < n or masks.shape[1] != words:
                masks = np.empty((n, words), dtype=np.uint64)
            if ups.shape[0] < m or ups.shape[1] < words:
                ups, downs = np.empty((m, words), dtype=np.uint64), np.empty((m, words), dtype=np.uint64)
            symbol_masks(ids, a, n, slot, masks)
            _fill(ids, b, m, slot, masks, words, ups, downs)
            for k in range(a, end_a):
                slot[ids[k]] = -1
        _walk(ids, a, n, b, m, ups, downs, out[pair])


def edits(ids: Ids, starts: Places, left: Places, right: Places, size: int) -> Places:
    """(hits, substitutions, deletions, insertions) from text ``left[i]`` to text ``right[i]``; symbols are numbers below ``size``."""
    out = np.zeros((len(left), 4), dtype=np.int64)
    _edits(ids, starts, left, right, np.full(max(1, size), -1, dtype=np.int32), out)
    return out


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i8, i8[:, ::1]")
def _extremes(ids: Any, starts: Any, left: Any, right: Any, sign: int, out: Any) -> None:
    """Of all shortest ways the one with the most hits (``sign`` 1) or the fewest (-1)."""
    for pair in range(len(left)):
        a, b = starts[left[pair]], starts[right[pair]]
        n, m = starts[left[pair] + 1] - a, starts[right[pair] + 1] - b
        big = 2 * (n + m + 1)  # the cost weighs more than all hits together
        row = np.empty(n + 1, dtype=np.int64)
        for i in range(n + 1):
            row[i] = i * big
        for j in range(m):
            corner = row[0]
            row[0] += big
            for i in range(n):
                best = corner - sign if ids[a + i] == ids[b + j] else corner + big
                corner = row[i + 1]
                best = min(best, row[i] + big, corner + big)
                row[i + 1] = best
        cost = (row[n] + big // 2) // big
        hits = sign * (cost * big - row[n])
        insertions = cost - n + hits
        deletions = insertions + n - m
        out[pair, 0], out[pair, 1], out[pair, 2], out[pair, 3] = hits, n - hits - deletions, deletions, insertions


def extreme_edits(ids: Ids, starts: Places, left: Places, right: Places, most: bool) -> Places:
    """As `edits`, along a shortest way with as many or as few hits as any has."""
    out = np.zeros((len(left), 4), dtype=np.int64)
    _extremes(ids, starts, left, right, 1 if most else -1, out)
    return out
