"""Claims of measures of training fit: deviance and information criteria."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay
from claims import claim, same

SK = "sklearn.metrics"


def glm(sm: Any, rng: Any, distribution: str, n: int = 120) -> tuple[Any, Any]:
    """A generalised linear model that statsmodels fitted, and its targets."""
    x = sm.add_constant(rng.normal(size=(n, 2)))
    eta = x @ [0.2, 0.5, -0.3]
    y = {
        "gaussian": lambda: eta + rng.normal(size=n), "poisson": lambda: rng.poisson(np.exp(eta)).astype(float),
        "gamma": lambda: rng.gamma(2.0, np.exp(eta)), "binomial": lambda: (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float),
    }[distribution]()  # fmt: skip
    families = {"gaussian": sm.families.Gaussian, "poisson": sm.families.Poisson, "binomial": sm.families.Binomial}
    family = sm.families.Gamma(sm.families.links.Log()) if distribution == "gamma" else families[distribution]()
    return y, sm.GLM(y, x, family=family).fit()


@claim("metric.deviance", "statsmodels GLM.fit().deviance", peer="statsmodels.api")
def _(sm: Any, rng: Any) -> None:
    for distribution in ("gaussian", "poisson", "gamma", "binomial"):
        y, fit = glm(sm, rng, distribution)
        same(assay.deviance(y, fit.fittedvalues, distribution=distribution), fit.deviance)


@claim(
    "metric.mean_deviance", "scikit-learn mean_poisson_deviance, mean_gamma_deviance, mean_tweedie_deviance(power=0)", peer=SK
)  # fmt: skip
def _(sk: Any, rng: Any) -> None:
    y, p = (rng.gamma(2.0, 1.0, 100) for _ in range(2))
    w = rng.gamma(1.0, 1.0, len(y))
    for distribution, theirs in (("poisson", sk.mean_poisson_deviance), ("gamma", sk.mean_gamma_deviance)):
        same(assay.mean_deviance(y, p, weight=w, distribution=distribution), theirs(y, p, sample_weight=w))
    same(assay.mean_deviance(-y, p, weight=w), sk.mean_tweedie_deviance(-y, p, sample_weight=w, power=0))


@claim("metric.mean_deviance", "statsmodels Binomial().deviance over the rows", peer="statsmodels.api")
def _(sm: Any, rng: Any) -> None:
    y, p = rng.random(80), rng.random(80)
    same(assay.mean_deviance(y, p, distribution="binomial"), sm.families.Binomial().deviance(y, p) / 80)


def criterion_claim(key: str, text: str, name: str, of_glm: str) -> None:
    @claim(f"metric.{key}", text, peer="statsmodels.api")
    def _(sm: Any, rng: Any) -> None:
        for distribution in ("poisson", "binomial"):
            y, fit = glm(sm, rng, distribution)
            ours = getattr(assay, key)(y, fit.fittedvalues, distribution=distribution, coefficients=3)
            same(ours, getattr(fit, of_glm))
        y, fit = glm(sm, rng, "gaussian")
        fit = sm.OLS(y, fit.model.exog).fit()
        same(getattr(assay, key)(y, fit.fittedvalues, coefficients=3), getattr(fit, name))


criterion_claim("aic", "statsmodels GLM.fit().aic for Poisson and binomial, OLS.fit().aic for Gaussian", "aic", "aic")
criterion_claim(
    "bic", "statsmodels GLM.fit().bic_llf for Poisson and binomial, OLS.fit().bic for Gaussian", "bic", "bic_llf"
)


@claim("metric.aicc", "statsmodels eval_measures.aicc", peer="statsmodels.tools.eval_measures")
def _(measures: Any, rng: Any) -> None:
    y = rng.normal(3, 2, 40)
    p = y + rng.normal(0.2, 1, 40)
    likelihood = -0.5 * 40 * (1 + np.log(2 * np.pi * np.mean((y - p) ** 2)))
    same(assay.aicc(y, p, coefficients=4), measures.aicc(likelihood, 40, 4))


@claim(
    "metric.aic", "R AIC(lm): coefficients one more, for the variance",
    published="R, lm(dist ~ speed, cars): logLik -206.5784 (df=3), AIC 419.1569",
)  # fmt: skip
def _(rng: Any) -> None:
    y = np.array(CARS_DISTANCE, dtype=float)
    x = np.repeat(np.array(list(CARS_SPEED), dtype=float), list(CARS_SPEED.values()))
    slope, intercept = np.polyfit(x, y, 1)
    same(assay.aic(y, intercept + slope * x, coefficients=3), 419.1569, 1e-6)


CARS_SPEED = {
    4: 2, 7: 2, 8: 1, 9: 1, 10: 3, 11: 2, 12: 4, 13: 4, 14: 4, 15: 3, 16: 2, 17: 3, 18: 4, 19: 3, 20: 5, 22: 1, 23: 1, 24: 4, 25: 1,
}  # fmt: skip
CARS_DISTANCE = (
    2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26, 54, 32, 40, 32, 40, 50, 42, 56,
    76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85,
)  # fmt: skip
