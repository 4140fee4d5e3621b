"""Files of Pascal VOC: annotations in xml, detections in text by class; and text by image, as other tools write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np

from assay.core.errors import InputError
from assay.core.parameters import choice
from assay.core.ragged import Ragged
from assay.data.objects import BoxFormat, to_xywh
from assay.io.box_formats import Boxes
from assay.io.detection_frames import by_image
from assay.io.image_sizes import ImageSizes, Sizes

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_CLASS = re.compile(r"^.*_det_[^_]+_(.+)$")


@dataclass
class Lines:
    """Objects as they are read: one entry each, with the place they came from."""

    who: str
    image: list[str] = field(default_factory=list[str])
    label: list[Any] = field(default_factory=list[Any])
    box: list[list[float]] = field(default_factory=list[list[float]])
    score: list[float] = field(default_factory=list[float])
    ignore: list[bool] = field(default_factory=list[bool])
    places: list[str] = field(default_factory=list[str])
    sample: str = ""  # the first line, for questions

    def add(
        self, place: str, image: str, label: Any, box: list[float], score: float = 1.0, ignore: bool = False, sample: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """One object, with the words of its line."""
        self.sample = self.sample or " ".join(sample)
        self.image.append(image)
        self.label.append(label)
        self.box.append(box)
        self.score.append(score)
        self.ignore.append(ignore)
        self.places.append(place)

    def column(
        self, known: Any, boxes: Boxes, *, predicted: bool, kind: Any = str, box_format: BoxFormat | None = None
    ) -> Ragged:
        """All of them as a column, image by image; ``box_format`` is that of files that say it, in pixels."""
        image = np.array(self.image, dtype=str)
        box = (
            boxes.pixels(self.box, image, self.places.__getitem__, self.sample)
            if box_format is None
            else to_xywh(np.array(self.box).reshape(-1, 4), box_format)
        )
        items: dict[str, Any] = {"label": np.array(self.label, dtype=kind), "box": box}
        if predicted:
            items["score"] = np.array(self.score, dtype=np.float64)
        else:
            items["ignore"] = np.array(self.ignore, dtype=np.uint8)
        return by_image(known, image, items, predicted=predicted, who=self.who, where=self.places.__getitem__)


def folder(path: str | Path, who: str) -> Path:
    """A folder that is there."""
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"{who}: {path}", "", "is a file, not a folder" if path.exists() else "no such folder")
    return path


def text_lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(place, words) of each line that is not empty."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(str(path), "", f"is not text ({error})") from error
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read ({error.strerror or error})") from error
    for at, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words:
            yield f"{path}, line {at}", words


def numbers(place: str, words: list[str], names: tuple[str, ...]) -> list[float]:
    """The words as numbers; a message names the field that is none."""
    values: list[float] = []
    for name, word in zip(names, words, strict=True):
        try:
            values.append(float(word))
        except ValueError:
            raise InputError(place, name, f"must be a number, got {word!r}") from None
    return values


def read_voc(
    truth: str | Path, found: str | Path, *, layout: Literal["classes", "images"] = "classes", box_format: BoxFormat | None = None,
    normalized: bool | None = None, images: str | Path | None = None, sizes: Sizes | None = None, image_set: str | Path | None = None,
) -> tuple[Ragged, Ragged]:  # fmt: skip
    """``(y_true, y_pred)`` of a folder of annotations and a folder of detections.

    ``truth`` holds one xml file per image (its *difficult* objects do not count), or else one text file per image with lines ``class``
    and four numbers, optionally followed by ``difficult``. ``found`` holds, depending on ``layout``, one text file per class with lines
    ``image score`` and four numbers, or one text file per image with lines ``class score`` and four numbers. ``image_set`` is a file
    with the names of the images to use, as VOC's ImageSets/Main; without it all of ``truth``.

    Xml and the devkit's own files of detections (``comp4_det_test_car.txt``) have corners in pixels. Of other text files ``box_format``
    says what the four numbers are; boxes that all lie between 0 and 1 must be declared to be fractions of the image
    (``normalized=True``, with ``images``, a folder, or ``sizes``) or pixels (``normalized=False``).
    """
    who = "read_voc"
    choice(who, "layout", layout, ("classes", "images"))
    boxes = Boxes(who, box_format, normalized, ImageSizes(images, sizes, who))
    there, seen = folder(truth, who), folder(found, who)
    annotations, texts = sorted(there.glob("*.xml")), sorted(there.glob("*.txt"))
    if not annotations and not texts:
        raise InputError(f"{who}: {there}", "", "contains no annotations: neither xml files nor txt files")
    wanted = None if image_set is None else {words[0] for _, words in text_lines(Path(image_set))}
    files = [path for path in annotations or texts if wanted is None or path.stem in wanted]
    if wanted is not None and (lacking := sorted(wanted - {path.stem for path in files})):
        raise InputError(
            f"{who}: {there}", "", f"has no annotation of {lacking[0]} ({len(lacking)} images of {image_set} lack one)"
        )
    known = np.array(sorted(path.stem for path in files), dtype=str)
    objects = Lines(who)
    for path in files:
        if annotations:
            _annotation(path, objects)
        else:
            _text_truth(path, boxes, objects)
    detections = Lines(who)
    results = sorted(seen.glob("*.txt"))
    for path in results:
        if layout == "images":
            _text_found(path, boxes, detections, wanted)
        else:
            _class_file(path, detections, wanted)
    _refuse_twice(seen, layout, who)
    official = layout == "classes" and all(_CLASS.match(path.stem) for path in results)
    return (
        objects.column(known, boxes, predicted=False, box_format="xyxy" if annotations else None),
        detections.column(known, boxes, predicted=True, box_format="xyxy" if official else None),
    )


def _annotation(path: Path, objects: Lines) -> None:
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # LookupError: an unknown encoding
        raise InputError(str(path), "", f"is not valid xml ({error})") from error
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read ({error.strerror or error})") from error
    if root.tag != "annotation":
        raise InputError(str(path), "", f"is not a VOC annotation: the outermost element is {root.tag!r}")
    for at, element in enumerate(root.findall("object")):
        place = f"{path}, object {at}"
        label, box = element.findtext("name"), element.find("bndbox")
        if not label or not label.strip():
            raise InputError(place, "name", "is missing")
        if box is None:
            raise InputError(place, "bndbox", "is missing")
        words = [(box.findtext(name) or "").strip() for name in _CORNERS]
        for name, word in zip(_CORNERS, words, strict=True):
            if not word:
                raise InputError(place, f"bndbox.{name}", "is missing")
        flag = (element.findtext("difficult") or "0").strip()
        if flag not in ("0", "1"):
            raise InputError(place, "difficult", f"must be 0 or 1, got {flag!r}")
        objects.add(place, path.stem, label.strip(), numbers(place, words, _CORNERS), ignore=flag == "1")


def _text_truth(path: Path, boxes: Boxes, objects: Lines) -> None:
    for place, line in text_lines(path):
        difficult = line[-1] == "difficult"
        words, names = line[:-1] if difficult else line, boxes.names(place, " ".join(line))
        if len(words) < 5:
            raise InputError(place, "", f"must be a class and {' '.join(names)}, got {' '.join(line)!r}")
        box = numbers(place, words[-4:], names)
        objects.add(place, path.stem, " ".join(words[:-4]), box, ignore=difficult, sample=line)


def _text_found(path: Path, boxes: Boxes, objects: Lines, wanted: set[str] | None) -> None:
    if wanted is not None and path.stem not in wanted:
        return
    for place, words in text_lines(path):
        names = boxes.names(place, " ".join(words))
        if len(words) < 6:
            raise InputError(place, "", f"must be a class, a score and {' '.join(names)}, got {' '.join(words)!r}")
        score, *box = numbers(place, words[-5:], ("score", *names))
        objects.add(place, path.stem, " ".join(words[:-5]), box, score, sample=words)


def _class_file(path: Path, objects: Lines, wanted: set[str] | None) -> None:
    label = class_of(path)
    for place, words in text_lines(path):
        if len(words) != 6:
            raise InputError(place, "", f"must be image, score and the four numbers of a box, got {' '.join(words)!r}")
        if wanted is not None and words[0] not in wanted:
            continue
        score, *box = numbers(place, words[1:], ("score", *_CORNERS))
        objects.add(place, words[0], label, box, score, sample=words)


def class_of(path: Path) -> str:
    """The class that a file of detections is about: what follows ``comp4_det_test_``, or the whole name."""
    found = _CLASS.match(path.stem)
    return found[1] if found else path.stem


def _refuse_twice(seen: Path, layout: str, who: str) -> None:
    if layout == "images":
        return
    known: dict[str, Path] = {}
    for path in sorted(seen.glob("*.txt")):
        first = known.setdefault(class_of(path), path)
        if first is not path:
            raise InputError(
                who, "", f"{first.name} and {path.name} are both detections of {class_of(path)!r}", "Keep one of them."
            )
