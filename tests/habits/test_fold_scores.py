"""Scores of folds that users already have: intervals and tests without training anything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from assay import resampling
from messages import refuses

FOLDS = [0.81, 0.79, 0.84, 0.80, 0.82]
OTHER = [0.78, 0.77, 0.80, 0.79, 0.78]


def test_the_interval_by_hand() -> None:
    """Nadeau and Bengio: the standard deviation times the root of 1/5 + 1/4, and the t of four degrees of freedom."""
    found = resampling.corrected_t(FOLDS, 1 / 4)
    half = scipy.stats.t.ppf(0.975, 4) * np.std(FOLDS, ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    assert (found, found.low, found.high) == pytest.approx((0.812, 0.812 - half, 0.812 + half), rel=1e-12)
    assert (found.n, found.level, found.method, found.reliable) == (5, 0.95, "corrected resampled t", True)
    assert str(found) == "0.8120 [0.7762, 0.8478] 95 % · n=5 · corrected resampled t"


def test_it_is_wider_than_that_of_independent_folds() -> None:
    plain = scipy.stats.ttest_1samp(FOLDS, 0).confidence_interval()
    found = resampling.corrected_t(FOLDS, 1 / 4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < plain.low
    assert found.high > plain.high


def test_it_is_that_of_the_paired_test() -> None:
    gaps = np.subtract(FOLDS, OTHER)
    test, score = resampling.corrected_paired_t(gaps, 1 / 4, level=0.9), resampling.corrected_t(gaps, 1 / 4, level=0.9)
    assert (test.effect, test.low, test.high) == (float(score), score.low, score.high)


def test_folds_that_score_the_same_are_marked() -> None:
    assert not resampling.corrected_t([0.3, 0.1 + 0.2, 0.3], 0.5).reliable


def test_the_others_are_public_too() -> None:
    five = np.reshape([0.031, 0.012, 0.025, 0.044, -0.006, 0.021, 0.038, 0.027, 0.014, 0.033], (5, 2))
    assert resampling.five_by_two_t(five).df == 5
    assert resampling.five_by_two_f(five).df == (10, 5)
    assert resampling.correlated_t(np.subtract(FOLDS, OTHER), 1 / 5).right > 0.9
    assert resampling.sign_flips(np.subtract(FOLDS, OTHER)).p == 2 / 32


REFUSED: dict[str, Callable[[], object]] = {
    "one fold": lambda: resampling.corrected_t([0.8], 0.25),
    "a table": lambda: resampling.corrected_t([[0.8, 0.7], [0.8, 0.9]], 0.25),
    "a gap": lambda: resampling.corrected_t([0.8, math.nan], 0.25),
    "text": lambda: resampling.corrected_t(["a", "b"], 0.25),
    "no ratio": lambda: resampling.corrected_t(FOLDS),  # type: ignore[call-arg]
    "a ratio of none": lambda: resampling.corrected_t(FOLDS, 0),
    "a level of all": lambda: resampling.corrected_t(FOLDS, 0.25, level=1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    refuses(REFUSED[case])
