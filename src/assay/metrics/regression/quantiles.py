"""Medians and quantiles of weighted columns."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from assay.core.arrays import Floats


def weighted_median(values: Floats, weight: Floats | None) -> Floats:
    """Median of each column.

    Under weights it is the middle of the values at which the running weight reaches and exceeds one half, so that weight
    k equals k copies and the scale of the weights does not matter.
    """
    if weight is None:
        return np.median(values, axis=0)
    return np.array([_middle(values[:, j], weight) for j in range(values.shape[1])])


def _running(values: Any, weight: Any) -> tuple[Any, Any]:
    """The values that have weight, in order, and the weight up to and with each."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    return values[order], np.cumsum(weight[order])


def _middle(values: Any, weight: Any) -> Any:
    at, running = _running(values, weight)
    if not len(at):
        return np.nan
    half, tiny = 0.5 * running[-1], 1e-12 * running[-1]
    low = int(cast(Any, np.searchsorted(running, half - tiny, side="left")))
    high = int(cast(Any, np.searchsorted(running, half + tiny, side="right")))
    return at[np.minimum([low, high], len(at) - 1)].sum() / 2


def middles(ordered: Floats, weights: Floats) -> Floats:
    """`_middle` of ordered values under each row of ``weights``, which are in the same order."""
    running = np.cumsum(weights, axis=1)
    half, tiny = 0.5 * running[:, -1:], 1e-12 * running[:, -1:]
    reached, passed = ((running < half - tiny).sum(axis=1), (running <= half + tiny).sum(axis=1))
    last = (running < running[:, -1:] * (1 - 1e-15)).sum(axis=1)  # rows behind it have no weight
    middle = (ordered[np.minimum(reached, last)] + ordered[np.minimum(passed, last)]) / 2
    return np.where(running[:, -1] > 0, middle, np.nan)


def weighted_quantile(values: Floats, weight: Floats | None, q: float) -> Floats:
    """Quantile of each column by linear interpolation between rows, as in NumPy.

    Under weights it is Akinshin's (2023) form of Hyndman and Fan's type 7: the mean of the values over the stretch from
    q(m - 1)/m to (q(m - 1) + 1)/m of the running weight, with m the effective number of rows (sum w)^2 / sum w^2. Equal
    weights are no weights, the scale of the weights does not matter, and weight 0 is absence.
    """
    if weight is None:
        return np.quantile(values, q, axis=0)
    return np.array([_over_stretch(*_running(values[:, j], weight), q) for j in range(values.shape[1])])


def _over_stretch(at: Any, running: Any, q: float) -> Any:
    edges = np.concatenate([[0.0], running]) / running[-1]
    rows = 1 / (np.diff(edges) ** 2).sum()
    cut = np.clip(edges * rows - q * (rows - 1), 0, 1)
    first = at[0]  # the mean around one of the values: a constant column has a quantile without rounding
    return first + (np.diff(cut) * (at - first)).sum()
