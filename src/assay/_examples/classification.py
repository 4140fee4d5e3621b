"""Examples of losses of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay._examples import Example, examples

PAIR = ("logits", "target")


@examples("binary_cross_entropy", "focal")
def _binary(rng: Any) -> list[Example]:
    hard = {"logits": 3 * rng.normal(size=30), "target": rng.integers(0, 2, 30).astype(float)}
    soft = {"logits": 3 * rng.normal(size=30), "target": rng.random(30)}
    chances = {"probabilities": rng.uniform(0.05, 0.95, 30), "target": rng.random(30)}
    return [
        Example(hard, PAIR[:1], PAIR),
        Example(soft, PAIR[:1], PAIR),
        Example(chances, ("probabilities",), ("probabilities", "target"), wide=0.0),
    ]


@examples("hinge")
def _margins(rng: Any) -> list[Example]:
    inputs = {"logits": 3 * rng.normal(size=30), "target": rng.choice([-1.0, 1.0], 30)}
    return [Example(inputs, PAIR[:1], PAIR), Example(inputs, PAIR[:1], PAIR, {"squared": True}, wide=0.0)]


@examples("cross_entropy")
def _classes(rng: Any) -> list[Example]:
    target = rng.integers(0, 5, 12)
    ignored = np.where(np.arange(12) % 4 == 3, -100, target)
    logits = 3 * rng.normal(size=(12, 5))
    return [
        Example({"logits": logits, "target": target}, PAIR[:1], PAIR, {"label_smoothing": 0.1}),
        Example({"logits": logits, "target": ignored}, PAIR[:1]),
        Example({"logits": logits, "target": rng.dirichlet(np.ones(5), 12)}, PAIR[:1], PAIR),
        Example({"logits": rng.normal(size=(2, 3, 4, 2)), "target": rng.integers(0, 3, (2, 4, 2))}, PAIR[:1], PAIR),
    ]
