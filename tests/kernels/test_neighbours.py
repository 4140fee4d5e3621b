"""Neighbours by products in single precision equal the definition in double precision, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from twins import both

import assay
from assay.kernels import neighbours


def _definition(x: Any, y: Any, k: int) -> tuple[Any, Any, Any]:
    x, y = x.astype(np.float64), y.astype(np.float64)
    around_x, around_y = (np.sort(cdist(s, s, "sqeuclidean"), axis=1)[:, k] for s in (x, y))
    far = cdist(x, y, "sqeuclidean")
    inside = far <= around_x[:, None]
    return inside.sum(axis=0), inside.any(axis=1), (far <= around_y).any(axis=1)


def _samples(n: int, m: int, d: int, kind: Any, scale: float, shift: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + m + d)
    x = (scale * (rng.normal(size=(n, d)) + shift)).astype(kind)
    y = (scale * (rng.normal(size=(m, d)) * 0.95 + shift)).astype(kind)
    y[:5], y[5:10] = x[:5], y[10:15]  # copies of rows have distance zero
    return x, y


@pytest.mark.parametrize(("kind", "scale", "shift"), [
    (np.float32, 1.0, 0.0), (np.float64, 1e40, 3.0), (np.float64, 1e-60, 0.0), (np.float32, 1e-3, 500.0),
])  # fmt: skip
@pytest.mark.parametrize(("n", "m", "d", "k"), [(40, 60, 3, 1), (700, 600, 70, 3), (600, 1100, 21, 5)])
def test_equals_the_definition(n: int, m: int, d: int, k: int, kind: Any, scale: float, shift: float) -> None:
    x, y = _samples(n, m, d, kind, scale, shift)
    for got, wanted in zip(neighbours.neighbourhoods(x, y, k), _definition(x, y, k), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_close_calls_are_measured() -> None:
    """Rows far from the middle of the sample, close to each other: single precision tells none of them apart."""
    rng = np.random.default_rng(0)
    x, y = (1e4 * rng.choice([-1, 1], (400, 1)) + 1e-3 * rng.normal(size=(400, 40)) for _ in range(2))
    for got, wanted in zip(neighbours.neighbourhoods(x, y, 3), _definition(x, y, 3), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_fewer_rows_than_neighbours() -> None:
    x, _ = _samples(20, 20, 3, np.float64, 1.0, 0.0)
    assert np.isinf(neighbours.radii(neighbours.samples(x[:3])[0], 3)).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_compiled_and_plain(kind: Any) -> None:
    x, y = _samples(25, 30, 11, kind, 1.0, 0.0)
    compiled, plain = (function(x, y, 2) for function in both("neighbours", "neighbourhoods"))
    for got, wanted in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_large_samples_take_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The metric gives the same on both routes."""
    x, y = _samples(700, 600, 300, np.float32, 1.0, 0.0)
    metrics = [
        assay.metrics.PrecisionRecallGenerative(measure=m) for m in ("precision", "recall", "density", "coverage")
    ]
    fast = [metric(x, y) for metric in metrics]
    monkeypatch.setattr("assay.metrics.generation.neighbours.LARGE", np.inf)
    assert fast == [metric(x, y) for metric in metrics]
    assert min(fast) > 0
