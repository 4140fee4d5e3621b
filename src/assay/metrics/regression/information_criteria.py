"""Information criteria: the likelihood of a fit on its own training rows, with a price for every parameter."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.arrays import Array, Floats, like, namespace, to_host
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.metrics.regression._likelihoods import TAKES, DevianceRows, refuse_outside
from assay.metrics.rows import RowMeans
from assay.ops import divide, real

TRAINING = "measures training fit with a correction that holds for maximum likelihood on these very rows; says nothing about new data"
COMMON: dict[str, Any] = {
    "range": (-np.inf, np.inf), "better": "lower", "family": "training_fit", "transform": "identity", "takes": TAKES,
}  # fmt: skip


@dataclass(frozen=True)
class _MinusTwice:
    """Minus twice the log-likelihood of each row; of a Gaussian its squared error, whose variance all rows give."""

    distribution: Literal["gaussian", "poisson", "binomial"]

    def __call__(self, inputs: Inputs) -> Array:
        if self.distribution == "gaussian":
            return DevianceRows("gaussian")(inputs)
        y, p = inputs.numbers("y_true"), inputs.numbers("y_pred")
        refuse_outside(inputs, self.distribution, y, p)
        _refuse_fractions(inputs, self.distribution)
        deviance = DevianceRows(self.distribution)(inputs)
        return deviance if self.distribution == "binomial" else deviance + like(y, _saturated(to_host(y)))


def _saturated(counts: Floats) -> Any:
    """Minus twice the log-likelihood of counts under Poisson distributions with these very means."""
    from scipy.special import gammaln, xlogy  # pyright: ignore

    wide: Any = counts.astype(np.float64)
    return 2 * (gammaln(wide + 1) + wide - xlogy(wide, wide))


def _refuse_fractions(inputs: Inputs, distribution: str) -> None:
    y = inputs.numbers("y_true")
    xp = namespace(y)
    bad = (y != xp.floor(y)) & xp.isfinite(y)
    if bool(xp.any(bad)):
        row = int(np.argmax(to_host(bad)))
        what = "0 or 1" if distribution == "binomial" else "an integer"
        problem = f"must be {what} in every row for a likelihood, got {float(y[row]):g} in row {row}"
        raise InputError(inputs.who, "y_true", problem, "Use deviance for fractions and rates.")


@dataclass(frozen=True, kw_only=True)
class InformationCriterion(Metric[Sum]):
    """Minus twice the log-likelihood plus a price.

    ``coefficients`` is the number k of fitted parameters, the intercept among them. R counts the variance of a Gaussian as one more,
    statsmodels does not: differences between models are the same. ``y_pred`` holds the fitted means of the training rows. The
    variance of a Gaussian is the one that fits best; a fit without errors has minus infinity. Weights count rows. Only models of the
    same rows and the same target (not its logarithm in one of them) compare.
    """

    distribution: Literal["gaussian", "poisson", "binomial"] = "gaussian"
    coefficients: int = 1

    def check(self) -> None:
        """A known distribution and a number of coefficients."""
        choice(self.name, "distribution", self.distribution, ("gaussian", "poisson", "binomial"))
        whole(self.name, "coefficients", self.coefficients, low=0)

    @property
    def weights_count(self) -> bool:
        """A total grows with the weights."""
        return True

    @property
    def corrects_for_rows(self) -> bool:
        """The likelihood is that of as many rows as the weights count."""
        return True

    def statistic(self) -> RowMeans:
        """Likelihoods of the rows."""
        return RowMeans("lost", ("y_true", "y_pred"), _MinusTwice(self.distribution))

    def of(self, total: Sum) -> Floats:
        """Misfit and price."""
        n, lost = total["weight"], total["lost"]
        if self.distribution == "gaussian":
            some = real(lost) > 0  # rows that are all fitted exactly have an infinite likelihood
            lost = np.where(some, n * (1 + np.log(2 * math.pi * np.where(some, lost, 1.0) / n)), -np.inf)
        return lost + self.price(n)

    @abstractmethod
    def price(self, n: Floats) -> Floats:
        """What the coefficients cost on ``n`` rows."""


@dataclass(frozen=True, kw_only=True)
class AIC(InformationCriterion):
    r"""Akaike's information criterion of a fit.

    .. math:: \mathrm{AIC} = 2k - 2 \log L

    Estimates, up to a constant that all models share, how much a maximum likelihood fit would lose on new rows. From training rows
    alone: for a model that was not fitted by maximum likelihood, or was chosen among many, test it on rows of its own.

    >>> aic([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 3.5, 4.5], coefficients=2)
    7.0337...
    """

    record = Record(
        title="Akaike information criterion", **COMMON,
        use="choosing among likelihood models of the same rows without a test set", misleads=TRAINING,
        equals=("statsmodels GLM.fit().aic for Poisson and binomial, OLS.fit().aic for Gaussian",
                "R AIC(lm): coefficients one more, for the variance"),
        references=("akaike1974",), aliases=("akaike_information_criterion",),
    )  # fmt: skip

    def price(self, n: Floats) -> Floats:
        """Two per coefficient."""
        return 2.0 * self.coefficients + 0 * n


@dataclass(frozen=True, kw_only=True)
class AICc(InformationCriterion):
    r"""Akaike's information criterion, corrected for few rows.

    .. math:: \mathrm{AICc} = 2k - 2 \log L + \frac{2 k (k + 1)}{n - k - 1}

    The correction is exact for linear Gaussian models, with the variance counted among the ``coefficients``. Undefined unless n is
    above k + 1.

    >>> aicc([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 3.5, 4.5], coefficients=2)
    19.0337...
    """

    key = "aicc"
    record = Record(
        title="Corrected Akaike information criterion", **COMMON,
        undefined="there are no more rows than coefficients + 1",
        use="as AIC, where n is below about 40 per coefficient", misleads=TRAINING,
        equals=("statsmodels eval_measures.aicc",), references=("hurvich1989",), aliases=("corrected_aic",),
    )  # fmt: skip

    def price(self, n: Floats) -> Floats:
        """Two per coefficient, and more on few rows."""
        k, free = self.coefficients, n - self.coefficients - 1
        return 2 * k + divide(2 * k * (k + 1) + 0 * n, np.where(real(free) > 0, free, np.nan))


@dataclass(frozen=True, kw_only=True)
class BIC(InformationCriterion):
    r"""Bayesian (Schwarz) information criterion of a fit.

    .. math:: \mathrm{BIC} = k \log n - 2 \log L

    Dearer than AIC from eight rows on: it finds the true model among the candidates as n grows, where AIC finds the one that
    predicts best.

    >>> bic([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 3.5, 4.5], coefficients=2)
    5.8063...
    """

    record = Record(
        title="Bayesian information criterion", **COMMON,
        use="choosing the true one among likelihood models of the same rows", misleads=TRAINING,
        equals=("statsmodels GLM.fit().bic_llf for Poisson and binomial, OLS.fit().bic for Gaussian",),
        references=("schwarz1978",), aliases=("schwarz_criterion", "bayesian_information_criterion"),
    )  # fmt: skip

    def price(self, n: Floats) -> Floats:
        """The logarithm of n per coefficient."""
        return self.coefficients * np.log(n)
