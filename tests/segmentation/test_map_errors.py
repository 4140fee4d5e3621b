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
    ("call", "said"),
    [
        (lambda: assay.mean_iou(MAP[None], MAP[None, :, :2]), r"MeanIoU: y_true and y_pred must have the same shape, got \(1, 2, 3\)"),
        (lambda: assay.mean_iou([MAP, MAP[:1]], [MAP, MAP]), r"y_true\[1\] is \(1, 3\) and y_pred\[1\] is \(2, 3\)"),
        (lambda: assay.mean_iou(MAP[None] / 2, MAP[None]), r"y_true\[0\] must hold whole numbers"),
        (lambda: assay.mean_iou(MAP, MAP), r"y_true\[0\] must be \(height, width\) or \(depth, height, width\)"),
        (lambda: assay.mean_iou(MAP[None], MAP[None] - 1), r"y_pred\[0\] holds the label -1; classes are whole numbers"),
        (lambda: assay.mean_iou(MAP[None], MAP[None], classes=2), r"y_true\[0\] holds the label 2, which is not among classes=\(0, 1\)"),
        (lambda: assay.mean_iou(MAP[None], MAP[None] + (1 << 24)), "go to panoptic_quality"),
        (lambda: assay.mean_iou(0 * MAP[None], MAP[None], ignore_index=0), "every pixel of y_true is the ignored label 0"),
        (lambda: assay.hausdorff(MAP[None], MAP[None], average=None), r"y_true\[0\] holds the label 2; .*unless classes are named"),
        (lambda: assay.hausdorff(MAP[None], MAP[None] - 1), r"y_pred\[0\] holds the label -1; classes are numbers from 0"),
        (lambda: assay.hausdorff(MAP[None] > 0, MAP[None] > 0, spacing=(1, 1, 1)), "spacing has 3 numbers, but"),
        (lambda: assay.boundary_iou(MAP[None, None], MAP[None, None]), "rims are defined for maps"),
        (lambda: assay.panoptic_quality(MAP[None], MAP[None]), r"must be \(height, width, 2\) of class and instance"),
        (lambda: assay.panoptic_quality([(IDS, [])], [(IDS, [])]), r"y_true\[0\] has a segment 3, which segments_info does not list"),
        (
            lambda: assay.panoptic_quality([(IDS, segments_of(IDS, CLASSES))], [(0 * IDS, segments_of(IDS, CLASSES))]),
            r"y_pred\[0\] has a segment 3, which no pixel of the map has",
        ),
        (lambda: assay.panoptic_quality([(IDS, [{"id": 3}])], [(IDS, [])]), r"must have a whole number as 'category_id'"),
        (lambda: assay.panoptic_quality([(IDS, [{"id": 3, "category_id": 1}] * 2)], [(IDS, [])]), "lists the id 3 twice"),
        (lambda: assay.panoptic_quality([(IDS, [{"id": 0, "category_id": 1}])], [(IDS, [])]), "0 is void"),
    ],
)  # fmt: skip
def test_arrays(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: assay.metrics.MeanIoU(classes=0), "classes must be the number of classes"),
        (lambda: assay.metrics.MeanIoU(classes=2**40), "classes must be at most 1048576"),
        (lambda: assay.metrics.MeanIoU(classes=(1, 1)), "must name each class once"),
        (lambda: assay.metrics.MeanIoU(classes=3, ignore_index=2), "ignore_index=2 is among classes"),
        (lambda: assay.metrics.Dice(background=0.5), "background must be an integer or None"),  # pyright: ignore
        (lambda: assay.metrics.Hausdorff(classes=3), "classes must be a list of integers or None"),
        (lambda: assay.metrics.Hausdorff(spacing=(1, 0)), "spacing must be a number above 0"),
        (lambda: assay.metrics.PanopticQuality(over="things"), "needs to know which classes are things"),
        (lambda: assay.mean_iou(MAP[None], MAP[None], level="image", undefined=0), "say which classes there are"),
        (lambda: assay.metrics.BoundaryIoU(unit="pixels"), "width must be a number at least 1"),
    ],
)
def test_parameters(call: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
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
    with pytest.raises(InputError, match="prediction lacks 1 of the maps that the other side has: a"):
        read_label_pairs(tmp_path / "truth", tmp_path / "prediction")


def test_files_of_other_sizes_and_depths(tmp_path: Path) -> None:
    deep = np.array([[0, 70], [300, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    cells = read_label_maps(tmp_path)
    np.testing.assert_array_equal(cells[0].read(), deep)
    with pytest.raises(
        InputError, match=r"y_true\[0\] \(.*deep\.png\) holds the label 300, which is not among classes"
    ):
        assay.mean_iou(cells, [np.zeros((2, 2), dtype=np.uint8)], classes=256)
    with pytest.raises(InputError, match=r"\(.*deep\.png\) is \(2, 2\) and y_pred\[0\] is \(3, 3\)"):
        assay.mean_iou(cells, np.zeros((1, 3, 3), dtype=np.uint8))


def test_arrays_in_files(tmp_path: Path) -> None:
    np.save(tmp_path / "all.npy", np.stack([MAP, MAP]))
    np.savez(tmp_path / "some.npz", a=MAP, b=MAP[:1])
    np.savez(tmp_path / "float.npz", a=MAP / 2)
    assert read_label_maps(tmp_path / "all.npy").shape == (2, 2, 3)
    assert [m.shape for m in read_label_maps(tmp_path / "some.npz")] == [(2, 3), (1, 3)]
    for name, said in (
        ("float.npz", r"float.npz\['a'\] must hold whole numbers"),
        ("none.npz", "there is no file or folder"),
    ):
        with pytest.raises(InputError, match=said):
            read_label_maps(tmp_path / name)
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4 no archive")
    (tmp_path / "bad.txt").write_text("1 2")
    for name in ("bad.npz", "bad.txt"):
        with pytest.raises(InputError, match=name):
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
    with pytest.raises(InputError, match=r"b\.nii cannot be read as NIfTI"):
        read_volume(tmp_path / "b.nii")


# ---- panoptic files


def test_panoptic_files_are_read(files: tuple[Path, Path]) -> None:
    data = read_panoptic(*files)
    assert (data.classes, data.things, data.names[5]) == ((1, 2, 5), (1, 2), "sky")
    assert assay.metrics.PanopticQuality(things=data.things)(data.y_true, data.y_pred) == 1.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["annotations"][1]["segments_info"][0].pop("id"), r"\(image_id 1\): segments_info\[0\] .* 'id'"),
        (lambda d: d["annotations"][0]["segments_info"][1].update(category_id=4), r"\[0\] \(image_id 0\): the segment 9 has category_id 4"),
        (lambda d: d["annotations"].pop(), r"prediction\.json has no annotation of image_id 1"),
        (lambda d: d["annotations"][1].update(image_id=0), "which an earlier one is of too"),
        (lambda d: d["annotations"][1].pop("file_name"), r"annotations\[1\] must have 'file_name'"),
        (lambda d: d["annotations"][1].update(file_name="7.png"), r"there is no file .*7\.png"),
        (lambda d: d.pop("annotations"), "must be an object with a list 'annotations'"),
    ],
)  # fmt: skip
def test_records_of_the_prediction(files: tuple[Path, Path], change: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_panoptic(files[0], changed(files[1], change))


def test_json_that_is_cut_off(files: tuple[Path, Path]) -> None:
    files[1].write_text(files[1].read_text()[:200])
    with pytest.raises(InputError, match=r"prediction\.json: ends in the middle"):
        read_panoptic(*files)


def test_segments_of_the_png_that_the_json_lacks(files: tuple[Path, Path]) -> None:
    for side, name in ((0, "truth"), (1, "prediction")):
        other = changed(files[side], lambda d: d["annotations"][1]["segments_info"].pop())
        data = read_panoptic(*files)
        with pytest.raises(
            InputError, match=rf"\[1\] \(.*{name}/1\.png\) has a segment 9, which segments_info does not list"
        ):
            assay.panoptic_quality(data.y_true, data.y_pred)
        changed(other, lambda d: d["annotations"][1].update(segments_info=segments_of(IDS, CLASSES)))


def test_damaged_png(files: tuple[Path, Path]) -> None:
    png = files[1].with_suffix("") / "1.png"
    png.write_bytes(png.read_bytes()[:50])
    data = read_panoptic(*files)
    with pytest.raises(InputError, match=r"prediction/1\.png is cut off"):
        assay.panoptic_quality(data.y_true, data.y_pred)
