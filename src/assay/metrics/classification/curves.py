"""Curves as plain arrays: ROC, precision-recall and the sweep over all thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, cast

import numpy as np

from assay.core import notebook
from assay.core.arrays import ArrayLike, Floats
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError, arg
from assay.core.frames import Framed, FrameData
from assay.core.metric import Metric
from assay.core.monoids import Label, Rows
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.classification.curve_averages import Curves, mean_line, mean_steps
from assay.metrics.classification.decisions import square_cost
from assay.metrics.classification.family import check_classes
from assay.metrics.classification.influence import pair_of
from assay.metrics.classification.labels import LabelRules
from assay.metrics.classification.scores import TAKES, Scores, Steps, pooled, steps
from assay.metrics.classification.thresholds import Cells, ChosenThreshold, Conditions, MetricName, warn_of_selection
from assay.ops import divide


class Curve(Framed):
    """A curve as plain NumPy arrays. It unpacks into them in the order of its fields: ``fpr, tpr, threshold = roc_curve(...)``."""

    def __iter__(self) -> Iterator[Floats]:
        return iter([getattr(self, field.name) for field in fields(cast(Any, self))])

    def columns(self) -> dict[str, Floats]:
        """The columns of the data frame: the arrays by name."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(cast(Any, self))}

    def frame_data(self) -> FrameData:
        """One row per point."""
        return FrameData(self.columns())

    def __repr__(self) -> str:
        columns = self.columns()
        points = len(next(iter(columns.values())))
        spans = ", ".join(f"{name} {_span(values)}" for name, values in columns.items())
        return f"{type(self).__name__}({points} point{'' if points == 1 else 's'}: {spans})"

    def _repr_html_(self) -> str:
        columns = {name: values.tolist() for name, values in self.columns().items()}
        rows = [list(map(_cell, row)) for row in zip(*columns.values(), strict=True)]
        return notebook.page([notebook.Table(type(self).__name__, list(columns), notebook.shortened(rows))], [])

    def to_dict(self) -> dict[str, list[float]]:
        """The arrays as lists, ready for JSON or a data frame."""
        return {name: np.asarray(values).tolist() for name, values in asdict(self).items()}  # pyright: ignore


def _span(values: Any) -> str:
    """From the first to the last, as it stands in a short text."""
    if not len(values):
        return "none"
    ends = [_cell(value) for value in (values[0], values[-1])]
    return ends[0] if len(values) == 1 else " to ".join(ends)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | int | np.number) else str(value)


def settle_curves(settle: Callable[[Any], Any], curves: Any) -> Any:
    """Apply an ``undefined`` policy to every array of a curve, a list or a dict of curves."""
    if isinstance(curves, dict):
        several = cast("dict[Any, Any]", curves)
        return type(several)({name: settle_curves(settle, one) for name, one in several.items()})
    if isinstance(curves, list):
        return [settle_curves(settle, one) for one in cast("list[Any]", curves)]
    return replace(curves, **{f.name: settle(getattr(curves, f.name)) for f in fields(curves)})


@dataclass(frozen=True, repr=False)
class RocPoints(Curve):
    """False and true positive rate at each threshold, from the top; the first point is (0, 0) at infinity."""

    fpr: Any
    tpr: Any
    threshold: Any

    @property
    def area(self) -> float:
        """The area under the straight lines between the points, which is ROC-AUC."""
        return float(np.trapezoid(self.tpr, self.fpr))


@dataclass(frozen=True, repr=False)
class PrPoints(Curve):
    """Precision and recall at each threshold, from the top."""

    precision: Any
    recall: Any
    threshold: Any

    @property
    def area(self) -> float:
        """The area under the steps, which is average precision."""
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))


@dataclass(frozen=True, repr=False)
class Sweep(Curve):
    """The four cells at each threshold (positive from the threshold on), from the top: at infinity nobody is positive."""

    threshold: Any
    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @property
    def _cells(self) -> Cells:
        return Cells(self.threshold, self.tp, self.fp, self.fn, self.tn)

    @guarded
    def values(self, metric: MetricName) -> Floats:
        """Any metric of binary labels, such as ``"f1"`` or ``"accuracy"``, at every threshold; NaN where it is undefined."""
        return self._cells.values(metric)

    @guarded
    def best(
        self,
        metric: MetricName,
        *,
        at_least: Conditions | None = None,
        at_most: Conditions | None = None,
    ) -> ChosenThreshold:
        """(threshold, value) where a metric of binary labels is best; among equals the highest threshold.

        ``at_least`` and ``at_most`` are conditions on other metrics: ``best("recall", at_least={"precision": 0.95})``. A
        `SelectionWarning` reminds that a threshold chosen here must be tested on other data.
        """
        return self._cells.choose(metric, at_least, at_most)

    def cheapest(self, cost: ArrayLike) -> ChosenThreshold:
        """(threshold, mean cost) where the decisions cost least; ``cost[t][p]`` as in `expected_cost`."""
        c = square_cost("threshold_sweep", cost, 2)
        n = self.tp + self.fp + self.fn + self.tn
        unit = float(np.abs(c).max()) or 1.0  # so that no sum of large costs overflows
        c = c / unit
        values = (c[1, 1] * self.tp + c[0, 1] * self.fp + c[1, 0] * self.fn + c[0, 0] * self.tn) / n
        at = int(np.argmin(values))
        warn_of_selection()
        return ChosenThreshold(float(self.threshold[at]), float(values[at]) * unit)


@dataclass(frozen=True, kw_only=True)
class CurveMetric(Metric[Rows]):
    """A curve of a binary problem; with a column of scores for each of several classes, a dict of curves, each class against the rest."""

    takes = Takes(("y_true",), ("y_score", "y_prob", "logits"), one_of=True)

    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def check(self) -> None:
        """A proper label set."""
        check_classes(self.name, self.classes)

    def statistic(self) -> Scores:
        """The scores and the truth."""
        return Scores(LabelRules(self.classes, self.positive), binary=True)

    def settle(self, values: Any) -> Any:
        """The ``undefined`` policy at every point."""
        return settle_curves(super().settle, values)

    def of(self, total: Rows) -> Any:
        """The curve, or one per class."""
        draw: Callable[[Steps], Any] = self.draw
        if total["score"].ndim == 1:
            return draw(steps(total))
        return {label: draw(steps(total, j)) for j, label in enumerate(total.labels)}

    def draw(self, s: Steps) -> Curve:
        """The curve of one binary problem. Every curve has this."""
        raise TypeError(f"{self.name} must define draw()")  # a programming error, not a user's


@dataclass(frozen=True, kw_only=True)
class AveragedCurve(CurveMetric):
    """A curve that several classes can share.

    One column of scores per class gives `Curves`, each class against the rest, or with ``multiclass="ovo"`` each class against
    each other one, by the scores of the first of the pair. ``average="micro"`` is one curve of all (row, class) cells pooled,
    ``"macro"`` the mean of the curves.
    """

    average: Literal["macro", "micro"] | None = None
    multiclass: Literal["ovr", "ovo"] = "ovr"

    def check(self) -> None:
        """Options that go together."""
        super().check()
        if self.multiclass == "ovo" and self.average == "micro":
            problem = (
                f"{arg('multiclass', 'ovo')} has no {arg('average', 'micro')}: pairs of classes have no cells in common"
            )
            raise ParameterError(self.name, "", problem, f"Choose {arg('average', 'macro')} or {arg('average', None)}.")

    def of(self, total: Rows) -> Curve | Curves[Any]:
        """One curve, or one per class or pair of classes."""
        if total["score"].ndim == 1:
            return self._alone(total)
        if self.average == "micro":
            return self.draw(steps(pooled(total)))
        curves = self._each(total)
        return (
            curves if self.average is None else self._mean([one for one in curves.values() if not np.isnan(one.area)])
        )

    def _alone(self, total: Rows) -> Curve:
        if self.average is None and self.multiclass == "ovr":
            return self.draw(steps(total))
        asked = arg("average", self.average) if self.average else arg("multiclass", self.multiclass)
        raise InputError(self.name, "", f"{asked} needs one column of scores per class; there is one score per row")

    def _each(self, total: Rows) -> Curves[Any]:
        labels, k = total.labels, total["score"].shape[1]
        if self.multiclass == "ovr":
            return Curves({label: self.draw(steps(total, j)) for j, label in enumerate(labels)})
        if "code" not in total.columns:
            problem = (
                f"{arg('multiclass', 'ovo')} is for classes of which each row has one, not for several labels per row"
            )
            raise InputError(self.name, "", problem)
        pairs = ((a, b) for a in range(k) for b in range(k) if a != b)
        return Curves({(labels[a], labels[b]): self.draw(_pair_steps(total, a, b)) for a, b in pairs})

    def _mean(self, curves: list[Any]) -> Curve:
        """The mean curve. Every such curve has this."""
        raise TypeError(f"{self.name} must define _mean()")  # a programming error, not a user's

    def remarks(self, total: Rows) -> dict[str, float]:
        """Classes or pairs without a curve."""
        if self.average != "macro" or total["score"].ndim == 1:
            return {}
        return {
            "curves are undefined and left out of the mean": float(
                sum(np.isnan(list(self._each(total).areas.values())))
            )
        }


def _pair_steps(total: Rows, a: int, b: int) -> Steps:
    """The steps of class ``a`` against class ``b``; none where neither occurs."""
    pair = pair_of(total, a, b)[1]
    return steps(pair) if pair.n else Steps(*(np.empty(0) for _ in range(3)))


@dataclass(frozen=True, kw_only=True)
class RocCurve(AveragedCurve):
    r"""True against false positive rate over all thresholds.

    .. math:: t \mapsto (\mathrm{FPR}(t), \mathrm{TPR}(t))

    Every distinct score is a point; a row is positive from the threshold on. A rate whose class does not occur is NaN. One
    column of scores per class gives one curve per class with ``mean_area`` and ``area_range``, ``multiclass="ovo"`` one per
    ordered pair of classes; ``average="micro"`` pools all (row, class) cells and ``"macro"`` averages the true positive rates.

    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    """

    record = Record(
        title="ROC curve", range=(0, 1), better="none", family="curve", takes=TAKES, undefined="only one class occurs",
        use="the choice of a threshold, whatever the prevalence", misleads="looks the same at every prevalence",
        equals=("scikit-learn roc_curve(drop_intermediate=False)",), references=("hanley1982",), traps=(28,),
    )  # fmt: skip

    def draw(self, s: Steps) -> RocPoints:
        """Rates at every step."""
        fpr, tpr = divide(np.append(0.0, s.fp), s.negatives), divide(np.append(0.0, s.tp), s.positives)
        return RocPoints(fpr, tpr, np.append(np.inf, s.threshold))

    def _mean(self, curves: list[Any]) -> RocPoints:
        """The mean true positive rate at every false positive rate; there is no common threshold."""
        if not curves:
            return RocPoints(*(np.full(2, np.nan) for _ in range(3)))
        fpr, tpr = mean_line([(one.fpr, one.tpr) for one in curves])
        return RocPoints(fpr, tpr, np.full(len(fpr), np.nan))


@dataclass(frozen=True, kw_only=True)
class PrCurve(AveragedCurve):
    r"""Precision against recall over all thresholds.

    .. math:: t \mapsto (\mathrm{recall}(t), \mathrm{precision}(t))

    Points from the highest threshold down. Between two points precision does not run straight: never integrate by trapezoid.
    Several classes as in `RocCurve`; the macro mean is that of the precisions at every recall.

    >>> pr_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).precision
    array([1.        , 0.5       , 0.66666667, 0.5       ])
    """

    record = Record(
        title="Precision-recall curve", range=(0, 1), better="none", family="curve", takes=TAKES,
        undefined="no row is positive: recall is undefined", use="the choice of a threshold for a rare class",
        misleads="its floor is the prevalence", equals=("scikit-learn precision_recall_curve, reversed and without its end point (1, 0)",),
        references=("davis2006",), traps=(3, 28),
        aliases=("precision_recall_curve",),
    )  # fmt: skip

    def draw(self, s: Steps) -> PrPoints:
        """Precision and recall at every step."""
        return PrPoints(divide(s.tp, s.tp + s.fp), divide(s.tp, s.positives), s.threshold)

    def _mean(self, curves: list[Any]) -> PrPoints:
        """The mean precision at every recall; there is no common threshold."""
        if not curves:
            return PrPoints(*(np.full(1, np.nan) for _ in range(3)))
        recall, precision = mean_steps([(one.recall, one.precision) for one in curves])
        return PrPoints(precision, recall, np.full(len(recall), np.nan))


@dataclass(frozen=True, kw_only=True)
class ThresholdSweep(CurveMetric):
    r"""The confusion cells at every threshold, and from them any rate and the best threshold for it.

    .. math:: t \mapsto (TP, FP, FN, TN)(t)

    The first threshold is infinity: to call nobody positive is a decision too, and may be the cheapest. A threshold chosen
    on the data it is judged on is optimistic: `Sweep.best` and `Sweep.cheapest` warn, and the threshold must be tested on other
    data. Conditions on other metrics hold a choice to what is required: ``best("recall", at_least={"precision": 0.95})``.

    >>> threshold_sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).best("f1")
    ChosenThreshold(threshold=0.35, value=0.8)
    """

    record = Record(
        title="Threshold sweep", range=(0, np.inf), better="none", family="curve", takes=TAKES,
        use="choosing a threshold by F1, by cost or by a required precision",
        misleads="the best value on the same data is optimistic", references=("elkan2001",),
    )  # fmt: skip

    @property
    def weights_count(self) -> bool:
        """Cells grow with the weights."""
        return True

    def draw(self, s: Steps) -> Sweep:
        """Cells at every step, and above all of them."""
        tp, fp = np.append(0.0, s.tp), np.append(0.0, s.fp)
        return Sweep(np.append(np.inf, s.threshold), tp, fp, s.positives - tp, s.negatives - fp)
