"""Losses of margins: two classes, or several."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np

from assay.core.arrays import Array, ArrayLike, Namespace, kind_of, like
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.class_inputs import (
    classes_last,
    distribution,
    elements_kept,
    looked_up,
    refuse_unclear_weight,
    settled,
    true_of,
)
from assay.losses.inputs import arrays, floating, pair
from assay.losses.loss_body import LossBody, each, with_slopes
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions, chosen
from assay.ops import clamp, ramp

Several = Literal["crammer_singer", "multi_margin", "one_vs_all"]


@loss(
    "convex",
    "robust",
    "monotone",
    "sparse",
    title="Hinge",
    use="a margin is wanted and probabilities are not",
    instead="cross entropy",
    misleads="its scores are no probabilities, and rows beyond the margin teach nothing; targets are -1 and 1, not 0 and 1",
    equals=("scikit-learn hinge_loss", "torch multi_margin_loss with multiclass='multi_margin'"),
    references=("cortes1995", "crammer2001", "rifkin2004"),
    aliases=("hinge_loss",),
)
def hinge(
    logits: ArrayLike,
    target: ArrayLike,
    *,
    margin: float = 1.0,
    squared: bool = False,
    multiclass: Several = "crammer_singer",
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Nothing beyond the margin, linear (or squared) before it; targets are -1 and 1, or integers of classes.

    .. math:: \ell = \max(0, m - y f) \quad\text{or}\quad \max(0, m - f_t + \max_{j \ne t} f_j)

    A target with one axis fewer than the logits names one of several classes. ``multiclass="multi_margin"`` adds
    ``max(0, m - f_t + f_j)`` over all others and divides by the number of classes, as PyTorch; ``"one_vs_all"`` adds the two-class
    losses of all classes. The mean divides by the number of elements or places, or by the sum of the weights.

    >>> float(hinge([0.5, 2.0], [1.0, -1.0]))
    1.75
    """
    between("hinge", 0.0, float("inf"), margin=margin)
    positive("hinge", margin=margin)
    xp, (scores, truth) = arrays("hinge", logits=logits, target=target)
    if kind_of(truth) == "int" and truth.ndim == scores.ndim - 1:
        return _several(xp, floating(xp, scores), truth, multiclass, (margin, squared), ignore_index, options)
    truth, options = elements_kept("hinge", xp, truth, ignore_index, options)
    xp, scores, truth = pair("hinge", scores, truth, ("logits", "target"))
    return each("hinge", _SQUARED_HINGE if squared else _HINGE, xp, (scores, truth), (margin,), options)


def _several(
    xp: Namespace,
    logits: Array,
    target: Array,
    multiclass: Several,
    parameters: tuple[float, bool],
    ignore_index: int | None,
    options: LossOptions,
) -> Array:
    if logits.ndim < 2:
        raise InputError("hinge", "logits", "of several classes need an axis of rows before that of the classes")
    logits = classes_last(xp, logits)
    distribution("hinge", xp, target, logits)
    refuse_unclear_weight("hinge", options, logits, logits.shape[-1], looked_up(target))
    target, keep = settled("hinge", xp, target, logits.shape[-1], ignore_index)
    curve = _SEVERAL[multiclass]
    return each("hinge", curve, xp, (logits, target), parameters, chosen("hinge", xp, options, keep))


def _hot(xp: Any, z: Array, target: Array) -> Array:
    """Where the true class stands."""
    codes = xp.astype(like(z, np.arange(z.shape[-1])), target.dtype)
    return xp.expand_dims(target, axis=-1) == codes


def _short(xp: Any, short: Array, squared: bool) -> Array:
    """How far the score falls short of the margin, or its square; 0 and flat beyond it."""
    some = ramp(xp, short)
    return some * some if squared else some


def _crammer_singer(xp: Any, z: Array, target: Array, margin: float, squared: bool) -> Array:
    others = xp.where(_hot(xp, z, target), xp.full_like(z, -float("inf")), z)
    return _short(xp, margin - true_of(xp, z, target) + xp.max(others, axis=-1), squared)


def _multi_margin(xp: Any, z: Array, target: Array, margin: float, squared: bool) -> Array:
    short = _short(xp, margin + z - xp.expand_dims(true_of(xp, z, target), axis=-1), squared)
    return xp.sum(xp.where(_hot(xp, z, target), xp.zeros_like(short), short), axis=-1) / z.shape[-1]


def _one_vs_all(xp: Any, z: Array, target: Array, margin: float, squared: bool) -> Array:
    signed = xp.where(_hot(xp, z, target), z, -z)
    return xp.sum(_short(xp, margin - signed, squared), axis=-1)


_SEVERAL = {
    "crammer_singer": LossBody(_crammer_singer, rowwise=True),
    "multi_margin": LossBody(_multi_margin, rowwise=True),
    "one_vs_all": LossBody(_one_vs_all, rowwise=True),
}


def _hinge_slopes(xp: Any, z: Array, y: Array, margin: float) -> Any:
    short = clamp(xp, margin - z * y, 0, None)
    return short, (xp.where(short > 0, -y, xp.zeros_like(y)),)


def _squared_hinge_slopes(xp: Any, z: Array, y: Array, margin: float) -> Any:
    short = ramp(xp, margin - z * y)
    return short * short, (-2 * y * short,)


def _hinge_value(xp: Any, z: Array, y: Array, margin: float) -> Array:
    return _short(xp, margin - z * y, squared=False)


_HINGE = LossBody(_hinge_value, _hinge_slopes, accelerator="hinge")
_SQUARED_HINGE = with_slopes(_squared_hinge_slopes)
