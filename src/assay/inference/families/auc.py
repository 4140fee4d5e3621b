"""The area under the ROC curve: DeLong's error on the logit scale, DeLong's paired test, Newcombe's variance for plans."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import two_sided, upper_tail, z_quantile
from assay.core.errors import ParameterError, arg
from assay.core.monoids import Rows
from assay.inference import formulas
from assay.inference.delta_method import FEW_ROWS, Interval, scaled
from assay.inference.differences import Difference, same_everywhere
from assay.inference.exact_randomisation import DiscordantUnits
from assay.inference.families.family import Family, NamedInterval, NamedTest, NoFormulaError, Ordering
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample, asked

FEW_FOR_DELONG = 20  # rows of the smaller class


@runtime_checkable
class AreaMetric(Protocol):
    """What the family asks of its metrics."""

    @property
    def max_fpr(self) -> float | None:
        """The false positive rate up to which the area is taken; None for the whole area."""
        ...

    def squares(self, rows: Rows) -> tuple[float, float]:
        """The sums of squared influence values of positive and of negative rows."""
        ...


def class_sizes(rows: Rows) -> tuple[float, float]:
    """The effective numbers (Kish) of positive and of negative rows."""
    sizes: list[float] = []
    for side in (rows["positive"], ~rows["positive"]):
        weight = None if rows.weight is None else rows.weight[side]
        square = 0.0 if weight is None else float(weight @ weight)
        sizes.append(float(side.sum()) if weight is None else float(weight.sum()) ** 2 / square if square else 0.0)
    return sizes[0], sizes[1]


def _delong_error(sample: Sample) -> float:
    """DeLong's standard error of an area, with the two classes' own degrees of freedom."""
    p, q = class_sizes(sample.total)
    hits, misses = asked(sample.metric, AreaMetric).squares(sample.total)
    return math.sqrt(hits * p / max(1, p - 1) + misses * q / max(1, q - 1))


def delong(sample: Sample, level: float) -> Interval:
    """DeLong's interval on the plain scale."""
    if not isinstance(sample.total, Rows) or sample.total["score"].ndim == 2:
        raise ParameterError(sample.metric.name, "", "delong is for two classes", f"Choose {arg('method', 'auto')}.")
    half = z_quantile(level) * _delong_error(sample)
    reason = "" if half > 0 else "perfect separation: DeLong's error is zero"
    return Interval(sample.value - half, sample.value + half, "DeLong", reason)


def _paired_delong(rows: Rows, moved: Floats, effect: float, level: float) -> Difference:
    """DeLong's test."""
    if not np.any(moved):
        return same_everywhere(effect, "DeLong", len(moved))
    positive = rows["positive"]
    variance, least = 0.0, math.inf
    for side in (positive, ~positive):
        n = int(side.sum())
        least = min(least, n)
        variance += float(moved[side] @ moved[side]) * n / max(1, n - 1)
    error = math.sqrt(variance)
    half = z_quantile(level) * error
    return Difference(
        effect - half, effect + half, two_sided(effect / error), error, math.inf, "DeLong",
        f"only {least} rows of the smaller class" if least < FEW_ROWS else "",
    )  # fmt: skip


def _variance(auc: float, positives: float, negatives: float) -> float:
    """The variance of the area under the ROC curve after Hanley and McNeil (1982), the classes averaged (Newcombe 2006).

    With few positives the original overstates it by a quarter for normal scores; with as many of both classes they are one.
    """
    extra = (positives + negatives) / 2 - 1
    inner = 1 + extra * ((1 - auc) / (2 - auc) + auc / (1 + auc))
    return auc * (1 - auc) * inner / (positives * negatives)


class AucFamily(Family):
    """The area under the ROC curve, of two classes or averaged over several."""

    interval_words = "area under the ROC curve: DeLong on the logit scale, Newcombe for few rows"
    named_intervals = (NamedInterval("delong", "the area under the ROC curve", delong),)
    comparison_words = "area under the ROC curve: paired DeLong"
    named_tests = (NamedTest("delong", "the area under the ROC curve of two classes"),)
    error_words = "DeLong"
    ordering = Ordering("score", few=6)

    def interval(self, sample: Sample, level: float) -> Interval:
        """DeLong on the logit scale; Newcombe's method 5 for small classes and for areas of 0 and 1."""
        if asked(sample.metric, AreaMetric).max_fpr is not None:
            raise NoFormulaError  # a part of the area has no closed form
        if sample.total["score"].ndim == 2:
            return scaled(sample, level)
        sizes, value = class_sizes(sample.total), sample.value
        error = _delong_error(sample)
        few = f"only {min(sizes):.3g} rows of the smaller class" if min(sizes) < FEW_ROWS else ""
        if min(sizes) < FEW_FOR_DELONG or not 0 < value < 1 or error == 0:
            return Interval(*formulas.newcombe(value, *sizes, level), "Newcombe 5", few)
        return Interval(*formulas.on_scale("logit", value, error, z_quantile(level)), "DeLong on the logit scale")

    def standard_error(self, sample: Sample) -> float:
        """DeLong's for two classes."""
        two = isinstance(sample.total, Rows) and sample.total["score"].ndim == 1
        whole = asked(sample.metric, AreaMetric).max_fpr is None
        return _delong_error(sample) if two and whole else super().standard_error(sample)

    def paired(self, a: Sample, moved: Floats, effect: float, level: float) -> Difference | None:
        """DeLong's test of two classes."""
        if not isinstance(a.total, Rows) or a.total["score"].ndim == 2:
            return None
        if effect == 0 and not np.any(moved):
            return self.equal(a, level)
        return _paired_delong(a.total, moved, effect, level)

    def discordant_ranks(self, a: Sample, b: Sample, ordering: Ordering) -> DiscordantUnits | None:
        """The area is a mean over the rows of either class, so its difference can be seen as made by one class alone.

        A negative row above all positives takes as much from each of them, which adds nothing to the spread of the positives. So one
        class is swapped, the other varies around its mean, and the way in which fewer units make the difference is taken.
        """
        if a.total["score"].ndim != 1:
            return None
        moved, positive = a.influence - b.influence, a.total["positive"]
        base = np.ones(a.n) if a.weight is None else a.weight
        ways: list[DiscordantUnits] = []
        for side in (positive, ~positive):
            share = np.where(side, base, 0.0) / base[side].sum()
            each = a.design.sums(moved + (a.value - b.value) * share)
            ways.append(DiscordantUnits.of(each, swapped="placements"))
        return min(ways, key=lambda way: way.effective)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Newcombe's variance on the logit scale."""
        value = assumed.value_of(subject, inside=True)
        prevalence = assumed.need(subject, "prevalence", "the fraction of all rows that is positive")
        quantile = z_quantile(assumed.level)

        def limits(rows: int) -> formulas.Limits:
            error = math.sqrt(_variance(value, rows * prevalence, rows * (1 - prevalence)))
            return formulas.on_scale("logit", value, error, quantile)

        return WidthRule(limits, "Newcombe's variance on the logit scale", {"value", "prevalence"}, _least(prevalence))

    def power(self, subject: PlanSubject, assumed: Assumed) -> PowerRule:
        """Two areas on the same rows; ``correlation`` is that of the two estimates (Hanley and McNeil 1983)."""
        value = assumed.value_of(subject, inside=True)
        prevalence = assumed.need(subject, "prevalence", "the fraction of all rows that is positive")
        r = assumed.need(subject, "correlation", "that of the two areas; about 0.5 for similar models, 0 to be safe")
        z = z_quantile(assumed.level)

        def power(rows: int, effect: float) -> float:
            sizes = rows * prevalence, rows * (1 - prevalence)
            first, second = (_variance(auc, *sizes) for auc in (value, value + effect))
            error = math.sqrt(first + second - 2 * r * math.sqrt(first * second))
            return upper_tail(z - effect / error)

        names = {"value", "prevalence", "correlation"}
        return PowerRule(power, "paired areas, Newcombe's variances", names, 1 - value, _least(prevalence))


def _least(prevalence: float) -> int:
    """The number of rows from which at least two of each class are expected."""
    return math.ceil(2 / min(prevalence, 1 - prevalence))
