"""Label maps from folders of png files, from npz archives and npy arrays, and from NIfTI volumes, read one at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError
from assay.core.extras import optional
from assay.data.cells import object_column
from assay.io.npy_files import npz_names, read_npy, read_npz
from assay.io.png import read_labels
from assay.io.png_chunks import DEFLATE

SUFFIXES = (".png", ".npy", ".nii", ".nii.gz")


@dataclass(frozen=True)
class LabelFile:
    """A map in a file; it is read when a metric walks over it."""

    path: Path

    @property
    def name(self) -> str:
        """The path, as it stands in messages."""
        return str(self.path)

    def read(self) -> Any:
        """The map: uint8 or uint16 from png, whatever integers an array file holds."""
        if self.path.suffix == ".png":
            return read_labels(self.path)
        if self.path.suffix == ".npy":
            return _checked(self.name, read_npy(self.path))
        return _checked(self.name, read_volume(self.path)[0])


def read_label_maps(source: str | Path) -> Any:
    """Maps as a column for metrics: a folder, a file of one array (npy) or several (npz), one png or NIfTI file.

    The files of a folder come in the order of their names, as cells that are read when they are needed; `label_names` tells
    which they are. An npz archive gives its arrays in the order of their names, or the only one, all images in one array.
    """
    path = Path(source)
    if path.is_dir():
        return object_column([LabelFile(file) for file in _files(path)])
    if not path.exists():
        raise InputError(str(source), "", "no such file or folder")
    if path.suffix == ".npy":
        return _checked(str(path), read_npy(path))
    if path.suffix == ".npz":
        return _archive(path)
    if path.name.endswith(SUFFIXES):
        return object_column([LabelFile(path)])
    raise InputError(str(source), "", "is not a label map", "Give png, npy, npz or nii files, or folders of them.")


def label_names(source: str | Path) -> tuple[str, ...]:
    """The names, without suffix, by which truth and prediction find each other."""
    path = Path(source)
    if path.is_dir():
        return tuple(_stem(file) for file in _files(path))
    if path.suffix == ".npz":
        return npz_names(path)
    return (_stem(path),)


def read_label_pairs(truth: str | Path, prediction: str | Path) -> tuple[Any, Any, tuple[str, ...]]:
    """Maps of both folders, paired by name, and the names; refuses a name that only one of them has."""
    true, predicted = read_label_maps(truth), read_label_maps(prediction)
    names, others = label_names(truth), label_names(prediction)
    if len(names) == 1 and len(others) == 1:
        return true, predicted, names
    for missing, where in ((set(names) - set(others), prediction), (set(others) - set(names), truth)):
        if missing:
            shown = ", ".join(sorted(missing)[:5]) + (" and more" if len(missing) > 5 else "")
            raise InputError(str(where), "", f"lacks {len(missing)} of the maps that the other side has: {shown}")
    place = {name: at for at, name in enumerate(others)}
    return true, predicted[[place[name] for name in names]], names


def read_volume(path: str | Path) -> tuple[Any, tuple[float, ...]]:
    """The labels of a NIfTI file and the size of its voxels, for ``spacing=``. Needs nibabel."""
    nibabel = optional("nibabel", "", "", "NIfTI files are read with nibabel")
    try:
        image: Any = nibabel.load(path)
        _refuse_claim(Path(path), image)
        values = np.asarray(image.dataobj)
    except FileNotFoundError as error:
        raise InputError(str(path), "", "no such file") from error
    except InputError:
        raise
    except Exception as error:  # nibabel has no one error for what is damaged
        raise InputError(str(path), "", f"cannot be read as NIfTI: {error}") from error
    if values.dtype.kind == "f":
        whole = values.astype(np.int64)
        if not np.array_equal(whole, values):
            raise InputError(str(path), "", "must hold integers: a label map has the class of each voxel")
        values = whole
    spacing = tuple(float(size) for size in image.header.get_zooms()[: values.ndim])
    if not all(math.isfinite(size) and size > 0 for size in spacing):
        raise InputError(str(path), "", f"gives its voxels the size {spacing}")
    return values, spacing


# ---- parts


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return name[: name.rfind(".")] if "." in name else name


def _refuse_claim(path: Path, image: Any) -> None:
    """A header that claims more voxels than the file can hold is refused before memory is taken for them."""
    claimed = math.prod(int(n) for n in image.shape) * int(image.get_data_dtype().itemsize)
    held = path.stat().st_size * (DEFLATE if path.suffix == ".gz" else 1)
    if claimed > held:
        raise InputError(
            str(path),
            "",
            f"is damaged or truncated: it claims {image.shape} voxels, {claimed} bytes, which it cannot hold",
        )


def _files(folder: Path) -> list[Path]:
    found = sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIXES) and file.is_file())
    if not found:
        raise InputError(str(folder), "", f"contains no label maps ({', '.join(SUFFIXES)})")
    names: dict[str, Path] = {}
    for file in found:
        if _stem(file) in names:
            raise InputError(
                str(folder), "", f"contains two maps called {_stem(file)}: {names[_stem(file)].name} and {file.name}"
            )
        names[_stem(file)] = file
    return found


def _archive(path: Path) -> Any:
    arrays = [_checked(f"{path}[{name!r}]", array) for name, array in read_npz(path).items()]
    return arrays[0] if len(arrays) == 1 else object_column(arrays)


def _checked(name: str, array: Any) -> Any:
    if array.dtype.kind not in "biu":
        raise InputError(name, "", f"must hold integers, the class of each pixel, got {array.dtype}")
    if not array.size:
        raise InputError(name, "", f"holds no pixels: its shape is {array.shape}")
    return array
