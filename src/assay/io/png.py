"""Png files of labels, exactly and quickly: grey of 8 and 16 bits, palettes as their numbers, colours as segment numbers.

What this does not read (interlaced files, other colours) goes to Pillow by way of `assay.io.pictures`.
"""

from __future__ import annotations

import struct
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay import kernels
from assay.core.errors import InputError

MARK = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE = 0, 2, 3
MOST_PIXELS = 1 << 30
_SCRATCH = threading.local()  # one buffer a thread: fresh memory for every image costs more than the decoding


@dataclass(frozen=True)
class Head:
    """What the first chunk says."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    @property
    def samples(self) -> int:
        """Numbers a pixel."""
        return {GREY: 1, COLOUR: 3, PALETTE: 1, 4: 2, 6: 4}.get(self.colour, 0)

    @property
    def row_bytes(self) -> int:
        """Bytes of a row without its filter."""
        return (self.width * self.samples * self.depth + 7) // 8

    @property
    def known(self) -> bool:
        """Whether it is read here."""
        if self.interlaced or self.colour not in (GREY, COLOUR, PALETTE):
            return False
        return self.depth == 8 if self.colour == COLOUR else self.depth in (1, 2, 4, 8, 16)


def read_labels(path: str | Path) -> Any:
    """A map of labels (height, width): grey values or palette numbers, uint8 or uint16. Colours are refused."""
    head, data = _opened(path)
    if head.known and head.colour != COLOUR:
        return _samples(path, head, data)
    found = _by_pillow(path)
    if found.ndim != 2:
        raise InputError(
            f"{path} is a picture of colours, {found.shape}; a label map has one number a pixel. Turn colours into class numbers "
            "first, or read it as a panoptic map."
        )
    return found


def read_ids(path: str | Path) -> Any:
    """A map of segment numbers, r + 256 g + 65536 b of each pixel, as uint32; grey files give their values."""
    head, data = _opened(path)
    if head.known and head.colour == COLOUR:
        found = kernels.png_rows.pixels(_raw(path, head, data), head.height, head.width)
        return _right(path, found)
    if head.known and head.colour == GREY:
        return _samples(path, head, data).astype(np.uint32)
    found = _by_pillow(path)
    if found.ndim != 3 or found.shape[-1] not in (3, 4) or found.dtype != np.uint8:
        raise InputError(f"{path} must be an RGB picture of segment numbers, got {found.dtype} of shape {found.shape}.")
    wide = found.astype(np.uint32)
    return wide[..., 0] | (wide[..., 1] << 8) | (wide[..., 2] << 16)


def size_of(path: str | Path) -> tuple[int, int]:
    """Height and width, from the first bytes."""
    with Path(path).open("rb") as file:
        head = _head(path, file.read(33))
    return head.height, head.width


# ---- parts


def _opened(path: str | Path) -> tuple[Head, bytes]:
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    return _head(path, data), data


def _head(path: str | Path, data: bytes) -> Head:
    if data[:8] != MARK:
        raise InputError(f"{path} is not a png file: it does not start with its mark.")
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise InputError(f"{path} is cut off or damaged: the png has no head.")
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    head = Head(width, height, depth, colour, bool(interlaced))
    if not 0 < width * height <= MOST_PIXELS or not head.samples:
        raise InputError(f"{path} is damaged: the png says that it is {height} x {width}, colour type {colour}.")
    return head


def _stream(path: str | Path, data: bytes) -> bytes:
    """The compressed data of all chunks, each checked by its sum."""
    parts: list[bytes] = []
    at = 8
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if at + 12 + size > len(data):
            break
        if kind == b"IDAT":
            if zlib.crc32(body, zlib.crc32(kind)) != struct.unpack_from(">I", data, at + 8 + size)[0]:
                raise InputError(f"{path} is damaged: the checksum of its pixels does not match.")
            parts.append(body)
        if kind == b"IEND":
            return b"".join(parts)
        at += 12 + size
    raise InputError(f"{path} is cut off: the png ends after {len(data)} bytes, in the middle of its chunks.")


def _raw(path: str | Path, head: Head, data: bytes) -> Any:
    """The filtered rows, in the buffer of this thread: whole words, and one more after the end."""
    stream = np.frombuffer(_stream(path, data), dtype=np.uint8)
    size = head.height * (head.row_bytes + 1)
    words = size // 8 + 5
    buffer = getattr(_SCRATCH, "buffer", None)
    if buffer is None or len(buffer) < 8 * words:
        buffer = _SCRATCH.buffer = np.zeros(8 * words, dtype=np.uint8)
    rows = buffer[: 8 * words]
    if kernels.png.inflate(stream, rows[:size]):
        return rows
    try:
        found = zlib.decompress(stream.tobytes())
    except zlib.error as error:
        raise InputError(f"{path} is damaged: its pixels cannot be unpacked ({error}).") from error
    if len(found) < size:
        raise InputError(f"{path} is cut off: {len(found)} bytes of pixels where {size} are due.")
    rows[:size] = np.frombuffer(found, dtype=np.uint8)[:size]
    return rows


def _samples(path: str | Path, head: Head, data: bytes) -> Any:
    """One number a pixel."""
    rows = kernels.png_rows.bytes_of(_raw(path, head, data), head.height, head.row_bytes, max(1, head.depth // 8))
    rows = _right(path, rows)
    if head.depth == 16:
        return rows.view(">u2").astype(np.uint16)
    if head.depth == 8:
        return rows
    bits = np.unpackbits(rows, axis=1).reshape(head.height, -1, head.depth)
    return (bits @ (1 << np.arange(head.depth - 1, -1, -1, dtype=np.uint8)))[:, : head.width].astype(np.uint8)


def _right(path: str | Path, found: Any) -> Any:
    if found is None:
        raise InputError(f"{path} is damaged: a row of the png names a filter that there is not.")
    return found


def _by_pillow(path: str | Path) -> Any:
    from assay.io.pictures import read_picture

    return read_picture(path, palette="index")
