"""Comparisons: paired by construction, the right test for each family, margins, planning numbers, many models, slices."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import assay
from messages import refusal

M = assay.metrics
RNG = np.random.default_rng(11)
N = 300
Y = RNG.integers(0, 2, N)
A = RNG.normal(size=N) + 1.5 * Y
B = A + 0.8 * RNG.normal(size=N)
PA, PB = (A > 0.7).astype(int), (B > 0.7).astype(int)
TARGET = RNG.normal(size=N)
FA, FB = TARGET + 0.4 * RNG.normal(size=N), TARGET + 0.6 * RNG.normal(size=N)
GROUPS = np.arange(N) // 5

CASES = [
    (M.Accuracy(), Y, PA, PB, "Bonett-Price, mid-p McNemar"),
    (M.Misclassification(), Y, PA, PB, "Bonett-Price, mid-p McNemar"),
    (M.Recall(), Y, PA, PB, "Bonett-Price, mid-p McNemar"),
    (M.Precision(), Y, PA, PB, "influence difference"),
    (M.F1(), Y, PA, PB, "influence difference"),
    (M.MatthewsCorrelation(), Y, PA, PB, "influence difference"),
    (M.RocAuc(), Y, A, B, "DeLong"),
    (M.AveragePrecision(), Y, A, B, "influence difference"),
    (M.EqualErrorRate(), Y, A, B, "paired bootstrap, 2000 replicates"),
    (M.MAE(), TARGET, FA, FB, "Hall t"),
    (M.RMSE(), TARGET, FA, FB, "influence difference"),
    (M.R2(), TARGET, FA, FB, "influence difference"),
    (M.MedianAbsoluteError(), TARGET, FA, FB, "paired bootstrap, 2000 replicates"),
]
by_key: Any = {"ids": [case[0].key for case in CASES]}


@pytest.mark.parametrize(("metric", "y", "a", "b", "method"), CASES, **by_key)
def test_default_test_of_each_family(metric: Any, y: Any, a: Any, b: Any, method: str) -> None:
    found = metric.compare(y, a, b)
    assert found.method == method
    assert float(found) == pytest.approx(metric(y, a) - metric(y, b), rel=1e-12)
    assert found.low <= float(found) <= found.high
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0) or 0.02 < found.p < 0.1
    assert found.favours == ("a" if metric.record.is_better(metric(y, a), metric(y, b)) else "b")


@pytest.mark.parametrize(("metric", "y", "a", "b", "method"), CASES, **by_key)
def test_swapping_the_models_changes_the_sign(metric: Any, y: Any, a: Any, b: Any, method: str) -> None:
    one, other = metric.compare(y, a, b), metric.compare(y, b, a)
    assert float(one) == pytest.approx(-float(other))
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=1e-6, abs=1e-9)
    assert one.p == pytest.approx(other.p, abs=1e-9)


@pytest.mark.parametrize(("metric", "y", "a", "b", "method"), CASES, **by_key)
def test_resampling_agrees_with_the_default(metric: Any, y: Any, a: Any, b: Any, method: str) -> None:
    """Limits of the paired bootstrap within a quarter of the width; p values of randomisation on the same side of the fence."""
    found, drawn = metric.compare(y, a, b), metric.compare(y, a, b, method="bootstrap")
    width = found.high - found.low
    assert (drawn.low, drawn.high) == pytest.approx((found.low, found.high), abs=0.25 * width)
    swapped = metric.compare(y, a, b, method="randomisation", replicates=500)
    assert swapped.p == pytest.approx(found.p, abs=max(0.08, 0.5 * found.p))


def test_pairing_is_what_makes_it_sharp() -> None:
    """The paired interval of two models that agree on most rows is much narrower than that of independent samples."""
    found = M.MAE().compare(TARGET, FA, FA + 0.05 * RNG.normal(size=N))
    apart = math.hypot(found.a.high - found.a.low, found.b.high - found.b.low)
    assert found.high - found.low < 0.5 * apart


def test_equal_models_are_equal() -> None:
    for metric, y, a, _, _ in CASES:
        found = metric.compare(y, a, a)
        assert float(found) == 0
        assert found.p == 1
        assert found.favours is None
        assert found.low is None or found.low <= 0 <= found.high


def test_groups_widen_the_comparison() -> None:
    copies = np.repeat(np.arange(N), 3)
    single, grouped = (
        M.MAE().compare(TARGET, FA, FB, groups=np.arange(N)),
        M.MAE().compare(TARGET[copies], FA[copies], FB[copies], groups=copies),
    )
    assert (grouped.low, grouped.high) == pytest.approx((single.low, single.high), rel=1e-9)
    assert "300 groups" in (grouped.method or "")
    assert "groups" in (M.Accuracy().compare(Y, PA, PB, groups=GROUPS).method or "")


def test_margins() -> None:
    close = FA + 0.01 * RNG.normal(size=N)
    found = M.MAE().compare(TARGET, FA, close, margin=0.05)
    assert found.p_noninferior is not None
    assert found.p_equivalent is not None
    assert found.p_noninferior < 1e-6
    assert found.p_equivalent < 1e-6
    worse = M.MAE().compare(TARGET, FB, FA, margin=0.01)
    assert worse.p_noninferior is not None
    assert worse.p_noninferior > 0.5
    better = M.MAE().compare(TARGET, FA, FB, margin=0.01)
    assert better.p_noninferior is not None
    assert better.p_equivalent is not None
    assert better.p_noninferior < 0.05 < better.p_equivalent
    higher = M.Accuracy().compare(Y, PA, PB, margin=0.3)
    assert higher.p_noninferior is not None
    assert higher.p_noninferior < 0.01
    assert M.MAE().compare(TARGET, FA, FB).p_equivalent is None


def test_what_could_have_been_seen() -> None:
    """A comparison whose effect is its own detectable effect has four times out of five a p below 5 %."""
    found = M.MAE().compare(TARGET, FA, FB)
    assert found.mde is not None
    assert found.mde == pytest.approx((1.959964 + 0.841621) * found.error, rel=1e-5)
    assert found.rows_for(found.mde) == pytest.approx(N, abs=1)
    assert found.rows_for(found.mde / 2) == pytest.approx(4 * N, abs=3)
    more = found.detectable(0.95)
    assert more is not None
    assert more > found.mde
    for bad in (0, math.nan):
        with refusal(assay.ParameterError):
            found.rows_for(bad)


def test_a_comparison_travels() -> None:
    found = M.RocAuc().compare(Y, A, B, margin=0.02)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict()
    assert {"effect", "low", "high", "p", "mde", "p_noninferior", "method", "a", "b"} <= set(found.to_dict())
    assert "DeLong, paired" in str(found)
    assert f"{found:.2f}" == f"{float(found):.2f}"


REFUSED = [
    (lambda: M.MAE().compare(TARGET, FA, FB, method="delong"), "area under the ROC curve"),
    (lambda: M.MAE().compare(TARGET, FA, FB, method="mcnemar"), "right or wrong"),
    (lambda: M.F1().compare(Y, PA, PB, method="hall"), "means of losses per row"),
    (lambda: M.F1().compare(Y, PA, PB, method="mcnemr"), "Did you mean 'mcnemar'"),
    (lambda: M.EqualErrorRate().compare(Y, A, B, method="delta"), "bootstrap"),
    (lambda: M.MAE().compare(TARGET, FA, FB, margin=-1), "margin"),
    (lambda: M.MAE().compare(TARGET, FA, FB[:-1]), "same number of rows"),
    (lambda: M.MAE().rank(TARGET, {"one": FA}), "at least two models"),
    (lambda: M.MAE().by(np.arange(N), TARGET, FA), "Bin them"),
    (lambda: M.MAE().by(GROUPS[:-1], TARGET, FA), "slices must hold one label a row"),
    (lambda: M.MAE().by(GROUPS % 2, TARGET, FA, pool=True), "at least three slices"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_models_may_name_their_inputs() -> None:
    """A model may give probabilities where another gives decisions."""
    found = M.Accuracy().compare(Y, {"y_prob": 1 / (1 + np.exp(0.7 - A))}, {"y_pred": PB})
    assert float(found) == pytest.approx(assay.accuracy(Y, PA) - assay.accuracy(Y, PB))


# ---- many models


def test_ranking_says_who_cannot_be_told_apart() -> None:
    models = {"poor": RNG.normal(size=N), "good": A, "twin": A + 0.01 * RNG.normal(size=N)}
    ranking = M.RocAuc().rank(Y, models)
    assert set(ranking.order[:2]) == {"good", "twin"}
    assert ranking.ties == [tuple(ranking.order[:2])]
    assert ranking.places == {**dict.fromkeys(ranking.order[:2], (1, 2)), "poor": (3, 3)}
    assert "cannot be told apart" in str(ranking)
    assert set(ranking.to_dict()) >= {"scores", "pairs", "ties", "places", "findings"}


def test_pairs_allow_for_their_number() -> None:
    models = {f"m{i}": FA + 0.1 * i * RNG.normal(size=N) for i in range(4)}
    ranking = M.MAE().rank(TARGET, models)
    assert len(ranking.pairs) == 6
    alone = M.MAE().compare(TARGET, models[ranking.order[0]], models[ranking.order[3]])
    held = ranking.pair(ranking.order[0], ranking.order[3])
    assert held.high - held.low > alone.high - alone.low
    assert held.p == pytest.approx(alone.p)
    assert held.adjusted_p is not None
    assert held.adjusted_p >= held.p
    by_p = sorted(ranking.pairs.values(), key=lambda c: c.p or 0)
    assert by_p[0].adjusted_p == pytest.approx(min(1, 6 * (by_p[0].p or 0)))


# ---- slices


def test_slices_have_intervals_and_gaps() -> None:
    site = np.array(["Lyon", "Oslo", "Rome"])[np.arange(N) % 3]
    worse = np.where(site == "Rome", FA + 1.5, FA)
    slices = M.MAE().by(site, TARGET, worse)
    assert list(slices) == ["Lyon", "Oslo", "Rome"]
    assert slices.worst == "Rome"
    rome = slices["Rome"]
    assert rome.differs
    assert rome.gap == pytest.approx(float(rome.score) - float(slices.whole))
    alone = M.MAE().interval(TARGET[site == "Rome"], worse[site == "Rome"])
    assert (rome.score.low, rome.score.high) == pytest.approx((alone.low, alone.high))
    with refusal(assay.UnknownNameError):
        _ = slices["Roma"]


def test_gap_error_is_that_of_the_bootstrap() -> None:
    part = np.arange(N) % 4 == 0
    slices = M.F1().by(part.astype(int), Y, PA, level=0.95)
    found = slices[1]
    draws = RNG.multinomial(N, np.full(N, 1 / N), size=3000)
    gaps = M.F1().replicates(draws * part, Y, PA) - M.F1().replicates(draws, Y, PA)
    width = (found.gap_high or 0) - (found.gap_low or 0)
    t = 2 * 2.28  # two slices together at 95 %: Šidák's level is 97.5 %, 74 degrees of freedom
    assert width == pytest.approx(t * gaps.std(), rel=0.08)


def test_small_slices_are_marked_and_can_borrow() -> None:
    site = np.r_[np.zeros(12, int), 1 + np.arange(N - 12) % 5]
    slices = M.MAE().by(site, TARGET, FA, pool=True)
    small = slices[0]
    assert not small.score.reliable
    assert "fewer than 100 rows" in small.score.reason
    assert "fewer than 30 rows" in M.SMAPE().by(site, TARGET, FA)[0].score.reason
    assert small.pooled is not None
    whole = float(slices.whole)
    assert abs(float(small.pooled) - whole) <= abs(float(small.score) - whole)
    assert (small.pooled.high or 9) - (small.pooled.low or 0) < (small.score.high or 9) - (small.score.low or 0)


def test_a_slice_without_a_class_is_still_a_slice() -> None:
    site = np.where(Y == 1, "sick", "well")
    slices = M.F1().by(site, Y, PA)
    assert set(slices) == {"sick", "well"}
    auc = M.RocAuc().by(site, Y, A)
    assert math.isnan(auc["sick"].score)
    assert auc["sick"].p is None


def test_rows_that_do_not_tell_the_models_apart_prove_nothing() -> None:
    """Equal decisions on a dozen rows are no evidence of equivalence."""
    y, p = np.tile([0, 1], 6), np.tile([0, 1], 6)
    for metric in (M.F1(), M.MatthewsCorrelation(), M.RocAuc(), M.Brier()):
        found = metric.compare(y, p, p, margin=0.01)
        assert (found.mde, found.p_equivalent, found.p_noninferior) == (None, None, None), metric.key
        assert not found.reliable
        assert "no row tells the models apart" in found.reason


def test_a_tiny_slice_that_is_all_right_is_not_surely_better() -> None:
    wrong = np.arange(403) % 7 == 0
    wrong[400:] = False
    y = np.arange(403) % 2
    tiny = M.Accuracy().by(np.arange(403) >= 400, y, np.where(wrong, 1 - y, y))[True]
    assert float(tiny.score) == 1
    assert not tiny.differs
    assert tiny.gap_low is not None
    assert tiny.gap_low < 0 < tiny.gap


def test_a_slice_of_one_group_has_no_interval() -> None:
    slices = M.MAE().by(GROUPS < 1, TARGET, FA, groups=GROUPS)
    assert slices[True].score.low is None
    assert "single group" in slices[True].score.reason
    assert slices[True].p is None


def test_limits_stay_in_range_and_doubts_are_passed_on() -> None:
    y, a, b = np.array([0, 1, 0, 1]), np.array([0, 1, 0, 0]), np.array([1, 0, 1, 1])
    for metric in (M.MatthewsCorrelation(), M.BalancedAccuracy(), M.F1(), M.Recall()):
        found = metric.compare(y, a, b)
        widest = metric.bounds[1] - metric.bounds[0]
        assert -widest <= found.low <= found.high <= widest
        assert not found.reliable
    assert (M.Brier().interval([0, 1, 0], y_prob=[0.9, 0.1, 0.1]).high or 9) <= 1


def test_what_can_be_seen_allows_for_the_number_of_pairs() -> None:
    models = {f"m{i}": FA + 0.1 * i * RNG.normal(size=N) for i in range(4)}
    ranking = M.MAE().rank(TARGET, models)
    first, second = ranking.order[:2]
    alone = M.MAE().compare(TARGET, models[first], models[second])
    among = ranking.pair(first, second)
    assert among.mde is not None
    assert alone.mde is not None
    assert among.mde > 1.1 * alone.mde


def test_results_are_strict_json() -> None:
    """Values that do not exist are null, whoever reads them."""
    import json

    one_class = np.ones(N, int)
    found: list[Any] = [
        M.RocAuc().compare(Y, A, B), M.R2().compare(np.ones(N), FA, FB), M.RocAuc().by(np.where(Y == 1, "a", "b"), Y, A),
        M.MAE().rank(TARGET, {"a": FA, "b": FB}), M.F1(average="macro", classes=(0, 1, 2)).interval(one_class, one_class),
    ]  # fmt: skip
    for result in found:
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
