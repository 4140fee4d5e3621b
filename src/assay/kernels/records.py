"""Records of COCO files straight from the bytes of their JSON into columns: no object is ever made for a record.

Only what COCO's own tools write is read here; at anything else the scanner stops, and the caller reads the file the slow way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.coco_keys import FLOAT, KEYS, PLACE, WHOLE
from assay.kernels.jit import bare
from assay.kernels.record_pattern import pattern_of

_BOX = len(WHOLE) + len(FLOAT)
_TABLE = np.array([[ord(c) for c in key.ljust(16, "\0")] for key in KEYS], dtype=np.uint8)
_LENGTHS = np.array([len(key) for key in KEYS])
_TEN = np.array([10.0**k for k in range(23)])
_LATER, LEAST = 100_000, 1 << 20  # numbers of a piece that may be read the slow way; bytes that repay a thread
_QUOTE, _BACKSLASH, _COMMA, _COLON, _OPEN, _CLOSE, _LIST, _UNLIST = 34, 92, 44, 58, 123, 125, 91, 93
_MINUS, _PLUS, _DOT, _ZERO, _NINE = 45, 43, 46, 48, 57


@bare
def blank(text: Any, at: int) -> int:
    """The next place that is not blank."""
    while text[at] == 32 or text[at] == 10 or text[at] == 13 or text[at] == 9:
        at += 1
    return at


@bare
def string_end(text: Any, at: int) -> int:
    """Behind the string that begins here; -1 if it holds an escape or does not end."""
    at += 1
    while text[at] != _QUOTE:
        if text[at] == _BACKSLASH or text[at] == 0:
            return -1
        at += 1
    return at + 1


@bare
def skipped(text: Any, at: int) -> int:
    """Behind the value that begins here, whatever it is; -1 if it does not end."""
    depth = 0
    while True:
        c = text[at]
        if c == 0:
            return -1
        if c == _QUOTE:
            at += 1
            while text[at] != _QUOTE:
                if text[at] == 0:
                    return -1
                at += 2 if text[at] == _BACKSLASH else 1
        elif c == _OPEN or c == _LIST:  # noqa: PLR1714, SIM109 - compiled as it stands
            depth += 1
        elif c == _CLOSE or c == _UNLIST:  # noqa: PLR1714, SIM109
            depth -= 1
            if depth < 0:
                return at
            if depth == 0:
                return at + 1
        elif c == _COMMA and depth == 0:
            return at
        at += 1
        if c == _QUOTE and depth == 0:
            return at


@bare
def _two_product(a: float, b: float) -> tuple[float, float]:
    """The product and what rounding took from it (Dekker 1971)."""
    p = a * b
    t = 134217729.0 * a
    ah = t - (t - a)
    al = a - ah
    t = 134217729.0 * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@bare
def _scaled(digits: int, power: int) -> tuple[float, bool]:
    """digits * 10**power rounded to the nearest float, and whether that is sure.

    Up to 2**53 and 10**22 both are exact floats and one operation rounds once. Beyond, the digits are two floats and the result
    is worked out to twice the precision; where that lies too near to the middle of two floats the answer is not sure.
    """
    if digits == 0:
        return 0.0, True
    if digits <= 9007199254740992 and -22 <= power <= 22:
        return (digits / _TEN[-power] if power < 0 else digits * _TEN[power]), True
    if power < -22 or power > 0 or digits >= 1 << 62:
        return 0.0, False
    high = float(digits)
    low = float(digits - int(high))
    ten = _TEN[-power]
    q = high / ten
    p, e = _two_product(q, ten)
    rest = ((high - p) - e + low) / ten
    value = q + rest
    left = (q - value) + rest
    step = abs(value) * 1.1102230246251565e-16  # half the distance to the next float, within a factor of two
    doubt = abs(abs(left) - step) < 1e-3 * step or abs(abs(left) - 0.5 * step) < 1e-3 * step
    return value, not doubt


@bare
def number(text: Any, at: int) -> tuple[float, int, bool]:
    """(value, place behind it, whether it is whole); place -1 if this is no number or one that is not sure."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    start, digits, power = at, np.int64(0), np.int64(0)
    c = np.int64(text[at]) - _ZERO
    while 0 <= c <= 9:
        digits = digits * 10 + c
        at += 1
        c = np.int64(text[at]) - _ZERO
    if at == start:
        return 0.0, -1, False
    whole = c != _DOT - _ZERO
    if not whole:
        at += 1
        point = at
        c = np.int64(text[at]) - _ZERO
        while 0 <= c <= 9:
            digits = digits * 10 + c
            at += 1
            c = np.int64(text[at]) - _ZERO
        power = point - at
    if at - start > 18 and not _short(text, start, at):
        return 0.0, -1, False
    if c == 101 - _ZERO or c == 69 - _ZERO:  # e, E
        whole = False
        extra, at = _exponent(text, at + 1)
        if at < 0:
            return 0.0, -1, False
        power += extra
    if power == 0 and digits <= 9007199254740992:
        value = float(digits)
        return (-value if negative else value), at, whole
    value, sure = _scaled(digits, power)  # pyright: ignore[reportArgumentType]
    return (-value if negative else value), (at if sure else -1), whole


@bare
def _short(text: Any, start: int, stop: int) -> bool:
    while start < stop and (text[start] == _ZERO or text[start] == _DOT):
        start += 1
    return stop - start <= 18


@bare
def _exponent(text: Any, at: int) -> tuple[int, int]:
    """The power behind an e, and the place behind it; -1 if there is none."""
    minus = text[at] == _MINUS
    if minus or text[at] == _PLUS:
        at += 1
    extra, begun = np.int64(0), at
    while _ZERO <= text[at] <= _NINE and extra < 1000:
        extra = extra * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    return (-extra if minus else extra), (at if at > begun else -1)  # pyright: ignore[reportReturnType]


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
    """A number into its cell; one that is not sure is noted, to be read by the slow and exact way."""
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
    """Four numbers into the row; the place behind them, or -1."""
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
    """One record in braces; the place behind it, or minus the place where the scanner gave up."""
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
        elif key < len(WHOLE):
            value, at, exactly = number(text, at)
            if at > 0 and not exactly:
                return -begun
            whole[row, key] = int(value)
        elif key < _BOX:
            at = _real(text, at, row, key - len(WHOLE), real, later)
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
    """A record that is written as the first one was, but for its numbers; the place behind it, or -1 if it is not."""
    letters, edges, slots = pattern
    whole, real, box, _, seen, later, box_later = columns
    for k in range(len(slots)):
        for i in range(edges[k], edges[k + 1]):
            if text[at] != letters[i]:
                return -1
            at += 1
        kind, column = slots[k, 0], slots[k, 1]
        if kind == 0:
            value, at, exactly = number(text, at)
            if at < 0 or not exactly:
                return -1
            whole[row, column] = int(value)
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


@bare
def _scan(text: Any, at: int, stop: int, columns: Any, room: int, pattern: Any) -> tuple[int, int]:
    """Records from here up to ``stop`` or the end of the list: (how many, place behind the last comma or bracket).

    The place is negative where the scanner gave up, and where there is no room for more.
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


@bare
def _count_braces(text: Any, start: int, stop: int) -> int:
    """An upper bound of the number of records: a record has a brace."""
    count = 0
    for i in range(start, stop):
        count += text[i] == _OPEN
    return count


@bare
def _boundary(text: Any, at: int, stop: int) -> int:
    """The next place where a record seems to begin: a brace behind a comma behind a brace."""
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
        np.zeros((rows, len(WHOLE)), np.int64), np.full((rows, len(FLOAT)), np.nan), np.full((rows, 4), np.nan),
        np.zeros((rows, len(PLACE), 2), np.int64), np.zeros(rows, np.uint32),
    )  # fmt: skip


def scan(text: Any, start: int, stop: int) -> tuple[tuple[Any, ...], int]:
    """Columns of the records of the list whose first record begins at ``start``; the place behind it, negative if it gave up.

    ``text`` ends with a zero byte. Pieces are scanned at once; where a piece does not end at the beginning of the next, a brace in
    a text was taken for a record, and all is scanned again in one piece.
    """
    pieces = max(1, min((stop - start) // LEAST, 2 * kernels.threads()))
    guesses = [start + (stop - start) * k // pieces for k in range(1, pieces)]
    edges = sorted({start, *(_boundary(text, guess, stop) for guess in guesses), stop})
    found, ends = _pieces(text, edges)
    if any(end != edge for end, edge in zip(ends[:-1], edges[1:-1], strict=True)):
        found, ends = _pieces(text, [start, stop])
    return found, ends[-1]


def _pieces(text: Any, edges: list[int]) -> tuple[tuple[Any, ...], list[int]]:
    """All pieces into one set of columns; each has as much room as it has braces, and what is left over is closed up."""
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
            try:
                target[row, column] = float(text[first:last].tobytes())
            except ValueError:
                return 0, -first
    return count, end
