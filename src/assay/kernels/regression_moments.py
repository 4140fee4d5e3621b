"""Second and third moments of rows around their mean in one pass over (target, prediction, weight): what states store for intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import kernel
from assay.kernels.regression import BLOCK, add_loss, subtract


@kernel
def _second(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def _third(a: Any, b: Any, c: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i] * c[i]
    return total


@kernel
def _add_products(columns: Any, size: int, square: Any, cube: Any) -> None:
    """Sums of products of two columns and, if ``cube`` is not empty, of three; above the diagonal only."""
    for a in range(len(columns)):
        for b in range(a, len(columns)):
            square[a, b] += _second(columns[a, :size], columns[b, :size])
            for c in range(b, len(cube)):
                cube[a, b, c] += _third(columns[a, :size], columns[b, :size], columns[c, :size])


@kernel
def _weigh(columns: Any, w: Any) -> None:
    for a in range(len(columns)):
        for i in range(len(w)):
            columns[a, i] *= w[i]


@kernel("f8[::1], f8[::1], f8[::1], i8[::1], f8[::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1]")
def _of_losses(
    y: Any, p: Any, w: Any, codes: Any, parameters: Any, centre: Any, columns: Any, square: Any, cube: Any
) -> None:
    error = np.empty(BLOCK)
    for start in range(0, len(y), BLOCK):
        stop = min(start + BLOCK, len(y))
        size = stop - start
        by, bp, be = y[start:stop], p[start:stop], error[:size]
        subtract(bp, by, be)
        columns[0, :size] = 1.0
        for c in range(len(codes)):
            columns[c + 1, :size] = -centre[c]
            add_loss(codes[c], parameters[c], 1.0, by, bp, be, columns[c + 1, :size])
        if len(w):
            _weigh(columns, w[start:stop])
        _add_products(columns, size, square, cube)


@kernel("f8[::1], f8[::1], f8[::1], i8[::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1]")
def _of_squares(y: Any, p: Any, w: Any, which: Any, centre: Any, columns: Any, square: Any, cube: Any) -> None:
    """Of 1, u, v, u², uv, v², where u and v are two of target, prediction and error around their means."""
    for start in range(0, len(y), BLOCK):
        stop = min(start + BLOCK, len(y))
        size = stop - start
        for c in range(2):
            for i in range(size):
                a, b = y[start + i], p[start + i]
                columns[c + 1, i] = (a if which[c] == 0 else b if which[c] == 1 else b - a) - centre[c]
        for i in range(size):
            u, v = columns[1, i], columns[2, i]
            columns[0, i], columns[3, i], columns[4, i], columns[5, i] = 1.0, u * u, u * v, v * v
        if len(w):
            _weigh(columns, w[start:stop])
        _add_products(columns, size, square, cube)


def of_losses(y: Any, p: Any, w: Any, codes: Any, parameters: Any, centre: Any, *, cubes: bool) -> tuple[Any, Any]:
    """Moments of (1, losses around ``centre``); ``w`` may be empty."""
    return _summed(_of_losses, y, p, w, (codes, parameters, centre), 1 + len(codes), cubes)


def of_squares(y: Any, p: Any, w: Any, which: Any, centre: Any) -> Any:
    """Second moments of (1, u, v, u², uv, v²); ``which`` names the columns u and v: 0 target, 1 prediction, 2 error."""
    return _summed(_of_squares, y, p, w, (which, centre), 6, False)[0]


def _summed(body: Any, y: Any, p: Any, w: Any, how: tuple[Any, ...], width: int, cubes: bool) -> tuple[Any, Any]:
    def work(start: int, stop: int) -> tuple[Any, Any]:
        first, second = (kernels.ready(column[start:stop], np.float64) for column in (y, p))
        square, cube = np.zeros((width, width)), np.zeros((width if cubes else 0,) * 3)
        body(first, second, w[start:stop], *how, np.empty((width, BLOCK)), square, cube)
        return square, cube

    parts = kernels.over_chunks(len(y), work)
    square, cube = sum(part[0] for part in parts), sum(part[1] for part in parts)
    return _full(square), _full(cube) if cubes else None


def _full(upper: Any) -> Any:
    """The symmetric array, given the entries whose indices are in increasing order."""
    places: Any = np.sort(np.array(list(np.ndindex(upper.shape))).T, axis=0)
    return upper[tuple(places)].reshape(upper.shape)
