"""Distances of clouds against SciPy, and the gradient penalty against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import wasserstein_distance, wasserstein_distance_nd

import assay
from assay import losses
from messages import refusal

RNG = np.random.default_rng(4)
A, B = RNG.normal(size=12), 2 * RNG.normal(size=7) + 1
U, V = RNG.random(12), RNG.random(7)
X, Y = RNG.random((12, 2)), RNG.random((12, 2)) + 0.3


# ---- one dimension


def test_the_distance_on_the_line_is_that_of_scipy() -> None:
    found = losses.wasserstein_distance
    assert float(found(A, B)) == pytest.approx(wasserstein_distance(A, B), rel=1e-12)
    assert float(found(A, A[::-1] + 3)) == pytest.approx(3.0, rel=1e-12)
    weighed = found(A, B, prediction_weight=U, target_weight=V)
    assert float(weighed) == pytest.approx(wasserstein_distance(A, B, U, V), rel=1e-12)
    assert float(found(A, B, target_weight=V)) == pytest.approx(wasserstein_distance(A, B, None, V), rel=1e-12)
    assert float(found(A, B, prediction_weight=np.ones(12))) == pytest.approx(float(found(A, B)), rel=1e-12)
    assert float(found([1.0], [4.0, 6.0])) == 4.0


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
def test_powers_are_those_of_the_best_assignment(p: float) -> None:
    cost = np.abs(A[:, None] - (A**2)[None]) ** p
    exact = cost[linear_sum_assignment(cost)].mean() ** (1 / p)
    assert float(losses.wasserstein_distance(A, A**2, p=p)) == pytest.approx(exact, rel=1e-12)


def test_unequal_sizes_are_copies() -> None:
    """6 and 4 points are 12 and 12, each point copied."""
    a, b = A[:6], B[:4]
    whole = losses.wasserstein_distance(np.repeat(a, 2), np.repeat(b, 3), p=2)
    assert float(losses.wasserstein_distance(a, b, p=2)) == pytest.approx(float(whole), rel=1e-12)


def test_the_slope_of_each_point_is_the_side_on_which_its_partner_lies() -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.tensor(A, requires_grad=True), torch.tensor(A**2)
    losses.wasserstein_distance(a, b).backward()
    side = np.sign(np.sort(A) - np.sort(A**2)) / 12
    np.testing.assert_allclose(a.grad.numpy()[np.argsort(A)], side, rtol=1e-12)


# ---- the Sinkhorn divergence


def softened(x: Any, y: Any, epsilon: float, p: float, rounds: int = 500) -> float:
    """The softened cost from its plan, in plain NumPy: transport plus entropy, not the dual that we use."""
    cost, n, m = cdist(x, y) ** p, len(x), len(y)
    g = np.zeros(m)
    for _ in range(rounds):
        f = -epsilon * logsumexp((g - cost) / epsilon - np.log(m), axis=1)
        g = -epsilon * logsumexp((f[:, None] - cost) / epsilon - np.log(n), axis=0)
    plan = np.exp((f[:, None] + g - cost) / epsilon) / (n * m)
    return float((plan * cost).sum() + epsilon * (plan * np.log(plan * n * m)).sum())


@pytest.mark.parametrize(("epsilon", "p"), [(0.5, 2.0), (0.1, 2.0), (0.2, 1.0), (0.3, 3.0)])
def test_the_divergence_is_that_of_the_plan(epsilon: float, p: float) -> None:
    y = Y[:9]
    exact = softened(X, y, epsilon, p) - 0.5 * softened(X, X, epsilon, p) - 0.5 * softened(y, y, epsilon, p)
    found = losses.sinkhorn(X, y, epsilon=epsilon, p=p, iterations=600)
    assert float(found) == pytest.approx(exact, rel=1e-10)


def test_it_tends_to_the_exact_cost() -> None:
    squares = cdist(X, Y) ** 2
    exact = squares[linear_sum_assignment(squares)].mean()
    gaps = [abs(float(losses.sinkhorn(X, Y, epsilon=e, iterations=1500)) - exact) for e in (0.1, 0.01, 0.0005)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3 * exact
    plain = losses.sinkhorn(X, Y[:8], epsilon=1e-3, iterations=1500, p=1)
    assert float(plain) == pytest.approx(wasserstein_distance_nd(X, Y[:8]), rel=5e-3)


def test_equal_clouds_are_at_zero_with_no_slope() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    value = losses.sinkhorn(x, torch.tensor(X), iterations=1000)
    assert abs(value.item()) < 1e-10
    assert float(torch.autograd.grad(value, x)[0].abs().max()) < 1e-8
    other = losses.sinkhorn(X, X[::-1], iterations=1000)
    assert abs(float(other)) < 1e-10
    assert float(losses.sinkhorn(X, X + 1.0, iterations=1000)) == pytest.approx(
        2.0, rel=1e-9
    )  # a shift costs its square


def test_weights_are_copies_and_zeros_count_nothing() -> None:
    copies = np.concatenate([X, X[:4]])
    weight = np.where(np.arange(12) < 4, 2.0, 1.0)
    a = losses.sinkhorn(copies, Y, iterations=800, epsilon=0.2)
    b = losses.sinkhorn(X, Y, prediction_weight=weight, iterations=800, epsilon=0.2)
    assert float(a) == pytest.approx(float(b), rel=1e-9)
    none = np.where(np.arange(12) < 9, 1.0, 0.0)
    c = losses.sinkhorn(X, Y, target_weight=none, iterations=800, epsilon=0.2)
    assert float(c) == pytest.approx(float(losses.sinkhorn(X, Y[:9], iterations=800, epsilon=0.2)), rel=1e-9)


def test_the_gradient_of_the_last_step_is_that_of_all_steps() -> None:
    torch = pytest.importorskip("torch")
    found: list[Any] = []
    for unrolled in (False, True):
        x, y = torch.tensor(X, requires_grad=True), torch.tensor(Y, requires_grad=True)
        w = torch.tensor(U, requires_grad=True)
        value = losses.sinkhorn(x, y, prediction_weight=w, epsilon=0.5, iterations=200, unrolled=unrolled)
        found.append([value, *torch.autograd.grad(value, (x, y, w))])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


# ---- gradient penalty


W1, W2 = RNG.normal(size=(2, 8)), RNG.normal(size=8)


def critic(xp: Any, first: Any, second: Any) -> Any:
    return lambda x: xp.tanh(x @ first) @ second


def by_hand(first: Any, second: Any, mix: Any) -> float:
    """The penalty with the critic's slope in closed form."""
    points = mix[:, None] * X + (1 - mix[:, None]) * Y
    slopes = ((1 - np.tanh(points @ first) ** 2) * second) @ first.T
    return 10 * float(((np.sqrt((slopes**2).sum(1)) - 1) ** 2).mean())


def differences(mix: Any) -> Any:
    found = np.zeros_like(W1)
    for at in np.ndindex(*W1.shape):
        step = np.zeros_like(W1)
        step[at] = 1e-6
        found[at] = (by_hand(W1 + step, W2, mix) - by_hand(W1 - step, W2, mix)) / 2e-6
    return found


def test_the_penalty_and_its_gradient_in_the_critic_on_torch() -> None:
    torch = pytest.importorskip("torch")
    mix = RNG.random(12)
    first, second = torch.tensor(W1, requires_grad=True), torch.tensor(W2, requires_grad=True)
    fake = torch.tensor(Y, requires_grad=True)
    value = losses.gradient_penalty(critic(torch, first, second), torch.tensor(X), fake, mix=torch.tensor(mix))
    assert value.item() == pytest.approx(by_hand(W1, W2, mix), rel=1e-10)
    value.backward()
    np.testing.assert_allclose(first.grad.numpy(), differences(mix), rtol=1e-6, atol=1e-7)
    assert fake.grad is None  # points are constants
    old = first.detach().clone()
    torch.optim.SGD([first], lr=0.1).step()
    np.testing.assert_allclose((old - first.detach()).numpy(), 0.1 * differences(mix), rtol=1e-6, atol=1e-8)


def test_the_penalty_and_its_gradient_in_the_critic_on_jax() -> None:
    jax = pytest.importorskip("jax")
    mix = RNG.random(12)
    with jax.enable_x64(True):
        jnp = jax.numpy

        def penalty(first: Any) -> Any:
            f = critic(jnp, first, jnp.asarray(W2))
            return losses.gradient_penalty(f, jnp.asarray(X), jnp.asarray(Y), mix=jnp.asarray(mix))

        value, slope = jax.jit(jax.value_and_grad(penalty))(jnp.asarray(W1))
    assert float(value) == pytest.approx(by_hand(W1, W2, mix), rel=1e-10)
    np.testing.assert_allclose(np.asarray(slope), differences(mix), rtol=1e-6, atol=1e-7)


def test_the_penalty_under_functional_transforms() -> None:
    torch = pytest.importorskip("torch")
    mix = RNG.random(12)

    def penalty(first: Any) -> Any:
        f = critic(torch, first, torch.tensor(W2))
        return losses.gradient_penalty(f, torch.tensor(X), torch.tensor(Y), mix=torch.tensor(mix))

    np.testing.assert_allclose(
        torch.func.grad(penalty)(torch.tensor(W1)).numpy(), differences(mix), rtol=1e-6, atol=1e-7
    )


def test_mixtures_are_drawn_from_a_seed() -> None:
    torch = pytest.importorskip("torch")
    f = critic(torch, torch.tensor(W1), torch.tensor(W2))
    points = torch.tensor(X), torch.tensor(Y)
    one, again, other = (losses.gradient_penalty(f, *points, seed=s).item() for s in (3, 3, 4))
    assert one == again != other
    with torch.no_grad():
        quiet = losses.gradient_penalty(f, *points, seed=3)
    assert float(quiet) == one
    assert not quiet.requires_grad


def test_a_flat_critic_is_pulled_up_without_nan() -> None:
    torch = pytest.importorskip("torch")
    slope = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    value = losses.gradient_penalty(
        lambda x: x @ slope, torch.tensor(X), torch.tensor(Y), seed=0, weight=2.0, center=3.0
    )
    assert value.item() == 18.0
    assert torch.isfinite(torch.autograd.grad(value, slope)[0]).all()


REFUSED = [
    (
        lambda: losses.gradient_penalty(np.sum, X, Y, seed=0),
        "which numpy cannot take. Pass PyTorch tensors or JAX arrays",
    ),
    (lambda: losses.gradient_penalty(np.sum, X, Y[:3], seed=0), "real and fake must have the same shape"),
    (lambda: losses.gradient_penalty(np.sum, X, Y), "either mix, one number per row, or seed"),
    (lambda: losses.gradient_penalty(np.sum, X, Y, mix=[0.5]), "mix must have the shape"),
    (lambda: losses.gradient_penalty(np.sum, X, Y, seed=0, weight=-1), "weight must be a number at least 0"),
    (lambda: losses.gradient_penalty(np.sum, X, Y, seed="now"), "seed must be an integer from 0"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_of_penalties_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


# ---- weights that are none


def test_samples_without_weight_are_at_zero_and_learn_nothing() -> None:
    torch = pytest.importorskip("torch")
    for f, shape in ((losses.wasserstein_distance, (2,)), (losses.sinkhorn, (2, 1))):
        x, y = torch.tensor([0.0, 1.0]).reshape(shape).requires_grad_(), torch.tensor([2.0, 3.0]).reshape(shape)
        weight = torch.zeros(2, requires_grad=True)
        value = f(x, y, prediction_weight=weight)
        value.backward()
        assert float(value.detach()) == 0
        assert x.grad.tolist() == torch.zeros(shape).tolist()
        assert weight.grad.tolist() == [0, 0]
        assert float(f(x.detach(), y, target_weight=[0, 0])) == 0
        with refusal(assay.ParameterError):
            f(x, y, target_weight=[-1.0, 2.0])


def test_a_divergence_settles_with_more_iterations() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 0.5
    rest: list[float] = []
    for iterations in (100, 1000):
        there, back = (float(losses.sinkhorn(*two, iterations=iterations)) for two in ((x, y), (y, x)))
        rest.append(abs(there - back) / there)
        assert abs(float(losses.sinkhorn(x, x, iterations=iterations))) < 1e-4 * there
    assert rest[1] < rest[0] < 1e-3
