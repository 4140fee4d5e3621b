"""Sums of squares and cubes of influence values that kernels take in a pass, against the values themselves."""

from __future__ import annotations

import math
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
from assay.metrics.regression.pairs import ATOMS

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
    check_squares(score, positive, both("curve_areas", "rank_sums"))


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
    check_squares(score, positive, both("curve_areas", "rank_sums")[:1])


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


def check_spread(routes: list[Any], args: tuple[Any, ...], values: Any) -> None:
    wanted = math.fsum(values**2), math.fsum(values**3)
    for spread in routes:
        got = spread(*args)
        assert all(isinstance(g, float) for g in got)
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-9 * math.fsum(np.abs(values) ** 3 + values**2))


@FEW
@given(n=st.sampled_from([1, 5, 40, 4095, 4097]), seed=st.integers(0, 999), parameter=st.sampled_from([0.1, 0.5]))
def test_spread_of_pairs(n: int, seed: int, parameter: float) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.normal(3, 1, n).clip(-0.5), rng.normal(3, 1, n).clip(-0.5)
    y[rng.random(n) < 0.1] = 0
    codes = kernels.regression.CODES
    slopes = rng.normal(size=len(codes))
    for w in (np.empty(0), rng.random(n)):
        rows = sum(g * ATOMS[name](np, y, p, parameter) for g, name in zip(slopes, codes, strict=True)) - 0.7
        args = (y, p, w, np.array(list(codes.values())), np.full(len(codes), parameter), slopes, 0.7)
        check_spread(both("regression", "spread")[: 1 + (n <= 40)], args, rows * (w if len(w) else 1))


SLOPES = st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.5, -2.0)])


@FEW
@given(n=st.integers(1, 40), seed=st.integers(0, 999), slopes=SLOPES, single=st.booleans())
def test_spread_of_binary_losses(n: int, seed: int, slopes: tuple[float, float], single: bool) -> None:
    rng = np.random.default_rng(seed)
    p, positive = rng.random(n).astype(np.float32 if single else np.float64), rng.random(n) < 0.5
    q = np.where(positive, p.astype(np.float64), 1 - p.astype(np.float64))
    for w in (None, rng.random(n)):
        rows = slopes[0] * (1 - q) ** 2 - slopes[1] * np.log(q) - 0.3
        check_spread(both("binary", "spread"), (p, positive, w, *slopes, 0.3), rows * (1 if w is None else w))


@FEW
@given(n=st.integers(1, 40), k=st.integers(2, 6), seed=st.integers(0, 999), slopes=SLOPES)
def test_spread_of_matrix_losses(n: int, k: int, seed: int, slopes: tuple[float, float]) -> None:
    rng = np.random.default_rng(seed)
    p, code = rng.dirichlet(np.ones(k), n), rng.integers(0, k, n)
    brier = ((p - np.eye(k)[code]) ** 2).sum(axis=1)
    for w in (None, rng.random(n)):
        rows = slopes[0] * brier - slopes[1] * np.log(p[np.arange(n), code]) - 0.3
        check_spread(both("multiclass", "spread"), (p, code, w, *slopes, 0.3), rows * (1 if w is None else w))


@pytest.mark.parametrize("module", ["binary", "multiclass"])
def test_rows_of_infinite_loss_count_as_none(module: str) -> None:
    p = np.array([0.0, 0.5]) if module == "binary" else np.array([[1.0, 0.0], [0.5, 0.5]])
    truth = np.array([True, True]) if module == "binary" else np.array([1, 1])
    for spread in both(module, "spread"):
        assert spread(p, truth, None, 0.0, 1.0, 0.0) == pytest.approx((math.log(2) ** 2, math.log(2) ** 3))
