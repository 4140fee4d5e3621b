"""Losses of boxes with their derivatives, and the IoU of all pairs, in one pass over planes of corners.

A box is four numbers; a plane holds one of them for all boxes. Each loss is one minus the IoU plus a penalty, and depends
on four quantities only: the extents of the intersection, of the prediction and of the enclosing box, and the centre.
Derivatives with respect to these are combined into those with respect to the corners. The loops have no branches, so
that they are vectorised.
"""

# pyright: reportUnknownVariableType=false
# type(x)(1) makes a constant of the type of x, so that float32 is not widened.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import lanes, step


@step
def _upright(low: Any, high: Any) -> tuple[Any, Any]:
    """A side whose ends are in the wrong order is empty, and lies midway between them."""
    half = type(low)(0.5)
    middle = half * (low + high)
    return (middle if high < low else low), (middle if high < low else high)


@step
def _inverse(x: Any, least: Any) -> Any:
    """1 / x, and 0 where x counts as zero."""
    one = type(x)(1)
    safe = one if x <= least else x
    return type(x)(0) if x <= least else one / safe


@step
def _part_of_prediction(ahead: Any) -> Any:
    """The part of the prediction in the derivative of a minimum or maximum: one half at a tie."""
    kind = type(ahead)
    return kind(1) if ahead > 0 else (kind(0.5) if ahead == 0 else kind(0))


@step
def _arctan(x: Any) -> Any:
    """The arctangent from 0 to 1, by the rational function of Cephes, since libm has no vector version."""
    kind = type(x)
    far = x > kind(0.4142135623730951)
    top, bottom = (x - kind(1) if far else x), (x + kind(1) if far else kind(1))
    start = kind(math.pi / 4) if far else kind(0)
    x = top / bottom
    z = x * x
    p = kind(-0.8750608600031904)
    p = p * z + kind(-16.157537187333652)
    p = p * z + kind(-75.00855792314705)
    p = p * z + kind(-122.88666844901361)
    p = p * z + kind(-64.85021904942025)
    q = z + kind(24.858464901423062)
    q = q * z + kind(165.02700983169885)
    q = q * z + kind(432.88106049129027)
    q = q * z + kind(485.3903996359137)
    q = q * z + kind(194.5506571482614)
    return start + (x + x * z * p / q)


@step
def _angle(w: Any, h: Any, least: Any) -> Any:
    """``arctan(w / h)``, pi/2 for zero height, from the arctangent of a number of at most 1."""
    kind = type(w)
    low, high = min(w, h), max(w, h)
    angle = _arctan(low / (high if high > kind(0) else kind(1)))
    return angle if w <= h else kind(math.pi / 2) - angle


@step
def _boxes(p: Any, t: Any, r: int) -> Any:
    """The corners of both boxes of a row: low and high in x, then in y, of the prediction and of the target."""
    a0, a2 = _upright(p[0, r], p[2, r])
    a1, a3 = _upright(p[1, r], p[3, r])
    b0, b2 = _upright(t[0, r], t[2, r])
    b1, b3 = _upright(t[1, r], t[3, r])
    return a0, a2, a1, a3, b0, b2, b1, b3


@step
def _sides(low: Any, high: Any, low_other: Any, high_other: Any) -> Any:
    """Along one axis: both extents, that of the intersection, whether there is one, and that of the enclosing box."""
    kind = type(low)
    inner = min(high, high_other) - max(low, low_other)
    touch = kind(1) if inner >= kind(0) else kind(0)
    outer = max(high, high_other) - min(low, low_other)
    return high - low, high_other - low_other, inner * touch, touch, outer


@step
def _put_side(g: Any, r: int, at: int, low: Any, high: Any, low_other: Any, high_other: Any, by: Any) -> None:
    """Write the derivatives for the two ends of a side, given those for the intersection, the extent, the enclosing box and the centre."""
    inner, size, outer, centre = by
    pull, grow = inner - outer, size + outer
    g[at, r] = centre - pull * _part_of_prediction(low - low_other) - grow
    g[at + 2, r] = centre + pull * _part_of_prediction(high_other - high) + grow


_TYPES = "T[:, ::1], T[:, ::1], T[::1], T[:, ::1], T"


@lanes(_TYPES, T="f4 f8")
def _iou(p: Any, t: Any, values: Any, g: Any, least: Any) -> None:
    zero, one = type(least)(0), type(least)(1)
    for r in range(values.shape[0]):
        a0, a2, a1, a3, b0, b2, b1, b3 = _boxes(p, t, r)
        w, w_other, x, touch_x, _ = _sides(a0, a2, b0, b2)
        h, h_other, y, touch_y, _ = _sides(a1, a3, b1, b3)
        part = _inverse(w * h + w_other * h_other - x * y, least)
        share = x * y * part
        values[r] = one - share
        by, own = -(one + share) * part, share * part
        _put_side(g, r, 0, a0, a2, b0, b2, (by * y * touch_x, own * h, zero, zero))
        _put_side(g, r, 1, a1, a3, b1, b3, (by * x * touch_y, own * w, zero, zero))


@lanes(_TYPES, T="f4 f8")
def _giou(p: Any, t: Any, values: Any, g: Any, least: Any) -> None:
    zero, one = type(least)(0), type(least)(1)
    for r in range(values.shape[0]):
        a0, a2, a1, a3, b0, b2, b1, b3 = _boxes(p, t, r)
        w, w_other, x, touch_x, wide = _sides(a0, a2, b0, b2)
        h, h_other, y, touch_y, tall = _sides(a1, a3, b1, b3)
        union = w * h + w_other * h_other - x * y
        part, whole = _inverse(union, least), _inverse(wide * tall, least)
        share, full = x * y * part, union * whole
        values[r] = one - share + (one - full if whole > zero else zero)
        by, own, out = whole - (one + share) * part, share * part - whole, full * whole
        _put_side(g, r, 0, a0, a2, b0, b2, (by * y * touch_x, own * h, out * tall, zero))
        _put_side(g, r, 1, a1, a3, b1, b3, (by * x * touch_y, own * w, out * wide, zero))


@step
def _aspect(w: Any, h: Any, w_other: Any, h_other: Any, share: Any, least: Any) -> tuple[Any, Any]:
    """The weighted difference of the aspect ratios, and its derivative with respect to the angle over the squared length.

    The weight is treated as a constant.
    """
    kind = type(w)
    part = _inverse(w * w + h * h, least)
    turn = _angle(w_other, h_other, least) - _angle(w, h, least)
    turn = turn if part > kind(0) else kind(0)
    turn = turn if w_other * w_other + h_other * h_other > least else kind(0)
    bend = kind(4 / math.pi**2) * turn * turn
    weight = bend * _inverse(kind(1) - share + bend, least)
    return weight * bend, kind(8 / math.pi**2) * weight * turn * part


@step
def _centre_gap(low: Any, high: Any, low_other: Any, high_other: Any) -> Any:
    """The distance between the centres along one axis."""
    return type(low)(0.5) * ((low + high) - (low_other + high_other))


@lanes(_TYPES, T="f4 f8")
def _diou(p: Any, t: Any, values: Any, g: Any, least: Any) -> None:
    one, minus_two = type(least)(1), type(least)(-2)
    for r in range(values.shape[0]):
        a0, a2, a1, a3, b0, b2, b1, b3 = _boxes(p, t, r)
        w, w_other, x, touch_x, wide = _sides(a0, a2, b0, b2)
        h, h_other, y, touch_y, tall = _sides(a1, a3, b1, b3)
        part, whole = _inverse(w * h + w_other * h_other - x * y, least), _inverse(wide * wide + tall * tall, least)
        gap_x, gap_y = _centre_gap(a0, a2, b0, b2), _centre_gap(a1, a3, b1, b3)
        share, far = x * y * part, (gap_x * gap_x + gap_y * gap_y) * whole
        values[r] = one - share + far
        by, own, out = -(one + share) * part, share * part, minus_two * far * whole
        _put_side(g, r, 0, a0, a2, b0, b2, (by * y * touch_x, own * h, out * wide, gap_x * whole))
        _put_side(g, r, 1, a1, a3, b1, b3, (by * x * touch_y, own * w, out * tall, gap_y * whole))


@lanes(_TYPES, T="f4 f8")
def _ciou(p: Any, t: Any, values: Any, g: Any, least: Any) -> None:
    """Add the term for the aspect ratio to the values and derivatives of DIoU."""
    for r in range(values.shape[0]):
        a0, a2, a1, a3, b0, b2, b1, b3 = _boxes(p, t, r)
        w, w_other, x, _, _ = _sides(a0, a2, b0, b2)
        h, h_other, y, _, _ = _sides(a1, a3, b1, b3)
        share = x * y * _inverse(w * h + w_other * h_other - x * y, least)
        bend, turn = _aspect(w, h, w_other, h_other, share, least)
        values[r] += bend
        g[0, r] += turn * h
        g[1, r] -= turn * w
        g[2, r] -= turn * h
        g[3, r] += turn * w


_PASSES = {"iou": (_iou,), "giou": (_giou,), "diou": (_diou,), "ciou": (_diou, _ciou)}


def losses_and_gradients(name: str, prediction: Any, target: Any, form: str) -> tuple[Any, Any]:
    """The losses of pairs of boxes (..., 4), and their derivatives with respect to the prediction."""
    p, t = _corners(prediction, form), _corners(target, form)
    values, g = np.empty(p.shape[1:], p.dtype), np.empty_like(p)
    for one in _PASSES[name]:
        one(p.reshape(4, -1), t.reshape(4, -1), values.reshape(-1), g.reshape(4, -1), _least(p))
    return values, np.moveaxis(_in_form(g, form), 0, -1)


def _corners(boxes: Any, form: str) -> Any:
    """Planes of corners: x and y of the lower one, x and y of the upper one."""
    planes = np.stack([boxes[..., i] for i in range(4)])
    first, second = planes[:2], planes[2:]
    if form == "xyxy":
        return planes
    if form == "xywh":
        return np.concatenate([first, first + second])
    return np.concatenate([first - 0.5 * second, first + 0.5 * second])


def _in_form(g: Any, form: str) -> Any:
    """Derivatives with respect to the corners, converted to those for the numbers of a form."""
    low, high = g[:2], g[2:]
    if form == "xyxy":
        return g
    return np.concatenate([low + high, high if form == "xywh" else 0.5 * (high - low)])


def _least(x: Any) -> Any:
    """What counts as zero in a denominator: its square is still a normal number."""
    return x.dtype.type(float(np.finfo(x.dtype).smallest_normal) ** 0.5)


@lanes("T[:, ::1], T[:, ::1], T[:, ::1], T, i8, i8", T="f4 f8")
def _matrix(a: Any, b: Any, out: Any, least: Any, start: int, stop: int) -> None:
    for i in range(start, stop):
        a0, a1, a2, a3 = a[0, i], a[1, i], a[2, i], a[3, i]
        own = (a2 - a0) * (a3 - a1)
        for j in range(out.shape[1]):
            _, w, x, _, _ = _sides(a0, a2, b[0, j], b[2, j])
            _, h, y, _, _ = _sides(a1, a3, b[1, j], b[3, j])
            shared = x * y
            out[i, j] = shared * _inverse(own + w * h - shared, least)


def matrix(first: Any, second: Any, form: str) -> Any:
    """The IoU of all pairs of two sets of boxes, (N, 4) and (M, 4)."""
    a, b = (_straight(_corners(boxes, form)) for boxes in (first, second))
    out = np.empty((a.shape[1], b.shape[1]), a.dtype)

    def work(start: int, stop: int) -> None:
        _matrix(a, b, out, _least(a), start, stop)

    kernels.over_chunks(len(out), work, least=max(1, (1 << 20) // max(1, out.shape[1])))
    return out


def _straight(planes: Any) -> Any:
    """Make boxes whose corners are in the wrong order empty."""
    low, high = planes[:2], planes[2:]
    middle: Any = 0.5 * (low + high)
    sides: list[Any] = [np.where(high < low, middle, side) for side in (low, high)]
    return np.concatenate(sides)
