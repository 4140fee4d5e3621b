"""Png files of labels, exactly and quickly: grey values and palette numbers as they are stored, colours as segment numbers."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from assay import kernels
from assay.core.errors import InputError
from assay.io.png_chunks import COLOUR, Head, Pass, pixel_stream, read_bytes, read_head, unpacked

_KEPT = 1 << 26
_SCRATCH = threading.local()  # one buffer per thread: fresh memory for every image costs more than the decoding


def read_labels(path: str | Path) -> Any:
    """A map of labels (height, width): grey values or palette numbers, uint8 or uint16. Colours are refused."""
    head, data = _opened(path)
    if head.samples > 1:
        shape = (head.height, head.width, head.samples)
        raise InputError(
            str(path),
            "",
            f"is a colour picture, {shape}; a label map has one number per pixel",
            "Turn colours into class numbers first, or read it as a panoptic map.",
        )
    return _decoded(path, head, data)


def read_ids(path: str | Path) -> Any:
    """A map of segment numbers, r + 256 g + 65536 b of each pixel, as uint32; grey files give their values."""
    head, data = _opened(path)
    if head.colour == COLOUR and head.depth == 8 and not head.interlaced:
        return _right(path, kernels.png_filters.pixels(_raw(path, head, data), head.height, head.width))
    if head.colour == 0:
        return _decoded(path, head, data).astype(np.uint32)
    if head.samples < 3 or head.depth != 8:
        raise InputError(
            str(path),
            "",
            f"must be an RGB picture of segment numbers, got colour type {head.colour} with {head.depth} bits",
        )
    wide = _decoded(path, head, data).astype(np.uint32)
    return wide[..., 0] | (wide[..., 1] << 8) | (wide[..., 2] << 16)


def size_of(path: str | Path) -> tuple[int, int]:
    """Height and width, from the first bytes."""
    with Path(path).open("rb") as file:
        head = read_head(path, file.read(33))
    return head.height, head.width


# ---- parts


def _opened(path: str | Path) -> tuple[Head, bytes]:
    data = read_bytes(path)
    return read_head(path, data), data


def _raw(path: str | Path, head: Head, data: bytes) -> Any:
    """The filtered rows, in the buffer of this thread: whole words, and one more after the end."""
    stream = pixel_stream(path, head, data)
    rows = _buffer(8 * (head.size // 8 + 5))
    rows[: head.size] = np.frombuffer(unpacked(path, head, stream), dtype=np.uint8)
    return rows


def _buffer(size: int) -> Any:
    if size > _KEPT:
        return np.zeros(size, dtype=np.uint8)
    buffer = getattr(_SCRATCH, "buffer", None)
    if buffer is None or len(buffer) < size:
        buffer = _SCRATCH.buffer = np.zeros(size, dtype=np.uint8)
    return buffer[:size]


def _decoded(path: str | Path, head: Head, data: bytes) -> Any:
    """The samples of each pixel, (height, width) or (height, width, samples)."""
    raw = _raw(path, head, data)
    if not head.interlaced:
        return _samples(path, head, head.passes[0], raw)
    shape = (head.height, head.width) if head.samples == 1 else (head.height, head.width, head.samples)
    out = np.empty(shape, dtype=np.uint16 if head.depth == 16 else np.uint8)
    at = 0
    for one in head.passes:
        end = at + one.height * (head.row_bytes(one.width) + 1)
        out[one.y :: one.dy, one.x :: one.dx] = _samples(path, head, one, raw[at:end])
        at = end
    return out


def _samples(path: str | Path, head: Head, one: Pass, raw: Any) -> Any:
    step = max(1, head.samples * head.depth // 8)
    rows = _right(path, kernels.png_filters.bytes_of(raw, one.height, head.row_bytes(one.width), step))
    if head.depth == 16:
        rows = rows.view(">u2").astype(np.uint16)
    elif head.depth < 8:
        rows = _spread(rows, head.depth)[:, : one.width]
    return rows if head.samples == 1 else rows.reshape(one.height, one.width, head.samples)


def _spread(rows: Any, depth: int) -> Any:
    """Bytes that hold several numbers as one number each, the highest bits first."""
    each = 8 // depth
    out = np.empty((len(rows), each * rows.shape[1]), dtype=np.uint8)
    for k in range(each):
        np.right_shift(rows, 8 - depth * (k + 1), out=out[:, k::each])
    out &= (1 << depth) - 1
    return out


def _right(path: str | Path, found: Any) -> Any:
    if found is None:
        raise InputError(str(path), "", "is damaged: a row of the png names an unknown filter")
    return found
