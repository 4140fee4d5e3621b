"""What four numbers of a text or a table mean is asked for where the file does not say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assay.cli import run
from assay.core.errors import InputError, ParameterError
from assay.io.detection_frames import objects_from_frames
from assay.io.voc import read_voc
from assay.io.yolo import read_yolo
from messages import refusal

# One box, (10, 20) to (40, 60), in an image of 100 x 80.
BOX = {"xyxy": (10, 20, 40, 60), "xywh": (10, 20, 30, 40), "cxcywh": (25, 40, 30, 40)}
SIZE = np.array([100, 80, 100, 80])
WANTED = [[10, 20, 30, 40]]
ASKED = r"does not say what the four numbers of a box are: '{}'\. Give box_format='xyxy'"


def _texts(folder: Path, name: str, **lines: str) -> Path:
    (folder / name).mkdir()
    for file, line in lines.items():
        (folder / name / f"{file}.txt").write_text(line + "\n")
    return folder / name


def _words(values: Any) -> str:
    return " ".join(map(str, np.asarray(values).tolist()))


# ---- text by image and by class


@pytest.mark.parametrize("box_format", list(BOX))
def test_text_by_image_in_every_format(tmp_path: Path, box_format: Any) -> None:
    four = _words(BOX[box_format])
    paths = _texts(tmp_path, "gts", a=f"car {four}"), _texts(tmp_path, "dets", a=f"car 0.9 {four}")
    for column in read_voc(*paths, layout="images", box_format=box_format):
        assert column["box"].tolist() == WANTED
    with refusal(InputError):
        read_voc(*paths, layout="images")
    shares = _words(np.array(BOX[box_format]) / SIZE)
    paths = _texts(tmp_path, "g", a=f"car {shares}"), _texts(tmp_path, "d", a=f"car 0.9 {shares}")
    for column in read_voc(*paths, layout="images", box_format=box_format, normalized=True, sizes=(100, 80)):
        np.testing.assert_allclose(column["box"], WANTED)
    with refusal(InputError):
        read_voc(*paths, layout="images", box_format=box_format)
    assert read_voc(*paths, layout="images", box_format=box_format, normalized=False)[0]["box"].max() < 1
    with refusal(InputError):
        read_voc(*paths, layout="images", box_format=box_format, normalized=True)


def test_only_the_devkits_own_files_say_that_they_have_corners(tmp_path: Path) -> None:
    truth = tmp_path / "Annotations"
    truth.mkdir()
    corners = "<xmin>10</xmin><ymin>20</ymin><xmax>40</xmax><ymax>60</ymax>"
    (truth / "a.xml").write_text(
        f"<annotation><object><name>car</name><bndbox>{corners}</bndbox></object></annotation>"
    )
    official = _texts(tmp_path, "results", comp4_det_test_car="a 0.9 10 20 40 60")
    assert read_voc(truth, official)[1]["box"].tolist() == WANTED
    plain = _texts(tmp_path, "plain", car="a 0.9 10 20 30 40")
    with refusal(InputError):
        read_voc(truth, plain)
    assert read_voc(truth, plain, box_format="xywh")[1]["box"].tolist() == WANTED
    assert read_voc(truth, plain, box_format="xywh")[0]["box"].tolist() == WANTED  # xml says what it has


# ---- YOLO's folders


def test_yolo_is_normalized_centres_unless_the_numbers_say_otherwise(tmp_path: Path) -> None:
    shares = _words(np.array(BOX["cxcywh"]) / SIZE)
    paths = _texts(tmp_path, "labels", a=f"0 {shares}"), _texts(tmp_path, "predicted", a=f"0 {shares} 0.9")
    for column in read_yolo(*paths, sizes=(100, 80)):
        np.testing.assert_allclose(column["box"], WANTED)
    pixels = _words(BOX["xyxy"])
    paths = _texts(tmp_path, "l", a=f"0 {pixels}"), _texts(tmp_path, "p", a=f"0 {pixels} 0.9")
    with refusal(InputError):
        read_yolo(*paths, sizes=(100, 80))
    for column in read_yolo(*paths, box_format="xyxy", normalized=False):  # pixels need no sizes
        assert column["box"].tolist() == WANTED
    with refusal(ParameterError):
        read_yolo(*paths, normalized=False)
    corners = _words(np.array(BOX["xyxy"]) / SIZE)
    paths = _texts(tmp_path, "ll", a=f"0 {corners}"), _texts(tmp_path, "pp", a=f"0 {corners} 0.9")
    for column in read_yolo(*paths, sizes=(100, 80), box_format="xyxy"):
        np.testing.assert_allclose(column["box"], WANTED)


# ---- tables


def _frame(names: str, values: Any, **more: Any) -> dict[str, list[Any]]:
    return {"image": ["a"], "label": ["car"], **{n: [v] for n, v in zip(names.split(), values, strict=True)}, **more}


@pytest.mark.parametrize(
    ("names", "box_format"), [("x1 y1 x2 y2", "xyxy"), ("xmin ymin xmax ymax", "xyxy"), ("cx cy w h", "cxcywh")]
)
def test_columns_that_say_what_they_are(names: str, box_format: str) -> None:
    pair = _frame(names, BOX[box_format]), _frame(names, BOX[box_format], score=[0.9])
    for column in objects_from_frames(*pair):
        assert column["box"].tolist() == WANTED


@pytest.mark.parametrize("names", ["x y w h", "x y width height"])
def test_a_corner_and_a_centre_have_the_same_name(names: str) -> None:
    for box_format in ("xywh", "cxcywh"):
        four = BOX[box_format]
        pair = _frame(names, four), _frame(names, four, score=[0.9])
        with refusal(InputError):
            objects_from_frames(*pair)
        assert objects_from_frames(*pair, box_format=box_format)[0]["box"].tolist() == WANTED  # type: ignore[arg-type]


def test_columns_of_any_name_and_shares() -> None:
    shares = np.array(BOX["xyxy"]) / SIZE
    pair = _frame("l t r b", shares), _frame("l t r b", shares, score=[0.9])
    with refusal(InputError):
        objects_from_frames(*pair, box=("l", "t", "r", "b"))
    with refusal(InputError):
        objects_from_frames(*pair, box=("l", "t", "r", "b"), box_format="xyxy")
    columns = objects_from_frames(
        *pair, box=("l", "t", "r", "b"), box_format="xyxy", normalized=True, sizes={"a": (100, 80)}
    )
    np.testing.assert_allclose(columns[1]["box"], WANTED)


# ---- the command line


def _score(capsys: Any, *arguments: Any) -> tuple[int, str, str]:
    code = run(["score", *map(str, arguments), "--task", "detection", "--no-intervals", "--json", "-m", "coco"])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_line_asks_for_the_format(tmp_path: Path, capsys: Any) -> None:
    truth = _texts(tmp_path, "gts", a="car 10 20 30 40")
    found = _texts(tmp_path, "dets", a="car 0.9 10 20 30 40")
    code, _, err = _score(capsys, truth, found)
    assert code == 2
    assert "box" in err
    assert "car 10 20 30 40" in err
    code, out, _ = _score(capsys, truth, found, "--box-format", "xywh")
    assert code == 0
    assert json.loads(out)["scores"]["coco"]["value"] == pytest.approx(1)
    code, _, err = _score(capsys, truth, found, "--box-format", "xyhw")
    assert code == 2
    assert "'xywh'" in err


def test_the_command_line_scales_shares_by_pictures(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "images").mkdir()
    Image.new("L", (100, 80)).save(tmp_path / "images" / "a.png")
    line = _words(np.array(BOX["xyxy"]) / SIZE).replace(" ", ",")
    (tmp_path / "gt.csv").write_text(f"image,label,x1,y1,x2,y2\na.png,car,{line}\n")
    (tmp_path / "dt.csv").write_text(f"image,label,x1,y1,x2,y2,score\na.png,car,{line},0.9\n")
    code, _, err = _score(capsys, tmp_path / "gt.csv", tmp_path / "dt.csv")
    assert code == 2
    assert "--normalized and the sizes of the images (--images, a folder); if they are pixels, give --pixels." in err
    for options in (["--normalized", "--images", tmp_path / "images"], ["--pixels"]):
        code, out, _ = _score(capsys, tmp_path / "gt.csv", tmp_path / "dt.csv", *options)
        assert code == 0
        assert json.loads(out)["scores"]["coco"]["value"] == pytest.approx(1)
    code, _, err = _score(capsys, tmp_path / "gt.json", tmp_path / "dt.json", "--box-format", "xywh")
    assert code == 2
    assert "COCO's json has corner and size" in err
