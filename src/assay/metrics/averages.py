"""Averages over classes and outputs that leave out what is undefined; real or complex, with any leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.ops import divide, real


def both_sides(values: Any) -> tuple[Any, Any]:
    """For each place of the last axis the sum of what stands before it and of what stands behind it.

    Both are added up and never subtracted from the whole: a difference of sums leaves a rounding residue where nothing is
    left, and nothing where little is.
    """
    none = np.zeros_like(values[..., :1])
    before = np.concatenate([none, np.cumsum(values[..., :-1], axis=-1)], axis=-1)
    behind = np.concatenate([np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1], none], axis=-1)
    return before, behind


def but_own(values: Any) -> Any:
    """For each place of the last axis the sum of all others."""
    before, behind = both_sides(values)
    return before + behind


def mean_defined(values: Any, weights: Any = None) -> Any:
    """Mean over the last axis of the values that exist; NaN if none does or all their weights are zero."""
    exists = ~np.isnan(values)
    shares = exists * (1.0 if weights is None else weights)
    return divide((np.where(exists, values, 0) * shares).sum(axis=-1), shares.sum(axis=-1))


def mean_of_rows(value: Any, exists: Any, absent: Any, undefined: Any) -> Any:
    """Mean over rows from the sum of their values and the weight of the rows with and without one.

    Rows without a value are left out, count as the policy's number, or refute the mean.
    """
    if undefined == "error":
        return divide(value, np.where(real(absent) > 0, 0, exists))
    if undefined == "nan":
        return divide(value, exists)
    return divide(value + float(undefined) * absent, exists + absent)
