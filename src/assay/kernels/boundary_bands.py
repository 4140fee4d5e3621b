"""The band along the boundary of a mask, as Boundary IoU defines it: the mask minus its erosion.

A pixel survives erosion if all pixels of the square around it, d to each side, are inside; nothing outside the image is. The
square is a column times a row: runs shrink by d at both ends of every column, and then a pixel must be covered in 2 d + 1 columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.masks import joined, room


@exact
def _pieces(runs: Any, h: int) -> tuple[Any, int]:
    """Runs of 1s cut at the ends of columns: column, first row, row after the last; adjacent pieces are merged."""
    piece, used = np.empty((3, max(16, len(runs))), np.int64), 0
    x, y = 0, 0
    for j in range(len(runs)):
        left = np.int64(runs[j])
        if j & 1 == 0:
            y += left
            x, y = x + y // h, y % h
            continue
        while left > 0:
            part = min(left, h - y)
            if used > 0 and piece[0, used - 1] == x and piece[2, used - 1] == y:
                piece[2, used - 1] = y + part
            else:
                if used == piece.shape[1]:
                    longer = np.empty((3, 2 * used), np.int64)
                    for k in range(used):
                        longer[0, k], longer[1, k], longer[2, k] = piece[0, k], piece[1, k], piece[2, k]
                    piece = longer
                piece[0, used], piece[1, used], piece[2, used] = x, y, y + part
                used += 1
            left -= part
            y += part
            if y == h:
                x, y = x + 1, 0
    return piece, used


@exact
def _cover(piece: Any, used: int, at: int, column: int, d: int, by: int, cover: Any, top: int) -> int:
    """Add ``by`` where the shrunken pieces of a column cover rows from ``top`` on; returns where the pieces of the next column begin."""
    while at < used and piece[0, at] <= column:
        for y in range(piece[1, at] + d, piece[2, at] - d):
            cover[y - top] += by
        at += 1
    return at


@exact
def _put(counts: Any, begin: int, filled: int, free: int, low: int, high: int) -> tuple[Any, int]:
    """Append 1s from low to high to a mask that is written up to ``free``; adjacent 1s become one run."""
    if low == free and filled > begin:
        counts[filled - 1] += high - low
        return counts, filled
    counts = room(counts, filled, 3)  # one more for the 0s at the end
    counts[filled], counts[filled + 1] = low - free, high - low
    return counts, filled + 2


@exact
def _band(runs: Any, h: int, w: int, d: int, counts: Any, begin: int) -> tuple[Any, int]:
    """Append the band of one mask; returns the pool and how far it is filled."""
    piece, used = _pieces(runs, h)
    top, end = h, 0
    for k in range(used):
        top, end = min(top, piece[1, k]), max(end, piece[2, k])
    cover = np.zeros(max(end - top, 0), np.int64)
    ahead, behind, filled, free = 0, 0, begin, 0
    for k in range(used):
        x = piece[0, k]
        ahead = _cover(piece, used, ahead, x + d, d, 1, cover, top)
        behind = _cover(piece, used, behind, x - d - 1, d, -1, cover, top)
        low = piece[1, k]
        for y in range(piece[1, k], piece[2, k] + 1):
            if y == piece[2, k] or cover[y - top] == 2 * d + 1:
                if low < y:
                    counts, filled = _put(counts, begin, filled, free, x * h + low, x * h + y)
                    free = x * h + y
                low = y + 1
    counts = room(counts, filled, 1)
    if free < h * w or filled == begin:
        counts[filled] = h * w - free
        filled += 1
    return counts, filled


@exact("u4[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8, i8")
def _bands(counts: Any, starts: Any, height: Any, width: Any, distance: Any, first: int, last: int) -> tuple[Any, Any]:
    out, lengths, filled = np.empty(1024, np.uint32), np.empty(last - first, np.int64), 0
    for i in range(first, last):
        begin = filled
        out, filled = _band(counts[starts[i] : starts[i + 1]], height[i], width[i], distance[i], out, begin)
        lengths[i - first] = filled - begin
    return out[:filled], lengths


def bands(counts: Any, starts: Any, height: Any, width: Any, distance: Any) -> tuple[Any, Any]:
    """The pool of the bands within ``distance`` pixels of the boundary of each mask."""

    def work(first: int, last: int) -> tuple[Any, Any]:
        return _bands(counts, starts, height, width, distance, first, last)

    return joined(kernels.over_chunks(len(height), work, least=8))
