"""COCO's files: the ground truth of a set of images and the results of a detector, as columns of objects.

The bytes go straight into columns; whatever is unusual is read again the slow way, record by record, to say what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.errors import InputError
from assay.core.ragged import Ragged
from assay.data.objects import objects
from assay.io.coco_lists import Lists, frequencies, image_facts, refuse_contradictions
from assay.io.coco_masks import masks_of
from assay.io.json_text import JsonText
from assay.kernels.coco_keys import FLOATS, INTEGERS, KEYS, SPANS

IouType = Literal["bbox", "segm", "keypoints"]
_SHAPE = {"bbox": "bbox", "segm": "segmentation", "keypoints": "keypoints"}


@dataclass(frozen=True, eq=False)
class Records:
    """A list of records as columns: integers, floats, boxes, and what is kept as its place in the file or as it is."""

    file: JsonText
    whole: Any
    real: Any
    box: Any
    place: Any
    seen: Any
    values: Mapping[str, list[Any]] | None = None  # read the slow way

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.whole)

    def column(self, name: str) -> Any:
        """One column of numbers."""
        return self.whole[:, INTEGERS.index(name)] if name in INTEGERS else self.real[:, FLOATS.index(name)]

    def has(self, name: str) -> Any:
        """Whether each record has this field."""
        return (self.seen >> np.uint32(KEYS.index(name))) & 1 == 1

    def need(self, *names: str) -> None:
        """Refuse records that lack a field."""
        for name in names:
            lacks = ~self.has(name)
            if lacks.any():
                at = int(np.argmax(lacks))
                raise InputError(
                    f"{self.file.name}: record {at}", "", f"has no {name} ({int(lacks.sum())} records lack it)"
                )

    def where(self, at: int) -> str:
        """How messages call a record."""
        return f"{self.file.name}: record {at}"


def records_of(file: JsonText, start: int, stop: int, what: str) -> Records:
    """The records of the list between two places of a file."""
    text = file.text
    if text[start] != ord("["):
        raise InputError(file.name, what, "must be a list of records")
    columns, end = kernels.coco_records.scan(text, start + 1, stop)
    if end == stop:
        return Records(file, *columns)
    return _slowly(file, file.parsed(start, stop), what)


def _slowly(file: JsonText, given: Any, what: str) -> Records:
    """The same by Python's own parser: for numbers written in unusual ways, and to name what is wrong."""
    if not isinstance(given, list):
        raise InputError(file.name, what, f"must be a list of records, got {type(given).__name__}")
    rows = cast("list[Any]", given)
    n = len(rows)
    whole, real = np.zeros((n, len(INTEGERS)), np.int64), np.full((n, len(FLOATS)), np.nan)
    box, seen = np.full((n, 4), np.nan), np.zeros(n, np.uint32)
    values: dict[str, list[Any]] = {name: [None] * n for name in SPANS}
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InputError(
                f"{file.name}: record {at} of {what}", "", f"must be an object with fields, got {type(row).__name__}"
            )
        for bit, name in enumerate(KEYS):
            if name not in row:
                continue
            value: Any = cast(Any, row)[name]
            where = f"{file.name}: record {at}"
            if name in INTEGERS:
                whole[at, INTEGERS.index(name)] = _whole(value, where, name)
            elif name in FLOATS:
                real[at, FLOATS.index(name)] = _float(value, where, name)
            elif name == "bbox":
                box[at] = _four(value, where, name)
            else:
                values[name][at] = value
            seen[at] |= np.uint32(1 << bit)
    return Records(file, whole, real, box, np.zeros((n, len(SPANS), 2), np.int64), seen, values)


def _whole(value: Any, where: str, field: str) -> int:
    if isinstance(value, bool | int) or (isinstance(value, float) and value.is_integer()):
        if abs(int(value)) < 2**63:
            return int(value)
        raise InputError(where, field, f"must fit in 64 bits, got {value!r}", "Renumber the images and categories.")
    raise InputError(where, field, f"must be an integer, got {value!r}")


def _float(value: Any, where: str, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(where, field, f"must be a number, got {value!r}")
    return float(value)


def _four(value: Any, where: str, field: str) -> list[float]:
    if not isinstance(value, list) or len(cast(Any, value)) != 4:
        raise InputError(where, field, f"must be four numbers (x, y, width, height), got {value!r}")
    return [_float(v, where, field) for v in cast("list[Any]", value)]


@dataclass(frozen=True, eq=False)
class CocoTruth:
    """The truth of a set: images in the order of their ids, categories by id, and the objects as a column.

    ``exhaustive`` says that all classes are labelled in every image, whatever LVIS's fields in the file say.
    """

    lists: Lists
    images: Records
    objects: Records
    categories: dict[int, str]
    exhaustive: bool = False

    @classmethod
    def read(cls, path: str | Path, *, exhaustive: bool = False) -> CocoTruth:
        """From a file of COCO's instances or keypoints, or of LVIS."""
        file = JsonText.read(path)
        members, kind = file.members(), ""
        if members is None:
            given = file.parsed()
            kind = "a list" if isinstance(given, list) else type(given).__name__
            if isinstance(given, dict):  # written in an unusual way, such as UTF-16
                file = file.rewritten(cast(object, given))
                members = file.members()
        if members is None:
            raise InputError(
                file.name, "", f"the ground truth must be an object with images, annotations and categories, got {kind}"
            )
        missing = [name for name in ("images", "annotations", "categories") if name not in members]
        if missing:
            raise InputError(file.name, "", f"has no {' and no '.join(missing)}, which a COCO ground truth file has")
        images = records_of(file, *members["images"], "images")
        images.need("id")
        categories: Any = file.parsed(*members["categories"])
        try:
            listed = [
                (_whole(c["id"], f"{file.name}: category {at}", "id"), str(c.get("name", c["id"])))
                for at, c in enumerate(categories)
            ]
        except (TypeError, KeyError, AttributeError) as error:
            raise InputError(file.name, "categories", f"must be records with an id and a name ({error!r})") from error
        names = dict(listed)
        if len(names) < len(listed):
            twice = next(k for k, _ in listed if sum(k == other for other, _ in listed) > 1)
            raise InputError(file.name, "", f"category id {twice} occurs more than once")
        found = records_of(file, *members["annotations"], "annotations")
        found.need("image_id", "category_id")
        truth = cls(Lists(file, members), images, found, names, exhaustive)
        truth.check(found)
        return truth

    @property
    def file(self) -> JsonText:
        """The file itself."""
        return self.lists.file

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the file says of its images, by their ids."""
        facts = image_facts(self.lists, self.ids, self.categories)
        kept = ("crowd_index",) if self.exhaustive else tuple(facts)
        return {"image": self.ids, **{name: facts[name] for name in kept if name in facts}}

    @property
    def federated(self) -> bool:
        """Whether images are labelled with some classes only, as in LVIS."""
        return "negative" in self.facts

    @cached_property
    def ids(self) -> Any:
        """The ids of the images, in order."""
        found, counts = np.unique(self.images.column("id"), return_counts=True)
        if (counts > 1).any():
            raise InputError(self.file.name, "", f"image id {found[int(np.argmax(counts > 1))]} occurs more than once")
        return found

    @cached_property
    def sizes(self) -> Any:
        """Height and width of each image, in the order of ids."""
        order = np.argsort(self.images.column("id"))
        return np.stack([self.images.column("height")[order], self.images.column("width")[order]], axis=1)

    def check(self, records: Records) -> None:
        """Refuse objects of images and categories that are not in the truth."""
        for name, known in (("image_id", self.ids), ("category_id", np.array(sorted(self.categories)))):
            ids = records.column(name)
            at = place_of(known, ids)
            strange = known[np.minimum(at, len(known) - 1)] != ids if len(known) else np.ones(len(ids), bool)
            if strange.any():
                row = int(np.argmax(strange))
                raise InputError(
                    records.where(row),
                    name,
                    f"{ids[row]} is not in {self.file.name} ({int(strange.sum())} such records)",
                )

    def column(self, iou_type: IouType) -> Ragged:
        """The objects to be found, image by image."""
        return self._column(self.objects, iou_type, predicted=False)

    def results(self, path: str | Path, iou_type: IouType) -> Ragged:
        """The detections of a file of results, image by image, each image's in the order of the file."""
        file = JsonText.read(path)
        members = file.members()
        if members is not None:
            refuse_contradictions(self.lists, Lists(file, members))
        if members is not None and "annotations" in members:
            found = records_of(file, *members["annotations"], "annotations")
        elif members is not None:
            raise InputError(file.name, "", "results must be a list of records with image_id, category_id and score")
        else:
            found = records_of(file, *_outer(file), "results")
        found.need("image_id", "category_id", "score")
        self.check(found)
        return self._column(found, iou_type, predicted=True)

    def _column(self, records: Records, iou_type: IouType, *, predicted: bool) -> Ragged:
        records.need(_SHAPE[iou_type])
        if iou_type == "keypoints" and not predicted:
            records.need("bbox")
        image = place_of(self.ids, records.column("image_id"))
        order = None if (np.diff(image) >= 0).all() else np.argsort(image, kind="stable")

        def ordered(values: Any) -> Any:
            return values if order is None else values[order]

        items: dict[str, Any] = {"label": ordered(records.column("category_id"))}
        if iou_type == "bbox" or (iou_type == "keypoints" and not predicted):
            items["box"] = ordered(records.box)
        masks = None
        if iou_type == "segm":
            sizes = self.sizes[image]
            masks = masks_of(records, sizes)
            masks = masks if order is None else masks.take(order)
        if iou_type == "keypoints":
            items["keypoints"] = ordered(_keypoints(records))
        if predicted:
            items["score"] = ordered(records.column("score"))
        else:
            items |= {name: ordered(values) for name, values in self._stated(records, iou_type).items()}
        rows = np.arange(records.n) if order is None else order
        return objects(
            items, np.bincount(image, minlength=len(self.ids)), predicted=predicted, who="coco", masks=masks,
            where=lambda at: records.where(int(rows[at])), facts={"image": self.ids} if predicted else self.facts,
        )  # fmt: skip

    def _stated(self, records: Records, iou_type: IouType) -> dict[str, Any]:
        """What a truth says of its objects beyond their class and place."""
        items: dict[str, Any] = {"crowd": records.column("iscrowd")}
        if records.has("area").any():
            records.need("area")
            items["area"] = records.column("area")
        if iou_type == "keypoints" and records.has("num_keypoints").any():
            records.need("num_keypoints")
            items["ignore"] = records.column("num_keypoints") == 0  # CrowdPose counts the visible points alone
        named = {} if self.exhaustive else frequencies(self.lists, federated=self.federated)
        if self.federated:
            items["ignore"] = records.column("ignore")
        if named:
            items["frequency"] = np.array(
                [named.get(key, "") for key in records.column("category_id").tolist()], dtype="U1"
            )
        return items


def place_of(known: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each id would stand among the known ones, which are in order."""
    if len(known) and known[0] >= 0 and known[-1] < 4 * len(known) + 1024 and ids.min(initial=0) >= 0:
        table = np.zeros(int(known[-1]) + 2, np.int64)  # ids without large gaps are looked up
        table[known + 1] = 1
        return np.cumsum(table)[np.minimum(ids, known[-1] + 1)]
    return cast(Any, np.searchsorted(known, ids))  # pyright: ignore[reportUnknownMemberType]


def _outer(file: JsonText) -> tuple[int, int]:
    """Where the outermost list of a file begins and ends."""
    start = 0
    while start < file.size and file.text[start] in (9, 10, 13, 32):
        start += 1
    if file.text[start] != ord("["):
        file.parsed()
        raise InputError(file.name, "", "results must be a list of records with image_id, category_id and score")
    stop = file.size
    while stop > start and file.text[stop - 1] in (9, 10, 13, 32):
        stop -= 1
    return start, stop


def _keypoints(records: Records) -> Any:
    """All points of all records, three numbers each; every record must have as many."""
    rows = records.values["keypoints"] if records.values is not None else None
    if rows is None:
        places = records.place[:, SPANS.index("keypoints")]
        if not len(places):
            return np.zeros((0, 51))
        rows = [records.file.parsed(int(a), int(b)) for a, b in places]
    odd = next((at for at, row in enumerate(rows) if not isinstance(row, list)), None)
    if odd is not None:
        raise InputError(records.where(odd), "keypoints", f"must be a list of numbers, got {rows[odd]!r}")
    sizes = {len(row) for row in rows}
    if len(sizes) > 1 or any(size % 3 for size in sizes):
        at = next(i for i, row in enumerate(rows) if len(row) % 3 or len(row) != len(rows[0]))
        raise InputError(
            records.where(at), "keypoints", "must be as many triples (x, y, visibility) as in other records"
        )
    try:
        return np.array(rows, dtype=np.float64).reshape(records.n, -1)
    except (TypeError, ValueError) as error:
        raise InputError(records.file.name, "keypoints", f"must be numbers ({error})") from error


def read_coco(
    truth: str | Path, results: str | Path, iou_type: IouType = "bbox", *, exhaustive: bool = False
) -> tuple[Ragged, Ragged]:
    """``(y_true, y_pred)`` of a pair of COCO's files, ready for the metrics of detection.

    A truth of LVIS is known by its own fields (``neg_category_ids``, ``not_exhaustive_category_ids``, ``frequency``): its images are
    labelled with some classes only, and go to ``lvis`` and ``lvis_recall``. ``exhaustive=True`` drops these fields, for plain COCO.
    """
    found = CocoTruth.read(truth, exhaustive=exhaustive)
    return found.column(iou_type), found.results(results, iou_type)
