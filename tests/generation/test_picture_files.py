"""Pictures from files: types, palettes, damage; folders that are read picture by picture."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError
from assay.io import pictures as reader
from assay.io.pictures import Picture, paired_folders, picture_folder, read_picture
from messages import refusal

Image = pytest.importorskip("PIL.Image")


def save(path: Path, array: Any, **options: Any) -> Path:
    Image.fromarray(array).save(path, **options)
    return path


def png16(path: Path, colour: int, channels: int) -> Path:
    """A png of 16 bits a channel, written by hand: Pillow cannot."""
    height, width = 3, 4
    rows = np.arange(height * width * channels, dtype=">u2").reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return path


def test_types_of_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    grey, colour = rng.integers(0, 256, (5, 6), dtype=np.uint8), rng.integers(0, 256, (5, 6, 3), dtype=np.uint8)
    np.testing.assert_array_equal(read_picture(save(tmp_path / "grey.png", grey)), grey)
    np.testing.assert_array_equal(read_picture(save(tmp_path / "colour.png", colour)), colour)
    deep = rng.integers(0, 65536, (5, 6), dtype=np.uint16)
    got = read_picture(save(tmp_path / "deep.png", deep))
    assert got.dtype == np.uint16
    np.testing.assert_array_equal(got, deep)


def test_palettes_give_colours_or_numbers(tmp_path: Path) -> None:
    codes = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image = Image.fromarray(codes).convert("P")
    image.putpalette([value for i in range(256) for value in (i, 255 - i, 7)])
    image.save(tmp_path / "labels.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "labels.png", palette="index"), codes)
    np.testing.assert_array_equal(read_picture(tmp_path / "labels.png")[..., 1], 255 - codes)


def test_16_bit_colours_are_refused_and_grey_is_not(tmp_path: Path) -> None:
    with refusal(InputError):
        read_picture(png16(tmp_path / "rgb.png", 2, 3))
    assert read_picture(png16(tmp_path / "grey.png", 0, 1)).tolist()[0] == [0, 1, 2, 3]


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with refusal(InputError):
        read_picture(tmp_path / "none.png")
    with refusal(InputError):
        read_picture(tmp_path)
    (tmp_path / "text.png").write_text("hello")
    with refusal(InputError):
        read_picture(tmp_path / "text.png")
    whole = save(tmp_path / "whole.png", np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    (tmp_path / "cut.png").write_bytes(whole.read_bytes()[:4000])
    with refusal(InputError):
        read_picture(tmp_path / "cut.png")
    Image.new("CMYK", (4, 4)).save(tmp_path / "print.tif")
    with refusal(InputError):
        read_picture(tmp_path / "print.tif")
    frames = [Image.new("L", (4, 4), color=i) for i in (0, 200)]
    frames[0].save(tmp_path / "film.gif", save_all=True, append_images=frames[1:])
    with refusal(InputError):
        read_picture(tmp_path / "film.gif")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    for name in ("true", "predicted"):
        (tmp_path / name).mkdir()
    for i in range(5):
        x = rng.integers(0, 256, (20 + i, 30, 3)).astype(float)
        save(tmp_path / "true" / f"p{i}.png", x.astype(np.uint8))
        save(tmp_path / "predicted" / f"p{i}.png", np.clip(x + rng.normal(0, 9, x.shape), 0, 255).astype(np.uint8))
    (tmp_path / "true" / "readme.txt").write_text("not a picture")
    return tmp_path / "true", tmp_path / "predicted"


def test_folders_stream_and_equal_arrays(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    true, predicted = (picture_folder(folder) for folder in folders)
    assert [picture.stem for picture in true] == [f"p{i}" for i in range(5)]
    assert true.dtype == object
    arrays = [[np.asarray(picture) for picture in column] for column in (true, predicted)]
    seen: list[str] = []
    read = reader.read_picture
    monkeypatch.setattr(reader, "read_picture", lambda path, **options: seen.append(path) or read(path, **options))
    for metric in (assay.metrics.SSIM(channels="last"), assay.metrics.PSNR(channels="last")):
        got = metric.score(true, predicted)
        each = [metric(a[None], b[None]) for a, b in zip(*arrays, strict=True)]
        assert float(got) == pytest.approx(np.mean(each), rel=1e-12)
        assert metric(*arrays) == pytest.approx(float(got), rel=1e-12)
        halves = metric.state(true[:2], predicted[:2]) + metric.state(true[2:], predicted[2:])
        assert halves.value() == pytest.approx(float(got), rel=1e-12)
        interval = metric.interval(true, predicted)
        assert interval.low < float(got) < interval.high
    assert {Path(path).name for path in seen} == {f"p{i}.png" for i in range(5)}


def test_folders_that_do_not_belong_together(folders: tuple[Path, Path], tmp_path: Path) -> None:
    true, predicted = folders
    a, b = paired_folders(true, predicted)
    assert len(a) == len(b) == 5
    with refusal(InputError):
        assay.ssim(a, b[::-1], channels="last")
    (predicted / "p4.png").rename(predicted / "q4.png")
    with refusal(InputError):
        paired_folders(true, predicted)
    (tmp_path / "empty").mkdir()
    with refusal(InputError):
        picture_folder(tmp_path / "empty")
    with refusal(InputError):
        picture_folder(tmp_path / "nowhere")
    save(true / "p0.jpg", np.zeros((4, 4), dtype=np.uint8))
    with refusal(InputError):
        picture_folder(true)


def test_a_lazy_picture_is_what_it_reads(folders: tuple[Path, Path]) -> None:
    picture = Picture(folders[0] / "p0.png")
    assert picture == Picture(folders[0] / "p0.png")
    assert "p0.png" in repr(picture)
    assert np.asarray(picture, dtype=float).dtype == float


def test_errors_name_row_and_file(folders: tuple[Path, Path]) -> None:
    true, predicted = (picture_folder(folder) for folder in folders)
    save(folders[1] / "p3.png", np.zeros((9, 9, 3), dtype=np.uint8))
    with refusal(InputError):
        assay.psnr(true, predicted, channels="last")
    with refusal(InputError):
        assay.psnr(true, predicted)
