"""What two sequences have in common: n-grams as numbers, longest common subsequences in three forms, and skip-bigrams.

Nothing is hashed without being compared: an n-gram is the number of its first n - 1 members and its last member, which fit 64 bits.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.kernels.edit_distance import symbol_masks
from assay.kernels.jit import exact

Ids: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
_HALF, _ONE = np.uint64(32), np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@exact
def _slot(key: Any, keys: Any, used: Any) -> Any:
    """Where a key is, or would be, in an open table whose size is a power of two; unused slots are -1."""
    mask = np.uint64(len(keys) - 1)
    at = ((key * _MIX) >> _HALF) & mask
    while used[at] >= 0 and keys[at] != key:
        at = (at + _ONE) & mask
    return at


@exact("i4[::1], i4[::1], i8[::1], i8[::1], i8, u8[::1], i4[::1], i4[::1]")
def _longer(shorter: Any, ids: Any, begins: Any, ends: Any, more: int, keys: Any, used: Any, out: Any) -> int:
    """Number the n-grams that begin at each place, given the numbers of those one shorter; returns how many are distinct."""
    count = 0
    for text in range(len(begins)):
        for at in range(begins[text], ends[text]):
            key = (np.uint64(shorter[at]) << _HALF) | np.uint64(ids[at + more])
            slot = _slot(key, keys, used)
            if used[slot] < 0:
                keys[slot], used[slot] = key, count
                count += 1
            out[at] = used[slot]
    return count


def ngrams(ids: Ids, starts: Places, size: int, order: int) -> tuple[Ids, Places, Places, int]:
    """(numbers, begins, ends, size): the n-grams of each text as numbers below a new ``size``."""
    begins, ends, found = starts[:-1].copy(), starts[1:].copy(), ids
    room = 1 << max(4, (2 * len(ids)).bit_length())
    for more in range(1, order):
        ends = np.maximum(begins, starts[1:] - more)
        keys, used = np.empty(room, dtype=np.uint64), np.full(room, -1, dtype=np.int32)
        out = np.zeros(len(ids), dtype=np.int32)
        size = _longer(found, ids, begins, ends, more, keys, used, out)
        found = out
    return found, begins, ends, size


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i4[::1], i8[::1]")
def _subsequences(ids: Any, starts: Any, left: Any, right: Any, slot: Any, out: Any) -> None:
    """Bit-parallel (Hyyrö 2004): a column is still set where the common subsequence does not grow. ``slot`` is -1, before and after."""
    masks, state = np.empty((1, 1), dtype=np.uint64), np.empty(1, dtype=np.uint64)
    for pair in range(len(left)):
        a, b = starts[left[pair]], starts[right[pair]]
        n, end_b = starts[left[pair] + 1] - a, starts[right[pair] + 1]
        words = (n + 63) >> 6
        if masks.shape[0] < n or masks.shape[1] != words:
            masks = np.empty((max(1, n), words), dtype=np.uint64)
        if len(state) < words:
            state = np.empty(words, dtype=np.uint64)
        symbol_masks(ids, a, n, slot, masks)
        for w in range(words):
            state[w] = ~np.uint64(0)
        for k in range(b, end_b):
            at = slot[ids[k]]
            if at < 0:
                continue
            carry = np.uint64(0)
            for w in range(words):
                old = state[w]
                both = old & masks[at, w]
                part = old + both
                total = part + carry
                carry = _ONE if part < old or total < part else np.uint64(0)
                state[w] = total | (old - both)
        common = 0
        for k in range(n):
            common += 1 - ((state[k >> 6] >> np.uint64(k & 63)) & _ONE)
            slot[ids[a + k]] = -1
        out[pair] = common


def subsequences(ids: Ids, starts: Places, left: Places, right: Places, size: int) -> Places:
    """The length of the longest common subsequence of texts ``left[i]`` and ``right[i]``."""
    out = np.empty(len(left), dtype=np.int64)
    _subsequences(ids, starts, left, right, np.full(max(1, size), -1, dtype=np.int32), out)
    return out


@exact("i4[::1], i8[::1], i8[::1], i8[::1], f8[::1], f8[::1]")
def _weighted(ids: Any, starts: Any, left: Any, right: Any, worth: Any, out: Any) -> None:
    """``worth[k]`` is what k matches in a row count."""
    for pair in range(len(left)):
        a, b = starts[left[pair]], starts[right[pair]]
        n, m = starts[left[pair] + 1] - a, starts[right[pair] + 1] - b
        value, run = np.zeros(m + 1), np.zeros(m + 1, dtype=np.int64)
        for i in range(n):
            corner, corner_run = value[0], run[0]
            for j in range(m):
                above, above_run = value[j + 1], run[j + 1]
                if ids[a + i] == ids[b + j]:
                    value[j + 1] = corner + worth[corner_run + 1] - worth[corner_run]
                    run[j + 1] = corner_run + 1
                else:
                    value[j + 1] = above if above > value[j] else value[j]
                    run[j + 1] = 0
                corner, corner_run = above, above_run
        out[pair] = value[m]


def weighted(ids: Ids, starts: Places, left: Places, right: Places, worth: Numbers) -> Numbers:
    """The weighted longest common subsequence, in which matches in a row count more."""
    out = np.empty(len(left), dtype=np.float64)
    _weighted(ids, starts, left, right, worth, out)
    return out


@exact
def _mark(ids: Any, a: int, n: int, b: int, m: int, marked: Any) -> None:
    """Mark the places of one longest common subsequence, read from the end as rouge-score does."""
    table = np.zeros((n + 1, m + 1), dtype=np.int32)
    for i in range(n):
        for j in range(m):
            if ids[a + i] == ids[b + j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    i, j = n, m
    while i > 0 and j > 0:
        if ids[a + i - 1] == ids[b + j - 1]:
            i, j = i - 1, j - 1
            marked[i] = True
        elif table[i, j - 1] > table[i - 1, j]:
            j -= 1
        else:
            i -= 1


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i8[::1], b1, i4[::1], i8[::1]")
def _unions(ids: Any, starts: Any, first: Any, left: Any, right: Any, once: bool, counts: Any, out: Any) -> None:
    for pair in range(len(left)):
        low, high = first[right[pair]], first[right[pair] + 1]
        for at in range(starts[low], starts[high]):
            counts[ids[at]] += 1
        hits = 0
        for sentence in range(first[left[pair]], first[left[pair] + 1]):
            a = starts[sentence]
            n = starts[sentence + 1] - a
            marked = np.zeros(n, dtype=np.bool_)
            for other in range(low, high):
                _mark(ids, a, n, starts[other], starts[other + 1] - starts[other], marked)
            for k in range(n):
                if marked[k] and (not once or counts[ids[a + k]] > 0):
                    counts[ids[a + k]] -= 1
                    hits += 1
        for sentence in range(first[left[pair]], first[left[pair] + 1]):
            for at in range(starts[sentence], starts[sentence + 1]):
                counts[ids[at]] = 0
        for at in range(starts[low], starts[high]):
            counts[ids[at]] = 0
        out[pair] = hits


def unions(ids: Ids, starts: Places, first: Places, left: Places, right: Places, once: bool, size: int) -> Places:
    """The words of text ``left[i]`` in the union, by sentence, of its longest common subsequences with the sentences of ``right[i]``.

    Text j has the sentences ``first[j]`` to ``first[j + 1]``. With ``once`` a word of ``right`` counts once.
    """
    out = np.empty(len(left), dtype=np.int64)
    _unions(ids, starts, first, left, right, once, np.zeros(max(1, size), dtype=np.int32), out)
    return out


@exact("i4[::1], i8[::1], i8[::1], i8[::1], i8, i8[::1]")
def _skips(ids: Any, starts: Any, left: Any, right: Any, reach: int, out: Any) -> None:
    for pair in range(len(left)):
        a, end = starts[left[pair]], starts[left[pair] + 1]
        room = 16
        while room < 2 * (end - a) * min(reach, end - a):
            room *= 2
        keys, used = np.empty(room, dtype=np.uint64), np.full(room, -1, dtype=np.int32)
        for i in range(a, end):
            for j in range(i + 1, min(end, i + 1 + reach)):
                key = (np.uint64(ids[i]) << _HALF) | np.uint64(ids[j])
                slot = _slot(key, keys, used)
                keys[slot], used[slot] = key, max(0, used[slot]) + 1
        b, end_b = starts[right[pair]], starts[right[pair] + 1]
        shared = 0
        for i in range(b, end_b):
            for j in range(i + 1, min(end_b, i + 1 + reach)):
                slot = _slot((np.uint64(ids[i]) << _HALF) | np.uint64(ids[j]), keys, used)
                if used[slot] > 0:
                    used[slot] -= 1
                    shared += 1
        out[pair] = shared


def skips(ids: Ids, starts: Places, left: Places, right: Places, reach: int) -> Places:
    """The skip-bigrams, pairs of words at most ``reach`` apart in their order, that texts ``left[i]`` and ``right[i]`` share."""
    out = np.empty(len(left), dtype=np.int64)
    _skips(ids, starts, left, right, reach, out)
    return out
