"""Blocks of tensors on the threads of the kernels, each block on one of them.

PyTorch divides every operation among its own threads and waits for the slowest of them. A loss of ten operations on fifty blocks
waits five hundred times, each time for a core that a data loader may hold. Here a thread takes a block, runs all operations on it
alone, and takes the next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import torch as _torch

from assay.core.parallel import threads
from assay.kernels import thread_pool

torch = cast(Any, _torch)  # its own annotations are partial
T = TypeVar("T")
_here = threading.local()
_one_at_a_time = threading.Lock()


def each(work: Callable[[slice], T], blocks: Sequence[slice]) -> list[T]:
    """``work(block)`` of every block, without gradients, on as many threads as PyTorch has; results in order."""
    workers = threads()
    if min(workers, len(blocks)) < 2 or thread_pool.inside() or not torch.backends.openmp.is_available():
        return [work(block) for block in blocks]

    def piece(start: int, _: int) -> T:
        _alone()
        with torch.no_grad():
            return work(blocks[start])

    return thread_pool.each(workers, piece, [(i, i + 1) for i in range(len(blocks))], caller=False)


def _alone() -> None:
    """Have PyTorch run the operations of this thread on this thread.

    The number of OpenMP is one per thread, but PyTorch also keeps the last one given for threads to come: another thread puts it back.
    """
    if getattr(_here, "alone", False):
        return
    with _one_at_a_time:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        other = threading.Thread(target=torch.set_num_threads, args=(before,))
        other.start()
        other.join()
    _here.alone = True
