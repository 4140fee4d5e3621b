"""Proportions of rows, such as accuracy and recall: Wilson's interval, McNemar's test."""

from __future__ import annotations

import math
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from assay.core.distributions import upper_tail, z_quantile
from assay.core.errors import ParameterError, arg
from assay.core.inference_options import InferenceOptions
from assay.inference import exact_randomisation, formulas
from assay.inference.class_rates import averaged, effective_trials, few_trials, macro, share_limits, small_class
from assay.inference.delta_method import Interval
from assay.inference.differences import Difference
from assay.inference.families.bounded_mean import logit_t
from assay.inference.families.family import Family, NamedInterval, NamedTest
from assay.inference.plan_rules import PowerRule, WidthRule
from assay.inference.plan_subject import Assumed, PlanSubject
from assay.inference.sample import Sample


@runtime_checkable
class PartialRate(Protocol):
    """A rate of some rows only: those that are positive or negative, by truth or by prediction."""

    @property
    def counts_rows(self) -> tuple[Literal["true", "predicted"], Literal["positive", "negative"]]:
        """Which rows count: by what, and of which side."""
        ...


def wilson(sample: Sample, level: float) -> Interval:
    """Wilson's interval, with the effective number of trials under weights and averages."""
    if averaged(sample) == "samples":
        return logit_t(sample, level)
    if averaged(sample) == "macro":
        return macro(sample, level)
    trials = effective_trials(sample)
    limits = share_limits(sample, sample.value * trials, trials, level)
    return Interval(*limits, "Wilson", few_trials(trials) or small_class(sample))


def clopper_pearson(sample: Sample, level: float) -> Interval:
    """The exact interval of counts."""
    trials = np.asarray(sample.trials)
    if trials.ndim:
        raise ParameterError(
            sample.metric.name, "", "an average over classes is not one proportion", f"Choose {arg('method', 'auto')}."
        )
    hits = sample.value * float(trials)
    if sample.weighted or abs(hits - round(hits)) > 1e-6:
        raise ParameterError(
            sample.metric.name,
            "",
            "the exact interval counts rows, so it does not take weights or averages over classes",
            f"Choose {arg('method', 'wilson')}.",
        )
    return Interval(*formulas.clopper_pearson(round(hits), round(float(trials)), level), "Clopper-Pearson")


def discordant_rows(a: Sample, b: Sample, effect: float) -> tuple[float, float, float] | None:
    """(rows that only a has, rows that only b has, rows in all) if both are proportions of the same rows; None otherwise.

    A row of a proportion p of m rows has the influence (x - p) / m, so the differences reveal the outcomes.
    """
    trials = [float(np.max(s.trials)) for s in (a, b)]
    if a.weight is not None or trials[0] != trials[1] or np.ndim(a.trials):
        return None
    if abs(effect) == 1:
        return (trials[0], 0.0, trials[0]) if effect > 0 else (0.0, trials[0], trials[0])
    moved = trials[0] * (a.influence - b.influence) + effect
    whole = np.rint(moved)
    untouched = (np.abs(a.influence) < 1e-15) & (np.abs(b.influence) < 1e-15)
    if np.any((np.abs(moved - whole) > 1e-6) & ~untouched):
        return None
    whole = np.where(np.abs(moved - whole) > 1e-6, 0, whole)
    return float((whole == 1).sum()), float((whole == -1).sum()), trials[0]


def _mcnemar(counts: tuple[float, float, float], effect: float, level: float, *, exact: bool) -> Difference:
    """McNemar's test with the limits of Bonett and Price."""
    only_a, only_b, n = counts
    low, high = formulas.bonett_price(only_a, only_b, n, level)
    p = (formulas.exact_mcnemar if exact else formulas.mcnemar)(only_a, only_b)
    return Difference(
        min(low, effect), max(high, effect), p, formulas.bonett_price_error(*counts), math.inf,
        f"Bonett-Price, {'exact' if exact else 'mid-p'} McNemar",
    )  # fmt: skip


class ProportionFamily(Family):
    """The proportion of rows that are right, or of another kind."""

    interval_words = "proportion: Wilson"
    named_intervals = (
        NamedInterval("exact", "proportions", clopper_pearson),
        NamedInterval("wilson", "proportions", wilson),
    )
    powers = 2
    comparison_words = "proportions (accuracy, recall): Bonett-Price interval, mid-p McNemar test"
    named_tests = (
        NamedTest(
            "mcnemar", "rows that are right or wrong under both models (accuracy, recall), unweighted and independent"
        ),
    )
    mean_of_rows = True
    successes = True
    one_sided = True

    def interval(self, sample: Sample, level: float) -> Interval:
        """Wilson's interval."""
        return wilson(sample, level)

    def counted(self, a: Sample, b: Sample, effect: float, options: InferenceOptions) -> Difference | None:
        """McNemar's test, exact where few rows are discordant."""
        counts = discordant_rows(a, b, effect) if options.method in ("auto", "mcnemar") else None
        if counts is None:
            return None
        few = options.method == "auto" and counts[0] + counts[1] <= exact_randomisation.FEW
        return _mcnemar(counts, effect, options.level, exact=few)

    def equal(self, a: Sample, level: float) -> Difference:
        """Bonett and Price know the limits of no discordant row: one more pair of each kind."""
        if np.ndim(a.trials):
            return super().equal(a, level)
        counts = (0.0, 0.0, min(float(a.trials), a.units))
        limits, error = formulas.bonett_price(*counts, level), formulas.bonett_price_error(*counts)
        return Difference(*limits, 1.0, error, math.inf, "Bonett-Price, no discordant row")

    def width(self, subject: PlanSubject, assumed: Assumed) -> WidthRule:
        """Wilson's interval of the rows that count."""
        value, share = assumed.value_of(subject), trial_share(subject, assumed)

        def limits(rows: int) -> formulas.Limits:
            return formulas.wilson(value * rows * share, rows * share, assumed.level)

        part = "prevalence" if assumed.share is None and share < 1 else "share"
        return WidthRule(limits, "Wilson", {"value", part}, 1)

    def power(self, subject: PlanSubject, assumed: Assumed) -> PowerRule:
        """McNemar's test on the rows on which only one model is right (Connor 1987)."""
        share = trial_share(subject, assumed)
        names = {"prevalence" if assumed.share is None and share < 1 else "share"}
        discordance, how = assumed.discordance, "McNemar"
        if discordance is None:
            discordance, how = _independent(subject, assumed), "McNemar, models that err independently"
        z = z_quantile(assumed.level)

        def power(rows: int, effect: float) -> float:
            rest = math.sqrt(max(discordance - effect**2, 1e-12))
            return upper_tail((z * math.sqrt(discordance) - effect * math.sqrt(rows * share)) / rest)

        return PowerRule(power, how, {"discordance", "value", *names}, discordance)


def _independent(subject: PlanSubject, assumed: Assumed) -> float:
    """The discordance of two models of about the same value that err independently: more than real models have."""
    if assumed.value is None:
        why = f"the fraction of rows on which only one of the models is right; or give {arg('value')}, for models that err independently"
        return assumed.need(subject, "discordance", why)
    value = assumed.value_of(subject, inside=True)
    return 2 * value * (1 - value)


def trial_share(subject: PlanSubject, assumed: Assumed) -> float:
    """The fraction of rows that count for a proportion: all for accuracy, the positive ones for recall."""
    if assumed.share is not None:
        return assumed.share
    if not isinstance(subject.metric, PartialRate):
        return 1.0
    by, side = subject.metric.counts_rows
    if by == "predicted":
        return assumed.need(subject, "share", f"the fraction of all rows that is predicted {side}")
    prevalence = assumed.need(subject, "prevalence", "the fraction of all rows that is positive; only some rows count")
    return prevalence if side == "positive" else 1 - prevalence
