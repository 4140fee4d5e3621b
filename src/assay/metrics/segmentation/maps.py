"""The walk over label maps that all segmentation metrics share: read, check and pair the maps of one image after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from assay import kernels
from assay.core.arrays import ArrayLike, describe, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.data.cells import is_cell
from assay.data.logits import label_maps
from assay.data.maps import NATIVE, column, native

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class MapMetric(Metric[Any]):
    """A metric whose inputs are images: lists of maps of different sizes and cells become a column of objects.

    A single map (height, width) is one image: nothing else has two axes.
    """

    map_axes: ClassVar[int] = 2  # of the smallest map there is

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The data of a call, named and checked."""
        bound = self.takes.bind(self.name, args, named)
        if "logits" in bound and "y_pred" in self.takes.optional:  # where label maps are meant
            bound["y_pred"] = label_maps(self.name, bound.pop("logits"), self._axes(bound["y_true"]))
        return super().inputs(weight=weight, **self._batched({name: column(value) for name, value in bound.items()}))

    def _batched(self, values: dict[str, ArrayLike]) -> dict[str, ArrayLike]:
        """A pair of single maps as a batch of one; a single map beside a batch lacks its axis."""
        single = {name for name, value in values.items() if axes_of(value) == self.map_axes and self.is_map(value)}
        if single == set(values):
            return {name: _batch_of_one(value) for name, value in values.items()}
        for name in single:
            other = next(one for one in values if one not in single)
            if axes_of(values[other]) > self.map_axes:
                problem = f"is a single map and {arg(other)} is a batch: the batch axis is missing"
                raise InputError(self.name, name, problem, f"Pass {name}[None], or the map of {arg(other)} alone.")
        return values

    def _axes(self, truth: ArrayLike) -> int:
        """How many axes the truth has; maps of different sizes have one more than each of them."""
        if isinstance(truth, list | tuple) and truth and hasattr(cast(Any, truth)[0], "ndim"):
            return 1 + axes_of(cast(Any, truth)[0])
        return axes_of(truth)

    def is_map(self, value: ArrayLike) -> bool:
        """Whether an array with as many axes as a map is one."""
        return True


def _batch_of_one(value: Any) -> ArrayLike:
    return [cast(Any, value)] if isinstance(value, list | tuple) else value[None]


def axes_of(value: Any) -> int:
    """How many axes arrays and lists of numbers have; 0 for anything else."""
    if isinstance(value, list | tuple):
        return 1 + axes_of(cast(Any, value)[0]) if value else 1
    kind = type(cast(object, value))  # a data frame is not a map; a lazy one would read its schema to tell its columns
    return 0 if hasattr(kind, "columns") else int(getattr(value, "ndim", 0))


def named_row(inputs: Inputs, name: str, at: int) -> str:
    """``y_pred[3]``, with the file where there is one."""
    array = inputs.host(name)
    cell = array[at] if array.dtype.kind == "O" else None
    return f"{name}[{at}]" + (f" ({cell.name})" if is_cell(cell) else "")


def image(inputs: Inputs, name: str, at: int, *, ranks: tuple[int, ...] = (2, 3)) -> Any:
    """One map as a native contiguous array of integers."""
    array = inputs.host(name)
    found = array[at]
    if array.dtype.kind == "O":
        found = np.asarray(found.read() if is_cell(found) else to_host(found))
    if found.dtype.kind not in "biu":
        raise InputError(
            inputs.who,
            named_row(inputs, name, at),
            f"must hold integers, the class of each pixel, got {describe(found)}",
            "From scores take argmax over the classes first.",
        )
    if found.ndim not in ranks:
        wanted = " or ".join({2: "(height, width)", 3: "(depth, height, width)"}[rank] for rank in ranks)
        hint = f"The batch axis is missing: pass {name}[None] for a single map." if found.ndim == 1 else ""
        raise InputError(inputs.who, named_row(inputs, name, at), f"must be {wanted}, got {describe(found)}", hint)
    return native(found)


def image_pair(inputs: Inputs, at: int) -> tuple[Any, Any]:
    """Truth and prediction of one image, of one size and kind."""
    truth, predicted = image(inputs, "y_true", at), image(inputs, "y_pred", at)
    if truth.shape != predicted.shape:
        raise InputError(
            inputs.who,
            named_row(inputs, "y_true", at),
            f"is {truth.shape} and {named_row(inputs, 'y_pred', at)} is {predicted.shape}; they must have the same size",
            "Resize the prediction by nearest neighbour.",
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
            inputs.who,
            "",
            f"y_true and y_pred must have the same shape, got {a.shape} and {b.shape}",
            "Scores per class are not label maps: take their argmax first.",
        )
