"""Forecasts that state their own uncertainty: prediction intervals and distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.core.arrays import Array, Floats, like, namespace, to_host
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice, number
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.rows import RowMeans
from assay.ops import divide, erf


def _bounds(inputs: Inputs) -> tuple[Array, Array, Array]:
    y, low, high = (inputs.numbers(name) for name in ("y_true", "lower", "upper"))
    xp = namespace(y, low, high)
    if bool(xp.any(low > high)):
        row = int(np.argmax(to_host(low > high)))
        raise InputError(
            inputs.who,
            "lower",
            f"must not exceed upper, got {float(low[row]):g} and {float(high[row]):g} in row {row}",
            "Swap them back if they were swapped.",
        )
    return y, low, high


def _covered(inputs: Inputs) -> Array:
    y, low, high = _bounds(inputs)
    return namespace(y).astype((low <= y) & (y <= high), y.dtype) + 0 * (y + low + high)  # NaN must show in the sum


def _width(inputs: Inputs) -> Array:
    y, low, high = _bounds(inputs)
    return high - low + 0 * y


@dataclass(frozen=True)
class _Winkler:
    level: float

    def __call__(self, inputs: Inputs) -> Array:
        y, low, high = _bounds(inputs)
        xp = namespace(y)
        zero = xp.zeros_like(y)
        outside = xp.where(y < low, low - y, zero) + xp.where(y > high, y - high, zero)
        return (
            high - low + (2 / (1 - self.level)) * outside + 0 * y
        )  # no comparison holds for NaN: it must show in the sum


class _IntervalInputs:
    takes: ClassVar[Takes] = Takes(("y_true", "lower", "upper"))


_INTERVAL_TAKES = ("y_true: values", "lower: values", "upper: values")


@dataclass(frozen=True, kw_only=True)
class IntervalCoverage(_IntervalInputs, Metric[Sum]):
    r"""Fraction of targets inside their prediction intervals.

    .. math:: \frac1n \sum_i 1[l_i \le y_i \le u_i]

    Good when it equals the level that the intervals promise: higher is not better. Read it beside `interval_width`; the
    `interval_score` weighs both.

    >>> interval_coverage([1.0, 2.0, 3.0], [0.0, 2.5, 2.0], [2.0, 4.0, 4.0])
    0.6666...
    """

    record = Record(
        title="Coverage of prediction intervals", range=(0, 1), better="none", family="proportion", transform="logit",
        takes=_INTERVAL_TAKES, use="do the intervals hold what they promise",
        misleads="intervals that are far too wide cover everything", references=("gneiting2007",),
        aliases=("PICP",),
    )  # fmt: skip

    def statistic(self) -> RowMeans:
        """Hits."""
        return RowMeans("covered", ("y_true", "lower", "upper"), _covered)

    def of(self, total: Sum) -> Floats:
        """Their fraction."""
        return divide(total["covered"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class IntervalWidth(_IntervalInputs, Metric[Sum]):
    r"""Mean width of prediction intervals.

    .. math:: \frac1n \sum_i (u_i - l_i)

    The price of coverage: among intervals of the right coverage the narrower are better.

    >>> interval_width([1.0, 2.0], [0.0, 2.5], [2.0, 4.0])
    1.75
    """

    record = Record(
        title="Mean width of prediction intervals", range=(0, np.inf), better="lower", family="mean", transform="log",
        takes=_INTERVAL_TAKES, use="sharpness beside coverage", misleads="alone it rewards intervals of width 0",
        references=("gneiting2007",),
    )  # fmt: skip

    def statistic(self) -> RowMeans:
        """Widths."""
        return RowMeans("width", ("y_true", "lower", "upper"), _width)

    def of(self, total: Sum) -> Floats:
        """Their mean."""
        return divide(total["width"], total["weight"])


@dataclass(frozen=True, kw_only=True)
class IntervalScore(_IntervalInputs, Metric[Sum]):
    r"""Interval (Winkler) score: width plus a fine for every target outside.

    .. math:: (u - l) + \frac{2}{1-c} (l - y)_+ + \frac{2}{1-c} (y - u)_+

    ``level`` is the coverage c that the intervals promise. Proper: the true quantiles score best.

    >>> interval_score([1.0, 2.0], [0.0, 2.5], [2.0, 4.0], level=0.75)
    3.75
    """

    record = Record(
        title="Interval score", range=(0, np.inf), better="lower", family="mean", transform="log", takes=_INTERVAL_TAKES,
        use="to rank interval forecasts by one number", misleads="only for the level that is given",
        equals=("scoringrules interval_score(alpha=1-level)",), references=("gneiting2007", "winkler1972"),
        properties=frozenset({"proper"}),
        aliases=("winkler_score",),
    )  # fmt: skip

    level: float = 0.9

    def check(self) -> None:
        """The level is a fraction below one."""
        number(self.name, "level", self.level, low=0, high=1, open_low=True, open_high=True)

    def statistic(self) -> RowMeans:
        """Scores."""
        return RowMeans("score", ("y_true", "lower", "upper"), _Winkler(self.level))

    def of(self, total: Sum) -> Floats:
        """Their mean."""
        return divide(total["score"], total["weight"])


@dataclass(frozen=True)
class _CrpsRows:
    estimator: str

    def __call__(self, inputs: Inputs) -> Array:
        given = sorted(name for name in ("members", "mean", "sd") if name in inputs)
        if given == ["members"]:
            return self._ensemble(inputs)
        if given == ["mean", "sd"]:
            return self._gaussian(inputs)
        raise InputError(
            inputs.who,
            "",
            f"give members (rows, ensemble size), or mean and sd; got {' and '.join(given) or 'neither'}",
        )

    def _ensemble(self, inputs: Inputs) -> Array:
        y, x = inputs.numbers("y_true"), inputs.numbers("members", ranks=(2,))
        xp = namespace(y, x)
        m = int(x.shape[1])
        pairs = m * m if self.estimator == "standard" else m * (m - 1)
        if pairs == 0:
            raise InputError(inputs.who, "", f"the fair estimator needs at least two members, got {m}")
        # The mean distance of two members from their order: one sort instead of m^2 differences.
        place = xp.astype(like(x, 2 * np.arange(m) - m + 1), x.dtype)
        apart = xp.sum(xp.sort(x, axis=1) * place[None, :], axis=1) / pairs
        return xp.mean(xp.abs(x - y[:, None]), axis=1) - apart

    def _gaussian(self, inputs: Inputs) -> Array:
        y, mean, sd = (inputs.numbers(name) for name in ("y_true", "mean", "sd"))
        xp = namespace(y, mean, sd)
        if not bool(xp.all(sd > 0)):
            inputs.refuse_not_finite("sd")
            raise InputError(inputs.who, "sd", f"must be positive, got {float(xp.min(sd)):g}")
        z = (y - mean) / sd
        density = xp.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        return sd * (z * erf(xp, z / math.sqrt(2)) + 2 * density - 1 / math.sqrt(math.pi))


@dataclass(frozen=True, kw_only=True)
class CRPS(Metric[Sum]):
    r"""Continuous ranked probability score of an ensemble or a normal forecast.

    .. math:: \mathrm{CRPS}(F, y) = E|X - y| - \tfrac12 E|X - X'|

    The absolute error of a whole distribution, in the unit of the target; for one member it is the absolute error. Give
    ``members`` (rows, ensemble size), or ``mean`` and ``sd``. ``estimator="fair"`` is unbiased for few members.

    >>> crps([0.0], members=[[-1.0, 1.0]])
    0.5
    """

    record = Record(
        title="Continuous ranked probability score", range=(0, np.inf), better="lower", family="mean", transform="log",
        takes=("y_true: values", "members: values", "mean: values", "sd: values"), use="to rank probabilistic forecasts",
        misleads="the standard estimator favours large ensembles: use fair to compare sizes",
        equals=("properscoring crps_ensemble", 'scoringrules crps_ensemble(estimator="nrg"), "fair"'),
        references=("gneiting2007", "ferro2014"), properties=frozenset({"proper"}),
        aliases=("continuous_ranked_probability_score",),
    )  # fmt: skip
    takes = Takes(("y_true",), ("members", "mean", "sd"))

    estimator: Literal["standard", "fair"] = "standard"

    def check(self) -> None:
        """A known estimator."""
        choice(self.name, "estimator", self.estimator, ("standard", "fair"))

    @property
    def properties(self) -> frozenset[str]:
        """The fair score is for members drawn at random: as a score of their own distribution it is not proper."""
        return self.record.properties - ({"proper"} if self.estimator == "fair" else set[str]())

    def statistic(self) -> RowMeans:
        """Scores."""
        return RowMeans("crps", ("y_true", "members", "mean", "sd"), _CrpsRows(self.estimator))

    def of(self, total: Sum) -> Floats:
        """Their mean."""
        return divide(total["crps"], total["weight"])
