"""Draws of units with replacement, the same for every metric and model, and the values they give.

Draw k of replicate b is a function of (seed, b, k) alone, so that batches, threads and the compiled twin
(`assay.kernels.bootstrap`) cannot change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.metrics.classification.scores import ScoreMetric, ranked

Progress = Callable[[int], None]
Words: TypeAlias = NDArray[np.uint64]
Codes: TypeAlias = NDArray[np.int64]
BATCH = 64 << 20  # bytes of weights held at a time
_BLOCK = 1 << 17  # numbers that stay in cache
_STEP = np.uint64(0x9E3779B97F4A7C15)
_DRAWING, _TOSSING = 0, 1  # streams of one seed


def mix(x: Words) -> Words:
    """SplitMix64's output function (Steele, Lea and Flood 2014) on an array, which it overwrites."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    x ^= x >> np.uint64(31)
    return x


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap replicates of ``units`` units: each draws as many with replacement, within strata if there are ``strata``.

    ``strata`` holds an integer code per unit.
    """

    units: int
    replicates: int = 2000
    seed: int = 0
    strata: Any = None

    @property
    def repaid(self) -> bool:
        """Whether all draws together are worth the compiled route."""
        return kernels.repaid(self.units * self.replicates)

    @cached_property
    def _layout(self) -> tuple[Any, Any]:
        """Where each stratum begins in the list of units by stratum, and that list; empty for a single stratum."""
        if self.strata is None:
            return np.array([0, self.units]), np.empty(0, dtype=np.int64)
        _, sizes = np.unique(self.strata, return_counts=True)
        return np.concatenate([[0], np.cumsum(sizes)]), np.argsort(self.strata, kind="stable")

    def _keys(self, start: int, stop: int, stream: int) -> Any:
        """A 64-bit key per replicate, from which its own stream of numbers counts up."""
        seed = np.array([self.seed % 2**64, stream], dtype=np.uint64)
        first = mix(mix(seed[:1] + _STEP) ^ seed[1:])
        return mix(first + np.arange(start + 1, stop + 1, dtype=np.uint64) * _STEP)

    def stream(self, start: int, stop: int) -> Any:
        """What the kernels need to draw these replicates."""
        return kernels.bootstrap.Stream(self._keys(start, stop, _DRAWING), *self._layout)

    def batches(self, width: int | None = None) -> Iterator[tuple[int, int]]:
        """(start, stop) of pieces of the replicates; ``width`` floats are held for each, one per unit by default."""
        step = max(1, BATCH // (8 * max(1, self.units if width is None else width)))
        for start in range(0, self.replicates, step):
            yield start, min(start + step, self.replicates)

    def weights(self, start: int, stop: int) -> NDArray[np.uint16]:
        """How often each unit is drawn in these replicates (replicates, units), as uint16."""
        if self.repaid:
            return kernels.bootstrap.draw(self.stream(start, stop), self.units)
        out = np.empty((stop - start, self.units), dtype=np.uint16)
        step = max(1, _BLOCK // self.units)
        for a in range(start, stop, step):
            b = min(a + step, stop)
            out[a - start : b - start] = self._drawn(self._keys(a, b, _DRAWING))
        return out

    def _drawn(self, keys: Any) -> Any:
        """The plain twin of the kernel."""
        edges, members = self._layout
        sizes = np.diff(edges)
        words = mix(keys[:, None] + np.arange(1, self.units + 1, dtype=np.uint64) * _STEP) >> np.uint64(32)
        words *= np.repeat(sizes, sizes).astype(np.uint64)
        at = (words >> np.uint64(32)).astype(np.int64) + np.repeat(edges[:-1], sizes)
        at = members[at] if len(members) else at
        at += np.arange(len(keys))[:, None] * self.units
        return np.bincount(at.reshape(-1), minlength=at.size).reshape(at.shape)

    def signs(self, start: int, stop: int) -> NDArray[np.bool_]:
        """A fair coin per unit in these replicates (replicates, units), from numbers that no draw uses."""
        words = -(-self.units // 64)
        keys = self._keys(start, stop, _TOSSING)
        bits = mix(keys[:, None] + np.arange(1, words + 1, dtype=np.uint64) * _STEP).astype("<u8").view(np.uint8)
        return np.unpackbits(bits, axis=1, count=self.units, bitorder="little").view(np.bool_)

    def cells(self, counts: NDArray[np.int64 | np.float64]) -> NDArray[np.int64]:
        """Replicates of a table of counts (replicates, cells), at a cost that does not depend on how much was counted."""
        total = int(counts.sum())
        generator = np.random.Generator(np.random.Philox(self.seed % 2**64))
        return generator.multinomial(total, counts / max(total, 1), size=self.replicates)


def replicate_sums(rows: Floats, draws: Draws, progress: Progress | None = None) -> Floats:
    """The sums of ``rows`` (units, width) in every replicate (replicates, width)."""
    return joint_sums([rows], draws, progress)[0]


def joint_sums(tables: list[Floats], draws: Draws, progress: Progress | None = None) -> list[Floats]:
    """The sums of several tables of rows under the same draws, which are made once."""
    parts: list[list[Floats]] = []
    for start, stop in draws.batches(len(tables[0]) // 4):  # weights stay as narrow as they are drawn
        parts.append(weighted_sums(draws.weights(start, stop), tables))
        tell(progress, stop - start)
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def weighted_sums(weights: NDArray[np.uint16] | NDArray[np.bool_], tables: list[Floats]) -> list[Floats]:
    """``weights @ rows`` for each table, in pieces of the units that stay in cache as floats, on our own threads."""
    found = [np.zeros((len(weights), rows.shape[1])) for rows in tables]
    units = weights.shape[1]

    def some(start: int, stop: int) -> None:
        step = max(1, _BLOCK // (stop - start))
        for a in range(0, units, step):
            piece = weights[start:stop, a : a + step].astype(np.float64)
            for out, rows in zip(found, tables, strict=True):
                out[start:stop] += piece @ rows[a : a + step]

    large = weights.size * max(rows.shape[1] for rows in tables) >= kernels.products.LARGE
    with kernels.products.one_thread() if large else nullcontext():
        pieces = max(1, len(weights) // 64) if large else 1  # the same on any number of threads, and so is every digit
        kernels.over_chunks(len(weights), some, least=1, most=pieces)
    return found


def replicate_rows(
    metric: Metric[Any], total: Rows, draws: Draws, codes: Codes | None = None, progress: Progress | None = None
) -> Floats:
    """The value of kept rows in every replicate; ``codes`` says which unit each row belongs to, where units are groups."""
    fused = isinstance(metric, ScoreMetric) and metric.curve is not None and total["score"].ndim == 1 and draws.repaid
    values = (_drawn_areas if fused else _reweighed)(metric, total, draws, codes)
    width = max(column.size for column in total.columns.values())
    parts: list[Floats] = []
    for start, stop in draws.batches(width):
        parts.append(values(start, stop))
        tell(progress, stop - start)
    return np.concatenate(parts)


def _drawn_areas(metric: Any, total: Rows, draws: Draws, codes: Any) -> Callable[[int, int], Floats]:
    """Areas straight from the draws: no weights are kept."""
    metric.refuse_average(total)
    order, hit, end = ranked(total)
    base = np.empty(0) if total.weight is None else total.weight[order]
    rows = kernels.bootstrap.Ranked(order if codes is None else codes[order], hit, end, base)

    def values(start: int, stop: int) -> Floats:
        stream, roc = draws.stream(start, stop), metric.curve == "roc"
        return metric.settle(kernels.bootstrap.drawn_areas(stream, rows, draws.units, roc=roc))

    return values


def _reweighed(metric: Any, total: Rows, draws: Draws, codes: Any) -> Callable[[int, int], Floats]:
    """The metric's own way through given weights."""

    def values(start: int, stop: int) -> Floats:
        weights = draws.weights(start, stop)
        weights = weights if codes is None else weights[:, codes]
        if total.weight is not None:
            return metric.reweighed(total, weights * total.weight)
        narrow = isinstance(metric, ScoreMetric) and metric.curve is None  # makes floats of them row by row
        return metric.reweighed(total, weights if narrow else weights.astype(np.float64))

    return values


def tell(progress: Progress | None, done: int) -> None:
    """Report how many replicates were done."""
    if progress is not None:
        progress(done)
