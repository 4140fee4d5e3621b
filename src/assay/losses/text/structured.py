"""Structured hinge: a margin between the true labels of a sequence and all others, larger where more of them are wrong."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

import numpy as np

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, describe, kind_of, to_host
from assay.core.errors import InputError, ParameterError, arg
from assay.core.loss import loss
from assay.losses.class_inputs import looked_up, refuse_unclear_weight, settled, true_of, visible, wide
from assay.losses.inputs import arrays, floating, numbers_of
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, chosen, reduce, spread
from assay.ops import stop_gradient

WHO = "structured_hinge"


@loss(
    "convex",
    "robust",
    "monotone",
    "sparse",
    title="Structured hinge",
    use="labels of a sequence that depend on each other, with a margin that grows with the cost of a wrong labelling",
    instead="token_cross_entropy, if the labels are independent given the input; hinge, for one label with one margin",
    misleads="the cost is in the units of the scores, so that scaled scores need another; the loss of a sequence is a sum over its "
    "positions, and long sequences weigh more",
    equals=(
        "scikit-learn hinge_loss of several classes: rows of scores, cost=1",
        "networkx dag_longest_path_length through the trellis of scores plus costs, less the score of the truth",
    ),
    references=("crammer2001", "taskar2003", "tsochantaridis2005"),
    aliases=("structured_svm", "cost_augmented_hinge", "max_margin_markov"),
)
def structured_hinge(
    logits: ArrayLike,
    target: ArrayLike,
    *,
    transitions: ArrayLike | None = None,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    cost: ArrayLike = 1.0,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""The best score plus cost of any labelling, less the score of the true one; 0 if it leads by the cost of every other.

    .. math:: \ell = \max_{y} \big(F(y) + \Delta(t, y)\big) - F(t), \quad
        F(y) = a_{y_1} + \sum_i z_{i, y_i} + \sum_{i > 1} A_{y_{i-1}, y_i} + b_{y_n}, \quad \Delta(t, y) = \sum_i c_{t_i, y_i}

    ``logits`` are (sequences, positions, classes), or (rows, classes) for one label per row. ``transitions`` A is
    (classes, classes), from the row's class to the column's, ``start`` a and ``end`` b are (classes,); the maximum is found by the Viterbi
    algorithm, and gradients reach all of them. ``cost`` is what a wrong label costs, one number or a table (true, predicted) with a
    diagonal of 0; 0 is the structured perceptron. Positions that ``ignore_index`` or a mask of the positions leaves out are cut from
    their sequence. The mean divides by the number of sequences that have a position, or by the sum of their weights.

    >>> float(structured_hinge([[[2.0, 0.0], [0.0, 0.5]]], [[0, 1]], transitions=[[1.0, 0.0], [0.0, 0.0]]))
    1.5
    """
    xp, (scores, truth) = arrays(WHO, logits=logits, target=target)
    _check(scores, truth)
    z = wide(xp, floating(xp, scores))
    parts = _Parts(*(_scores(xp, z, n, v) for n, v in (("transitions", transitions), ("start", start), ("end", end))))
    if z.ndim == 2 and any(part is not None for part in parts):
        raise InputError(
            WHO, "logits", f"must be (sequences, positions, classes) for {arg('transitions')}, got {describe(scores)}"
        )
    by_class = looked_up(truth) if z.ndim == 2 else "cost=class_weight[:, None] * (1 - eye) for one number per class"
    refuse_unclear_weight(WHO, options, z, z.shape[-1], by_class)
    truth, keep = settled(WHO, xp, truth, z.shape[-1], ignore_index)
    extra = _costs(xp, z, truth, cost)
    if z.ndim == 2:
        values = xp.max(z + extra, axis=-1) - true_of(xp, z, truth)
        return reduce(WHO, xp, xp.astype(values, floating(xp, scores).dtype), chosen(WHO, xp, options, keep))
    keep, options = _positions(xp, z, keep, options)
    if keep is not None:
        z, extra, truth, keep = _compact(xp, z, extra, truth, keep)
    if not z.shape[1]:
        raise InputError(WHO, "logits", f"must have at least one position, got {describe(scores)}")
    best = _decoded(xp, stop_gradient(z + extra), _Parts(*(p if p is None else stop_gradient(p) for p in parts)), keep)
    values = _score(xp, z + extra, best, parts, keep) - _score(xp, z, truth, parts, keep)
    return reduce(WHO, xp, xp.astype(values, floating(xp, scores).dtype), options)


class _Parts(NamedTuple):
    """Scores of neighbours, of the first label and of the last."""

    transitions: Array | None
    start: Array | None
    end: Array | None


def _check(scores: Array, truth: Array) -> None:
    if scores.ndim not in (2, 3):
        raise InputError(
            WHO, "logits", f"must be (rows, classes) or (sequences, positions, classes), got {describe(scores)}"
        )
    if kind_of(truth) == "float" or tuple(truth.shape) != tuple(scores.shape[:-1]):
        raise InputError(
            WHO,
            "target",
            f"must hold one class for each of {tuple(scores.shape[:-1])} as integers, got {describe(truth)}",
        )


def _scores(xp: Namespace, z: Array, name: str, given: ArrayLike | None) -> Array | None:
    """Scores beside the logits, in their library and precision."""
    if given is None:
        return None
    found, count = numbers_of(WHO, name, given, z), z.shape[-1]
    wanted = (count, count) if name == "transitions" else (count,)
    if tuple(found.shape) != wanted:
        raise ParameterError(WHO, name, f"must have the shape {wanted}, got {tuple(found.shape)}")
    return xp.astype(found, z.dtype)


def _costs(xp: Namespace, z: Array, truth: Array, cost: Any) -> Array:
    """What each class costs at each place."""
    count = z.shape[-1]
    if isinstance(cost, int | float) or getattr(cost, "ndim", 1) == 0:
        between(WHO, 0.0, float("inf"), cost=cost)
        return cost * xp.astype(xp.expand_dims(truth, axis=-1) != _codes(xp, z, truth.dtype), z.dtype)
    table = numbers_of(WHO, "cost", cost, z)
    if tuple(table.shape) != (count, count):
        raise ParameterError(
            WHO, "cost", f"must be one number or have the shape {(count, count)}, got {tuple(table.shape)}"
        )
    if visible(table):
        held = to_host(stop_gradient(table))
        if not (held >= 0).all() or np.diagonal(held).any():
            raise ParameterError(
                WHO, "cost", "must hold costs of at least 0, and 0 on the diagonal, where the label is right"
            )
    rows = xp.take(xp.astype(table, z.dtype), xp.reshape(truth, (-1,)), axis=0)
    return xp.reshape(rows, z.shape)


# ---- positions that count


def _positions(xp: Namespace, z: Array, keep: Array | None, options: LossOptions) -> tuple[Array | None, LossOptions]:
    """Which positions count, with a mask of positions among them, and the options with a mask of sequences alone."""
    mask = options.get("mask")
    shape = tuple(z.shape[:-1])
    if mask is not None:
        given = numbers_of(WHO, "mask", mask, z)
        if given.ndim == 2:
            own = spread(WHO, xp, "mask", given, z, shape) != 0
            keep = own if keep is None else keep & own
            rest: Any = {name: value for name, value in options.items() if name != "mask"}
            options = rest
    if keep is None:
        return None, options
    return keep, chosen(WHO, xp, options, xp.any(keep, axis=-1))


def _compact(xp: Namespace, z: Array, extra: Array, truth: Array, keep: Array) -> tuple[Array, Array, Array, Array]:
    """The positions that count in front, in their order, so that each follows the one that counts before it."""
    order = xp.argsort(xp.astype(~keep, truth.dtype), axis=-1, stable=True)
    places = xp.broadcast_to(xp.expand_dims(order, axis=-1), z.shape)
    z, extra = (xp.take_along_axis(x, places, axis=1) for x in (z, extra))
    keep = xp.astype(xp.take_along_axis(xp.astype(keep, truth.dtype), order, axis=-1), xp.bool)
    free = xp.expand_dims(keep, axis=-1)  # what is left out may be infinite, and must not reach the gradient
    return (
        xp.where(free, z, xp.zeros_like(z)),
        xp.where(free, extra, xp.zeros_like(extra)),
        xp.take_along_axis(truth, order, axis=-1),
        keep,
    )


# ---- the best labelling, and the score of one


def _decoded(xp: Namespace, z: Array, parts: _Parts, keep: Array | None) -> Array:
    """The labels with the highest score, by the Viterbi algorithm; a position that does not count repeats the label before it."""
    if all(part is None for part in parts):  # nothing ties the positions together
        return xp.astype(xp.argmax(z, axis=-1), _index(xp))
    first = z[:, 0, :] if parts.start is None else z[:, 0, :] + parts.start
    best = first
    back: list[Array] = []
    own = xp.broadcast_to(_codes(xp, z, _index(xp)), first.shape)
    for i in range(1, z.shape[1]):
        ways = xp.expand_dims(best, axis=-1)
        ways = (
            ways + xp.zeros_like(xp.expand_dims(best, axis=-2))
            if parts.transitions is None
            else ways + parts.transitions
        )
        came, now = xp.astype(xp.argmax(ways, axis=1), _index(xp)), xp.max(ways, axis=1) + z[:, i, :]
        if keep is not None:
            here = keep[:, i : i + 1]
            came, now = xp.where(here, came, own), xp.where(here, now, best)
        best = now
        back.append(came)
    last = best if parts.end is None else best + parts.end
    path = [xp.astype(xp.argmax(last, axis=-1, keepdims=True), _index(xp))]
    for came in reversed(back):
        path.append(xp.take_along_axis(came, path[-1], axis=-1))
    return xp.concat(path[::-1], axis=-1)


def _codes(xp: Namespace, z: Array, dtype: Any) -> Array:
    """The classes by number, where the scores are."""
    return xp.arange(z.shape[-1], dtype=dtype, device=array_api_compat.device(z))


def _index(xp: Namespace) -> Any:
    return xp.asarray(0).dtype


def _score(xp: Namespace, z: Array, labels: Array, parts: _Parts, keep: Array | None) -> Array:
    """The score of the labels of each sequence."""
    single = true_of(xp, z, labels)  # 0 already where nothing counts
    total = xp.sum(single, axis=-1)
    if parts.transitions is not None:
        count = z.shape[-1]
        steps = labels[:, :-1] * count + labels[:, 1:]
        pairs = xp.reshape(xp.take(xp.reshape(parts.transitions, (-1,)), xp.reshape(steps, (-1,))), steps.shape)
        total = total + xp.sum(pairs if keep is None else xp.where(keep[:, 1:], pairs, xp.zeros_like(pairs)), axis=-1)
    if parts.start is not None:
        total = total + xp.take(parts.start, labels[:, 0])
    if parts.end is not None:
        total = total + xp.take(parts.end, _last(xp, labels, keep))
    return total


def _last(xp: Namespace, labels: Array, keep: Array | None) -> Array:
    """The label of the last position that counts."""
    if keep is None:
        return labels[:, -1]
    at = xp.sum(xp.astype(keep, labels.dtype), axis=-1, keepdims=True) - 1
    return xp.take_along_axis(labels, xp.where(at < 0, xp.zeros_like(at), at), axis=-1)[:, 0]
