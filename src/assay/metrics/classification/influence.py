"""Influence of each row on the areas under the ROC and precision-recall curves, from one order of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.monoids import Rows
from assay.metrics.classification.scores import binary_columns, score_order


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


def auc_influence(rows: Rows, column: int | None = None) -> Any:
    """DeLong's placements, centred: their squares sum to the variance of the AUC."""
    g = _groups(rows, column)
    hits, misses = g.pos.sum(), g.neg.sum()
    outscored = (misses - np.cumsum(g.neg) + g.neg / 2) / misses  # share of negatives below a positive of this run
    outdone = (np.cumsum(g.pos) - g.pos / 2) / hits  # share of positives above a negative of this run
    auc = (g.pos @ outscored) / hits
    return g.weight * cast(
        Any, np.where(g.positive, (outscored[g.group] - auc) / hits, (outdone[g.group] - auc) / misses)
    )


def ap_influence(rows: Rows, column: int | None = None) -> Any:
    """The derivative of average precision in the weight of each row, times that weight."""
    g = _groups(rows, column)
    hits = g.pos.sum()
    tp, taken = np.cumsum(g.pos), np.cumsum(g.pos + g.neg)
    precision = np.divide(tp, taken, out=np.zeros_like(tp), where=taken > 0)
    step = np.divide(g.pos / hits, taken, out=np.zeros_like(tp), where=taken > 0)
    ap = (g.pos / hits) @ precision
    # A row also moves the precision of every run at or below its own.
    lift, drag = (np.cumsum((step * share)[::-1])[::-1] for share in (1 - precision, precision))
    return g.weight * np.where(g.positive, (precision[g.group] - ap) / hits + lift[g.group], -drag[g.group])
