"""Example images for the laws of detection metrics: objects in the cells of a small frame, and what a fair detector finds.

Objects of different images lie in the same few places, so that detections of other images go wrong in every way.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

CELLS, SIDE, CLASSES, POINTS = 4, 12, 3, 17


def boxes(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    """Pairs of boxes as two corners, near each other."""
    low = rng.integers(0, 32, (rows, 2)) / 4
    true = np.concatenate([low, low + rng.integers(8, 32, (rows, 2)) / 4], axis=1)
    moved = true + rng.integers(-4, 5, (rows, 4)) / 4
    return true, np.concatenate([moved[:, :2], np.maximum(moved[:, 2:], moved[:, :2])], axis=1)


def objects(rng: np.random.Generator, rows: int, masks: bool = False) -> tuple[Any, Any, Any]:
    """(truth, fair, perfect): a mapping an image, in arrays of objects."""
    truth, fair = [_image(rng) for _ in range(rows)], list[dict[str, Any]]()
    for image in truth:
        fair.append(_found(rng, image))
    for image in (*truth, *fair):
        if masks:
            image["masks"] = [_mask(box) for box in image["boxes"]]
        else:
            image["keypoints"] = np.stack([_points(box) for box in image["boxes"]]) if len(image["boxes"]) else []
    _scored(rng, fair)
    perfect = [dict(image) for image in truth]
    for image in () if masks else truth:
        image["area"] = (image["boxes"][:, 2:] - image["boxes"][:, :2]).prod(axis=1)  # poses are measured by it
    _scored(rng, perfect)
    return _listed(truth), _listed(fair), _listed(perfect)


def federated(rng: np.random.Generator, rows: int, masks: bool = False) -> tuple[Any, Any, Any]:
    """The same with images that are labelled with some classes: others were looked for in vain, or not at all."""
    truth, fair, perfect = objects(rng, rows, masks)
    for image in truth:
        there = np.isin(np.arange(CLASSES), image["labels"])
        some = rng.random(CLASSES) < 0.5
        image["neg_category_ids"] = np.flatnonzero(some & ~there)
        image["not_exhaustive_category_ids"] = np.flatnonzero((rng.random(CLASSES) < 0.2) & there)
        image["frequency"] = np.array(["r", "c", "f"])[image["labels"]]
    return truth, fair, perfect


def _image(rng: np.random.Generator) -> dict[str, Any]:
    cells = np.flatnonzero(rng.random(CELLS) < 0.6)
    low = SIDE * np.stack([cells % 2, cells // 2], axis=1) + rng.integers(0, 9, (len(cells), 2)) / 4
    corners = np.concatenate([low, low + rng.integers(28, 40, (len(cells), 2)) / 4], axis=1)
    return {"boxes": corners, "labels": rng.integers(0, CLASSES, len(cells))}


def _found(rng: np.random.Generator, image: dict[str, Any]) -> dict[str, Any]:
    """Some objects are missed, some found twice, some far off or of another class; and some are invented."""
    at = np.repeat(np.arange(len(image["labels"])), rng.choice(3, len(image["labels"]), p=[0.15, 0.6, 0.25]))
    far = 1 + 3 * (rng.random((len(at), 1)) < 0.2)
    near = image["boxes"][at] + np.tile(rng.integers(-3, 4, (len(at), 2)) / 4 * far, 2)
    other = rng.integers(0, CLASSES, len(at))
    labels = cast(Any, np.where(rng.random(len(at)) < 0.15, other, image["labels"][at]))
    invented = _image(rng)
    few = rng.random(len(invented["labels"])) < 0.2
    return {
        "boxes": np.concatenate([np.maximum(near, 0), invented["boxes"][few]]),
        "labels": np.concatenate([labels, invented["labels"][few]]),
    }


def _mask(box: Any) -> Any:
    pixels = np.zeros((2 * SIDE + 4, 2 * SIDE + 4), np.uint8)
    x0, y0, x1, y1 = (round(v) for v in box.tolist())
    pixels[y0:y1, x0:x1] = 1
    return pixels


def _points(box: Any) -> Any:
    """Points along the diagonal, all visible."""
    share = (np.arange(POINTS) % 5 / 4)[:, None]
    return np.concatenate([box[:2] + share * (box[2:] - box[:2]), np.full((POINTS, 1), 2.0)], axis=1).reshape(-1)


def _scored(rng: np.random.Generator, images: list[dict[str, Any]]) -> None:
    """No score comes twice: equal scores keep the order of images, which is not a law."""
    scores = iter(rng.permutation(4096)[: sum(len(image["labels"]) for image in images)] / 4096)
    for image in images:
        image["scores"] = np.array([next(scores) for _ in image["labels"]])


def _listed(images: list[Any]) -> Any:
    found = np.empty(len(images), dtype=object)
    found[:] = images
    return found
