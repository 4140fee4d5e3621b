"""What a diffusion model minimises, with the weights of its timesteps and the schedules that they come from."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from assay.core.arrays import Array, ArrayLike, Floats, Namespace, array_api_compat, namespace
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import one_of, positive, whole
from assay.losses.reduction import LossOptions, spread


@loss(
    "convex",
    "differentiable",
    "smooth",
    "symmetric",
    title="Denoising",
    use="a diffusion model predicts the noise in a picture, the picture, or the velocity",
    instead="mse, if no timestep counts more than another",
    misleads="its mean over timesteps hides which of them are bad",
    equals=("torch mse_loss without weights", "diffusers min-SNR weights"),
    references=("hang2023", "ho2020", "nichol2021", "salimans2022"),
    aliases=("diffusion",),
)
def denoising(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    form: Literal["squared", "absolute"] = "squared",
    timestep_weight: ArrayLike | None = None,
    snr: ArrayLike | None = None,
    gamma: float = 5.0,
    predicts: Literal["epsilon", "x0", "v"] = "epsilon",
    **options: Unpack[LossOptions],
) -> Array:
    r"""Squared (or absolute) error between noise and predicted noise, weighted by timestep.

    .. math:: \ell = w_t (\hat\epsilon - \epsilon)^2, \qquad w_t = \frac{\min(\mathrm{snr}_t, \gamma)}{\mathrm{snr}_t}

    Each row's errors are multiplied by its ``timestep_weight``; with ``snr``, the signal-to-noise ratio of each row's
    timestep, they are multiplied by the min-SNR weight of what the model ``predicts`` (min(snr, gamma) for x0, over snr + 1 for
    v). These weights do not enter the denominator: the mean divides by the number of elements, or by the sum of ``weight``.

    >>> float(denoising([[1.0], [3.0]], [[0.0], [1.0]], snr=[1.0, 20.0]))
    1.0
    """
    who = "denoising"
    positive(who, gamma=gamma)
    xp, prediction, target = pair(who, prediction, target)
    factor = _factor(who, xp, prediction, timestep_weight, snr, gamma, predicts)
    inputs = (prediction, target) if factor is None else (prediction, target, factor)
    return each(who, _CURVES[form, factor is None], xp, inputs, (), options)


def _factor(
    who: str, xp: Namespace, prediction: Array, timestep_weight: Any, snr: Any, gamma: float, predicts: str
) -> Array | None:
    """What each row's errors are multiplied by, or None."""
    rows = tuple(prediction.shape[:1])
    factor = (
        None if timestep_weight is None else _per_row(who, xp, "timestep_weight", timestep_weight, prediction, rows)
    )
    if snr is None:
        return factor
    weight = _min_snr_weight(xp, _per_row(who, xp, "snr", snr, prediction, rows), gamma, predicts)
    return weight if factor is None else factor * weight


def _per_row(who: str, xp: Namespace, name: str, given: Any, prediction: Array, rows: tuple[int, ...]) -> Array:
    found = spread(who, xp, name, given, prediction, rows)
    if not rows:
        raise InputError(who, name, "needs a prediction with one row per example")
    return found


def _min_snr_weight(xp: Namespace, snr: Array, gamma: float, predicts: str) -> Array:
    """The min-SNR weights; finite at a ratio of zero, where the noise is all there is, and at infinity."""
    top = xp.full_like(snr, gamma)
    if predicts == "epsilon":
        return gamma / xp.maximum(snr, top)
    least = xp.minimum(snr, top)
    return least if predicts == "x0" else least / (snr + 1)


def _squared(xp: Namespace, p: Array, y: Array, *factor: Array) -> Array:
    gap = p - y
    return gap * gap * _over(xp, factor[0], gap) if factor else gap * gap


def _absolute(xp: Namespace, p: Array, y: Array, *factor: Array) -> Array:
    size = xp.abs(p - y)
    return size * _over(xp, factor[0], size) if factor else size


def _absolute_slopes(xp: Namespace, p: Array, y: Array, *factor: Array) -> Any:
    gap = p - y
    weight = _over(xp, factor[0], gap) if factor else xp.ones_like(gap)
    return xp.abs(gap) * weight, (xp.sign(gap) * weight,)


def _over(xp: Namespace, factor: Array, values: Array) -> Array:
    """One number per row, with axes of 1 for the rest."""
    return xp.reshape(factor, (*factor.shape, *[1] * (values.ndim - 1)))


_CURVES = {
    ("squared", True): LossBody(_squared, accelerator="squared_rows"),
    ("squared", False): LossBody(_squared, rowwise=True, accelerator="squared_rows"),
    ("absolute", True): LossBody(_absolute, _absolute_slopes),
    ("absolute", False): LossBody(_absolute, _absolute_slopes, rowwise=True),
}


class NoiseSchedule(NamedTuple):
    """The steps of a diffusion: how much noise each adds, what is left of the signal, and its ratio to the noise."""

    betas: Floats
    alphas_cumprod: Floats
    snr: Floats


def noise_schedule(
    steps: int, *, form: Literal["linear", "cosine"] = "linear", start: float = 1e-4, end: float = 0.02
) -> NoiseSchedule:
    """The linear schedule of Ho et al. 2020 from ``start`` to ``end``, or the cosine one of Nichol and Dhariwal 2021.

    >>> noise_schedule(1000).alphas_cumprod[-1].round(6)
    np.float64(4e-05)
    """
    one_of("noise_schedule", "form", form, "linear", "cosine")
    whole("noise_schedule", 1, steps=steps)
    for name, value in (("start", start), ("end", end)):
        if not 0 < value < 1:
            raise ParameterError("noise_schedule", name, f"must lie between 0 and 1, got {value!r}")
    betas = np.linspace(start, end, steps) if form == "linear" else _cosine(steps)
    left: Any = np.cumprod(1 - betas)
    return NoiseSchedule(betas, left, signal_to_noise(left))


def _cosine(steps: int) -> Floats:
    """Betas whose products follow a squared cosine; cut off at 0.999, since the last would leave nothing."""
    angle = (np.arange(steps + 1) / steps + 0.008) / 1.008 * (math.pi / 2)
    left = np.cos(angle) ** 2
    return np.minimum(1 - left[1:] / left[:-1], 0.999)


def signal_to_noise(alphas_cumprod: ArrayLike) -> Array:
    """``a / (1 - a)`` of what is left of the signal; infinite where there is no noise."""
    foreign = array_api_compat.is_array_api_obj(alphas_cumprod)
    left: Array = alphas_cumprod if foreign else np.asarray(alphas_cumprod, dtype=np.float64)
    xp = namespace(left)
    rest = 1 - left
    none = rest == 0
    return xp.where(none, xp.full_like(rest, xp.inf), left / xp.where(none, xp.ones_like(rest), rest))
