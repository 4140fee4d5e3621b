"""Losses of boxes: one minus the overlap, and what else is wrong with two boxes that do not overlap."""

from __future__ import annotations

import math
from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace, to_host
from assay.core.loss import loss
from assay.losses.detection.geometry import BoxOverlap, Form, Pairs, area, box_pair, corners, least, overlap, ratio
from assay.losses.loss_body import LossBody, each
from assay.losses.reduction import LossOptions
from assay.ops import native, stop_gradient

BEND = 4 / math.pi**2  # makes the largest difference of two angles, pi/2, a penalty of 1


def _boxes(who: str, prediction: Any, target: Any, form: Form, pairs: Pairs, options: LossOptions) -> Array:
    xp, prediction, target = box_pair(who, prediction, target, form, pairs)
    if pairs == "all" and native(xp) and options.get("reduction", "mean") != "none":
        shape = (prediction.shape[0], target.shape[1], 4)  # views, of which large ones go block by block
        prediction, target = xp.broadcast_to(prediction, shape), xp.broadcast_to(target, shape)
    return each(who, _CURVES[who], xp, (prediction, target), (form,), options)


@loss(
    "bounded",
    "robust",
    "symmetric",
    title="IoU",
    use="boxes that overlap already, where the measure of success is the IoU itself",
    instead="giou, diou or ciou: they also pull boxes that do not overlap",
    misleads="boxes that do not overlap all cost 1 and have no gradient",
    equals=("1 - torchvision box_iou",),
    references=("rezatofighi2019", "yu2016"),
    range=(0.0, 1.0),
    rows=True,
    aliases=("iou_loss",),
)
def iou(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    form: Form = "xyxy",
    pairs: Pairs = "paired",
    **options: Unpack[LossOptions],
) -> Array:
    r"""One minus the intersection over union of boxes.

    .. math:: \ell = 1 - |A \cap B| / |A \cup B|

    Boxes are (..., 4) as ``form`` says: two corners, corner and size, or centre and size. ``pairs="all"`` takes (N, 4) and
    (M, 4) and has the N x M losses of all pairs. The mean divides by the number of pairs, or by the sum of the weights. Two
    boxes without area have 0/0 = 0 overlap, so a loss of 1; a box whose corners are the wrong way round is empty, and its
    gradient opens it again.

    >>> round(float(iou([[0.0, 0.0, 2.0, 2.0]], [[1.0, 1.0, 3.0, 3.0]])), 6)
    0.857143
    """
    return _boxes("iou", prediction, target, form, pairs, options)


@loss(
    "bounded",
    "robust",
    "symmetric",
    title="GIoU",
    use="box regression; boxes that do not overlap are drawn together",
    instead="diou or ciou, which converge in fewer steps",
    misleads="of two boxes, one inside the other, it is the IoU loss and knows nothing of their centres",
    equals=("torchvision generalized_box_iou_loss, but for its eps", "monai BoxGIoULoss"),
    references=("rezatofighi2019",),
    range=(0.0, 2.0),
    rows=True,
    aliases=("generalized_iou", "giou_loss"),
)
def giou(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    form: Form = "xyxy",
    pairs: Pairs = "paired",
    **options: Unpack[LossOptions],
) -> Array:
    r"""IoU loss plus the empty fraction of the smallest box C around both.

    .. math:: \ell = 1 - \mathrm{IoU} + |C \setminus (A \cup B)| / |C|

    Forms, pairs and degenerate boxes are those of `iou`; an enclosing box without area has an empty fraction of 0.
    The mean divides by the number of pairs, or by the sum of the weights.
    torchvision adds 1e-7 to both divisors, which shows where areas are that small; here they are exact.

    >>> round(float(giou([[0.0, 0.0, 1.0, 1.0]], [[2.0, 0.0, 3.0, 1.0]])), 6)
    1.333333
    """
    return _boxes("giou", prediction, target, form, pairs, options)


@loss(
    "bounded",
    "robust",
    "symmetric",
    title="DIoU",
    use="box regression that should converge fast",
    instead="ciou, if the shape of the box matters too",
    misleads="of two boxes with one centre it is the IoU loss, whatever their shapes",
    equals=("torchvision distance_box_iou_loss, but for its eps",),
    references=("zheng2020",),
    range=(0.0, 2.0),
    rows=True,
    aliases=("distance_iou", "diou_loss"),
)
def diou(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    form: Form = "xyxy",
    pairs: Pairs = "paired",
    **options: Unpack[LossOptions],
) -> Array:
    r"""IoU loss plus the squared distance d of the centres, by the squared diagonal c of the smallest box around both.

    .. math:: \ell = 1 - \mathrm{IoU} + d^2 / c^2

    Forms, pairs and degenerate boxes are those of `iou`; two boxes that are one point have 0/0 = 0 distance.
    The mean divides by the number of pairs, or by the sum of the weights.

    >>> round(float(diou([[0.0, 0.0, 1.0, 1.0]], [[2.0, 0.0, 3.0, 1.0]])), 6)
    1.4
    """
    return _boxes("diou", prediction, target, form, pairs, options)


@loss(
    "bounded",
    "robust",
    "symmetric",
    title="CIoU",
    use="box regression where overlap, centre and shape all count",
    instead="diou, if targets are nearly of one shape",
    misleads="the weight of the shape is a constant to the gradient, so the gradient is not the slope of the value",
    equals=("torchvision complete_box_iou_loss, but for its eps and its NaN",),
    references=("zheng2020",),
    range=(0.0, 2.5),
    rows=True,
    aliases=("complete_iou", "ciou_loss"),
)
def ciou(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    form: Form = "xyxy",
    pairs: Pairs = "paired",
    **options: Unpack[LossOptions],
) -> Array:
    r"""DIoU loss plus a penalty of the shape, whose weight alpha is not differentiated.

    .. math::
        \ell = 1 - \mathrm{IoU} + d^2/c^2 + \alpha v, \quad
        v = \tfrac{4}{\pi^2}\left(\arctan\tfrac{w'}{h'} - \arctan\tfrac{w}{h}\right)^2, \quad
        \alpha = \frac{v}{1 - \mathrm{IoU} + v}

    Forms, pairs and degenerate boxes are those of `iou`. A box without height has the angle pi/2; a point has no
    shape, and v is 0. torchvision's gradient is NaN for both.
    The mean divides by the number of pairs, or by the sum of the weights.

    >>> round(float(ciou([[0.0, 0.0, 2.0, 1.0]], [[0.0, 0.0, 1.0, 2.0]])), 6)
    0.762918
    """
    return _boxes("ciou", prediction, target, form, pairs, options)


# ---- bodies, of the overlap and of the extents of the enclosing box


def _body(xp: Namespace, prediction: Array, target: Array, form: Form, extra: Any) -> Array:
    low, high = corners(xp, prediction, form)
    low_other, high_other = corners(xp, target, form)
    found = overlap(xp, low, high, low_other, high_other)
    share = ratio(xp, found.shared, found.union)
    values = 1 - share
    if extra is not None:
        outer = xp.maximum(high, high_other) - xp.minimum(low, low_other)
        gap = 0.5 * ((low + high) - (low_other + high_other))
        values = values + extra(xp, found, share, outer, gap)
    return xp.astype(values, prediction.dtype)


def _empty_share(xp: Namespace, found: BoxOverlap, share: Array, outer: Array, gap: Array) -> Array:
    whole = area(outer)
    return ratio(xp, whole - found.union, whole)


def _distance(xp: Namespace, found: BoxOverlap, share: Array, outer: Array, gap: Array) -> Array:
    return ratio(xp, xp.sum(gap * gap, axis=0), xp.sum(outer * outer, axis=0))


def _distance_and_shape(xp: Namespace, found: BoxOverlap, share: Array, outer: Array, gap: Array) -> Array:
    angle, point = _angle(xp, found.size)
    angle_other, point_other = _angle(xp, found.other)
    turn = xp.where(point | point_other, xp.zeros_like(angle), angle_other - angle)
    bend = BEND * turn * turn
    weight = stop_gradient(ratio(xp, bend, (1 - share) + bend))
    return _distance(xp, found, share, outer, gap) + weight * bend


def _angle(xp: Namespace, size: Array) -> tuple[Array, Array]:
    """``arctan(w / h)``, and whether the box is a point."""
    point = xp.sum(size * size, axis=0) <= least(xp, size)
    width = xp.where(point, xp.zeros_like(size[0, ...]), size[0, ...])
    height = xp.where(point, xp.ones_like(width), size[1, ...])
    return xp.atan2(width, height), point


def _curve(name: str, extra: Any) -> LossBody:
    def value(xp: Namespace, prediction: Array, target: Array, form: Form) -> Array:
        return _body(xp, prediction, target, form, extra)

    def slopes(xp: Namespace, prediction: Array, target: Array, form: Form) -> tuple[Array, tuple[Array]]:
        from assay.kernels import boxes  # numba is not loaded before it is needed

        values, slope = boxes.losses_and_gradients(name, to_host(prediction.detach()), to_host(target), form)
        return xp.asarray(values), (xp.asarray(slope),)

    return LossBody(value, slopes, rowwise=True, compiled=True)


_CURVES = {
    "iou": _curve("iou", None),
    "giou": _curve("giou", _empty_share),
    "diou": _curve("diou", _distance),
    "ciou": _curve("ciou", _distance_and_shape),
}
