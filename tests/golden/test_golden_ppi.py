"""Prediction-powered means beside the program of the method's authors, on drawn numbers and on their forest data.

ppi-python takes normal quantiles and divides squares by n; assay takes Student's t and divides by the degrees of freedom
(n - 1, and n - 2 with a tuned power; N - 1 for the predictions alone). Values and powers are the same; limits are the same
once quantile and divisors are swapped, which `theirs` does.
"""

from __future__ import annotations

import math
import warnings
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from assay.inference import ppi
from fixtures import load_json, path


@pytest.fixture(scope="module")
def reference() -> Any:
    with warnings.catch_warnings():  # its import silences all warnings of the process
        return pytest.importorskip("ppi_py", reason="ppi-python is not installed")


def drawn(seed: int, n: int = 80, others: int = 500) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.gamma(2.0, size=n + others)
    f = 0.6 * y + rng.normal(0.3, 0.7, n + others)
    return y[:n], f[:n], f[n:]


def theirs(y: Any, f: Any, more: Any, power: float, *, spent: int) -> tuple[float, float]:
    """Their standard error with our divisors, and the t quantile in place of the normal one."""
    from scipy.stats import t

    n, others = len(y), len(more)
    rectifier = (y - power * f).var() / n * n / (n - 1 - spent)
    imputed = power**2 * more.var() / others * others / (others - 1)
    half = t.ppf(0.975, n - 1 - spent) * math.sqrt(rectifier + imputed)
    centre = y.mean() + power * (more.mean() - f.mean())
    return centre - half, centre + half


@pytest.mark.parametrize("seed", range(3))
def test_full_power_is_theirs(reference: Any, seed: int) -> None:
    y, f, more = drawn(seed)
    ours = ppi.mean(y, f, more, power=1, method="t")
    low, high = reference.ppi_mean_ci(y, f, more, alpha=0.05, lam=1)
    assert float(ours) == pytest.approx(float(reference.ppi_mean_pointestimate(y, f, more, lam=1)[0]), rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx(theirs(y, f, more, 1.0, spent=0), rel=1e-12)
    z = NormalDist().inv_cdf(0.975)
    plain = math.sqrt(
        (y - f).var() / len(y) + more.var() / len(more)
    )  # their own error, so that the two are one formula
    assert float(high[0] - low[0]) == pytest.approx(2 * z * plain, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_tuned_power_is_theirs(reference: Any, seed: int) -> None:
    y, f, more = drawn(seed)
    ours = ppi.mean(y, f, more, method="t")
    low, high = reference.ppi_mean_ci(y, f, more, alpha=0.05, lam=ours.power)
    tuned = reference.ppi_mean_ci(y, f, more, alpha=0.05)
    assert 0 < ours.power < 1
    assert float(tuned[0][0]) == pytest.approx(float(low[0]), rel=1e-12)  # so their own power is ours
    assert float(tuned[1][0]) == pytest.approx(float(high[0]), rel=1e-12)
    assert float(ours) == pytest.approx(float((low[0] + high[0]) / 2), rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx(theirs(y, f, more, ours.power, spent=1), rel=1e-12)


def forest() -> tuple[Any, Any, Any]:
    data = np.load(path("10_rag_faithfulness", "ppi_forest", "forest_badmodel.npz"))
    return data["Y"][:300], data["Yhat"][:300], data["Yhat"][300:]


@pytest.mark.parametrize(("power", "name"), [(1.0, "ppi_ci_lam1_alpha0.05"), ("tuned", "ppi++_ci_tuned_alpha0.05")])
def test_forest_limits(power: Any, name: str) -> None:
    """300 labels: t and z, n - 1 and n, differ by 0.6 % of the width."""
    expected = load_json("10_rag_faithfulness", "ppi_forest", "expected_computed_ppi_python.json")
    low, high = expected["forest_badmodel_first300"][name]
    ours = ppi.mean(*forest(), power=power, method="t")
    assert (ours.low + ours.high) / 2 == pytest.approx((low + high) / 2, rel=1e-12)
    assert ours.high - ours.low == pytest.approx(
        (high - low) * 1.96792957 / 1.95996398 * math.sqrt(300 / 299), rel=2e-4
    )


def test_forest_judge_is_useless() -> None:
    """Its predictions go against the labels: the tuned power is 0 and the labels speak alone."""
    expected = load_json("10_rag_faithfulness", "ppi_forest", "expected_computed_ppi_python.json")
    facts = expected["forest_badmodel_first300"]
    tuned, full = ppi.mean(*forest()), ppi.mean(*forest(), power=1)
    assert tuned.power == 0
    assert float(tuned) == pytest.approx(facts["ppi++_point_tuned"], rel=1e-12) == tuned.classical
    assert float(full) == pytest.approx(facts["ppi_point_lam1"], rel=1e-12)
    assert tuned.width_ratio == 1
    assert full.width_ratio > 1


def test_by_hand() -> None:
    """Four labels 1, 2, 3, 4 judged 1, 1, 3, 3; predictions 2, 4 beside: 2.5 + 1 * (3 - 2) = 3.5.

    Var(y - f) = Var(0, 1, 0, 1) = 1/3, over 4; Var(2, 4) = 2, over 2: the error is sqrt(1/12 + 1).
    """
    score = ppi.mean([1, 2, 3, 4], [1, 1, 3, 3], [2, 4], power=1, few_labels=True, method="t")
    assert float(score) == 3.5
    assert score.error == pytest.approx(math.sqrt(13 / 12), rel=1e-14)
    assert score.df == 3
    assert score.classical == 2.5
    assert score.classical.error == pytest.approx(math.sqrt(5 / 12), rel=1e-14)  # Var(1, 2, 3, 4) = 5/3


def test_power_by_hand() -> None:
    """Cov(y, f) = 1 with divisor n, Var(1, 1, 3, 3, 2, 4) = 22/15 over all predictions, and 1 + n/N = 3."""
    tuned = ppi.mean([1, 2, 3, 4], [1, 1, 3, 3], [2, 4], few_labels=True)
    variance = np.var([1, 1, 3, 3, 2, 4], ddof=1)
    assert variance == pytest.approx(22 / 15, rel=1e-12)
    assert tuned.power == pytest.approx(1 / ((1 + 4 / 2) * 22 / 15), rel=1e-12)
