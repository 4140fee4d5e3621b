"""Average precision of matched detections: per class, by decreasing score, one pass per threshold, under any weights of the images.

Recall grows only at true positives, and precision peaks there, so a curve is stored at these points alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import bare, exact

LANES = 8  # replicates that pass over the detections together
_ONE = np.uint64(1)
_TINY = 2.220446049250313e-16  # what COCO adds to the number of detections


@exact("i8[::1], i8[::1], i4[::1]")
def _group_by_label(label: Any, at: Any, order: Any) -> None:
    """Positions by label, in their original order within each; ``at`` holds where the next one of a label goes."""
    for i in range(len(label)):
        order[at[label[i]]] = i
        at[label[i]] += 1


@exact("i8, i8, i8[::1], u8[::1], i4[::1], i4[::1], u8[::1], i8[::1]")
def _sort_classes(
    first: int, last: int, edges: Any, key: Any, order: Any, spare: Any, spare_key: Any, counts: Any
) -> None:
    """Sort each class by its keys, eight bits at a time from the lowest (LSD radix sort, stable)."""
    for k in range(first, last):
        start, stop = edges[k], edges[k + 1]
        if start == stop:
            continue
        for shift in range(0, 64, 8):
            for b in range(257):
                counts[b] = 0
            for i in range(start, stop):
                counts[(key[i] >> np.uint64(shift) & np.uint64(255)) + np.uint64(1)] += 1
            if counts[(key[start] >> np.uint64(shift) & np.uint64(255)) + np.uint64(1)] == stop - start:
                continue  # all keys have this byte in common
            for b in range(256):
                counts[b + 1] += counts[b]
            for i in range(start, stop):
                b = key[i] >> np.uint64(shift) & np.uint64(255)
                to = start + counts[b]
                counts[b] += 1
                spare[to], spare_key[to] = order[i], key[i]
            for i in range(start, stop):
                order[i], key[i] = spare[i], spare_key[i]


def _falling(score: Any) -> Any:
    """Integers that increase as scores decrease: the bits of the floats, inverted for positive ones."""
    bits = np.ascontiguousarray(score + 0.0).view(np.uint64)  # -0.0 ties with 0.0
    sign = np.uint64(1) << np.uint64(63)
    return np.where(bits & sign, bits, ~(bits | sign))


def by_class(label: Any, score: Any, classes: int) -> tuple[Any, Any]:
    """(order, edges): detections of class k by decreasing score are ``order[edges[k]:edges[k + 1]]``."""
    edges = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=classes))])
    order, spare = np.empty(len(label), np.int32), np.empty(len(label), np.int32)
    _group_by_label(label, edges[:-1].copy(), order)
    key = _falling(score)[order]
    spare_key = np.empty_like(key)

    def work(a: int, b: int) -> None:
        _sort_classes(a, b, edges, key, order, spare, spare_key, np.empty(257, np.int64))

    kernels.over_chunks(classes, work, least=max(1, classes // 8))
    return order, edges


@exact("B[:, ::1], i4[::1], B[:, ::1], i8, i8", B="u2 u8")
def _transpose(bits: Any, order: Any, out: Any, first: int, last: int) -> None:
    for i in range(first, last):
        for a in range(bits.shape[1]):
            out[a, i] = bits[order[i], a]


def bits_by_range(bits: Any, order: Any) -> Any:
    """Bits (detections, ranges) transposed to (ranges, detections in order), since a pass reads a single range."""
    bits = kernels.ready(bits)
    out = np.empty((bits.shape[1], len(order)), bits.dtype)
    kernels.over_chunks(len(order), lambda a, b: _transpose(bits, order, out, a, b))
    return out


@exact
def _walk(
    image: Any,
    rank: Any,
    hit: Any,
    skip: Any,
    weight: Any,
    cap: int,
    tp: Any,
    seen: Any,
    count: Any,
    off: Any,
    hits: Any,
) -> None:
    """Cumulative weight of true positives and of all counted detections, at each true positive of each threshold.

    Nearly all detections count at every threshold, so they are added up once, and those that do not are subtracted per threshold.
    """
    steps, total = len(count), 0.0
    for t in range(steps):
        count[t], off[t], hits[t] = 0, 0.0, 0.0
    for d in range(len(image)):
        if rank[d] >= cap:
            continue
        w = weight[image[d]]
        total += w
        s = np.uint64(skip[d])
        h = np.uint64(hit[d]) & ~s
        if s:
            for t in range(steps):
                if s >> np.uint64(t) & _ONE:
                    off[t] += w
        if h and w > 0:
            for t in range(steps):
                if h >> np.uint64(t) & _ONE:
                    hits[t] += w
                    tp[t, count[t]], seen[t, count[t]] = hits[t], total - off[t]
                    count[t] += 1


@exact
def within_rounding(positives: float, found: float) -> float:
    """The positives, or the weight found where the two differ by rounding only, as sums of weights in two orders do.

    Otherwise, rounding would miss the recall level 1 under fractional weights.
    """
    return found if abs(positives - found) <= 1e-12 * positives else positives


@exact
def _area(tp: Any, seen: Any, count: int, positives: float, levels: Any) -> float:
    """The mean of the best precision at or beyond each level of recall."""
    if count > 0:
        positives = within_rounding(positives, tp[count - 1])
    best, total, level = 0.0, 0.0, len(levels) - 1
    for j in range(count - 1, -1, -1):
        recall = tp[j] / positives
        while level >= 0 and levels[level] > recall:
            total += best
            level -= 1
        best = max(best, tp[j] / (seen[j] + _TINY))
    # The remaining levels need no more recall than the first true positive has.
    return (total + best * (level + 1)) / len(levels)


@exact(
    "i8, i8, i8[::1], i4[::1], i4[::1], B[::1], B[::1], f8[::1], f8[::1], i8, f8[::1], f8[:, ::1], f8[:, ::1], "
    "f8[:, :, ::1], i8[::1], f8[:, ::1]",
    B="u2 u8",
)
def _classes(
    first: int, last: int, edges: Any, image: Any, rank: Any, hit: Any, skip: Any, weight: Any, positives: Any, cap: int,
    levels: Any, precision: Any, recall: Any, curves: Any, count: Any, sums: Any,
) -> None:  # fmt: skip
    thresholds, tp, seen = precision.shape[1], curves[0], curves[1]
    for k in range(first, last):
        if not positives[k] > 0:
            continue
        a, b = edges[k], edges[k + 1]
        _walk(image[a:b], rank[a:b], hit[a:b], skip[a:b], weight, cap, tp, seen, count, sums[0], sums[1])
        for t in range(thresholds):
            precision[k, t] = _area(tp[t], seen[t], count[t], positives[k], levels)
            recall[k, t] = tp[t, count[t] - 1] / positives[k] if count[t] else 0.0


def areas(
    edges: Any,
    image: Any,
    rank: Any,
    hit: Any,
    skip: Any,
    weight: Any,
    positives: Any,
    thresholds: int,
    cap: int,
    levels: Any,
) -> tuple[Any, Any]:
    """Average precision and final recall (classes, thresholds) of detections by class; NaN for classes without ground truth."""
    weight, positives = kernels.ready(weight, np.float64), kernels.ready(positives, np.float64)
    shape = (len(edges) - 1, thresholds)
    precision, recall = np.full(shape, np.nan), np.full(shape, np.nan)

    def work(a: int, b: int) -> None:
        curves = np.empty((2, thresholds, int(np.diff(edges[a : b + 1]).max(initial=0))))
        room = curves, np.empty(thresholds, np.int64), np.empty((2, thresholds))
        _classes(a, b, edges, image, rank, hit, skip, weight, positives, cap, levels, precision, recall, *room)

    kernels.over_chunks(shape[0], work, least=max(1, shape[0] // 8))
    return precision, recall


@exact
def _cleared(total: Any, off: Any, hits: Any, count: Any) -> None:
    for lane in range(len(total)):
        total[lane] = 0.0
    for t in range(len(count)):
        count[t] = 0
        for lane in range(len(total)):
            off[t, lane], hits[t, lane] = 0.0, 0.0


@exact
def _walk_lanes(
    image: Any, rank: Any, hit: Any, skip: Any, weight: Any, cap: int, wanted: Any, tp: Any, seen: Any, count: Any, total: Any,
    off: Any, hits: Any,
) -> None:  # fmt: skip
    """As `_walk` for several weights of each image side by side."""
    steps, lanes = len(count), weight.shape[1]
    _cleared(total, off, hits, count)
    for d in range(len(image)):
        if rank[d] >= cap:
            continue
        w = weight[image[d]]
        for lane in range(lanes):
            total[lane] += w[lane]
        s = np.uint64(skip[d]) & wanted
        h = np.uint64(hit[d]) & ~np.uint64(skip[d]) & wanted
        if s:
            for t in range(steps):
                if s >> np.uint64(t) & _ONE:
                    for lane in range(lanes):
                        off[t, lane] += w[lane]
        if h:
            for t in range(steps):
                if h >> np.uint64(t) & _ONE:
                    at = count[t]
                    for lane in range(lanes):
                        hits[t, lane] += w[lane]
                        tp[t, at, lane] = hits[t, lane]
                        seen[t, at, lane] = total[lane] - off[t, lane]
                    count[t] = at + 1


@bare
def _area_lanes(tp: Any, seen: Any, count: int, positives: Any, levels: Any, room: Any, out: Any) -> None:
    """As `_area` for each lane, without a branch: a point that a replicate does not draw repeats the previous one and adds nothing."""
    lanes, steps = len(out), len(levels) - 1
    if count == 0:
        return
    best, total, reached, whole = room[0], room[1], room[2], room[3]
    for lane in range(lanes):
        best[lane], total[lane] = 0.0, 0.0
        whole[lane] = within_rounding(positives[lane], tp[count - 1, lane]) if positives[lane] > 0 else 1.0
        level = int(tp[count - 1, lane] / whole[lane] * steps + 1e-9)
        reached[lane] = level + (levels[level] <= tp[count - 1, lane] / whole[lane])
    for j in range(count - 1, -1, -1):
        for lane in range(lanes):
            recall = tp[j, lane] / whole[lane]
            level = int(recall * steps + 1e-9)
            here = level + (levels[level] <= recall)  # how many levels this recall reaches
            total[lane] += best[lane] * (reached[lane] - here)
            reached[lane] = here
            best[lane] = max(best[lane], tp[j, lane] / (seen[j, lane] + _TINY))
    for lane in range(lanes):
        out[lane] += (total[lane] + best[lane] * reached[lane]) / len(levels)


@exact(
    "i8, i8, i8[::1], i4[::1], i4[::1], B[::1], B[::1], f8[:, ::1], f8[:, ::1], i8, u8, i8[::1], f8[::1], f8[:, ::1], "
    "f8[:, :, :, ::1], i8[::1], f8[:, :, ::1], f8[:, ::1]",
    B="u2 u8",
)
def _replicated(
    first: int, last: int, edges: Any, image: Any, rank: Any, hit: Any, skip: Any, weight: Any, positives: Any, cap: int,
    wanted: Any, chosen: Any, levels: Any, out: Any, curves: Any, count: Any, sums: Any, room: Any,
) -> None:  # fmt: skip
    thresholds, lanes, tp, seen = len(chosen), weight.shape[1], curves[0], curves[1]
    for k in range(first, last):
        a, b = edges[k], edges[k + 1]
        _walk_lanes(
            image[a:b], rank[a:b], hit[a:b], skip[a:b], weight, cap, wanted, tp, seen, count, room[4], sums[0], sums[1]
        )
        for t in chosen:
            _area_lanes(tp[t], seen[t], count[t], positives[k], levels, room, out[k])
        for lane in range(lanes):
            out[k, lane] = out[k, lane] / thresholds if positives[k, lane] > 0 else np.nan


def replicates(
    edges: Any,
    image: Any,
    rank: Any,
    hit: Any,
    skip: Any,
    weights: Any,
    positives: Any,
    cap: int,
    chosen: Any,
    levels: Any,
) -> Any:
    """Average precision (replicates, classes), the mean over the ``chosen`` thresholds, under each row of ``weights``.

    ``positives`` is (classes, replicates). Several replicates pass over the detections together.
    """
    count, classes = len(weights), len(edges) - 1
    out = np.zeros((classes, count))
    wanted = np.uint64(sum(1 << int(t) for t in chosen))
    steps, hits = int(chosen.max()) + 1, np.concatenate([[0], np.cumsum((hit & ~skip & hit.dtype.type(wanted)) != 0)])
    longest = int(np.diff(hits[edges]).max(initial=0))
    blocks = [(start, min(start + LANES, count)) for start in range(0, count, LANES)]

    def work(a: int, b: int) -> None:
        for start, stop in blocks[a:b]:
            lanes = np.ascontiguousarray(weights[start:stop].T, dtype=np.float64)
            part = np.zeros((classes, stop - start))
            own = np.ascontiguousarray(positives[:, start:stop])
            room = (
                np.empty((2, steps, longest, stop - start)), np.empty(steps, np.int64), np.empty((2, steps, stop - start)),
                np.empty((5, stop - start)),
            )  # fmt: skip
            _replicated(0, classes, edges, image, rank, hit, skip, lanes, own, cap, wanted, chosen, levels, part, *room)
            out[:, start:stop] = part

    kernels.over_chunks(len(blocks), work, least=1)
    return out.T
