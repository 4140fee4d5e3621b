"""Means of curves that are raised to their highest later point, such as COCO's AP: a bias-corrected bootstrap."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Protocol, runtime_checkable

import numpy as np

from assay.core.arrays import Floats
from assay.core.inference_options import InferenceOptions
from assay.core.monoids import Rows
from assay.inference.bootstrap import lenient, usable
from assay.inference.delta_method import Interval
from assay.inference.draws import Draws
from assay.inference.families.family import Family
from assay.inference.sample import Sample, asked

FEW_OBJECTS = 10
HALVES = 100  # random halves of the units, which reveal the bias


@runtime_checkable
class EnvelopeMetric(Protocol):
    """What the family asks of its metrics."""

    def fewest(self, total: Rows) -> float:
        """The number of objects of the rarest class."""
        ...


class EnvelopeFamily(Family):
    """The mean of curves that are raised to their highest later point."""

    interval_words = "COCO's AP: bootstrap error around the bias-corrected value, the bias from halves of the units"
    bias_words = "biased upward (few objects)"

    def resampled(self, sample: Sample, values: Floats, options: InferenceOptions) -> Interval:
        """Normal limits around the bias-corrected value.

        Such an envelope takes the luckiest of many noisy points, so that its bias falls as n to the power of -2/3 (as that of monotone
        estimates does) and percentiles of replicates lie on the wrong side of it. What half of the units add to the bias reveals how
        large it is.
        """
        if options.method == "percentile":
            return super().resampled(sample, values, options)
        known, reason = usable(sample, values)
        fewest = asked(sample.metric, EnvelopeMetric).fewest(sample.total)
        reason = reason or (f"only {fewest:g} objects of a class" if fewest < FEW_OBJECTS else "")
        centre = sample.value - _bias(sample, options.seed)
        half = NormalDist().inv_cdf((1 + options.level) / 2) * float(known.std(ddof=1))
        method = f"bias-corrected bootstrap, {len(values)} replicates"
        return Interval(centre - half, centre + half, method, reason, corrected=centre)


def _bias(sample: Sample, seed: int) -> float:
    """The bias of the value, from what it gains on random halves of the units."""
    halves = Draws(sample.design.units, HALVES, seed).signs(0, HALVES)
    codes = sample.design.groups
    weight = (halves if codes is None else halves[:, codes]).astype(np.float64)
    weight = weight if sample.weight is None else weight * sample.weight
    halved: Any = lenient(sample.metric).reweighed(sample.total, weight)
    return (float(halved[np.isfinite(halved)].mean()) - sample.value) / (2 ** (2 / 3) - 1)
