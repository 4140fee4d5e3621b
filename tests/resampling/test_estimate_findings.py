"""What an attacker found: each was wrong or silent once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import assay
from messages import refusal

RNG = np.random.default_rng(2)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] + RNG.normal(size=120)
LABEL = (Y > 0).astype(int)


def test_nested_cross_validation_needs_folds_of_two_rows() -> None:
    found = assay.estimate(LinearRegression(), X[:40], Y[:40], "cv:40", ["mse"], method="nested_cv")
    assert found["mse"].low is None
    assert "at least 2 rows" in found["mse"].reason


def test_a_threshold_decides_from_the_probabilities() -> None:
    low, high = (
        assay.estimate(LogisticRegression(), X, LABEL, "cv:5", ["recall"], threshold=t)["recall"] for t in (0.05, 0.95)
    )
    assert float(low) > 0.95
    assert float(high) < 0.5
    with refusal(assay.InputError):
        assay.estimate(LinearSVC(), X, LABEL, "cv:5", ["recall"], threshold=0.9)


def test_one_metric_may_be_given_alone() -> None:
    found = assay.estimate(LogisticRegression(), X, LABEL, "cv:5", "accuracy")
    assert list(found) == ["accuracy"]
    assert list(found.measure("roc_auc")) == ["roc_auc"]


def test_what_can_be_refused_is_refused_before_training() -> None:
    fits: list[int] = []

    def train(rows: Any, y: Any) -> Any:
        fits.append(1)
        return lambda new: np.zeros(len(new))

    two = {"a": train, "b": train}
    calls: list[Any] = [
        lambda: assay.estimate(train, X, Y, "cv:5", ["mse"], best={"mae": 1}),
        lambda: assay.estimate(train, X, Y, "cv:5", ["mse", "mae"], best=1),
        lambda: assay.compare_learners(two, X, Y, "cv:5", ["mse"], rope=-1),
        lambda: assay.compare_learners(two, X, Y, "cv:5", ["mse"], rope={"mae": 1}),
        lambda: assay.compare_learners(two, X, Y, "cv:5", ["mse"], margin=-3),
        lambda: assay.compare_learners(two, X, Y, "cv:5", ["mse"], method="t"),
        lambda: assay.compare_learners(two, X, Y, "cv:5", ["mse"], name="c"),
    ]
    for call in calls:
        with pytest.raises(assay.ParameterError):
            call()
    assert not fits


def test_learners_are_compared_by_what_they_have_in_common() -> None:
    for learners in (
        {"lr": LogisticRegression(), "svc": LinearSVC()},
        {"svc": LinearSVC(), "lr": LogisticRegression()},
    ):
        found = assay.compare_learners(learners, X, LABEL, "cv:5")
        assert "accuracy" in list(found)
        assert "log_loss" not in list(found)
        assert "log_loss" in found.left_out


def test_folders_of_learners_do_not_collide(tmp_path: Path) -> None:
    learners = {"a b": LinearRegression(), "a_b": LinearRegression(fit_intercept=False)}
    assay.compare_learners(learners, X, Y, "cv:5", ["mse"], store=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_store_knows_the_positive_class(tmp_path: Path) -> None:
    assay.estimate(LogisticRegression(), X, LABEL, "cv:5", ["roc_auc"], store=tmp_path / "s")
    with refusal(assay.InputError):
        assay.estimate(LogisticRegression(), X, LABEL, "cv:5", ["roc_auc"], store=tmp_path / "s", positive=0)


def test_few_groups_are_marked_by_every_method() -> None:
    groups = np.arange(120) // 12
    for scheme, method in (("subsampling:20x0.2", "auto"), ("cv:5x2", "corrected_t"), ("bootstrap:30", "auto")):
        found = assay.estimate(LinearRegression(), X, Y, scheme, ["mse"], groups=groups, method=method)
        assert found["mse"].reason == "only 10 groups"


def test_a_learner_that_remembers_is_marked_under_632() -> None:
    found = assay.estimate(KNeighborsClassifier(1), X, LABEL, "bootstrap:30", ["accuracy"])
    assert "memorises its training rows" in found["accuracy"].reason


def test_no_interval_may_be_asked_for() -> None:
    found = assay.estimate(LinearRegression(), X, Y, "cv:5", ["mse"], method="none")
    assert found["mse"].low is None
    assert found["mse"].reason == "no interval was requested"
