"""Circle loss: each similarity is pulled as hard as it is far from where it should be."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.accelerators import Aims
from assay.losses.embedding.geometry import (
    fast_route,
    gram,
    masked,
    of_nothing,
    promoted,
    relations,
    taking_part,
    unit,
    vectors,
    widened,
)
from assay.losses.inputs import arrays
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions, known, reduce
from assay.ops import clamp, logsumexp, softplus, stop_gradient


@loss(
    title="Circle",
    use="labels or pairs, where hard similarities should count more than easy ones",
    instead="info_nce, with one parameter less",
    misleads="gamma is a scale of logits: its best value differs by a factor of three between tasks",
    equals=("pytorch-metric-learning CircleLoss: margin=0.4, gamma=80; its mean leaves out anchors without loss",),
    references=("sun2020",),
    traps=(14,),
    aliases=("circle_loss",),
    erratum=f"{SURVEY}, eq. 86, has the optima O in the exponents, where the cited paper has the margins Delta, and O_p "
    "below O_n, which is the wrong way round.",
)
def circle(
    embeddings: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    positive_similarity: ArrayLike | None = None,
    negative_similarity: ArrayLike | None = None,
    margin: float = 0.25,
    gamma: float = 256.0,
    positive_optimum: float | None = None,
    negative_optimum: float | None = None,
    positive_margin: float | None = None,
    negative_margin: float | None = None,
    pooled: bool = False,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Similarities of pairs that are alike against those of pairs that are not, each weighed by its distance to its optimum.

    .. math:: \ell = \log\Big(1 + \sum_n e^{\gamma\,\alpha_n (s_n - \Delta_n)} \sum_p e^{-\gamma\,\alpha_p (s_p - \Delta_p)}\Big),
        \quad \alpha_p = [O_p - s_p]_+, \ \alpha_n = [s_n - O_n]_+

    ``margin`` sets all four: O_p = 1 + m, O_n = -m, Δ_p = 1 - m, Δ_n = m, as in the paper; ``positive_optimum``,
    ``negative_optimum``, ``positive_margin`` and ``negative_margin`` set them one by one. The weights α are constants for the
    gradient, as in the paper. From labels there is one loss for each anchor with a positive
    and a negative, and the mean divides by their number; ``pooled=True`` puts all pairs of the batch, each once, into one sum.
    Or give similarities themselves: ``positive_similarity`` and ``negative_similarity``, with those of one anchor along the
    last axis. Without such anchors the mean is ``undefined``. A ``mask`` leaves embeddings out.

    >>> round(float(circle(positive_similarity=[0.75], negative_similarity=[0.25], margin=0.25)), 6)
    0.693147
    """
    positive("circle", gamma=gamma)
    between("circle", 0.0, 1.0, margin=margin)
    optima = {"positive_optimum": positive_optimum, "negative_optimum": negative_optimum}
    aims = _aims(margin, {**optima, "positive_margin": positive_margin, "negative_margin": negative_margin})
    if embeddings is None:
        return _of_similarities(positive_similarity, negative_similarity, aims, gamma, options)
    if target is None or positive_similarity is not None or negative_similarity is not None:
        raise InputError("circle", "", "give embeddings and target, or positive_similarity= and negative_similarity=")
    xp, (x, target) = arrays("circle", embeddings=embeddings, target=target)
    x = vectors("circle", xp, x)
    x, keep, options = taking_part("circle", xp, x, options)
    if not x.shape[0]:
        return of_nothing("circle", xp, x, options)
    same, different = relations("circle", xp, x, target, keep)
    similarity = gram(xp, unit(xp, x))
    if pooled:
        same, different, similarity = (xp.reshape(a, (1, -1)) for a in (*_once(xp, same, different), similarity))
    fast = fast_route(xp, similarity)
    form = (same, different, aims, gamma)
    values = fast.circle_rows(circle_rows, similarity, *form) if fast else circle_rows(xp, similarity, *form)
    whole = xp.any(same, axis=-1) & xp.any(different, axis=-1)
    return reduce("circle", xp, values, options, xp.astype(whole, values.dtype))


def _aims(margin: float, given: dict[str, float | None]) -> Aims:
    """Those of one margin, save those that are given."""
    usual = (1 + margin, -margin, 1 - margin, margin)
    for name, value in given.items():
        if value is not None:
            between("circle", -float("inf"), float("inf"), **{name: value})
    optimum_p, optimum_n, margin_p, margin_n = (
        use if value is None else value for use, value in zip(usual, given.values(), strict=True)
    )
    return optimum_p, optimum_n, margin_p, margin_n


def _once(xp: Namespace, same: Array, different: Array) -> tuple[Array, Array]:
    """The pairs of a batch seen from one side only."""
    place = xp.arange(same.shape[0], device=array_api_compat.device(same))
    later = place[:, None] < place[None, :]
    return same & later, different & later


def circle_rows(xp: Namespace, s: Array, same: Array, different: Array, aims: Aims, gamma: float) -> Array:
    """The loss of each row of similarities; 0 where a row has none of one kind."""
    none = xp.full_like(s, -xp.inf)
    pull = logsumexp(xp, xp.where(same, _pull(xp, s, aims, gamma), none))
    push = logsumexp(xp, xp.where(different, _push(xp, s, aims, gamma), none))
    return _joined(xp, pull, push)


def _pull(xp: Namespace, s: Array, aims: Aims, gamma: float) -> Array:
    optimum, _, margin, _ = aims
    return -gamma * stop_gradient(clamp(xp, optimum - s, 0.0, None)) * (s - margin)


def _push(xp: Namespace, s: Array, aims: Aims, gamma: float) -> Array:
    _, optimum, _, margin = aims
    return gamma * stop_gradient(clamp(xp, s - optimum, 0.0, None)) * (s - margin)


def _joined(xp: Namespace, pull: Array, push: Array) -> Array:
    none, zero = (pull == -xp.inf) | (push == -xp.inf), xp.zeros_like(pull)
    both = xp.where(none, zero, pull) + xp.where(none, zero, push)
    return xp.where(none, zero, softplus(xp, both))


def _of_similarities(positives: Any, negatives: Any, aims: Aims, gamma: float, options: LossOptions) -> Array:
    if positives is None or negatives is None:
        raise InputError("circle", "", "give embeddings and target, or positive_similarity= and negative_similarity=")
    xp, (p, n) = arrays("circle", positive_similarity=positives, negative_similarity=negatives)
    p, n = widened(xp, p), widened(xp, n)
    if p.ndim == 0 or p.ndim != n.ndim or tuple(p.shape[:-1]) != tuple(n.shape[:-1]):
        raise InputError(
            "circle",
            "",
            "positive_similarity and negative_similarity must have the same anchors in all axes but the last, "
            f"got {tuple(p.shape)} and {tuple(n.shape)}",
        )
    known("circle", options)
    if not p.shape[-1] or not n.shape[-1]:  # no anchor has both kinds
        none = xp.sum(p, axis=-1) * 0
        return reduce("circle", xp, none, options, none)
    p, n = masked("circle", xp, options, *promoted(xp, p, n))
    pull, push = logsumexp(xp, _pull(xp, p, aims, gamma)), logsumexp(xp, _push(xp, n, aims, gamma))
    return reduce("circle", xp, _joined(xp, pull, push), options)
