"""Learners in the forms that users have them, on targets and folds that are not as tidy as one would wish."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.resampling import as_learner
from messages import refusal, warned

RNG = np.random.default_rng(11)
X = RNG.normal(size=(120, 4))
BINARY = (X[:, 0] + 0.5 * RNG.normal(size=120) > 0).astype(int)
REAL = X @ np.array([1.0, -2.0, 0.5, 0.0]) + RNG.normal(size=120)
THREE = np.digitize(X[:, 1] + 0.3 * RNG.normal(size=120), [-0.5, 0.5])
CV = assay.CrossValidation(folds=4, seed=3)
FUNCTIONS = {
    "fit": lambda rows, y: LogisticRegression().fit(rows, y),
    "predict": lambda model, rows: model.predict(rows),
    "predict_proba": lambda model, rows: model.predict_proba(rows),
}
ONE_COLUMN = {**FUNCTIONS, "predict_proba": lambda model, rows: model.predict_proba(rows)[:, 1]}
ONE_WIDE = {**FUNCTIONS, "predict_proba": lambda model, rows: model.predict_proba(rows)[:, 1:]}
SCORES = {k: FUNCTIONS[k] for k in ("fit", "predict")} | {
    "decision_function": lambda model, rows: model.decision_function(rows)
}


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["no", "yes"])], ids=["numbers", "texts"])
@pytest.mark.parametrize("form", [FUNCTIONS, ONE_COLUMN, ONE_WIDE], ids=["two columns", "vector", "one column"])
def test_columns_of_functions_are_in_sorted_order_whatever_is_positive(form: Any, labels: Any) -> None:
    y = labels[BINARY]
    for positive in labels.tolist():
        ours = assay.estimate(form, X, y, CV, ["roc_auc", "log_loss"], positive=positive)
        want = assay.estimate(LogisticRegression(), X, y, CV, ["roc_auc", "log_loss"], positive=positive)
        for name in ("roc_auc", "log_loss"):
            np.testing.assert_allclose(ours.performance[name].test, want.performance[name].test)
        assert float(ours["roc_auc"]) > 0.8


def test_scores_of_functions_are_of_the_last_sorted_label() -> None:
    for positive in (0, 1):
        found = assay.estimate(SCORES, X, BINARY, CV, ["roc_auc"], positive=positive, task="binary")
        assert float(found["roc_auc"]) > 0.8


def test_columns_follow_the_classes_that_are_said() -> None:
    turned = {**FUNCTIONS, "predict_proba": lambda model, rows: model.predict_proba(rows)[:, ::-1]}
    want = float(assay.estimate(LogisticRegression(), X, BINARY, CV, ["log_loss"])["log_loss"])
    for positive in (None, 0, 1):
        found = assay.estimate(turned, X, BINARY, CV, ["log_loss"], classes=[1, 0], positive=positive)
        assert float(found["log_loss"]) == pytest.approx(want)


def test_nested_functions_know_their_columns_too() -> None:
    def fit(rows: Any, y: Any, C: float) -> Any:
        return LogisticRegression(C=C).fit(rows, y)

    nested = assay.Nested(outer=CV, grid={"C": [1e-4, 1.0]}, select="roc_auc")
    found = assay.estimate({**FUNCTIONS, "fit": fit}, X, BINARY, nested, ["roc_auc"], positive=0)
    assert float(found["roc_auc"]) > 0.8


def test_a_label_that_a_fold_never_saw_has_no_chance() -> None:
    """Rows 0 to 29 alone have the second label: in a plain first fold the learner never sees it."""
    labels = np.c_[BINARY, np.arange(120) < 30].astype(int)
    blocks = assay.LeaveOneGroupOut()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = assay.estimate(tree, X, labels, blocks, ["f1"], groups=np.arange(120) // 30)
    first = found.run.splits[0]
    assert set(first.rows.tolist()) == set(range(30))
    np.testing.assert_array_equal(first.answers["y_prob"][:, 1], 0.0)
    np.testing.assert_array_equal(first.answers["y_pred"][:, 1], 0)


class Seeing(BaseEstimator):
    """Notes the random state of every fit."""

    seen: tuple[list[int], ...] = ([],)

    def __init__(self, shift: float = 0.0, random_state: int | None = None) -> None:
        self.shift, self.random_state = shift, random_state

    def fit(self, X: Any, y: Any) -> Any:
        self.seen[0].append(-1 if self.random_state is None else self.random_state)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.shift)


def test_a_grid_leaves_chance_to_each_fit() -> None:
    Seeing.seen[0].clear()
    assay.estimate(Seeing(), X, REAL, assay.Nested(outer=CV, grid={"shift": [0.0, 1.0]}), ["mse"])
    assert min(Seeing.seen[0]) >= 0
    assert len(set(Seeing.seen[0])) > 20


def test_a_classifier_without_probabilities_is_one() -> None:
    voting = VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier(random_state=0))])
    found = assay.estimate(voting, X, BINARY, CV, ["accuracy"])
    assert found.task == "binary"
    theirs = cross_val_score(voting, X, BINARY, cv=CV)
    np.testing.assert_allclose(found.performance["accuracy"].test, theirs)
    piped = make_pipeline(StandardScaler(), voting)
    assert assay.estimate(piped, X, THREE, CV, ["accuracy"]).task == "multiclass"


def test_a_regressor_with_probabilities_stays_one() -> None:
    class Both(RegressorMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Any:
            self.model_ = LinearRegression().fit(X, y)
            return self

        def predict(self, X: Any) -> Any:
            return self.model_.predict(X)

        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 7), 1 / 7)

    counts = RNG.integers(0, 7, 120)
    found = assay.estimate(Both(), X, counts, CV, ["mse"])
    assert found.task == "regression"
    assert found.failures == []
    assert float(found["mse"]) == pytest.approx(
        float(assay.estimate(LinearRegression(), X, counts, CV, ["mse"])["mse"])
    )


@pytest.mark.parametrize(
    "model", [SVC(), LinearSVC(), SVC(decision_function_shape="ovo")], ids=["svc", "linear", "ovo"]
)
def test_a_fold_without_one_of_three_classes_is_scored(model: Any) -> None:
    y = np.where(np.arange(120) < 30, 2, BINARY)
    groups = np.arange(120) // 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", assay.AssayWarning)
        found = assay.estimate(model, X, y, assay.LeaveOneGroupOut(), ["accuracy"], groups=groups)
    assert found.failures == []
    theirs = cross_val_score(model, X, y, cv=assay.LeaveOneGroupOut(), groups=groups)
    np.testing.assert_allclose(found.performance["accuracy"].test, theirs)


def test_a_fold_of_two_classes_has_scores_for_both() -> None:
    y = np.where(np.arange(120) < 30, 2, BINARY)
    groups = np.arange(120) // 30
    found = assay.estimate(LinearSVC(), X, y, assay.LeaveOneGroupOut(), ["accuracy"], groups=groups)
    scores = found.run.splits[0].answers["y_score"]
    want = LinearSVC().fit(X[30:], y[30:]).decision_function(X[:30])
    np.testing.assert_allclose(scores[:, 1], want)
    np.testing.assert_allclose(scores[:, 0], -want)
    assert (scores[:, 2] < scores[:, :2].min(axis=1)).all()


@pytest.mark.parametrize("jobs", [1, 2])
def test_scores_of_pairs_are_left_out_with_a_word(jobs: int) -> None:
    four = np.digitize(X[:, 1], [-0.7, 0.0, 0.7])
    for y in (four, THREE):  # three classes have three pairs, which must not be taken for the classes
        with warned(assay.AssayWarning):
            found = assay.estimate(SVC(decision_function_shape="ovo"), X, y, CV, ["accuracy"], jobs=jobs)
        assert set(found.run.splits[0].answers) == {"y_pred"}
        assert found.failures == []


def test_holes_in_the_answers_are_a_failed_fit() -> None:
    calls: list[int] = []

    def train(rows: Any, y: Any) -> Any:
        calls.append(1)
        hole = np.nan if len(calls) == 2 else 0.0
        return lambda new: np.where(np.arange(len(new)) == 1, hole, y.mean())

    found = assay.estimate(train, X, REAL, CV, ["mse"])
    assert len(found.failures) == 1
    assert "y_pred that is missing or infinite for 1 of 30 rows" in found.failures[0]
    assert np.isfinite(found.performance["mse"].test).sum() == 3


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (
            {"predict": lambda bad, rows: np.where(rows[:, 0] > 0, 7 if bad else 1, 0)},
            "y_pred 7, which is not one of the classes",
        ),
        (
            {"predict": lambda bad, rows: np.full(len(rows), 0.5 if bad else 1)},
            "y_pred 0.5, which is not one of the classes",
        ),
        (
            {
                "predict": lambda bad, rows: np.zeros(len(rows), dtype=int),
                "predict_proba": lambda bad, rows: np.full(len(rows), 1.5 if bad else 0.5),
            },
            "y_prob that does not lie between 0 and 1",
        ),
    ],
)
def test_answers_that_cannot_be_are_a_failed_fit(answers: Any, words: str) -> None:
    calls: list[int] = []

    def fit(rows: Any, y: Any) -> bool:
        calls.append(1)
        return len(calls) == 2

    found = assay.estimate({"fit": fit, **answers}, X, BINARY, CV, ["accuracy"], task="binary")
    assert len(found.failures) == 1
    assert words in found.failures[0]


def test_a_single_column_of_predictions_is_a_vector() -> None:
    wide = ((lambda rows, y: LinearRegression().fit(rows, y)), (lambda model, rows: model.predict(rows)[:, None]))
    want = float(assay.estimate(LinearRegression(), X, REAL, CV, ["mse"])["mse"])
    assert float(assay.estimate(wide, X, REAL, CV, ["mse"])["mse"]) == pytest.approx(want)
    many = ((lambda rows, y: None), (lambda model, rows: np.zeros((len(rows), 3))))
    with refusal(assay.InputError):
        assay.estimate(many, X, REAL, CV, ["mse"])


def test_targets_of_tensor_rows_are_tensors() -> None:
    kinds: list[tuple[Any, Any]] = []

    def train(rows: Any, y: Any) -> Any:
        kinds.append((type(y), y.dtype))
        weights = torch.linalg.lstsq(rows, y[:, None]).solution
        return lambda new: (new @ weights)[:, 0]

    rows = torch.tensor(X, dtype=torch.float32)
    found = assay.estimate(train, rows, REAL, CV, ["mse"])
    assert set(kinds) == {(torch.Tensor, torch.float32)}
    want = assay.estimate(LinearRegression(fit_intercept=False), X, REAL, CV, ["mse"])
    assert float(found["mse"]) == pytest.approx(float(want["mse"]), rel=1e-4)
    assert float(assay.estimate(LogisticRegression(), rows, torch.tensor(BINARY), CV, ["accuracy"])["accuracy"]) > 0.7


@pytest.mark.parametrize("y", [THREE, np.array(["ant", "bee", "cow"])[THREE]], ids=["numbers", "texts"])
def test_a_matrix_from_a_predictor_holds_probabilities(y: Any) -> None:
    def train(rows: Any, target: Any) -> Any:
        return LogisticRegression().fit(rows, target).predict_proba

    found = assay.estimate(train, X, y, CV, ["accuracy", "log_loss"], task="multiclass")
    want = assay.estimate(LogisticRegression(), X, y, CV, ["accuracy", "log_loss"])
    for name in ("accuracy", "log_loss"):
        np.testing.assert_allclose(found.performance[name].test, want.performance[name].test)
    logits = lambda rows, target: LogisticRegression().fit(rows, target).decision_function  # noqa: E731
    with refusal(assay.InputError):
        assay.estimate(logits, X, y, CV, ["accuracy"], task="multiclass")


def test_numbers_kept_as_objects_and_columns_are_targets() -> None:
    want = assay.estimate(KNeighborsClassifier(), X, THREE, CV, ["accuracy"])
    found = assay.estimate(KNeighborsClassifier(), X, THREE.astype(object), CV, ["accuracy"])
    column = assay.estimate(KNeighborsClassifier(), X, THREE[:, None], CV, ["accuracy"])
    for other in (found, column):
        np.testing.assert_array_equal(other.performance["accuracy"].test, want.performance["accuracy"].test)
    real = assay.estimate(LinearRegression(), X, REAL[:, None].astype(object), CV, ["mse"])
    assert float(real["mse"]) == float(assay.estimate(LinearRegression(), X, REAL, CV, ["mse"])["mse"])
    assert assay.estimate(KNeighborsClassifier(), X, BINARY.astype(object), CV, ["f1"], positive=0).task == "binary"
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(), X, np.zeros((120, 2, 2)), CV, ["mse"])


@pytest.mark.parametrize(
    "rows",
    [
        scipy.sparse.coo_matrix(X),
        scipy.sparse.coo_array(X),
        scipy.sparse.bsr_matrix(X),
        scipy.sparse.dia_matrix(X),
        pa.table(dict(zip("abcd", X.T, strict=True))),
    ],
    ids=["coo", "coo array", "bsr", "dia", "arrow"],
)
def test_rows_of_more_containers(rows: Any) -> None:
    want = float(assay.estimate(LinearRegression(), X, REAL, CV, ["mse"])["mse"])
    assert float(assay.estimate(LinearRegression(), rows, REAL, CV, ["mse"])["mse"]) == pytest.approx(want)


def test_a_class_is_no_learner() -> None:
    with refusal(assay.InputError):
        assay.estimate(Ridge, X, REAL, CV, ["mse"])


def test_what_is_no_search_is_told_before_anything_is_trained() -> None:
    Seeing.seen[0].clear()
    with refusal(assay.InputError):
        assay.estimate(Seeing(), X, REAL, assay.Nested(outer=CV), ["mse"])
    assert Seeing.seen[0] == []


@pytest.mark.parametrize("grid", [{"a": 3}, {"kernel": "rbf"}, {"a": {"b": 1}}, {"a": np.array(2.0)}, {"a": iter([1])}])
def test_a_grid_holds_lists(grid: Any) -> None:
    with refusal(assay.ParameterError):
        assay.Nested(grid=grid)


def test_nested_schemes_can_be_hashed() -> None:
    one, two = (assay.Nested(outer=CV, grid={"alpha": [1, 2]}) for _ in range(2))
    assert len({one, two}) == 1
    assert len({one, assay.Nested(outer=CV, grid={"alpha": [1, 3]})}) == 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LinearRegression(), "squared error"),
        (Ridge(), "squared error (L2 penalty)"),
        (LogisticRegression(), "log loss (L2 penalty)"),
        (LogisticRegression(C=np.inf), "log loss"),
        (SVC(), "hinge loss (L2 penalty)"),
        (make_pipeline(StandardScaler(), Ridge()), "squared error (L2 penalty)"),
        (GridSearchCV(Ridge(), {"alpha": [1.0]}), "squared error (L2 penalty)"),
        (RandomForestClassifier(), "gini"),
        (LinearSVC(), "squared_hinge"),
        (Seeing(), "not stated"),
    ],
)
def test_inner_losses_of_common_estimators(model: Any, words: str) -> None:
    assert as_learner(model).inner_loss == words


GROUPS = np.arange(120) // 4


@pytest.mark.parametrize("scheme", [CV, assay.Nested(outer=CV)], ids=["plain", "nested"])
def test_a_search_that_splits_groups_is_told_of(scheme: Any) -> None:
    for cv in (None, 3, KFold(3, shuffle=True, random_state=0)):
        search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=cv)
        with warned(assay.AssayWarning):
            assay.estimate(search, X, REAL, scheme, ["mse"], groups=GROUPS)
    for cv in (GroupKFold(3), assay.CrossValidation(folds=3)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", assay.AssayWarning)
            search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=cv)
            found = assay.estimate(search, X, REAL, scheme, ["mse"], groups=GROUPS)
        assert found.failures == []
