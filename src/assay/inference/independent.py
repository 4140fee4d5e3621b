"""Two models on different rows: independent samples, compared by their standard errors or by their intervals."""

from __future__ import annotations

import math
from typing import TypeVar

from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.distributions import t_quantile, two_sided, z_quantile
from assay.core.errors import AssayError, InputError, ParameterError
from assay.core.inference_options import InferenceOptions
from assay.core.metric import Metric
from assay.core.monoids import Element
from assay.core.parameters import number
from assay.core.registry import find
from assay.core.score import Score
from assay.core.state import State
from assay.inference.differences import Difference
from assay.inference.families import family_of
from assay.inference.interval import scored
from assay.inference.sample import NotSmoothError, Sample
from assay.inference.state_sample import StateSample

WHO = "compare_unpaired"
E = TypeVar("E", bound=Element)


@guarded
def compare_unpaired(
    a: Score | State[E], b: Score | State[E], *, level: float = 0.95, margin: float | None = None
) -> Comparison:
    """The difference ``a - b`` of one metric on two independent samples, with interval and p value.

    States are compared by their standard errors with Welch's degrees of freedom: for the area under the ROC curve this is DeLong's test
    of two unpaired curves. Scores with intervals, and states of proportions, are compared by their intervals (Newcombe, Zou and
    Donner): the limits of the difference follow from both pairs of limits, and p is the level at which they touch zero. For two models
    on the same rows use `Metric.compare`, which finds smaller differences.

    >>> import assay
    >>> accuracy = assay.metrics.Accuracy()
    >>> print(compare_unpaired(accuracy.state([0] * 56 + [1] * 14, [0] * 70), accuracy.state([0] * 48 + [1] * 32, [0] * 80)))
    +0.200 [0.052, 0.334] 95 % p=0.0079 · n=150 · Newcombe, unpaired
    """
    InferenceOptions(level).checked(WHO)
    if margin is not None:
        number(WHO, "margin", margin, low=0, open_low=True)
    metric = _metric(a, b)
    first, second = (_score(one, level) for one in (a, b))
    effect = float(first) - float(second)
    if not math.isfinite(effect):
        return Comparison(
            effect, a=first, b=second, n=first.n + second.n, paired=False, reason="a value is undefined or infinite"
        )
    found = _by_errors(a, b, effect, level) or _by_limits(first, second, effect, level)
    better = metric.record.better
    favours = ("a" if metric.record.is_better(first, second) else "b") if effect and better != "none" else None
    return Comparison(
        effect, a=first, b=second, n=first.n + second.n, favours=favours, better=better, level=level, margin=margin,
        low=found.low, high=found.high, p=found.p, error=found.error, df=found.df, method=found.method, paired=False,
        reason=found.reason or first.reason or second.reason,
    )  # fmt: skip


def _metric(a: Score | State[E], b: Score | State[E]) -> Metric[Element] | type[Metric[Element]]:
    """The metric of both; two of different metrics or parameters do not compare."""
    names = [one.metric.signature() if isinstance(one, State) else one.signature.split("|n:")[0] for one in (a, b)]
    if names[0] != names[1]:
        raise InputError(
            WHO, "b", f"is of another metric than a: {names[1]} and {names[0]}", "Compare values of one metric."
        )
    return a.metric if isinstance(a, State) else find(a.metric)


def _score(one: Score | State[E], level: float) -> Score:
    """A score with an interval at this level."""
    if isinstance(one, State):
        return scored(StateSample(one.metric, one.total, one.kept), InferenceOptions(level))
    if one.low is None or one.high is None:
        fix = "Pass metric.interval(...) or metric.state(...)."
        raise InputError(
            WHO, "", f"the {one.metric} of {float(one):g} has no interval: {one.reason or 'none was asked for'}", fix
        )
    if one.level != level:
        raise ParameterError(
            WHO, "level", f"is {level:g}, but the interval of a score is at {one.level:g}", "Use one level."
        )
    return one


def _by_errors(a: Score | State[E], b: Score | State[E], effect: float, level: float) -> Difference | None:
    """Welch's t; None for scores, which do not have errors, and where these are 0 or unknown."""
    if isinstance(a, Score) or isinstance(b, Score) or family_of(a.metric).successes:
        return None
    try:
        samples = [StateSample(one.metric, one.total, one.kept) for one in (a, b)]
        errors = [family_of(sample.metric).standard_error(sample) for sample in samples]
    except (AssayError, NotSmoothError):
        return None
    if not all(0 < error < math.inf for error in errors):
        return None
    return _welch(samples, errors, effect, level)


def _welch(samples: list[StateSample], errors: list[float], effect: float, level: float) -> Difference:
    squares = [error**2 for error in errors]
    df = sum(squares) ** 2 / sum(v**2 / _free(sample) for v, sample in zip(squares, samples, strict=True))
    error = math.sqrt(sum(squares))
    half = t_quantile(level, df) * error
    method = family_of(samples[0].metric).error_words
    return Difference(effect - half, effect + half, two_sided(effect / error, df), error, df, method)


def _free(sample: Sample) -> float:
    return max(1.0, sample.rows - 1)


def _by_limits(a: Score, b: Score, effect: float, level: float) -> Difference:
    """The limits of a difference from those of both (Newcombe 1998, method 10; Zou and Donner 2008)."""
    (a_low, a_high), (b_low, b_high) = ((float(one.low or 0.0), float(one.high or 0.0)) for one in (a, b))
    below, above = math.hypot(a - a_low, b_high - b), math.hypot(a_high - a, b - b_low)
    towards = below if effect > 0 else above
    p = two_sided(z_quantile(level) * effect / towards) if towards else float(effect == 0)
    error = (below + above) / 2 / z_quantile(level)
    method = "Newcombe" if {a.method, b.method} <= {"Wilson", "exact"} else f"MOVER of {a.method}"
    return Difference(effect - below, effect + above, p, error or None, math.inf, method)
