"""The interval of a value: the default of its family, others on request, and a refusal with its reason where one is not valid."""

from __future__ import annotations

import math
from dataclasses import replace

from assay.core.distributions import t_quantile
from assay.core.errors import InputError, ParameterError, arg, did_you_mean
from assay.core.inference_options import InferenceOptions
from assay.core.score import Score
from assay.inference.bootstrap import Progress, replicated
from assay.inference.delta_method import ALL_AGREE, Interval, scaled
from assay.inference.families import family_of, named_intervals
from assay.inference.families.family import RESAMPLING
from assay.inference.sample import Sample

METHODS = ("auto", "bootstrap", "percentile", "bca", "delta", *named_intervals())
FEW_UNITS = 8


def scored(sample: Sample, options: InferenceOptions, progress: Progress | None = None) -> Score:
    """The value as a `Score` with its interval."""
    reason = _no_interval(sample, options)
    plain = sample.metric.as_score(sample.outcome, sample.n)
    if reason:
        return _with(plain, sample, Interval(math.nan, math.nan, "none", reason), options, known=False)
    return _with(plain, sample, _doubted(found(sample, options, progress), sample.value), options)


def _no_interval(sample: Sample, options: InferenceOptions) -> str:
    family = family_of(sample.metric)
    if not family.has_interval:
        raise InputError(sample.metric.name, "", "is a curve or a table, which has no interval")
    if math.isnan(sample.value):
        return "the value is undefined on these data"
    if math.isinf(sample.value):
        return "the value is infinite"
    if sample.design.units < 2:
        what = "row" if sample.design.groups is None else "group"
        return f"a single {what} says nothing about the spread"
    if reason := family.without_interval(sample, options.level):
        _refuse_invalid(sample, options.method)
        return reason
    return ""


def _doubted(interval: Interval, value: float) -> Interval:
    """An interval without width means that the rows agree, not that the value is known; and limits must not miss the value.

    Percentiles of a biased value may lie beside it. Limits around a bias-corrected estimate may too, but they state that estimate.
    """
    rounding = 1e-12 * max(1.0, abs(value))
    if interval.corrected is None and not interval.low - rounding <= value <= interval.high + rounding:
        beside = "nearly all replicates lie on one side of the value, which shows that it is biased"
        low, high = min(interval.low, value), max(interval.high, value)
        return replace(interval, low=low, high=high, reason=interval.reason or beside)
    if interval.reason or interval.high - interval.low > rounding:
        return interval
    return replace(interval, reason=ALL_AGREE)


def _with(score: Score, sample: Sample, interval: Interval, options: InferenceOptions, *, known: bool = True) -> Score:
    low, high = sample.bounds
    limits_there = (float(max(low, interval.low)), float(min(high, interval.high))) if known else (None, None)
    return score.but(
        low=limits_there[0], high=limits_there[1], level=options.level, method=interval.method,
        corrected=_corrected(interval, *limits_there, sample.value), reliable=not interval.reason, reason=interval.reason,
        notes={**score.notes, **interval.notes},
        signature=score.signature.replace("|assay:", f"|ci:{options.text(drawn='replicates' in interval.method)}|assay:"),
    )  # fmt: skip


def _corrected(interval: Interval, low: float | None, high: float | None, value: float) -> float | None:
    """The bias-corrected estimate within the limits, where there is one that differs from the value."""
    if interval.corrected is None or low is None or high is None:
        return None
    corrected = float(min(max(interval.corrected, low), high))
    return None if abs(corrected - value) <= 1e-12 * max(1.0, abs(value)) else corrected


def found(sample: Sample, options: InferenceOptions, progress: Progress | None = None) -> Interval:
    """The interval by the requested method."""
    method, family = options.method, family_of(sample.metric)
    _refuse_invalid(sample, method)
    if family.any_design:
        return family.interval(sample, options.level)
    if method in RESAMPLING:
        return _resampled(sample, options, progress)
    if not sample.design.plain:
        return _of_design(sample, options, progress)
    own = {named.name: named.rule for named in family.named_intervals}
    if method in own:
        return own[method](sample, options.level)
    try:
        return family.interval(sample, options.level) if method == "auto" else scaled(sample, options.level)
    except LookupError as error:  # no formula for this family, or no influence values for these parameters
        if method == "delta":
            raise without_influence(error, "percentile") from error
        return _resampled(sample, options, progress)


def without_influence(error: LookupError, *methods: str) -> ParameterError:
    """The error for a method that needs influence values, with the methods that do not."""
    cause = error.__cause__
    fix = f"Choose {' or '.join(arg('method', other) for other in methods)}."
    if isinstance(cause, InputError):
        return ParameterError(cause.who, cause.argument, cause.problem, fix)
    return ParameterError("", "", str(error), fix)


def _resampled(sample: Sample, options: InferenceOptions, progress: Progress | None) -> Interval:
    values = replicated(sample, options.replicates, options.seed, progress)
    return family_of(sample.metric).resampled(sample, values, options)


def _of_design(sample: Sample, options: InferenceOptions, progress: Progress | None) -> Interval:
    """Groups and strata: the standard error of units, t with their degrees of freedom."""
    if not sample.smooth:
        return _resampled(sample, options, progress)
    plain = sample.metric.record.transform == "log"  # sums of groups are no longer skewed as single losses are
    if plain:
        half = t_quantile(options.level, sample.df) * sample.error
        interval = Interval(sample.value - half, sample.value + half, "t")
    else:
        interval = scaled(sample, options.level)
    few = f"only {sample.design.units} units" if sample.design.units < FEW_UNITS else interval.reason
    return Interval(interval.low, interval.high, f"{interval.method}, {sample.design.text()}", few, interval.notes)


def _refuse_invalid(sample: Sample, method: str) -> None:
    """Methods that are known not to attain their level for this metric, or that are not defined for it."""
    name, family, named = sample.metric.name, family_of(sample.metric), named_intervals().get(method)
    if method not in METHODS:
        raise ParameterError(name, "method", f"{method!r} is unknown", did_you_mean(method, METHODS).strip())
    fix = f"Choose {arg('method', 'auto')} or {arg('method', 'bootstrap')}."
    if named is not None and method not in {own.name for own in family.named_intervals}:
        raise ParameterError(name, "", f"{arg('method', method)} is for {named.purpose}", fix)
    if named is not None and not sample.design.plain:
        problem = f"{arg('method', method)} treats every row as independent, but groups or strata were given"
        raise ParameterError(name, "", problem, fix)
    family.refuse_interval(sample, method)
