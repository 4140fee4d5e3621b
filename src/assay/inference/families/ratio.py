"""Ratios of sums over rows, such as WAPE: the delta method on the log scale."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from assay.core.arrays import Floats
from assay.core.inference_options import InferenceOptions
from assay.inference.delta_method import Interval, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample


@runtime_checkable
class ExtremeRatio(Protocol):
    """A ratio that may rest on the smallest and the largest row."""

    @property
    def rests_on_extremes(self) -> bool:
        """Whether it does under these parameters."""
        ...


class RatioFamily(Family):
    """A sum over rows, divided by another sum over the same rows."""

    interval_words = "ratio of two sums over rows: delta method on the log scale, bootstrap for quartiles"
    powers = 2
    unplanned = "depends on how numerator and denominator vary together"

    def interval(self, sample: Sample, level: float) -> Interval:
        """The delta method on the log scale; resampled where a quantile stands below the line."""
        return scaled(sample, level)

    def resampled(self, sample: Sample, values: Floats, options: InferenceOptions) -> Interval:
        """Doubted where the range of the rows stands below the line: no replicate has a wider one."""
        found = super().resampled(sample, values, options)
        if isinstance(sample.metric, ExtremeRatio) and sample.metric.rests_on_extremes:
            return found.doubted("the range of the rows grows with their number, and no replicate exceeds it")
        return found
