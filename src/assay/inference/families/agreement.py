"""Agreement of two labellings, such as kappa and MCC: a posterior of the four cells, or t on the Fisher z scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.monoids import Counts
from assay.inference import formulas
from assay.inference.class_rates import MANY, POSTERIOR_DRAWS, posterior, rare_class
from assay.inference.delta_method import Interval, few_rows, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample


class AgreementFamily(Family):
    """How far two labellings agree beyond chance."""

    interval_words = "agreement of two labellings: Dirichlet or Fisher z"
    powers = 2
    unplanned = "depends on all cells of the table"

    def interval(self, sample: Sample, level: float) -> Interval:
        """2 x 2: quantiles under a Dirichlet(1/2) posterior of the cells. More classes: t on the Fisher z scale."""
        table = sample.total.table * sample.scale
        if table.shape[-1] == 2 and table.min() < MANY and not sample.uneven:
            rng = np.random.Generator(np.random.Philox(0))
            drawn = rng.standard_gamma(table.reshape(-1) + 0.5, size=(POSTERIOR_DRAWS, 4)).reshape(-1, 2, 2)
            values: Any = sample.metric.finalize(Counts(sample.total.labels, drawn, sample.n, sample.total.layout))
            return posterior(sample, values, level, "Dirichlet(1/2) posterior", few_rows(sample))
        if table.sum() == np.trace(table) and sample.value == 1:
            return _perfect(sample, table, level)
        return scaled(sample, level).doubted(rare_class(sample))


def _perfect(sample: Sample, table: Any, level: float) -> Interval:
    """No row disagrees: Wilson's limit bounds how many might, and the margins give what that does to the value."""
    rows = float(table.sum())
    chance = float((table.sum(axis=0) @ table.sum(axis=1)) / rows**2)
    low, _ = formulas.wilson(rows, rows, level)
    bottom = max(-1.0, (low - chance) / (1 - chance)) if chance < 1 else -1.0
    return Interval(bottom, sample.value, "Wilson on agreement", "truth and decisions agree on every row")
