"""The chunks of a png file: every checksum, their order, and what the header claims, before any memory is taken for pixels."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import InputError

MARK = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, GREY_ALPHA, COLOUR_ALPHA = 0, 2, 3, 4, 6
MOST_PIXELS = 1 << 28  # 16384 x 16384
MOST_BYTES = 1 << 29
DEFLATE = 1032  # a compressed byte holds at most this many
_SAMPLES = {GREY: 1, COLOUR: 3, PALETTE: 1, GREY_ALPHA: 2, COLOUR_ALPHA: 4}
_DEPTHS = {GREY: (1, 2, 4, 8, 16), COLOUR: (8, 16), PALETTE: (1, 2, 4, 8), GREY_ALPHA: (8, 16), COLOUR_ALPHA: (8, 16)}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")


class Pass(NamedTuple):
    """Pixels that are stored together: from (x, y) on, every dx-th of every dy-th row."""

    x: int
    y: int
    dx: int
    dy: int
    width: int
    height: int


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
        return _SAMPLES[self.colour]

    @cached_property
    def passes(self) -> tuple[Pass, ...]:
        """One pass over all pixels, or those of Adam7 that have any."""
        steps = _ADAM7 if self.interlaced else ((0, 0, 1, 1),)
        found = [Pass(x, y, dx, dy, -(-(self.width - x) // dx), -(-(self.height - y) // dy)) for x, y, dx, dy in steps]
        return tuple(one for one in found if one.width > 0 and one.height > 0)

    def row_bytes(self, width: int) -> int:
        """Bytes of a row of so many pixels, without its filter."""
        return (width * self.samples * self.depth + 7) // 8

    @cached_property
    def size(self) -> int:
        """Bytes of all rows with their filters: what the compressed data must hold exactly."""
        return sum(one.height * (self.row_bytes(one.width) + 1) for one in self.passes)


def read_bytes(path: str | Path) -> bytes:
    """The whole file."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(str(path), "", "no such file") from error
    except IsADirectoryError as error:
        raise InputError(str(path), "", "is a folder, not a png file") from error
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read: {error.strerror}") from error


def read_head(path: str | Path, data: bytes) -> Head:
    """The header in the first 33 bytes, refused if it is damaged or claims more pixels than are read."""
    if data[:8] != MARK:
        raise InputError(str(path), "", "is not a png file: it does not start with the png signature")
    if len(data) < 33 or data[8:16] != b"\0\0\0\rIHDR":
        raise InputError(str(path), "", "is truncated or damaged: the png has no header")
    if zlib.crc32(data[12:29]) != int.from_bytes(data[29:33], "big"):
        raise InputError(str(path), "", "is damaged: the checksum of its header does not match")
    width, height, depth, colour, packing, filters, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    if depth not in _DEPTHS.get(colour, ()) or packing or filters or interlaced > 1 or not width * height:
        raise InputError(
            str(path),
            "",
            f"is damaged: the png says that it is {height} x {width}, colour type {colour} with {depth} bits, compression "
            f"{packing}, filters {filters}, interlacing {interlaced}",
        )
    head = Head(width, height, depth, colour, bool(interlaced))
    if width * height > MOST_PIXELS or head.size > MOST_BYTES:
        raise InputError(
            str(path),
            "",
            f"says that it is {height} x {width} pixels, {head.size} bytes; at most {MOST_PIXELS} pixels and {MOST_BYTES} bytes "
            "are read from one png",
            "Cut it into tiles.",
        )
    return head


def pixel_stream(path: str | Path, head: Head, data: bytes) -> bytes:
    """The compressed pixels, once every chunk has passed: sums, order, nothing missing and nothing surplus."""
    parts: list[bytes] = []
    kinds: list[bytes] = []
    at = 8
    while not kinds or kinds[-1] != b"IEND":
        kind, body = _chunk(path, data, at)
        _place(path, head, kind, body, kinds)
        if kind == b"IDAT":
            parts.append(body)
        kinds.append(kind)
        at += 12 + len(body)
    if at != len(data):
        raise InputError(str(path), "", f"is damaged: {len(data) - at} bytes follow the end of the png")
    if not parts or (head.colour == PALETTE and b"PLTE" not in kinds):
        raise InputError(str(path), "", f"is damaged: the png has no {'palette' if parts else 'pixels'}")
    stream = b"".join(parts)
    if head.size > DEFLATE * len(stream):
        raise InputError(
            str(path),
            "",
            f"is damaged: it says that it is {head.height} x {head.width} pixels, {head.size} bytes, which {len(stream)} "
            "compressed bytes cannot hold",
        )
    return stream


def _chunk(path: str | Path, data: bytes, at: int) -> tuple[bytes, bytes]:
    size, kind = struct.unpack_from(">I4s", data, at) if at + 12 <= len(data) else (len(data), b"")
    end = at + 8 + size
    if end + 4 > len(data):
        raise InputError(
            str(path), "", f"is truncated: the png ends after {len(data)} bytes, in the middle of its chunks"
        )
    body = data[at + 8 : end]
    if zlib.crc32(body, zlib.crc32(kind)) != int.from_bytes(data[end : end + 4], "big"):
        raise InputError(str(path), "", f"is damaged: the checksum of its chunk {_shown(kind)} does not match")
    return kind, body


def _place(path: str | Path, head: Head, kind: bytes, body: bytes, before: list[bytes]) -> None:
    """Refuse a chunk that is unknown but needed, comes where it must not, or has a size that it cannot have."""
    if not kind.isalpha() or (kind[:1].isupper() and kind not in _CRITICAL):
        raise InputError(
            str(path), "", f"has an unknown critical chunk {_shown(kind)}, without which it cannot be read"
        )
    after_pixels = b"IDAT" in before
    wrong = (
        (kind == b"IHDR" and bool(before))
        or (kind == b"PLTE" and (after_pixels or kind in before or head.colour in (GREY, GREY_ALPHA)))
        or (kind == b"IDAT" and after_pixels and before[-1] != b"IDAT")
    )
    if wrong:
        raise InputError(str(path), "", f"is damaged: its chunk {_shown(kind)} is out of place")
    if (kind == b"PLTE" and (len(body) % 3 or not 3 <= len(body) <= 768)) or (kind == b"IEND" and body):
        raise InputError(str(path), "", f"is damaged: its chunk {_shown(kind)} has {len(body)} bytes")
    if kind == b"acTL" and int.from_bytes(body[:4], "big") > 1:
        raise InputError(
            str(path), "", f"holds {int.from_bytes(body[:4], 'big')} pictures", "Write each to a file of its own."
        )


def _shown(kind: bytes) -> str:
    return kind.decode("ascii") if kind.isalpha() else repr(kind)[1:]


def unpacked(path: str | Path, head: Head, stream: bytes) -> bytes:
    """The pixels without compression, no byte more than is due; refused unless they are exactly the rows."""
    from zlib_ng import zlib_ng  # needed for pictures alone

    library: Any = zlib_ng  # its stub takes the type of its error for an instance
    unpacking = library.decompressobj()
    try:
        found = unpacking.decompress(stream, head.size + 1)
    except library.error as error:
        raise InputError(str(path), "", f"is damaged: its pixels cannot be unpacked ({error})") from error
    if len(found) > head.size:
        raise InputError(str(path), "", f"is damaged: it holds more than the expected {head.size} bytes of pixels")
    if len(found) < head.size:
        raise InputError(str(path), "", f"is truncated: {len(found)} bytes of pixels, expected {head.size}")
    if not unpacking.eof:
        raise InputError(str(path), "", "is truncated: its compressed pixels do not end")
    if unpacking.unused_data:
        raise InputError(str(path), "", f"is damaged: {len(unpacking.unused_data)} bytes follow its compressed pixels")
    return found
