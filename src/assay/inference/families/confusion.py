"""Other smooth functions of a confusion table: the delta method on the scale of the metric."""

from __future__ import annotations

from assay.inference.delta_method import Interval, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample


class ConfusionFamily(Family):
    """A function of the confusion table with no interval of its own."""

    interval_words = "function of the confusion table: delta method"
    powers = 2

    def interval(self, sample: Sample, level: float) -> Interval:
        """The delta method."""
        return scaled(sample, level)
