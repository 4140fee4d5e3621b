"""Areas under curves from the order of scores, without a global sort.

Scores are distributed over a few thousand buckets of equal width; between buckets only counts matter, and each bucket is small
enough to be sorted in cache, on any core. A row is one 64-bit integer: the number of representable floats between the lowest score
of its bucket and its own, with the label in the lowest bit. No bit of a score is lost.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.ranks import sort_keys

_ROWS_A_BUCKET = 1024
_MOST_BUCKETS = 8192
_TRUSTED = 1e-4  # fraction of a sum of squares below which it is computed again around a better middle
_TOP = np.int64(-(2**63))


@exact
def _key(bits: Any, cut: Any, gap: Any) -> Any:
    """Unsigned integers in the order of the floats, with the gap between negative and positive scores removed."""
    b = bits if bits != _TOP else np.int64(0)  # minus zero is zero
    key = np.uint64(b ^ ((b >> np.int64(63)) | _TOP))
    return key - gap if key >= cut else key


@exact("f8[::1]")
def _ends(score: Any) -> tuple[float, float, float, float]:
    """The lowest and the highest score, the largest negative one and the smallest of the others."""
    low, high, below, above = np.inf, -np.inf, -np.inf, np.inf
    for i in range(len(score)):
        x = score[i]
        low, high = min(low, x), max(high, x)
        if x < 0.0:
            below = max(below, x)
        else:
            above = min(above, x)
    return low, high, below, above


@exact("f8[::1], i8[::1], b1[::1], f8, f8, u8, u8, i8[:, ::1], u8[:, ::1]")
def _count_buckets(
    score: Any, bits: Any, positive: Any, low: float, scale: float, cut: int, gap: int, counts: Any, ends: Any
) -> None:
    """Rows and positive rows of each bucket, and its lowest and highest key."""
    last = len(counts) - 1
    for i in range(len(score)):
        at = min(int((score[i] - low) * scale), last)
        key = _key(bits[i], cut, gap)
        counts[at, 0] += 1
        counts[at, 1] += positive[i]
        ends[at, 0] = min(ends[at, 0], key)
        ends[at, 1] = max(ends[at, 1], key)


@exact("f8[::1], i8[::1], b1[::1], f8, f8, u8, u8, u8[::1], i8[::1], u8[::1]")
def _fill_buckets(
    score: Any, bits: Any, positive: Any, low: float, scale: float, cut: int, gap: int, base: Any, place: Any, out: Any
) -> None:
    """Move every row to its bucket: its key relative to the lowest of the bucket, with the label in the lowest bit."""
    last = len(place) - 1
    for i in range(len(score)):
        at = min(int((score[i] - low) * scale), last)
        out[place[at]] = ((_key(bits[i], cut, gap) - base[at]) << np.uint64(1)) | np.uint64(positive[i])
        place[at] += 1


@exact
def _sort(values: Any, spare: Any, bits: int, counts: Any) -> Any:
    """Radix sort of numbers below 2**bits; returns whichever buffer holds the result."""
    n = len(values)
    for shift in range(0, bits, 8):
        for d in range(256):
            counts[d] = 0
        for i in range(n):
            counts[(values[i] >> np.uint64(shift)) & np.uint64(255)] += 1
        running = 0
        for d in range(256):
            here = counts[d]
            counts[d] = running
            running += here
        for i in range(n):
            d = (values[i] >> np.uint64(shift)) & np.uint64(255)
            spare[counts[d]] = values[i]
            counts[d] += 1
        values, spare = spare, values
    return values


@exact
def _insertion(values: Any) -> None:
    for i in range(1, len(values)):
        v = values[i]
        j = i - 1
        while j >= 0 and values[j] > v:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = v


@exact
def _spread(values: Any, spare: Any, shift: int, counts: Any) -> int:
    """Distribute by the highest ten bits into ``spare``; returns the largest number of values that have them in common."""
    for d in range(len(counts)):
        counts[d] = 0
    for i in range(len(values)):
        counts[values[i] >> np.uint64(shift)] += 1
    running, most = 0, 0
    for d in range(len(counts)):
        here = counts[d]
        counts[d] = running
        running += here
        most = max(most, here)
    for i in range(len(values)):
        d = values[i] >> np.uint64(shift)
        spare[counts[d]] = values[i]
        counts[d] += 1
    return most


@exact("u8[::1], i8[::1], u8[:, ::1], i8, i8, u8[::1], i8[::1]")
def _sort_buckets(rows: Any, edges: Any, ends: Any, first: int, stop: int, spare: Any, counts: Any) -> None:
    """Put the rows of some buckets in order.

    One pass by the highest bits leaves little work for an insertion sort, unless the values are clustered.
    """
    for b in range(first, stop):
        values = rows[edges[b] : edges[b + 1]]
        n = len(values)
        if n <= 24:
            _insertion(values)
            continue
        reach = ((ends[b, 1] - ends[b, 0]) << np.uint64(1)) | np.uint64(1)
        bits = 0
        while reach >> np.uint64(bits):
            bits += 1
        if bits > 10 and _spread(values, spare, bits - 10, counts) <= 24:
            _insertion(spare[:n])
            done = spare
        else:
            done = _sort(values, spare[:n], bits, counts)
        for i in range(n):
            values[i] = done[i]


@exact("u8[::1], i8[::1], i8, i8, f8[::1], f8[::1], f8[::1], f8[::1]")
def _bucket_sums(rows: Any, edges: Any, first: int, stop: int, below: Any, total: Any, middle: Any, out: Any) -> None:
    """The sums of some ordered buckets, in the order of the last lines; ``below`` is (negatives, positives) under the first.

    Squares are taken around ``middle``, an estimate of the placements and of the precision, so that no digits are lost.
    """
    area, precision, wins, losses = 0.0, 0.0, 0.0, 0.0
    lift, drag, gain, gains, loss, squared = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    neg, pos = below[0], below[1]
    one = np.uint64(1)
    for b in range(first, stop):
        i, end = edges[b], edges[b + 1]
        while i < end:
            group = rows[i] >> one
            hits, size = 0.0, 0.0
            while i < end and rows[i] >> one == group:
                hits += float(rows[i] & one)
                size += 1.0
                i += 1
            misses = size - hits
            outscored, found = neg + 0.5 * misses, total[1] - pos
            area += hits * outscored
            outscored -= middle[0]
            outdone = found - 0.5 * hits - middle[1]
            wins += hits * outscored * outscored
            losses += misses * outdone * outdone
            taken = found + total[0] - neg
            share, step = found / taken, hits / taken
            precision += hits * share
            lift += step * (1.0 - share)
            drag += step * share
            own = share - middle[2] + lift
            gain += hits * own
            gains += hits * own * own
            loss += misses * drag
            squared += misses * drag * drag
            pos += hits
            neg += misses
    # One by one: an assignment to a slice compiles numba's error messages for shapes that differ, which takes a second.
    out[0], out[1], out[2], out[3] = area, precision, wins, losses
    out[4], out[5], out[6], out[7] = pos - below[1], neg - below[0], lift, drag
    out[8], out[9], out[10], out[11] = gain, gains, loss, squared


class RankSums(NamedTuple):
    """ROC-AUC and average precision, and the sums of the squared influence values of the rows on them."""

    auc: float
    precision: float
    positive_squares: float  # on the area, over positive rows
    negative_squares: float
    precision_squares: float  # over all rows


def rank_sums(score: Any, positive: Any) -> RankSums | None:
    """Areas and their spread without weights; None if the scores cannot be put into buckets (infinite, or too wide a range).

    NaN where a value is undefined because a class does not occur.
    """
    deal = _Rows(score, positive)
    low, high = deal.low, deal.high
    buckets = int(min(_MOST_BUCKETS, max(1, len(score) // _ROWS_A_BUCKET)))
    scale = buckets / (high - low) if high > low else 0.0
    if not (math.isfinite(high - low) and math.isfinite(scale)):
        return None
    dealt = deal.rows(buckets, scale)
    return None if dealt is None else _areas(*dealt)


def _areas(rows: Any, edges: Any, counts: Any, ends: Any) -> RankSums:
    split = np.stack([counts[:, 0] - counts[:, 1], counts[:, 1]], axis=1).astype(np.float64)
    below = np.concatenate([np.zeros((1, 2)), np.cumsum(split, axis=0)])
    total, largest = below[-1], int(counts[:, 0].max())

    def sort(a: int, b: int) -> None:
        spare, digits = np.empty(largest, dtype=np.uint64), np.empty(1024, dtype=np.int64)
        _sort_buckets(rows, edges, ends, a, b, spare, digits)

    def sums(guess: tuple[float, float]) -> tuple[RankSums, bool]:
        middle = np.array([guess[0] * total[0], guess[0] * total[1], guess[1]])

        def work(a: int, b: int) -> Any:
            out = np.empty(12)
            _bucket_sums(rows, edges, a, b, below[a], total, middle, out)
            return out

        return _gathered(np.array(kernels.over_chunks(len(counts), work, least=64)), total, middle)

    kernels.over_chunks(len(counts), sort, least=64)
    found, sound = sums(_estimates(split, below))
    return found if sound else sums((found.auc, found.precision))[0]


def _estimates(split: Any, below: Any) -> tuple[float, float]:
    """Estimates of both areas, with all rows of a bucket treated as ties; 0 where there is none."""
    half = below[:-1] + split / 2
    misses, hits = below[-1]
    above = hits - half[:, 1]
    precision = above / np.maximum(above + misses - half[:, 0], 1)
    return float(split[:, 1] @ half[:, 0] / max(hits * misses, 1)), float(split[:, 1] @ precision / max(hits, 1))


def _gathered(parts: Any, total: Any, middle: Any) -> tuple[RankSums, bool]:
    """The sums of all pieces, from the lowest scores up, and whether ``middle`` was close enough for accurate squares."""
    area, precision, wins, losses = parts[:, :4].sum(axis=0)
    misses, hits = total
    if not hits:
        return RankSums(*[math.nan] * 5), True
    ap = precision / hits
    under = np.cumsum(parts, axis=0) - parts
    pos, neg, gain, gains, loss, squared = parts[:, [4, 5, 8, 9, 10, 11]].T
    move, drag = under[:, 6] + middle[2] - ap, under[:, 7]
    raised = gains.sum() + (move**2 * pos).sum()
    spread = raised + 2 * (move * gain).sum()
    lowered = (squared + 2 * drag * loss + drag**2 * neg).sum()
    ap_squares = (max(spread, 0.0) + lowered) / hits**2
    if not misses:
        return RankSums(math.nan, float(ap), math.nan, math.nan, float(ap_squares)), True
    centred = wins - (area - middle[0] * hits) ** 2 / hits, losses - (area - middle[1] * misses) ** 2 / misses
    sound = centred[0] >= _TRUSTED * wins and centred[1] >= _TRUSTED * losses and spread >= _TRUSTED * raised
    both = (hits * misses) ** 2
    wins, losses = (max(float(c / both), 0.0) for c in centred)
    return RankSums(float(area / (hits * misses)), float(ap), wins, losses, float(ap_squares)), bool(sound)


def _sign_gap(below: float, above: float) -> tuple[Any, Any]:
    """As integers, negative and positive floats are far apart: from which key on, and by how much, keys are moved down."""
    if not (math.isfinite(below) and math.isfinite(above)):
        return np.uint64(2**64 - 1), np.uint64(0)
    first, last = sort_keys(np.array([above, below]))
    return first, first - last - np.uint64(1)


class _Rows:
    """The rows in pieces, so that counting and distributing use every core."""

    def __init__(self, score: Any, positive: Any) -> None:
        self.score, self.positive = score, positive
        ends = np.array(kernels.over_chunks(len(score), lambda a, b: _ends(self._part(a, b)[0])))
        self.low, self.high = float(ends[:, 0].min()), float(ends[:, 1].max())
        self.cut, self.gap = _sign_gap(ends[:, 2].max(), ends[:, 3].min())

    def _part(self, a: int, b: int) -> tuple[Any, Any, Any]:
        score = kernels.ready(self.score[a:b], np.float64)
        return score, score.view(np.int64), kernels.ready(self.positive[a:b], np.bool_)

    def rows(self, buckets: int, scale: float) -> tuple[Any, Any, Any, Any] | None:
        """All rows in their buckets, the edges, (rows, positives) and key ends of each; None if a bucket spans 63 bits."""

        def count(a: int, b: int) -> tuple[int, Any, Any]:
            counts = np.zeros((buckets, 2), dtype=np.int64)
            ends = np.tile(np.array([2**64 - 1, 0], dtype=np.uint64), (buckets, 1))
            _count_buckets(*self._part(a, b), self.low, scale, self.cut, self.gap, counts, ends)
            return a, counts, ends

        starts, each, ends = zip(*kernels.over_chunks(len(self.score), count), strict=True)
        counts = np.sum(each, axis=0)
        ends = np.stack([np.min([e[:, 0] for e in ends], axis=0), np.max([e[:, 1] for e in ends], axis=0)], axis=1)
        if np.any((ends[:, 1] > ends[:, 0]) & (ends[:, 1] - ends[:, 0] >= np.uint64(2**63))):
            return None
        edges = np.concatenate([[0], np.cumsum(counts[:, 0])])
        sizes = np.stack([c[:, 0] for c in each])
        places = dict(zip(starts, edges[:-1] + np.cumsum(sizes, axis=0) - sizes, strict=True))
        rows = np.empty(len(self.score), dtype=np.uint64)
        base = np.ascontiguousarray(ends[:, 0])

        def work(a: int, b: int) -> None:
            _fill_buckets(*self._part(a, b), self.low, scale, self.cut, self.gap, base, places[a], rows)

        kernels.over_chunks(len(self.score), work)
        return rows, edges, counts, ends
