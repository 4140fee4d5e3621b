"""Products of large matrices on the threads of this library, while BLAS itself runs on one.

The threads of OpenBLAS wait for each other without sleeping, at every one of thousands of short calls of an eigenvalue solver. Beside a
busy process each such wait lasts a time slice: eigenvalues of 2048 columns took 37 s instead of 0.4 s. Here tiles of the result are taken
on demand, and a thread that the machine keeps waiting takes fewer of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.ops import quiet

LARGE = 1e8  # multiplications; below this, one thread is done before others wake up
TILE = 256  # columns of a tile at most: many of them, so that no thread waits long for another
BLOCK = 1024  # rows that are centred and multiplied at once: they stay in the last cache
FEW = 256  # rows that a thread takes at once to add or centre them

Features = NDArray[np.float32] | NDArray[np.float64]
_lock = threading.Lock()
_inside: list[Any] = []  # what sets the threads of BLAS back; one entry per caller


@contextmanager
def one_thread() -> Generator[None, None, None]:
    """BLAS and LAPACK run on the thread that calls them; afterwards on as many as before."""
    with _lock:
        _inside.append(_limited() if not _inside else _inside[0])
    try:
        yield
    finally:
        with _lock:
            limits = _inside.pop()
            if not _inside:
                limits.restore_original_limits()


def _limited() -> Any:
    import scipy.linalg.blas  # pyright: ignore  # noqa: F401 # the library must be loaded before it is told
    from threadpoolctl import ThreadpoolController  # pyright: ignore

    return cast(Any, ThreadpoolController()).limit(limits=1, user_api="blas")


def over_tiles(columns: int, work: Callable[[int, int], None]) -> None:
    """Call ``work(start, stop)`` for tiles of the columns, taken on demand; the last first, which have the most to do in a triangle."""
    size = max(64, min(TILE, columns // 8))
    edges = [*range(0, columns, size), columns]
    order = list(reversed(range(len(edges) - 1)))

    def some(start: int, stop: int) -> None:
        with quiet():  # what overflows is found by the caller
            for at in order[start:stop]:
                work(edges[at], edges[at + 1])

    kernels.over_chunks(len(order), some, least=1, most=len(order))


def column_sums(rows: Features, weight: Floats | None) -> Floats:
    """Weighted sum of each column in double precision."""

    def some(start: int, stop: int) -> Floats:
        part = rows[start:stop]
        with quiet():
            return (
                part.sum(axis=0, dtype=np.float64)
                if weight is None
                else weight[start:stop] @ part.astype(np.float64, copy=False)
            )

    pieces = max(
        1, len(rows) // FEW
    )  # the same on any number of threads, so that the sum is the same to the last digit
    return np.sum(kernels.over_chunks(len(rows), some, least=1, most=pieces), axis=0)


def add_products(rows: Features, weight: Floats | None, mean: Floats, out: Floats) -> None:
    """Add the products of all pairs of columns around their means to ``out``, which is symmetric."""
    n, d = rows.shape
    held = np.empty((min(n, BLOCK), d))
    for first in range(0, n, BLOCK):
        block = held[: min(BLOCK, n - first)]

        def centre(start: int, stop: int, first: int = first, block: Floats = block) -> None:
            with quiet():
                np.subtract(rows[first + start : first + stop], mean, out=block[start:stop])
                if weight is not None:
                    block[start:stop] *= np.sqrt(weight[first + start : first + stop, None])

        def multiply(start: int, stop: int, block: Floats = block) -> None:
            left = block[:, start:stop].T
            out[start:stop, start:stop] += left @ left.T  # of a matrix with itself BLAS works out half
            out[start:stop, :start] += left @ block[:, :start]

        kernels.over_chunks(len(block), centre, least=FEW // 4)
        over_tiles(d, multiply)
    over_tiles(d, lambda start, stop: _mirror(out, start, stop))


def _mirror(square: Floats, start: int, stop: int) -> None:
    square[:start, start:stop] = square[start:stop, :start].T


def between(lower: Floats, middle: Floats) -> Floats:
    """The lower half of ``lower' middle lower`` of a lower triangle and a symmetric matrix; what lies above it is not defined."""
    d = len(lower)
    right, out = np.empty((d, d)), np.empty((d, d))

    def multiply(start: int, stop: int) -> None:
        np.matmul(middle[:, start:], lower[start:, start:stop], out=right[:, start:stop])

    def finish(start: int, stop: int) -> None:
        np.matmul(lower[start:, start:stop].T, right[start:, :stop], out=out[start:stop, :stop])

    over_tiles(d, multiply)
    over_tiles(d, finish)
    return out
