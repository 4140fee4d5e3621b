"""Intervals of states: merged batches have the limits of all data at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay

M = assay.metrics
RNG = np.random.default_rng(4)
N = 500
Y = RNG.integers(0, 2, N)
SCORE = RNG.normal(size=N) + Y
PRED = (SCORE > 0.5).astype(int)
CLASS = RNG.integers(0, 3, N)
GUESS = np.where(RNG.random(N) < 0.8, CLASS, RNG.integers(0, 3, N))
CASES: list[tuple[Any, Any, Any]] = [
    (M.F1(), Y, PRED), (M.Recall(), Y, PRED), (M.MatthewsCorrelation(), Y, PRED), (M.BalancedAccuracy(), CLASS, GUESS),
    (M.F1(average="macro"), CLASS, GUESS), (M.RocAuc(), Y, SCORE), (M.AveragePrecision(), Y, SCORE),
    (M.EqualErrorRate(), Y, SCORE), (M.Spearman(), SCORE, SCORE + RNG.normal(size=N)), (M.MedianAbsoluteError(), SCORE, SCORE**2),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "y", "p"), CASES, ids=[case[0].key for case in CASES])
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_merged_batches_have_the_limits_of_all_data(metric: Any, y: Any, p: Any, method: str) -> None:
    whole = metric.interval(y, p, method=method, seed=3)
    for cuts in ([100, 101, 350], [250]):
        states = [metric.state(a, b) for a, b in zip(np.split(y, cuts), np.split(p, cuts), strict=True)]
        merged = sum(states).interval(method=method, seed=3)
        assert (merged.low, merged.high) == pytest.approx((whole.low, whole.high), rel=1e-12)
        assert merged.method == whole.method


def test_sums_say_that_they_do_not_know() -> None:
    with pytest.raises(assay.InputError, match="do not tell their spread"):
        M.Mae().state([1.0, 2.0], [1.0, 3.0]).interval()
    with pytest.raises(assay.InputError, match="how many rows there were"):
        M.F1().state(Y, PRED, weight=np.full(N, 0.5)).interval()
