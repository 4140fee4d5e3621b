"""The threads that kernels run on, started once: starting them takes longer than a kernel of a millisecond."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_here = threading.local()
_pools: dict[int, ThreadPoolExecutor] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a forked process has the pool, but none of its threads


def inside() -> bool:
    """Whether this thread belongs to the pool; if so, it must not wait for the others."""
    return getattr(_here, "inside", False)


def each(workers: int, work: Callable[[int, int], T], pieces: list[tuple[int, int]]) -> list[T]:
    """Call ``work(start, stop)`` for every piece; results in order. If a call fails, those that have not begun are dropped."""
    pool = _pools.get(workers) or _pools.setdefault(workers, ThreadPoolExecutor(workers, "assay", _enter))
    waiting: list[Future[T]] = [pool.submit(work, *piece) for piece in pieces]
    try:
        return [future.result() for future in waiting]
    finally:
        for future in waiting:
            future.cancel()


def _enter() -> None:
    _here.inside = True
