"""Fractions of explained variance: influence values of log(1 - R²)."""

from __future__ import annotations

from assay.inference.delta_method import Interval, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample


class R2Family(Family):
    """The fraction of the variance of the targets that predictions explain."""

    interval_words = "fraction of variance: influence values of log(1 - R²)"
    powers = 2
    unplanned = "depends on the spread of the targets and on the tails of the errors"

    def interval(self, sample: Sample, level: float) -> Interval:
        """The delta method on the scale of log(1 - R²)."""
        return scaled(sample, level)
