"""Products by tiles equal those of whole matrices, on any number of threads, and BLAS gets its threads back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import assay
from assay.kernels import products


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (300, 70), (1500, 600), (2048, 130)])
def test_products_of_centred_columns(n: int, d: int, weighted: bool) -> None:
    rng = np.random.default_rng(n + d)
    rows: Any = (rng.normal(size=(n, d)) + 100).astype(np.float32)
    weight: Any = rng.integers(0, 4, n) + 0.5 if weighted else None
    w = np.ones(n) if weight is None else weight
    wide = rows.astype(np.float64)
    sums = products.column_sums(rows, weight)
    np.testing.assert_allclose(sums, w @ wide, rtol=1e-13)
    mean, out = sums / w.sum(), np.zeros((d, d))
    products.add_products(rows, weight, mean, out)
    np.testing.assert_allclose(out, ((wide - mean) * w[:, None]).T @ (wide - mean), atol=1e-11 * n)
    assert (out == out.T).all()


@pytest.mark.parametrize("d", [1, 65, 700])
def test_between(d: int) -> None:
    rng = np.random.default_rng(d)
    lower, middle = np.tril(rng.normal(size=(d, d))), rng.normal(size=(d, d))
    middle += middle.T
    got = products.between(lower, middle)
    np.testing.assert_allclose(np.tril(got), np.tril(lower.T @ middle @ lower), atol=1e-10 * d)


def test_threads_do_not_change_a_digit() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 1500, 300)).astype(np.float32)
    before, values = assay.threads(), set[float]()
    try:
        for count in (1, 2, 5):
            assay.threads(count)
            values.add(assay.fid(x, y))
    finally:
        assay.threads(before)
    assert len(values) == 1


def test_blas_gets_its_threads_back() -> None:
    before = _threads()
    with products.one_thread():
        with products.one_thread():
            assert set(_threads().values()) == {1}
        assert set(_threads().values()) == {1}
    assert {name: _threads()[name] for name in before} == before


def _threads() -> dict[str, int]:
    found: Any = threadpool_info()
    return {pool["filepath"]: pool["num_threads"] for pool in found if pool["user_api"] == "blas"}
