"""Losses that look at their values: what cannot be right is refused with its place, and nothing else is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import losses as find_losses
from assay.testing.examples import examples_of
from messages import refusal

INF = math.inf
LOGITS = np.zeros((2, 4, 3))
HALF = np.full((2, 2), 0.5)


def ck(name: str) -> Any:
    """The loss, checked."""
    return assay.checked(name)


REFUSED: list[tuple[Any, str]] = [
    (lambda: ck("token_cross_entropy")(LOGITS, [[0, 1, 2, 3], [0, 0, 0, 0]]), r"classes 0 to 2.*got 3 at \(0, 3\)"),
    (lambda: ck("token_cross_entropy")(hidden=LOGITS, output=np.ones((5, 3)), target=np.full((2, 4), 5)), "0 to 4"),
    (lambda: ck("cross_entropy")(HALF, [0, -1], ignore_index=None), "classes 0 to 1.*got -1 at 1"),
    (lambda: ck("nll")(-HALF, [0, 2]), "classes 0 to 1.*got 2 at 1"),
    (lambda: ck("arcface")(HALF, [0, 3], np.eye(2)), "classes 0 to 1.*got 3 at 1"),
    (lambda: ck("center")(HALF, [0, -1], np.eye(2)), "classes 0 to 1.*got -1 at 1"),
    (
        lambda: ck("kl_divergence")(probabilities=0.6 * np.ones((1, 2)), target=[[0.5, 0.5]]),
        "probabilities must add up",
    ),
    (lambda: ck("kl_divergence")(probabilities=[[0.5, 0.5]], target=[[0.5, 0.6]]), "target must add up to 1"),
    (lambda: ck("kl_divergence")(probabilities=[0.5, 0.5], target=[0.5, 0.6]), "target must add up to 1"),
    (lambda: ck("cross_entropy")(HALF, [[1.5, -0.5], [1.0, 0.0]]), "target must not be negative, got -0.5"),
    (lambda: ck("cross_entropy")(probabilities=[0.5, 0.6], target=1), "probabilities must add up to 1"),
    (lambda: ck("lovasz_hinge")([0.5, 1.0], [0.5, 1.0]), "target must be 0 or 1, got 0.5 at 0"),
    (lambda: ck("iou")([[0.0, 0, -1, 1]], [[0.0, 0, 1, 1]], form="xywh"), "sizes that are not negative, got -1.0"),
    (lambda: ck("giou")([[0.0, 0, 1, 1]], [[0.0, 0, 1, -2]], form="cxcywh"), "target must have sizes"),
    (lambda: ck("contrastive")([[0.0]], [2], other=[[1.0]]), "target must be 0 or 1, got 2 at 0"),
    (lambda: ck("cross_entropy")([[INF, 0.0]], [0]), "logits must be finite, got inf"),
    (lambda: ck("mse")((1.0, math.nan), (1.0, 2.0)), "prediction must be finite, got nan at 1"),
    (lambda: ck("dice")(np.zeros((1, 4)), [[0, 1, 2, 1]], form="binary"), r"target must lie in \[0, 1\], got 2"),
    (lambda: ck("binary_cross_entropy")([0.0], [1.0], class_weight=(-1.0, 1.0)), "class_weight must not be negative"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[str(i) for i in range(len(REFUSED))])
def test_what_cannot_be_right_is_refused(call: Any) -> None:
    with refusal(assay.InputError):
        call()


SCORES = np.array([[0.3, -1.0, 0.2, INF]])
ALLOWED: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("dice", (np.array([[0.3, -1.0, 0.2, 2.0]]), np.array([[0, 1, 1, -100]])), {"form": "binary"}),
    ("dice", (SCORES, np.array([[0, 1, 1, -100]])), {"form": "binary"}),
    ("mse", ([1.0, INF], [1.0, 2.0]), {"mask": [True, False]}),
    ("cross_entropy", (np.array([[0.0, 1.0], [INF, 0.0]]), np.array([1, -100])), {}),
    ("cross_entropy", (np.array([[0.0, 1.0], [math.nan, 0.0]]), np.array([1, 0])), {"mask": [1, 0]}),
    ("cross_entropy", (np.array([[0.0, -INF]]), np.array([0])), {}),
    ("cross_entropy", (((0.0, 1.0), (1.0, 0.0)), (0, 1)), {}),
    ("cross_entropy", ([0.0, 1.0], 1), {}),
    ("token_cross_entropy", (LOGITS, np.array([[0, 1, 2, -100], [0, 0, 0, 0]])), {}),
    ("binary_cross_entropy", (), {"probabilities": [0.2, 0.9], "target": [0, 1]}),
    ("kl_divergence", (), {"probabilities": [[0.5, 0.5]], "target": [[1.0, 0.0]]}),
    ("arcface", (HALF, np.array([0, -100]), np.eye(2)), {}),
    ("hinge", (HALF, np.array([0, 1])), {}),
    ("iou", ([[0.0, 0, 1, 1]], [[0.0, 0, 1, 2]]), {"form": "xywh"}),
]


@pytest.mark.parametrize(("name", "inputs", "named"), ALLOWED, ids=[f"{i}-{c[0]}" for i, c in enumerate(ALLOWED)])
def test_what_is_right_passes_unchanged(name: str, inputs: Any, named: Any) -> None:
    np.testing.assert_array_equal(ck(name)(*inputs, **named), getattr(losses, name)(*inputs, **named))


@pytest.mark.parametrize("loss", find_losses(), ids=lambda f: f.key)
def test_every_example_of_the_laws_passes(loss: Any) -> None:
    """What the examples hold is right, so nothing of it may be refused."""
    for example in examples_of(loss):
        value = assay.checked(loss)(**example.inputs, **example.options)
        assert np.isfinite(value.total if hasattr(value, "total") else value).all()
