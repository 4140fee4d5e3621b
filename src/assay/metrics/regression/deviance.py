"""Deviances: twice the log-likelihood that a model lacks to one that fits every row, as a total and as a mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.core.arrays import Array, Floats, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.metrics.rows import RowMeans
from assay.ops import divide

Distribution: TypeAlias = Literal["gaussian", "poisson", "gamma", "binomial"]
DISTRIBUTIONS = ("gaussian", "poisson", "gamma", "binomial")
TAKES = ("y_true: values, counts or events", "y_pred: values, the predicted means")


def log_ratio(y: Array, p: Array) -> Array:
    """``y log(y / p)``, 0 where y is 0; NaN stays NaN."""
    xp = namespace(y, p)
    there = y > 0
    one = xp.ones_like(y)
    return xp.where(there, y, 0 * y) * xp.log(xp.where(there, y, one) / xp.where(there, p, one)) + 0 * (y + p)


def refuse_outside(inputs: Inputs, distribution: str, y: Array, p: Array) -> None:
    """Targets that the distribution never has, and predicted means under which a target is impossible."""
    if distribution == "gaussian":
        return
    top = 1.0 if distribution == "binomial" else np.inf
    least = "above 0" if distribution == "gamma" else "at least 0" if top > 1 else "between 0 and 1"
    low = distribution == "gamma"
    for name, values in (("y_true", y), ("y_pred", p)):
        _refuse(inputs, name, values, (values < 0) | (values > top) | ((values == 0) & low), f"must be {least}")
    impossible = ((p == 0) & (y > 0)) | ((p == top) & (y < top))
    problem = f"makes {arg('y_true')} impossible, so that the deviance is infinite"
    _refuse(inputs, "y_pred", p, impossible, problem)


def _refuse(inputs: Inputs, name: str, values: Array, bad: Array, problem: str) -> None:
    if bool(namespace(bad).any(bad)):
        row = int(np.argmax(to_host(bad)))
        fix = (
            f"Name the {arg('distribution')} that the targets have, and give predicted means, not logarithms or logits."
        )
        raise InputError(inputs.who, name, f"{problem}, got {float(values[row]):g} in row {row}", fix)


@dataclass(frozen=True)
class DevianceRows:
    """The deviance of each row."""

    distribution: Distribution

    def __call__(self, inputs: Inputs) -> Array:
        """One number per row."""
        y, p = inputs.numbers("y_true"), inputs.numbers("y_pred")
        refuse_outside(inputs, self.distribution, y, p)
        xp = namespace(y, p)
        if self.distribution == "gaussian":
            return (y - p) ** 2
        if self.distribution == "poisson":
            return 2 * (log_ratio(y, p) - y + p)
        if self.distribution == "gamma":
            return 2 * (xp.log(p / y) + y / p - 1)
        return 2 * (log_ratio(y, p) + log_ratio(1 - y, 1 - p))


@dataclass(frozen=True, kw_only=True)
class DevianceMetric(Metric[Sum]):
    """Sums of the deviances of rows under a ``distribution``."""

    distribution: Distribution = "gaussian"

    def check(self) -> None:
        """A known distribution."""
        choice(self.name, "distribution", self.distribution, DISTRIBUTIONS)

    def statistic(self) -> RowMeans:
        """Deviances of the rows."""
        return RowMeans("deviance", ("y_true", "y_pred"), DevianceRows(self.distribution))


@dataclass(frozen=True, kw_only=True)
class MeanDeviance(DevianceMetric):
    r"""Mean deviance of the rows: the loss that belongs to a generalised linear model.

    .. math:: \frac2n \sum_i \log p(y_i \mid y_i) - \log p(y_i \mid \hat y_i)

    ``y_pred`` holds predicted means. ``distribution="gaussian"`` is the squared error, ``"poisson"`` is for counts, ``"gamma"``
    for positive amounts whose spread grows with their mean, ``"binomial"`` for fractions and events, where ``y_pred`` is a probability.
    On rows that the model has not seen it ranks models as a proper score does; `deviance` is its total on the training rows.

    >>> mean_deviance([1.0, 0.0, 2.0], [1.0, 0.5, 2.0], distribution="poisson")
    0.3333...
    """

    record = Record(
        title="Mean deviance", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        use="counts, amounts and fractions, where the squared error lets the large rows decide",
        misleads="values under different distributions are not comparable; infinite, and refused, where a mean of 0 meets a target above 0",
        equals=(
            "scikit-learn mean_poisson_deviance, mean_gamma_deviance, mean_tweedie_deviance(power=0)",
            "statsmodels Binomial().deviance over the rows",
        ),
        references=("nelder1972",), aliases=("mean_poisson_deviance", "mean_gamma_deviance", "mean_tweedie_deviance"),
    )  # fmt: skip

    def of(self, total: Sum) -> Floats:
        """Their mean."""
        return divide(total["deviance"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class Deviance(DevianceMetric):
    r"""Deviance of a fit: twice the log-likelihood that it lacks to a model with one parameter per row.

    .. math:: D = 2 \sum_i \log p(y_i \mid y_i) - \log p(y_i \mid \hat y_i)

    A total over the rows that a model was fitted to, as generalised linear models report it: every further parameter lowers it, and it
    says nothing about new rows. ``y_pred`` holds predicted means; the dispersion is 1, so that the Gaussian deviance is the sum of
    squared errors. Weights count rows.

    >>> deviance([1.0, 0.0, 2.0], [1.0, 0.5, 2.0], distribution="poisson")
    1.0
    """

    record = Record(
        title="Deviance", range=(0, np.inf), better="lower", family="training_fit", transform="log", takes=TAKES,
        use="nested models of one kind on the rows they were fitted to",
        misleads="measures training fit: it falls with every parameter and grows with n; on new rows use mean_deviance",
        equals=("statsmodels GLM.fit().deviance",), references=("nelder1972",),
    )  # fmt: skip

    @property
    def weights_count(self) -> bool:
        """A total grows with the weights."""
        return True

    def of(self, total: Sum) -> Floats:
        """Their sum."""
        return total["deviance"]
