"""Formulas of the seed texts that are wrong: each shown wrong on numbers, beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assay


def test_pinball_at_one_half_is_half_the_mean_absolute_error() -> None:
    """The survey says that q = 0.5 gives the mean absolute error."""
    y, p = [1.0, 5.0], [2.0, 2.0]  # absolute errors 1, 3
    assert assay.mae(y, p) == 2.0
    assert assay.pinball(y, p, quantile=0.5) == 1.0


def test_mape_divides_by_the_size_of_the_target() -> None:
    """The survey's equation 13 divides by y: negative targets then cancel positive ones."""
    y, p = np.array([2.0, -2.0]), np.array([1.0, -1.0])
    seed = np.mean(np.abs(y - p) / y)
    assert seed == 0.0
    assert assay.mape(y, p) == 0.5


def test_mase_is_scaled_on_the_training_series() -> None:
    """The notes scale on the test set, from i = 1 with y(0) undefined: a lucky test set changes the scale."""
    train, y, p = [1.0, 2.0, 4.0], np.array([5.0, 15.0]), np.array([6.0, 14.0])
    seed = np.abs(y - p).mean() / np.abs(np.diff(y)).mean()
    assert seed == 0.1
    assert assay.mase(y, p, y_train=train) == pytest.approx(2 / 3, rel=1e-15)  # 1 / ((1 + 2) / 2)


def test_f1_has_the_factor_two() -> None:
    """The tutorial writes 1/F1 = 1/P + 1/R; perfect decisions would score one half."""
    y, p = [1, 1, 1, 0], [1, 1, 0, 1]
    precision, recall = assay.precision(y, p), assay.recall(y, p)
    seed = 1 / (1 / precision + 1 / recall)
    assert seed == pytest.approx(1 / 3, rel=1e-15)
    assert assay.f1(y, p) == pytest.approx(2 * seed, rel=1e-15)
    assert assay.f1(y, y) == 1.0


def test_false_positive_rate_is_of_the_negatives() -> None:
    """Table 7 divides by FP + FN: all errors, whatever the number of negatives."""
    y, p = [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]  # fp 1, fn 1, tn 3
    assert 1 / (1 + 1) == 0.5
    assert assay.false_positive_rate(y, p) == 0.25
    assert assay.false_positive_rate(y, p) + assay.specificity(y, p) == 1.0


def test_false_omission_rate_is_not_the_true_discovery_rate() -> None:
    """Table 7 calls FN/(TN + FN) true discovery rate; the true discovery rate is precision."""
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]  # tp 2, fn 1, tn 2
    assert assay.false_omission_rate(y, p) == pytest.approx(1 / 3, rel=1e-15)
    assert assay.precision(y, p) == 1.0
    assert assay.false_omission_rate(y, p) + assay.negative_predictive_value(y, p) == 1.0


def test_log_loss_has_the_minus_sign() -> None:
    """The notes' multiclass formula lacks it: every loss would be negative."""
    p = np.array([[0.5, 0.25, 0.25]])
    seed = math.log(p[0, 0])
    assert seed < 0
    assert assay.log_loss([0], p) == pytest.approx(-seed, rel=1e-15)


def test_average_precision_counts_the_first_step() -> None:
    """The list starts its sum at i = 1 and drops the first recall step: a perfect order scores 1/2."""
    y, s = [1, 1, 0], [0.9, 0.8, 0.1]
    curve = assay.pr_curve(y, s)
    seed = float(np.sum(np.diff(curve.recall) * curve.precision[1:]))
    assert seed == 0.5
    assert assay.average_precision(y, s) == 1.0


def test_rmse_is_a_distance_divided_by_the_root_of_n() -> None:
    """The survey calls it the Euclidean distance."""
    y, p = np.array([0.0, 0.0, 0.0, 0.0]), np.array([2.0, 2.0, 2.0, 2.0])
    assert np.linalg.norm(y - p) == 4.0
    assert assay.rmse(y, p) == 2.0


def test_smape_does_not_treat_both_sides_alike() -> None:
    assert assay.smape([100.0], [110.0]) == pytest.approx(0.0952, abs=5e-5)
    assert assay.smape([100.0], [90.0]) == pytest.approx(0.1053, abs=5e-5)


def test_r2_has_no_lower_bound() -> None:
    assert assay.r2([1.0, 2.0, 3.0], [9.0, 9.0, 9.0]) < -1


def test_a_negative_adjusted_r2_may_beat_the_mean() -> None:
    """The survey's reading fails for R² = 0.1, n = 20 and five predictors."""
    y = np.arange(20.0)
    centre = y - y.mean()
    p = y.mean() + centre * (1 - math.sqrt(0.9))  # leaves nine tenths of the sum of squares
    assert assay.r2(y, p) == pytest.approx(0.1, rel=1e-12)
    assert assay.adjusted_r2(y, p, features=5) == pytest.approx(-0.22, abs=0.005)


def test_accuracy_counts_rows_and_recall_by_micro_average_too() -> None:
    y, p = [0] * 99 + [1], [0] * 100
    assert assay.accuracy(y, p) == assay.recall(y, p, average="micro") == 0.99
    assert assay.recall(y, p, average="macro") == 0.5


def test_negative_predictive_value_rises_as_prevalence_falls() -> None:
    """One of two calls is right on either class in both: only the prevalence differs."""
    half, rare = [1, 1, 0, 0], [1, 1, *[0] * 6]
    coin = [1, 0, 1, 0, 1, 0, 1, 0]
    assert assay.specificity(half, coin[:4]) == assay.specificity(rare, coin) == 0.5
    assert assay.negative_predictive_value(half, coin[:4]) == 0.5
    assert assay.negative_predictive_value(rare, coin) == 0.75


def test_the_truth_is_in_the_rows() -> None:
    y, p, cost = [0, 0, 1], [0, 1, 1], np.array([[0.0, 3.0], [5.0, 0.0]])
    table = assay.confusion_matrix(y, p)
    assert table.tolist() == [[1, 1], [0, 1]]
    assert assay.expected_cost(y, p, cost=cost) == np.trace(table.T @ cost) / 3 == 1.0
