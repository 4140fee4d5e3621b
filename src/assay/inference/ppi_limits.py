"""From a prediction-powered estimate to its limits, on the scale that suits what is estimated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from assay.core.distributions import t_quantile, two_sided
from assay.core.metric import Metric
from assay.core.parameters import choice
from assay.inference.formulas import Limits, hall, rescaled, wilson
from assay.inference.ppi_estimate import PpiEstimate

Method: TypeAlias = Literal["hall", "t"]


@dataclass(frozen=True)
class LimitRule:
    """How limits follow from an estimate, that of the labels alone, and the level.

    ``suffers_from_skew``: a few large values make the interval too short.
    """

    name: str
    limits: Callable[[PpiEstimate, PpiEstimate, float], Limits]
    suffers_from_skew: bool = True
    range: Limits = (-math.inf, math.inf)


def mean_rule(who: str, method: Method) -> LimitRule:
    """The rule of a mean: Hall's transformed t, which corrects for skewness, or plain t."""
    choice(who, "method", method, ("hall", "t"))
    return (
        LimitRule("t", lambda estimate, _, level: _t(estimate, level)) if method == "t" else LimitRule("Hall t", _hall)
    )


def _t(estimate: PpiEstimate, level: float) -> Limits:
    half = t_quantile(level, estimate.df) * estimate.error
    return estimate.value - half, estimate.value + half


def _hall(estimate: PpiEstimate, alone: PpiEstimate, level: float) -> Limits:
    rows = estimate.df + 1
    return hall(estimate.value, estimate.error, estimate.skew * math.sqrt(rows), rows, level)


def wilson_rule(trials: float) -> LimitRule:
    """Wilson's interval with the number of trials that would be as precise without predictions; ``trials`` of them are labelled.

    Half a success and half a failure on which the judge knows nothing are added to both variances: without them the
    interval covers 90 % where judge and people disagree on two or three of 50 labels, with them 95 %.
    """

    def limits(estimate: PpiEstimate, alone: PpiEstimate, level: float) -> Limits:
        p = alone.value
        added = 0.5 * (p**2 + (1 - p) ** 2) / trials**2
        like = trials * (p * (1 - p) / (trials - 1) + added) / (estimate.variance + added)
        return wilson(estimate.value * like, like, 1 - two_sided(t_quantile(level, estimate.df)))

    return LimitRule("Wilson", limits, suffers_from_skew=False, range=(0.0, 1.0))


def scale_rule(entry: Metric[Any]) -> LimitRule:
    """Student's t on the scale of a metric, kept inside its range."""
    scale, bounds = entry.record.transform, entry.bounds

    def limits(estimate: PpiEstimate, alone: PpiEstimate, level: float) -> Limits:
        if bounds[0] < estimate.value < bounds[1]:
            return rescaled(scale, estimate.value, estimate.error, bounds, t_quantile(level, estimate.df))
        # At the end of the range the scale ends too.
        low, high = (min(max(bounds[0], end), bounds[1]) for end in _t(estimate, level))
        return low, high

    name = "t" if scale == "identity" else f"{scale.replace('_', ' ')} t"
    return LimitRule(name, limits, suffers_from_skew=not all(map(math.isfinite, bounds)), range=bounds)
