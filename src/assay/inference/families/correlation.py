"""Correlations of values: influence values on the Fisher z scale."""

from __future__ import annotations

import math

from assay.core.distributions import z_quantile
from assay.inference.delta_method import Interval, scaled
from assay.inference.families.family import Family
from assay.inference.formulas import Limits
from assay.inference.plan_rules import WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample

UNPLANNED = "of two models depends on how both predictions go together"


def fisher_z(value: float, assumed: Assumed, spread: float, lost: int, method: str) -> WidthRule:
    """Fisher's z with the variance ``spread / (rows - lost)``."""

    def limits(rows: int) -> Limits:
        half, centre = z_quantile(assumed.level) * math.sqrt(spread / (rows - lost)), math.atanh(value)
        return math.tanh(centre - half), math.tanh(centre + half)

    return WidthRule(limits, method, {"value"}, lost + 1)


class CorrelationFamily(Family):
    """The linear correlation of predictions and targets."""

    interval_words = "correlation: influence values on the Fisher z scale"
    powers = 2
    plan_range = (-1.0, 1.0)
    unplanned_comparison = UNPLANNED

    def interval(self, sample: Sample, level: float) -> Interval:
        """The delta method on the Fisher z scale."""
        return scaled(sample, level)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Fisher's z for normal data."""
        return fisher_z(assumed.value_of(subject, inside=True), assumed, 1.0, 3, "Fisher z, normal data")
