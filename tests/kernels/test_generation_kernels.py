"""Kernels of generation metrics equal their plain twins and naive loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import polynomial_kernel, ssim
from assay.metrics.generation.kid import Polynomial
from assay.metrics.generation.ssim import Window


def naive(a: Any, b: Any, window: Window, span: float) -> tuple[float, float]:
    """Window by window, as the definition reads."""
    taps, (c1, c2, norm) = window.taps(), window.constants(span)
    weight, k = np.outer(taps, taps), window.size
    both, part = list[float](), list[float]()
    for y in range(a.shape[0] - k + 1):
        for x in range(a.shape[1] - k + 1):
            p, q = a[y : y + k, x : x + k], b[y : y + k, x : x + k]
            m, n = (weight * p).sum(), (weight * q).sum()
            spread = norm * ((weight * (p - m) ** 2).sum() + (weight * (q - n) ** 2).sum())
            shared = norm * (weight * (p - m) * (q - n)).sum()
            part.append((2 * shared + c2) / (spread + c2))
            both.append(part[-1] * (2 * m * n + c1) / (m * m + n * n + c1))
    return float(np.mean(both)), float(np.mean(part))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32), height=st.integers(7, 17), width=st.integers(7, 19), size=st.sampled_from([3, 5, 7]),
    kind=st.sampled_from(["gaussian", "uniform"]), sample=st.booleans(),
)  # fmt: skip
def test_structure(seed: int, height: int, width: int, size: int, kind: str, sample: bool) -> None:
    rng = np.random.default_rng(seed)
    a = rng.random((height, width)) * 255
    b = a * rng.choice([1.0, -0.5]) + rng.normal(0, 20, a.shape)
    window = Window(kind, size, 1.5, sample)
    wanted = naive(a, b, window, 255.0)
    got = ssim.similarity(a, b, window.taps(), *window.constants(255.0))
    np.testing.assert_allclose(got, wanted, rtol=1e-9)
    plain = window.similarity(np, a[None, None], b[None, None], 255.0)
    np.testing.assert_allclose([float(part[0, 0]) for part in plain], wanted, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_mean_square(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 256, (3, 7, 9)).astype(dtype).transpose(1, 2, 0) for _ in range(2))
    assert ssim.mean_square(a, b) == pytest.approx(np.mean((a.astype(float) - b.astype(float)) ** 2), rel=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_gram(degree: int, dtype: Any) -> None:
    rng = np.random.default_rng(degree)
    block, u, v = rng.normal(size=(37, 51)).astype(dtype), rng.random(37), rng.random(51)
    k = (block.astype(np.float64) * 0.3 + 1.5) ** degree
    rows, columns = polynomial_kernel.sums(block, 0.3, 1.5, degree, u, v)
    np.testing.assert_allclose(rows, k @ v, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(columns, u @ k, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [(30, 40), (1500, 1100)])
def test_blocks_of_the_kernel_add_up(rows: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(n, 3)) for n in rows)
    u, v = (rng.random(n) for n in rows)
    kernel = Polynomial(3, 1 / 3, 1.0)
    cross, own = (x @ y.T / 3 + 1) ** 3, (x @ x.T / 3 + 1) ** 3
    np.testing.assert_allclose(kernel.sums(x, y, u, v)[0], cross @ v, rtol=1e-11)
    np.testing.assert_allclose(kernel.sums(x, y, u, v)[1], u @ cross, rtol=1e-11)
    np.testing.assert_allclose(kernel.sums(x, x, u, u, same=True)[0], own @ u, rtol=1e-11)
    np.testing.assert_allclose(kernel.diagonal(x), np.diagonal(own), rtol=1e-12)
