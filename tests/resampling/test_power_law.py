"""The power law of learning curves: known laws found again, SciPy's least squares, and refusals where nothing can be told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import curve_fit

import assay
from assay.resampling.curves.power_law import EXPONENTS, fit, power_law
from messages import refusal

SIZES = np.array([20, 40, 80, 160, 320, 640, 1280, 2560], dtype=float)


def law(n: Any, a: float, b: float, c: float) -> Any:
    return a + b * n**-c


def table(seed: int, a: float, b: float, c: float, *, noise: float, shared: float = 0.0, splits: int = 20) -> Any:
    """Losses by size and split; a split's test rows move all its sizes alike, what is shared moves all splits alike."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(len(SIZES), 1)) * math.sqrt(shared)
    own = rng.normal(size=(len(SIZES), splits)) * math.sqrt(1 - shared)
    return law(SIZES, a, b, c)[:, None] + noise * (common + own)


@pytest.mark.parametrize("abc", [(0.1, 2.0, 0.5), (1.0, 7.0, 1.0), (0.0, 1.5, 0.3), (-3.0, 4.0, 0.7), (0.2, 40.0, 1.8)])
def test_a_law_without_noise_is_found_exactly(abc: tuple[float, float, float]) -> None:
    found = fit(SIZES, law(SIZES, *abc)[None], np.ones(len(SIZES)))[0]
    assert found == pytest.approx(abc, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_scipys_weighted_least_squares(seed: int) -> None:
    """With the truth as its start, `curve_fit` ends where our search without a start does."""
    rng = np.random.default_rng(seed)
    truth = (0.2, 3.0, 0.6)
    sigma = 0.02 * SIZES**-0.25
    y = law(SIZES, *truth) + sigma * rng.normal(size=len(SIZES))
    bounds = ([0.0, 0.0, EXPONENTS[0]], [np.inf, np.inf, EXPONENTS[1]])
    theirs, _ = curve_fit(law, SIZES, y, p0=truth, sigma=sigma, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    ours = fit(SIZES, y[None], sigma**-2, floor=0.0)[0]
    assert ours == pytest.approx(theirs, rel=2e-3, abs=1e-5)

    def cost(abc: Any) -> float:
        return float((((y - law(SIZES, *abc)) / sigma) ** 2).sum())

    assert cost(ours) <= cost(theirs) * (1 + 1e-9)


def test_bounds_are_kept_and_the_edge_is_the_best_one() -> None:
    """A curve that would go below zero: the best law with a = 0 is the one that `curve_fit` finds on two parameters."""
    y = law(SIZES, -0.05, 1.0, 0.4)
    a, b, c = fit(SIZES, y[None], np.ones(len(SIZES)), floor=0.0)[0]
    theirs, _ = curve_fit(lambda n, b, c: b * n**-c, SIZES, y, p0=(1, 0.5))
    assert a == 0
    assert (b, c) == pytest.approx(theirs, rel=1e-4)
    rising = fit(SIZES, -y[None], np.ones(len(SIZES)))[0]
    assert rising[1] == 0


@pytest.mark.parametrize("abc", [(0.1, 2.0, 0.5), (1.0, 7.0, 1.0)])
def test_known_laws_are_found_in_noise(abc: tuple[float, float, float]) -> None:
    found = power_law(SIZES, table(1, *abc, noise=0.02), ratio=1 / 9, floor=0.0)
    assert (found.a, found.c) == pytest.approx((abc[0], abc[2]), abs=0.08)
    assert float(found(5000)) == pytest.approx(law(5000, *abc), abs=0.02)
    for i, true in enumerate(abc):
        low, high = found.range(found.draws[:, i])
        assert low < true < high
    assert not found.doubts


@pytest.mark.slow
def test_the_interval_holds_where_splits_share_their_rows() -> None:
    """Splits correlated as in 10-fold cross-validation: at 95 %, about 95 % of intervals hold, and plain ones hold less."""
    ratio = 1 / 9
    shared = ratio / (1 + ratio)
    truth, held, plain = (0.1, 2.0, 0.5), 0, 0
    for seed in range(50):
        losses = table(seed, *truth, noise=0.05, shared=shared)
        for correction in (ratio, 0.0):
            low, high = power_law(SIZES, losses, ratio=correction, floor=0.0).limits(5000)
            inside = low <= law(5000, *truth) <= high
            held, plain = (held + inside, plain) if correction else (held, plain + inside)
    assert held >= 44
    assert plain < held


def test_at_a_measured_size_the_band_is_about_as_wide_as_the_corrected_t() -> None:
    """A level that moves alike at all sizes goes into the asymptote alone."""
    rng = np.random.default_rng(0)
    losses = law(SIZES, 1.0, 5.0, 0.8)[:, None] + rng.normal(size=(1, 20)) * 0.1 + rng.normal(size=(8, 20)) * 1e-4
    found = power_law(SIZES, losses, ratio=1 / 9)
    from scipy.stats import t

    half = t.ppf(0.975, 19) * losses[4].std(ddof=1) * math.sqrt(1 / 20 + 1 / 9)
    low, high = found.limits(SIZES[4])
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)


def test_the_same_seed_gives_the_same_draws() -> None:
    losses = table(3, 0.1, 2.0, 0.5, noise=0.02)
    one, two, other = (power_law(SIZES, losses, ratio=0.1, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.draws, two.draws)
    assert not np.array_equal(one.draws, other.draws)


def test_what_cannot_be_told_is_refused() -> None:
    losses = table(0, 0.1, 2.0, 0.5, noise=0.01)
    with refusal(assay.InputError):
        power_law(SIZES[:3], losses[:3], ratio=0.1)
    with refusal(assay.InputError):
        power_law(SIZES, table(0, 0.5, 0.0, 1.0, noise=0.05), ratio=0.1)
    with refusal(assay.InputError):
        power_law(SIZES, losses[::-1], ratio=0.1)
    with refusal(assay.InputError):
        power_law(SIZES, np.where(losses > 0.5, np.nan, losses), ratio=0.1)
    with refusal(assay.InputError):
        power_law(SIZES, losses.T, ratio=0.1)


def test_doubts_are_named() -> None:
    narrow = power_law(SIZES[4:] ** 0.5, table(0, 0.1, 2.0, 0.5, noise=1e-4)[4:], ratio=0.1)
    assert any("span only a factor of 2.8" in text for text in narrow.doubts)
    few = power_law(SIZES, table(0, 0.1, 2.0, 0.5, noise=1e-4, splits=3), ratio=0.1)
    assert any("only 3 splits" in text for text in few.doubts)
    line = power_law(SIZES, (5 - 0.3 * np.log(SIZES))[:, None] + np.zeros((1, 8)), ratio=None)
    assert any("at the edge of its plausible range" in text for text in line.doubts)
    assert line.draws is None
    assert all(math.isnan(edge) for edge in line.limits(100))
    wild = power_law(SIZES, table(5, 0.3, 0.5, 0.3, noise=0.15), ratio=0.1, floor=0.0)
    assert any("is uncertain" in text for text in wild.doubts)
    assert any("the fall is not clear at 95 %" in text for text in wild.doubts)
    assert "more than 10 times" in power_law(SIZES, table(0, 0.1, 2.0, 0.5, noise=0.01), ratio=0.1).doubted(30_000)
