"""Means of scores that lie between two bounds: t on the logit scale, which stays between them."""

from __future__ import annotations

import math

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile
from assay.core.errors import ParameterError
from assay.inference import formulas
from assay.inference.delta_method import Interval, scaled
from assay.inference.differences import Difference
from assay.inference.families.family import Family
from assay.inference.families.mean import NAMED_TEST, paired_hall, paired_t_power
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


def logit_t(sample: Sample, level: float) -> Interval:
    """t on the logit scale."""
    return scaled(sample, level, name="logit")


class BoundedMeanFamily(Family):
    """The mean of scores per row, each between two bounds."""

    interval_words = "mean of bounded scores: t on the logit scale"
    powers = 2
    comparison_words = "means of losses: paired Hall t"
    named_tests = (NAMED_TEST,)
    each_unit_counts = True
    mean_of_rows = True

    def interval(self, sample: Sample, level: float) -> Interval:
        """t on the logit scale."""
        return logit_t(sample, level)

    def paired(self, a: Sample, moved: Floats, effect: float, level: float) -> Difference | None:
        """Hall's transformed t of the differences."""
        if effect == 0 and not np.any(moved):
            return self.equal(a, level)
        return paired_hall(a, moved, effect, level)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Student's t on the logit scale, from the standard deviation or from the largest one possible."""
        value, (low, high) = assumed.value_of(subject, inside=True), subject.bounds
        largest = math.sqrt((value - low) * (high - value))
        sd = largest if assumed.sd is None else assumed.sd
        if sd > largest * (1 + 1e-9):
            raise ParameterError(subject.who, "sd", f"cannot be above {largest:.3g} around {value:g}, got {sd:g}")

        def limits(rows: int) -> formulas.Limits:
            quantile = t_quantile(assumed.level, rows - 1)
            return formulas.rescaled("logit", value, sd / math.sqrt(rows), subject.bounds, quantile)

        how = "logit t" + (", largest possible sd" if assumed.sd is None else "")
        return WidthRule(limits, how, {"value", "sd"})

    def power(self, subject: PlanSubject, assumed: Assumed) -> PowerRule:
        """The paired t test."""
        return paired_t_power(subject, assumed)
