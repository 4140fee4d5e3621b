"""Slots that know a running sum or product over the grades before them, averaged exactly over ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import hypergeometric
from assay.metrics.ranking.family import Ranked
from assay.metrics.ranking.order import Standing
from assay.metrics.ranking.slots import Slots, refuse_many


def running(ranked: Ranked, value: Callable[[Floats], Floats], *, product: bool) -> Slots:
    """Slots of the documents with a grade above 0, whose ``hits`` are the sum or product of ``value(grade)`` over those before."""
    found = ranked.standing()
    found = found.at(np.lexsort((found.above, found.row)))
    if not (found.size > 1).any():
        return ranked.cut(_of_order(found, value(found.grade), product))
    parts: list[Slots] = []
    for row in np.unique(found.row).tolist():
        parts += _of_row(found.at(found.row == row), value, product, ranked.metric.name)
    return ranked.cut(Slots(*(np.concatenate(columns) for columns in zip(*(p.columns for p in parts), strict=True))))


def _of_order(found: Standing, values: Floats, product: bool) -> Slots:
    """Without ties: one step per depth, over all queries at once."""
    n = len(found.row)
    depth = cast(Any, np.arange(n)) - cast(Any, np.searchsorted(found.row, found.row))
    state = np.ones(n) if product else np.zeros(n)
    order = np.argsort(depth, kind="stable")
    edges: Any = np.cumsum(np.bincount(depth))[:-1] if n else []
    for at in np.split(order, edges)[1:]:
        state[at] = state[at - 1] * values[at - 1] if product else state[at - 1] + values[at - 1]
    return _made(found.row, found.above + 1.0, np.ones(n), found.grade, state)


def _of_row(found: Standing, value: Callable[[Floats], Floats], product: bool, who: str) -> list[Slots]:
    parts: list[Slots] = []
    start = 1.0 if product else 0.0
    for above in np.unique(found.above):
        own = found.at(found.above == above)
        parts.append(_of_tie(own, value, start, product, who))
        start = start * float(np.prod(value(own.grade))) if product else start + float(np.sum(value(own.grade)))
    return parts


def _of_tie(found: Standing, value: Callable[[Floats], Floats], start: float, product: bool, who: str) -> Slots:
    """Every grade at every position, beside every composition of the documents of the tie before it."""
    grades, counts = np.unique(found.grade, return_counts=True)
    t, above, values = int(found.size[0]), int(found.above[0]), value(grades)
    refuse_many(t * float(np.prod(counts + 1.0)) * len(grades), t, who)
    columns: list[tuple[Any, ...]] = []
    for at, grade in enumerate(grades):
        others = counts - (np.arange(len(grades)) == at)
        j, *drawn = (axis.reshape(-1) for axis in np.meshgrid(
            np.arange(1, t + 1), *(np.arange(count + 1) for count in others), indexing="ij"
        ))  # fmt: skip
        odds, left, taken = np.ones(len(j)), t - 1, j - 1
        for count, x in zip(others.tolist(), drawn, strict=True):
            odds = odds * np.where(taken - x < 0, 0.0, hypergeometric(x, left, count, np.minimum(taken, left)))
            left, taken = left - count, taken - x
        powers = [v**x if product else v * x for v, x in zip(values.tolist(), drawn, strict=True)]
        state = start * np.prod(powers, axis=0) if product else start + np.sum(powers, axis=0)
        kept = (odds > 0) & (taken >= 0) & (taken <= left)
        columns.append((above + j[kept], odds[kept] * counts[at] / t, np.full(int(kept.sum()), grade), state[kept]))
    position, weight, grade, state = (np.concatenate(one) for one in zip(*columns, strict=True))
    return _made(np.full(len(position), found.row[0]), position.astype(np.float64), weight, grade, state)


def _made(row: Any, position: Floats, weight: Floats, grade: Floats, state: Floats) -> Slots:
    return Slots(row, position, weight, grade, state, np.zeros(len(row)), np.zeros(len(row)))
