"""The confusion matrix of detection: a twin of the rule by overlap, and small cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.core.errors import InputError, ParameterError
from assay.metrics.detection.confusion import DetectionConfusion
from messages import refusal
from tide_oracle import crowded


def _by_overlap(truth: dict, found: dict, iou: float, threshold: float, k: int) -> Any:
    """A table of true against found: all pairs by falling overlap, ties by score."""
    from assay import box_iou_matrix

    table = np.zeros((k + 1, k + 1), int)
    kept = np.flatnonzero(found["scores"] >= threshold)
    overlap = box_iou_matrix(truth["boxes"], found["boxes"][kept], box_format="xywh")
    pairs = [(-overlap[g, d], -found["scores"][kept[d]], g, d) for g, d in np.argwhere(overlap >= iou)]
    seen: dict[str, set] = {"g": set(), "d": set()}
    for *_, g, d in sorted(pairs):
        if g in seen["g"] or d in seen["d"]:
            continue
        seen["g"].add(g)
        seen["d"].add(d)
        table[truth["labels"][g], found["labels"][kept[d]]] += 1
    for g in set(range(len(truth["labels"]))) - seen["g"]:
        table[truth["labels"][g], k] += 1
    for d in set(range(len(kept))) - seen["d"]:
        table[k, found["labels"][kept[d]]] += 1
    return table


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), threshold=st.sampled_from([0.0, 0.25, 0.6]), iou=st.sampled_from([0.3, 0.45, 0.7]))
def test_the_rule_by_overlap(seed: int, threshold: float, iou: float) -> None:
    truth, found = crowded(seed, images=6)
    wanted = sum(_by_overlap(t, f, iou, threshold, 3) for t, f in zip(truth, found, strict=True))
    got = DetectionConfusion(rule="overlap", threshold=threshold, iou=iou, box_format="xywh")(truth, found)
    assert got.labels == (0, 1, 2)
    np.testing.assert_array_equal(got.table, wanted)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), rule=st.sampled_from(["score", "overlap"]))
def test_every_object_counts_once(seed: int, rule: Any) -> None:
    truth, found = crowded(seed, images=5)
    got = DetectionConfusion(rule=rule, box_format="xywh")(truth, found)
    labels = [np.bincount(np.concatenate([one["labels"] for one in side]), minlength=3) for side in (truth, found)]
    np.testing.assert_array_equal(got.table[:-1].sum(axis=1), labels[0])
    np.testing.assert_array_equal(got.table[:, :-1].sum(axis=0), labels[1])
    np.testing.assert_array_equal(got.tp + got.fp, labels[1])
    np.testing.assert_array_equal(got.tp + got.fn, labels[0])


TWO = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 12]], "labels": ["cat", "dog"]}]


def test_the_two_rules_differ() -> None:
    """The better score is nearer to the dog and takes it; by overlap the worse score, which fits exactly, has the dog."""
    found = [{"boxes": [[0, 0, 10, 11.5], [0, 0, 10, 12]], "labels": ["cat", "dog"], "scores": [0.9, 0.8]}]
    by_score, by_overlap = (assay.detection_confusion(TWO, found, rule=rule) for rule in ("score", "overlap"))
    assert by_score.labels == ("cat", "dog")
    np.testing.assert_array_equal(by_score.table, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(by_overlap.table, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_crowds_and_ignored_truths_count_nowhere() -> None:
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 60, 40]], "labels": [1, 1], "iscrowd": [0, 1]}]
    found = [{"boxes": [[0, 0, 10, 10], [25, 5, 35, 15]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    np.testing.assert_array_equal(assay.detection_confusion(truth, found).table, [[1, 0], [0, 0]])


def test_rates_of_each_class() -> None:
    found = [{"boxes": [[0, 0, 10, 10], [40, 0, 50, 10]], "labels": ["cat", "cat"], "scores": [0.9, 0.8]}]
    facts = assay.detection_confusion(TWO, found).per_class()
    assert facts["label"] == ["cat", "dog"]
    np.testing.assert_array_equal([facts["tp"], facts["fp"], facts["fn"]], [[1, 0], [1, 0], [0, 1]])
    np.testing.assert_allclose(facts["precision"], [0.5, np.nan])
    np.testing.assert_allclose(facts["recall"], [1.0, 0.0])
    np.testing.assert_allclose(facts["f1"], [2 / 3, 0.0])


def test_weights_of_images_weigh_the_cells() -> None:
    found = [{"boxes": [[0, 0, 10, 10]], "labels": ["cat"], "scores": [0.9]}]
    table = assay.detection_confusion(TWO * 2, found * 2, weight=[0.5, 2.0])
    np.testing.assert_allclose(table.table, [[2.5, 0, 0], [0, 0, 2.5], [0, 0, 0]])


def test_no_interval_of_a_table() -> None:
    with refusal(InputError):
        DetectionConfusion().interval(TWO, [{"boxes": [[0, 0, 1, 1]], "labels": ["cat"], "scores": [0.5]}])


def test_words_for_what_is_missing() -> None:
    with refusal(InputError):
        DetectionConfusion(iou_type="segm")(TWO, [{**TWO[0], "scores": [0.5, 0.4]}])
    with refusal(InputError):
        assay.coco(TWO, [{**TWO[0], "scores": [0.5, 0.4]}], iou_type="keypoints")
    with refusal(ParameterError):
        DetectionConfusion(rule="best")  # type: ignore[arg-type]


def test_tensors_of_torchmetrics_format() -> None:
    torch = pytest.importorskip("torch")
    truth, found = crowded(1)
    pair = [[{name: torch.tensor(v) for name, v in one.items()} for one in side] for side in (truth, found)]
    for name in ("detection_confusion", "detection_errors", "average_precision_voc", "coco"):
        metric = getattr(assay, name)
        assert str(metric(*pair, box_format="xywh")) == str(metric(truth, found, box_format="xywh"))
