"""COCO panoptic files: a json of annotations and a folder of png maps on each side, paired by image."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from assay.core.errors import InputError
from assay.data.cells import object_column
from assay.data.panoptic import PanopticMap, segment_rows
from assay.io.json_text import JsonText
from assay.io.png import read_ids


@dataclass(frozen=True, eq=False)
class PanopticFile:
    """A map of segments in a png file with its segments; the file is read when a metric walks over it."""

    path: Path
    segments: Any

    @property
    def name(self) -> str:
        """The path, as it stands in messages."""
        return str(self.path)

    def read(self) -> PanopticMap:
        """Map and segments."""
        return PanopticMap(read_ids(self.path), self.segments, self.name)


@dataclass(frozen=True)
class PanopticData:
    """Both sides of a panoptic evaluation.

    ``things``, ``classes`` and ``names`` are those of the categories: ``PanopticQuality(things=data.things,
    classes=data.classes)(data.y_true, data.y_pred)``.
    """

    y_true: Any
    y_pred: Any
    image_ids: tuple[Any, ...]
    classes: tuple[int, ...]
    things: tuple[int, ...]
    names: dict[int, str]


def read_panoptic(
    truth: str | Path,
    prediction: str | Path,
    *,
    truth_folder: str | Path | None = None,
    prediction_folder: str | Path | None = None,
) -> PanopticData:
    """Read both json files and check every record; the png files are read when they are scored.

    A folder that is not given has the name of its json file without the suffix.
    """
    true, predicted = _document(truth), _document(prediction)
    categories = _categories(true, truth)
    records_t, records_p = _records(true, truth, categories), _records(predicted, prediction, categories)
    missing = [image for image in records_t if image not in records_p]
    if missing:
        raise InputError(
            str(prediction), "", f"has no annotation for image_id {missing[0]!r} ({len(missing)} such images in all)"
        )
    folders = [
        Path(folder) if folder is not None else Path(path).with_suffix("")
        for path, folder in ((truth, truth_folder), (prediction, prediction_folder))
    ]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(str(folder), "", "no such folder of panoptic png files")
    columns = [
        object_column([PanopticFile(folder / records[image][0], records[image][1]) for image in records_t])
        for folder, records in zip(folders, (records_t, records_p), strict=True)
    ]
    for folder, column in zip(folders, columns, strict=True):
        there = set(os.listdir(folder))  # one look at the folder instead of one at each file
        for cell in column:
            if cell.path.name not in there and not cell.path.is_file():
                raise InputError(str(cell.path), "", "no such file, although the json names it")
    things = tuple(c for c, category in categories.items() if category.get("isthing", 1) == 1)
    names = {c: str(category.get("name", c)) for c, category in categories.items()}
    return PanopticData(columns[0], columns[1], tuple(records_t), tuple(categories), things, names)


# ---- parts


def _document(path: str | Path) -> Mapping[str, Any]:
    found = JsonText.read(path).parsed()
    if not isinstance(found, dict) or not isinstance(cast(Any, found).get("annotations"), list):
        raise InputError(str(path), "", "must be an object with a list 'annotations'")
    return cast("dict[str, Any]", found)


def _categories(document: Mapping[str, Any], path: str | Path) -> dict[int, Mapping[str, Any]]:
    found: Any = document.get("categories")
    if not isinstance(found, list) or not found:
        raise InputError(str(path), "", "must have a list 'categories'")
    categories: dict[int, Mapping[str, Any]] = {}
    for at, category in enumerate(cast("list[Any]", found)):
        if not isinstance(category, dict) or type(cast(Any, category).get("id")) is not int:
            raise InputError(str(path), f"categories[{at}]", f"must have an integer as 'id', got {category!r}")
        known = cast("dict[str, Any]", category)
        if known["id"] in categories:
            raise InputError(str(path), f"categories[{at}]", f"repeats the id {known['id']} of another category")
        categories[known["id"]] = known
    return dict(sorted(categories.items()))


def _records(
    document: Mapping[str, Any], path: str | Path, categories: Mapping[int, Any]
) -> dict[Any, tuple[str, Any]]:
    """File name and segments of every image."""
    found: dict[Any, tuple[str, Any]] = {}
    for at, record in enumerate(document["annotations"]):
        who = f"{path}: annotations[{at}]"
        if not isinstance(record, dict):
            raise InputError(who, "", f"must be an object, got {type(record).__name__}")
        known = cast("dict[str, Any]", record)
        for field, kind in (("image_id", int | str), ("file_name", str), ("segments_info", list)):
            if not isinstance(known.get(field), kind):
                raise InputError(who, field, f"must be given, got {known.get(field)!r}")
        if known["image_id"] in found:
            raise InputError(who, "image_id", f"repeats {known['image_id']!r} of an earlier annotation")
        segments = segment_rows(known["segments_info"], f"{who} (image_id {known['image_id']!r})")
        _refuse_unknown(who, known, segments, categories)
        found[known["image_id"]] = known["file_name"], segments
    if not found:
        raise InputError(str(path), "annotations", "must not be empty")
    return found


def _refuse_unknown(who: str, record: Mapping[str, Any], segments: Any, categories: Mapping[int, Any]) -> None:
    if categories.keys() >= set(segments[:, 1].tolist()):
        return
    for number, category, _ in segments.tolist():
        if category not in categories:
            raise InputError(
                f"{who} (image_id {record['image_id']!r})",
                "",
                f"segment {number} has category_id {category}, which is not among the categories of the ground truth",
            )
