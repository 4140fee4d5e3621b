"""N-grams that texts share, counted exactly: every n-gram is a node, and its key is the node of its beginning and its last item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.words import Places, is_space

_MIX = np.uint64(0x9E3779B97F4A7C15)


@exact
def _slot(keys: Any, marks: Any, mask: Any, stamp: int, key: Any) -> Any:
    """The place of a key, or the free one where it belongs; marks other than ``stamp`` are of earlier rows."""
    slot = (key * _MIX) >> np.uint64(32) & mask
    while marks[slot] == stamp and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@exact
def _mask(nodes: int) -> Any:
    size = 16
    while size < 2 * nodes:
        size *= 2
    return np.uint64(size - 1)


@exact
def _enter(
    ids: Any, begin: int, end: int, order: int, who: int, stamp: int, mask: Any, keys: Any, marks: Any, counts: Any
) -> None:
    """Enter the n-grams of one reference; ``counts`` holds the most of any, that of the last reference, and which that was."""
    for at in range(begin, end):
        node = np.uint64(0)
        for n in range(min(order, end - at)):
            key = (node << np.uint64(32)) | np.uint64(ids[at + n])
            slot = _slot(keys, marks, mask, stamp, key)
            if marks[slot] != stamp:
                marks[slot], keys[slot] = stamp, key
                counts[slot, 0] = 0
                counts[slot, 2] = -1
            if counts[slot, 2] != who:
                counts[slot, 1], counts[slot, 2] = 0, who
            counts[slot, 1] += 1
            counts[slot, 0] = max(counts[slot, 0], counts[slot, 1])
            node = slot + np.uint64(1)


@exact
def _use(
    ids: Any, begin: int, end: int, order: int, stamp: int, mask: Any, keys: Any, marks: Any, counts: Any, found: Any
) -> None:
    """Count the n-grams of a text that are there, each as often as there are any left."""
    for at in range(begin, end):
        node = np.uint64(0)
        for n in range(min(order, end - at)):
            slot = _slot(keys, marks, mask, stamp, (node << np.uint64(32)) | np.uint64(ids[at + n]))
            if marks[slot] != stamp:
                break
            if counts[slot, 0] > 0:
                counts[slot, 0] -= 1
                found[n] += 1
            node = slot + np.uint64(1)


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i8, i8, i8, u8[::1], i4[::1], i4[:, ::1], i8[:, ::1]")
def _matches(
    ids: Any, starts: Any, first: Any, texts: Any, begin: int, end: int, order: int, keys: Any, marks: Any, counts: Any, found: Any
) -> None:  # fmt: skip
    """Fill in the matches by order of some rows."""
    for row in range(begin, end):
        a, b = first[row], first[row + 1]
        mask = _mask(order * (starts[b] - starts[a]))
        stamp = row - begin + 1
        for who in range(a, b):
            _enter(ids, starts[who], starts[who + 1], order, who, stamp, mask, keys, marks, counts)
        own = texts[row]
        _use(ids, starts[own], starts[own + 1], order, stamp, mask, keys, marks, counts, found[row])


def matches(ids: NDArray[np.int32], starts: Places, first: Places, texts: Places, order: int) -> NDArray[np.int64]:
    """For each row and order the n-grams of its text that one of its references has too, at most as often as that has it.

    Text i holds ``ids[starts[i] : starts[i + 1]]``; row i has the references ``first[i]`` to ``first[i + 1]`` and the text
    ``texts[i]``.
    """
    rows = len(first) - 1
    found = np.zeros((rows, order), dtype=np.int64)
    sizes = starts[first[1:]] - starts[first[:-1]]

    def work(begin: int, end: int) -> None:
        size = 16
        while size < 2 * order * int(sizes[begin:end].max(initial=0)):
            size *= 2
        keys, marks = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
        counts = np.empty((size, 3), dtype=np.int32)
        _matches(ids, starts, first, texts, begin, end, order, keys, marks, counts, found)

    kernels.over_chunks(rows, work, least=256)
    return found


# ---- characters


@exact
def _numbered(codes: Any, begin: int, end: int, stamp: int, numbers: Any, marks: Any) -> int:
    """Number the characters of a reference from 1; how many are distinct."""
    count = 0
    for at in range(begin, end):
        code = codes[at]
        if marks[code] != stamp:
            marks[code] = stamp
            count += 1
            numbers[code] = count
    return count


@exact
def _packed(
    codes: Any, a: int, b: int, c: int, d: int, order: int, stamp: int, numbers: Any, known: Any, packs: Any, keys: Any, marks: Any,
    counts: Any, found: Any, tick: int,
) -> None:  # fmt: skip
    """Matches of a text with one reference of at most 1023 distinct characters, ten bits each; order after order."""
    mask = _mask(b - a)
    for at in range(b - a):
        packs[at] = 0
    for at in range(d - c):
        packs[b - a + at] = 0
    for n in range(min(order, b - a)):
        tick += 1
        for at in range(b - a - n):
            key = (packs[at] << np.uint64(10)) | np.uint64(numbers[codes[a + at + n]])
            packs[at] = key
            slot = _slot(keys, marks, mask, tick, key)
            if marks[slot] != tick:
                marks[slot], keys[slot], counts[slot, 0] = tick, key, 0
            counts[slot, 0] += 1
        for at in range(d - c - n):
            code, own = codes[c + at + n], b - a + at
            if known[code] != stamp or (n > 0 and packs[own] == 0):
                packs[own] = 0  # no longer n-gram from here can match
                continue
            key = (packs[own] << np.uint64(10)) | np.uint64(numbers[code])
            slot = _slot(keys, marks, mask, tick, key)
            if marks[slot] != tick:
                packs[own] = 0
                continue
            packs[own] = key
            if counts[slot, 0] > 0:
                counts[slot, 0] -= 1
                found[n] += 1


@exact("u4[::1], i8[::1], i8[::1], i8, i8, i8, i4[::1], i4[::1], u8[::1], u8[::1], i4[::1], i4[:, ::1], i8[:, ::1]")
def _characters(
    codes: Any, starts: Any, first: Any, begin: int, end: int, order: int, numbers: Any, known: Any, packs: Any, keys: Any, marks: Any,
    counts: Any, found: Any,
) -> None:  # fmt: skip
    """Fill in the matches by order of every reference of some rows."""
    texts, tick, stamp = first[len(first) - 1], 0, 0
    for row in range(begin, end):
        c, d = starts[texts + row], starts[texts + row + 1]
        for who in range(first[row], first[row + 1]):
            a, b = starts[who], starts[who + 1]
            stamp += 1
            if order <= 6 and _numbered(codes, a, b, stamp, numbers, known) <= 1023:
                _packed(codes, a, b, c, d, order, stamp, numbers, known, packs, keys, marks, counts, found[who], tick)
                tick += order
            else:
                tick += 1
                mask = _mask(order * (b - a))
                _enter(codes, a, b, order, who, tick, mask, keys, marks, counts)
                _use(codes, c, d, order, tick, mask, keys, marks, counts, found[who])


def character_matches(codes: NDArray[np.uint32], starts: Places, first: Places, order: int) -> NDArray[np.int64]:
    """For each reference and order the n-grams of characters that it shares with the text of its row, which is text ``first[-1] + row``."""
    rows = len(first) - 1
    found = np.zeros((int(first[-1]), order), dtype=np.int64)
    sizes = np.diff(starts)
    least = max(256, rows // 8)

    def work(begin: int, end: int) -> None:
        longest = int(sizes[first[begin] : first[end]].max(initial=1))
        own = int(sizes[first[-1] + begin : first[-1] + end].max(initial=1))
        size = 16
        while size < 2 * order * longest:
            size *= 2
        known, numbers = np.zeros(0x110000, dtype=np.int32), np.empty(0x110000, dtype=np.int32)
        keys, marks = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
        packs, counts = np.empty(longest + own, dtype=np.uint64), np.empty((size, 3), dtype=np.int32)
        _characters(codes, starts, first, begin, end, order, numbers, known, packs, keys, marks, counts, found)

    kernels.over_chunks(rows, work, least=least)
    return found


@exact("u4[::1], i8[::1], u4[::1], i8[::1]")
def _squeezed(codes: Any, offsets: Any, out: Any, starts: Any) -> int:
    size = 0
    for text in range(len(offsets) - 1):
        for at in range(offsets[text], offsets[text + 1]):
            if not is_space(codes[at]):
                out[size] = codes[at]
                size += 1
        starts[text + 1] = size
    return size


def squeezed(codes: NDArray[np.uint32], offsets: Places) -> tuple[NDArray[np.uint32], Places]:
    """The texts without whitespace."""
    out, starts = np.empty(len(codes), dtype=np.uint32), np.zeros(len(offsets), dtype=np.int64)
    return out[: _squeezed(codes, offsets, out, starts)], starts
