"""Intervals of states: merged batches have the limits of all data at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import assay
from assay import kernels
from assay.core import interval_state
from assay.core.errors import StateError
from assay.core.state import State
from messages import refusal

M = assay.metrics
RNG = np.random.default_rng(4)
N = 500
Y = RNG.integers(0, 2, N)
SCORE = RNG.normal(size=N) + Y
PRED = (SCORE > 0.5).astype(int)
PROB = np.clip(1 / (1 + np.exp(-SCORE)), 0.01, 0.99)
CLASS = RNG.integers(0, 3, N)
GUESS = np.where(RNG.random(N) < 0.8, CLASS, RNG.integers(0, 3, N))
NOISY = SCORE + RNG.normal(size=N)
BOTH, MANY = np.stack([SCORE, NOISY], axis=1), np.stack([NOISY, SCORE**2], axis=1)
MAPS = RNG.integers(0, 4, (40, 6, 6))
SEEN = np.where(RNG.random(MAPS.shape) < 0.7, MAPS, RNG.integers(0, 4, MAPS.shape))
MAPS[:20][MAPS[:20] == 3], SEEN[:20][SEEN[:20] == 3] = 0, 0  # batches that saw other classes
ROWS: list[tuple[Any, Any, Any]] = [
    (M.F1(), Y, PRED), (M.Recall(), Y, PRED), (M.MatthewsCorrelation(), Y, PRED), (M.BalancedAccuracy(), CLASS, GUESS),
    (M.F1(average="macro"), CLASS, GUESS), (M.RocAuc(), Y, SCORE), (M.AveragePrecision(), Y, SCORE),
    (M.EqualErrorRate(), Y, SCORE), (M.Spearman(), SCORE, NOISY), (M.MedianAbsoluteError(), SCORE, SCORE**2),
]  # fmt: skip
SUMS: list[tuple[Any, Any, Any]] = [
    (M.Accuracy(), Y, PRED), (M.MSE(), SCORE, NOISY), (M.RMSE(), BOTH, MANY), (M.MAE(outputs="variance"), BOTH, MANY),
    (M.R2(), SCORE, NOISY), (M.Pearson(), BOTH, MANY), (M.Brier(), Y, PROB), (M.LogLoss(), Y, PROB), (M.MeanIoU(), MAPS, SEEN),
    (M.MeanIoU(level="image"), MAPS, SEEN), (M.CalibrationError(), Y, PROB), (M.Recall(average="macro"), BOTH > 0, MANY > 0),
    (M.ExpectedCost(cost=((0.0, 1.0), (3.0, 0.0))), Y, PRED), (M.Spearman(outputs="variance"), BOTH, MANY),
]  # fmt: skip


def names(cases: list[tuple[Any, Any, Any]]) -> list[str]:
    return [case[0].signature() for case in cases]


def merged(metric: Any, y: Any, p: Any, cuts: list[int], weight: Any = None) -> Any:
    """The sum of states of pieces, some of which went through bytes."""
    w = [None] * (len(cuts) + 1) if weight is None else np.split(weight, cuts)
    pieces = zip(np.split(y, cuts), np.split(p, cuts), w, strict=True)
    states = [metric.state(a, b, weight=c) for a, b, c in pieces]
    return sum(assay.State.from_bytes(state.to_bytes()) if at % 2 else state for at, state in enumerate(states))


def same(found: Any, whole: Any, rel: float = 1e-9) -> None:
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), rel=rel)
    assert (found.method, found.reason, found.n) == (whole.method, whole.reason, whole.n)


@pytest.mark.parametrize(("metric", "y", "p"), ROWS, ids=names(ROWS))
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_merged_batches_have_the_limits_of_all_data(metric: Any, y: Any, p: Any, method: str) -> None:
    whole = metric.interval(y, p, method=method, seed=3)
    for cuts in ([100, 101, 350], [250]):
        same(merged(metric, y, p, cuts).interval(method=method, seed=3), whole, rel=1e-12)


@pytest.mark.parametrize(("metric", "y", "p"), SUMS, ids=names(SUMS))
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_have_the_limits_of_all_data(metric: Any, y: Any, p: Any, weighted: bool) -> None:
    n = len(y)
    weight = 0.2 + np.random.default_rng(2).random(n) if weighted else None
    whole = metric.interval(y, p, weight=weight)
    for cuts in ([1, n // 5, n // 5 + 1, n // 2], [n // 2]):
        same(merged(metric, y, p, cuts, weight).interval(), whole)


@pytest.mark.parametrize("metric", [M.F1(average="macro"), M.Accuracy(), M.Precision()], ids=lambda m: m.key)
def test_weighted_and_plain_batches_merge(metric: Any) -> None:
    weight = np.where(np.arange(N) < 200, 1.0, 0.3 + RNG.random(N))
    plain, weighed = metric.state(Y[:200], PRED[:200]), metric.state(Y[200:], PRED[200:], weight=weight[200:])
    for state in (plain + weighed, weighed + plain):
        same(state.interval(), metric.interval(Y, PRED, weight=weight))


@pytest.mark.parametrize("metric", [M.R2(), M.Pearson(), M.ExplainedVariance()], ids=lambda m: m.key)
def test_moments_leave_out_each_of_few_rows_and_forget_many(metric: Any) -> None:
    """Up to 1000 rows the standard error is the jackknife's; beyond, the state no longer keeps the rows."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=2500) + 1e5
    p = y + rng.standard_t(4, 2500)
    for n in (30, 1000, 1001, 2500):
        state = merged(metric, y[:n], p[:n], [n // 3, n // 2])
        same(state.interval(), metric.interval(y[:n], p[:n]), rel=1e-7)
        assert (state.kept.powers.rows is None) == (n > 1000)


@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_power_sums_are_those_of_the_rows(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    weight = RNG.random(N) if weighted else None
    monkeypatch.setattr(interval_state, "FEW_FOR_MOMENTS", 0)  # so that moments do not keep the rows
    cases = [
        (M.MSE(), SCORE, NOISY),
        (M.MAPE(), BOTH[:, 0] + 9, NOISY),
        (M.R2(), SCORE, NOISY),
        (M.Pearson(), SCORE, NOISY),
    ]
    for metric, y, p in [*cases, (M.Accuracy(), Y, PRED), (M.Brier(), Y, PROB), (M.LogLoss(), Y, PROB)]:
        found = []
        for large in (10**9, 100):
            monkeypatch.setattr(kernels, "LARGE", large)
            found.append(metric.state(y, p, weight=weight).interval())
        same(found[1], found[0])


def test_intervals_that_need_the_rows_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusal(assay.InputError):
        M.NRMSE().state(SCORE, NOISY).interval()
    with refusal(assay.InputError):
        M.NRMSE(divisor="iqr").state(SCORE, NOISY).interval()  # of which the state does keep the targets
    with refusal(assay.InputError):
        M.MAE().state(SCORE, NOISY).interval(method="bootstrap")
    with refusal(assay.InputError):
        M.FID(extractor="features").state(features=BOTH, sample=Y).interval()
    monkeypatch.setitem(interval_state.WIDEST, 3, 4)
    with refusal(assay.InputError):
        M.MAE().state(BOTH, MANY).interval()
    assert M.MAE().state(SCORE, NOISY).interval().high is not None


def test_correlations_near_one_do_not_invent_a_width() -> None:
    """Power sums lose twice the digits that the rows do: where none are left, the interval says that it knows nothing."""
    rng = np.random.default_rng(7)
    y = rng.normal(size=3000)
    for noise, rel in ((1e-1, 1e-9), (1e-2, 1e-6)):
        p = y + noise * rng.normal(size=3000)
        same(merged(M.Pearson(), y, p, [900]).interval(), M.Pearson().interval(y, p), rel=rel)
    lost = merged(M.Pearson(), y, y + 1e-9 * rng.normal(size=3000), [900]).interval()
    assert lost.low == lost.high == lost.value
    assert not lost.reliable


def drift(metric: Any, batches: int, order: Any) -> float:
    """How far merged states of two rows each, around 1e8, are from the value without that offset, in which nothing is rounded."""
    rng = np.random.default_rng(3)
    y = (
        np.round(rng.normal(size=2 * batches) * 2**20) / 2**20
    )  # what 1e8 has room for, so that the offset itself rounds nothing
    p = y + np.round(rng.normal(size=2 * batches) * 2**20) / 2**20
    statistic = metric.statistic()
    elements = [
        statistic.of(metric.inputs(1e8 + y[2 * i : 2 * i + 2], 1e8 + p[2 * i : 2 * i + 2])) for i in order(batches)
    ]
    total = elements[0]
    for element in elements[1:]:
        total = total + element
    return abs(float(metric.finalize(total)) - metric(y, p))


ORDERS = {"forward": range, "backward": lambda k: range(k - 1, -1, -1)}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("metric", [M.Pearson(), M.R2(), M.MSE()], ids=lambda m: m.key)
def test_merging_drifts_no_more_than_sums_do(metric: Any, order: str) -> None:
    assert drift(metric, 1500, ORDERS[order]) < 1500 * 2**-53


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_a_hundred_thousand_merges_drift_no_more_than_sums_do(order: str) -> None:
    assert drift(M.Pearson(), 100_000, ORDERS[order]) < 100_000 * 2**-53


# ---- sums that no data give, sealed anew


def impossible() -> dict[str, Any]:
    """States whose numbers were changed after the data were seen; their checksums are right."""
    rng = np.random.default_rng(0)
    y, p = rng.normal(size=50), rng.normal(size=50)
    mse, pearson = assay.metrics.MSE().state(y, p), assay.metrics.Pearson().state(y, p)
    totals = {
        "negative weight": [-1.0, 1.0], "negative squares": [50.0, -1.0], "not a number": [50.0, np.nan], "infinite": [np.inf, 1.0],
    }  # fmt: skip
    found: dict[str, Any] = {
        name: State(mse.metric, replace(mse.total, totals=np.array([numbers])), None)
        for name, numbers in totals.items()
    }
    moved = pearson.total.m2.copy()
    moved[0, 0, 0] = -1.0
    found["negative spread"] = State(pearson.metric, replace(pearson.total, m2=moved), None)
    crossed = pearson.total.m2.copy()
    crossed[0, 0, 1] = crossed[0, 1, 0] = 10 * np.trace(crossed[0])
    found["correlation beyond 1"] = State(pearson.metric, replace(pearson.total, m2=crossed), None)
    square = -mse.kept.powers.square
    square[0, 0] *= -1
    found["negative powers"] = State(
        mse.metric, mse.total, replace(mse.kept, powers=replace(mse.kept.powers, square=square))
    )
    maps = np.zeros((1, 8, 8), dtype=int)
    maps[0, 2:5, 2:5] = 1
    hausdorff = assay.metrics.Hausdorff().state(maps, np.roll(maps, 1, axis=1))
    below = replace(hausdorff.total, totals=np.array([1.0, 0.0, 1.0, 0.0, -1.0]))
    return found | {"a distance below 0": State(hausdorff.metric, below, None)}


@pytest.mark.parametrize("name", list(impossible()))
def test_impossible_sums_are_refused(name: str) -> None:
    with refusal(StateError):
        State.from_bytes(impossible()[name].to_bytes())
