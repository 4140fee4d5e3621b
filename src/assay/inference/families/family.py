"""What inference asks of a family of metrics: one object answers for its interval, tests, plan, states and words.

Every method here has the answer of a family about which nothing special is known: resample for the interval, compare influence
values, plan nothing. A family overrides what it does better, in a file of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from assay.core.arrays import Floats
from assay.core.errors import AssayError, ParameterError, arg
from assay.core.inference_options import InferenceOptions
from assay.core.metric import Metric
from assay.inference.bootstrap import bca, percentile
from assay.inference.delta_method import Interval, IntervalRule, standard_error
from assay.inference.differences import Difference
from assay.inference.exact_randomisation import (
    FEW,
    DiscordantUnits,
    discordant,
    few_outputs_differ,
    input_gaps,
    pooled_gaps,
    rank_gaps,
)
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample

RESAMPLING = ("bootstrap", "percentile", "bca")


class NoFormulaError(LookupError):
    """The family has no closed form for these data: callers that can resample do that instead."""


@dataclass(frozen=True)
class NamedInterval:
    """An interval that callers can request by name, and what it is for."""

    name: str
    purpose: str
    rule: IntervalRule


@dataclass(frozen=True)
class NamedTest:
    """A paired test that callers can request by name, and what it is for."""

    name: str
    purpose: str


@dataclass(frozen=True)
class Ordering:
    """Predictions that do no more than order the rows: the ``column`` of the kept rows that holds them.

    Above ``few`` units that make the difference, tests by influence values attained their level in simulations, and find more than
    swaps do.
    """

    column: str
    few: float = FEW / 2


class Family:
    """The facts and formulas of one family; a metric names it by ``Record.family``.

    An interval:

    - ``interval_words``: the default interval in words, as ``explain`` prints it.
    - ``has_interval``: False for curves and tables.
    - ``any_design``: the formula itself allows for groups and strata.
    - ``named_intervals``: further intervals, by name.
    - ``powers``: the highest power of influence values in the default interval, which a state must keep; 0 where the interval takes
      the rows themselves or nothing but the element.
    - ``from_states``: False where the default interval is not available from a state.

    A comparison:

    - ``comparison_words``: the default paired test in words, where the family has one of its own.
    - ``error_words``: the test of two independent samples by `standard_error`.
    - ``named_tests``: tests that callers can request by name.
    - ``ordering``: where predictions only order the rows.
    - ``each_unit_counts``: discordant units are counted whatever the size of their gaps, as for losses of different size.
    - ``incomparable``: why no test of a difference is valid; the comparison then states the values and this reason.
    - ``biased``: plain values are biased upward, not by the same amount for two models: randomisation is the only test.
    - ``ranks_models``: False where the value diagnoses one model; `compare` then leaves it out of its usual metrics.

    A plan:

    - ``plan_range``: the range of the value where a plan names the family instead of a metric.
    - ``unplanned``: why its rows cannot be planned by formula; ``unplanned_comparison`` the same for two models.

    Other facts:

    - ``mean_of_rows``: a mean over all rows, so that it is also the mean of its strata.
    - ``successes``: a proportion, whose rows are trials.
    - ``one_sided``: perfect for some trivial model, so that a worse value than that of the baseline means nothing.
    - ``bias_words``: what to report where the bias found is large.
    """

    interval_words: ClassVar[str] = ""
    has_interval: ClassVar[bool] = True
    any_design: ClassVar[bool] = False
    named_intervals: ClassVar[tuple[NamedInterval, ...]] = ()
    powers: ClassVar[int] = 0
    from_states: ClassVar[bool] = True

    comparison_words: ClassVar[str] = ""
    error_words: ClassVar[str] = "Welch"
    named_tests: ClassVar[tuple[NamedTest, ...]] = ()
    ordering: ClassVar[Ordering | None] = None
    each_unit_counts: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    incomparable: ClassVar[str] = ""
    ranks_models: ClassVar[bool] = True

    plan_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    unplanned: ClassVar[str] = ""
    unplanned_comparison: ClassVar[str] = ""

    mean_of_rows: ClassVar[bool] = False
    successes: ClassVar[bool] = False
    one_sided: ClassVar[bool] = False
    bias_words: ClassVar[str] = ""

    # ---- the interval

    def interval(self, sample: Sample, level: float) -> Interval:
        """The default interval; `NoFormulaError` where only resampling gives one."""
        raise NoFormulaError

    def without_interval(self, sample: Sample, level: float) -> str:
        """Why the value has no valid interval whatever the method; empty where it has one."""
        return ""

    def resampled(self, sample: Sample, values: Floats, options: InferenceOptions) -> Interval:
        """The interval from the value in every bootstrap replicate."""
        smooth = options.method == "bca" or (options.method != "percentile" and sample.smooth)
        return (bca if smooth else percentile)(sample, values, options.level)

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """Refuse, with the reason, a method that is known not to attain its level for this family."""

    def standard_error(self, sample: Sample) -> float:
        """The standard error by which two independent samples are compared."""
        return standard_error(sample)

    # ---- the comparison of two models on the same rows

    def refuse_comparison(self, metric: Metric[Any], method: str) -> None:
        """Refuse, with the reason, a comparison that is known not to attain its level."""

    def counted(self, a: Sample, b: Sample, effect: float, options: InferenceOptions) -> Difference | None:
        """The difference by counts of discordant rows; None where there are none or another test was requested."""
        return None

    def paired(self, a: Sample, moved: Floats, effect: float, level: float) -> Difference | None:
        """The family's own test of the differences ``moved`` of influence values of independent rows; None without one."""
        return None

    def equal(self, a: Sample, level: float) -> Difference:
        """No row tells the models apart, and a width of zero would claim that none ever will."""
        reason = "no row tells the models apart: the difference is 0 on these rows, and they do not show how large it is on others"
        return Difference(math.nan, math.nan, 1.0, None, math.inf, "equal on every row", reason)

    def discordant(self, a: Sample, b: Sample) -> DiscordantUnits | None:
        """What each unit adds to the difference, first-order in the sample pooled from both models; None without such gaps.

        The pooled sample is the same whichever way the outputs are swapped, so a gap does not depend on the other units' swaps and
        the test that follows is exact. The gaps add up to the difference but for terms of third order.
        """
        try:
            if self.ordering is None:
                return discordant(a, input_gaps(a, b))
            if few_outputs_differ(a, b, self.ordering.column):
                return discordant(a, pooled_gaps(a, a.total, b.total))
            return self.discordant_ranks(a, b, self.ordering)
        except (AssayError, LookupError):
            return None

    def discordant_ranks(self, a: Sample, b: Sample, ordering: Ordering) -> DiscordantUnits | None:
        """The same where scores of two models may have different scales: what can be swapped are their ranks."""
        return rank_gaps(a, b, ordering.column)

    # ---- the plan

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """The interval that a number of rows will give."""
        raise subject.refuse(self.unplanned)

    def power(self, subject: PlanSubject, assumed: Assumed) -> PowerRule:
        """The probability that a comparison finds a difference."""
        raise subject.refuse(self.unplanned_comparison or self.unplanned)


def refuse_resampling(metric: Metric[Any], method: str, why: str) -> None:
    """Refuse every kind of bootstrap."""
    if method in RESAMPLING:
        not_valid(metric, method, why)


def not_valid(metric: Metric[Any], method: str, why: str) -> NoReturn:
    """The error for a method that does not attain its level."""
    raise ParameterError(
        metric.name, "", f"{arg('method', method)} is not valid here: {why}", f"Choose {arg('method', 'auto')}."
    )
