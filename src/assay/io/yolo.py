"""Folders of YOLO: a text file an image, with lines of a class and a box in shares of the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError, ParameterError
from assay.core.ragged import Ragged
from assay.io.pictures import SUFFIXES, _pillow  # pyright: ignore[reportPrivateUsage]
from assay.io.voc import Lines, folder, numbers, text_lines

_SHARES = ("cx", "cy", "w", "h")
_SLACK = 1e-3  # shares are written with few digits
Sizes = tuple[int, int] | Mapping[str, tuple[int, int]]


def read_yolo(
    truth: str | Path, found: str | Path, *, images: str | Path | None = None, sizes: Sizes | None = None,
    names: Sequence[str] | Mapping[int, str] | None = None,
) -> tuple[Ragged, Ragged]:  # fmt: skip
    """``(y_true, y_pred)`` of a folder of labels and a folder of predictions.

    Lines are ``class cx cy w h`` in the truth and ``class cx cy w h score`` in the predictions, in shares of the image from 0 to 1. Boxes
    are given in pixels, so the sizes of the images are needed: from the folder ``images`` (only the heads of the files are read), or
    ``sizes``, one (width, height) for all or a mapping from the name of the file without ending. An image without a file of labels has
    no objects if ``images`` or ``sizes`` name it. ``names`` are the names of the classes; without them labels are numbers.
    """
    who = "read_yolo"
    if (images is None) == (sizes is None):
        raise ParameterError(
            f"{who}: give the sizes of the images: either images= (a folder) or sizes= (width and height)."
        )
    there, seen = folder(truth, who), folder(found, who)
    size_of = _Sizes(None if images is None else _pictures(folder(images, who), who), sizes, who)
    files = sorted(there.glob("*.txt"))
    known = np.array(sorted({path.stem for path in files} | set(size_of.names())), dtype=str)
    if not len(known):
        raise InputError(f"{who}: {there} has no txt file.")
    pair: list[Ragged] = []
    for predicted, paths in ((False, files), (True, sorted(seen.glob("*.txt")))):
        lines = Lines(who)
        for path in paths:
            _read(path, lines, size_of, names, predicted)
        pair.append(lines.column(known, "cxcywh", predicted=predicted, kind=np.int64 if names is None else str))
    return pair[0], pair[1]


def _read(path: Path, lines: Lines, size_of: _Sizes, names: Any, predicted: bool) -> None:
    fields = ("class", *_SHARES, *(("score",) if predicted else ()))
    for place, words in text_lines(path):
        if len(words) != len(fields):
            raise InputError(f"{place}: must be {' '.join(fields)}, got {len(words)} values.")
        label, *box = numbers(place, words, fields)
        score = box.pop() if predicted else 1.0
        for name, value in zip(_SHARES, box, strict=True):
            if not -_SLACK <= value <= 1 + _SLACK:
                raise InputError(
                    f"{place}: {name} must be a share of the image from 0 to 1, got {value:g}. Is it in pixels?"
                )
        width, height = size_of(path.stem, place)
        scaled = [box[0] * width, box[1] * height, box[2] * width, box[3] * height]
        lines.add(place, path.stem, _named(label, names, place), scaled, score)


def _named(label: float, names: Any, place: str) -> Any:
    if not float(label).is_integer() or label < 0:
        raise InputError(f"{place}: class must be a whole number from 0, got {label:g}.")
    if names is None:
        return int(label)
    try:
        return str(names[int(label)])
    except (IndexError, KeyError):
        raise InputError(f"{place}: class {label:g} has no name among the {len(names)} of names.") from None


def _pictures(path: Path, who: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in SUFFIXES:
            other = found.setdefault(file.stem, file)
            if other is not file:
                raise InputError(f"{who}: {other.name} and {file.name} in {path} have one name. Keep one of them.")
    if not found:
        raise InputError(f"{who}: {path} has no picture ({', '.join(SUFFIXES)}).")
    return found


class _Sizes:
    """Width and height of images by name, looked up when they are needed."""

    def __init__(self, pictures: dict[str, Path] | None, sizes: Sizes | None, who: str) -> None:
        self.pictures, self.sizes, self.who = pictures, sizes, who
        self.seen: dict[str, tuple[float, float]] = {}

    def names(self) -> list[str]:
        """Images that are known by their size alone."""
        if self.pictures is not None:
            return list(self.pictures)
        return [str(name) for name in self.sizes] if isinstance(self.sizes, Mapping) else []

    def __call__(self, name: str, place: str) -> tuple[float, float]:
        if name not in self.seen:
            self.seen[name] = self._looked_up(name, place)
        return self.seen[name]

    def _looked_up(self, name: str, place: str) -> tuple[float, float]:
        if self.pictures is not None:
            if name not in self.pictures:
                raise InputError(f"{place}: there is no picture named {name}, so its size is not known.")
            return _size_of(self.pictures[name])
        given: Any = self.sizes[name] if isinstance(self.sizes, Mapping) and name in self.sizes else self.sizes
        if isinstance(given, Mapping):
            raise InputError(f"{place}: sizes has no entry {name!r}.")
        pair: tuple[Any, ...] = tuple(given)
        if len(pair) != 2 or not all(side > 0 for side in pair):
            raise InputError(f"{self.who}: the size of an image must be (width, height) above 0, got {given!r}.")
        return float(pair[0]), float(pair[1])


def _size_of(path: Path) -> tuple[float, float]:
    """From the head of the file: Pillow reads pixels only when they are asked for."""
    pillow = _pillow()
    try:
        with pillow.open(path) as image:
            return image.size
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise InputError(f"{path} is not a picture that can be read, or is damaged at its start ({error}).") from error
