"""Measures of training fit, such as AIC: intervals of totals, marked, since the rows are those the model was fitted to."""

from __future__ import annotations

from assay.core.arrays import Floats
from assay.core.inference_options import InferenceOptions
from assay.inference.delta_method import Interval
from assay.inference.families.total import TotalFamily
from assay.inference.sample import Sample

WHY = (
    "measures the fit to the rows that the model was trained on, which vary with the model; says nothing about new rows"
)


class TrainingFitFamily(TotalFamily):
    """A total over training rows."""

    interval_words = "measure of training fit: as for totals, never marked as reliable"
    comparison_words = (
        "measures of training fit: paired Hall t of the rows' log-likelihoods, as Vuong's test; not for nested models"
    )

    def interval(self, sample: Sample, level: float) -> Interval:
        """As for a total."""
        return super().interval(sample, level).doubted(WHY)

    def resampled(self, sample: Sample, values: Floats, options: InferenceOptions) -> Interval:
        """From replicates."""
        return super().resampled(sample, values, options).doubted(WHY)
