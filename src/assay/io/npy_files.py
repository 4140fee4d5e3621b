"""Npy files and npz archives of numbers: the header is compared with the bytes that are there before memory is taken.

Pickled objects are refused by their header and never loaded.
"""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError
from assay.io.png_chunks import DEFLATE

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_npy(path: Path) -> Any:
    """The array of a file, mapped into memory and read where it is looked at."""
    try:
        with path.open("rb") as file:
            _header(str(path), file, path.stat().st_size)
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # a damaged header fails in the tokenizer, the parser or the map of memory
        raise InputError(str(path), "", f"cannot be read as an array: {_said(error)}") from error


def read_npz(path: Path) -> dict[str, Any]:
    """The arrays of an archive by name, in the order of their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(path, archive)
            return {name: _member(f"{path}[{name!r}]", archive, members[name]) for name in members}
    except InputError:
        raise
    except Exception as error:  # zipfile, zlib and the parser of headers each have their own
        raise InputError(str(path), "", f"cannot be read as an archive of arrays: {_said(error)}") from error


def npz_names(path: Path) -> tuple[str, ...]:
    """The names of an archive's arrays, in order."""
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(_members(path, archive))
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path), "", f"cannot be read as an archive of arrays: {_said(error)}") from error


def _members(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name == info.filename:
            raise InputError(str(path), "", f"holds {info.filename!r}, which is not an array (.npy)")
        if name in members:
            raise InputError(str(path), "", f"holds two arrays called {name!r}")
        members[name] = info
    if not members:
        raise InputError(str(path), "", "holds no array")
    return dict(sorted(members.items()))


def _member(who: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    most = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: DEFLATE}.get(info.compress_type)
    if most is None:
        raise InputError(
            who, "", "is compressed in a way that NumPy does not write", "Write it with np.savez_compressed."
        )
    if info.file_size > most * info.compress_size:
        raise InputError(
            who,
            "",
            f"is damaged: it claims {info.file_size} bytes, which {info.compress_size} bytes of the archive cannot hold",
        )
    with archive.open(info) as file:
        shape, fortran, dtype = _header(who, file, info.file_size)
        data = file.read()
    return np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _header(who: str, file: Any, size: int) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type, refused unless the rest of the ``size`` bytes is exactly such an array of numbers."""
    if not size:
        raise InputError(who, "", "is empty, not an array")
    read = _HEADERS.get(np.lib.format.read_magic(file))
    if read is None:
        raise InputError(who, "", "is an array of a format version that plain numbers do not need")
    shape, fortran, dtype = read(file)
    if dtype.hasobject:
        raise InputError(
            who, "", "holds Python objects, which are not loaded because that could run code", "Save plain numbers."
        )
    due, there = math.prod(shape) * dtype.itemsize, size - file.tell()
    if due != there:
        what = "is truncated" if there < due else "is damaged"
        raise InputError(who, "", f"{what}: {there} bytes of numbers, expected {due} ({dtype} of shape {shape})")
    return shape, fortran, dtype


def _said(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].rstrip(".") or type(error).__name__
