"""Words by the kinds of their characters, which a table gives for every code point that occurs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact

Codes: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.int64]
Kinds: TypeAlias = NDArray[np.uint8]
OTHER, LETTER, SPACE, PUNCTUATION, ALONE, MARK = range(6)
_A, _N, _T, _H, _E = map(ord, "anthe")


def table(codes: Codes, kind: Callable[[str], int]) -> Kinds:
    """The kind of every code point that occurs; all others are 0."""
    occurs = np.zeros(0x110000, dtype=np.bool_)
    occurs[codes] = True
    found = np.flatnonzero(occurs)
    kinds = np.zeros(0x110000, dtype=np.uint8)
    kinds[found] = [kind(chr(code)) for code in found.tolist()]
    return kinds


@exact
def _is_article(codes: Any, begin: int, end: int) -> bool:
    if end - begin == 3:
        return codes[begin] == _T and codes[begin + 1] == _H and codes[begin + 2] == _E
    if end - begin == 2:
        return codes[begin] == _A and codes[begin + 1] == _N
    return end - begin == 1 and codes[begin] == _A


@exact("u4[::1], i8[::1], u1[::1], u4[::1], i8[::1], i8[::1], i8[::1]")
def _answers(codes: Any, offsets: Any, kinds: Any, kept: Any, begins: Any, ends: Any, starts: Any) -> int:
    """Fill in the words of each text and the characters that are kept; returns the number of words."""
    size, found = 0, 0
    for text in range(len(offsets) - 1):
        begin = run = size  # where the word begins, and the letters at its end
        for at in range(offsets[text], offsets[text + 1] + 1):
            kind = kinds[codes[at]] if at < offsets[text + 1] else SPACE
            if kind == PUNCTUATION:
                continue
            if kind != LETTER:
                if _is_article(kept, run, size):
                    if run > begin:
                        begins[found], ends[found], found = begin, run, found + 1
                    begin = size
                if kind == SPACE and size > begin:
                    begins[found], ends[found], found = begin, size, found + 1
            if kind == SPACE:
                begin = run = size
                continue
            kept[size] = codes[at]
            size += 1
            if kind == OTHER:
                run = size
        starts[text + 1] = found
    return found


def answers(codes: Codes, offsets: Places, kinds: Kinds) -> tuple[Codes, Places, Places, Places]:
    """(kept, begins, ends, starts): words between white space, without punctuation and without "a", "an" and "the" between borders."""
    most = (len(codes) + len(offsets)) // 2 + 1
    begins, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    kept, starts = np.empty(len(codes), dtype=np.uint32), np.zeros(len(offsets), dtype=np.int64)
    found = _answers(codes, offsets, kinds, kept, begins, ends, starts)
    return kept, begins[:found], ends[:found], starts


@exact("u4[::1], i8[::1], u1[::1], i8[::1], i8[::1], i8[::1]")
def _words(codes: Any, offsets: Any, kinds: Any, begins: Any, ends: Any, starts: Any) -> int:
    """Fill in the words of each text; returns their number."""
    found = 0
    for text in range(len(offsets) - 1):
        inside = alone = False  # within a word; and only marks may follow
        for at in range(offsets[text], offsets[text + 1]):
            kind = kinds[codes[at]]
            if kind == MARK and inside:
                ends[found - 1] = at + 1
            elif kind == ALONE or (kind == LETTER and (alone or not inside)):
                begins[found], ends[found] = at, at + 1
                found, inside, alone = found + 1, True, kind == ALONE
            elif kind == LETTER:
                ends[found - 1] = at + 1
            else:
                inside = alone = False
        starts[text + 1] = found
    return found


def words(codes: Codes, offsets: Places, kinds: Kinds) -> tuple[Places, Places, Places]:
    """(begins, ends, starts): runs of letters, and characters that stand alone, each with the marks that follow."""
    begins, ends = np.empty(len(codes), dtype=np.int64), np.empty(len(codes), dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    found = _words(codes, offsets, kinds, begins, ends, starts)
    return begins[:found], ends[:found], starts
