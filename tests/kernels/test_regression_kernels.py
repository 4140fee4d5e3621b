"""`regression.scan`: sums of row losses and centred moments in one pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

import assay
from assay.kernels import regression
from assay.metrics.regression.pairs import ATOMS

COLUMNS = np.array([0, 1, 2])
FEW = settings(max_examples=40, deadline=None, derandomize=True)
sizes = st.one_of(st.integers(1, 40), st.sampled_from([2047, 2048, 2049, 4100]))


def data(n: int, seed: int, shift: float) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.normal(shift, 1, n)
    y[rng.random(n) < 0.1] = 0.0
    p = np.where(rng.random(n) < 0.1, y, y + rng.normal(0, 0.5, n))
    return np.maximum(y, -0.9), np.maximum(p, -0.9), rng.integers(0, 4, n).astype(float)


def scanned(scan: Any, y: Any, p: Any, w: Any, parameter: float) -> tuple[float, Any, Any, Any]:
    codes = np.array(sorted(regression.CODES.values()))
    sums, mean, m2 = np.zeros(len(codes)), np.zeros(3), np.zeros((3, 3))
    weight = scan(y, p, w, codes, np.full(len(codes), parameter), COLUMNS, sums, mean, m2)
    return float(weight), sums, mean, m2


def naive(y: Any, p: Any, w: Any, parameter: float) -> tuple[float, Any, Any, Any]:
    """Exactly rounded sums of the agnostic row losses."""
    by_code = sorted(regression.CODES, key=lambda name: regression.CODES[name])
    with np.errstate(all="ignore"):
        sums = [math.fsum(w * ATOMS[name](np, y, p, parameter)) for name in by_code]
    columns = np.stack([y, p, p - y])
    weight = math.fsum(w)
    if weight == 0:
        return 0.0, np.array(sums), np.zeros(3), np.zeros((3, 3))
    mean = np.array([math.fsum(w * c) / weight for c in columns])
    centred = columns - mean[:, None]
    return weight, np.array(sums), mean, np.array([[math.fsum(w * a * b) for b in centred] for a in centred])


@FEW
@given(
    n=sizes,
    seed=st.integers(0, 999),
    parameter=st.sampled_from([0.0, 0.125, 0.5, 0.9]),
    shift=st.sampled_from([0.0, 5.0, 1e6]),
)
def test_scan(n: int, seed: int, parameter: float, shift: float) -> None:
    y, p, weight = data(n, seed, shift)
    for w in (np.empty(0), weight):
        wanted = naive(y, p, w if len(w) else np.ones(n), parameter)
        routes = both("regression", "scan") if n <= 40 else both("regression", "scan")[:1]
        for scan in routes:
            got = scanned(scan, y, p, w, parameter)
            np.testing.assert_allclose(got[0], wanted[0], rtol=1e-13)
            np.testing.assert_allclose(got[1], wanted[1], rtol=1e-11, atol=1e-12 * n)
            np.testing.assert_allclose(got[2], wanted[2], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(got[3], wanted[3], rtol=1e-8, atol=1e-9 * max(1.0, shift) * n)


@FEW
@given(n=st.integers(1, 40), at=st.integers(0, 39), bad=st.sampled_from([np.nan, np.inf, -np.inf]))
def test_what_is_not_finite_shows(n: int, at: int, bad: float) -> None:
    y, p, _ = data(n, 1, 3.0)
    p[at % n] = bad
    scan = both("regression", "scan")[0]  # plain Python has no logarithm of infinity
    _, sums, mean, _ = scanned(scan, y, p, np.empty(0), 0.5)
    assert not np.isfinite(sums[regression.CODES["squared"]])
    assert not np.isfinite(mean[1])


def test_an_outlier_of_no_weight_in_the_first_row_costs_no_digits() -> None:
    y, p, _ = data(5000, 3, 5.0)
    want = scanned(regression.scan, y, p, np.ones(5000), 0.5)
    for weight in (0.0, 1e-30):
        far = scanned(regression.scan, np.append(1e12, y), np.append(1e12, p), np.append(weight, np.ones(5000)), 0.5)
        np.testing.assert_allclose(far[2], want[2], rtol=1e-12)
        np.testing.assert_allclose(far[3], want[3], rtol=1e-5 if weight else 1e-12, atol=1e-5 if weight else 1e-12)


def test_rows_of_no_weight_may_hold_anything_finite() -> None:
    for n in (1000, 300_000):  # the agnostic and the compiled route
        y, p, _ = data(n, 4, 5.0)
        weight = np.append(np.zeros(2), np.ones(n))
        for far in (1e12, 1e300):
            rows = [np.append([far, -far], y), np.append([-far, far], p)]
            for metric in (assay.metrics.R2(), assay.metrics.Pearson(), assay.metrics.MSE(), assay.metrics.MSLE()):
                np.testing.assert_allclose(metric(*rows, weight=weight), metric(y, p), rtol=1e-12)
        many = np.ones((1, n + 2))
        got = assay.metrics.R2().replicates(many, *rows, weight=weight)
        np.testing.assert_allclose(got, assay.r2(y, p), rtol=1e-9)
