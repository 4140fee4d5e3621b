"""Means and sums of row errors: MSE, RMSE, SSE, MAE, mean error, pinball, MSLE, RMSLE, sMAPE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.parameters import number
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.metrics.regression.family import TAKES, PairMetric, mean_of
from assay.metrics.regression.pairs import Atom, PairSums


@dataclass(frozen=True, kw_only=True)
class MSE(PairMetric):
    r"""Mean squared error.

    .. math:: \mathrm{MSE} = \frac{1}{n} \sum_i (y_i - \hat y_i)^2

    In the squared unit of the target. One large error outweighs many small ones, and the mean is its best constant.

    >>> mse([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.375
    """

    record = Record(
        title="Mean squared error", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        use="errors are roughly normal and large ones really cost more",
        misleads="one outlier can decide it; not comparable between targets of different scale",
        equals=("scikit-learn mean_squared_error", "torchmetrics mean_squared_error"), references=("gauss1809",),
        aliases=("mean_squared_error", "L2"),
    )  # fmt: skip

    def gather(self) -> PairSums:
        """Squared errors."""
        return PairSums((Atom("squared"),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "squared")


@dataclass(frozen=True, kw_only=True)
class RMSE(PairMetric):
    r"""Root of the mean squared error.

    .. math:: \mathrm{RMSE} = \sqrt{\frac{1}{n} \sum_i (y_i - \hat y_i)^2}

    In the unit of the target. Several outputs: the root is taken per output, then the roots are averaged.

    >>> rmse([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.6123...
    """

    record = Record(
        title="Root mean squared error", range=(0, np.inf), better="lower", family="root_mean", transform="log",
        takes=TAKES, use="as MSE, read in the unit of the target",
        misleads="as MSE; the mean of the roots of batches is not the root of the mean",
        equals=("scikit-learn root_mean_squared_error",), references=("gauss1809",), traps=(32,),
        aliases=("root_mean_squared_error",),
        erratum=f"{SURVEY} calls it the Euclidean distance of targets and predictions; it is that distance divided by the "
        "square root of n.",
    )  # fmt: skip

    def gather(self) -> PairSums:
        """Squared errors."""
        return PairSums((Atom("squared"),))

    def each(self, total: Sum) -> Floats:
        """Root of their mean."""
        return np.sqrt(mean_of(total, "squared"))


@dataclass(frozen=True, kw_only=True)
class SSE(PairMetric):
    r"""Sum of squared errors.

    .. math:: \mathrm{SSE} = \sum_i (y_i - \hat y_i)^2

    Grows with the number of rows, so it compares models on the same data only.

    >>> sse([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    1.5
    """

    record = Record(
        title="Sum of squared errors", range=(0, np.inf), better="lower", family="total", transform="log", takes=TAKES,
        use="inside other formulas (R², F tests)", misleads="depends on n: never compare it between data sets",
        references=("gauss1809",),
        aliases=("sum_of_squared_errors", "residual_sum_of_squares", "RSS"),
    )  # fmt: skip

    @property
    def weights_count(self) -> bool:
        """A total grows with the weights."""
        return True

    def gather(self) -> PairSums:
        """Squared errors."""
        return PairSums((Atom("squared"),))

    def each(self, total: Sum) -> Floats:
        """Their sum."""
        return total["squared"]


@dataclass(frozen=True, kw_only=True)
class MAE(PairMetric):
    r"""Mean absolute error.

    .. math:: \mathrm{MAE} = \frac{1}{n} \sum_i |y_i - \hat y_i|

    In the unit of the target; every unit of error costs the same, and the median is its best constant.

    >>> mae([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """

    record = Record(
        title="Mean absolute error", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        use="a plain, robust size of the error", misleads="rewards predicting the median, which can be 0 on sparse targets",
        equals=("scikit-learn mean_absolute_error",), references=("laplace1774",),
        aliases=("mean_absolute_error", "L1"),
    )  # fmt: skip

    def gather(self) -> PairSums:
        """Absolute errors."""
        return PairSums((Atom("absolute"),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "absolute")


@dataclass(frozen=True, kw_only=True)
class MeanError(PairMetric):
    r"""Mean error: how far predictions lie above the targets on average (bias).

    .. math:: \mathrm{ME} = \frac{1}{n} \sum_i (\hat y_i - y_i)

    Positive where the model predicts too much, 0 without bias. In the unit of the target. Errors of both signs cancel, so it
    says nothing about their size: read it beside MAE or RMSE.

    >>> mean_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.25
    """

    record = Record(
        title="Mean error (bias)", range=(-np.inf, np.inf), better="none", family="mean", transform="identity", takes=TAKES,
        use="whether a model predicts systematically too much or too little",
        misleads="large errors of both signs cancel: 0 is not a good model; some texts subtract the other way round",
        equals=("permetrics MBE",),
        references=("willmott1982",), aliases=("bias", "me", "mbe", "mean_bias_error", "forecast_bias"),
    )  # fmt: skip

    def gather(self) -> PairSums:
        """Errors."""
        return PairSums((Atom("error"),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "error")


@dataclass(frozen=True, kw_only=True)
class Pinball(PairMetric):
    r"""Pinball (quantile) loss: the score under which the ``quantile`` of the target is the best prediction.

    .. math:: \frac{1}{n} \sum_i q \max(y_i - \hat y_i, 0) + (1-q) \max(\hat y_i - y_i, 0)

    Proper for the quantile. At 0.5 it is half the mean absolute error.

    >>> pinball([1.0, 2.0, 3.0], [0.0, 2.0, 3.0], quantile=0.1)
    0.0333...
    """

    record = Record(
        title="Pinball loss", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        use="quantile forecasts; unequal cost of too high and too low: quantile = c_under / (c_under + c_over)",
        misleads="values for different quantiles are not comparable",
        equals=("scikit-learn mean_pinball_loss(alpha=quantile)",), references=("koenker1978",),
        aliases=("quantile", "quantile_loss", "pinball_loss", "mean_pinball_loss"),
        erratum=f"{SURVEY}, eq. 5, says that q = 0.5 gives the mean absolute error; it gives half of it.",
    )  # fmt: skip

    quantile: float = 0.5

    def check(self) -> None:
        """The quantile is a probability."""
        number(self.name, "quantile", self.quantile, low=0, high=1, open_low=True)

    def gather(self) -> PairSums:
        """Pinball losses."""
        return PairSums((Atom("pinball", self.quantile),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, Atom("pinball", self.quantile).label)


@dataclass(frozen=True)
class _LogSums(PairSums):
    """Squared log errors; values of -1 and below have no logarithm here and are refused."""

    def of(self, inputs: Inputs) -> Sum:
        total = super().of(inputs)
        if np.isfinite(total.totals).all():
            return total
        for name in ("y_true", "y_pred"):
            values = inputs.host(name)
            if (values <= -1).any():
                row = int(np.argwhere(values <= -1)[0][0])
                raise InputError(
                    inputs.who,
                    name,
                    f"must be above -1, got {values[row]} in row {row}",
                    "The logarithm of 1 + value is undefined there; use mse or mae.",
                )
        return total


@dataclass(frozen=True, kw_only=True)
class MSLE(PairMetric):
    r"""Mean squared logarithmic error.

    .. math:: \mathrm{MSLE} = \frac{1}{n} \sum_i (\log(1+y_i) - \log(1+\hat y_i))^2

    Measures the ratio of prediction and target, for targets that grow over orders of magnitude. Values of -1 and below
    are refused.

    >>> msle([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])
    0.0397...
    """

    record = Record(
        title="Mean squared logarithmic error", range=(0, np.inf), better="lower", family="mean", transform="log",
        takes=TAKES, use="counts and sizes over several orders of magnitude", misleads="punishes too low more than too high",
        equals=("scikit-learn mean_squared_log_error",), references=("hyndman2006",),
        aliases=("mean_squared_log_error",),
    )  # fmt: skip

    def gather(self) -> PairSums:
        """Squared log errors."""
        return _LogSums((Atom("squared_log"),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "squared_log")


@dataclass(frozen=True, kw_only=True)
class RMSLE(MSLE):
    r"""Root of the mean squared logarithmic error.

    .. math:: \mathrm{RMSLE} = \sqrt{\frac{1}{n} \sum_i (\log(1+y_i) - \log(1+\hat y_i))^2}

    About the relative error when it is small.

    >>> rmsle([3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0])
    0.1993...
    """

    record = Record(
        title="Root mean squared logarithmic error", range=(0, np.inf), better="lower", family="root_mean", transform="log",
        takes=TAKES, use="as MSLE, read as a relative error", misleads="as MSLE",
        equals=("scikit-learn root_mean_squared_log_error",), references=("hyndman2006",),
        aliases=("root_mean_squared_log_error",),
    )  # fmt: skip

    def each(self, total: Sum) -> Floats:
        """Root of the mean."""
        return np.sqrt(mean_of(total, "squared_log"))


@dataclass(frozen=True, kw_only=True)
class SMAPE(PairMetric):
    r"""Symmetric mean absolute percentage error, from 0 to 2.

    .. math:: \mathrm{sMAPE} = \frac{1}{n} \sum_i \frac{2 |y_i - \hat y_i|}{|y_i| + |\hat y_i|}, \quad 0/0 = 0

    Bounded where MAPE explodes. ``percent=True`` gives the 0 to 200 of the M4 competition. Not symmetric in fact: too low
    costs more than too high by the same amount.

    >>> smape([1.0, 2.0, 0.0], [1.0, 4.0, 0.0])
    0.2222...
    """

    record = Record(
        title="Symmetric mean absolute percentage error", range=(0, 2), better="lower", family="mean", transform="identity",
        takes=TAKES, use="forecasts of series on different scales, as in M3 and M4",
        misleads="jumps to 2 when only one of target and prediction is 0; three scales are in use under this name",
        equals=("M4: percent=True", "torchmetrics symmetric_mean_absolute_percentage_error", "permetrics SMAPE: percent=True"),
        references=("makridakis2020",), traps=(24,),
        aliases=("symmetric_mean_absolute_percentage_error",),
        erratum=f"{SURVEY} says that it treats over- and under-forecasts alike; a forecast 10 % too high costs 0.0952, one 10 "
        "% too low 0.1053.",
    )  # fmt: skip

    percent: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """0 to 2, or 0 to 200."""
        return (0, 200) if self.percent else self.record.range

    def gather(self) -> PairSums:
        """Symmetric percentage errors."""
        return PairSums((Atom("symmetric"),))

    def each(self, total: Sum) -> Floats:
        """Their mean."""
        return mean_of(total, "symmetric") * (100 if self.percent else 1)
