"""Poses: the size that distances are measured in, what points may say, batches without detections; and parameters that make no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError
from assay.metrics import COCO, AverageRecall, DetectionConfusion, DetectionErrors
from messages import refusal

POINTS = [5.0, 5.0, 2.0] * 17
FOUND = [{"keypoints": [POINTS], "labels": [1], "scores": [0.5]}]


def _truth(**more: Any) -> list[dict[str, Any]]:
    return [{"boxes": [[0, 0, 10, 10]], "labels": [1], "keypoints": [POINTS], **more}]


# ---- the area


@pytest.mark.parametrize("metric", [COCO, AverageRecall, DetectionConfusion, DetectionErrors])
def test_poses_without_areas_are_refused_with_both_remedies(metric: Any) -> None:
    with refusal(InputError):
        metric(iou_type="keypoints")(_truth(), FOUND)
    metric(iou_type="keypoints")(_truth(area=[53.0]), FOUND)
    metric(iou_type="keypoints", use_area=False)(_truth(), FOUND)


def test_crowdpose_takes_a_share_of_the_box_whatever_area_is_stated() -> None:
    """One pose, all points off by 1: OKS = exp(-1 / (2 sigma)^2 / area / 2) is right at those thresholds that it reaches."""
    sigma, ious = 0.2, tuple(np.linspace(0.5, 0.95, 10))
    moved = [{"keypoints": [[6.0, 5.0, 2.0] * 17], "labels": [1], "scores": [0.5]}]
    for area, options in ((20 * 10 * 0.53, {"use_area": False}), (20 * 10, {})):
        truth = [{"boxes": [[0, 0, 20, 10]], "labels": [1], "keypoints": [POINTS], "area": [200.0]}]
        similarity = np.exp(-1 / (2 * sigma) ** 2 / area / 2)
        metric = AverageRecall(iou_type="keypoints", sigmas=(sigma,) * 17, **options)
        assert metric(truth, moved) == pytest.approx(np.mean([similarity >= t for t in ious]))
    # The two rules differ here: 0.971 and 0.985 are both above 0.95, so the sizes of truths tell them apart.
    sizes = (("all", 0.0, 1e10), ("small", 0.0, 110.0))
    for use_area, value in ((False, 1.0), (True, np.nan)):
        metric = AverageRecall(
            iou_type="keypoints", sigmas=(sigma,) * 17, use_area=use_area, area_ranges=sizes, area_range="small"
        )
        truth = [{"boxes": [[0, 0, 20, 10]], "labels": [1], "keypoints": [POINTS], "area": [200.0]}]
        got = float(metric.finalize(metric.statistic().of(metric.inputs(truth, moved))))
        np.testing.assert_equal(got, value)


def test_a_share_of_the_box_needs_a_stated_box() -> None:
    truth = [{"labels": [1], "keypoints": [POINTS]}]
    with refusal(InputError):
        COCO(iou_type="keypoints", use_area=False)(truth, FOUND)


def test_sigmas_go_by_name() -> None:
    points = [5.0, 5.0, 2.0] * 14
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "keypoints": [points]}]
    found = [{"keypoints": [points], "labels": [1], "scores": [0.5]}]
    with refusal(InputError):
        COCO(iou_type="keypoints", use_area=False)(truth, found)
    assert COCO(iou_type="keypoints", use_area=False, sigmas="crowdpose")(truth, found) == pytest.approx(1)
    with refusal(ParameterError):
        COCO(sigmas="aic")


# ---- visibility


@pytest.mark.parametrize("value", [3.0, -1.0, 0.5])
def test_visibility_beyond_cocos_flags_is_refused(value: float) -> None:
    truth = _truth(area=[100.0])
    truth[0]["keypoints"] = [[*POINTS[:-1], value]]
    with refusal(InputError):
        COCO(iou_type="keypoints")(truth, FOUND)


def test_predictions_may_carry_scores_in_the_place_of_visibility() -> None:
    found = [{"keypoints": [[5.0, 5.0, 7.3] * 17], "labels": [1], "scores": [0.5]}]
    assert COCO(iou_type="keypoints")(_truth(area=[100.0]), found) == pytest.approx(1)


# ---- batches in which nothing is found, or nothing is there

EMPTY: list[dict[str, Any]] = [
    {"boxes": np.zeros((0, 4)), "labels": [], "scores": []},
    {"keypoints": [], "labels": [], "scores": []},
    {"keypoints": np.zeros((0, 17, 3)), "labels": [], "scores": []},
    {"labels": [], "scores": []},
]


@pytest.mark.parametrize("empty", EMPTY)
def test_a_batch_without_detections_is_a_batch(empty: dict[str, Any]) -> None:
    metric, truth = COCO(iou_type="keypoints"), _truth(area=[100.0])
    whole = metric(truth * 2, [{**empty, "keypoints": np.zeros((0, 51))}, *FOUND])
    for batches in ((FOUND, [empty]), ([empty], FOUND)):
        state = metric.state(truth, batches[0]) + metric.state(truth, batches[1])
        assert float(state.score()) == pytest.approx(0.504950495)  # one of two found: 51 of 101 levels
        assert whole == pytest.approx(float(state.score()))


@pytest.mark.parametrize("empty", EMPTY)
def test_a_batch_without_truths_is_a_batch(empty: dict[str, Any]) -> None:
    metric = COCO(iou_type="keypoints")
    nothing = {k: v for k, v in empty.items() if k != "scores"}
    state = metric.state([nothing], FOUND) + metric.state(_truth(area=[100.0]), FOUND)
    assert float(state.score()) == pytest.approx(0.5)  # a false alarm of the same score stands before


def test_a_batch_without_masks_is_a_batch() -> None:
    mask = np.ones((1, 3, 3), bool)
    metric = COCO(iou_type="segm")
    truth, found = [{"masks": mask, "labels": [1]}], [{"masks": mask, "labels": [1], "scores": [0.5]}]
    state = metric.state(truth, [{"labels": [], "scores": []}]) + metric.state(truth, found)
    assert float(state.score()) == pytest.approx(0.504950495)


def test_objects_still_need_a_shape() -> None:
    with refusal(InputError):
        assay.coco(_truth(), [{"labels": [1], "scores": [0.5]}])


# ---- parameters


@pytest.mark.parametrize(
    "parameters",
    [
        {"iou_thresholds": 0.5},
        {"iou_thresholds": ()},
        {"iou_thresholds": ("high",)},
        {"iou_thresholds": tuple(np.linspace(0.1, 0.9, 65))},
        {"iou": "half"},
        {"max_detection_thresholds": 5},
        {"area_ranges": 3},
        {"area_ranges": (("all", 0),)},
        {"area_ranges": (("all", 5, 1),)},
        {"sigmas": 0.5},
        {"sigmas": (0.1, -1)},
    ],
)
@pytest.mark.parametrize("metric", [COCO, AverageRecall])
def test_parameters_that_make_no_sense(metric: Any, parameters: dict[str, Any]) -> None:
    with refusal(ParameterError):
        metric(**parameters)


def test_voc_refuses_thresholds_in_the_same_words() -> None:
    with refusal(ParameterError):
        assay.average_precision_voc([], [], iou="half")  # pyright: ignore[reportArgumentType]
