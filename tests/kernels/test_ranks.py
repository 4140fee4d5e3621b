"""Orders and ranks: radix order, Spearman, concordant pairs."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from twins import both

import assay
from assay import kernels

FEW = settings(max_examples=40, deadline=None, derandomize=True)
special = st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1.7e308, -1.7e308, np.inf, -np.inf])
columns = st.lists(st.one_of(special, st.floats(allow_nan=False)), min_size=1, max_size=50)
small = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=50)


@FEW
@given(values=columns)
def test_order(values: list[float]) -> None:
    array = np.array(values)
    for order in both("ranks", "order"):
        _, index = order(array)
        np.testing.assert_array_equal(index, np.argsort(array, kind="stable"))


@pytest.mark.parametrize("n", [2000, 70_000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_order_of_many(n: int, dtype: Any) -> None:
    rng = np.random.default_rng(n)
    array = np.round(rng.normal(0, 3, n), 2).astype(dtype)
    keys, index = both("ranks", "order")[0](array)
    np.testing.assert_array_equal(index, np.argsort(array, kind="stable"))
    assert (np.diff(keys.astype(object)[:2000]) >= 0).all()


def naive_spearman(y: Any, p: Any) -> float:
    a, b = (stats.rankdata(x) - (len(x) + 1) / 2 for x in (y, p))
    scale = math.sqrt((a @ a) * (b @ b))
    return float(a @ b) / scale if scale else math.nan


@FEW
@given(rows=small)
def test_spearman(rows: list[tuple[int, int]]) -> None:
    y, p = np.array(rows, dtype=float).T
    for spearman in both("ranks", "spearman"):
        assert spearman(*both("ranks", "orders")[0](y, p)) == pytest.approx(
            naive_spearman(y, p), rel=1e-12, abs=1e-14, nan_ok=True
        )


def test_spearman_of_many() -> None:
    rng = np.random.default_rng(5)
    y = np.round(rng.normal(0, 1, 50_000), 3)
    p = y + rng.normal(0, 1, 50_000)
    assert both("ranks", "spearman")[0](*both("ranks", "orders")[0](y, p)) == pytest.approx(
        naive_spearman(y, p), rel=1e-10
    )


@FEW
@given(rows=small, weighted=st.booleans())
def test_sign_sums(rows: list[tuple[int, int]], weighted: bool) -> None:
    cy, cp = (np.unique(column, return_inverse=True)[1] for column in np.array(rows).T)
    w = np.arange(len(cy)) % 3 / 2.0 + 0.5 if weighted else np.ones(len(cy))
    signs = np.sign(cy[:, None] - cy) * np.sign(cp[:, None] - cp)
    for sign_sums in both("ranks", "sign_sums"):
        np.testing.assert_allclose(sign_sums(cy, cp, w), signs @ w, rtol=1e-12, atol=1e-9)


@FEW
@given(seed=st.integers(0, 2**32), n=st.integers(2, 150), levels=st.sampled_from([1, 3, 20, 10**6]))
def test_pairs_of_kendall(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, levels, (2, n)) / 3
    upper = np.triu_indices(n, 1)
    by_y, by_p = (np.sign(x[:, None] - x[None, :])[upper] for x in (y, p))
    wanted = (int((by_y * by_p).sum()), int((by_y == 0).sum()), int((by_p == 0).sum()))
    for kendall_pairs, orders in zip(both("ranks", "kendall_pairs"), both("ranks", "orders"), strict=True):
        assert kendall_pairs(*orders(y, p)) == wanted


@pytest.mark.parametrize("digits", [1, 6])
def test_tau_of_many_rows(digits: int) -> None:
    rng = np.random.default_rng(digits)
    y = rng.normal(size=kernels.LARGE).round(digits)
    p = (y + rng.normal(size=len(y))).round(digits)
    assert assay.kendall(y, p) == pytest.approx(cast(Any, stats.kendalltau(y, p))[0], rel=1e-12)
