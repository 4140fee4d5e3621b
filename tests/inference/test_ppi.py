"""Prediction-powered inference: what it is equal to, what it holds, what it refuses."""

from __future__ import annotations

import doctest
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import assay
from assay.inference import ppi
from assay.inference.formulas import wilson
from messages import refusal


def judged(seed: int = 0, n: int = 120, others: int = 800, noise: float = 0.6) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n + others)
    f = y + rng.normal(0.3, noise, n + others)
    return y[:n], f[:n], f[n:]


def binary(rng: Any, p: float, right: float, n: int, others: int = 1000) -> tuple[Any, Any, Any]:
    y = rng.random(n + others) < p
    f = np.where(rng.random(n + others) < right, y, ~y)
    return y[:n].astype(int), f[:n].astype(int), f[n:].astype(int)


# ---- what it is equal to


def test_power_zero_is_the_labels_alone() -> None:
    y, f, more = judged()
    score = ppi.mean(y, f, more, power=0, method="t")
    assert float(score) == pytest.approx(y.mean(), rel=1e-12)
    assert score.error == pytest.approx(y.std(ddof=1) / math.sqrt(len(y)), rel=1e-12)
    assert (score.low, score.high) == (score.classical.low, score.classical.high)


def test_perfect_judge_gives_the_mean_of_all_rows() -> None:
    y, _, more = judged()
    score = ppi.mean(y, y, more)
    shrunk = (1 - 1 / len(y)) * len(more) / (len(y) + len(more))  # N/(n + N), with the divisor n of the covariance
    assert score.power == pytest.approx(
        shrunk * np.var(y, ddof=1) / np.var(np.concatenate([y, more]), ddof=1), rel=1e-9
    )
    assert score.width_ratio < 0.5


def test_groups_of_one_row_are_rows() -> None:
    y, f, more = judged()
    plain = ppi.mean(y, f, more, power=0.7)
    grouped = ppi.mean(y, f, more, power=0.7, groups=np.arange(120), unlabelled_groups=np.arange(1000, 1800))
    assert (grouped.low, grouped.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert "clustered" in grouped.method


def test_copied_rows_in_groups_tell_nothing_new() -> None:
    y, f, more = judged()
    names, others = np.arange(120), 1000 + np.arange(800)
    once = ppi.mean(y, f, more, groups=names, unlabelled_groups=others)
    five = [np.repeat(a, 5) for a in (y, f, more, names, others)]
    again = ppi.mean(*five[:3], groups=five[3], unlabelled_groups=five[4])
    assert (again.low, again.high, again.df) == pytest.approx((once.low, once.high, once.df), rel=1e-9)
    assert ppi.mean(*five[:3]).error < 0.6 * again.error


def test_one_stratum_is_none() -> None:
    y, f, more = judged()
    plain, one = ppi.mean(y, f, more), ppi.mean(y, f, more, strata=["a"] * 120, unlabelled_strata=["a"] * 800)
    assert (one.low, one.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert one.powers == {"a": pytest.approx(plain.power)}


def test_strata_are_added_by_share() -> None:
    (y, f, more), (z, g, others) = judged(1), judged(2, noise=3.0)
    both = {
        "labels": np.concatenate([y, z + 2]), "predictions": np.concatenate([f, g + 2]),
        "unlabelled": np.concatenate([more, others + 2]),
    }  # fmt: skip
    names = {"strata": ["a"] * 120 + ["b"] * 120, "unlabelled_strata": ["a"] * 800 + ["b"] * 800}
    parts = [ppi.mean(y, f, more), ppi.mean(z + 2, g + 2, others + 2)]
    known = ppi.mean(**both, **names, shares={"a": 0.25, "b": 0.75}, method="t")
    assert float(known) == pytest.approx(0.25 * parts[0] + 0.75 * parts[1], rel=1e-12)
    assert known.error == pytest.approx(math.hypot(0.25 * parts[0].error, 0.75 * parts[1].error), rel=1e-12)
    assert known.powers["a"] > known.powers["b"]
    assert known.parts == {"a": float(parts[0]), "b": pytest.approx(float(parts[1]))}
    counted = ppi.mean(**both, **names)
    gap = float(parts[1] - parts[0])
    within = math.hypot(0.5 * parts[0].error, 0.5 * parts[1].error)
    assert counted.error**2 == pytest.approx(within**2 + 0.25 * gap**2 / 1839, rel=1e-9)  # the shares are estimates too


def test_cross_fit_is_reproducible_and_close() -> None:
    y, f, more = judged()
    plain, folds = ppi.mean(y, f, more), ppi.mean(y, f, more, cross_fit=True)
    assert folds.low == ppi.mean(y, f, more, cross_fit=5, seed=0).low != ppi.mean(y, f, more, cross_fit=5, seed=1).low
    assert float(folds) == pytest.approx(float(plain), abs=0.2 * plain.error)
    assert folds.method == "PPI++, Hall t, cross-fit"


def test_paired_difference_is_the_mean_of_differences() -> None:
    a, b = judged(1), judged(2)
    whole = ppi.difference(a, b)
    by_hand = ppi.mean(*(x - y for x, y in zip(a, b, strict=True)))
    assert (whole, whole.low, whole.high) == (by_hand, by_hand.low, by_hand.high)


def test_unpaired_difference_is_welch() -> None:
    from scipy.stats import ttest_ind

    (y, f, more), (z, g, others) = judged(1, n=60), judged(2, n=90)
    first, second = ppi.mean(y, f, more, power=0), ppi.mean(2 * z, g, others, power=0)
    score = ppi.difference_of(first, second)
    expected = ttest_ind(y, 2 * z, equal_var=False).confidence_interval()
    assert (score.low, score.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert (score.n, score.unlabelled) == (150, 1600)


def test_mean_metric_is_the_mean_of_its_losses() -> None:
    y, f, more = judged()
    rng = np.random.default_rng(9)
    p, q = rng.normal(size=120), rng.normal(size=800)
    score = ppi.metric("mae", {"y_true": y, "y_pred": p}, {"y_true": f, "y_pred": p}, {"y_true": more, "y_pred": q})
    losses = ppi.mean(abs(y - p), abs(f - p), abs(more - q))
    assert (float(score), score.error, score.power) == pytest.approx((float(losses), losses.error, losses.power))
    assert score.low == pytest.approx(
        float(losses) * math.exp(-(losses - _t(losses).low) / losses), rel=1e-9
    )  # log scale


def _t(score: Any) -> Any:
    from scipy.stats import t

    half = t.ppf(0.975, score.df) * score.error
    return score.but(low=float(score) - half, high=float(score) + half)


def test_accuracy_metric_is_the_proportion_of_hits() -> None:
    rng = np.random.default_rng(3)
    y, f, more = binary(rng, 0.4, 0.9, 150)
    p, q = (np.where(rng.random(len(v)) < 0.8, v, 1 - v) for v in (y, more))
    score = ppi.metric(
        assay.metrics.Accuracy(), {"y_true": y, "y_pred": p}, {"y_true": f, "y_pred": p}, {"y_true": more, "y_pred": q}
    )
    hits = ppi.proportion(y == p, f == p, more == q)
    assert (float(score), score.low, score.high) == pytest.approx((float(hits), hits.low, hits.high), rel=1e-9)


def test_ratio_metric_is_corrected_on_its_own_scale() -> None:
    rng = np.random.default_rng(4)
    y, f, more = binary(rng, 0.4, 0.9, 150)
    p, q = (np.where(rng.random(len(v)) < 0.8, v, 1 - v) for v in (y, more))
    sets = [{"y_true": t, "y_pred": d} for t, d in ((y, p), (f, p), (more, q))]
    score = ppi.metric("f1", *sets, power=0.5)
    values = [assay.f1(**s) for s in sets]
    assert float(score) == pytest.approx(values[0] + 0.5 * (values[2] - values[1]), rel=1e-12)
    influence = assay.metrics.F1().influence(**sets[0]) - 0.5 * assay.metrics.F1().influence(**sets[1])
    alone = assay.metrics.F1().influence(**sets[2])
    assert score.error**2 == pytest.approx(
        influence @ influence * 150 / 149 + 0.25 * alone @ alone * 1000 / 999, rel=1e-9
    )


# ---- what it holds


def test_proportion_of_labels_alone_is_wilson_with_t() -> None:
    y, f, more = binary(np.random.default_rng(0), 0.9, 0.9, 60)
    score = ppi.proportion(y, f, more, power=0)
    low, high = wilson(y.sum(), 60, 0.95)
    assert score.low < low < high < score.high
    assert score.high - score.low == pytest.approx(high - low, rel=0.03)


@pytest.mark.parametrize("label", [0, 1])
def test_proportion_holds_at_the_edges(label: int) -> None:
    rng = np.random.default_rng(0)
    score = ppi.proportion([label] * 60, rng.random(60), rng.random(500))
    assert (score.power, float(score)) == (0, label)
    assert 0 <= score.low < score.high <= 1
    assert score.high - score.low == pytest.approx(0.0625, abs=0.002)  # t²/(60 + t²): no labels disagree, yet not sure
    forced = ppi.proportion([label] * 60, rng.random(60), rng.random(500), power=1)
    assert 0 <= forced.low < forced.high <= 1
    assert forced.high - forced.low >= score.high - score.low


def coverage(draw: Any, truth: float, runs: int = 600) -> tuple[float, float]:
    scores = [draw() for _ in range(runs)]
    return np.mean([s.low <= truth <= s.high for s in scores]), np.mean([s.width_ratio for s in scores])


@pytest.mark.parametrize(("n", "least"), [(50, 0.935), (150, 0.94)])
def test_coverage_of_means_and_proportions(n: int, least: float) -> None:
    rng = np.random.default_rng(5)
    slack = 2 * math.sqrt(0.05 * 0.95 / 600)
    covered, ratio = coverage(lambda: ppi.mean(*judged(int(rng.integers(1e9)), n)), 0.0)
    assert covered >= least - slack
    assert ratio < 0.7
    covered, ratio = coverage(lambda: ppi.proportion(*binary(rng, 0.9, 0.97, n)), 0.9)
    assert covered >= least - slack
    assert ratio < 0.75


def test_clusters_cover_where_rows_do_not() -> None:
    rng = np.random.default_rng(6)

    def draw(clustered: bool) -> Any:
        g = np.repeat(np.arange(60), 5)
        y = rng.normal(size=60)[g] + 0.5 * rng.normal(size=300)
        f = y + 0.5 * rng.normal(size=60)[g]
        a, b = g < 15, g >= 15
        groups = {"groups": g[a], "unlabelled_groups": g[b]} if clustered else {}
        return ppi.mean(y[a], f[a], f[b], **groups)

    assert coverage(lambda: draw(True), 0.0, 300)[0] > 0.91
    assert coverage(lambda: draw(False), 0.0, 300)[0] < 0.8


# ---- what it says


def test_line_dict_and_pickle() -> None:
    score = ppi.mean(*judged())
    assert isinstance(score, assay.Score)
    assert str(score).endswith("of the classical width")
    assert "n=120 labels + 800 predictions · PPI++, Hall t, power 0." in str(score)
    facts = json.loads(json.dumps(score.to_dict()))
    assert facts["classical"]["value"] == float(score.classical)
    assert facts["width_ratio"] == score.width_ratio
    again = pickle.loads(pickle.dumps(score))
    assert again.to_dict() == score.to_dict()
    assert str(score.classical).endswith("n=120 · Hall t")


def test_few_labels_are_refused_or_marked() -> None:
    y, f, more = judged(n=30)
    with refusal(assay.InputError):
        ppi.mean(y, f, more)
    score = ppi.mean(y, f, more, few_labels=True)
    assert (score.reliable, score.reason) == (False, "fewer than 50 labels")
    assert "*" in score.short()


def test_skewed_labels_are_marked() -> None:
    rng = np.random.default_rng(0)
    y = np.exp(2 * rng.normal(size=860))
    score = ppi.mean(y[:60], y[:60] + rng.normal(size=60), y[60:], power=0)
    assert "a few large values decide" in score.reason


def test_labels_that_all_agree_are_marked() -> None:
    score = ppi.mean([3.0] * 60, np.arange(60.0), np.arange(90.0))
    assert (score.low, score.high, score.reliable) == (3, 3, False)
    assert score.reason == "all labelled rows agree, so they say nothing about the spread"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"labels": [math.nan] * 60}, "labels must be finite, got nan in row 0"),
        ({"labels": [1.0] * 59}, "the same number of rows, got labels 59, predictions 60"),
        ({"labels": ["a"] * 60}, "labels must hold numbers, got 'a'"),
        ({"labels": [], "predictions": []}, "the inputs are empty"),
        ({"unlabelled": [1.0]}, "needs at least 2 unlabelled rows, got 1"),
        ({"level": 1.0}, "level must be a number above 0 and below 1, got 1.0"),
        ({"power": 1.5}, "power must be a number at least 0 and at most 1, got 1.5"),
        ({"power": "best"}, "power must be 'tuned' or a number, got 'best'"),
        ({"power": 1.0, "cross_fit": True}, "cross_fit tunes the power by folds"),
        ({"cross_fit": 1}, "cross_fit must be an integer of at least 2"),
        ({"groups": [0] * 60}, "unlabelled_groups must be given too"),
        ({"groups": [0] * 60, "unlabelled_groups": range(90)}, "needs at least 3 labelled groups, got 1"),
        ({"groups": ["a"] * 60, "unlabelled_groups": range(90)}, "must be of one kind"),
        ({"groups": [0] * 59, "unlabelled_groups": range(90)}, "groups must hold one label per row"),
        ({"shares": {"a": 1.0}}, "shares belong to strata"),
        ({"method": "z"}, "method must be one of 'hall', 't', got 'z'"),
        ({"levle": 0.9}, "has no parameter 'levle'. Did you mean 'level'?"),
    ],
)  # fmt: skip
def test_refusals(change: dict[str, Any], text: str) -> None:
    y, f, more = judged(n=60, others=90)
    with pytest.raises((assay.InputError, assay.ParameterError)) as caught:
        ppi.mean(**{"labels": y, "predictions": f, "unlabelled": more, **change})
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"shares": {"a": 0.5, "c": 0.5}}, "shares must name every stratum once: 'a', 'b'; got 'a', 'c'"),
        ({"shares": {"a": 0.5, "b": 0.6}}, "shares must add up to 1, got 1.1"),
        ({"unlabelled_strata": ["a"] * 90}, "needs at least 2 unlabelled rows in stratum 'b', got 0. Join small strata."),
        ({"groups": [*range(30)] * 2, "unlabelled_groups": range(30, 120)}, "groups must lie in one stratum each"),
    ],
)  # fmt: skip
def test_refusals_of_strata(change: dict[str, Any], text: str) -> None:
    names = {"strata": ["a"] * 30 + ["b"] * 30, "unlabelled_strata": ["a"] * 45 + ["b"] * 45}
    with pytest.raises((assay.InputError, assay.ParameterError)) as caught:
        ppi.mean(*judged(n=60, others=90), **{**names, **change})
    assert text in str(caught.value)


def test_refusals_of_kinds() -> None:
    y, f, more = judged(n=60)
    with refusal(assay.InputError):
        ppi.proportion(y, f, more)
    with refusal(assay.InputError):
        ppi.difference((y, f, more), judged(n=70))
    with refusal(assay.ParameterError):
        ppi.difference((y, f, more), y)
    with refusal(assay.ParameterError):
        ppi.difference_of(ppi.mean(y, f, more), 0.3)


def test_refusals_of_metrics() -> None:
    y, f, more = judged(n=60)
    sets = [{"y_true": t, "y_pred": np.zeros(len(t))} for t in (y, f, more)]
    with refusal(assay.ParameterError):
        ppi.metric("sse", *sets)
    with refusal(assay.ParameterError):
        ppi.metric("median_absolute_error", *sets)
    with refusal(assay.InputError):
        ppi.metric("mae", sets[0], sets[2], sets[2])
    with refusal(assay.ParameterError):
        ppi.metric("rmse", *sets, strata=["a"] * 60, unlabelled_strata=["a"] * 800)


def test_examples_run() -> None:
    assert doctest.testmod(ppi).failed == 0
