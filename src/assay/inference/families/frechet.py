"""Fréchet distances between a real and a generated sample, such as FID: around the bias-corrected distance."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, runtime_checkable

from assay.core.distributions import t_quantile
from assay.core.metric import Metric
from assay.core.monoids import Moments, Rows
from assay.inference.delta_method import Interval
from assay.inference.families.family import Family, refuse_resampling
from assay.inference.sample import Sample, asked

ROWS_PER_FEATURE = 15  # the correction of the bias was seen to suffice from here on
_WHY = "a replicate repeats rows, which adds to the distance once more the bias that it has already"


@runtime_checkable
class TwoSampleMetric(Protocol):
    """What the family asks of its metrics."""

    @property
    def extractor(self) -> object:
        """The function that turns images into features, if there is one."""
        ...

    def counts(self, total: Moments | Rows) -> tuple[float, float]:
        """The numbers of rows of both samples."""
        ...


@runtime_checkable
class CorrectableMetric(Protocol):
    """A distance that can be computed with and without its bias."""

    @property
    def correction(self) -> str:
        """``"none"`` or ``"richardson"``."""
        ...


class FrechetFamily(Family):
    """The distance between normal distributions fitted to two samples; each sample varies independently."""

    interval_words = (
        "Fréchet distance (FID): influence values around the bias-corrected distance, each sample separately"
    )
    any_design = True
    from_states = False  # fourth moments of thousands of features would not fit in a state
    unplanned = "is a distance of two samples"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Around the bias-corrected distance, with the error of influence values through the transport map.

        The plain distance is too large by about c/n. Two half samples are too large by 2c/n, so twice the one minus the other is not.
        """
        metric = sample.metric
        if isinstance(metric, CorrectableMetric):
            plain, debiased = (dataclasses.replace(metric, correction=kind) for kind in ("none", "richardson"))
            centre = sample.value if metric == debiased else float(Sample(debiased, sample.inputs).value)
            error = sample.error if metric == plain else Sample(plain, sample.inputs, sample.design).error
            reason = _few_for_features(sample)
        else:
            centre, error = sample.value, _error_of_plain(sample)
            reason = "the fit over subset sizes adds noise that the error does not include"
        half = t_quantile(level, sample.df) * error
        method = "influence values around the bias-corrected distance"
        return Interval(centre - half, centre + half, method, reason, corrected=centre)

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """The bootstrap is not valid for this distance."""
        refuse_resampling(sample.metric, method, _WHY)

    def refuse_comparison(self, metric: Metric[Any], method: str) -> None:
        """Neither is a comparison by replicates."""
        refuse_resampling(metric, method, _WHY)


def _error_of_plain(sample: Sample) -> float:
    from assay.metrics.generation.fid import (
        FID,  # of all metrics this family alone needs one, and few callers need the family
    )

    plain = FID(extractor=asked(sample.metric, TwoSampleMetric).extractor)
    rows = sample.total  # kept, so that a state has an interval too
    inputs = plain.inputs(features=rows["features"], sample=rows["sample"], weight=rows.weight)
    return Sample(plain, inputs, sample.design).error


def _few_for_features(sample: Sample) -> str:
    features = int(sample.inputs["features"].shape[1])
    rows = min(asked(sample.metric, TwoSampleMetric).counts(sample.total))
    if rows >= ROWS_PER_FEATURE * features:
        return ""
    return f"only {rows:.4g} rows in a sample for {features} features: the correction was checked from {ROWS_PER_FEATURE} per feature on"
