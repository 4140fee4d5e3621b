"""Types of errors and what they cost: one case worked by hand for each, and tidecv on made sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
import tide_oracle
from assay.core.errors import ParameterError
from assay.metrics.detection import errors
from assay.metrics.detection.errors import SPECIAL, TYPES, DetectionErrorCost, DetectionErrors
from messages import refusal

# Two truths of class 1 and one of class 2, far apart. Levels of recall up to 1/2 are 51 of 101.
TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]], "labels": [1, 1, 2]}]
FIRST, SECOND, THIRD = TRUTH[0]["boxes"]
HALF = 51 / 101


def table(boxes: list, labels: list, scores: list) -> Any:
    return assay.detection_errors(TRUTH, [{"boxes": boxes, "labels": labels, "scores": scores}])


def only(found: Any, **wanted: float) -> None:
    """The counts of these types, and none of any other; false alarms and misses are checked by value where they matter."""
    assert {name: found.count[name] for name in TYPES if found.count[name]} == wanted


def test_a_localisation_error() -> None:
    """The second truth is found at an overlap of 4/16: class 1 has AP 51/101, repaired 1."""
    found = table([FIRST, [20, 6, 30, 16], THIRD], [1, 1, 2], [0.9, 0.8, 0.7])
    only(found, localisation=1)
    assert found.ap == pytest.approx((HALF + 1) / 2)
    assert found.cost["localisation"] == pytest.approx((1 - HALF) / 2)
    assert found.cost["false_negatives"] == pytest.approx((1 - HALF) / 2)
    assert found.count["false_negatives"] == 1


def test_a_classification_error() -> None:
    """The second truth is called 2 and outscores the true 2: class 1 has 51/101, class 2 has 1/2. Repaired both are 1."""
    found = table([FIRST, SECOND, THIRD], [1, 2, 2], [0.9, 0.8, 0.7])
    only(found, classification=1)
    assert found.ap == pytest.approx((HALF + 0.5) / 2)
    assert found.cost["classification"] == pytest.approx(1 - (HALF + 0.5) / 2)
    assert found.cost["false_positives"] == pytest.approx((1 - 0.5) / 2)


def test_a_duplicate() -> None:
    """The first truth twice before the second: precision at full recall is 2/3 for the 50 levels above 1/2."""
    found = table([FIRST, [0, 0, 10, 9], SECOND, THIRD], [1, 1, 1, 2], [0.9, 0.8, 0.7, 0.6])
    only(found, duplicate=1)
    cost = (50 / 101) * (1 - 2 / 3) / 2
    assert found.cost["duplicate"] == pytest.approx(cost)
    assert found.cost["false_positives"] == pytest.approx(cost)


def test_a_background_error() -> None:
    """A box on nothing outscores the only truth of class 2."""
    found = table([FIRST, SECOND, [80, 80, 90, 90], THIRD], [1, 1, 2, 2], [0.9, 0.8, 0.7, 0.6])
    only(found, background=1)
    assert found.ap == pytest.approx(0.75)
    assert found.cost["background"] == pytest.approx(0.25)


def test_an_error_of_class_and_place() -> None:
    """Overlap 4/16 with a truth of the other class: neither a class nor a place alone would do."""
    found = table([FIRST, SECOND, [20, 6, 30, 16], THIRD], [1, 1, 2, 2], [0.9, 0.8, 0.7, 0.6])
    only(found, both=1)
    assert found.cost["both"] == pytest.approx(0.25)


def test_a_missed_truth() -> None:
    found = table([FIRST, THIRD], [1, 2], [0.9, 0.7])
    only(found, missed=1)
    assert found.cost["missed"] == pytest.approx((1 - HALF) / 2)
    assert found.count["false_negatives"] == 1


def test_a_missed_class_that_nobody_looked_for_is_left_out() -> None:
    """With the only truth of class 2 taken away, class 1 alone is left, and it is perfect."""
    found = table([FIRST, SECOND], [1, 1], [0.9, 0.8])
    only(found, missed=1)
    assert found.ap == pytest.approx(0.5)
    assert found.cost["missed"] == pytest.approx(0.5)


def test_only_the_best_of_several_is_made_right() -> None:
    """Two poor boxes for the second truth: one repair finds it, the other box goes."""
    found = table([FIRST, [20, 6, 30, 16], [20, 5, 30, 15], THIRD], [1, 1, 1, 2], [0.9, 0.8, 0.7, 0.6])
    only(found, localisation=2)
    assert found.cost["localisation"] == pytest.approx((1 - HALF) / 2)


def test_what_lies_in_a_crowd_is_no_error() -> None:
    truth = [{"boxes": [FIRST, [100, 0, 200, 100]], "labels": [1, 1], "iscrowd": [0, 1]}]
    found = [{"boxes": [[110, 10, 130, 30], FIRST], "labels": [1, 1], "scores": [0.9, 0.8]}]
    got = assay.detection_errors(truth, found)
    assert got.ap == pytest.approx(1.0)
    assert not any(got.count.values())


def test_nothing_is_wrong_with_a_perfect_detector() -> None:
    found = table([FIRST, SECOND, THIRD], [1, 1, 2], [0.9, 0.8, 0.7])
    assert found.ap == pytest.approx(1.0)
    assert list(found.cost.values()) == pytest.approx([0.0] * 8)
    assert set(found.count.values()) == {0.0}


# ---- tidecv


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(("iou", "background"), [(0.5, 0.1), (0.7, 0.3)])
def test_tidecv_says_the_same(seed: int, iou: float, background: float, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, found = tide_oracle.crowded(seed)
    costs, counts, ap = tide_oracle.costs(truth, found, iou, background)
    # COCO's levels are 0.01 added up, tidecv's are whole numbers by 100: a recall of 29/100 tells them apart.
    monkeypatch.setattr(errors, "LEVELS", np.arange(101) / 100)
    got = DetectionErrors(iou=iou, background=background, box_format="xywh")(truth, found)
    assert got.ap == pytest.approx(ap, abs=1e-12)
    assert {name: got.count[name] for name in TYPES} == counts
    assert got.cost == pytest.approx(costs, abs=1e-12)


def test_made_sets_hold_every_type() -> None:
    """Otherwise the comparison above would say nothing."""
    sums = dict.fromkeys(TYPES, 0.0)
    for seed in range(25):
        count = DetectionErrors(box_format="xywh")(*tide_oracle.crowded(seed)).count
        sums = {name: sums[name] + count[name] for name in TYPES}
    assert min(sums.values()) > 20


# ---- against ourselves


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_ap_is_that_of_coco(seed: int) -> None:
    truth, found = tide_oracle.crowded(seed)
    got = DetectionErrors(box_format="xywh")(truth, found)
    assert got.ap == pytest.approx(assay.coco(truth, found, iou=0.5, box_format="xywh"), abs=1e-12)
    assert got.count["false_positives"] == sum(got.count[name] for name in TYPES[:-1])
    assert min(got.cost.values()) > -1e-12


@pytest.mark.parametrize("error", [*TYPES, *SPECIAL])
def test_one_cost_is_that_of_the_table_and_has_an_interval(error: Any) -> None:
    truth, found = tide_oracle.crowded(3, images=30)
    metric = DetectionErrorCost(error=error, box_format="xywh")
    value = metric(truth, found)
    assert value == pytest.approx(DetectionErrors(box_format="xywh")(truth, found).cost[error], abs=1e-12)
    score = metric.interval(truth, found, seed=0, replicates=200)
    assert score.low < value < score.high


def test_refused_parameters() -> None:
    with refusal(ParameterError):
        DetectionErrors(background=0.5)
    with refusal(ParameterError):
        DetectionErrorCost(error="typo")  # type: ignore[arg-type]
