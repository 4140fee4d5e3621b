"""Learners on the same splits: each test against its own definition, and the refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.resampling import PairedTest, Ranks
from messages import refusal

RNG = np.random.default_rng(11)
X = RNG.normal(size=(150, 4))
REAL = X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=150)
LABEL = (REAL > 0).astype(int)
TWO: dict[str, Any] = {"logistic": LogisticRegression(), "neighbours": KNeighborsClassifier(3)}


def test_corrected_paired_t_of_the_same_splits() -> None:
    scheme = assay.CrossValidation(folds=10, repeats=5, stratify=True, seed=4)
    found = assay.compare_learners(TWO, X, LABEL, scheme, ["accuracy"])
    a, b = (cross_val_score(model, X, LABEL, cv=scheme) for model in TWO.values())
    d = a - b
    error = d.std(ddof=1) * math.sqrt(1 / 50 + 1 / 9)
    pair = found.pair("accuracy")
    assert pair.effect == pytest.approx(d.mean())
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(abs(d.mean() / error), 49))
    assert pair.low == pytest.approx(d.mean() - scipy.stats.t.ppf(0.975, 49) * error)
    assert "2 learners" in str(found)
    assert "10-fold cross-validation, 5 repeats, stratified" in " ".join(str(found).split())


def test_five_by_two_is_the_combined_f() -> None:
    scheme = assay.CrossValidation(folds=2, repeats=5, seed=4)
    found = assay.compare_learners(TWO, X, LABEL, scheme, ["accuracy"])
    a, b = (cross_val_score(model, X, LABEL, cv=scheme).reshape(5, 2) for model in TWO.values())
    d = a - b
    f = (d**2).sum() / (2 * ((d - d.mean(axis=1, keepdims=True)) ** 2).sum())
    assert found.pair("accuracy").method == "combined 5x2cv F"
    assert found.pair("accuracy").p == pytest.approx(scipy.stats.f.sf(f, 10, 5))


def test_hold_out_takes_the_test_of_the_metric() -> None:
    found = assay.compare_learners(TWO, X, LABEL, "holdout:0.5", ["accuracy", "roc_auc"])
    split = next(assay.Holdout(test=0.5).splits(150))
    fitted = [model.fit(X[split.train], LABEL[split.train]) for model in TWO.values()]
    truth = LABEL[split.test]
    said = [model.predict(X[split.test]) for model in fitted]
    own = assay.metrics.Accuracy().compare(truth, *said)
    assert found.pair("accuracy").p == pytest.approx(own.p)
    assert "McNemar" in str(found.pair("accuracy").method)
    chances = [model.predict_proba(X[split.test])[:, 1] for model in fitted]
    areas = assay.metrics.RocAuc().compare(truth, {"y_prob": chances[0]}, {"y_prob": chances[1]})  # pyright: ignore
    assert found.pair("roc_auc").p == pytest.approx(areas.p)


def test_permutation_on_a_hold_out_flips_rows() -> None:
    learners = {"linear": LinearRegression(), "neighbours": KNeighborsRegressor(3)}
    found = assay.compare_learners(learners, X, REAL, "holdout:0.1", ["mse"], method="permutation")
    split = next(assay.Holdout(test=0.1).splits(150))
    a, b = (
        (m.fit(X[split.train], REAL[split.train]).predict(X[split.test]) - REAL[split.test]) ** 2
        for m in learners.values()
    )
    want = scipy.stats.permutation_test((a - b,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert found.pair("mse").p == pytest.approx(want.pvalue)
    assert found.pair("mse").reliable


def test_groups_are_the_units_of_the_difference() -> None:
    groups = np.arange(150) // 5
    learners = {"linear": LinearRegression(), "neighbours": KNeighborsRegressor(3)}
    found = assay.compare_learners(learners, X, REAL, "cv:5", ["mse"], groups=groups)
    shown = [found.estimates[name].predictions.sort("row") for name in learners]
    truth = shown[0]["y_true"].to_numpy()
    own = assay.metrics.MSE().compare(truth, *(s["y_pred"].to_numpy() for s in shown), groups=groups)
    assert found.pair("mse").p == pytest.approx(own.p)
    assert "30 groups" in str(found.pair("mse").method)


def test_practical_equivalence() -> None:
    same = {"one": LogisticRegression(C=1.0), "other": LogisticRegression(C=1.1)}
    found = assay.compare_learners(same, X, LABEL, "cv:10x2", ["accuracy"], rope=0.05)
    posterior = found.posteriors["accuracy"]["one", "other"]
    assert posterior.verdict == "within"
    assert posterior.left + posterior.within + posterior.right == pytest.approx(1)
    assert "posterior of the difference" in str(found)
    assert found.to_dict()["posteriors"]["accuracy"][0]["verdict"] == "within"
    with refusal(assay.ParameterError):
        assay.compare_learners(same, X, LABEL, "holdout", ["accuracy"], rope=0.05)
    with refusal(assay.ParameterError):
        assay.compare_learners(same, X, LABEL, "cv:5", ["accuracy"], rope={"acc": 0.05})


def test_three_learners_are_corrected_for_their_pairs() -> None:
    three = {**TWO, "nothing": DummyClassifier()}
    found = assay.compare_learners(three, X, LABEL, "cv:10x3", ["accuracy"])
    pairs = found["accuracy"].pairs
    raw = [c.p for c in pairs.values() if c.p is not None]
    smallest = min(pairs.values(), key=lambda c: c.p or 1)
    assert smallest.adjusted_p == pytest.approx(min(1, 3 * min(raw)))
    assert found["accuracy"].order[-1] == "nothing"
    assert found.best("accuracy") != ["nothing"]


def test_a_learner_that_fails_is_not_compared() -> None:
    def broken(rows: Any, y: Any) -> Any:
        raise RuntimeError("out of memory")

    def sometimes(rows: Any, y: Any) -> Any:
        if rows[0, 0] == X[0, 0]:
            raise RuntimeError("out of memory")
        return lambda new: np.zeros(len(new))

    found = assay.compare_learners({"a": LinearRegression(), "b": sometimes}, X, REAL, "cv:5", ["mse"])
    assert math.isnan(found.pair("mse").effect)
    assert "fits failed" in found.pair("mse").reason
    with refusal(assay.InputError):
        assay.compare_learners({"a": LinearRegression(), "b": broken}, X, REAL, "cv:5", ["mse"])


@pytest.mark.parametrize(
    "change",
    [
        {"resampling": "bootstrap"},
        {"resampling": "time:4"},
        {"method": "five_by_two"},
        {"method": "t_test"},
        {"learners": {"only": LogisticRegression()}},
        {"learners": [1, 2]},
    ],
)
def test_what_does_not_hold_is_refused(change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "learners": TWO,
        "X": X,
        "y": LABEL,
        "resampling": "cv:5",
        "metrics": ["accuracy"],
        **change,
    }
    with refusal(assay.AssayError):
        assay.compare_learners(**call)


def test_many_data_sets() -> None:
    three = {**TWO, "tree": DecisionTreeClassifier(random_state=0)}
    sets = {f"set {i}": (X[i::8], LABEL[i::8]) for i in range(6)}
    found = assay.compare_on_datasets(three, sets, "accuracy", "cv:3")
    assert isinstance(found, Ranks)
    table = [
        [cross_val_score(m, x, y, cv=assay.CrossValidation(folds=3)).mean() for m in three.values()]
        for x, y in sets.values()
    ]
    ranks = scipy.stats.rankdata(-np.array(table).round(12), axis=1).mean(axis=0)
    assert found.ranks == pytest.approx(dict(zip(three, ranks, strict=True)))
    assert found.diagram().startswith("<svg")
    two = assay.compare_on_datasets(TWO, sets, "accuracy", "cv:3")
    assert isinstance(two, PairedTest)
    assert two.method.startswith("Wilcoxon")


def test_each_learner_has_its_store(tmp_path: Any) -> None:
    once = assay.compare_learners(TWO, X, LABEL, "cv:5", ["accuracy"], store=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["logistic", "neighbours"]
    again = assay.compare_learners(TWO, X, LABEL, "cv:5", ["accuracy"], store=tmp_path)
    assert again.pair("accuracy").effect == once.pair("accuracy").effect
