"""Png files written by hand, rightly or wrongly: every part can be exchanged."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

MARK = b"\x89PNG\r\n\x1a\n"
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def head(width: int, height: int, depth: int = 8, colour: int = 0, interlaced: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))


def rows(values: Any, depth: int) -> bytes:
    """Rows without filters of (height, width, samples)."""
    if depth == 16:
        return b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    bits = np.unpackbits(values.astype(np.uint8)[..., None], axis=-1)[..., 8 - depth :]
    return b"".join(b"\0" + np.packbits(row.reshape(-1)).tobytes() for row in bits)


def png(values: Any, depth: int = 8, colour: int = 0, interlaced: bool = False) -> bytes:
    """A right file of (height, width) or (height, width, samples)."""
    height, width = values.shape[:2]
    wide = values.reshape(height, width, SAMPLES[colour])
    steps = ADAM7 if interlaced else ((0, 0, 1, 1),)
    parts = [wide[y::dy, x::dx] for x, y, dx, dy in steps]
    raw = b"".join(rows(part, depth) for part in parts if part.size)
    palette = chunk(b"PLTE", bytes(range(48)) if depth < 8 else bytes(768)) if colour == 3 else b""
    return MARK + head(width, height, depth, colour, interlaced) + palette + pixels(raw) + END


def pixels(raw: bytes) -> bytes:
    return chunk(b"IDAT", zlib.compress(raw, 9))


END = chunk(b"IEND", b"")
