"""Label maps of any form: one array of all images, a list of maps of different sizes, or cells that are read when needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, TypeVar, cast

import numpy as np

from assay import kernels
from assay.core.arrays import ArrayLike, describe, to_host
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.metric import Metric

T = TypeVar("T")
NATIVE = ("uint8", "uint16", "int32", "int64")  # what kernels read as it is; the rest is widened image by image


class Cell(Protocol):
    """An image that is read when a statistic walks over it: a file, a slice of an archive."""

    @property
    def name(self) -> str:
        """What the image is called in messages."""
        ...

    def read(self) -> Any:
        """The image."""
        ...


@dataclass(frozen=True, kw_only=True)
class MapMetric(Metric[Any]):
    """A metric whose inputs are images: lists of maps of different sizes and cells become a column of objects."""

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The data of a call, named and checked."""
        bound = self.takes.bind(self.name, args, named)
        return super().inputs(weight=weight, **{name: column(value) for name, value in bound.items()})


def column(value: ArrayLike) -> ArrayLike:
    """Maps that do not fill one array, as a column of objects; anything else as it is."""
    if not isinstance(value, list | tuple) or not cast(Any, value):
        return cast(Any, value)
    items: list[Any] = list(cast(Any, value))
    if not any(is_cell(item) or hasattr(item, "shape") for item in items):
        return items
    shapes = {tuple(item.shape) if hasattr(item, "shape") else None for item in items}
    if len(shapes) == 1 and None not in shapes:
        return np.stack([to_host(item) for item in items])
    return objects(items)


def is_cell(item: Any) -> TypeGuard[Cell]:
    """Whether it is such an image; Python's own check of a protocol takes longer than a small file."""
    return hasattr(item, "read") and hasattr(item, "name")


def objects(items: list[Any]) -> Any:
    """A column of one object a row, whatever the objects are."""
    cells = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        cells[at] = item
    return cells


def named_row(inputs: Inputs, name: str, at: int) -> str:
    """``y_pred[3]``, with the file where there is one."""
    array = inputs.host(name)
    cell = array[at] if array.dtype.kind == "O" else None
    return f"{name}[{at}]" + (f" ({cell.name})" if is_cell(cell) else "")


def image(inputs: Inputs, name: str, at: int, *, ranks: tuple[int, ...] = (2, 3)) -> Any:
    """One map as a native contiguous array of whole numbers."""
    array = inputs.host(name)
    found = array[at]
    if array.dtype.kind == "O":
        found = np.asarray(found.read() if is_cell(found) else to_host(found))
    if found.dtype.kind not in "biu":
        raise InputError(
            f"{inputs.who}: {named_row(inputs, name, at)} must hold whole numbers, the class of each pixel, got {describe(found)}. "
            "From scores take argmax over the classes first."
        )
    if found.ndim not in ranks:
        wanted = " or ".join({2: "(height, width)", 3: "(depth, height, width)"}[rank] for rank in ranks)
        raise InputError(f"{inputs.who}: {named_row(inputs, name, at)} must be {wanted}, got {describe(found)}.")
    return native(found)


def native(found: Any) -> Any:
    """The same numbers in a kind that kernels know, C-ordered; no copy if they are so already."""
    if found.dtype == np.bool_:
        found = found.view(np.uint8)
    if found.dtype.name not in NATIVE or not found.dtype.isnative:
        found = found.astype(np.int32 if found.dtype.itemsize <= 2 else np.int64)
    return np.ascontiguousarray(found)


def image_pair(inputs: Inputs, at: int) -> tuple[Any, Any]:
    """Truth and prediction of one image, of one size and kind."""
    truth, predicted = image(inputs, "y_true", at), image(inputs, "y_pred", at)
    if truth.shape != predicted.shape:
        raise InputError(
            f"{inputs.who}: {named_row(inputs, 'y_true', at)} is {truth.shape} and {named_row(inputs, 'y_pred', at)} is "
            f"{predicted.shape}; they must have the same size. Resize the prediction by nearest neighbour."
        )
    if truth.dtype != predicted.dtype:
        kind = np.promote_types(truth.dtype, predicted.dtype)
        kind = kind if kind.name in NATIVE else np.dtype(np.int64)
        truth, predicted = truth.astype(kind), predicted.astype(kind)
    return truth, predicted


def over_images(inputs: Inputs, work: Callable[[int], T], *, compiled: bool) -> list[T]:
    """``work(i)`` of every image in order, on all cores if it is compiled: threads of plain Python wait for each other."""
    if not compiled:
        return [work(at) for at in range(inputs.n)]

    def several(start: int, stop: int) -> list[T]:
        return [work(at) for at in range(start, stop)]

    return [part for parts in kernels.over_chunks(inputs.n, several, least=1) for part in parts]


def large(inputs: Inputs) -> bool:
    """Whether compiled code pays: numba takes longer to load than small maps take without it."""
    array = inputs.host("y_true")
    if array.dtype.kind != "O":
        return array.size >= kernels.LARGE
    return sum(getattr(cell, "size", kernels.LARGE) for cell in array[:64]) * max(1, len(array) / 64) >= kernels.LARGE


def same_form(inputs: Inputs) -> None:
    """Refuse arrays of different shapes before any image is looked at."""
    a, b = inputs.host("y_true"), inputs.host("y_pred")
    if a.dtype.kind != "O" and b.dtype.kind != "O" and a.shape != b.shape:
        raise InputError(
            f"{inputs.who}: y_true and y_pred must have the same shape, got {a.shape} and {b.shape}. Scores per class are "
            "no label maps: take their argmax first."
        )
