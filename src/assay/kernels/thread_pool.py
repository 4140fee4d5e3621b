"""The threads that kernels run on, started once: starting them takes longer than a kernel of a millisecond.

Pieces of work are taken on demand. A thread that the machine keeps waiting, because data loaders hold its core, takes fewer of them;
with a fixed part for each thread, all would wait for it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Generic, TypeVar, cast

T = TypeVar("T")
_here = threading.local()
_pools: dict[int, ThreadPoolExecutor] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a forked process has the pool, but none of its threads


def inside() -> bool:
    """Whether this thread is at work on a piece; if so, the others have theirs, and it must not divide its own again."""
    return getattr(_here, "inside", False)


class _Pieces(Generic[T]):
    """Pieces that are taken one after the other, and what became of them."""

    def __init__(self, work: Callable[[int, int], T], pieces: list[tuple[int, int]]) -> None:
        self.work, self.pieces = work, pieces
        self.found: list[T | None] = [None] * len(pieces)
        self.errors: dict[int, BaseException] = {}
        self.lock, self.next = threading.Lock(), 0

    def take(self) -> None:
        """Work on pieces until none is left; after an error no more are begun."""
        with _at_work():
            while (at := self._turn()) < len(self.pieces):
                try:
                    self.found[at] = self.work(*self.pieces[at])
                except BaseException as error:
                    self.errors[at] = error
                    self.stop()

    def stop(self) -> None:
        """Begin no more pieces."""
        with self.lock:
            self.next = len(self.pieces)

    def _turn(self) -> int:
        with self.lock:
            self.next += 1
            return self.next - 1


@contextmanager
def _at_work() -> Generator[None, None, None]:
    before = inside()
    _here.inside = True
    try:
        yield
    finally:
        _here.inside = before


def each(workers: int, work: Callable[[int, int], T], pieces: list[tuple[int, int]], *, caller: bool = True) -> list[T]:
    """Call ``work(start, stop)`` for every piece; results in order. If a call fails, no further piece is begun.

    The calling thread is one of the ``workers``, so that it need not wait for others to wake up; with ``caller=False`` it only waits.
    """
    pool = _pools.get(workers) or _pools.setdefault(workers, ThreadPoolExecutor(workers, "assay"))
    shared = _Pieces(work, pieces)
    helpers = [pool.submit(shared.take) for _ in range(min(workers, len(pieces)) - caller)]
    try:
        if caller:
            shared.take()
        for helper in helpers:  # one that has not begun by now is not needed any more
            if not (caller and helper.cancel()):
                helper.result()
    finally:
        shared.stop()
    if shared.errors:
        raise shared.errors[min(shared.errors)]
    return cast("list[T]", shared.found)
