"""Averages over classes and outputs that leave out what is undefined; real or complex, with any leading axes."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.ops import divide, real

Numbers: TypeAlias = NDArray[np.number]  # real, or complex where a derivative is taken by complex step
N = TypeVar("N", bound=NDArray[np.number])


def both_sides(values: Numbers) -> tuple[Numbers, Numbers]:
    """For each place of the last axis the sum of what stands before it and of what stands behind it.

    Both are added up and never subtracted from the whole: a difference of sums leaves a rounding residue where nothing is
    left, and nothing where little is.
    """
    none = np.zeros_like(values[..., :1])
    before = np.concatenate([none, np.cumsum(values[..., :-1], axis=-1)], axis=-1)
    behind = np.concatenate([np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1], none], axis=-1)
    return before, behind


def but_own(values: Numbers) -> Numbers:
    """For each place of the last axis the sum of all others."""
    before, behind = both_sides(values)
    return before + behind


def mean_defined(values: N, weights: Numbers | None = None) -> N:
    """Mean over the last axis of the values that exist; NaN if none does or all their weights are zero."""
    exists = ~np.isnan(values)
    shares = exists * (1.0 if weights is None else weights)
    return divide((np.where(exists, values, 0) * shares).sum(axis=-1), shares.sum(axis=-1))


def mean_of_rows(value: Numbers, exists: Numbers, absent: Numbers, undefined: str | float) -> Numbers:
    """Mean over rows from the sum of their values and the weight of the rows with and without one.

    Rows without a value are left out, count as the policy's number, or refute the mean.
    """
    if undefined == "error":
        return divide(value, np.where(real(absent) > 0, 0, exists))
    if undefined == "nan":
        return divide(value, exists)
    return divide(value + float(undefined) * absent, exists + absent)
