"""A situation with a known truth, and what is measured in it: how often the interval holds the truth, and how wide it is."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.coverage.lines import Row

SEED = 20_260_101
CLOSED, RESAMPLED = 10_000, 2_000  # replicates of a setting
BATCH = 250

Band = tuple[float, float]
Draw = Callable[[np.random.Generator, int], tuple[Any, ...]]


class Task(Protocol):
    """What the runner measures."""

    @property
    def label(self) -> str:
        """A name that no other task has."""
        ...

    def rows(self, most: int) -> list[Any]:
        """The measured lines, from at most this many replicates."""
        ...


def generator(label: str) -> np.random.Generator:
    """The random numbers of a setting: its own, whatever else runs."""
    return np.random.default_rng([SEED, zlib.crc32(label.encode())])


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Data from a known law, an interval of them, and the truth it should hold."""

    family: str
    name: str
    n: int
    truth: float
    draw: Draw
    interval: Callable[..., Any]
    band: Band = (0.94, 0.96)
    replicates: int = CLOSED
    judged: bool = True
    sized: bool = True
    discrete: bool = False  # few different data sets occur, so an interval serves all replicates that are equal

    @property
    def label(self) -> str:
        return f"{self.family}/{self.name}/{self.n}"

    def rows(self, most: int) -> list[Row]:
        replicates = min(self.replicates, most)
        seen = np.array([limits for limits in self._limits(replicates) if limits is not None])
        value, low, high, flagged, beside = seen.T
        covered = (low <= self.truth) & (self.truth <= high)
        coverage, trusted = float(covered.mean()), covered[flagged == 0]
        oracle = 2 * 1.959964 * float(value.std(ddof=1))
        return [
            Row(
                self.family, self.name, self.n, replicates, coverage, math.sqrt(coverage * (1 - coverage) / len(seen)),
                float((high - low).mean()) / oracle, *self.band, float(flagged.mean()), self.judged, self.sized,
                None if np.isnan(beside).all() else float(beside.mean()),
                unflagged=float(trusted.mean()) if len(trusted) else None,
            )
        ]  # fmt: skip

    def _limits(self, replicates: int) -> list[tuple[float, ...] | None]:
        """(value, low, high, flagged, width beside the labels alone) of every replicate; None where the value does not exist."""
        rng = generator(self.label)
        known: dict[bytes, tuple[float, ...] | None] = {}
        found: list[tuple[float, ...] | None] = []
        for start in range(0, replicates, BATCH):
            columns = self.draw(rng, min(BATCH, replicates - start))
            for data in zip(*columns, strict=True):
                key = data[0].tobytes() if self.discrete else b""
                if not self.discrete or key not in known:
                    known[key] = _read(self.interval(*data))
                found.append(known[key])
        return found


def _read(score: Any) -> tuple[float, ...] | None:
    if score.low is None:
        return None
    return float(score), score.low, score.high, float(not score.reliable), getattr(score, "width_ratio", math.nan)
