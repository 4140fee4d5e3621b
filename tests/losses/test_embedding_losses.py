"""Losses of class vectors and of two views: direct formulas in double precision, peers, hard vectors, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

RNG = np.random.default_rng(8)
N, K, D = 14, 5, 6
X, W = RNG.normal(size=(N, D)), RNG.normal(size=(K, D))
Y = RNG.integers(0, K, N)
DIRECTIONS = ["softmax", "cosface", "arcface", "sphereface"]


def angle(x: Any, w: Any) -> float:
    return math.acos(np.clip(x @ w / np.linalg.norm(x) / np.linalg.norm(w), -1, 1))


def psi(theta: float, m: int) -> float:
    k = min(int(theta // (math.pi / m)), m - 1)
    return (-1) ** k * math.cos(m * theta) - 2 * k


def arc(theta: float, m: float) -> float:
    return math.cos(theta + m) if theta <= math.pi - m else math.cos(theta) - m * math.sin(m)


def direct(own: Any, other: Any) -> float:
    """The mean cross entropy, from the logit of the own class and of each other one."""
    total = 0.0
    for x, y in zip(X, Y, strict=True):
        logits = np.array([own(x, W[j]) if j == y else other(x, W[j]) for j in range(K)])
        total += math.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[y]
    return total / N


def length(x: Any) -> float:
    return float(np.linalg.norm(x))


MARGINS = [
    ("softmax", {}, lambda x, w: x @ w, lambda x, w: x @ w),
    ("cosface", {"scale": 9.0, "margin": 0.2}, lambda x, w: 9 * (math.cos(angle(x, w)) - 0.2), None),
    ("arcface", {"scale": 9.0, "margin": 0.4}, lambda x, w: 9 * arc(angle(x, w), 0.4), None),
    ("arcface", {"scale": 9.0, "margin": 2.5}, lambda x, w: 9 * arc(angle(x, w), 2.5), None),
    (
        "arcface",
        {"scale": 9.0, "margin": 0.4, "easy_margin": True},
        lambda x, w: 9 * math.cos(angle(x, w) + 0.4 * (math.cos(angle(x, w)) > 0)),
        None,
    ),
    ("sphereface", {"margin": 3}, lambda x, w: length(x) * psi(angle(x, w), 3), "length"),
    (
        "sphereface",
        {"margin": 4, "annealing": 2.0},
        lambda x, w: length(x) * (2 * math.cos(angle(x, w)) + psi(angle(x, w), 4)) / 3,
        "length",
    ),
]


@pytest.mark.parametrize(("name", "form", "own", "other"), MARGINS)
def test_margins_are_their_formulas(name: str, form: Any, own: Any, other: Any) -> None:
    scale = form.get("scale", 1.0)

    def cosine(x: Any, w: Any) -> float:
        return (length(x) if other == "length" else scale) * math.cos(angle(x, w))

    expected = direct(own, other if callable(other) else cosine)
    assert float(getattr(losses, name)(X, Y, W, **form)) == pytest.approx(expected, rel=1e-10)


PEERS = [
    ("cosface", "CosFaceLoss", {"scale": 30.0, "margin": 0.3}, {"scale": 30.0, "margin": 0.3}),
    ("arcface", "ArcFaceLoss", {"scale": 30.0, "margin": math.radians(28.6)}, {"scale": 30.0, "margin": 28.6}),
    ("arcface", "ArcFaceLoss", {"scale": 30.0, "margin": math.radians(120)}, {"scale": 30.0, "margin": 120}),
    ("sphereface", "SphereFaceLoss", {"margin": 4}, {"margin": 4}),
]


@pytest.mark.parametrize(("name", "peer", "own", "their"), PEERS)
def test_margins_are_those_of_pytorch_metric_learning(name: str, peer: str, own: Any, their: Any) -> None:
    torch = pytest.importorskip("torch")
    theirs = getattr(pytest.importorskip("pytorch_metric_learning.losses"), peer)(K, D, **their)
    theirs.W = torch.nn.Parameter(torch.tensor(W.T.copy()))
    a, b, w = (
        torch.tensor(X, requires_grad=True),
        torch.tensor(X, requires_grad=True),
        torch.tensor(W, requires_grad=True),
    )
    y = torch.tensor(Y)
    ours, other = getattr(losses, name)(a, y, w, **own), theirs(b, y)
    torch.testing.assert_close(ours, other, rtol=1e-10, atol=1e-12)
    ours.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(w.grad, theirs.W.grad.T, rtol=1e-8, atol=1e-10)


def test_softmax_is_a_linear_layer_with_cross_entropy() -> None:
    torch = pytest.importorskip("torch")
    bias = torch.tensor(RNG.normal(size=K))
    logits = torch.nn.functional.linear(torch.tensor(X), torch.tensor(W), bias)
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor(Y))
    assert float(losses.softmax(X, Y, W, bias=bias.numpy())) == pytest.approx(float(expected), rel=1e-12)
    assert float(losses.softmax(X, Y, W, bias=bias.tolist())) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("name", [*DIRECTIONS, "center"])
def test_ignored_rows_count_nothing(name: str) -> None:
    f = getattr(losses, name)
    ignored = np.where(np.arange(N) % 3 == 0, -100, Y)
    keep = ignored >= 0
    assert float(f(X, ignored, W)) == pytest.approx(float(f(X[keep], Y[keep], W)), rel=1e-12)
    assert float(f(X, np.full(N, -100), W)) == 0


@pytest.mark.parametrize("name", [*DIRECTIONS, "center"])
@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16", "float16"])
def test_hard_vectors_have_finite_gradients(name: str, kind: str) -> None:
    """Equal and opposite to the own prototype, zeros, far away; and a prototype of zeros."""
    torch = pytest.importorskip("torch")
    rows = np.stack([W[0], -W[1], 3 * W[2], np.zeros(D), 1e3 * W[4], W[3]])
    prototypes = np.where(np.arange(K)[:, None] == 3, 0.0, W)
    x, w = (torch.tensor(a, dtype=getattr(torch, kind), requires_grad=True) for a in (rows, prototypes))
    value = getattr(losses, name)(x, torch.tensor([0, 1, 2, 0, 4, 3]), w)
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(x.grad).all()
    assert w.grad is None or torch.isfinite(w.grad).all()


@pytest.mark.parametrize("margin", [1, 2, 3, 4, 5])
def test_psi_falls_all_the_way(margin: int) -> None:
    """Along the half circle the loss only rises with the angle."""
    theta = np.linspace(0, math.pi, 2001)
    rows = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    value = losses.sphereface(rows, np.zeros(2001, int), [[1.0, 0.0], [0.0, 0.0]], margin=margin, reduction="none")
    assert (np.diff(value) > -1e-12).all()
    assert value[-1] - value[0] > 0.9


def test_annealing_follows_the_published_schedule() -> None:
    steps = np.array([0, 1, 50, 1658, 1659, 10**6])
    expected = np.maximum(5.0, 1000 / (1 + 0.12 * steps))
    np.testing.assert_allclose([losses.sphereface_annealing(int(s)) for s in steps], expected, rtol=1e-14)
    np.testing.assert_allclose(losses.sphereface_annealing(steps.astype(float)), expected, rtol=1e-14)
    heavy = losses.sphereface(X, Y, W, annealing=1e9)
    assert float(heavy) == pytest.approx(float(losses.sphereface(X, Y, W, margin=1)), rel=1e-6)


def test_centers_move_by_the_rule_of_the_paper() -> None:
    expected = W.copy()
    for j in range(K):
        rows = X[j == Y]
        expected[j] -= 0.3 * (W[j] - rows).sum(axis=0) / (1 + len(rows))
    np.testing.assert_allclose(losses.update_centers(W, X, Y, rate=0.3), expected, rtol=1e-12)
    absent = np.where(Y == 2, -100, Y)
    np.testing.assert_array_equal(losses.update_centers(W, X, absent)[2], W[2])
    expected = 0.5 * ((X - W[Y]) ** 2).sum()
    assert float(losses.center(X, Y, W, reduction="sum")) == pytest.approx(expected, rel=1e-12)


def test_centers_get_gradients_only_on_request() -> None:
    torch = pytest.importorskip("torch")
    x, c = torch.tensor(X, requires_grad=True), torch.tensor(W, requires_grad=True)
    losses.center(x, torch.tensor(Y), c, reduction="sum").backward()
    torch.testing.assert_close(x.grad, torch.tensor(X - W[Y]))
    assert c.grad is None
    losses.center(x, torch.tensor(Y), c, reduction="sum", learn_centers=True).backward()
    expected = np.stack([(W[j] - X[j == Y]).sum(axis=0) for j in range(K)])
    torch.testing.assert_close(c.grad, torch.tensor(expected))


# ---- two views


def twins(a: Any, b: Any, weight: float) -> float:
    a, b = ((z - z.mean(0)) / z.std(0) for z in (a, b))
    c = a.T @ b / len(a)
    own = np.diag(c)
    return float(((1 - own) ** 2).sum() + weight * ((c**2).sum() - (own**2).sum()))


@pytest.mark.parametrize("shape", [(20, 4), (4, 20), (9, 12)])
def test_barlow_twins_is_its_formula(shape: Any) -> None:
    a, b = RNG.normal(size=shape), RNG.normal(size=shape)
    assert float(losses.barlow_twins(a, b)) == pytest.approx(twins(a, b, 0.005), rel=1e-10)
    both = losses.barlow_twins(a, b, off_diagonal=0.5, parts=True)
    assert float(both.total) == pytest.approx(twins(a, b, 0.5), rel=1e-10)
    assert float(both.parts["invariance"]) == pytest.approx(twins(a, b, 0.0), rel=1e-10)


def test_barlow_twins_is_batch_normalisation_with_epsilon() -> None:
    torch = pytest.importorskip("torch")
    a, b = (torch.tensor(RNG.normal(size=(16, 5))) for _ in range(2))
    norm = torch.nn.BatchNorm1d(5, affine=False, dtype=torch.float64)
    c = norm(a).T @ norm(b) / 16
    own = torch.diagonal(c)
    expected = (own - 1).pow(2).sum() + 0.005 * (c.pow(2).sum() - own.pow(2).sum())
    assert float(losses.barlow_twins(a, b, epsilon=1e-5)) == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize("shape", [(8, 3), (2, 9), (1, 3)])
def test_a_constant_feature_costs_one_and_stays_finite(shape: Any) -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor(RNG.normal(size=shape))
    a[:, 0] = 4.0
    a.requires_grad_()
    both = losses.barlow_twins(a, a.detach(), parts=True)
    both.total.backward()
    constant = shape[1] if shape[0] == 1 else 1
    assert float(both.parts["invariance"].detach()) == pytest.approx(constant, abs=1e-9)
    assert torch.isfinite(a.grad).all()


def test_simsiam_stops_gradients_on_torch_and_jax() -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    given = [RNG.normal(size=(7, 4)) for _ in range(4)]

    def cosine(a: Any, b: Any) -> Any:
        return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)

    expected = -0.5 * (cosine(given[0], given[3]) + cosine(given[1], given[2])).mean()
    assert float(losses.simsiam(*given)) == pytest.approx(expected, rel=1e-12)
    four = [torch.tensor(x, requires_grad=True) for x in given]
    losses.simsiam(*four).backward()
    assert [x.grad is not None and bool((x.grad != 0).any()) for x in four] == [True, True, False, False]
    slopes = jax.grad(losses.simsiam, argnums=(0, 1, 2, 3))(*(jax.numpy.asarray(x) for x in given))
    assert [bool((s != 0).any()) for s in slopes] == [True, True, False, False]
    np.testing.assert_allclose(slopes[0], four[0].grad, rtol=1e-4, atol=1e-6)


REFUSED = [
    (lambda: losses.arcface(X, Y, W, margin=28.6), "margin must be an angle in radians"),
    (lambda: losses.cosface(X, Y, W, scale=0), "scale must be a number above 0"),
    (lambda: losses.cosface(X, Y, W, margin=-0.1), "margin must be a number in"),
    (lambda: losses.sphereface(X, Y, W, margin=1.5), "margin must be an integer"),
    (lambda: losses.sphereface(X, Y, W, annealing=-1.0), "annealing must be a number at least 0"),
    (lambda: losses.softmax(X, Y, W[:, :3]), "need prototypes of as many"),
    (lambda: losses.softmax(X, Y, W, bias=[1.0]), "bias must hold one number for each of 5 classes"),
    (lambda: losses.softmax(X, Y[:3], W), "one class for each of 14 embeddings"),
    (lambda: losses.softmax(X, Y.astype(float), W), "one class for each of 14 embeddings, got float64"),
    (lambda: losses.center(X[0], Y, W), "one vector per row"),
    (lambda: losses.update_centers(W, X, Y, rate=1.5), "rate must be a number in"),
    (lambda: losses.barlow_twins(X, X[:3]), "must have the same shape"),
    (lambda: losses.barlow_twins(X, X, off_diagonal=-1.0), "off_diagonal must be a number at least 0"),
    (lambda: losses.simsiam(X, X, X, W), "must have the same shape"),
    (lambda: losses.arcface(X, Y, W, angle=1.0), "arcface has no parameter 'angle'"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
