"""A metric on data with everything that inference needs: value, influence values, standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Counts, Moments, Sum
from assay.core.outcomes import Outcome
from assay.core.statistic import gradient
from assay.inference.design import Design

P = TypeVar("P")


def asked(metric: Metric[Any], kind: type[P]) -> P:
    """The metric as a ``kind`` (a runtime-checkable Protocol): what its family needs beyond what every metric has."""
    if isinstance(metric, kind):
        return metric
    raise ParameterError(
        metric.name,
        "",
        f"names the family {metric.record.family!r}, whose metrics must be a {kind.__name__}",
        "Name another family, or write what that protocol lists.",
    )


class NotSmoothError(LookupError):
    """The metric has no influence values on these data: callers that can resample do that instead."""


@dataclass(frozen=True)
class Spread:
    """Sums of squares and cubes of the influence values of independent rows."""

    square: float
    cube: float


class Sample:
    """A metric on data. Everything is computed when first needed, and once."""

    def __init__(self, metric: Metric[Any], inputs: Inputs, design: Design | None = None) -> None:
        self.metric = metric
        self.inputs = inputs
        self.design = (design or Design(inputs.n)).within(metric.strata_of(inputs), metric.name)
        # Whether each limit must attain its own level, as where one of many intervals is picked out.
        self.each_tail = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.inputs.n

    @cached_property
    def total(self) -> Any:
        """The monoid element of the data."""
        return self.metric.statistic().of(self.inputs)

    @cached_property
    def outcome(self) -> Outcome:
        """The value with its parts and remarks."""
        return self.metric.outcome(self.total)

    @property
    def value(self) -> float:
        """The number; metrics without one have no interval."""
        if not isinstance(self.outcome.value, float):
            problem = "is not one number here, so it does not have one interval"
            raise InputError(self.metric.name, "", problem, "Choose how to average.")
        return self.outcome.value

    @cached_property
    def weight(self) -> Floats | None:
        """The weights of the rows, if there are any."""
        return self.inputs.host_weight()

    @cached_property
    def rows(self) -> float:
        """The effective number of rows (Kish); their number without weights."""
        return float(self.n) if self.weight is None else float(self.weight.sum() ** 2 / (self.weight @ self.weight))

    @property
    def units(self) -> float:
        """How many independent units there are: effective rows, or groups."""
        return self.rows if self.design.plain or self.design.groups is None else float(self.design.units)

    @cached_property
    def uneven(self) -> bool:
        """Whether rows weigh differently, so that one factor for all of them does not give their effective number."""
        return self.weight is not None and bool(self.weight.min() != self.weight.max())

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the value on data of this kind."""
        return self.metric.bounds_of(self.total)

    @property
    def scale(self) -> float:
        """What turns sums of weights into effective numbers of rows."""
        return 1.0 if self.weight is None else self.rows / float(self.weight.sum())

    @property
    def trials(self) -> Any:
        """On how many effective rows the value (or each part) rests."""
        found = self.metric.trials(self.total)
        return self.rows if found is None else found * self.scale

    # ---- influence

    @cached_property
    def influence(self) -> Floats:
        """Influence values of the rows."""
        try:
            values = self.metric.influence_of(self.inputs, self.total)
        except InputError as error:
            raise NotSmoothError(str(error)) from error
        if not np.isfinite(values).all():
            raise NotSmoothError(f"{self.metric.name}: the influence of some rows is not finite.")
        return values

    @cached_property
    def smooth(self) -> bool:
        """Whether there are influence values."""
        try:
            return math.isfinite(self.error)
        except NotSmoothError:
            return False

    @cached_property
    def spread(self) -> Spread:
        """Squares and cubes of the influence values, without the values themselves where that is possible."""
        found = self._table_spread() or self._streamed_spread()
        if found is None:
            v = self.influence
            found = Spread(float(v @ v), float(v**2 @ v))
        return found

    def _table_spread(self) -> Spread | None:
        """All rows of a cell have the same influence: a table suffices, whatever the number of rows."""
        return self.spread_of_cells(self.total.table, self.total.table) if self.cells is not None else None

    @cached_property
    def cells(self) -> Floats | None:
        """The influence of the rows of each cell, if the data are a table without weights; else None."""
        total = self.total
        if not isinstance(total, Counts) or self.weight is not None or total.layout == "labelwise":
            return None
        return self._cell_influence()

    def _cell_influence(self) -> Floats:
        table, slope = self.total.table, self.metric.table_slope(self.total)
        return slope - (table * slope).sum() / table.sum()

    def spread_of_cells(self, squares: Any, cubes: Any) -> Spread:
        """From tables of squared and cubed weights."""
        v = self._cell_influence()
        return Spread(float((squares * v**2).sum()), float((cubes * v**3).sum()))

    def _streamed_spread(self) -> Spread | None:
        """A second pass over large data that adds up powers and keeps no row."""
        if self._line is None:
            return None
        powers = self.metric.statistic().power_sums(self.inputs, self.total, *self._line)
        return None if powers is None else Spread(*powers)

    @cached_property
    def _line(self) -> tuple[Any, float] | None:
        """The influence of a row as a function of its sums, ``slope . sums - centre``; None if the element is not made of sums."""
        build, numbers = _opened(self.total)
        if build is None:
            return None
        slope = gradient(self.metric.finalize, build, numbers)
        return (slope, float(slope @ numbers) / float(self.rows / self.scale)) if np.isfinite(slope).all() else None

    def product(self, whole: Sample) -> float | None:
        """The influence of these rows here times that in the ``whole`` they belong to, summed without keeping a row.

        From a table over the same labels, or from the squares of their sum and difference in two passes; None where neither serves.
        """
        if self.cells is not None and whole.cells is not None and self.total.labels == whole.total.labels:
            return float((self.total.table * self.cells * whole.cells).sum())
        if not isinstance(self.total, Sum) or self._line is None or whole._line is None:
            return None
        size = (whole.rows / whole.scale) / (self.rows / self.scale)  # brings both to the same order of magnitude
        (own, at), (other, there) = self._line, whole._line
        powers = self.metric.statistic().power_sums
        both = powers(self.inputs, self.total, own + size * other, at + size * there)
        apart = powers(self.inputs, self.total, own - size * other, at - size * there)
        return None if both is None or apart is None else (both[0] - apart[0]) / (4 * size)

    @property
    def weighted(self) -> bool:
        """Whether there are weights."""
        return self.weight is not None

    @property
    def squared_weights(self) -> Any:
        """The table of summed squared weights."""
        if self.weight is None:
            return self.total.table
        table: Counts = self.metric.statistic().of(self.inputs.reweighted(self.weight**2))
        return table.over(self.total.labels).table

    def weighted_rows(self) -> tuple[Any, Floats, Floats] | None:
        """Weighted rows of sums, their weights and what builds an element of sums; None where no such rows are made."""
        linear = self.metric.statistic().linear(self.inputs)
        if linear is None or linear.rows is None:
            return None
        weight = np.ones(self.n) if self.weight is None else self.weight
        return linear.build, linear.rows * weight[:, None], weight

    @cached_property
    def error(self) -> float:
        """The standard error of the value."""
        if not self.design.plain:
            return self.design.error(self.influence)
        return math.sqrt(self.spread.square * self.rows / max(1.0, self.rows - 1))

    @property
    def skew(self) -> float:
        """Skewness of the influence values: of the losses, if the metric is their mean."""
        if not self.design.plain:
            v, _ = self.design.centred(self.influence)
            return _skewness(float((v**2).sum()), float((v**3).sum()), len(v))
        return _skewness(self.spread.square, self.spread.cube, self.rows)

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard error."""
        return max(1.0, self.rows - 1) if self.design.plain else float(self.design.df)


def _skewness(square: float, cube: float, n: float) -> float:
    size = square**1.5
    return cube / size * math.sqrt(n) if size > 0 else 0.0


def _opened(total: Any) -> tuple[Any, Any]:
    """An element as a function of the sums behind it, and those sums; (None, None) if it is not made of sums."""
    if isinstance(total, Sum):
        shape = np.shape(total.totals)

        def rebuilt(t: Any) -> Sum:
            return replace(total, totals=t.reshape(*t.shape[:-1], *shape))

        return rebuilt, np.ravel(total.totals)
    if isinstance(total, Moments):
        m, k = total.mean.shape
        width = 1 + k + k * k
        sums = np.concatenate([total.weight[:, None], np.zeros((m, k)), total.m2.reshape(m, k * k)], axis=1)

        def build(t: Any) -> Moments:
            return Moments.from_sums(total.names, total.mean, t.reshape(*t.shape[:-1], m, width), total.n)

        return build, cast(Any, sums.reshape(-1))
    return None, None
