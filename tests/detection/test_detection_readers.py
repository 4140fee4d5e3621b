"""Readers of VOC, YOLO and data frames: the same objects by every way, and words for whatever is wrong with a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError
from assay.io.detection_frames import objects_from_frames
from assay.io.voc import read_voc
from assay.io.yolo import read_yolo
from messages import refusal

# (image, label, x1, y1, x2, y2) of the truth, and the same with a score; images are 100 x 50, image "c" has no object.
TRUTH = [("b", "dog", 10, 5, 30, 25), ("a", "cat", 20, 10, 60, 40), ("a", "dog", 0, 0, 20, 20)]
FOUND = [("a", "cat", 25, 10, 60, 40, 0.9), ("c", "dog", 0, 0, 10, 10, 0.8), ("b", "dog", 10, 5, 30, 20, 0.7)]
NAMES = ("cat", "dog")


def voc(folder: Path) -> tuple[Path, Path]:
    there, seen = folder / "Annotations", folder / "results"
    there.mkdir()
    seen.mkdir()
    for image in "abc":
        objects = "".join(
            f"<object><name>{label}</name><difficult>{int(label == 'dog' and image == 'a')}</difficult>"
            f"<bndbox><xmin>{x1}</xmin><ymin>{y1}</ymin><xmax>{x2}</xmax><ymax>{y2}</ymax></bndbox></object>"
            for own, label, x1, y1, x2, y2 in TRUTH
            if own == image
        )
        (there / f"{image}.xml").write_text(f"<annotation><filename>{image}.jpg</filename>{objects}</annotation>")
    for label in NAMES:
        lines = [f"{f[0]} {f[-1]} {' '.join(map(str, f[2:6]))}" for f in FOUND if f[1] == label]
        (seen / f"comp4_det_test_{label}.txt").write_text("\n".join(lines) + "\n")
    return there, seen


def yolo(folder: Path) -> tuple[Path, Path]:
    there, seen = folder / "labels", folder / "predicted"
    for path, rows in ((there, TRUTH), (seen, FOUND)):
        path.mkdir()
        for image in {row[0] for row in rows}:
            lines = []
            for row in [row for row in rows if row[0] == image]:
                _, label, x1, y1, x2, y2, *score = row
                shares = [(x1 + x2) / 200, (y1 + y2) / 100, (x2 - x1) / 100, (y2 - y1) / 50, *score]
                lines.append(f"{NAMES.index(label)} " + " ".join(map(repr, shares)))
            (path / f"{image}.txt").write_text("\n".join(lines))
    return there, seen


def frames(library: Any = dict) -> tuple[Any, Any]:
    names = ("image", "label", "x1", "y1", "x2", "y2", "score")
    return tuple(
        library({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=False)})
        for rows in (TRUTH, FOUND)
    )


def as_lists(column: Any) -> list[tuple]:
    """(image, label, box) of every object."""
    images = column.facts["image"][column.row]
    return list(zip(images.tolist(), column["label"].tolist(), np.round(column["box"], 9).tolist(), strict=True))


def expected(rows: list[tuple]) -> list[tuple]:
    ordered = sorted(rows, key=lambda row: row[0])
    return [(i, label, [x1, y1, x2 - x1, y2 - y1]) for i, label, x1, y1, x2, y2, *_ in ordered]


# ---- the same objects by every way


def test_voc(tmp_path: Path) -> None:
    truth, found = read_voc(*voc(tmp_path))
    assert as_lists(truth) == expected(TRUTH)
    assert as_lists(found) == expected(FOUND)
    assert truth.counts.tolist() == [2, 1, 0]
    assert truth["ignore"].tolist() == [0, 1, 0]
    assert found["score"].tolist() == [0.9, 0.7, 0.8]
    assert assay.average_precision_voc(truth, found, iou=0.5) == pytest.approx((1 + 0.5) / 2)


def test_voc_of_a_part_of_the_images(tmp_path: Path) -> None:
    there, seen = voc(tmp_path)
    (tmp_path / "val.txt").write_text("a\nb\n")
    truth, found = read_voc(there, seen, image_set=tmp_path / "val.txt")
    assert truth.facts["image"].tolist() == ["a", "b"]
    assert found.counts.tolist() == [1, 1]
    (tmp_path / "val.txt").write_text("a\nz\n")
    with refusal(InputError):
        read_voc(there, seen, image_set=tmp_path / "val.txt")


def test_text_by_image(tmp_path: Path) -> None:
    for name in ("gts", "dets"):
        (tmp_path / name).mkdir()
    (tmp_path / "gts" / "a.txt").write_text("traffic light 1 2 3 4\ncat 5 6 7 8 difficult\n")
    (tmp_path / "gts" / "b.txt").write_text("")
    (tmp_path / "dets" / "a.txt").write_text("traffic light .5 1 2 3 4\n")
    truth, found = read_voc(tmp_path / "gts", tmp_path / "dets", layout="images", box_format="xywh")
    assert as_lists(truth) == [("a", "traffic light", [1, 2, 3, 4]), ("a", "cat", [5, 6, 7, 8])]
    assert truth["ignore"].tolist() == [0, 1]
    assert as_lists(found) == [("a", "traffic light", [1, 2, 3, 4])]


def test_yolo_with_sizes(tmp_path: Path) -> None:
    truth, found = read_yolo(*yolo(tmp_path), sizes=dict.fromkeys("abc", (100, 50)), names=NAMES)
    assert as_lists(truth) == expected(TRUTH)
    assert as_lists(found) == expected(FOUND)
    assert found["score"].tolist() == [0.9, 0.7, 0.8]


def test_yolo_with_pictures(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "images").mkdir()
    for name in "abc":
        image.new("L", (100, 50)).save(tmp_path / "images" / f"{name}.png")
    truth, found = read_yolo(*yolo(tmp_path), images=tmp_path / "images")
    assert truth.counts.tolist() == [2, 1, 0]
    assert truth["label"].tolist() == [0, 1, 1]
    assert found["size"].tolist() == pytest.approx([35 * 30, 20 * 15, 100])


def test_frames_of_every_library() -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    for library in (dict, polars.DataFrame, pandas.DataFrame):
        truth, found = objects_from_frames(*frames(library), images=["a", "b", "c"])
        assert as_lists(truth) == expected(TRUTH)
        assert as_lists(found) == expected(FOUND)


def test_frames_with_other_names_and_flags() -> None:
    truth = {"file": [7, 7], "kind": [1, 1], "x": [0, 1], "y": [0, 1], "w": [2, 3], "h": [2, 3], "group": [False, True]}
    found = {"file": [7], "kind": [1], "x": [0], "y": [0], "w": [2], "h": [2], "conf": [0.5]}
    truth, found = objects_from_frames(
        truth, found, box_format="xywh", image="file", label="kind", score="conf", crowd="group"
    )
    assert truth["crowd"].tolist() == [0, 1]
    assert assay.coco(truth, found) == pytest.approx(1.0)


def test_all_ways_score_alike(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "y").mkdir()
    pairs = [
        read_voc(*voc(tmp_path / "v")),
        read_yolo(*yolo(tmp_path / "y"), sizes=dict.fromkeys("abc", (100, 50)), names=NAMES),
        objects_from_frames(*frames(), images=["a", "b", "c"]),
    ]
    tables = [assay.detection_confusion(truth, found).table.tolist() for truth, found in pairs[1:]]
    assert tables[0] == tables[1] == [[1, 0, 0], [0, 1, 1], [0, 1, 0]]
    assert assay.detection_confusion(*pairs[0]).table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_no_detections_at_all() -> None:
    pandas = pytest.importorskip("pandas")
    empty = pandas.DataFrame({name: [] for name in ("image", "label", "x1", "y1", "x2", "y2", "score")})
    truth, found = objects_from_frames(frames()[0], empty)
    assert found.counts.tolist() == [0, 0]
    assert assay.coco(truth, found) == 0.0


# ---- what is wrong, in words


@pytest.mark.parametrize(
    "text",
    [
        "<annotation><object>",
        "<labels/>",
        "<annotation><object><bndbox/></object></annotation>",
        "<annotation><object><name>x</name></object></annotation>",
        "{box}",
        "{word}",
        "{turned}",
        "{nan}",
    ],
)
def test_bad_annotations(tmp_path: Path, text: str) -> None:
    there, seen = voc(tmp_path)
    start = "<annotation><object><name>x</name><bndbox><xmin>1</xmin><ymin>5</ymin><xmax>3</xmax>"
    end = "</bndbox></object></annotation>"
    ends = {"{box}": "", "{word}": "<ymax>tall</ymax>", "{turned}": "<ymax>2</ymax>", "{nan}": "<ymax>nan</ymax>"}
    (there / "a.xml").write_text(start + ends[text] + end if text in ends else text)
    with refusal(InputError):
        read_voc(there, seen)


@pytest.mark.parametrize(
    "line",
    [
        "a 0.9 1 2 3",
        "a high 1 2 3 4",
        "a inf 1 2 3 4",
        "a 0.9 5 2 3 4",
        "z 0.9 1 2 3 4",
    ],
)
def test_bad_detections(tmp_path: Path, line: str) -> None:
    there, seen = voc(tmp_path)
    (seen / "comp4_det_test_cat.txt").write_text(f"a 0.5 1 2 3 4\n{line}\n")
    with refusal(InputError):
        read_voc(there, seen)


def test_bad_folders(tmp_path: Path) -> None:
    there, seen = voc(tmp_path)
    with refusal(InputError):
        read_voc(tmp_path / "nowhere", seen)
    (seen / "cat.txt").write_text("")
    with refusal(InputError):
        read_voc(there, seen)
    (seen / "cat.txt").write_bytes(b"\xff\xfe\x00bad")
    with refusal(InputError):
        read_voc(there, seen)
    (tmp_path / "empty").mkdir()
    with refusal(InputError):
        read_voc(tmp_path / "empty", seen)
    with refusal(ParameterError):
        read_voc(there, seen, layout="rows")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    [
        "0 0.5 0.5 0.1",
        "0.5 0.5 0.5 0.1 0.1",
        "7 0.5 0.5 0.1 0.1",
        "0 50 0.5 0.1 0.1",
        "0 nan 0.5 0.1 0.1",
        "0 0.5 0.5 0.1 wide",
    ],
)
def test_bad_yolo_lines(tmp_path: Path, line: str) -> None:
    there, seen = yolo(tmp_path)
    (there / "a.txt").write_text(line)
    with refusal(InputError):
        read_yolo(there, seen, sizes=(100, 50), names=NAMES)


def test_yolo_needs_sizes_and_known_images(tmp_path: Path) -> None:
    there, seen = yolo(tmp_path)
    with refusal(ParameterError):
        read_yolo(there, seen)
    with refusal(InputError):
        read_yolo(there, seen, sizes=(100, 50))
    with refusal(InputError):
        read_yolo(there, seen, sizes={"b": (100, 50)})
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(b"not a picture")
    with refusal(InputError):
        read_yolo(there, seen, images=tmp_path / "images")


@pytest.mark.parametrize(
    "change",
    [
        {"score": [0.1, None, 0.3]},
        {"score": ["a", "b", "c"]},
        {"score": [0.1, 0.2]},
        {"x2": [60, -5, 30]},
        {"x2": [60, float("inf"), 30]},
        {"label": [1, 2, 3]},
        {"image": ["a", "c", "z"]},
        {"image": [1, 2, 3]},
    ],
)
def test_bad_frames(change: dict) -> None:
    truth, found = frames()
    with refusal(InputError):
        objects_from_frames(truth, {**found, **change}, images=["a", "b", "c"])


def test_frames_without_a_column() -> None:
    truth, found = frames()
    with refusal(InputError):
        objects_from_frames(truth, found, image="file")
    with refusal(InputError):
        objects_from_frames(3, found)
    with refusal(ParameterError):
        objects_from_frames(truth, found, box=("x1", "y1"))
