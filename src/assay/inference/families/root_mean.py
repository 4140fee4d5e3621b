"""Roots of means of squares: the root of Hall's interval of the mean square."""

from __future__ import annotations

import math

from assay.core.distributions import t_quantile
from assay.inference.delta_method import ALL_AGREE, Interval
from assay.inference.families.family import Family, NamedInterval
from assay.inference.families.mean import hall_limits, heavy_tails
from assay.inference.formulas import Limits
from assay.inference.plan_rules import WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


def root_of_hall(sample: Sample, level: float) -> Interval:
    """The root of Hall's interval of the mean square."""
    value = sample.value
    if sample.error == 0 or value == 0:
        return Interval(value, value, "root of Hall t", ALL_AGREE)
    (low, high), method = hall_limits(sample, value**2, 2 * value * sample.error, level)
    return Interval(math.sqrt(max(0.0, low)), math.sqrt(max(0.0, high)), f"root of {method}", heavy_tails(sample))


class RootMeanFamily(Family):
    """The root of a mean of squared errors."""

    interval_words = "root of a mean: the root of the mean's interval"
    named_intervals = (NamedInterval("hall", "means of losses", root_of_hall),)
    powers = 3
    plan_range = (0.0, math.inf)
    unplanned_comparison = "of two models is compared by its squares (plan mse)"

    def interval(self, sample: Sample, level: float) -> Interval:
        """The root of Hall's interval of the mean square."""
        return root_of_hall(sample, level)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """The root of a t interval of the mean square; normal errors unless ``sd``, that of the squared errors, is given."""
        value = assumed.value_of(subject, inside=True)
        square = value**2
        sd = math.sqrt(2) * square if assumed.sd is None else assumed.sd

        def limits(rows: int) -> Limits:
            half = t_quantile(assumed.level, rows - 1) * sd / math.sqrt(rows)
            return math.sqrt(max(0.0, square - half)), math.sqrt(square + half)

        how = "normal errors" if assumed.sd is None else "sd is that of the squared errors"
        return WidthRule(limits, f"root of the t interval of the mean square, {how}", {"value", "sd"})
