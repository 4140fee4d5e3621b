"""Sums over units (sentences, queries, pictures) of the numbers that a measure takes of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.statistic import Linear, Statistic

UNITS = "weight"  # the first sum: the weight of the units


class UnitMeasure(Protocol):
    """What is measured on each unit. Equal measures are taken once, so it must be hashable: a frozen dataclass."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers of a unit."""
        ...

    def rows(self, inputs: Inputs) -> Floats:
        """The numbers (units, names)."""
        ...


@dataclass(frozen=True)
class UnitSums(Statistic[Sum]):
    """The weight of all units, then the sums of what a measure says of each."""

    measure: UnitMeasure

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return (UNITS, *self.measure.names)

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    @memo
    def unit_rows(self, inputs: Inputs) -> Floats:
        """One and the numbers of each unit, measured once."""
        rows = self.measure.rows(inputs)
        return np.concatenate([np.ones((len(rows), 1)), rows], axis=1)

    def of(self, inputs: Inputs) -> Sum:
        """The weighted sums."""
        rows, weight = self.unit_rows(inputs), inputs.host_weight()
        return Sum(self.names, rows.sum(axis=0) if weight is None else weight @ rows, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per unit."""
        rows = self.unit_rows(inputs)
        return Linear(lambda totals: Sum(self.names, totals, inputs.n), rows.shape[1], rows=rows)
