"""Cross entropy of several classes, which stand in the second axis, as in PyTorch; further axes are places."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from assay.core.arrays import Array
from assay.core.errors import ParameterError
from assay.core.loss import loss
from assay.losses.basis import Options, chosen, over, reduce
from assay.losses.classes import (
    class_logs,
    distribution,
    one_kind,
    picked,
    weights_of_classes,
)

Convention = Literal["uniform", "others"]


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
    **options: Unpack[Options],
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
        return reduce(who, xp, values, options)
    true, keep = picked(xp, weighted, target, ignore_index)
    values = -_smoothed(xp, true, weighted, label_smoothing, convention)
    if by_class is None:
        return reduce(who, xp, values, chosen(who, xp, options, keep))
    own = picked(xp, xp.broadcast_to(by_class, tuple(logs.shape)), target, ignore_index)[0]
    return _by_class_weight(who, xp, values, own, chosen(who, xp, options, keep))


def _smoothed(xp: Any, true: Array, logs: Array, share: float, convention: Convention) -> Array:
    """The log-likelihood with some of it moved from the true class to all, or to all others."""
    if not share:
        return true
    if convention == "uniform":
        return (1 - share) * true + share * xp.mean(logs, axis=-1)
    if convention != "others":
        raise ParameterError(f"cross_entropy: convention must be 'uniform' or 'others', got {convention!r}.")
    return (1 - share) * true + share / (logs.shape[-1] - 1) * (xp.sum(logs, axis=-1) - true)


def _by_class_weight(who: str, xp: Any, values: Array, own: Array, options: Options) -> Array:
    """The mean divides by the class weights of the true classes: that is what makes it a weighted mean."""
    if options.get("reduction", "mean") != "mean":
        return reduce(who, xp, values, options)
    summed: Options = {**options, "reduction": "sum"}
    return over(who, xp, reduce(who, xp, values, summed), reduce(who, xp, own, summed), options)
