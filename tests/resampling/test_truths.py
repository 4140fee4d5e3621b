"""Simulated truths: their laws against others, and risks in closed form against simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from sklearn.datasets import make_friedman1
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import assay
from assay.resampling.estimate.learners import as_learner
from assay.resampling.simulation import risks, truths
from messages import refusal

ALL = [
    truths.LinearTruth(),
    truths.GroupedTruth(),
    truths.FriedmanTruth(),
    truths.SineTruth(),
    truths.GaussianTruth(share=0.3),
]


@dataclass(frozen=True, kw_only=True)
class Opaque(truths.GaussianTruth):
    """The Gaussian truth with its closed form hidden, so that the same risk is simulated."""

    def exact(self, model: Any, loss: Any) -> None:
        return None


@dataclass(frozen=True, kw_only=True)
class OpaqueLine(truths.LinearTruth):
    def exact(self, model: Any, loss: Any) -> None:
        return None


def fitted(estimator: Any, truth: truths.Truth, n: int = 200, seed: int = 0) -> Any:
    return as_learner(estimator).train(*truth.draw(n, seed), 0)


@pytest.mark.parametrize("truth", ALL, ids=lambda t: t.name)
def test_a_draw_is_decided_by_its_seed_and_begins_as_a_shorter_one(truth: truths.Truth) -> None:
    X, y = truth.draw(60, 3)
    again, targets = truth.draw(60, 3)
    assert np.array_equal(X, again)
    assert np.array_equal(y, targets)
    short, few = truth.draw(20, 3)
    assert np.array_equal(X[:20], short)
    assert np.array_equal(y[:20], few)
    assert not np.array_equal(X, truth.draw(60, 4)[0])


def mixed(x: int) -> int:
    """SplitMix64's output function on Python's own numbers."""
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) % 2**64
    return x ^ x >> 31


def test_draws_are_the_same_everywhere() -> None:
    """From whole numbers that no platform rounds; the quantiles are those of the standard library."""
    step = 0x9E3779B97F4A7C15
    stream = mixed((mixed(7 + step) + 3 * step) % 2**64)
    wanted = [((mixed((stream + (k + 1) * step) % 2**64) >> 12) + 0.5) / 2**52 for k in range(200)]
    assert truths.uniforms(7, 2, 200).tolist() == wanted
    assert truths.normals(7, 2, 200) == pytest.approx([NormalDist().inv_cdf(u) for u in wanted], abs=2**-32)


def test_normals_are_normal_and_columns_independent() -> None:
    z = np.stack([truths.normals(1, stream, 20_000) for stream in range(3)])
    assert all(scipy.stats.kstest(column, "norm").pvalue > 0.001 for column in z)
    assert np.abs(np.corrcoef(z) - np.eye(3)).max() < 4 / math.sqrt(20_000)


@pytest.mark.parametrize("truth", ALL, ids=lambda t: t.name)
def test_targets_have_the_mean_and_variance_that_are_claimed(truth: truths.Truth) -> None:
    X = truth.points(40_000, 5)
    y, mean, variance = truth.targets(X, 6), truth.mean(X), truth.variance(X)
    assert (y - mean).mean() == pytest.approx(0, abs=4 * math.sqrt(variance.mean() / len(y)))
    assert ((y - mean) ** 2).mean() == pytest.approx(variance.mean(), rel=0.05)
    if truth.task == "regression":
        assert variance.mean() == pytest.approx(truth.noise)


def test_friedman_is_scikit_learns() -> None:
    X, y = make_friedman1(50, n_features=10, noise=0, random_state=0)
    assert truths.FriedmanTruth().mean(X) == pytest.approx(y, rel=1e-12)


def test_objects_share_their_effect_and_first_features() -> None:
    truth = truths.GroupedTruth(size=4, between=2.0, sd=0.5)
    X, y = truth.draw(8000, 0)
    groups = truth.groups(8000)
    assert np.unique(groups, return_counts=True)[1].tolist() == [4] * 2000
    residuals = (y - truth.mean(X)).reshape(2000, 4)
    assert residuals.mean(axis=1).var(ddof=1) == pytest.approx(4 + 0.25 / 4, rel=0.15)
    assert residuals.var(axis=1, ddof=1).mean() == pytest.approx(0.25, rel=0.1)
    rows = X.reshape(2000, 4, 5)
    assert (rows[:, 1:, :2] == rows[:, :1, :2]).all()
    assert (rows[:, 1:, 2:] != rows[:, :1, 2:]).all()


@pytest.mark.parametrize(("distance", "share"), [(2.0, 0.5), (1.0, 0.2), (3.0, 0.9)])
def test_bayes_error_by_the_tails_and_by_the_integral(distance: float, share: float) -> None:
    truth = truths.GaussianTruth(features=3, distance=distance, share=share)
    cut = math.log((1 - share) / share) / distance
    norm = scipy.stats.norm
    tails = share * norm.cdf(cut, distance / 2) + (1 - share) * norm.sf(cut, -distance / 2)
    assert truth.noise == pytest.approx(tails, rel=1e-12)

    def least(x: float) -> float:
        return min(share * norm.pdf(x, distance / 2), (1 - share) * norm.pdf(x, -distance / 2))

    assert truth.noise == pytest.approx(scipy.integrate.quad(least, -12, 12, points=[cut])[0], rel=1e-6)
    X, y = truth.draw(100_000, 0)
    wrong = ((truth.mean(X) > 0.5) != (y == 1)).mean()
    assert wrong == pytest.approx(truth.noise, abs=4 * math.sqrt(0.25 / 100_000))


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearDiscriminantAnalysis(), LinearSVC()])
def test_linear_classifiers_have_an_exact_risk(estimator: Any) -> None:
    truth, hidden = (kind(features=3, share=0.3) for kind in (truths.GaussianTruth, Opaque))
    model = fitted(estimator, truth)
    exact = risks.true_risk(model, truth)
    simulated = risks.true_risk(model, hidden)
    assert (exact.exact, exact.error) == (True, 0)
    assert not simulated.exact
    assert simulated.error > 0
    assert exact.value == pytest.approx(simulated.value, abs=4 * simulated.error)
    assert exact.value > truth.noise


def test_linear_models_have_an_exact_risk() -> None:
    truth = truths.LinearTruth()
    model = fitted(LinearRegression(), truth)
    exact, simulated = risks.true_risk(model, truth), risks.true_risk(model, OpaqueLine())
    assert exact.exact
    assert exact.value == pytest.approx(simulated.value, abs=4 * simulated.error)
    X, y = truth.draw(200_000, 99)
    losses = (y - model(X)["y_pred"]) ** 2
    assert exact.value == pytest.approx(losses.mean(), abs=4 * losses.std() / math.sqrt(200_000))


@pytest.mark.parametrize("estimator", [KNeighborsRegressor(), DecisionTreeRegressor(max_depth=1)])
def test_what_is_not_linear_is_not_called_exact(estimator: Any) -> None:
    assert not risks.true_risk(fitted(estimator, ALL[0]), ALL[0], points=1000).exact


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), DecisionTreeClassifier(max_depth=1, random_state=0)])
def test_classifiers_of_other_shapes_are_simulated(estimator: Any) -> None:
    truth = truths.GaussianTruth()
    model = fitted(estimator, truth)
    risk = risks.true_risk(model, truth)
    X, y = truth.draw(200_000, 99)
    assert not risk.exact
    assert risk.value == pytest.approx((model(X)["y_pred"] != y).mean(), abs=4 * math.sqrt(0.25 / 200_000))


def test_brier_risk_of_probabilities() -> None:
    truth = truths.GaussianTruth()
    model = fitted(LogisticRegression(), truth)
    risk = risks.true_risk(model, truth, loss="squared")
    X, y = truth.draw(200_000, 99)
    losses = (model(X)["y_prob"][:, 1] - y) ** 2
    assert risk.value == pytest.approx(losses.mean(), abs=4 * losses.std() / math.sqrt(200_000))


def test_risk_of_least_squares_is_the_textbooks() -> None:
    """Stein (1960): sigma² (n+1)(n-2) / (n (n-p-2)) with an intercept and p normal features."""
    truth = truths.LinearTruth(features=5, sd=2.0)
    found = risks.learner_risk(LinearRegression(), truth, 30, repeats=400)
    wanted = 4 * 31 * 28 / (30 * 23)
    assert found.value == pytest.approx(wanted, abs=4 * found.error)
    assert found.error < 0.05 * wanted


def test_refusals() -> None:
    model = fitted((lambda X, y: y.mean(), lambda m, X: np.full(len(X), m)), ALL[0])
    with refusal(assay.InputError):
        risks.true_risk(model, ALL[0], loss="zero_one")
    with refusal(assay.ParameterError):
        risks.true_risk(model, ALL[0], loss="log")  # pyright: ignore
    with refusal(assay.InputError):
        risks.true_risk(model, truths.GaussianTruth(), loss="squared")
    with refusal(assay.InputError):
        risks.true_risk(lambda X: {"y_pred": np.zeros(3)}, truths.SineTruth(), points=1000)  # pyright: ignore
    with refusal(assay.ParameterError):
        truths.FriedmanTruth(features=4)
    with refusal(assay.ParameterError):
        truths.GaussianTruth(share=0.0)
    with refusal(assay.ParameterError):
        truths.SineTruth().draw(0, 1)
