"""What `Metric.interval` promises: a named method, limits in range, refusals with reasons, marks of doubt, one seed one answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay.inference import formulas
from messages import refusal

M = assay.metrics

RNG = np.random.default_rng(7)
N = 240
Y = RNG.integers(0, 2, N)
SCORE = RNG.normal(size=N) + 1.2 * Y
PROB = 1 / (1 + np.exp(0.6 - SCORE))
PRED = (PROB > 0.5).astype(int)
CLASS = RNG.integers(0, 4, N)
GUESS = np.where(RNG.random(N) < 0.7, CLASS, RNG.integers(0, 4, N))
TARGET = RNG.normal(size=N)
VALUE = TARGET + 0.4 * RNG.normal(size=N)
GROUPS = RNG.integers(0, 30, N)


def test_the_score_names_everything() -> None:
    score = M.F1().interval(Y, PRED)
    assert score.low is not None
    assert score.high is not None
    assert 0 <= score.low < float(score) < score.high <= 1
    assert (score.level, score.method, score.reliable, score.reason) == (0.95, "Wilson on the Jaccard index", True, "")
    assert str(score).endswith("95 % · n=240 · Wilson on the Jaccard index")
    assert float(score) == assay.f1(Y, PRED)
    assert "|n:240|ci:auto|assay:" in score.signature
    drawn = M.F1().interval(Y, PRED, method="bca", seed=7, level=0.9)
    assert "|n:240|ci:bca,level:0.9,b:2000,seed:7|assay:" in drawn.signature


METHODS = [
    (M.Accuracy(), (Y, PRED), "Wilson"),
    (M.Precision(), (Y, PRED), "Wilson"),
    (M.Jaccard(), (Y, PRED), "Wilson on the Jaccard index"),
    (M.FBeta(beta=2.0), (Y, PRED), "Wilson on the Jaccard index"),
    (M.F1(average="macro"), (CLASS, GUESS), "MOVER over classes"),
    (M.Recall(average="macro"), (CLASS, GUESS), "MOVER over classes"),
    (M.F1(average="weighted"), (CLASS, GUESS), "Wilson"),
    (M.MatthewsCorrelation(), (Y, PRED), "Dirichlet(1/2) posterior"),
    (M.CohenKappa(), (CLASS, GUESS), "delta t on the Fisher z scale"),
    (M.BalancedAccuracy(), (Y, PRED), "Jeffreys posterior of both recalls"),
    (M.BalancedAccuracy(), (CLASS, GUESS), "shrunk logit"),
    (M.RocAuc(), (Y, SCORE), "DeLong on the logit scale"),
    (M.RocAuc(), (Y[:30], SCORE[:30]), "Newcombe 5"),
    (M.AveragePrecision(), (Y, SCORE), "influence values on the logit scale"),
    (M.EqualErrorRate(), (Y, SCORE), "percentile bootstrap, 2000 replicates"),
    (M.Brier(), (Y, PROB), "Hall t"),
    (M.MAE(), (TARGET, VALUE), "Hall t, heavy upper tail"),
    (M.LogLoss(), (Y, PROB), "Hall t, heavy upper tail"),
    (M.SMAPE(), (TARGET, VALUE), "Hall t"),
    (M.SSE(), (TARGET, VALUE), "Hall t, heavy upper tail"),
    (M.RMSE(), (TARGET, VALUE), "root of Hall t, heavy upper tail"),
    (M.MedianAbsoluteError(), (TARGET, VALUE), "order statistics"),
    (M.R2(), (TARGET, VALUE), "delta t on the log(1 - value) scale"),
    (M.Pearson(), (TARGET, VALUE), "delta t on the Fisher z scale"),
    (M.Spearman(), (TARGET, VALUE), "delta t on the Fisher z scale"),
    (M.NRMSE(), (TARGET, VALUE), "BCa bootstrap, 2000 replicates"),
]


@pytest.mark.parametrize(
    ("metric", "data", "method"), METHODS, ids=lambda v: v.key if isinstance(v, assay.Metric) else ""
)
def test_default_of_each_family(metric: Any, data: Any, method: str) -> None:
    score = metric.interval(*data)
    assert score.method == method
    assert score.low < float(score) < score.high
    narrow, wide = metric.interval(*data, level=0.8), metric.interval(*data, level=0.99)
    assert wide.low <= score.low <= narrow.low < narrow.high <= score.high <= wide.high


@pytest.mark.parametrize(
    ("metric", "data", "method"), METHODS, ids=lambda v: v.key if isinstance(v, assay.Metric) else ""
)
def test_bootstrap_agrees_with_the_default(metric: Any, data: Any, method: str) -> None:
    """Two ways to the same limits: they differ by less than a quarter of the width on smooth data of this size."""
    score, other = metric.interval(*data), metric.interval(*data, method="bootstrap")
    width = score.high - score.low
    assert (other.low, other.high) == pytest.approx((score.low, score.high), abs=0.25 * width)


def test_weights_that_are_all_the_same_change_nothing() -> None:
    for metric, data, _ in METHODS:
        if isinstance(metric, M.SSE | M.MedianAbsoluteError | M.EqualErrorRate | M.NRMSE):
            continue  # a total grows with the weights; the others are resampled, where weights take another route
        plain, weighted = metric.interval(*data), metric.interval(*data, weight=np.full(len(data[0]), 0.3))
        assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), rel=1e-6), metric.key


def test_effective_size_of_weights() -> None:
    """Half of the rows with all the weight: as wide as those rows alone."""
    weight = np.r_[np.ones(N // 2), np.full(N // 2, 1e-9)]
    heavy = M.Accuracy().interval(Y, PRED, weight=weight)
    alone = M.Accuracy().interval(Y[: N // 2], PRED[: N // 2])
    assert (heavy.low, heavy.high) == pytest.approx((alone.low, alone.high), rel=1e-5)


def test_perfect_scores_have_intervals_that_are_not_points() -> None:
    y = Y[:40]
    for metric, data in [(M.Accuracy(), (y, y)), (M.F1(), (y, y)), (M.Recall(), (y, y)), (M.RocAuc(), (y, y)),
                         (M.AveragePrecision(), (y, y)), (M.MatthewsCorrelation(), (y, y)), (M.BalancedAccuracy(), (y, y)),
                         (M.F1(average="macro"), (CLASS[:60], CLASS[:60])), (M.CohenKappa(), (CLASS, CLASS)),
                         (M.BalancedAccuracy(), (CLASS, CLASS)), (M.Hamming(), (y, y))]:  # fmt: skip
        score = metric.interval(*data)
        assert score.high - score.low > 0.01, metric.key


def test_groups_widen_what_rows_of_a_group_share() -> None:
    """Every row four times: as groups the interval is that of the single rows, as rows it is half as wide."""
    copies = np.repeat(np.arange(N), 4)
    single = M.MAE().interval(TARGET, VALUE, groups=np.arange(N))
    grouped = M.MAE().interval(TARGET[copies], VALUE[copies], groups=copies)
    naive = M.MAE().interval(TARGET[copies], VALUE[copies])
    assert (grouped.low, grouped.high) == pytest.approx((single.low, single.high), rel=1e-9)
    assert naive.high - naive.low == pytest.approx((single.high - single.low) / 2, rel=0.1)
    assert grouped.method == "t, 240 groups"


def test_strata_narrow_what_they_explain() -> None:
    strata = (TARGET > 0).astype(int)
    target = TARGET + 5 * strata
    whole, layered = M.MAE().interval(target, VALUE), M.MAE().interval(target, VALUE, strata=strata)
    assert layered.high - layered.low < 0.8 * (whole.high - whole.low)


@pytest.mark.parametrize("method", ["bootstrap", "percentile", "bca"])
def test_same_seed_same_limits(method: str) -> None:
    for metric, data in [(M.F1(), (Y, PRED)), (M.MAE(), (TARGET, VALUE)), (M.RocAuc(), (Y, SCORE))]:
        first, again = (metric.interval(*data, method=method, seed=3) for _ in range(2))
        other = metric.interval(*data, method=method, seed=4)
        assert (first.low, first.high) == (again.low, again.high)
        assert (first.low, first.high) != (other.low, other.high)


def test_limits_do_not_depend_on_the_backend() -> None:
    torch = pytest.importorskip("torch")
    for metric, data in [
        (M.MAE(), (TARGET, VALUE)),
        (M.RocAuc(), (Y, SCORE)),
        (M.F1(), (Y, PRED)),
        (M.R2(), (TARGET, VALUE)),
    ]:
        for method in ("auto", "percentile"):
            ours, theirs = (
                metric.interval(*data, method=method),
                metric.interval(*map(torch.tensor, data), method=method),
            )
            assert (theirs.low, theirs.high) == pytest.approx((ours.low, ours.high), rel=1e-12)


REFUSED = [
    (lambda: M.CalibrationError().interval(Y, PROB, method="bootstrap"), "biased upward"),
    (lambda: M.CalibrationError().interval(Y, PROB, groups=GROUPS), "without groups"),
    (lambda: M.AveragePrecision().interval(Y, SCORE, strata=Y), "hide the variation of precision"),
    (lambda: M.MAE().interval(TARGET, VALUE, method="exact"), "is for proportions"),
    (lambda: M.F1(average="macro").interval(CLASS, GUESS, method="wilson"), "is for proportions"),
    (lambda: M.Accuracy().interval(Y, PRED, method="delong"), "area under the ROC curve"),
    (lambda: M.Accuracy().interval(Y, PRED, method="exact", groups=GROUPS), "takes every row as independent"),
    (lambda: M.Recall(average="macro").interval(CLASS, GUESS, method="exact"), "not one proportion"),
    (lambda: M.Accuracy().interval(Y, PRED, method="exact", weight=np.ones(N)), "takes no weights"),
    (lambda: M.EqualErrorRate().interval(Y, SCORE, method="bca"), "influence values"),
    (lambda: M.EqualErrorRate().interval(Y, SCORE, method="delta"), "percentile"),
    (lambda: M.Accuracy().interval(Y, PRED, method="bootstrp"), "Did you mean 'bootstrap'"),
    (lambda: M.Accuracy().interval(Y, PRED, level=95), "level"),
    (lambda: M.Accuracy().interval(Y, PRED, level=1), "level must lie between 0 and 1"),
    (lambda: M.Accuracy().interval(Y, PRED, replicates=10), "replicates"),
    (lambda: M.Accuracy().interval(Y, PRED, seed=-1), "seed"),
    (lambda: M.Accuracy().interval(Y, PRED, groups=GROUPS[:-1]), "groups must hold one label a row"),
    (lambda: M.Accuracy().interval(Y, PRED, groups=np.zeros(N)), "single group"),
    (lambda: M.Accuracy().interval(Y, PRED, groups=[None] * N), "missing values"),
    (lambda: M.Accuracy().interval(Y, PRED, groups=np.arange(N) // 2, strata=np.arange(N) % 2), "nested in strata"),
    (lambda: M.Accuracy().interval(Y, PRED, strata=np.arange(N)), "Merge them"),
    (lambda: M.ConfusionMatrix().interval(Y, PRED), "gives a curve or a table"),
    (lambda: M.F1(average=None).interval(CLASS, GUESS), "choose how to average"),
]


@pytest.mark.parametrize("call", [call for call, _ in REFUSED], ids=[words for _, words in REFUSED])
def test_refusals_say_why(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_marks_of_doubt() -> None:
    rare = np.r_[np.zeros(200, int), np.ones(4, int), np.full(100, 2)]
    macro = M.F1(average="macro").interval(rare, np.where(np.arange(304) % 7 == 0, 2, rare))
    assert not macro.reliable
    assert "fewer than 10 rows in class 1" in macro.reason
    assert macro.short().endswith("*")
    few = M.AveragePrecision().interval(Y[:40], SCORE[:40])
    assert not few.reliable
    assert few.reason.startswith("only")
    assert few.reason.endswith("positive rows")
    heavy = M.RMSE().interval(np.zeros(200), np.r_[np.full(199, 0.1), 30.0])
    assert "heavy tails" in heavy.reason
    flat = M.MAE().interval(np.zeros(20), np.ones(20))
    assert (flat.low, flat.high) == (1, 1)
    assert "say nothing about the spread" in flat.reason
    assert "rows" in M.MAE().interval(TARGET[:5], VALUE[:5]).reason


LIGHT = np.linspace(0.1, 1, 99)
UNBOUNDED: list[tuple[Any, dict[str, Any]]] = [
    (M.MSE(), {}), (M.RMSE(), {}), (M.MAE(), {}), (M.MAPE(), {}), (M.MeanLoss("mse"), {}), (M.MeanLoss("huber"), {}),
    (M.Pinball(quantile=0.3), {}), (M.LogLoss(), {"y_true": np.arange(99) % 2, "y_prob": 0.9 * LIGHT}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "data"), UNBOUNDED, ids=lambda v: v.key if isinstance(v, assay.Metric) else "")
def test_few_losses_without_a_bound_may_hide_their_tail(metric: Any, data: dict[str, Any]) -> None:
    """Nothing in a sample tells of a tail that was not drawn, so n and the range of the loss set the star."""
    data = data or {"y_true": LIGHT, "y_pred": LIGHT[::-1]}
    found = metric.interval(**data)
    assert "a rare large one may not have been drawn" in found.reason
    more = metric.interval(**{name: np.tile(column, 2) for name, column in data.items()})
    assert more.reliable
    assert more.method.endswith("heavy upper tail")


def test_bounded_losses_hide_no_tail() -> None:
    assert M.SMAPE().interval(LIGHT, LIGHT[::-1]).reliable
    assert M.Brier().interval(np.arange(99) % 2, y_prob=LIGHT).reliable
    guess = (np.arange(99) % 7 == 0).astype(int)
    costs = M.ExpectedCost(cost=((0.0, 5.0), (1.0, 0.0))).interval(np.arange(99) % 2, guess)  # a table has no tail
    assert costs.reliable
    assert costs.method == "Hall t"


def test_upper_limit_of_losses_with_a_tail() -> None:
    """Hall's own limit of 40 lognormal losses is too low as often as not; the lower one stays, and light tails change little."""
    rng = np.random.default_rng(4)
    heavy, light = rng.lognormal(0, 1, 40), np.abs(rng.normal(size=40))
    for losses, most in ((heavy, np.inf), (light, 1.15)):
        found = M.MAE().interval(losses, np.zeros(40))
        centred = losses - losses.mean()
        skew = float((centred**3).mean() / (centred**2).mean() ** 1.5)
        low, high = formulas.hall(float(found), float(losses.std(ddof=1)) / np.sqrt(40), skew, 40, 0.95)
        assert found.low == pytest.approx(low, rel=1e-9)
        assert 1 < (found.high - found.low) / (high - low) < most


def test_values_that_do_not_exist_have_no_interval() -> None:
    score = M.R2().interval(np.ones(5), VALUE[:5])
    assert math.isnan(score)
    assert score.low is None
    assert not score.reliable
    assert "is undefined" in score.reason
    infinite = M.LogLoss().interval([1, 0, 1], y_prob=[0.0, 0.5, 0.5])
    assert math.isinf(infinite)
    assert infinite.low is None
    assert "infinite" in infinite.reason
    one = M.MAE().interval([1.0], [2.0])
    assert one.low is None
    assert "single row" in one.reason


def test_ece_of_a_calibrated_model_reaches_zero_and_shows_the_debiased_value() -> None:
    p = RNG.random(1000)
    score = M.CalibrationError(of_what="positive").interval((RNG.random(1000) < p).astype(int), y_prob=p)
    assert score.low == 0
    assert score.notes["debiased calibration error"] < float(score)
