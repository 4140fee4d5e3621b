"""Formulas of the seed texts that are wrong: each shown wrong on numbers, beside ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assay
from assay.core.registry import find, metrics


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


@pytest.mark.parametrize(
    "key",
    ["pinball", "mape", "mase", "f1", "false_positive_rate", "false_omission_rate", "log_loss", "average_precision"],
)
def test_the_record_says_so(key: str) -> None:
    assert len(find(key).record.erratum) > 20


def test_no_erratum_is_without_a_test() -> None:
    here = {
        "pinball",
        "mape",
        "mase",
        "f1",
        "false_positive_rate",
        "false_omission_rate",
        "log_loss",
        "average_precision",
    }
    for task in ("regression", "classification"):
        assert {cls.key for cls in metrics(task) if cls.record.erratum} <= here
