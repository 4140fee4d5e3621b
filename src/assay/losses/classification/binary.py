"""Losses of two classes, or of several labels that do not exclude each other: one logit per element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack, cast

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat
from assay.core.errors import ParameterError
from assay.core.loss import loss
from assay.losses.class_inputs import elements_kept, numbers_beside, one_kind, safe_log
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions
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
    aliases=("bce", "bce_with_logits", "binary_crossentropy"),
)
def binary_cross_entropy(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    pos_weight: ArrayLike | None = None,
    class_weight: tuple[float, float] | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Negative log-likelihood of two classes.

    .. math:: \ell = -y \log p - (1-y) \log(1-p)

    ``pos_weight`` multiplies the positive term: one number, or one for each entry of the last axis, as in PyTorch.
    ``class_weight`` multiplies both: (negative, positive). Elements whose target is ``ignore_index`` do not count (among floats
    only if it is not the default of -100). The mean divides by the number of the others, or by the sum of ``weight``; class
    weights do not enter it.

    >>> round(float(binary_cross_entropy([0.0, 2.0], [0.0, 1.0])), 6)
    0.410038
    """
    who = "binary_cross_entropy"
    xp, scores, truth, from_logits = one_kind(who, logits, probabilities, target)
    truth, options = elements_kept(who, xp, truth, ignore_index, options)
    xp, scores, truth = pair(who, scores, truth, ("logits" if from_logits else "probabilities", "target"))
    negative, up = _two_weights(who, class_weight)
    extra = _positives(who, xp, pos_weight, scores)
    if getattr(extra, "ndim", 0):
        curve = _COLUMNS if from_logits else _COLUMNS_P
        return each(who, curve, xp, (scores, truth, up * extra), (negative,), options)
    return each(who, _LOGITS if from_logits else _PROBABILITIES, xp, (scores, truth), (negative, up * extra), options)


def _two_weights(who: str, given: Any) -> tuple[Any, Any]:
    """The weights of negatives and positives."""
    if given is None:
        return 1.0, 1.0
    if not (isinstance(given, tuple | list) or _is_vector(given)) or len(cast("list[Any]", given)) != 2:
        raise ParameterError(who, "class_weight", f"must be two numbers, (negative, positive), got {given!r}")
    negative, positive = cast("list[Any]", given)
    between(who, 0.0, float("inf"), class_weight=negative)
    between(who, 0.0, float("inf"), class_weight=positive)
    return negative, positive


def _is_vector(given: Any) -> bool:
    return array_api_compat.is_array_api_obj(given) and given.ndim == 1


def _positives(who: str, xp: Namespace, given: Any, scores: Array) -> Any:
    """What positives count: one number, or an array of one for each element, from one for each entry of the last axis."""
    if given is None:
        return 1.0
    if not (isinstance(given, tuple | list) or getattr(given, "ndim", 0)):
        between(who, 0.0, float("inf"), pos_weight=given)
        return given
    wanted = f"one number, or one for each entry of the last axis of {tuple(scores.shape)}"
    array = numbers_beside(who, "pos_weight", cast("ArrayLike", given), scores, wanted)
    if not scores.ndim or tuple(array.shape) != (scores.shape[-1],):
        raise ParameterError(who, "pos_weight", f"must hold {wanted}, got shape {tuple(array.shape)}")
    return xp.broadcast_to(xp.astype(array, scores.dtype), scores.shape)


def _bce_logits(xp: Any, z: Array, y: Array, negative: Any, positive: Any) -> Array:
    down = negative * (1 - y)
    return down * z - (down + positive * y) * log_sigmoid(xp, z)


def _bce_probabilities(xp: Any, p: Array, y: Array, negative: Any, positive: Any) -> Array:
    return -(positive * y * safe_log(xp, p) + negative * (1 - y) * safe_log(xp, 1 - p))


def _bce_slopes(xp: Any, z: Array, y: Array, negative: Any, positive: Any) -> Any:
    if negative == positive == 1:
        return (1 - y) * z - log_sigmoid(xp, z), (sigmoid(xp, z) - y,)
    return _weighted_slopes(xp, z, y, negative, positive)


def _weighted_slopes(xp: Any, z: Array, y: Array, negative: Any, positive: Any) -> Any:
    down = negative * (1 - y)
    both = down + positive * y
    return down * z - both * log_sigmoid(xp, z), (down - both * sigmoid(xp, -z),)


_LOGITS = LossBody(_bce_logits, _bce_slopes)
_PROBABILITIES = LossBody(_bce_probabilities)


def _columns(curve: Callable[..., Any]) -> Callable[..., Any]:
    """The same with the weights of the positives as an array, which is cut into blocks as the target is."""

    def of(xp: Any, z: Array, y: Array, positive: Array, negative: Any) -> Any:
        return curve(xp, z, y, negative, positive)

    return of


_COLUMNS = LossBody(_columns(_bce_logits), _columns(_weighted_slopes))
_COLUMNS_P = LossBody(_columns(_bce_probabilities))
