"""Measure workloads: assay and its peers in turn, best of several rounds, and the ratio peer / assay."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

SLOW = 10.0  # seconds


@dataclass
class Workload:
    """One task; ``peers`` maps a name to (call, ratio that must be reached or None).

    A peer that would take minutes does only the ``portion`` of the work that stands under its name; its time is scaled up.
    """

    name: str
    assay: Callable[[], Any]
    peers: dict[str, tuple[Callable[[], Any], float | None]]
    rounds: int = 5
    portion: dict[str, float] = field(default_factory=dict[str, float])


@dataclass
class Row:
    """One measured pair."""

    workload: str
    peer: str
    ratio: float
    wanted: float | None
    seconds: tuple[float, float] = field(default=(0.0, 0.0))

    @property
    def verdict(self) -> str:
        """Whether the wanted ratio was reached."""
        if self.wanted is None:
            return ""
        return "ok" if self.ratio >= self.wanted else "MISSED"


def clock(call: Callable[[], Any]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(workload: Workload) -> Iterable[Row]:
    """Warm up once, then take turns, so that a busy moment of the machine hits both sides.

    The first call compiles, imports and fills caches, and is never counted. A call that takes longer than `SLOW` after that is
    measured once, not in every round.
    """
    calls = {"assay": workload.assay, **{name: call for name, (call, _) in workload.peers.items()}}
    best: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls.values():
            call()
        for turn in range(workload.rounds):
            for name, call in calls.items():
                if turn == 0 or best[name] < SLOW:
                    best[name] = min(best.get(name, float("inf")), clock(call))
    for name, (_, wanted) in workload.peers.items():
        theirs = best[name] / workload.portion.get(name, 1.0)
        yield Row(workload.name, name, theirs / best["assay"], wanted, (best["assay"], theirs))
