"""Quantiles of errors, such as the median: order statistics, whatever the distribution of the errors."""

from __future__ import annotations

import numpy as np

from assay.core.monoids import Rows
from assay.inference import formulas
from assay.inference.delta_method import Interval
from assay.inference.families.family import Family, NoFormulaError
from assay.inference.sample import Sample


class QuantileFamily(Family):
    """A quantile of the errors of single rows."""

    interval_words = "quantile: order statistics"
    one_sided = True
    unplanned = "depends on how dense the errors are around the quantile"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Order statistics, by the binomial distribution alone."""
        rows = sample.total["absolute"] if isinstance(sample.total, Rows) else None
        if rows is None or rows.shape[1] != 1 or sample.weighted:
            raise NoFormulaError
        at = formulas.order_statistics(sample.n, 0.5, level)
        if at is None:
            few = f"{sample.n} rows are too few for this level"
            return Interval(float(rows.min()), float(rows.max()), "order statistics", few)
        ordered = np.partition(rows[:, 0], at)
        return Interval(float(ordered[at[0]]), float(ordered[at[1]]), "order statistics")
