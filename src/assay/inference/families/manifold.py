"""Overlaps of the nearest-neighbour balls of two samples, such as generative precision and recall: Wilson or t, given the balls."""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile
from assay.core.errors import InputError, ParameterError
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.inference import formulas
from assay.inference.delta_method import FEW_ROWS, Interval
from assay.inference.families.family import Family, refuse_resampling
from assay.inference.sample import Sample, asked

_WHY = "a replicate repeats rows, whose balls then have no size"


class CoveredRows(Protocol):
    """Of the rows that are examined: how far each lies in the balls of the other sample, and its weight."""

    @property
    def values(self) -> Floats:
        """One value per row."""
        ...

    @property
    def weight(self) -> Floats:
        """The weights of the rows."""
        ...


@runtime_checkable
class NeighbourMetric(Protocol):
    """What the family asks of its metrics."""

    def found(self, total: Rows) -> CoveredRows | None:
        """The rows that are examined; None where there are none."""
        ...


class ManifoldFamily(Family):
    """A proportion or density of rows in the balls around the rows of another sample."""

    interval_words = (
        "generative precision and recall: Wilson or t of the rows tested, given the balls of the other sample"
    )
    any_design = True
    unplanned = "is a proportion between two samples"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Proportions by Wilson, densities by t; the balls of the other sample are taken as given."""
        found = asked(sample.metric, NeighbourMetric).found(sample.total)
        if found is None:
            raise InputError(sample.metric.name, "", f"is undefined here: {sample.metric.record.undefined}")
        if sample.design.groups is not None:
            raise ParameterError(
                sample.metric.name,
                "groups",
                "cannot be taken into account: rows must be independent",
                "Leave groups out.",
            )
        size = float(found.weight.sum() ** 2 / (found.weight @ found.weight))
        few = f"rests on {size:.3g} rows only" if size < FEW_ROWS else ""
        if sample.bounds[1] == 1:
            return Interval(*formulas.wilson(sample.value * size, size, level), "Wilson, given the balls", few)
        spread = float(found.weight @ (found.values - sample.value) ** 2 / found.weight.sum())
        half = t_quantile(level, max(1.0, size - 1)) * math.sqrt(spread / max(1.0, size - 1))
        return Interval(max(0.0, sample.value - half), sample.value + half, "t, given the balls", few)

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """The bootstrap is not valid where balls have no size."""
        refuse_resampling(sample.metric, method, _WHY)

    def refuse_comparison(self, metric: Metric[Any], method: str) -> None:
        """No comparison is: the balls that both models share have no known error."""
        refuse_resampling(metric, method, _WHY)
        raise ParameterError(
            metric.name,
            "",
            f"has no test of a difference: {_WHY}, and both models share one nearest-neighbour estimate",
            "Score each of them, and look at both intervals.",
        )
