"""Two models exchanged unit by unit: an exact test for differences that rest on few units.

A normal approximation needs many units that tell the models apart. Where there are few, or where a value lies on a bound of its range,
the test is by randomisation: if the models are alike, each unit might as well have given its two outputs the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.arrays import Floats, to_host
from assay.core.distributions import special
from assay.core.inputs import Inputs
from assay.core.monoids import Rows
from assay.core.ragged import Ragged
from assay.core.statistic import Linear
from assay.inference.sample import Sample

FEW = 20  # discordant units, counted by what they add to the difference, up to which all swaps are enumerated
_POINTS = 1 << 14  # values that either half of the swaps may take
_SLIGHT = 0.1  # of the largest gap: a row out of place moves all others by a rank, which reveals nothing about them
_SAME = 1e-12  # of the largest gap: what rounding leaves of equal rows, and of equal sums


@dataclass(frozen=True)
class DiscordantUnits:
    """What each discordant unit adds to the difference: swapping its outputs changes the sign and nothing else."""

    values: Floats
    swapped: str = ""  # what changes places, if not the outputs themselves

    @classmethod
    def of(cls, values: Floats, least: float = _SAME, swapped: str = "") -> DiscordantUnits:
        """Without the units that both models treat alike, or that change less than ``least`` of the largest change.

        How large a gap is does not depend on the swaps, so a test by the larger ones alone is exact as well.
        """
        size = np.abs(values)
        return cls(values[size > least * size.max(initial=0.0)], swapped)

    @property
    def count(self) -> int:
        """Number of discordant units."""
        return len(self.values)

    @property
    def effective(self) -> float:
        """How many units of equal size are as uneven (the squared sum of squares over the sum of fourth powers)."""
        return concentration(self.values)

    @property
    def spread(self) -> float:
        """The standard deviation of the difference over all swaps."""
        return math.sqrt(float(self.values @ self.values))

    @property
    def error(self) -> float:
        """The standard error of the difference with one more unit for each model, as Bonett and Price add one pair of each kind."""
        return self.spread * math.sqrt(1 + 2 / self.effective) if self.count else 0.0

    @cached_property
    def test(self) -> tuple[float, bool]:
        """The fraction of all swaps with a difference at least as large, and whether that is exact.

        Units of equal size are counted, not told apart. Swaps of the largest units are enumerated in two halves; if there are too
        many, those of the others add normal noise.
        """
        if not self.count:
            return 1.0, True
        scale = float(np.abs(self.values).max())
        sizes, counts = np.unique(np.round(np.abs(self.values) / scale, 12), return_counts=True)
        seen = abs(float(self.values.sum())) / scale - _SAME * self.count
        halves = (np.zeros(1), np.ones(1)), (np.zeros(1), np.ones(1))
        noise = 0.0
        for size, count in zip(sizes[::-1].tolist(), counts[::-1].tolist(), strict=True):
            at = 0 if len(halves[0][0]) <= len(halves[1][0]) else 1
            if noise or len(halves[at][0]) * (count + 1) > _POINTS:
                noise += count * size**2
                continue
            widened = _widened(*halves[at], size, count)
            halves = (widened, halves[1]) if at == 0 else (halves[0], widened)
        if noise:
            (points, share), (others, other_share) = halves
            spread = math.sqrt(noise + float(other_share @ others**2))
            return _smooth_tails(points, share, seen, spread), False
        return _tails(*halves, seen), True


def concentration(values: Floats) -> float:
    """The number of equal values that are as uneven as these; 0 where all are zero."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0:
        return 0.0
    square = (values / largest) ** 2
    return float(square.sum()) ** 2 / float(square @ square)


def _widened(points: Floats, share: Floats, size: float, count: int) -> tuple[Floats, Floats]:
    """The distribution of a sum after ``count`` more units of one size, each added or subtracted at random."""
    k = np.arange(count + 1)
    log = [math.lgamma(count + 1) - math.lgamma(i + 1) - math.lgamma(count - i + 1) - count * math.log(2) for i in k]
    sums = (points[:, None] + size * (2 * k - count)).reshape(-1)
    shares = (share[:, None] * np.exp(log)).reshape(-1)
    return sums, shares


def _tails(first: tuple[Floats, Floats], second: tuple[Floats, Floats], seen: float) -> float:
    """The probability that the sum of two independent halves is at least ``seen`` in size."""
    order = np.argsort(second[0])
    points, below = second[0][order], np.concatenate([[0.0], np.cumsum(second[1][order])])
    above = below[-1] - below[np.searchsorted(points, seen - first[0], side="left")]
    under = below[np.searchsorted(points, -seen - first[0], side="right")]
    return 1.0 if seen <= 0 else min(1.0, float(first[1] @ (above + under)))


def _smooth_tails(points: Floats, share: Floats, seen: float, spread: float) -> float:
    """The probability that a sum with normal noise is at least ``seen`` in size."""
    beyond = special("ndtr")((points - seen) / spread) + special("ndtr")((-seen - points) / spread)
    return min(1.0, float(share @ beyond))


# ---- the gaps of rows


def discordant(a: Sample, rows: Floats | None, least: float = _SAME, swapped: str = "") -> DiscordantUnits | None:
    """The units with a gap, from gaps of rows; None where these are not known or not finite."""
    if rows is None or not np.isfinite(rows).all():
        return None
    return DiscordantUnits.of(a.design.sums(rows), least, swapped)


def few_outputs_differ(a: Sample, b: Sample, column: str) -> bool:
    """Whether models that order the rows have equal outputs but for few units, so that the outputs themselves can change places.

    Elsewhere each may have a scale of its own. ``column`` of the kept rows holds what orders them.
    """
    if not (isinstance(a.total, Rows) and isinstance(b.total, Rows)):
        return False
    first, second = a.total[column], b.total[column]
    if first.shape != second.shape:
        return False
    differ = (first != second).reshape(a.n, -1).any(axis=1)
    return 0 < int(np.count_nonzero(a.design.sums(differ.astype(np.float64)))) <= FEW


def input_gaps(a: Sample, b: Sample) -> Floats | None:
    """What each row adds to the difference where the element is made of sums over rows; None otherwise."""
    base = np.ones(a.n) if a.weight is None else a.weight
    inputs = _pooled(a.inputs, b.inputs)
    linear = _both(a, b) if inputs is None else a.metric.statistic().linear(inputs)
    if linear is None:
        return None
    with np.errstate(all="ignore"):
        slope = a.metric.slope(linear.build, linear.totals(np.tile(base, 2)[None, :] / 2)[0])
        each = linear.spread(slope)
    return base * (each[: a.n] - each[a.n :])


def _both(a: Sample, b: Sample) -> Linear | None:
    """The cells of both models where one gives decisions and the other probabilities; None unless their tables are alike."""
    first, second = (s.metric.statistic().linear(s.inputs) for s in (a, b))
    if first is not None and second is not None and first.rows is not None and second.rows is not None:
        ragged = any(
            isinstance(array, Ragged) for array in a.inputs.arrays.values()
        )  # of which no pooled inputs can be made
        return Linear(first.build, first.width, rows=np.concatenate([first.rows, second.rows])) if ragged else None
    if (
        first is None
        or second is None
        or first.cells is None
        or second.cells is None
        or a.total.labels != b.total.labels
    ):
        return None
    return Linear(first.build, first.width, cells=np.concatenate([first.cells, second.cells]))


def _pooled(a: Inputs, b: Inputs) -> Inputs | None:
    """The rows of both models, one below the other; None if they give different inputs."""
    if set(a.arrays) != set(b.arrays) or any(isinstance(x, Ragged) for x in a.arrays.values()):
        return None
    both = {name: (to_host(a[name]), to_host(b[name])) for name in a.arrays}
    if any(x.shape != y.shape for x, y in both.values()):
        return None
    pooled = Inputs({name: np.concatenate(pair) for name, pair in both.items()}, who=a.who)
    pooled.columns, pooled.shown, pooled.free = a.columns, a.shown, a.free
    return pooled


def rank_gaps(a: Sample, b: Sample, column: str) -> DiscordantUnits | None:
    """Of models whose scores may have different scales: what can be swapped are the ranks."""
    rows = pooled_gaps(a, _ranked(a.total, column), _ranked(b.total, column))
    return discordant(a, rows, _SLIGHT, "ranks")


def pooled_gaps(a: Sample, first: Rows, second: Rows) -> Floats:
    """Gaps of rows from the influence values of all rows in one order.

    Areas and rank correlations are sums over pairs of rows. A pair of two swapped rows adds as much to both models, so the gaps of
    single rows are the whole difference and the test is that of the value itself; for average precision it is so to first order.
    """
    each: Any = a.metric.row_influence(first + second)
    return 2 * (each[: a.n] - each[a.n :])


def _ranked(rows: Rows, name: str) -> Rows:
    """The same rows with ranks in a column, equal values in the middle."""
    score = rows[name]
    ranks = np.stack([_ranks(column) for column in score.reshape(len(score), -1).T], axis=1).reshape(score.shape)
    return Rows({**rows.columns, name: ranks}, rows.n, rows.labels, rows.weight)


def _ranks(values: Any) -> Floats:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place.reshape(-1)]
