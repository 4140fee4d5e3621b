"""Decompression of PNG data (inflate), for label maps, which hold long runs of equal bytes.

Damaged data give a negative result, never an access out of bounds; the caller then asks zlib what is wrong.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import exact

_FAST = 10  # codes of up to this many bits are found by one look-up
_U = np.uint64
_BASE = np.array(
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258]
)
_EXTRA = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0])
_FAR = np.array([1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
                 6145, 8193, 12289, 16385, 24577])  # fmt: skip
_FAR_EXTRA = np.array(
    [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13]
)
_ORDER = np.array([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15])


@exact
def _table(lengths: Any, n: int, count: Any, symbol: Any, fast: Any) -> int:
    """Canonical codes from their lengths; -1 if there are more of them than bits allow."""
    count[:], fast[:] = 0, 0
    for i in range(n):
        count[lengths[i]] += 1
    count[0] = 0
    left, first = 1, np.zeros(17, dtype=np.int64)
    start = np.zeros(17, dtype=np.int64)
    for bits in range(1, 16):
        left = 2 * left - count[bits]
        if left < 0:
            return -1
        first[bits + 1] = (first[bits] + count[bits]) << 1
        start[bits + 1] = start[bits] + count[bits]
    for i in range(n):
        bits = lengths[i]
        if bits == 0:
            continue
        symbol[start[bits]] = i
        start[bits] += 1
        code = first[bits]
        first[bits] += 1
        if bits <= _FAST:
            turned = 0
            for b in range(bits):
                turned |= ((code >> b) & 1) << (bits - 1 - b)
            for at in range(turned, 1 << _FAST, 1 << bits):
                fast[at] = (i << 4) | bits
    return 0


@exact
def _refill(data: Any, state: Any) -> None:
    """Fill the buffer to at least 48 bits, with zeros after the end; state is (buffer, bits in it, position in the data)."""
    held, bits, at = state[0], state[1], state[2]
    while bits <= _U(56):
        if at < _U(len(data)):
            held |= _U(data[at]) << bits
        at += _U(1)
        bits += _U(8)
    state[0], state[1], state[2] = held, bits, at


@exact
def _take(state: Any, n: Any) -> Any:
    """The next n bits."""
    value = state[0] & ((_U(1) << n) - _U(1))
    state[0] >>= n
    state[1] -= n
    return value


@exact
def _slow(held: Any, count: Any, symbol: Any) -> tuple[int, int]:
    """The symbol of a code too long for the table, and its bits; (-1, 0) where no code has these bits."""
    code, first, index = 0, 0, 0
    for bits in range(1, 16):
        code |= np.int64(held & _U(1))
        held >>= _U(1)
        if code - count[bits] < first:
            return symbol[index + code - first], bits
        index += count[bits]
        first = (first + count[bits]) << 1
        code <<= 1
    return -1, 0


@exact
def _symbol(state: Any, count: Any, symbol: Any, fast: Any) -> Any:
    """The next symbol, or -1 where no code has these bits."""
    entry = np.int64(fast[state[0] & _U((1 << _FAST) - 1)])
    found, used = (entry >> 4, entry & 15) if entry else _slow(state[0], count, symbol)
    state[0] >>= _U(used)
    state[1] -= _U(used)
    return found


@exact
def _repeat(out: Any, at: int, back: int, n: int) -> None:
    """Copy n bytes from ``back`` bytes ago; if they overlap, the pattern doubles as it grows.

    Unsigned positions: numba checks whether signed ones count from the end, which prevents vectorisation.
    """
    new, old = _U(at), _U(at - back)
    if back == 1:
        value = out[old]
        for k in range(n):
            out[new + _U(k)] = value
        return
    done, span = 0, back
    while done < n:
        part = min(span, n - done)
        for k in range(part):
            out[new + _U(done) + _U(k)] = out[old + _U(k)]
        done += part
        span = back + done


@exact
def _read_lengths(data: Any, state: Any, lengths: Any, count: Any, symbol: Any, fast: Any) -> tuple[Any, Any]:
    """The code lengths of a dynamic block; how many of each kind, or (-1, 0)."""
    _refill(data, state)
    many, far, own = (
        np.int64(_take(state, _U(5))) + 257,
        np.int64(_take(state, _U(5))) + 1,
        np.int64(_take(state, _U(4))) + 4,
    )
    if many > 286 or far > 30:
        return -1, 0
    lengths[:19] = 0
    for i in range(own):
        _refill(data, state)
        lengths[_ORDER[i]] = np.int64(_take(state, _U(3)))
    if _table(lengths, 19, count, symbol, fast) < 0:
        return -1, 0
    at = 0
    while at < many + far:
        _refill(data, state)
        code = _symbol(state, count, symbol, fast)
        if code < 0 or (code == 16 and at == 0):
            return -1, 0
        if code < 16:
            lengths[at] = code
            at += 1
            continue
        value = lengths[at - 1] if code == 16 else 0
        extra = np.int64(_take(state, _U(2 if code == 16 else (3 if code == 17 else 7))))
        times = extra + (11 if code == 18 else 3)
        if at + times > many + far:
            return -1, 0
        for _ in range(times):
            lengths[at] = value
            at += 1
    return many, far


@exact
def _codes(data: Any, state: Any, out: Any, o: int, lit: Any, dist: Any) -> Any:
    """Literals and repeats up to the end of the block; returns the position reached, or -1. The state is kept in registers."""
    held, bits, at = state[0], state[1], state[2]
    end, low = _U(len(data)), _U((1 << _FAST) - 1)
    while True:
        if bits < _U(48):
            while bits <= _U(56):
                if at < end:
                    held |= _U(data[at]) << bits
                at += _U(1)
                bits += _U(8)
        entry = np.int64(lit[2][held & low])
        code, used = (entry >> 4, entry & 15) if entry else _slow(held, lit[0], lit[1])
        held >>= _U(used)
        bits -= _U(used)
        if code < 256:
            if code < 0 or o >= len(out):
                return -1
            out[o] = code
            o += 1
            continue
        if code == 256:
            state[0], state[1], state[2] = held, bits, at
            return o
        if code > 285:
            return -1
        more = _U(_EXTRA[code - 257])
        n = _BASE[code - 257] + np.int64(held & ((_U(1) << more) - _U(1)))
        held >>= more
        bits -= more
        entry = np.int64(dist[2][held & low])
        far, used = (entry >> 4, entry & 15) if entry else _slow(held, dist[0], dist[1])
        if far < 0 or far > 29:
            return -1
        held >>= _U(used)
        more = _U(_FAR_EXTRA[far])
        back = _FAR[far] + np.int64(held & ((_U(1) << more) - _U(1)))
        held >>= more
        bits -= _U(used) + more
        if back > o or o + n > len(out) or at > end + _U(16):
            return -1
        _repeat(out, o, back, n)
        o += n


@exact
def _stored(data: Any, state: Any, out: Any, o: int) -> Any:
    """A block of uncompressed bytes."""
    at = np.int64(state[2]) - np.int64(state[1] >> _U(3))  # back to the next whole byte
    if at + 4 > len(data):
        return -1
    n = np.int64(data[at]) | (np.int64(data[at + 1]) << 8)
    if n != 65535 - (np.int64(data[at + 2]) | (np.int64(data[at + 3]) << 8)):
        return -1
    at += 4
    if at + n > len(data) or o + n > len(out):
        return -1
    for k in range(n):
        out[o + k] = data[at + k]
    state[0], state[1], state[2] = _U(0), _U(0), _U(at + n)
    return o + n


@exact("u1[::1], u1[::1]")
def _inflate(data: Any, out: Any) -> int:
    """The number of bytes written, or -1 if the data are invalid."""
    state = np.array([0, 0, 2], dtype=np.uint64)  # after the two bytes of the zlib header
    lengths = np.zeros(320, dtype=np.int64)
    lit = (np.zeros(16, dtype=np.int64), np.zeros(288, dtype=np.int64), np.zeros(1 << _FAST, dtype=np.int32))
    dist = (np.zeros(16, dtype=np.int64), np.zeros(32, dtype=np.int64), np.zeros(1 << _FAST, dtype=np.int32))
    o, last = 0, False
    while not last:
        _refill(data, state)
        last = _take(state, _U(1)) == _U(1)
        kind = _take(state, _U(2))
        if kind == _U(0):
            o = _stored(data, state, out, o)
        elif kind == _U(3):
            return -1
        else:
            many, far = 288, 30
            if kind == _U(1):
                lengths[:144], lengths[144:256], lengths[256:280], lengths[280:288], lengths[288:] = 8, 9, 7, 8, 5
            else:
                many, far = _read_lengths(data, state, lengths, lit[0], lit[1], lit[2])
            if many < 0 or _table(lengths[many:], far, dist[0], dist[1], dist[2]) < 0:
                return -1
            if _table(lengths, many, lit[0], lit[1], lit[2]) < 0:
                return -1
            o = _codes(data, state, out, o, lit, dist)
        if o < 0 or state[2] > _U(len(data) + 16):
            return -1
    used = (8 * np.int64(state[2]) - np.int64(state[1]) + 7) // 8
    return (
        o if used + 4 == len(data) else -1
    )  # the stream must end where the data do; the last four bytes are the checksum


def inflate(data: Any, out: Any) -> bool:
    """Fill ``out`` with what a zlib stream holds; False unless it holds exactly as many bytes and the checksum is right."""
    if (
        len(data) <= 6
        or (256 * int(data[0]) + int(data[1])) % 31
        or data[0] & 15 != 8
        or data[0] > 0x78
        or data[1] & 32
    ):
        return False  # not the header of a zlib stream, or one that needs a dictionary
    return _inflate(kernels.ready(data), out) == len(out) and zlib.adler32(out) == int.from_bytes(
        data[-4:].tobytes(), "big"
    )
