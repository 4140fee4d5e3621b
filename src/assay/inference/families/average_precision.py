"""Average precision: influence values on the logit scale, Boyd's interval for few positives."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np

from assay.core.distributions import z_quantile
from assay.core.errors import ParameterError
from assay.core.monoids import Rows
from assay.core.name_columns import as_text
from assay.inference import formulas
from assay.inference.delta_method import Interval, scaled
from assay.inference.families.auc import class_sizes
from assay.inference.families.family import Family, NoFormulaError, Ordering
from assay.inference.sample import Sample, asked

FEW_POSITIVES = 50


@runtime_checkable
class PrecisionMetric(Protocol):
    """What the family asks of its metrics."""

    @property
    def interpolated(self) -> bool:
        """Whether precision is raised to its highest later value, which has no influence values."""
        ...

    def squares(self, rows: Rows) -> float:
        """The sum of squared influence values."""
        ...


class AveragePrecisionFamily(Family):
    """Average precision of two classes, or averaged over several."""

    interval_words = "average precision: influence values on the logit scale"
    ordering = Ordering("score")
    unplanned = "depends on the whole order of the scores"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Influence values on the logit scale; Boyd's logit interval for few positives and values near 1."""
        metric = asked(sample.metric, PrecisionMetric)
        if metric.interpolated:
            raise NoFormulaError
        if sample.total["score"].ndim == 2:
            return scaled(sample, level)
        positives, _ = class_sizes(sample.total)
        value, z = sample.value, z_quantile(level)
        few = f"only {positives:.3g} positive rows" if positives < FEW_POSITIVES else ""
        if few or value > 0.95:
            inner = (positives + 0.5) / (positives + 1) if value >= 1 else value  # rounding may pass 1
            error = math.sqrt(inner * (1 - inner) / positives)
            low, high = formulas.on_scale("logit", inner, error, z)
            return Interval(low, max(high, value), "Boyd logit", few)
        error = math.sqrt(metric.squares(sample.total) * sample.rows / max(1.0, sample.rows - 1))
        return Interval(*formulas.on_scale("logit", value, error, z), "influence values on the logit scale")

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """Strata equal to the classes fix what precision varies with."""
        if sample.design.strata is not None and _strata_are_classes(sample):
            raise ParameterError(
                sample.metric.name,
                "strata",
                "that fix the number of positives hide the variation of precision",
                "Leave strata out.",
            )


def _strata_are_classes(sample: Sample) -> bool:
    """Whether every stratum holds one class only."""
    if sample.inputs["y_true"].ndim > 1:
        return False
    truth = np.unique(as_text(sample.inputs.host("y_true")), return_inverse=True)[1]
    pairs = np.unique(np.stack([sample.design.strata, truth.reshape(-1)], axis=1), axis=0)
    return len(pairs) == len(np.unique(sample.design.strata))
