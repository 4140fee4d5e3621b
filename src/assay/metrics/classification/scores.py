"""Scores that order the rows: kept as they are, sorted once, and read as steps of a curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Floats, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Label, Rows
from assay.core.parameters import choice
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.metrics.averages import mean_defined
from assay.metrics.classification.decisions import indicator, probabilities
from assay.metrics.classification.family import AVERAGES, Average, check_classes
from assay.metrics.classification.labels import LabelRules, binary_classes, column_classes, encode, place_of, truth_mask
from assay.ops import divide, quiet

TAKES = ("y_true: labels", "y_score: scores", "y_prob: probabilities", "logits: logits")


@dataclass(frozen=True)
class Scores(Statistic[Rows]):
    """Scores and truth, one row per unit.

    Binary: ``score`` (n,) and ``positive`` (n,), and the labels (negative, positive). Several classes: ``score`` (n, K) and
    ``code`` (n,). Multilabel: ``score`` (n, L) and ``positive`` (n, L). With ``binary``, two columns are those of a binary problem.
    """

    rules: LabelRules
    binary: bool = False

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """The rows on the host; NaN is refused, infinite scores have a place in the order and are not."""
        name = next(n for n in ("y_score", "y_prob", "logits") if n in inputs)
        labelwise = inputs["y_true"].ndim == 2
        score = (
            probabilities(inputs, name, labelwise=labelwise) if name == "y_prob" else inputs.numbers(name, ranks=(1, 2))
        )
        _refuse_nan(inputs, name, score)
        inputs.refuse_ties(name)
        weight = inputs.host_weight()
        if labelwise:
            true = indicator(inputs, "y_true")
            if tuple(true.shape) != tuple(score.shape):
                raise InputError(
                    inputs.who,
                    "",
                    f"{arg('y_true')} and {arg(name)} must have one shape, got {tuple(true.shape)} and {tuple(score.shape)}",
                )
            columns = {"score": to_host(score), "positive": to_host(true) == 1}
            return Rows(columns, inputs.n, column_classes(inputs, "y_true", self.rules), weight)
        if score.ndim == 1:
            mask, classes = truth_mask(
                inputs, self.rules, advice=f"For several classes give one column of {arg(name)} per class."
            )
            return Rows(
                {"score": to_host(score), "positive": to_host(mask)},
                inputs.n,
                self._pair(inputs, mask, classes),
                weight,
            )
        classes = column_classes(inputs, name, self.rules)
        code = to_host(encode(inputs, "y_true", classes))
        if len(classes) == 2 and (self.binary or self.rules.positive is not None):
            pair = binary_classes(inputs.who, classes, self.rules)
            at = place_of(inputs.who, classes, pair[1])
            return Rows({"score": _of_two(name, to_host(score), at), "positive": code == at}, inputs.n, pair, weight)
        return Rows({"score": to_host(score), "code": code}, inputs.n, classes, weight)

    def _pair(self, inputs: Inputs, mask: Array, classes: tuple[Label, Label]) -> tuple[Label, ...]:
        """(negative, positive); None for a negative class that nobody has named and no row shows: it may be 0 or -1."""
        shown = self.rules.classes is not None or not bool(namespace(mask).all(mask))
        return classes if shown else (None, classes[1])


def _of_two(name: str, score: Floats, at: int) -> Floats:
    """The score of the positive class from two columns; logits mean their difference, which orders the rows as probabilities do."""
    return score[:, at] - score[:, 1 - at] if name == "logits" else score[:, at]


def _refuse_nan(inputs: Inputs, name: str, score: Array) -> None:
    xp = namespace(score)
    if not (math.isnan(float(xp.max(score))) or math.isnan(float(xp.min(score)))):
        return
    row = np.argwhere(np.isnan(to_host(score)))
    if len(row):
        raise InputError(
            inputs.who,
            name,
            f"must not hold NaN, found it in row {int(row[0][0])} ({len(row)} in all)",
            "Drop those rows everywhere.",
        )


@dataclass(frozen=True)
class Steps:
    """The sample in the order of its scores: at each distinct score, from the top, what lies at or above it."""

    threshold: Any
    tp: Any
    fp: Any

    @property
    def positives(self) -> float:
        """Weight of the positive rows."""
        return float(self.tp[-1]) if len(self.tp) else 0.0

    @property
    def negatives(self) -> float:
        """Weight of the negative rows."""
        return float(self.fp[-1]) if len(self.fp) else 0.0


def steps(rows: Rows, column: int | None = None) -> Steps:
    """The steps of one binary problem; the order is found once for all weights and metrics."""
    score, positive = binary_columns(rows, column)
    order, last = score_order(rows, column)
    weight = rows.weight
    if weight is None:
        tp = np.cumsum(positive[order])[last].astype(np.float64)
        return Steps(score[order][last], tp, last + 1.0 - tp)
    if kernels.repaid(len(order)):
        at, tp, fp = kernels.bootstrap.weighted_steps(weight, *ranked(rows, column))
        return Steps(rows.remember(("thresholds", column), lambda: score[order][last])[at], tp, fp)
    w, hits = weight[order], positive[order]
    tp, fp = np.cumsum(w * hits)[last], np.cumsum(w * ~hits)[last]
    keep = np.diff(np.cumsum(w > 0)[last], prepend=0) > 0  # rows are counted: a light one does not move the sum of all
    return Steps(score[order][last][keep], tp[keep], fp[keep])


def score_order(rows: Rows, column: int | None = None) -> tuple[Any, Any]:
    """Positions by falling score and the ends of runs of equal scores, found once for these rows under any weights."""
    return rows.remember(("order", column), lambda: _order(binary_columns(rows, column)[0]))


def binary_columns(rows: Rows, column: int | None) -> tuple[Any, Any]:
    """Score and truth of one class against the rest."""
    if column is None:
        return rows["score"], rows["positive"]
    score = rows.remember(("column", column), lambda: np.ascontiguousarray(rows["score"][:, column]))
    positive = rows["positive"][:, column] if "positive" in rows.columns else rows["code"] == column
    return score, positive


def _order(score: Any) -> tuple[Any, Any]:
    """Positions by falling score, and where each run of equal scores ends."""
    if kernels.worthwhile(score):
        _, ascending = kernels.ranks.order(score)
        order = ascending[::-1]
    else:
        order = np.argsort(-score, kind="stable")
    ordered = score[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))


def ranked(rows: Rows, column: int | None = None) -> tuple[Any, Any, Any]:
    """Positions by falling score, and there: 1 for positive rows, 1 where a run of equal scores ends; found once."""

    def build() -> tuple[Any, Any, Any]:
        order, last = score_order(rows, column)
        end = np.zeros(len(order), dtype=np.uint8)
        end[last] = 1
        return order.astype(np.uint32), binary_columns(rows, column)[1][order].astype(np.uint8), end

    return rows.remember(("ranked", column), build)


def areas(rows: Rows, weights: Any, curve: str, column: int | None = None) -> Any:
    """ROC-AUC (``curve="roc"``) or average precision of one binary problem under each row of ``weights``."""
    order, hit, end = ranked(rows, column)
    if kernels.repaid(weights.size):
        problem = kernels.bootstrap.Ranked(order, hit, end, np.empty(0))
        return kernels.bootstrap.weighted_areas(weights, problem, roc=curve == "roc")
    starts = np.append(0, np.flatnonzero(end)[:-1] + 1)
    step = max(1, (1 << 18) // len(order))  # so that a piece stays in cache
    parts = [_areas(weights[a : a + step, order], hit, starts, curve) for a in range(0, len(weights), step)]
    return np.concatenate(parts)


def _areas(w: Any, hit: Any, starts: Any, curve: str) -> Any:
    """The plain twin of the kernel, on weights in the order of the scores."""
    pos = w * hit
    neg = w - pos
    if len(starts) < len(hit):
        pos, neg = (np.add.reduceat(part, starts, axis=1) for part in (pos, neg))
    tp = np.cumsum(pos, axis=1)
    hits = tp[:, -1]
    if curve == "roc":
        return divide((neg * (tp - pos / 2)).sum(axis=1), hits * neg.sum(axis=1))
    taken = np.cumsum(pos + neg, axis=1)
    # Added up from the top as the kernel does: the route must not show in the last digit.
    return divide(np.cumsum(pos * tp / np.where(taken > 0, taken, 1.0), axis=1)[:, -1], hits)


@dataclass(frozen=True, kw_only=True)
class ScoreMetric(Metric[Rows]):
    """A metric of the order that scores give to the rows.

    ``average="binary"`` is for two classes: one score per row, or a column for each class. With one column per class or label
    say ``"macro"``, ``"weighted"`` (by prevalence), ``"micro"`` (all columns pooled) or None (one value per class, each against
    the rest).
    """

    takes = Takes(("y_true",), ("y_score", "y_prob", "logits"), one_of=True)

    average: Average = "binary"
    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Check what all score metrics have in common."""
        super().__post_init__()
        choice(self.name, "average", self.average, ("binary", "macro", "micro", "weighted", None))
        check_classes(self.name, self.classes)

    def statistic(self) -> Scores:
        """The scores and the truth."""
        return Scores(LabelRules(self.classes, self.positive), binary=self.average == "binary")

    def binary(self, rows: Rows, column: int | None = None) -> float:
        """The value of one binary problem. Every metric has this."""
        raise TypeError(f"{self.name} must define binary()")  # a programming error, not a user's

    def of(self, total: Rows) -> Floats | np.float64:
        """One value in all, or one per class."""
        self.refuse_average(total)
        if self.average == "binary":
            return np.float64(self.binary(total))
        if self.average == "micro":
            return np.float64(self.binary(pooled(total)))
        return self.columns(total)

    def refuse_average(self, total: Rows) -> None:
        """Refuse an average that does not fit the number of columns."""
        several = total["score"].ndim == 2
        if several and self.average == "binary":
            raise InputError(
                self.name,
                "",
                f"there are {total['score'].shape[1]} columns of scores",
                f"Choose {AVERAGES}, or pass the scores of the positive class alone.",
            )
        if not several and self.average != "binary":
            raise InputError(
                self.name,
                "",
                f"{arg('average', self.average)} needs one column of scores per class; there is one score per row",
            )

    @property
    def curve(self) -> Literal["roc", "precision"] | None:
        """The curve whose whole area this is: such areas have all replicates in one order of the scores."""
        return None

    def reweighed(self, total: Rows, weights: Any) -> Any:
        """Whole areas in linear passes, anything else one replicate at a time on every thread."""
        if self.curve is None:
            return self._one_by_one(total, weights)
        self.refuse_average(total)
        if self.average == "binary":
            return self.settle(areas(total, weights, self.curve))
        k = total["score"].shape[1]
        if self.average == "micro":
            cells = total.remember("cells", lambda: pooled(total.reweighted(None)))
            return self.settle(areas(cells, np.repeat(weights, k, axis=1), self.curve))
        values = np.stack([areas(total, weights, self.curve, j) for j in range(k)], axis=-1)
        return self.settled(values, total.reweighted(weights))

    def _one_by_one(self, total: Rows, weights: Any) -> Any:
        if weights.size < kernels.LARGE:
            return super().reweighed(total, weights.astype(np.float64, copy=False))

        def some(start: int, stop: int) -> Any:
            with quiet():
                each = (
                    super(ScoreMetric, self).reweighed(total, w[None].astype(np.float64)) for w in weights[start:stop]
                )
                return np.concatenate(list(each))

        first = some(0, 1)  # finds the order of the rows, which all share
        return np.concatenate([first, *kernels.over_chunks(len(weights) - 1, lambda a, b: some(a + 1, b + 1), least=4)])

    def binary_influence(self, rows: Rows, column: int | None = None) -> Any:
        """Influence values of one binary problem, where they exist."""
        return super().row_influence(rows)

    def columns(self, total: Rows) -> Any:
        """One value per column, each against the rest."""
        work = range(total["score"].shape[1])
        return np.array(
            [
                value
                for part in kernels.over_chunks(
                    len(work), lambda a, b: [self.binary(total, j) for j in work[a:b]], least=8
                )
                for value in part
            ]
        )

    def combine(self, values: Any, total: Rows) -> Any:
        """The average over classes."""
        if self.average == "macro":
            return mean_defined(values)
        if self.average == "weighted":
            return mean_defined(values, prevalence(total))
        return values

    def part_names(self, total: Rows) -> tuple[Label, ...]:
        """The classes."""
        return total.labels if self.average in ("macro", "weighted", None) and total["score"].ndim == 2 else ()


def prevalence(rows: Rows) -> Any:
    """Fraction of each class or label, with any leading axes of the weights."""
    weight = rows.weights()
    if "code" in rows.columns and weight.ndim == 1:
        share = np.bincount(rows["code"], weight, minlength=rows["score"].shape[1])
    else:
        share = weight @ truth_matrix(rows)
    return divide(share, weight.sum(axis=-1, keepdims=True))


def truth_matrix(rows: Rows) -> Any:
    """True where a row has a class or label, one column each."""
    if "positive" in rows.columns:
        return rows["positive"]
    return cast(Any, rows["code"][:, None] == np.arange(rows["score"].shape[1]))


def pooled(rows: Rows) -> Rows:
    """All (row, class) cells as one binary problem."""
    k = rows["score"].shape[1]
    positive = truth_matrix(rows)
    weight = None if rows.weight is None else np.repeat(rows.weight, k)
    return Rows({"score": rows["score"].reshape(-1), "positive": positive.reshape(-1)}, rows.n * k, weight=weight)
