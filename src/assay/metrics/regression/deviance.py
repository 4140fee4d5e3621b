"""Deviances: twice the log-likelihood that a model lacks to one that fits every row, as a total and as a mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.metrics.regression._likelihoods import DISTRIBUTIONS, TAKES, DevianceRows, Distribution
from assay.metrics.rows import RowMeans
from assay.ops import divide


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
