"""The interval used wherever nothing better is known: standard errors of influence values, on the metric's own scale."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from assay.core.distributions import t_quantile
from assay.core.interval_state import FEW_FOR_MOMENTS
from assay.core.monoids import Moments
from assay.inference import formulas
from assay.inference.sample import Sample

FEW_ROWS = 10
ALL_AGREE = "all rows agree, so they say nothing about the spread"


@dataclass(frozen=True)
class Interval:
    """Limits with the name of their method, and the reason not to trust them if there is one."""

    low: float
    high: float
    method: str
    reason: str = ""
    notes: dict[str, float] = field(default_factory=lambda: dict[str, float]())
    corrected: float | None = None  # the bias-corrected estimate, where the limits enclose that rather than the value

    def doubted(self, reason: str) -> Interval:
        """The interval with this reason not to trust it instead of its own, if there is one."""
        return replace(self, reason=reason or self.reason)


IntervalRule = Callable[[Sample, float], Interval]


def scaled(sample: Sample, level: float, *, name: str = "delta") -> Interval:
    """Value plus and minus t standard errors on the scale of the family: used wherever nothing better is known."""
    metric, value = sample.metric, sample.value
    scale, bounds = metric.record.transform, sample.bounds
    quantile = t_quantile(level, sample.df)
    at_bound = value in bounds or sample.error == 0
    if at_bound and bounds == (0, 1):
        return Interval(*formulas.wilson(value * sample.units, sample.units, level), "Wilson", few_rows(sample))
    if at_bound or (scale == "log" and value <= 0):
        return Interval(value, value, f"{name} ({scale})", ALL_AGREE)
    limits = formulas.rescaled(scale, value, standard_error(sample), bounds, quantile)
    return Interval(
        *limits,
        f"{name} t" if scale == "identity" else f"{name} t on the {_SCALE_NAMES[scale]} scale",
        few_rows(sample),
    )


def standard_error(sample: Sample) -> float:
    """The standard error; functions of moments on few rows have it from leaving out each row in turn.

    A row far out stretches the very moments that it is measured by, so its influence value is too small (leverage).
    """
    few = sample.design.plain and sample.n <= FEW_FOR_MOMENTS and isinstance(sample.total, Moments)
    found = sample.weighted_rows() if few else None
    if found is None:
        return sample.error
    build, rows, weight = found
    without = np.asarray(sample.metric.finalize(build(rows.sum(axis=0) - rows)), dtype=np.float64)
    moved = (1 - weight / weight.sum()) * (without - sample.value)
    error = math.sqrt(float(moved @ moved) * sample.rows / max(1.0, sample.rows - 1))
    return error if math.isfinite(error) else sample.error


_SCALE_NAMES = {"log": "log", "logit": "logit", "fisher_z": "Fisher z", "log_one_minus": "log(1 - value)"}


def few_rows(sample: Sample) -> str:
    """The reason not to trust an interval from a handful of rows."""
    return f"only {sample.rows:.3g} rows" if sample.rows < FEW_ROWS else ""
