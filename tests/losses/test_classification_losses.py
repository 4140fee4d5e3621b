"""Losses of classes: PyTorch's values and gradients, both kinds of input, hard numbers, ignored places, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
functional = torch.nn.functional
RNG = np.random.default_rng(4)
Z, T = 3 * RNG.normal(size=(40, 5)), RNG.integers(0, 5, 40)
B, Y = 3 * RNG.normal(size=60), RNG.integers(0, 2, 60).astype(float)


def sigmoid_focal(z: Any, y: Any, alpha: float, gamma: float) -> Any:
    """The formula of torchvision's sigmoid_focal_loss, in float64."""
    p, ce = torch.sigmoid(z), functional.binary_cross_entropy_with_logits(z, y, reduction="none")
    pt = p * y + (1 - p) * (1 - y)
    return ((alpha * y + (1 - alpha) * (1 - y)) * (1 - pt) ** gamma * ce).mean()


def both(ours: Any, theirs: Any, *start: Any) -> None:
    """Equal values and gradients in the first argument."""
    a, b = (torch.tensor(start[0], requires_grad=True) for _ in range(2))
    mine, other = ours(a), theirs(b)
    torch.testing.assert_close(mine, other, rtol=1e-12, atol=1e-12)
    mine.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_is_that_of_torch(reduction: Any, smoothing: float, weighted: bool) -> None:
    target = np.where(np.arange(40) % 7 == 3, -100, T)
    weight = RNG.random(5) if weighted else None
    given = None if weight is None else torch.tensor(weight)
    options: Any = {"reduction": reduction, "label_smoothing": smoothing}
    both(
        lambda z: losses.cross_entropy(z, torch.tensor(target), class_weight=given, **options),
        lambda z: functional.cross_entropy(z, torch.tensor(target), weight=given, **options),
        Z,
    )
    soft = torch.tensor(RNG.dirichlet(np.ones(5), 40))
    both(
        lambda z: losses.cross_entropy(z, soft, class_weight=given, **options),
        lambda z: functional.cross_entropy(z, soft, weight=given, **options),
        Z,
    )


def test_cross_entropy_of_images_and_of_probabilities() -> None:
    z, t = RNG.normal(size=(2, 3, 4, 5)), RNG.integers(0, 3, (2, 4, 5))
    both(lambda a: losses.cross_entropy(a, torch.tensor(t)), lambda a: functional.cross_entropy(a, torch.tensor(t)), z)
    p = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
    assert float(losses.cross_entropy(probabilities=p, target=T)) == pytest.approx(
        float(losses.cross_entropy(Z, T)), rel=1e-12
    )
    assert float(losses.cross_entropy(probabilities=p, target=T)) == pytest.approx(
        assay.log_loss(T, y_prob=p), rel=1e-9
    )


def test_smoothing_to_the_other_classes() -> None:
    """The survey's convention: 1 - eps for the true class and eps/(C-1) for the others, as a soft target."""
    soft = np.full((40, 5), 0.1 / 4)
    soft[np.arange(40), T] = 0.9
    found = losses.cross_entropy(Z, T, label_smoothing=0.1, convention="others")
    assert float(found) == pytest.approx(float(losses.cross_entropy(Z, soft)), rel=1e-12)


def test_binary_cross_entropy_is_that_of_torch() -> None:
    y = torch.tensor(Y)
    both(
        lambda z: losses.binary_cross_entropy(z, y, pos_weight=3.0),
        lambda z: functional.binary_cross_entropy_with_logits(z, y, pos_weight=torch.tensor(3.0, dtype=torch.float64)),
        B,
    )
    both(
        lambda p: losses.binary_cross_entropy(probabilities=p, target=y),
        lambda p: functional.binary_cross_entropy(p, y),
        1 / (1 + np.exp(-B)),
    )
    by_class = float(losses.binary_cross_entropy(B, Y, class_weight=(0.5, 2.0)))
    each = losses.binary_cross_entropy(B, Y, reduction="none")
    assert by_class == pytest.approx(float((each * np.where(Y == 1, 2.0, 0.5)).mean()), rel=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
def test_focal_is_that_of_torchvision(gamma: float) -> None:
    y = torch.tensor(Y)
    both(lambda z: losses.focal(z, y, gamma=gamma), lambda z: sigmoid_focal(z, y, 0.25, gamma), B)


def test_hinge_is_that_of_scikit_learn() -> None:
    theirs = pytest.importorskip("sklearn.metrics").hinge_loss(Y, B)
    assert float(losses.hinge(B, 2 * Y - 1)) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("f", [losses.binary_cross_entropy, losses.focal], ids=lambda f: f.key)
def test_zero_logits_learn(f: Any) -> None:
    """A network that starts at 0 must move: a branch or an absolute value at 0 would give no gradient there."""
    z = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0.0, 1.0, 0.0, 1.0], dtype=torch.float64)
    f(z, y).backward()
    assert (z.grad * (1 - 2 * y) > 1e-3).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("f", [losses.binary_cross_entropy, losses.focal], ids=lambda f: f.key)
def test_hard_numbers_stay_finite(f: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    z = torch.tensor([1e4, -1e4, 1e4, -1e4, 0.0], dtype=kind, requires_grad=True)
    p = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.5], dtype=kind, requires_grad=True)
    y = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0], dtype=kind)
    for x, value in ((z, f(z, y)), (p, f(probabilities=p, target=y))):
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(x.grad).all()


def test_all_places_ignored_is_zero_without_gradient_trouble() -> None:
    z = torch.tensor(Z, requires_grad=True)
    value = losses.cross_entropy(z, torch.full((40,), -100))
    value.backward()
    assert float(value) == 0
    assert (z.grad == 0).all()


def test_one_body_for_all_libraries() -> None:
    jax, strict = pytest.importorskip("jax"), pytest.importorskip("array_api_strict")
    for f, a, b in (
        (losses.cross_entropy, Z, T),
        (losses.binary_cross_entropy, B, Y),
        (losses.focal, B, Y),
        (losses.hinge, B, 2 * Y - 1),
    ):
        value = float(f(a, b))
        assert float(f(strict.asarray(a), strict.asarray(b))) == pytest.approx(value, rel=1e-12)
        assert float(jax.jit(f)(jax.numpy.asarray(a), jax.numpy.asarray(b))) == pytest.approx(value, rel=1e-5)


BINARY = [losses.binary_cross_entropy, losses.focal, losses.hinge]


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.key)
def test_claims(f: Any) -> None:
    """Convexity by chords, smoothness and robustness by gradients, properness by the minimiser of the expected loss."""
    properties = f.record.properties
    low = -1.0 if f.key == "hinge" else 0.0
    a, b = (torch.tensor(6 * RNG.normal(size=4000)) for _ in range(2))
    for label in (low, 1.0):
        y = torch.full((4000,), label, dtype=torch.float64)
        chord = (f(a, y, reduction="none") + f(b, y, reduction="none")) / 2
        convex = bool((f((a + b) / 2, y, reduction="none") <= chord + 1e-9).all())
        assert convex == ("convex" in properties)
        x = torch.linspace(-30, 30, 600_001, dtype=torch.float64, requires_grad=True)
        f(x, torch.full((600_001,), label, dtype=torch.float64), reduction="sum").backward()
        assert bool((x.grad[1:] - x.grad[:-1]).abs().max() < 1e-3) == ("smooth" in properties)
        if "monotone" in properties:
            assert (x.grad * (1 if label == 1 else -1) <= 0).all()
        if "robust" in properties:
            assert x.grad.abs().max() <= 1
    if f.key != "hinge":
        z = np.linspace(-4, 4, 8001)
        expected = 0.3 * f(z, np.ones(8001), reduction="none") + 0.7 * f(z, np.zeros(8001), reduction="none")
        found = 1 / (1 + np.exp(-z[np.argmin(expected)]))
        assert (abs(found - 0.3) < 1e-3) == ("proper" in properties)


def test_cross_entropy_is_convex_smooth_and_proper() -> None:
    a, b = (torch.tensor(4 * RNG.normal(size=(500, 5))) for _ in range(2))
    y = torch.tensor(RNG.integers(0, 5, 500))
    chord = (losses.cross_entropy(a, y, reduction="none") + losses.cross_entropy(b, y, reduction="none")) / 2
    assert (losses.cross_entropy((a + b) / 2, y, reduction="none") <= chord + 1e-9).all()
    truth = torch.tensor(RNG.dirichlet(np.ones(5), 1))
    z = torch.log(truth).clone().requires_grad_()
    losses.cross_entropy(z, truth).backward()
    assert z.grad.abs().max() < 1e-12
    assert losses.cross_entropy.record.properties == {"convex", "differentiable", "smooth", "proper"}


def test_every_claim_and_reference_of_a_loss_is_known() -> None:
    from assay.core.loss import LOSSES
    from assay.explain.references import REFERENCES

    for name, f in LOSSES.items():
        assert set(f.record.references) <= set(REFERENCES), name
        assert f.record.references, name


REFUSED = [
    (lambda: losses.binary_cross_entropy(B), "give logits and target"),
    (lambda: losses.binary_cross_entropy(B, Y, probabilities=B), "give logits and target"),
    (lambda: losses.cross_entropy(Z, T[:-1]), "one class for each"),
    (lambda: losses.cross_entropy(Z, Z[:, :3]), "shape of the scores"),
    (lambda: losses.cross_entropy(Z, T, class_weight=(1.0, 2.0)), "one number for each of 5 classes"),
    (lambda: losses.cross_entropy(Z, T, label_smoothing=1.0), "label_smoothing"),
    (lambda: losses.focal(B, Y, gamma=-1), "gamma"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
