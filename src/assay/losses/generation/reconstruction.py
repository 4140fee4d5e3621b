"""What an autoencoder minimises: the error of its pictures, and that beside the divergence of its codes."""

from __future__ import annotations

from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.class_inputs import safe_log
from assay.losses.generation.divergence import to_standard
from assay.losses.generation.row_sums import floats, named, per_row, wide
from assay.losses.inputs import pair
from assay.losses.loss_body import LossBody, each
from assay.losses.parameter_checks import between
from assay.losses.reduction import LossOptions, Parts, known, reduce
from assay.ops import log_sigmoid


@loss(
    "convex",
    "differentiable",
    "smooth",
    "symmetric",
    title="Reconstruction",
    use="an autoencoder must give its input back",
    instead="mse, if the number of pixels must not matter",
    misleads="it grows with the number of pixels, and blurred pictures do well",
    equals=("torch mse_loss(reduction='sum') / n", "torch binary_cross_entropy_with_logits(reduction='sum') / n"),
    references=("kingma2014", "rumelhart1986"),
    rows=True,
    erratum=f"{SURVEY}, eq. 93, calls the target a binary value; it is a probability.",
)
def reconstruction(
    prediction: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    logits: ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    **options: Unpack[LossOptions],
) -> Array:
    r"""Error of rebuilt pictures: summed over the pixels of each, averaged over the pictures.

    .. math:: \ell_i = \sum_j (\hat x_{ij} - x_{ij})^2

    ``prediction`` takes the squared error; ``logits`` or ``probabilities`` take the binary cross entropy of pixels between
    0 and 1. The first axis holds the pictures and the mean divides by their number, or by the sum of ``weight``.

    >>> float(reconstruction([[1.0, 0.0], [2.0, 2.0]], [[1.0, 1.0], [0.0, 2.0]]))
    2.5
    """
    return rebuilt("reconstruction", prediction, target, logits, probabilities, options)


def rebuilt(
    who: str,
    prediction: ArrayLike | None,
    target: ArrayLike | None,
    logits: ArrayLike | None,
    probabilities: ArrayLike | None,
    options: LossOptions,
) -> Array:
    """The reconstruction error under the name of the caller."""
    kind, given = named(who, prediction=prediction, logits=logits, probabilities=probabilities)
    if target is None:
        raise InputError(who, "target", "is missing: the images that are to be rebuilt")
    xp, given, truth = pair(who, given, target, (kind, "target"))
    if not given.ndim:
        raise InputError(who, kind, "must have one entry per image along its first axis, got a single number")
    return each(who, _CURVES[kind], xp, (given, truth), (), options)


def _squares(xp: Namespace, p: Array, x: Array) -> Array:
    gap = p - x
    return per_row(xp, gap * gap)


def _from_logits(xp: Namespace, z: Array, x: Array) -> Array:
    return per_row(xp, (1 - x) * z - log_sigmoid(xp, z))


def _from_probabilities(xp: Namespace, p: Array, x: Array) -> Array:
    kind, p, x = p.dtype, wide(xp, p), wide(xp, x)  # whose second derivative is beyond half precision
    return xp.astype(-per_row(xp, x * safe_log(xp, p) + (1 - x) * safe_log(xp, 1 - p)), kind)


_CURVES = {
    "prediction": LossBody(_squares, rowwise=True, accelerator="squared_rows"),
    "logits": LossBody(_from_logits, rowwise=True, accelerator="binary_code"),
    "probabilities": LossBody(_from_probabilities, rowwise=True),
}


@loss(
    "convex",
    "differentiable",
    "smooth",
    title="Variational autoencoder",
    use="an autoencoder whose codes must follow a normal distribution: the negative evidence lower bound",
    instead="reconstruction alone, if nothing is sampled from the codes",
    misleads="squared error means a decoder of variance 1/2; another scale of the pictures needs another beta",
    references=("higgins2017", "kingma2014"),
    aliases=("elbo",),
)
def vae(
    prediction: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    mean: ArrayLike,
    log_variance: ArrayLike,
    logits: ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    beta: ArrayLike = 1.0,
    parts: bool = False,
    **options: Unpack[LossOptions],
) -> Array | Parts[Array]:
    r"""Reconstruction plus ``beta`` times the divergence of the codes from N(0, I).

    .. math:: \ell_i = \sum_j (\hat x_{ij} - x_{ij})^2 + \beta\,\mathrm{KL}(N(\mu_i, \sigma_i^2)\,\|\,N(0, I))

    Both are summed over pixels and over codes, and averaged over pictures: so beta does not depend on the size of the batch. As
    in `reconstruction`, ``logits`` or ``probabilities`` take the cross entropy of pixels. ``parts=True`` gives both terms too.

    >>> float(vae([[1.0, 0.0]], [[1.0, 1.0]], mean=[[2.0]], log_variance=[[0.0]], beta=0.5))
    2.0
    """
    between("vae", 0.0, float("inf"), beta=beta)
    known("vae", options)
    terms: LossOptions = {**options, "undefined": 0}  # which is a matter of the whole, and not of each term
    error = rebuilt("vae", prediction, target, logits, probabilities, terms)
    divergence = to_standard("vae", mean, log_variance, terms)
    total = error + beta * divergence
    if options.get("undefined", 0) != 0:
        total = total + _of_nothing(mean, options)
    return Parts(total, {"reconstruction": error, "divergence": divergence}) if parts else total


def _of_nothing(mean: Any, options: LossOptions) -> Array:
    """What ``undefined`` says if no picture counts, else 0."""
    xp, (mean,) = floats("vae", mean=mean)
    return reduce("vae", xp, xp.zeros_like(per_row(xp, mean)), options)
