"""Boxes as planes of corners, and the geometry of two boxes: overlap, union, enclosing box.

Coordinates come last, as users have them, and are turned first, (2, ...) for the low and the high corner: every step then
runs over both axes and all boxes at once. Shapes may differ as long as they broadcast, which gives all pairs.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from assay import kernels
from assay.core.arrays import Array, ArrayLike, Namespace, describe, epsilon, is_numpy, like, to_host
from assay.core.errors import InputError
from assay.losses.inputs import arrays, floating, pair
from assay.losses.loss_body import blocked
from assay.losses.parameter_checks import one_of
from assay.ops import stop_gradient

Form: TypeAlias = Literal["xyxy", "xywh", "cxcywh"]
Pairs: TypeAlias = Literal["paired", "all"]


class BoxOverlap(NamedTuple):
    """Of two boxes: extents, and the areas that they share and cover."""

    size: Array  # of the first box, (2, ...) as all extents
    other: Array  # of the second box
    inner: Array  # of the intersection
    shared: Array
    union: Array


def box_pair(
    who: str, prediction: ArrayLike, target: ArrayLike, form: str, pairs: str
) -> tuple[Namespace, Array, Array]:
    """Both sets as floats whose shapes broadcast to the pairs: (..., 4) each, or (N, 1, 4) and (1, M, 4) for all pairs."""
    one_of(who, "form", form, "xyxy", "xywh", "cxcywh")
    one_of(who, "pairs", pairs, "paired", "all")
    if pairs == "paired":
        xp, first, second = pair(who, prediction, target)
    else:
        xp, (first, second) = arrays(who, prediction=prediction, target=target)
        first = floating(xp, first)
        second = floating(xp, second, like=first)
    for name, boxes in (("prediction", first), ("target", second)):
        if boxes.ndim < 1 or boxes.shape[-1] != 4 or (pairs == "all" and boxes.ndim != 2):
            shape = "(N, 4) for all pairs" if pairs == "all" else "(..., 4)"
            raise InputError(who, name, f"must hold boxes of shape {shape}, got {describe(boxes)}")
    if pairs == "all":
        return xp, first[:, None, :], second[None, :, :]
    return xp, first, second


def corners(xp: Namespace, boxes: Array, form: Form) -> tuple[Array, Array]:
    """The low and the high corners, (2, ...) each, with the gradient of an empty box at the corners that were given."""
    low, high = split(xp, boxes, form)
    low_upright, high_upright = upright(xp, low, high)
    return _instead(low_upright, low), _instead(high_upright, high)


def split(xp: Namespace, boxes: Array, form: Form) -> tuple[Array, Array]:
    """The corners as given, in at least single precision, since areas overflow half precision."""
    if epsilon(boxes) > 1e-4:
        boxes = xp.astype(boxes, xp.float32)
    planes = xp.stack([boxes[..., i] for i in range(4)])
    first, second = planes[:2, ...], planes[2:, ...]
    if form == "cxcywh":
        return first - 0.5 * second, first + 0.5 * second
    return first, (first + second if form == "xywh" else second)


def upright(xp: Namespace, low: Array, high: Array) -> tuple[Array, Array]:
    """A side whose ends are swapped is empty, and lies halfway between them."""
    wrong, middle = high < low, 0.5 * (low + high)
    return xp.where(wrong, middle, low), xp.where(wrong, middle, high)


def _instead(value: Array, x: Array) -> Array:
    """The value with the derivative of x."""
    return stop_gradient(value) + (x - stop_gradient(x))


def overlap(xp: Namespace, low: Array, high: Array, low_other: Array, high_other: Array) -> BoxOverlap:
    """What two boxes share and cover; boxes that only touch still have a gradient that draws them together."""
    inner = xp.minimum(high, high_other) - xp.maximum(low, low_other)
    inner = xp.where(inner < 0, xp.zeros_like(inner), inner)
    size, other, shared = high - low, high_other - low_other, area(inner)
    return BoxOverlap(size, other, inner, shared, area(size) + area(other) - shared)


def area(size: Array) -> Array:
    """Width times height."""
    return size[0, ...] * size[1, ...]


def least(xp: Namespace, x: Array) -> float:
    """The smallest denominator that does not count as zero: its square is still a normal number, so no gradient overflows."""
    return float(xp.finfo(x.dtype).smallest_normal) ** 0.5


def ratio(xp: Namespace, top: Array, bottom: Array) -> Array:
    """``top / bottom``, and 0 with a gradient of 0 where the denominator is zero."""
    none = bottom <= least(xp, bottom)
    return xp.where(none, xp.zeros_like(bottom), top / xp.where(none, xp.ones_like(bottom), bottom))


def box_iou(prediction: ArrayLike, target: ArrayLike, *, form: Form = "xyxy", pairs: Pairs = "paired") -> Array:
    r"""Intersection over union of boxes: one value per pair, or with ``pairs="all"`` the matrix (N, M) of all of them.

    .. math:: \mathrm{IoU} = |A \cap B| / |A \cup B|

    Two boxes without any area have an IoU of 0.

    >>> box_iou([[0.0, 0.0, 2.0, 2.0]], [[1.0, 1.0, 3.0, 3.0]]) * 7
    array([1.])
    """
    xp, first, second = box_pair("box_iou", prediction, target, form, pairs)
    if pairs == "all" and _compiled(xp, first, second):
        from assay.kernels import boxes  # numba is not loaded before it is needed

        return like(first, boxes.matrix(to_host(first)[:, 0, :], to_host(second)[0, :, :], form))
    found = overlap(xp, *corners(xp, first, form), *corners(xp, second, form))
    return xp.astype(ratio(xp, found.shared, found.union), first.dtype)


def _compiled(xp: Namespace, prediction: Array, target: Array) -> bool:
    """Whether the matrix is large enough for the kernel, and its boxes are plain numbers that nothing learns from."""
    if prediction.shape[0] * target.shape[1] < kernels.LARGE or prediction.dtype != target.dtype:
        return False
    if is_numpy(prediction):
        return str(prediction.dtype) in ("float32", "float64")
    learns = getattr(prediction, "requires_grad", False) or getattr(target, "requires_grad", False)
    shape = (prediction.shape[0], target.shape[1], 4)
    return not learns and blocked(xp, xp.broadcast_to(prediction, shape), xp.broadcast_to(target, shape))
