"""Pairs of sequences of numbers: how many members they share as bags, and whether they are equal."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact

Ids: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i8[::1], i4[::1], i8[::1]")
def _overlaps(ids: Any, begins: Any, ends: Any, left: Any, right: Any, counts: Any, out: Any) -> None:
    """``counts`` is 0 for every number, before and after."""
    for pair in range(len(left)):
        begin, end = begins[left[pair]], ends[left[pair]]
        for at in range(begin, end):
            counts[ids[at]] += 1
        shared = 0
        for at in range(begins[right[pair]], ends[right[pair]]):
            if counts[ids[at]] > 0:
                counts[ids[at]] -= 1
                shared += 1
        for at in range(begin, end):
            counts[ids[at]] = 0
        out[pair] = shared


def overlaps(ids: Ids, begins: Places, ends: Places, left: Places, right: Places, size: int) -> Places:
    """The members that the sequences ``left[i]`` and ``right[i]`` share, each as often as both have it; numbers lie below ``size``.

    Sequence j is ``ids[begins[j] : ends[j]]``.
    """
    out = np.empty(len(left), dtype=np.int64)
    _overlaps(ids, begins, ends, left, right, np.zeros(max(1, size), dtype=np.int32), out)
    return out


@exact("i4[::1], i8[::1], i8[::1], i8[::1], b1[::1]")
def _equal(ids: Any, starts: Any, left: Any, right: Any, out: Any) -> None:
    for pair in range(len(left)):
        a, b = starts[left[pair]], starts[right[pair]]
        size = starts[left[pair] + 1] - a
        same = starts[right[pair] + 1] - b == size
        at = 0
        while same and at < size:
            same = ids[a + at] == ids[b + at]
            at += 1
        out[pair] = same


def equal(ids: Ids, starts: Places, left: Places, right: Places) -> NDArray[np.bool_]:
    """Whether the sequences ``left[i]`` and ``right[i]`` are the same."""
    out = np.empty(len(left), dtype=np.bool_)
    _equal(ids, starts, left, right, out)
    return out
