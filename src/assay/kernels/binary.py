"""Binary scores: sums over the order of the scores, proper losses and calibration bins, each in one read of the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact, kernel
from assay.kernels.ranks import sort_keys

# ---- order


@exact
def _pack(keys: Any, positive: Any, low: Any, cut: Any, gap: Any, out: Any) -> None:
    """Keys moved down to zero, shifted by one, with the label in the lowest bit."""
    for i in range(len(keys)):
        key = keys[i] - low
        if keys[i] >= cut:
            key -= gap
        out[i] = (key << np.uint64(1)) | np.uint64(positive[i])


def _packed(score: Any, positive: Any) -> Any:
    """One unsigned integer a row whose order is (score, label), or None if 63 bits do not hold the scores.

    Keys of negative and positive floats lie far apart; the empty gap between them is taken out, so that no bit of any
    score is lost.
    """
    keys = sort_keys(score)
    half = np.uint64(1 << 63)
    low, high = keys.min(), keys.max()
    cut, gap = np.uint64(2**64 - 1), np.uint64(0)
    if low < half <= high:
        cut = keys[keys >= half].min()
        gap = cut - keys[keys < half].max() - np.uint64(1)
    if int(high) - int(low) - int(gap) >= 1 << 63:
        return None
    out = np.empty_like(keys)
    _pack(keys, positive, low, cut, gap, out)
    return out


@exact
def _merge_sums(a: Any, b: Any, positives: float, negatives: float) -> tuple[float, float]:
    """Walk two sorted halves as one: area under the ROC curve (a sum over pairs) and average precision."""
    i, j, na, nb = 0, 0, len(a), len(b)
    area, precision = 0.0, 0.0
    pos_below, neg_below = 0.0, 0.0
    one = np.uint64(1)
    while i < na or j < nb:
        if j >= nb or (i < na and a[i] <= b[j]):
            group = a[i] >> one
        else:
            group = b[j] >> one
        pos, count = 0.0, 0.0
        while i < na and a[i] >> one == group:
            pos += float(a[i] & one)
            count += 1.0
            i += 1
        while j < nb and b[j] >> one == group:
            pos += float(b[j] & one)
            count += 1.0
            j += 1
        neg = count - pos
        area += pos * (neg_below + 0.5 * neg)
        found = positives - pos_below
        if pos > 0.0:
            precision += pos * found / (found + negatives - neg_below)
        pos_below += pos
        neg_below += neg
    return area, precision


def rank_sums(score: Any, positive: Any) -> tuple[float, float] | None:
    """(ROC-AUC, average precision) without weights; None if the scores cannot be packed. NaN without both classes."""
    packed = _packed(score, positive)
    if packed is None:
        return None
    middle = len(packed) // 2
    if len(packed) > 1 << 18:
        halves = kernels.over_chunks(2, lambda i, _: _sorted_part(packed, i, middle), least=1)
    else:
        packed.sort()
        halves = [packed, packed[:0]]
    positives = float(np.count_nonzero(positive))
    negatives = float(len(packed) - positives)
    area, precision = _merge_sums(halves[0], halves[1], positives, negatives)
    if not positives or not negatives:
        return math.nan, precision / positives if positives else math.nan
    return area / (positives * negatives), precision / positives


def _sorted_part(packed: Any, part: int, middle: int) -> Any:
    values = packed[:middle] if part == 0 else packed[middle:]
    values.sort()
    return values


# ---- losses


@kernel
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


@kernel
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
    """Array of (weight, squared, log, infinite weight, lowest p, highest p); NaN anywhere shows in the sums."""
    p, w = np.ascontiguousarray(p), np.empty(0) if weight is None else weight
    body = _losses if logs else _squares

    def work(a: int, b: int) -> Any:
        sums = np.array([0.0, 0.0, 0.0, 0.0, np.inf, -np.inf])
        body(p[a:b], positive[a:b], w[a:b] if len(w) else w, sums)
        return sums

    parts = np.array(kernels.over_chunks(len(p), work))
    return np.array([*parts[:, :4].sum(axis=0), parts[:, 4].min(), parts[:, 5].max()])


# ---- calibration bins


@exact
def _bins(confidence: Any, correct: Any, w: Any, edges: Any, out: Any) -> None:
    """Per bin (a, b]: weight, confidence, correct, squared gap."""
    count = len(edges) - 1
    low, scale = edges[0], count / (edges[count] - edges[0])
    for i in range(len(confidence)):
        c = float(confidence[i])
        at = min(max(int((c - low) * scale), 0), count - 1) if c == c else 0
        # The product may round across an edge: settle it by the edges themselves.
        while at > 0 and c <= edges[at]:
            at -= 1
        while at < count - 1 and c > edges[at + 1]:
            at += 1
        u = w[i] if len(w) else 1.0
        y = 1.0 if correct[i] else 0.0
        out[at, 0] += u
        out[at, 1] += u * c
        out[at, 2] += u * y
        out[at, 3] += u * (y - c) * (y - c)


def bins(confidence: Any, correct: Any, weight: Any, edges: Any) -> Any:
    """The sums of each bin (bins, 4)."""
    w = np.empty(0) if weight is None else weight
    confidence = np.ascontiguousarray(confidence)

    def work(a: int, b: int) -> Any:
        out = np.zeros((len(edges) - 1, 4))
        _bins(confidence[a:b], correct[a:b], w[a:b] if len(w) else w, edges, out)
        return out

    return sum(kernels.over_chunks(len(confidence), work))


@kernel
def _top_label(p: Any, positive: Any, confidence: Any, correct: Any) -> None:
    for i in range(len(p)):
        yes = p[i] >= 0.5
        confidence[i] = p[i] if yes else 1.0 - p[i]
        correct[i] = yes == positive[i]


def top_label(p: Any, positive: Any) -> tuple[Any, Any]:
    """Confidence in the likelier class, and whether it is the true one."""
    confidence, correct = np.empty(len(p)), np.empty(len(p), dtype=np.bool_)
    kernels.over_chunks(len(p), lambda a, b: _top_label(p[a:b], positive[a:b], confidence[a:b], correct[a:b]))
    return confidence, correct
