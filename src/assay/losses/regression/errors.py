"""Losses of the error of a real target. Prediction first, as in PyTorch; the mean is over all elements, or over the weights."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Unpack, cast

from assay.core.arrays import Array, ArrayLike
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.inputs import arrays, floating, pair
from assay.losses.loss_body import LossBody, each, with_slopes
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions, reduce
from assay.ops import clamp, softplus


@loss(
    "convex",
    "differentiable",
    "smooth",
    "symmetric",
    title="Squared error",
    use="errors are roughly normal, and the mean is wanted",
    instead="huber for outliers",
    misleads="one outlier can decide a whole step",
    equals=("torch mse_loss",),
    references=("gauss1809",),
    aliases=("l2", "l2_loss", "mse_loss", "mean_squared_error", "squared_error"),
    erratum=f"{SURVEY}, section 1.2, says that a convex loss has a unique minimum; convexity makes every local minimum "
    "global, uniqueness needs strict convexity.",
)
def mse(prediction: ArrayLike, target: ArrayLike, **options: Unpack[LossOptions]) -> Array:
    r"""Squared error.

    .. math:: \ell = (\hat y - y)^2

    The mean divides by the number of elements, or by the sum of the weights.

    >>> float(mse([2.5, 0.0], [3.0, -0.5]))
    0.25
    """
    xp, prediction, target = pair("mse", prediction, target)
    return each("mse", _SQUARED, xp, (prediction, target), (), options)


def _squared_slopes(xp: Any, p: Array, y: Array) -> Any:
    gap = p - y
    return gap * gap, (2 * gap,)


_SQUARED = with_slopes(_squared_slopes, accelerator="squared")


@loss(
    "convex",
    "robust",
    "symmetric",
    title="Absolute error",
    use="the median is wanted, or targets have outliers",
    instead="huber, smooth at zero",
    misleads="its gradient does not shrink with the error, so a fixed step keeps jumping around the optimum",
    equals=("torch l1_loss",),
    references=("laplace1774",),
    aliases=("l1", "l1_loss", "mean_absolute_error", "absolute_error"),
    erratum=f"{SURVEY}, section 1.2, says that a convex loss has a unique minimum; this one is convex, and any median "
    "between two values minimises it.",
)
def mae(prediction: ArrayLike, target: ArrayLike, **options: Unpack[LossOptions]) -> Array:
    r"""Absolute error.

    .. math:: \ell = |\hat y - y|

    The mean divides by the number of elements, or by the sum of the weights. At an error of 0
    the gradient is taken as 0.

    >>> float(mae([2.5, 0.0], [3.0, -0.5]))
    0.5
    """
    xp, prediction, target = pair("mae", prediction, target)
    return each("mae", _ABSOLUTE, xp, (prediction, target), (), options)


def _absolute(xp: Any, p: Array, y: Array) -> Array:
    return xp.abs(p - y)  # apart from the slopes: array-api-compat's sign has no rule for vmap on PyTorch


def _absolute_slopes(xp: Any, p: Array, y: Array) -> Any:
    gap = p - y
    return xp.abs(gap), (xp.sign(gap),)


_ABSOLUTE = LossBody(_absolute, _absolute_slopes, accelerator="absolute")


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Huber",
    use="mostly normal errors with some outliers",
    instead="smooth_l1 is Huber over its delta",
    misleads="delta is in the units of the target: rescaled targets need another, and far out the gradient grows with it",
    equals=("torch huber_loss",),
    references=("huber1964",),
    traps=(11,),
    aliases=("huber_loss",),
    erratum=f"{SURVEY} recommends a small delta for noise and a large one for outliers; it is the small delta that is "
    "robust.",
)
def huber(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    delta: float = 1.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Squared up to ``delta``, then linear.

    .. math:: \ell = \tfrac12 e^2 \text{ if } |e| \le \delta, \text{ else } \delta(|e| - \tfrac12\delta)

    The mean divides by the number of elements, or by the sum of the weights.

    >>> float(huber([0.5, 3.0], [0.0, 0.0], reduction="sum"))
    2.625
    """
    positive("huber", delta=delta)
    xp, prediction, target = pair("huber", prediction, target)
    return each("huber", _HUBER, xp, (prediction, target), (delta, 1.0), options)


def _huber_slopes(xp: Any, p: Array, y: Array, delta: float, over: float) -> Any:
    gap = p - y
    slope = clamp(xp, gap, -delta, delta)
    values = slope * (gap - 0.5 * slope)
    return (values, (slope,)) if over == 1 else (values / over, (slope / over,))


_HUBER = with_slopes(_huber_slopes, accelerator="huber")


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Smooth L1",
    use="box regression, where its beta is tuned",
    instead="huber, which keeps its curve near zero whatever its width; its slope far out is delta instead",
    misleads="a smaller beta makes it steeper near zero, not flatter far out: the gradient of an outlier stays 1",
    equals=("torch smooth_l1_loss",),
    references=("girshick2015",),
    traps=(11,),
    aliases=("smooth_l1_loss",),
    erratum=f"{SURVEY}, eq. 47, lacks the 1/beta that its own text (Huber over beta) requires, and places it in the RPN "
    "of Fast R-CNN, which has none; Faster R-CNN has.",
)
def smooth_l1(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    beta: float = 1.0,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Huber divided by beta: the slope far out is always 1.

    .. math:: \ell = \tfrac12 e^2/\beta \text{ if } |e| < \beta, \text{ else } |e| - \tfrac12\beta

    ``beta=0`` is the absolute error, as in PyTorch. The mean divides by the number of elements, or by the sum of the weights.

    >>> float(smooth_l1([0.5, 3.0], [0.0, 0.0], beta=0.5, reduction="sum"))
    3.0
    """
    between("smooth_l1", 0.0, float("inf"), beta=beta)
    xp, prediction, target = pair("smooth_l1", prediction, target)
    if isinstance(beta, Real) and beta == 0:  # the limit; what learns or is traced has no value to look at
        return each("smooth_l1", _ABSOLUTE, xp, (prediction, target), (), options)
    positive("smooth_l1", beta=beta)
    return each("smooth_l1", _HUBER, xp, (prediction, target), (beta, beta), options)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Log-cosh",
    use="as Huber, smooth of every order and without a width to choose",
    instead="huber, if the width matters",
    misleads="the place where it turns linear is an error of about 1, whatever the units of the target",
    equals=("keras log_cosh",),
    references=("saleh2022",),
    aliases=("logcosh",),
    erratum=f"{SURVEY} says that extreme values do not affect it and that it is more sensitive to small errors than "
    "Huber; it grows linearly, and lies below e²/2 everywhere.",
)
def log_cosh(prediction: ArrayLike, target: ArrayLike, **options: Unpack[LossOptions]) -> Array:
    r"""Squared error near zero, absolute error far out, smooth everywhere.

    .. math:: \ell = \log\cosh(\hat y - y)

    The mean divides by the number of elements, or by the sum of the weights.

    >>> round(float(log_cosh([1.0, 4.0], [1.0, 1.0], reduction="sum")), 6)
    2.309329
    """
    xp, prediction, target = pair("log_cosh", prediction, target)
    return each("log_cosh", _LOG_COSH, xp, (prediction, target), (), options)


def _log_cosh(xp: Any, p: Array, y: Array) -> Array:
    size = xp.abs(p - y)
    return size + (softplus(xp, -2 * size) - math.log(2))


def _log_cosh_slopes(xp: Any, p: Array, y: Array) -> Any:
    gap = p - y
    size = xp.abs(gap)
    return size + (xp.log1p(xp.exp(-2 * size)) - math.log(2)), (xp.tanh(gap),)


_LOG_COSH = LossBody(_log_cosh, _log_cosh_slopes)


@loss(
    "convex",
    "robust",
    title="Quantile (pinball)",
    use="a quantile is wanted: stocks, service levels, intervals",
    instead="mae for the median",
    misleads="quantiles that are learnt one by one may cross; values at different q do not compare",
    equals=("scikit-learn mean_pinball_loss(alpha=q)",),
    references=("koenker1978",),
    aliases=("pinball", "quantile_loss", "pinball_loss"),
    erratum=f"{SURVEY}, eq. 5, says that q = 0.5 gives the absolute error; it gives half of it.",
)
def quantile(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    q: float | tuple[float, ...] = 0.5,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Pinball loss; with several ``q`` the last axis of the prediction holds one quantile each.

    .. math:: \ell_q = q\max(y - \hat y, 0) + (1-q)\max(\hat y - y, 0)

    The mean divides by the number of elements of the prediction, so over all q too, or by the sum of the weights.

    >>> float(quantile([1.0, 1.0], [2.0, 0.0], q=0.9))
    0.5
    """
    levels = _levels(q)
    if not isinstance(q, tuple | list):
        xp, prediction, target = pair("quantile", prediction, target)
        return each("quantile", _PINBALL, xp, (prediction, target), (q,), options)
    xp, (p, y) = arrays("quantile", prediction=prediction, target=target)
    p = floating(xp, p)
    y = floating(xp, y, like=p)
    if tuple(p.shape) != (*y.shape, len(levels)):
        wanted = (*y.shape, len(levels))
        raise InputError(
            "quantile", "", f"{len(levels)} quantiles need a prediction of shape {wanted}, got {tuple(p.shape)}"
        )
    gap = xp.expand_dims(y, axis=-1) - p
    values = xp.stack([_pinball(xp, gap[..., j], level) for j, level in enumerate(levels)], axis=-1)
    return reduce("quantile", xp, values, options)


def _levels(q: Any) -> tuple[float, ...]:
    levels = tuple(cast("tuple[Any, ...]", q)) if isinstance(q, tuple | list) else (q,)
    for level in levels:
        if not isinstance(level, int | float) or not 0 < level < 1:
            raise ParameterError("quantile", "q", f"must lie between 0 and 1, got {level!r}")
    return levels


def _pinball(xp: Any, gap: Array, q: float) -> Array:
    return xp.where(gap >= 0, q * gap, (q - 1) * gap)


def _pinball_slopes(xp: Any, p: Array, y: Array, q: float) -> Any:
    gap = y - p
    slope = xp.astype(gap < 0, gap.dtype) - q
    return -slope * gap, (slope,)


def _pinball_value(xp: Any, p: Array, y: Array, q: float) -> Array:
    return _pinball(xp, y - p, q)


_PINBALL = LossBody(_pinball_value, _pinball_slopes, accelerator="pinball")
