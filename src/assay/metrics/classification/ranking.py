"""Areas and points of the ROC and precision-recall curves: AUC, average precision, TPR at an FPR, equal error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError, arg
from assay.core.monoids import Rows
from assay.core.parameters import choice, number
from assay.core.record import Record
from assay.core.sources import METRICS_LIST
from assay.metrics.averages import mean_defined
from assay.metrics.classification.influence import (
    ap_influence,
    auc_influence,
    columns_influence,
    pair_of,
    pairs_influence,
    pooled_influence,
)
from assay.metrics.classification.operating_points import OperatingPoint
from assay.metrics.classification.scores import TAKES, ScoreMetric, Steps, binary_columns, prevalence, steps
from assay.ops import divide

if TYPE_CHECKING:
    from assay.kernels.curve_areas import RankSums


def rank_sums(rows: Rows, column: int | None) -> RankSums | None:
    """Both areas and their spread by the kernel, shared by all; None where the general route must serve."""
    if rows.weight is not None or not kernels.worthwhile(rows["score"]):
        return None
    return rows.remember(("sums", column), lambda: kernels.curve_areas.rank_sums(*binary_columns(rows, column)))


@dataclass(frozen=True, kw_only=True)
class SmoothArea(ScoreMetric):
    """An area that has influence values, however the classes are averaged."""

    def row_influence(self, total: Rows) -> Any:
        """On the one binary problem, on all (row, class) cells pooled, or on the mean over classes."""
        if total["score"].ndim == 1:
            return self.binary_influence(total)
        if self.average == "micro":
            return pooled_influence(total, self.binary_influence)
        if self.average is None:
            raise InputError(
                self.name, "", "influence values are defined for a single number", f"Choose {arg('average', 'macro')}."
            )
        values = self.settle(self.of(total))
        return columns_influence(total, values, self.binary_influence, weighted=self.average == "weighted")


@dataclass(frozen=True, kw_only=True)
class RocAuc(SmoothArea):
    r"""Area under the ROC curve: how often a positive row outscores a negative one, ties counted as half.

    .. math:: \mathrm{AUC} = P(s_+ > s_-) + \tfrac12 P(s_+ = s_-)

    Exact, by rank. ``max_fpr`` gives the partial area left of it, standardised after McClish so that guessing is 0.5. With
    several classes ``multiclass="ovr"`` takes each against the rest and ``"ovo"`` each pair (Hand and Till). Undefined when
    only one class occurs.

    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """

    record = Record(
        title="Area under the ROC curve", range=(0, 1), better="higher", family="auc", transform="logit", takes=TAKES,
        undefined="only one class occurs", use="how well the scores separate two classes, at any threshold and prevalence",
        misleads="hides poor precision when positives are rare; says nothing about calibration or your threshold",
        equals=("scikit-learn roc_auc_score", "pROC auc", "Mann-Whitney U / (n+ n-)"), references=("hanley1982", "hand2001", "mcclish1989"),
        traps=(1, 28), properties=frozenset({"monotone_invariant"}),
        aliases=("AUC", "AUROC", "roc_auc_score"),
    )  # fmt: skip

    multiclass: Literal["ovr", "ovo"] = "ovr"
    max_fpr: float | None = None

    def check(self) -> None:
        """Options that go together."""
        choice(self.name, "multiclass", self.multiclass, ("ovr", "ovo"))
        if self.max_fpr is not None:
            number(self.name, "max_fpr", self.max_fpr, low=0, high=1, open_low=True)
        if self.multiclass == "ovo" and (self.average not in ("macro", "weighted") or self.max_fpr is not None):
            raise ParameterError(
                self.name,
                "",
                f"{arg('multiclass', 'ovo')} needs {arg('average', 'macro')} or 'weighted' and no {arg('max_fpr')}",
            )

    @property
    def curve(self) -> Literal["roc", "precision"] | None:
        """The ROC curve, unless part of it or pairs of classes are asked for."""
        return "roc" if self.max_fpr is None and self.multiclass == "ovr" else None

    def squares(self, rows: Rows, column: int | None = None) -> tuple[float, float]:
        """Sums of the squared influence values of the positive and of the negative rows."""
        sums = rank_sums(rows, column) if self.max_fpr is None else None
        if sums is not None:
            return sums.positive_squares, sums.negative_squares
        v, positive = self.binary_influence(rows, column), binary_columns(rows, column)[1]
        return float(v[positive] @ v[positive]), float(v[~positive] @ v[~positive])

    def binary(self, rows: Rows, column: int | None = None) -> float:
        """Area of one binary problem."""
        sums = rank_sums(rows, column) if self.max_fpr is None else None
        if sums is not None:
            return sums.auc
        s = steps(rows, column)
        if not (s.positives and s.negatives):
            return np.nan
        fpr, tpr = np.append(0.0, s.fp / s.negatives), np.append(0.0, s.tp / s.positives)
        return _area(fpr, tpr) if self.max_fpr is None else _partial_area(fpr, tpr, self.max_fpr)

    def binary_influence(self, rows: Rows, column: int | None = None) -> Any:
        """DeLong's; a partial area has none here."""
        return super().binary_influence(rows, column) if self.max_fpr is not None else auc_influence(rows, column)

    def row_influence(self, total: Rows) -> Any:
        """On each class against the rest, or on each pair of classes."""
        if self.multiclass == "ovo" and total["score"].ndim == 2:
            values = self.settle(self.of(total))
            return pairs_influence(total, values, weighted=self.average == "weighted")
        return super().row_influence(total)

    def columns(self, total: Rows) -> Any:
        """One against the rest, or all pairs."""
        if self.multiclass == "ovr":
            return super().columns(total)
        if "code" not in total.columns:
            raise InputError(
                self.name, "", f"{arg('multiclass', 'ovo')} is for one class per row, not for a multilabel problem"
            )
        return _pairs(total)

    def combine(self, values: Any, total: Rows) -> Any:
        """Pairs are weighed by the prevalence of their two classes."""
        if self.multiclass == "ovo" and self.average == "weighted":
            share = prevalence(total)
            i, j = np.triu_indices(len(share), 1)
            return mean_defined(values, share[i] + share[j])
        return super().combine(values, total)

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """Classes, or pairs of them."""
        if self.multiclass == "ovr":
            return super().part_names(total)
        i, j = np.triu_indices(len(total.labels), 1)
        return tuple(f"{total.labels[a]} vs {total.labels[b]}" for a, b in zip(i, j, strict=True))


def _area(x: Any, y: Any) -> float:
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def _partial_area(fpr: Any, tpr: Any, limit: float) -> float:
    """McClish: the area left of ``limit``, between guessing and perfect there."""
    stop = int(np.searchsorted(fpr, limit, side="right"))
    x, y = np.append(fpr[:stop], limit), np.append(tpr[:stop], cast(Any, np.interp(limit, fpr, tpr)))
    guessing, perfect = limit**2 / 2, limit
    return float((1 + (_area(x, y) - guessing) / (perfect - guessing)) / 2)


def _pairs(rows: Rows) -> Any:
    """Hand and Till's A for each pair of classes, pairs in the order (0,1), (0,2), ..."""
    k, area = rows["score"].shape[1], RocAuc()

    def one_way(a: int, b: int) -> float:
        at, pair = pair_of(rows, a, b)
        return area.binary(pair) if len(at) else np.nan

    return np.array([(one_way(a, b) + one_way(b, a)) / 2 for a in range(k) for b in range(a + 1, k)])


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(SmoothArea):
    r"""Precision averaged over the recall that each threshold adds.

    .. math:: \mathrm{AP} = \sum_k (R_k - R_{k-1}) P_k

    The step-wise area under the precision-recall curve. ``interpolated=True`` takes at each recall the best precision at
    that recall or above, as VOC 2010. The trapezoid is not offered: it is too optimistic. Guessing scores the prevalence.
    Undefined when no row is positive.

    >>> average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333...
    """

    record = Record(
        title="Average precision", range=(0, 1), better="higher", family="average_precision", transform="logit", takes=TAKES,
        undefined="no row is positive", use="rare positives, where what is ranked on top matters",
        misleads="its baseline is the prevalence, so values of different data sets do not compare",
        equals=("scikit-learn average_precision_score", "torchmetrics average_precision"), references=("davis2006", "boyd2013"),
        traps=(1, 3, 28), properties=frozenset({"monotone_invariant"}),
        aliases=("AP", "average_precision_score", "pr_auc", "AUPRC", "AUPR"),
        erratum=f"{METRICS_LIST}, starts its sum at i = 1 and drops the first recall step; the sum starts at recall 0.",
    )  # fmt: skip

    interpolated: bool = False

    @property
    def curve(self) -> Literal["roc", "precision"] | None:
        """The steps of precision, unless they are interpolated."""
        return None if self.interpolated else "precision"

    def squares(self, rows: Rows, column: int | None = None) -> float:
        """The sum of the squared influence values."""
        sums = None if self.interpolated else rank_sums(rows, column)
        if sums is not None:
            return sums.precision_squares
        v = self.binary_influence(rows, column)
        return float(v @ v)

    def binary_influence(self, rows: Rows, column: int | None = None) -> Any:
        """Of the step-wise form."""
        return super().binary_influence(rows, column) if self.interpolated else ap_influence(rows, column)

    def binary(self, rows: Rows, column: int | None = None) -> float:
        """Average precision of one binary problem."""
        sums = None if self.interpolated else rank_sums(rows, column)
        if sums is not None:
            return sums.precision
        s = steps(rows, column)
        if not s.positives:
            return np.nan
        precision = s.tp / (s.tp + s.fp)
        if self.interpolated:
            precision = np.maximum.accumulate(precision[::-1])[::-1]
        return float(np.sum(np.diff(s.tp, prepend=0) / s.positives * precision))


@dataclass(frozen=True, kw_only=True)
class TprAtFpr(OperatingPoint):
    r"""The largest true positive rate at a false positive rate of at most ``fpr``.

    .. math:: \max_t \{\mathrm{TPR}(t) : \mathrm{FPR}(t) \le f\}

    TAR@FAR of face verification, sensitivity at specificity 1 - f. A threshold that reaches the value exists: nothing is
    interpolated, and ``point`` gives it too. Undefined when only one class occurs.

    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fpr=0.1)
    0.5
    """

    record = Record(
        title="TPR at FPR", range=(0, 1), better="higher", family="bootstrap", transform="logit", takes=TAKES,
        undefined="only one class occurs", use="verification and screening at a fixed rate of false alarms",
        misleads="at an FPR below a few times 1/negatives it rests on a handful of rows",
        equals=("torchmetrics sensitivity_at_specificity(min_specificity=1-fpr)",), references=("grother2019",),
        properties=frozenset({"monotone_invariant"}),
    )  # fmt: skip

    fpr: float = 0.01

    def check(self) -> None:
        """A rate."""
        number(self.name, "fpr", self.fpr, low=0, high=1)

    def rates(self, s: Steps) -> tuple[Floats, Floats, float]:
        """TPR, and by how much the FPR stays below the limit; neither exists without the other class."""
        fpr = divide(s.fp, s.negatives)
        below = np.where(fpr <= self.fpr * (1 + 1e-12), 1.0, 0.0)  # a rate such as 3/30 must meet its own limit 0.1
        return np.where(np.isnan(fpr), np.nan, divide(s.tp, s.positives)), below, 1.0


@dataclass(frozen=True, kw_only=True)
class EqualErrorRate(ScoreMetric):
    r"""The error rate where false alarms and misses are equally likely.

    .. math:: \mathrm{EER} = \mathrm{FPR}(t^*) = \mathrm{FNR}(t^*)

    The point where the ROC curve, its steps joined by straight lines, meets the falling diagonal; ``hull=True`` takes the
    convex hull of the curve, as the BOSARIS toolkit. Undefined when only one class occurs.

    >>> equal_error_rate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """

    record = Record(
        title="Equal error rate", range=(0, 1), better="lower", family="bootstrap", transform="logit", takes=TAKES,
        undefined="only one class occurs", use="one number for biometric systems",
        misleads="hardly any system is operated at this point: report TPR at your FPR beside it",
        equals=("torchmetrics eer where a step of the curve lies on the diagonal; elsewhere it takes the nearest step",),
        references=("brummer2013",), properties=frozenset({"monotone_invariant"}),
        aliases=("EER",),
    )  # fmt: skip

    hull: bool = False

    def binary(self, rows: Rows, column: int | None = None) -> float:
        """The crossing of the curve with the falling diagonal."""
        s = steps(rows, column)
        if not (s.positives and s.negatives):
            return np.nan
        fpr, fnr = np.append(0.0, s.fp / s.negatives), np.append(1.0, 1 - s.tp / s.positives)
        if self.hull:
            keep = _lower_hull(fpr, fnr)
            fpr, fnr = fpr[keep], fnr[keep]
        at = int(np.argmax(fpr >= fnr))
        before, after = fnr[at - 1] - fpr[at - 1], fpr[at] - fnr[at]
        share = float(divide(before, before + after))
        return float(fpr[at - 1] + share * (fpr[at] - fpr[at - 1]))


def _lower_hull(x: Any, y: Any) -> list[int]:
    """Positions of the lower convex hull of points in the order of x."""
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) >= 2:
            a, b = hull[-2], hull[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) > (x[i] - x[a]) * (y[b] - y[a]):
                break
            hull.pop()
        hull.append(i)
    return hull
