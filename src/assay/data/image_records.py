"""Objects of images as users pass them: a list with one mapping per image, as torchmetrics takes it, made into columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from assay.core.arrays import describe, to_host
from assay.core.errors import EmptyInputError, InputError
from assay.core.ingestion import ingest
from assay.core.ragged import Ragged
from assay.data.masks import Masks
from assay.data.objects import FREQUENCIES, BoxFormat, Where, objects, to_xywh

_SPELLINGS = {
    "boxes": "boxes", "bbox": "boxes", "scores": "scores", "score": "scores", "labels": "labels", "label": "labels",
    "category_id": "labels", "masks": "masks", "segmentation": "masks", "keypoints": "keypoints", "iscrowd": "crowd",
    "crowd": "crowd", "ignore": "ignore", "difficult": "ignore", "area": "area", "size": "size",
    "frequency": "frequency", "neg_category_ids": "negative", "not_exhaustive_category_ids": "not_exhaustive",
}  # fmt: skip
_OF_IMAGES = ("size", "negative", "not_exhaustive")  # what is not one entry per object


def from_images(images: Any, *, predicted: bool, box_format: BoxFormat, who: str, name: str) -> Ragged:
    """From a list with one mapping per image: ``boxes``, ``labels``, ``scores`` and perhaps ``masks``, ``iscrowd``, ``area``.

    This is the format that torchmetrics takes; tensors, arrays and lists are all fine.
    """
    if isinstance(images, Ragged):
        return images
    rows = [_named(row, i, who, name) for i, row in enumerate(_listed(images, who, name))]
    if not rows:
        raise EmptyInputError(who, name, "is empty; at least one image is needed")
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
        raise InputError(who, name, "must have boxes, masks or keypoints beside the labels")
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
                    f"{who}: y_true, image {image}", spelling, "is missing", "Give all images both lists, empty or not."
                )
            facts[name][image] = to_host(ingest(row[name], name=spelling, who=who)).reshape(-1)
    return facts


def _labels(labels: Any, who: str, where: Where) -> Any:
    if labels.ndim != 1:
        raise InputError(who, "labels", f"must be one per object, got shape {labels.shape}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError(f"{who}: {where(int(np.argmax(~np.isfinite(labels))))}", "labels", "must not be missing")
    return labels


def _listed(images: Any, who: str, name: str) -> Sequence[Any]:
    if isinstance(images, np.ndarray) and cast(Any, images).dtype.kind == "O":
        return cast(Any, images).tolist()
    if not isinstance(images, list | tuple):
        raise InputError(
            who,
            name,
            f"must be a list with one mapping per image, such as [{{'boxes': ..., 'labels': ...}}], got {type(cast(Any, images)).__name__}",
        )
    return cast("Sequence[Any]", images)


def _named(row: Any, image: int, who: str, name: str) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise InputError(
            f"{who}: {name}, image {image}", "", f"must be a mapping with boxes and labels, got {type(row).__name__}"
        )
    known = {_SPELLINGS[k]: v for k, v in cast("Mapping[str, Any]", row).items() if k in _SPELLINGS and v is not None}
    if "labels" not in known:
        raise InputError(f"{who}: {name}, image {image}", "labels", "are missing")
    return known


def _size(row: dict[str, Any], image: int, who: str, name: str) -> int:
    for key, value in row.items():
        if key not in _OF_IMAGES and not hasattr(value, "__len__"):
            raise InputError(f"{who}: {name}, image {image}", key, "must be a list or array with one entry per object")
    n = len(row["labels"])
    for key, value in row.items():
        if key not in _OF_IMAGES and len(value) != n:
            raise InputError(
                f"{who}: {name}, image {image}", key, f"must be one per object, got {len(value)} for {n} labels"
            )
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
            raise error.but(who=f"{who}: {place}") from error
    if not parts:
        return np.zeros((0, width) if width else (0,), dtype=np.float64 if width or key == "scores" else np.int64)
    texts = {part.dtype.kind in "USO" for part in parts}
    if len(texts) > 1:
        raise InputError(who, key, "are text in some images and numbers in others", "Make them alike.")
    return np.concatenate(parts)


def _said(rows: list[dict[str, Any]], sizes: list[int], key: str) -> bool:
    """Whether the images have this; those without objects are asked only if there is no other."""
    asked = [row for row, size in zip(rows, sizes, strict=True) if size] or rows
    return any(key in row for row in asked)


def _of_image(row: dict[str, Any], key: str, width: int, who: str) -> Any:
    """What one image has of a kind."""
    if key not in row:
        raise InputError("", key, "must be given for all images or for none; this one has none")
    part = to_host(ingest(row[key], name=key, who=who))
    if key not in ("labels", "frequency") and part.dtype.kind not in "fiub":
        raise InputError("", key, f"must be numbers, got {describe(part)}")
    if key == "frequency" and not np.isin(part, tuple(FREQUENCIES.values())).all():
        raise InputError("", "frequency", f"must be 'r', 'c' or 'f' for each object, got {row[key]!r}")
    if key in ("scores", "crowd", "ignore", "area") and part.ndim != 1:
        raise InputError("", key, f"must be one number per object, got {describe(part)}")
    if width and part.shape[1:] != (width,):
        raise InputError("", key, f"must have {width} numbers per object, got shape {part.shape[1:]}")
    return part


def _masks(rows: list[dict[str, Any]], sizes: list[int], who: str, where: Where) -> Any:
    if not _said(rows, sizes, "masks"):
        return None
    every: list[Any] = []
    frames: list[Any] = []
    for image, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        if size and "masks" not in row:
            raise InputError(
                f"{who}: image {image}",
                "masks",
                "are missing here, but other images have them",
                "Give them for all images.",
            )
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
                f"{who}: {where(at)}",
                "masks",
                "are polygons, which need the size of their image",
                "Add 'size': (height, width) to the mapping.",
            )
        found.append(own if size is None else tuple(size))
    return np.array(found, dtype=np.int64)
