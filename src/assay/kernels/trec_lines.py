"""Lines of TREC files in one pass over their bytes: where fields begin and end, numbers, and a join of documents by hash and comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.arrays import Floats, Host
from assay.kernels import over_chunks
from assay.kernels.jit import exact

_DIGITS = 15  # that a float holds exactly, so that one division by a power of ten rounds correctly


@exact
def _number(text: Any, start: int, stop: int) -> tuple[float, bool]:
    """A decimal number, and whether it is simple enough to be exact: others are left to Python."""
    at, sign = start, 1.0
    if text[at] == 45 or text[at] == 43:  # - or +
        sign = -1.0 if text[at] == 45 else 1.0
        at += 1
    whole, digits, scale, seen = 0, 0, 0, False
    while at < stop:
        c = text[at]
        if 48 <= c <= 57:
            whole = whole * 10 + (c - 48)
            digits += 1 if whole > 0 else 0
            scale += 1 if seen else 0
            if digits > _DIGITS or scale > 22:
                return 0.0, False
        elif c == 46 and not seen:  # .
            seen = True
        else:
            return 0.0, False
        at += 1
    if stop - start < 1 or (digits == 0 and whole == 0 and scale == 0 and stop - start < 1):
        return 0.0, False
    if not 48 <= text[stop - 1] <= 57:
        return 0.0, False
    power = 1.0
    for _ in range(scale):
        power *= 10.0
    return sign * whole / power, True


@exact("u1[::1], i8, i8, i8, i8[:, ::1], f8[::1], b1[::1]")
def _scan(text: Any, fields: int, value: int, least: int, spans: Any, numbers: Any, simple: Any) -> int:
    """Lines of ``fields`` fields: spans of query, document and number. The number of lines, or -1 - line where one has too few or more."""
    n, at, line, kept = len(text), 0, 0, 0
    while at < n:
        field, first = 0, at
        while at < n and text[at] != 10:
            while at < n and (text[at] == 32 or text[at] == 9 or text[at] == 13):
                at += 1
            if at >= n or text[at] == 10:
                break
            if field == 0 and text[at] == 35:  # a comment
                while at < n and text[at] != 10:
                    at += 1
                break
            first = at
            while at < n and text[at] != 32 and text[at] != 9 and text[at] != 13 and text[at] != 10:
                at += 1
            if field == 0:
                spans[kept, 0], spans[kept, 1] = first, at
            elif field == 2:
                spans[kept, 2], spans[kept, 3] = first, at
            elif field == value:
                spans[kept, 4], spans[kept, 5] = first, at
                numbers[kept], simple[kept] = _number(text, first, at)
            field += 1
        if field != 0:
            if field < least or field > fields:
                return -1 - line
            spans[kept, 6] = line
            kept += 1
        line += 1
        at += 1
    return kept


@exact
def _equal(text: Any, a: int, b: int, other: Any, c: int, d: int) -> bool:
    if b - a != d - c:
        return False
    same = True
    for i in range(b - a):
        same = same and text[a + i] == other[c + i]
    return same


@exact("u1[::1], i8[:, ::1], b1[::1]")
def _first_of_query(text: Any, spans: Any, first: Any) -> None:
    for i in range(len(spans)):
        first[i] = i == 0 or not _equal(text, spans[i, 0], spans[i, 1], text, spans[i - 1, 0], spans[i - 1, 1])


@exact
def _hash(text: Any, start: int, stop: int) -> Any:
    found = np.uint64(14695981039346656037)
    for i in range(start, stop):
        found = (found ^ np.uint64(text[i])) * np.uint64(1099511628211)
    return np.int64(found >> np.uint64(1))


@exact
def _slot(table: Any, text: Any, spans: Any, begin: int, other: Any, start: int, stop: int) -> int:
    """The place of a document in a table of positions: where it is, or the free place where it belongs."""
    mask = len(table) - 1
    at = _hash(other, start, stop) & mask
    while table[at] >= 0:
        known = begin + table[at]
        if _equal(text, spans[known, 2], spans[known, 3], other, start, stop):
            break
        at = (at + 1) & mask
    return at


@exact("u1[::1], i8[:, ::1], i8[::1], i8[::1], u1[::1], i8[:, ::1], i8[::1], i8[::1], i8[::1], i8, i8")
def _join(
    ranked: Any,
    spans: Any,
    first: Any,
    last: Any,
    judged: Any,
    asked: Any,
    begin: Any,
    end: Any,
    found: Any,
    start: int,
    stop: int,
) -> int:
    """For each judged document its position in the ranking of its query, or -1; -1 - line of the first document that is there twice."""
    for row in range(start, stop):
        size = 16
        while size < 2 * max(last[row] - first[row], end[row] - begin[row]):
            size *= 2
        table = np.full(size, -1, np.int64)
        for i in range(first[row], last[row]):
            at = _slot(table, ranked, spans, first[row], ranked, spans[i, 2], spans[i, 3])
            if table[at] >= 0:
                return -1 - i
            table[at] = i - first[row]
        for i in range(begin[row], end[row]):
            found[i] = table[_slot(table, ranked, spans, first[row], judged, asked[i, 2], asked[i, 3])]
        table[:] = -1
        for i in range(begin[row], end[row]):
            at = _slot(table, judged, asked, begin[row], judged, asked[i, 2], asked[i, 3])
            if table[at] >= 0:
                return -1 - len(spans) - i
            table[at] = i - begin[row]
    return 0


def scan(text: Host, fields: int, value: int, least: int) -> tuple[int, Host, Floats, Host]:
    """Number of lines with content (or -1 - line of a bad one), spans, numbers, and which of these are exact."""
    most = int(np.count_nonzero(text == 10)) + 1
    spans, numbers, simple = np.zeros((most, 7), np.int64), np.zeros(most), np.zeros(most, np.bool_)
    kept = int(_scan(text, fields, value, least, spans, numbers, simple))
    return kept, spans[: max(kept, 0)], numbers[: max(kept, 0)], simple[: max(kept, 0)]


def first_of_query(text: Host, spans: Host) -> Host:
    """Which lines have another query than the line before."""
    first = np.zeros(len(spans), np.bool_)
    _first_of_query(text, np.ascontiguousarray(spans), first)
    return first


def join(
    ranked: Host, spans: Host, edges: tuple[Host, Host], judged: Host, asked: Host, bounds: tuple[Host, Host]
) -> tuple[int, Host]:
    """0 or where a document is twice, and the position of each judged document in the ranking of its query."""
    found = np.full(len(asked), -1, np.int64)
    spans, asked = np.ascontiguousarray(spans), np.ascontiguousarray(asked)
    problems = over_chunks(
        len(edges[0]), lambda a, b: int(_join(ranked, spans, *edges, judged, asked, *bounds, found, a, b)), least=16
    )
    return min(problems, default=0), found
