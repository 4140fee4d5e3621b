"""Bias and variance of learners on known truths: closed forms, limits, and a sum that is right."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import assay
from assay.resampling.simulation import risks
from assay.resampling.simulation.decomposition import bias_variance, bias_variance_curve
from assay.resampling.simulation.truths import FriedmanTruth, GaussianTruth, LinearTruth, SineTruth
from messages import refusal


def polynomial(degree: int) -> Any:
    return (lambda X, y: np.polyfit(X[:, 0], y, degree)), (lambda model, X: np.polyval(model, X[:, 0]))


@pytest.mark.parametrize(
    ("learner", "truth", "loss"),
    [
        (LinearRegression(), LinearTruth(), "squared"),
        (DecisionTreeRegressor(max_depth=4), FriedmanTruth(), "squared"),
        (polynomial(3), SineTruth(), "squared"),
        (LogisticRegression(), GaussianTruth(), "squared"),
        (LogisticRegression(), GaussianTruth(share=0.3), "zero_one"),
        (DecisionTreeClassifier(max_depth=3), GaussianTruth(distance=1.0), "zero_one"),
        (KNeighborsClassifier(1), GaussianTruth(features=5), "zero_one"),
    ],
)
def test_the_parts_add_up_to_the_measured_loss(learner: Any, truth: Any, loss: Any) -> None:
    found = bias_variance(learner, truth, n=40, repeats=60, points=400, loss=loss)
    assert abs(found.gap) < 4 * found.gap_error
    assert found.gap_error < 0.05 * found.total
    assert found.total == found.net_noise + found.squared_bias + found.net_variance
    assert found.expected == pytest.approx(found.total + found.gap)


def test_the_total_is_the_learners_true_risk() -> None:
    """Two ways that share neither points nor training sets."""
    learner, truth = DecisionTreeRegressor(max_depth=3), FriedmanTruth()
    found = bias_variance(learner, truth, n=80, repeats=100, points=2000)
    risk = risks.learner_risk(learner, truth, 80, repeats=100, seed=9)
    error = math.hypot(risk.error, *(found.errors[k] for k in ("squared_bias", "variance")))
    assert found.total == pytest.approx(risk.value, abs=4 * error)


def test_least_squares_on_a_line_has_no_bias_and_the_textbooks_variance() -> None:
    """Stein (1960): the excess over sigma² is sigma² ((n+1)(n-2) / (n (n-p-2)) - 1), near sigma² (p+1) / n."""
    truth = LinearTruth(features=4, sd=1.5)
    found = bias_variance(LinearRegression(), truth, n=50, repeats=400, points=2000)
    wanted = 1.5**2 * (51 * 48 / (50 * 44) - 1)
    assert found.noise == pytest.approx(1.5**2)
    assert found.squared_bias == pytest.approx(0, abs=4 * found.errors["squared_bias"])
    assert found.variance == pytest.approx(wanted, abs=4 * found.errors["variance"])
    assert found.errors["variance"] < 0.06 * wanted


def test_the_bias_is_squared_which_the_notes_forget() -> None:
    """Erratum of the notes, MSE = Var + Bias + noise. A learner that always says 3 has bias 3 - mean and no variance."""
    truth = LinearTruth(features=1, sd=1.0)  # mean 1 + x: bias² is (3 - 1)² + 1 = 5, and its mean unsquared is 2
    found = bias_variance(DummyRegressor(strategy="constant", constant=3.0), truth, repeats=20, points=50_000)
    assert found.variance == 0
    assert found.squared_bias == pytest.approx(5, abs=4 * found.errors["squared_bias"])
    assert found.expected == pytest.approx(1 + 5, abs=0.2)
    assert abs(found.expected - (1 + 2)) > 2  # what the notes' sum would say


def test_all_neighbours_are_the_mean() -> None:
    """k = n predicts the mean of y: bias² is the variance of the sine, 1/2, and variance that of a mean, (1/2 + sd²) / n."""
    found = bias_variance(KNeighborsRegressor(100), SineTruth(sd=0.3), n=100, repeats=100, points=500)
    assert found.squared_bias == pytest.approx(0.5, abs=4 * found.errors["squared_bias"])
    assert found.variance == pytest.approx((0.5 + 0.09) / 100, rel=0.5)
    nearest = bias_variance(KNeighborsRegressor(1), SineTruth(sd=0.3), n=100, repeats=100, points=500)
    assert nearest.variance == pytest.approx(0.09, rel=0.2)
    assert nearest.squared_bias < 0.01


def test_squared_bias_does_not_depend_on_the_number_of_repeats() -> None:
    """Without its correction, the bias of a learner that has none would be variance / repeats."""
    found = bias_variance(LinearRegression(), LinearTruth(), n=20, repeats=20, points=2000)
    assert abs(found.squared_bias) < 0.5 * found.variance / 20 + 2 * found.errors["squared_bias"]
    assert found.errors["squared_bias"] < found.variance / 20


def test_zero_one_parts_at_their_limits() -> None:
    """The constant class 0 is wrong, with no variance, wherever Bayes says 1; a coin agrees with Bayes half the time."""
    truth = GaussianTruth(distance=2.0)
    never = bias_variance((lambda X, y: 0, lambda model, X: np.zeros(len(X))), truth, points=4000, repeats=20)
    assert (never.variance, never.net_variance) == (0, 0)
    assert never.squared_bias == pytest.approx(0.5, abs=4 * never.errors["squared_bias"])
    assert never.total == pytest.approx(0.5, abs=0.02)

    def coin(X: Any, y: Any, seed: int) -> Any:
        return lambda X: np.random.default_rng(seed).integers(0, 2, len(X))

    tossed = bias_variance(coin, truth, points=2000, repeats=200)
    assert tossed.total == pytest.approx(0.5, abs=0.02)
    assert tossed.net_noise == pytest.approx(0, abs=0.01)
    assert tossed.noise == pytest.approx(truth.noise, abs=4 * tossed.errors["noise"])


def test_zero_one_by_hand() -> None:
    """Three models at four points, P(1) = .9: Bayes says 1. Domingos' sums, written out."""
    from assay.resampling.simulation.decomposition import _zero_one

    given = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    parts = _zero_one(given, np.full(4, 0.9), np.full(4, 0.09))
    assert parts["squared_bias"].tolist() == [0, 0, 1, 1]
    assert parts["variance"] == pytest.approx([0, 1 / 3, 1 / 3, 0])
    assert parts["net_variance"] == pytest.approx([0, 1 / 3, -1 / 3, 0])
    total = parts["net_noise"] + parts["squared_bias"] + parts["net_variance"]
    shares = given.mean(axis=0)
    assert total == pytest.approx(0.1 * shares + 0.9 * (1 - shares))


def test_the_curve_is_a_u() -> None:
    told: list[int] = []
    curve = bias_variance_curve(
        polynomial, SineTruth(), [0, 1, 3, 5, 9], n=30, repeats=100, points=300, progress=told.append
    )
    bias, variance = ([getattr(one, name) for one in curve.parts] for name in ("squared_bias", "variance"))
    assert bias[0] > bias[1] > bias[2] > bias[3]
    assert variance[2] < variance[3] < variance[4]  # below that, where the rows fell adds to a wrong shape's variance
    assert curve.best in (3, 5)
    assert sum(told) == 500
    assert curve.to_frame()["value"].to_list() == [0, 1, 3, 5, 9]
    assert json.loads(json.dumps(curve.to_dict()))["best"] == curve.best
    assert str(curve).startswith("polynomial on sine, n=30, squared loss by value (least at ")
    assert "squared bias" in str(curve)
    svg = curve.figure()
    assert set(re.findall(r">([a-z ]+)</text>", svg)) >= {"expected loss", "squared bias", "variance", "noise", "value"}
    assert svg.count("<polyline") == 4


def test_a_parameter_is_set_on_a_copy() -> None:
    tree = DecisionTreeRegressor()
    curve = bias_variance_curve(
        tree, FriedmanTruth(), [1, 4], parameter="max_depth", n=50, repeats=20, points=100, seed=3
    )
    assert tree.max_depth is None
    alone = bias_variance(DecisionTreeRegressor(max_depth=4), FriedmanTruth(), n=50, repeats=20, points=100, seed=3)
    assert curve.parts[1].to_dict() == alone.to_dict()
    named = bias_variance_curve(
        tree, FriedmanTruth(), ["squared_error", "absolute_error"], parameter="criterion", n=30, repeats=20, points=50
    )
    assert "absolute_error</text>" in named.figure()
    with refusal(assay.ParameterError):
        named.figure(log=True)


def test_refusals() -> None:
    with refusal(assay.ParameterError):
        bias_variance(LinearRegression(), LinearTruth(), repeats=1)
    with refusal(assay.InputError):
        bias_variance(LinearRegression(), LinearTruth(), loss="zero_one")
    with refusal(assay.ParameterError):
        bias_variance_curve(LinearRegression(), LinearTruth(), [1])
    with refusal(assay.ParameterError):
        bias_variance_curve(polynomial, LinearTruth(), [1], parameter="degree")
    with refusal(assay.InputError):
        bias_variance_curve(polynomial, LinearTruth(), [])


def test_it_reads_as_a_sentence() -> None:
    found = bias_variance(LinearRegression(), LinearTruth(), n=30, repeats=20, points=50)
    assert re.match(
        r"LinearRegression on linear, n=30: squared loss [\d.]+ = noise 1\.000 \+ squared bias ", str(found)
    )
    json.dumps(found.to_dict())
