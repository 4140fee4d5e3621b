"""Intervals and tests against results that others computed: R's pROC, statsmodels, scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from haemorrhage import NDKA, POOR, S100B, WFNS

import assay
from assay.inference import formulas

M = assay.metrics

AUC = M.RocAuc()
PROC = [  # marker, lower limit, area, upper limit: ci.auc(roc(outcome, marker))
    (S100B, 0.630118211761623, 0.731368563685637, 0.832618915609651),
    (NDKA, 0.501244999271703, 0.611957994579946, 0.722670989888189),
    (WFNS, 0.748534887819453, 0.823678861788618, 0.898822835757783),
]
PROC_TESTS = [  # roc.test(first, second, method="delong"): p value and limits of the difference
    (S100B, NDKA, 0.1642951752230545, -0.0488706064228094, 0.2876917446341914),
    (WFNS, S100B, 0.0271757822291882, 0.0104061769564846, 0.1742144192494776),
    (WFNS, NDKA, 0.00514557970691098, 0.06340117093398764, 0.36004056348335656),
]


@pytest.mark.parametrize(("marker", "low", "area", "high"), PROC)
def test_delong_interval_is_that_of_proc(marker: Any, low: float, area: float, high: float) -> None:
    score = AUC.interval(POOR, marker, method="delong")
    assert (float(score), score.low, score.high) == pytest.approx((area, low, high), rel=1e-12)
    assert score.method == "DeLong"


@pytest.mark.parametrize(("a", "b", "p", "low", "high"), PROC_TESTS)
def test_paired_delong_is_that_of_proc(a: Any, b: Any, p: float, low: float, high: float) -> None:
    found = AUC.compare(POOR, a, b)
    assert (found.p, found.low, found.high) == pytest.approx((p, low, high), rel=1e-10)


def test_default_of_the_area_is_delong_on_the_logit_scale() -> None:
    """By hand: logit(auc) ± z se / (auc (1 - auc)) with the standard error that pROC gives."""
    area, error = 0.731368563685637, 0.0516592920699891
    score = AUC.interval(POOR, S100B)
    centre, half = np.log(area / (1 - area)), formulas.z_quantile(0.95) * error / (area * (1 - area))
    expected = [1 / (1 + np.exp(-(centre + side * half))) for side in (-1, 1)]
    assert [score.low, score.high] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (1, 10), (7, 20), (38, 40), (50, 50), (123, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_proportions_are_those_of_statsmodels(hits: int, n: int, level: float) -> None:
    theirs = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    y, p = np.zeros(n, int), np.r_[np.zeros(hits, int), np.ones(n - hits, int)]
    for method, name in (("wilson", "wilson"), ("exact", "beta")):
        score = M.Accuracy().interval(y, p, level=level, method=method)
        assert (score.low, score.high) == pytest.approx(theirs(hits, n, 1 - level, method=name), abs=1e-9)


@pytest.mark.parametrize(("only_a", "only_b"), [(3, 9), (9, 3), (5, 5), (0, 4), (0, 0), (40, 61)])
def test_mid_p_is_half_way_between_two_exact_tests(only_a: int, only_b: int) -> None:
    """statsmodels has the exact test; the mid-p value takes half of the point probability at both ends away."""
    mcnemar = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    binom = pytest.importorskip("scipy.stats").binom
    pairs, fewer = only_a + only_b, min(only_a, only_b)
    if pairs == 0:
        assert formulas.mcnemar(0, 0) == 1
        return
    exact = float(mcnemar([[10, only_a], [only_b, 20]], exact=True).pvalue)
    point = float(binom.pmf(fewer, pairs, 0.5))
    expected = exact - point if only_a != only_b else 1 - point / 2
    assert formulas.mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-9)


def test_bonett_price_by_hand() -> None:
    """12 rows only a, 5 only b, 100 in all: (13 - 6)/102 ± 1.96 sqrt((13/102 + 6/102 - (7/102)^2)/102)."""
    y = np.zeros(100, int)
    a, b = np.ones(100, int), np.ones(100, int)
    a[:12], b[12:17] = 0, 0
    a[50:], b[50:] = 0, 0
    found = M.Accuracy().compare(y, a, b, method="mcnemar")
    p, q = 13 / 102, 6 / 102
    half = 1.959963984540054 * np.sqrt((p + q - (p - q) ** 2) / 102)
    assert float(found) == pytest.approx(0.07)
    assert (found.low, found.high) == pytest.approx((p - q - half, p - q + half), rel=1e-9)
    assert found.p == pytest.approx(formulas.mcnemar(12, 5))
    few = M.Accuracy().compare(y, a, b)  # 17 discordant rows: the default is the exact test
    assert (few.low, few.high) == (found.low, found.high)
    assert few.p == pytest.approx(2 * sum(math.comb(17, k) for k in range(6)) / 2**17)


def test_hall_by_hand_is_johnsons_expansion_to_first_order() -> None:
    """Without skewness it is Student's t; with it, limits move by about skew (1 + 2 t²) / (6 n) standard deviations."""
    scipy_t = pytest.importorskip("scipy.stats").t
    t = float(scipy_t.ppf(0.975, 39))
    assert formulas.hall(1.0, 0.1, 0.0, 40, 0.95) == pytest.approx((1 - 0.1 * t, 1 + 0.1 * t), rel=1e-9)
    low, high = formulas.hall(1.0, 0.1, 0.05, 40, 0.95)
    moved = 0.1 * 0.05 * (1 + 2 * t**2) / (6 * np.sqrt(40))
    assert (low - (1 - 0.1 * t), high - (1 + 0.1 * t)) == pytest.approx((moved, moved), rel=0.02)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_bootstrap_limits_are_those_of_scipy(method: str) -> None:
    """Equal up to Monte-Carlo error: a tenth of the width at 9,999 replicates each is more than four of its deviations."""
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    rng = np.random.default_rng(5)
    y = rng.normal(size=120)
    p = y + rng.exponential(size=120)
    theirs = bootstrap(
        (y, p), lambda a, b: np.mean(np.abs(a - b)), paired=True, vectorized=False, n_resamples=9999, method=method,
        random_state=1,
    ).confidence_interval  # fmt: skip
    ours = M.MAE().interval(y, p, method=method.lower(), replicates=9999)
    width = theirs.high - theirs.low
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.05 * width)


def test_bootstrap_of_an_area_is_that_of_scipy_around_scikit_learn() -> None:
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    roc_auc_score = pytest.importorskip("sklearn.metrics").roc_auc_score
    theirs = bootstrap(
        (POOR, S100B),
        roc_auc_score,
        paired=True,
        vectorized=False,
        n_resamples=2999,
        method="percentile",
        random_state=3,
    ).confidence_interval
    ours = AUC.interval(POOR, S100B, method="percentile", replicates=4000)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.06 * (theirs.high - theirs.low))


def test_fisher_z_on_normal_data_is_near_the_textbook() -> None:
    """For normal data the influence values give the textbook's 1/sqrt(n - 3) up to sampling noise."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=4000)
    y = 0.6 * x + 0.8 * rng.normal(size=4000)
    theirs = pytest.importorskip("scipy.stats").pearsonr(x, y).confidence_interval(0.95)
    score = assay.metrics.Pearson().interval(x, y)
    assert (score.low, score.high) == pytest.approx(tuple(theirs), abs=0.002)


def test_permutation_test_is_that_of_scipy_where_all_swaps_are_made() -> None:
    """Ten rows: 1024 swaps, made all of them by both."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(8)
    y, a = rng.normal(size=10), rng.normal(size=10)
    b = a + 0.3 * rng.normal(size=10)
    losses = (a - y) ** 2, (b - y) ** 2
    theirs = stats.permutation_test(
        losses, lambda u, v: np.mean(u) - np.mean(v), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    found = M.MSE().compare(y, a, b, method="permutation")
    assert found.p == pytest.approx(theirs, abs=1e-12)
    assert found.method is not None
    assert found.method.startswith("exact permutation")
