"""Losses of classes, from logits or probabilities. Classes stand in the second axis, as in PyTorch; further axes are places."""

from __future__ import annotations

from typing import Any, Literal

from assay.core.arrays import Array
from assay.core.errors import ParameterError
from assay.core.loss import loss
from assay.losses.basis import Reduction, pair, positive, reduce
from assay.losses.classes import (
    class_logs,
    distribution,
    one_kind,
    picked,
    two_logs,
    weights_of_classes,
)

Convention = Literal["uniform", "others"]


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
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
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
    xp, scores, target = pair(who, scores, target)
    log_p, log_not = two_logs(xp, scores, logits=from_logits)
    negative, up = class_weight or (1.0, 1.0)
    factor = up * (1.0 if pos_weight is None else pos_weight)
    values = -(factor * target * log_p + negative * (1 - target) * log_not)
    return reduce(who, xp, values, reduction, weight, mask)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "proper",
    title="Cross entropy",
    use="one of several classes",
    instead="focal for many easy places; label smoothing for noisy labels",
    misleads="with class weights the mean divides by the weights of the true classes, not by n",
    equals=("torch cross_entropy", "scikit-learn log_loss"),
    references=("good1952", "szegedy2016"),
)
def cross_entropy(
    logits: Any = None,
    target: Any = None,
    *,
    probabilities: Any = None,
    class_weight: Any = None,
    ignore_index: int | None = -100,
    label_smoothing: float = 0.0,
    convention: Convention = "uniform",
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Negative log-likelihood of the true class: whole numbers are classes, floats a distribution over them.

    .. math:: \ell = -\sum_c t_c \log p_c

    ``label_smoothing`` takes that share from the true class; ``convention="uniform"`` gives it to all classes alike (as
    PyTorch), ``"others"`` to all others (as the paper's survey). The mean divides by the sum of the class weights of what is
    not ignored, by its number without them.

    >>> round(float(cross_entropy([[2.0, 0.0], [0.0, 0.0]], [0, 1])), 6)
    0.410038
    """
    who = "cross_entropy"
    if not 0 <= label_smoothing < 1:
        raise ParameterError(f"{who}: label_smoothing must lie in [0, 1), got {label_smoothing!r}.")
    xp, scores, target, from_logits = one_kind(who, logits, probabilities, target)
    logs = class_logs(xp, scores, logits=from_logits)
    by_class = weights_of_classes(who, xp, class_weight, scores, logs.shape[-1])
    weighted = logs if by_class is None else logs * by_class
    soft = distribution(who, xp, target, logs)
    if soft is not None:
        spread = label_smoothing / logs.shape[-1]
        values = -xp.sum(((1 - label_smoothing) * soft + spread) * weighted, axis=-1)
        return reduce(who, xp, values, reduction, weight, mask)
    true, keep = picked(xp, weighted, target, ignore_index)
    values = -_smoothed(xp, true, weighted, label_smoothing, convention)
    if by_class is None:
        return reduce(who, xp, values, reduction, weight, _both(xp, mask, keep))
    own = picked(xp, xp.broadcast_to(by_class, tuple(logs.shape)), target, ignore_index)[0]
    return _by_class_weight(who, xp, values, own, reduction, weight, _both(xp, mask, keep))


def _smoothed(xp: Any, true: Array, logs: Array, share: float, convention: Convention) -> Array:
    """The log-likelihood with some of it moved from the true class to all, or to all others."""
    if not share:
        return true
    if convention == "uniform":
        return (1 - share) * true + share * xp.mean(logs, axis=-1)
    if convention != "others":
        raise ParameterError(f"cross_entropy: convention must be 'uniform' or 'others', got {convention!r}.")
    return (1 - share) * true + share / (logs.shape[-1] - 1) * (xp.sum(logs, axis=-1) - true)


def _both(xp: Any, mask: Any, keep: Array | None) -> Any:
    if keep is None or mask is None:
        return mask if keep is None else keep
    return xp.asarray(mask) & keep


def _by_class_weight(
    who: str, xp: Any, values: Array, own: Array, reduction: Reduction, weight: Any, mask: Any
) -> Array:
    """The mean divides by the class weights of the true classes: that is what makes it a weighted mean."""
    if reduction != "mean":
        return reduce(who, xp, values, reduction, weight, mask)
    size = reduce(who, xp, own, "sum", weight, mask)
    return reduce(who, xp, values, "sum", weight, mask) / xp.where(size == 0, xp.ones_like(size), size)


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
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Cross entropy of two classes that forgets what is easy.

    .. math:: \ell = -\alpha_t (1 - p_t)^\gamma \log p_t

    ``alpha`` weighs positives and 1 - alpha negatives; None leaves both alone. The mean divides by the number of elements.

    >>> round(float(focal([0.0], [1.0], alpha=None)), 6)
    0.173287
    """
    if not gamma >= 0:
        raise ParameterError(f"focal: gamma must be a number of at least 0, got {gamma!r}.")
    xp, scores, target, from_logits = one_kind("focal", logits, probabilities, target)
    xp, scores, target = pair("focal", scores, target)
    log_p, log_not = two_logs(xp, scores, logits=from_logits)
    # (1 - p)^gamma from its logarithm: no power of a number that has rounded to zero, whose gradient would be NaN.
    values = -(target * xp.exp(gamma * log_not) * log_p * (1.0 if alpha is None else alpha))
    values = values - (1 - target) * xp.exp(gamma * log_p) * log_not * (1.0 if alpha is None else 1 - alpha)
    return reduce("focal", xp, values, reduction, weight, mask)


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
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Nothing beyond the margin, linear (or squared) before it; targets are -1 and 1.

    .. math:: \ell = \max(0, m - y f)

    >>> float(hinge([0.5, 2.0], [1.0, -1.0]))
    1.75
    """
    positive("hinge", margin=margin)
    xp, logits, target = pair("hinge", logits, target)
    short = margin - logits * target
    values = xp.where(short > 0, short, xp.zeros_like(short))
    return reduce("hinge", xp, values**2 if squared else values, reduction, weight, mask)
