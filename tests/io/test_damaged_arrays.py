"""Npy, npz, TorchScript and xml files that are damaged or hold what is not loaded: one sentence that names the file."""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import InputError
from assay.io.label_maps import label_names, read_label_maps
from assay.io.voc import read_voc
from messages import refusal


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class Marks:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> Any:
        return open, (self.path, "w")


WHOLE = npy(np.arange(12).reshape(3, 4))
NPY = {
    "empty": b"",
    "no pixels": npy(np.zeros((0, 4), int)),
    "cut": WHOLE[:-8],
    "long": WHOLE + b"12345678",
    "header": WHOLE.replace(b"(3, 4)", b"(3, (("),
    "large": WHOLE.replace(b"(3, 4), }           ", b"(9999999999, 99), } "),
    "objects": npy(np.array([{}, 1], object)),
    "version": WHOLE.replace(b"NUMPY\x01", b"NUMPY\x07"),
    "floats": npy(np.zeros(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", NPY)
@pytest.mark.parametrize("kind", ["npy", "npz", "folder"])
def test_damaged_arrays(tmp_path: Path, name: str, kind: str) -> None:
    data = NPY[name]
    path = tmp_path / "hurt.npz" if kind == "npz" else tmp_path / "maps" / "hurt.npy"
    path.parent.mkdir(exist_ok=True)
    if kind == "npz":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("hurt.npy", data)
    else:
        path.write_bytes(data)
    source = path.parent if kind == "folder" else path
    with refusal(InputError):
        read_label_maps(source)[0].read()  # the maps of a folder are read when they are looked at


def test_archives_of_other_things(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for members in ([("a.txt", b"hello")], [("a.npy", WHOLE), ("a.npy", WHOLE)], []):
        with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(path, "w") as archive:
            for name, data in members:
                archive.writestr(name, data)
        with refusal(InputError):
            read_label_maps(path)
        with refusal(InputError):
            label_names(path)
    path.write_bytes(b"PK\x03\x04 nothing")
    with refusal(InputError):
        label_names(path)


def test_archives_are_what_numpy_reads(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        "b": rng.integers(0, 9, (3, 4)), "a": np.asfortranarray(rng.integers(0, 9, (5, 6), dtype=np.uint8)), "c": np.ones((2, 2), bool)
    }  # fmt: skip
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", **arrays)
        found = read_label_maps(tmp_path / "a.npz")
        assert label_names(tmp_path / "a.npz") == ("a", "b", "c")
        for name, array in zip("abc", found, strict=True):
            np.testing.assert_array_equal(array, np.load(tmp_path / "a.npz")[name])
            assert array.dtype == arrays[name].dtype


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_no_code_runs(tmp_path: Path, suffix: str) -> None:
    mark = tmp_path / "ran"
    array = np.array([Marks(mark)], object)
    if suffix == "npz":
        np.savez(tmp_path / "a.npz", a=array)
    else:
        np.save(tmp_path / "a.npy", array)
    with refusal(InputError):
        read_label_maps(tmp_path / f"a.{suffix}")
    assert not mark.exists()


def test_damaged_volumes_claim_no_memory(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    nibabel.save(nibabel.Nifti1Image(np.ones((3, 4, 5), np.uint8), np.eye(4)), tmp_path / "a.nii")
    data = bytearray((tmp_path / "a.nii").read_bytes())
    data[42:48] = b"\x00\x70" * 3  # the sides
    (tmp_path / "a.nii").write_bytes(data)
    with refusal(InputError):
        read_label_maps(tmp_path / "a.nii")[0].read()


LARGER = "".join(f'<!ENTITY {b} "{50 * f"&{a};"}">' for a, b in zip("abcde", "bcdef", strict=True))
OBJECT = "<annotation><object><name>{}</name></object></annotation>"
XML = {
    "encoding": '<?xml version="1.0" encoding="nonsense"?><annotation/>',
    "wide encoding": '<?xml version="1.0" encoding="utf-7"?><annotation/>',
    "entities": f'<!DOCTYPE a [<!ENTITY a "{50 * "a"}">{LARGER}]>' + OBJECT.format("&f;"),
    "outside": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + OBJECT.format("&x;"),
}


@pytest.mark.parametrize("name", XML)
def test_xml_that_is_not_read(tmp_path: Path, name: str) -> None:
    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
    (tmp_path / "truth" / "a.xml").write_text(XML[name])
    with refusal(InputError):
        read_voc(tmp_path / "truth", tmp_path / "found")


def test_damaged_weights(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    from assay.torch.extractors import inception

    with warnings.catch_warnings(action="ignore"):
        torch.jit.script(torch.nn.Linear(3, 2)).save(str(tmp_path / "whole.pt"))
    whole = (tmp_path / "whole.pt").read_bytes()
    rng = np.random.default_rng(0)
    messages: set[str] = set()
    for _ in range(60):
        hurt = np.frombuffer(whole, np.uint8).copy()
        hurt[rng.integers(0, len(hurt), 4)] = rng.integers(0, 256, 4)
        (tmp_path / "hurt.pt").write_bytes(hurt.tobytes()[: rng.integers(len(hurt) // 2, 2 * len(hurt))])
        try:
            inception(tmp_path / "hurt.pt")
        except InputError as error:
            messages.add(str(error).split("hurt.pt", 1)[1][:40])
    assert {" is a TorchScript file that cannot be re", " is not a file of weights that can be re"} <= messages
    mark = tmp_path / "ran"
    (tmp_path / "code.pth").write_bytes(pickle.dumps({"fc.weight": Marks(mark)}))
    with refusal(InputError):
        inception(tmp_path / "code.pth")
    assert not mark.exists()
