"""What the trap notes say about assay's settings and other tools, on small data."""

import warnings

import numpy as np
import pytest

import assay

sk = pytest.importorskip("sklearn.metrics")


def test_3_interpolation():
    y, s = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 0]), np.arange(10, 0, -1) / 10
    precision, recall, _ = sk.precision_recall_curve(y, s)
    assert sk.auc(recall, precision) == pytest.approx(0.691, abs=5e-4)
    assert assay.average_precision(y, s) == pytest.approx(0.728, abs=5e-4)
    assert assay.average_precision(y, s) == pytest.approx(sk.average_precision_score(y, s))
    assert assay.average_precision(y, s, interpolated=True) == pytest.approx(0.744, abs=5e-4)
    for points, value in ((101, 0.747), (11, 0.768)):
        grid = np.linspace(0, 1, points)
        assert np.mean([precision[recall >= r - 1e-12].max() for r in grid]) == pytest.approx(value, abs=5e-4)


def test_23_mape_of_zero():
    y, p = np.array([0.0, 1.0, 2.0]), np.array([0.1, 1.5, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = assay.mape(y, p, zeros="epsilon", epsilon=2.220446049250313e-16)
        other = assay.mape(y, p, zeros="epsilon", epsilon=1.17e-6)
    assert found == pytest.approx(sk.mean_absolute_percentage_error(y, p))
    torch, tm = pytest.importorskip("torch"), pytest.importorskip("torchmetrics.functional")
    assert other == pytest.approx(float(tm.mean_absolute_percentage_error(torch.tensor(p), torch.tensor(y))))


def test_24_scales_of_smape():
    permetrics = pytest.importorskip("permetrics")
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 4.0])
    assert assay.smape(a, b, percent=True) == pytest.approx(permetrics.RegressionMetric(a, b).SMAPE())


def test_26_clipping():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.float64, np.float32):
            p = np.array([0.0, 0.1, 0.8], dtype)
            found = assay.log_loss([1, 0, 1], y_prob=p, clip="eps")
            assert found == pytest.approx(sk.log_loss([1, 0, 1], p, labels=[0, 1]), rel=1e-6)
        permetrics = pytest.importorskip("permetrics")
        p, y = np.array([[0.0, 1.0, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]), np.array([0, 1, 2])
        found = assay.log_loss(y, y_prob=p, clip=1e-10)
        assert found == pytest.approx(permetrics.ClassificationMetric(y, p).crossentropy_loss())


def test_27_classes_without_a_value():
    y, p = np.array([0, 0, 1, 2, 2, 3]), np.array([0, 1, 1, 1, 2, 2])
    found = assay.precision(y, p, average="macro", undefined=0)
    assert found == pytest.approx(sk.precision_score(y, p, average="macro", zero_division=0))


def test_29_calibration_of_the_positive_class():
    torch, tc = pytest.importorskip("torch"), pytest.importorskip("torchmetrics.functional.classification")
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = (rng.random(2000) < p**1.3).astype(int)
    other = float(tc.binary_calibration_error(torch.tensor(p), torch.tensor(y), n_bins=15))
    assert assay.calibration_error(y, y_prob=p, of_what="positive") == pytest.approx(other)
    assert other == pytest.approx(0.070, abs=5e-4)
    assert assay.calibration_error(y, y_prob=p) == pytest.approx(other)
    assert assay.calibration_error(y, y_prob=p, of_what="top_label") == pytest.approx(0.021, abs=5e-4)
