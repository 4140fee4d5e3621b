"""Many learners on many data sets: Demšar's worked example, scipy, and what must be refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.inference.formulas import holm
from assay.resampling.compare.rank_tests import friedman, midranks, nemenyi, signed_rank
from messages import refusal

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Table 6 of Demšar (2006): AUC on 14 data sets. The paper ranks voting (row 12) by values of more digits than it prints, with
# C4.5+cf before C4.5+m+cf at 0.975 both; a last digit restores that order.
TABLE = np.array([
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


# ---- Demšar's example


def test_demsar_ranks_and_statistics() -> None:
    found = friedman(TABLE, NAMES, "higher", correct_ties=False)
    assert [found.ranks[n] for n in NAMES] == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert found.order == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert found.chi2 == pytest.approx(9.28, abs=5e-3)
    assert found.f == pytest.approx(3.69, abs=5e-3)
    assert found.f_df == (3.0, 39.0)
    assert found.critical == pytest.approx(1.25, abs=5e-3)


def test_demsar_groups() -> None:
    """At 5 % even the best and the worst are less than 1.25 apart; at 10 % (1.12) C4.5+cf belongs to both groups."""
    assert friedman(TABLE, NAMES, "higher").groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    found = friedman(TABLE, NAMES, "higher", level=0.9)
    assert found.critical == pytest.approx(1.12, abs=5e-3)
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_demsar_wilcoxon() -> None:
    """C4.5+m against C4.5: the lesser sum of ranks is 12, with the two zeros split, and below the critical 21."""
    found = signed_rank(TABLE[:, 1] - TABLE[:, 0])
    assert found.statistic == 12
    assert found.p < 0.05
    assert found.effect > 0


@pytest.mark.parametrize(
    ("level", "published"),
    [
        (0.95, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.90, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_of_table_5(level: float, published: list[float]) -> None:
    for learners, value in enumerate(published, start=2):
        scale = math.sqrt(learners * (learners + 1) / (6 * 10))
        assert nemenyi(10, learners, level) / scale == pytest.approx(value, abs=1.1e-3)


# ---- Friedman against scipy


@given(st.integers(3, 6), st.integers(2, 12), st.integers(0, 1000))
def test_chi_square_with_ties_against_scipy(k: int, n: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, (n, k)).astype(float)
    table[0] = np.arange(k)  # all tied has no statistic
    found = friedman(table, [f"m{j}" for j in range(k)])
    chi2, p = scipy.stats.friedmanchisquare(*table.T)
    assert found.chi2 == pytest.approx(chi2)
    assert found.chi2_p == pytest.approx(p)


def test_f_is_the_analysis_of_variance_of_the_ranks() -> None:
    """Two-way analysis without interaction on the ranks, by sums of squares."""
    table = np.random.default_rng(2).integers(0, 5, (9, 4)).astype(float)
    found = friedman(table, list("abcd"))
    ranks = scipy.stats.rankdata(table, axis=1)
    between = 9 * ((ranks.mean(axis=0) - 2.5) ** 2).sum() / 3
    rest = ((ranks - ranks.mean(axis=0)) ** 2).sum() / 24
    assert found.f == pytest.approx(between / rest)
    assert found.p == pytest.approx(scipy.stats.f.sf(between / rest, 3, 24))


def test_data_sets_that_all_agree_have_a_counted_chance() -> None:
    """F is infinite there; that two orders of three agree has a chance of 1/6, not 0."""
    found = friedman([[1, 2, 3], [4, 5, 6]], list("abc"))
    assert (found.f, found.p) == (math.inf, pytest.approx(1 / 6))
    tied = friedman([[1, 1, 3]] * 4, list("abc"))
    assert tied.p == pytest.approx(3.0**-3)
    assert "fewer than 6 data sets" in found.reason
    assert json.loads(json.dumps(found.to_dict()))["f"] == "inf"


def test_all_tied() -> None:
    found = friedman(np.ones((8, 3)), list("abc"))
    assert (found.chi2, found.f, found.p, found.chi2_p) == (0, 0, 1, 1)
    assert found.groups == (("a", "b", "c"),)
    assert {(pair.winner, pair.p) for pair in found.pairs} == {(None, 1.0)}


def test_better_turns_the_order() -> None:
    low, high = friedman(TABLE, NAMES, "lower"), friedman(TABLE, NAMES, "higher")
    assert low.chi2 == pytest.approx(high.chi2)
    assert {n: 5 - r for n, r in low.ranks.items()} == pytest.approx(high.ranks)
    assert low.pair("C4.5", "C4.5+m").winner == "C4.5"
    assert high.pair("C4.5", "C4.5+m").winner == "C4.5+m"


# ---- pairs


def test_pairs_hold_holm_and_nemenyi() -> None:
    table = TABLE[:9]  # scipy counts all signs one by one
    found = friedman(table, NAMES, "higher")
    assert len(found.pairs) == 6
    assert [p.adjusted_p for p in found.pairs] == holm([p.p for p in found.pairs])
    for pair in found.pairs:
        a, b = (table[:, NAMES.index(n)] for n in (pair.first, pair.second))
        assert pair.p == pytest.approx(_by_scipy(a - b))
        assert pair.gap == pytest.approx(found.ranks[pair.second] - found.ranks[pair.first])
        assert (pair.nemenyi_p < 0.05) == (pair.gap >= found.critical)
    with refusal(assay.InputError):
        found.pair("C4.5", "SVM")


def test_runs_and_pairs_of_nemenyi_agree() -> None:
    """Two learners share a group exactly if Nemenyi's p value for them is not below one minus the level."""
    rng = np.random.default_rng(4)
    found = friedman(rng.normal(size=(25, 12)) + np.linspace(0, 2, 12), [f"m{j}" for j in range(12)])
    assert 2 <= len(found.groups) <= 11
    for pair in found.pairs:
        together = any({pair.first, pair.second} <= set(group) for group in found.groups)
        assert together == (pair.nemenyi_p > 0.05)


def _by_scipy(d: Any) -> float:
    rounded = np.round(d, 9)  # scipy takes rounding errors for differences of rank
    exact = scipy.stats.PermutationMethod(n_resamples=2**10)
    return float(scipy.stats.wilcoxon(rounded, zero_method="pratt", method=exact).pvalue)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=8).filter(any))
def test_signed_ranks_with_ties_and_zeros_against_scipy(values: list[int]) -> None:
    assert signed_rank(np.array(values) / 10).p == pytest.approx(_by_scipy(np.array(values) / 10))


def test_signed_ranks_without_ties_against_scipys_exact_law() -> None:
    for n in (5, 20, 45):
        d = np.random.default_rng(n).normal(0.3, 1, n)
        peer = scipy.stats.wilcoxon(d, method="exact")
        found = signed_rank(d)
        assert (found.p, found.statistic) == pytest.approx((peer.pvalue, peer.statistic))
        assert found.about == "data sets"


def test_many_differences_take_the_normal_law() -> None:
    d = np.round(np.random.default_rng(1).normal(0.1, 1, 300), 1)
    peer = scipy.stats.wilcoxon(d, zero_method="pratt", method="approx", correction=False)
    found = signed_rank(d)
    assert found.p == pytest.approx(peer.pvalue)
    assert "normal" in found.method


def test_few_differences_say_what_they_cannot_show() -> None:
    assert "cannot give a p value below 0.0625" in signed_rank([0.1, 0.2, 0.3, 0.4, 0.5]).reason
    assert signed_rank([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).reason == ""
    assert signed_rank([0.0, 0.0]).p == 1
    ladder = friedman(np.arange(6.0)[:, None] + np.arange(4.0), list("abcd"))
    assert "with 6 data sets none of 6 pairs can have a Holm p value below 0.188" in ladder.reason


def test_midranks_against_scipy() -> None:
    values = np.random.default_rng(0).integers(0, 6, 40)
    assert midranks(values).tolist() == scipy.stats.rankdata(values).tolist()


# ---- words and refusals


def test_words() -> None:
    found = friedman(TABLE, NAMES, "higher")
    text = str(found)
    assert text.startswith("4 learners on 14 data sets, mean ranks (higher is better)\n  1.964  C4.5+m+cf")
    assert "cannot be told apart" in text
    assert "C4.5+m is better than C4.5 (Wilcoxon, Holm)." in found.findings()
    facts = json.loads(json.dumps(found.to_dict()))
    assert facts["ranks"]["C4.5+m"] == 2
    assert facts["pairs"][0]["first"] == "C4.5+m+cf"
    assert found.diagram().startswith("<svg")
    calm = friedman(np.random.default_rng(0).normal(size=(12, 3)), list("abc"))
    assert calm.findings()[0].startswith("Over these data sets the learners may all be equally good")


def test_frames_are_taken() -> None:
    import polars as pl

    frame = pl.DataFrame({name: TABLE[:, j] for j, name in enumerate(NAMES)})
    assert friedman(frame, frame.columns, "higher").ranks == friedman(TABLE, NAMES, "higher").ranks


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (
            TABLE[:, :2],
            NAMES[:2],
        ),
        (
            TABLE[:1],
            NAMES,
        ),
        (
            TABLE[:, :1],
            NAMES[:1],
        ),
        (
            TABLE[0],
            NAMES,
        ),
        (
            TABLE.T,
            NAMES,
        ),
        (
            TABLE,
            ["a", "a", "b", "c"],
        ),
        (
            TABLE.astype(str),
            NAMES,
        ),
    ],
)
def test_refusals(table: Any, names: list[str]) -> None:
    with refusal(assay.InputError):
        friedman(table, names)


def test_holes_are_named() -> None:
    table = TABLE.copy()
    table[2, 1], table[3, 0] = math.nan, math.inf
    with refusal(assay.InputError):
        friedman(table, NAMES)
    titles = [f"set {i}" for i in range(14)]
    with refusal(assay.InputError):
        friedman(table, NAMES, datasets=titles)
    with refusal(assay.InputError):
        friedman(TABLE, NAMES, datasets=titles[:3])
    with refusal(assay.InputError):
        friedman(np.full((14, 4), math.nan), NAMES)
    with refusal(assay.ParameterError):
        friedman(TABLE, NAMES, "best")  # pyright: ignore
