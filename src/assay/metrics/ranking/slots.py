"""Ranked documents as weighted slots, from which every measure is a sum.

A slot is a document at a position, with what stands before it. Where equal scores are averaged, a tied document has a slot for each
position and each composition of what may precede it within the tie, weighted by its probability (hypergeometric). A measure that adds
something up over documents is then the weighted sum over slots: the exact mean over all orders of the ties, without drawing any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import Floats, Host
from assay.core.distributions import hypergeometric
from assay.core.errors import UndefinedError, arg
from assay.metrics.ranking.order import Standing

Need = Literal["position", "hits", "judged"]
_MOST = 5_000_000  # slots of one tie


@dataclass(frozen=True)
class Slots:
    """One entry per slot. ``hits``, ``nonrelevant`` and ``pooled`` count relevant, judged nonrelevant and pooled documents before it."""

    row: Any
    position: Floats
    weight: Floats
    grade: Floats
    hits: Floats
    nonrelevant: Floats
    pooled: Floats

    def at(self, which: Host) -> Slots:
        """Some of them."""
        return Slots(*(column[which] for column in self.columns))

    @property
    def columns(self) -> tuple[Host, ...]:
        """The columns in the order of the fields."""
        return self.row, self.position, self.weight, self.grade, self.hits, self.nonrelevant, self.pooled

    def sums(self, values: Floats, n: int) -> Floats:
        """Weighted sums per row."""
        return per_row(self.row, self.weight * values, n)


def per_row(row: Host, values: Floats, n: int) -> Floats:
    """Sums of the values of each row."""
    return cast(Floats, np.bincount(row, values, minlength=n))


@dataclass(frozen=True)
class _Group:
    """Documents that share a place: positions ``above`` + 1 to ``above`` + ``size``, and counts of what stands before."""

    row: int
    above: int
    size: int
    before: Any  # relevant, nonrelevant, pooled


def slots(found: Standing, level: float, need: Need, who: str) -> Slots:
    """The slots of the documents; ``level`` is the least grade that is relevant, ``need`` what a measure reads of what stands before."""
    order = np.lexsort((found.above, found.row))
    found = found.at(order)
    kinds = np.stack([found.grade >= level, (found.grade >= 0) & (found.grade < level), found.grade < 0], axis=1)
    first, before = _groups(found, kinds)
    alone = found.size == 1
    rows = np.stack([found.row, found.above + 1.0, np.ones(len(first)), found.grade, *before.T], axis=0)
    parts = [rows[:, alone]]
    for start in np.flatnonzero(first & ~alone).tolist():
        group = _Group(int(found.row[start]), int(found.above[start]), int(found.size[start]), before[start])
        stop = start + 1
        while stop < len(first) and not first[stop]:
            stop += 1
        parts.append(_spread(group, found.grade[start:stop], kinds[start:stop], need, who))
    columns = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
    return Slots(columns[0].astype(np.int64), *columns[1:])


def _groups(found: Standing, kinds: Any) -> tuple[Any, Floats]:
    """Whether a document is the first of its place, and how many of each kind stand in places before."""
    n = len(found.row)
    if not n:
        return np.zeros(0, bool), np.zeros((0, 3))
    new_row = np.diff(found.row, prepend=-1) != 0
    first = new_row | (np.diff(found.above, prepend=-1) != 0)
    counts = np.concatenate([np.zeros((1, 3)), np.cumsum(kinds, axis=0)])[:-1]
    of_row = counts[np.maximum.accumulate(np.where(new_row, np.arange(n), 0))]
    of_group = counts[np.maximum.accumulate(np.where(first, np.arange(n), 0))]
    return first, of_group - of_row


def _spread(group: _Group, grades: Floats, kinds: Any, need: Need, who: str) -> Floats:
    """The slots of tied documents, as columns."""
    t = group.size
    counted = {"position": (0, 0, 0), "hits": (1, 0, 0), "judged": (1, 1, 1)}[need]
    others = kinds.sum(axis=0) * np.array(counted)
    refuse_many(t * (others[0] + 1) * (others[1] + 1) * len(grades), t, who)
    parts: list[Floats] = []
    for grade, count in zip(*np.unique(grades, return_counts=True), strict=True):
        own = kinds[int(np.argmax(grades == grade))]
        parts.append(_lattice(group, float(grade), count / t, others - own * (others > 0)))
    return np.concatenate(parts, axis=1)


def _lattice(group: _Group, grade: float, chance: float, others: Any) -> Floats:
    """Slots of one document of a tie: every position, and every number of relevant and nonrelevant ones of the ``others`` before it.

    ``chance`` is that of a document of this grade to stand at a given position. Among the t - 1 other documents the j - 1 before
    it are drawn without replacement; the pooled ones among the rest follow in proportion.
    """
    t = group.size
    relevant, nonrelevant, pooled = (int(count) for count in others)
    j, x, y = (axis.reshape(-1) for axis in np.meshgrid(
        np.arange(1, t + 1), np.arange(relevant + 1), np.arange(nonrelevant + 1), indexing="ij"
    ))  # fmt: skip
    drawn = j - 1
    odds = hypergeometric(x, t - 1, relevant, drawn) * hypergeometric(y, t - 1 - relevant, nonrelevant, drawn - x)
    kept = odds > 0
    j, x, y, odds = j[kept], x[kept], y[kept], odds[kept]
    rest = t - 1 - relevant - nonrelevant
    of_pool = (j - 1 - x - y) * (pooled / rest) if rest else np.zeros(len(j))
    return _columns(group, j, chance * odds, np.full(len(j), grade), x, y, of_pool)


def _columns(group: _Group, j: Any, weight: Any, grade: Any, *within: Any) -> Floats:
    counts = [np.broadcast_to(own + start, j.shape) for own, start in zip(within, group.before, strict=True)]
    return np.stack([np.full(len(j), float(group.row)), group.above + j.astype(np.float64), weight, grade, *counts])


def refuse_many(count: float, size: int, who: str) -> None:
    """Refuse a tie that has too many arrangements to be averaged exactly."""
    if count > _MOST:
        raise UndefinedError(
            who, "", f"{size} documents share a score, which leaves too many arrangements for an exact average",
            f"Choose {arg('ties', 'id')} or {arg('ties', 'pessimistic')}.",
        )  # fmt: skip
