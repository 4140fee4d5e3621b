"""Elementwise losses and their gradients in one pass: the sum is returned, the gradient written to a given array.

Only losses without exponentials or logarithms, which are limited by memory bandwidth. The first four arguments of every loop are
prediction, target, weight of each element (used if ``weighted``) and the gradient; the scale multiplies the gradient only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import lanes, step

PIECE = 1 << 17  # elements: a tenth of a millisecond, which is as long as a thread waits for the last of the others


@step
def _weighed(out: Any, i: Any, value: Any, slope: Any, weight: Any, scale: Any) -> Any:
    """Write the gradient and return the weighted value; elements of weight zero may be infinite, and count nothing."""
    none = type(value)(0)
    out[i] = none if weight == none else slope * weight * scale
    return none if weight == none else value * weight


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T", T="f4 f8")
def _squared(p: Any, y: Any, weight: Any, out: Any, weighted: Any, scale: Any) -> float:
    total = 0.0
    for i in range(p.size):
        gap = p[i] - y[i]
        total += _weighed(out, i, gap * gap, gap + gap, weight[i] if weighted else weight[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T", T="f4 f8")
def _absolute(p: Any, y: Any, weight: Any, out: Any, weighted: Any, scale: Any) -> float:
    total = 0.0
    one, none = type(scale)(1), type(scale)(0)
    for i in range(p.size):
        gap = p[i] - y[i]
        side = one if gap > none else (-one if gap < none else none * gap)
        total += _weighed(out, i, abs(gap), side, weight[i] if weighted else weight[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T, T", T="f4 f8")
def _huber(p: Any, y: Any, weight: Any, out: Any, weighted: Any, scale: Any, delta: Any, over: Any) -> float:
    total = 0.0
    half = type(scale)(0.5)
    for i in range(p.size):
        gap = p[i] - y[i]
        slope = delta if gap > delta else (-delta if gap < -delta else gap)
        value = slope * (gap - half * slope)
        total += _weighed(out, i, value / over, slope / over, weight[i] if weighted else weight[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T", T="f4 f8")
def _pinball(p: Any, y: Any, weight: Any, out: Any, weighted: Any, scale: Any, q: Any) -> float:
    total = 0.0
    one, none = type(scale)(1), type(scale)(0)
    for i in range(p.size):
        gap = y[i] - p[i]
        slope = (one if gap < none else none) - q
        total += _weighed(out, i, -slope * gap, slope, weight[i] if weighted else weight[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T", T="f4 f8")
def _hinge(p: Any, y: Any, weight: Any, out: Any, weighted: Any, scale: Any, margin: Any) -> float:
    total = 0.0
    none = type(scale)(0)
    for i in range(p.size):
        short = margin - p[i] * y[i]
        value = none if short <= none else short
        slope = -y[i] if short > none else none
        total += _weighed(out, i, value, slope, weight[i] if weighted else weight[0], scale)
    return total


LOOPS: dict[str, Any] = {
    "squared": _squared,
    "absolute": _absolute,
    "huber": _huber,
    "pinball": _pinball,
    "hinge": _hinge,
}


def loss_and_gradient(name: str, p: Any, y: Any, weight: Any, out: Any, scale: float, *parameters: float) -> float:
    """The weighted sum of a loss; its gradient times the scale is written to ``out``. ``weight`` is None or one number per element."""
    kind = p.dtype.type
    weights = np.ones(1, p.dtype) if weight is None else weight
    numbers = [kind(x) for x in (scale, *parameters)]

    def work(start: int, stop: int) -> float:
        at = slice(start, stop)
        own = weights if weight is None else weights[at]
        return LOOPS[name](p[at], y[at], own, out[at], weight is not None, *numbers)

    return float(sum(kernels.over_chunks(p.size, work, least=PIECE, most=p.size)))
