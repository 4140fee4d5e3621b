"""Correlations of ranks: influence values on the Fisher z scale; two models are compared by their ranks."""

from __future__ import annotations

from assay.inference.delta_method import Interval, scaled
from assay.inference.families.correlation import UNPLANNED, fisher_z
from assay.inference.families.family import Family, Ordering
from assay.inference.plan_rules import WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


class RankCorrelationFamily(Family):
    """How far predictions order the rows as the targets do."""

    interval_words = "rank correlation: influence values on the Fisher z scale"
    ordering = Ordering("prediction")
    plan_range = (-1.0, 1.0)
    unplanned_comparison = UNPLANNED

    def interval(self, sample: Sample, level: float) -> Interval:
        """The delta method on the Fisher z scale."""
        return scaled(sample, level)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Fisher's z after Bonett and Wright (2000); Fieller, Hartley and Pearson (1957) for Kendall."""
        value = assumed.value_of(subject, inside=True)
        if subject.key == "kendall":
            return fisher_z(value, assumed, 0.437, 4, "Fisher z after Fieller, Hartley and Pearson")
        return fisher_z(value, assumed, 1 + value**2 / 2, 3, "Fisher z after Bonett and Wright")
