"""Tests of differences: scipy, mlxtend and baycomp on the same numbers, and what the methods must refuse."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.resampling.compare import paired_tests
from messages import refusal

SPLITS = np.array([0.021, 0.034, -0.008, 0.045, 0.017, 0.029, 0.003, 0.038, 0.012, 0.026])
FIVE = np.array([[0.031, 0.012], [0.025, 0.044], [-0.006, 0.021], [0.038, 0.027], [0.014, 0.033]])
numbers = st.integers(-1000, 1000).map(lambda i: i / 1000)


# ---- corrected t


def test_corrected_t_is_the_naive_one_shrunk() -> None:
    found = paired_tests.corrected_paired_t(SPLITS, 1 / 9)
    naive = scipy.stats.ttest_1samp(SPLITS, 0)
    t = naive.statistic * math.sqrt(0.1 / (0.1 + 1 / 9))
    assert found.statistic == pytest.approx(t)
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(t, 9))
    assert found.p > naive.pvalue
    assert (found.effect, found.df, found.n, found.about) == (pytest.approx(SPLITS.mean()), 9.0, 10, "learner")


@given(st.lists(numbers, min_size=3, max_size=30), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_zero_lies_outside_the_limits_where_p_says_so(values: list[float], level: float) -> None:
    found = paired_tests.corrected_paired_t(values, 0.25, level=level)
    assert found.low is not None
    assert found.high is not None
    if not found.reason:
        assert (found.low > 0 or found.high < 0) == found.significant


def test_differences_that_do_not_vary_are_marked() -> None:
    same = paired_tests.corrected_paired_t([0.0] * 10, 1 / 9)
    assert (same.effect, same.p, same.low, same.high) == (0, 1, 0, 0)
    flat = paired_tests.corrected_paired_t([0.1 + 0.2 - 0.2, 0.1, 0.1], 1 / 9)
    assert flat.p == 0
    assert "do not vary" in flat.reason
    assert "do not vary" in str(flat)


# ---- 5x2


class Fixed:
    """An estimator for mlxtend whose scores are given in advance."""

    def __init__(self, scores: Any) -> None:
        self.scores = iter(scores)

    def fit(self, X: Any, y: Any) -> None:
        """Nothing to learn."""


def _scored(estimator: Fixed, X: Any, y: Any) -> float:
    return next(estimator.scores)


def test_five_by_two_against_mlxtend() -> None:
    peers: Any = pytest.importorskip("mlxtend.evaluate")
    base = np.linspace(0.6, 0.8, 10)
    for ours, theirs in (
        (paired_tests.five_by_two_t, peers.paired_ttest_5x2cv),
        (paired_tests.five_by_two_f, peers.combined_ftest_5x2cv),
    ):
        pair = Fixed(base + FIVE.reshape(-1)), Fixed(base)
        statistic, p = theirs(*pair, np.zeros((20, 1)), np.arange(20) % 2, scoring=_scored, random_seed=1)
        found = ours(FIVE)
        assert found.statistic == pytest.approx(statistic)
        assert found.p == pytest.approx(p)


def test_the_t_is_about_its_first_difference() -> None:
    found = paired_tests.five_by_two_t(FIVE)
    assert found.effect == 0.031
    assert found.low is not None
    assert found.high is not None
    assert found.statistic == pytest.approx(0.031 / found.error)  # pyright: ignore
    assert found.high - found.low == pytest.approx(2 * scipy.stats.t.ppf(0.975, 5) * found.error)  # pyright: ignore


def test_the_limits_of_the_f_are_where_its_p_crosses() -> None:
    """Shifted to either limit, the differences have a p value of exactly one minus the level."""
    found = paired_tests.five_by_two_f(FIVE, level=0.9)
    assert found.df == (10.0, 5.0)
    for limit in (found.low, found.high):
        assert limit is not None
        assert paired_tests.five_by_two_f(FIVE - limit).p == pytest.approx(0.1)
    assert found.p == pytest.approx(scipy.stats.f.sf(found.statistic, 10, 5))


def test_the_f_does_not_hang_on_the_order_of_folds() -> None:
    turned = FIVE[::-1, ::-1]
    assert paired_tests.five_by_two_f(turned).p == pytest.approx(paired_tests.five_by_two_f(FIVE).p)
    assert paired_tests.five_by_two_t(turned).p != pytest.approx(paired_tests.five_by_two_t(FIVE).p)


def test_repeats_that_disagree_leave_no_limits() -> None:
    d = np.array([[0.1, 0.101], [-0.1, -0.101], [0.2, 0.201], [-0.2, -0.201], [0.3, 0.301]])
    found = paired_tests.five_by_two_f(d)
    assert (found.low, found.high) == (None, None)
    assert "differ by more than their folds" in found.reason
    flat = paired_tests.five_by_two_f(np.repeat([[0.1], [0.2], [0.3], [0.1], [0.2]], 2, axis=1))
    assert (flat.p, flat.low, "do not vary" in flat.reason) == (0, None, True)
    none = paired_tests.five_by_two_f(np.zeros((5, 2)))
    assert (none.p, none.low, paired_tests.five_by_two_t(np.zeros((5, 2))).p) == (1, 0, 1)


def test_five_by_two_refuses_other_shapes() -> None:
    with refusal(assay.InputError):
        paired_tests.five_by_two_f(SPLITS)
    with refusal(assay.InputError):
        paired_tests.five_by_two_t(FIVE[:4])


# ---- Bayes


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("runs", [1, 2, 5])
def test_correlated_t_against_baycomp(rope: float, runs: int) -> None:
    """baycomp takes y - x, so the sides are named alike when the learners change places."""
    baycomp: Any = pytest.importorskip("baycomp")
    rng = np.random.default_rng(runs)
    a, b = rng.normal(0.82, 0.02, 10 * runs), rng.normal(0.80, 0.02, 10 * runs)
    theirs = baycomp.two_on_single(b, a, rope=rope, runs=runs)
    found = paired_tests.correlated_t(a - b, 1 / 10, rope=rope)
    assert (found.left, found.right) == pytest.approx((theirs[0], theirs[-1]), abs=1e-12)
    assert found.within == pytest.approx(theirs[1] if rope else 0, abs=1e-12)
    posterior = baycomp.CorrelatedTTest(b, a, rope=rope, runs=runs)
    assert (found.effect, found.scale**2, found.df) == pytest.approx((posterior.mean, posterior.var, posterior.df))


def test_correlated_t_is_the_corrected_t_read_backwards() -> None:
    """Without a region, the lesser side is half the p value and the limits are the same."""
    t, bayes = paired_tests.corrected_paired_t(SPLITS, 1 / 9), paired_tests.correlated_t(SPLITS, 1 / 10)
    assert bayes.left == pytest.approx(t.p / 2)
    assert bayes.left + bayes.right == pytest.approx(1)
    assert (bayes.low, bayes.high) == (pytest.approx(t.low), pytest.approx(t.high))


def test_the_verdict_needs_the_level() -> None:
    assert paired_tests.correlated_t(SPLITS, 0.1).verdict == "right"
    assert paired_tests.correlated_t(-SPLITS, 0.1).verdict == "left"
    assert paired_tests.correlated_t(SPLITS, 0.1, rope=0.5).verdict == "within"
    assert paired_tests.correlated_t(SPLITS, 0.1, rope=0.02).verdict is None
    assert "within ±0.02" in str(paired_tests.correlated_t(SPLITS, 0.1, rope=0.02))


@pytest.mark.parametrize(
    ("value", "rope", "chances"),
    [(0.0, 0, (0.5, 0, 0.5)), (0.1, 0, (0, 0, 1)), (0.1, 0.2, (0, 1, 0)), (-0.3, 0.2, (1, 0, 0))],
)
def test_correlated_t_without_spread(value: float, rope: float, chances: tuple[float, float, float]) -> None:
    found = paired_tests.correlated_t([value] * 10, 0.1, rope=rope)
    assert (found.left, found.within, found.right) == chances
    assert "do not vary" in found.reason


# ---- sign flips


def test_all_flips_against_scipy() -> None:
    found = paired_tests.sign_flips(SPLITS)
    peer = scipy.stats.permutation_test(
        (SPLITS,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True, axis=-1
    )
    assert found.p == pytest.approx(peer.pvalue)
    assert "all sign flips" in found.method
    assert found.low is None


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_all_flips_by_naming_each(values: list[int]) -> None:
    totals = [abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in _signs(len(values))]
    expected = np.mean([t >= abs(sum(values)) for t in totals])
    assert paired_tests.sign_flips(np.array(values) / 10).p == pytest.approx(expected)


def _signs(n: int) -> Any:
    return itertools.product((-1, 1), repeat=n)


def test_zeros_and_ones_give_the_sign_test() -> None:
    """Rows where both are right or both wrong drop out: 13 against 5 is a binomial."""
    d = np.array([1.0] * 13 + [-1.0] * 5 + [0.0] * 500)
    assert paired_tests.sign_flips(d).p == pytest.approx(scipy.stats.binomtest(5, 18).pvalue)


def test_drawn_flips_approach_the_binomial() -> None:
    d = np.array([1.0] * 130 + [-1.0] * 100 + [0.0] * 70)
    truth = scipy.stats.binomtest(100, 230).pvalue
    found = paired_tests.sign_flips(d, replicates=20_000, seed=3)
    assert found.p == pytest.approx(truth, abs=4 * math.sqrt(truth * (1 - truth) / 20_000))
    assert found.n == 300
    far = paired_tests.sign_flips(np.linspace(0.5, 1, 40), replicates=999)
    assert far.p == 1 / 1000


def test_the_seed_decides_and_batches_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flips again with Python's own whole numbers: they may not change with platform, version or memory."""
    d = np.sin(np.arange(1, 151)) + 0.1
    first = paired_tests.sign_flips(d, replicates=1000, seed=7).p
    totals = [sum(v if bit else -v for v, bit in zip(d, _bits(7, at, 150), strict=True)) for at in range(1000)]
    assert first == (1 + sum(abs(t) >= abs(d.sum()) for t in totals)) / 1001
    assert first == pytest.approx(2 * scipy.stats.norm.sf(d.sum() / math.sqrt((d**2).sum())), abs=0.03)
    monkeypatch.setattr(paired_tests, "_BATCH", 1000)
    assert paired_tests.sign_flips(d, replicates=1000, seed=7).p == first
    assert paired_tests.sign_flips(d, replicates=1000, seed=8).p != first


def _bits(seed: int, at: int, n: int) -> list[int]:
    """SplitMix64 by hand: bit i of the flips of replicate ``at``."""
    step, size = 0x9E3779B97F4A7C15, 2**64

    def mixed(x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % size
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % size
        return x ^ (x >> 31)

    base = mixed((mixed((seed + step) % size) + (2**40 + at + 1) * step) % size)
    return [mixed((base + (i // 64 + 1) * step) % size) >> i % 64 & 1 for i in range(n)]


def test_drawn_flips_are_fair() -> None:
    """Under no difference the p values are uniform: at most 5 % (and four errors) lie below 0.05."""
    rng = np.random.default_rng(0)
    p = [paired_tests.sign_flips(rng.normal(size=25), replicates=199, seed=s).p for s in range(400)]
    assert scipy.stats.kstest(p, "uniform").pvalue > 1e-3
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)


def test_groups_flip_together() -> None:
    d = np.array([0.3, 0.1, 0.2, -0.4, 0.5, 0.1, 0.2, 0.3])
    groups = ["a", "a", "b", "b", "c", "c", "d", "d"]
    sums = [0.4, -0.2, 0.6, 0.5]
    grouped = paired_tests.sign_flips(d, groups=groups)
    assert grouped.p == paired_tests.sign_flips(sums).p
    assert grouped.p > paired_tests.sign_flips(d).p
    assert (grouped.n, grouped.effect) == (4, pytest.approx(d.mean()))
    assert "cannot give a p value below 0.125" in grouped.reason
    with refusal(assay.InputError):
        paired_tests.sign_flips(d, groups=groups[:-1])


def test_no_difference_at_all() -> None:
    found = paired_tests.sign_flips(np.zeros(50))
    assert (found.p, found.effect) == (1, 0)


# ---- refusals and forms


@pytest.mark.parametrize("call", [lambda d: paired_tests.corrected_paired_t(d, 0.1), paired_tests.sign_flips])
def test_failed_splits_are_named(call: Any) -> None:
    with refusal(assay.InputError):
        call([0.1, 0.2, math.nan, 0.3])
    with refusal(assay.InputError):
        call([[0.1, 0.2]])
    with refusal(assay.InputError):
        call(["a", "b"])


def test_parameters_are_checked() -> None:
    with refusal(assay.InputError):
        paired_tests.corrected_paired_t([0.1], 0.1)
    with refusal(assay.ParameterError):
        paired_tests.corrected_paired_t(SPLITS, 0)
    with refusal(assay.ParameterError):
        paired_tests.correlated_t(SPLITS, 1)
    with refusal(assay.ParameterError):
        paired_tests.correlated_t(SPLITS, 0.1, rope=-0.1)
    with refusal(assay.ParameterError):
        paired_tests.five_by_two_f(FIVE, level=95)
    with refusal(assay.ParameterError):
        paired_tests.sign_flips(SPLITS, replicates=10)


def test_results_are_plain_data() -> None:
    for found in (
        paired_tests.five_by_two_f(FIVE),
        paired_tests.correlated_t(SPLITS, 0.1),
        paired_tests.sign_flips(SPLITS),
    ):
        assert json.loads(json.dumps(found.to_dict()))["effect"] == pytest.approx(found.effect)
    assert str(paired_tests.corrected_paired_t(SPLITS, 1 / 9)).startswith("+0.0217 [0.0")
