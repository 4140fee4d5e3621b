"""Examples of losses of detection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

PAIR = ("prediction", "target")


def _boxes(rng: Any, *shape: int) -> Any:
    """Boxes as two corners, in a frame of 10."""
    low = 4 * rng.random((*shape, 2))
    return np.concatenate([low, low + 1 + 5 * rng.random((*shape, 2))], axis=-1)


@examples("iou", "giou", "diou")
def _overlaps(rng: Any) -> list[Example]:
    pairs = {"prediction": _boxes(rng, 12), "target": _boxes(rng, 12)}
    grid = {"prediction": _boxes(rng, 4, 3), "target": _boxes(rng, 4, 3)}
    far = {"prediction": _boxes(rng, 8), "target": _boxes(rng, 8) + 7.0}
    sized = {name: np.concatenate([rng.random((9, 2)), 0.5 + rng.random((9, 2))], axis=1) for name in PAIR}
    both = {"prediction": _boxes(rng, 5), "target": _boxes(rng, 7)}
    return [
        Example(pairs, PAIR[:1], PAIR),
        Example(grid, PAIR[:1], PAIR),
        Example(far, PAIR, PAIR),
        Example(sized, PAIR[:1], PAIR, {"form": "xywh"}),
        Example(sized, PAIR[:1], PAIR, {"form": "cxcywh"}),
        Example(both, PAIR[:1], PAIR[:1], {"pairs": "all"}),
    ]


@examples("ciou")
def _weighted(rng: Any) -> list[Example]:
    """The weight of the shape is a constant for the gradient."""
    return [replace(example, stopped=True) for example in _overlaps(rng)]


@examples("yolo")
def _grids(rng: Any) -> list[Example]:
    target = np.zeros((3, 2, 4, 8))
    target[..., :4] = 0.2 + 0.6 * rng.random((3, 2, 4, 4))
    target[..., 4] = rng.random((3, 2, 4)) < 0.6
    target[..., 5:] = np.eye(3)[rng.integers(0, 3, (3, 2, 4))]
    inputs = {"prediction": 0.1 + 0.8 * rng.random((3, 2, 4, 13)), "target": target}
    survey = {"square_root": False, "lambda_noobj": 1.0, "objectness": "one", "classification": "cross_entropy"}
    return [
        Example(inputs, PAIR[:1], PAIR, stopped=True),  # the objectness aims at the IoU, which is a constant
        Example(inputs, PAIR[:1], PAIR, survey),
        Example(inputs, PAIR[:1], (), {"parts": True, "objectness": "one"}),
    ]
