"""Losses of several classes: smoothing, likelihoods, poly, focal and hinge against PyTorch, scikit-learn and float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
functional = torch.nn.functional
RNG = np.random.default_rng(14)
Z, T = 3 * RNG.normal(size=(40, 5)), RNG.integers(0, 5, 40)
B, Y = 3 * RNG.normal(size=60), RNG.integers(0, 2, 60).astype(float)
PT = (np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True))[np.arange(40), T]


def both(ours: Any, theirs: Any, start: Any) -> None:
    """Equal values and gradients."""
    a, b = (torch.tensor(start, requires_grad=True) for _ in range(2))
    mine, other = ours(a), theirs(b)
    torch.testing.assert_close(mine, other, rtol=1e-10, atol=1e-12)
    mine.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=1e-10, atol=1e-12)


# ---- smoothing and likelihoods


def test_smoothing_both_ways() -> None:
    t = torch.tensor(T)
    both(
        lambda z: losses.label_smoothing(z, t, epsilon=0.3, convention="uniform"),
        lambda z: functional.cross_entropy(z, t, label_smoothing=0.3),
        Z,
    )
    soft = torch.full((40, 5), 0.3 / 4, dtype=torch.float64).scatter_(1, t[:, None], 0.7)
    both(lambda z: losses.label_smoothing(z, t, epsilon=0.3), lambda z: functional.cross_entropy(z, soft), Z)
    hot = np.eye(5)[T]
    assert float(losses.label_smoothing(Z, hot)) == pytest.approx(float(losses.label_smoothing(Z, T)), rel=1e-12)


def test_nll_is_that_of_torch() -> None:
    logs, target = np.log(RNG.dirichlet(np.ones(5), 40)), np.where(np.arange(40) % 5 == 0, -100, T)
    weight = torch.tensor(RNG.random(5))
    t = torch.tensor(target)
    both(lambda q: losses.nll(q, t), lambda q: functional.nll_loss(q, t), logs)
    both(lambda q: losses.nll(q, t, class_weight=weight), lambda q: functional.nll_loss(q, t, weight=weight), logs)
    image, classes = RNG.normal(size=(2, 3, 4, 4)), torch.tensor(RNG.integers(0, 3, (2, 4, 4)))
    both(lambda q: losses.nll(q, classes), lambda q: functional.nll_loss(q, classes), image)


# ---- poly


@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_poly_is_the_published_formula(gamma: float) -> None:
    """Poly-1 and its focal form, and several changed coefficients, in plain float64."""
    one = (1 - PT) ** gamma * (-np.log(PT) + 1.5 * (1 - PT))
    assert float(losses.poly(Z, T, epsilon=1.5, gamma=gamma)) == pytest.approx(one.mean(), rel=1e-10)
    three = (1 - PT) ** gamma * (-np.log(PT) + 1.0 * (1 - PT) - 0.5 * (1 - PT) ** 2 + 2.0 * (1 - PT) ** 3)
    assert float(losses.poly(Z, T, epsilon=(1.0, -0.5, 2.0), gamma=gamma)) == pytest.approx(three.mean(), rel=1e-10)
    p = 1 / (1 + np.exp(-B))
    pt = np.where(Y == 1, p, 1 - p)
    two = (1 - pt) ** gamma * (-np.log(pt) + 1.5 * (1 - pt))
    assert float(losses.poly(B, Y, epsilon=1.5, gamma=gamma)) == pytest.approx(two.mean(), rel=1e-10)
    assert float(losses.poly(probabilities=p, target=Y, epsilon=1.5, gamma=gamma)) == pytest.approx(
        two.mean(), rel=1e-10
    )


def test_the_whole_series_is_cross_entropy() -> None:
    """Coefficients 1/n are those of the logarithm; epsilon adds to them."""
    z = 0.2 * Z
    series = losses.poly(z, T, coefficients=tuple(1 / n for n in range(1, 3000)))
    assert float(series) == pytest.approx(float(losses.cross_entropy(z, T)), rel=1e-9)
    assert float(losses.poly(Z, T, epsilon=0.0)) == pytest.approx(float(losses.cross_entropy(Z, T)), rel=1e-12)
    assert float(losses.poly(Z, T, coefficients=(0.0, 3.0))) == pytest.approx(3 * ((1 - PT) ** 2).mean(), rel=1e-12)


def test_a_distribution_is_the_mean_of_its_classes() -> None:
    soft = RNG.dirichlet(np.ones(5), 40)
    for f in (losses.focal, losses.poly):
        each = np.stack([f(Z, np.full(40, c), reduction="none") for c in range(5)], axis=1)
        found = f(Z, soft, form="softmax")
        assert float(found) == pytest.approx(float((each * soft).sum(axis=1).mean()), rel=1e-12)


# ---- focal


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
def test_focal_of_several_classes(gamma: float) -> None:
    alpha = RNG.random(5)
    t = torch.tensor(np.where(np.arange(40) % 7 == 0, -100, T))

    def direct(z: Any) -> Any:
        rows = t != -100
        logs = torch.log_softmax(z[rows], 1).gather(1, t[rows, None])[:, 0]
        return -(torch.tensor(alpha)[t[rows]] * (1 - logs.exp()) ** gamma * logs).mean()

    both(lambda z: losses.focal(z, t, alpha=torch.tensor(alpha), gamma=gamma), direct, Z)
    assert float(losses.focal(Z, T, gamma=0.0)) == pytest.approx(float(losses.cross_entropy(Z, T)), rel=1e-12)


def test_focal_over_the_positives() -> None:
    total = float(losses.focal(B, Y, reduction="sum"))
    assert float(losses.focal(B, Y, normalize="positives")) == pytest.approx(total / Y.sum(), rel=1e-12)
    nothing = np.zeros(60)
    assert float(losses.focal(B, nothing, normalize="positives")) == pytest.approx(
        float(losses.focal(B, nothing, reduction="sum")), rel=1e-12
    )
    keep = np.arange(60) % 2 == 0
    assert float(losses.focal(B, Y, normalize="positives", mask=keep)) == pytest.approx(
        float(losses.focal(B[keep], Y[keep], normalize="positives")), rel=1e-12
    )


# ---- hinge


def test_hinge_of_several_classes_is_that_of_scikit_learn_and_torch() -> None:
    theirs = pytest.importorskip("sklearn.metrics").hinge_loss(T, Z, labels=np.arange(5))
    assert float(losses.hinge(Z, T)) == pytest.approx(theirs, rel=1e-12)
    t = torch.tensor(T)
    for squared in (False, True):
        both(
            lambda z: losses.hinge(z, t, multiclass="multi_margin", margin=1.5, squared=squared),  # noqa: B023
            lambda z: functional.multi_margin_loss(z, t, p=2 if squared else 1, margin=1.5),  # noqa: B023
            Z,
        )


def test_hinge_of_one_against_all_is_the_sum_of_two_class_hinges() -> None:
    signs = 2.0 * np.eye(5)[T] - 1
    single = losses.hinge(Z, signs, reduction="none").sum(axis=1)
    np.testing.assert_allclose(losses.hinge(Z, T, multiclass="one_vs_all", reduction="none"), single, rtol=1e-12)


# ---- hard numbers and refusals

FORMS: list[Any] = [
    ("label_smoothing", {}),
    ("poly", {}),
    ("poly", {"gamma": 0.5}),
    ("focal", {}),
    ("focal", {"gamma": 0.5}),
    *[("hinge", {"multiclass": name}) for name in ("crammer_singer", "multi_margin", "one_vs_all")],
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize(("name", "options"), FORMS, ids=[f"{n}-{o}" for n, o in FORMS])
def test_hard_numbers_stay_finite(name: str, options: Any, dtype: str) -> None:
    far = [[1e4, -1e4, 0.0], [-1e4, 1e4, 0.0], [0.0, 0.0, 0.0], [30.0, -30.0, 0.0]]
    z = torch.tensor(far, dtype=getattr(torch, dtype), requires_grad=True)
    value = getattr(losses, name)(z, torch.tensor([0, 0, 1, -100]), **options)
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(z.grad).all()
    assert (z.grad[3] == 0).all()


@pytest.mark.parametrize(("name", "options"), FORMS, ids=[f"{n}-{o}" for n, o in FORMS])
def test_all_ignored_and_one_row(name: str, options: Any) -> None:
    f = getattr(losses, name)
    z = torch.tensor(Z, requires_grad=True)
    value = f(z, torch.full((40,), -100), **options)
    value.backward()
    assert float(value) == 0
    assert (z.grad == 0).all()
    assert float(f(Z[:1], T[:1], **options)) == pytest.approx(float(f(Z[:2], T[:2], mask=[1, 0], **options)), rel=1e-12)


def test_probabilities_of_zero_and_one_have_finite_losses_and_gradients() -> None:
    for f in (losses.focal, losses.poly, losses.label_smoothing):
        p = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
        value = f(probabilities=p, target=torch.tensor([0, 0]))
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(p.grad).all()


REFUSED = [
    (lambda: losses.label_smoothing(Z, T, epsilon=1.0), r"epsilon must lie in \[0, 1\)"),
    (lambda: losses.label_smoothing(Z, T, convention="all"), "convention must be one of"),
    (lambda: losses.label_smoothing(Z[:, :1], np.zeros(40, int)), "no other class"),
    (lambda: losses.nll(Z, Z), "integers"),
    (lambda: losses.poly(Z, T, epsilon="much"), "epsilon must be a number"),
    (lambda: losses.poly(Z, T, coefficients=()), "coefficients must be a number"),
    (lambda: losses.poly(Z, T, gamma=-1.0), "gamma must be"),
    (lambda: losses.focal(Z, T, alpha=0.25), "one number per class"),
    (lambda: losses.focal(Z, T, alpha=(0.1, 0.2)), "alpha must hold one number for each of 5"),
    (lambda: losses.focal(B, Y, alpha=(0.1, 0.2)), "alpha of two classes is one number"),
    (lambda: losses.focal(Z, T, normalize="positives"), "is for two classes"),
    (lambda: losses.focal(Z, T, form="soft"), "form must be one of"),
    (lambda: losses.hinge(Z, T, multiclass="all"), "multiclass must be one of"),
    (lambda: losses.hinge(Z, T, margin=0), "margin must be"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()
