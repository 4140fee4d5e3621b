"""Cross entropy of several classes, which are in the second axis, as in PyTorch; further axes are places."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, kind_of
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.accelerators import torch_accelerators
from assay.losses.class_inputs import (
    class_count,
    class_logs,
    classes_last,
    distribution,
    one_kind,
    refuse_unclear_weight,
    settled,
    shares_of,
    true_of,
    weights_of_classes,
    whole_numbers,
)
from assay.losses.inputs import arrays, floating
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, chosen, reduce
from assay.ops import logsumexp, native

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
    traps=(10, 31),
    aliases=("cce", "categorical_cross_entropy", "categorical_crossentropy", "sparse_cross_entropy"),
    erratum=f"{SURVEY} recommends the sparse form for ordinal labels; it ignores their order.",
)
def cross_entropy(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    class_weight: ArrayLike | None = None,
    ignore_index: int | None = -100,
    label_smoothing: float = 0.0,
    convention: Convention = "uniform",
    **options: Unpack[LossOptions],
) -> Array:
    r"""Negative log-likelihood of the true class: integers are classes, floats a distribution over them.

    .. math:: \ell = -\sum_c t_c \log p_c

    ``label_smoothing`` takes that fraction from the true class; ``convention="uniform"`` spreads it over all classes (as
    PyTorch does), ``"others"`` over all others (as Terven and others, 2024). The mean divides by the sum of the class weights of
    what is not ignored, or by its number without them; for a distribution always by the number of places, as in PyTorch. A label
    that is not a class is refused, except on JAX and under a compiler, where values are not checked: there -1 is the last class.

    >>> round(float(cross_entropy([[2.0, 0.0], [0.0, 0.0]], [0, 1])), 6)
    0.410038
    """
    smoothing = checked("cross_entropy", "label_smoothing", label_smoothing), convention
    scores = one_kind("cross_entropy", logits, probabilities, target)
    return _entropy("cross_entropy", *scores, class_weight, ignore_index, smoothing, options)


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Cross entropy with smoothed labels",
    use="labels are sometimes wrong, or the model grows too sure of itself",
    instead="cross_entropy, if probabilities are wanted as they are",
    misleads="not proper: the best forecast is smoothed too; two conventions share one name",
    equals=("torch cross_entropy(label_smoothing=) with convention='uniform'",),
    references=("szegedy2016",),
    traps=(10, 31),
    aliases=("smoothed_cross_entropy",),
)
def label_smoothing(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    epsilon: float = 0.1,
    convention: Convention = "others",
    class_weight: ArrayLike | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy against a target that is not quite sure: ``1 - epsilon`` for the true class.

    .. math:: \ell = -(1-\epsilon) \log p_t - \frac{\epsilon}{C-1} \sum_{c \ne t} \log p_c

    The other classes share epsilon, as in Terven and others (2024); ``convention="uniform"`` shares it among all C classes, the true one
    too, as PyTorch does. The mean divides as that of `cross_entropy`.

    >>> round(float(label_smoothing([[2.0, 0.0]], [0], epsilon=0.5)), 6)
    1.126928
    """
    smoothing = checked("label_smoothing", "epsilon", epsilon), convention
    scores = one_kind("label_smoothing", logits, probabilities, target)
    return _entropy("label_smoothing", *scores, class_weight, ignore_index, smoothing, options)


def checked(who: str, name: str, share: Array | float) -> float:
    """The share that is smoothed away: some, but not all."""
    between(who, 0.0, 1.0, **{name: share})
    if share == 1:
        raise ParameterError(who, name, f"must lie in [0, 1), got {share!r}")
    return share


def _entropy(
    who: str,
    xp: Namespace,
    scores: Array,
    target: Array,
    from_logits: bool,
    class_weight: Any,
    ignore_index: int | None,
    smoothing: tuple[float, Convention],
    options: LossOptions,
) -> Array:
    """Cross entropy of hard or soft targets, smoothed or not."""
    if kind_of(target) != "float":
        target = whole_numbers(who, xp, target)
    distribution(who, xp, target, classes_last(xp, scores))
    count = class_count(who, scores)
    if class_weight is None and scores.ndim > 1:
        refuse_unclear_weight(who, options, scores, count)
    by_class = weights_of_classes(who, xp, class_weight, scores, count)
    parameters = (*shares(who, *smoothing, count), by_class)
    size = None
    if from_logits and scores.ndim > 1 and kind_of(target) != "float":
        found = _small(xp, scores, target, by_class, ignore_index, smoothing, options)
        if found is not None:
            return found
    if kind_of(target) != "float":
        target, keep = settled(who, xp, target, count, ignore_index)
        options = chosen(who, xp, options, keep)
        size = None if by_class is None else _own(xp, by_class, target)
    if scores.ndim == 1:  # one row, whose only axis is that of the classes
        curve = LOGITS if from_logits else _PROBABILITIES
        return reduce(who, xp, curve.value(xp, scores, target, *parameters), options, size)
    return each(who, LOGITS if from_logits else _PROBABILITIES, xp, (scores, target), parameters, options, size)


def _small(
    xp: Namespace,
    scores: Array,
    target: Array,
    by_class: Array | None,
    ignore_index: int | None,
    smoothing: tuple[float, Convention],
    options: LossOptions,
) -> Array | None:
    """What PyTorch's own function gives on small tensors, where it means the same."""
    reduction = options.get("reduction", "mean")
    torch = native(xp)
    if torch is None or torch.compiler.is_compiling() or reduction not in ("mean", "sum"):
        return None
    if set(options) - {"reduction"} or (smoothing[0] and smoothing[1] != "uniform"):
        return None
    return torch_accelerators().small.small_cross_entropy(
        scores, target, by_class, ignore_index, smoothing[0], reduction
    )


def shares(who: str, share: float, convention: Convention, count: int) -> tuple[float, float]:
    """What the likelihood of the target counts, and what that of every class counts on top of it."""
    if not share:
        return 1.0, 0.0
    if convention == "uniform":
        return 1 - share, share / count
    if count < 2:
        raise InputError(who, "", "there is no other class to share with, got scores of one class")
    return 1 - share - share / (count - 1), share / (count - 1)


def _own(xp: Namespace, by_class: Array, target: Array) -> Array:
    """The weight of the true class of each place."""
    return xp.reshape(xp.take(by_class, xp.reshape(target, (-1,)), axis=0), tuple(target.shape))


def _of_logs(xp: Any, logs: Array, target: Array, true: float, even: float, by_class: Array | None) -> Array:
    weighted = logs if by_class is None else logs * by_class
    if kind_of(target) == "float":
        soft = classes_last(xp, target)
        soft = soft if by_class is None else soft * by_class
        values = -true * xp.sum(soft * shares_of(xp, soft, logs), axis=-1)
    else:
        values = -true * true_of(xp, weighted, target)
    return values - even * xp.sum(weighted, axis=-1) if even else values


def _of_logits(xp: Any, scores: Array, target: Array, true: float, even: float, by_class: Array | None) -> Array:
    if not even and by_class is None and kind_of(target) != "float" and not native(xp):  # no array of log-probabilities
        last = classes_last(xp, scores)
        return true * (logsumexp(xp, last) - true_of(xp, last, target))
    return _of_logs(xp, class_logs(xp, scores, logits=True), target, true, even, by_class)


def _of_probabilities(xp: Any, scores: Array, *rest: Any) -> Array:
    return _of_logs(xp, class_logs(xp, scores, logits=False), *rest)


LOGITS = LossBody(_of_logits, rowwise=True, accelerator="cross_entropy")
_PROBABILITIES = LossBody(_of_probabilities, rowwise=True)


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Negative log-likelihood",
    use="the model gives log-probabilities already",
    instead="cross_entropy from logits, which normalises them itself",
    misleads="of numbers that are not normalised it has no lower bound",
    equals=("torch nll_loss",),
    references=("fisher1922",),
    traps=(31,),
    range=(-float("inf"), float("inf")),
    aliases=("nll_loss", "negative_log_likelihood"),
)
def nll(
    log_probabilities: ArrayLike,
    target: ArrayLike,
    *,
    class_weight: ArrayLike | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Minus the log-probability of the true class; the classes are in the second axis.

    .. math:: \ell = -\log q_t

    The mean divides by the sum of the class weights of what is not ignored, by its number without them.

    >>> float(nll([[-0.5, -1.0], [-2.0, -0.25]], [0, 1]))
    0.375
    """
    xp, (logs, target) = arrays("nll", log_probabilities=log_probabilities, target=target)
    logs = classes_last(xp, floating(xp, logs))
    if distribution("nll", xp, target, logs) is not None:
        raise InputError("nll", "target", "must hold classes as integers; cross_entropy takes a distribution")
    if class_weight is None and logs.ndim > 1:
        refuse_unclear_weight("nll", options, logs, logs.shape[-1])
    by_class = weights_of_classes("nll", xp, class_weight, logs, logs.shape[-1])
    target, keep = settled("nll", xp, target, logs.shape[-1], ignore_index)
    own = None if by_class is None else _own(xp, by_class, target)
    values = -true_of(xp, logs, target)
    values = values if own is None else values * own
    return reduce("nll", xp, values, chosen("nll", xp, options, keep), own)
