"""Segmentations parsed directly from the bytes of a COCO file: run-length strings and lists of polygons, many records at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact
from assay.kernels.json_values import blank, number, skipped, string_end

STRING, POLYGONS, OTHER = 0, 1, 2
_QUOTE, _BACKSLASH, _COMMA, _COLON = 34, 92, 44, 58
_OPEN, _CLOSE, _LIST, _UNLIST = 123, 125, 91, 93


@exact
def _runs(text: Any, at: int, row: Any) -> int:  # noqa: PLR0912 - one branch a kind of field
    """An object with size and counts: store height, width and the position of the string; returns OTHER if it is something else."""
    at = blank(text, at + 1)
    found = 0
    while text[at] == _QUOTE:
        end = string_end(text, at)
        if end < 0:
            return 2
        first = text[at + 1]
        at = blank(text, end)
        if text[at] != _COLON:
            return 2
        at = blank(text, at + 1)
        if first == 115 and text[at] == _LIST:  # size
            for i in range(2):
                value, at, whole = number(text, blank(text, at + 1))
                if at < 0 or not whole:
                    return 2
                row[i] = int(value)
                at = blank(text, at)
                if text[at] != (_COMMA if i == 0 else _UNLIST):
                    return 2
            at += 1
            found |= 1
        elif first == 99 and text[at] == _QUOTE:  # counts
            end = skipped(text, at)
            if end < 0:
                return 2
            for i in range(at + 1, end - 1):
                if text[i] == _BACKSLASH and text[i + 1] != _BACKSLASH and text[i - 1] != _BACKSLASH:
                    return 2  # an escape other than that of a backslash
            row[2], row[3] = at + 1, end - 1
            at = end
            found |= 2
        else:
            return 2
        at = blank(text, at)
        if text[at] == _COMMA:
            at = blank(text, at + 1)
    return 0 if found == 3 and text[at] == _CLOSE else 2


@exact
def _polygons(text: Any, at: int, row: Any, numbers: Any, used: int, ends: Any, made: int) -> tuple[int, int, int]:
    """A list of lists of numbers: append coordinates and the end of each polygon; returns (kind, numbers used, polygons used)."""
    at = blank(text, at + 1)
    start, first = used, made
    more = text[at] == _LIST
    while more:
        if text[at] != _LIST:
            return 2, start, first
        at = blank(text, at + 1)
        while True:
            if used == len(numbers):
                return 2, start, first
            value, at, _ = number(text, at)
            if at < 0:
                return 2, start, first
            numbers[used] = value
            used += 1
            at = blank(text, at)
            if text[at] != _COMMA:
                break
            at = blank(text, at + 1)
        if text[at] != _UNLIST or made == len(ends):
            return 2, start, first
        ends[made] = used
        made += 1
        at = blank(text, at + 1)
        more = text[at] == _COMMA
        if more:
            at = blank(text, at + 1)
    if text[at] != _UNLIST:
        return 2, start, first
    row[2], row[3] = first, made
    return 1, used, made


@exact("u1[::1], i8[:, ::1], i8, i8, i8[::1], i8[:, ::1], f8[::1], i8[::1]")
def _look(
    text: Any, places: Any, first: int, last: int, kinds: Any, rows: Any, numbers: Any, ends: Any
) -> tuple[int, int]:
    used = made = 0
    for i in range(first, last):
        at = places[i, 0]
        if text[at] == _OPEN:
            kinds[i] = _runs(text, at, rows[i])
        elif text[at] == _LIST:
            kinds[i], used, made = _polygons(text, at, rows[i], numbers, used, ends, made)
        else:
            kinds[i] = 2
    return used, made


def look(text: Any, places: Any) -> tuple[Any, Any, Any, Any]:
    """(kind, row, coordinates, ends of polygons) of every record.

    A row holds height, width and the position of the string; or, for polygons, which of them belong to the record.
    """
    n, places = len(places), kernels.ready(places)
    kinds, rows = np.empty(n, np.int64), np.zeros((n, 4), np.int64)

    def work(a: int, b: int) -> tuple[Any, Any]:
        room = int((places[a:b, 1] - places[a:b, 0]).sum()) // 2 + 1
        numbers, ends = np.empty(room), np.empty(room, np.int64)
        used, made = _look(text, places, a, b, kinds, rows, numbers, ends)
        return numbers[:used], ends[:made]

    edges: list[tuple[int, int]] = []

    def noted(a: int, b: int) -> tuple[int, Any, Any]:
        edges.append((a, b))
        return (a, *work(a, b))

    parts = sorted(kernels.over_chunks(n, noted, least=256), key=lambda part: part[0])
    used = made = 0
    shifted: list[Any] = []
    for start, numbers, ends in parts:
        stop = dict(edges)[start]
        mine = kinds[start:stop] == POLYGONS
        rows[start:stop][mine, 2:] += made
        shifted.append(ends + used)
        used, made = used + len(numbers), made + len(ends)
    return kinds, rows, np.concatenate([p[1] for p in parts]), np.concatenate(shifted)


@exact("u1[::1], i8[::1], i8[::1], u1[::1], i8[::1]")
def _copy(text: Any, first: Any, last: Any, flat: Any, offsets: Any) -> None:
    """Concatenate strings; an escaped backslash becomes one."""
    at = 0
    for i in range(len(first)):
        j = first[i]
        while j < last[i]:
            if text[j] == _BACKSLASH:
                j += 1
            flat[at] = text[j]
            at += 1
            j += 1
        offsets[i + 1] = at


def strings(text: Any, first: Any, last: Any) -> tuple[Any, Any]:
    """(bytes, offsets) of the strings at these positions."""
    first, last = kernels.ready(first), kernels.ready(last)

    def work(a: int, b: int) -> tuple[Any, Any]:
        flat, offsets = np.empty(int((last[a:b] - first[a:b]).sum()), np.uint8), np.zeros(b - a + 1, np.int64)
        _copy(text, first[a:b], last[a:b], flat, offsets)
        return flat[: offsets[-1]], offsets[1:]

    parts = kernels.over_chunks(len(first), work, least=256)
    starts = np.cumsum([0, *(len(flat) for flat, _ in parts)])
    ends = [np.zeros(1, np.int64), *(own + start for (_, own), start in zip(parts, starts, strict=False))]
    return np.concatenate([flat for flat, _ in parts]), np.concatenate(ends)
