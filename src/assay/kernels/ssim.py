"""Means of the structural similarity map of two planes: separable windows, row by row, without buffers of the size of the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels.jit import lanes

QUANTITIES = 4  # a, b, a² + b², ab: all that the map needs


@lanes
def _across(row: Any, taps: Any, out: Any) -> None:
    """A row filtered along itself; the window is symmetric, so two taps are one product."""
    k = len(taps)
    width = len(out)
    middle = k // 2
    for x in range(width):
        out[x] = taps[middle] * row[x + middle]
    for t in range(middle):
        g = taps[t]
        u = k - 1 - t
        for x in range(width):
            out[x] += g * (row[x + t] + row[x + u])


@lanes
def _down(ring: Any, newest: int, q: int, taps: Any, out: Any) -> None:
    """One row of a quantity filtered down the rows of the ring buffer, of which ``newest`` is the last."""
    k = len(taps)
    width = len(out)
    middle = k // 2
    row = ring[(newest + 1 + middle) % k, q]
    for x in range(width):
        out[x] = taps[middle] * row[x]
    for t in range(middle):
        g = taps[t]
        first, last = ring[(newest + 1 + t) % k, q], ring[(newest + k - t) % k, q]
        for x in range(width):
            out[x] += g * (first[x] + last[x])


@lanes
def _similar(rows: Any, c1: float, c2: float, norm: float) -> tuple[float, float]:
    """Sums of the map and of its contrast and structure part over one row of window means."""
    both, part = 0.0, 0.0
    a, b, square, product = rows[0], rows[1], rows[2], rows[3]
    for x in range(len(a)):
        ab = a[x] * b[x]
        squares = a[x] * a[x] + b[x] * b[x]
        structure = (2.0 * norm * (product[x] - ab) + c2) / (norm * (square[x] - squares) + c2)
        part += structure
        both += structure * (2.0 * ab + c1) / (squares + c1)
    return both, part


@lanes("f8[:, ::1], f8[:, ::1], f8[::1], f8, f8, f8")
def _planes(a: Any, b: Any, taps: Any, c1: float, c2: float, norm: float) -> tuple[float, float]:
    height, width = a.shape
    k = len(taps)
    inner = width - k + 1
    line = np.empty((QUANTITIES, width))
    ring = np.empty((k, QUANTITIES, inner))
    rows = np.empty((QUANTITIES, inner))
    both, part = 0.0, 0.0
    for y in range(height):
        p, q = a[y], b[y]
        for x in range(width):
            u, v = float(p[x]), float(q[x])
            line[0, x] = u
            line[1, x] = v
            line[2, x] = u * u + v * v
            line[3, x] = u * v
        slot = y % k
        for i in range(QUANTITIES):
            _across(line[i], taps, ring[slot, i])
        if y >= k - 1:
            for i in range(QUANTITIES):
                _down(ring, slot, i, taps, rows[i])
            s, t = _similar(rows, c1, c2, norm)
            both += s
            part += t
    count = float(inner * (height - k + 1))
    return both / count, part / count


@lanes("T[::1], T[::1]", T="u1 f4 f8")
def _squares(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        gap = float(a[i]) - float(b[i])
        total += gap * gap
    return total


def mean_square(a: Any, b: Any) -> float:
    """Mean squared difference of two images of one shape and type, in double precision without a copy."""
    return float(_squares(a.reshape(-1), b.reshape(-1))) / a.size


def similarity(a: Any, b: Any, taps: Any, c1: float, c2: float, norm: float) -> tuple[float, float]:
    """Mean of the map over all positions where the window fits, and of its contrast and structure part.

    ``a`` and ``b`` are planes of float64 of one shape, ``taps`` the window of odd length along one axis, ``norm`` the factor
    from the variance of a window to that of a sample.
    """
    return _planes(a, b, taps, c1, c2, norm)
