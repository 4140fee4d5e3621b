"""Examples of losses of segmentation."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

SCORES = ("logits",)
IGNORED: dict[str, Any] = {"ignore_index": 255}


def _maps(rng: Any) -> tuple[Any, Any, Any]:
    """Logits of three classes, a map that holds two of them, and the same with a corner to ignore."""
    logits, labels = 2 * rng.normal(size=(2, 3, 4, 5)), rng.integers(0, 2, (2, 4, 5))
    void = labels.copy()
    void[:, :2, :2] = 255
    return logits, labels, void


def _form(inputs: dict[str, Any], **options: Any) -> Example:
    """A form beside the default one, which alone has the claims of the record."""
    return Example(inputs, SCORES, options=options, wide=0.0)


@examples("dice", "jaccard", "tversky")
def _overlaps(rng: Any) -> list[Example]:
    logits, labels, void = _maps(rng)
    soft = np.moveaxis(rng.dirichlet(np.ones(3), (2, 4, 5)), -1, 1)
    several = rng.integers(0, 2, (2, 3, 4, 5)).astype(float)
    chances = np.moveaxis(rng.dirichlet(np.ones(3), (2, 4, 5)), -1, 1)
    smoothed: dict[str, Any] = {
        "over": "image",
        "classes": "all",
        "smooth": (0.5, 1.0),
        "class_weight": [1.0, 2.0, 0.5],
    }
    weight = {"weight": rng.random((2, 4, 5)), "mask": labels >= 0}
    return [
        Example({"logits": logits, "target": labels}, SCORES),
        _form({"logits": logits, "target": void, **weight}, **IGNORED, **smoothed),
        _form({"logits": logits, "target": soft}, average="micro", classes=[0, 2]),
        _form({"logits": logits, "target": several}, form="multilabel"),
        Example({"probabilities": chances[:, 0], "target": labels}, ("probabilities",), (), {"form": "binary"}, 0.0),
    ]


@examples("lovasz_softmax")
def _sorted(rng: Any) -> list[Example]:
    logits, labels, void = _maps(rng)
    weight = rng.random((2, 4, 5))
    return [
        Example({"logits": logits, "target": labels}, SCORES),
        _form({"logits": logits, "target": void}, **IGNORED, classes="all"),
        _form({"logits": logits, "target": void, "weight": weight}, **IGNORED, over="image"),
        _form({"logits": logits[:, 0], "target": labels}),
        _form({"logits": logits[:, :1], "target": void}, **IGNORED, over="image", classes=[1]),
    ]


@examples("lovasz_hinge")
def _hinges(rng: Any) -> list[Example]:
    logits, labels, void = _maps(rng)
    several = rng.integers(0, 2, (2, 3, 4, 5))
    return [
        Example({"logits": logits[:, 0], "target": labels}, SCORES),
        _form({"logits": logits[:, 0], "target": void}, **IGNORED, over="image"),
        _form({"logits": logits, "target": several}, form="multilabel"),
    ]
