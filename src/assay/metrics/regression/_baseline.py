"""A statistic of the baseline: what relative errors divide by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.arrays import Array
from assay.core.inputs import Inputs
from assay.core.monoids import Element
from assay.core.statistic import Linear, Statistic


@dataclass(frozen=True)
class BaselineStatistic(Statistic[Any]):
    """The loss's statistic with the baseline in the place of the prediction."""

    inner: Statistic[Any]
    prediction: str

    @property
    def holds(self) -> tuple[str, ...] | None:
        """Its names."""
        return self.inner.holds

    def of(self, inputs: Inputs) -> Element:
        """The element of the baseline."""
        return self.inner.of(inputs.renamed(self.prediction, "y_baseline"))

    def linear(self, inputs: Inputs) -> Linear | None:
        """Its rows."""
        return self.inner.linear(inputs.renamed(self.prediction, "y_baseline"))

    def unit_rows(self, inputs: Inputs) -> Array:
        """The same in any library."""
        return self.inner.unit_rows(inputs.renamed(self.prediction, "y_baseline"))
