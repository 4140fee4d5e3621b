"""Rows 13 to 15 of the trap list and the errata of losses of embeddings: our number beside that of the other reading.

Seen in pytorch-metric-learning 2.9; if it changes its mind, its test here says so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay import losses

LINE, KINDS = np.array([[0.0], [2.0], [0.4], [3.0]]), [0, 0, 1, 1]  # alike: 2 and 2.6; unlike: 0.4, 3, 1.6 and 1


@pytest.mark.parametrize(
    ("form", "average", "value"),
    [
        ("hadsell", "all", (4 + 6.76 + 0.6**2) / 6),
        ("hadsell", "active", (4 + 6.76 + 0.6**2) / 3),
        ("squared", "all", (4 + 6.76 + (1 - 0.16)) / 6),
        ("linear", "all", (2 + 2.6 + 0.6) / 6),
        ("linear", "active_by_kind", (2 + 2.6) / 2 + 0.6),
    ],
)
def test_13_contrastive_squares_its_hinge_and_divides_by_all_pairs(form: Any, average: Any, value: float) -> None:
    assert float(losses.contrastive(LINE, KINDS, form=form, average=average)) == pytest.approx(value, rel=1e-12)
    if (form, average) == ("hadsell", "all"):
        assert float(losses.contrastive(LINE, KINDS)) == pytest.approx(value, rel=1e-12)


def test_13_peer() -> None:
    """pytorch-metric-learning: no squares, means over the pairs with a loss, of each kind alone."""
    torch = pytest.importorskip("torch")
    distances = pytest.importorskip("pytorch_metric_learning.distances")
    peer = pytest.importorskip("pytorch_metric_learning.losses")
    loss = peer.ContrastiveLoss(distance=distances.LpDistance(normalize_embeddings=False))
    assert float(loss(torch.tensor(LINE), torch.tensor(KINDS))) == pytest.approx(2.9, rel=1e-12)


SQUARE, SIDES = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]]), np.array([0, 0, 1, 1])


def test_14_circle_is_per_anchor_unless_pooled() -> None:
    def one(positive: list[float], negative: list[float]) -> float:
        pull = sum(math.exp(-8 * (1.25 - s) * (s - 0.75)) for s in positive)
        push = sum(math.exp(8 * max(0.0, s + 0.25) * (s - 0.25)) for s in negative)
        return math.log1p(pull * push)

    anchors = [one([0.6], [0.0, -0.6]), one([0.6], [0.8, 0.28]), one([0.8], [0.0, 0.8]), one([0.8], [-0.6, 0.28])]
    pooled = one([0.6, 0.8], [0.0, -0.6, 0.8, 0.28])
    form: Any = {"margin": 0.25, "gamma": 8.0}
    assert float(losses.circle(SQUARE, SIDES, **form)) == pytest.approx(np.mean(anchors), rel=1e-12)
    assert float(losses.circle(SQUARE, SIDES, pooled=True, **form)) == pytest.approx(pooled, rel=1e-12)
    assert pooled - np.mean(anchors) > 2.5


def test_14_weights_of_circle_are_constants() -> None:
    """Through its weight, (s + m)(s - m) would have the slope 2s = 1.0 instead of the weight 0.75."""
    torch = pytest.importorskip("torch")
    p, n = torch.tensor([0.5], requires_grad=True), torch.tensor([0.5], requires_grad=True)
    losses.circle(positive_similarity=p, negative_similarity=n, gamma=1.0).backward()
    outer = 1 / (1 + math.exp(-0.375))
    assert float(n.grad[0]) == pytest.approx(0.75 * outer, rel=1e-6)
    assert float(p.grad[0]) == pytest.approx(-0.75 * outer, rel=1e-6)


AXES, OWN = [[1.0, 0.0], [0.0, 1.0]], [0]


def entropy(own: float, other: float) -> float:
    return math.log1p(math.exp(other - own))


def test_15_arcface_takes_radians_and_moves_the_own_class_only() -> None:
    value = float(losses.arcface([[2.0, 0.0]], OWN, AXES, scale=1.0))
    assert value == pytest.approx(entropy(math.cos(0.5), 0.0), rel=1e-12)  # 0.348
    on_all = entropy(math.cos(0.5), math.cos(math.pi / 2 + 0.5))
    assert value - on_all > 0.1
    degrees_read_as_radians = entropy(math.cos(28.6), 0.0)
    assert degrees_read_as_radians - value > 0.7


def test_15_easy_margin_leaves_far_vectors_alone() -> None:
    far = [[-0.6, 0.8]]
    hard, easy = (float(losses.arcface(far, OWN, AXES, scale=1.0, easy_margin=easy)) for easy in (False, True))
    assert hard == pytest.approx(entropy(math.cos(math.acos(-0.6) + 0.5), 0.8), rel=1e-12)
    assert easy == pytest.approx(entropy(-0.6, 0.8), rel=1e-12)


def test_15_past_the_last_angle_the_loss_goes_on_rising() -> None:
    """cos(theta + m) turns at pi - m: a vector opposite to its class would be forgiven."""
    theta = np.array([math.pi - 0.5, math.pi - 0.25, math.pi])
    rows = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    value = losses.arcface(rows, np.zeros(3, int), [[1.0, 0.0], [0.0, 0.0]], scale=1.0, reduction="none")
    assert (np.diff(value) > 0).all()
    naive = [entropy(math.cos(t + 0.5), 0.0) for t in theta]
    assert naive[2] < naive[0]
    assert value[2] == pytest.approx(entropy(-1 - 0.5 * math.sin(0.5), 0.0), rel=1e-12)


# ---- errata


def test_sphereface_is_not_the_cosine_of_the_multiple_alone() -> None:
    """The survey's cos(4 theta) forgives a vector at a right angle to its class; the paper's psi gives it -3."""
    right_angle, other = [[0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]
    seed = entropy(math.cos(4 * math.pi / 2), 0.0)
    assert seed == pytest.approx(entropy(1.0, 0.0))  # as good as the class vector itself
    assert float(losses.sphereface(right_angle, OWN, other)) == pytest.approx(entropy(-3.0, 0.0), rel=1e-12)


def test_circle_has_the_margins_in_its_exponents() -> None:
    """With the optima there, as in the survey's equation 86, perfect similarities have a large loss."""
    gamma, m = 256.0, 0.25
    seed = math.log1p(math.exp(gamma * m * (0 + m) - gamma * m * (1 - (1 + m))))
    assert seed == pytest.approx(32.0, rel=1e-9)
    ours = float(losses.circle(positive_similarity=[1.0], negative_similarity=[0.0], margin=m, gamma=gamma))
    assert ours == pytest.approx(math.exp(-32.0), rel=1e-9)


def test_contrastive_is_over_pairs() -> None:
    """One label for an anchor and two others leaves one of them out; two pairs have two labels."""
    a, b = np.array([[0.0], [0.0]]), np.array([[2.0], [0.5]])

    def seed(label: int) -> float:
        return label * 4.0 + (1 - label) * max(0.0, 1 - 0.25)

    assert (seed(1), seed(0)) == (4.0, 0.75)
    pairs = losses.contrastive(a, [1, 0], other=b, form="squared", reduction="none")
    np.testing.assert_allclose(pairs, [4.0, 0.75], rtol=1e-12)
    assert float(losses.contrastive(a, [1, 0], other=b, reduction="sum")) == pytest.approx(4.25, rel=1e-12)
