"""Interpolated precision at levels of recall, and its mean at eleven of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.parameters import number
from assay.core.record import Record
from assay.metrics.ranking.family import TAKES, Ranked, RankingMetric
from assay.metrics.ranking.order import Standing
from assay.metrics.ranking.slots import refuse_many

LEVELS = tuple(at / 10 for at in range(11))


@dataclass(frozen=True, kw_only=True)
class InterpolatedPrecision(RankingMetric):
    r"""Highest precision at or beyond a level of recall.

    .. math:: P_{int}(r) = \max_{i:\,recall_i \ge r} P@i

    ``recall=None`` is the mean at the eleven levels 0, 0.1, ..., 1. The number of documents that a level requires is rounded to the
    nearest integer as in trec_eval 10; ``compat="trec_eval 9"`` adds 0.9 and cuts off.

    >>> interpolated_precision([[0, 1, 1]], [[0.9, 0.8, 0.7]], recall=0.5)
    0.6666...
    """

    record = Record(
        title="Interpolated precision at recall",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="recall-precision graphs, and comparison with older publications",
        misleads="the interpolation makes it higher than average precision; versions of trec_eval round differently",
        equals=("trec_eval: iprec_at_recall (recall=0.1), 11pt_avg (recall=None)",),
        references=("buckley2000",),
        aliases=("iprec_at_recall",),
    )

    recall: float | None = None

    def check(self) -> None:
        """A level between 0 and 1."""
        super().check()
        if self.recall is not None:
            number(self.name, "recall", self.recall, low=0, high=1)

    @property
    def optimum(self) -> float | None:
        """Out of reach where a query has no relevant document."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """The value of each query."""
        levels = LEVELS if self.recall is None else (self.recall,)
        shift = 0.9 if self.compat == "trec_eval 9" else 0.5
        return np.mean([self._at(ranked, np.floor(level * ranked.relevant + shift)) for level in levels], axis=0)

    def _at(self, ranked: Ranked, needed: Floats) -> Floats:
        """The highest precision from the rank of the ``needed``-th relevant document on."""
        found = ranked.standing()
        found = found.at(found.grade >= ranked.level)
        tied = np.unique(found.row[found.size > 1])
        slots = ranked.slots("hits")
        slots = slots.at((slots.grade >= ranked.level) & (slots.hits + 1 >= needed[slots.row]))
        values = np.zeros(ranked.n)
        np.maximum.at(values, slots.row, (slots.hits + 1) / slots.position)
        for row in tied.tolist():
            values[row] = _averaged(
                found.at(found.row == row), int(needed[row]), self.max_retrieved or np.inf, self.name
            )
        return values


def _averaged(found: Standing, needed: int, most: float, who: str) -> float:
    """The mean over all orders of the ties: ties are independent, so their chances to stay below a value multiply."""
    ties: list[tuple[int, int, int, int]] = []
    before = 0
    for above in np.unique(found.above):
        own = found.at(found.above == above)
        ties.append((int(above), int(own.size[0]), len(own.row), before))
        before += len(own.row)
    places = [(above + j, b + x) for above, t, r, b in ties for j in range(1, t + 1) for x in range(1, min(r, j) + 1)]
    refuse_many(len(places) * max(t * r for _, t, r, _ in ties), max(t for _, t, _, _ in ties), who)
    heights = np.unique([0.0, *(hits / position for position, hits in places if hits >= needed and position <= most)])
    below = np.ones(len(heights))
    for above, t, r, b in ties:
        below = below * _stays_below(heights, above, t, r, b, needed, most)
    return float(np.sum(heights * np.diff(below, prepend=0.0)))


def _stays_below(heights: Floats, above: int, t: int, relevant: int, before: int, needed: int, most: float) -> Floats:
    """For each height the chance that no relevant document of a tie, from the ``needed``-th on, has a higher precision."""
    chance = np.zeros((relevant + 1, len(heights)))
    chance[0] = 1.0
    for j in range(t):
        left = (relevant - np.arange(relevant + 1)) / (t - j)
        moved = chance * left[:, None]
        after = before + np.arange(relevant + 1) + 1
        position = above + j + 1
        fits = (after[:, None] / position <= heights[None, :] + 1e-15) | (after[:, None] < needed) | (position > most)
        chance = chance * np.maximum(1 - left, 0.0)[:, None]
        chance[1:] += (moved * fits)[:-1]
    return chance.sum(axis=0)
