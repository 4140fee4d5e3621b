"""Png files of every kind as Pillow reads them; damaged ones are refused, and claims cost no memory."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from png_builder import END, MARK, chunk, head, pixels, png

from assay import InputError
from assay.io.pictures import read_picture
from assay.io.png import read_ids, read_labels
from messages import refusal

KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (6, 8)]
MAP = np.arange(64 * 24, dtype=np.uint8).reshape(24, 64) % 7
RAW = b"".join(b"\0" + row.tobytes() for row in MAP)
HEAD = head(64, 24)


def values(colour: int, depth: int, height: int = 11, width: int = 13) -> Any:
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    shape = (height, width) if samples == 1 else (height, width, samples)
    return np.random.default_rng(depth).integers(0, 1 << depth, shape, dtype=np.uint16)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("colour", "depth"), KINDS)
def test_every_kind_is_what_pillow_reads(tmp_path: Path, colour: int, depth: int, interlaced: bool) -> None:
    wanted = values(colour, depth)
    path = tmp_path / "a.png"
    path.write_bytes(png(wanted, depth, colour, interlaced))
    if colour in (0, 3):
        np.testing.assert_array_equal(read_labels(path), wanted)
        theirs = np.asarray(Image.open(path)).astype(np.int64)
        scale = (
            255 // ((1 << depth) - 1) if colour == 0 and 1 < depth < 8 else 1
        )  # Pillow spreads small greys over 0..255
        np.testing.assert_array_equal(theirs, wanted * scale)
    else:
        with refusal(InputError):
            read_labels(path)
    if colour in (2, 6) and depth == 8:
        theirs = np.asarray(Image.open(path)).astype(np.uint32)
        np.testing.assert_array_equal(read_ids(path), theirs[..., :3] @ np.array([1, 256, 65536], np.uint32))


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (5, 1), (2, 3), (8, 8), (9, 17)])
def test_interlaced_maps_of_all_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    wanted = values(0, 8, *size)
    (tmp_path / "a.png").write_bytes(png(wanted, interlaced=True))
    np.testing.assert_array_equal(read_labels(tmp_path / "a.png"), wanted)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), wanted)


def with_byte(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


def adler(raw: bytes) -> bytes:
    stream = zlib.compress(raw)
    return chunk(b"IDAT", with_byte(stream, len(stream) - 1, stream[-1] ^ 1))


BODY = pixels(RAW)
DAMAGED = {
    "header sum": with_byte(MARK + HEAD, 8 + 8 + 7, 16) + BODY + END,
    "adler": MARK + HEAD + adler(RAW) + END,
    "surplus rows": MARK + head(64, 16) + BODY + END,
    "missing rows": MARK + head(64, 25) + BODY + END,
    "after pixels": MARK + HEAD + chunk(b"IDAT", zlib.compress(RAW) + b"x") + END,
    "unfinished": MARK + HEAD + chunk(b"IDAT", zlib.compress(RAW)[:-2]) + END,
    "no end": MARK + HEAD + BODY,
    "end not empty": MARK + HEAD + BODY + chunk(b"IEND", b"x"),
    "trailing": MARK + HEAD + BODY + END + b"more",
    "no pixels": MARK + HEAD + END,
    "ancillary sum": MARK + HEAD + with_byte(chunk(b"tEXt", b"a\0b"), 9, 65) + BODY + END,
    "end sum": MARK + HEAD + BODY + with_byte(END, 10, 7),
    "header twice": MARK + HEAD + HEAD + BODY + END,
    "divided": MARK + HEAD + BODY + chunk(b"tEXt", b"a\0b") + BODY + END,
    "late palette": MARK + head(64, 24, 8, 3) + BODY + chunk(b"PLTE", bytes(9)) + END,
    "palette of grey": MARK + HEAD + chunk(b"PLTE", bytes(9)) + BODY + END,
    "no palette": MARK + head(64, 24, 8, 3) + BODY + END,
    "palette size": MARK + head(64, 24, 8, 3) + chunk(b"PLTE", bytes(10)) + BODY + END,
    "unknown critical": MARK + HEAD + chunk(b"XxXx", b"") + BODY + END,
    "depth": MARK + head(64, 24, 5) + BODY + END,
    "interlacing": MARK + head(64, 24, 8, 0, 2) + BODY + END,
    "no width": MARK + head(0, 24) + BODY + END,
    "filter": MARK + HEAD + pixels(with_byte(RAW, 65, 9)) + END,
    "frames": MARK + HEAD + chunk(b"acTL", struct.pack(">II", 3, 0)) + BODY + END,
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_refused(tmp_path: Path, name: str) -> None:
    data = DAMAGED[name]
    path = tmp_path / "hurt.png"
    path.write_bytes(data)
    with refusal(InputError):
        read_labels(path)
    if name != "filter":
        with refusal(InputError):
            read_picture(path)


def test_ancillary_chunks_and_many_pieces_are_read(tmp_path: Path) -> None:
    stream = zlib.compress(RAW)
    data = (
        MARK
        + HEAD
        + chunk(b"tEXt", b"a\0b")
        + b"".join(chunk(b"IDAT", stream[i : i + 9]) for i in range(0, len(stream), 9))
    )
    (tmp_path / "a.png").write_bytes(data + chunk(b"tIME", bytes(7)) + END)
    np.testing.assert_array_equal(read_labels(tmp_path / "a.png"), MAP)


def test_no_flipped_bit_changes_a_map(tmp_path: Path) -> None:
    whole = png(MAP)
    for bit in range(8 * len(whole)):
        (tmp_path / "hurt.png").write_bytes(with_byte(whole, bit // 8, whole[bit // 8] ^ (1 << bit % 8)))
        with pytest.raises(InputError):
            read_labels(tmp_path / "hurt.png")


def zeros(size: int) -> bytes:
    """So many zeros, compressed."""
    packing = zlib.compressobj(1)
    parts = [packing.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join([*parts, packing.flush()])


def bombs(folder: Path) -> dict[str, Path]:
    large, small = chunk(b"IDAT", zeros(1 << 29)), chunk(b"IDAT", zeros(1 << 27))
    files = {
        "claims 1x1": MARK + head(1, 1) + large + END,
        "claims 1x1, interlaced": MARK + head(1, 1, interlaced=1) + large + END,
        "a billion bits": MARK + head(32768, 32768, 1) + small + END,
        "a billion bits, interlaced": MARK + head(32768, 32768, 1, interlaced=1) + small + END,
        "colours": MARK + head(16384, 16384, 16, 6) + small + END,
        "more than its data": MARK + head(16384, 16384) + chunk(b"IDAT", zeros(1 << 20)) + END,
        "sides": MARK + head(2**31 - 1, 2**31 - 1) + small + END,
    }
    for at, data in enumerate(files.values()):
        (folder / f"{at}.png").write_bytes(data)
    return {name: folder / f"{at}.png" for at, name in enumerate(files)}


CHILD = """
import pathlib, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (1 << 31, 1 << 31))
from assay import InputError
from assay.io.pictures import read_picture
from assay.io.png import read_ids, read_labels
for read in (read_labels, read_ids, read_picture):
    for path in sys.argv[1:]:
        try:
            read(path)
        except InputError as error:
            print("refused", error)
# Not ru_maxrss, which begins with the size of the process that started this one.
status = pathlib.Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="has no limits of this kind")
def test_bombs_take_no_memory(tmp_path: Path) -> None:
    files = bombs(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, files.values())], capture_output=True, text=True, check=True
    )
    *lines, peak = run.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["refused"] * 3 * len(files), run.stdout
    assert int(peak) < 500_000  # kilobytes, of which numba and polars take half


def test_one_bit_maps_are_spread_without_copies(tmp_path: Path) -> None:
    wanted = values(0, 1, 300, 301)
    (tmp_path / "a.png").write_bytes(png(wanted, 1))
    got = read_labels(tmp_path / "a.png")
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, wanted)
