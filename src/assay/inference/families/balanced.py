"""Means of recalls, such as balanced accuracy: posteriors of both recalls, or recalls shrunk to their mean."""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from assay.core.distributions import z_quantile
from assay.inference import formulas
from assay.inference.class_rates import MANY, POSTERIOR_DRAWS, posterior, rare_class
from assay.inference.delta_method import Interval, scaled
from assay.inference.families.family import Family
from assay.inference.sample import Sample, asked


@runtime_checkable
class BalancedMetric(Protocol):
    """What the family asks of its metrics."""

    @property
    def adjusted(self) -> bool:
        """Whether the value of guessing is moved to 0."""
        ...


class BalancedFamily(Family):
    """The mean of the recalls of all classes."""

    interval_words = "mean of recalls: Jeffreys for two classes, shrunken logit for more"
    powers = 2
    unplanned = "depends on the number of rows of every class"

    def interval(self, sample: Sample, level: float) -> Interval:
        """Two classes: Jeffreys posteriors of both recalls. More: recalls shrunk to their mean, on the logit scale."""
        if sample.uneven:
            return scaled(sample, level).doubted(rare_class(sample))
        table = sample.total.table * sample.scale
        support, hits = table.sum(axis=-1), np.diagonal(table, axis1=-2, axis2=-1)
        hits, support = hits[support > 0], support[support > 0]
        k = len(support)
        if k == 2 and min(hits.min(), (support - hits).min()) < MANY:
            rng = np.random.Generator(np.random.Philox(0))
            drawn = rng.beta(hits + 0.5, support - hits + 0.5, size=(POSTERIOR_DRAWS, 2)).mean(axis=-1)
            values = _adjusted(sample, drawn, k)
            return posterior(sample, values, level, "Jeffreys posterior of both recalls", rare_class(sample))
        limits = _shrunk(hits, support, level)
        low, high = _adjusted(sample, np.array(limits), k).tolist()
        return Interval(min(low, sample.value), max(high, sample.value), "shrunk logit", rare_class(sample))


def _shrunk(hits: Any, support: Any, level: float) -> formulas.Limits:
    """Limits of the mean of recalls, each shrunk to the mean of all."""
    pooled, rows = float((hits / support).mean()), float(support.sum())
    if not 0 < pooled < 1:
        return formulas.wilson(pooled * rows, rows, level)
    shrunk = (hits + 2 * pooled) / (support + 2)
    error = math.sqrt(float((shrunk * (1 - shrunk) / support).sum())) / len(support)
    return formulas.on_scale("logit", float(shrunk.mean()), error, z_quantile(level))


def _adjusted(sample: Sample, values: Any, k: int) -> Any:
    """Balanced accuracies adjusted as the metric's parameters say."""
    return (values - 1 / k) / (1 - 1 / k) if asked(sample.metric, BalancedMetric).adjusted and k > 1 else values
