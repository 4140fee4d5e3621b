"""Values of JSON text, byte by byte: numbers exactly as Python reads them, and the position after a value of any kind.

The text ends with a zero byte. Position -1 means unusual or invalid text, which is left to Python's parser.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels.jit import bare

_TEN = np.array([10.0**k for k in range(23)])
_QUOTE, _BACKSLASH, _COMMA, _OPEN, _CLOSE, _LIST, _UNLIST = 34, 92, 44, 123, 125, 91, 93
_MINUS, _PLUS, _DOT, _ZERO, _NINE = 45, 43, 46, 48, 57


@bare
def blank(text: Any, at: int) -> int:
    """The next position that is not white space."""
    while text[at] == 32 or text[at] == 10 or text[at] == 13 or text[at] == 9:
        at += 1
    return at


@bare
def string_end(text: Any, at: int) -> int:
    """The position after the string that begins here; -1 if it contains an escape or does not end."""
    at += 1
    while text[at] != _QUOTE:
        if text[at] == _BACKSLASH or text[at] == 0:
            return -1
        at += 1
    return at + 1


@bare("u1[::1], i8")
def skipped(text: Any, at: int) -> int:  # noqa: PLR0912 - one branch a kind of sign
    """The position after the value of any kind that begins here; -1 if it does not end or brackets do not match."""
    depth, kinds, begun = 0, np.uint64(0), at
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
            if depth == 0:
                return at + 1 if text[begun] == _QUOTE else -1
        elif c == _OPEN or c == _LIST:  # noqa: PLR1714, SIM109 - compiled as it stands
            kinds = (kinds << np.uint64(1)) | np.uint64(c == _LIST)
            depth += 1
            if depth > 64:
                return -1
        elif c == _CLOSE or c == _UNLIST:  # noqa: PLR1714, SIM109
            depth -= 1
            if depth < 0:
                return at if _literal(text, begun, at) else -1
            if (kinds & np.uint64(1)) != np.uint64(c == _UNLIST):
                return -1
            kinds >>= np.uint64(1)
            if depth == 0:
                return at + 1
        elif c == _COMMA and depth == 0:
            return at if _literal(text, begun, at) else -1
        at += 1


@bare
def _literal(text: Any, start: int, stop: int) -> bool:
    """Whether these bytes look like a number, or have the first letter and the length of true, false or null."""
    while stop > start and text[stop - 1] <= 32:
        stop -= 1
    c = text[start]
    if c == _MINUS or _ZERO <= c <= _NINE:
        for i in range(start, stop):
            d = text[i]
            if not (_ZERO <= d <= _NINE or d == _MINUS or d == _PLUS or d == _DOT or d == 101 or d == 69):  # noqa: PLR1714, SIM109
                return False
        return True
    size = stop - start
    return (size == 4 and (c == 116 or c == 110)) or (size == 5 and c == 102)  # noqa: PLR1714


@bare
def _two_product(a: float, b: float) -> tuple[float, float]:
    """The product and its rounding error (Dekker 1971)."""
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
    """digits * 10**power rounded to the nearest float, and whether the rounding is certain.

    Up to 2**53 and 10**22 both are exact floats, and one operation rounds once. Beyond, the digits are two floats and the result
    is computed in twice the precision; if it is too close to the middle between two floats, the rounding is uncertain.
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
    """(value, position after it, whether it is an integer); position -1 if this is not a number, or its rounding is uncertain."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    start, digits, power = at, np.int64(0), np.int64(0)
    c = np.int64(text[at]) - _ZERO
    while 0 <= c <= 9:
        digits = digits * 10 + c
        at += 1
        c = np.int64(text[at]) - _ZERO
    if at == start or (text[start] == _ZERO and at > start + 1):
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
        if power == 0:
            return 0.0, -1, False
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
def integer(text: Any, at: int) -> tuple[int, int]:
    """(value, position after it) of an integer of at most 18 digits; position -1 if it is written in another way."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    start, digits = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE and at - start < 19:
        digits = digits * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    c = text[at]
    plain = 0 < at - start < 19 and not (c == _DOT or c == 101 or c == 69)  # noqa: PLR1714
    if not plain or (text[start] == _ZERO and at > start + 1):
        return 0, -1
    return (-digits if negative else digits), at  # pyright: ignore[reportReturnType]


@bare
def _short(text: Any, start: int, stop: int) -> bool:
    while start < stop and (text[start] == _ZERO or text[start] == _DOT):
        start += 1
    return stop - start <= 18


@bare
def _exponent(text: Any, at: int) -> tuple[int, int]:
    """The exponent after an e, and the position after it; -1 if there is none."""
    minus = text[at] == _MINUS
    if minus or text[at] == _PLUS:
        at += 1
    extra, begun = np.int64(0), at
    while _ZERO <= text[at] <= _NINE and extra < 1000:
        extra = extra * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    return (-extra if minus else extra), (at if at > begun else -1)  # pyright: ignore[reportReturnType]
