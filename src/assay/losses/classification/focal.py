"""Losses that are a function of the probability of the truth: focal, and polynomials in one minus that probability.

Two classes (one logit per element, target of the same shape) and several (softmax over the second axis, target with one axis
fewer, or a distribution with ``form="softmax"``) share the profile ``f(log p, log(1 - p))``.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal, Unpack, cast

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, kind_of
from assay.core.errors import ParameterError
from assay.core.loss import loss
from assay.core.sources import SEGMENTATION_TUTORIAL, SURVEY
from assay.losses.class_inputs import (
    class_count,
    class_logs,
    classes_last,
    distribution,
    elements_kept,
    looked_up,
    one_kind,
    refuse_unclear_weight,
    safe_log,
    settled,
    shares_of,
    true_of,
    weights_of_classes,
    wide,
)
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import between, one_of
from assay.losses.reduction import LossOptions, chosen, over, reduce
from assay.ops import log_sigmoid, sigmoid

Form = Literal["sigmoid", "softmax"]


@loss(
    "differentiable",
    "smooth",
    title="Focal",
    use="few positives among many easy negatives, as in detection",
    instead="cross entropy with class weights, if probabilities must stay honest",
    misleads="not proper: its minimiser is not the true probability",
    equals=("torchvision sigmoid_focal_loss, for targets of 0 and 1",),
    references=("lin2017",),
    traps=(9,),
    aliases=("focal_loss",),
    erratum=f"{SEGMENTATION_TUTORIAL}: the code takes alpha as one factor for both classes; it is alpha for positives, 1 "
    "- alpha for negatives.",
)
def focal(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    gamma: float = 2.0,
    alpha: ArrayLike | Literal["paper"] | None = "paper",
    form: Form | None = None,
    normalize: Literal["elements", "positives"] = "elements",
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy that down-weights easy examples.

    .. math:: \ell = -\alpha_t (1 - p_t)^\gamma \log p_t

    A target of the shape of the logits has two classes per element: ``alpha`` weighs positives and 1 - alpha negatives, 0.25 in
    the paper; None weighs both by 1. A target with one axis fewer names one of several classes (softmax): ``alpha`` is then one
    number per class, or None; ``"paper"`` means None there. The mean divides by the number of elements (weights: by their sum; alpha
    does not enter), with ``normalize="positives"`` by the number of positives, or by 1 if there is none.

    >>> round(float(focal([0.0], [1.0], alpha=None)), 6)
    0.173287
    """
    between("focal", 0.0, float("inf"), gamma=gamma)
    if isinstance(alpha, str):
        one_of("focal", "alpha", alpha, "paper")
    xp, scores, truth, from_logits = one_kind("focal", logits, probabilities, target)
    if _several("focal", form, scores, truth):
        if normalize == "positives":
            raise ParameterError("focal", "", "normalize='positives' is for two classes; several have no positives")
        by_class = _alpha_by_class(xp, alpha, scores)
        parameters = (_focal_profile, by_class, gamma)
        return _softmax_form("focal", xp, scores, truth, from_logits, ignore_index, parameters, options)
    truth, options = elements_kept("focal", xp, truth, ignore_index, options)
    xp, scores, truth = pair("focal", scores, truth, ("logits" if from_logits else "probabilities", "target"))
    curve, parameters = _FOCAL if from_logits else _FOCAL_P, (gamma, *_two_alphas(alpha))
    if normalize == "elements" or options.get("reduction", "mean") != "mean":
        return each("focal", curve, xp, (scores, truth), parameters, options)
    total, size = _by_positives(xp, curve, (wide(xp, scores), wide(xp, truth)), parameters, options)
    return xp.astype(over("focal", xp, total, size, options), scores.dtype)


def _by_positives(
    xp: Namespace, curve: LossBody, inputs: tuple[Array, Array], parameters: Any, options: LossOptions
) -> tuple[Array, Array]:
    """The sum of the losses and the number of positives: 1 if there is none, 0 if nothing counts at all."""
    summed: LossOptions = {**options, "reduction": "sum"}
    total, count = each("focal", curve, xp, inputs, parameters, summed), reduce("focal", xp, inputs[1], summed)
    size = xp.maximum(count, xp.ones_like(count))
    if math.prod(inputs[1].shape) and options.get("weight") is None and options.get("mask") is None:
        return total, size
    some = reduce("focal", xp, xp.ones_like(inputs[1]), summed)
    return total, xp.where(some == 0, xp.zeros_like(size), size)


def _several(who: str, form: Form | None, scores: Array, target: Array) -> bool:
    """Whether one of several classes is true: by what is said, else by the shapes."""
    if form is not None:
        one_of(who, "form", form, "sigmoid", "softmax")
        return form == "softmax"
    return kind_of(target) == "int" and target.ndim == scores.ndim - 1


def _two_alphas(alpha: Any) -> tuple[Any, Any]:
    """The weights of negatives and positives."""
    if alpha is None:
        return 1.0, 1.0
    if isinstance(alpha, tuple | list) or getattr(alpha, "ndim", 0):
        raise ParameterError(
            "focal", "alpha", "of two classes is one number, that of the positives; several take one per class"
        )
    share = 0.25 if alpha == "paper" else alpha
    between("focal", 0.0, 1.0, alpha=share)
    return 1 - share, share


def _alpha_by_class(xp: Namespace, alpha: Any, scores: Array) -> Array | None:
    if isinstance(alpha, int | float | dict):
        raise ParameterError("focal", "alpha", f"of several classes is one number per class or None, got {alpha!r}")
    count = class_count("focal", scores)
    return weights_of_classes("focal", xp, None if isinstance(alpha, str) else alpha, scores, count, name="alpha")


def _softmax_form(
    who: str,
    xp: Namespace,
    scores: Array,
    target: Array,
    from_logits: bool,
    ignore_index: int | None,
    parameters: tuple[Any, ...],
    options: LossOptions,
) -> Array:
    """The profile of the true class of every place; of a distribution, its mean over the classes."""
    distribution(who, xp, target, classes_last(xp, scores))
    count = class_count(who, scores)
    if parameters[1] is None and scores.ndim > 1:  # no weights of the classes
        remedy = (
            "alpha= for one number per class (the class_weight= of other losses)"
            if who == "focal"
            else looked_up(target)
        )
        refuse_unclear_weight(who, options, scores, count, remedy)
    if kind_of(target) != "float":
        target, keep = settled(who, xp, target, count, ignore_index)
        options = chosen(who, xp, options, keep)
    curve = _SOFTMAX if from_logits else _CHANCES
    if scores.ndim == 1:
        return reduce(who, xp, curve.value(xp, scores, target, *parameters), options)
    return each(who, curve, xp, (scores, target), parameters, options)


def _of_logs(xp: Any, logs: Array, target: Array, profile: Any, by_class: Array | None, *shape: Any) -> Array:
    if kind_of(target) == "float":
        soft = classes_last(xp, target)
        logs = shares_of(xp, soft, logs)
        values = profile(xp, logs, safe_log(xp, -xp.expm1(logs)), *shape) * soft
        return xp.sum(values if by_class is None else values * by_class, axis=-1)
    log_p = true_of(xp, logs, target)
    values = profile(xp, log_p, safe_log(xp, -xp.expm1(log_p)), *shape)
    if by_class is None:
        return values
    return values * xp.reshape(xp.take(by_class, xp.reshape(target, (-1,)), axis=0), tuple(target.shape))


def _of_logits(xp: Any, scores: Array, *rest: Any) -> Array:
    return _of_logs(xp, class_logs(xp, scores, logits=True), *rest)


def _of_chances(xp: Any, scores: Array, *rest: Any) -> Array:
    return _of_logs(xp, class_logs(xp, scores, logits=False), *rest)


_SOFTMAX = LossBody(_of_logits, rowwise=True, accelerator="true_class")
_CHANCES = LossBody(_of_chances, rowwise=True)


def _focal_profile(xp: Any, log_p: Array, log_miss: Array, gamma: float) -> Array:
    # (1 - p)^gamma from its logarithm: no power of a number that has rounded to zero, whose gradient would be NaN.
    return -xp.exp(gamma * log_miss) * log_p


def _focal(xp: Any, log_p: Array, log_not: Array, y: Array, gamma: float, negative: Any, positive: Any) -> Array:
    hit = positive * y * _focal_profile(xp, log_p, log_not, gamma)
    return hit + negative * (1 - y) * _focal_profile(xp, log_not, log_p, gamma)


def _focal_slopes(xp: Any, z: Array, y: Array, gamma: float, negative: Any, positive: Any) -> Any:
    """Of a target of 0 or 1 as the loss of the margin ``u = z (2y - 1)``; of a soft one as the mixture of both."""
    if not bool(xp.all(y * y == y)):
        up, down = (_focal_margin(xp, side * z, gamma) for side in (1, -1))
        weights = positive * y, negative * (1 - y)
        slope = weights[0] * up[1] - weights[1] * down[1]
        return weights[0] * up[0] + weights[1] * down[0], (slope,)
    side = 2 * y - 1
    value, slope = _focal_margin(xp, z * side, gamma)
    weight = y * (positive - negative) + negative
    return weight * value, (weight * side * slope,)


def _focal_margin(xp: Any, u: Array, gamma: float) -> tuple[Array, Array]:
    """``-(1 - p)^gamma log p`` of ``p = sigmoid(u)`` and its derivative in u."""
    log_p, miss = log_sigmoid(xp, u), sigmoid(xp, -u)
    power = miss * miss if gamma == 2 else xp.exp(gamma * (log_p - u))
    return -power * log_p, power * (gamma * (1 - miss) * log_p - miss)


def _focal_logits(xp: Any, z: Array, y: Array, *parameters: Any) -> Array:
    return _focal(xp, log_sigmoid(xp, z), log_sigmoid(xp, -z), y, *parameters)


def _focal_probabilities(xp: Any, p: Array, y: Array, *parameters: Any) -> Array:
    return _focal(xp, safe_log(xp, p), safe_log(xp, 1 - p), y, *parameters)


_FOCAL, _FOCAL_P = LossBody(_focal_logits, _focal_slopes), LossBody(_focal_probabilities)


@loss(
    "differentiable",
    "smooth",
    title="Poly",
    use="cross entropy learns well but its first step should weigh more, or less",
    instead="cross_entropy, which is poly with epsilon 0",
    misleads="not proper for epsilon other than 0; the best epsilon differs from task to task, and may be negative",
    equals=("optax poly_loss_cross_entropy, whose epsilon is 2 by default and 1 here",),
    references=("leng2022",),
    range=(-float("inf"), float("inf")),
    aliases=("poly_loss", "poly1"),
    erratum=f"{SURVEY}, eq. 27, sums from n = 0; the cited paper sums from n = 1.",
)
def poly(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    epsilon: ArrayLike = 1.0,
    coefficients: tuple[float, ...] | None = None,
    gamma: float = 0.0,
    form: Form | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy as a series in ``1 - p_t`` whose first coefficients are changed.

    .. math:: \ell = (1-p_t)^\gamma \Big(-\log p_t + \sum_{n \ge 1} \epsilon_n (1-p_t)^n\Big)

    One ``epsilon`` is poly-1, several change that many coefficients; ``gamma`` above 0 gives the focal form. ``coefficients``
    replaces the whole series by the polynomial with just these. Targets and forms are those of `focal`; a distribution over
    classes needs ``form="softmax"``. The mean divides by the number of what is not ignored, or by the sum of the weights.

    >>> round(float(poly([[0.0, 0.0]], [1])), 6)
    1.193147
    """
    between("poly", 0.0, float("inf"), gamma=gamma)
    several = coefficients if coefficients is not None else epsilon
    added = _numbers("poly", "epsilon" if coefficients is None else "coefficients", several)
    shape = (gamma, coefficients is None, added)
    xp, scores, truth, from_logits = one_kind("poly", logits, probabilities, target)
    if _several("poly", form, scores, truth):
        return _softmax_form(
            "poly", xp, scores, truth, from_logits, ignore_index, (_poly_profile, None, *shape), options
        )
    truth, options = elements_kept("poly", xp, truth, ignore_index, options)
    xp, scores, truth = pair("poly", scores, truth, ("logits" if from_logits else "probabilities", "target"))
    return each("poly", _POLY if from_logits else _POLY_P, xp, (scores, truth), shape, options)


def _numbers(who: str, name: str, given: Any) -> tuple[Any, ...]:
    found = tuple(cast("tuple[Any, ...]", given)) if isinstance(given, tuple | list) else (given,)
    if not found or not all(_one(x) for x in found):
        raise ParameterError(who, name, f"must be a number or several, got {given!r}")
    return found


def _one(value: Any) -> bool:
    """Whether it is one finite number, or a single one in an array, which may learn or be traced."""
    if isinstance(value, bool):
        return False
    if isinstance(value, numbers.Real):
        return math.isfinite(value)
    return array_api_compat.is_array_api_obj(value) and kind_of(value) in ("int", "float") and value.ndim == 0


def _poly_profile(
    xp: Any, log_p: Array, log_miss: Array, gamma: float, series: bool, added: tuple[float, ...]
) -> Array:
    miss = -xp.expm1(log_p)
    total = xp.zeros_like(miss)
    for one in reversed(added):
        total = miss * (total + one)
    total = total - log_p if series else total
    return xp.exp(gamma * log_miss) * total if gamma else total


def _poly_two(xp: Any, log_p: Array, log_not: Array, y: Array, *shape: Any) -> Array:
    return y * _poly_profile(xp, log_p, log_not, *shape) + (1 - y) * _poly_profile(xp, log_not, log_p, *shape)


def _poly_logits(xp: Any, z: Array, y: Array, *shape: Any) -> Array:
    return _poly_two(xp, log_sigmoid(xp, z), log_sigmoid(xp, -z), y, *shape)


def _poly_probabilities(xp: Any, p: Array, y: Array, *shape: Any) -> Array:
    return _poly_two(xp, safe_log(xp, p), safe_log(xp, 1 - p), y, *shape)


_POLY, _POLY_P = LossBody(_poly_logits), LossBody(_poly_probabilities)
