"""Losses of coordinates: boxes and landmarks."""

from __future__ import annotations

import math
from typing import Any, Literal, Unpack

from assay.core.arrays import Array, ArrayLike
from assay.core.errors import ParameterError, arg
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import positive
from assay.losses.reduction import LossOptions

STEEPEST = 500  # of gamma over alpha, whose exponential must fit in a number


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Balanced L1",
    use="box regression where accurate boxes should still learn",
    instead="smooth_l1",
    misleads="alpha and gamma are bound by the slope at beta: a smaller alpha makes small errors count more, not less",
    references=("pang2019",),
    traps=(12,),
    aliases=("balanced_l1_loss",),
    erratum=f"{SURVEY}, eq. 48, is not continuous and not that of the cited paper; only the paper's is here.",
)
def balanced_l1(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    alpha: float = 0.5,
    gamma: float = 1.5,
    beta: float = 1.0,
    form: Literal["smooth", "mmdet"] = "smooth",
    **options: Unpack[LossOptions],
) -> Array:
    r"""L1 whose gradient rises as a logarithm up to ``gamma`` (Libra R-CNN).

    .. math:: \ell = \tfrac{\alpha\beta}{b}(b|e|/\beta + 1)\ln(b|e|/\beta + 1) - \alpha|e|, \quad \alpha\ln(b+1) = \gamma

    for an error below ``beta``, else linear with slope ``gamma``. The paper has beta = 1. For other widths the slope must reach
    gamma at beta, as here; ``form="mmdet"`` scales only the logarithm, and its slope jumps there.
    The mean divides by the number of elements, or by the sum of the weights.

    >>> round(float(balanced_l1([2.0], [0.0])), 6)
    2.578594
    """
    positive("balanced_l1", alpha=alpha, gamma=gamma, beta=beta)
    if gamma > STEEPEST * alpha:
        raise ParameterError("balanced_l1", "gamma", f"must be at most {STEEPEST} times {arg('alpha')}, got {gamma:g}")
    xp, prediction, target = pair("balanced_l1", prediction, target)
    return each("balanced_l1", _BALANCED, xp, (prediction, target), (alpha, gamma, beta, form), options)


def _balanced(xp: Any, p: Array, y: Array, alpha: float, gamma: float, beta: float, form: str) -> Array:
    size = xp.abs(p - y)
    b = math.expm1(gamma / alpha)
    near = xp.where(size < beta, size, xp.full_like(size, beta))
    unit = b / beta if form == "smooth" else b
    inner = alpha / unit * (unit * near + 1) * xp.log1p(b * near / beta) - alpha * near
    return inner + gamma * (size - near)


_BALANCED = LossBody(_balanced)


@loss(
    "symmetric",
    title="Wing",
    use="landmarks, where small errors must not be forgotten",
    instead="smooth_l1",
    misleads="not convex, and its gradient jumps where it turns linear",
    references=("feng2018",),
    aliases=("wing_loss",),
)
def wing(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    width: float = 10.0,
    epsilon: float = 2.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Logarithmic near zero, linear from ``width`` on.

    .. math:: \ell = w \ln(1 + |e|/\epsilon) \text{ if } |e| < w, \text{ else } |e| - C, \quad C = w - w\ln(1 + w/\epsilon)

    The mean divides by the number of elements, or by the sum of the weights.

    >>> round(float(wing([2.0], [0.0])), 6)
    6.931472
    """
    positive("wing", width=width, epsilon=epsilon)
    xp, prediction, target = pair("wing", prediction, target)
    return each("wing", _WING, xp, (prediction, target), (width, epsilon), options)


def _wing(xp: Any, p: Array, y: Array, width: float, epsilon: float) -> Array:
    size = xp.abs(p - y)
    shift = width - width * math.log1p(width / epsilon)
    return xp.where(size < width, width * xp.log1p(size / epsilon), size - shift)


_WING = LossBody(_wing)
