"""Curves as plain arrays: ROC, precision-recall and the sweep over all thresholds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

import numpy as np

from assay.core.call_checks import guarded
from assay.core.errors import ParameterError, UndefinedError
from assay.core.metric import Metric
from assay.core.monoids import Label, Rows
from assay.core.record import Record
from assay.core.registry import find
from assay.core.takes import Takes
from assay.metrics.classification.decisions import square_cost
from assay.metrics.classification.family import OneVsRest, check_classes
from assay.metrics.classification.labels import LabelRules
from assay.metrics.classification.scores import TAKES, Scores, Steps, steps
from assay.ops import divide


class Curve:
    """A curve as plain NumPy arrays."""

    def to_dict(self) -> dict[str, list[float]]:
        """The arrays as lists, ready for JSON or a data frame."""
        return {name: np.asarray(values).tolist() for name, values in asdict(self).items()}  # pyright: ignore


def settle_curves(settle: Callable[[Any], Any], curves: Any) -> Any:
    """Apply an ``undefined`` policy to every array of a curve, a list or a dict of curves."""
    if isinstance(curves, dict):
        return {name: settle_curves(settle, one) for name, one in cast("dict[Any, Any]", curves).items()}
    if isinstance(curves, list):
        return [settle_curves(settle, one) for one in cast("list[Any]", curves)]
    return replace(curves, **{f.name: settle(getattr(curves, f.name)) for f in fields(curves)})


@dataclass(frozen=True)
class RocPoints(Curve):
    """False and true positive rate at each threshold, from the top; the first point is (0, 0) at infinity."""

    fpr: Any
    tpr: Any
    threshold: Any


@dataclass(frozen=True)
class PrPoints(Curve):
    """Precision and recall at each threshold, from the top."""

    precision: Any
    recall: Any
    threshold: Any


@dataclass(frozen=True)
class Sweep(Curve):
    """The four cells at each threshold (positive from the threshold on), from the top: at infinity nobody is positive."""

    threshold: Any
    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @guarded
    def values(self, metric: str | Metric[Any]) -> Any:
        """A rate such as ``"f1"`` or ``"precision"`` at every threshold; NaN where it is undefined."""
        rate: Any = find(metric)() if isinstance(metric, str) else metric
        if not isinstance(rate, OneVsRest):
            what = getattr(rate, "key", repr(rate))
            raise ParameterError(
                "threshold_sweep", "", f"{what} is not a rate of the four cells, such as f1, precision or recall"
            )
        return rate.rate(self.tp, self.fp, self.fn, self.tn)

    @guarded
    def best(self, metric: str | Metric[Any]) -> tuple[float, float]:
        """(threshold, value) where a rate is best; among equals the highest threshold."""
        values = self.values(metric)
        if np.isnan(values).all():
            raise UndefinedError(
                "threshold_sweep", "", f"{metric} is undefined at every threshold: one of the classes does not occur"
            )
        better = (find(metric) if isinstance(metric, str) else metric).record.better
        at = int(np.nanargmax(values) if better == "higher" else np.nanargmin(values))
        return float(self.threshold[at]), float(values[at])

    def cheapest(self, cost: Any) -> tuple[float, float]:
        """(threshold, mean cost) where the decisions cost least; ``cost[t][p]`` as in `expected_cost`."""
        c = square_cost("threshold_sweep", cost, 2)
        n = self.tp + self.fp + self.fn + self.tn
        unit = float(np.abs(c).max()) or 1.0  # so that no sum of large costs overflows
        c = c / unit
        values = (c[1, 1] * self.tp + c[0, 1] * self.fp + c[1, 0] * self.fn + c[0, 0] * self.tn) / n
        at = int(np.argmin(values))
        return float(self.threshold[at]), float(values[at]) * unit


@dataclass(frozen=True, kw_only=True)
class CurveMetric(Metric[Rows]):
    """A curve of a binary problem; with one column of scores per class, a dict of curves, each class against the rest."""

    takes = Takes(("y_true",), ("y_score", "y_prob", "logits"), one_of=True)

    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def check(self) -> None:
        """A proper label set."""
        check_classes(self.name, self.classes)

    def statistic(self) -> Scores:
        """The scores and the truth."""
        return Scores(LabelRules(self.classes, self.positive))

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
class RocCurve(CurveMetric):
    r"""True against false positive rate over all thresholds.

    .. math:: t \mapsto (\mathrm{FPR}(t), \mathrm{TPR}(t))

    Every distinct score is a point; a row is positive from the threshold on. A rate whose class does not occur is NaN.

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


@dataclass(frozen=True, kw_only=True)
class PrCurve(CurveMetric):
    r"""Precision against recall over all thresholds.

    .. math:: t \mapsto (\mathrm{recall}(t), \mathrm{precision}(t))

    Points from the highest threshold down. Between two points precision does not run straight: never integrate by trapezoid.

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


@dataclass(frozen=True, kw_only=True)
class ThresholdSweep(CurveMetric):
    r"""The confusion cells at every threshold, and from them any rate and the best threshold for it.

    .. math:: t \mapsto (TP, FP, FN, TN)(t)

    The first threshold is infinity: to call nobody positive is a decision too, and may be the cheapest. A threshold chosen
    on the data it is judged on is optimistic: choose it on other data.

    >>> threshold_sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).best("f1")
    (0.35, 0.8)
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
