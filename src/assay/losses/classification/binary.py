"""Losses of two classes, or of several labels that do not exclude each other: one logit an element."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array
from assay.core.loss import loss
from assay.losses.basis import Curve, Options, between, each, pair, positive, with_slopes
from assay.losses.classes import one_kind, safe_log
from assay.ops import clamp, log_sigmoid, sigmoid


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


@loss(
    "differentiable",
    "smooth",
    title="Focal",
    use="few positives among many easy negatives, as in detection",
    instead="cross entropy with class weights, if probabilities must stay honest",
    misleads="not proper: its minimiser is not the true probability",
    equals=("torchvision sigmoid_focal_loss",),
    references=("lin2017",),
    erratum="The tutorial's code takes alpha as one factor for both classes; it is alpha for positives, 1 - alpha for negatives.",
)
def focal(
    logits: Any = None,
    target: Any = None,
    *,
    probabilities: Any = None,
    gamma: float = 2.0,
    alpha: float | None = 0.25,
    **options: Unpack[Options],
) -> Array:
    r"""Cross entropy of two classes that forgets what is easy.

    .. math:: \ell = -\alpha_t (1 - p_t)^\gamma \log p_t

    ``alpha`` weighs positives and 1 - alpha negatives; None leaves both alone. The mean divides by the number of elements.

    >>> round(float(focal([0.0], [1.0], alpha=None)), 6)
    0.173287
    """
    between("focal", 0.0, float("inf"), gamma=gamma)
    between("focal", 0.0, 1.0, alpha=alpha)
    xp, scores, target, from_logits = one_kind("focal", logits, probabilities, target)
    xp, scores, target = pair("focal", scores, target, ("logits" if from_logits else "probabilities", "target"))
    shares = (1.0, 1.0) if alpha is None else (1 - alpha, alpha)
    return each("focal", _FOCAL if from_logits else _FOCAL_P, xp, (scores, target), (gamma, *shares), options)


def _focal(xp: Any, log_p: Array, log_not: Array, y: Array, gamma: float, negative: Any, positive: Any) -> Array:
    # (1 - p)^gamma from its logarithm: no power of a number that has rounded to zero, whose gradient would be NaN.
    hit = positive * y * xp.exp(gamma * log_not) * log_p
    return -(hit + negative * (1 - y) * xp.exp(gamma * log_p) * log_not)


def _focal_slopes(xp: Any, z: Array, y: Array, gamma: float, negative: Any, positive: Any) -> Any:
    """Of a target of 0 or 1 as the loss of the margin ``u = z (2y - 1)``; of a soft one as the mixture of both."""
    if not bool(xp.all((y == 0) | (y == 1))):
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


_FOCAL, _FOCAL_P = Curve(_focal_logits, _focal_slopes), Curve(_focal_probabilities)


@loss(
    "convex",
    "robust",
    "monotone",
    title="Hinge",
    use="a margin is wanted and probabilities are not",
    instead="cross entropy",
    equals=("scikit-learn hinge_loss",),
    references=("cortes1995",),
)
def hinge(
    logits: Any,
    target: Any,
    *,
    margin: float = 1.0,
    squared: bool = False,
    **options: Unpack[Options],
) -> Array:
    r"""Nothing beyond the margin, linear (or squared) before it; targets are -1 and 1.

    .. math:: \ell = \max(0, m - y f)

    >>> float(hinge([0.5, 2.0], [1.0, -1.0]))
    1.75
    """
    positive("hinge", margin=margin)
    xp, logits, target = pair("hinge", logits, target, ("logits", "target"))
    return each("hinge", _SQUARED_HINGE if squared else _HINGE, xp, (logits, target), (margin,), options)


def _hinge_slopes(xp: Any, z: Array, y: Array, margin: float) -> Any:
    short = clamp(xp, margin - z * y, 0, None)
    return short, (xp.where(short > 0, -y, xp.zeros_like(y)),)


def _squared_hinge_slopes(xp: Any, z: Array, y: Array, margin: float) -> Any:
    short = clamp(xp, margin - z * y, 0, None)
    return short * short, (-2 * y * short,)


def _hinge_value(xp: Any, z: Array, y: Array, margin: float) -> Array:
    short = margin - z * y
    return xp.where(short > 0, short, xp.zeros_like(short))


_HINGE = Curve(_hinge_value, _hinge_slopes)
_SQUARED_HINGE = with_slopes(_squared_hinge_slopes)
