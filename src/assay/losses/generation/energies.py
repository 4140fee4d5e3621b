"""Energy models: contrastive divergence, a restricted Boltzmann machine with its Gibbs sampler, Langevin for any energy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from assay.core.arrays import Array, ArrayLike, Namespace, namespace
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.generation.autodiff import gradient, repeated
from assay.losses.generation.noise import RandomSource, noise
from assay.losses.generation.row_sums import floats
from assay.losses.parameter_checks import between, positive, whole
from assay.ops import sigmoid, softplus, stop_gradient


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    title="Contrastive divergence",
    use="an energy model is trained, and samples of it can be drawn by a Markov chain",
    instead="noise_contrastive, where a density for noise is at hand and sampling is slow",
    misleads="the value is not a likelihood and may rise while the model gets better; few steps bias the gradient",
    references=("hinton2002", "tieleman2008"),
    range=(float("-inf"), float("inf")),
    aliases=("cd",),
    erratum=f"{SURVEY}, eq. 103-105, adds the energy gradient of the data to the parameters, which raises their energy: "
    "the sign of the step is reversed. Descent on this loss lowers it.",
)
def contrastive_divergence(data_energy: ArrayLike, sample_energy: ArrayLike) -> Array:
    r"""Energy of data less energy of samples of the model; its gradient is that of CD-k.

    .. math:: \ell = \mathrm{mean}\,E(x) - \mathrm{mean}\,E(\tilde x)

    Samples come from k steps of `RBM.gibbs` or of `langevin`, started at the data (CD-k) or at the last samples (persistent
    chains), and are constants. Each mean is over its own elements. With samples of the model itself the gradient is that of
    the negative log-likelihood.

    >>> float(contrastive_divergence([1.0, 2.0], [4.0]))
    -2.5
    """
    xp, (data, samples) = floats("contrastive_divergence", data_energy=data_energy, sample_energy=sample_energy)
    if not math.prod(data.shape) or not math.prod(samples.shape):
        raise InputError("contrastive_divergence", "", "there must be at least one energy on each side")
    return xp.mean(data) - xp.mean(samples)


class RBM(NamedTuple):
    """A restricted Boltzmann machine of units that are 0 or 1: its parameters, and what follows from them.

    A tuple of arrays of one library, so that JAX differentiates it as it is: ``jax.grad(loss)(rbm)``. ``weights`` has one row a
    visible and one column per hidden unit. ``seed`` is an integer or a generator (NumPy, PyTorch), or a JAX key.
    """

    weights: Any
    visible_bias: Any
    hidden_bias: Any

    def energy(self, visible: ArrayLike, hidden: ArrayLike) -> Array:
        """``-v b - h c - v W h`` of each row."""
        xp = namespace(visible)
        return -(visible @ self.visible_bias) - xp.sum((visible @ self.weights + self.hidden_bias) * hidden, axis=-1)

    def free_energy(self, visible: ArrayLike) -> Array:
        """Minus the logarithm of the sum over all hidden states of exp(-energy), of each row."""
        xp = namespace(visible)
        return -(visible @ self.visible_bias) - xp.sum(softplus(xp, visible @ self.weights + self.hidden_bias), axis=-1)

    def hidden_probability(self, visible: ArrayLike) -> Array:
        """How likely each hidden unit is 1, given the visible ones."""
        return sigmoid(namespace(visible), visible @ self.weights + self.hidden_bias)

    def visible_probability(self, hidden: ArrayLike) -> Array:
        """How likely each visible unit is 1, given the hidden ones."""
        xp = namespace(hidden)
        return sigmoid(xp, hidden @ xp.matrix_transpose(self.weights) + self.visible_bias)

    def sample_hidden(self, visible: ArrayLike, *, seed: RandomSource, at: Array | int = 0) -> Array:
        """Hidden units given the visible ones; constants for the gradient. ``at`` tells the draws of one seed apart."""
        return _drawn(self.hidden_probability(visible), seed, at)

    def sample_visible(self, hidden: ArrayLike, *, seed: RandomSource, at: Array | int = 0) -> Array:
        """Visible units given the hidden ones; constants for the gradient."""
        return _drawn(self.visible_probability(hidden), seed, at)

    def gibbs(self, visible: ArrayLike, *, steps: int = 1, seed: RandomSource) -> Array:
        """Visible units after some steps of block Gibbs sampling; constants for the gradient.

        Persistent chains go on from the last samples with a new seed.
        """
        xp = _ready("gibbs", visible, steps)
        fixed = RBM(*(stop_gradient(parameter) for parameter in self))

        def step(k: Any, state: Array) -> Array:
            hidden = fixed.sample_hidden(state, seed=seed, at=2 * k)
            return fixed.sample_visible(hidden, seed=seed, at=2 * k + 1)

        return repeated(xp, steps, step, stop_gradient(visible))


def _drawn(chance: Array, seed: RandomSource, at: Array | int) -> Array:
    xp = namespace(chance)
    chance = stop_gradient(chance)
    return xp.astype(noise(xp, seed, tuple(chance.shape), chance, kind="uniform", at=at) < chance, chance.dtype)


def langevin(
    energy: Callable[[Array], Array],
    start: ArrayLike,
    *,
    steps: int,
    step_size: float,
    noise_scale: float | None = None,
    seed: RandomSource,
) -> Array:
    r"""Samples of the density exp(-energy) by a walk down the energy with noise; constants for the gradient.

    .. math:: x \leftarrow x - s \nabla E(x) + \sigma \xi

    ``energy`` maps points to one energy per row. Without ``noise_scale`` it is sqrt(2 s), with which small steps draw from the
    density itself; less noise looks for low energies. PyTorch and JAX only, since NumPy has no gradients.
    """
    positive("langevin", step_size=step_size)
    between("langevin", 0.0, float("inf"), **({} if noise_scale is None else {"noise_scale": noise_scale}))
    xp = _ready("langevin", start, steps)
    scale = math.sqrt(2 * step_size) if noise_scale is None else noise_scale

    def step(k: Any, x: Array) -> Array:
        slope = stop_gradient(gradient("langevin", xp, energy, x, graph=False))
        return x - step_size * slope + scale * noise(xp, seed, tuple(x.shape), x, kind="normal", at=k)

    return repeated(xp, steps, step, stop_gradient(start))


def _ready(who: str, start: Any, steps: Any) -> Namespace:
    whole(who, 0, steps=steps)
    if not hasattr(start, "shape"):
        raise InputError(who, "", f"the start of a chain must be an array, got {type(start).__name__}")
    return namespace(start)
