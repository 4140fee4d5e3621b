"""Objects of images as columns: boxes in any format, labels, scores, crowds, masks and keypoints, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import describe, ingest, to_host
from assay.core.errors import InputError
from assay.core.ragged import Ragged
from assay.metrics.detection.shapes import FREQUENCIES

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]
_SPELLINGS = {
    "boxes": "boxes", "bbox": "boxes", "scores": "scores", "score": "scores", "labels": "labels", "label": "labels",
    "category_id": "labels", "masks": "masks", "segmentation": "masks", "keypoints": "keypoints", "iscrowd": "crowd",
    "crowd": "crowd", "ignore": "ignore", "difficult": "ignore", "area": "area", "size": "size",
    "frequency": "frequency", "neg_category_ids": "negative", "not_exhaustive_category_ids": "not_exhaustive",
}  # fmt: skip
_OF_IMAGES = ("size", "negative", "not_exhaustive")  # what is not one entry an object
Where = Callable[[int], str]


def to_xywh(boxes: Any, box_format: BoxFormat) -> Any:
    """Boxes as (x, y, width, height)."""
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    if box_format == "xywh":
        return boxes
    if box_format == "cxcywh":
        return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]], axis=1)
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def objects(
    items: Mapping[str, Any], counts: Any, *, predicted: bool, who: str, where: Where | None = None, masks: Any = None,
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
    """Areas and keypoints that are no numbers would pass every comparison as false."""
    for name in ("keypoints", "area"):
        if name not in found or not len(found["label"]):
            continue
        values = np.asarray(found[name], dtype=np.float64).reshape(len(found["label"]), -1)
        bad = ~np.isfinite(values).all(axis=1) | (name == "area") * (values < 0).any(axis=1)
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(
                f"{who}: {where(at)}: {name} must be finite{' and not negative' if name == 'area' else ''}. {_count(bad)}"
            )


def _flags(flags: Any, n: int, name: str, who: str, where: Where) -> Any:
    if flags is None:
        return np.zeros(n, np.uint8)
    values = np.asarray(flags)
    bad = (values != 0) & (values != 1)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}: {'iscrowd' if name == 'crowd' else name} must be 0 or 1, got {values[at]}."
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
            f"{who}: {where(at)}: the visibility of a keypoint must be 0 (not labelled), 1 (hidden) or 2 (visible), got {value:g}. "
            f"{_count(bad)}"
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
        raise InputError(f"{who}: boxes must be four numbers an object, got shape {boxes.shape} for {n} labels.")
    if not n:
        return
    bad = ~np.isfinite(boxes).all(axis=1)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}: the box {boxes[at].tolist()} must be finite. {_count(bad)}Repair or drop it."
        )
    bad = (boxes[:, 2] < 0) | (boxes[:, 3] < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"{who}: {where(at)}: the box has a negative size (x, y, width, height: {boxes[at].tolist()}). {_count(bad)}"
            "Is the box format the one you named?"
        )


def _check_scores(scores: Any, n: int, who: str, where: Where) -> None:
    if scores is None or len(scores) != n:
        raise InputError(f"{who}: every prediction needs a score, got {0 if scores is None else len(scores)} for {n}.")
    bad = ~np.isfinite(scores)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(f"{who}: {where(at)}: the score is {scores[at]}. {_count(bad)}Repair or drop it.")


def _count(bad: Any) -> str:
    return f"There are {int(bad.sum())} of them. " if bad.sum() > 1 else ""


def from_images(images: Any, *, predicted: bool, box_format: BoxFormat, who: str, name: str) -> Ragged:
    """From a list with one mapping an image: ``boxes``, ``labels``, ``scores`` and perhaps ``masks``, ``iscrowd``, ``area``.

    This is the format that torchmetrics takes; tensors, arrays and lists are all fine.
    """
    if isinstance(images, Ragged):
        return images
    rows = [_named(row, i, who, name) for i, row in enumerate(_listed(images, who, name))]
    if not rows:
        raise InputError(f"{who}: {name} is empty; at least one image is needed.")
    sizes = [_size(row, i, who, name) for i, row in enumerate(rows)]
    edges = np.concatenate([[0], np.cumsum(sizes)])

    def where(item: int) -> str:
        image = int(np.searchsorted(edges, item, side="right")) - 1
        return f"{name}, image {image}, object {item - int(edges[image])}"

    columns: dict[str, Any] = {"label": _labels(_joined(rows, sizes, "labels", who, where), who, where)}
    for key, column in (
        ("scores", "score"),
        ("crowd", "crowd"),
        ("ignore", "ignore"),
        ("area", "area"),
        ("frequency", "frequency"),
    ):
        columns[column] = _joined(rows, sizes, key, who, where)
    boxes = _joined(rows, sizes, "boxes", who, where, width=4)
    if boxes is not None:
        columns["box"] = to_xywh(boxes, box_format)
    points = _joined(rows, sizes, "keypoints", who, where)
    if points is not None and len(points):  # no object tells how many keypoints there are
        columns["keypoints"] = points.reshape(len(points), -1).astype(np.float64)
    masks = _masks(rows, sizes, who, where)
    kept = {key: value for key, value in columns.items() if value is not None}
    if not {"box", "keypoints"} & set(kept) and masks is None and sum(sizes):
        raise InputError(f"{who}: {name} needs boxes, masks or keypoints beside the labels.")
    facts = {} if predicted else federation(rows, who)
    return objects(kept, sizes, predicted=predicted, who=who, where=where, masks=masks, facts=facts)


def federation(rows: list[dict[str, Any]], who: str) -> dict[str, Any]:
    """The classes that each image was searched for in vain, and those that are not labelled exhaustively; empty if none says so."""
    names = {"negative": "neg_category_ids", "not_exhaustive": "not_exhaustive_category_ids"}
    if not any(name in row for row in rows for name in names):
        return {}
    facts: dict[str, Any] = {}
    for name, spelling in names.items():
        facts[name] = np.empty(len(rows), dtype=object)
        for image, row in enumerate(rows):
            if name not in row:
                raise InputError(
                    f"{who}: y_true, image {image} has no {spelling}; give all images both lists, empty or not."
                )
            facts[name][image] = to_host(ingest(row[name], name=spelling, who=who)).reshape(-1)
    return facts


def _labels(labels: Any, who: str, where: Where) -> Any:
    if labels.ndim != 1:
        raise InputError(f"{who}: labels must be one a object, got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError(f"{who}: {where(int(np.argmax(~np.isfinite(labels))))}: the label is missing.")
    return labels


def refuse_kinds(truth: Ragged, found: Ragged, who: str) -> None:
    """Text and numbers are never the same label, whatever they look like."""
    kinds = [side["label"].dtype.kind in "USO" for side in (truth, found) if len(side["label"])]
    if len(set(kinds)) > 1:
        raise InputError(
            f"{who}: labels of y_true and y_pred are text on one side and numbers on the other. Make them alike."
        )


def _listed(images: Any, who: str, name: str) -> Sequence[Any]:
    if isinstance(images, np.ndarray) and cast(Any, images).dtype.kind == "O":
        return cast(Any, images).tolist()
    if not isinstance(images, list | tuple):
        raise InputError(
            f"{who}: {name} must be a list with one mapping an image, such as [{{'boxes': ..., 'labels': ...}}], got "
            f"{type(cast(Any, images)).__name__}."
        )
    return cast("Sequence[Any]", images)


def _named(row: Any, image: int, who: str, name: str) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise InputError(
            f"{who}: {name}, image {image} must be a mapping with boxes and labels, got {type(row).__name__}."
        )
    known = {_SPELLINGS[k]: v for k, v in cast("Mapping[str, Any]", row).items() if k in _SPELLINGS and v is not None}
    if "labels" not in known:
        raise InputError(f"{who}: {name}, image {image} has no labels.")
    return known


def _size(row: dict[str, Any], image: int, who: str, name: str) -> int:
    for key, value in row.items():
        if key not in _OF_IMAGES and not hasattr(value, "__len__"):
            raise InputError(f"{who}: {name}, image {image}: {key} must be a list or array with one entry an object.")
    n = len(row["labels"])
    for key, value in row.items():
        if key not in _OF_IMAGES and len(value) != n:
            raise InputError(f"{who}: {name}, image {image} has {n} labels, but {len(value)} of {key}.")
    return n


def _joined(rows: list[dict[str, Any]], sizes: list[int], key: str, who: str, where: Where, width: int = 0) -> Any:
    """One flat array of what every image with objects has; None if none has it."""
    if not _said(rows, sizes, key):
        return None
    parts: list[Any] = []
    for image, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        if not size:
            continue
        try:
            parts.append(_of_image(row, key, width, who))
        except InputError as error:
            place = where(sum(sizes[:image])).rpartition(", ")[0]  # the image, whatever the object
            raise InputError(f"{who}: {place}: {str(error).removeprefix(f'{who}: ')}") from error
    if not parts:
        return np.zeros((0, width) if width else (0,), dtype=np.float64 if width or key == "scores" else np.int64)
    texts = {part.dtype.kind in "USO" for part in parts}
    if len(texts) > 1:
        raise InputError(f"{who}: {key} are text in some images and numbers in others. Make them alike.")
    return np.concatenate(parts)


def _said(rows: list[dict[str, Any]], sizes: list[int], key: str) -> bool:
    """Whether the images have this; those without objects are asked only if there is no other."""
    asked = [row for row, size in zip(rows, sizes, strict=True) if size] or rows
    return any(key in row for row in asked)


def _of_image(row: dict[str, Any], key: str, width: int, who: str) -> Any:
    """What one image has of a kind."""
    if key not in row:
        raise InputError(f"has no {key}, other images have. Give it to all of them.")
    part = to_host(ingest(row[key], name=key, who=who))
    if key not in ("labels", "frequency") and part.dtype.kind not in "fiub":
        raise InputError(f"{key} must be numbers, got {describe(part)}.")
    if key == "frequency" and not np.isin(part, tuple(FREQUENCIES.values())).all():
        raise InputError(f"frequency must be 'r', 'c' or 'f' for each object, got {row[key]!r}.")
    if key in ("scores", "crowd", "ignore", "area") and part.ndim != 1:
        raise InputError(f"{key} must be one number an object, got {describe(part)}.")
    if width and part.shape[1:] != (width,):
        raise InputError(f"{key} must have {width} numbers, got {part.shape[1:]}.")
    return part


def _masks(rows: list[dict[str, Any]], sizes: list[int], who: str, where: Where) -> Any:
    if not _said(rows, sizes, "masks"):
        return None
    from assay.metrics.detection.masks import Masks

    every: list[Any] = []
    frames: list[Any] = []
    for image, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        if size and "masks" not in row:
            raise InputError(f"{who}: image {image} has no masks, others have. Give them to all of them.")
        every += list(row["masks"]) if size else []
        frames += [row.get("size")] * size
    coded = [isinstance(mask, Mapping | list) for mask in every]
    parts: list[Any] = []
    order: list[int] = []
    for kind in (True, False):
        at = [i for i, one in enumerate(coded) if one is kind]
        if not at:
            continue
        order += at

        def named(i: int, at: list[int] = at) -> str:
            return where(at[i])

        if kind:
            parts.append(
                Masks.from_coco(
                    [every[i] for i in at],
                    _frames([frames[i] for i in at], [every[i] for i in at], who, named),
                    where=named,
                )
            )
        else:
            parts.append(Masks.from_dense([to_host(ingest(every[i], name="masks", who=who)) for i in at], where=named))
    return (
        Masks.joined(parts).take(np.argsort(order))
        if len(parts) > 1
        else (parts[0] if parts else Masks.from_coco([], None))
    )


def _frames(sizes: list[Any], masks: list[Any], who: str, where: Where) -> Any:
    """Height and width of the image of each mask: polygons need them, runs carry their own."""
    if all(size is None for size in sizes) and all(isinstance(mask, Mapping) for mask in masks):
        return None
    found: list[Any] = []
    for at, (size, mask) in enumerate(zip(sizes, masks, strict=True)):
        own = cast("Mapping[str, Any]", mask).get("size") if isinstance(mask, Mapping) else None
        if size is None and own is None:
            raise InputError(
                f"{who}: {where(at)}: polygons need the size of their image: add 'size': (height, width) to the mapping."
            )
        found.append(own if size is None else tuple(size))
    return np.array(found, dtype=np.int64)
