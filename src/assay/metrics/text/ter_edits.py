"""Edits of TER as tercom counts them, in plain Python: insertions, deletions, substitutions and shifts found greedily."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

BEAM, LONGEST, FARTHEST, MOST = 25, 10, 50, 1000  # width of the beam, words of a shift, its distance, shifts tried
_KEEP, _CHANGE, _DELETE, _INSERT = range(4)
_NEVER = 1 << 29
Row = list[tuple[int, int]]


def edits(text: Sequence[int], reference: Sequence[int]) -> int:
    """The least number of edits that the search finds."""
    if not reference:
        return len(text)
    words, shifts, tried = list(text), 0, 0
    while True:
        gain, shifted, tried = _best_shift(words, reference, tried)
        if tried >= MOST or gain <= 0:  # the best shift of the last round is lost with it, as in tercom's heirs
            return shifts + _distances(words, reference)[-1][-1][0]
        words, shifts = shifted, shifts + 1


def _distances(text: Sequence[int], reference: Sequence[int]) -> list[Row]:
    """The table of edit distances near the diagonal, each with the operation that led there."""
    n, m = len(text), len(reference)
    table: list[Row] = [[(j, _INSERT) for j in range(m + 1)]]
    ratio = m / n if n else 1.0
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(1, n + 1):
        centre = math.floor(i * ratio)
        row = [(_NEVER, _KEEP)] * (m + 1)
        for j in range(max(0, centre - beam), m + 1 if i == n else min(m + 1, centre + beam)):
            row[j] = _cell(table[-1], row, j, j > 0 and text[i - 1] == reference[j - 1])
        table.append(row)
    return table


def _cell(above: Row, row: Row, j: int, equal: bool) -> tuple[int, int]:
    """The cheapest way to a cell; of equal ones keeping or changing a word, then deleting."""
    if j == 0:
        return above[0][0] + 1, _DELETE
    best = (above[j - 1][0] + (not equal), _KEEP if equal else _CHANGE)
    for cost, name in ((above[j][0] + 1, _DELETE), (row[j - 1][0] + 1, _INSERT)):
        if cost < best[0]:
            best = (cost, name)
    return best if best[0] < _NEVER else (_NEVER, _KEEP)


def _alignment(table: list[Row]) -> tuple[list[int], list[bool], list[bool]]:
    """For each reference word the last text word up to it; which words of the reference and of the text are wrong."""
    i, j = len(table) - 1, len(table[0]) - 1
    aligned, wrong_reference, wrong_text = [0] * j, [False] * j, [False] * i
    while i > 0 or j > 0:
        how = table[i][j][1]
        if how != _INSERT:
            i -= 1
            wrong_text[i] = how != _KEEP
        if how != _DELETE:
            j -= 1
            wrong_reference[j] = how != _KEEP
            aligned[j] = i if how != _INSERT else i - 1
    return aligned, wrong_reference, wrong_text


def _common(text: Sequence[int], reference: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(begin in the text, begin in the reference, length) of equal stretches."""
    for a in range(len(text)):
        for b in range(max(0, a - FARTHEST), min(len(reference), a + FARTHEST + 1)):
            for k in range(min(LONGEST, len(text) - a, len(reference) - b)):
                if text[a + k] != reference[b + k]:
                    break
                yield a, b, k + 1


def _best_shift(text: list[int], reference: Sequence[int], tried: int) -> tuple[int, list[int], int]:
    """(gain, text after the shift, shifts tried so far); gain first, then the longest, the earliest, and the earliest target."""
    table = _distances(text, reference)
    aligned, wrong_reference, wrong_text = _alignment(table)
    best, found = (0, 0, 0, 0), text
    for a, b, size in _common(text, reference):
        if not any(wrong_text[a : a + size]) or not any(wrong_reference[b : b + size]) or a <= aligned[b] < a + size:
            continue
        last = -1
        for target in (0 if at < 0 else aligned[at] + 1 for at in range(b - 1, b + size)):
            if target == last:
                continue
            last, tried = target, tried + 1
            shifted = _shifted(text, a, size, target)
            rank = (table[-1][-1][0] - _distances(shifted, reference)[-1][-1][0], size, -a, -target)
            if found is text or rank > best:
                best, found = rank, shifted
        if tried >= MOST:
            break
    return best[0], found, tried


def _shifted(text: list[int], a: int, size: int, target: int) -> list[int]:
    """The text with ``size`` words from ``a`` moved to ``target``."""
    moved, rest = text[a : a + size], text[:a] + text[a + size :]
    at = target if target < a else target - size if target > a + size else a + (target - a)
    return rest[:at] + moved + rest[at:]
