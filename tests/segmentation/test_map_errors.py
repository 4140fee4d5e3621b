"""Malformed maps and files: a clear error that names file, record and field, and nothing is scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panoptic_files import segments_of, write_side
from PIL import Image

import assay
from assay import InputError, ParameterError
from assay.io.label_maps import label_names, read_label_maps, read_label_pairs, read_volume
from assay.io.panoptic import read_panoptic
from messages import refusal

MAP = np.array([[0, 1, 1], [2, 2, 0]])
IDS = np.array([[3, 3, 9], [9, 9, 0]])
CLASSES = {3: 1, 9: 5}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two images on both sides, the prediction the truth itself."""
    maps, segments = [IDS, IDS.T], [segments_of(IDS, CLASSES)] * 2
    return tuple(write_side(tmp_path, name, maps, segments) for name in ("truth", "prediction"))  # pyright: ignore


def changed(path: Path, change: Any) -> Path:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


# ---- arrays


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.mean_iou(MAP[None], MAP[None, :, :2]),
        lambda: assay.mean_iou([MAP, MAP[:1]], [MAP, MAP]),
        lambda: assay.mean_iou(MAP[None] / 2, MAP[None]),
        lambda: assay.mean_iou(MAP, MAP[None]),
        lambda: assay.mean_iou(MAP[None], MAP[None] - 1),
        lambda: assay.mean_iou(MAP[None], MAP[None], classes=2),
        lambda: assay.mean_iou(MAP[None], MAP[None] + (1 << 24)),
        lambda: assay.mean_iou(0 * MAP[None], MAP[None], ignore_index=0),
        lambda: assay.hausdorff(MAP[None], MAP[None], average=None),
        lambda: assay.hausdorff(MAP[None], MAP[None] - 1),
        lambda: assay.hausdorff(MAP[None] > 0, MAP[None] > 0, spacing=(1, 1, 1)),
        lambda: assay.boundary_iou(MAP[None, None], MAP[None, None]),
        lambda: assay.panoptic_quality(MAP[None], MAP[None]),
        lambda: assay.panoptic_quality([(IDS, [])], [(IDS, [])]),
        lambda: assay.panoptic_quality([(IDS, segments_of(IDS, CLASSES))], [(0 * IDS, segments_of(IDS, CLASSES))]),
        lambda: assay.panoptic_quality([(IDS, [{"id": 3}])], [(IDS, [])]),
        lambda: assay.panoptic_quality([(IDS, [{"id": 3, "category_id": 1}] * 2)], [(IDS, [])]),
        lambda: assay.panoptic_quality([(IDS, [{"id": 0, "category_id": 1}])], [(IDS, [])]),
    ],
)  # fmt: skip
def test_arrays(call: Any) -> None:
    with refusal(InputError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.metrics.MeanIoU(classes=0),
        lambda: assay.metrics.MeanIoU(classes=2**40),
        lambda: assay.metrics.MeanIoU(classes=(1, 1)),
        lambda: assay.metrics.MeanIoU(classes=3, ignore_index=2),
        lambda: assay.metrics.Dice(background=0.5),  # pyright: ignore
        lambda: assay.metrics.Hausdorff(classes=3),
        lambda: assay.metrics.Hausdorff(spacing=(1, 0)),
        lambda: assay.metrics.PanopticQuality(over="things"),
        lambda: assay.mean_iou(MAP[None], MAP[None], level="image", undefined=0),
        lambda: assay.metrics.BoundaryIoU(unit="pixels"),
    ],
)
def test_parameters(call: Any) -> None:
    with refusal(ParameterError):
        call()


# ---- files of labels


def test_label_files(tmp_path: Path) -> None:
    for side, labels in (("truth", MAP), ("prediction", MAP[::-1])):
        (tmp_path / side).mkdir()
        for name in ("b", "a"):
            Image.fromarray(labels.astype(np.uint8)).save(tmp_path / side / f"{name}.png")
    true, predicted, names = read_label_pairs(tmp_path / "truth", tmp_path / "prediction")
    assert names == ("a", "b") == label_names(tmp_path / "truth")
    assert assay.pixel_accuracy(true, predicted) == assay.pixel_accuracy(MAP[None], MAP[None, ::-1])
    (tmp_path / "prediction" / "a.png").unlink()
    with refusal(InputError):
        read_label_pairs(tmp_path / "truth", tmp_path / "prediction")


def test_files_of_other_sizes_and_depths(tmp_path: Path) -> None:
    deep = np.array([[0, 70], [300, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    cells = read_label_maps(tmp_path)
    np.testing.assert_array_equal(cells[0].read(), deep)
    with refusal(InputError):
        assay.mean_iou(cells, [np.zeros((2, 2), dtype=np.uint8)], classes=256)
    with refusal(InputError):
        assay.mean_iou(cells, np.zeros((1, 3, 3), dtype=np.uint8))


def test_arrays_in_files(tmp_path: Path) -> None:
    np.save(tmp_path / "all.npy", np.stack([MAP, MAP]))
    np.savez(tmp_path / "some.npz", a=MAP, b=MAP[:1])
    np.savez(tmp_path / "float.npz", a=MAP / 2)
    assert read_label_maps(tmp_path / "all.npy").shape == (2, 2, 3)
    assert [m.shape for m in read_label_maps(tmp_path / "some.npz")] == [(2, 3), (1, 3)]
    for name in ("float.npz", "none.npz"):
        with refusal(InputError):
            read_label_maps(tmp_path / name)
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4 no archive")
    (tmp_path / "bad.txt").write_text("1 2")
    for name in ("bad.npz", "bad.txt"):
        with refusal(InputError):
            read_label_maps(tmp_path / name)


def test_volumes(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    volume = (np.arange(24).reshape(2, 3, 4) % 3).astype(np.int16)
    image = nibabel.Nifti1Image(volume, np.diag([2.0, 0.5, 1.0, 1.0]))
    nibabel.save(image, tmp_path / "a.nii.gz")
    labels, spacing = read_volume(tmp_path / "a.nii.gz")
    np.testing.assert_array_equal(labels, volume)
    assert spacing == (2.0, 0.5, 1.0)
    assert label_names(tmp_path) == ("a",)
    assert assay.mean_iou(read_label_maps(tmp_path), volume[None]) == 1.0
    (tmp_path / "b.nii").write_bytes(b"nothing")
    with refusal(InputError):
        read_volume(tmp_path / "b.nii")


# ---- panoptic files


def test_panoptic_files_are_read(files: tuple[Path, Path]) -> None:
    data = read_panoptic(*files)
    assert (data.classes, data.things, data.names[5]) == ((1, 2, 5), (1, 2), "sky")
    assert assay.metrics.PanopticQuality(things=data.things)(data.y_true, data.y_pred) == 1.0


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["annotations"][1]["segments_info"][0].pop("id"),
        lambda d: d["annotations"][0]["segments_info"][1].update(category_id=4),
        lambda d: d["annotations"].pop(),
        lambda d: d["annotations"][1].update(image_id=0),
        lambda d: d["annotations"][1].pop("file_name"),
        lambda d: d["annotations"][1].update(file_name="7.png"),
        lambda d: d.pop("annotations"),
    ],
)  # fmt: skip
def test_records_of_the_prediction(files: tuple[Path, Path], change: Any) -> None:
    with refusal(InputError):
        read_panoptic(files[0], changed(files[1], change))


def test_json_that_is_cut_off(files: tuple[Path, Path]) -> None:
    files[1].write_text(files[1].read_text()[:200])
    with refusal(InputError):
        read_panoptic(*files)


def test_segments_of_the_png_that_the_json_lacks(files: tuple[Path, Path]) -> None:
    for side in (0, 1):
        other = changed(files[side], lambda d: d["annotations"][1]["segments_info"].pop())
        data = read_panoptic(*files)
        with refusal(InputError):
            assay.panoptic_quality(data.y_true, data.y_pred)
        changed(other, lambda d: d["annotations"][1].update(segments_info=segments_of(IDS, CLASSES)))


def test_damaged_png(files: tuple[Path, Path]) -> None:
    png = files[1].with_suffix("") / "1.png"
    png.write_bytes(png.read_bytes()[:50])
    data = read_panoptic(*files)
    with refusal(InputError):
        assay.panoptic_quality(data.y_true, data.y_pred)
