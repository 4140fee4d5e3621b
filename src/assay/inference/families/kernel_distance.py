"""Kernel distances between a real and a generated sample, such as KID: t around the unbiased estimate."""

from __future__ import annotations

from typing import Any

from assay.core.distributions import t_quantile
from assay.core.metric import Metric
from assay.inference.delta_method import FEW_ROWS, Interval
from assay.inference.families.family import Family, refuse_resampling
from assay.inference.families.frechet import TwoSampleMetric
from assay.inference.sample import Sample, asked

_WHY = "a replicate repeats rows, and pairs of a row with itself make it too large"


class KernelDistanceFamily(Family):
    """A distance of two samples that is a mean over pairs of rows; each sample varies independently."""

    interval_words = "kernel distance (KID): influence values of all pairs, each sample separately"
    any_design = True
    unplanned = "is a distance of two samples"

    def interval(self, sample: Sample, level: float) -> Interval:
        """t around the unbiased estimate, with the error from the pairs themselves."""
        half = t_quantile(level, sample.df) * sample.error
        rows = min(asked(sample.metric, TwoSampleMetric).counts(sample.total))
        few = f"only {rows:.3g} rows in a sample" if rows < 5 * FEW_ROWS else ""
        return Interval(sample.value - half, sample.value + half, "influence values of all pairs", few)

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """The bootstrap is not valid for this distance."""
        refuse_resampling(sample.metric, method, _WHY)

    def refuse_comparison(self, metric: Metric[Any], method: str) -> None:
        """Neither is a comparison by replicates."""
        refuse_resampling(metric, method, _WHY)
