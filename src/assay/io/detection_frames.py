"""Objects from data frames, and from any flat lists of objects that name their image."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, to_host
from assay.core.errors import InputError, ParameterError
from assay.core.ingestion import ingest
from assay.core.parameters import choice
from assay.core.ragged import Ragged
from assay.data.objects import BoxFormat, objects
from assay.io.box_formats import CORNERS, Boxes, ask_format
from assay.io.image_sizes import ImageSizes, Sizes

# Columns that say what they are, and those that may hold a format once it is said.
_TELLING = {
    ("x1", "y1", "x2", "y2"): "xyxy", ("xmin", "ymin", "xmax", "ymax"): "xyxy", ("cx", "cy", "w", "h"): "cxcywh",
    ("cx", "cy", "width", "height"): "cxcywh",
}  # fmt: skip
_OPEN = (("x", "y", "w", "h"), ("x", "y", "width", "height"))
Where = Callable[[int], str]


def by_image(
    known: NDArray[np.generic], image: NDArray[np.generic], items: dict[str, Any], *, predicted: bool, who: str, where: Where,
    facts: dict[str, Any] | None = None,
) -> Ragged:  # fmt: skip
    """The column of objects whose images are named; ``known`` are all images, in order. Nobody else's objects are taken."""
    image = image if len(image) else known[:0]  # an empty column may be of any kind
    place = cast(Any, np.searchsorted(known, image))  # pyright: ignore[reportUnknownMemberType]
    strange = known[np.minimum(place, len(known) - 1)] != image if len(known) else np.ones(len(image), bool)
    if strange.any():
        at = int(np.argmax(strange))
        raise InputError(
            f"{who}: {where(at)}",
            "",
            f"image {image[at].item()!r} has no ground truth ({int(strange.sum())} such objects)",
            "Add an empty ground truth for images without objects, and spell image names the same on both sides.",
        )
    order = np.argsort(place, kind="stable")
    sorted_items = {name: values[order] for name, values in items.items()}
    return objects(
        sorted_items, np.bincount(place, minlength=len(known)), predicted=predicted, who=who,
        where=lambda at: where(int(order[at])), facts={"image": known, **(facts or {})},
    )  # fmt: skip


def objects_from_frames(
    truth: object, found: object, *, box_format: BoxFormat | None = None, box: Sequence[str] | None = None, image: str = "image",
    label: str = "label", score: str = "score", crowd: str | None = None, ignore: str | None = None, images: ArrayLike | None = None,
    names: tuple[str, str] = ("truth", "found"), normalized: bool | None = None, pictures: str | Path | None = None,
    sizes: Sizes | None = None,
) -> tuple[Ragged, Ragged]:  # fmt: skip
    """``(y_true, y_pred)`` of two data frames with one row per object: polars, pandas, or a mapping of columns.

    ``image``, ``label`` and ``score`` name their columns, ``crowd`` and ``ignore`` those of flags in the truth. The four of the box are
    ``x1 y1 x2 y2`` or ``xmin ymin xmax ymax`` (corners), or ``cx cy w h`` (centre and size), which say what they are; ``x y w h``, and any
    others that ``box`` names, need ``box_format``. Boxes that all lie between 0 and 1 must be declared to be fractions of the image
    (``normalized=True``, with ``pictures``, a folder, or ``sizes``) or pixels (``normalized=False``). Images without objects are named by a
    row of the truth that has no label and no box, or in ``images``, a list of all. ``names`` is what messages call both sides.
    """
    who = "objects_from_frames"
    sides = {"truth": _Frame(truth, names[0], who), "found": _Frame(found, names[1], who)}
    meant, corners = _columns_of(list(sides.values()), box_format, None if box is None else tuple(box), who)
    boxes = Boxes(who, meant, normalized, ImageSizes(pictures, sizes, who))
    known = np.unique(sides["truth"].column(image) if images is None else _listed(images, who))
    sides["truth"].leave_out((label, *corners))
    named = {side: frame.column(image) for side, frame in sides.items()}
    columns: dict[str, dict[str, Any]] = {}
    for side, frame in sides.items():
        numbers = np.stack([frame.numbers(name) for name in corners], axis=1) if frame.rows else np.zeros((0, 4))
        columns[side] = {
            "label": frame.column(label),
            "box": boxes.pixels(numbers, named[side], frame.where, frame.sample(corners)),
        }
    _alike(known, named["truth"], image, who)
    _alike(known, named["found"], image, who)
    _alike(columns["truth"]["label"], columns["found"]["label"], label, who)
    columns["found"]["score"] = sides["found"].numbers(score)
    for name, column in (("crowd", crowd), ("ignore", ignore)):
        if column is not None:
            columns["truth"][name] = sides["truth"].numbers(column) != 0
    return tuple(
        by_image(known, named[side], columns[side], predicted=side == "found", who=who, where=frame.where)
        for side, frame in sides.items()
    )  # pyright: ignore[reportReturnType]


def _columns_of(
    frames: list[_Frame], box_format: Any, box: tuple[str, ...] | None, who: str
) -> tuple[Any, tuple[str, ...]]:
    """(format, columns) of the boxes: as said, or as the names of the columns say."""
    choice(who, "box_format", box_format, (*CORNERS, None))
    if box is not None and len(box) != 4:
        raise ParameterError(who, "box", f"must name four columns, got {box!r}")
    if box is None:
        fitting = [
            (told, four) for four, told in _TELLING.items() if _in_all(four, frames) and box_format in (None, told)
        ]
        if len(fitting) == 1:
            return fitting[0]
        loose = [four for four in _OPEN if _in_all(four, frames)] if not fitting else []
        box = (*(four for _, four in fitting), *loose, CORNERS[box_format or "xyxy"])[0]
        if not fitting and not loose:
            return box_format or "xyxy", box  # the columns are missing, and will be named
    if box_format is None:
        raise ask_format(who, frames[0].side, frames[0].sample(box))
    return box_format, box


def _in_all(names: tuple[str, ...], frames: list[_Frame]) -> bool:
    return all(set(names) <= set(frame.names) for frame in frames)


def _listed(images: Any, who: str) -> Any:
    listed = to_host(ingest(images, name="images", who=who))
    if listed.ndim != 1:
        raise InputError(who, "images", f"must be a list of all images, got shape {listed.shape}")
    return listed


def _alike(truth: Any, found: Any, name: str, who: str) -> None:
    """Refuse text on one side and numbers on the other: "1" is not 1."""
    if len(truth) and len(found) and (truth.dtype.kind in "US") != (found.dtype.kind in "US"):
        raise InputError(
            who,
            name,
            f"is {truth.dtype} in the ground truth and {found.dtype} in the predictions",
            "Write it as text or as numbers everywhere.",
        )


def _is_gap(value: Any) -> bool:
    """None, NaN, and what pandas has in their place."""
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or type(value).__name__ in ("NAType", "NaTType")
    )


class _Frame:
    """The columns of a frame, whatever library it is of."""

    def __init__(self, frame: Any, side: str, who: str) -> None:
        self.frame, self.side, self.who = frame, side, who
        names = frame.columns if hasattr(frame, "columns") else frame
        try:
            self.names = [str(name) for name in names]
        except TypeError:
            raise InputError(
                who, side, f"must be a data frame or a mapping of columns, got {type(frame).__name__}"
            ) from None
        self.kept = np.arange(len(frame[self.names[0]]) if self.names else 0)
        self.height = len(self.kept)

    @property
    def rows(self) -> int:
        """How many rows have an object."""
        return len(self.kept)

    def where(self, row: int) -> str:
        """How messages call a row."""
        return f"{self.side}, row {self.kept[row]}"

    def sample(self, names: tuple[str, ...]) -> str:
        """The first row that has an object, in these columns."""
        if not self.rows:
            return ", ".join(names)
        return ", ".join(f"{name}={self._values(name)[self.kept[0]]}" for name in names)

    def leave_out(self, names: tuple[str, ...]) -> None:
        """Rows that have nothing in these columns are not objects."""
        gaps = [[_is_gap(value) for value in self._values(name).tolist()] for name in names]
        self.kept = np.flatnonzero(~np.array(gaps, dtype=bool).reshape(len(names), -1).all(axis=0))

    def _values(self, name: str) -> Any:
        if name not in self.names:
            raise InputError(
                f"{self.who}: {self.side}", "", f"has no column {name!r}; its columns are {', '.join(self.names)}"
            )
        given = self.frame[name]
        values = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
        if len(values) != self.height:
            raise InputError(
                f"{self.who}: {self.side}", "", f"column {name!r} has {len(values)} rows, others have {self.height}"
            )
        return values

    def column(self, name: str) -> Any:
        """A column without gaps."""
        values = self._values(name)[self.kept]
        gaps = np.array([_is_gap(value) for value in values.tolist()], dtype=bool)
        if gaps.any():
            raise InputError(
                f"{self.who}: {self.where(int(np.argmax(gaps)))}", name, f"is missing ({int(gaps.sum())} such rows)"
            )
        if values.dtype.kind != "O":
            return values
        listed = values.tolist()
        return np.array([str(v) for v in listed]) if any(isinstance(v, str) for v in listed) else np.array(listed)

    def numbers(self, name: str) -> Any:
        """A column of numbers."""
        values = self.column(name)
        if values.dtype.kind not in "iufb" and self.rows:
            raise InputError(f"{self.who}: {self.where(0)}", name, f"must be a number, got {values[0].item()!r}")
        return values.astype(np.float64)
