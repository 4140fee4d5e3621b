"""Squared distances of given rows and their gradients: compiled and plain, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import both

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(7, 5), (1, 1), (0, 3)])
def test_distances_and_gradients(shape: Any, kind: Any) -> None:
    a, b, c = (RNG.normal(size=shape).astype(kind) for _ in range(3))
    near, far = (RNG.normal(size=shape[0]).astype(kind) for _ in range(2))
    exact = 1e-12 if kind is np.float64 else 1e-5
    for squares in both("distances", "squared_distances"):
        found = squares(a, b, c)
        assert found[0].dtype == kind
        np.testing.assert_allclose(found, [((a - b) ** 2).sum(1), ((a - c) ** 2).sum(1)], rtol=exact)
    to_b, to_c = 2 * near[:, None] * (a - b), 2 * far[:, None] * (a - c)
    for slopes in both("distances", "gradients"):
        out = tuple(np.full(shape, np.nan, kind) for _ in range(3))
        slopes(a, b, c, near, far, out)
        for ours, wanted in zip(out, (to_b + to_c, -to_b, -to_c), strict=True):
            np.testing.assert_allclose(ours, wanted, rtol=exact, atol=exact)


def test_pieces_make_the_whole() -> None:
    a, b, c = (RNG.normal(size=(3000, 96)) for _ in range(3))
    compiled, _ = both("distances", "squared_distances")
    np.testing.assert_allclose(compiled(a, b, c)[1], ((a - c) ** 2).sum(1), rtol=1e-12)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(7, 5), (8, 3), (1, 1), (0, 3), (3, 0)])
def test_all_distances_of_the_rows(shape: Any, kind: Any) -> None:
    x = RNG.normal(size=shape).astype(kind)
    expected = ((x[:, None].astype(np.float64) - x[None]) ** 2).sum(-1)
    for squares in both("distances", "all_squared_distances"):
        found = squares(x)
        assert found.dtype == kind
        np.testing.assert_allclose(found, expected, rtol=1e-12 if kind is np.float64 else 1e-5)
