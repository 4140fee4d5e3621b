"""Segments of two maps: the number of pixels that each pair has in common, and the panoptic counts that follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels.jit import exact


@exact
def _counted(t: Any, p: Any, n: int, keys: Any, counts: Any) -> int:
    """Add n pixels to a pair in a hash table with open addressing; returns 1 if the pair is new."""
    mask = np.uint64(len(counts) - 1)
    mixed = np.uint64(t) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(p) * np.uint64(0xC2B2AE3D27D4EB4F)
    at = (mixed ^ (mixed >> np.uint64(29))) & mask
    while counts[at] and (keys[at, 0] != t or keys[at, 1] != p):
        at = (at + np.uint64(1)) & mask
    new = 0 if counts[at] else 1
    keys[at, 0], keys[at, 1] = t, p
    counts[at] += n
    return new


@exact("T[::1], T[::1], i8[:, ::1], i8[::1]", T="i8 u4")
def _shared(true: Any, predicted: Any, keys: Any, counts: Any) -> int:
    """Fill a hash table of pairs, run by run; returns their number, or -1 if the table is too small."""
    found, i, n = 0, 0, len(true)
    while i < n:
        t, p = np.int64(true[i]), np.int64(predicted[i])
        start = i
        i += 1
        while i < n and true[i] == t and predicted[i] == p:
            i += 1
        found += _counted(t, p, i - start, keys, counts)
        if 2 * found > len(counts):
            return -1
    return found


@exact("u4[::1], u4[::1], u8[::1], u8[::1], i8[:, ::1], i8[::1]")
def _shared_words(true: Any, predicted: Any, words_t: Any, words_p: Any, keys: Any, counts: Any) -> int:
    """As `_shared` for 32-bit integers, four at a time within a run."""
    found, i, n = 0, 0, len(true)
    while i < n:
        first_t, first_p = true[np.uint64(i)], predicted[np.uint64(i)]
        start = i
        i += 1
        twice_t = np.uint64(first_t) | (np.uint64(first_t) << np.uint64(32))
        twice_p = np.uint64(first_p) | (np.uint64(first_p) << np.uint64(32))
        if i & 1 and true[np.uint64(i)] == first_t and predicted[np.uint64(i)] == first_p:
            i += 1
        if not i & 1:
            while i + 4 <= n:
                at = np.uint64(i >> 1)
                other = (words_t[at] ^ twice_t) | (words_p[at] ^ twice_p)
                at += np.uint64(1)
                if other | (words_t[at] ^ twice_t) | (words_p[at] ^ twice_p):
                    break
                i += 4
        while i < n and true[np.uint64(i)] == first_t and predicted[np.uint64(i)] == first_p:
            i += 1
        found += _counted(np.int64(first_t), np.int64(first_p), i - start, keys, counts)
        if 2 * found > len(counts):
            return -1
    return found


def _in_words(flat: Any) -> bool:
    return flat.dtype == np.uint32 and len(flat) % 2 == 0 and flat.ctypes.data % 8 == 0


@exact("i8[:, ::1], i8[::1], i8[:, ::1]")
def _gathered(keys: Any, counts: Any, pairs: Any) -> None:
    at = 0
    for i in range(len(counts)):
        if counts[i]:
            pairs[at, 0], pairs[at, 1], pairs[at, 2] = keys[i, 0], keys[i, 1], counts[i]
            at += 1


def shared(true: Any, predicted: Any) -> Any:
    """Rows of (true segment, predicted segment, pixels in both) of two flat arrays of integers, sorted."""
    size = 1 << 10
    words = _in_words(true) and _in_words(predicted)
    while True:
        keys, counts = np.empty((size, 2), dtype=np.int64), np.zeros(size, dtype=np.int64)
        if words:
            found = _shared_words(true, predicted, true.view(np.uint64), predicted.view(np.uint64), keys, counts)
        else:
            found = _shared(true, predicted, keys, counts)
        if found >= 0:
            break
        size *= 8
    pairs = np.empty((found, 3), dtype=np.int64)
    _gathered(keys, counts, pairs)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@exact
def _place(segments: Any, which: int) -> int:
    """The row of a segment in the sorted list, or -1."""
    low, high = 0, len(segments)
    while low < high:
        middle = (low + high) // 2
        if segments[middle, 0] < which:
            low = middle + 1
        else:
            high = middle
    return low if low < len(segments) and segments[low, 0] == which else -1


@exact
def _areas(pairs: Any, true: Any, predicted: Any, places: Any, area: Any, free: Any) -> tuple[int, int]:
    """Sizes of the segments, and of each prediction the pixels on void, and on void or crowd of its class (``free``).

    Returns (0, 0), or 1 and the number of a true segment that is not listed, or 2 and that of a predicted one.
    """
    for k in range(len(pairs)):
        t, p, count = pairs[k, 0], pairs[k, 1], pairs[k, 2]
        i, j = _place(true, t) if t else -1, _place(predicted, p)  # a prediction may list 0 as a segment
        places[k, 0], places[k, 1] = i, j
        if t and i < 0:
            return 1, t
        if p and j < 0:
            return 2, p
        if i >= 0:
            area[0, i] += count
        if j >= 0:
            area[1, j] += count
            if i < 0:
                free[0, j] += count
            if i < 0 or (true[i, 2] and true[i, 1] == predicted[j, 1]):
                free[1, j] += count
    return 0, 0


@exact("i8[:, ::1], i8[:, ::1], i8[:, ::1], f8[:, ::1]")
def _quality(pairs: Any, true: Any, predicted: Any, out: Any) -> tuple[int, int]:
    """Add IoU of matches, matches, false positives and false negatives to ``out`` (classes, 4).

    Segments are rows (number, class, crowd) in order of their numbers; 0 is void in the truth. Returns faults as `_areas` does,
    with 3 for a listed prediction without a pixel.
    """
    most = max(len(true), len(predicted))
    places = np.empty((len(pairs), 2), dtype=np.int64)
    area, free = np.zeros((2, most), dtype=np.int64), np.zeros((2, most), dtype=np.int64)
    wrong, which = _areas(pairs, true, predicted, places, area, free)
    if wrong:
        return wrong, which
    met = np.zeros((2, most), dtype=np.bool_)
    for k in range(len(pairs)):
        i, j, count = places[k, 0], places[k, 1], pairs[k, 2]
        if i < 0 or j < 0 or true[i, 2] or true[i, 1] != predicted[j, 1]:
            continue
        union = area[1, j] + area[0, i] - count - free[0, j]
        if 2 * count > union:
            out[true[i, 1], 0] += count / union
            out[true[i, 1], 1] += 1
            met[0, i], met[1, j] = True, True
    for j in range(len(predicted)):
        if area[1, j] == 0:
            return 3, predicted[j, 0]
        out[predicted[j, 1], 2] += (not met[1, j]) & (2 * free[1, j] <= area[1, j])
    for i in range(len(true)):
        out[true[i, 1], 3] += (not met[0, i]) & (true[i, 2] == 0)
    return 0, 0


def quality(pairs: Any, true: Any, predicted: Any, classes: int) -> tuple[Any, int, int]:
    """(classes, 4) of one image, the fault (0: none) and the segment at fault."""
    out = np.zeros((classes, 4))
    return out, *_quality(pairs, true, predicted, out)
