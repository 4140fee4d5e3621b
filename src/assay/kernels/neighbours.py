"""Nearest neighbours of rows with many columns: products in single precision sort out far rows, the others are measured in double.

The error of a product in single precision is bounded by the lengths of both rows, so a row that is taken for far is far. Distances that
count are sums of squared differences in a fixed order: those of equal rows are equal to the last digit, and zero of a row and its copy.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.kernels import products
from assay.kernels.jit import exact
from assay.kernels.products import Features

STRIP = 512  # rows whose products with all others are held at once
NUMBERS = 16_000_000  # products that are held at once
WIDE = 256  # columns that are looked through at once
_TINY = 1e-30  # what may be lost below the smallest number of single precision, once the longest row has length 1

Counts = NDArray[np.int64]
Marks = NDArray[np.uint8]


class Sample(NamedTuple):
    """Rows as they are, the same around a common middle in single precision, their squared lengths, and the factor between both."""

    rows: Features
    short: NDArray[np.float32]
    square: Floats
    scale: float  # of squared distances

    @property
    def bound(self) -> float:
        """By how much a squared distance may be wrong, as a share of both squared lengths."""
        return (self.rows.shape[1] + 32) * 2.0**-24

    def low(self) -> Floats:
        """A row's part of the least that a squared distance can be."""
        return (1 - self.bound) * self.square - _TINY

    def high(self) -> Floats:
        """A row's part of the most."""
        return (1 + self.bound) * self.square + _TINY


def samples(*given: Features) -> list[Sample]:
    """Both samples around the middle of the first: small numbers keep more digits of their differences."""
    rows = [kernels.ready(x, np.float32 if x.dtype == np.float32 else np.float64) for x in given]
    middle = rows[0].mean(axis=0, dtype=np.float64)
    square = [_lengths(x, middle) for x in rows]
    longest = max(float(s.max()) for s in square)
    shift = -int(np.ceil(np.log2(longest) / 2)) if longest > 0 else 0  # the longest row has a length of at most 1
    return [
        Sample(x, _short(x, middle, 2.0**shift), np.ldexp(s, 2 * shift), 4.0**shift)
        for x, s in zip(rows, square, strict=True)
    ]


def _lengths(rows: Any, middle: Floats) -> Floats:
    out = np.empty(len(rows))

    def some(start: int, stop: int) -> None:
        part = rows[start:stop] - middle
        np.einsum("ij,ij->i", part, part, out=out[start:stop])

    kernels.over_chunks(len(rows), some, least=WIDE, most=len(rows))
    return out


def _short(rows: Any, middle: Floats, factor: float) -> Any:
    out = np.empty(rows.shape, dtype=np.float32)

    def some(start: int, stop: int) -> None:
        np.multiply(rows[start:stop] - middle, factor, out=out[start:stop], casting="same_kind")

    kernels.over_chunks(len(rows), some, least=WIDE, most=len(rows))
    return out


@exact
def _distance(a: Any, b: Any, scale: float) -> float:
    """Sum of squared differences in eight lanes, so that it is the same wherever it is compiled."""
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = len(a) - len(a) % 8
    for j in range(0, whole, 8):
        d0, d1 = float(a[j]) - float(b[j]), float(a[j + 1]) - float(b[j + 1])
        d2, d3 = float(a[j + 2]) - float(b[j + 2]), float(a[j + 3]) - float(b[j + 3])
        d4, d5 = float(a[j + 4]) - float(b[j + 4]), float(a[j + 5]) - float(b[j + 5])
        d6, d7 = float(a[j + 6]) - float(b[j + 6]), float(a[j + 7]) - float(b[j + 7])
        s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
        s4, s5, s6, s7 = s4 + d4 * d4, s5 + d5 * d5, s6 + d6 * d6, s7 + d7 * d7
    for j in range(whole, len(a)):
        rest = float(a[j]) - float(b[j])
        s0 += rest * rest
    return (((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))) * scale


@exact
def _keep(nearest: Any, distance: float) -> None:
    """Put a distance among the least ones, which are in order."""
    at = len(nearest) - 1
    while at > 0 and nearest[at - 1] > distance:
        nearest[at] = nearest[at - 1]
        at -= 1
    nearest[at] = distance


@exact
def _close(line: Any, less: Any, limit: float, start: int, stop: int) -> int:
    """How many columns may be close: twice their product, less a number of the column, reaches the limit."""
    found = 0
    for j in range(start, stop):
        found += 2.0 * float(line[j]) - less[j] >= limit
    return found


@exact("f4[:, ::1], i8, i8, i8, T[:, ::1], f8[::1], f8, f8[:, ::1]", T="f4 f8")
def _along_rows(block: Any, first: int, start: int, stop: int, rows: Any, low: Any, scale: float, nearest: Any) -> None:
    """Neighbours of rows ``first + i`` among the columns from start to stop of their products."""
    for i in range(len(block)):
        me, line = first + i, block[i]
        mine = nearest[me]
        for c in range(start, stop, WIDE):
            end = min(c + WIDE, stop)
            if _close(line, low, low[me] - mine[-1], c, end):
                for j in range(c, end):
                    if j != me and 2.0 * float(line[j]) - low[j] >= low[me] - mine[-1]:
                        distance = _distance(rows[me], rows[j], scale)
                        if distance < mine[-1]:
                            _keep(mine, distance)


@exact("f4[:, ::1], i8, i8, i8, T[:, ::1], f8[::1], f8, f8[:, ::1], f8[::1]", T="f4 f8")
def _along_columns(
    block: Any, first: int, start: int, stop: int, rows: Any, low: Any, scale: float, nearest: Any, less: Any
) -> None:
    """Neighbours of the columns among rows ``first + i``."""
    for j in range(start, stop):
        less[j] = low[j] - nearest[j, -1]
    for i in range(len(block)):
        other, line = first + i, block[i]
        for c in range(start, stop, WIDE):
            end = min(c + WIDE, stop)
            if _close(line, less, low[other], c, end):
                for j in range(c, end):
                    if 2.0 * float(line[j]) - less[j] >= low[other]:
                        distance = _distance(rows[j], rows[other], scale)
                        if distance < nearest[j, -1]:
                            _keep(nearest[j], distance)
                            less[j] = low[j] - nearest[j, -1]


def radii(sample: Sample, k: int) -> Floats:
    """Squared distance of each row, scaled, to its k-th nearest other row; infinite if there are fewer."""
    rows, short, low, scale = sample.rows, sample.short, sample.low(), sample.scale
    n = len(rows)
    nearest, less = np.full((n, k), np.inf), np.empty(n)
    height = max(1, min(STRIP, NUMBERS // n))
    held = np.empty(height * n, dtype=np.float32)
    for first in range(0, n, height):
        last = min(first + height, n)
        block = held[: (last - first) * last].reshape(last - first, last)

        def columns(start: int, stop: int, first: int = first, last: int = last, block: Any = block) -> None:
            np.matmul(short[first:last], short[start:stop].T, out=block[:, start:stop])
            _along_columns(block, first, start, min(stop, first), rows, low, scale, nearest, less)

        def lines(start: int, stop: int, first: int = first, last: int = last, block: Any = block) -> None:
            own = block[start:stop]
            _along_rows(
                own, first + start, first, last, rows, low, scale, nearest
            )  # neighbours often stand side by side
            _along_rows(own, first + start, 0, first, rows, low, scale, nearest)

        kernels.over_chunks(last, columns, least=128, most=-(-last // WIDE))
        kernels.over_chunks(last - first, lines, least=32, most=8)
    return nearest[:, -1].copy()


@exact(
    "f4[:, ::1], T[:, ::1], T[:, ::1], f8, f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], i8[::1], u1[::1], u1[::1]",
    T="f4 f8",
)
def _between(
    block: Any, x: Any, y: Any, scale: float, x_low: Any, x_high: Any, y_low: Any, y_high: Any, around_x: Any, around_y: Any,
    less: Any, balls: Any, met: Any, caught: Any,
) -> None:  # fmt: skip
    """Whether rows of one sample lie in balls of the other; only where the products leave it open is the distance measured."""
    for i in range(len(block)):
        line, radius = block[i], around_x[i]
        for c in range(0, len(y), WIDE):
            end = min(c + WIDE, len(y))
            if not (_close(line, y_low, x_low[i] - radius, c, end) or _close(line, less, x_low[i], c, end)):
                continue
            for j in range(c, end):
                twice = 2.0 * float(line[j])
                least, most = x_low[i] + y_low[j] - twice, x_high[i] + y_high[j] - twice
                if least <= radius or (least <= around_y[j] and not caught[i]):
                    if (least <= radius < most) or (least <= around_y[j] < most and not caught[i]):
                        least = _distance(x[i], y[j], scale)
                    if least <= radius:
                        balls[j] += 1
                        met[i] = 1
                    if least <= around_y[j]:
                        caught[i] = 1


def balls(x: Sample, y: Sample, around_x: Floats, around_y: Floats) -> tuple[Counts, Marks, Marks]:
    """How many balls of x hold each row of y; which balls of x hold any; which rows of x lie in a ball of y."""
    held, met, caught = np.zeros(len(y.rows), dtype=np.int64), *np.zeros((2, len(x.rows)), dtype=np.uint8)
    x_low, x_high, y_low, y_high, lock = x.low(), x.high(), y.low(), y.high(), threading.Lock()
    less = y_low - around_y
    wide = NUMBERS // STRIP

    def some(start: int, stop: int) -> None:
        mine = np.zeros(len(held), dtype=np.int64)
        a = slice(start, stop)
        for first in range(0, len(held), wide):
            b = slice(first, first + wide)
            block = x.short[a] @ y.short[b].T
            _between(
                block, x.rows[a], y.rows[b], x.scale, x_low[a], x_high[a], y_low[b], y_high[b], around_x[a], around_y[b],
                less[b], mine[b], met[a], caught[a],
            )  # fmt: skip
        with lock:
            held[:] += mine

    kernels.over_chunks(len(x.rows), some, least=64, most=-(-len(x.rows) // STRIP))
    return held, met, caught


def neighbourhoods(x: Features, y: Features, k: int) -> tuple[Counts, Marks, Marks]:
    """The balls to the k-th neighbour of both samples, and what they hold: see `balls`."""
    with products.one_thread():
        real, fake = samples(x, y)
        return balls(real, fake, radii(real, k), radii(fake, k))
