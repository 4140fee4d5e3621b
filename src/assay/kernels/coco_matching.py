"""Detections matched with the ground truth of their image, class by class, as COCO defines it, in one pass over the images.

Within a class of an image, detections are taken by decreasing score, up to a maximum; each takes the free truth that it overlaps
most. Truths that do not count (crowds, areas outside the range) are taken last, and then the detection does not count either. The
outcome of a detection is one bit per threshold, in one word per range of areas.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.masks import intersection

BOXES, KEYPOINTS, MASKS = (
    3,
    4,
    6,
)  # arrays of a side: box, area, crowd; then keypoints; or runs, their starts and areas of masks
_ONE = np.uint64(1)
_FEW = 16  # thresholds that fit the short words
SIDES = (
    "Tuple((f8[:, ::1], f8[::1], u1[::1]))",
    "Tuple((f8[:, ::1], f8[::1], u1[::1], f8[:, ::1]))",
    "Tuple((f8[:, ::1], f8[::1], u1[::1], u4[::1], i8[::1], f8[::1]))",
)


def word(thresholds: int) -> Any:
    """The integer type that holds one bit per threshold; short if possible, since every detection has several."""
    return np.uint16 if thresholds <= _FEW else np.uint64


@exact
def _before(label: Any, score: Any, i: int, j: int) -> bool:
    """Whether j must come before i: a smaller label, or the same and a larger score."""
    return label[j] < label[i] or (label[j] == label[i] and score[j] > score[i])


@exact
def arrange(label: Any, score: Any, start: int, stop: int, order: Any, spare: Any) -> None:
    """Positions start to stop by label, then by decreasing score, then in their original order (merge sort)."""
    for i in range(start, stop):
        order[i] = i
    width = 1
    while width < stop - start:
        for low in range(start, stop, 2 * width):
            middle, high = min(low + width, stop), min(low + 2 * width, stop)
            a, b = low, middle
            for at in range(low, high):
                take_second = a >= middle or (b < high and _before(label, score, order[a], order[b]))
                if take_second:
                    spare[at] = order[b]
                    b += 1
                else:
                    spare[at] = order[a]
                    a += 1
            for at in range(low, high):
                order[at] = spare[at]
        width *= 2


@exact
def _box_overlap(D: Any, d: int, G: Any, g: int, crowd: bool) -> float:
    """Intersection over union of two boxes (x, y, width, height); over the area of the detection alone if the truth is a crowd."""
    width = min(D[d, 0] + D[d, 2], G[g, 0] + G[g, 2]) - max(D[d, 0], G[g, 0])
    if width <= 0:
        return 0.0
    height = min(D[d, 1] + D[d, 3], G[g, 1] + G[g, 3]) - max(D[d, 1], G[g, 1])
    if height <= 0:
        return 0.0
    shared, own = width * height, D[d, 2] * D[d, 3]
    return shared / (own if crowd else own + G[g, 2] * G[g, 3] - shared)


@exact
def _mask_overlap(
    runs: Any, d0: int, d1: int, other: Any, g0: int, g1: int, own: float, size: float, crowd: bool
) -> float:
    shared = float(intersection(runs, d0, d1, other, g0, g1))
    if shared == 0:
        return 0.0
    return shared / (own if crowd else own + size - shared)


@exact
def _keypoint_similarity(d: Any, g: Any, box: Any, area: float, spread: Any) -> float:
    """Object keypoint similarity (OKS): distances relative to the size of the object and to the spread of each keypoint.

    Without visible keypoints in the truth, distances are those to a box of twice the size around it.
    """
    visible = 0
    for k in range(len(spread)):
        visible += g[3 * k + 2] > 0
    scale = area + 2.220446049250313e-16
    x0, x1 = box[0] - box[2], box[0] + box[2] * 2
    y0, y1 = box[1] - box[3], box[1] + box[3] * 2
    total = 0.0
    for k in range(len(spread)):
        x, y = d[3 * k], d[3 * k + 1]
        if visible > 0:
            if g[3 * k + 2] <= 0:
                continue
            dx, dy = x - g[3 * k], y - g[3 * k + 1]
        else:
            dx = max(0.0, x0 - x) + max(0.0, x - x1)
            dy = max(0.0, y0 - y) + max(0.0, y - y1)
        total += math.exp(-((dx * dx + dy * dy) / spread[k] / scale / 2))
    return total / (visible if visible > 0 else len(spread))


@exact
def similar(D: Any, G: Any, d: int, g: int, spread: Any) -> float:
    """The overlap of detection d and truth g.

    The number of arrays of a side determines the kind of overlap. numba knows it at compile time, so evaluating boxes does not compile
    the code for masks and keypoints.
    """
    if len(D) == KEYPOINTS:
        return _keypoint_similarity(D[3][d], G[3][g], G[0][g], G[1][g], spread)
    crowd = G[2][g] != 0
    shared = _box_overlap(D[0], d, G[0], g, crowd)
    if len(D) == MASKS and shared != 0:
        return _mask_overlap(D[3], D[4][d], D[4][d + 1], G[3], G[4][g], G[4][g + 1], D[5][d], G[5][g], crowd)
    return shared


@exact
def _matched(
    overlap: Any, nd: int, ng: int, crowd: Any, idle: Any, queue: Any, least: float, taken: Any, found: Any
) -> None:
    """The truth that each detection takes, or -1; ``queue`` lists the truths, those that do not count last."""
    for g in range(ng):
        taken[g] = 0
    for d in range(nd):
        best, at = least, -1
        for q in range(ng):
            g = queue[q]
            if taken[g] and not crowd[g]:
                continue
            if at > -1 and not idle[at] and idle[g]:
                break
            if overlap[d, g] < best:
                continue
            best, at = overlap[d, g], g
        found[d] = at
        if at > -1:
            taken[at] = 1


@exact
def _group(
    overlap: Any,
    ds: Any,
    gs: Any,
    d_area: Any,
    g_area: Any,
    g_crowd: Any,
    ignore: Any,
    limits: Any,
    out: Any,
    room: Any,
) -> None:
    """One class of an image: the bits of its detections for each range of areas and threshold."""
    thresholds, low, high = limits
    hit, skip = out
    nd, ng = len(ds), len(gs)
    crowd, idle, taken, queue, found = room[0], room[1], room[2], room[3], room[4]
    for g in range(ng):
        crowd[g] = g_crowd[gs[g]]
    for a in range(len(low)):
        at = 0
        for wanted in range(2):
            for g in range(ng):
                area = g_area[gs[g]]
                idle[g] = ignore[gs[g]] != 0 or area < low[a] or area > high[a]
                if idle[g] == wanted:
                    queue[at] = g
                    at += 1
        for t in range(len(thresholds)):
            _matched(overlap, nd, ng, crowd, idle, queue, min(thresholds[t], 1 - 1e-10), taken, found)
            bit = _ONE << np.uint64(t)
            for d in range(nd):
                outside = d_area[ds[d]] < low[a] or d_area[ds[d]] > high[a]
                if found[d] > -1:
                    hit[ds[d], a] = np.uint64(hit[ds[d], a]) | bit
                    if idle[found[d]]:
                        skip[ds[d], a] = np.uint64(skip[ds[d], a]) | bit
                elif outside:
                    skip[ds[d], a] = np.uint64(skip[ds[d], a]) | bit


@exact
def _unmatched(ds: Any, d_area: Any, limits: Any, out: Any) -> None:
    """Detections without a truth to match: they count unless their area is out of range."""
    thresholds, low, high = limits
    every = np.uint64(0)
    for t in range(len(thresholds)):
        every |= _ONE << np.uint64(t)
    for d in ds:
        for a in range(len(low)):
            if d_area[d] < low[a] or d_area[d] > high[a]:
                out[1][d, a] = every


@exact(
    "i8, i8, Side, i8[::1], i8[::1], f8[::1], Side, i8[::1], i8[::1], u1[::1], f8[::1], UniTuple(f8[::1], 3), i8, i4[::1], i4[::1], "
    "i4[::1], i4[::1], i4[::1], UniTuple(Bits[:, ::1], 2), f8[::1], i8[:, ::1]", Side=SIDES, Bits="u2 u8",
)  # fmt: skip
def _images(
    first: int, last: int, D: Any, d_start: Any, d_label: Any, d_score: Any, G: Any, g_start: Any, g_label: Any,
    ignore: Any, spread: Any, limits: Any, most: int, order: Any, spare: Any, g_order: Any, g_spare: Any, rank: Any, out: Any,
    flat: Any, room: Any,
) -> None:  # fmt: skip
    least = 1 - 1e-10  # below the lowest threshold nothing matches
    for threshold in limits[0]:
        least = min(least, threshold)
    for image in range(first, last):
        d0, d1, g0, g1 = d_start[image], d_start[image + 1], g_start[image], g_start[image + 1]
        arrange(d_label, d_score, d0, d1, order, spare)
        arrange(g_label, flat, g0, g1, g_order, g_spare)
        d, g = d0, g0
        while d < d1:
            label = d_label[order[d]]
            d_end = d
            while d_end < d1 and d_label[order[d_end]] == label:
                rank[order[d_end]] = d_end - d
                d_end += 1
            while g < g1 and g_label[g_order[g]] < label:
                g += 1
            g_end = g
            while g_end < g1 and g_label[g_order[g_end]] == label:
                g_end += 1
            ds, gs = order[d : min(d_end, d + most)], g_order[g:g_end]
            if len(gs) == 0:
                _unmatched(ds, D[1], limits, out)
            else:
                overlap, most_of_all = np.empty((len(ds), len(gs))), 0.0
                for i in range(len(ds)):
                    for j in range(len(gs)):
                        overlap[i, j] = similar(D, G, ds[i], gs[j], spread)
                        most_of_all = max(most_of_all, overlap[i, j])
                if most_of_all < least:
                    _unmatched(ds, D[1], limits, out)
                else:
                    _group(overlap, ds, gs, D[1], G[1], G[2], ignore, limits, out, room)
            d, g = d_end, g_end


def match(
    D: Any, d_start: Any, d_label: Any, d_score: Any, G: Any, g_start: Any, g_label: Any, ignore: Any, spread: Any,
    limits: Any, most: int,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """(rank within image and class, bits of hits, bits of not counted), one row per detection.

    ``D`` and ``G`` are the sides of detections and truths, see `similar`; ``limits`` the thresholds and the bounds of the ranges
    of areas; ``most`` the maximum number of detections per image and class.
    """
    n, ranges = len(d_label), len(limits[1])
    kind_of_bits = word(len(limits[0]))
    out = np.zeros((n, ranges), kind_of_bits), np.zeros((n, ranges), kind_of_bits)
    rank = np.zeros(n, np.int32)
    d_score, spread = np.ascontiguousarray(d_score, dtype=np.float64), np.ascontiguousarray(spread)
    order, spare = np.empty(n, np.int32), np.empty(n, np.int32)
    g_order, g_spare = np.empty(len(g_label), np.int32), np.empty(len(g_label), np.int32)

    flat, longest = np.zeros(len(g_label)), int(max(np.diff(starts).max(initial=0) for starts in (d_start, g_start)))

    def work(first: int, last: int) -> None:
        _images(
            first, last, D, d_start, d_label, d_score, G, g_start, g_label, ignore, spread, limits, most, order, spare,
            g_order, g_spare, rank, out, flat, np.empty((5, longest), np.int64),
        )  # fmt: skip

    kernels.over_chunks(len(d_start) - 1, work, least=64)
    return rank, out[0], out[1]
