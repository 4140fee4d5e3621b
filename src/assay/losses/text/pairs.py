"""Losses of pairs: two sentences that mean the same or not, two answers of which one is better."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, epsilon
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.inputs import arrays, pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions
from assay.ops import clamp, log_sigmoid, ramp, sigmoid

NAMES = ("first", "second")
TINY, HALF_TINY = (
    1e-12,
    1e-8,
)  # added to squared lengths, as PyTorch does; in half precision a slope of 1e6 is not finite


@loss(
    title="Cosine",
    use="vectors of sentences that mean the same should point the same way",
    instead="info_nce, where a batch holds many dissimilar pairs",
    misleads="the lengths of the vectors learn nothing; vectors of zeros count as at right angles",
    equals=("torch cosine_embedding_loss",),
    references=("bromley1993",),
    range=(0.0, 2.0),
    aliases=("cosine_embedding", "cosine_embedding_loss"),
    erratum=f"{SURVEY} says that a similarity of 1 means identical vectors; it means the same direction.",
)
def cosine(
    first: ArrayLike,
    second: ArrayLike,
    target: ArrayLike | None = None,
    *,
    margin: float = 0.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""One minus the cosine of similar pairs; the cosine above ``margin`` of dissimilar ones.

    .. math:: \ell = 1 - \cos(u, v) \quad\text{or}\quad \max(0, \cos(u, v) - m)

    ``target`` is 1 for similar pairs and -1 (or 0) for others; without it all are similar. The mean divides by the number of
    pairs, or by the sum of the weights.

    >>> round(float(cosine([[1.0, 0.0], [1.0, 1.0]], [[0.0, 2.0], [3.0, 3.0]], [1, -1])), 6)
    1.0
    """
    between("cosine", -1.0, 1.0, margin=margin)
    xp, a, b = pair("cosine", first, second, NAMES)
    if a.ndim == 0:
        raise InputError("cosine", "", "first and second must be vectors, got single numbers")
    alike = _signs("cosine", xp, target, a, tuple(a.shape[:-1]))
    return each("cosine", _COSINE, xp, (a, b, alike), (margin,), options)


def _signs(who: str, xp: Namespace, target: Any, first: Array, shape: tuple[int, ...]) -> Array:
    """The target as an array of the dtype of the inputs; 1 without one."""
    if target is None:
        return xp.ones_like(xp.zeros_like(first) if tuple(first.shape) == shape else first[..., 0])
    _, (_, target) = arrays(who, first=first, target=target)
    if tuple(target.shape) != shape:
        raise InputError(who, "target", f"must have the shape {shape}, one number per pair, got {tuple(target.shape)}")
    return xp.astype(target, first.dtype)


def _cosines(xp: Any, u: Array, v: Array, tiny: float = TINY) -> tuple[Array, Array, Array]:
    """The cosines and both squared lengths; a vector of zeros has a cosine of 0."""
    sizes = (xp.sum(u * u, axis=-1) + tiny, xp.sum(v * v, axis=-1) + tiny)
    return xp.sum(u * v, axis=-1) / (xp.sqrt(sizes[0]) * xp.sqrt(sizes[1])), *sizes


def _cosine_value(xp: Any, u: Array, v: Array, alike: Array, margin: float) -> Array:
    kind, half = u.dtype, epsilon(u) > 1e-4
    if half:  # whose squares overflow
        u, v, alike = (xp.astype(x, xp.float32) for x in (u, v, alike))
    cosines = _cosines(xp, u, v, HALF_TINY if half else TINY)[0]
    return xp.astype(_by_kind(xp, alike, 1 - cosines, ramp(xp, cosines - margin)), kind)


def _by_kind(xp: Any, alike: Array, near: Array, far: Array) -> Array:
    """The loss of a similar pair or that of another; of a pair that is marked by NaN, NaN."""
    return xp.where(alike > 0, near, xp.where(alike <= 0, far, far * alike))


def _cosine_slopes(xp: Any, u: Array, v: Array, alike: Array, margin: float) -> Any:
    cosines, a, b = _cosines(xp, u, v)
    over = clamp(xp, cosines - margin, 0, None)
    slope = xp.where(alike > 0, -xp.ones_like(cosines), xp.sign(over))  # of a NaN value the entry of losses spoils it
    both, along = slope / (xp.sqrt(a) * xp.sqrt(b)), slope * cosines
    slopes = both[..., None] * v - (along / a)[..., None] * u, both[..., None] * u - (along / b)[..., None] * v
    return _by_kind(xp, alike, 1 - cosines, over), slopes


_COSINE = LossBody(_cosine_value, _cosine_slopes, vary=2, rowwise=True)


@loss(
    "convex",
    "robust",
    title="Margin ranking",
    use="the better of two answers should score higher by a margin",
    instead="ranknet, which is smooth and has no margin to tune",
    misleads="with a margin of 0 equal scores cost nothing",
    equals=("torch margin_ranking_loss",),
    references=("herbrich2000",),
    aliases=("marginal_ranking", "margin_ranking_loss"),
)
def margin_ranking(
    first: ArrayLike,
    second: ArrayLike,
    target: ArrayLike | None = None,
    *,
    margin: float = 0.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""How far the lead of the first score over the second falls short of ``margin``.

    .. math:: \ell = \max(0, m - y (s_1 - s_2))

    ``target`` is 1 where the first should lead and -1 where the second should; without it the first always. The mean divides
    by the number of pairs, or by the sum of the weights.

    >>> float(margin_ranking([2.0, 0.5], [1.0, 1.0], margin=0.5))
    0.5
    """
    between("margin_ranking", 0.0, float("inf"), margin=margin)
    xp, a, b = pair("margin_ranking", first, second, NAMES)
    lead = _signs("margin_ranking", xp, target, a, tuple(a.shape))
    return each("margin_ranking", _MARGIN, xp, (a, b, lead), (margin,), options)


def _margin_value(xp: Any, first: Array, second: Array, lead: Array, margin: float) -> Array:
    return ramp(xp, margin - lead * (first - second))


def _margin_slopes(xp: Any, first: Array, second: Array, lead: Array, margin: float) -> Any:
    short = clamp(xp, margin - lead * (first - second), 0, None)
    slope = xp.sign(short) * lead
    return short, (-slope, slope)


_MARGIN = LossBody(_margin_value, _margin_slopes, vary=2)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    title="RankNet",
    use="pairs of which one is better, as for retrieval or preferences",
    instead="margin_ranking, if good pairs should be left alone",
    misleads="counts all pairs alike, wherever in the list they stand",
    references=("burges2005",),
    aliases=("ranknet_loss",),
    erratum=f"{SURVEY} gives the margin form under this name; RankNet is the logistic loss of the difference.",
)
def ranknet(
    first: ArrayLike,
    second: ArrayLike,
    target: ArrayLike | None = None,
    *,
    scale: float = 1.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of which of two is better, from the difference of their scores.

    .. math:: \ell = \log(1 + e^{-\sigma d}) + (1 - \bar P)\,\sigma d, \quad d = s_1 - s_2

    ``target`` is the probability that the first is better: 1 without it, 1/2 for a tie. The mean divides by the number of
    pairs, or by the sum of the weights.

    >>> round(float(ranknet([1.0], [1.0])), 6)
    0.693147
    """
    between("ranknet", 0.0, float("inf"), scale=scale)
    positive("ranknet", scale=scale)
    xp, a, b = pair("ranknet", first, second, NAMES)
    chance = _signs("ranknet", xp, target, a, tuple(a.shape))
    return each("ranknet", _RANKNET, xp, (a, b, chance), (scale,), options)


def _ranknet_value(xp: Any, first: Array, second: Array, chance: Array, scale: float) -> Array:
    lead = scale * (first - second)
    return (1 - chance) * lead - log_sigmoid(xp, lead)


def _ranknet_slopes(xp: Any, first: Array, second: Array, chance: Array, scale: float) -> Any:
    lead = scale * (first - second)
    slope = scale * (sigmoid(xp, lead) - chance)
    return (1 - chance) * lead - log_sigmoid(xp, lead), (slope, -slope)


_RANKNET = LossBody(_ranknet_value, _ranknet_slopes, vary=2)
