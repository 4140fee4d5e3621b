"""Errors on a scale that several series share: WAPE over the sum of the targets, NMAE over their size, MSPE over each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Joint, Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.statistic import JointStatistic
from assay.metrics.regression.family import TAKES, PairMetric, mean_of
from assay.metrics.regression.pairs import Atom, PairMoments, PairSums, TargetRange
from assay.metrics.regression.quantiles import weighted_quantile
from assay.metrics.regression.ranks import TargetRows
from assay.metrics.regression.relative import MAPE
from assay.ops import divide, real


@dataclass(frozen=True, kw_only=True)
class WAPE(PairMetric):
    r"""Weighted absolute percentage error: the sum of all errors over the sum of all targets, as a fraction.

    .. math:: \mathrm{WAPE} = \frac{\sum_i |y_i - \hat y_i|}{\sum_i |y_i|}

    MAPE in which each row counts by the size of its target, so that zeros among the targets do no harm. ``percent=True``
    multiplies by 100. Undefined only where every target is zero.

    >>> wape([1.0, 0.0, 4.0], [2.0, 1.0, 4.0])
    0.4
    """

    record = Record(
        title="Weighted absolute percentage error", range=(0, np.inf), better="lower", family="ratio", transform="log",
        takes=TAKES, undefined="every target is zero", use="relative error of demand and sales, where some targets are zero",
        misleads="the large series decide it; 1 is reached by predicting 0 everywhere",
        equals=("torchmetrics weighted_mean_absolute_percentage_error",), references=("kolassa2007",),
        aliases=("wmape", "weighted_mean_absolute_percentage_error", "weighted_absolute_percentage_error", "mad_mean_ratio"),
    )  # fmt: skip

    percent: bool = False

    def gather(self) -> PairSums:
        """Absolute errors and sizes of the targets."""
        return PairSums((Atom("absolute"), Atom("target_size")))

    def each(self, total: Sum) -> Floats:
        """The ratio of the sums."""
        return divide(total["absolute"], total["target_size"]) * (100 if self.percent else 1)


@dataclass(frozen=True, kw_only=True)
class MSPE(MAPE):
    r"""Mean squared percentage error, as a squared fraction.

    .. math:: \mathrm{MSPE} = \frac{1}{n} \sum_i \left(\frac{y_i - \hat y_i}{y_i}\right)^2

    Targets of zero are treated as in `MAPE`: an error by default, ``zeros="skip"`` or ``zeros="epsilon"``. ``percent=True``
    gives squared per cent, 10 000 times as much.

    >>> mspe([1.0, 2.0], [1.5, 2.0])
    0.125
    """

    record = Record(
        title="Mean squared percentage error", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        undefined="a target is zero", use="targets far from zero, where large relative errors cost more than in proportion",
        misleads="a single small target can decide it; rewards predicting too low",
        references=("hyndman2006",), traps=(23,), aliases=("mean_squared_percentage_error",),
    )  # fmt: skip

    @property
    def _atom(self) -> Atom:
        return Atom("squared_percentage", self.epsilon if self.zeros == "epsilon" else 0.0)

    @property
    def _unit(self) -> int:
        return 10_000 if self.percent else 1


@dataclass(frozen=True, kw_only=True)
class NMAE(PairMetric):
    r"""MAE over a size of the target: its mean, range, standard deviation or interquartile range.

    .. math:: \mathrm{NMAE} = \frac{\mathrm{MAE}}{|\bar y|}

    ``divisor="mean"`` divides by the size of the mean, which for positive targets is `WAPE`. ``divisor="sd"`` divides by the
    population standard deviation. Quartiles (``divisor="iqr"``) lie between rows, as in `NRMSE`.

    >>> nmae([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 2.0], divisor="range")
    0.0833...
    """

    record = Record(
        title="Normalised mean absolute error", range=(0, np.inf), better="lower", family="ratio", transform="log",
        takes=TAKES, undefined="the target's spread or mean that it is divided by is zero", use="targets of different scale",
        misleads="four divisors are in use under this name; divisor='mean' is meaningless for targets around zero",
        references=("hyndman2006", "akinshin2023"), aliases=("normalized_mean_absolute_error", "normalised_mean_absolute_error"),
    )  # fmt: skip

    divisor: Literal["mean", "range", "sd", "iqr"] = "mean"

    def check(self) -> None:
        """A known divisor."""
        choice(self.name, "divisor", self.divisor, ("mean", "range", "sd", "iqr"))

    @property
    def weights_are_copies(self) -> bool:
        """Quartiles lie between rows: k copies of a row leave no gap among them, a row of weight k does."""
        return self.divisor != "iqr"

    @property
    def rests_on_extremes(self) -> bool:
        """Whether the smallest and the largest row decide the divisor, which no resampling can exceed."""
        return self.divisor == "range"

    def gather(self) -> JointStatistic:
        """Absolute errors beside what the divisor needs."""
        divisor = {"range": TargetRange(), "iqr": TargetRows()}.get(self.divisor, PairMoments(("target",)))
        return JointStatistic((PairSums((Atom("absolute"),)), divisor))

    def each(self, total: Joint) -> Floats:
        """The ratio."""
        return divide(mean_of(total[0], "absolute"), _target_size(total[1], self.divisor))


def _target_size(total: Any, divisor: str) -> Any:
    if divisor == "sd":
        return np.sqrt(total.second("target") / total.weight)
    if divisor == "mean":
        mean = total.average("target")
        return cast(Any, np.where(real(mean) < 0, -mean, mean))
    if divisor == "range":
        return total.width("target")
    high: Any = weighted_quantile(total["target"], total.weight, 0.75)
    return high - weighted_quantile(total["target"], total.weight, 0.25)
