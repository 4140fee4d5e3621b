"""Likelihoods of densities: of a normalising flow, and of a model that learns to tell data from noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.losses.generation.row_sums import floats, per_row
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import positive, whole
from assay.losses.reduction import LossOptions, Parts, reduce
from assay.ops import softplus

_LOG_ROOT = 0.5 * math.log(2 * math.pi)


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Likelihood of a normalising flow",
    use="an invertible network is trained by exact likelihood",
    instead="vae, where the network cannot be inverted",
    misleads="a density, so it may be negative and changes with the unit of the data; compare bits per dimension of the same levels",
    references=("dinh2017", "rezende2015", "theis2016"),
    range=(float("-inf"), float("inf")),
)
def flow_nll(
    latent: ArrayLike,
    log_determinant: ArrayLike,
    *,
    log_density: Callable[[Array], Array] | None = None,
    bits_per_dimension: bool = False,
    levels: int | None = None,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Negative log-likelihood of data that a flow has mapped to ``latent``.

    .. math:: \ell = -\log p_z(f(x)) - \log\Big|\det \frac{\partial f}{\partial x}\Big|

    ``log_determinant`` has one number per row. The base is the standard normal density, or ``log_density``, which maps the
    latent to one number per row. ``bits_per_dimension`` divides by the number of dimensions and by log 2; ``levels=256`` then
    adds the log2 of it, for pixels of 256 levels that were made continuous and scaled to [0, 1]. The mean is over rows.

    >>> round(float(flow_nll([[0.0, 0.0]], [np.log(2.0)])), 6)
    1.14473
    """
    who = "flow_nll"
    if levels is not None:
        whole(who, 2, levels=levels)
        if not bits_per_dimension:
            raise ParameterError(who, "", f"levels={levels} is for bits_per_dimension=True, which was not requested")
    xp, (z, d) = floats(who, latent=latent, log_determinant=log_determinant)
    if not z.ndim or tuple(d.shape) != tuple(z.shape[:1]):
        raise InputError(
            who,
            "log_determinant",
            f"must have one number for each row of latent, got shapes {tuple(d.shape)} and {tuple(z.shape)}",
        )
    size = math.prod(z.shape[1:])
    over = size * math.log(2) if bits_per_dimension else 1.0
    more = math.log2(levels) if levels else 0.0
    if log_density is None:
        return each(who, _NORMAL, xp, (z, d), (size * _LOG_ROOT, over, more), options)
    return reduce(who, xp, -(log_density(z) + d) / over + more, options)


def _normal(xp: Namespace, z: Array, d: Array, root: float, over: float, more: float) -> Array:
    return (0.5 * per_row(xp, z * z) + (root - d)) / over + more


_NORMAL = LossBody(_normal, vary=2, rowwise=True, accelerator="flow")


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    title="Noise-contrastive estimation",
    use="a density without its constant is trained against noise whose density is known; the constant is learned with it",
    instead="contrastive_divergence, where the model can be sampled",
    misleads="noise that is far from the data teaches nothing, though the loss is small",
    references=("gutmann2012",),
    aliases=("nce",),
)
def noise_contrastive(
    data_log_model: ArrayLike,
    noise_log_model: ArrayLike,
    *,
    data_log_noise: ArrayLike,
    noise_log_noise: ArrayLike,
    ratio: float | None = None,
    parts: bool = False,
) -> Array | Parts[Array]:
    r"""Logistic regression of data against noise, from the log-densities of the model and of the noise.

    .. math:: \ell = -\mathrm{mean}\,\log\sigma(g(x)) - k\,\mathrm{mean}\,\log\sigma(-g(y)), \quad g = \log p_m - \log p_n - \log k

    The log-densities at the data are ``data_log_model`` and ``data_log_noise``, of the model and of the noise; those at samples
    of the noise are ``noise_log_model`` and ``noise_log_noise``. With k noise samples for each datum, by their numbers or by
    ``ratio``. An energy E with a learned constant c has the log-density -E - c. In expectation the loss is least where the
    model is the density of the data, constant included. Each mean divides by the number of its own samples.

    >>> round(float(noise_contrastive([0.0], [0.0], data_log_noise=[0.0], noise_log_noise=[0.0])), 6)
    1.386294
    """
    who = "noise_contrastive"
    positive(who, **({} if ratio is None else {"ratio": ratio}))
    xp, (a, b, on_a, on_b) = floats(
        who,
        data_log_model=data_log_model,
        noise_log_model=noise_log_model,
        data_log_noise=data_log_noise,
        noise_log_noise=noise_log_noise,
    )
    for side, model, base in (("data", a, on_a), ("noise", b, on_b)):
        if tuple(model.shape) != tuple(base.shape) or not math.prod(model.shape):
            raise InputError(
                who,
                "",
                f"{side}_log_model and {side}_log_noise must have the same shape and be filled, got "
                f"{tuple(model.shape)} and {tuple(base.shape)}",
            )
    k: Any = math.prod(b.shape) / math.prod(a.shape) if ratio is None else ratio
    shift = math.log(k) if isinstance(k, int | float) else xp.log(k)
    on_data = xp.mean(softplus(xp, on_a - a + shift))
    on_noise = k * xp.mean(softplus(xp, b - on_b - shift))
    total = on_data + on_noise
    return Parts(total, {"data": on_data, "noise": on_noise}) if parts else total
