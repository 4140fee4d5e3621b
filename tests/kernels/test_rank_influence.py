"""Influence on rank correlations: the kernels against sums over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

FEW = settings(max_examples=40, deadline=None, derandomize=True)
rows = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=40)


def coded(pairs: list[tuple[int, int]]) -> tuple[Any, Any]:
    return tuple(np.unique(column, return_inverse=True)[1] for column in np.array(pairs).T)


def weights(n: int, weighted: bool) -> Any:
    return np.arange(n) % 3 / 2.0 + 0.5 if weighted else np.ones(n)


def signs(column: Any) -> Any:
    return np.sign(column[:, None] - column[None, :])


def naive_spearman_influence(y: Any, p: Any, w: Any) -> Any:
    """The derivative of the three moments of the centred ranks, each rank a sum of signs over all rows."""
    a, b = (signs(x) @ w / 2 for x in (y, p))

    def moment(u: Any, v: Any, su: Any, sv: Any) -> tuple[float, Any]:
        through_ranks = (su.T @ (w * v) + sv.T @ (w * u)) / 2
        return (w * u) @ v, u * v + through_ranks

    aa, bb, ab = (moment(u, v, signs(s), signs(t)) for u, v, s, t in ((a, a, y, y), (b, b, p, p), (a, b, y, p)))
    scale = np.sqrt(aa[0] * bb[0])
    return w * (ab[1] / scale - ab[0] / scale / 2 * (aa[1] / aa[0] + bb[1] / bb[0]))


@FEW
@given(pairs=rows, weighted=st.booleans())
def test_sign_sums(pairs: list[tuple[int, int]], weighted: bool) -> None:
    cy, cp = coded(pairs)
    w = weights(len(cy), weighted)
    for sign_sums in both("ranks", "sign_sums"):
        np.testing.assert_allclose(sign_sums(cy, cp, w), (signs(cy) * signs(cp)) @ w, rtol=0, atol=1e-10)


@FEW
@given(pairs=rows, weighted=st.booleans())
def test_spearman_influence(pairs: list[tuple[int, int]], weighted: bool) -> None:
    cy, cp = (column.astype(float) for column in coded(pairs))
    w = weights(len(cy), weighted)
    if not (cy.any() and cp.any()):
        return  # a constant column has no rank correlation
    for influence in both("ranks", "spearman_influence"):
        np.testing.assert_allclose(
            influence(*both("ranks", "orders")[0](cy.astype(float), cp.astype(float)), w),
            naive_spearman_influence(cy, cp, w),
            rtol=0,
            atol=1e-10,
        )


@pytest.mark.parametrize("digits", [1, 8])
def test_many_rows(digits: int) -> None:
    rng = np.random.default_rng(3)
    y = np.round(rng.normal(0, 1, 3000), digits)
    p, w = np.round(y + rng.normal(0, 1, 3000), digits), rng.random(3000)
    cy, cp = (np.unique(column, return_inverse=True)[1] for column in (y, p))
    np.testing.assert_allclose(both("ranks", "sign_sums")[0](cy, cp, w), (signs(cy) * signs(cp)) @ w, rtol=0, atol=1e-8)
    got = both("ranks", "spearman_influence")[0](*both("ranks", "orders")[0](y, p), w)
    np.testing.assert_allclose(got, naive_spearman_influence(y, p, w), rtol=0, atol=1e-12)
    assert abs(got.sum()) < 1e-12
