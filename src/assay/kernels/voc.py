"""The rules of Pascal VOC: which detection takes which truth, and the area under the precision curve, under any weights of the images.

A detection is compared with the truth it overlaps most, whether that is taken or not; a second detection of a truth is a false
positive. The outcome is one bit per threshold, as in `assay.kernels.coco_matching`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.average_precision import within_rounding
from assay.kernels.coco_matching import arrange
from assay.kernels.jit import exact

_ONE = np.uint64(1)


@exact
def overlap(d: Any, g: Any, more: float) -> float:
    """Intersection over union of boxes (x, y, width, height), with every side longer by ``more``."""
    width = min(d[0] + d[2], g[0] + g[2]) - max(d[0], g[0]) + more
    height = min(d[1] + d[3], g[1] + g[3]) - max(d[1], g[1]) + more
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((d[2] + more) * (d[3] + more) + (g[2] + more) * (g[3] + more) - shared)


@exact
def _group(
    ds: Any, gs: Any, d_box: Any, g_box: Any, idle: Any, thresholds: Any, more: float, hit: Any, skip: Any
) -> None:
    """One class of an image, detections by decreasing score."""
    taken = np.zeros(len(gs), np.uint64)
    for d in ds:
        best, at = -1.0, -1
        for g in range(len(gs)):
            value = overlap(d_box[d], g_box[gs[g]], more)
            if value > best:
                best, at = value, g
        for t in range(len(thresholds)):
            bit = _ONE << np.uint64(t)
            if at < 0 or best < thresholds[t]:
                continue
            if idle[gs[at]]:
                skip[d] |= bit
            elif not taken[at] & bit:
                taken[at] |= bit
                hit[d] |= bit


@exact(
    "i8, i8, f8[:, ::1], i8[::1], i8[::1], f8[::1], f8[:, ::1], i8[::1], i8[::1], u1[::1], f8[::1], f8, i8[::1], i8[::1], i8[::1], "
    "i8[::1], u8[::1], u8[::1]"
)
def _images(
    first: int, last: int, d_box: Any, d_start: Any, d_label: Any, d_score: Any, g_box: Any, g_start: Any, g_label: Any,
    idle: Any, thresholds: Any, more: float, order: Any, spare: Any, g_order: Any, g_spare: Any, hit: Any, skip: Any,
) -> None:  # fmt: skip
    flat = np.zeros(len(g_label))
    for image in range(first, last):
        d, d1, g, g1 = d_start[image], d_start[image + 1], g_start[image], g_start[image + 1]
        arrange(d_label, d_score, d, d1, order, spare)
        arrange(g_label, flat, g, g1, g_order, g_spare)
        while d < d1:
            label = d_label[order[d]]
            d_end = d
            while d_end < d1 and d_label[order[d_end]] == label:
                d_end += 1
            while g < g1 and g_label[g_order[g]] < label:
                g += 1
            g_end = g
            while g_end < g1 and g_label[g_order[g_end]] == label:
                g_end += 1
            _group(order[d:d_end], g_order[g:g_end], d_box, g_box, idle, thresholds, more, hit, skip)
            d, g = d_end, g_end


def match(
    d_box: Any, d_start: Any, d_label: Any, d_score: Any, g_box: Any, g_start: Any, g_label: Any, idle: Any, thresholds: Any,
    more: float,
) -> tuple[Any, Any]:  # fmt: skip
    """(bits of hits, bits of not counted), one pair per detection; ``idle`` marks truths that do not count."""
    hit, skip = np.zeros(len(d_label), np.uint64), np.zeros(len(d_label), np.uint64)
    order, spare = np.empty(len(d_label), np.int64), np.empty(len(d_label), np.int64)
    g_order, g_spare = np.empty(len(g_label), np.int64), np.empty(len(g_label), np.int64)

    def work(first: int, last: int) -> None:
        _images(
            first, last, d_box, d_start, d_label, d_score, g_box, g_start, g_label, idle, thresholds, more, order, spare,
            g_order, g_spare, hit, skip,
        )  # fmt: skip

    kernels.over_chunks(len(d_start) - 1, work, least=64)
    return hit, skip


@exact
def area(tp: Any, seen: Any, positives: float, levels: Any) -> float:
    """The mean of the best precision at or beyond each level of recall; without levels the exact area under it.

    ``tp`` and ``seen`` are the cumulative weights of true positives and of all counted detections, at each true positive in order.
    """
    best, total, left = 0.0, 0.0, len(levels)
    if len(tp) > 0:
        positives = within_rounding(positives, tp[-1])
    for j in range(len(tp) - 1, -1, -1):
        while left > 0 and levels[left - 1] > tp[j] / positives:
            total += best
            left -= 1
        best = max(best, tp[j] / seen[j])
        if len(levels) == 0:
            total += best * (tp[j] - (tp[j - 1] if j else 0.0)) / positives
    return (total + best * left) / len(levels) if len(levels) else total


@exact("i8, i8, i8[::1], i4[::1], u8[::1], u8[::1], f8[::1], f8[::1], f8[::1], f8[:, ::1]")
def _classes(
    first: int,
    last: int,
    edges: Any,
    image: Any,
    hit: Any,
    skip: Any,
    weight: Any,
    positives: Any,
    levels: Any,
    out: Any,
) -> None:
    for k in range(first, last):
        if not positives[k] > 0:
            continue
        size = edges[k + 1] - edges[k]
        tp, seen = np.empty(size), np.empty(size)
        for t in range(out.shape[1]):
            bit, count, hits, total = _ONE << np.uint64(t), 0, 0.0, 0.0
            for d in range(edges[k], edges[k + 1]):
                w = weight[image[d]]
                if w == 0 or skip[d] & bit:
                    continue
                total += w
                if hit[d] & bit:
                    hits += w
                    tp[count], seen[count] = hits, total
                    count += 1
            out[k, t] = area(tp[:count], seen[:count], positives[k], levels)


def areas(
    edges: Any, image: Any, hit: Any, skip: Any, weight: Any, positives: Any, thresholds: int, levels: Any
) -> Any:
    """Average precision (classes, thresholds) of detections by class and decreasing score; NaN for classes without ground truth."""
    weight, positives = kernels.ready(weight, np.float64), kernels.ready(positives, np.float64)
    out = np.full((len(edges) - 1, thresholds), np.nan)

    def work(a: int, b: int) -> None:
        _classes(a, b, edges, image, hit, skip, weight, positives, levels, out)

    kernels.over_chunks(len(out), work, least=max(1, len(out) // 8))
    return out
