"""Hand-worked values of segmentation metrics. Every expected number follows from counting the pixels of the maps written here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from golden_cases import Case, check, check_undefined, params

import assay
from messages import warned

# Two pictures of four pixels. Class 0: true 4, predicted 2, agree 2. Class 1: true 3, predicted 5, agree 3. Class 2: true 1, predicted 1,
# agree 1.
TRUE = np.array([[[0, 0], [1, 1]], [[0, 0], [1, 2]]])
PRED = np.array([[[0, 1], [1, 1]], [[0, 1], [1, 2]]])
BOTH: dict[str, Any] = {"y_true": TRUE, "y_pred": PRED}

OVERLAP = [
    Case("pixel_accuracy", BOTH, 6 / 8),
    Case("pixel_accuracy", {"y_true": TRUE, "y_pred": PRED}, 3 / 5, {"ignore_index": 1}),
    Case("mean_class_accuracy", BOTH, (2 / 4 + 3 / 3 + 1) / 3),
    Case("mean_class_accuracy", BOTH, [0.5, 1, 1], {"average": None}),
    Case("mean_iou", BOTH, (2 / 4 + 3 / 5 + 1 / 1) / 3),
    Case("mean_iou", BOTH, (4 * 2 / 4 + 3 * 3 / 5 + 1) / 8, {"average": "frequency"}),
    Case("mean_iou", BOTH, [2 / 4, 3 / 5, 1], {"average": None}),
    # First picture: 1/2 and 2/3. Second: 1/2, 1/2 and 1.
    Case("mean_iou", BOTH, ((1 / 2 + 2 / 3) / 2 + (1 / 2 + 1 / 2 + 1) / 3) / 2, {"level": "image"}),
    Case("mean_iou", BOTH, [1 / 2, (2 / 3 + 1 / 2) / 2, 1], {"level": "image", "average": None}),
    Case("mean_iou", BOTH, ((1 / 2 + 2 / 3 + 0) / 3 + 2 / 3) / 2, {"level": "image", "classes": 3, "undefined": 0}),
    Case("dice", BOTH, (4 / 6 + 6 / 8 + 1) / 3),
    Case("dice", BOTH, [4 / 6, 6 / 8, 1], {"average": None}),
    Case("dice", BOTH, ((2 / 3 + 4 / 5) / 2 + (2 / 3 + 2 / 3 + 1) / 3) / 2, {"level": "image"}),
]

# Probabilities in eighths. First picture: p sums to 9/4, its product with the mask to 3/2. Second: 1/2 and 1/2. Masks of 2 and 1 pixels.
SOFT: dict[str, Any] = {
    "y_true": np.array([[[0, 1], [1, 0]], [[1, 0], [0, 0]]]),
    "y_prob": np.array([[[0.5, 0.75], [0.75, 0.25]], [[0.5, 0.0], [0.0, 0.0]]]),
}
UNKNOWN = np.array([[[255, 1], [1, 0]], [[1, 0], [0, 0]]])
EVEN = {
    "y_true": SOFT["y_true"][:1],
    "logits": np.zeros((1, 2, 2)),
}  # probabilities of 1/2: p sums to 2, with the mask to 1
SOFT_CASES = [
    Case("soft_dice", SOFT, (3 / 4.25 + 1 / 1.5) / 2),
    Case("soft_dice", SOFT, 4 / 5.75, {"level": "set"}),
    Case("soft_dice", SOFT, (3 / 3.4375 + 1 / 1.25) / 2, {"squared": True}),  # squares 1/4 + 9/16 + 9/16 + 1/16, 1/4
    Case("soft_dice", {**SOFT, "y_true": UNKNOWN}, (3 / 3.75 + 1 / 1.5) / 2, {"ignore_index": 255}),
    Case("soft_dice", {**SOFT, "weight": [3.0, 1.0]}, (3 * 3 / 4.25 + 1 / 1.5) / 4),
    Case("soft_dice", EVEN, 2 / 4),
    Case("soft_iou", SOFT, (1.5 / 2.75 + 0.5 / 1) / 2),
    Case("soft_iou", SOFT, 2 / 3.75, {"level": "set"}),
    Case("soft_iou", EVEN, 1 / 3),
]

# A 5 x 5 square in a map of 7 x 7; the prediction lacks its right column. Rims of one pixel: 16 of the square, 14 of the 5 x 4
# rectangle; shared: top and bottom 4 + 4 and the left column 3. Background rims: all of it (it is one pixel wide), 24 and 29; of
# the predicted background the rim is the border of 24 and the column of 5.
SQUARE, SHORT = np.zeros((2, 1, 7, 7), dtype=np.int64)
SQUARE[0, 1:6, 1:6] = 1
SHORT[0, 1:6, 1:5] = 1
SHAPES: dict[str, Any] = {"y_true": SQUARE, "y_pred": SHORT}
CORNERS: dict[str, Any] = {"y_true": np.zeros((1, 4, 3), dtype=np.int64), "y_pred": np.zeros((1, 4, 3), dtype=np.int64)}
CORNERS["y_true"][0, 0, 0] = 1
CORNERS["y_pred"][0, [1, 3], [2, 1]] = 1
BAR: dict[str, Any] = {
    "y_true": np.pad(np.ones((3, 7), dtype=np.int64), 1)[None],
    "y_pred": np.zeros((1, 5, 9), dtype=np.int64),
}
BAR["y_pred"][0, 2, 1:8] = 1
# Contour of the truth: 16 pixels, of which the right column (5) is at distance 1 from the predicted contour, the rest on it, but
# for none: top and bottom reach column 4. Contour of the prediction: 14 pixels, of which the 3 inner ones of its right column are
# at distance 1 from the true contour.
SURFACES = [
    Case("boundary_iou", SHAPES, [24 / 29, 11 / 19], {"width": 1, "unit": "pixels", "average": None}),
    Case("hausdorff", SHAPES, 1.0),
    Case("hausdorff", SHAPES, 3.0, {"spacing": (2.0, 3.0)}),
    Case("hausdorff", {"y_true": [[[1, 0, 0, 0, 0, 1]]], "y_pred": [[[1, 1, 0, 0, 0, 0]]]}, 2.0, {"percentile": 50}),
    Case("average_surface_distance", SHAPES, (5 + 3) / 30),
    Case("average_surface_distance", SHAPES, 3 / 14, {"direction": "to_truth"}),
    Case("average_surface_distance", SHAPES, 5 / 16, {"direction": "from_truth"}),
    Case("mean_average_surface_distance", SHAPES, (5 / 16 + 3 / 14) / 2),
    Case("mean_average_surface_distance", SHAPES, (15 / 16 + (2 + 3 + 2) / 14) / 2, {"spacing": (2.0, 3.0)}),
    # From (0, 0) to (1, 2) and (3, 1), and back: 2 steps and 1, 3 and 1.
    Case("hausdorff", CORNERS, math.hypot(3, 1), {"direction": "to_truth"}),
    Case("hausdorff", CORNERS, math.hypot(1, 2), {"direction": "from_truth"}),
    Case("hausdorff", CORNERS, 4.0, {"norm": "taxicab"}),
    Case("hausdorff", CORNERS, 3.0, {"norm": "taxicab", "direction": "from_truth"}),
    Case("hausdorff", CORNERS, 3.0, {"norm": "chessboard"}),
    Case("hausdorff", CORNERS, 2.0, {"norm": "chessboard", "direction": "from_truth"}),
    Case("hausdorff", CORNERS, 2 * 3 + 0.5, {"norm": "taxicab", "spacing": (2.0, 0.5)}),
    Case("average_surface_distance", CORNERS, (3 + 3 + 4) / 3, {"norm": "taxicab"}),
    Case("mean_average_surface_distance", CORNERS, (2 + (2 + 3) / 2) / 2, {"norm": "chessboard"}),
    # One side empty: the diagonal of a 4 x 3 map by the norm.
    Case(
        "hausdorff",
        {**CORNERS, "y_pred": np.zeros((1, 4, 3), dtype=np.int64)},
        7.0,
        {"missed": "diagonal", "norm": "taxicab"},
    ),
    Case("normalized_surface_dice", SHAPES, 1.0),
    Case("normalized_surface_dice", SHAPES, (11 + 11) / 30, {"tolerance": 0.5}),
    Case("boundary_f1", SHAPES, 2 * (11 / 14) * (11 / 16) / (11 / 14 + 11 / 16), {"tolerance": 0.5}),
    Case("cl_dice", {"y_true": [[1, 1, 1, 1]], "y_pred": [[1, 1, 0, 0]]}, 2 / 3),  # all of 2 pixels, and 2 of 4
    Case("cl_dice", {"y_true": [[1, 1, 1, 1, 0]], "y_pred": [[0, 1, 1, 1, 1]]}, 3 / 4),
    Case("cl_dice", BAR, 1.0),  # the width of a bar does not matter
    Case("boundary_f1", SHAPES, 1.0, {"tolerance": 0.2, "unit": "diagonal"}),  # a fifth of 9.9 pixels
]

# One row of ten pixels, (class, instance). Class 1: true segments of 4 and 2 pixels, predicted ones of 3 and 3; the first pair
# shares 3 of 4, the second pair 2 of 3. Class 2, stuff, 4 pixels: predicted 2 of them, the other 2 as class 3.
PANOPTIC: dict[str, Any] = {
    "y_true": [[[[1, 1]] * 4 + [[1, 2]] * 2 + [[2, 0]] * 4]],
    "y_pred": [[[[1, 7]] * 3 + [[1, 9]] * 3 + [[2, 0]] * 2 + [[3, 0]] * 2]],
}
THINGS: dict[str, Any] = {"things": (1,)}
# Class 2: 2 of 4 is not above one half, so a miss and a false alarm. Class 3: a false alarm.
QUALITY = [
    Case("panoptic_quality", PANOPTIC, [(3 / 4 + 2 / 3) / 2, 0, 0], {"average": None}),
    Case("panoptic_quality", PANOPTIC, (3 / 4 + 2 / 3) / 6),
    Case("panoptic_quality", PANOPTIC, (3 / 4 + 2 / 3) / 2, {"over": "things", **THINGS}),
    Case("panoptic_quality", PANOPTIC, 0.0, {"over": "stuff", **THINGS}),
    Case("panoptic_quality", PANOPTIC, (3 / 4 + 2 / 3) / 6, {"quality": "segmentation"}),
    Case("panoptic_quality", PANOPTIC, 1 / 3, {"quality": "recognition"}),
    # Class 1: 4 pixels covered by 3/4, 2 by 2/3. Class 2: 4 pixels by 1/2. Class 3 has no true segment.
    Case("parsing_covering", PANOPTIC, [13 / 18, 1 / 2, math.nan], {"average": None}),
    Case("parsing_covering", PANOPTIC, (13 / 18 + 1 / 2) / 2),
    Case("parsing_covering", PANOPTIC, 13 / 18, {"over": "things", **THINGS}),
    Case("parsing_covering", {**PANOPTIC, "y_true": [[[*PANOPTIC["y_true"][0][0][:8], [9, 0], [9, 0]]]]},
         [13 / 18, 1, math.nan], {"average": None, "void": 9, "classes": (1, 2, 3)}),
    # Void where class 3 is predicted: no false alarm of class 3 then, and class 2 has 2 of 2.
    Case("panoptic_quality", {**PANOPTIC, "y_true": [[[*PANOPTIC["y_true"][0][0][:8], [9, 0], [9, 0]]]]},
         [(3 / 4 + 2 / 3) / 2, 1, math.nan], {"average": None, "void": 9, "classes": (1, 2, 3)}),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
@pytest.mark.parametrize("case", params(SOFT_CASES + OVERLAP + SURFACES + QUALITY))
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
def test_undefined() -> None:
    zero = np.zeros((1, 3, 3), dtype=np.int64)
    for key in (
        "hausdorff",
        "average_surface_distance",
        "mean_average_surface_distance",
        "normalized_surface_dice",
        "boundary_f1",
    ):
        check_undefined(key, {"y_true": zero, "y_pred": zero}, {})


# ---- traps


def test_4_level_of_mean_iou() -> None:
    """Class 1 is 1 of 2 right in one picture and 90 of 100 in the other: 91 of 102, or the mean of 0.5 and 0.9."""
    true, predicted = np.zeros((2, 2, 120), dtype=np.int64)
    true[0, :2], predicted[0, :1], true[1, :100], predicted[1, :90] = 1, 1, 1, 1
    true, predicted = true[:, None], predicted[:, None]
    each = assay.mean_iou(true, predicted, average=None)
    assert each[1] == pytest.approx(91 / 102, rel=1e-14)
    assert assay.mean_iou(true, predicted, average=None, level="image")[1] == pytest.approx(0.7, rel=1e-14)
    # A class that was named and does not occur: left out and counted, not a silent 0 or 1.
    with warned(assay.UndefinedWarning):
        assert assay.mean_iou(true, predicted, classes=3) == pytest.approx(each.mean(), rel=1e-14)
    assert assay.metrics.MeanIoU(classes=3).score(true, predicted).undefined == 1


def test_4_peers() -> None:
    torch = pytest.importorskip("torch")
    segmentation = pytest.importorskip("torchmetrics.segmentation")
    functional = pytest.importorskip("torchmetrics.functional.segmentation")
    classification = pytest.importorskip("torchmetrics.classification")
    t, p = torch.tensor(TRUE), torch.tensor(PRED)
    whole = classification.MulticlassJaccardIndex(3, average="macro")(p, t)
    assert float(whole) == pytest.approx(assay.mean_iou(TRUE, PRED), abs=1e-6)
    images = functional.mean_iou(p, t, num_classes=3, input_format="index")
    assert float(images.mean()) == pytest.approx(assay.mean_iou(TRUE, PRED, level="image"), abs=1e-6)
    # Their class takes the mean over all pairs of an image and a class that exist: 1/2, 2/3, 1/2, 1/2, 1.
    pairs = segmentation.MeanIoU(num_classes=3, input_format="index")(p, t)
    assert float(pairs) == pytest.approx((1 / 2 + 2 / 3 + 1 / 2 + 1 / 2 + 1) / 5, abs=1e-6)


# Ten pixels. True: segment A (class 1) of 6, void of 4. Predicted: one segment of 4 on A, void on the other 2 of A, and a segment
# of class 1 on the void.
A = {"id": 1, "category_id": 1}
VOID_TRUE = (np.array([[1] * 6 + [0] * 4]), [A])
VOID_PRED = (np.array([[5] * 4 + [0] * 2 + [6] * 4]), [{"id": 5, "category_id": 1}, {"id": 6, "category_id": 1}])


def test_5_only_the_truth_leaves_open() -> None:
    """4 of 6 is the IoU: what the prediction left void is missed. The segment on true void is no false alarm."""
    assert assay.panoptic_quality([VOID_TRUE], [VOID_PRED]) == pytest.approx(4 / 6, rel=1e-14)
    table = assay.metrics.PanopticQuality().table([VOID_TRUE], [VOID_PRED])
    assert (table[1]["tp"], table[1]["fp"], table[1]["fn"]) == (1, 0, 0)


def test_5_torchmetrics_shrinks_the_union() -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.detection")
    true = torch.tensor([[[[1, 0]] * 6 + [[255, 0]] * 4]])
    predicted = torch.tensor([[[[1, 0]] * 4 + [[255, 0]] * 2 + [[255, 0]] * 4]])
    theirs = functional.panoptic_quality(predicted, true, things={1}, stuffs={2}, allow_unknown_preds_category=True)
    ours = assay.panoptic_quality(true.numpy(), predicted.numpy(), void=255)
    assert ours == pytest.approx(4 / 6, rel=1e-14)
    assert float(theirs) > ours + 0.1


def test_5_every_crowd_counts() -> None:
    """Two crowd regions of a class under one prediction: 5 + 5 of 10 pixels, so it is no false alarm."""
    true = np.array([[1] * 5 + [2] * 5 + [3] * 2]), [
        {"id": 1, "category_id": 1, "iscrowd": 1}, {"id": 2, "category_id": 1, "iscrowd": 1}, {"id": 3, "category_id": 1},
    ]  # fmt: skip
    predicted = np.array([[8] * 10 + [9] * 2]), [{"id": 8, "category_id": 1}, {"id": 9, "category_id": 1}]
    assert assay.panoptic_quality([true], [predicted]) == 1.0
    lone = (true[0], [*true[1][:1], {**true[1][1], "iscrowd": 0}, true[1][2]])
    assert assay.panoptic_quality([lone], [predicted]) == 1 / (1 + 1 / 2 + 1 / 2)


FAR_TRUE, FAR_PRED = np.zeros((2, 1, 1, 60), dtype=np.int64)
FAR_TRUE[0, 0, :40] = 1
FAR_PRED[0, 0, :20] = 1


def test_6_the_larger_directed_percentile() -> None:
    """Truth of 40 pixels in a row, prediction the first 20: distances 0 x 20, 1..20 one way and 0 x 20 the other."""
    forth = np.array([0] * 20 + list(range(1, 21)))
    assert assay.hausdorff(FAR_TRUE, FAR_PRED, percentile=95) == pytest.approx(np.percentile(forth, 95), rel=1e-14)
    pooled = np.percentile(np.concatenate([forth, np.zeros(20)]), 95)
    assert pooled < assay.hausdorff(FAR_TRUE, FAR_PRED, percentile=95)


def test_6_a_missed_mask_does_not_make_the_mean_better() -> None:
    none = np.zeros_like(FAR_TRUE)
    true, predicted = np.concatenate([FAR_TRUE] * 2), np.concatenate([FAR_PRED, none])
    with warned(assay.UndefinedWarning):
        assert assay.hausdorff(true, predicted) == math.inf
    with warned(assay.UndefinedWarning):
        assert assay.hausdorff(true, predicted, missed="diagonal") == pytest.approx((20 + math.hypot(1, 60)) / 2)
    with warned(assay.UndefinedWarning):
        assert assay.hausdorff(true, predicted, missed="skip") == 20
    with warned(assay.UndefinedWarning):
        assert assay.normalized_surface_dice(true, predicted, tolerance=100) == 0.5
