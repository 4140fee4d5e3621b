"""Means of a loss per row: Hall's transformed t, which takes out the skewness of the losses."""

from __future__ import annotations

import math

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile, upper_tail
from assay.core.monoids import Counts
from assay.inference import formulas
from assay.inference.delta_method import ALL_AGREE, Interval, few_rows
from assay.inference.differences import Difference, few, same_everywhere
from assay.inference.families.family import Family, NamedInterval, NamedTest
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample

HEAVY = 0.6  # skewness over root n from which a few rows decide the spread: Hall's correction does not reach that far
FEW_LOSSES = 100  # below, losses without a bound may not have shown their tail, and nothing in the sample would tell
TAIL = 1.5  # a sample shows about two thirds of the skewness of losses with heavy tails (docs/design/decisions.md)
LONE = 0.15  # the fraction of the spread due to one row from which the skewness of a sample cannot be believed
NAMED_TEST = NamedTest("hall", "means of losses per row")


def hall(sample: Sample, level: float) -> Interval:
    """Hall's transformed t."""
    if sample.error == 0:
        return Interval(sample.value, sample.value, "Hall t", ALL_AGREE)
    limits, method = hall_limits(sample, sample.value, sample.error, level)
    return Interval(*limits, method, heavy_tails(sample))


def hall_limits(sample: Sample, value: float, error: float, level: float) -> tuple[formulas.Limits, str]:
    """Hall's limits; the upper one of losses without a bound allows for a tail that the rows did not show."""
    low, high = formulas.hall(value, error, sample.skew, sample.rows, level)
    if not _unbounded(sample):
        return (low, high), "Hall t"
    _, further = formulas.hall(value, error, TAIL * sample.skew, sample.rows, level)
    return (low, max(high, further)), "Hall t, heavy upper tail"


def heavy_tails(sample: Sample) -> str:
    """The reason not to trust an interval that a few large losses decide."""
    if abs(sample.skew) / math.sqrt(sample.rows) > HEAVY:
        return "a few rows carry most of the spread (heavy tails)"
    if _unbounded(sample) and sample.rows < FEW_LOSSES:
        return f"losses without a bound on fewer than {FEW_LOSSES} rows: a rare large one may not have been drawn"
    return few_rows(sample)


def _unbounded(sample: Sample) -> bool:
    """Whether single losses may be large without bound; those of a table take a few values."""
    no_bound = sample.metric.record.better == "lower" and sample.bounds[1] == math.inf
    return no_bound and not isinstance(sample.total, Counts)


# ---- two models


def paired_hall(a: Sample, moved: Floats, effect: float, level: float) -> Difference:
    """Hall's transformed t of the differences of row losses."""
    square = float(moved @ moved)
    if square == 0:
        return same_everywhere(effect, "Hall t", a.rows)
    rows = a.rows
    error = math.sqrt(square * rows / max(1.0, rows - 1))
    skew = _sure_skew(moved, square, rows)
    low, high = formulas.hall(effect, error, skew, rows, level)
    lone = "a single row carries half of the spread" if float(np.max(moved**2)) > square / 2 else few(rows)
    return Difference(low, high, formulas.hall_test(effect, error, skew, rows), error, rows - 1, "Hall t", lone)


def _sure_skew(moved: Floats, square: float, rows: float) -> float:
    """The skewness of the differences, shrunk towards zero as far as it may be noise.

    Differences of models that are alike are symmetric: the skewness of a sample of them is noise, and large where losses have
    heavy tails. Without shrinkage a test at 5 % would reject up to 13 % of true null hypotheses.
    """
    if float(np.max(moved**2)) > LONE * square:
        return 0.0  # one row decides: it says nothing about the shape of the others
    third, fourth, sixth = (float((moved**k).sum()) / rows / (square / rows) ** (k / 2) for k in (3, 4, 6))
    noise = (sixth - 6 * fourth + 9) / rows
    return third**3 / (third**2 + noise) if third else 0.0


def paired_t_power(subject: PlanSubject, assumed: Assumed) -> PowerRule:
    """The paired t test; ``sd`` is that of the differences, or with ``correlation`` that of either model's losses."""
    sd = assumed.need(subject, "sd", "the standard deviation of the differences row by row, from a pilot")
    if assumed.correlation is not None:
        sd *= math.sqrt(2 * (1 - assumed.correlation))

    def power(rows: int, effect: float) -> float:
        quantile = t_quantile(assumed.level, rows - 1)
        shift = effect * math.sqrt(rows) / sd
        return upper_tail(quantile - shift, rows - 1) + upper_tail(quantile + shift, rows - 1)

    return PowerRule(power, "paired t", {"value", "sd", "correlation"})


class RowMeanFamily(Family):
    """What means over all rows share: the paired test of the rows' differences, and its plan."""

    comparison_words = "means of losses: paired Hall t"
    named_tests = (NAMED_TEST,)
    each_unit_counts = True
    mean_of_rows = True

    def paired(self, a: Sample, moved: Floats, effect: float, level: float) -> Difference | None:
        """Hall's transformed t of the differences."""
        if effect == 0 and not np.any(moved):
            return self.equal(a, level)
        return paired_hall(a, moved, effect, level)

    def power(self, subject: PlanSubject, assumed: Assumed) -> PowerRule:
        """The paired t test."""
        return paired_t_power(subject, assumed)


class MeanFamily(RowMeanFamily):
    """The mean of a loss over all rows."""

    interval_words = "mean of a loss per row: Hall's transformed t"
    named_intervals = (NamedInterval("hall", "means of losses", hall),)
    powers = 3
    plan_range = (-math.inf, math.inf)

    def interval(self, sample: Sample, level: float) -> Interval:
        """Hall's transformed t."""
        return hall(sample, level)

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Student's t, from the standard deviation of the losses."""
        why = "the standard deviation of the losses of single rows, from a pilot or an earlier test"
        sd = assumed.need(subject, "sd", why)
        centre = assumed.value if assumed.value is not None else 0.0

        def limits(rows: int) -> formulas.Limits:
            half = t_quantile(assumed.level, rows - 1) * sd / math.sqrt(rows)
            return centre - half, centre + half

        return WidthRule(limits, "t", {"value", "sd"})
