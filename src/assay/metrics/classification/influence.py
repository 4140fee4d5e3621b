"""Influence of each row on the areas under the ROC and precision-recall curves, from one order of the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay import kernels
from assay.core.monoids import Rows
from assay.metrics.averages import mean_defined
from assay.metrics.classification.scores import binary_columns, pooled, score_order, truth_matrix
from assay.ops import divide

_KEPT = 2_000_000  # scores up to which the pairs of classes are kept: they take some seventy bytes a score


@dataclass(frozen=True)
class _Groups:
    """Rows in runs of equal score, from the top: the run of each row, and the weight of each run by class."""

    group: Any  # for each row, in the order of the data
    positive: Any
    weight: Any
    pos: Any
    neg: Any


def _groups(rows: Rows, column: int | None) -> _Groups:
    _, positive = binary_columns(rows, column)
    order, last = score_order(rows, column)
    run = np.zeros(len(order), dtype=np.int64)
    run[last[:-1] + 1] = 1
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(run)
    w = rows.weights()
    pos, neg = (np.bincount(group, w * mask, minlength=len(last)) for mask in (positive, ~positive))
    return _Groups(group, positive, w, pos, neg)


def _by_kernel(rows: Rows, column: int | None, curve: str) -> Any:
    """Of many rows without weights, which would fill the memory otherwise; None where the general route must serve."""
    score, positive = binary_columns(rows, column)
    if rows.weight is not None or not kernels.worthwhile(score) or positive.all() or not positive.any():
        return None
    return kernels.area_influence.influence(score, positive, curve)


def auc_influence(rows: Rows, column: int | None = None) -> Any:
    """DeLong's placements, centred: their squares sum to the variance of the AUC."""
    if (found := _by_kernel(rows, column, "roc")) is not None:
        return found
    g = _groups(rows, column)
    hits, misses = g.pos.sum(), g.neg.sum()
    outscored = (misses - np.cumsum(g.neg) + g.neg / 2) / misses  # fraction of negatives below a positive of this run
    outdone = (np.cumsum(g.pos) - g.pos / 2) / hits  # fraction of positives above a negative of this run
    auc = (g.pos @ outscored) / hits
    return g.weight * cast(
        Any, np.where(g.positive, (outscored[g.group] - auc) / hits, (outdone[g.group] - auc) / misses)
    )


def ap_influence(rows: Rows, column: int | None = None) -> Any:
    """The derivative of average precision in the weight of each row, times that weight."""
    if (found := _by_kernel(rows, column, "precision")) is not None:
        return found
    g = _groups(rows, column)
    hits = g.pos.sum()
    tp, taken = np.cumsum(g.pos), np.cumsum(g.pos + g.neg)
    precision = np.divide(tp, taken, out=np.zeros_like(tp), where=taken > 0)
    step = np.divide(g.pos / hits, taken, out=np.zeros_like(tp), where=taken > 0)
    ap = (g.pos / hits) @ precision
    # A row also moves the precision of every run at or below its own.
    lift, drag = (np.cumsum((step * share)[::-1])[::-1] for share in (1 - precision, precision))
    return g.weight * np.where(g.positive, (precision[g.group] - ap) / hits + lift[g.group], -drag[g.group])


def pooled_influence(rows: Rows, influence: Callable[[Rows], Any]) -> Any:
    """On a value of all (row, class) cells pooled: the cells of a row move it together."""
    return influence(pooled(rows)).reshape(rows.n, -1).sum(axis=1)


def pair_of(rows: Rows, a: int, b: int) -> tuple[Any, Rows]:
    """Where the rows of two classes are, and they alone as a binary problem: a against b by the scores of a."""
    if rows["score"].size > _KEPT:
        at, pair = _pair(rows, a, b)
    else:  # with the order of its scores, for all weights
        at, pair = rows.remember(("pair", a, b), lambda: _pair(rows, a, b))
    return at, pair if rows.weight is None else pair.reweighted(rows.weight[at])


def _pair(rows: Rows, a: int, b: int) -> tuple[Any, Rows]:
    members = rows.remember(
        "members", lambda: [np.flatnonzero(rows["code"] == c) for c in range(rows["score"].shape[1])]
    )
    at = np.concatenate([members[a], members[b]])
    return at, Rows({"score": rows["score"][at, a], "positive": rows["code"][at] == a}, len(at))


def columns_influence(rows: Rows, values: Any, each: Callable[[Rows, int], Any], *, weighted: bool) -> Any:
    """On the mean over classes or labels, each against the rest: through each column, and through its share."""
    truth, w = truth_matrix(rows), rows.weights()
    size, rows_of = w @ truth, (w > 0) @ truth.astype(np.int64)
    exist = (rows_of > 0) & (rows_of < np.count_nonzero(w))
    parts = ([(slice(None), each(rows, j))] if there else [] for j, there in enumerate(exist.tolist()))

    def moved(gap: Any) -> Any:
        return truth @ gap

    return _on_mean(rows, values, parts, (size, moved) if weighted else None)


def pairs_influence(rows: Rows, values: Any, *, weighted: bool) -> Any:
    """On Hand and Till's mean over pairs of classes: through the rows of each pair, and through the pair's share."""
    k, code = rows["score"].shape[1], rows["code"]
    size = np.bincount(code, rows.weights(), minlength=k)
    first, second = np.triu_indices(k, 1)

    def part(a: int, b: int) -> list[tuple[Any, Any]]:
        both = (pair_of(rows, a, b), pair_of(rows, b, a)) if size[a] and size[b] else ()
        return [(at, auc_influence(pair) / 2) for at, pair in both]

    def moved(gap: Any) -> Any:
        return (np.bincount(first, gap, k) + np.bincount(second, gap, k))[code]

    parts = map(part, first.tolist(), second.tolist())
    return _on_mean(rows, values, parts, (size[first] + size[second], moved) if weighted else None)


def _on_mean(rows: Rows, values: Any, parts: Iterable[list[tuple[Any, Any]]], shares: Any) -> Any:
    """Influence on a mean of ``values``, of which ``parts`` hold rows and their influence; empty for one that is constant.

    ``shares`` are what they are averaged by, and how much of a gap of each value a row of weight 1 sees; None if equal.
    """
    exists = ~np.isnan(values)
    size, moved = shares or (1.0, None)
    share = exists * size
    influence = np.zeros(rows.n)
    for weight, part in zip(share, parts, strict=True):
        for at, own in part:
            influence[at] += weight * own
    if moved is not None:
        gap = np.where(exists, values - mean_defined(values, share), 0.0)
        influence += rows.weights() * moved(gap)
    return divide(influence, share.sum())
