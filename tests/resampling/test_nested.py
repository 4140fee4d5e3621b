"""Selection inside: equal to scikit-learn's own nesting, blind to the test rows, and honest about what is gained by looking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import assay
from messages import refusal

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 5))
REAL = X[:, 0] + RNG.normal(size=90)
LABEL = (REAL > 0).astype(int)
OUTER = assay.CrossValidation(folds=4, seed=2)


def test_a_search_object_is_nested_as_scikit_learn_nests_it() -> None:
    search = GridSearchCV(
        Ridge(), {"alpha": [0.01, 1.0, 100.0]}, cv=assay.CrossValidation(folds=3), scoring="neg_mean_squared_error"
    )
    found = assay.estimate(search, X, REAL, assay.Nested(outer=OUTER), ["mse"])
    theirs = -cross_val_score(search, X, REAL, cv=OUTER, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(found.performance["mse"].test, theirs)
    best = search.fit(X, REAL).best_estimator_
    flat = -cross_val_score(best, X, REAL, cv=OUTER, scoring="neg_mean_squared_error").mean()
    assert found.flat is not None
    assert float(found.flat["mse"]) == pytest.approx(flat)
    assert found.optimism["mse"] == pytest.approx(theirs.mean() - flat)
    assert len(found.chosen) == 4


def test_a_grid_selects_what_trying_everything_selects() -> None:
    """The winner of each outer split is the best of the grid on the inner splits of its training rows alone."""
    grid = {"n_neighbors": [1, 5, 15]}
    inner = assay.CrossValidation(folds=3)
    found = assay.estimate(
        KNeighborsClassifier(),
        X,
        LABEL,
        assay.Nested(outer=OUTER, inner=inner, grid=grid, select="log_loss"),
        ["accuracy"],
    )
    for fold, split in zip(found.run.splits, OUTER.splits(X), strict=True):
        rows, target = X[split.train], LABEL[split.train]
        from dataclasses import replace

        from assay.resampling.estimate._fits import fit_seed

        seeded = replace(inner, seed=fit_seed(2, fold.index))
        tried = {
            k: assay.estimate(KNeighborsClassifier(k), rows, target, seeded, ["log_loss"], task="binary")["log_loss"]
            for k in grid["n_neighbors"]
        }
        assert fold.chosen == str({"n_neighbors": min(tried, key=lambda k: float(tried[k]))})


def test_selection_never_sees_the_test_rows() -> None:
    """Every fit of an outer split, those of its search among them, is made without its test rows."""
    seen: list[set[int]] = []
    rows = np.c_[np.arange(90), X]

    def train(part: Any, y: Any, shift: float) -> Any:
        seen.append(set(part[:, 0].astype(int).tolist()))
        return lambda new: np.full(len(new), shift)

    scheme = assay.Nested(outer=OUTER, inner=assay.CrossValidation(folds=5), grid={"shift": [-1.0, 0.0, 1.0]})
    found = assay.estimate(train, rows, REAL, scheme, ["mse"])
    each = 3 * 5 + 1
    for at, split in enumerate(OUTER.splits(rows)):
        fits = seen[at * each : (at + 1) * each]
        assert set.union(*fits) == set(split.train.tolist())
    assert set(found.chosen) == {"{'shift': 0.0}"}


def test_optimism_of_noise() -> None:
    """Labels that have nothing to do with the rows: the best of many trees looks better than chance, the nested figure does not."""
    noise = RNG.integers(0, 2, 60)
    rows = RNG.normal(size=(60, 6))
    grid = {"max_depth": [1, 2, 3, 5], "random_state": list(range(6)), "max_features": [1]}
    scheme = assay.Nested(outer=assay.CrossValidation(folds=5), grid=grid, select="accuracy")
    found = assay.estimate(DecisionTreeClassifier(), rows, noise, scheme, ["accuracy"])
    assert "optimism" in str(found)
    assert found.flat is not None
    assert float(found.flat["accuracy"]) > 0.55 > float(found["accuracy"])
    assert found.optimism["accuracy"] == pytest.approx(float(found.flat["accuracy"]) - float(found["accuracy"]))


def test_groups_stay_whole_inside_too() -> None:
    groups = np.arange(90) // 3
    split_inside: list[bool] = []

    class Watching(GridSearchCV):
        def fit(self, X: Any, y: Any, *, groups: Any = None) -> Any:
            split_inside.append(groups is not None and len(groups) == len(y))
            return super().fit(X, y, groups=groups)

    search = Watching(Ridge(), {"alpha": [0.1, 10.0]}, cv=assay.CrossValidation(folds=3))
    found = assay.estimate(search, X, REAL, assay.Nested(outer=OUTER), ["mse"], groups=groups)
    assert split_inside
    assert all(split_inside)
    assert "30 groups" in str(found["mse"].method)
    grid = assay.Nested(outer=OUTER, grid={"alpha": [0.1, 10.0]})
    assert float(assay.estimate(Ridge(), X, REAL, grid, ["mse"], groups=groups)["mse"]) > 0


def test_parameters_of_pipelines_and_time() -> None:
    pipeline = make_pipeline(StandardScaler(), Ridge())
    ordered = assay.Nested(outer=assay.TimeOrdered(folds=3), grid={"ridge__alpha": [0.1, 10.0]})
    assert isinstance(ordered.within, assay.TimeOrdered)
    found = assay.estimate(pipeline, X, REAL, ordered, ["mse"])
    assert found["mse"].low is None
    assert len(found.chosen) == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: assay.Nested(outer=5),  # pyright: ignore
        lambda: assay.Nested(outer=assay.Nested()),
        lambda: assay.Nested(grid={}),
        lambda: assay.Nested(grid={"alpha": []}),
        lambda: assay.Nested(stratify=True),
        lambda: assay.estimate(Ridge(), X, REAL, assay.Nested(), ["mse"]),
        lambda: assay.estimate(Ridge(), X, REAL, assay.Nested(grid={"alfa": [1]}), ["mse"]),
    ],
)
def test_what_cannot_be_nested_is_told(make: Any) -> None:
    with refusal(assay.AssayError):
        make()
