"""Png files: exactly what Pillow and zlib read, and a clear word where there is nothing to read."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assay import InputError
from assay.io.png import read_ids, read_labels, size_of
from assay.kernels import png_filters
from messages import refusal


def filtered(rows: Any, step: int, kinds: Any) -> bytes:
    """Rows with the filter of each, by the definition."""
    out, above = bytearray(), np.zeros(rows.shape[1], dtype=np.int64)
    for row, kind in zip(rows.astype(np.int64), kinds, strict=True):
        left = np.concatenate([np.zeros(step, dtype=np.int64), row[:-step]])
        corner = np.concatenate([np.zeros(step, dtype=np.int64), above[:-step]])
        p = left + above - corner
        near = np.stack([abs(p - left), abs(p - above), abs(p - corner)])
        paeth = np.choose(near.argmin(axis=0), [left, above, corner])
        guess = [0 * row, left, above, (left + above) // 2, paeth][kind]
        out += bytes([kind]) + ((row - guess) % 256).astype(np.uint8).tobytes()
        above = row
    return bytes(out)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(1, 70), st.booleans())
def test_all_filters(data: Any, height: int, width: int, smooth: bool) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 32)))
    kinds = [data.draw(st.integers(0, 4)) for _ in range(height)]
    coarse = np.repeat(rng.integers(0, 256, (1, -(-width // 9), 3)), 9, axis=1)[:, :width]
    rgb = np.where(smooth, np.repeat(coarse, height, axis=0), rng.integers(0, 256, (height, width, 3))).astype(np.uint8)
    rows = rgb.reshape(height, 3 * width)
    raw = np.frombuffer(filtered(rows, 3, kinds), dtype=np.uint8)
    np.testing.assert_array_equal(png_filters.bytes_of(raw, height, 3 * width, 3), rows)
    padded = np.zeros(8 * (len(raw) // 8 + 5), dtype=np.uint8)
    padded[: len(raw)] = raw
    np.testing.assert_array_equal(
        png_filters.pixels(padded, height, width), rgb.astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)
    )


def saved(path: Path, array: Any, mode: str | None = None, **options: Any) -> Path:
    image = Image.fromarray(array)
    if mode == "P":
        image.putpalette(list(range(256)) * 3)
    image.save(path, **options)
    return path


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_palettes_and_small_depths(tmp_path: Path, bits: int) -> None:
    labels = np.random.default_rng(bits).integers(0, 1 << bits, (13, 21), dtype=np.uint8)
    got = read_labels(saved(tmp_path / "a.png", labels, "P", bits=bits))
    np.testing.assert_array_equal(got, labels)
    assert size_of(tmp_path / "a.png") == (13, 21)


def test_sixteen_bits(tmp_path: Path) -> None:
    labels = np.random.default_rng(0).integers(0, 65536, (9, 14), dtype=np.uint16)
    got = read_labels(saved(tmp_path / "a.png", labels))
    assert got.dtype == np.uint16
    np.testing.assert_array_equal(got, labels)


def test_colours_are_segment_numbers(tmp_path: Path) -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (30, 41, 3), dtype=np.uint8)
    wanted = rgb.astype(np.uint32) @ np.array([1, 256, 65536], dtype=np.uint32)
    np.testing.assert_array_equal(read_ids(saved(tmp_path / "a.png", rgb)), wanted)
    alpha = np.concatenate([rgb, np.full((30, 41, 1), 255, dtype=np.uint8)], axis=2)
    np.testing.assert_array_equal(read_ids(saved(tmp_path / "b.png", alpha)), wanted)
    with refusal(InputError):
        read_labels(tmp_path / "a.png")


def whole_file() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 9, (40, 40), dtype=np.uint8)).save(buffer, "png")
    return buffer.getvalue()


@pytest.mark.parametrize("size", [0, 7, 20, 60, 200, -20])
def test_cut_files_are_refused_by_name(tmp_path: Path, size: int) -> None:
    (tmp_path / "cut.png").write_bytes(whole_file()[:size])
    with refusal(InputError):
        read_labels(tmp_path / "cut.png")


def test_every_single_damaged_byte_of_the_pixels_is_noticed(tmp_path: Path) -> None:
    data = whole_file()
    start = data.index(b"IDAT") + 4
    for at in range(start, start + 60, 7):
        hurt = bytearray(data)
        hurt[at] ^= 0x41
        (tmp_path / "hurt.png").write_bytes(hurt)
        with refusal(InputError):
            read_labels(tmp_path / "hurt.png")


def test_too_few_pixels(tmp_path: Path) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 10, 10, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 50)) + chunk(b"IEND", b"")
    (tmp_path / "short.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    with refusal(InputError):
        read_labels(tmp_path / "short.png")
    with refusal(InputError):
        read_labels(tmp_path / "none.png")
