"""Examples of losses of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

PAIR = ("logits", "target")


@examples("binary_cross_entropy", "focal", "poly")
def _binary(rng: Any) -> list[Example]:
    hard = {"logits": 3 * rng.normal(size=30), "target": rng.integers(0, 2, 30).astype(float)}
    soft = {"logits": 3 * rng.normal(size=30), "target": rng.random(30)}
    chances = {"probabilities": rng.uniform(0.05, 0.95, 30), "target": rng.random(30)}
    return [
        Example(hard, PAIR[:1], PAIR),
        Example(soft, PAIR[:1], PAIR),
        Example(chances, ("probabilities",), ("probabilities", "target"), wide=0.0),
    ]


def _several(rng: Any, **options: Any) -> Example:
    inputs = {"logits": 3 * rng.normal(size=(12, 5)), "target": rng.integers(0, 5, 12)}
    return Example(inputs, PAIR[:1], PAIR, options)


def _places(rng: Any, **options: Any) -> Example:
    inputs = {"logits": rng.normal(size=(2, 3, 4, 2)), "target": rng.integers(0, 3, (2, 4, 2))}
    return Example(inputs, PAIR[:1], PAIR, options)


def _chances(rng: Any, **options: Any) -> Example:
    inputs = {"probabilities": rng.dirichlet(np.full(4, 5.0), 9), "target": rng.integers(0, 4, 9)}
    return Example(inputs, ("probabilities",), ("probabilities", "target"), options, wide=0.0)


def _mixed(rng: Any, **options: Any) -> Example:
    inputs = {"logits": 2 * rng.normal(size=(12, 5)), "target": rng.dirichlet(np.ones(5), 12)}
    return Example(inputs, PAIR[:1], PAIR, options)


@examples("focal")
def _focal(rng: Any) -> list[Example]:
    found = [*_binary(rng), _several(rng), _several(rng, alpha=(0.1, 0.2, 0.3, 0.4, 1.0), gamma=0.5)]
    positives = Example(found[0].inputs, PAIR[:1], (), {"normalize": "positives"})
    return [*found, positives, _places(rng, gamma=1.0), _chances(rng), _mixed(rng, form="softmax")]


@examples("poly")
def _poly(rng: Any) -> list[Example]:
    found = [*_binary(rng), _several(rng), _several(rng, epsilon=(1.0, -0.5), gamma=2.0), _places(rng)]
    return [*found, _several(rng, coefficients=(1.0, 0.5, 0.25)), _chances(rng), _mixed(rng, form="softmax")]


@examples("hinge")
def _margins(rng: Any) -> list[Example]:
    inputs = {"logits": 3 * rng.normal(size=30), "target": rng.choice([-1.0, 1.0], 30)}
    found = [Example(inputs, PAIR[:1], PAIR), Example(inputs, PAIR[:1], PAIR, {"squared": True}, wide=0.0)]
    forms = ("crammer_singer", "multi_margin", "one_vs_all")
    found += [_several(rng, multiclass=name) for name in forms]
    squared = [_several(rng, multiclass=name, squared=True) for name in forms]
    found += [Example(one.inputs, PAIR[:1], PAIR, one.options, wide=0.0) for one in squared]
    return [*found, _places(rng)]


@examples("cross_entropy")
def _classes(rng: Any) -> list[Example]:
    smooth = _several(rng, label_smoothing=0.1)
    ignored = np.where(np.arange(12) % 4 == 3, -100, smooth.inputs["target"])
    weights = (0.5, 1.0, 2.0, 0.0, 3.0)
    return [
        smooth,
        Example({**smooth.inputs, "target": ignored}, PAIR[:1]),
        Example({**smooth.inputs, "target": ignored}, PAIR[:1], (), {"class_weight": weights, "label_smoothing": 0.2}),
        _mixed(rng),
        Example(_mixed(rng).inputs, PAIR[:1], (), {"class_weight": weights, "label_smoothing": 0.2}),
        _places(rng),
        Example(_places(rng).inputs, PAIR[:1], (), {"class_weight": (0.5, 1.0, 2.0), "label_smoothing": 0.1}),
        _chances(rng),
    ]


@examples("label_smoothing")
def _smoothed(rng: Any) -> list[Example]:
    return [_several(rng), _several(rng, convention="uniform"), _mixed(rng), _places(rng, epsilon=0.3), _chances(rng)]


@examples("nll")
def _logs(rng: Any) -> list[Example]:
    names = ("log_probabilities", "target")
    rows = {names[0]: np.log(rng.dirichlet(np.ones(4), 10)), names[1]: rng.integers(0, 4, 10)}
    places = {names[0]: rng.normal(size=(2, 3, 4)), names[1]: rng.integers(0, 3, (2, 4))}
    weighted = Example(rows, names[:1], (), {"class_weight": (1.0, 0.0, 2.0, 0.5)})
    return [Example(rows, names[:1], names), Example(places, names[:1], names), weighted]
