"""Texts cut into words by passes that run one after the other, as a list of substitutions does.

A program is a matrix with one row per pass: what it does and to which kinds of characters. A table says of every code point which
kinds it is of (bits).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import exact
from assay.kernels.words import Codes, Places, is_space

REPLACE, AROUND, PAIRS, POSSESSIVE = 0, 1, 2, 3  # passes
WORDS, SINGLE, EDGES = 0, 1, 2  # words as they are, every character alone, punctuation at an end of a word apart
_SPACE = np.uint32(0x20)
GROWTH = 5  # a character gains at most four spaces


class Program(NamedTuple):
    """How to cut: ``passes`` (pass, kind, kind, first is of the kind, second is of the kind, space before rather than behind).

    ``needles`` are texts to replace, each from ``cuts[i]``, by ``letters[i]`` or nothing (-1); only texts with a character of the kind
    ``trigger`` can hold one. ``padded`` puts a space at both ends, ``stripped`` takes space off the start. Characters of the kind
    ``dropped`` vanish at last.
    """

    passes: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    needles: Codes
    cuts: Places
    letters: Places
    padded: int = 0
    stripped: int = 0
    trigger: int = 0
    dropped: int = 0
    form: int = WORDS


@exact
def _replaced(source: Any, size: int, target: Any, needles: Any, begin: int, end: int, letter: int) -> int:
    """Write the text with every needle replaced by a letter, or taken out; its new size."""
    at, out, width = 0, 0, end - begin
    while at < size:
        k = 0
        while k < width and at + k < size and source[at + k] == needles[begin + k]:
            k += 1
        if k == width:
            at += width
            if letter >= 0:
                target[out] = letter
                out += 1
        else:
            target[out] = source[at]
            out += 1
            at += 1
    return out


@exact
def _around(source: Any, size: int, target: Any, kinds: Any, kind: int) -> int:
    """Write the text with a space on both sides of characters of a kind."""
    out = 0
    for at in range(size):
        code = source[at]
        if kinds[code] & kind:
            target[out] = _SPACE
            target[out + 1] = code
            target[out + 2] = _SPACE
            out += 3
        else:
            target[out] = code
            out += 1
    return out


@exact
def _pairs(source: Any, size: int, target: Any, kinds: Any, a: int, b: int, is_a: bool, is_b: bool, lead: bool) -> int:
    """Write the text with a space inside pairs of characters and before (``lead``) or behind them; pairs do not overlap."""
    at, out = 0, 0
    while at < size:
        code = source[at]
        if at + 1 < size and ((kinds[code] & a) != 0) == is_a and ((kinds[source[at + 1]] & b) != 0) == is_b:
            if lead:
                target[out] = _SPACE
                out += 1
            target[out] = code
            target[out + 1] = _SPACE
            target[out + 2] = source[at + 1]
            out += 3
            if not lead:
                target[out] = _SPACE
                out += 1
            at += 2
        else:
            target[out] = code
            out += 1
            at += 1
    return out


@exact
def _possessive(source: Any, size: int, target: Any) -> int:
    """Write the text with a space before 's and a space."""
    out = 0
    for at in range(size):
        if at + 2 < size and source[at] == 0x27 and source[at + 1] == 0x73 and source[at + 2] == 0x20:
            target[out] = _SPACE
            out += 1
        target[out] = source[at]
        out += 1
    return out


@exact
def _closed(codes: Any, begin: int, end: int, kinds: Any, edges: bool, begins: Any, ends: Any, found: int) -> int:
    """Enter a word, or its end and the rest; the number of words then."""
    cut = 0
    if edges and end - begin > 1:
        if kinds[codes[end - 1]]:
            cut = end - 1
        elif kinds[codes[begin]]:
            cut = begin + 1
    begins[found] = begin
    if cut:
        ends[found] = cut
        found += 1
        begins[found] = cut
    ends[found] = end
    return found + 1


@exact
def _emitted(
    source: Any, size: int, base: int, kinds: Any, dropped: int, form: int, codes: Any, begins: Any, ends: Any, found: int
) -> int:  # fmt: skip
    """Write the words of a text behind each other; the number of words then."""
    out, begin = base, base
    for at in range(size + 1):
        if at == size or is_space(source[at]):
            if out > begin:
                found = _closed(codes, begin, out, kinds, form == EDGES, begins, ends, found)
            begin = out
        elif not kinds[source[at]] & dropped:
            codes[out] = source[at]
            out += 1
            if form == SINGLE:
                begins[found], ends[found] = out - 1, out
                found += 1
                begin = out
    return found


@exact
def _loaded(codes: Any, begin: int, end: int, padded: bool, target: Any) -> int:
    """Copy a text; its size."""
    size = 0
    if padded:
        target[0], target[end - begin + 1] = _SPACE, _SPACE
        size = 1
    for at in range(begin, end):
        target[size] = codes[at]
        size += 1
    return size + padded


@exact
def _needed(step: Any, there: int, trigger: int) -> bool:
    """Whether a pass can change a text that holds characters of the kinds ``there``."""
    if step[0] == REPLACE:
        return (there & trigger) != 0
    if step[0] == AROUND:
        return (there & step[1]) != 0
    return (step[3] == 0 or (there & step[1]) != 0) and (step[4] == 0 or (there & step[2]) != 0)


@exact
def _passed(step: Any, source: Any, size: int, target: Any, kinds: Any, needles: Any, cuts: Any, letters: Any) -> int:
    """Run one pass; the new size."""
    a, b = step[1], step[2]
    if step[0] == REPLACE:
        return _replaced(source, size, target, needles, cuts[a], cuts[a + 1], letters[a])
    if step[0] == AROUND:
        return _around(source, size, target, kinds, a)
    if step[0] == PAIRS:
        return _pairs(source, size, target, kinds, a, b, step[3] != 0, step[4] != 0, step[5] != 0)
    return _possessive(source, size, target)


@exact(
    "u4[::1], i8[::1], i8[:, ::1], u1[::1], u4[::1], i8[::1], i8[::1], i8[::1], u4[:, ::1], u4[::1], i8[::1], i8[::1], i8[::1]"
)
def _tokenize(
    codes: Any, offsets: Any, passes: Any, kinds: Any, needles: Any, cuts: Any, letters: Any, options: Any, scratch: Any, out: Any,
    begins: Any, ends: Any, starts: Any,
) -> int:  # fmt: skip
    """Run the passes on every text; returns the number of words."""
    padded, stripped, trigger, dropped, form = options[0], options[1], options[2], options[3], options[4]
    found = 0
    for text in range(len(offsets) - 1):
        begin, end = offsets[text], offsets[text + 1]
        while end > begin and is_space(codes[end - 1]):
            end -= 1
        while stripped and end > begin and is_space(codes[begin]):
            begin += 1
        there = 0
        for at in range(begin, end):
            there |= kinds[codes[at]]
        if there & trigger:  # entities become letters of other kinds
            there = 0xFF
        size, now = _loaded(codes, begin, end, padded != 0 and end > begin, scratch[0]), 0
        for step in range(len(passes)):
            if _needed(passes[step], there, trigger):
                size = _passed(passes[step], scratch[now], size, scratch[1 - now], kinds, needles, cuts, letters)
                now = 1 - now
        found = _emitted(scratch[now], size, offsets[text], kinds, dropped, form, out, begins, ends, found)
        starts[text + 1] = found
    return found


def tokenize(codes: Codes, offsets: Places, program: Program) -> tuple[Codes, Places, Places, Places]:
    """(codes, begins, ends, starts): the words of all texts; text i holds words ``starts[i]`` to ``starts[i + 1]``."""
    longest = int(np.diff(offsets).max(initial=0))
    scratch = np.empty((2, GROWTH * longest + 8), dtype=np.uint32)
    begins, ends = np.empty(len(codes) + 1, dtype=np.int64), np.empty(len(codes) + 1, dtype=np.int64)
    starts, out = np.zeros(len(offsets), dtype=np.int64), np.empty(len(codes), dtype=np.uint32)
    found = _tokenize(
        codes, offsets, program.passes, program.kinds, program.needles, program.cuts, program.letters,
        np.array(program[5:], dtype=np.int64), scratch, out, begins, ends, starts,
    )  # fmt: skip
    return out, begins[:found], ends[:found], starts
