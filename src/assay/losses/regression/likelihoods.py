"""Losses that are likelihoods of real or counted targets."""

from __future__ import annotations

import math
from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.inputs import arrays, pair
from assay.losses.loss_body import LossBody, each, with_slopes
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions
from assay.ops import stop_gradient


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Poisson negative log-likelihood",
    use="counts whose variance is their mean",
    instead="a negative binomial likelihood, if the counts spread wider",
    misleads="its least value is not 0, with full=True neither, and differs with the counts: only differences mean something",
    equals=("torch poisson_nll_loss",),
    references=("nelder1972",),
    range=(-math.inf, math.inf),
    aliases=("poisson", "poisson_nll_loss"),
)
def poisson_nll(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    log_input: bool = True,
    full: bool = False,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Poisson likelihood of counts; the prediction is the logarithm of the rate, or the rate with ``log_input=False``.

    .. math:: \ell = e^z - y z \quad\text{or}\quad \hat y - y \log \hat y

    ``full=True`` adds Stirling's approximation of log y! for counts above 1. A rate of 0 is infinitely unlikely for a count
    above 0 and certain for 0. The mean divides by the number of elements, or by the sum of the weights.

    >>> float(poisson_nll([0.0], [2.0]))
    1.0
    """
    xp, prediction, target = pair("poisson_nll", prediction, target)
    return each("poisson_nll", _LOG_RATE if log_input else _RATE, xp, (prediction, target), (full,), options)


def _log_rate_slopes(xp: Any, z: Array, y: Array, full: bool) -> Any:
    rate = xp.exp(z)
    return rate - y * z + _stirling(xp, y, full), (rate - y,)


def _stirling(xp: Any, y: Array, full: bool) -> Any:
    if not full:
        return 0.0
    counts = xp.where(y > 1, y, xp.ones_like(y))
    terms = counts * xp.log(counts) - counts + 0.5 * xp.log(2 * math.pi * counts)
    return xp.where(y > 1, terms, xp.zeros_like(y))


def _times_log(xp: Any, factor: Array, x: Array) -> Array:
    """``factor log x`` that is 0 where the factor is, with a finite gradient there."""
    some = factor != 0
    return xp.where(some, factor * xp.log(xp.where(some, x, xp.ones_like(x))), xp.zeros_like(x))


def _rate(xp: Any, p: Array, y: Array, full: bool) -> Array:
    return p - _times_log(xp, y, p) + _stirling(xp, y, full)


_LOG_RATE, _RATE = with_slopes(_log_rate_slopes), LossBody(_rate)


@loss(
    "differentiable",
    "smooth",
    title="Gaussian negative log-likelihood",
    use="the model predicts its own spread beside the mean",
    instead="mse, if the spread is the same everywhere",
    misleads="a spread near zero makes one error decide everything; the mean learns slowly where the spread is large",
    equals=("torch gaussian_nll_loss",),
    references=("nix1994",),
    range=(-math.inf, math.inf),
    aliases=("gaussian_nll_loss",),
)
def gaussian_nll(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    variance: ArrayLike | None = None,
    log_variance: ArrayLike | None = None,
    full: bool = False,
    least: float = 1e-6,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Likelihood of a normal target whose variance is predicted too: ``variance=`` or ``log_variance=``.

    .. math:: \ell = \tfrac12\left(\log\sigma^2 + \frac{(\hat y - y)^2}{\sigma^2}\right)

    A variance below ``least`` counts as that (by its logarithm too), with a gradient that
    lets it grow again.
    ``full=True`` adds the constant log(2 pi)/2. The mean divides by the number of elements, or by the sum of the weights.

    >>> round(float(gaussian_nll([1.0], [2.0], variance=[4.0])), 6)
    0.818147
    """
    who = "gaussian_nll"
    if (variance is None) == (log_variance is None):
        raise InputError(who, "", "give variance= or log_variance=, one of them")
    between(who, 0.0, float("inf"), least=least)
    curve, name = (_VARIANCE, "variance") if log_variance is None else (_LOG_VARIANCE, "log_variance")
    spread = variance if log_variance is None else log_variance
    xp, (prediction, target, spread) = arrays(who, prediction=prediction, target=target, **{name: spread})
    xp, prediction, target = pair(who, prediction, target)
    xp, prediction, spread = pair(who, prediction, spread, ("prediction", name))
    return each(who, curve, xp, (prediction, spread, target), (least, full), options)


def _floored(xp: Any, x: Array, least: float) -> Array:
    """What is below ``least`` is exactly that, and yet has a gradient."""
    return xp.where(x < least, least + (x - stop_gradient(x)), x)


def _variance_slopes(xp: Any, p: Array, variance: Array, y: Array, least: float, full: bool) -> Any:
    safe = _floored(xp, variance, least)
    gap = p - y
    slope = gap / safe
    values = 0.5 * (xp.log(safe) + gap * slope) + (_NORMAL if full else 0.0)
    return values, (slope, 0.5 * (1 / safe - slope * slope))


def _log_variance_slopes(xp: Any, p: Array, z: Array, y: Array, least: float, full: bool) -> Any:
    if least > 0:
        z = _floored(xp, z, math.log(least))
    gap = p - y
    slope = gap * xp.exp(-z)
    size = gap * slope
    return 0.5 * (z + size) + (_NORMAL if full else 0.0), (slope, 0.5 * (1 - size))


_NORMAL = 0.5 * math.log(2 * math.pi)
_VARIANCE, _LOG_VARIANCE = with_slopes(_variance_slopes, vary=2), with_slopes(_log_variance_slopes, vary=2)
