"""The mean of the worst cases: CVaR of losses, costs or returns."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, epsilon
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.inputs import arrays, floating, numbers_of
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, known, reduce, share_and_scale
from assay.ops import ramp, stop_gradient


@loss(
    "convex",
    title="CVaR (expected shortfall)",
    use="the worst cases count, not the mean: rare failures, portfolios, fairness over groups",
    instead="quantile, if only the border of the worst cases is wanted; the mean, if all cases count",
    misleads="it rests on few rows: of a batch of 64 at level 0.95 on about three, so its gradient is noisy",
    equals=("the least of t + mean(max(v - t, 0)) / (1 - level) over t that scipy linprog finds, without a threshold",),
    references=("rockafellar2000", "koenker1978"),
    range=(float("-inf"), float("inf")),
    rows=False,
    aliases=("conditional_value_at_risk", "expected_shortfall", "superquantile"),
)
def cvar(
    values: ArrayLike,
    threshold: ArrayLike | None = None,
    *,
    level: float = 0.95,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Mean of the worst share ``1 - level`` of the values, such as losses per row with ``reduction="none"``; large is bad.

    .. math:: \ell = t + \frac{\max(v - t, 0)}{1 - \alpha}, \qquad \mathrm{CVaR}_\alpha = \min_t \mathrm{mean}\,\ell

    Without ``threshold`` (t) the mean is its least value, reached at the quantile of the batch at ``level`` (α); a row on the border
    counts in part. A ``threshold`` is one number that learns with the model, jointly convex: it becomes the quantile (value at risk)
    over many batches, which a small batch alone knows badly. ``level=0`` is the plain mean. The mean divides by the number of
    values, or by the sum of the weights, which are also those of the quantile.

    >>> float(cvar([1.0, 2.0, 3.0, 10.0], level=0.5))
    6.5
    >>> float(cvar([1.0, 2.0, 3.0, 10.0], 2.0, level=0.5))
    6.5
    """
    between("cvar", 0.0, 1.0 - 1e-9, level=level)
    known("cvar", options)
    xp, (v,) = arrays("cvar", values=values)
    v = floating(xp, v)
    share, _ = share_and_scale("cvar", xp, v, tuple(v.shape), options)
    if share is not None:  # what is left out may be infinite
        v = xp.where(share != 0, v, xp.zeros_like(v))
    t = _quantile(xp, v, share, level) if threshold is None else _given(v, threshold)
    t = xp.astype(t, v.dtype) if t.dtype != v.dtype else t
    return reduce("cvar", xp, t + ramp(xp, v - t) / (1 - level), options)


def _given(v: Array, threshold: Any) -> Array:
    t = numbers_of("cvar", "threshold", threshold, v)
    if t.ndim:
        raise InputError("cvar", "threshold", f"must be one number, got shape {tuple(t.shape)}")
    return t


def _quantile(xp: Namespace, v: Array, share: Array | None, level: float) -> Array:
    """The least value below or at which lies ``level`` of the weight, as one of the values: its gradient is that of its row."""
    flat = xp.reshape(v, (-1,))
    if not flat.shape[0]:
        return xp.sum(flat)
    weight = xp.ones_like(flat) if share is None else xp.reshape(share, (-1,))
    weight = stop_gradient(xp.astype(weight, xp.float32) if epsilon(weight) > 1e-4 else weight)
    order = xp.argsort(stop_gradient(flat))
    running = xp.cumulative_sum(xp.take(weight, order, axis=0), axis=0)
    before = (running < level * running[-1]) | (running == 0)  # rows without weight are never the border
    at = xp.sum(xp.astype(before, order.dtype), dtype=order.dtype)
    place = xp.arange(flat.shape[0], dtype=order.dtype, device=array_api_compat.device(flat))
    chosen = xp.sum(xp.where(place == at, order, xp.zeros_like(order)), dtype=order.dtype)
    return xp.sum(xp.where(place == chosen, flat, xp.zeros_like(flat)))
