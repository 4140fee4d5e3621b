"""Detections and truths of an image compared across classes: what was taken for what, and which errors were made.

Both functions look at all pairs of an image. `pair` returns the truth that each detection is paired with; `classify_errors` sorts the
errors of matching within classes into the types of TIDE (Bolya 2020), and finds what fixing each error would change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.coco_matching import BOXES, SIDES, arrange, similar
from assay.kernels.jit import exact

RIGHT, CLASS, LOCATION, BOTH, DUPLICATE, BACKGROUND, IGNORED = 0, 1, 2, 3, 4, 5, 6
LOST, FREE, WITHIN_IGNORED = -1, -2, -3  # why a detection has no truth


@exact
def _overlaps(D: Any, G: Any, ds: Any, g0: int, g1: int, spread: Any) -> Any:
    out = np.empty((len(ds), g1 - g0))
    box, other, crowd = D[0], G[0], G[2]
    for i in range(len(ds)):
        d = ds[i]
        x, y, right, low, own = (
            box[d, 0],
            box[d, 1],
            box[d, 0] + box[d, 2],
            box[d, 1] + box[d, 3],
            box[d, 2] * box[d, 3],
        )
        for g in range(g0, g1):
            if len(D) != BOXES:
                out[i, g - g0] = similar(D, G, d, g, spread)
                continue
            # As `similar`, without a view of every row: there are many pairs.
            width = min(right, other[g, 0] + other[g, 2]) - max(x, other[g, 0])
            height = min(low, other[g, 1] + other[g, 3]) - max(y, other[g, 1])
            shared = width * height if width > 0 and height > 0 else 0.0
            whole = own if crowd[g] else own + other[g, 2] * other[g, 3] - shared
            out[i, g - g0] = shared / whole if shared > 0 else 0.0
    return out


@exact
def _by_score(overlap: Any, idle: Any, least: float, partner: Any) -> None:
    """By decreasing score, each detection takes the free truth that it overlaps most."""
    taken = np.zeros(overlap.shape[1], np.uint8)
    for d in range(overlap.shape[0]):
        best, at = least, -1
        for g in range(overlap.shape[1]):
            if not taken[g] and not idle[g] and overlap[d, g] >= best:
                best, at = overlap[d, g], g
        if at > -1:
            taken[at] = 1
            partner[d] = at


@exact
def _by_overlap(overlap: Any, idle: Any, least: float, partner: Any) -> None:
    """The pair with the largest overlap first, then the next among the rest; ties by score, then in the original order."""
    taken = np.zeros(overlap.shape[1], np.uint8)
    while True:
        best, d, g = least, -1, -1
        for i in range(overlap.shape[0]):
            if partner[i] >= 0:
                continue
            for j in range(overlap.shape[1]):
                if not taken[j] and not idle[j] and (overlap[i, j] > best or (d < 0 and overlap[i, j] >= best)):
                    best, d, g = overlap[i, j], i, j
        if d < 0:
            return
        taken[g] = 1
        partner[d] = g


@exact(
    "i8, i8, Side, i8[::1], f8[::1], Side, i8[::1], u1[::1], f8[::1], Tuple((f8, f8, b1, i8)), i8[::1], i8[::1], i8[::1], i8[::1]",
    Side=SIDES,
)
def _pair_images(
    first: int, last: int, D: Any, d_start: Any, d_score: Any, G: Any, g_start: Any, idle: Any, spread: Any,
    limits: Any, order: Any, spare: Any, flat: Any, partner: Any,
) -> None:  # fmt: skip
    least, lowest, by_overlap, most = limits
    for image in range(first, last):
        d0, d1, g0, g1 = d_start[image], d_start[image + 1], g_start[image], g_start[image + 1]
        arrange(flat, d_score, d0, d1, order, spare)
        count = 0
        while d0 + count < d1 and count < most and d_score[order[d0 + count]] >= lowest:
            count += 1
        ds = order[d0 : d0 + count]
        for d in ds:
            partner[d] = FREE
        overlap = _overlaps(D, G, ds, g0, g1, spread)
        own = np.full(count, FREE)
        if by_overlap:
            _by_overlap(overlap, idle[g0:g1], least, own)
        else:
            _by_score(overlap, idle[g0:g1], least, own)
        for i in range(count):
            if own[i] >= 0:
                partner[ds[i]] = g0 + own[i]
                continue
            for g in range(g1 - g0):
                if idle[g0 + g] and overlap[i, g] >= least:
                    partner[ds[i]] = WITHIN_IGNORED


def pair(D: Any, d_start: Any, d_score: Any, G: Any, g_start: Any, idle: Any, spread: Any, limits: Any) -> Any:
    """The truth of each detection; LOST if its score is too low or there are too many, FREE if it has no truth, WITHIN_IGNORED if it only
    overlaps truths that do not count.

    ``limits`` are the minimum overlap, the minimum score, whether pairs are made by overlap (else by score), and the maximum number of
    detections per image.
    """
    n, d_score = len(d_score), np.ascontiguousarray(d_score, dtype=np.float64)
    limits = float(limits[0]), float(limits[1]), bool(limits[2]), int(limits[3])
    partner, order, spare = np.full(n, LOST), np.empty(n, np.int64), np.empty(n, np.int64)
    flat = np.zeros(n, np.int64)

    def work(first: int, last: int) -> None:
        _pair_images(first, last, D, d_start, d_score, G, g_start, idle, spread, limits, order, spare, flat, partner)

    kernels.over_chunks(len(d_start) - 1, work, least=64)
    return partner


# ---- the types of errors


@exact
def _match_classes(overlap: Any, same: Any, idle: Any, least: float, what: Any, used: Any) -> None:
    """Mark correct detections, and those that only overlap truths that do not count."""
    for d in range(overlap.shape[0]):
        best, at = 0.0, -1
        for g in range(overlap.shape[1]):
            if same[d, g] and not used[g] and not idle[g] and overlap[d, g] > best:
                best, at = overlap[d, g], g
        if at > -1 and best >= least:
            what[d], used[at] = RIGHT, 1
            continue
        for g in range(overlap.shape[1]):
            if idle[g] and same[d, g] and overlap[d, g] > least:
                what[d] = IGNORED


@exact
def _best(row: Any, wanted: Any, idle: Any) -> tuple[float, int]:
    """The largest overlap with a truth that counts and is wanted; 0 and -1 if there is none."""
    best, at = 0.0, -1
    for g in range(len(row)):
        if wanted[g] and not idle[g] and row[g] > best:
            best, at = row[g], g
    return best, at


@exact
def _sort_errors(
    overlap: Any, same: Any, idle: Any, used: Any, least: float, ground: float, what: Any, aim: Any
) -> None:
    """The type of every error, and for errors of class and location the truth that was meant."""
    every = np.ones(overlap.shape[1], np.uint8)
    for d in range(overlap.shape[0]):
        if what[d] == RIGHT or what[d] == IGNORED:
            continue
        row = overlap[d]
        own, own_at = _best(row, same[d], idle)
        other, other_at = _best(row, 1 - same[d], idle)
        double, _ = _best(row, same[d] * used, idle)
        most, _ = _best(row, every, idle)
        if own_at > -1 and ground <= own <= least:
            what[d], aim[d] = LOCATION, own_at
        elif other >= least and other_at > -1:
            what[d], aim[d] = CLASS, other_at
        elif double >= least and double > 0:
            what[d] = DUPLICATE
        elif most <= ground:
            what[d] = BACKGROUND
        else:
            what[d] = BOTH


@exact(
    "i8, i8, Side, i8[::1], i8[::1], f8[::1], Side, i8[::1], i8[::1], u1[::1], f8[::1], Tuple((f8, f8, i8)), i8[::1], i8[::1], i8[::1], "
    "UniTuple(i8[::1], 3)", Side=SIDES,
)  # fmt: skip
def _error_types(
    first: int, last: int, D: Any, d_start: Any, d_label: Any, d_score: Any, G: Any, g_start: Any, g_label: Any,
    idle: Any, spread: Any, limits: Any, order: Any, spare: Any, flat: Any, out: Any,
) -> None:  # fmt: skip
    least, ground, most = limits
    what, meant, state = out
    for image in range(first, last):
        d0, d1, g0, g1 = d_start[image], d_start[image + 1], g_start[image], g_start[image + 1]
        arrange(flat, d_score, d0, d1, order, spare)
        ds = order[d0 : min(d1, d0 + most)]
        nd, ng = len(ds), g1 - g0
        overlap = _overlaps(D, G, ds, g0, g1, spread)
        same = np.empty((nd, ng), np.uint8)
        for i in range(nd):
            for j in range(ng):
                same[i, j] = d_label[ds[i]] == g_label[g0 + j]
        own, aim, used = np.full(nd, BOTH), np.full(nd, -1), np.zeros(ng, np.uint8)
        _match_classes(overlap, same, idle[g0:g1], least, own, used)
        _sort_errors(overlap, same, idle[g0:g1], used, least, ground, own, aim)
        for g in range(ng):
            state[g0 + g] = 1 if used[g] else 0
        for i in range(nd):
            what[ds[i]] = own[i]
            # By decreasing score, the first detection that meant a free truth is the one that a fix makes correct.
            if aim[i] > -1 and not used[aim[i]] and state[g0 + aim[i]] == 0:
                state[g0 + aim[i]] = 2
                meant[ds[i]] = g0 + aim[i]


def classify_errors(
    D: Any, d_start: Any, d_label: Any, d_score: Any, G: Any, g_start: Any, g_label: Any, idle: Any, spread: Any,
    limits: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """(type of each detection, truth that it would get if fixed or -1, truths: 0 missed, 1 found, 2 found if an error were fixed).

    Detections beyond the maximum per image are LOST. ``limits`` are the minimum overlap of a match, the maximum of background, and the
    maximum number of detections per image.
    """
    n = len(d_score)
    limits, d_score = (
        (float(limits[0]), float(limits[1]), int(limits[2])),
        np.ascontiguousarray(d_score, dtype=np.float64),
    )
    what, meant, state = np.full(n, LOST), np.full(n, -1), np.zeros(len(g_label), np.int64)
    order, spare, flat = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.int64)

    def work(first: int, last: int) -> None:
        _error_types(
            first, last, D, d_start, d_label, d_score, G, g_start, g_label, idle, spread, limits, order, spare, flat,
            (what, meant, state),
        )  # fmt: skip

    kernels.over_chunks(len(d_start) - 1, work, least=64)
    return what, meant, state
