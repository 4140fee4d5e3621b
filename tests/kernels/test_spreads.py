"""Sums of squared influence values that kernels take along with a value, against the influence values themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

from assay import kernels
from assay.core.monoids import Rows
from assay.metrics import AveragePrecision, RocAuc
from assay.metrics.classification.influence import ap_influence, auc_influence

FEW = settings(max_examples=60, deadline=None, derandomize=True)


def check_squares(score: Any, positive: Any, routes: list[Any]) -> None:
    rows = Rows({"score": score.astype(np.float64), "positive": positive}, len(score))
    area, precision = (v(rows) for v in (auc_influence, ap_influence))
    wanted = [(area[positive] ** 2).sum(), (area[~positive] ** 2).sum(), (precision**2).sum()]
    for rank_sums in routes:
        got = rank_sums(score, positive)
        if got is not None:
            np.testing.assert_allclose(got[2:], wanted, rtol=1e-9, atol=1e-30)


@FEW
@given(n=st.integers(2, 60), levels=st.sampled_from([1, 3, 1000]), seed=st.integers(0, 9999))
def test_squares_of_areas(n: int, levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, positive = rng.integers(0, levels, n) / levels, rng.random(n) < 0.4
    positive[:2] = True, False
    check_squares(score, positive, both("order", "rank_sums"))


@pytest.mark.parametrize("make", [
    lambda rng, n: (rng.random(n), rng.random(n) < 0.5),
    lambda rng, n: (rng.random(n), rng.random(n) < 1e-3),
    lambda rng, n: (rng.random(n), rng.random(n) > 1e-3),
    lambda rng, n: ((x := rng.random(n)), x + 1e-4 * rng.normal(size=n) > 0.5),
    lambda rng, n: ((x := rng.random(n)), x > 0.5),
    lambda rng, n: ((x := rng.random(n)), x < 0.5),
    lambda rng, n: (np.append((x := rng.random(n - 1)), 1e9), np.append(x + 1e-4 * rng.normal(size=n - 1) > 0.5, True)),
    lambda rng, n: (np.append((x := rng.random(n - 1)), 1e9), np.append(x > 0.5, True)),
    lambda rng, n: (rng.integers(0, 5, n) / 5.0, rng.random(n) < 0.3),
    lambda rng, n: (np.zeros(n), rng.random(n) < 0.3),
], ids=["noise", "rare", "common", "nearly", "perfect", "reversed", "crowded", "crowded, perfect", "ties", "constant"])  # fmt: skip
def test_squares_of_areas_of_many_rows(make: Any) -> None:
    score, positive = make(np.random.default_rng(5), 200_000)
    check_squares(score, positive, both("order", "rank_sums")[:1])


def test_squares_of_metrics_are_the_same_by_either_route(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    score = rng.random((5000, 2))
    columns = {"score": score, "positive": rng.random((5000, 2)) < score}
    found: list[Any] = []
    for large in (1, 10**9):
        monkeypatch.setattr(kernels, "LARGE", large)
        rows = Rows(columns, 5000)
        found.append([(*RocAuc().squares(rows, j), AveragePrecision().squares(rows, j)) for j in (0, 1)])
    np.testing.assert_allclose(*found, rtol=1e-9)
