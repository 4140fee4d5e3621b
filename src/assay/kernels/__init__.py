"""Compiled loops (numba) for large data; small data use the array code of the other folders. See README.md.

numba takes long to import, so no kernel is imported before it is needed.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from assay.core.arrays import is_numpy
from assay.core.ingestion import unlocked
from assay.core.parallel import threads

T = TypeVar("T")
LARGE = 500_000  # numbers; below this, loading numba takes longer than plain arrays need
MANY = 20_000_000  # the same for numbers drawn by a bootstrap, which plain arrays draw quickly too


def __getattr__(name: str) -> Any:
    if importlib.util.find_spec(f"assay.kernels.{name}") is None:
        raise AttributeError(f"module 'assay.kernels' has no attribute {name!r}")
    return importlib.import_module(f"assay.kernels.{name}")


def ready(array: Any, dtype: Any = None) -> Any:
    """The array as kernels declare it: contiguous, aligned, and not marked as read-only; no copy if it is so already.

    numba takes every other layout for another type and compiles the kernel again for it. No kernel writes to its inputs.
    """
    array = unlocked(np.ascontiguousarray(array, dtype=dtype))
    return array if array.flags.aligned else array.copy()


def worthwhile(*arrays: Any) -> bool:
    """Whether the compiled route pays: NumPy arrays of more than ``LARGE`` numbers."""
    return all(is_numpy(a) for a in arrays) and max(a.size for a in arrays) >= LARGE


def repaid(draws: int) -> bool:
    """Whether the compiled route pays for this many draws of a bootstrap, or is loaded already."""
    return draws >= MANY or "assay.kernels.bootstrap" in sys.modules


def over_chunks(n: int, work: Callable[[int, int], T], *, least: int = 1 << 16, most: int | None = None) -> list[T]:
    """Call ``work(start, stop)`` for consecutive pieces of the rows, on as many threads as allowed; results in row order.

    Pieces have at least ``least`` rows, and there are no more than ``most`` of them: four per thread unless said, since many pieces hold
    a table of their own. Work without any takes small pieces, so that no thread waits long for another.
    """
    workers = threads()
    pieces = max(1, min(n // least, most or 4 * workers))
    edges: list[int] = np.linspace(0, n, pieces + 1).astype(np.int64).tolist()
    if pieces == 1 or workers == 1:
        return [work(a, b) for a, b in pairwise(edges)]
    from assay.kernels import thread_pool

    if thread_pool.inside():
        return [work(a, b) for a, b in pairwise(edges)]
    return thread_pool.each(workers, work, list(pairwise(edges)))
