"""Means over queries of a value between two bounds, such as nDCG and MAP: t of the query values on the logit scale.

The queries are the sample: documents of one query are never resampled. Where several queries belong to one topic or user, ``groups``
makes these the clusters.
"""

from __future__ import annotations

from assay.inference.delta_method import ALL_AGREE, Interval
from assay.inference.families.bounded_mean import BoundedMeanFamily, logit_t
from assay.inference.sample import Sample

FEW_QUERIES = 25  # below, rankings of systems were found to change from one set of topics to the next
_NONE = 1e-13  # a standard error that is rounding: all queries have one value, which sums do not show exactly


class QueryMeanFamily(BoundedMeanFamily):
    """The mean over queries of a measure of each ranking."""

    interval_words = "mean over queries: t on the logit scale; method='bootstrap' resamples queries"
    comparison_words = (
        "means over queries: paired Hall t, exact randomisation where few differ; method='randomisation' always swaps"
    )

    def interval(self, sample: Sample, level: float) -> Interval:
        """t on the logit scale, doubted where there are too few queries to show how they vary."""
        if sample.value not in sample.bounds and sample.error < _NONE:
            return Interval(sample.value, sample.value, "logit t", ALL_AGREE)
        found = logit_t(sample, level)
        if sample.rows >= FEW_QUERIES:
            return found
        return found.doubted(f"fewer than {FEW_QUERIES} queries: other topics may give another order of systems")
