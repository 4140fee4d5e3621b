"""Explained variation and correlation, from centred moments: R², adjusted R², explained variance, Pearson."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Moments
from assay.core.parameters import whole
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.metrics.regression.family import TAKES, PairMetric
from assay.metrics.regression.pairs import PairMoments
from assay.ops import divide, real, within


def _r2(total: Moments) -> Any:
    # The sum of squared errors from two terms that are never negative: nothing cancels.
    sse = total.second("error") + total.weight * total.average("error") ** 2
    return 1 - divide(sse, total.second("target"))


@dataclass(frozen=True, kw_only=True)
class R2(PairMetric):
    r"""Coefficient of determination: the fraction of the target's variation that the model removes.

    .. math:: R^2 = 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}

    1 is perfect, 0 is as good as the mean of these targets, below 0 is worse than that. Computed from centred moments, so
    it means the same at every scale. A constant target leaves it undefined.

    >>> r2([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.9486...
    """

    record = Record(
        title="Coefficient of determination", range=(-np.inf, 1), better="higher", family="r2", transform="log_one_minus",
        takes=TAKES, undefined="the target is constant", use="how much better than predicting the mean",
        misleads="rises with the spread of the targets at equal error; the baseline is the test set's own mean",
        equals=("scikit-learn r2_score (force_finite=False)",), references=("wright1921",), traps=(25,),
        aliases=("r2_score", "r_squared", "coefficient_of_determination"),
        erratum=f"{SURVEY} gives the range 0 to 1; it has no lower bound, and is negative for a model worse than the mean.",
    )  # fmt: skip

    def gather(self) -> PairMoments:
        """Moments of target and error."""
        return PairMoments(("target", "error"))

    def each(self, total: Moments) -> Floats:
        """One minus SSE over SST."""
        return _r2(total)


@dataclass(frozen=True, kw_only=True)
class AdjustedR2(PairMetric):
    r"""R² with a price for every feature of the model.

    .. math:: \bar R^2 = 1 - (1 - R^2) \frac{n-1}{n - f - 1}

    ``features`` is the number f of features. Undefined for a constant target and when n is not above f + 1.

    >>> adjusted_r2([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0], features=1)
    0.9229...
    """

    record = Record(
        title="Adjusted R²", range=(-np.inf, 1), better="higher", family="r2", transform="log_one_minus", takes=TAKES,
        undefined="the target is constant or there are no more rows than features + 1",
        use="linear models compared on their own training data", misleads="means nothing on held-out data: use R² there",
        references=("theil1961",),
        aliases=("adjusted_r2_score",),
        erratum=f"{SURVEY} gives the range 0 to 1 and reads a negative value as worse than the mean; it has no lower bound, "
        "and R² = 0.1 with n = 20 and 5 predictors gives -0.22 though the model beats the mean.",
    )  # fmt: skip

    features: int = 1

    def check(self) -> None:
        """A number of features."""
        whole(self.name, "features", self.features, low=0)

    @property
    def weights_count(self) -> bool:
        """The correction counts rows."""
        return True

    @property
    def corrects_for_rows(self) -> bool:
        """It does."""
        return True

    def gather(self) -> PairMoments:
        """Moments of target and error."""
        return PairMoments(("target", "error"))

    def each(self, total: Moments) -> Floats:
        """R² with the correction."""
        n = total.weight
        free = n - self.features - 1
        return 1 - (1 - _r2(total)) * divide(n - 1, np.where(real(free) <= 0, 0, free))


@dataclass(frozen=True, kw_only=True)
class ExplainedVariance(PairMetric):
    r"""R² that forgives a constant bias of the predictions.

    .. math:: 1 - \frac{\mathrm{Var}(y - \hat y)}{\mathrm{Var}(y)}

    The gap to R² is the price of the bias. A constant target leaves it undefined.

    >>> explained_variance([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.9571...
    """

    record = Record(
        title="Explained variance", range=(-np.inf, 1), better="higher", family="r2", transform="log_one_minus", takes=TAKES,
        undefined="the target is constant", use="when a constant offset will be corrected anyway",
        misleads="blind to systematic over- or underprediction", equals=("scikit-learn explained_variance_score (force_finite=False)",),
        references=("kent1983",),
        aliases=("explained_variance_score",),
    )  # fmt: skip

    def gather(self) -> PairMoments:
        """Moments of target and error."""
        return PairMoments(("target", "error"))

    def each(self, total: Moments) -> Floats:
        """One minus the ratio of variances."""
        return 1 - divide(total.second("error"), total.second("target"))


@dataclass(frozen=True, kw_only=True)
class Pearson(PairMetric):
    r"""Linear correlation of target and prediction.

    .. math:: r = \frac{\sum_i (y_i - \bar y)(\hat y_i - \bar{\hat y})}{\sqrt{\sum_i (y_i - \bar y)^2 \sum_i (\hat y_i - \bar{\hat y})^2}}

    Unchanged when predictions are shifted or scaled. A constant target or prediction leaves it undefined.

    >>> pearson([1.0, 2.0, 3.0], [2.0, 4.0, 7.0])
    0.9933...
    """

    record = Record(
        title="Pearson correlation", range=(-1, 1), better="higher", family="correlation", transform="fisher_z", takes=TAKES,
        undefined="the target or the prediction is constant", use="linear association, scale does not matter",
        misleads="predictions off by a factor of ten still score 1; one outlier can make or break it",
        equals=("scipy.stats.pearsonr",), references=("pearson1895",), properties=frozenset({"symmetric", "scale_invariant"}),
        aliases=("pearsonr", "pearson_corrcoef"),
    )  # fmt: skip

    def gather(self) -> PairMoments:
        """Moments of target and prediction."""
        return PairMoments(("target", "prediction"))

    def each(self, total: Moments) -> Floats:
        """Covariance over the root of the variances."""
        scale = np.sqrt(total.second("target")) * np.sqrt(total.second("prediction"))
        return within(divide(total.second("target", "prediction"), scale), -1, 1)
