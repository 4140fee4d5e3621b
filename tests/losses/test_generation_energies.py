"""Energy models: a Boltzmann machine against enumeration of all its states, Langevin against a known density, seeds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import assay
from assay import losses
from assay.losses import RBM
from messages import refusal

RNG = np.random.default_rng(6)
STATES = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
HIDDEN = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
PARAMETERS = (0.8 * RNG.normal(size=(4, 3)), 0.5 * RNG.normal(size=4), 0.5 * RNG.normal(size=3))
DATA = STATES[RNG.choice(16, 20, p=RNG.dirichlet(np.ones(16)))]


def log_likelihood(parameters: Any) -> float:
    """Of the data, by the sum over all states of visible and hidden units."""
    W, b, c = parameters
    joint = STATES @ b + logsumexp(STATES @ W @ HIDDEN.T + HIDDEN @ c, axis=1)
    rows = (DATA[:, None] == STATES).all(-1).argmax(1)
    return float((joint[rows] - logsumexp(joint)).mean())


def exact_gradient() -> list[Any]:
    """Of the negative log-likelihood, by finite differences of the enumeration."""
    found: list[Any] = []
    for j, parameter in enumerate(PARAMETERS):
        slope = np.zeros_like(parameter)
        for at in np.ndindex(*parameter.shape):
            ends: list[float] = []
            for side in (1e-6, -1e-6):
                moved = [p.copy() for p in PARAMETERS]
                moved[j][at] += side
                ends.append(log_likelihood(moved))
            slope[at] = -(ends[0] - ends[1]) / 2e-6
        found.append(slope)
    return found


def model_probabilities() -> Any:
    joint = -RBM(*PARAMETERS).free_energy(STATES)
    return np.exp(joint - logsumexp(joint))


def test_free_energy_sums_out_the_hidden_units() -> None:
    rbm = RBM(*PARAMETERS)
    each = np.array([[float(rbm.energy(v[None], h[None])[0]) for h in HIDDEN] for v in STATES])
    np.testing.assert_allclose(rbm.free_energy(STATES), -logsumexp(-each, axis=1), rtol=1e-12)
    W, b, c = PARAMETERS
    np.testing.assert_allclose(each, -(STATES @ b)[:, None] - HIDDEN @ c - STATES @ W @ HIDDEN.T, rtol=1e-12)
    weight = np.exp(-each - logsumexp(-each, axis=1)[:, None])
    np.testing.assert_allclose(rbm.hidden_probability(STATES), weight @ HIDDEN, rtol=1e-12)
    column = np.exp(-each.T - logsumexp(-each.T, axis=1)[:, None])
    np.testing.assert_allclose(rbm.visible_probability(HIDDEN), column @ STATES, rtol=1e-12)


def torch_gradient(samples: Any) -> list[Any]:
    torch = pytest.importorskip("torch")
    rbm = RBM(*(torch.tensor(p, requires_grad=True) for p in PARAMETERS))
    value = losses.contrastive_divergence(rbm.free_energy(torch.tensor(DATA)), rbm.free_energy(samples))
    return [g.numpy() for g in torch.autograd.grad(value, tuple(rbm))]


def test_with_the_models_own_samples_it_is_the_gradient_of_the_likelihood() -> None:
    """Samples in the exact proportions of the model: the difference of energies has the gradient of the likelihood."""
    torch = pytest.importorskip("torch")
    rbm = RBM(*(torch.tensor(p, requires_grad=True) for p in PARAMETERS))
    share = torch.tensor(model_probabilities())
    data, states = torch.tensor(DATA), torch.tensor(STATES)
    expected = 16 * share * rbm.free_energy(states)  # their mean is the expectation
    value = losses.contrastive_divergence(rbm.free_energy(data), expected)
    for ours, exact in zip(torch.autograd.grad(value, tuple(rbm)), exact_gradient(), strict=True):
        np.testing.assert_allclose(ours.numpy(), exact, atol=1e-8)


def test_many_steps_approach_the_exact_gradient_and_one_is_biased() -> None:
    torch = pytest.importorskip("torch")
    exact = np.concatenate([g.ravel() for g in exact_gradient()])
    gaps: list[float] = []
    chains = torch.tensor(np.tile(DATA, (300, 1)))
    rbm = RBM(*(torch.tensor(p) for p in PARAMETERS))
    for steps in (1, 40):
        found = torch_gradient(rbm.gibbs(chains, steps=steps, seed=1))
        gaps.append(float(np.abs(np.concatenate([g.ravel() for g in found]) - exact).max()))
    assert gaps[1] < 0.03 < gaps[0]


def test_descent_on_it_raises_the_likelihood_and_equation_105_lowers_it() -> None:
    torch = pytest.importorskip("torch")
    rbm = RBM(*(torch.tensor(p) for p in PARAMETERS))
    chains = torch.tensor(np.tile(DATA, (200, 1)))
    slopes = torch_gradient(rbm.gibbs(chains, steps=10, seed=2))
    start = log_likelihood(PARAMETERS)
    descent = [p - 0.1 * g for p, g in zip(PARAMETERS, slopes, strict=True)]
    seed = [p + 0.1 * g for p, g in zip(PARAMETERS, slopes, strict=True)]  # the survey's update
    assert log_likelihood(descent) > start > log_likelihood(seed)
    assert "reversed" in losses.contrastive_divergence.record.erratum


def test_a_step_of_the_sampler_keeps_the_models_distribution() -> None:
    share = model_probabilities()
    start = STATES[np.random.default_rng(0).choice(16, 200_000, p=share)]
    found = RBM(*PARAMETERS).gibbs(start, steps=1, seed=5)
    counts = np.bincount((found @ [8, 4, 2, 1]).astype(int), minlength=16) / len(found)
    assert np.abs(counts - share).max() < 4 * np.sqrt(share.max() / 200_000)


def test_samples_are_constants_and_the_same_for_the_same_seed() -> None:
    torch = pytest.importorskip("torch")
    host = RBM(*PARAMETERS)
    tensors = RBM(*(torch.tensor(p, requires_grad=True) for p in PARAMETERS))
    ours = host.gibbs(DATA, steps=3, seed=7)
    theirs = tensors.gibbs(torch.tensor(DATA), steps=3, seed=7)
    assert not theirs.requires_grad
    np.testing.assert_array_equal(ours, theirs.numpy())
    assert set(np.unique(ours)) <= {0.0, 1.0}
    assert not np.array_equal(ours, host.gibbs(DATA, steps=3, seed=8))
    np.testing.assert_array_equal(host.gibbs(DATA, steps=0, seed=8), DATA)
    own = [tensors.gibbs(torch.tensor(DATA), seed=torch.Generator().manual_seed(1)) for _ in range(2)]
    assert torch.equal(*own)
    moving = np.random.default_rng(3)
    assert not np.array_equal(host.gibbs(DATA, seed=moving), host.gibbs(DATA, seed=moving))
    # A persistent chain in two parts is one chain of another seed: it goes on from where it was.
    further = host.gibbs(host.gibbs(DATA, steps=2, seed=1), steps=2, seed=2)
    assert further.shape == DATA.shape


def test_jax_samples_by_key_under_jit() -> None:
    jax = pytest.importorskip("jax")
    rbm = RBM(*(jax.numpy.asarray(p) for p in PARAMETERS))
    data = jax.numpy.asarray(DATA)

    def loss(rbm: RBM, key: Any) -> Any:
        samples = rbm.gibbs(jax.numpy.tile(data, (200, 1)), steps=30, seed=key)
        return losses.contrastive_divergence(rbm.free_energy(data), rbm.free_energy(samples))

    slopes = jax.jit(jax.grad(loss))(rbm, jax.random.key(0))
    assert isinstance(slopes, RBM)
    for ours, exact in zip(slopes, exact_gradient(), strict=True):
        np.testing.assert_allclose(np.asarray(ours), exact, atol=0.05)
    one, same, other = (rbm.gibbs(data, steps=2, seed=key) for key in (3, jax.random.key(3), jax.random.key(4)))
    assert bool((one == same).all())
    assert not bool((one == other).all())


# ---- Langevin


def test_langevin_draws_from_the_density_of_its_energy() -> None:
    torch = pytest.importorskip("torch")
    centre = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)

    def energy(x: Any) -> Any:
        return ((x - centre) ** 2 / torch.tensor([0.5, 2.0])).sum(-1) / 2

    start = torch.zeros(4000, 2, dtype=torch.float64)
    found = losses.langevin(energy, start, steps=120, step_size=0.05, seed=4)
    assert not found.requires_grad
    assert centre.grad is None
    # Each step keeps the share a of the distance from the centre: the mean and the variance after t steps are known.
    width = np.array([0.5, 2.0])
    kept = 1 - 0.05 / width
    spread = 2 * 0.05 * (1 - kept**240) / (1 - kept**2)
    np.testing.assert_allclose(spread, width, rtol=0.06)  # near to the density of the energy itself
    mean = np.array([1.0, -2.0]) * (1 - kept**120)
    assert np.all(np.abs(found.mean(0).numpy() - mean) < 4 * np.sqrt(spread / 4000))
    assert np.all(np.abs(found.var(0).numpy() / spread - 1) < 4 * np.sqrt(2 / 4000))
    assert torch.equal(found, losses.langevin(energy, start, steps=120, step_size=0.05, seed=4))
    with torch.no_grad():
        still = losses.langevin(energy, start[:3], steps=400, step_size=0.05, noise_scale=0.0, seed=0)
    np.testing.assert_allclose(still.numpy(), np.tile([1.0, -2.0], (3, 1)), atol=1e-3)


def test_langevin_on_jax_under_jit() -> None:
    jax = pytest.importorskip("jax")

    def sampled(key: Any, width: Any) -> Any:
        start = jax.numpy.zeros((20_000, 1))
        return losses.langevin(lambda x: (x**2).sum(-1) / (2 * width), start, steps=100, step_size=0.1, seed=key)

    found = jax.jit(sampled)(jax.random.key(1), 1.5)
    assert float(found.var()) == pytest.approx(1.5 / (1 - 0.1 / 3), rel=0.06)
    slope = jax.grad(lambda w: sampled(jax.random.key(1), w).sum())(1.5)
    assert float(slope) == 0  # samples are constants


REFUSED = [
    (
        lambda: losses.langevin(np.sum, DATA, steps=1, step_size=0.1, seed=0),
        "langevin: it needs the gradient of a function, which numpy cannot take",
    ),
    (lambda: losses.langevin(np.sum, DATA, steps=-1, step_size=0.1, seed=0), "steps must be an integer from 0"),
    (lambda: losses.langevin(np.sum, DATA, steps=1, step_size=0.0, seed=0), "step_size must be a number above 0"),
    (lambda: losses.langevin(np.sum, [1.0], steps=1, step_size=0.1, seed=0), "the start of a chain must be an array"),
    (lambda: RBM(*PARAMETERS).gibbs(DATA, steps=1.5, seed=0), "steps must be an integer from 0"),  # type: ignore[arg-type]
    (lambda: RBM(*PARAMETERS).gibbs(DATA, seed=None), "seed must be an integer from 0"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_of_samplers_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
