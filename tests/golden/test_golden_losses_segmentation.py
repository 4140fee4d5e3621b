"""Rows 7 and 8 of the trap list: one batch, one model, one name, and a value for every library.

Each number is what a library gives at its defaults, and the line beside it the setting of ours that gives the same. Two
images of 8 x 8 places and five classes: class 4 does not occur, and class 3 in the second image only. Libraries were
monai 1.6, kornia 0.9, smp 0.6 and optax 0.2; tests/losses/test_segmentation_peers.py compares with what is installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import losses

RNG = np.random.default_rng(7)
Y = RNG.integers(0, 4, (2, 8, 8))
Y[0][Y[0] == 3] = 0
Z = RNG.normal(size=(2, 5, 8, 8)) + 1.5 * np.moveaxis(np.eye(5)[Y], -1, 1)

DICE: dict[str, tuple[float, dict[str, Any]]] = {
    "assay": (0.522613, {}),
    "monai": (0.646707, {"over": "image", "classes": "all", "smooth": 1e-5}),
    "monai, batch=True": (0.618090, {"classes": "all", "smooth": 1e-5}),
    "monai, squared_pred=True": (0.524940, {"over": "image", "classes": "all", "smooth": 1e-5, "squared": True}),
    "kornia": (0.546363, {"over": "image", "classes": "all", "average": "micro", "smooth": (0.0, 1e-8)}),
    "kornia, average='macro'": (0.497629, {"over": "image", "smooth": (0.0, 1e-8)}),
    "optax": (0.572175, {"over": "image", "classes": "all", "smooth": 2.0}),
}
TVERSKY: dict[str, tuple[float, dict[str, Any]]] = {
    "assay": (0.528015, {}),
    "monai": (0.658964, {"over": "image", "classes": "all", "smooth": 1e-5}),
    "kornia": (0.516358, {"over": "image", "smooth": (0.0, 1e-8)}),
    "optax": (0.558307, {"over": "image", "classes": "all", "smooth": 1.0}),
}
LOVASZ: dict[str, tuple[float, dict[str, Any]]] = {
    "authors, smp": (0.547737, {}),
    "authors, smp, per_image=True": (0.557001, {"over": "image"}),
    "kornia": (0.564205, {"over": "image", "classes": "all"}),
}


@pytest.mark.parametrize("name", list(DICE))
def test_7_dice(name: str) -> None:
    value, setting = DICE[name]
    assert float(losses.dice(Z, Y, **setting)) == pytest.approx(value, abs=1e-6)


def test_7_absent_classes_that_count_zero() -> None:
    """smp adds nothing for a class that does not occur, and still divides by all: 0.418 where the mean is 0.523."""
    assert float(losses.dice(Z, Y, reduction="sum")) / 5 == pytest.approx(0.418090, abs=1e-6)
    assert float(losses.dice(Z, Y)) == pytest.approx(0.418090 * 5 / 4, abs=2e-6)


def test_7_each_choice_moves_the_value() -> None:
    """All of them are stated: none of the four choices is without effect on this batch."""
    choices: list[dict[str, Any]] = [{}, {"squared": True}, {"smooth": 1.0}, {"over": "image"}, {"classes": "all"}]
    values = [round(float(losses.dice(Z, Y, **choice)), 3) for choice in choices]
    assert len(set(values)) == len(choices)
    assert max(values) - min(values) > 0.1


@pytest.mark.parametrize("name", list(TVERSKY))
def test_8_tversky(name: str) -> None:
    value, setting = TVERSKY[name]
    assert float(losses.tversky(Z, Y, alpha=0.3, beta=0.7, **setting)) == pytest.approx(value, abs=1e-6)


def test_8_alpha_weighs_false_positives() -> None:
    """Foreground everywhere: two false positives beside one hit, and no miss. Salehi 2017: alpha is theirs."""
    everywhere: Any = {"probabilities": np.ones(3), "target": np.array([1.0, 0.0, 0.0]), "form": "binary"}
    assert float(losses.tversky(**everywhere, alpha=0.5, beta=0.0)) == pytest.approx(0.5)
    assert float(losses.tversky(**everywhere, alpha=0.0, beta=0.5)) == 0.0  # with the two taken the other way round
    swapped = losses.tversky(Z, Y, alpha=0.7, beta=0.3)
    assert float(swapped) == pytest.approx(0.510160, abs=1e-6)  # for 0.528015


def test_8_one_ratio_of_all_classes_cannot_tell_them_apart() -> None:
    """A softmax gives every place 1 in all: summed over classes, false positives are false negatives, and alpha + beta is all."""
    ways = [losses.tversky(Z, Y, average="micro", classes="all", alpha=a, beta=1 - a) for a in (0.1, 0.5, 0.9)]
    assert [float(way) for way in ways] == pytest.approx([0.546363] * 3, abs=1e-6)
    assert float(ways[0]) == pytest.approx(float(ways[2]), rel=1e-12)
    classes = [losses.tversky(Z, Y, alpha=a, beta=1 - a) for a in (0.1, 0.9)]
    assert abs(float(classes[0]) - float(classes[1])) > 0.03


@pytest.mark.parametrize("name", list(LOVASZ))
def test_lovasz(name: str) -> None:
    value, setting = LOVASZ[name]
    assert float(losses.lovasz_softmax(Z, Y, **setting)) == pytest.approx(value, abs=1e-6)
