"""Average precision of VOC: a published curve, a plain twin of the rules, and what sets it apart from COCO's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
import fixtures
from assay.core.errors import ParameterError
from assay.io.voc import read_voc
from assay.metrics.detection.voc import AveragePrecisionVOC
from messages import refusal
from voc_oracle import twin

CASE = ("01_detection", "padilla_voc_case1")


@pytest.fixture(scope="module")
def padilla() -> Any:
    where = fixtures.path(*CASE)
    return read_voc(where / "gts", where / "dets", layout="images", box_format="xywh")


def test_without_the_added_pixel_the_published_values_are_missed(padilla: Any) -> None:
    wanted = fixtures.load_json(*CASE, "expected.json")["AP_every_point"]["0.3"]
    assert abs(assay.average_precision_voc(*padilla, iou=0.3, inclusive=False) - wanted) > 1e-3


def test_published_curve(padilla: Any) -> None:
    """The precision and recall behind the published value, detection by detection."""
    facts = fixtures.load_json(*CASE, "expected.json")
    rows = AveragePrecisionVOC(iou=0.3).state(*padilla).total
    order = np.argsort(-rows["score"], kind="stable")
    tp = np.cumsum(rows["hit"][order, 0] > 0)
    precision = [f"{v:.2f}" for v in tp / np.arange(1, len(tp) + 1)]
    assert precision == list(facts["precision@iou0.3 (2dp, sorted by conf)"])
    assert [f"{v:.2f}" for v in tp / 15] == list(facts["recall@iou0.3 (2dp)"])


# ---- any images, against the devkit


box = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 6), st.integers(0, 6)).map(
    lambda b: [b[0], b[1], b[0] + b[2], b[1] + b[3]]
)
objects = st.lists(st.tuples(box, st.integers(0, 2), st.integers(0, 1), st.integers(1, 9)), max_size=5)


@settings(max_examples=150, deadline=None)
@given(
    images=st.lists(st.tuples(objects, objects), min_size=1, max_size=5), iou=st.sampled_from([0.1, 0.5, 0.7]),
    points=st.sampled_from(["all", "eleven"]), inclusive=st.booleans(),
)  # fmt: skip
def test_any_images_as_the_devkit_says(images: Any, iou: float, points: Any, inclusive: bool) -> None:
    truth = [{"boxes": [o[0] for o in t], "labels": [o[1] for o in t], "ignore": [o[2] for o in t]} for t, _ in images]
    found = [
        {"boxes": [o[0] for o in f], "labels": [o[1] for o in f], "scores": [o[3] / 10 for o in f]} for _, f in images
    ]
    metric = AveragePrecisionVOC(iou=iou, points=points, inclusive=inclusive)
    state = metric.state(_shaped(truth), _shaped(found))
    total = state.total
    got = dict(zip(metric.part_names(total), metric.of(total), strict=True))
    for label, value in got.items():
        wanted = twin(truth, found, label, iou, points, float(inclusive))
        assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def _shaped(images: list[dict]) -> list[dict]:
    return [{**one, "boxes": np.array(one["boxes"], float).reshape(-1, 4)} for one in images]


# ---- the rules one by one

PAIR = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 14]], "labels": [1, 1]}]


def test_a_second_detection_of_the_best_truth_is_a_false_alarm() -> None:
    """COCO would let it take the other truth, which it overlaps enough."""
    found = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 11]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    assert assay.average_precision_voc(PAIR, found, inclusive=False) == pytest.approx(0.5)
    assert assay.coco(PAIR, found, iou=0.5) == pytest.approx(1.0)


def test_difficult_truths_count_nowhere() -> None:
    truth = [{"boxes": [[0, 0, 10, 10], [30, 0, 40, 10]], "labels": [1, 1], "ignore": [0, 1]}]
    found = [{"boxes": [[30, 0, 40, 10], [0, 0, 10, 10]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    assert assay.average_precision_voc(truth, found) == 1.0


def test_several_thresholds_are_averaged() -> None:
    found = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 20]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    alone = [assay.average_precision_voc(PAIR, found, iou=t) for t in (0.5, 0.75)]
    assert alone[0] != alone[1]
    assert assay.average_precision_voc(PAIR, found, iou=(0.5, 0.75)) == pytest.approx(np.mean(alone))


def test_all_found_reaches_the_last_level_under_any_weights() -> None:
    """Sums of weights in two orders differ by rounding; the level of recall 1 must not be lost by it."""
    rng = np.random.default_rng(0)
    truth = [{"boxes": [[0, 0, 9, 9]], "labels": [1]} for _ in range(40)]
    found = [{**one, "scores": [s]} for one, s in zip(truth, rng.permutation(40) / 40, strict=True)]
    for seed in range(30):
        weight = np.random.default_rng(seed).random(40)
        assert assay.average_precision_voc(truth, found, points="eleven", weight=weight) == pytest.approx(1.0)
        assert assay.coco(truth, found, weight=weight) == pytest.approx(1.0)


def test_bootstrap_replicates_are_weighted_values(padilla: Any) -> None:
    metric = AveragePrecisionVOC(iou=0.3)
    weights = np.random.default_rng(1).integers(0, 3, (20, 7)).astype(float)
    loop = [metric(*padilla, weight=w) for w in weights]
    np.testing.assert_allclose(metric.replicates(weights, *padilla), loop, rtol=1e-12)


def test_words_as_labels_survive_in_a_state(padilla: Any) -> None:
    metric = AveragePrecisionVOC(iou=0.3)
    state = metric.state(*padilla)
    assert type(state).from_bytes(state.to_bytes()).value() == metric(*padilla)


def test_a_threshold_of_zero_is_refused() -> None:
    with refusal(ParameterError):
        AveragePrecisionVOC(iou=0.0)
    with refusal(ParameterError):
        AveragePrecisionVOC(points="ten")  # type: ignore[arg-type]
