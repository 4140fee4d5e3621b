"""Overlaps of two sets, such as F1 and the Jaccard index: Wilson's interval of the Jaccard index, carried over."""

from __future__ import annotations

import numpy as np

from assay.core.errors import arg
from assay.inference import formulas
from assay.inference.class_rates import as_jaccard, averaged, few_trials, is_f, share_limits
from assay.inference.delta_method import Interval
from assay.inference.families.family import Family
from assay.inference.families.proportion import wilson
from assay.inference.plan_rules import WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


class OverlapFamily(Family):
    """The size of an intersection relative to the sets themselves."""

    interval_words = "overlap of two sets: Wilson on the Jaccard index, carried over"
    powers = 2
    unplanned_comparison = "of two models depends on how their mistakes overlap in every cell"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Wilson's interval of the Jaccard index given the union, carried over to F by F = 2J/(1+J)."""
        if averaged(sample) in ("samples", "macro", "micro", "weighted"):
            return wilson(sample, level)
        value, plain = sample.value, not is_f(sample)
        index, slope = as_jaccard(value, plain)
        union = float(np.max(sample.trials))
        if 0 < value < 1 and sample.spread.square > 0:
            trials = index * (1 - index) / (sample.spread.square * slope**2)
            union = min(trials, union) if sample.uneven else trials
        low, high = share_limits(sample, index * union, union, level)
        limits = (low, high) if plain else (2 * low / (1 + low), 2 * high / (1 + high))
        return Interval(*limits, "Wilson on the Jaccard index", few_trials(union))

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Wilson on the Jaccard index of the rows that are positive by truth or prediction, read as F1 for other metrics."""
        value = assumed.value_of(subject)
        jaccard = subject.key == "jaccard"
        index = value if jaccard else value / (2 - value)
        share = assumed.share or _union_share(subject, assumed, index)

        def limits(rows: int) -> formulas.Limits:
            low, high = formulas.wilson(index * rows * share, rows * share, assumed.level)
            return (low, high) if jaccard else (2 * low / (1 + low), 2 * high / (1 + high))

        how = "" if assumed.share else ", as many predicted as true positives"
        names = {"value", "share" if assumed.share else "prevalence"}
        return WidthRule(limits, f"Wilson on the Jaccard index{how}", names, 1)


def _union_share(subject: PlanSubject, assumed: Assumed, index: float) -> float:
    """The fraction of rows that are positive by truth or prediction, if both sides are as many."""
    if assumed.prevalence is None:
        why = f"the fraction of all rows that is positive by truth or by prediction; or give {arg('prevalence')}"
        return assumed.need(subject, "share", why)
    return min(1.0, 2 * assumed.prevalence / (1 + index))
