"""Folders of YOLO: one text file per image, with lines of a class and a box as fractions of the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError, ParameterError, arg
from assay.core.ragged import Ragged
from assay.data.objects import BoxFormat
from assay.io.box_formats import CORNERS, Boxes
from assay.io.image_sizes import ImageSizes, Sizes
from assay.io.voc import Lines, folder, numbers, text_lines


def read_yolo(
    truth: str | Path, found: str | Path, *, images: str | Path | None = None, sizes: Sizes | None = None,
    names: Sequence[str] | Mapping[int, str] | None = None, box_format: BoxFormat | None = None, normalized: bool | None = None,
) -> tuple[Ragged, Ragged]:  # fmt: skip
    """``(y_true, y_pred)`` of a folder of labels and a folder of predictions.

    Lines are ``class cx cy w h`` in the truth and ``class cx cy w h score`` in the predictions, as fractions of the image from 0 to
    1. Boxes are returned in pixels, so the sizes of the images are needed: from the folder ``images`` (only file headers are read), or
    ``sizes``, one (width, height) for all or a mapping from the file name without suffix. An image without a file of labels has
    no objects if ``images`` or ``sizes`` name it. ``names`` are the names of the classes; without them labels are numbers.

    Other tools write other boxes in such lines: then say ``box_format``, and ``normalized=False`` for pixels, which need no sizes.
    """
    who = "read_yolo"
    if normalized is False and box_format is None:
        raise ParameterError(
            who,
            "normalized",
            "is False, which is not YOLO's format",
            f"Give {arg('box_format', 'xyxy')}, 'xywh' or 'cxcywh', too.",
        )
    size_of = ImageSizes(images, sizes, who)
    if not size_of and normalized is not False:
        raise ParameterError(
            who,
            "images",
            "or sizes must be given, since YOLO's boxes are fractions of the image",
            f"Give either {arg('images')} (a folder) or {arg('sizes')} (width and height).",
        )
    boxes = Boxes(who, box_format or "cxcywh", normalized is not False, size_of)
    there, seen = folder(truth, who), folder(found, who)
    files = sorted(there.glob("*.txt"))
    known = np.array(sorted({path.stem for path in files} | set(size_of.names())), dtype=str)
    if not len(known):
        raise InputError(f"{who}: {there}", "", "contains no txt file")
    pair: list[Ragged] = []
    for predicted, paths in ((False, files), (True, sorted(seen.glob("*.txt")))):
        lines = Lines(who)
        for path in paths:
            _read(path, lines, box_format or "cxcywh", names, predicted)
        pair.append(lines.column(known, boxes, predicted=predicted, kind=np.int64 if names is None else str))
    return pair[0], pair[1]


def _read(path: Path, lines: Lines, box_format: BoxFormat, names: Any, predicted: bool) -> None:
    fields = ("class", *CORNERS[box_format], *(("score",) if predicted else ()))
    for place, words in text_lines(path):
        if len(words) != len(fields):
            raise InputError(place, "", f"must be {' '.join(fields)}, got {len(words)} values")
        label, *box = numbers(place, words, fields)
        score = box.pop() if predicted else 1.0
        lines.add(place, path.stem, _named(label, names, place), box, score, sample=words)


def _named(label: float, names: Any, place: str) -> Any:
    if not float(label).is_integer() or label < 0:
        raise InputError(place, "class", f"must be an integer from 0, got {label:g}")
    if names is None:
        return int(label)
    try:
        return str(names[int(label)])
    except (IndexError, KeyError):
        raise InputError(place, "class", f"{label:g} has no name among the {len(names)} of {arg('names')}") from None
