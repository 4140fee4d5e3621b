"""Polygons converted to runs, as COCO draws them.

The outline is drawn with straight lines on a grid five times finer than the pixels. A line matters only where it steps from
column 5 n + 2 of that grid to the next, which is the middle of pixel column n: there the inside begins or ends, at the lower of
both rows of the step. So each line is evaluated once per column of pixels that it crosses, and never followed step by step. The
changes from 0 to 1 and back are sorted within their column; two at the same position cancel; polygons of one mask are united.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.masks import joined, put_runs

FINE, NONE, ODD, SHORT, NUMBER, FAR, MANY = range(7)  # faults of the polygons of a mask
FARTHEST = 1e8  # coordinates beyond would not fit into the integers of the grid
_MOST = 1 << 27  # crossings of one polygon: a gigabyte


@exact
def _columns(x: int, other: int, w: int) -> tuple[int, int]:
    """The first column of pixels whose middle lies between two columns of the grid, and the one after the last."""
    low, high = min(x, other), max(x, other)
    return max(0, -((2 - low) // 5)), min(w, (high - 3) // 5 + 1)


@exact
def _rounded(start: int, slope: float, t: int) -> int:
    """A point on a line, rounded towards zero, as C converts to integers."""
    return int(start + slope * t + 0.5)


@exact
def _step_along(x0: int, slope: float, dy: int, column: int) -> int:
    """The step from row t - 1 to t in which a steep line leaves a column of the grid or enters it."""
    guess = (column + 0.5 - x0) / slope
    t = min(max(int(guess), 1), dy)
    if slope > 0:
        while t > 1 and _rounded(x0, slope, t - 1) > column:
            t -= 1
        while t < dy and _rounded(x0, slope, t) <= column:
            t += 1
    else:
        while t > 1 and _rounded(x0, slope, t - 1) <= column:
            t -= 1
        while t < dy and _rounded(x0, slope, t) > column:
            t += 1
    return t


@exact
def _line(x0: int, y0: int, x1: int, y1: int, h: int, w: int, changes: Any, column: Any, left: int) -> None:
    """Add the changes that one line makes to their columns."""
    first, last = _columns(x0, x1, w)
    if first >= last:
        return
    flat = abs(x1 - x0) >= abs(y1 - y0)
    if (flat and x0 > x1) or (not flat and y0 > y1):
        x0, y0, x1, y1 = x1, y1, x0, y0
    slope = (y1 - y0) / (x1 - x0) if flat else (x1 - x0) / (y1 - y0)
    for n in range(first, last):
        u = 5 * n + 2
        if flat:
            v = min(_rounded(y0, slope, u - x0), _rounded(y0, slope, u + 1 - x0))
        else:
            v = y0 + _step_along(x0, slope, y1 - y0, u) - 1
        changes[column[n - left]] = n * h + min(max((v + 2) // 5, 0), h)
        column[n - left] += 1


@exact
def _sort(changes: Any) -> None:
    """Shell sort; most columns have two changes."""
    gap = 1
    while gap * 9 < len(changes):
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(changes)):
            value, j = changes[i], i
            while j >= gap and changes[j - gap] > value:
                changes[j] = changes[j - gap]
                j -= gap
            changes[j] = value
        gap //= 3


@exact
def _grid(xy: Any) -> tuple[Any, int]:
    """The corners on the fine grid, with the first one repeated at the end, and the fault."""
    n = len(xy)
    points = np.empty(n + 2, np.int64)
    if n % 2:
        return points, ODD
    if n < 6:
        return points, SHORT
    for k in range(n):
        if not np.isfinite(xy[k]):
            return points, NUMBER
        if abs(xy[k]) > FARTHEST:
            return points, FAR
        points[k] = int(5.0 * xy[k] + 0.5)
    points[n], points[n + 1] = points[0], points[1]
    return points, FINE


@exact
def _outline(points: Any, h: int, w: int) -> tuple[Any, int]:
    """All changes of a polygon, sorted, including pairs at one position; and their number, also if it is too large."""
    left, right = w, 0
    for k in range(0, len(points) - 2, 2):
        first, last = _columns(points[k], points[k + 2], w)
        if first < last:
            left, right = min(left, first), max(right, last)
    if left >= right:
        return np.empty(0, np.int64), 0
    if right - left > _MOST // 2:  # a closed line crosses each column twice
        return np.empty(0, np.int64), _MOST + 1
    column = np.zeros(right - left + 1, np.int64)
    for k in range(0, len(points) - 2, 2):
        first, last = _columns(points[k], points[k + 2], w)
        if first < last:
            column[first - left] += 1
            column[last - left] -= 1
    crossing, total = 0, 0
    for c in range(
        len(column)
    ):  # from changes in the number of lines, to their number, to the start of each column's changes
        crossing += column[c]
        column[c] = total
        total += crossing
    if total > _MOST:
        return np.empty(0, np.int64), total
    changes = np.empty(total, np.int64)
    for k in range(0, len(points) - 2, 2):
        _line(points[k], points[k + 1], points[k + 2], points[k + 3], h, w, changes, column, left)
    begin = 0
    for c in range(len(column) - 1):
        _sort(changes[begin : column[c]])
        begin = column[c]
    return changes, total


@exact
def _without_pairs(changes: Any, size: int) -> int:
    """Drop pairs of changes at the same position, and those after the last pixel; returns how many remain at the front."""
    used = 0
    for place in changes:
        if used > 0 and changes[used - 1] == place:
            used -= 1
        elif place < size:
            changes[used] = place
            used += 1
    return used


@exact
def _united(one: Any, other: Any) -> Any:
    """The changes of the union of two masks."""
    out = np.empty(len(one) + len(other), np.int64)
    i, j, used = 0, 0, 0
    while i < len(one) or j < len(other):
        place = one[i] if j >= len(other) or (i < len(one) and one[i] <= other[j]) else other[j]
        before = (i | j) & 1
        if i < len(one) and one[i] == place:
            i += 1
        if j < len(other) and other[j] == place:
            j += 1
        if ((i | j) & 1) != before:
            out[used] = place
            used += 1
    return out[:used]


@exact
def _mask(xy: Any, polygons: Any, first: int, last: int, h: int, w: int) -> tuple[Any, int, int]:
    """The changes of the union of polygons first to last, the fault, and the polygon at fault."""
    whole = np.empty(0, np.int64)
    if first >= last:
        return whole, NONE, 0
    for p in range(first, last):
        points, fault = _grid(xy[polygons[p] : polygons[p + 1]])
        if fault != FINE:
            return whole, fault, p - first
        changes, total = _outline(points, h, w)
        if total > _MOST:
            return whole, MANY, p - first
        changes = changes[: _without_pairs(changes, h * w)]
        whole = changes if p == first else _united(whole, changes)
    return whole, FINE, 0


@exact("f8[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8[:, ::1], i8, i8")
def _masks(
    xy: Any, polygons: Any, masks: Any, height: Any, width: Any, fault: Any, first: int, last: int
) -> tuple[Any, Any]:
    counts, lengths, filled = np.empty(1024, np.uint32), np.empty(last - first, np.int64), 0
    for i in range(first, last):
        changes, fault[i, 0], fault[i, 1] = _mask(xy, polygons, masks[i], masks[i + 1], height[i], width[i])
        counts = put_runs(changes, len(changes), height[i] * width[i], counts, filled)
        filled += len(changes) + 1
        lengths[i - first] = len(changes) + 1
    return counts[:filled], lengths


def drawn(xy: Any, polygons: Any, masks: Any, height: Any, width: Any) -> tuple[Any, Any, Any]:
    """(counts, starts, faults) of masks made of polygons; a fault is its kind and the polygon of the mask at fault.

    Polygon p has the numbers ``xy[polygons[p]:polygons[p + 1]]``, and mask i the polygons ``masks[i]`` to ``masks[i + 1]``.
    """
    fault = np.zeros((len(height), 2), np.int64)

    def work(first: int, last: int) -> tuple[Any, Any]:
        return _masks(xy, polygons, masks, height, width, fault, first, last)

    counts, starts = joined(kernels.over_chunks(len(height), work, least=32))
    return counts, starts, fault
