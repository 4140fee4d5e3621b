"""Intervals: the default method of each family, others by option, and a refusal with its reason where one is invalid."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from assay.core.distributions import t_quantile, z_quantile
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.monoids import Rows
from assay.core.name_columns import as_text
from assay.core.score import Score
from assay.inference import closed, limits
from assay.inference.bootstrap import Progress, bca, envelope, percentile, replicated
from assay.inference.calibrated import calibration
from assay.inference.generated import OF_SAMPLES, refuse_resampling
from assay.inference.limits import Interval
from assay.inference.options import Options
from assay.inference.sample import Sample

DEFAULTS: dict[str, limits.Method] = {
    "mean": limits.mean,
    "total": limits.mean,
    "root_mean": limits.root_mean,
    "bounded_mean": limits.bounded_mean,
    "proportion": limits.proportion,
    "overlap": limits.overlap,
    "agreement": limits.agreement,
    "balanced": limits.balanced,
    "auc": limits.auc,
    "average_precision": limits.average_precision,
    "calibration": calibration,
    "correlation": limits.scaled,
    "rank_correlation": limits.scaled,
    "r2": limits.scaled,
    "confusion": limits.scaled,
    "quantile": limits.quantile,
}
METHODS = ("auto", "bootstrap", "percentile", "bca", "delta", "exact", "wilson", "hall", "delong")
_OWN = {"exact": ("proportion",), "wilson": ("proportion",), "hall": ("mean", "total", "root_mean"), "delong": ("auc",)}


def scored(sample: Sample, options: Options, progress: Progress | None = None) -> Score:
    """The value as a `Score` with its interval."""
    reason = _no_interval(sample)
    plain = sample.metric.as_score(sample.outcome, sample.n)
    if reason:
        return _with(plain, sample, Interval(math.nan, math.nan, "none", reason), options, known=False)
    return _with(plain, sample, _doubted(found(sample, options, progress), sample.value), options)


def _no_interval(sample: Sample) -> str:
    if sample.metric.record.family == "curve":
        raise InputError(f"{sample.metric.name}: gives a curve or a table, which has no interval.")
    if math.isnan(sample.value):
        return "the value does not exist on these data"
    if math.isinf(sample.value):
        return "the value is infinite"
    if sample.design.units < 2:
        what = "row" if sample.design.groups is None else "group"
        return f"a single {what} tells nothing about the spread"
    return ""


def _doubted(interval: Interval, value: float) -> Interval:
    """An interval without width says that the rows agree, not that the value is known; and limits must not miss the value.

    Percentiles of a biased value may lie beside it. Limits about a bias-corrected estimate may too, but that is told with them.
    """
    rounding = 1e-12 * max(1.0, abs(value))
    if interval.corrected is None and not interval.low - rounding <= value <= interval.high + rounding:
        beside = "nearly all replicates lie on one side of the value, which they show to be biased"
        return replace(
            interval, low=min(interval.low, value), high=max(interval.high, value), reason=interval.reason or beside
        )
    if interval.reason or interval.high - interval.low > rounding:
        return interval
    return replace(interval, reason="all rows agree, so they tell nothing about the spread")


def _with(score: Score, sample: Sample, interval: Interval, options: Options, *, known: bool = True) -> Score:
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


def found(sample: Sample, options: Options, progress: Progress | None = None) -> Interval:
    """The interval by the method asked for."""
    method = options.method
    if method not in METHODS:
        raise ParameterError(f"{sample.metric.name}: there is no method {method!r}.{did_you_mean(method, METHODS)}")
    _refuse_invalid(sample, method)
    if sample.metric.record.family in OF_SAMPLES:
        return OF_SAMPLES[sample.metric.record.family](sample, options.level)
    if method in ("bootstrap", "percentile", "bca"):
        return _resampled(sample, options, progress)
    if not sample.design.plain:
        return _of_design(sample, options, progress)
    if method in _OWN:
        return _BY_NAME[method](sample, options.level)
    try:
        by_family = DEFAULTS[sample.metric.record.family] if method == "auto" else limits.scaled
        return by_family(sample, options.level)
    except LookupError as error:  # no formula for this family, or no influence values for these parameters
        if method == "delta":
            raise ParameterError(f"{error} Choose method='percentile'.") from error
        return _resampled(sample, options, progress)


def _resampled(sample: Sample, options: Options, progress: Progress | None) -> Interval:
    values = replicated(sample, options.replicates, options.seed, progress)
    if sample.metric.record.family == "envelope" and options.method != "percentile":
        return envelope(sample, values, options.level, options.seed)
    smooth = options.method == "bca" or (options.method != "percentile" and sample.smooth)
    return (bca if smooth else percentile)(sample, values, options.level)


def _of_design(sample: Sample, options: Options, progress: Progress | None) -> Interval:
    """Groups and strata: the standard error of units, t with their degrees of freedom."""
    if not sample.smooth:
        return _resampled(sample, options, progress)
    plain = sample.metric.record.transform == "log"  # sums of groups are no longer skewed as single losses are
    if plain:
        half = t_quantile(options.level, sample.df) * sample.error
        interval = Interval(sample.value - half, sample.value + half, "t")
    else:
        interval = limits.scaled(sample, options.level)
    few = f"only {sample.design.units} units" if sample.design.units < 8 else interval.reason
    return Interval(interval.low, interval.high, f"{interval.method}, {sample.design.text()}", few, interval.notes)


# ---- methods that belong to a family


def _exact(sample: Sample, level: float) -> Interval:
    trials = _plain_trials(sample)
    hits = sample.value * trials
    if sample.weighted or abs(hits - round(hits)) > 1e-6:
        raise ParameterError(
            f"{sample.metric.name}: the exact interval counts rows, so it takes no weights and no average over classes. Choose "
            "method='wilson'."
        )
    return Interval(*closed.clopper_pearson(round(hits), round(trials), level), "Clopper-Pearson")


def _plain_trials(sample: Sample) -> float:
    trials = np.asarray(sample.trials)
    if trials.ndim:
        raise ParameterError(
            f"{sample.metric.name}: an average over classes is not one proportion. Choose method='auto'."
        )
    return float(trials)


def _delong(sample: Sample, level: float) -> Interval:
    if not isinstance(sample.total, Rows) or sample.total["score"].ndim == 2:
        raise ParameterError(f"{sample.metric.name}: delong is for two classes. Choose method='auto'.")
    half = z_quantile(level) * limits.delong_error(sample)
    reason = "" if half > 0 else "perfect separation: DeLong's error is zero"
    return Interval(sample.value - half, sample.value + half, "DeLong", reason)


_BY_NAME: dict[str, limits.Method] = {
    "exact": _exact,
    "wilson": limits.proportion,
    "hall": lambda sample, level: DEFAULTS[sample.metric.record.family](sample, level),
    "delong": _delong,
}


def _refuse_invalid(sample: Sample, method: str) -> None:
    """Methods that are known not to hold their level for this metric, or that are not defined for it."""
    metric, family = sample.metric, sample.metric.record.family
    if method in _OWN and family not in _OWN[method]:
        kinds = {
            "exact": "proportions",
            "wilson": "proportions",
            "hall": "means of losses",
            "delong": "the area under the ROC curve",
        }
        raise ParameterError(
            f"{metric.name}: method={method!r} is for {kinds[method]}. Choose method='auto' or 'bootstrap'."
        )
    if method in _OWN and not sample.design.plain:
        raise ParameterError(
            f"{metric.name}: method={method!r} takes every row as independent, but groups or strata were given. Choose "
            "method='auto' or 'bootstrap'."
        )
    refuse_resampling(metric, method)
    if family == "calibration" and (method in ("bootstrap", "percentile", "bca", "delta") or not sample.design.plain):
        raise ParameterError(
            f"{metric.name}: resampling and standard errors do not hold here: the plain value is biased upward, and for a calibrated "
            "model such an interval covers nothing. Use method='auto' without groups and strata."
        )
    if family == "average_precision" and sample.design.strata is not None and _strata_are_classes(sample):
        raise ParameterError(
            f"{metric.name}: strata that fix the number of positives hide the variation of precision. Leave strata out."
        )


def _strata_are_classes(sample: Sample) -> bool:
    """Whether every stratum holds one class only."""
    if sample.inputs["y_true"].ndim > 1:
        return False
    truth = np.unique(as_text(sample.inputs.host("y_true")), return_inverse=True)[1]
    pairs = np.unique(np.stack([sample.design.strata, truth.reshape(-1)], axis=1), axis=0)
    return len(pairs) == len(np.unique(sample.design.strata))
