"""`estimate` against scikit-learn on the same splits, and with every kind of learner, container and failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import assay
from messages import refusal

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 4))
BINARY = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
REAL = X @ np.array([1.0, -2.0, 0.5, 0.0]) + RNG.normal(size=120)
THREE = np.array(["ant", "bee", "cow"])[np.digitize(X[:, 1] + 0.3 * RNG.normal(size=120), [-0.5, 0.5])]
CV = assay.CrossValidation(folds=5, repeats=2, stratify=True, seed=3)


def test_values_of_splits_are_those_of_scikit_learn() -> None:
    model = LogisticRegression()
    found = assay.estimate(model, X, BINARY, CV, ["accuracy", "roc_auc", "log_loss"])
    scoring = {"accuracy": "accuracy", "roc_auc": "roc_auc", "log_loss": "neg_log_loss"}
    theirs = cross_validate(model, X, BINARY, cv=CV, scoring=scoring, return_train_score=True)
    for name, sign in (("accuracy", 1), ("roc_auc", 1), ("log_loss", -1)):
        one = found.performance[name]
        np.testing.assert_allclose(one.test, sign * theirs[f"test_{name}"], rtol=1e-9)
        np.testing.assert_allclose(one.train, sign * theirs[f"train_{name}"], rtol=1e-9)
        assert float(found[name]) == one.averaged == pytest.approx(one.test.mean())


def test_regression_and_its_names() -> None:
    found = assay.estimate(LinearRegression(), X, REAL, CV, ["mse", "r2"])
    theirs = cross_validate(LinearRegression(), X, REAL, cv=CV, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(found.performance["mse"].test, -theirs["test_score"], rtol=1e-12)
    assert (found.task, found.learner, found.outer_loss) == ("regression", "LinearRegression", ["mse", "r2"])


def test_pooled_form_is_the_metric_on_all_test_rows() -> None:
    once = assay.CrossValidation(folds=5, seed=3)
    found = assay.estimate(LogisticRegression(), X, BINARY, once, ["roc_auc", "log_loss"])
    chances = cross_val_predict(LogisticRegression(), X, BINARY, cv=once, method="predict_proba")[:, 1]
    assert found.performance["roc_auc"].pooled == pytest.approx(roc_auc_score(BINARY, chances))
    assert found.performance["log_loss"].pooled == pytest.approx(log_loss(BINARY, chances))
    assert found.performance["roc_auc"].form == "mean of the splits"


def test_three_classes_of_text() -> None:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = assay.estimate(tree, X, THREE, CV, ["accuracy", "f1", "log_loss"])
    theirs = cross_validate(tree, X, THREE, cv=CV, scoring={"f1": "f1_macro", "accuracy": "accuracy"})
    assert found.task == "multiclass"
    for name in ("accuracy", "f1"):
        np.testing.assert_allclose(found.performance[name].test, theirs[f"test_{name}"], rtol=1e-9)


def test_a_fold_without_a_class_keeps_its_columns() -> None:
    """The class of one row is missing from the training part that tests it: its column of probabilities is then zero."""
    y = THREE.copy()
    y[y == "cow"] = "bee"
    y[5] = "cow"
    found = assay.estimate(LogisticRegression(), X, y, assay.CrossValidation(folds=4), ["accuracy"])
    shown = found.predictions
    assert {"y_prob_0", "y_prob_1", "y_prob_2"} <= set(shown.columns)
    alone = shown.filter(pl.col("row") == 5)
    assert alone["y_prob_2"].item() == 0
    assert shown.select(pl.sum_horizontal(pl.col("^y_prob_.$"))).to_numpy() == pytest.approx(1)


def test_the_positive_class_turns_probabilities_round() -> None:
    one = assay.estimate(LogisticRegression(), X, BINARY, CV, ["log_loss", "precision"], positive=1)
    two = assay.estimate(LogisticRegression(), X, BINARY, CV, ["log_loss", "precision"], positive=0)
    assert float(one["log_loss"]) == pytest.approx(float(two["log_loss"]))
    theirs = cross_validate(
        LogisticRegression(), X, 1 - BINARY, cv=assay.CrossValidation(folds=5, seed=3), scoring="precision"
    )
    other = assay.estimate(
        LogisticRegression(), X, BINARY, assay.CrossValidation(folds=5, seed=3), ["precision"], positive=0
    )
    np.testing.assert_allclose(other.performance["precision"].test, theirs["test_score"], rtol=1e-9)
    assert float(one["precision"]) != float(two["precision"])


@pytest.mark.parametrize(
    "rows",
    [
        X,
        X.tolist(),
        pd.DataFrame(X, columns=list("abcd")),
        pl.DataFrame(X, schema=list("abcd")),
        scipy.sparse.csr_matrix(X),
    ],
    ids=["array", "list", "pandas", "polars", "sparse"],
)
def test_rows_come_in_any_container(rows: Any) -> None:
    want = assay.estimate(LinearRegression(), X, REAL, "cv:4", ["mse"])["mse"]
    assert float(assay.estimate(LinearRegression(), rows, REAL, "cv:4", ["mse"])["mse"]) == pytest.approx(float(want))


def test_learners_of_every_form() -> None:
    def fit(rows: Any, y: Any) -> Any:
        return np.linalg.lstsq(np.c_[rows, np.ones(len(rows))], y, rcond=None)[0]

    def predict(model: Any, rows: Any) -> Any:
        return np.c_[rows, np.ones(len(rows))] @ model

    want = float(assay.estimate(LinearRegression(), X, REAL, "cv:4", ["mse"])["mse"])
    forms = [(fit, predict), {"fit": fit, "predict": predict}, lambda rows, y: lambda new: predict(fit(rows, y), new)]
    for form in forms:
        assert float(assay.estimate(form, X, REAL, "cv:4", ["mse"])["mse"]) == pytest.approx(want)
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    assert float(assay.estimate(pipeline, X, REAL, "cv:4", ["mse"])["mse"]) == pytest.approx(want)


def test_a_torch_training_function_gets_a_seed() -> None:
    seeds: list[int] = []

    def train(rows: Any, y: Any, seed: int) -> Any:
        seeds.append(seed)
        torch.manual_seed(seed)
        net = torch.nn.Linear(4, 1)
        optimiser = torch.optim.LBFGS(net.parameters(), max_iter=50)
        inputs, target = torch.tensor(rows, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)

        def closure() -> Any:
            optimiser.zero_grad()
            loss = torch.nn.functional.mse_loss(net(inputs)[:, 0], target)
            loss.backward()
            return loss

        optimiser.step(closure)
        return lambda new: net(torch.tensor(new, dtype=torch.float32))[:, 0]

    found = assay.estimate(train, X, REAL, "cv:4", ["mse"], inner_loss="squared error")
    want = float(assay.estimate(LinearRegression(), X, REAL, "cv:4", ["mse"])["mse"])
    assert float(found["mse"]) == pytest.approx(want, rel=1e-3)
    assert len(set(seeds)) == 4
    assert found.inner_loss == "squared error"
    assert "Inner loss (minimised): squared error. Outer loss (reported): mse." in str(found)


def test_several_processes_give_the_same() -> None:
    one = assay.estimate(DecisionTreeClassifier(), X, BINARY, CV, ["accuracy"])
    two = assay.estimate(DecisionTreeClassifier(), X, BINARY, CV, ["accuracy"], jobs=2)
    np.testing.assert_array_equal(one.performance["accuracy"].test, two.performance["accuracy"].test)


def test_overfitting_and_underfitting_are_positive_when_worse() -> None:
    best = {"accuracy": 0.99, "log_loss": 0.01}
    found = assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy", "log_loss"], best=best)
    for name, sign in (("accuracy", -1), ("log_loss", 1)):
        one = found.performance[name]
        assert one.overfitting == pytest.approx(sign * (one.test.mean() - one.train.mean()))
        assert one.underfitting == pytest.approx(sign * (float(found[name]) - best[name]))
        assert one.underfitting is not None
        assert one.underfitting > 0
    single = assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy"], best=0.9)
    assert single.performance["accuracy"].underfitting == pytest.approx(0.9 - float(single["accuracy"]))
    with refusal(assay.ParameterError):
        assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy", "f1"], best=0.9)
    with refusal(assay.ParameterError):
        assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy"], best={"acuracy": 0.9})


def test_later_metrics_need_no_fit() -> None:
    calls: list[int] = []

    def fit(rows: Any, y: Any) -> Any:
        calls.append(1)
        return LogisticRegression().fit(rows, y)

    learner = {"fit": fit, "predict": lambda m, r: m.predict(r), "predict_proba": lambda m, r: m.predict_proba(r)}
    kept = assay.estimate(learner, X, BINARY, CV, ["accuracy"], keep_train=True)
    later = kept.measure(["roc_auc", "f1"])
    direct = assay.estimate(LogisticRegression(), X, BINARY, CV, ["roc_auc", "f1"])
    assert len(calls) == 10
    for name in ("roc_auc", "f1"):
        assert float(later[name]) == pytest.approx(float(direct[name]))
        np.testing.assert_allclose(later.performance[name].train, direct.performance[name].train)
    without = assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy"]).measure(["f1"])
    assert float(without["f1"]) == pytest.approx(float(direct["f1"]))
    assert np.isnan(without.performance["f1"].train).all()


def test_forms_of_the_result() -> None:
    found = assay.estimate(LogisticRegression(), X, BINARY, CV, ["accuracy", "f1"])
    assert list(found) == ["accuracy", "f1"]
    assert found.to_frame().height == 2
    assert found.splits.height == 20
    assert found.predictions.height == 240
    assert found.to_dict()["scores"]["f1"]["score"]["method"] == "corrected resampled t"
    assert "accuracy" in found.to_markdown()
    assert "tabular" in found.to_latex()
    with refusal(assay.UnknownNameError):
        found["f2"]


def test_many_outputs_and_many_labels() -> None:
    both = np.c_[REAL, 2 * REAL]
    found = assay.estimate(LinearRegression(), X, both, "cv:4", ["mse"])
    theirs = cross_validate(
        LinearRegression(), X, both, cv=assay.CrossValidation(folds=4), scoring="neg_mean_squared_error"
    )
    np.testing.assert_allclose(found.performance["mse"].test, -theirs["test_score"])
    labels = np.c_[BINARY, X[:, 1] > 0].astype(int)
    forest = DecisionTreeClassifier(max_depth=2, random_state=0)
    many = assay.estimate(forest, X, labels, "cv:4", ["accuracy", "f1"])
    theirs = cross_validate(forest, X, labels, cv=assay.CrossValidation(folds=4), scoring="f1_macro")
    assert many.task == "multilabel"
    np.testing.assert_allclose(many.performance["f1"].test, theirs["test_score"])
