"""Objects of images as columns: boxes, labels, scores, crowds, masks and keypoints in flat arrays, checked once.

Readers and `assay.data.image_records` make these columns; detection metrics take them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike as NumberLike
from numpy.typing import NDArray

from assay.core.errors import InputError, arg
from assay.core.ragged import Ragged
from assay.data.masks import Masks

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]
Where = Callable[[int], str]
FREQUENCIES = {"rare": "r", "common": "c", "frequent": "f"}  # how LVIS groups classes, and its letters for that


def to_xywh(boxes: NumberLike, box_format: BoxFormat) -> NDArray[np.float64]:
    """Boxes as (x, y, width, height)."""
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    if box_format == "xywh":
        return boxes
    if box_format == "cxcywh":
        return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]], axis=1)
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def objects(
    items: Mapping[str, Any], counts: NumberLike, *, predicted: bool, who: str, where: Where | None = None, masks: Masks | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Ragged:  # fmt: skip
    """The column of objects from flat arrays: ``box`` (x, y, width, height), ``label``, and what else is known of them.

    What is missing is filled in: no crowds, nothing ignored, a box around the mask or the keypoints. ``size`` is the area of the mask or
    of the box; ``area`` is there only if it is stated.
    """
    found = dict(items)
    n = len(found["label"])

    def place(at: int) -> str:
        return f"object {at}" if where is None else where(at)

    _check_boxes(found.get("box"), n, who, place)
    if predicted:
        _check_scores(found.get("score"), n, who, place)
    if "box" not in found:
        found |= _boxed(found, n, masks)
    found["size"] = masks.area().astype(np.float64) if masks is not None else found["box"][:, 2] * found["box"][:, 3]
    _check_numbers(found, who, place)
    if not predicted and n and "keypoints" in found:
        _check_visibility(found["keypoints"], who, place)
    for name in ("crowd", "ignore"):
        found[name] = _flags(found.get(name), n, name, who, place)
    pools: dict[str, Any] = {}
    if masks is not None:
        found["mask"] = np.arange(n)
        pools["masks"] = masks
    return Ragged.of(found, counts, pools=pools, facts=facts or {})


def _check_numbers(found: Mapping[str, Any], who: str, where: Where) -> None:
    """Areas and keypoints that are not numbers would pass every comparison as false."""
    for name in ("keypoints", "area"):
        if name not in found or not len(found["label"]):
            continue
        values = np.asarray(found[name], dtype=np.float64).reshape(len(found["label"]), -1)
        bad = ~np.isfinite(values).all(axis=1) | (name == "area") * (values < 0).any(axis=1)
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(
                f"{who}: {where(at)}",
                name,
                f"must be finite{' and not negative' if name == 'area' else ''}{_count(bad)}",
            )


def _flags(flags: Any, n: int, name: str, who: str, where: Where) -> Any:
    if flags is None:
        return np.zeros(n, np.uint8)
    values = np.asarray(flags)
    bad = (values != 0) & (values != 1)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}", "iscrowd" if name == "crowd" else name, f"must be 0 or 1, got {values[at]}"
        )
    return values.astype(np.uint8)


def _boxed(found: Mapping[str, Any], n: int, masks: Any) -> dict[str, Any]:
    """Boxes around masks or keypoints; those of keypoints are marked, because the object reaches beyond its points."""
    if masks is not None:
        return {"box": masks.boxes()}
    if "keypoints" in found:
        return {"box": _around(found["keypoints"]), "implied": np.ones(n, bool)}
    return {"box": np.zeros((n, 4))}  # no object at all


def _check_visibility(points: Any, who: str, where: Where) -> None:
    """COCO's flags; anything else is another format, such as the score of a point."""
    flags = points[:, 2::3]
    bad = ((flags != 0) & (flags != 1) & (flags != 2)).any(axis=1)
    if bad.any():
        at = int(np.argmax(bad))
        value = next(v for v in flags[at].tolist() if v not in (0, 1, 2))
        raise InputError(
            f"{who}: {where(at)}",
            "keypoints",
            f"must have the visibility 0 (not labelled), 1 (hidden) or 2 (visible), got {value:g}{_count(bad)}",
        )


def _around(points: Any) -> Any:
    x, y = points[:, 0::3], points[:, 1::3]
    low = np.stack([x.min(axis=1), y.min(axis=1)], axis=1)
    high = np.stack([x.max(axis=1), y.max(axis=1)], axis=1)
    return np.concatenate([low, high - low], axis=1)


def _check_boxes(boxes: Any, n: int, who: str, where: Where) -> None:
    if boxes is None:
        return
    if boxes.shape != (n, 4):
        raise InputError(who, "boxes", f"must be four numbers per object, got shape {boxes.shape} for {n} labels")
    if not n:
        return
    bad = ~np.isfinite(boxes).all(axis=1)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}", "box", f"must be finite, got {boxes[at].tolist()}{_count(bad)}", "Repair or drop it."
        )
    bad = (boxes[:, 2] < 0) | (boxes[:, 3] < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}",
            "box",
            f"must not have a negative size, got {boxes[at].tolist()} (x, y, width, height){_count(bad)}",
            f"Check {arg('box_format')}.",
        )


def _check_scores(scores: Any, n: int, who: str, where: Where) -> None:
    if scores is None or len(scores) != n:
        raise InputError(
            who, "scores", f"must be one per prediction, got {0 if scores is None else len(scores)} for {n}"
        )
    bad = ~np.isfinite(scores)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}", "score", f"must be finite, got {scores[at]}{_count(bad)}", "Repair or drop it."
        )


def _count(bad: Any) -> str:
    return f" ({int(bad.sum())} such objects)" if bad.sum() > 1 else ""


def is_federated(objects: object) -> bool:
    """Whether images say which classes were looked for."""
    return isinstance(objects, Ragged) and "negative" in objects.facts
