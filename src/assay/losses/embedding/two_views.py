"""Losses of two views of the same things, without negatives."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.loss import loss
from assay.losses.embedding.geometry import alike, cosine, fast_route, gram, masked, product, promoted, root, vectors
from assay.losses.inputs import arrays
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, Parts, known, reduce
from assay.ops import stop_gradient


@loss(
    "robust",
    "bounded",
    title="SimSiam",
    use="two views of each thing and no labels; small batches",
    instead="barlow_twins or info_nce, whose values say more about collapse",
    misleads="-1 is also what a collapsed model reaches: watch the spread of the embeddings",
    equals=("the authors' code: the negative mean of two torch cosine_similarity, p1 with z2 and p2 with z1",),
    references=("chen2021",),
    range=(-1.0, 1.0),
)
def simsiam(p1: ArrayLike, p2: ArrayLike, z1: ArrayLike, z2: ArrayLike, **options: Unpack[LossOptions]) -> Array:
    r"""Negative cosine between the prediction of one view and the projection of the other.

    .. math:: \ell = -\tfrac12 [\cos(p_1, \mathrm{stop}(z_2)) + \cos(p_2, \mathrm{stop}(z_1))]

    No gradient reaches ``z1`` and ``z2``, on PyTorch and JAX: that is what keeps the model from collapse. The mean divides by
    the number of rows; a vector of zeros has cosine 0.

    >>> float(simsiam([[1.0, 0.0]], [[0.0, 2.0]], [[0.0, 1.0]], [[3.0, 4.0]]))
    -0.8
    """
    xp, four = arrays("simsiam", p1=p1, p2=p2, z1=z1, z2=z2)
    names = ("p1", "p2", "z1", "z2")
    given = {name: vectors("simsiam", xp, x, name) for name, x in zip(names, four, strict=True)}
    alike("simsiam", **given)
    known("simsiam", options)
    given = dict(zip(names, masked("simsiam", xp, options, *promoted(xp, *given.values())), strict=True))
    first = cosine(xp, given["p1"], stop_gradient(given["z2"]))
    second = cosine(xp, given["p2"], stop_gradient(given["z1"]))
    return reduce("simsiam", xp, -0.5 * (first + second), options)


@loss(
    title="Barlow Twins",
    use="two views of each thing and no labels; wide embeddings",
    instead="info_nce with large batches; simsiam with small ones",
    misleads="it grows with the dimension: compare values of one width only",
    equals=("the authors' code: epsilon=1e-5, off_diagonal=0.0051",),
    differs=(
        "The listing in the paper divides by the standard deviation over n - 1 and yet by n, so that its correlations are smaller "
        "by (n - 1) / n: equal views do not reach 0. Its off_diagonal is 0.005, that of the authors' code 0.0051, which adds 1e-5 "
        "to the variances.",
    ),
    references=("zbontar2021",),
)
def barlow_twins(
    first: ArrayLike, second: ArrayLike, *, off_diagonal: float = 0.005, epsilon: float = 0.0, parts: bool = False
) -> Any:
    r"""The cross-correlation of two views should be the identity: the same feature agrees, others share nothing.

    .. math:: \ell = \sum_i (1 - C_{ii})^2 + \lambda \sum_{i \ne j} C_{ij}^2

    ``off_diagonal`` is λ. Features are standardised over the batch (mean 0, population variance 1); ``epsilon`` is added to the
    variance, as batch normalisation does. A feature that does not vary has correlation 0 to all others, so it costs 1. There is
    no mean: one number for the batch. ``parts=True`` gives ``invariance`` and ``redundancy`` too.

    >>> round(float(barlow_twins([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])), 6)
    0.01
    """
    between("barlow_twins", 0.0, float("inf"), off_diagonal=off_diagonal, epsilon=epsilon)
    xp, (a, b) = arrays("barlow_twins", first=first, second=second)
    a, b = promoted(xp, vectors("barlow_twins", xp, a, "first"), vectors("barlow_twins", xp, b, "second"))
    alike("barlow_twins", first=a, second=b)
    a, b = (_standardised(xp, x, epsilon) for x in (a, b))
    own = xp.sum(a * b, axis=0) / max(1, a.shape[0])
    invariance = xp.sum((1 - own) ** 2)
    redundancy = off_diagonal * (_squares(xp, a, b) - xp.sum(own * own))
    total = invariance + redundancy
    return Parts(total, {"invariance": invariance, "redundancy": redundancy}) if parts else total


def _standardised(xp: Namespace, x: Array, epsilon: float) -> Array:
    fast = fast_route(xp, x)
    return fast.standard(_standard, x, epsilon) if fast else _standard(xp, x, epsilon)


def _standard(xp: Namespace, x: Array, epsilon: float) -> Array:
    """Features with mean 0 and variance 1 over the batch; constant ones are all 0."""
    if not x.shape[0]:
        return x
    x = x - xp.mean(x, axis=0, keepdims=True)
    spread = root(xp, xp.mean(x * x, axis=0, keepdims=True) + epsilon)
    return x / xp.where(spread > 0, spread, xp.ones_like(spread))


def _squares(xp: Namespace, a: Array, b: Array) -> Array:
    """The sum of the squares of all correlations, by whichever products are smaller.

    ``|AᵀB|² = <AAᵀ, BBᵀ>``: with fewer rows than features the right side is cheaper and needs no matrix of features.
    """
    n, features = a.shape
    scale = max(1, n) ** 2
    if 4 * n >= 3 * features:  # forward and backward take four products there and three here
        c = product(xp, xp.matrix_transpose(a), b)
        return xp.sum(c * c) / scale
    return xp.sum(gram(xp, a) * gram(xp, b)) / scale
