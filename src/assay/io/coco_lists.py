"""The lists of images and categories of COCO files beyond their ids: names, what LVIS says of labels, how crowded images are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError, arg
from assay.data.objects import FREQUENCIES
from assay.io.json_text import JsonText

_NAMES = ("file_name", "coco_url")
_CROWDING = "crowdIndex"  # of CrowdPose
_LABELS = {"neg_category_ids": "negative", "not_exhaustive_category_ids": "not_exhaustive"}  # of LVIS
_LETTERS = tuple(FREQUENCIES.values())


@dataclass(frozen=True, eq=False)
class Lists:
    """A file and where its outermost values lie."""

    file: JsonText
    members: Mapping[str, tuple[int, int]]

    def says(self, name: str, field: str) -> bool:
        """Whether a field may stand in a list: its name does. Only then the list is worth reading as a whole."""
        return name in self.members and f'"{field}"'.encode() in self.file.raw(*self.members[name])

    def records(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """(id, record) of each entry that has an id."""
        given = self.file.parsed(*self.members[name])
        for entry in cast("list[Any]", given) if isinstance(given, list) else []:
            if isinstance(entry, dict) and isinstance(entry.get("id"), int):  # pyright: ignore[reportUnknownMemberType]
                yield entry["id"], cast("dict[str, Any]", entry)


def refuse_contradictions(truth: Lists, found: Lists) -> None:
    """Results that list their own images or categories must mean the same by an id as the truth does."""
    for name, what, differ in (("images", "image", _other_image), ("categories", "category", _other_category)):
        if name not in found.members:
            continue
        known = dict(truth.records(name))
        for key, record in found.records(name):
            pair = differ(known[key], record) if key in known else None
            if pair is not None:
                raise InputError(
                    found.file.name,
                    "",
                    f"{what} id {key} is {pair[1]} here, but {pair[0]} in {truth.file.name}",
                    "Results are joined by id: write them with the ids of the ground truth.",
                )


def _other_image(true: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, str] | None:
    """Names that cannot be of one file, or sizes that cannot be of one image."""
    for field in _NAMES:
        names = true.get(field), found.get(field)
        if all(isinstance(name, str) and name for name in names) and not _one_file(*cast("tuple[str, str]", names)):
            return repr(names[0]), repr(names[1])
    sizes = [(record.get("width"), record.get("height")) for record in (true, found)]
    if all(all(size) for size in sizes) and sizes[0] != sizes[1]:
        return tuple(f"{width} x {height} pixels" for width, height in sizes)  # pyright: ignore[reportReturnType]
    return None


def _one_file(a: str, b: str) -> bool:
    """Whether two paths may be one file: the shorter is the end of the longer."""
    parts = [path.replace("\\", "/").split("/") for path in (a, b)]
    shared = min(map(len, parts))
    return parts[0][-shared:] == parts[1][-shared:]


def _other_category(true: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, str] | None:
    names = true.get("name"), found.get("name")
    return (repr(names[0]), repr(names[1])) if None not in names and names[0] != names[1] else None


def image_facts(lists: Lists, ids: NDArray[np.int64], categories: Mapping[int, str]) -> dict[str, Any]:
    """What a file says of its images beyond their size, in the order of ``ids``: labels as LVIS has them, CrowdPose's crowding."""
    labels = [field for field in _LABELS if lists.says("images", field)]
    crowded = lists.says("images", _CROWDING)
    if not labels and not crowded:
        return {}
    records = dict(lists.records("images"))
    facts: dict[str, Any] = {}
    if crowded:
        facts["crowd_index"] = np.array([_crowding(records[key], key, lists.file) for key in ids.tolist()])
    for field, name in _LABELS.items() if labels else ():
        facts[name] = np.empty(len(ids), dtype=object)
        facts[name][:] = [_ids(records[key], key, field, lists.file, categories) for key in ids.tolist()]
    return facts


def _crowding(record: Mapping[str, Any], key: int, file: JsonText) -> float:
    value = record.get(_CROWDING)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"{file.name}: image {key}", _CROWDING, f"must be a number, got {value!r}; other images have one"
        )
    return float(value)


def _ids(record: Mapping[str, Any], key: int, field: str, file: JsonText, categories: Mapping[int, str]) -> Any:
    given: Any = record.get(field)
    if not isinstance(given, list):
        raise InputError(
            f"{file.name}: image {key}",
            field,
            f"must be a list of category ids, got {given!r}",
            f"LVIS ground truth needs {' and '.join(_LABELS)} for every image.",
        )
    for value in cast("list[Any]", given):
        if isinstance(value, bool) or not isinstance(value, int) or value not in categories:
            raise InputError(f"{file.name}: image {key}", field, f"names category {value!r}, which is not in the file")
    return np.array(given, dtype=np.int64)


def frequencies(lists: Lists, *, federated: bool) -> dict[int, str]:
    """How often the training set of LVIS has each category: r(are), c(ommon) or f(requent); empty if the file does not say.

    Other files may mean something else by the word, unless they use these letters.
    """
    found = {key: record["frequency"] for key, record in lists.records("categories") if "frequency" in record}
    if federated and found and (lacking := [key for key, _ in lists.records("categories") if key not in found]):
        raise InputError(
            f"{lists.file.name}: category {lacking[0]}", "frequency", "is missing, but other categories have it"
        )
    strange = [(key, value) for key, value in found.items() if value not in _LETTERS]
    if strange and federated:
        raise InputError(
            f"{lists.file.name}: category {strange[0][0]}",
            "frequency",
            f"must be one of {', '.join(_LETTERS)}, got {strange[0][1]!r}",
        )
    if found and not strange and not federated:
        raise InputError(
            lists.file.name,
            "",
            f"categories have LVIS's frequency, but images lack {' and '.join(_LABELS)}, so it is not known which classes were "
            "looked for in which image",
            f"Use the complete LVIS file, or give {arg('exhaustive', True)} if every image is labelled with all classes.",
        )
    return found if federated else {}
