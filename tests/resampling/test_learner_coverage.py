"""The harness behind the coverage of learners: its learners are honest, its truths true, its verdicts able to fail."""

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay.resampling.schemes.scheme import Bootstrap, CrossValidation

sys.path.append(str(Path(__file__).parents[2]))  # `pytest` alone does not put the root there, `python -m pytest` does

from benchmarks.coverage import learner_worlds as worlds
from benchmarks.coverage.learners import Corrected, interval, prove, settings
from benchmarks.coverage.learners_page import learners
from benchmarks.coverage.lines import Bias, Learned
from benchmarks.coverage.page import share, verdict

LINE = Learned("corrected t", "linear", 100, 500, 0.95, 0.01, 1.0, 0.93, 0.975, 0.0, True, 1.0, {"naive t": 0.5})
BIAS = Bias(".632+", "5-nearest", 50, 500, 0.8, 0.001, 0.0005, 0.003, 0.0001, 0.05, 0.06, 0.94, 1.1)


@pytest.mark.parametrize("n", [60, 300])
def test_tree_is_that_of_scikit_learn(n: int) -> None:
    X, y = worlds.CURVE.truth.draw(n, n)
    fresh = worlds.CURVE.truth.points(500, 1)
    peer = DecisionTreeRegressor(max_depth=4, min_samples_leaf=5).fit(X, y)
    np.testing.assert_allclose(worlds.tree(X, y, 0)(fresh), peer.predict(fresh))


def test_learners_of_classes_are_those_of_scikit_learn() -> None:
    X, y = worlds.CLASSES.truth.draw(300, 2)
    fresh = worlds.CLASSES.truth.points(500, 1)
    peers = {
        "tree": DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0),
        "5-nearest": KNeighborsClassifier(5),
    }
    for name, peer in peers.items():
        given = worlds.CLASSES.learner(name)(X, y, 0)(fresh)
        assert (given == peer.fit(X, y).predict(fresh)).mean() > 0.99, name  # ties may fall either way


def test_forest_does_better_than_its_tree_and_depends_on_its_seed() -> None:
    X, y = worlds.CURVE.truth.draw(300, 3)
    fresh = worlds.CURVE.truth.points(2000, 1)
    assert worlds.CURVE.true(worlds.forest(X, y, 0), fresh) < worlds.CURVE.true(worlds.tree(X, y, 0), fresh)
    assert not np.array_equal(worlds.forest(X, y, 0)(fresh), worlds.forest(X, y, 1)(fresh))
    np.testing.assert_array_equal(worlds.forest(X, y, 1)(fresh), worlds.forest(X, y, 1)(fresh))


@pytest.mark.parametrize(
    ("world", "learner", "n"),
    [(worlds.CLASSES, "linear", 90), (worlds.CURVE, "tree", 100), (worlds.GROUPS, "linear", 225)],
)
def test_stored_risk_is_found_again(world: Any, learner: str, n: int) -> None:
    stored, rng = worlds.risk(world, learner, n), np.random.default_rng(n)
    train, fresh = world.learner(learner), world.truth.points(5000, 5)
    found = [world.true(train(*world.truth.draw(n, int(seed)), 0), fresh) for seed in rng.integers(0, 2**31, 300)]
    error = np.std(found, ddof=1) / np.sqrt(300)
    assert abs(np.mean(found) - stored.value) < 4 * error + 0.02 * abs(stored.value - world.known)
    assert stored.error < 2e-3 * stored.value


def test_risk_of_least_squares_is_its_formula() -> None:
    rng = np.random.default_rng(0)
    truth = worlds.LINE.truth
    fits = [worlds.linear(*truth.draw(30, int(seed)), 0) for seed in rng.integers(0, 2**31, 2000)]
    found = np.array([truth.exact(lambda Z, f=f: {"y_pred": f(Z)}, "squared") for f in fits])
    assert abs(found.mean() - worlds.exact(30)) < 4 * found.std(ddof=1) / np.sqrt(2000)


@pytest.mark.parametrize(
    ("scheme", "method"),
    [
        (CrossValidation(folds=10, repeats=2), "corrected_t"),
        (CrossValidation(folds=3, repeats=2), "nested_cv"),
        (Bootstrap(repeats=60), "632+"),
    ],
)
def test_short_way_is_the_public_one(scheme: Any, method: str) -> None:
    world, train = worlds.CLASSES, worlds.CLASSES.learner("forest")
    X, y = world.truth.draw(60, 8)
    found = interval(train, world, X, y, scheme, method)
    prove(found, train, X, y, method)
    moved = dataclasses.replace(found, limits=dataclasses.replace(found.limits, low=found.limits.low - 1e-6))
    with pytest.raises(AssertionError, match="estimate gives"):
        prove(moved, train, X, y, method)


def test_a_line_is_measured() -> None:
    (line,) = Corrected(family="corrected t", learner="linear", world=worlds.LINE, n=100, band=(0.93, 0.975)).rows(200)
    assert line.replicates == 40
    assert line.held
    assert line.beside["naive t"] < 0.8 < line.coverage
    assert 0.7 < line.ratio < 1.4


def test_verdicts_can_fail() -> None:
    assert verdict(LINE) == "ok"
    assert verdict(dataclasses.replace(LINE, coverage=0.90)) == "MISSED"
    assert verdict(dataclasses.replace(LINE, ratio=1.4)) == "WIDE"
    assert verdict(dataclasses.replace(LINE, wald=1.3)) == "WIDE"
    assert verdict(BIAS) == "ok"
    assert verdict(dataclasses.replace(BIAS, plus=-0.006)) == "MISSED"


def test_page_has_the_tables() -> None:
    if not worlds.FILE.exists():
        pytest.fail("learner_risks.json is part of the repository")
    text = "\n".join(learners([LINE, BIAS], share, verdict))
    assert "| linear | 100 | .950 |" in text
    assert "| naive t |" in text
    assert "+0.0010" in text
    assert "of CV Wald" in text


def test_labels_are_unique() -> None:
    labels = [task.label for task in settings()]
    assert len(labels) == len(set(labels))
