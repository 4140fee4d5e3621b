"""Run-length masks: many at once in one pool, read from strings and pixels, measured and compared without being drawn.

The runs of a mask count its pixels column by column, 0s and 1s alternately, 0s first. ``counts`` holds the runs of all masks one
after the other, and mask i has ``counts[starts[i]:starts[i + 1]]``. A mask of h times w pixels has fewer than 2**31 of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

FINE, CHARACTER, CUT, LONG, RUN, SUM = range(6)  # faults of a string or a list of runs
_FEW = 64  # minimum number of masks per thread
_WIDE, _BLOCK = 1024, 64  # pixels compared at once


@exact
def room(buffer: Any, used: int, more: int) -> Any:
    """The buffer, or a longer copy if there is no room for ``more`` numbers."""
    if used + more <= len(buffer):
        return buffer
    longer = np.empty(max(2 * len(buffer), used + more), buffer.dtype)
    for k in range(used):  # a loop compiles many times faster than an assignment to a slice
        longer[k] = buffer[k]
    return longer


def starts_of(lengths: Any) -> Any:
    """Where each of consecutive pieces of these lengths starts, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def joined(parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """One pool from the parts that the threads made: (numbers, how many of them each mask has)."""
    numbers = [p[0] for p in parts]
    return (
        numbers[0] if len(parts) == 1 else np.concatenate(numbers),
        starts_of(np.concatenate([p[1] for p in parts])),
    )


@exact("u1[::1], i8[::1], i8[::1], i8, i8")
def _count_runs(text: Any, offsets: Any, lengths: Any, first: int, last: int) -> None:
    """How many runs each string holds: the characters without the continuation bit."""
    for i in range(first, last):
        n = 0
        for c in text[offsets[i] : offsets[i + 1]]:
            n += ((c - 48) & 32) == 0
        lengths[i] = n


@exact
def _number(text: Any, at: int) -> tuple[Any, Any, Any]:
    """A number of several characters from ``at`` on: the fault, the number, and where the next one begins."""
    number, shift, c = 0, 0, 32
    while c & 32:
        if at >= len(text):
            return CUT, 0, at
        if shift > 30:
            return LONG, 0, at
        c = np.int64(text[at]) - 48
        if c < 0 or c > 63:
            return CHARACTER, 0, at
        number |= (c & 31) << shift
        shift += 5
        at += 1
    return FINE, number - ((c & 16) << (shift - 4)), at


@exact
def _read(text: Any, size: int, counts: Any) -> tuple[Any, Any]:
    """The runs of one string; returns the fault.

    A character holds five bits; from the fourth run on, a number is the difference to the run before the last.
    """
    at, n, left = 0, 0, size
    last, last_but_one = 0, 0
    while at < len(text):
        c = np.int64(text[at]) - 48
        if 0 <= c < 32:  # most runs differ so little from the one before the last that one character suffices
            run = c - ((c & 16) << 1)
            at += 1
        else:
            fault, run, at = _number(text, at)
            if fault != FINE:
                return fault, at
        if n > 2:
            run += last_but_one
        if run < 0 or run > left:
            return RUN, n
        counts[n] = run
        last_but_one, last = last, run
        left -= run
        n += 1
    return (FINE, 0) if left == 0 else (SUM, size - left)


@exact("u1[::1], i8[::1], i8[::1], u4[::1], i8[::1], i8[:, ::1], i8, i8")
def _read_all(text: Any, offsets: Any, size: Any, counts: Any, starts: Any, fault: Any, first: int, last: int) -> None:
    for i in range(first, last):
        fault[i, 0], fault[i, 1] = _read(text[offsets[i] : offsets[i + 1]], size[i], counts[starts[i] : starts[i + 1]])


def decoded(text: Any, offsets: Any, size: Any) -> tuple[Any, Any, Any]:
    """(counts, starts, faults) of compressed strings; a fault is its kind and position, (0, 0) if there is none."""
    n, text = len(size), kernels.ready(text)
    lengths, fault = np.empty(n, np.int64), np.zeros((n, 2), np.int64)
    kernels.over_chunks(n, lambda a, b: _count_runs(text, offsets, lengths, a, b), least=_FEW)
    starts = starts_of(lengths)
    counts = np.zeros(starts[-1], np.uint32)  # what follows a fault stays 0
    kernels.over_chunks(n, lambda a, b: _read_all(text, offsets, size, counts, starts, fault, a, b), least=_FEW)
    return counts, starts, fault


@exact("i8[::1], i8[::1], i8[::1], i8[:, ::1], i8, i8")
def _check(runs: Any, starts: Any, size: Any, fault: Any, first: int, last: int) -> None:
    for i in range(first, last):
        total = 0
        for j in range(starts[i], starts[i + 1]):
            if runs[j] < 0 or runs[j] > size[i] - total:
                fault[i, 0], fault[i, 1] = RUN, j - starts[i]
                break
            total += runs[j]
        if fault[i, 0] == FINE and total != size[i]:
            fault[i, 0], fault[i, 1] = SUM, total


def checked(runs: Any, starts: Any, size: Any) -> Any:
    """The faults of masks given as runs (int64)."""
    fault = np.zeros((len(size), 2), np.int64)
    kernels.over_chunks(len(size), lambda a, b: _check(runs, starts, size, fault, a, b), least=_FEW)
    return fault


@exact("u4[::1], i8[::1], i8, i8")
def _write(counts: Any, starts: Any, first: int, last: int) -> tuple[Any, Any]:
    out, lengths, at = np.empty(7 * (starts[last] - starts[first]), np.uint8), np.empty(last - first, np.int64), 0
    for i in range(first, last):
        begin = at
        for j in range(starts[i], starts[i + 1]):
            run = np.int64(counts[j])
            if j - starts[i] > 2:
                run -= np.int64(counts[j - 2])
            more = True
            while more:
                c = run & 31
                run >>= 5
                more = run != (-1 if c & 16 else 0)
                out[at] = 48 + (c | 32 if more else c)
                at += 1
        lengths[i - first] = at - begin
    return out[:at], lengths


def encoded(counts: Any, starts: Any) -> tuple[Any, Any]:
    """(bytes, offsets) of the compressed strings."""
    return joined(kernels.over_chunks(len(starts) - 1, lambda a, b: _write(counts, starts, a, b), least=_FEW))


@exact("u4[::1], i8[::1], i8[::1], i8, i8")
def _area(counts: Any, starts: Any, out: Any, first: int, last: int) -> None:
    for i in range(first, last):
        total = 0
        for j in range(starts[i] + 1, starts[i + 1], 2):
            total += counts[j]
        out[i] = total


def area(counts: Any, starts: Any) -> Any:
    """How many pixels each mask has (int64)."""
    out = np.empty(len(starts) - 1, np.int64)
    kernels.over_chunks(len(out), lambda a, b: _area(counts, starts, out, a, b), least=_FEW)
    return out


@exact
def _box(counts: Any, first: int, last: int, h: int) -> tuple[Any, Any, Any, Any]:
    """First and last column and row of the pixels; for an empty mask the last column is before the first."""
    x, y = 0, 0  # the next pixel
    x0, x1, y0, y1 = -1, -2, h, -1
    for j in range(first, last - 1, 2):
        y += np.int64(counts[j])
        if y >= h:
            step = 1 if y < 2 * h else y // h  # most runs are short, and a division is not
            x, y = x + step, y - step * h
        run = np.int64(counts[j + 1])
        if run == 0:
            continue
        x0 = x if x0 < 0 else x0
        y0 = min(y0, y)
        y += run
        y1 = max(y1, min(y, h) - 1)
        x1 = x
        if y > h:  # the run continues in the next column
            step = (y - 1) // h
            x1, y0, y1 = x + step, 0, h - 1
            x, y = x + step, y - step * h
    return x0, x1, y0, y1


@exact("u4[::1], i8[::1], i8[::1], f8[:, ::1], i8, i8")
def _boxes(counts: Any, starts: Any, height: Any, out: Any, first: int, last: int) -> None:
    for i in range(first, last):
        x0, x1, y0, y1 = _box(counts, starts[i], starts[i + 1], height[i])
        for k in range(4):
            out[i, k] = 0.0
        if x0 >= 0:
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = x0, y0, x1 - x0 + 1, y1 - y0 + 1


def boxes(counts: Any, starts: Any, height: Any) -> Any:
    """The boxes (x, y, width, height) around the masks; four zeros for an empty mask."""
    out = np.empty((len(starts) - 1, 4))
    kernels.over_chunks(len(out), lambda a, b: _boxes(counts, starts, height, out, a, b), least=_FEW)
    return out


@exact
def intersection(counts: Any, a0: int, a1: int, other: Any, b0: int, b1: int) -> Any:
    """How many pixels two masks share: runs a0 to a1 of one pool and b0 to b1 of the other."""
    shared = 0
    a, b = a0 + 1, b0 + 1
    if a >= a1 or b >= b1:
        return 0
    low, low_other = np.int64(counts[a0]), np.int64(other[b0])
    high, high_other = low + np.int64(counts[a]), low_other + np.int64(other[b])
    while True:
        both = min(high, high_other) - max(low, low_other)
        shared += max(both, 0)
        if high <= high_other:
            a += 2
            if a >= a1:
                return shared
            low = high + np.int64(counts[a - 1])
            high = low + np.int64(counts[a])
        else:
            b += 2
            if b >= b1:
                return shared
            low_other = high_other + np.int64(other[b - 1])
            high_other = low_other + np.int64(other[b])


@exact("Side, Side, u1[::1], f8[:, ::1], i8, i8", Side=("Tuple((u4[::1], i8[::1], f8[:, ::1], i8[::1]))",))
def _iou(A: Any, B: Any, crowd: Any, out: Any, first: int, last: int) -> None:
    for i in range(first, last):
        p = A[2][i]
        for j in range(out.shape[1]):
            q = B[2][j]
            out[i, j] = 0.0
            if min(p[0] + p[2], q[0] + q[2]) <= max(p[0], q[0]) or min(p[1] + p[3], q[1] + q[3]) <= max(p[1], q[1]):
                continue
            shared = intersection(A[0], A[1][i], A[1][i + 1], B[0], B[1][j], B[1][j + 1])
            if shared > 0:
                out[i, j] = shared / (A[3][i] if crowd[j] else A[3][i] + B[3][j] - shared)


def iou(A: Any, B: Any, crowd: Any) -> Any:
    """Intersection over union of all pairs, over the area of the first mask alone if the second is a crowd.

    Each side is (counts, starts, boxes, areas).
    """
    out = np.empty((len(A[3]), len(B[3])))
    kernels.over_chunks(len(out), lambda a, b: _iou(A, B, crowd, out, a, b), least=16)
    return out


@exact("u4[::1], i8[::1], i8[::1], u4[::1], i8[::1], i8, i8")
def _take(counts: Any, starts: Any, chosen: Any, out: Any, places: Any, first: int, last: int) -> None:
    for i in range(first, last):
        begin = starts[chosen[i]]
        for k in range(places[i + 1] - places[i]):
            out[places[i] + k] = counts[begin + k]


def take(counts: Any, starts: Any, chosen: Any) -> tuple[Any, Any]:
    """The pool of the chosen masks, in their order."""
    places = starts_of(starts[chosen + 1] - starts[chosen])
    out = np.empty(places[-1], np.uint32)
    kernels.over_chunks(len(chosen), lambda a, b: _take(counts, starts, chosen, out, places, a, b), least=_FEW)
    return out, places


@exact
def _unlike(one: Any, other: Any) -> bool:
    """Whether two pieces differ anywhere; on bytes and without an early exit, so that it is vectorised."""
    bits = np.uint8(0)
    for k in range(len(one)):
        bits = np.uint8(bits | np.uint8(one[k] ^ other[k]))
    return bits != 0


@exact
def _changes(line: Any, before: Any, first: int, at: Any, used: int) -> tuple[Any, int]:
    """Append the positions, counted from ``first``, where a pixel is inside and the previous one is not, or vice versa.

    Long pieces without a change are skipped, then short ones.
    """
    for wide in range(0, len(line), _WIDE):
        end = min(wide + _WIDE, len(line))
        if not _unlike(line[wide:end], before[wide:end]):
            continue
        for begin in range(wide, end, _BLOCK):
            stop = min(begin + _BLOCK, end)
            if not _unlike(line[begin:stop], before[begin:stop]):
                continue
            at = room(at, used, _BLOCK)
            for k in range(begin, stop):
                if (line[k] != 0) != (before[k] != 0):
                    at[used] = first + k
                    used += 1
    return at, used


@exact
def _by_column(pixels: Any, at: Any) -> tuple[Any, int]:
    """The positions of changes in an image stored column by column."""
    at[0] = 0
    return _changes(pixels[1:], pixels[:-1], 1, at, 1 if pixels[0] else 0)


@exact
def _by_row(pixels: Any, w: int, at: Any, found: Any, column: Any, corner: Any) -> tuple[Any, Any, int]:
    """The same for an image stored row by row: pixels are compared with those above, then changes are sorted into columns."""
    h = len(pixels) // w
    corner[0] = 0
    for x in range(1, w):
        corner[x] = pixels[
            (h - 1) * w + x - 1
        ]  # above the first pixel of a column is the last one of the previous column
    found, used = _changes(pixels[:w], corner, 0, found, 0)
    found, used = _changes(pixels[w:], pixels[: (h - 1) * w], w, found, used)
    for x in range(w + 1):
        column[x] = 0
    for k in range(used):
        column[found[k] % w + 1] += 1
    for x in range(w):
        column[x + 1] += column[x]
    at = room(at, 0, used)
    for k in range(used):
        x, y = found[k] % w, found[k] // w
        at[column[x]] = x * h + y
        column[x] += 1
    return at, found, used


@exact
def put_runs(at: Any, used: int, size: int, counts: Any, filled: int) -> Any:
    """Append the runs between sorted positions of changes; returns the pool."""
    counts = room(counts, filled, used + 1)
    before = 0
    for k in range(used):
        counts[filled + k] = at[k] - before
        before = at[k]
    counts[filled + used] = size - before
    return counts


@exact("u1[:, :, ::1], b1, i8, i8")
def _pixels(images: Any, by_row: bool, first: int, last: int) -> tuple[Any, Any]:
    size, filled = images.shape[1] * images.shape[2], 0
    counts, lengths = np.empty(1024, np.uint32), np.empty(last - first, np.int64)
    at, found = np.empty(1024, np.int64), np.empty(1024, np.int64)
    column, corner = np.empty(images.shape[2] + 1, np.int64), np.empty(images.shape[2], np.uint8)
    for i in range(first, last):
        pixels = images[i].reshape(size)
        if by_row:
            at, found, used = _by_row(pixels, images.shape[2], at, found, column, corner)
        else:
            at, used = _by_column(pixels, at)
        counts = put_runs(at, used, size, counts, filled)
        filled += used + 1
        lengths[i - first] = used + 1
    return counts[:filled], lengths


def from_pixels(images: Any, *, by_row: bool) -> tuple[Any, Any]:
    """The pool of (m, h, w) images of bytes by row, or (m, w, h) by column; any value but 0 is inside."""
    least = max(1, (1 << 20) // max(1, images.shape[1] * images.shape[2]))
    work: Callable[[int, int], tuple[Any, Any]] = lambda a, b: _pixels(images, by_row, a, b)  # noqa: E731
    return joined(kernels.over_chunks(len(images), work, least=least))
