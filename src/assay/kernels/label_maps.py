"""Label maps counted image by image: per class the pixels that agree, the true ones and the predicted ones."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

_LANES = 4
_KINDS = "u1 u2 i4 i8"  # types of labels; the callers widen others
_JOINT = 1 << 18  # cells of a joint table that fits a cache; beyond, the three counts are made directly
_SPREAD, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_BYTE = np.uint64(255)
_S8, _S16, _S24, _S32 = np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)


@exact
def _count_by_table(a: Any, b: Any, row: Any, column: Any, cells: Any, table: Any) -> None:
    """Count eight pairs of labels, some of them ignored or out of range; ``row`` and ``column`` map a label to its cells."""
    lane = np.uint64(0)
    for _ in range(8):
        table[lane + row[a & _BYTE] + column[b & _BYTE]] += np.uint32(1)
        a >>= np.uint64(8)
        b >>= np.uint64(8)
        lane = cells - lane  # two tables in rotation


@exact("u8[::1], u8[::1], u8[::1], u8[::1], u8, u4[::1]")
def _joint_words(true: Any, predicted: Any, row: Any, column: Any, side: Any, table: Any) -> None:
    """Bytes, eight at a time: a single count if both words hold one label each, no look-up if all labels are in range.

    Unsigned positions: numba checks whether signed ones count from the end. A label is in range if adding 128 - size
    does not set the top bit of its byte; a byte of 128 and more has that bit set itself.
    """
    cells = side * side
    two, three = cells + cells, cells + cells + cells
    size = side - np.uint64(2)
    room = (np.uint64(128) - size) * _SPREAD if size <= np.uint64(128) else _HIGH
    for w in range(len(true)):
        a, b = true[w], predicted[w]
        first_a, first_b = a & _BYTE, b & _BYTE
        if (a == first_a * _SPREAD) & (b == first_b * _SPREAD):
            table[row[first_a] + column[first_b]] += np.uint32(8)
        elif (a | b | (a + room) | (b + room)) & _HIGH:
            _count_by_table(a, b, row, column, cells, table)
        else:
            for _ in range(2):
                table[(a & _BYTE) * side + (b & _BYTE)] += np.uint32(1)
                table[cells + ((a >> _S8) & _BYTE) * side + ((b >> _S8) & _BYTE)] += np.uint32(1)
                table[two + ((a >> _S16) & _BYTE) * side + ((b >> _S16) & _BYTE)] += np.uint32(1)
                table[three + ((a >> _S24) & _BYTE) * side + ((b >> _S24) & _BYTE)] += np.uint32(1)
                a >>= _S32
                b >>= _S32


@exact("T[::1], T[::1], i8, i8, u4[::1]", T=_KINDS)
def _joint(true: Any, predicted: Any, ignore: int, size: int, table: Any) -> None:
    none, odd = size - 2, size - 1  # where ignored labels and those out of range are counted
    cells = size * size
    for i in range(len(true)):
        t, p = np.int64(true[i]), np.int64(predicted[i])
        t = none if t == ignore else (t if (t >= 0) & (t < none) else odd)
        p = none if p == ignore else (p if (p >= 0) & (p < none) else odd)
        table[np.uint64((i & (_LANES - 1)) * cells + t * size + p)] += np.uint32(1)


@exact("u4[::1], i8, i8[:, ::1]")
def _reduced(table: Any, size: int, out: Any) -> Any:
    """From the joint table to agreeing, true and predicted pixels of each class; returns how many labels are out of range."""
    none, odd = size - 2, size - 1
    bad = 0
    for t in range(size):
        for p in range(size):
            count = np.int64(0)
            for lane in range(_LANES):
                count += np.int64(table[lane * size * size + t * size + p])
            if t == odd or (p == odd and t != none):
                bad += count
            elif t != none:
                out[t, 1] += count
                if p < none:
                    out[p, 2] += count
                if p == t:
                    out[t, 0] += count
    return bad


@exact("T[::1], T[::1], i8, i8[:, ::1]", T=_KINDS)
def _separate(true: Any, predicted: Any, ignore: int, out: Any) -> int:
    bad = 0
    for i in range(len(true)):
        t, p = np.int64(true[i]), np.int64(predicted[i])
        if t == ignore:
            continue
        if t < 0 or t >= len(out) or (p != ignore and (p < 0 or p >= len(out))):
            bad += 1
            continue
        out[t, 1] += 1
        if p != ignore:
            out[p, 2] += 1
        if p == t:
            out[t, 0] += 1
    return bad


@functools.lru_cache(maxsize=64)
def _cells(ignore: int, size: int) -> tuple[Any, Any]:
    """Row offset and column of every byte in the joint table; ignored labels and those out of range have their own."""
    column = np.where(np.arange(256) < size, np.arange(256), size + 1).astype(np.uint64)
    if 0 <= ignore <= 255:
        column[ignore] = size
    return column * np.uint64(size + 2), column


def counts(true: Any, predicted: Any, ignore: int, size: int) -> Any:
    """(size, 3) of agreeing, true and predicted pixels; None if some label is neither below ``size`` nor ignored."""
    t, p = kernels.ready(true).reshape(-1), kernels.ready(predicted).reshape(-1)
    out = np.zeros((size, 3), dtype=np.int64)
    side = size + 2
    if side**2 > _JOINT or len(t) >= 1 << 31:
        return None if _separate(t, p, ignore, out) else out
    table = np.zeros(_LANES * side**2, dtype=np.uint32)
    if t.dtype == np.uint8 and p.dtype == np.uint8:
        whole = len(t) - len(t) % 8
        words = t[:whole].view(np.uint64), p[:whole].view(np.uint64)
        _joint_words(*words, *_cells(ignore, size), np.uint64(side), table)
        t, p = t[whole:], p[whole:]
    _joint(t, p, ignore, side, table)
    return None if _reduced(table, side, out) else out


@exact("T[:, ::1], i8, b1[:, ::1], b1[:, ::1]", T=_KINDS)
def _boundary(labels: Any, reach: int, run: Any, out: Any) -> None:
    """True where some pixel within ``reach`` (Chebyshev distance) has another label or lies outside the map."""
    height, width = labels.shape
    for y in range(height):
        start = 0
        for x in range(1, width + 1):
            if x == width or labels[y, x] != labels[y, start]:
                for at in range(start, x):
                    run[y, at] = at - start >= reach and x - 1 - at >= reach
                start = x
    for x in range(width):
        start = 0
        for y in range(1, height + 1):
            if y == height or labels[y, x] != labels[start, x] or not run[y, x] or not run[y - 1, x]:
                for at in range(start, y):
                    out[at, x] = not (run[at, x] and at - start >= reach and y - 1 - at >= reach)
                start = y


@exact("T[::1], T[::1], b1[::1], b1[::1], i8, i8[:, ::1]", T=_KINDS)
def _count_boundary(true: Any, predicted: Any, edge_t: Any, edge_p: Any, ignore: int, out: Any) -> None:
    for i in range(len(true)):
        t, p = np.int64(true[i]), np.int64(predicted[i])
        if t == ignore:
            continue
        if edge_t[i]:
            out[t, 1] += 1
        if edge_p[i] and p != ignore:
            out[p, 2] += 1
        if t == p and edge_t[i] and edge_p[i]:
            out[t, 0] += 1


def boundary(labels: Any, reach: int) -> Any:
    """Mask of the pixels of a map (height, width) within ``reach`` pixels of the boundary of their region."""
    run, out = np.zeros(labels.shape, dtype=np.bool_), np.zeros(labels.shape, dtype=np.bool_)
    _boundary(kernels.ready(labels), reach, run, out)
    return out


def boundary_counts(true: Any, predicted: Any, reach: int, ignore: int, size: int) -> Any:
    """As `counts`, only for pixels on the boundaries of the regions."""
    out = np.zeros((size, 3), dtype=np.int64)
    boundaries = boundary(true, reach).reshape(-1), boundary(predicted, reach).reshape(-1)
    _count_boundary(kernels.ready(true).reshape(-1), kernels.ready(predicted).reshape(-1), *boundaries, ignore, out)
    return out
