"""Averages over classes and outputs that leave out what is undefined; real or complex, with any leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.ops import divide


def mean_defined(values: Any, weights: Any = None) -> Any:
    """Mean over the last axis of the values that exist; NaN if none does or all their weights are zero."""
    exists = ~np.isnan(values)
    shares = exists * (1.0 if weights is None else weights)
    return divide((np.where(exists, values, 0) * shares).sum(axis=-1), shares.sum(axis=-1))
