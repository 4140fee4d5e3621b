"""Losses of two classes, or of several labels that do not exclude each other: one logit an element."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array
from assay.core.loss import loss
from assay.losses.basis import Curve, Options, between, each, pair
from assay.losses.classes import one_kind, safe_log
from assay.ops import log_sigmoid, sigmoid


@loss(
    "convex",
    "differentiable",
    "smooth",
    "proper",
    title="Binary cross entropy",
    use="two classes, or several labels that do not exclude each other",
    instead="focal, where one class is rare and easy",
    misleads="from probabilities, a certain error is cut off at the smallest number of the dtype",
    equals=("torch binary_cross_entropy_with_logits", "torch binary_cross_entropy"),
    references=("good1952",),
)
def binary_cross_entropy(
    logits: Any = None,
    target: Any = None,
    *,
    probabilities: Any = None,
    pos_weight: float | None = None,
    class_weight: tuple[float, float] | None = None,
    **options: Unpack[Options],
) -> Array:
    r"""Negative log-likelihood of two classes.

    .. math:: \ell = -y \log p - (1-y) \log(1-p)

    ``pos_weight`` multiplies the positive term, ``class_weight`` both: (negative, positive). The mean divides by the number
    of elements, or by the sum of ``weight``; class weights do not enter it.

    >>> round(float(binary_cross_entropy([0.0, 2.0], [0.0, 1.0])), 6)
    0.410038
    """
    who = "binary_cross_entropy"
    xp, scores, target, from_logits = one_kind(who, logits, probabilities, target)
    between(who, 0.0, float("inf"), pos_weight=pos_weight)
    xp, scores, target = pair(who, scores, target, ("logits" if from_logits else "probabilities", "target"))
    negative, up = class_weight or (1.0, 1.0)
    parameters = (negative, up * (1.0 if pos_weight is None else pos_weight))
    return each(who, _LOGITS if from_logits else _PROBABILITIES, xp, (scores, target), parameters, options)


def _bce_logits(xp: Any, z: Array, y: Array, negative: Any, positive: Any) -> Array:
    down = negative * (1 - y)
    return down * z - (down + positive * y) * log_sigmoid(xp, z)


def _bce_probabilities(xp: Any, p: Array, y: Array, negative: Any, positive: Any) -> Array:
    return -(positive * y * safe_log(xp, p) + negative * (1 - y) * safe_log(xp, 1 - p))


def _bce_slopes(xp: Any, z: Array, y: Array, negative: Any, positive: Any) -> Any:
    if negative == positive == 1:
        return (1 - y) * z - log_sigmoid(xp, z), (sigmoid(xp, z) - y,)
    down = negative * (1 - y)
    both = down + positive * y
    return down * z - both * log_sigmoid(xp, z), (down - both * sigmoid(xp, -z),)


_LOGITS = Curve(_bce_logits, _bce_slopes)
_PROBABILITIES = Curve(_bce_probabilities)
