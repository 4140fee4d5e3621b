"""Probability matrices: losses, and where the true class stands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

FEW = settings(max_examples=60, deadline=None, derandomize=True)
shapes = st.tuples(st.integers(1, 40), st.integers(2, 9))


def simplex(shape: tuple[int, int], seed: int, single: bool) -> tuple[Any, Any, Any]:
    """Rows that sum to one, some entries exactly zero, many equal."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, shape)
    counts[:, 0] += counts.sum(axis=1) == 0
    p = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32 if single else np.float64)
    return p, rng.integers(0, shape[1], shape[0]), rng.integers(0, 4, shape[0]) / 2


@FEW
@given(shape=shapes, seed=st.integers(0, 999), single=st.booleans())
def test_losses(shape: tuple[int, int], seed: int, single: bool) -> None:
    p, code, weight = simplex(shape, seed, single)
    wide = p.astype(np.float64)
    hot = np.arange(shape[1]) == code[:, None]
    q, squared = wide[hot], ((wide - hot) ** 2).sum(axis=1)
    off = np.abs(wide.sum(axis=1) - 1).max()
    for w in (None, weight):
        u = np.ones(len(p)) if w is None else w
        logs = -math.fsum(u[q > 0] * np.log(q[q > 0]))
        wanted = [math.fsum(u), math.fsum(u * squared), logs, math.fsum(u[q == 0]), wide.min(), wide.max(), off]
        for losses in both("multiclass", "losses"):
            np.testing.assert_allclose(losses(p, code, w), wanted, rtol=1e-11, atol=1e-12)


@FEW
@given(shape=shapes, seed=st.integers(0, 999), bad=st.sampled_from([np.nan, -0.5, 1.5]))
def test_losses_show_what_is_no_distribution(shape: tuple[int, int], seed: int, bad: float) -> None:
    p, code, _ = simplex(shape, seed, single=False)
    p[seed % shape[0], seed % shape[1]] = bad
    for losses in both("multiclass", "losses"):
        sums = losses(p, code, None)
        assert not (sums[4] >= 0 and sums[5] <= 1 and np.isfinite(sums[:4]).all() and sums[6] <= 1e-5)


@FEW
@given(shape=shapes, seed=st.integers(0, 999), single=st.booleans(), broken=st.booleans())
def test_standing(shape: tuple[int, int], seed: int, single: bool, broken: bool) -> None:
    p, code, _ = simplex(shape, seed, single)
    if broken:
        p[seed % shape[0], seed % shape[1]] = np.nan
    for standing in both("multiclass", "standing"):
        greater, equal, bad = standing(p, code)
        assert bad == int(np.isnan(p).any(axis=1).sum())
        for i, row in enumerate(p.tolist()):
            true = row[code[i]]
            assert greater[i] == sum(v > true for v in row)
            assert equal[i] == sum(v == true for v in row)
