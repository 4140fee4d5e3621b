"""Metrics of order: Spearman, Kendall, median absolute error. They keep the rows and sort them once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay import kernels
from assay.core.arrays import Floats, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.monoids import Rows
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.statistic import Statistic
from assay.metrics.averages import both_sides, but_own, mean_defined
from assay.metrics.regression.family import TAKES, PairMetric
from assay.metrics.regression.pairs import pair
from assay.metrics.regression.quantiles import middles, weighted_median
from assay.ops import divide, quiet, within

_FEW = 4096  # up to here all pairs at once take less time than loading the compiler


@dataclass(frozen=True)
class PairRows(Statistic[Rows]):
    """Target and prediction as they are, one row per unit, one column per output."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("target", "prediction")

    def of(self, inputs: Inputs) -> Rows:
        """The rows on the host; not-finite values are refused."""
        inputs.refuse_ties("y_true", "y_pred")
        y, p = (to_host(a) for a in pair(inputs))
        with quiet():
            finite = np.isfinite(y.sum()) and np.isfinite(p.sum())
        if not finite:
            inputs.refuse_not_finite("y_true", "y_pred")
        return Rows({"target": y, "prediction": p}, inputs.n, weight=inputs.host_weight())


@dataclass(frozen=True)
class ErrorRows(Statistic[Rows]):
    """Absolute errors, one row per unit."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("absolute",)

    def of(self, inputs: Inputs) -> Rows:
        """The rows on the host; not-finite values are refused."""
        y, p = (to_host(a) for a in pair(inputs))
        with quiet():
            errors = np.abs(y - p)
        if not np.isfinite(errors).all():
            inputs.refuse_not_finite("y_true", "y_pred")
            inputs.refuse_overflow()
        return Rows({"absolute": errors}, inputs.n, weight=inputs.host_weight())


@dataclass(frozen=True)
class TargetRows(Statistic[Rows]):
    """The targets, one row per unit."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("target",)

    def of(self, inputs: Inputs) -> Rows:
        """The rows on the host."""
        y, _ = pair(inputs)
        return Rows({"target": to_host(y)}, inputs.n, weight=inputs.host_weight())


@dataclass(frozen=True, kw_only=True)
class MedianAbsoluteError(PairMetric):
    r"""Median of the absolute errors.

    .. math:: \mathrm{median}_i\, |y_i - \hat y_i|

    Half of the predictions are closer than this. Says nothing about the other half.

    >>> median_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """

    record = Record(
        title="Median absolute error", range=(0, np.inf), better="lower", family="quantile", transform="log", takes=TAKES,
        use="a typical error where a few rows are hopeless", misleads="up to half of the predictions may be arbitrarily wrong",
        equals=("scikit-learn median_absolute_error",), references=("hampel1974",), properties=frozenset({"robust"}),
        aliases=("MedAE",),
    )  # fmt: skip

    def gather(self) -> ErrorRows:
        """Absolute errors."""
        return ErrorRows()

    def each(self, total: Rows) -> Floats:
        """Their median."""
        return weighted_median(total["absolute"], total.weight)

    def reweighed(self, total: Any, weights: Any) -> Any:
        """All replicates from one order of the errors."""
        if self.outputs == "variance":
            return super().reweighed(total, weights)
        errors = total["absolute"]
        orders = total.remember("by error", lambda: np.argsort(errors, axis=0, kind="stable"))
        medians = [_medians(errors[order, j], weights, order) for j, order in enumerate(orders.T)]
        return self.settled(np.stack(medians, axis=-1), total)


def _medians(ordered: Floats, weights: Floats, order: Any) -> Floats:
    """The median under each row of ``weights``, in the order of the errors."""
    if kernels.repaid(weights.size):
        return kernels.bootstrap.weighted_middles(weights, order, ordered)
    return middles(ordered, weights[:, order])


def mid_ranks(values: Floats, weight: Floats | None) -> Floats:
    """Ranks around their mean, ties in the middle; under weights the running weight plays the part of the position.

    Half of what is below less half of what is above: the ranks of a constant column are zero to the last digit.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    group = np.cumsum(first) - 1
    size = np.bincount(group, None if weight is None else weight[order])
    ranks = np.empty(len(values))
    ranks[order] = _centred(size)[group]
    return ranks


def _centred(mass: Any) -> Any:
    """Mid-ranks around their mean from the weight of each distinct value (..., values)."""
    before, behind = both_sides(mass * 1.0)
    return (before - behind) / 2


def correlation(a: Floats, b: Floats, weight: Floats | None) -> float:
    """Weighted linear correlation of two columns of mean zero; NaN if one is constant."""
    w = np.ones(len(a)) if weight is None else weight
    return float(within(divide((w * a) @ b, np.sqrt((w * a) @ a) * np.sqrt((w * b) @ b)), -1, 1))


class Column:
    """One output of kept rows, without rows of weight zero; what is found about it without weights is found once."""

    def __init__(self, rows: Rows, at: int) -> None:
        self.rows, self.at, self.weight = rows, at, rows.weight
        self.keep: Any = slice(None) if self.weight is None else self.weight > 0
        self.y, self.p = (rows[name][self.keep, at] for name in ("target", "prediction"))
        self.w = rows.weights()[self.keep]

    def once(self, what: str, build: Callable[[], Any]) -> Any:
        """``build()``, kept with the rows unless it depends on their weights."""
        return self.rows.remember((what, self.at), build) if self.weight is None else build()

    def codes(self) -> Any:
        """The places of both columns' values among the distinct ones."""
        return self.once("codes", lambda: _codes(self.y, self.p))

    def signs(self) -> Any:
        """For each row the weight of the rows it is concordant with minus that of those it is discordant with."""
        cy, cp = self.codes()
        return self.once("signs", lambda: _sign_sums(cy, cp, self.w))


@dataclass(frozen=True, kw_only=True)
class RankMetric(PairMetric):
    """A correlation of orders: one value and the influence of each row on it, a column at a time."""

    @abstractmethod
    def column(self, c: Column) -> float:
        """The value of one output; NaN if it is undefined."""

    @abstractmethod
    def column_influence(self, c: Column) -> Floats:
        """The derivative in the weight of each row, times that weight."""

    def gather(self) -> PairRows:
        """Target and prediction."""
        return PairRows()

    def each(self, total: Rows) -> Floats:
        """The value of each output."""
        return np.array([self.column(Column(total, j)) for j in range(total["target"].shape[1])])

    def row_influence(self, total: Any) -> Floats:
        """On the average of the outputs: through each of them, and through the variances they are weighed by."""
        if self.outputs == "each":
            raise InputError(
                self.name, "", "influence values are defined for a single number", f"Choose {arg('outputs', 'mean')}."
            )
        rows: Any = self.own(total)
        raw, w = self.each(rows), rows.weights()
        values = self.settle(raw)
        given = self._shares(total, len(values))
        share = ~np.isnan(values) * (1.0 if given is None else given)
        influence = self._through_shares(rows["target"], w, values, share)
        for j in np.flatnonzero(~np.isnan(raw)).tolist():
            c = Column(rows, j)
            influence[c.keep] += share[j] * self.column_influence(c)
        return divide(influence, share.sum())

    def _through_shares(self, y: Any, w: Any, values: Any, share: Any) -> Floats:
        if self.outputs != "variance":
            return np.zeros(len(w))
        gap = np.where(share > 0, values - mean_defined(values, share), 0.0)
        return w * ((y - np.average(y, axis=0, weights=w)) ** 2 @ gap)


@dataclass(frozen=True, kw_only=True)
class Spearman(RankMetric):
    r"""Rank correlation: Pearson's correlation of the ranks, ties in the middle.

    .. math:: \rho = r(\mathrm{rank}(y), \mathrm{rank}(\hat y))

    1 when the predictions put the targets in the right order. A constant target or prediction leaves it undefined.

    >>> round(spearman([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 9.0]), 6)
    0.8
    """

    record = Record(
        title="Spearman rank correlation", range=(-1, 1), better="higher", family="rank_correlation", transform="fisher_z",
        takes=TAKES, undefined="the target or the prediction is constant", use="the order matters, the values do not",
        misleads="says nothing about the size of the errors; many ties make it hard to read", equals=("scipy.stats.spearmanr",),
        references=("spearman1904",), properties=frozenset({"symmetric", "scale_invariant", "monotone_invariant"}),
        aliases=("spearmanr", "spearman_corrcoef"),
    )  # fmt: skip

    def column(self, c: Column) -> float:
        """Correlation of the ranks."""
        if c.weight is None and kernels.worthwhile(c.y):
            return float(within(kernels.ranks.spearman(*_orders(c)), -1, 1))
        w = None if c.weight is None else c.w
        return correlation(mid_ranks(c.y, w), mid_ranks(c.p, w), w)

    def column_influence(self, c: Column) -> Floats:
        """A row counts in the correlation of the ranks, and it moves the ranks of all rows above it."""
        if kernels.worthwhile(c.y):
            y, p = _orders(c)
            return kernels.ranks.spearman_influence(y, p, c.w)
        (cy, cp), w = c.codes(), c.w
        total = w.sum()
        a, b = (_mid_sums(code, w) - total / 2 for code in (cy, cp))
        squares = [(w * ranks) @ ranks for ranks in (a, b)]
        scale = np.sqrt(squares[0]) * np.sqrt(squares[1])
        product = a * b - _mid_sums(cy, w * b) - _mid_sums(cp, w * a)
        # The squared ranks of a column sum to (W^3 - sum of t^3) / 12 with t the weight of each run of ties.
        own = sum((total**2 - np.bincount(c, w)[c] ** 2) / square for c, square in zip((cy, cp), squares, strict=True))
        return w * (product / scale - (w * a) @ b / scale * own / 8)

    def reweighed(self, total: Rows, weights: Any) -> Any:
        """All replicates from one order of each column."""
        columns = [Column(total.reweighted(None), j) for j in range(total["target"].shape[1])]
        values: Any = np.stack([_rank_correlations(c.codes(), weights) for c in columns], axis=-1)
        return self.settled(values, total)


def _orders(c: Column) -> Any:
    """Both columns sorted by the kernel."""
    return c.once("orders", lambda: kernels.ranks.orders(c.y, c.p))


def _rank_correlations(codes: Any, weights: Any) -> Any:
    """Spearman's correlation of two coded columns under each row of ``weights``."""
    cy, cp = codes
    if kernels.repaid(weights.size):
        return within(kernels.bootstrap.weighted_spearman(weights, cy, cp), -1, 1)
    step = max(1, (1 << 18) // len(cy))  # so that a piece stays in cache
    parts: list[Any] = []
    for part in (weights[start : start + step] for start in range(0, len(weights), step)):
        (a, squares_a), (b, squares_b) = _batch_ranks(cy, part), _batch_ranks(cp, part)
        scale = np.sqrt(squares_a) * np.sqrt(squares_b)
        parts.append(np.einsum("bn,bn,bn->b", part, a, b) / scale)
    return within(np.concatenate(parts), -1, 1)


def _batch_ranks(code: Any, weights: Any) -> tuple[Any, Any]:
    """Centred mid-ranks of the rows under each row of ``weights``, and their sum of squares, NaN if they are constant."""
    size = int(code.max()) + 1
    cells = code + size * np.arange(len(weights))[:, None]
    mass = np.bincount(cells.reshape(-1), weights.reshape(-1), minlength=size * len(weights)).reshape(-1, size)
    ranks = _centred(mass)
    squares = (mass * ranks**2).sum(axis=1)
    return ranks[:, code], np.where((mass > 0).sum(axis=1) > 1, squares, np.nan)


def _codes(y: Any, p: Any) -> tuple[Any, Any]:
    """The place of each value among the distinct ones, of both columns."""
    return np.unique(y, return_inverse=True)[1], np.unique(p, return_inverse=True)[1]


def _mid_sums(code: Any, values: Any) -> Any:
    """For each row the sum over rows of a lower code and half of that over its own."""
    size = np.bincount(code, values)
    return (np.cumsum(size) - size / 2)[code]


@dataclass(frozen=True, kw_only=True)
class Kendall(RankMetric):
    r"""Kendall's tau: pairs in the right order minus pairs in the wrong order.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_y)(P - T_{\hat y})}}

    C and D count concordant and discordant pairs, P all pairs, T the pairs tied in one of the two. ``variant="c"`` divides
    by the largest difference that the numbers of distinct values allow. Undefined if either is constant.

    >>> kendall([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 9.0])
    0.6666...
    """

    record = Record(
        title="Kendall rank correlation", range=(-1, 1), better="higher", family="rank_correlation", transform="fisher_z",
        takes=TAKES, undefined="the target or the prediction is constant", use="order, read as a probability over pairs",
        misleads="smaller than Spearman on the same data: do not compare the two", equals=("scipy.stats.kendalltau",),
        references=("kendall1945",), properties=frozenset({"symmetric", "scale_invariant", "monotone_invariant"}),
        aliases=("kendalltau", "kendall_tau"),
    )  # fmt: skip

    variant: Literal["b", "c"] = "b"

    def check(self) -> None:
        """A known variant."""
        choice(self.name, "variant", self.variant, ("b", "c"))

    @property
    def optimum(self) -> float | None:
        """Tau-c reaches 1 only where all distinct values are equally frequent."""
        return 1.0 if self.variant == "b" else None

    def column(self, c: Column) -> float:
        """Tau."""
        if self.variant == "b" and c.weight is None and kernels.worthwhile(c.y):
            return _tau_of_many(c)
        (cy, cp), w = c.codes(), c.w
        total, gap = w.sum() ** 2, w @ c.signs()
        if self.variant == "b":
            loose = [_untied(np.bincount(c, w)) for c in (cy, cp)]
            # A unit forms no pair with itself or its copies: their squares cancel in every difference above.
            return float(within(divide(gap, np.sqrt(loose[0]) * np.sqrt(loose[1])), -1, 1))
        least = min(cy.max(), cp.max()) + 1
        return float(within(divide(gap * least, total * (least - 1)), -1, 1))

    def column_influence(self, c: Column) -> Floats:
        """A row adds its own pairs to those in order and to all that are counted."""
        (cy, cp), w, signs = c.codes(), c.w, c.signs()
        total = w.sum()
        if self.variant == "c":
            least = min(cy.max(), cp.max()) + 1
            return 2 * least / (least - 1) * w * (signs - (w @ signs) / total) / total**2
        tied = [np.bincount(c, w) for c in (cy, cp)]
        loose = [_untied(t) for t in tied]
        scale = np.sqrt(loose[0]) * np.sqrt(loose[1])
        drag = (total - tied[0][cy]) / loose[0] + (total - tied[1][cp]) / loose[1]
        return w * (2 * signs - (w @ signs) * drag) / scale


def _tau_of_many(c: Column) -> float:
    """Tau-b of a large column without weights, whose pairs are counted."""
    gap, *tied = kernels.ranks.kendall_pairs(*_orders(c))
    pairs = len(c.y) * (len(c.y) - 1) // 2
    return float(within(divide(float(gap), np.sqrt(pairs - tied[0]) * np.sqrt(pairs - tied[1])), -1, 1))


def _untied(mass: Any) -> Any:
    """The weight of all ordered pairs of rows with different values: zero where there is one value alone."""
    return mass @ but_own(mass)


def _sign_sums(cy: Any, cp: Any, w: Any) -> Any:
    """For each row the weight of the rows it is concordant with minus that of those it is discordant with."""
    if len(w) > _FEW:
        return kernels.ranks.sign_sums(cy, cp, w)
    parts = [slice(start, start + 256) for start in range(0, len(w), 256)]
    return np.concatenate(
        [(np.sign(cy[part, None] - cy[None, :]) * np.sign(cp[part, None] - cp[None, :])) @ w for part in parts]
    )
