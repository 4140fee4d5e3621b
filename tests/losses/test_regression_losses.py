"""Losses of real targets: values against PyTorch and closed forms, gradients, all array libraries, hard numbers, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import LOSSES
from messages import refusal

RNG = np.random.default_rng(3)
P, Y = 3 * RNG.normal(size=60), RNG.normal(size=60)
COUNTS = RNG.poisson(2.0, 60).astype(float)
OTHERS = ("gaussian_nll", "cvar")  # which take other inputs
ALL: list[Any] = [
    f for name, f in LOSSES.items() if name.startswith("regression.") and f.key not in ("gaussian_nll", "cvar")
]  # which take other inputs
ids: Any = {"ids": [f.key for f in ALL]}


def targets(f: Any) -> Any:
    return COUNTS if f.key == "poisson_nll" else Y


TORCH = [
    (losses.mse, "mse_loss", {}, {}),
    (losses.mae, "l1_loss", {}, {}),
    (losses.huber, "huber_loss", {"delta": 0.7}, {"delta": 0.7}),
    (losses.smooth_l1, "smooth_l1_loss", {"beta": 0.4}, {"beta": 0.4}),
    (losses.smooth_l1, "smooth_l1_loss", {"beta": 0}, {"beta": 0.0}),
    (losses.smooth_l1, "l1_loss", {"beta": 0.0}, {}),
    (losses.poisson_nll, "poisson_nll_loss", {"full": True}, {"full": True}),
    (losses.poisson_nll, "poisson_nll_loss", {"log_input": False}, {"log_input": False, "eps": 0.0}),
]


@pytest.mark.parametrize(("ours", "theirs", "own", "their"), TORCH)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_values_and_gradients_are_those_of_torch(ours: Any, theirs: str, own: Any, their: Any, reduction: Any) -> None:
    torch = pytest.importorskip("torch")
    start = np.abs(P) + 0.1 if own.get("log_input") is False else P
    a, b = (torch.tensor(start, requires_grad=True) for _ in range(2))
    y = torch.tensor(targets(ours))
    mine = ours(a, y, reduction=reduction, **own)
    other = getattr(torch.nn.functional, theirs)(b, y, reduction=reduction, **their)
    torch.testing.assert_close(mine, other, rtol=1e-12, atol=1e-12)
    mine.sum().backward()
    other.sum().backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_gaussian_likelihood_is_that_of_torch(full: bool) -> None:
    torch = pytest.importorskip("torch")
    spread = RNG.random(60) + 0.1
    spread[0] = 1e-9  # below the floor
    mine, other = ([torch.tensor(x, requires_grad=True) for x in (P, spread)] for _ in range(2))
    y = torch.tensor(Y)
    a = losses.gaussian_nll(mine[0], y, variance=mine[1], full=full)
    b = torch.nn.functional.gaussian_nll_loss(other[0], y, other[1], full=full)
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)
    for one, two in zip(torch.autograd.grad(a, mine), torch.autograd.grad(b, other), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-12, atol=1e-12)
    log = losses.gaussian_nll(P[1:], Y[1:], log_variance=np.log(spread[1:]), full=full)
    assert float(log) == pytest.approx(
        float(losses.gaussian_nll(P[1:], Y[1:], variance=spread[1:], full=full)), rel=1e-12
    )


def test_quantiles_are_those_of_scikit_learn_and_half_the_absolute_error_in_the_middle() -> None:
    pinball = pytest.importorskip("sklearn.metrics").mean_pinball_loss
    assert float(losses.quantile(P, Y, q=0.2)) == pytest.approx(pinball(Y, P, alpha=0.2), rel=1e-12)
    assert float(losses.quantile(P, Y)) == pytest.approx(0.5 * float(losses.mae(P, Y)), rel=1e-12)
    several = losses.quantile(np.stack([P, P + 1], axis=-1), Y, q=(0.2, 0.9))
    single = [float(losses.quantile(P, Y, q=0.2)), float(losses.quantile(P + 1, Y, q=0.9))]
    assert float(several) == pytest.approx(np.mean(single), rel=1e-12)


def test_log_cosh_in_long_doubles() -> None:
    e = np.linspace(-40, 40, 401).astype(np.longdouble)
    exact = np.log(np.cosh(e)).astype(float)
    np.testing.assert_allclose(
        losses.log_cosh(e.astype(float), np.zeros(401), reduction="none"), exact, rtol=1e-12, atol=1e-16
    )


def test_balanced_l1_is_the_papers_and_the_surveys_is_not_continuous() -> None:
    """Continuous in value and slope where it turns linear, with slope gamma from there."""
    for beta in (0.5, 1.0):
        at = np.array([beta - 1e-7, beta, beta + 1e-7, beta + 1])
        v = losses.balanced_l1(at, np.zeros(4), beta=beta, reduction="none")
        assert v[2] - v[0] == pytest.approx(1.5 * 2e-7, rel=1e-4)
        assert v[3] - v[1] == pytest.approx(1.5, rel=1e-9)
        b = math.expm1(1.5 / 0.5)
        assert v[3] == pytest.approx(1.5 * (beta + 1) + beta * 1.5 / b - 0.5 * beta, rel=1e-12)
        common = losses.balanced_l1(at, np.zeros(4), beta=beta, form="mmdet", reduction="none")
        assert common[3] == pytest.approx(1.5 * (beta + 1) + 1.5 / b - 0.5 * beta, rel=1e-12)


def test_wing_is_continuous() -> None:
    v = losses.wing(np.array([10 - 1e-9, 10.0]), np.zeros(2), reduction="none")
    assert v[0] == pytest.approx(v[1], abs=1e-8)


@pytest.mark.parametrize("f", ALL, **ids)
def test_one_body_for_all_libraries(f: Any) -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    strict = pytest.importorskip("array_api_strict")
    y = targets(f)
    value = float(f(P, y))
    assert float(f(torch.tensor(P), torch.tensor(y))) == pytest.approx(value, rel=1e-12)
    assert float(f(strict.asarray(P), strict.asarray(y))) == pytest.approx(value, rel=1e-12)
    assert float(jax.jit(f)(jax.numpy.asarray(P), jax.numpy.asarray(y))) == pytest.approx(value, rel=1e-5)
    rows = jax.vmap(f)(jax.numpy.asarray(P.reshape(6, 10)), jax.numpy.asarray(y.reshape(6, 10)))
    assert float(rows.mean()) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("f", ALL, **ids)
def test_gradients(f: Any) -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    x, y = torch.tensor(P, requires_grad=True), torch.tensor(targets(f))
    assert torch.autograd.gradcheck(lambda p: f(p, y), (x,))
    f(x, y).backward()
    other = jax.grad(lambda p: f(p, jax.numpy.asarray(targets(f))))(jax.numpy.asarray(P))
    np.testing.assert_allclose(np.asarray(other), x.grad.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("f", ALL, **ids)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_hard_numbers_stay_finite(f: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    far = 10.0 if f.key == "poisson_nll" else 100.0  # a log-rate of 100 is no count
    x = torch.tensor([-far, -1.0, 0.0, 1.0, far], dtype=getattr(torch, dtype), requires_grad=True)
    value = f(x, torch.zeros(5, dtype=x.dtype))
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("f", ALL, **ids)
def test_weights_masks_and_empty_selections(f: Any) -> None:
    y, keep = targets(f), np.arange(60) % 3 > 0
    assert float(f(P, y, mask=keep)) == pytest.approx(float(f(P[keep], y[keep])), rel=1e-12)
    weight = RNG.random(60)
    each = f(P, y, reduction="none")
    assert float(f(P, y, weight=weight)) == pytest.approx(float((weight * each).sum() / weight.sum()), rel=1e-12)
    assert float(f(P, y, mask=np.zeros(60, bool))) == 0
    assert float(f(P, y, weight=weight, reduction="sum")) == pytest.approx(float((weight * each).sum()), rel=1e-12)


@pytest.mark.parametrize("f", ALL, **ids)
def test_claims(f: Any) -> None:
    """Convexity by chords, smoothness and robustness by gradients, symmetry by swapping sides."""
    torch = pytest.importorskip("torch")
    y = torch.tensor(targets(f)[:1].repeat(4000))
    a, b = (torch.tensor(6 * RNG.normal(size=4000)) for _ in range(2))
    properties = f.record.properties
    middle, chord = f((a + b) / 2, y, reduction="none"), (f(a, y, reduction="none") + f(b, y, reduction="none")) / 2
    convex = bool((middle <= chord + 1e-9 * (1 + chord.abs())).all())
    assert convex == ("convex" in properties)
    x = torch.linspace(-20, 20, 400_001, dtype=torch.float64, requires_grad=True)
    f(x, y[:1].expand(400_001), reduction="sum").backward()
    jump = float((x.grad[1:] - x.grad[:-1]).abs().max())
    steep = float(torch.exp(torch.tensor(20.0))) if f.key == "poisson_nll" else 40.0
    assert (jump < 1e-3 * steep) == ("smooth" in properties)
    if "symmetric" in properties:
        torch.testing.assert_close(f(a, b, reduction="none"), f(b, a, reduction="none"))
    far = torch.tensor([1e4, 1e6], dtype=torch.float64, requires_grad=True)
    if f.key != "poisson_nll":
        f(far, torch.zeros(2, dtype=torch.float64), reduction="sum").backward()
        assert bool(far.grad.abs().max() < 100) == ("robust" in properties or f.key == "wing")


REFUSED = [
    (lambda: losses.mse(np.zeros((3, 1)), np.zeros(3)), "drop it with"),
    (lambda: losses.huber([1.0], [1.0], delta=0), "delta must be a number above 0"),
    (lambda: losses.quantile([1.0], [1.0], q=1.5), "q must lie between 0 and 1"),
    (lambda: losses.quantile([1.0], [1.0], q=(0.1, 0.9)), "need a prediction of shape"),
    (lambda: losses.mse([1.0], [1.0], reduction="avg"), "reduction must be"),
    (lambda: losses.mse([1.0, 2.0], [1.0, 2.0], weight=[1.0]), "weight must have the shape"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
