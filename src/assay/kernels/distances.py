"""Squared distances of given pairs of rows and their derivatives, each in one pass over the vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import lanes


@lanes("T[:, ::1], T[:, ::1], T[:, ::1], T[::1], T[::1]", T="f4 f8")
def _squares(a: Any, b: Any, c: Any, near: Any, far: Any) -> None:
    for i in range(len(a)):
        x, y = near[i], far[i]  # zeros of the type of the vectors: sums are not widened
        for j in range(a.shape[1]):
            to_b, to_c = a[i, j] - b[i, j], a[i, j] - c[i, j]
            x += to_b * to_b
            y += to_c * to_c
        near[i], far[i] = x, y


@lanes("T[:, ::1], T[:, ::1], T[:, ::1], T[::1], T[::1], T[:, ::1], T[:, ::1], T[:, ::1]", T="f4 f8")
def _gradients(a: Any, b: Any, c: Any, near: Any, far: Any, to_a: Any, to_b: Any, to_c: Any) -> None:
    for i in range(len(a)):
        u, v = near[i] + near[i], far[i] + far[i]
        for j in range(a.shape[1]):
            x, y = u * (a[i, j] - b[i, j]), v * (a[i, j] - c[i, j])
            to_a[i, j], to_b[i, j], to_c[i, j] = x + y, -x, -y


@lanes
def _square(a: Any, b: Any, zero: Any) -> Any:
    total = zero  # of the type of the vectors: the sum is not widened
    for j in range(len(a)):
        gap = a[j] - b[j]
        total += gap * gap
    return total


@lanes("T[:, ::1], T[:, ::1], i8, i8", T="f4 f8")
def _all_squares(x: Any, out: Any, start: int, stop: int) -> None:
    for i in range(start, stop):
        for j in range(i):
            out[i, j] = _square(x[i], x[j], out[i, i])


def all_squared_distances(x: Any) -> Any:
    """``|a - b|²`` of all rows a and b of one matrix."""
    x = np.ascontiguousarray(x)
    n = len(x)
    out = np.zeros((n, n), dtype=x.dtype)

    def work(start: int, stop: int) -> None:
        """Early rows have few partners and late ones many, so a piece takes rows from both ends."""
        _all_squares(x, out, start, stop)
        _all_squares(x, out, n - stop, n - start)

    half = n // 2
    kernels.over_chunks(half, work, least=max(1, _least(x) // max(1, n)))
    _all_squares(x, out, half, n - half)
    return out + out.T


def squared_distances(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """``|a - b|²`` and ``|a - c|²`` of each row."""
    near, far = np.zeros((2, len(a)), dtype=a.dtype)

    def work(start: int, stop: int) -> None:
        _squares(*(x[start:stop] for x in (a, b, c, near, far)))

    kernels.over_chunks(len(a), work, least=_least(a))
    return near, far


def gradients(a: Any, b: Any, c: Any, near: Any, far: Any, out: tuple[Any, Any, Any]) -> None:
    """Fill ``out`` with the gradients with respect to a, b and c of the sum of ``near |a - b|² + far |a - c|²`` over the rows."""

    def work(start: int, stop: int) -> None:
        _gradients(*(x[start:stop] for x in (a, b, c, near, far, *out)))

    kernels.over_chunks(len(a), work, least=_least(a))


def _least(a: Any) -> int:
    """Rows of a piece that is worth a thread."""
    return max(1, (1 << 16) // max(1, a.shape[1]))
