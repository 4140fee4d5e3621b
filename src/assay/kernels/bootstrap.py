"""Bootstrap samples: draws with replacement from a counter-based generator, and rank metrics of them, one replicate per thread.

Draw k of a replicate is a function of the replicate's key and k alone (SplitMix64), so the result depends neither on
threads nor on batches, and the plain twin in `assay.inference.draws` makes the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.kernels.jit import exact

Order = NDArray[np.uint32]
Marks = NDArray[np.uint8]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


class Stream(NamedTuple):
    """What determines the draws of some replicates: their keys, and the strata as runs of ``members``."""

    keys: Any  # uint64, one per replicate
    edges: Any  # where each stratum begins, and the end
    members: Any  # the units stratum by stratum; empty if there is only one


class Ranked(NamedTuple):
    """Rows of a binary problem by decreasing score."""

    unit: Any  # which unit's weight a row has
    hit: Any  # 1 for positive rows, uint8
    end: Any  # 1 where a run of equal scores ends, uint8
    base: Any  # weight that multiplies the drawn one; empty if there is none

    def ready(self) -> Ranked:
        """The same in the types that kernels declare; four billion units do not fit into memory anyway."""
        kinds = (np.uint32, np.uint8, np.uint8, np.float64)
        return Ranked(*(kernels.ready(column, kind) for column, kind in zip(self, kinds, strict=True)))


def _over_replicates(count: int, work: Callable[[int, int], None]) -> None:
    kernels.over_chunks(count, work, least=1)


@exact
def _mix(x: Any) -> Any:
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@exact
def _draw(key: Any, edges: Any, members: Any, counts: Any) -> None:
    """Count how often each unit is drawn into ``counts``; each stratum draws as often as it has units."""
    for i in range(len(counts)):
        counts[i] = 0
    for s in range(len(edges) - 1):
        first, size = edges[s], np.uint64(edges[s + 1] - edges[s])
        for k in range(edges[s], edges[s + 1]):
            word = _mix(key + np.uint64(k + 1) * _STEP)
            at = first + np.int64(((word >> _HALF) * size) >> _HALF)
            unit = members[at] if len(members) else at
            counts[unit] += np.uint16(1)


@exact("u8[::1], i8[::1], i8[::1], u2[:, ::1]")
def _draw_all(keys: Any, edges: Any, members: Any, out: Any) -> None:
    for b in range(len(keys)):
        _draw(keys[b], edges, members, out[b])


def draw(stream: Stream, units: int) -> Any:
    """How often each unit is drawn in each replicate (replicates, units)."""
    keys, edges, members = stream
    out = np.empty((len(keys), units), dtype=np.uint16)
    _over_replicates(len(keys), lambda a, b: _draw_all(keys[a:b], edges, members, out[a:b]))
    return out


# ---- areas under curves


@exact
def _roc(weight: Any, unit: Any, hit: Any, end: Any, base: Any) -> float:
    """Area under the ROC curve; twice the weight of ordered pairs stays an integer for integer weights."""
    area, tp, above, fp, neg = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(unit)):
        u = float(weight[unit[i]])
        if len(base):
            u *= base[i]
        h = u * hit[i]
        tp += h
        neg += u - h
        if end[i]:
            area += neg * (tp + above)
            above = tp
            fp += neg
            neg = 0.0
    return 0.5 * area / (tp * fp) if tp > 0.0 and fp > 0.0 else math.nan


@exact
def _precision(weight: Any, unit: Any, hit: Any, end: Any, base: Any) -> float:
    """Average precision."""
    total, tp, above, taken = 0.0, 0.0, 0.0, 0.0
    for i in range(len(unit)):
        u = float(weight[unit[i]])
        if len(base):
            u *= base[i]
        tp += u * hit[i]
        taken += u
        if end[i]:
            total += (tp - above) * tp / (taken if taken > 0.0 else 1.0)
            above = tp
    return total / tp if tp > 0.0 else math.nan


@exact
def _area(roc: bool, weight: Any, unit: Any, hit: Any, end: Any, base: Any) -> float:
    return _roc(weight, unit, hit, end, base) if roc else _precision(weight, unit, hit, end, base)


@exact("b1, u8[::1], i8[::1], i8[::1], u4[::1], u1[::1], u1[::1], f8[::1], u2[::1], f8[::1]")
def _drawn_areas(
    roc: bool, keys: Any, edges: Any, members: Any, unit: Any, hit: Any, end: Any, base: Any, counts: Any, out: Any
) -> None:
    for b in range(len(keys)):
        _draw(keys[b], edges, members, counts)
        out[b] = _area(roc, counts, unit, hit, end, base)


@exact("b1, f8[:, ::1], u4[::1], u1[::1], u1[::1], f8[::1], f8[::1]")
def _weighted_areas(roc: bool, weights: Any, unit: Any, hit: Any, end: Any, base: Any, out: Any) -> None:
    for b in range(len(weights)):
        out[b] = _area(roc, weights[b], unit, hit, end, base)


def drawn_areas(stream: Stream, ranked: Ranked, units: int, *, roc: bool) -> Any:
    """ROC-AUC (or average precision) of each drawn replicate; only one replicate per thread is in memory at a time."""
    (keys, edges, members), ranked = stream, ranked.ready()
    out = np.empty(len(keys))

    def work(a: int, b: int) -> None:
        counts = np.empty(units, dtype=np.uint16)
        _drawn_areas(roc, keys[a:b], edges, members, *ranked, counts, out[a:b])

    _over_replicates(len(keys), work)
    return out


def weighted_areas(weights: Any, ranked: Ranked, *, roc: bool) -> Any:
    """The same under given weights (replicates, units)."""
    weights, ranked = kernels.ready(weights, np.float64), ranked.ready()
    out = np.empty(len(weights))
    _over_replicates(len(weights), lambda a, b: _weighted_areas(roc, weights[a:b], *ranked, out[a:b]))
    return out


# ---- rank correlation


@exact
def _mid_ranks(weight: Any, codes: Any, ranks: Any) -> float:
    """Centred mid-rank of each code under these weights; the weighted sum of their squares, NaN if only one has weight."""
    for g in range(len(ranks)):
        ranks[g] = 0.0
    total = 0.0
    for i in range(len(codes)):
        ranks[codes[i]] += weight[i]
        total += weight[i]
    below, squares, seen = 0.0, 0.0, 0
    for g in range(len(ranks)):
        mass = ranks[g]
        ranks[g] = below + 0.5 * mass - 0.5 * total
        squares += mass * ranks[g] * ranks[g]
        below += mass
        seen += mass > 0.0
    return squares if seen > 1 else math.nan


@exact("T[:, ::1], i8[::1], i8[::1], f8[::1], f8[::1], f8[::1]", T="f8 u2")
def _correlations(weights: Any, y: Any, p: Any, y_ranks: Any, p_ranks: Any, out: Any) -> None:
    for b in range(len(weights)):
        w = weights[b]
        scale = math.sqrt(_mid_ranks(w, y, y_ranks)) * math.sqrt(_mid_ranks(w, p, p_ranks))
        product = 0.0
        for i in range(len(w)):
            product += w[i] * y_ranks[y[i]] * p_ranks[p[i]]
        out[b] = product / scale


def weighted_spearman(weights: Any, y: Any, p: Any) -> Any:
    """Rank correlation of two columns of dense codes under each row of ``weights``; NaN where one is constant."""
    weights, y, p = kernels.ready(weights), kernels.ready(y, np.int64), kernels.ready(p, np.int64)
    out = np.empty(len(weights))

    def work(a: int, b: int) -> None:
        _correlations(weights[a:b], y, p, np.empty(int(y.max()) + 1), np.empty(int(p.max()) + 1), out[a:b])

    _over_replicates(len(weights), work)
    return out


# ---- steps of a curve, and medians


@exact("f8[::1], u4[::1], u1[::1], u1[::1], i8[::1], f8[::1], f8[::1]")
def _steps(weight: Any, order: Any, hit: Any, end: Any, at: Any, tp: Any, fp: Any) -> int:
    """Weight of hits and of others down to the end of each run that has weight, and which run that is; how many there are."""
    found, run = 0, 0
    hits, others, seen = 0.0, 0.0, False
    for i in range(len(order)):  # without branches, which nobody can foretell in a draw
        w = weight[order[i]]
        hits += w * hit[i]
        others += w - w * hit[i]
        seen |= w > 0.0
        at[found], tp[found], fp[found] = run, hits, others
        found += seen & (end[i] != 0)
        run += end[i]
        seen &= end[i] == 0
    return found


def weighted_steps(weight: Floats, order: Order, hit: Marks, end: Marks) -> tuple[Any, Any, Any]:
    """Which runs of equal scores have weight, and what hits and other rows weigh down to the end of each."""
    at, tp, fp = np.empty(len(order), dtype=np.int64), np.empty(len(order)), np.empty(len(order))
    found = _steps(kernels.ready(weight), kernels.ready(order), kernels.ready(hit), kernels.ready(end), at, tp, fp)
    return at[:found], tp[:found], fp[:found]


@exact("f8[:, ::1], i8[::1], f8[::1], f8[::1]")
def _middles(weights: Any, order: Any, ordered: Any, out: Any) -> None:
    """The middle of the values at which the running weight reaches and exceeds one half; NaN without weight."""
    n = len(order)
    for b in range(len(weights)):
        w = weights[b]
        total = 0.0
        for i in range(n):
            total += w[order[i]]
        if not total > 0.0:
            out[b] = math.nan
            continue
        half, tiny = 0.5 * total, 1e-12 * total
        running, low, last = 0.0, -1, 0
        for i in range(n):
            more = w[order[i]]
            if more <= 0.0:
                continue
            running += more
            last = i
            if low < 0 and running >= half - tiny:
                low = i
            if running > half + tiny:
                break
        out[b] = 0.5 * (ordered[low] + ordered[last])


def weighted_middles(weights: Floats, order: NDArray[np.int64], ordered: Floats) -> Floats:
    """The median of ordered values under each row of ``weights``, which ``order`` brings into their order."""
    weights, order, ordered = kernels.ready(weights), kernels.ready(order, np.int64), kernels.ready(ordered, np.float64)
    out = np.empty(len(weights))
    _over_replicates(len(weights), lambda a, b: _middles(weights[a:b], order, ordered, out[a:b]))
    return out
