"""A metric on what a state has kept: tables, kept rows and power sums give the same spread as all the data."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError
from assay.core.interval_state import Kept, Powers, opened, tables_of
from assay.core.metric import Metric
from assay.core.monoids import Counts, Joint, Rows
from assay.core.statistic import gradient
from assay.inference.design import Design
from assay.inference.sample import NotSmoothError, Sample, Spread

DIGITS = 1e-3  # the least fraction of a power sum that must be more than its rounding


class StateSample(Sample):
    """The sample behind a state: the units are gone, unless the state keeps them."""

    def __init__(self, metric: Metric[Any], total: Any, kept: Kept | None) -> None:
        self.metric = metric
        self.total, self.kept, self.each_tail = total, kept, False
        self.design = Design(int(total.n))
        self.kept_rows = _rows_in(total)
        if isinstance(total, Rows):
            self.design = self.design.within(metric.strata_of(total), metric.name)
        if self.kept_rows is None and kept is None:
            self._refuse("its interval takes the rows, of which the state keeps sums only")

    @property
    def n(self) -> int:
        """Number of rows seen."""
        return int(self.total.n)

    @property
    def inputs(self) -> Any:
        """The data are gone. Whatever resamples them is not available from a state."""
        gone = "the rows, of which the state keeps sums only"
        return self._refuse(
            f"this interval takes {gone if self.kept_rows is None else 'inputs that the state does not keep'}"
        )

    def _refuse(self, why: str) -> NoReturn:
        raise InputError(self.metric.name, "", why, "Call interval with the predictions themselves.")

    # ---- weights

    @cached_property
    def weight(self) -> Floats | None:
        """The weights of kept rows; None without weights."""
        if self.kept_rows is not None:
            return self.kept_rows.weight
        return None if self.kept is None or self.kept.weights.unit else self.inputs

    @property
    def weighted(self) -> bool:
        """Whether there are weights other than 1."""
        return self.weight is not None if self.kept is None else not self.kept.weights.unit

    @cached_property
    def rows(self) -> float:
        """How many equally weighted rows carry the same information (Kish)."""
        return super().rows if self.kept is None else self.kept.weights.total**2 / self.kept.weights.square

    @cached_property
    def uneven(self) -> bool:
        """Whether rows weigh differently."""
        return super().uneven if self.kept is None else self.kept.weights.low != self.kept.weights.high

    @property
    def scale(self) -> float:
        """What turns sums of weights into effective numbers of rows."""
        return super().scale if self.kept is None else self.kept.weights.total / self.kept.weights.square

    @property
    def squared_weights(self) -> Any:
        """The table of summed squared weights."""
        return super().squared_weights if self.kept is None else self._cells(tables_of(self.kept, self.total).square)

    def _cells(self, counts: Counts) -> Any:
        return counts.over(self.total.labels).table

    # ---- influence

    @cached_property
    def influence(self) -> Floats:
        """Influence values of kept rows; of other rows only the sums of their powers are known."""
        if self.kept_rows is None:
            self._refuse("influence values belong to rows, of which the state keeps sums only")
        try:
            return self.metric.row_influence(self.total)
        except InputError as error:
            raise NotSmoothError(str(error)) from error

    @cached_property
    def spread(self) -> Spread:
        """Squares and cubes of the influence values."""
        if self.kept is None:
            return super().spread
        if isinstance(self.total, Counts) and self.total.layout != "labelwise":
            tables = tables_of(self.kept, self.total)
            return self.spread_of_cells(self._cells(tables.square), self._cells(tables.cube))
        return self._spread_of_powers(self._powers)

    @property
    def _powers(self) -> Powers:
        powers = None if self.kept is None else self.kept.powers
        if not isinstance(powers, Powers):
            self._refuse("its rows are too wide for a state to keep the moments that this interval needs")
        return powers

    @property
    def _opened(self) -> tuple[Any, Floats]:
        return opened(self.total, 1.0 if self.kept is None else self.kept.weights.total)

    def _spread_of_powers(self, powers: Powers) -> Spread:
        build, sums = self._opened
        slope = gradient(self.metric.finalize, build, sums)
        slope[0] -= float(slope @ sums) / sums[0]
        if not np.isfinite(slope).all():
            raise NotSmoothError(f"{self.metric.name}: the influence of some rows is not finite.")
        if powers.rows is not None:
            v = powers.weight * (powers.rows @ slope)
            return Spread(float(v @ v), float(v**2 @ v))
        return Spread(_form(powers.square, slope), 0.0 if powers.cube is None else _form(powers.cube, slope))

    def weighted_rows(self) -> tuple[Any, Floats, Floats] | None:
        """The few rows that the state keeps, as they are."""
        powers = self._powers
        if powers.rows is None:
            return None
        return self._opened[0], powers.rows * powers.weight[:, None], powers.weight


def _form(sums: Any, slope: Floats) -> float:
    """The sum of powers of ``slope . h``; zero where only rounding is left, as where all rows agree."""
    value, size = sums, np.abs(sums)
    for _ in range(sums.ndim):
        value, size = value @ slope, size @ np.abs(slope)
    rounding = np.finfo(np.float64).eps * float(size)
    return float(value) if abs(float(value)) * DIGITS > rounding else 0.0


def _rows_in(total: Any) -> Rows | None:
    """The rows that an element keeps, if it does."""
    if isinstance(total, Joint):
        return next((rows for part in total.parts if (rows := _rows_in(part)) is not None), None)
    return total if isinstance(total, Rows) else None
