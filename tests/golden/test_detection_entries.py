"""Detection by hand: small images whose value can be worked out on paper, one for every entry."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from messages import warned

# Three truths of one class. By falling score: right, wrong, right, wrong; the third truth is missed.
TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 1]}, {"boxes": [[0, 0, 10, 10]], "labels": [1]}]
FOUND = [
    {"boxes": [[0, 0, 10, 10], [50, 50, 60, 60]], "labels": [1, 1], "scores": [0.9, 0.8]},
    {"boxes": [[0, 0, 10, 9], [70, 70, 80, 80]], "labels": [1, 1], "scores": [0.7, 0.6]},
]


def test_average_precision_voc() -> None:
    """Precision 1 up to recall 1/3, then 2/3 up to 2/3: the area, and of eleven levels 4 and 3 (0.6 is below 2/3)."""
    assert assay.average_precision_voc(TRUTH, FOUND) == pytest.approx((1 + 2 / 3) / 3)
    assert assay.average_precision_voc(TRUTH, FOUND, points="eleven") == pytest.approx((4 + 3 * 2 / 3) / 11)


def test_interpolations_differ_on_the_same_detections() -> None:
    """Trap 3: the same matches give three numbers by three rules."""
    values = [
        assay.average_precision_voc(TRUTH, FOUND),
        assay.average_precision_voc(TRUTH, FOUND, points="eleven"),
        assay.coco(TRUTH, FOUND, iou=0.5),
    ]
    assert values == pytest.approx([5 / 9, 6 / 11, (34 + 33 * 2 / 3) / 101])


def test_the_sequence_of_trap_3() -> None:
    """Right and wrong by falling score as 1 0 1 1 0 1 0 0 1 0, five truths in five images: the numbers that the trap states."""
    outcome = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0]
    truth = [
        {"boxes": [[0, 0, 10, 10]], "labels": [1]} if right else {"boxes": np.zeros((0, 4)), "labels": []}
        for right in outcome
    ]
    found = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [1 - at / 10]} for at in range(10)]
    values = [
        assay.average_precision_voc(truth, found),
        assay.coco(truth, found, iou=0.5),
        assay.average_precision_voc(truth, found, points="eleven"),
    ]
    assert [f"{value:.3f}" for value in values] == ["0.744", "0.747", "0.760"]  # 0.768 if 3/5 reached the level 0.6


def test_coco_and_average_recall_of_trap_2() -> None:
    """Classes without truth cost nothing and are counted; sizes go by the stated area; the cap cuts an image and class."""
    more = [
        {key: [*value, extra] for (key, value), extra in zip(one.items(), ([0, 0, 5, 5], 7, 0.99), strict=True)}
        for one in FOUND
    ]
    with warned(assay.UndefinedWarning):
        assert assay.coco(TRUTH, more, iou=0.5) == pytest.approx((34 + 33 * 2 / 3) / 101)
    stated = [{**one, "area": [5000.0] * len(one["labels"])} for one in TRUTH]
    assert assay.average_recall(stated, FOUND, iou=0.5, area_range="medium") == pytest.approx(2 / 3)
    assert assay.average_recall(TRUTH, FOUND, iou=0.5, area_range="small") == pytest.approx(2 / 3)
    assert assay.average_recall(
        TRUTH, [FOUND[0], {**FOUND[1], "scores": [0.6, 0.7]}], iou=0.5, max_detections=1
    ) == pytest.approx(1 / 3)


def test_detection_confusion() -> None:
    table = assay.detection_confusion(TRUTH, FOUND)
    np.testing.assert_array_equal(table.table, [[2, 1], [2, 0]])


def test_detection_curve() -> None:
    curve = assay.detection_curve(TRUTH, FOUND)[1]
    np.testing.assert_allclose(curve.precision, [1, 1 / 2, 2 / 3, 1 / 2])
    np.testing.assert_allclose(curve.recall, [1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert curve.best() == pytest.approx((0.7, 4 / 6))


def test_detection_errors() -> None:
    table = assay.detection_errors(TRUTH, FOUND)
    assert table.count["background"] == 2
    assert table.count["missed"] == 1
    assert table.ap == pytest.approx((34 + 33 * 2 / 3) / 101)
    assert table.cost["background"] == pytest.approx(67 / 101 - table.ap)  # no false alarm up to recall 2/3
    assert table.cost["missed"] == pytest.approx((51 + 50 * 2 / 3) / 101 - table.ap)  # 1 up to recall 1/2, then 2/3


def test_detection_error_cost() -> None:
    wanted = 67 / 101 - (34 + 33 * 2 / 3) / 101
    assert assay.detection_error_cost(TRUTH, FOUND, error="background") == pytest.approx(wanted)


def test_box_iou() -> None:
    """Half of each box is shared: 1/3. The smallest box around both is full; centres are 1 apart on a diagonal of sqrt(13)."""
    pair = [[0.0, 0, 2, 2]], [[1.0, 0, 3, 2]]
    assert assay.box_iou(*pair) == pytest.approx(1 / 3)
    assert assay.box_iou(*pair, kind="giou") == pytest.approx(1 / 3)
    assert assay.box_iou(*pair, kind="diou") == pytest.approx(1 / 3 - 1 / 13)
    assert assay.box_iou(*pair, kind="ciou") == pytest.approx(1 / 3 - 1 / 13)
    np.testing.assert_allclose(assay.box_iou_matrix(*pair, [True]), [[1 / 2]])


def test_mask_ap_by_hand() -> None:
    """Two masks share 4 of 6 pixels: an overlap of 2/3 is right at 0.50, 0.55, 0.60 and 0.65, which are 4 of 10 thresholds."""
    true, found = np.zeros((1, 2, 4), bool), np.zeros((1, 2, 4), bool)
    true[0, :, :3] = True
    found[0, :, :2] = True
    value = assay.mask_ap([{"masks": true, "labels": [1]}], [{"masks": found, "labels": [1], "scores": [0.9]}])
    assert value == pytest.approx(0.4)


def test_lvis_and_lvis_recall_by_hand() -> None:
    """Class 1 in three images: one of two truths found behind one false alarm; what the other images say nothing of is left out."""
    box, far = [0, 0, 10, 10], [50, 50, 60, 60]
    lists = {"neg_category_ids": [], "not_exhaustive_category_ids": []}
    truth = [
        {"boxes": [box], "labels": [1], **lists, "frequency": ["r"]},
        {"boxes": [box], "labels": [1], **lists, "frequency": ["r"]},
        {"boxes": [box], "labels": [2], **lists, "neg_category_ids": [1], "frequency": ["f"]},
    ]
    found = [
        {"boxes": [box, far], "labels": [1, 2], "scores": [0.6, 0.99]},  # class 2 was not looked for here
        {"boxes": np.zeros((0, 4)), "labels": [], "scores": []},
        {"boxes": [far, box], "labels": [1, 2], "scores": [0.7, 0.5]},  # class 1 was, and is not here
    ]
    assert assay.lvis(truth, found, frequency="rare") == pytest.approx(51 / 101 / 2)  # precision 1/2 up to recall 1/2
    assert assay.lvis(truth, found) == pytest.approx((51 / 101 / 2 + 1) / 2)
    assert assay.lvis_recall(truth, found) == pytest.approx((1 / 2 + 1) / 2)
