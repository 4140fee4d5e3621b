"""How good hold-out, subsampling, cross-validation and bootstrap are, against closed forms of least squares."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import assay
from assay.resampling import LeaveOneGroupOut, LeaveOneOut, Subsampling
from assay.resampling.estimate.learners import Learner
from assay.resampling.simulation.decomposition import bias_variance
from assay.resampling.simulation.estimators import EstimatorQuality, Quality, estimator_quality
from assay.resampling.simulation.risks import Risk, learner_risk
from assay.resampling.simulation.truths import GaussianTruth, GroupedTruth, LinearTruth, Truth, seeds
from messages import refusal

P = 5
TRUTH = LinearTruth(features=P)


def designed(X: Any) -> Any:
    return np.column_stack([np.ones(len(X)), X])


def fit(X: Any, y: Any) -> Any:
    A = designed(X)
    return np.linalg.solve(A.T @ A, A.T @ y)


def predict(model: Any, X: Any) -> Any:
    return designed(X) @ model


def stein(n: int) -> float:
    """The risk of least squares with an intercept, P normal features and noise 1 (Stein 1960)."""
    return (n + 1) * (n - 2) / (n * (n - P - 2))


@pytest.fixture(scope="module")
def quality() -> EstimatorQuality:
    rates = (0.2, 0.4, 0.8, 0.9)
    return estimator_quality(
        (fit, predict), TRUTH, n=100, rates=rates, replicates=150, repeats=12, risk=Risk(stein(100))
    )


@pytest.mark.parametrize("name", ["hold-out", "subsampling"])
def test_the_bias_is_that_of_fewer_rows(quality: EstimatorQuality, name: str) -> None:
    """Training on m rows estimates the risk at m: the bias is stein(m) - stein(n), for one split and for many."""
    for row in quality.of(name):
        wanted = stein(round(row.rate * 100)) - stein(100)
        assert row.bias == pytest.approx(wanted, abs=4 * row.bias_error)
    assert quality.of(name)[0].bias > 10 * quality.of(name)[0].bias_error


def test_cross_validation_has_the_bias_of_its_training_share(quality: EstimatorQuality) -> None:
    assert [(row.rate, row.fits) for row in quality.of("cross-validation")] == [(0.8, 5), (0.9, 10)]
    for row in quality.of("cross-validation"):
        assert row.bias == pytest.approx(stein(round(row.rate * 100)) - stein(100), abs=4 * row.bias_error)


def test_pessimism_falls_with_the_training_share(quality: EstimatorQuality) -> None:
    for name in ("hold-out", "subsampling"):
        bias = [row.bias for row in quality.of(name)]
        assert bias[0] > bias[1] > max(bias[2:])


def test_variance_of_a_hold_out_grows_as_its_test_part_shrinks(quality: EstimatorQuality) -> None:
    """From two fifths on the test part decides: ten rows against sixty. Training sets that are smaller vary themselves."""
    variance = [row.variance for row in quality.of("hold-out")]
    assert variance[1] < variance[2] < variance[3]
    assert variance[3] > 2.5 * variance[1]
    assert variance[0] > variance[1]


def test_subsampling_varies_less_so_that_it_affords_more_training(quality: EstimatorQuality) -> None:
    for once, often in zip(quality.of("hold-out"), quality.of("subsampling"), strict=True):
        assert often.variance < once.variance
        assert often.bias == pytest.approx(once.bias, abs=4 * math.hypot(once.bias_error, often.bias_error))
    assert quality.best("subsampling").rate > quality.best("hold-out").rate
    assert quality.best("subsampling").mse < quality.best("hold-out").mse


def test_632_sits_between_what_was_seen_and_what_was_not(quality: EstimatorQuality) -> None:
    """Out-of-bag is pessimistic; weighing in the training error takes that away."""
    outside, weighted, plus = (quality.of(f"bootstrap {name}")[0] for name in ("out-of-bag", ".632", ".632+"))
    assert outside.bias > 2 * outside.bias_error
    assert weighted.mean < plus.mean < outside.mean
    assert (outside.fits, plus.fits) == (12, 13)


def test_squared_bias_and_variance_make_the_squared_error(quality: EstimatorQuality) -> None:
    """The bias is squared; the notes write it unsquared (an erratum)."""
    count = quality.replicates
    for row in quality.rows:
        assert row.mse == pytest.approx(row.bias**2 + (count - 1) / count * row.variance, rel=1e-9)
    worst = quality.of("subsampling")[0]
    assert abs(worst.mse - (worst.bias + worst.variance)) > 4 * worst.mse_error


def test_leave_one_out_is_press() -> None:
    """Allen's PRESS: residuals over one minus leverage give the left-out errors with no refit."""
    found = estimator_quality(
        (fit, predict),
        TRUTH,
        n=25,
        schemes={"leave-one-out": LeaveOneOut()},
        replicates=3,
        seed=4,
        risk=Risk(stein(25)),
    )
    wanted: list[float] = []
    for seed in seeds(4, 10, 3):
        X, y = TRUTH.draw(25, seed)
        A = designed(X)
        hat = A @ np.linalg.pinv(A)
        wanted.append(float((((y - hat @ y) / (1 - np.diag(hat))) ** 2).mean()))
    (row,) = found.rows
    assert row.mean == pytest.approx(np.mean(wanted), rel=1e-9)
    assert row.variance == pytest.approx(np.var(wanted, ddof=1), rel=1e-9)
    assert (row.rate, row.fits) == (pytest.approx(24 / 25), 25)


@pytest.mark.parametrize("loss", ["squared", "zero_one"])
def test_no_information_is_every_target_against_every_prediction(loss: Any) -> None:
    from assay.resampling.estimate.learners import as_learner
    from assay.resampling.simulation.estimators import _no_information, _Sample

    truth: Truth = TRUTH if loss == "squared" else GaussianTruth(share=0.3)
    X, y = truth.draw(30, 0)
    given = y[::-1] + 0.5 if loss == "squared" else (X[:, 0] > 0).astype(int)
    pairs = [(b - a) ** 2 if loss == "squared" else a != b for a in y for b in given]
    sample = _Sample(as_learner((fit, predict)), truth, loss, X, y, 0)
    assert _no_information(sample, given) == pytest.approx(np.mean(pairs))


def test_classes_and_a_simulated_risk() -> None:
    """Nearest centroids: above Bayes' error, near it at 40 rows; stratified, so that both classes are always there."""

    def centroids(X: Any, y: Any) -> Any:
        return X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)

    def nearest(model: Any, X: Any) -> Any:
        return (((X - model[1]) ** 2).sum(axis=1) < ((X - model[0]) ** 2).sum(axis=1)).astype(int)

    found = estimator_quality((centroids, nearest), GaussianTruth(), n=40, rates=[0.1, 0.5], replicates=30, repeats=3)
    assert found.loss == "zero_one"
    assert not found.risk.exact
    assert 0 < found.risk.error < 0.001
    assert GaussianTruth().noise + 4 * found.risk.error < found.risk.value < 0.2
    assert {row.estimator for row in found.rows} >= {"hold-out", "subsampling", "cross-validation", "bootstrap .632+"}
    assert all(0 < row.mean < 0.5 for row in found.rows)


def test_objects_are_never_split() -> None:
    def remember(X: Any, y: Any) -> Any:
        return set(X[:, 0].tolist())

    def never_seen(model: Any, X: Any) -> Any:
        assert not model & set(X[:, 0].tolist())
        return np.zeros(len(X))

    truth = GroupedTruth(size=5, shared=1)
    schemes = {"objects": LeaveOneGroupOut(), "half": Subsampling(test=0.5, repeats=3)}
    found = estimator_quality((remember, never_seen), truth, n=30, schemes=schemes, replicates=2, risk=Risk(3.0))
    assert [(row.estimator, row.fits) for row in found.rows] == [("objects", 6), ("half", 3)]
    assert [row.rate for row in found.rows] == pytest.approx([5 / 6, 0.5])


def test_a_learner_that_splits_inside_is_told_of_the_groups() -> None:
    told: list[Any] = []

    def train(X: Any, y: Any, seed: int, groups: Any) -> Any:
        told.append((len(X), np.unique(groups).size, all(len(set(X[groups == g, 0])) == 1 for g in groups)))
        return lambda X: {"y_pred": np.zeros(len(X))}

    learner = Learner("inner splits", train, grouped=True)
    truth = GroupedTruth(size=5, shared=1)
    estimator_quality(learner, truth, n=30, schemes={"objects": LeaveOneGroupOut()}, replicates=2, risk=Risk(3.0))
    assert told == [(25, 5, True)] * 12
    learner_risk(learner, truth, 20, repeats=2)
    bias_variance(learner, truth, n=20, repeats=20, points=5)
    assert told[12:] == [(20, 4, True)] * 22


def test_it_can_be_stopped_and_says_so() -> None:
    told: list[int] = []
    asked = {"n": 30, "rates": [0.5], "repeats": 2, "risk": Risk(1.0)}
    short = estimator_quality(
        (fit, predict),
        TRUTH,
        replicates=50,
        progress=told.append,
        stop=lambda: len(told) == 5,
        **asked,  # pyright: ignore
    )
    assert (short.replicates, short.asked, told) == (5, 50, [1] * 5)
    assert "5 of 50 (stopped) replicates" in str(short)
    whole = estimator_quality((fit, predict), TRUTH, replicates=5, **asked)  # pyright: ignore
    assert whole.rows == short.rows
    assert "stopped" not in str(whole)

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimator_quality((fit, predict), TRUTH, replicates=5, progress=interrupt, **asked)  # pyright: ignore


def test_tables_and_figures(quality: EstimatorQuality) -> None:
    frame = quality.to_frame()
    assert frame.height == len(quality.rows) == 4 + 4 + 2 + 3
    assert frame.filter(frame["estimator"] == "hold-out")["bias"].to_list() == [r.bias for r in quality.of("hold-out")]
    back = json.loads(json.dumps(quality.to_dict()))
    assert Quality(**back["rows"][0]) == quality.rows[0]
    assert len(str(quality).splitlines()) == 2 + len(quality.rows)
    svg = quality.figure()
    assert re.findall(r'class="t"[^>]*>([^<]+)<', svg)[1:] == ["bias", "variance", "mean squared error"]
    assert svg.count("<polyline") == 9
    titles = re.findall(r'class="t"[^>]*>([^<]+)<', quality.figure(by="estimator"))
    assert titles[1:] == ["hold-out", "subsampling", "cross-validation"]


def test_refusals(quality: EstimatorQuality) -> None:
    with refusal(assay.ParameterError):
        quality.of("holdout")
    with refusal(assay.ParameterError):
        estimator_quality((fit, predict), TRUTH, rates=[1.0])
    with refusal(assay.ParameterError):
        estimator_quality((fit, predict), TRUTH, replicates=1)
    with refusal(assay.ParameterError):
        quality.figure(by="n")  # pyright: ignore

    def broken(X: Any, y: Any) -> Any:
        raise ValueError("too few")

    with refusal(assay.InputError):
        estimator_quality((broken, predict), TRUTH, n=30, rates=[0.5], replicates=2)
