"""Losses of real targets. Prediction first, as in PyTorch; the mean is over all elements, or over the weights."""

from __future__ import annotations

import math
from typing import Any, cast

from assay.core.arrays import Array
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.losses.basis import Reduction, arrays, floating, pair, positive, reduce, softplus


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
)
def mse(prediction: Any, target: Any, *, weight: Any = None, mask: Any = None, reduction: Reduction = "mean") -> Array:
    r"""Squared error.

    .. math:: \ell = (\hat y - y)^2

    >>> mse([2.5, 0.0], [3.0, -0.5])
    0.25
    """
    xp, prediction, target = pair("mse", prediction, target)
    return reduce("mse", xp, (prediction - target) ** 2, reduction, weight, mask)


@loss(
    "convex",
    "robust",
    "symmetric",
    title="Absolute error",
    use="the median is wanted, or targets have outliers",
    instead="huber, smooth at zero",
    equals=("torch l1_loss",),
    references=("laplace1774",),
)
def mae(prediction: Any, target: Any, *, weight: Any = None, mask: Any = None, reduction: Reduction = "mean") -> Array:
    r"""Absolute error.

    .. math:: \ell = |\hat y - y|

    >>> mae([2.5, 0.0], [3.0, -0.5])
    0.5
    """
    xp, prediction, target = pair("mae", prediction, target)
    return reduce("mae", xp, xp.abs(prediction - target), reduction, weight, mask)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Huber",
    use="mostly normal errors with some outliers",
    instead="smooth_l1 is Huber over its delta",
    equals=("torch huber_loss",),
    references=("huber1964",),
)
def huber(
    prediction: Any,
    target: Any,
    *,
    delta: float = 1.0,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Squared up to ``delta``, then linear.

    .. math:: \ell = \tfrac12 e^2 \text{ if } |e| \le \delta, \text{ else } \delta(|e| - \tfrac12\delta)

    >>> huber([0.5, 3.0], [0.0, 0.0], reduction="sum")
    2.625
    """
    positive("huber", delta=delta)
    xp, prediction, target = pair("huber", prediction, target)
    size = xp.abs(prediction - target)
    values = xp.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))
    return reduce("huber", xp, values, reduction, weight, mask)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Smooth L1",
    use="box regression, where its beta is tuned",
    instead="huber, whose slope does not depend on its width",
    equals=("torch smooth_l1_loss",),
    references=("girshick2015",),
    erratum="The survey's equation 47 lacks the 1/beta that its own text (Huber over beta) requires.",
)
def smooth_l1(
    prediction: Any,
    target: Any,
    *,
    beta: float = 1.0,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Huber over beta: the slope far out is always 1.

    .. math:: \ell = \tfrac12 e^2/\beta \text{ if } |e| < \beta, \text{ else } |e| - \tfrac12\beta

    >>> smooth_l1([0.5, 3.0], [0.0, 0.0], beta=0.5, reduction="sum")
    3.0
    """
    positive("smooth_l1", beta=beta)
    xp, prediction, target = pair("smooth_l1", prediction, target)
    size = xp.abs(prediction - target)
    values = xp.where(size < beta, 0.5 * size**2 / beta, size - 0.5 * beta)
    return reduce("smooth_l1", xp, values, reduction, weight, mask)


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Log-cosh",
    use="as Huber, smooth of every order and without a width to choose",
    instead="huber, if the width matters",
    equals=("keras log_cosh",),
    references=("saleh2022",),
)
def log_cosh(
    prediction: Any, target: Any, *, weight: Any = None, mask: Any = None, reduction: Reduction = "mean"
) -> Array:
    r"""Squared error near zero, absolute error far out, smooth everywhere.

    .. math:: \ell = \log\cosh(\hat y - y)

    >>> round(float(log_cosh([1.0, 4.0], [1.0, 1.0], reduction="sum")), 6)
    2.309329
    """
    xp, prediction, target = pair("log_cosh", prediction, target)
    size = xp.abs(prediction - target)
    return reduce("log_cosh", xp, size + softplus(xp, -2 * size) - math.log(2), reduction, weight, mask)


@loss(
    "convex",
    "robust",
    title="Quantile (pinball)",
    use="a quantile is wanted: stocks, service levels, intervals",
    instead="mae for the median",
    equals=("scikit-learn mean_pinball_loss",),
    references=("koenker1978",),
    erratum="At q = 0.5 it is half the absolute error, not the absolute error.",
)
def quantile(
    prediction: Any,
    target: Any,
    *,
    q: float | tuple[float, ...] = 0.5,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Pinball loss; with several ``q`` the last axis of the prediction holds one quantile each.

    .. math:: \ell_q = q\max(y - \hat y, 0) + (1-q)\max(\hat y - y, 0)

    >>> quantile([1.0, 1.0], [2.0, 0.0], q=0.9)
    0.5
    """
    levels = _levels(q)
    if not isinstance(q, tuple | list):
        xp, prediction, target = pair("quantile", prediction, target)
        return reduce("quantile", xp, _pinball(xp, target - prediction, q), reduction, weight, mask)
    xp, (prediction, target) = arrays("quantile", prediction=prediction, target=target)
    prediction, target = floating(xp, prediction), floating(xp, target, like=prediction)
    if tuple(prediction.shape) != (*target.shape, len(levels)):
        wanted = (*target.shape, len(levels))
        raise InputError(
            f"quantile: {len(levels)} quantiles need a prediction of shape {wanted}, got {tuple(prediction.shape)}."
        )
    gap = xp.expand_dims(target, axis=-1) - prediction
    values = xp.stack([_pinball(xp, gap[..., j], level) for j, level in enumerate(levels)], axis=-1)
    return reduce("quantile", xp, values, reduction, weight, mask)


def _levels(q: Any) -> tuple[float, ...]:
    levels = tuple(cast("tuple[Any, ...]", q)) if isinstance(q, tuple | list) else (q,)
    for level in levels:
        if not isinstance(level, int | float) or not 0 < level < 1:
            raise ParameterError(f"quantile: q must lie between 0 and 1, got {level!r}.")
    return levels


def _pinball(xp: Any, gap: Array, q: float) -> Array:
    return xp.where(gap >= 0, q * gap, (q - 1) * gap)


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Poisson negative log-likelihood",
    use="counts whose variance is their mean",
    instead="a negative binomial likelihood, if the counts spread wider",
    misleads="not 0 for a perfect prediction, unless the Stirling term is added",
    equals=("torch poisson_nll_loss",),
    references=("nelder1972",),
)
def poisson_nll(
    prediction: Any,
    target: Any,
    *,
    log_input: bool = True,
    full: bool = False,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Poisson likelihood of counts; the prediction is the logarithm of the rate, or the rate with ``log_input=False``.

    .. math:: \ell = e^z - y z \quad\text{or}\quad \hat y - y \log \hat y

    ``full=True`` adds Stirling's approximation of log y! for counts above 1. A rate of 0 is infinitely unlikely for a count
    above 0 and certain for 0.

    >>> poisson_nll([0.0], [2.0])
    1.0
    """
    xp, prediction, target = pair("poisson_nll", prediction, target)
    values = xp.exp(prediction) - target * prediction if log_input else prediction - _times_log(xp, target, prediction)
    if full:
        counts = xp.where(target > 1, target, xp.ones_like(target))
        stirling = counts * xp.log(counts) - counts + 0.5 * xp.log(2 * math.pi * counts)
        values = values + xp.where(target > 1, stirling, xp.zeros_like(target))
    return reduce("poisson_nll", xp, values, reduction, weight, mask)


def _times_log(xp: Any, factor: Array, x: Array) -> Array:
    """``factor log x`` that is 0 where the factor is, with a finite gradient there."""
    some = factor != 0
    return xp.where(some, factor * xp.log(xp.where(some, x, xp.ones_like(x))), xp.zeros_like(x))


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    "symmetric",
    title="Balanced L1",
    use="box regression where accurate boxes should still learn",
    instead="smooth_l1",
    references=("pang2019",),
    erratum="The survey's equation 48 is not continuous and not the cited paper's; only the paper's is here.",
)
def balanced_l1(
    prediction: Any,
    target: Any,
    *,
    alpha: float = 0.5,
    gamma: float = 1.5,
    beta: float = 1.0,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""L1 whose gradient rises as a logarithm up to ``gamma`` (Libra R-CNN).

    .. math:: \ell = \tfrac{\alpha}{b}(b|e| + 1)\ln(b|e|/\beta + 1) - \alpha|e|, \quad \alpha\ln(b+1) = \gamma

    for an error below ``beta``, else linear with slope ``gamma``.

    >>> round(float(balanced_l1([2.0], [0.0])), 6)
    2.578594
    """
    positive("balanced_l1", alpha=alpha, gamma=gamma, beta=beta)
    xp, prediction, target = pair("balanced_l1", prediction, target)
    size = xp.abs(prediction - target)
    b = math.expm1(gamma / alpha)
    near = xp.where(size < beta, size, xp.full_like(size, beta))
    inner = alpha / b * (b * near + 1) * xp.log1p(b * near / beta) - alpha * near
    return reduce("balanced_l1", xp, inner + gamma * (size - near), reduction, weight, mask)


@loss(
    "symmetric",
    title="Wing",
    use="landmarks, where small errors must not be forgotten",
    instead="smooth_l1",
    misleads="not convex, and its gradient jumps where it turns linear",
    references=("feng2018",),
)
def wing(
    prediction: Any,
    target: Any,
    *,
    width: float = 10.0,
    epsilon: float = 2.0,
    weight: Any = None,
    mask: Any = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Logarithmic near zero, linear from ``width`` on.

    .. math:: \ell = w \ln(1 + |e|/\epsilon) \text{ if } |e| < w, \text{ else } |e| - C, \quad C = w - w\ln(1 + w/\epsilon)

    >>> round(float(wing([2.0], [0.0])), 6)
    6.931472
    """
    positive("wing", width=width, epsilon=epsilon)
    xp, prediction, target = pair("wing", prediction, target)
    size = xp.abs(prediction - target)
    shift = width - width * math.log1p(width / epsilon)
    values = xp.where(size < width, width * xp.log1p(size / epsilon), size - shift)
    return reduce("wing", xp, values, reduction, weight, mask)
