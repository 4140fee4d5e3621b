"""Intervals of calibration errors. The plain value is biased upward, so resampling it covers nothing; bins tell the noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.core.distributions import z_quantile
from assay.inference import closed
from assay.inference.limits import Interval
from assay.inference.sample import Sample
from assay.ops import divide

PRIOR = 2.0  # rows' worth of belief that a bin varies as its confidence says: two rows that agree would show no noise


def _bins(sample: Sample) -> tuple[Any, Any, Any]:
    """Rows, gap and variance of the gap of every bin (questions, bins)."""
    sums = sample.metric.sums(sample.total)
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
    norm = sample.metric.norm
    few = "many bins hold a single row" if float((share * (count <= 1)).sum(axis=-1).mean()) > 0.1 else ""
    if norm == "max":
        return _largest(share, gap, noise, level)
    if norm == "l2":
        return Interval(low, high, "debiased L2", few, corrected=None if sample.metric.debiased else debiased)
    error = float(np.sqrt((share**2 * noise).sum(axis=-1)).mean())
    size = math.sqrt(2 / math.pi) * (
        1 + 0.25 / np.maximum(count, 1)
    )  # of the mean deviation of so few coins, over theirs
    bias = float((share * np.sqrt(noise) * size).sum(axis=-1).mean())
    bottom = max(0.0, sample.value - bias - z * error)
    top = max(bottom, min(sample.value + z * error, high))
    own = float((share * np.sqrt(np.maximum(gap**2 - noise, 0))).sum(axis=-1).mean())  # every gap less its own noise
    return Interval(
        bottom, top, "bounded bias, debiased L2", few, {"debiased calibration error": debiased}, min(max(own, bottom), top)
    )  # fmt: skip


def _largest(share: Any, gap: Any, noise: Any, level: float) -> Interval:
    """The largest gap, from limits of every bin that hold together."""
    filled = share > 0
    z = z_quantile(closed.sidak(level, int(filled.sum())))
    half = z * np.sqrt(noise)
    low, high = (np.where(filled, np.abs(gap) + side * half, 0).max(axis=-1).mean() for side in (-1, 1))
    return Interval(max(0.0, float(low)), min(1.0, float(high)), "simultaneous limits of all bins")
