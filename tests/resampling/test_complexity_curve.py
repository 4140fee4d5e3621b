"""Complexity curves: each value as `estimate` gives it, the one-standard-error rule, and the sides in words."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import validation_curve
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import assay
from assay.resampling.curves.curves import complexity_curve
from assay.resampling.estimate.estimate import estimate
from assay.resampling.schemes.scheme import CrossValidation, Holdout
from assay.resampling.simulation.truths import GaussianTruth, SineTruth
from messages import refusal

X, Y = SineTruth().draw(150, 1)
XC, YC = GaussianTruth(features=3, distance=1.5).draw(150, 2)
SCHEME = CrossValidation(folds=5, repeats=2, seed=3)
DEPTHS = [1, 2, 3, 5, 8, 12]


def polynomial(X: Any, y: Any, degree: int = 1) -> Any:
    if degree > 20:
        raise ValueError("too wild")
    return np.polynomial.Polynomial.fit(X[:, 0], y, degree)


def answer(model: Any, X: Any) -> Any:
    return model(X[:, 0])


def test_every_value_is_what_estimate_gives_it() -> None:
    """A tree breaks ties by chance: seeds are those of `estimate` too."""
    found = complexity_curve(DecisionTreeRegressor(max_features=1), X, Y, "max_depth", DEPTHS, "mse", resampling=SCHEME)
    for depth, point in zip(DEPTHS, found.points, strict=True):
        there = estimate(DecisionTreeRegressor(max_features=1, max_depth=depth), X, Y, SCHEME, ["mse"])
        assert np.array_equal(point.tests, there.performance["mse"].test)
        assert np.array_equal(point.trains, there.performance["mse"].train)
        assert (point.score, point.score.low, point.score.high) == (there["mse"], there["mse"].low, there["mse"].high)
        assert point.error == there.performance["mse"].error


def test_scikit_learn_draws_the_same_curve() -> None:
    values = [40, 20, 10, 5, 2, 1]
    train, test = validation_curve(
        KNeighborsRegressor(),
        X,
        Y,
        param_name="n_neighbors",
        param_range=values,
        cv=SCHEME,
        scoring="neg_mean_absolute_error",
    )
    found = complexity_curve(KNeighborsRegressor(), X, Y, "n_neighbors", values, "mae", resampling=SCHEME)
    assert np.array([p.tests for p in found.points]) == pytest.approx(-test)
    assert np.array([p.trains for p in found.points]) == pytest.approx(-train)


def test_the_best_the_simplest_and_the_sides() -> None:
    found = complexity_curve((polynomial, answer), X, Y, "degree", list(range(0, 19, 2)), resampling=SCHEME)
    losses = np.array([float(point.score) for point in found.points])
    at = int(np.argmin(losses))
    assert found.best == 2 * at
    within = [v for v, loss in zip(found.values, losses, strict=True) if loss <= losses[at] + found.points[at].error]
    assert found.simplest == within[0]
    assert found.sides[0] == "underfits"
    assert found.sides[at] == "best"
    assert {"overfits", "as good"} >= set(found.sides[at + 1 :])
    text = str(found)
    assert "Underfitting (too simple): degree=0" in text
    assert f"Best: degree={found.best}" in text


def test_a_simpler_value_within_one_standard_error_is_preferred() -> None:
    """Where depth beyond the truth hardly hurts, the rule chooses a simpler tree than the best; higher is better here."""
    found = complexity_curve(DecisionTreeClassifier(), XC, YC, "max_depth", [1, 2, 3, 4, 30], resampling=SCHEME)
    accuracy = [float(point.score) for point in found.points]
    best = int(np.argmax(accuracy))
    assert found.metric == "accuracy"
    assert found.best == found.values[best]
    first = next(i for i, value in enumerate(accuracy) if value >= accuracy[best] - found.standard_error)
    assert found.simplest == found.values[first]
    assert found.points[-1].overfitting > 0.1


def test_values_given_from_complex_to_simple_are_pointed_out() -> None:
    found = complexity_curve(KNeighborsRegressor(), X, Y, "n_neighbors", [1, 5, 80], resampling=SCHEME)
    assert "is n_neighbors given from simple to" in str(found)
    right = complexity_curve(KNeighborsRegressor(), X, Y, "n_neighbors", [80, 5, 1], resampling=SCHEME)
    assert "given from simple to" not in str(right)
    assert "complex ← simple" in right.figure()


def test_the_best_at_an_end_is_pointed_out() -> None:
    found = complexity_curve((polynomial, answer), X, Y, "degree", [0, 1], resampling=SCHEME)
    assert "The best value is the last one: more complex ones may be better still." in str(found)


def test_failures_are_counted_and_their_value_has_no_score() -> None:
    found = complexity_curve((polynomial, answer), X, Y, "degree", [1, 5, 25], resampling=SCHEME)
    assert math.isnan(found.points[2].score)
    assert found.sides[2] == "unknown"
    assert len(found.failures) == 10
    assert "10 of 30 fits failed" in str(found)
    assert "degree=25" in found.failures[0]
    with refusal(assay.InputError):
        complexity_curve((polynomial, answer), X, Y, "degree", [25, 30], resampling=SCHEME)


def test_texts_pipelines_and_forms() -> None:
    learner = make_pipeline(StandardScaler(), SVC())
    found = complexity_curve(learner, XC, YC, "svc__kernel", ["linear", "rbf"], resampling="cv:3")
    assert found.to_frame()["parameter"].to_list() == ["linear", "rbf"]
    assert json.loads(json.dumps(found.to_dict()))["values"] == ["linear", "rbf"]
    assert ">rbf<" in found.figure()
    ET.fromstring(found.figure())
    assert "| svc__kernel |" in found.to_markdown()
    assert "<svg" in found._repr_html_()
    with refusal(assay.ParameterError):
        found.figure(log=True)
    wide = complexity_curve(learner, XC, YC, "svc__C", np.array([0.01, 1.0, 100.0]), resampling="cv:3")
    assert wide.to_frame()["parameter"].to_list() == [0.01, 1.0, 100.0]
    assert ">0.1<" in wide.figure()


def test_a_single_split_knows_no_standard_error_of_some_metrics() -> None:
    """Whatever the interval, the answer is a value of the list or an honest None."""
    found = complexity_curve(DecisionTreeRegressor(), X, Y, "max_depth", [1, 2, 3], resampling=Holdout())
    assert found.best in (1, 2, 3)
    assert (found.simplest is None) == math.isnan(found.standard_error)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (
            ("max_depht", [1, 2]),
            {},
        ),
        (
            ("max_depth", [1]),
            {},
        ),
        (
            (3, [1, 2]),
            {},
        ),
        (
            ("", [1, 2]),
            {},
        ),
        (
            ("max_depth", [1, 2]),
            {"metric": "confusion_matrix"},
        ),
        (
            ("max_depth", [1, 2]),
            {"resampling": "bootstrap:20"},
        ),
    ],
)
def test_bad_input_is_refused_in_words(arguments: Any, options: dict[str, Any]) -> None:
    with refusal(assay.ParameterError):
        complexity_curve(DecisionTreeRegressor(), X, Y, *arguments, **{"resampling": "cv:3", **options})


def test_an_estimator_without_set_params_is_refused() -> None:
    class Bare:
        def fit(self, X: Any, y: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X))

    with refusal(assay.ParameterError):
        complexity_curve(Bare(), X, Y, "depth", [1, 2], resampling="cv:3")
