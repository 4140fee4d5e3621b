"""Intervals of distances between a real and a generated sample: each sample varies for itself."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from assay.core.distributions import t_quantile
from assay.core.errors import ParameterError
from assay.inference import closed
from assay.inference.limits import FEW_ROWS, Interval, Method
from assay.inference.sample import Sample

ROWS_A_FEATURE = 15  # the correction of the bias was seen to suffice from here on


def frechet(sample: Sample, level: float) -> Interval:
    """Around the distance without its bias, with the error of influence values through the transport map.

    The plain distance is too large by about c/n. Two half samples are too large by 2c/n, so twice the one less the other is not.
    """
    metric = sample.metric
    if hasattr(metric, "correction"):
        plain, debiased = _with(metric, "none"), _with(metric, "richardson")
        centre = sample.value if metric == debiased else float(Sample(debiased, sample.inputs).value)
        error = sample.error if metric == plain else Sample(plain, sample.inputs, sample.design).error
        reason = _few_for_features(sample)
    else:
        centre, error = sample.value, _error_of_plain(sample)
        reason = "the fit over subset sizes adds noise that the error does not know"
    half = t_quantile(level, sample.df) * error
    return Interval(
        centre - half, centre + half, "influence values around the bias-corrected distance", reason, corrected=centre
    )


def _with(metric: Any, correction: str) -> Any:
    return dataclasses.replace(metric, correction=correction)


def _error_of_plain(sample: Sample) -> float:
    from assay.metrics.generation.fid import FID

    plain = FID(extractor=sample.metric.extractor)
    rows = sample.total  # kept, so that a state has an interval too
    inputs = plain.inputs(features=rows["features"], sample=rows["sample"], weight=rows.weight)
    return Sample(plain, inputs, sample.design).error


def _few_for_features(sample: Sample) -> str:
    features = int(sample.inputs["features"].shape[1])
    rows = min(sample.metric.counts(sample.total))
    if rows >= ROWS_A_FEATURE * features:
        return ""
    return f"only {rows:.4g} rows in a sample for {features} features: the correction was checked from {ROWS_A_FEATURE} a feature on"


def kernel_distance(sample: Sample, level: float) -> Interval:
    """t around the unbiased estimate, with the error that the pairs themselves tell."""
    half = t_quantile(level, sample.df) * sample.error
    rows = min(sample.metric.counts(sample.total))
    few = f"only {rows:.3g} rows in a sample" if rows < 5 * FEW_ROWS else ""
    return Interval(sample.value - half, sample.value + half, "influence values of all pairs", few)


def manifold(sample: Sample, level: float) -> Interval:
    """Shares by Wilson, densities by t, of the rows that are looked at; the balls of the other sample are taken as they are."""
    found = sample.metric.found(sample.total)
    if sample.design.groups is not None:
        raise ParameterError(
            f"{sample.metric.name}: has no interval for groups: rows must be independent. Leave groups out."
        )
    size = float(found.weight.sum() ** 2 / (found.weight @ found.weight))
    few = f"rests on {size:.3g} rows only" if size < FEW_ROWS else ""
    if sample.bounds[1] == 1:
        return Interval(*closed.wilson(sample.value * size, size, level), "Wilson, given the balls", few)
    spread = float(found.weight @ (found.values - sample.value) ** 2 / found.weight.sum())
    half = t_quantile(level, max(1.0, size - 1)) * math.sqrt(spread / max(1.0, size - 1))
    return Interval(max(0.0, sample.value - half), sample.value + half, "t, given the balls", few)


OF_SAMPLES: dict[str, Method] = {"frechet": frechet, "kernel_distance": kernel_distance, "manifold": manifold}
_WHY = {
    "frechet": "a replicate repeats rows, which adds to the distance once more the bias that it has already",
    "kernel_distance": "a replicate repeats rows, and pairs of a row with itself make it too large",
    "manifold": "a replicate repeats rows, whose balls then have no size",
}


def refuse_resampling(metric: Any, method: str) -> None:
    """The bootstrap holds for none of these distances."""
    why = _WHY.get(metric.record.family)
    if why is not None and method in ("bootstrap", "percentile", "bca"):
        raise ParameterError(f"{metric.name}: method={method!r} does not hold here: {why}. Choose method='auto'.")


def refuse_comparison(metric: Any, method: str) -> None:
    """Neither is a comparison by replicates; and balls that both models share have no error that is known."""
    refuse_resampling(metric, method)
    if metric.record.family == "manifold":
        raise ParameterError(
            f"{metric.name}: has no test of a difference: {_WHY['manifold']}, and both models are held against the same balls. Score each "
            "of them, and look at both intervals."
        )


__all__ = ["OF_SAMPLES", "refuse_comparison", "refuse_resampling"]
