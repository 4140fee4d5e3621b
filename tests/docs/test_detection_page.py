"""The page on detection: its code runs on files that the test writes, and it names every entry of the task."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.core.registry import metrics

PAGE = (Path(__file__).parents[2] / "docs" / "detection.md").read_text()


def written(folder: Path) -> dict[str, Any]:
    """One object and its detection, in every format that the page names."""
    paths = {
        name: folder / name
        for name in ("annotations", "results", "texts", "labels", "predictions", "corners", "found_corners")
    }
    for path in paths.values():
        path.mkdir()
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    (paths["annotations"] / "a.xml").write_text(f"<annotation><object><name>car</name>{box}</object></annotation>")
    (paths["results"] / "comp4_det_test_car.txt").write_text("a 0.9 1 1 9 9\n")
    (paths["texts"] / "a.txt").write_text("car 0.9 1 1 9 9\n")
    (paths["labels"] / "a.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (paths["predictions"] / "a.txt").write_text("0 0.5 0.5 0.2 0.2 0.9\n")
    (paths["corners"] / "a.txt").write_text("0 1 1 9 9\n")
    (paths["found_corners"] / "a.txt").write_text("0 1 1 9 9 0.9\n")
    truth = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 8, 8], "area": 64, "iscrowd": 0}
    facts = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "car"}], "annotations": [truth]}
    (folder / "gt.json").write_text(json.dumps(facts))
    (folder / "dt.json").write_text(json.dumps([{"image_id": 1, "category_id": 1, "bbox": [1, 1, 8, 8], "score": 0.9}]))
    frame = {"image": ["a"], "label": ["car"], "x1": [1], "y1": [1], "x2": [9], "y2": [9]}
    more = {"instances_json": folder / "gt.json", "results_json": folder / "dt.json", **_crowd(folder)}
    return {**paths, **more, "frame": frame, "detections": {**frame, "score": [0.9]}}


def _crowd(folder: Path) -> dict[str, Any]:
    """One person as CrowdPose writes it: without an area, and the image says how crowded it is."""
    points = [5.0, 5.0, 2.0] * 14
    person = {
        "id": 1,
        "image_id": 1,
        "category_id": 1,
        "bbox": [1, 1, 40, 80],
        "iscrowd": 0,
        "keypoints": points,
        "num_keypoints": 14,
    }
    image = {"id": 1, "crowdIndex": 0.5}
    facts = {"images": [image], "categories": [{"id": 1, "name": "person"}], "annotations": [person]}
    paths = {"crowdpose_json": folder / "crowd.json", "poses_json": folder / "poses.json"}
    paths["crowdpose_json"].write_text(json.dumps(facts))
    pose = {"image_id": 1, "category_id": 1, "keypoints": points, "score": 0.9}
    paths["poses_json"].write_text(json.dumps([pose]))
    return paths


@pytest.mark.filterwarnings("ignore::assay.core.errors.AssayWarning")  # one person is of one size
def test_code_runs(tmp_path: Path) -> None:
    space = written(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, "detection.md", "exec"), space)
    assert space["assay"].coco(*space["pair"]) == pytest.approx(1.0)
    assert space["table"].table.tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert space["curves"]["dog"].best()[0] == 0.8
    assert space["errors"].count["classification"] == 1
    assert space["result"].low <= space["result"] <= space["result"].high


def test_every_entry_is_named() -> None:
    for cls in metrics():
        if cls.task == "detection":
            assert f"{cls.key}(" in PAGE, cls.key


@pytest.mark.filterwarnings("ignore::assay.core.errors.AssayWarning")  # two images have neither small nor large objects
def test_evaluate_gives_the_twelve_numbers(tmp_path: Path) -> None:
    space = written(tmp_path)
    exec(compile(re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[0], "page", "exec"), space)
    result = space["assay"].evaluate(y_true=space["truth"], y_pred=space["found"], task="detection")
    assert len(result.scores) == 12
