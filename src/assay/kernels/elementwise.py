"""Losses of elements with their slopes in one pass: the sum comes back, the slopes are written where the gradient is.

Only losses without exponentials or logarithms, whose cost is that of memory alone. The first four arguments of every loop are
prediction, target, share of each element (looked at if ``weighted``) and where the slopes go; the scale multiplies slopes only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import lanes, step


@step
def _put(out: Any, i: Any, value: Any, slope: Any, share: Any, scale: Any) -> Any:
    """Write the slope and give the weighted value; what has no share may be infinite, and counts nothing."""
    none = type(value)(0)
    out[i] = none if share == none else slope * share * scale
    return none if share == none else value * share


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T", T="f4 f8")
def _squared(p: Any, y: Any, share: Any, out: Any, weighted: Any, scale: Any) -> float:
    total = 0.0
    for i in range(p.size):
        gap = p[i] - y[i]
        total += _put(out, i, gap * gap, gap + gap, share[i] if weighted else share[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T", T="f4 f8")
def _absolute(p: Any, y: Any, share: Any, out: Any, weighted: Any, scale: Any) -> float:
    total = 0.0
    one, none = type(scale)(1), type(scale)(0)
    for i in range(p.size):
        gap = p[i] - y[i]
        side = one if gap > none else (-one if gap < none else none * gap)
        total += _put(out, i, abs(gap), side, share[i] if weighted else share[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T, T", T="f4 f8")
def _huber(p: Any, y: Any, share: Any, out: Any, weighted: Any, scale: Any, delta: Any, over: Any) -> float:
    total = 0.0
    half = type(scale)(0.5)
    for i in range(p.size):
        gap = p[i] - y[i]
        slope = delta if gap > delta else (-delta if gap < -delta else gap)
        value = slope * (gap - half * slope)
        total += _put(out, i, value / over, slope / over, share[i] if weighted else share[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T", T="f4 f8")
def _pinball(p: Any, y: Any, share: Any, out: Any, weighted: Any, scale: Any, q: Any) -> float:
    total = 0.0
    one, none = type(scale)(1), type(scale)(0)
    for i in range(p.size):
        gap = y[i] - p[i]
        slope = (one if gap < none else none) - q
        total += _put(out, i, -slope * gap, slope, share[i] if weighted else share[0], scale)
    return total


@lanes("T[::1], T[::1], T[::1], T[::1], b1, T, T", T="f4 f8")
def _hinge(p: Any, y: Any, share: Any, out: Any, weighted: Any, scale: Any, margin: Any) -> float:
    total = 0.0
    none = type(scale)(0)
    for i in range(p.size):
        short = margin - p[i] * y[i]
        value = none if short <= none else short
        slope = -y[i] if short > none else none
        total += _put(out, i, value, slope, share[i] if weighted else share[0], scale)
    return total


LOOPS: dict[str, Any] = {
    "squared": _squared,
    "absolute": _absolute,
    "huber": _huber,
    "pinball": _pinball,
    "hinge": _hinge,
}


def loss_and_gradient(name: str, p: Any, y: Any, share: Any, out: Any, scale: float, *parameters: float) -> float:
    """The weighted sum of a loss; its slopes times the scale go into ``out``. ``share`` is None or one number per element."""
    kind = p.dtype.type
    weights = np.ones(1, p.dtype) if share is None else share
    numbers = [kind(x) for x in (scale, *parameters)]

    def work(start: int, stop: int) -> float:
        at = slice(start, stop)
        own = weights if share is None else weights[at]
        return LOOPS[name](p[at], y[at], own, out[at], share is not None, *numbers)

    return float(sum(kernels.over_chunks(p.size, work)))
