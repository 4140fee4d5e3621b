"""Deviance and information criteria of models that statsmodels fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from statsmodels.tools import eval_measures

import assay


def same(ours: float, theirs: float) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


FAMILIES: dict[str, Any] = {
    "gaussian": sm.families.Gaussian(), "poisson": sm.families.Poisson(), "gamma": sm.families.Gamma(sm.families.links.Log()),
    "binomial": sm.families.Binomial(),
}  # fmt: skip


def fitted(distribution: str, n: int = 150) -> tuple[Any, Any, Any]:
    """Targets of a generalised linear model, its fit by statsmodels and the fitted means."""
    rng = np.random.default_rng(7)
    x = sm.add_constant(rng.normal(size=(n, 2)))
    eta = x @ [0.3, 0.4, -0.2]
    y = {
        "gaussian": eta + rng.normal(size=n), "poisson": rng.poisson(np.exp(eta)).astype(float), "gamma": rng.gamma(2.0, np.exp(eta)),
        "binomial": (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float),
    }[distribution]  # fmt: skip
    fit = sm.GLM(y, x, family=FAMILIES[distribution]).fit()
    return y, fit, fit.fittedvalues


@pytest.mark.parametrize("distribution", FAMILIES)
def test_deviance_of_a_fit(distribution: Any) -> None:
    y, fit, p = fitted(distribution)
    same(assay.deviance(y, p, distribution=distribution), fit.deviance)
    w = np.arange(len(y)) % 3 + 1.0
    again = np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int))
    same(assay.deviance(y, p, weight=w, distribution=distribution), FAMILIES[distribution].deviance(*again))
    same(assay.mean_deviance(y, p, distribution=distribution), fit.deviance / len(y))


@pytest.mark.parametrize("distribution", ["gaussian", "poisson", "binomial"])
def test_information_criteria_of_a_fit(distribution: Any) -> None:
    """The log-likelihood of a Gaussian with the variance that fits best, which statsmodels' OLS takes."""
    y, fit, p = fitted(distribution)
    n, options = len(y), {"distribution": distribution, "coefficients": 3}
    likelihood = (
        scipy.stats.norm.logpdf(y, p, np.sqrt(np.mean((y - p) ** 2))).sum() if distribution == "gaussian" else fit.llf
    )
    same(assay.aic(y, p, **options), eval_measures.aic(likelihood, n, 3))
    same(assay.aicc(y, p, **options), eval_measures.aicc(likelihood, n, 3))
    same(assay.bic(y, p, **options), eval_measures.bic(likelihood, n, 3))
