"""Triplet loss: given triplets, or those of a batch with labels, mined in time n² log n and memory n²."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, epsilon
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.embedding.geometry import (
    active,
    alike,
    counted,
    fast_route,
    is_matrix,
    masked,
    of_nothing,
    promoted,
    relations,
    root,
    squared_distances,
    taken,
    taking_part,
    unit,
    vectors,
)
from assay.losses.inputs import arrays
from assay.losses.parameter_checks import positive
from assay.losses.reduction import LossOptions, known, reduce
from assay.ops import clamp, ramp, stop_gradient

Mining = Literal["all", "hard", "semi_hard"]


@loss(
    title="Triplet",
    use="likeness is known only by comparison, or classes are too many for prototypes",
    instead="info_nce or circle, which use all negatives of an anchor at once",
    misleads="most triplets are soon easy: the mean over all of them shrinks though the hard ones stay",
    equals=(
        "torch triplet_margin_loss(eps=0): squared=False, margin=1",
        "pytorch-metric-learning TripletMarginLoss: squared=False, normalize=True, average='active', margin=0.05",
    ),
    references=("schroff2015", "hermans2017"),
    aliases=("triplet_loss", "triplet_margin"),
)
def triplet(
    embeddings: ArrayLike,
    target: ArrayLike | None = None,
    negative: ArrayLike | None = None,
    *,
    positive: ArrayLike | None = None,
    margin: float = 0.2,
    squared: bool = True,
    normalize: bool = False,
    mining: Mining = "all",
    average: Literal["all", "active"] = "all",
    **options: Unpack[LossOptions],
) -> Array:
    r"""An anchor must be nearer to what is like it than to what is not, by a margin.

    .. math:: \ell = \max(0, |a - p|^2 - |a - n|^2 + m)

    Either ``target`` holds the labels of a batch, or ``positive`` and ``negative`` hold the partners of each row, which may also be
    written ``triplet(anchor, positive, negative)``, as in PyTorch. From labels,
    ``mining="all"`` takes every triplet, ``"hard"`` for each anchor its farthest positive and nearest negative, ``"semi_hard"``
    every triplet whose negative is farther than the positive, but not by the margin. The mean divides by the number of such
    triplets, with ``average="active"`` by that of those with a loss. ``squared=False`` takes distances, ``normalize`` puts all
    vectors to length 1 first. A ``mask`` leaves embeddings out altogether; a ``weight`` is one number per anchor. Without any
    triplet the mean is ``undefined``.

    >>> float(triplet([[0.0, 0.0]], [[1.0, 0.0]], [[0.0, 0.5]]))
    0.95
    >>> round(float(triplet([[0.0], [1.0], [3.0]], [0, 0, 1], margin=4.0)), 6)
    0.5
    """
    _choices(margin, mining, average)
    if negative is not None and positive is None and is_matrix(target):  # three matrices: no labels
        target, positive = None, target
    if target is None:
        return _given(embeddings, positive, negative, (margin, squared, normalize), average, options)
    if positive is not None or negative is not None:
        raise InputError("triplet", "", "give target (labels of a batch) or positive and negative, not both")
    xp, (x, target) = arrays("triplet", embeddings=embeddings, target=target)
    x = vectors("triplet", xp, x)
    x, keep, options = taking_part("triplet", xp, x, options)
    if not x.shape[0]:
        return of_nothing("triplet", xp, x, options)
    same, different = relations("triplet", xp, x, target, keep)
    apart = squared_distances(xp, unit(xp, x) if normalize else x)
    apart = apart if squared else root(xp, apart)
    if mining == "hard":
        sums, sizes = _hardest(xp, apart, same, different, margin)
        lossy = xp.astype(active(xp, sums), sums.dtype)
    else:
        sums, lossy = _all_triplets(xp, apart, same, different, margin, mining == "semi_hard")
        sizes = lossy if mining == "semi_hard" else counted(xp, same, apart) * counted(xp, different, apart)
    return reduce("triplet", xp, sums, options, lossy if average == "active" else sizes)


def _choices(margin: Any, mining: str, average: str) -> None:
    positive("triplet", margin=margin)


# ---- triplets of a batch


def _hardest(xp: Namespace, apart: Array, same: Array, different: Array, margin: float) -> tuple[Array, Array]:
    """The loss of each anchor with its farthest positive and nearest negative, and 1 where it has both."""
    fixed = stop_gradient(apart)
    far = xp.argmax(xp.where(same, fixed, xp.full_like(fixed, -1.0)), axis=-1, keepdims=True)
    near = xp.argmin(xp.where(different, fixed, xp.full_like(fixed, xp.inf)), axis=-1, keepdims=True)
    short = (taken(xp, apart, far) - taken(xp, apart, near))[:, 0] + margin
    whole = xp.any(same, axis=-1) & xp.any(different, axis=-1)
    return xp.where(whole, ramp(xp, short), xp.zeros_like(short)), xp.astype(whole, short.dtype)


def _all_triplets(
    xp: Namespace, apart: Array, same: Array, different: Array, margin: float, semi: bool
) -> tuple[Array, Array]:
    """The summed loss of each anchor over its triplets, and how many of them have one.

    The sum is linear in the distances: each counts as often as it stands in a triplet with a loss. So it is enough to count,
    for each positive, the negatives nearer than it plus the margin, and for each negative the positives that reach past it.
    """
    fixed = stop_gradient(apart)
    rounding = 8 * epsilon(apart) * (fixed + margin)
    # A negative just at the margin has no loss and must not be counted, whichever way its distance was rounded.
    sums, active = _counted_sum(xp, apart, fixed + margin - rounding, same, different)
    if semi:  # ... and one as near as the positive is too hard
        inner, hard = _counted_sum(xp, apart, fixed + rounding, same, different)
        sums, active = sums - inner, active - hard
    return clamp(xp, sums + margin * active, 0.0, None), active


def _counted_sum(xp: Namespace, apart: Array, reach: Array, same: Array, different: Array) -> tuple[Array, Array]:
    """Positive minus negative distance, added over the triplets whose negative lies within reach of the positive."""
    nowhere = xp.full_like(reach, xp.inf)
    key = xp.where(same, reach, xp.where(different, stop_gradient(apart), nowhere))
    order = xp.argsort(key, axis=-1)
    positives, negatives = (xp.astype(taken(xp, some, order), apart.dtype) for some in (same, different))
    passed = xp.cumulative_sum(negatives, axis=-1)
    reaching = xp.sum(positives, axis=-1, keepdims=True) - xp.cumulative_sum(positives, axis=-1)
    within = positives * passed
    share = within - negatives * reaching
    return xp.sum(share * taken(xp, apart, order), axis=-1), xp.sum(within, axis=-1)


# ---- given triplets


def _given(
    anchor: Any, positive: Any, negative: Any, form: tuple[float, bool, bool], average: str, options: LossOptions
) -> Array:
    """The loss of triplets, one per row."""
    if positive is None or negative is None:
        raise InputError("triplet", "", "give target (labels of a batch), or both positive and negative")
    xp, three = arrays("triplet", anchor=anchor, positive=positive, negative=negative)
    three = [vectors("triplet", xp, x, name) for x, name in zip(three, ("anchor", "positive", "negative"), strict=True)]
    alike("triplet", anchor=three[0], positive=three[1], negative=three[2])
    known("triplet", options)
    three = masked("triplet", xp, options, *promoted(xp, *three))
    margin, squared, normalize = form
    three = [unit(xp, x) for x in three] if normalize else three
    fast = fast_route(xp, *three)
    near, far = fast.gap_squares(_gap_squares, *three) if fast else _gap_squares(xp, *three)
    short = (near - far if squared else root(xp, near) - root(xp, far)) + margin
    values = ramp(xp, short)
    size = None if average == "all" else xp.astype(active(xp, values), values.dtype)
    return reduce("triplet", xp, values, options, size)


def _gap_squares(xp: Namespace, a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Squared distances of each row of ``a`` to those of ``b`` and of ``c``."""
    return xp.sum((a - b) ** 2, axis=-1), xp.sum((a - c) ** 2, axis=-1)
