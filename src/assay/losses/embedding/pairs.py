"""Contrastive loss: pairs that are alike come together, others part up to a margin."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.embedding.geometry import (
    active,
    alike,
    counted,
    masked,
    of_nothing,
    promoted,
    relations,
    root,
    squared_distances,
    taking_part,
    unit,
    vectors,
)
from assay.losses.inputs import arrays, floating
from assay.losses.parameter_checks import positive
from assay.losses.reduction import LossOptions, known, reduce
from assay.ops import ramp

Form = Literal["hadsell", "squared", "linear"]
Average = Literal["all", "active", "active_by_kind"]


@loss(
    title="Contrastive",
    use="pairs are known to be alike or not",
    instead="info_nce, which compares one positive with many negatives",
    misleads="in a batch nearly all pairs are unlike: they decide the mean unless it is taken by kind",
    equals=("pytorch-metric-learning ContrastiveLoss, with form='linear', average='active_by_kind', normalize=True",),
    references=("hadsell2006",),
    traps=(13,),
    aliases=("contrastive_loss",),
    erratum=f"{SURVEY}, eq. 85, has one label for three images; the loss is over pairs.",
)
def contrastive(
    embeddings: ArrayLike,
    target: ArrayLike | None,
    *,
    other: ArrayLike | None = None,
    margin: float = 1.0,
    form: Form = "hadsell",
    normalize: bool = False,
    average: Average = "all",
    **options: Unpack[LossOptions],
) -> Array:
    r"""Squared distance of pairs that are alike, squared lack of distance of the others.

    .. math:: \ell = y d^2 + (1 - y) \max(0, m - d)^2

    With ``other`` its rows are the partners, and ``target`` is 1 for a pair that is alike, else 0 (not -1). Without it ``target`` holds
    labels, and all pairs of the batch count, seen from both sides. ``form="squared"`` takes :math:`\max(0, m - d^2)` for unlike
    pairs, ``"linear"`` :math:`d` and :math:`\max(0, m - d)`. (Hadsell and others halve both terms.) The mean divides by the
    number of pairs; with ``average="active"`` by that of pairs with a loss; ``"active_by_kind"`` adds the mean of the alike
    and that of the unlike ones with a loss. Without pairs the mean is ``undefined``. A ``mask`` leaves embeddings out.

    >>> float(contrastive([[0.0], [0.0]], [1, 0], other=[[2.0], [0.5]]))
    2.125
    """
    positive("contrastive", margin=margin)
    if target is None:
        raise InputError(
            "contrastive", "target", "is missing: labels of a batch, or 1 and 0 for alike and unlike pairs of other="
        )
    if other is not None:
        return _of_pairs(embeddings, other, target, (form, margin, normalize), average, options)
    xp, (x, target) = arrays("contrastive", embeddings=embeddings, target=target)
    x = vectors("contrastive", xp, x)
    x, keep, options = taking_part("contrastive", xp, x, options)
    if not x.shape[0]:
        return of_nothing("contrastive", xp, x, options)
    same, different = relations("contrastive", xp, x, target, keep)
    square = squared_distances(xp, unit(xp, x) if normalize else x)
    together, apart = _terms(xp, square, form, margin)
    zero = xp.zeros_like(square)
    terms = xp.where(same, together, zero), xp.where(different, apart, zero)
    return _averaged(xp, terms, (same, different), average, options)


def _terms(xp: Namespace, square: Array, form: str, margin: float) -> tuple[Array, Array]:
    """The loss of each pair if it is alike, and if it is not."""
    distance = square if form == "squared" else root(xp, square)
    short = ramp(xp, margin - distance)
    return (distance if form == "linear" else square), (short * short if form == "hadsell" else short)


def _averaged(
    xp: Namespace, terms: tuple[Array, Array], kinds: tuple[Array, Array], average: str, options: LossOptions
) -> Array:
    """The losses of alike and unlike pairs, which stand along the last axis for each anchor, reduced."""
    if average == "active_by_kind" and options.get("reduction", "mean") == "mean":
        once: LossOptions = {**options, "undefined": 0}
        lossy = [active(xp, term) for term in terms]
        means = [_mean(xp, term, counts, once) for term, counts in zip(terms, lossy, strict=True)]
        none = _mean(xp, xp.zeros_like(terms[0]), lossy[0] | lossy[1], options)  # 0 if anything counts
        return means[0] + means[1] + none
    both = terms[0] + terms[1]
    return _mean(xp, both, kinds[0] | kinds[1] if average == "all" else active(xp, both), options)


def _mean(xp: Namespace, values: Array, counts: Array, options: LossOptions) -> Array:
    return reduce("contrastive", xp, xp.sum(values, axis=-1), options, counted(xp, counts, values))


def _of_pairs(a: Any, b: Any, target: Any, form: tuple[str, float, bool], average: str, options: LossOptions) -> Array:
    """The loss of pairs, one per row."""
    xp, (a, b, target) = arrays("contrastive", embeddings=a, other=b, target=target)
    a, b = vectors("contrastive", xp, a), vectors("contrastive", xp, b, "other")
    alike("contrastive", embeddings=a, other=b)
    if tuple(target.shape) != (a.shape[0],):
        raise InputError(
            "contrastive", "target", f"must be 1 or 0 for each of {a.shape[0]} pairs, got {tuple(target.shape)}"
        )
    known("contrastive", options)
    a, b = masked("contrastive", xp, options, *promoted(xp, a, b))
    gap = unit(xp, a) - unit(xp, b) if form[2] else a - b
    together, apart = _terms(xp, xp.sum(gap * gap, axis=-1), form[0], form[1])
    y = xp.astype(floating(xp, target, like=together), together.dtype)
    column = [term[:, None] for term in (y * together, (1 - y) * apart)]
    everything = xp.ones_like(target, dtype=xp.bool)[:, None]
    return _averaged(xp, (column[0], column[1]), (everything, everything), average, options)
