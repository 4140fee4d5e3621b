"""Partial pooling: estimates of slices that borrow from each other, more so the less certain they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile
from assay.core.errors import InputError, arg
from assay.core.score import Score
from assay.inference import formulas
from assay.inference.sample import NotSmoothError, Sample


def partially_pooled(scores: dict[Any, Score], samples: dict[Any, Sample], level: float) -> dict[Any, Score]:
    """Every slice drawn towards the mean of all (random effects; DerSimonian and Laird 1986, Morris 1983).

    A slice whose value is undefined is left out; it has nothing to contribute.
    """
    seen = {label: measured for label, sample in samples.items() if (measured := _measured(sample)) is not None}
    if len(seen) < 3:
        problem = f"pooling needs at least three slices with a value and a standard error, got {len(seen)}"
        raise InputError("", "", problem, f"Leave {arg('pool')} out.")
    there, back, slope = formulas.SCALES[next(iter(samples.values())).metric.record.transform]
    with np.errstate(all="ignore"):
        values = np.array([there(value) for value, _ in seen.values()], dtype=np.float64)
        errors = np.array([error * slope(value) for value, error in seen.values()], dtype=np.float64)
    centre, error = _drawn(values, errors)
    half = t_quantile(level, len(values) - 1) * error
    found: dict[Any, Score] = {}
    for label, c, h in zip(seen, centre.tolist(), half.tolist(), strict=True):
        low, high = float(back(c - h)), float(back(c + h))
        found[label] = scores[label].but(
            float(back(c)),
            low=low,
            high=high,
            level=level,
            method="partial pooling",
            reliable=True,
            reason="",
            corrected=None,
        )
    return found


def _drawn(values: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Shrunken values and their errors, with what not knowing the spread between slices adds to them."""
    precision = 1 / errors**2
    mean = (precision @ values) / precision.sum()
    excess = precision @ (values - mean) ** 2 - (len(values) - 1)
    between = max(0.0, excess / (precision.sum() - (precision @ precision) / precision.sum()))
    weight = 1 / (errors**2 + between)
    mean, of_mean = (weight @ values) / weight.sum(), 1 / weight.sum()
    drawn = errors**2 / (between + errors**2)
    unsure = 2 / (len(values) - 1) * drawn**2 * (values - mean) ** 2
    return values - drawn * (values - mean), np.sqrt((1 - drawn) * errors**2 + drawn**2 * of_mean + unsure)


def _measured(sample: Sample) -> tuple[float, float] | None:
    """Value and standard error inside the range; a proportion of 0 or 1 is moved by half a row, so that its error is not zero."""
    low, high = sample.bounds
    try:
        value, error = sample.value, sample.error
    except NotSmoothError:
        return None
    if (low, high) == (0, 1) and (value in (0, 1) or error == 0):
        rows = sample.units
        value = (value * rows + 0.5) / (rows + 1)
        return value, math.sqrt(value * (1 - value) / rows)
    return (value, error) if low < value < high and math.isfinite(error) and error > 0 else None
