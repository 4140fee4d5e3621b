"""Curves unpack as scikit-learn's do, are data frames, and are short where they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 200)
P = np.clip(0.4 * Y + 0.6 * RNG.random(200), 0, 1)


def test_roc_unpacks_in_the_order_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    fpr, tpr, threshold = assay.roc_curve(Y, P)
    theirs = metrics.roc_curve(Y, P, drop_intermediate=False)
    for ours, expected in zip((fpr, tpr, threshold), theirs, strict=True):
        np.testing.assert_allclose(ours[1:], expected[1:])


def test_precision_recall_unpacks_in_the_order_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    precision, recall, threshold = assay.precision_recall_curve(Y, P)
    p, r, t = metrics.precision_recall_curve(Y, P)
    np.testing.assert_allclose(precision, p[:-1][::-1])
    np.testing.assert_allclose(recall, r[:-1][::-1])
    np.testing.assert_allclose(threshold, t[::-1])


@pytest.mark.parametrize("name", ["roc_curve", "pr_curve", "threshold_sweep"])
def test_curves_are_frames(name: str, tmp_path: Path) -> None:
    curve = getattr(assay, name)(Y, P)
    wide = curve.to_polars()
    assert wide.columns == list(curve.to_dict())
    assert list(curve.to_pandas().columns) == wide.columns
    assert curve.to_frame("pyarrow").num_rows == wide.height == len(curve.threshold)
    curve.to_csv(tmp_path / "curve.csv")
    assert (tmp_path / "curve.csv").read_text() == curve.to_csv()
    assert len(list(curve)) == len(wide.columns)


def test_reliability_is_a_frame() -> None:
    assert assay.reliability_curve(Y, y_prob=P, bins=5).to_polars().height == 5


def test_the_repr_is_short() -> None:
    assert repr(assay.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])) == (
        "RocPoints(5 points: fpr 0 to 1, tpr 0 to 1, threshold inf to 0.1)"
    )
    big = assay.threshold_sweep(RNG.integers(0, 2, 50_000), RNG.random(50_000))
    assert len(repr(big)) < 150
    assert len(big._repr_html_()) < 10_000
    assert "more" in big._repr_html_()


def test_a_detection_table_is_a_frame() -> None:
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
    found = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.9]}]
    table = assay.detection_confusion(truth, found)
    assert table.to_polars().columns == ["truth", "1", "2", "background"]
    assert repr(table) == "DetectionTable(2 classes: 1 of 2 objects found)"
