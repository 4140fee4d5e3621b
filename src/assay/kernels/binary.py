"""Binary probabilities: proper losses and calibration bins, each in one pass over the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact, kernel

# ---- losses


@kernel("T[::1], b1[::1], f8[::1], f8[::1]", T="f8 f4")
def _losses(p: Any, positive: Any, w: Any, sums: Any) -> None:
    """Add weight, squared loss, log loss of finite rows and count of infinite rows to ``sums``; note the range of p."""
    low, high = sums[4], sums[5]
    for start in range(0, len(p), 4096):
        weight, squared, logs, infinite = 0.0, 0.0, 0.0, 0.0
        for i in range(start, min(start + 4096, len(p))):
            x = float(p[i])
            low, high = min(low, x), max(high, x)
            u = w[i] if len(w) else 1.0
            q = x if positive[i] else 1.0 - x
            weight += u
            squared += u * (1.0 - q) * (1.0 - q)
            if q > 0.0:
                logs -= u * math.log(q)
            else:
                infinite += u
        sums[0] += weight
        sums[1] += squared
        sums[2] += logs
        sums[3] += infinite
    sums[4], sums[5] = low, high


@kernel("T[::1], b1[::1], f8[::1], f8[::1]", T="f8 f4")
def _squares(p: Any, positive: Any, w: Any, sums: Any) -> None:
    """As `_losses` without the logarithm."""
    low, high = sums[4], sums[5]
    for start in range(0, len(p), 4096):
        weight, squared = 0.0, 0.0
        for i in range(start, min(start + 4096, len(p))):
            x = float(p[i])
            low, high = min(low, x), max(high, x)
            u = w[i] if len(w) else 1.0
            e = x - (1.0 if positive[i] else 0.0)
            weight += u
            squared += u * e * e
        sums[0] += weight
        sums[1] += squared
    sums[4], sums[5] = low, high


def losses(p: Any, positive: Any, weight: Any, *, logs: bool) -> Any:
    """Array of (weight, squared, log, infinite weight, lowest p, highest p); a NaN anywhere makes the sums NaN."""
    p, w = kernels.ready(p), np.empty(0) if weight is None else kernels.ready(weight, np.float64)
    body = _losses if logs else _squares

    def work(a: int, b: int) -> Any:
        sums = np.array([0.0, 0.0, 0.0, 0.0, np.inf, -np.inf])
        body(p[a:b], positive[a:b], w[a:b] if len(w) else w, sums)
        return sums

    parts = np.array(kernels.over_chunks(len(p), work))
    return np.array([*parts[:, :4].sum(axis=0), parts[:, 4].min(), parts[:, 5].max()])


@kernel("T[::1], b1[::1], f8[::1], f8, f8, f8", T="f8 f4")
def _spread(
    p: Any, positive: Any, w: Any, slope_squared: float, slope_log: float, centre: float
) -> tuple[float, float]:
    square, cube = 0.0, 0.0
    for i in range(len(p)):
        x = float(p[i])
        q = x if positive[i] else 1.0 - x
        v = slope_squared * (1.0 - q) * (1.0 - q) - centre
        if slope_log != 0.0 and q > 0.0:
            v -= slope_log * math.log(q)
        if len(w):
            v *= w[i]
        square += v * v
        cube += v * v * v
    return square, cube


def spread(
    p: Any, positive: Any, weight: Any, slope_squared: float, slope_log: float, centre: float
) -> tuple[float, float]:
    """Sums over rows of the square and the cube of ``w (slope_squared squared + slope_log log - centre)``.

    The log loss of an infinite row counts as zero, as in `losses`.
    """
    p, w = kernels.ready(p), np.empty(0) if weight is None else kernels.ready(weight, np.float64)

    def work(a: int, b: int) -> tuple[float, float]:
        return _spread(p[a:b], positive[a:b], w[a:b], slope_squared, slope_log, centre)

    square, cube = np.sum(kernels.over_chunks(len(p), work), axis=0).tolist()
    return square, cube


# ---- calibration bins


@exact("f8[::1], b1[::1], f8[::1], f8[::1], f8[:, :, ::1]")
def _bins(confidence: Any, correct: Any, w: Any, edges: Any, out: Any) -> None:
    """Per bin (a, b]: weight, confidence, correct, squared gap; four tables in rotation, so that no addition waits for the previous one."""
    count = len(edges) - 1
    low, scale = edges[0], count / (edges[count] - edges[0])
    for i in range(len(confidence)):
        c = confidence[i]
        at = min(max(int((c - low) * scale), 0), count - 1) if c == c else 0
        # The product may round across an edge; the edges themselves decide.
        while at > 0 and c <= edges[at]:
            at -= 1
        while at < count - 1 and c > edges[at + 1]:
            at += 1
        u = w[i] if len(w) else 1.0
        y = 1.0 if correct[i] else 0.0
        lane = i & 3
        out[lane, at, 0] += u
        out[lane, at, 1] += u * c
        out[lane, at, 2] += u * y
        out[lane, at, 3] += u * (y - c) * (y - c)


def bins(confidence: Any, correct: Any, weight: Any, edges: Any) -> Any:
    """The sums of each bin (bins, 4)."""
    w = np.empty(0) if weight is None else kernels.ready(weight, np.float64)
    correct = kernels.ready(correct)

    def work(a: int, b: int) -> Any:
        out = np.zeros((4, len(edges) - 1, 4))
        part = np.ascontiguousarray(confidence[a:b], dtype=np.float64)
        _bins(part, correct[a:b], w[a:b] if len(w) else w, edges, out)
        return out.sum(axis=0)

    return sum(kernels.over_chunks(len(confidence), work))


@kernel("T[::1], b1[::1], T[::1], b1[::1]", T="f8 f4")
def _top_label(p: Any, positive: Any, confidence: Any, correct: Any) -> None:
    for i in range(len(p)):
        yes = p[i] >= 0.5
        confidence[i] = p[i] if yes else 1.0 - p[i]  # rounded to the precision of p
        correct[i] = yes == positive[i]


def top_label(p: Any, positive: Any) -> tuple[Any, Any]:
    """Confidence in the likelier class, and whether it is the true one."""
    confidence, correct = np.empty_like(p), np.empty(len(p), dtype=np.bool_)
    kernels.over_chunks(len(p), lambda a, b: _top_label(p[a:b], positive[a:b], confidence[a:b], correct[a:b]))
    return confidence, correct
