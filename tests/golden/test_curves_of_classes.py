"""Curves of several classes, operating points with their thresholds, decision curves: by hand and by their own areas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from messages import refusal, warned

# From the top: 0.8 +, 0.4 -, 0.35 +, 0.1 -.
FOUR = {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.4, 0.35, 0.8]}
# Each class against the rest: class 0 at 0.5 above 0.3, 0.2, 0.1; class 1 at 0.5; class 2 at 0.7 and 0.3, which ties.
THREE = {
    "y_true": [0, 1, 2, 2],
    "y_prob": [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7]],
}
LABELS = {"y_true": [[1, 0], [0, 1], [1, 1]], "y_score": [[0.9, 0.2], [0.1, 0.3], [0.5, 0.1]]}


def many(seed: int, n: int = 200, k: int = 4) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return y, np.round(rng.normal(size=(n, k)) + np.eye(k)[y], 1), rng.gamma(1.0, 1.0, n)


def test_each_class_and_the_range_of_the_areas() -> None:
    curves = assay.roc_curve(**THREE)
    assert curves.areas == {0: 1.0, 1: 1.0, 2: 0.875}
    assert curves.mean_area == pytest.approx(23 / 24, rel=1e-15)
    assert curves.area_range == (0.875, 1.0)
    assert "mean area 0.9583 (0.875 to 1)" in repr(curves)


def test_each_pair_of_classes() -> None:
    """Class 1 against class 2 by the scores of 1: 0.5 above 0.4 and 0.2. Class 2 against 1: 0.7 above 0.3, 0.3 ties with it."""
    curves = assay.roc_curve(**THREE, multiclass="ovo")
    assert set(curves) == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)}
    assert curves[1, 2].area == 1.0
    assert curves[2, 1].area == 0.75
    assert curves[2, 1].tpr.tolist() == [0, 0.5, 1]
    assert curves.mean_area == pytest.approx(23 / 24, rel=1e-15)  # that of Hand and Till


def test_the_mean_curve_by_hand() -> None:
    """Classes 0 and 1 rise to 1 at once; class 2 rises to 1/2 at 0 and to 1 at fpr 1/2."""
    mean = assay.roc_curve(**THREE, average="macro")
    points = dict(zip(mean.fpr.tolist(), mean.tpr.tolist(), strict=True))  # the upper end where there are two
    assert points[0.0] == pytest.approx(5 / 6, rel=1e-15)
    assert points[1 / 3] == pytest.approx((2 + 1 / 2 + 1 / 3) / 3, rel=1e-15)  # two thirds of the way to (1/2, 1)
    assert points[0.5] == points[1.0] == 1.0
    assert np.isnan(mean.threshold).all()
    steps = assay.pr_curve(**THREE, average="macro")
    assert steps.recall.tolist() == [0.5, 1.0]
    np.testing.assert_allclose(steps.precision, [1, (1 + 1 + 2 / 3) / 3], rtol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_areas_of_averages_are_averages_of_areas(seed: int, weighted: bool) -> None:
    y, z, w = many(seed)
    weight = w if weighted else None
    for curve, area in (("roc_curve", "roc_auc"), ("pr_curve", "average_precision")):
        for average in ("macro", "micro"):
            drawn = getattr(assay, curve)(y, z, average=average, weight=weight)
            expected = getattr(assay, area)(y, z, average=average, weight=weight)
            assert drawn.area == pytest.approx(expected, rel=1e-12)
    pairs = assay.roc_curve(y, z, multiclass="ovo", average="macro", weight=weight)
    assert pairs.area == pytest.approx(assay.roc_auc(y, z, multiclass="ovo", average="macro", weight=weight), rel=1e-12)


def test_the_pooled_curve_is_that_of_all_cells() -> None:
    y, z, _ = many(7)
    pooled = assay.roc_curve((np.eye(4)[y] == 1).astype(int).ravel(), z.ravel())
    micro = assay.roc_curve(y, z, average="micro")
    assert micro.fpr.tolist() == pooled.fpr.tolist()
    assert micro.threshold.tolist() == pooled.threshold.tolist()


def test_a_class_that_is_missing_is_left_out_and_counted() -> None:
    data = {"y_true": [0, 1, 0], "y_score": [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.5, 0.5, 0.0]]}
    with warned(assay.UndefinedWarning):
        mean = assay.roc_curve(**data, average="macro")
    assert mean.area == 1.0
    assert assay.roc_curve(**data).mean_area == 1.0
    assert np.isnan(assay.roc_curve(**data).areas[2])
    nothing = {"y_true": [0, 0], "y_score": [[0.1, 0.2, 0.0], [0.3, 0.4, 0.1]]}
    with warned(assay.UndefinedWarning):
        assert np.isnan(assay.roc_curve(**nothing, average="macro").area)


def test_averages_need_columns() -> None:
    with refusal(assay.InputError):
        assay.roc_curve(**FOUR, average="macro")
    with refusal(assay.InputError):
        assay.pr_curve(**FOUR, multiclass="ovo")
    with refusal(assay.InputError):
        assay.roc_curve(**LABELS, multiclass="ovo")
    with refusal(assay.ParameterError):
        assay.roc_curve(**THREE, multiclass="ovo", average="micro")


# ---- operating points


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("RecallAtPrecision", {"precision": 0.6}, (0.35, 1.0)),
        ("RecallAtPrecision", {"precision": 0.9}, (0.8, 0.5)),
        ("PrecisionAtRecall", {"recall": 0.6}, (0.35, 2 / 3)),
        ("SpecificityAtSensitivity", {"sensitivity": 0.4}, (0.8, 1.0)),
        ("TprAtFpr", {"fpr": 0.5}, (0.35, 1.0)),
    ],
)
def test_the_threshold_of_an_operating_point(name: str, options: dict, expected: tuple) -> None:
    """The threshold, held fixed, has the value and keeps the condition; the choice is flagged as a choice."""
    metric = getattr(assay.metrics, name)(**options)
    with pytest.warns(assay.core.errors.SelectionWarning, match=metric.key):
        point = metric.point(**FOUR)
    assert point == pytest.approx(expected, rel=1e-15)
    assert point.value == metric(**FOUR)


def test_operating_points_of_classes_and_out_of_reach() -> None:
    with pytest.warns(assay.core.errors.SelectionWarning):
        assert assay.metrics.RecallAtPrecision().point([0, 1], [0.9, 0.1]) == (np.inf, 0.0)
    with pytest.warns(assay.core.errors.SelectionWarning):
        points = assay.metrics.PrecisionAtRecall(average=None).point(**THREE)
    assert {label: point.threshold for label, point in points.items()} == {0: 0.5, 1: 0.5, 2: 0.3}
    with pytest.warns(assay.core.errors.SelectionWarning):
        pooled = assay.metrics.PrecisionAtRecall(average="micro", recall=0.7).point(**THREE)
    assert pooled == (0.5, 1.0)  # 0.7, 0.5 and 0.5 are right


# ---- decision curves


def test_decision_curve() -> None:
    """At 0.2 all but the last row act: 2 hits, 1 false alarm at 1/4 of a hit. At 1/2 rows 0 and 2: 1 hit, 1 false alarm."""
    data = {"y_true": [1, 1, 0, 0], "y_prob": [0.9, 0.3, 0.6, 0.1]}
    curve = assay.decision_curve(**data, thresholds=(0.0, 0.2, 0.5, 0.95))
    np.testing.assert_allclose(curve.net_benefit, [0.5, (2 - 0.25) / 4, 0, 0], rtol=1e-14)
    np.testing.assert_allclose(curve.treat_all, [0.5, (2 - 2 * 0.25) / 4, 0, (2 - 2 * 19) / 4], rtol=1e-12)
    usual = assay.decision_curve(**data)
    assert (len(usual.threshold), usual.threshold[0], usual.threshold[-1]) == (99, 0.01, 0.99)
    for t, value in zip(usual.threshold, usual.net_benefit, strict=True):
        assert value == pytest.approx(assay.net_benefit(**data, threshold=t), abs=1e-14)
    with refusal(assay.ParameterError):
        assay.decision_curve(**data, thresholds=(0.5, 1.0))
