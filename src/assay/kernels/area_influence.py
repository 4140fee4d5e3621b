"""Influence of each row on ROC-AUC and average precision, in place of a dozen arrays of all rows: one sort, two passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact
from assay.kernels.ranks import order

Floats = NDArray[np.float64]


@exact
def _run(keys: Any, index: Any, positive: Any, start: int) -> tuple[int, int]:
    """Where the run of equal keys that begins at ``start`` ends, and how many of its rows are positive."""
    stop, hits = start, 0
    while stop < len(keys) and keys[stop] == keys[start]:
        hits += positive[index[stop]]
        stop += 1
    return stop, hits


@exact("u8[::1], u4[::1], b1[::1], i8, f8[::1]")
def _roc(keys: Any, index: Any, positive: Any, hits: int, out: Any) -> None:
    """DeLong's placements, centred, in the order of the data."""
    n = len(keys)
    misses = n - hits
    area = 0.0
    for write in range(2):
        start, below = 0, 0  # positive rows below the run
        while start < n:
            stop, own = _run(keys, index, positive, start)
            outscored = (start - below + (stop - start - own) / 2) / misses
            outdone = (hits - below - own / 2) / hits
            if write:
                for i in range(start, stop):
                    row = index[i]
                    out[row] = (outscored - area) / hits if positive[row] else (outdone - area) / misses
            else:
                area += own * outscored / hits
            start, below = stop, below + own


@exact("u8[::1], u4[::1], b1[::1], i8, f8[::1]")
def _precision(keys: Any, index: Any, positive: Any, hits: int, out: Any) -> None:
    """The derivative of average precision in the weight of each row, from the lowest score upward."""
    n = len(keys)
    area = 0.0
    for write in range(2):
        start, tp, lift, drag = 0, hits, 0.0, 0.0
        while start < n:
            stop, own = _run(keys, index, positive, start)
            taken = n - start
            precision, share = tp / taken, own / hits
            area += 0.0 if write else share * precision
            lift += share / taken * (1 - precision)  # a row also moves the precision of every run at or below its own
            drag += share / taken * precision
            if write:
                for i in range(start, stop):
                    row = index[i]
                    out[row] = (precision - area) / hits + lift if positive[row] else -drag
            start, tp = stop, tp - own


def influence(score: Floats, positive: NDArray[np.bool_], curve: str) -> Floats:
    """The influence of each unweighted row on the area; both classes must occur."""
    truth = np.ascontiguousarray(positive, dtype=np.bool_)
    keys, index = order(score)
    out = np.empty(len(truth))
    (_roc if curve == "roc" else _precision)(keys, index, truth, int(np.count_nonzero(truth)), out)
    return out
