"""Formulas for intervals of a learner's error from the values of its splits, and the quantity that each covers.

``model``: the error of the fitted model at hand. ``learner``: the expected error of the learner at this training set size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.distributions import t_quantile, z_quantile
from assay.core.errors import InputError

About = Literal["model", "learner"]
AVERAGED, POOLED = "mean of the splits", "all test rows pooled"


@dataclass(frozen=True)
class Limits:
    """An estimate with its limits, its standard error, and the quantity that they cover.

    ``form`` describes how the splits became one number, ``reason`` why the limits are not reliable, if they are not.
    """

    value: float
    low: float
    high: float
    error: float
    method: str
    about: About
    form: str = AVERAGED
    reason: str = ""


def _around(value: float, error: float, quantile: float, method: str, about: About) -> Limits:
    half = quantile * error
    return Limits(value, value - half, value + half, error, method, about)


def corrected_t(values: Any, ratio: float, level: float) -> Limits:
    """Nadeau and Bengio (2003): the variance of overlapping splits, with n_test / n_train as their correlation."""
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        raise InputError("corrected t", "values", "must come from at least 2 splits")
    error = float(values.std(ddof=1)) * math.sqrt(1 / len(values) + ratio)
    return _around(float(values.mean()), error, t_quantile(level, len(values) - 1), "corrected resampled t", "learner")


def conservative_z(values: Any, first: Any, second: Any, level: float) -> Limits:
    """Nadeau and Bengio (2003): a conservative variance from pairs of estimates on disjoint halves."""
    gaps: Any = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    error = math.sqrt(float((gaps**2).mean()) / 2)
    value: Any = np.asarray(values, dtype=np.float64).mean()
    return _around(float(value), error, z_quantile(level), "conservative z", "learner")


def nested(inside: Any, outside: Any, sizes: Any, spreads: Any, pooled: Any, folds: int, level: float) -> Limits:
    """Bates, Hastie and Tibshirani (2024), from one entry per repeat and outer fold.

    ``inside`` is the mean error of the inner cross-validation without that fold, ``outside`` the mean error on it of the
    learner that never saw it, ``spreads`` the variance of those errors and ``sizes`` their number; ``pooled`` holds all errors of
    the ordinary cross-validation.
    """
    inside, outside = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    gaps: Any = (inside - outside) ** 2 - np.asarray(spreads) / np.asarray(sizes)
    squared = float(gaps.mean())
    pooled = np.asarray(pooled, dtype=np.float64)
    plain = float(pooled.std(ddof=1)) / math.sqrt(len(pooled))
    error = math.sqrt(max(0.0, (folds - 1) / folds * squared))
    error = min(max(error, plain), math.sqrt(folds) * plain)
    bias = (1 + (folds - 2) / folds) * (float(inside.mean()) - float(outside.mean()))
    return _around(float(inside.mean()) - bias, error, z_quantile(level), "nested cross-validation", "model")


def two_fold_t(differences: Any) -> tuple[float, float]:
    """Dietterich (1998): the t statistic of five repeats of two-fold cross-validation, and its degrees of freedom."""
    d = _five_by_two(differences)
    return float(d[0, 0] / math.sqrt(float(_variances(d).mean()))), 5.0


def two_fold_f(differences: Any) -> float:
    """Alpaydin (1999): F of 10 and 5 degrees of freedom from the same ten differences."""
    d = _five_by_two(differences)
    return float((d**2).sum() / (2 * _variances(d).sum()))


def _five_by_two(differences: Any) -> Any:
    d = np.asarray(differences, dtype=np.float64)
    if d.shape != (5, 2):
        raise InputError("5x2cv", "differences", f"must be of five repeats of two folds, got shape {d.shape}")
    return d


def _variances(d: Any) -> Any:
    centre = d.mean(axis=1, keepdims=True)
    return ((d - centre) ** 2).sum(axis=1)


def weighted_632(train: float, out_of_bag: float) -> float:
    """Efron (1983): a weighted mean of the training error and the error on rows left out."""
    return 0.368 * train + 0.632 * out_of_bag


def plus_632(train: float, out_of_bag: float, no_information: float) -> float:
    """Efron and Tibshirani (1997): the weight of the left-out error grows with the relative overfitting."""
    capped = min(out_of_bag, no_information)
    gap = no_information - train
    rate = (capped - train) / gap if out_of_bag > train and gap > 0 else 0.0
    return weighted_632(train, out_of_bag) + (capped - train) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
