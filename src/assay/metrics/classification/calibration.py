"""Calibration: do things happen as often as the probabilities say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import ParameterError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Label, Sum
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.core.statistic import Statistic, gradient
from assay.core.takes import Takes
from assay.metrics.classification.calibration_bins import MOST_BINS, ConfidenceRows, Of, WidthBins, mass_sums
from assay.metrics.classification.curves import Curve, settle_curves
from assay.metrics.classification.family import check_classes
from assay.metrics.classification.labels import LabelRules
from assay.metrics.classification.probabilities import TAKES
from assay.ops import divide, real


@dataclass(frozen=True, kw_only=True)
class CalibrationFamily(Metric[Any]):
    """What the calibration error and the reliability curve share."""

    takes = Takes(("y_true",), ("y_prob", "logits"), one_of=True)

    bins: int = 15
    binning: Literal["width", "mass"] = "width"
    of_what: Of = "auto"
    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Check what both have in common."""
        super().__post_init__()
        whole(self.name, "bins", self.bins, high=MOST_BINS)
        choice(self.name, "binning", self.binning, ("width", "mass"))
        choice(self.name, "of_what", self.of_what, ("auto", "top_label", "positive", "classwise"))
        check_classes(self.name, self.classes)

    def statistic(self) -> Statistic[Any]:
        """Bin sums, or the rows where bins have equal mass."""
        rules = LabelRules(self.classes, self.positive)
        return (
            WidthBins(rules, self.of_what, self.bins)
            if self.binning == "width"
            else ConfidenceRows(rules, self.of_what)
        )

    def sums(self, total: Any) -> Any:
        """(..., questions, bins, 4)."""
        return total.totals if isinstance(total, Sum) else mass_sums(total, self.bins)[0]


@dataclass(frozen=True, kw_only=True)
class CalibrationError(CalibrationFamily):
    r"""Expected calibration error: the mean gap between confidence and accuracy over bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} |\mathrm{acc}(b) - \mathrm{conf}(b)|

    ``norm`` "l1" is ECE, "l2" its root mean square form, "max" the largest gap (MCE). ``of_what`` compares the top label (Guo et
    al.), the positive class, or each class in turn; "auto" is the positive class of two and the top label of more. Bins are
    (a, b], and the dtype of the input decides on which side of an edge a value falls. The plain value is too large on few rows
    even for a perfect model; ``debiased=True`` (l2) takes the sampling noise out. Empty bins do not count. The value of a
    multilabel problem is the mean over its labels.

    >>> calibration_error([1, 1, 1, 0], y_prob=[0.75, 0.75, 0.75, 0.75], bins=2)
    0.0
    """

    record = Record(
        title="Calibration error", range=(0, 1), better="lower", family="calibration", takes=TAKES,
        undefined="no row", use="to see whether probabilities can be taken at their word",
        misleads="depends on the bins; biased upward on few rows; a constant forecast at the base rate scores 0",
        equals=("torchmetrics multiclass_calibration_error, binary_calibration_error", "netcal ECE"),
        references=("guo2017", "kumar2019"), traps=(29,),
        aliases=("ECE", "expected_calibration_error"),
    )  # fmt: skip

    norm: Literal["l1", "l2", "max"] = "l1"
    debiased: bool = False

    def check(self) -> None:
        """Debiasing exists for squares."""
        choice(self.name, "norm", self.norm, ("l1", "l2", "max"))
        if self.debiased and self.norm != "l2":
            raise ParameterError(
                self.name,
                "",
                f"{arg('debiased', True)} needs {arg('norm', 'l2')}: the noise of squared gaps is known, that of absolute gaps is not",
            )

    @property
    def weights_count(self) -> bool:
        """The noise of a bin is known by the number of its rows."""
        return self.debiased

    @property
    def corrects_for_rows(self) -> bool:
        """Debiasing does."""
        return self.debiased

    def influence_of(self, inputs: Inputs, total: object = None) -> Floats:
        """As for any sum of rows, without making the rows, which are as wide as there are bins."""
        statistic = self.statistic()
        if not isinstance(statistic, WidthBins):
            return super().influence_of(inputs, total)
        element = statistic.of(inputs) if total is None else cast(Sum, total)
        shape = np.shape(element.totals)

        def build(t: Any) -> Sum:
            return replace(element, totals=t.reshape(*t.shape[:-1], *shape))

        values = statistic.row_slopes(inputs, gradient(self.finalize, build, cast(Floats, np.ravel(element.totals))))
        base = inputs.host_weight()
        if base is None:
            return values - values.mean()
        return base * (values - (base @ values) / base.sum())

    def of(self, total: Any) -> Any:
        """The error over bins, mean over questions."""
        s = self.sums(total)
        count = s[..., 0]
        gap = divide(s[..., 2] - s[..., 1], count)
        gap = np.where(np.isnan(gap), 0, gap)
        share = divide(count, count.sum(axis=-1, keepdims=True))
        if self.norm == "max":
            return np.max(np.where(real(gap) < 0, -gap, gap), axis=-1).mean(axis=-1)
        if self.norm == "l1":
            return (share * np.where(real(gap) < 0, -gap, gap)).sum(axis=-1).mean(axis=-1)
        square = (share * (gap**2 - (_noise(s, gap) if self.debiased else 0))).sum(axis=-1).mean(axis=-1)
        return np.sqrt(np.where(real(square) > 0, square, 0))


def _noise(s: Any, gap: Any) -> Any:
    """Sampling variance of each bin's gap; a bin of one row says nothing and takes itself out.

    Weights near 1 are one row, up to halfway to two: dividing by what is left of such a bin would blow it up.
    """
    count = s[..., 0]
    spread = s[..., 3] - count * gap**2
    noise = divide(spread, count * (count - 1))
    return cast(Any, np.where(real(count) > 1.5, noise, gap**2))


@dataclass(frozen=True, repr=False)
class Reliability(Curve):
    """Per bin: its edges, weight, mean confidence and observed frequency; NaN in empty bins."""

    low: Any
    high: Any
    weight: Any
    confidence: Any
    frequency: Any


@dataclass(frozen=True, kw_only=True)
class ReliabilityCurve(CalibrationFamily):
    r"""Observed frequency against stated confidence, bin by bin: the reliability diagram as plain arrays.

    .. math:: b \mapsto (\mathrm{conf}(b), \mathrm{acc}(b))

    Below the diagonal the model is too sure. With ``of_what="classwise"`` a list, one curve per class.

    >>> reliability_curve([1, 0], y_prob=[0.9, 0.2], bins=2, of_what="positive").frequency
    array([0., 1.])
    """

    record = Record(
        title="Reliability curve", range=(0, 1), better="none", family="curve", takes=TAKES,
        undefined="empty bins", use="how probabilities are wrong, not only by how much", misleads="sparse bins jump about",
        references=("murphy1977",), traps=(29,),
        aliases=("calibration_curve", "reliability_diagram"),
    )  # fmt: skip

    @property
    def weights_count(self) -> bool:
        """The weight of a bin is part of the curve."""
        return True

    def settle(self, values: Any) -> Any:
        """The ``undefined`` policy in every bin."""
        return settle_curves(super().settle, values)

    def of(self, total: Any) -> Any:
        """One curve per question."""
        if isinstance(total, Sum):
            sums, edges = total.totals, [np.linspace(0, 1, self.bins + 1)] * len(total.totals)
        else:
            sums, edges = mass_sums(total, self.bins)
        curves = [self._curve(s, e) for s, e in zip(sums, edges, strict=True)]
        return curves[0] if len(curves) == 1 else curves

    def _curve(self, s: Any, edges: Any) -> Reliability:
        s = s[: len(edges) - 1]
        return Reliability(edges[:-1], edges[1:], s[:, 0], divide(s[:, 1], s[:, 0]), divide(s[:, 2], s[:, 0]))
