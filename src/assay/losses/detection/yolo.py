"""The loss of YOLO, version 1: a grid of cells, of which each predicts some boxes and one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, ArrayLike, Namespace, describe
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.detection.geometry import Form, corners, overlap, ratio
from assay.losses.inputs import arrays, floating
from assay.losses.parameter_checks import between, one_of, positive
from assay.losses.reduction import LossOptions, Parts, reduce
from assay.ops import log_softmax, stop_gradient


@loss(
    title="YOLO",
    use="one-stage detection on a grid, as in YOLO version 1",
    instead="ciou with focal on the objectness, as later detectors have it",
    misleads="a cell holds one object; where no box overlaps the object, the first box is the one that learns",
    references=("redmon2016",),
    aliases=("yolo_loss",),
    erratum=f"{SURVEY}, eq. 56-58, leaves out the square roots of width and height and the weight of boxes without "
    "object: square_root=False and lambda_noobj=1 are its form.",
)
def yolo(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    lambda_coord: float = 5.0,
    lambda_noobj: float = 0.5,
    square_root: bool = True,
    objectness: Literal["iou", "one"] = "iou",
    classification: Literal["squared", "cross_entropy"] = "squared",
    least: float = 1e-6,
    parts: bool = False,
    **options: Unpack[LossOptions],
) -> Array | Parts[Array]:
    r"""Sum over the cells of an image of squared errors of place, size, objectness and class.

    .. math::
        \ell = \lambda_c \sum_{obj} \left[(x - x')^2 + (y - y')^2 + (\sqrt w - \sqrt{w'})^2 + (\sqrt h - \sqrt{h'})^2\right]
        + \sum_{obj} (c - \mathrm{IoU})^2 + \lambda_n \sum_{no\,obj} c^2 + \sum_{cells} \sum_k (p_k - p'_k)^2

    ``prediction`` is (N, rows, columns, 5 B + C): x, y, w, h and the objectness of each of B boxes, then C class scores.
    ``target`` is (N, rows, columns, 5 + C): one box, 1 where the cell has an object and 0 where not, and the class as zeros and
    a one (`yolo_targets` makes it); B follows from both. x and y are within the cell from 0 to 1, w and h fractions of the image.
    The box of a cell with the highest IoU is responsible for its object, the first one at a tie; all other boxes are without
    object. The choice and the IoU are constants to the gradient. ``objectness="one"`` aims at 1 instead of the IoU;
    ``classification="cross_entropy"`` takes the class scores as logits. The gradient of a root below ``least`` is that at
    ``least``; sizes below 0 have the root 0.

    The mean is over images. ``parts=True`` gives the total and, weighted as they are in it, ``xy``, ``wh``, ``objectness``,
    ``no_object`` and ``classification``.

    >>> prediction = [[[[0.5, 0.5, 0.25, 0.25, 0.6, 0.8, 0.2]]]]
    >>> target = [[[[0.5, 0.5, 0.25, 0.25, 1.0, 1.0, 0.0]]]]
    >>> round(float(yolo(prediction, target)), 6)  # (0.6 - 1)² + (0.8 - 1)² + 0.2²
    0.24
    """
    between("yolo", 0.0, float("inf"), lambda_coord=lambda_coord, lambda_noobj=lambda_noobj)
    positive("yolo", least=least)
    xp, boxes, scores, truth, has, classes = _grids(prediction, target)
    found, mine, other = _responsible(xp, boxes, truth, has)
    gap = _squares(xp, boxes[..., :2] - truth[..., :2])
    size = boxes[..., 2:4] - truth[..., 2:4]
    if square_root:
        size = _root(xp, boxes[..., 2:4], least) - _root(xp, truth[..., 2:4], least)
    aim = found if objectness == "iou" else xp.ones_like(found)
    sums = {
        "xy": lambda_coord * _per_image(xp, mine * gap),
        "wh": lambda_coord * _per_image(xp, mine * _squares(xp, size)),
        "objectness": _per_image(xp, mine * (boxes[..., 4] - aim) ** 2),
        "no_object": lambda_noobj * _per_image(xp, other * boxes[..., 4] ** 2),
        "classification": _per_image(xp, has * _class_errors(xp, scores, classes, classification)),
    }
    total = reduce("yolo", xp, sum(sums.values()), options)
    if not parts:
        return total
    return Parts(total, {name: reduce("yolo", xp, values, options) for name, values in sums.items()})


def _grids(prediction: Any, target: Any) -> tuple[Any, ...]:
    """Predicted boxes (N, rows, columns, B, 5) and class scores, and of the target its box, object and classes."""
    xp, (prediction, target) = arrays("yolo", prediction=prediction, target=target)
    prediction = floating(xp, prediction)
    target = floating(xp, target, like=prediction)
    more = prediction.shape[-1] - target.shape[-1] if prediction.ndim == 4 == target.ndim else -1
    if more < 0 or more % 5 or target.shape[-1] < 5 or tuple(prediction.shape[:3]) != tuple(target.shape[:3]):
        raise InputError(
            "yolo",
            "prediction",
            f"must be (N, rows, columns, 5 B + C) and target (N, rows, columns, 5 + C), got {describe(prediction)}"
            f" and {describe(target)}",
        )
    count = 5 * (more // 5 + 1)
    boxes = xp.reshape(prediction[..., :count], (*prediction.shape[:3], count // 5, 5))
    truth = xp.expand_dims(target[..., :4], axis=3)
    flag = target[..., 4]
    whole = xp.where(flag == 0, xp.ones_like(flag), flag)
    has = xp.astype(xp.where(flag == 0, xp.zeros_like(flag), whole / whole), prediction.dtype)  # 0 or 1; NaN stays NaN
    return xp, boxes, prediction[..., count:], truth, has, target[..., 5:]


def _responsible(xp: Namespace, boxes: Array, truth: Array, has: Array) -> tuple[Array, Array, Array]:
    """The IoU of each box with the object of its cell, which box is responsible, and which have no object: all constants."""
    cells = [boxes.shape[2], boxes.shape[1]]
    ours, theirs = (_in_image(xp, stop_gradient(b), cells) for b in (boxes[..., :4], truth))
    both = overlap(xp, *corners(xp, ours, "cxcywh"), *corners(xp, theirs, "cxcywh"))
    found = xp.astype(ratio(xp, both.shared, both.union), boxes.dtype)
    best = xp.argmax(found, axis=-1, keepdims=True)
    mine = xp.astype(xp.arange(found.shape[-1], dtype=best.dtype) == best, boxes.dtype) * has[..., None]
    return found, mine, 1 - mine


def _in_image(xp: Namespace, boxes: Array, cells: list[int]) -> Array:
    """Positions within the cell as fractions of the image; the position of the cell cancels, since both boxes are in it."""
    planes = [boxes[..., 0] / cells[0], boxes[..., 1] / cells[1], boxes[..., 2], boxes[..., 3]]
    return xp.stack(planes, axis=-1)


def _squares(xp: Namespace, gap: Array) -> Array:
    return xp.sum(gap * gap, axis=-1)


def _root(xp: Namespace, x: Array, least: float) -> Array:
    """The square root, with the slope of ``least`` below it: at 0 it would be infinite, and a box could never open again."""
    some = x > least
    root = xp.sqrt(xp.where(some, x, xp.ones_like(x)))
    fixed = stop_gradient(x)
    low = xp.sqrt(xp.where(fixed > 0, fixed, xp.zeros_like(x)))
    return xp.where(some, root, low + (x - fixed) * (0.5 * least**-0.5))


def _class_errors(xp: Namespace, scores: Array, classes: Array, kind: str) -> Array:
    """One number per cell; cross entropy takes the scores as logits."""
    if kind == "squared" or scores.shape[-1] == 0:
        return _squares(xp, scores - classes)
    return -xp.sum(classes * log_softmax(xp, scores), axis=-1)


def _per_image(xp: Namespace, values: Array) -> Array:
    return xp.sum(values, axis=tuple(range(1, values.ndim)))


def yolo_targets(
    boxes: Sequence[ArrayLike],
    labels: Sequence[ArrayLike],
    *,
    grid: int | tuple[int, int],
    classes: int,
    form: Form = "cxcywh",
    size: tuple[float, float] = (1.0, 1.0),
) -> NDArray[np.float32]:
    """The target of `yolo` as a NumPy array (N, rows, columns, 5 + classes) of float32.

    ``boxes`` and ``labels`` have one entry per image: its boxes (n, 4) and their classes (n). ``size`` is the width and height
    of the images in the units of the boxes; fractions of the image have (1, 1). The cell with the centre of a box holds it. A
    cell has room for one object: of several the first is kept, as in Darknet.

    >>> target = yolo_targets([[[0.6, 0.25, 0.5, 0.5]]], [[1]], grid=2, classes=2)
    >>> [round(float(x), 3) for x in target[0, 0, 1]]
    [0.2, 0.5, 0.5, 0.5, 1.0, 0.0, 1.0]
    """
    one_of("yolo_targets", "form", form, "xyxy", "xywh", "cxcywh")
    if len(boxes) != len(labels):
        raise InputError(
            "yolo_targets", "", f"boxes and labels must have one entry per image, got {len(boxes)} and {len(labels)}"
        )
    rows, columns = (grid, grid) if isinstance(grid, int) else grid
    out = np.zeros((len(boxes), rows, columns, 5 + classes), np.float32)
    for image, (own, its) in enumerate(zip(cast("Sequence[Array]", boxes), labels, strict=True)):
        for box, label in zip(_centred(own, form, size), _whole(its, len(own), classes), strict=True):
            column, row = (min(int(c * n), n - 1) for c, n in zip(box[:2], (columns, rows), strict=True))
            cell = out[image, row, column]
            if cell[4] == 0:
                cell[:5] = box[0] * columns - column, box[1] * rows - row, box[2], box[3], 1
                cell[5 + label] = 1
    return out


def _centred(boxes: Any, form: Form, size: tuple[float, float]) -> Any:
    """Boxes as centre and size in fractions of the image, refused if a centre lies outside."""
    found = np.asarray(boxes, dtype=np.float64).reshape(-1, 4) / np.tile(np.asarray(size, dtype=np.float64), 2)
    first, second = found[:, :2], found[:, 2:]
    extent = second - first if form == "xyxy" else second
    centre = first if form == "cxcywh" else first + 0.5 * extent
    bad = ~((centre >= 0) & (centre <= 1)).all(axis=1) | ~(extent >= 0).all(axis=1)
    if bad.any():
        raise InputError(
            "yolo_targets",
            "",
            f"box {int(bad.argmax())} must have its centre in the image and no negative size, got "
            f"{np.asarray(boxes)[int(bad.argmax())].tolist()} as {form} in an image of {tuple(size)}",
        )
    return np.concatenate([centre, extent], axis=1)


def _whole(labels: Any, count: int, classes: int) -> list[int]:
    found = np.asarray(labels).reshape(-1)
    if len(found) != count:
        raise InputError("yolo_targets", "", f"an image has {count} boxes and {len(found)} labels")
    if count and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= classes):
        raise ParameterError(
            "yolo_targets", "labels", f"must be integers from 0 to {classes - 1}, got {found.tolist()}"
        )
    return [int(label) for label in found]
