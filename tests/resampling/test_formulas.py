"""The formulas of learners' intervals: worked examples, other implementations, and what they reduce to."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

import assay
from assay.resampling.estimate import _interval_formulas as formulas
from messages import refusal

VALUES = np.array([0.21, 0.25, 0.19, 0.30, 0.24, 0.27, 0.22, 0.26, 0.20, 0.23])


def test_corrected_t_widens_the_naive_one_by_the_overlap() -> None:
    """With 10 folds, n_test / n_train = 1/9: the standard error grows from sd sqrt(1/10) to sd sqrt(1/10 + 1/9)."""
    found = formulas.corrected_t(VALUES, 1 / 9, 0.95)
    low, high = scipy.stats.t.interval(0.95, 9, loc=VALUES.mean(), scale=VALUES.std(ddof=1) * math.sqrt(0.1 + 1 / 9))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.about == "learner"


def test_conservative_z_takes_its_spread_from_halves() -> None:
    found = formulas.conservative_z([0.2, 0.3], [0.2, 0.4], [0.3, 0.2], 0.95)
    assert found.value == 0.25
    assert found.error == pytest.approx(math.sqrt((0.01 + 0.04) / 2 / 2))


def test_five_by_two_by_hand() -> None:
    """Dietterich's t: the first difference over the root of the mean variance; Alpaydin's F: all ten of them."""
    d = np.array([[0.1, 0.0], [0.02, 0.04], [0.05, 0.05], [0.0, 0.02], [0.03, 0.01]])
    variances = [0.005, 0.0002, 0.0, 0.0002, 0.0002]
    t, df = formulas.two_fold_t(d)
    assert (t, df) == (pytest.approx(0.1 / math.sqrt(sum(variances) / 5)), 5.0)
    assert formulas.two_fold_f(d) == pytest.approx((d**2).sum() / (2 * sum(variances)))
    with refusal(assay.InputError):
        formulas.two_fold_t(d[:4])


def test_632_plus_by_hand() -> None:
    """No overfitting: .632. As bad as guessing: all weight on what was left out."""
    assert formulas.weighted_632(0.1, 0.3) == pytest.approx(0.368 * 0.1 + 0.632 * 0.3)
    assert formulas.plus_632(0.2, 0.2, 0.5) == pytest.approx(formulas.weighted_632(0.2, 0.2))
    assert formulas.plus_632(0.0, 0.5, 0.5) == pytest.approx(0.5)
    # Worse than guessing: only the correction is capped (equation 32 of Efron and Tibshirani), not the .632 part.
    assert formulas.plus_632(0.0, 0.6, 0.5) == pytest.approx(0.632 * 0.6 + 0.5 * 0.368 * 0.632 / (1 - 0.368))
    rate = (0.3 - 0.1) / (0.5 - 0.1)
    weight = 0.632 / (1 - 0.368 * rate)
    assert formulas.plus_632(0.1, 0.3, 0.5) == pytest.approx((1 - weight) * 0.1 + weight * 0.3)


def test_nested_error_stays_between_its_bounds() -> None:
    pooled = np.random.default_rng(0).random(100)
    plain = pooled.std(ddof=1) / 10
    flat = formulas.nested([0.5] * 5, [0.5] * 5, [20] * 5, [0.1] * 5, pooled, 5, 0.95)
    wild = formulas.nested([0.1] * 5, [0.9] * 5, [20] * 5, [0.0] * 5, pooled, 5, 0.95)
    assert flat.error == pytest.approx(plain)
    assert wild.error == pytest.approx(math.sqrt(5) * plain)
    assert flat.about == "model"
