"""The row filters of PNG undone: bytes as they are, or pixels of three bytes as one integer, r + 256 g + 65536 b.

Residuals of label maps are nearly all zero, so blocks of zeros are copied instead of computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact, step

_BLOCK = 6  # pixels computed before looking for zeros again
_LOW, _HIGH, _EVEN = np.uint32(0x7F7F7F), np.uint32(0x808080), np.uint32(0xFEFEFE)


@exact
def _paeth(a: Any, b: Any, c: Any) -> Any:
    """Whichever of left, above and above-left is nearest to left + above - above-left."""
    near_a, near_b, near_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    if near_a <= near_b and near_a <= near_c:
        return a
    return b if near_b <= near_c else c


@exact
def _packed_paeth(a: Any, b: Any, c: Any) -> Any:
    if a == c:
        return b
    if b == c:
        return a
    out = 0
    for shift in range(0, 24, 8):
        s = np.uint32(shift)
        byte = np.uint32(255)
        part = _paeth(np.int64((a >> s) & byte), np.int64((b >> s) & byte), np.int64((c >> s) & byte))
        out |= part << shift
    return np.uint32(out)


@step
def _added(a: Any, b: Any) -> Any:
    """Add three bytes to three bytes, without carrying from one to the next."""
    return ((a & _LOW) + (b & _LOW)) ^ ((a ^ b) & _HIGH)


@exact
def _packed(kind: Any, rest: Any, a: Any, b: Any, c: Any) -> Any:
    """One pixel from its residual and the pixels left, above and above-left, byte by byte in one integer."""
    if kind == 0:
        return rest
    if kind == 1:
        guess = a
    elif kind == 2:
        guess = b
    elif kind == 3:
        guess = (a & b) + (((a ^ b) & _EVEN) >> np.uint32(1))
    else:
        guess = _packed_paeth(a, b, c)
    return _added(rest, guess)


@exact
def _quiet(words: Any, start: int, most: int) -> int:
    """How many pixels from byte ``start`` on have residuals of zero, in whole words; fewer than there are costs only time."""
    at, last = start >> 3, (start + 3 * most + 7) >> 3
    while at + 4 <= last:
        u = np.uint64(at)
        seen = words[u] | words[u + np.uint64(1)] | words[u + np.uint64(2)] | words[u + np.uint64(3)]
        if seen != np.uint64(0):
            break
        at += 4
    while at < last and words[np.uint64(at)] == np.uint64(0):
        at += 1
    return max(0, min(most, (8 * at - start) // 3))


@exact
def _copied(kind: Any, out: Any, at: Any, width: Any, n: int, a: Any) -> None:
    """Copy n pixels from the left (kind 1) or from above. Unsigned positions: numba checks whether signed ones count from the end."""
    if kind == 1:
        for k in range(n):
            out[at + np.uint64(k)] = a
    else:
        above = at - width
        for k in range(n):
            out[at + np.uint64(k)] = out[above + np.uint64(k)]


@exact("u1[::1], u8[::1], u4[::1], i8")
def _pixel_rows(raw: Any, words: Any, out: Any, width: int) -> int:
    """Undo the filters of pixels; ``out`` is flat and begins with a row of zeros, the row above the first one."""
    wide = np.uint64(width)
    for y in range(1, len(out) // width):
        start = (y - 1) * (3 * width + 1) + 1
        row = np.uint64(y * width)
        kind = np.int64(raw[start - 1])
        if kind > 4:
            return -1
        a, c = np.uint32(0), np.uint32(0)
        x = 0
        while x < width:
            at = row + np.uint64(x)
            if kind in (1, 2) or (kind == 4 and a == c):
                n = _quiet(words, start + 3 * x, width - x)
                if n > 0:
                    _copied(kind, out, at, wide, n, a)
                    x += n
                    a, c = out[row + np.uint64(x - 1)], out[row - wide + np.uint64(x - 1)]
                    continue
            if kind == 2:
                for k in range(min(_BLOCK, width - x)):
                    place = np.uint64(start + 3 * (x + k))
                    rest = np.uint32(raw[place]) | (np.uint32(raw[place + np.uint64(1)]) << np.uint32(8))
                    rest |= np.uint32(raw[place + np.uint64(2)]) << np.uint32(16)
                    out[at + np.uint64(k)] = _added(rest, out[at - wide + np.uint64(k)])
                x += _BLOCK
                continue
            for k in range(min(_BLOCK, width - x)):
                place = np.uint64(start + 3 * (x + k))
                one = np.uint32(raw[place]) | (np.uint32(raw[place + np.uint64(1)]) << np.uint32(8))
                one |= np.uint32(raw[place + np.uint64(2)]) << np.uint32(16)
                b = out[at - wide + np.uint64(k)]
                a = _packed(kind, one, a, b, c)
                c = b
                out[at + np.uint64(k)] = a
            x += _BLOCK
    return 0


@exact("u1[::1], i8, u1[:, ::1]")
def _byte_rows(raw: Any, step: int, out: Any) -> int:
    height, width = out.shape
    none = np.zeros(width, dtype=np.uint8)
    for y in range(height):
        start = y * (width + 1)
        kind = raw[start]
        rest, row = raw[start + 1 : start + 1 + width], out[y]
        above = out[y - 1] if y else none
        if kind == 0:
            for x in range(width):
                row[x] = rest[x]
        elif kind == 1:
            for x in range(width):
                row[x] = rest[x] + (row[x - step] if x >= step else np.uint8(0))
        elif kind == 2:
            for x in range(width):
                row[x] = rest[x] + above[x]
        elif kind == 3:
            for x in range(width):
                left = np.int64(row[x - step]) if x >= step else 0
                row[x] = rest[x] + np.uint8((left + np.int64(above[x])) >> 1)
        elif kind == 4:
            for x in range(width):
                a, c = (np.int64(row[x - step]), np.int64(above[x - step])) if x >= step else (0, 0)
                row[x] = rest[x] + np.uint8(_paeth(a, np.int64(above[x]), c))
        else:
            return -1
    return 0


def pixels(raw: Any, height: int, width: int) -> Any:
    """(height, width) of uint32 from filtered rows of three bytes per pixel; None if a row has an unknown filter.

    ``raw`` holds whole words, one more than the rows need.
    """
    out = np.empty((height + 1) * width, dtype=np.uint32)
    out[:width] = 0
    return (
        out[width:].reshape(height, width)
        if _pixel_rows(kernels.ready(raw), kernels.ready(raw).view(np.uint64), out, width) == 0
        else None
    )


def bytes_of(raw: Any, height: int, width: int, step: int) -> Any:
    """(height, width) of bytes from filtered rows; ``step`` is the number of bytes of a pixel."""
    out = np.empty((height, width), dtype=np.uint8)
    return out if _byte_rows(kernels.ready(raw), step, out) == 0 else None
