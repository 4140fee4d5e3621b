"""Which interval goes with which scheme, against the formulas, other implementations and the metrics' own intervals."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import scipy.stats
from mlxtend.evaluate import bootstrap_point632_score
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import assay
from assay.resampling.estimate import _interval_formulas as formulas
from assay.resampling.schemes.scheme import Split
from messages import refusal

RNG = np.random.default_rng(5)
X = RNG.normal(size=(100, 3))
Y = X @ np.array([1.0, 2.0, 0.0]) + RNG.normal(size=100)
LABEL = (Y > 0).astype(int)


def test_repeated_cross_validation_takes_the_corrected_t() -> None:
    found = assay.estimate(LinearRegression(), X, Y, "cv:10x5", ["mse"])
    values = found.performance["mse"].test
    half = scipy.stats.t.ppf(0.975, 49) * values.std(ddof=1) * math.sqrt(1 / 50 + 1 / 9)
    assert found["mse"].method == "corrected resampled t"
    assert (found["mse"].low, found["mse"].high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert "the learner trained on about 90 rows" in found.about


def test_hold_out_is_the_metrics_own_interval_about_this_model() -> None:
    found = assay.estimate(LogisticRegression(), X, LABEL, "holdout:0.4", ["accuracy", "roc_auc"])
    split = next(assay.Holdout(test=0.4).splits(100))
    model = LogisticRegression().fit(X[split.train], LABEL[split.train])
    chances = model.predict_proba(X[split.test])[:, 1]
    own = assay.metrics.RocAuc().interval(LABEL[split.test], y_prob=chances)
    assert (found["roc_auc"].low, found["roc_auc"].high) == pytest.approx((own.low, own.high))
    assert found.about.startswith("this model: the one trained on the 60 rows")


def test_groups_count_groups() -> None:
    groups = np.arange(100) // 2
    scheme = assay.CrossValidation(folds=5, seed=2)
    found = assay.estimate(LinearRegression(), X, Y, scheme, ["mse"], groups=groups)
    kept = found.predictions.sort("row")
    own = assay.metrics.MSE().interval(kept["y_true"].to_numpy(), kept["y_pred"].to_numpy(), groups=groups)
    assert (found["mse"].low, found["mse"].high) == pytest.approx((own.low, own.high))
    assert "50 groups" in str(found["mse"].method)
    few = assay.estimate(LinearRegression(), X, Y, "objects", ["mse"], groups=np.arange(100) // 10)
    assert not few["mse"].reliable
    assert few["mse"].reason == "only 10 groups"


def test_repeats_do_not_make_more_rows_than_there_are() -> None:
    """Bayle et al. on five repeats: a row is one unit, so that the error is about that of one repeat."""
    once = assay.estimate(LinearRegression(), X, Y, "cv:10", ["mse"], method="bayle")
    five = assay.estimate(LinearRegression(), X, Y, "cv:10x5", ["mse"], method="bayle")
    assert five.performance["mse"].error == pytest.approx(once.performance["mse"].error, rel=0.1)
    losses = (once.predictions["y_true"] - once.predictions["y_pred"]).to_numpy() ** 2
    assert once.performance["mse"].error == pytest.approx(scipy.stats.sem(losses))
    assert not once["mse"].reliable


def _bates(folds: int, seed: int) -> tuple[float, float]:
    """Nested cross-validation written out: for each outer fold an inner cross-validation of the rest."""
    parts = [s.test for s in assay.CrossValidation(folds=folds, seed=seed).splits(100)]
    inside, outside, gaps, plain = [], [], [], []
    for i, test in enumerate(parts):
        inner: list[float] = []
        for j, other in enumerate(parts):
            if i != j:
                train = np.setdiff1d(np.arange(100), np.concatenate([test, other]))
                inner += ((LinearRegression().fit(X[train], Y[train]).predict(X[other]) - Y[other]) ** 2).tolist()
        train = np.setdiff1d(np.arange(100), test)
        outer = (LinearRegression().fit(X[train], Y[train]).predict(X[test]) - Y[test]) ** 2
        gaps.append((np.mean(inner) - outer.mean()) ** 2 - outer.var(ddof=1) / len(outer))
        inside.append(np.mean(inner))
        outside.append(outer.mean())
        plain += outer.tolist()
    s = np.std(plain, ddof=1) / 10
    error = min(max(math.sqrt(max(0, (folds - 1) / folds * np.mean(gaps))), s), math.sqrt(folds) * s)
    bias = (1 + (folds - 2) / folds) * (np.mean(inside) - np.mean(outside))
    return float(np.mean(inside) - bias), float(error)


def test_nested_cross_validation_with_shared_fits_is_the_plain_algorithm() -> None:
    found = assay.estimate(
        LinearRegression(), X, Y, assay.CrossValidation(folds=5, seed=9), ["mse"], method="nested_cv"
    )
    value, error = _bates(5, 9)
    assert float(found["mse"]) == pytest.approx(value)
    assert found.performance["mse"].error == pytest.approx(error)
    assert len(found.run.folds) == 5 + 10
    assert found.about == "this model: the one trained on all 100 rows"


def test_conservative_z_on_disjoint_halves() -> None:
    scheme = assay.Subsampling(repeats=3, test=0.1)
    found = assay.estimate(LinearRegression(), X, Y, scheme, ["mse"], method="conservative_z")
    halves = [fold for fold in found.run.folds if fold.role == "half"]
    assert len(halves) == 2 * 10 * 3
    sides: dict[int, set[int]] = {}
    for fold in halves:
        assert len(fold.rows) == 10
        assert fold.train_size == 40
        sides.setdefault(fold.repeat, set()).update(fold.rows.tolist())
    assert all(not sides[2 * pair] & sides[2 * pair + 1] for pair in range(10))
    assert found["mse"].method == "conservative z"


def bags() -> Any:
    """The bags of mlxtend, so that both estimate the same."""
    from mlxtend.evaluate import BootstrapOutOfBag

    for at, (train, test) in enumerate(BootstrapOutOfBag(n_splits=20, random_seed=4).split(np.zeros((100, 1)))):
        yield Split(np.asarray(train), np.asarray(test), at)


def test_632_plus_of_mlxtend_bag_by_bag() -> None:
    """mlxtend corrects each bag and averages: the same formula on the same three errors gives its value for every bag."""
    model = KNeighborsClassifier(3)
    theirs = bootstrap_point632_score(model, X, LABEL, n_splits=20, method=".632+", random_seed=4)
    ours: list[float] = []
    for split in bags():
        fitted = KNeighborsClassifier(3).fit(X[split.train], LABEL[split.train])
        every = fitted.predict(X)
        train, left = np.mean(every != LABEL), np.mean(every[split.test] != LABEL[split.test])
        share, said = LABEL.mean(), every.mean()
        guess = share * (1 - said) + (1 - share) * said
        if left < train:  # Efron and Tibshirani: no overfitting, weight .632; mlxtend lets the rate go below zero
            assert 1 - formulas.plus_632(float(train), float(left), float(guess)) != theirs[split.repeat]
            ours.append(theirs[split.repeat])
        else:
            ours.append(1 - formulas.plus_632(float(train), float(left), float(guess)))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_632_lies_between_training_and_left_out() -> None:
    scheme = assay.Bootstrap(repeats=30, seed=1)
    found = {
        m: assay.estimate(KNeighborsClassifier(1), X, LABEL, scheme, ["accuracy"], method=m)
        for m in ("oob", "632", "632+")
    }
    left, plain, plus = (float(found[m]["accuracy"]) for m in ("oob", "632", "632+"))
    train = 1.0  # a single neighbour remembers all it has seen
    assert plain == pytest.approx(0.368 * train + 0.632 * left)
    share, said = LABEL.mean(), LABEL.mean()
    guess = share * said + (1 - share) * (1 - said)
    assert plus == pytest.approx(1 - formulas.plus_632(0.0, 1 - left, 1 - guess))
    assert left < plus < plain
    assert found["632+"]["accuracy"].method == ".632+ bootstrap, infinitesimal jackknife"


def test_error_of_the_bootstrap_for_a_learner_that_learns_nothing_is_that_of_a_mean() -> None:
    scheme = assay.Bootstrap(repeats=400, seed=1)
    found = assay.estimate(lambda rows, y: lambda new: np.zeros(len(new)), X, Y, scheme, ["mse"], method="oob")
    assert float(found["mse"]) == pytest.approx((Y**2).mean())
    assert found.performance["mse"].error == pytest.approx(scipy.stats.sem(Y**2), rel=0.1)


@pytest.mark.parametrize(
    ("resampling", "method"),
    [
        (
            "cv:10x5",
            "t",
        ),
        (
            "cv:10",
            "naive_t",
        ),
        (
            "bootstrap:50",
            "percentile",
        ),
        (
            "holdout",
            "corrected_t",
        ),
        (
            "loo",
            "corrected_t",
        ),
        (
            "time:5",
            "corrected_t",
        ),
        (
            "cv:10",
            "conservative_z",
        ),
        (
            "cv:5x2",
            "five_by_two",
        ),
    ],
)
def test_invalid_combinations_are_refused_with_the_valid_choice(resampling: str, method: str) -> None:
    with refusal(assay.ParameterError):
        assay.estimate(LinearRegression(), X, Y, resampling, ["mse"], method=method)


def test_five_by_two() -> None:
    found = assay.estimate(LinearRegression(), X, Y, "cv:2x5", ["mse"], method="five_by_two")
    values = found.performance["mse"].test.reshape(5, 2)
    half = scipy.stats.t.ppf(0.975, 5) * math.sqrt(values.var(axis=1, ddof=1).mean())
    assert found["mse"].high == pytest.approx(values.mean() + half)


def test_metrics_that_do_not_exist_on_single_rows_are_pooled_and_say_so() -> None:
    found = assay.estimate(LogisticRegression(), X[:40], LABEL[:40], "loo", ["roc_auc", "accuracy"])
    shown = found.predictions.sort("row")
    assert float(found["roc_auc"]) == pytest.approx(assay.roc_auc(LABEL[:40], y_prob=shown["y_prob"].to_numpy()))
    assert found.performance["roc_auc"].form == "all test rows pooled"
    rare = np.zeros(100, dtype=int)
    rare[:3] = 1
    few = assay.estimate(LogisticRegression(), X, rare, "cv:10", ["roc_auc"])
    assert few.performance["roc_auc"].form == "all test rows pooled"
    assert re.search(r"undefined on \d of 10 splits, so all test rows were pooled", few["roc_auc"].reason)
    subsampled = assay.estimate(LogisticRegression(), X, rare, "subsampling:20x0.1,stratify", ["roc_auc"])
    assert math.isnan(float(subsampled["roc_auc"]))
    assert "Use larger test sets" in str(subsampled)


def test_time_has_no_interval() -> None:
    found = assay.estimate(LinearRegression(), X, Y, assay.TimeOrdered(folds=4), ["mse"])
    assert found["mse"].low is None
    assert found["mse"].method == "none"
    assert "no interval is known to be valid" in str(found)


def test_influence_values_stand_for_losses_where_there_are_none() -> None:
    """Nested cross-validation of an area under the curve: the pseudo-losses of a fold average to its value."""
    found = assay.estimate(LogisticRegression(), X, LABEL, "cv:5,stratify", ["roc_auc"], method="nested_cv")
    fold = found.run.splits[0]
    losses = found.run.scorer.losses("roc_auc", fold)
    assert losses.mean() == pytest.approx(found.performance["roc_auc"].test[0])
    assert found["roc_auc"].low is not None
