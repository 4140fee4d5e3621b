"""Sums of one value per row, for metrics that are means of such values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, namespace, to_host
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.statistic import Linear, Statistic
from assay.ops import quiet, total


@dataclass(frozen=True)
class RowMeans(Statistic[Sum]):
    """Sums of one row value of several inputs; ``rows`` works in any array library."""

    what: str
    names: tuple[str, ...]
    rows: Callable[[Inputs], Array]
    sizes: Callable[[Inputs], Array] | None = None  # what a row counts in the denominator; 1 without it

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("weight", self.what)

    def of(self, inputs: Inputs) -> Sum:
        """Weight and sum; not-finite inputs are refused."""
        rows = self.unit_rows(inputs)
        sums = total(namespace(rows), rows, inputs.weight)
        if not np.isfinite(sums).all():
            inputs.refuse_not_finite(*(name for name in self.names if name in inputs))
            inputs.refuse_overflow()
        return Sum(("weight", self.what), sums, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One value per unit."""
        return Linear(lambda t: Sum(("weight", self.what), t, inputs.n), 2, rows=to_host(self.unit_rows(inputs)))

    def unit_rows(self, inputs: Inputs) -> Array:
        """Size and value of each unit."""
        with quiet():
            rows = self.rows(inputs)
        xp = namespace(rows)
        sizes = xp.ones_like(rows) if self.sizes is None else xp.astype(self.sizes(inputs), rows.dtype)
        return xp.stack([sizes, rows], axis=-1)
