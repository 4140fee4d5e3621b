"""Records of COCO files, parsed from the bytes of the JSON directly into columns, without a Python object per record.

Only what COCO's own tools write is parsed here; at anything else the scanner stops, and the caller uses Python's parser. "Position"
means an offset in the text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.coco_keys import FLOATS, INTEGERS, KEYS, SPANS
from assay.kernels.coco_record_pattern import NUMBER, pattern_of
from assay.kernels.jit import bare
from assay.kernels.json_values import blank, integer, number, skipped, string_end

_BOX = len(INTEGERS) + len(FLOATS)
_TABLE = np.array([[ord(c) for c in key.ljust(16, "\0")] for key in KEYS], dtype=np.uint8)
_LENGTHS = np.array([len(key) for key in KEYS])
_LATER, LEAST = 100_000, 1 << 20  # numbers per piece that may be left to Python's parser; bytes that are worth a thread
_QUOTE, _COMMA, _COLON, _OPEN, _CLOSE, _LIST, _UNLIST = 34, 44, 58, 123, 125, 91, 93
_MINUS, _ZERO, _NINE = 45, 48, 57


@bare
def _key(text: Any, start: int, stop: int) -> int:
    """Which known key this is, or -1."""
    length = stop - start
    for k in range(len(_LENGTHS)):
        if _LENGTHS[k] == length and text[start] == _TABLE[k, 0]:
            i = 0
            while i < length and text[start + i] == _TABLE[k, i]:
                i += 1
            if i == length:
                return k
    return -1


@bare
def _real(text: Any, at: int, row: int, column: int, target: Any, later: Any) -> int:
    """Store a number; if its rounding is uncertain, note it to be read by Python's exact parser."""
    value, end, _ = number(text, at)
    if end < 0:
        end = skipped(text, at)
        used = later[0, 0]
        c = text[at]
        if end < 0 or used + 1 >= len(later) or not (c == _MINUS or _ZERO <= c <= _NINE):
            return -1
        used += 1
        later[0, 0] = used
        later[used, 0], later[used, 1], later[used, 2], later[used, 3] = row, column, at, end
    target[row, column] = value
    return end


@bare
def _box(text: Any, at: int, row: int, box: Any, later: Any) -> int:
    """Store four numbers; returns the position after them, or -1."""
    if text[at] != _LIST:
        return -1
    at += 1
    for i in range(4):
        at = _real(text, blank(text, at), row, i, box, later)
        if at < 0:
            return -1
        at = blank(text, at)
        if text[at] != (_UNLIST if i == 3 else _COMMA):
            return -1
        at += 1
    return at


@bare
def _record(text: Any, at: int, row: int, columns: Any) -> int:  # noqa: PLR0912 - one branch a kind of field
    """Parse a record in braces; returns the position after it, or minus the position where the scanner gave up."""
    whole, real, box, place, seen, later, box_later = columns
    at = blank(text, at + 1)
    while text[at] != _CLOSE:
        if text[at] != _QUOTE:
            return -at
        end = string_end(text, at)
        if end < 0:
            return -at
        key = _key(text, at + 1, end - 1)
        at = blank(text, end)
        if text[at] != _COLON:
            return -at
        at = blank(text, at + 1)
        begun = at
        if key < 0:
            at = skipped(text, at)
        elif key < len(INTEGERS):
            whole[row, key], at = integer(text, at)
        elif key < _BOX:
            at = _real(text, at, row, key - len(INTEGERS), real, later)
        elif key == _BOX:
            at = _box(text, at, row, box, box_later)
        else:
            at = skipped(text, at)
            place[row, key - _BOX - 1, 0], place[row, key - _BOX - 1, 1] = begun, at
        if at < 0:
            return -begun
        if key >= 0:
            seen[row] |= np.uint32(1) << np.uint32(key)
        at = blank(text, at)
        if text[at] == _COMMA:
            at = blank(text, at + 1)
            if text[at] == _CLOSE:
                return -at
        elif text[at] != _CLOSE:
            return -at
    return at + 1


@bare
def _repeated(text: Any, at: int, row: int, pattern: Any, columns: Any) -> int:
    """Parse a record that is written like the first one, except for its numbers; returns the position after it, or -1 if it is not."""
    letters, edges, slots = pattern
    whole, real, box, _, seen, later, box_later = columns
    for k in range(len(slots)):
        for i in range(edges[k], edges[k + 1]):
            if text[at] != letters[i]:
                return -1
            at += 1
        kind, column = slots[k, 0], slots[k, 1]
        if kind == 0:
            whole[row, column], at = integer(text, at)
        elif kind == 1:
            at = _real(text, at, row, column, real, later)
        elif kind == 2:
            at = _real(text, at, row, column, box, box_later)
        else:
            _, at, _ = number(text, at)
        if at < 0:
            return -1
    for i in range(edges[len(slots)], edges[len(slots) + 1]):
        if text[at] != letters[i]:
            return -1
        at += 1
    seen[row] = seen[0]
    return at


@bare(
    "u1[::1], i8, i8, Tuple((i8[:, ::1], f8[:, ::1], f8[:, ::1], i8[:, :, ::1], u4[::1], i8[:, ::1], i8[:, ::1])), i8, "
    "Tuple((u1[::1], i8[::1], i8[:, ::1]))"
)
def _scan(text: Any, at: int, stop: int, columns: Any, room: int, pattern: Any) -> tuple[int, int]:
    """Records from here up to ``stop`` or the end of the list: (how many, position after the last comma or bracket).

    The position is negative if the scanner gave up or there is no room for more records.
    """
    count = 0
    at = blank(text, at)
    while text[at] == _OPEN:
        if count == room:
            return count, -at
        end = _repeated(text, at, count, pattern, columns) if count and len(pattern[2]) else -1
        at = end if end > 0 else _record(text, at, count, columns)
        if at < 0:
            return count, at
        count += 1
        at = blank(text, at)
        if text[at] == _UNLIST:
            return count, at + 1
        if text[at] != _COMMA:
            return count, -at
        at = blank(text, at + 1)
        if at >= stop:
            return count, at
        if text[at] != _OPEN:
            return count, -at
    return count, (at + 1 if text[at] == _UNLIST else -at)


@bare("u1[::1], i8, i8")
def _count_braces(text: Any, start: int, stop: int) -> int:
    """An upper bound for the number of records: each has an opening brace."""
    count = 0
    for i in range(start, stop):
        count += text[i] == _OPEN
    return count


@bare("u1[::1], i8, i8")
def _boundary(text: Any, at: int, stop: int) -> int:
    """The next position where a record seems to begin: an opening brace after a comma after a closing brace."""
    while at < stop:
        if text[at] == _CLOSE:
            i = blank(text, at + 1)
            if text[i] == _COMMA:
                i = blank(text, i + 1)
                if text[i] == _OPEN:
                    return i
        at += 1
    return stop


def _made(rows: int) -> tuple[Any, ...]:
    return (
        np.zeros((rows, len(INTEGERS)), np.int64), np.full((rows, len(FLOATS)), np.nan), np.full((rows, 4), np.nan),
        np.zeros((rows, len(SPANS), 2), np.int64), np.zeros(rows, np.uint32),
    )  # fmt: skip


def scan(text: Any, start: int, stop: int) -> tuple[tuple[Any, ...], int]:
    """Columns of the records of the list whose first record begins at ``start``; the position after the list, negative if it gave up.

    ``text`` ends with a zero byte. Pieces are scanned in parallel; if a piece does not end where the next begins, a brace inside a
    string was taken for a record, and everything is scanned again in one piece.
    """
    pieces = max(1, min((stop - start) // LEAST, 2 * kernels.threads()))
    guesses = [start + (stop - start) * k // pieces for k in range(1, pieces)]
    edges = sorted({start, *(_boundary(text, guess, stop) for guess in guesses), stop})
    found, ends = _pieces(text, edges)
    if any(end != edge for end, edge in zip(ends[:-1], edges[1:-1], strict=True)):
        found, ends = _pieces(text, [start, stop])
    return found, ends[-1]


def _pieces(text: Any, edges: list[int]) -> tuple[tuple[Any, ...], list[int]]:
    """Parse all pieces into one set of columns; each has room for as many records as it has braces, and unused rows are dropped."""
    count = len(edges) - 1
    rooms = kernels.over_chunks(count, lambda a, b: _count_braces(text, edges[a], edges[b]), least=1)
    offsets = np.concatenate([[0], np.cumsum(rooms)])
    columns = _made(int(offsets[-1]))

    def work(a: int, b: int) -> tuple[int, int]:
        own = tuple(column[offsets[a] : offsets[b]] for column in columns)
        return _piece(text, edges[a], edges[b], own)

    parts = kernels.over_chunks(count, work, least=1)
    if any(used < room for (used, _), room in zip(parts, rooms, strict=True)):
        begins: list[int] = offsets.tolist()
        kept: Any = np.concatenate([np.arange(begins[k], begins[k] + used) for k, (used, _) in enumerate(parts)])
        columns = tuple(column[kept] for column in columns)
    return columns, [end for _, end in parts]


def _piece(text: Any, start: int, stop: int, columns: tuple[Any, ...]) -> tuple[int, int]:
    later, box_later = (np.zeros((1 + _LATER, 4), np.int64) for _ in range(2))
    count, end = _scan(text, start, stop, (*columns, later, box_later), len(columns[0]), pattern_of(text, start))
    for target, noted in ((columns[1], later), (columns[2], box_later)):
        for row, column, first, last in noted[1 : noted[0, 0] + 1].tolist():
            written = text[first:last].tobytes().strip()
            if not NUMBER.fullmatch(written):
                return 0, -first
            target[row, column] = float(written)
    return count, end
