"""Curves of detection: COCO's average precision comes back from them, and the best threshold is the best by trying all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.core.errors import ParameterError
from assay.metrics.detection.curves import DetectionCurve
from messages import refusal, warned
from tide_oracle import crowded


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), iou=st.sampled_from([0.5, 0.75]))
def test_average_precision_comes_back(seed: int, iou: float) -> None:
    truth, found = crowded(seed)
    curves = DetectionCurve(iou=iou, box_format="xywh")(truth, found)
    parts = assay.metrics.COCO(iou=iou, box_format="xywh").score(truth, found).parts
    assert set(curves) == {label for label, value in parts.items() if not np.isnan(value)}
    for label, curve in curves.items():
        levels = [max(curve.precision[curve.recall >= r], default=0.0) for r in np.linspace(0, 1, 101)]
        assert np.mean(levels) == pytest.approx(parts[label], abs=1e-12)
        recall = assay.metrics.AverageRecall(iou=iou, box_format="xywh").score(truth, found).parts[label]
        assert max(curve.recall, default=0.0) == pytest.approx(recall)


def pycocotools(truth: list[dict], found: list[dict], use_classes: bool = True) -> Any:
    """COCO's own evaluation of boxes, accumulated."""
    coco, cocoeval = pytest.importorskip("pycocotools.coco"), pytest.importorskip("pycocotools.cocoeval")
    gt = coco.COCO()
    gt.dataset = {"images": [{"id": i} for i in range(len(truth))], "categories": [{"id": k} for k in range(3)]}
    pairs = [
        (i, k, b) for i, t in enumerate(truth) for k, b in zip(t["labels"].tolist(), t["boxes"].tolist(), strict=True)
    ]
    gt.dataset["annotations"] = [
        {"id": at + 1, "image_id": i, "category_id": k, "bbox": b, "area": b[2] * b[3], "iscrowd": 0}
        for at, (i, k, b) in enumerate(pairs)
    ]
    gt.createIndex()
    results = [
        {"image_id": i, "category_id": int(k), "bbox": b.tolist(), "score": float(s)}
        for i, f in enumerate(found)
        for k, b, s in zip(f["labels"], f["boxes"], f["scores"], strict=True)
    ]
    run = cocoeval.COCOeval(gt, gt.loadRes(results), "bbox")
    run.params.useCats = int(use_classes)
    run.evaluate()
    run.accumulate()
    run.summarize()
    return run


def test_pycocotools_has_the_same_envelope() -> None:
    """Its 101 precisions are the best at or beyond each level."""
    truth, found = crowded(5)
    run = pycocotools(truth, found)
    for label, curve in DetectionCurve(box_format="xywh")(truth, found).items():
        ours = [max(curve.precision[curve.recall >= r], default=0.0) for r in run.params.recThrs]
        np.testing.assert_allclose(ours, run.eval["precision"][0, :, label, 0, -1], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_without_classes_there_is_one_class(seed: int) -> None:
    """pycocotools' useCats=0; by class a class could have more hits than objects."""
    truth, found = crowded(seed)
    metric = assay.metrics.COCO(class_agnostic=True, box_format="xywh")
    assert metric(truth, found) == pytest.approx(pycocotools(truth, found, use_classes=False).stats[0], abs=1e-12)
    assert list(DetectionCurve(class_agnostic=True, box_format="xywh")(truth, found)) == ["all"]
    weights = np.random.default_rng(seed).integers(0, 4, (20, len(truth))).astype(float)
    loop = [metric(truth, found, weight=w) for w in weights]
    np.testing.assert_allclose(metric.replicates(weights, truth, found), loop, rtol=1e-12)


def test_the_best_threshold_is_the_best_of_all() -> None:
    truth, found = crowded(2)
    for label, curve in DetectionCurve(box_format="xywh")(truth, found).items():
        threshold, f1 = curve.best()
        tried = []
        for t in np.unique(np.concatenate([one["scores"] for one in found])):
            kept = [{name: np.asarray(v)[one["scores"] >= t] for name, v in one.items()} for one in found]
            table = assay.metrics.COCO(iou=0.5, box_format="xywh").state(truth, kept).total
            # Hits among what is left, counted by hand from the match.
            own = table["label"] == label
            tp = int((table["hit"][own, 0] & np.uint64(1)).sum())
            positives = int((table["truth"] == label).sum())
            tried.append((2 * tp / (own.sum() + positives), t))
        best = max(tried)
        assert f1 == pytest.approx(best[0])
        assert threshold == pytest.approx(best[1])


def test_equal_scores_are_one_point() -> None:
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["a"]}]
    found = [{"boxes": [[0, 0, 10, 10], [50, 0, 60, 10]], "labels": ["a", "a"], "scores": [0.5, 0.5]}]
    curve = assay.detection_curve(truth, found)["a"]
    assert curve.threshold.tolist() == [0.5]
    assert curve.precision.tolist() == [0.5]
    assert curve.to_dict() == {"precision": [0.5], "recall": [1.0], "f1": [2 / 3], "threshold": [0.5]}


def test_a_class_without_detections_has_an_empty_curve() -> None:
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["a"]}]
    found = [{"boxes": np.zeros((0, 4)), "labels": [], "scores": []}]
    curve = assay.detection_curve(truth, found)["a"]
    assert len(curve.threshold) == 0
    assert curve.best() == (float("inf"), 0.0)


def test_a_mean_over_overlaps_has_no_curve() -> None:
    with refusal(ParameterError):
        DetectionCurve(iou=None)


def test_classes_without_truth_are_said() -> None:
    truth: Any = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    found = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 10]], "labels": [1, 2], "scores": [0.5, 0.4]}]
    with warned(assay.UndefinedWarning):
        assert set(assay.detection_curve(truth, found)) == {1}
