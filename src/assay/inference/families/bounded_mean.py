"""Means of scores that lie between two bounds: t on the logit scale, which stays between them."""

from __future__ import annotations

import math

from assay.core.distributions import t_quantile
from assay.core.errors import ParameterError
from assay.inference import formulas
from assay.inference.delta_method import Interval, scaled
from assay.inference.families.mean import RowMeanFamily
from assay.inference.plan_rules import WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


def logit_t(sample: Sample, level: float) -> Interval:
    """t on the logit scale."""
    return scaled(sample, level, name="logit")


class BoundedMeanFamily(RowMeanFamily):
    """The mean of scores per row, each between two bounds."""

    interval_words = "mean of bounded scores: t on the logit scale"
    powers = 2

    def interval(self, sample: Sample, level: float) -> Interval:
        """t on the logit scale."""
        return logit_t(sample, level)

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
