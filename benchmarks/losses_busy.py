"""Losses of 1e7 elements while two other processes hold the cores, as data loaders do in training: forward and backward, float32.

The quiet numbers of the same losses are those of `benchmarks.losses_elements`. Medians, not the best of several turns: the best
turn is the one in which the neighbours happened to wait.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.harness import Row, Workload, clock
from benchmarks.losses_elements import formulas, primitives

NEIGHBOURS = 2
TURNS = 7
NAMES = ("mse", "huber", "binary cross entropy", "poisson", "log-cosh")


@contextmanager
def neighbours(count: int = NEIGHBOURS) -> Iterator[None]:
    """Processes that do nothing but keep a core busy each."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def workloads() -> Iterator[Workload]:
    """None that is measured by its best turn."""
    yield from ()


def rows() -> Iterator[Row]:
    """Medians of assay and PyTorch in turn, beside the neighbours."""
    import torch

    torch.manual_seed(0)
    every = [w for found in (primitives(torch), formulas(torch)) for w in found]
    chosen = {w.name: w for w in reversed(every) if w.name.split(" loss")[0] in NAMES}
    with neighbours():
        for workload in reversed(chosen.values()):
            (peer, (call, _)), *_ = workload.peers.items()
            workload.assay()
            call()
            turns = [(clock(workload.assay), clock(call)) for _ in range(TURNS)]
            ours, theirs = (statistics.median(times) for times in zip(*turns, strict=True))
            yield Row(f"{workload.name}, busy", peer, theirs / ours, 1.0, (ours, theirs))
