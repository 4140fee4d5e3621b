"""Pictures from files, read one at a time when they are needed. Requires Pillow: ``pip install "assay-ml[images]"``."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import DTypeLike

from assay.core.errors import InputError
from assay.core.extras import optional
from assay.io import png_chunks

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".ppm", ".pgm", ".gif")
_MODES = ("1", "L", "LA", "RGB", "RGBA", "I", "F", "I;16", "I;16B", "I;16L", "I;16N")
Palette = Literal["colour", "index"]


def read_picture(path: str | Path, *, palette: Palette = "colour") -> Any:
    """The picture as an array: (height, width) or (height, width, channels), in the type that the file holds.

    A picture with a palette gives its colours, or with ``palette="index"`` the numbers that stand for them, as label maps need.
    """
    image_module = _pillow()
    source, depth = _checked(path)
    try:
        with image_module.open(source) as image:
            _refuse(path, image, depth)
            if image.mode == "P":
                image = image if palette == "index" else image.convert(image.palette.mode)  # noqa: PLW2901
            return np.asarray(image)
    except InputError:
        raise
    except image_module.UnidentifiedImageError as error:
        raise InputError(str(path), "", "is not a readable picture, or is damaged at its start") from error
    except image_module.DecompressionBombError as error:
        raise InputError(str(path), "", f"claims to be larger than pictures may be: {error}") from error
    except Exception as error:  # Pillow has no one error for what is damaged
        raise InputError(str(path), "", f"cannot be read, it seems damaged: {error}") from error


def _checked(path: str | Path) -> tuple[Any, int]:
    """What Pillow is to open, and the bits of a sample of a png: Pillow asks neither for all its sums nor for surplus rows."""
    try:
        with Path(path).open("rb") as file:
            first = file.read(len(png_chunks.MARK))
    except FileNotFoundError as error:
        raise InputError(str(path), "", "no such picture") from error
    except IsADirectoryError as error:
        raise InputError(str(path), "", "is a folder, not a picture") from error
    except OSError as error:
        raise InputError(str(path), "", f"cannot be read: {error.strerror}") from error
    if first != png_chunks.MARK:
        return path, 8
    data = png_chunks.read_bytes(path)
    head = png_chunks.read_head(path, data)
    png_chunks.unpacked(path, head, png_chunks.pixel_stream(path, head, data))
    return io.BytesIO(data), head.depth


def _refuse(path: str | Path, image: Any, depth: int) -> None:
    """What Pillow would change without a word: colours of 16 bits, several pictures in one file, colours for print."""
    if int(getattr(image, "n_frames", 1)) > 1:
        raise InputError(str(path), "", f"holds {image.n_frames} pictures", "Write each to a file of its own.")
    if depth == 16 and image.mode not in ("I", "I;16", "I;16B", "I;16L", "I;16N"):
        raise InputError(
            str(path),
            "",
            "is a png of 16-bit colours, which Pillow reads as 8-bit colours",
            "Read it with another tool and pass the array.",
        )
    if image.mode != "P" and image.mode not in _MODES:
        raise InputError(str(path), "", f"has colours of mode {image.mode}", "Convert it to grey, RGB or RGBA first.")


def _pillow() -> Any:
    return optional("PIL.Image", "", "", "pictures are read with Pillow")


class Picture:
    """A picture that is read when it is looked at (``np.asarray(picture)``), and not kept."""

    __slots__ = ("palette", "path")

    def __init__(self, path: str | Path, *, palette: Palette = "colour") -> None:
        self.path, self.palette = Path(path), palette

    @property
    def stem(self) -> str:
        """The name of the file without its ending: pictures of two folders belong together by it."""
        return self.path.stem

    def read(self) -> Any:
        """The array."""
        return read_picture(self.path, palette=cast(Palette, self.palette))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.read() if dtype is None else self.read().astype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and (self.path, self.palette) == (other.path, other.palette)

    def __hash__(self) -> int:
        return hash((self.path, self.palette))

    def __repr__(self) -> str:
        return f"Picture({str(self.path)!r})"


def picture_folder(path: str | Path, *, palette: Palette = "colour") -> Any:
    """The pictures of a folder by name, as a 1-D column of `Picture`; other files and folders inside are passed over."""
    folder = Path(path)
    if not folder.is_dir():
        raise InputError(str(path), "", "is not a folder of pictures")
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(str(path), "", f"contains no picture ({', '.join(SUFFIXES)})")
    twice = next((a.stem for a, b in pairwise(files) if a.stem == b.stem), None)
    if twice is not None:
        raise InputError(str(path), "", f"contains two pictures named {twice}, with different suffixes", "Remove one.")
    column = np.empty(len(files), dtype=object)
    for i, file in enumerate(files):
        column[i] = Picture(file, palette=palette)
    return column


def paired_folders(first: str | Path, second: str | Path, *, palette: Palette = "colour") -> tuple[Any, Any]:
    """The pictures of two folders that must hold the same names, in the same order."""
    a, b = (picture_folder(path, palette=palette) for path in (first, second))
    names, others = ({picture.stem for picture in pictures} for pictures in (a, b))
    if names != others:
        only, lack = sorted(names - others), sorted(others - names)
        said = "; ".join(
            f"only {folder} has {', '.join(found[:3])}{f' and {len(found) - 3} more' if len(found) > 3 else ''}"
            for folder, found in ((first, only), (second, lack))
            if found
        )
        raise InputError("", "", f"the folders do not contain the same pictures: {said}")
    return a, b
