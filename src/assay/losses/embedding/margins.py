"""Classifiers whose classes are vectors, with and without a margin: one prototype per class, learned with the model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, as_int, describe, kind_of
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.class_inputs import looked_up, refuse_unclear_weight, settled, true_of
from assay.losses.embedding.geometry import fast_route, lengths, masked, product, promoted, root, unit, vectors, widened
from assay.losses.inputs import arrays, numbers_of
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions, chosen, reduce
from assay.ops import clamp, log_softmax


@dataclass(frozen=True)
class Margin:
    """What becomes of the cosine to the own class: ``value(xp, cosine)``, and its derivative for the closed form."""

    value: Callable[[Namespace, Array], Array]
    slope: Callable[[Namespace, Array], Array]


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Softmax of class vectors",
    use="embeddings are learned by telling classes apart, and margins are not needed",
    instead="arcface or cosface, if classes that were never seen must be told apart",
    misleads="long vectors make it small: it does not measure how well classes are separated",
    equals=("torch linear and cross_entropy",),
    references=("taigman2014",),
    learned=("prototypes",),
    aliases=("softmax_loss",),
)
def softmax(
    embeddings: ArrayLike,
    target: ArrayLike,
    prototypes: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of a linear classifier on the embeddings.

    .. math:: \ell = -\log \frac{\exp(w_y^\top x + b_y)}{\sum_j \exp(w_j^\top x + b_j)}

    ``prototypes`` holds one vector per class, ``bias`` one number per class. The mean divides by the rows that are not ignored.

    >>> round(float(softmax([[1.0, 0.0]], [0], [[2.0, 0.0], [0.0, 2.0]])), 6)
    0.126928
    """
    xp, x, target, w = class_vectors("softmax", embeddings, target, prototypes)
    x, own, options = counting("softmax", xp, x, target, w.shape[0], ignore_index, options)
    logits = product(xp, x, xp.matrix_transpose(w))
    if bias is not None:
        logits = logits + _bias(xp, bias, w)
    return _entropy("softmax", xp, logits, own, options)


@loss(
    "robust",
    title="CosFace",
    use="faces, products, speakers: classes of the test are new, and only directions are compared",
    instead="arcface, whose margin is an angle; softmax while classes are few and noisy",
    misleads="a large margin with noisy labels pulls wrong pairs together",
    equals=("pytorch-metric-learning CosFaceLoss",),
    references=("wang2018",),
    learned=("prototypes",),
    aliases=("large_margin_cosine", "am_softmax"),
)
def cosface(
    embeddings: ArrayLike,
    target: ArrayLike,
    prototypes: ArrayLike,
    *,
    scale: float = 64.0,
    margin: float = 0.35,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of cosines, with a margin taken off that of the own class.

    .. math:: \ell = -\log \frac{e^{s(\cos\theta_y - m)}}{e^{s(\cos\theta_y - m)} + \sum_{j \ne y} e^{s\cos\theta_j}}

    The mean divides by the rows that are not ignored. A vector of zeros has cosine 0 to every class.

    >>> round(float(cosface([[3.0, 0.0]], [0], [[1.0, 0.0], [0.0, 1.0]], scale=1.0, margin=0.5)), 6)
    0.474077
    """
    positive("cosface", scale=scale)
    between("cosface", 0.0, 2.0, margin=margin)
    rule = Margin(lambda xp, c: c - margin, lambda xp, c: xp.ones_like(c))
    return _margin_softmax("cosface", embeddings, target, prototypes, rule, scale, ignore_index, options)


@loss(
    "robust",
    title="ArcFace",
    use="faces, products, speakers: classes of the test are new, and only directions are compared",
    instead="cosface, easier in the first epochs; softmax while classes are few and noisy",
    misleads="margins given in degrees: 28.6 of them are 0.5 here",
    equals=("pytorch-metric-learning ArcFaceLoss, whose margin is in degrees",),
    references=("deng2019",),
    traps=(15,),
    learned=("prototypes",),
    aliases=("additive_angular_margin",),
)
def arcface(
    embeddings: ArrayLike,
    target: ArrayLike,
    prototypes: ArrayLike,
    *,
    scale: float = 64.0,
    margin: float = 0.5,
    easy_margin: bool = False,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of cosines, with an angle (in radians) added to that of the own class only.

    .. math:: \ell = -\log \frac{e^{s\cos(\theta_y + m)}}{e^{s\cos(\theta_y + m)} + \sum_{j \ne y} e^{s\cos\theta_j}}

    Past :math:`\theta = \pi - m`, where the cosine would rise again, it goes on as :math:`\cos\theta - m\sin m`, as in
    insightface and pytorch-metric-learning. ``easy_margin`` adds the angle only where the cosine is above 0. No arc cosine is
    taken, so the gradient is finite for vectors equal or opposite to their prototype; vectors of zeros have cosine 0. The
    mean divides by the rows that are not ignored.

    >>> round(float(arcface([[3.0, 0.0]], [0], [[1.0, 0.0], [0.0, 1.0]], scale=1.0, margin=np.pi / 3)), 6)
    0.474077
    """
    positive("arcface", scale=scale)
    angle: Any = margin
    if isinstance(angle, bool) or not isinstance(angle, Real) or not 0 <= float(angle) < math.pi:
        raise ParameterError("arcface", "margin", f"must be an angle in radians, in [0, π), got {margin!r}")
    return _margin_softmax(
        "arcface", embeddings, target, prototypes, _arc(margin, easy_margin), scale, ignore_index, options
    )


def _arc(margin: float, easy: bool) -> Margin:
    cos, sin = math.cos(margin), math.sin(margin)
    edge, drop = (0.0, 0.0) if easy else (-cos, margin * sin)

    def value(xp: Namespace, c: Array) -> Array:
        inside = clamp(xp, c, -1.0, 1.0)
        moved = c * cos - root(xp, 1 - inside * inside) * sin
        return xp.where(_within(c, edge, easy), moved, c - drop)

    def slope(xp: Namespace, c: Array) -> Array:
        sine = root(xp, 1 - clamp(xp, c * c, None, 1.0))
        steep = cos + sin * xp.where(sine > 0, c / xp.where(sine > 0, sine, xp.ones_like(sine)), xp.zeros_like(c))
        return xp.where(_within(c, edge, easy), steep, xp.ones_like(c))

    return Margin(value, slope)


def _within(c: Array, edge: float, easy: bool) -> Array:
    return c > edge if easy else c >= edge


@loss(
    title="SphereFace (A-Softmax)",
    use="angular margins as in the paper that began them",
    instead="arcface or cosface, which need no annealing",
    misleads="without annealing it seldom converges from a random start",
    equals=("pytorch-metric-learning SphereFaceLoss, with annealing=0",),
    references=("liu2017",),
    learned=("prototypes",),
    aliases=("a_softmax", "angular_softmax"),
    erratum=f"{SURVEY}, eq. 71-75, takes cos(m theta), which rises again past pi/m; the cited paper continues it "
    "downwards.",
)
def sphereface(
    embeddings: ArrayLike,
    target: ArrayLike,
    prototypes: ArrayLike,
    *,
    margin: Array | float = 4,
    annealing: Array | float = 0.0,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Cross entropy of a classifier with unit prototypes, whose own angle counts ``margin`` times.

    .. math:: \ell = -\log \frac{e^{|x|\psi(\theta_y)}}{e^{|x|\psi(\theta_y)} + \sum_{j \ne y} e^{|x|\cos\theta_j}},
        \quad \psi(\theta) = (-1)^k \cos(m\theta) - 2k, \ \theta \in [k\pi/m, (k+1)\pi/m]

    ``annealing`` is the paper's λ: the own logit is :math:`|x|(\lambda\cos\theta + \psi(\theta))/(1 + \lambda)`; see
    `sphereface_annealing` for its schedule. The mean divides by the rows that are not ignored.

    >>> round(float(sphereface([[1.0, 1.0]], [0], [[1.0, 0.0], [0.0, 1.0]], margin=2)), 6)
    1.313262
    """
    who = "sphereface"
    if isinstance(margin, bool) or not isinstance(margin, int) or margin < 1:
        raise ParameterError(who, "margin", f"must be an integer of at least 1, got {margin!r}")
    between(who, 0.0, float("inf"), annealing=annealing)
    xp, x, target, w = class_vectors(who, embeddings, target, prototypes)
    x, true, options = counting(who, xp, x, target, w.shape[0], ignore_index, options)
    cosines = product(xp, unit(xp, x), xp.matrix_transpose(unit(xp, w)))
    own = true_of(xp, cosines, true)
    moved = (annealing * own + _psi(xp, own, margin)) / (1 + annealing)
    logits = lengths(xp, x) * _replaced(xp, cosines, true, moved)
    return _entropy(who, xp, logits, true, options)


def _psi(xp: Namespace, c: Array, m: int) -> Array:
    """``(-1)^k cos(m theta) - 2k`` from the cosine alone: a polynomial, so no arc cosine spoils the gradient."""
    before, multiple = xp.ones_like(c), c
    for _ in range(m - 1):
        before, multiple = multiple, 2 * c * multiple - before
    sign, fold = xp.ones_like(c), xp.zeros_like(c)
    for j in range(1, m):
        passed = c < math.cos(j * math.pi / m)
        sign = xp.where(passed, -sign, sign)
        fold = xp.where(passed, fold + 1, fold)
    return sign * multiple - 2 * fold


def sphereface_annealing(
    step: Array | float, *, start: float = 1000.0, decay: float = 0.12, power: float = 1.0, least: float = 5.0
) -> Array | float:
    r"""The paper's λ at a step of the training, for ``sphereface(annealing=...)``.

    .. math:: \lambda = \max(\lambda_{\min}, \lambda_0 (1 + \gamma t)^{-p})

    The defaults are those of the authors' published training.

    >>> tuple(round(sphereface_annealing(step), 1) for step in (0, 100, 10**6))
    (1000.0, 76.9, 5.0)
    """
    positive("sphereface_annealing", start=start)
    between("sphereface_annealing", 0.0, float("inf"), decay=decay, power=power, least=least)
    if not getattr(step, "ndim", 0):  # many steps at once give many
        between("sphereface_annealing", 0.0, float("inf"), step=step)
    value = start * (1 + decay * step) ** -power
    if isinstance(value, int | float):
        return max(float(value), least)
    return clamp(array_api_compat.array_namespace(value), value, least, None)


# ---- what they share


def class_vectors(
    who: str, embeddings: ArrayLike, target: ArrayLike | None, prototypes: ArrayLike, name: str = "prototypes"
) -> tuple[Namespace, Array, Array, Array]:
    """The batch, its classes and the class vectors, of fitting shapes and one kind of floats."""
    if target is None:
        raise InputError(who, "target", "is missing: the class of each embedding")
    xp, (x, own, w) = arrays(who, **{"embeddings": embeddings, "target": target, name: prototypes})
    x, w = promoted(xp, vectors(who, xp, x), vectors(who, xp, w, name))
    if x.shape[1] != w.shape[1]:
        raise InputError(
            who,
            "embeddings",
            f"of {x.shape[1]} numbers need {name} of as many, shape (classes, {x.shape[1]}), got {tuple(w.shape)}",
        )
    if tuple(own.shape) != (x.shape[0],) or kind_of(own) != "int":
        raise InputError(who, "target", f"must hold one class for each of {x.shape[0]} embeddings, got {describe(own)}")
    return xp, x, as_int(own), w


def counting(
    who: str, xp: Namespace, x: Array, target: Array, count: int, ignore_index: int | None, options: LossOptions
) -> tuple[Array, Array, LossOptions]:
    """Embeddings with zeros and classes with 0 for rows that do not count, and the options with a mask of those that do."""
    refuse_unclear_weight(who, options, x, count, looked_up(target))
    own, keep = settled(who, xp, target, count, ignore_index)
    options = chosen(who, xp, options, keep)
    return masked(who, xp, options, x)[0], own, options


def _bias(xp: Namespace, bias: Any, w: Array) -> Array:
    given: Any = numbers_of("softmax", "bias", bias, w)
    found: Any = widened(xp, given)
    if tuple(found.shape) != (w.shape[0],):
        raise InputError("softmax", "bias", f"must hold one number for each of {w.shape[0]} classes, got {found.shape}")
    return xp.astype(found, w.dtype)


def _replaced(xp: Namespace, cosines: Array, target: Array, moved: Array) -> Array:
    """The cosines with that of the own class exchanged."""
    classes = xp.arange(cosines.shape[1], dtype=target.dtype, device=array_api_compat.device(target))
    return xp.where(target[:, None] == classes[None, :], moved[:, None], cosines)


def _entropy(who: str, xp: Namespace, logits: Array, own: Array, options: LossOptions) -> Array:
    return reduce(who, xp, -true_of(xp, log_softmax(xp, logits), own), options)


def _margin_softmax(
    who: str,
    embeddings: Any,
    target: Any,
    prototypes: Any,
    rule: Margin,
    scale: float,
    ignore_index: int | None,
    options: LossOptions,
) -> Array:
    """Cross entropy of scaled cosines with a margin on the own class; large tensors take the closed form."""
    xp, x, target, w = class_vectors(who, embeddings, target, prototypes)
    x, own, options = counting(who, xp, x, target, w.shape[0], ignore_index, options)
    fast = fast_route(xp, x, w)
    values = fast.margin_rows(margin_rows, x, w, own, rule, scale) if fast else margin_rows(xp, x, w, own, rule, scale)
    return reduce(who, xp, values, options)


def margin_rows(xp: Namespace, x: Array, w: Array, target: Array, rule: Margin, scale: float) -> Array:
    """The loss of each row."""
    cosines = product(xp, unit(xp, x), xp.matrix_transpose(unit(xp, w)))
    moved = rule.value(xp, true_of(xp, cosines, target))
    logits = scale * _replaced(xp, cosines, target, moved)
    return -true_of(xp, log_softmax(xp, logits), target)
