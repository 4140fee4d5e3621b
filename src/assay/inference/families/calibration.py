"""Calibration errors. The plain value is biased upward, so intervals from resampling it do not cover; the bins reveal the noise."""

from __future__ import annotations

import math
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from assay.core.distributions import z_quantile
from assay.core.errors import ParameterError, arg
from assay.inference import formulas
from assay.inference.delta_method import Interval
from assay.inference.families.family import RESAMPLING, Family
from assay.inference.sample import Sample, asked
from assay.ops import divide

PRIOR = 2.0  # rows' worth of belief that a bin varies as its confidence says: two rows that agree would show no noise


@runtime_checkable
class BinnedMetric(Protocol):
    """What the family asks of its metrics."""

    @property
    def norm(self) -> Literal["l1", "l2", "max"]:
        """How the gaps of the bins become one number."""
        ...

    @property
    def debiased(self) -> bool:
        """Whether the value itself is bias-corrected."""
        ...

    def sums(self, total: Any) -> Any:
        """Rows, confidence, hits and squared gaps, summed per bin (questions, bins, 4)."""
        ...


class CalibrationErrorFamily(Family):
    """The gap between stated probabilities and frequencies."""

    interval_words = "calibration error: from the noise of the bins, with the debiased value beside it"
    powers = 1
    biased = True
    ranks_models = False
    unplanned = "depends on the number of bins and on how far each is off"
    one_sided = True

    def interval(self, sample: Sample, level: float) -> Interval:
        """Limits of the true error over these bins, from the noise of the gaps."""
        return calibration(sample, level)

    def refuse_interval(self, sample: Sample, method: str) -> None:
        """Resampling and standard errors centre on a biased value."""
        if method in (*RESAMPLING, "delta") or not sample.design.plain:
            raise ParameterError(
                sample.metric.name,
                "",
                "resampling and standard errors are not valid here: the plain value is biased upward, and for a calibrated model such an "
                "interval never covers the truth",
                f"Use {arg('method', 'auto')} without {arg('groups')} and {arg('strata')}.",
            )


def _bins(sample: Sample) -> tuple[Any, Any, Any]:
    """Rows, gap and variance of the gap of every bin (questions, bins)."""
    sums = asked(sample.metric, BinnedMetric).sums(sample.total)
    count = sums[..., 0] * sample.scale
    said, right, square = (np.nan_to_num(divide(sums[..., i], sums[..., 0])) for i in (1, 2, 3))
    spread = np.maximum(square - (right - said) ** 2, 0)
    rows = np.maximum(count, 1)
    noise = (rows * spread + PRIOR * said * (1 - said)) / (rows - 1 + PRIOR) / rows
    return count, right - said, np.where(count > 0, noise, 0)


def _root_mean_square(share: Any, gap: Any, noise: Any, z: float) -> tuple[float, float, float]:
    """Debiased root mean square error with its limits; several questions are taken as fully dependent."""
    square = float((share * (gap**2 - noise)).sum(axis=-1).mean())
    error = float(np.sqrt((share**2 * (4 * gap**2 * noise + 2 * noise**2)).sum(axis=-1)).mean())
    low, high = (math.sqrt(max(0.0, square + side * z * error)) for side in (-1, 1))
    return math.sqrt(max(0.0, square)), low, high


def calibration(sample: Sample, level: float) -> Interval:
    """Limits of the true error over these bins, from the noise of the gaps.

    ``l2``: the debiased mean square and its error. ``l1``: the plain value exceeds the truth by at most the mean size of pure
    noise, and the truth is never above the root mean square. ``max``: simultaneous limits of all bins.
    """
    count, gap, noise = _bins(sample)
    share = count / count.sum(axis=-1, keepdims=True)
    z = z_quantile(level)
    debiased, low, high = _root_mean_square(share, gap, noise, z)
    metric = asked(sample.metric, BinnedMetric)
    few = "many bins hold a single row" if float((share * (count <= 1)).sum(axis=-1).mean()) > 0.1 else ""
    if metric.norm == "max":
        return _largest(share, gap, noise, level)
    if metric.norm == "l2":
        return Interval(low, high, "debiased L2", few, corrected=None if metric.debiased else debiased)
    error = float(np.sqrt((share**2 * noise).sum(axis=-1)).mean())
    # The mean absolute deviation of so few coins, over their standard deviation.
    size = math.sqrt(2 / math.pi) * (1 + 0.25 / np.maximum(count, 1))
    bias = float((share * np.sqrt(noise) * size).sum(axis=-1).mean())
    bottom = max(0.0, sample.value - bias - z * error)
    top = max(bottom, min(sample.value + z * error, high))
    own = float((share * np.sqrt(np.maximum(gap**2 - noise, 0))).sum(axis=-1).mean())  # every gap minus its own noise
    return Interval(
        bottom, top, "bounded bias, debiased L2", few, {"debiased calibration error": debiased}, min(max(own, bottom), top)
    )  # fmt: skip


def _largest(share: Any, gap: Any, noise: Any, level: float) -> Interval:
    """The largest gap, from limits of every bin that hold together."""
    filled = share > 0
    z = z_quantile(formulas.sidak(level, int(filled.sum())))
    half = z * np.sqrt(noise)
    low, high = (np.where(filled, np.abs(gap) + side * half, 0).max(axis=-1).mean() for side in (-1, 1))
    return Interval(max(0.0, float(low)), min(1.0, float(high)), "simultaneous limits of all bins")
