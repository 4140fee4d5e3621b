"""Words of many texts: where they begin and end, and a number for each distinct one.

Numbers are exact: a hash only says where to look, and the characters are compared.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact

Codes: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.int64]
_OFFSET, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a


@exact
def is_space(code: int) -> bool:
    """Whether `str.split` splits at a code point."""
    if code <= 0x20:
        return code == 0x20 or 0x09 <= code <= 0x0D or 0x1C <= code <= 0x1F
    if code < 0x1680:
        return code in (0x85, 0xA0)
    return code == 0x1680 or 0x2000 <= code <= 0x200A or code in (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)


@exact("u4[::1], i8[::1], i8[::1], i8[::1], i8[::1]")
def _split(codes: Any, offsets: Any, begins: Any, ends: Any, starts: Any) -> int:
    """Fill in the words of each text; returns their number."""
    found = 0
    for text in range(len(offsets) - 1):
        inside = False
        for at in range(offsets[text], offsets[text + 1]):
            if is_space(codes[at]):
                if inside:
                    ends[found - 1] = at
                inside = False
            elif not inside:
                begins[found] = at
                found += 1
                inside = True
        if inside:
            ends[found - 1] = offsets[text + 1]
        starts[text + 1] = found
    return found


def split(codes: Codes, offsets: Places) -> tuple[Places, Places, Places]:
    """(begins, ends, starts): words between whitespace; text i holds words ``starts[i]`` to ``starts[i + 1]``."""
    most = (len(codes) + len(offsets)) // 2 + 1  # words and the whitespace between them
    begins, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    found = _split(codes, offsets, begins, ends, starts)
    return begins[:found], ends[:found], starts


@exact
def _hash(codes: Any, begin: int, end: int) -> Any:
    key = _OFFSET
    for at in range(begin, end):
        key = (key ^ np.uint64(codes[at])) * _PRIME
    return key ^ (key >> np.uint64(32))


@exact
def _same(codes: Any, a: int, b: int, size: int) -> bool:
    for k in range(size):  # noqa: SIM110  (numba has no generators here)
        if codes[a + k] != codes[b + k]:
            return False
    return True


@exact("u4[::1], i8[::1], i8[::1], i4[::1], u8[::1], i4[::1], i8[::1]")
def _number(codes: Any, begins: Any, ends: Any, table: Any, keys: Any, ids: Any, first: Any) -> int:
    """Number the words in the order in which they first occur; ``table`` is all -1, and its size a power of two."""
    mask, count = np.uint64(len(table) - 1), 0
    for word in range(len(begins)):
        begin, size = begins[word], ends[word] - begins[word]
        key = _hash(codes, begin, begin + size)
        slot = key & mask
        while True:
            known = table[slot]
            if known < 0:
                table[slot], keys[slot], first[count], ids[word] = count, key, word, count
                count += 1
                break
            other = first[known]
            if keys[slot] == key and ends[other] - begins[other] == size and _same(codes, begin, begins[other], size):
                ids[word] = known
                break
            slot = (slot + np.uint64(1)) & mask
    return count


def number(codes: Codes, begins: Places, ends: Places) -> tuple[NDArray[np.int32], Places]:
    """(ids, first): equal words have equal ids; word ``first[id]`` is the first with that id."""
    size = 1 << max(4, (2 * len(begins)).bit_length())
    table, keys = np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.uint64)
    ids, first = np.empty(len(begins), dtype=np.int32), np.empty(len(begins), dtype=np.int64)
    return ids, first[: _number(codes, begins, ends, table, keys, ids, first)]
