"""Overlap of boxes (IoU and its variants): pairs of boxes as rows, and the matrix of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay import losses
from assay.core.arrays import Array, ArrayLike, describe, namespace, to_host
from assay.core.call_checks import guarded
from assay.core.errors import InputError, arg
from assay.core.ingestion import ingest
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.takes import Takes
from assay.data.objects import BoxFormat, to_xywh
from assay.metrics.rows import RowMeans

Kind = Literal["iou", "giou", "diou", "ciou"]
_LOWEST = {"iou": 0.0, "giou": -1.0, "diou": -1.0, "ciou": -1.5}
_FORMATS = ("xyxy", "xywh", "cxcywh")


@dataclass(frozen=True, kw_only=True)
class BoxIoU(Metric[Sum]):
    r"""Mean overlap of pairs of boxes; a row is a pair.

    .. math:: \frac{1}{n} \sum_i \frac{|A_i \cap B_i|}{|A_i \cup B_i|}

    ``y_true`` and ``y_pred`` are (n, 4), ``box_format`` says what the numbers mean. ``kind`` takes off what the IoU does not see:
    ``"giou"`` the empty fraction of the smallest box around both, ``"diou"`` the distance of the centres, ``"ciou"`` also the difference
    of the shapes. Two boxes without area have 0/0 = 0 overlap. For the matrix of all pairs see `box_iou_matrix`.

    >>> box_iou([[0, 0, 2, 2], [0, 0, 4, 4]], [[1, 0, 3, 2], [0, 0, 4, 4]])
    0.6666666666666666
    """

    record = Record(
        title="Box IoU",
        range=(0, 1),
        better="higher",
        family="bounded_mean",
        takes=("y_true: boxes", "y_pred: boxes"),
        undefined="never on valid data",
        use="boxes whose partner is known: tracking, grounding, regression of one box",
        misleads="says nothing of objects that were not paired; a detector needs average precision",
        equals=(
            "torchmetrics intersection_over_union and its like (aggregate=True, the diagonal)",
            "torchvision box_iou",
        ),
        references=("rezatofighi2019", "zheng2020"),
        aliases=("IoU", "intersection_over_union"),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    kind: Kind = "iou"
    box_format: BoxFormat = "xyxy"

    def check(self) -> None:
        """A kind and a box format that exist."""
        choice(self.name, "kind", self.kind, tuple(_LOWEST))
        choice(self.name, "box_format", self.box_format, _FORMATS)

    @property
    def bounds(self) -> tuple[float, float]:
        """Penalties go below zero."""
        return _LOWEST[self.kind], 1.0

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """Boxes of four numbers, none of them with a negative size."""
        inputs = super().inputs(*args, weight=weight, **named)
        for name in self.takes.required:
            boxes: Any = inputs[name]
            if boxes.ndim != 2 or boxes.shape[1] != 4:
                raise InputError(self.name, name, f"must be boxes of shape (n, 4), got {tuple(boxes.shape)}")
            values = inputs.numbers(name, ranks=(2,))
            xp = namespace(values)
            sizes = values[:, 2:] - values[:, :2] if self.box_format == "xyxy" else values[:, 2:]
            if not bool(xp.all(xp.isfinite(values))) or bool(
                xp.any(sizes < 0)
            ):  # where the boxes are: only this leaves the device
                _check(to_host(values), self.box_format, self.name, name)
        return inputs

    def statistic(self) -> RowMeans:
        """The sum of the overlaps."""
        return RowMeans(f"{self.kind} {self.box_format}", ("y_true", "y_pred"), _rows(self.kind, self.box_format))

    def of(self, total: Sum) -> Any:
        """The mean overlap."""
        return total[f"{self.kind} {self.box_format}"] / total["weight"]


_ROWS: dict[tuple[str, str], Any] = {}


def _rows(kind: Kind, box_format: BoxFormat) -> Any:
    """One function for each pair of parameters: statistics are equal if their functions are the same."""
    return _ROWS.setdefault((kind, box_format), partial(_overlap, kind=kind, box_format=box_format))


def _overlap(inputs: Inputs, kind: Kind, box_format: BoxFormat) -> Array:
    true, predicted = (inputs.numbers(name, ranks=(2,)) for name in ("y_true", "y_pred"))
    xp = namespace(true)
    dtype = xp.result_type(true, predicted)
    loss = getattr(losses, kind)
    return 1 - loss(xp.astype(predicted, dtype), xp.astype(true, dtype), form=box_format, reduction="none")


def _check(boxes: Any, box_format: BoxFormat, who: str, name: str) -> None:
    finite = np.isfinite(boxes).all(axis=1)
    sizes = boxes[:, 2:] - boxes[:, :2] if box_format == "xyxy" else boxes[:, 2:]
    bad = ~finite | (sizes < 0).any(axis=1)
    if bad.any():
        at = int(np.argmax(bad))
        why = "must not have a negative size" if finite[at] else "must be finite"
        raise InputError(
            f"{who}: {name}, row {at}",
            "box",
            f"{why}, got {boxes[at].tolist()} ({arg('box_format', box_format)}; {int(bad.sum())} such rows)",
        )


@guarded
def box_iou_matrix(
    a: ArrayLike, b: ArrayLike, crowd: ArrayLike | None = None, *, box_format: BoxFormat = "xyxy"
) -> Any:
    """Intersection over union of every box of ``a`` with every box of ``b``, (len(a), len(b)).

    ``crowd`` marks boxes of ``b`` that hold many objects: what overlaps them is divided by the box of ``a`` alone. This is
    pycocotools' ``maskUtils.iou(a, b, crowd)`` with ``box_format="xywh"``.

    >>> box_iou_matrix([[0, 0, 2, 2]], [[1, 0, 3, 2], [0, 0, 4, 4]], crowd=[0, 1])
    array([[0.33333333, 1.        ]])
    """
    who = "box_iou_matrix"
    choice(who, "box_format", box_format, _FORMATS)
    first, second = (_boxes(boxes, box_format, who, name) for name, boxes in (("a", a), ("b", b)))
    many = np.zeros(len(second), bool) if crowd is None else to_host(ingest(crowd, name="crowd", who=who))
    if many.shape != (len(second),) or many.dtype.kind not in "iufb":
        raise InputError(
            who, "crowd", f"must be one flag for each of the {len(second)} boxes of b, got {describe(many)}"
        )
    many = many.astype(bool)
    sides: list[Any] = [
        np.minimum(first[:, None, at] + first[:, None, at + 2], second[None, :, at] + second[None, :, at + 2])
        - np.maximum(first[:, None, at], second[None, :, at])
        for at in (0, 1)
    ]
    meet: Any = (sides[0] > 0) & (sides[1] > 0)
    shared: Any = np.where(meet, sides[0] * sides[1], 0.0)
    own, other = (boxes[:, 2] * boxes[:, 3] for boxes in (first, second))
    union = cast(Any, np.where(many[None, :], own[:, None], own[:, None] + other[None, :] - shared))
    return np.divide(shared, union, out=np.zeros_like(shared), where=meet)


def _boxes(boxes: ArrayLike, box_format: BoxFormat, who: str, name: str) -> Any:
    array = to_host(ingest(boxes, name=name, who=who))
    if cast(Any, array).size == 0:
        return np.zeros((0, 4))
    if array.ndim != 2 or array.shape[1] != 4 or array.dtype.kind not in "iufb":
        raise InputError(who, name, f"must be boxes of shape (n, 4), got {array.shape} of {array.dtype}")
    array = array.astype(np.float64)
    _check(array, box_format, who, name)
    return to_xywh(array, box_format)
