"""Examples of losses of embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

BOTH = ("embeddings", "prototypes")
ROWS = ("embeddings", "target")


def _batch(rng: Any, n: int = 10, classes: int = 3, dimension: int = 4) -> dict[str, Any]:
    return {"embeddings": rng.normal(size=(n, dimension)), "target": np.arange(n) % classes}


def _with_prototypes(rng: Any) -> dict[str, Any]:
    return {**_batch(rng), "prototypes": rng.normal(size=(3, 4))}


@examples("softmax")
def _linear(rng: Any) -> list[Example]:
    inputs = _with_prototypes(rng)
    ignored = {**inputs, "target": np.where(np.arange(10) == 4, -100, inputs["target"])}
    with_bias = {**inputs, "bias": rng.normal(size=3)}
    return [Example(inputs, BOTH, ROWS), Example(ignored, BOTH), Example(with_bias, (*BOTH, "bias"), ROWS)]


@examples("cosface")
def _cosine_margin(rng: Any) -> list[Example]:
    inputs = _with_prototypes(rng)
    return [Example(inputs, BOTH, ROWS), Example(inputs, BOTH, ROWS, {"scale": 8.0, "margin": 0.1})]


@examples("arcface")
def _angular_margin(rng: Any) -> list[Example]:
    inputs = _with_prototypes(rng)
    ignored = {**inputs, "target": np.where(np.arange(10) == 4, -100, inputs["target"])}
    opposite = {**inputs, "embeddings": -2 * inputs["prototypes"][inputs["target"]] + 0.1 * inputs["embeddings"]}
    return [
        Example(inputs, BOTH, ROWS),
        Example(ignored, BOTH),
        Example(opposite, BOTH, ROWS, {"scale": 16.0}, wide=0.0),
        Example(inputs, BOTH, ROWS, {"easy_margin": True}),
    ]


@examples("sphereface")
def _multiplied_angle(rng: Any) -> list[Example]:
    inputs = _with_prototypes(rng)
    return [
        Example(inputs, BOTH, ROWS),
        Example(inputs, BOTH, ROWS, {"margin": 3, "annealing": 5.0}),
        Example(inputs, BOTH, ROWS, {"margin": 1}),
    ]


@examples("center")
def _centers(rng: Any) -> list[Example]:
    inputs = {**_batch(rng), "centers": rng.normal(size=(3, 4))}
    return [
        Example(inputs, ("embeddings",), ROWS),
        Example(inputs, ("embeddings", "centers"), ROWS, {"learn_centers": True}),
    ]


@examples("triplet")
def _triplets(rng: Any) -> list[Example]:
    given = {name: rng.normal(size=(9, 4)) for name in ("embeddings", "positive", "negative")}
    three, batch = tuple(given), _batch(rng)
    forms: list[dict[str, Any]] = [
        {},
        {"squared": False, "normalize": True, "average": "active"},
        {"mining": "hard", "margin": 1.0, "squared": False},
        {"mining": "semi_hard", "margin": 3.0},
    ]
    return [
        Example(given, three, three),
        Example(given, three, three, {"squared": False, "margin": 1.0}),
        Example(given, three, (), {"average": "active", "normalize": True}),
        *(Example(batch, ("embeddings",), options=form) for form in forms),
    ]


@examples("contrastive")
def _pairs(rng: Any) -> list[Example]:
    given = {"embeddings": rng.normal(size=(9, 4)), "other": rng.normal(size=(9, 4)), "target": np.arange(9) % 2}
    batch, rows = _batch(rng), ("embeddings", "other", "target")
    forms: list[dict[str, Any]] = [
        {"margin": 3.0},
        {"margin": 6.0, "form": "squared"},
        {"form": "linear", "normalize": True, "average": "active_by_kind"},
        {"margin": 2.0, "average": "active"},
    ]
    return [
        Example(given, ("embeddings", "other"), rows, {"margin": 3.0}),
        Example(given, ("embeddings", "other"), (), {"margin": 3.0, "average": "active", "form": "linear"}),
        *(Example(batch, ("embeddings",), options=form) for form in forms),
    ]


@examples("circle")
def _circles(rng: Any) -> list[Example]:
    batch = _batch(rng)
    aims = {"positive_optimum": 1.2, "negative_optimum": -0.1, "positive_margin": 0.8, "negative_margin": 0.3}
    sides = {"positive_similarity": rng.uniform(-1, 1, (5, 3)), "negative_similarity": rng.uniform(-1, 1, (5, 4))}
    return [
        Example(batch, ("embeddings",), stopped=True),  # the weights of the similarities are constants for the gradient
        Example(batch, ("embeddings",), options={"pooled": True, "gamma": 8.0}, stopped=True),
        Example(sides, tuple(sides), tuple(sides), {"gamma": 8.0}, stopped=True),
        Example(batch, ("embeddings",), options={"gamma": 8.0, **aims}, stopped=True),
    ]


@examples("simsiam")
def _siamese(rng: Any) -> list[Example]:
    inputs = {name: rng.normal(size=(7, 4)) for name in ("p1", "p2", "z1", "z2")}
    return [Example(inputs, ("p1", "p2"), tuple(inputs))]


@examples("barlow_twins")
def _twins(rng: Any) -> list[Example]:
    tall = {"first": rng.normal(size=(9, 4)), "second": rng.normal(size=(9, 4))}
    wide = {"first": rng.normal(size=(3, 8)), "second": rng.normal(size=(3, 8))}
    return [
        Example(tall, tuple(tall)),
        Example(tall, tuple(tall), options={"epsilon": 1e-5, "parts": True}),
        Example(wide, tuple(wide), options={"off_diagonal": 0.1}),
    ]


@examples("info_nce")
def _noise(rng: Any) -> list[Example]:
    views = {"embeddings": rng.normal(size=(6, 4)), "other": rng.normal(size=(6, 4))}
    hard = {**views, "negatives": rng.normal(size=(6, 2, 4))}
    shared = {**views, "negatives": rng.normal(size=(5, 4))}
    return [
        Example(_batch(rng), ("embeddings",)),
        Example(views, tuple(views), options={"temperature": 0.5}),
        Example(views, tuple(views), options={"form": "symmetric"}),
        Example(views, tuple(views), options={"form": "nt_xent", "temperature": 0.2}),
        Example(hard, tuple(hard), options={"normalize": False, "temperature": 1.0}),
        Example(shared, tuple(shared), options={"form": "nt_xent"}),
    ]
