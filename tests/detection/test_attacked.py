"""What a reviewer found: poses by default, empty sets, labels of two kinds, tables with empty images, messages that name the image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay import InputError, ParameterError
from assay.io.coco import read_coco
from assay.io.detection_frames import objects_from_frames
from coco_oracle import oracle
from messages import refusal

BOX = [[0.0, 0.0, 5.0, 5.0]]
TRUTH = [{"boxes": BOX, "labels": [1]}, {"boxes": BOX, "labels": [1]}]
FOUND = [{"boxes": BOX, "labels": [1], "scores": [0.5]}, {"boxes": BOX, "labels": [1], "scores": [0.4]}]


def test_the_usual_numbers_of_poses_are_those_of_coco(tmp_path: Path) -> None:
    """Ten numbers, at most twenty detections an image: noise of high score on top of the right ones."""
    import json

    rng = np.random.default_rng(1)
    truth: dict[str, Any] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": 1, "name": "person", "keypoints": ["k"] * 17}],
    }
    results: list[dict[str, Any]] = []
    for image in range(6):
        truth["images"].append({"id": image, "width": 300, "height": 300})
        for _ in range(3):
            points = np.c_[rng.uniform(0, 200, (17, 2)), np.full(17, 2)]
            truth["annotations"].append(
                {"id": len(truth["annotations"]) + 1, "image_id": image, "category_id": 1, "iscrowd": 0, "area": 9000.0,
                 "bbox": [0, 0, 200, 200], "keypoints": points.ravel().tolist(), "num_keypoints": 17}
            )  # fmt: skip
            moved = points + np.c_[rng.normal(0, 3, (17, 2)), np.zeros(17)]
            results.append(
                {"image_id": image, "category_id": 1, "keypoints": moved.ravel().tolist(), "score": float(rng.random())}
            )
        for _ in range(30):
            noise = np.c_[rng.uniform(0, 200, (17, 2)), np.ones(17)]
            results.append(
                {"image_id": image, "category_id": 1, "keypoints": noise.ravel().tolist(), "score": float(rng.random())}
            )
    paths = tmp_path / "gt.json", tmp_path / "dt.json"
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    wanted = oracle(truth, results, "keypoints").stats
    y_true, y_pred = read_coco(*paths, "keypoints")
    assert assay.coco(y_true, y_pred, iou_type="keypoints") == pytest.approx(wanted[0], abs=1e-12)
    assert wanted[0] != pytest.approx(
        assay.coco(y_true, y_pred, iou_type="keypoints", max_detection_thresholds=(100,)), abs=1e-6
    )  # the cap matters here
    found = assay.evaluate(
        task="detection", y_true=y_true, y_pred=y_pred, parameters={"iou_type": "keypoints"}, level=None
    )
    values = np.array([float(found[name]) for name in found])
    there = wanted > -1
    assert len(values) == 10
    np.testing.assert_allclose(values[there], wanted[there], atol=1e-12)


def test_parameters_in_which_the_usual_metrics_differ() -> None:
    with refusal(ParameterError):
        assay.evaluate(task="detection", y_true=TRUTH, y_pred=FOUND, parameters={"iou": 0.5})


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (
            [],
            [],
        ),
        (
            TRUTH,
            [{**FOUND[0], "labels": ["cat"]}, FOUND[1]],
        ),
        (
            TRUTH,
            [FOUND[0], {**FOUND[1], "scores": ["a"]}],
        ),
        (
            [TRUTH[0], {**TRUTH[1], "boxes": [[0, 0, 5]]}],
            FOUND,
        ),
        (
            [TRUTH[0], {**TRUTH[1], "iscrowd": [0]}],
            FOUND,
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_image(true: Any, predicted: Any) -> None:
    with refusal(InputError):
        assay.coco(true, predicted)


def test_a_row_without_label_and_box_is_an_image_without_objects() -> None:
    truth: dict[str, list[Any]] = {
        "image": ["a", "b", "z"], "label": ["cat", "cat", None], "x1": [0, 0, None], "y1": [0, 0, None], "x2": [5, 5, None],
        "y2": [5, 5, None],
    }  # fmt: skip
    found = {
        "image": ["a", "z"],
        "label": ["cat", "cat"],
        "x1": [0, 0],
        "y1": [0, 0],
        "x2": [5, 5],
        "y2": [5, 5],
        "score": [0.5, 0.9],
    }
    y_true, y_pred = objects_from_frames(truth, found)
    assert y_true.n == 3
    assert assay.coco(y_true, y_pred) == pytest.approx(0.5 * 51 / 101)  # half of the objects, at a precision of a half
    broken = {**truth, "x1": [0, None, None]}
    with refusal(InputError):
        objects_from_frames(broken, found, names=("gt.csv", "dt.csv"))


def test_two_generators_have_no_test_by_shared_balls() -> None:
    rng = np.random.default_rng(6)
    real, a, b = (rng.normal(shift, 1, (60, 4)) for shift in (0, 0, 0.8))
    metric = assay.metrics.PrecisionRecallGenerative(measure="coverage")
    with refusal(ParameterError):
        metric.compare(real, a, b)
    found = assay.compare(task="image_generation", y_true=real, models={"a": a, "b": b})
    assert not any("precision_recall" in name for name in found)
    assert any("fid" in name for name in found)


def test_tuples_with_commas_in_specs() -> None:
    from assay.core.signatures import from_spec, from_text

    assert from_spec("hausdorff:spacing=(0.5,0.25),percentile=95") == assay.metrics.Hausdorff(
        spacing=(0.5, 0.25), percentile=95
    )
    assert from_text("(1;2)") == from_text("(1, 2)") == (1, 2)
    assert from_text("(a)") == ("a",)
