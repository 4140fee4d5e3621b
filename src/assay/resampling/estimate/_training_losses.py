"""What common estimators minimise when they are trained, by their names; others are inspected for it."""

from __future__ import annotations

import math
from typing import Any

UNKNOWN = "not stated"
_L2 = " (L2 penalty)"
_SQUARED = "squared error"
_BY_NAME = {
    "LinearRegression": _SQUARED,
    "Ridge": _SQUARED + _L2,
    "RidgeCV": _SQUARED + _L2,
    "KernelRidge": _SQUARED + _L2,
    "RidgeClassifier": f"{_SQUARED} of labels -1 and 1{_L2}",
    "RidgeClassifierCV": f"{_SQUARED} of labels -1 and 1{_L2}",
    "Lasso": f"{_SQUARED} (L1 penalty)",
    "LassoCV": f"{_SQUARED} (L1 penalty)",
    "ElasticNet": f"{_SQUARED} (L1 and L2 penalty)",
    "ElasticNetCV": f"{_SQUARED} (L1 and L2 penalty)",
    "HuberRegressor": f"Huber loss{_L2}",
    "QuantileRegressor": "pinball loss (L1 penalty)",
    "PoissonRegressor": f"Poisson deviance{_L2}",
    "GammaRegressor": f"gamma deviance{_L2}",
    "TweedieRegressor": f"Tweedie deviance{_L2}",
    "SVC": f"hinge loss{_L2}",
    "NuSVC": f"hinge loss, nu form{_L2}",
    "SVR": f"epsilon-insensitive loss{_L2}",
    "NuSVR": f"epsilon-insensitive loss, nu form{_L2}",
    "GaussianProcessRegressor": "marginal likelihood",
    "GaussianProcessClassifier": "marginal likelihood",
    "GaussianNB": "likelihood of rows and classes",
    "MultinomialNB": "likelihood of rows and classes",
    "BernoulliNB": "likelihood of rows and classes",
    "LinearDiscriminantAnalysis": "likelihood of rows and classes",
    "QuadraticDiscriminantAnalysis": "likelihood of rows and classes",
    "AdaBoostClassifier": "exponential loss",
    "KNeighborsClassifier": "none (keeps its rows)",
    "KNeighborsRegressor": "none (keeps its rows)",
    "DummyClassifier": "none (looks at y alone)",
    "DummyRegressor": "none (looks at y alone)",
}


def loss_of(estimator: Any) -> str:
    """What an estimator minimises: by its parameters, by its name, or by its last step or the estimator it wraps."""
    steps = getattr(estimator, "steps", None)
    if steps:
        return loss_of(steps[-1][1])
    for name in ("loss", "criterion", "objective", "loss_function"):
        value = getattr(estimator, name, None)
        if isinstance(value, str):
            return value
    title = type(estimator).__name__
    if title in ("LogisticRegression", "LogisticRegressionCV"):
        return "log loss" + _penalty(estimator)
    inner = getattr(estimator, "estimator", None)
    return _BY_NAME.get(title) or (UNKNOWN if inner is None else loss_of(inner))


def _penalty(logistic: Any) -> str:
    """The penalty of a logistic regression, which older and newer versions of scikit-learn specify differently."""
    said, share = getattr(logistic, "penalty", "l2"), getattr(logistic, "l1_ratio", None)
    if said is None or getattr(logistic, "C", 1.0) == math.inf:
        return ""
    if said == "l1" or (said != "l2" and share == 1):
        return " (L1 penalty)"
    mixed = said == "elasticnet" or (said != "l2" and isinstance(share, float) and 0 < share < 1)
    return " (L1 and L2 penalty)" if mixed else _L2
