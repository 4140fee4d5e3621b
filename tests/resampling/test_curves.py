"""Learning curves: subsets that nest, values that `estimate` gives too, the law of least squares, refusals and failures."""

from __future__ import annotations

import itertools
import json
import math
import xml.etree.ElementTree as ET
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import learning_curve as sklearn_curve
from sklearn.neighbors import KNeighborsClassifier

import assay
from assay.resampling.curves._growing_subsets import cuts, growing
from assay.resampling.curves.curves import learning_curve
from assay.resampling.estimate._learning_data import as_data
from assay.resampling.estimate.estimate import estimate
from assay.resampling.schemes.scheme import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneOut,
    Scheme,
    Subsampling,
)
from assay.resampling.schemes.time_ordered import TimeOrdered
from assay.resampling.simulation.truths import GaussianTruth, LinearTruth
from messages import refusal

TRUTH = LinearTruth(features=4, sd=1.0)
X, Y = TRUTH.draw(200, 1)
XC, YC = GaussianTruth(features=3, distance=1.5, share=0.3).draw(150, 2)
GROUPS = np.repeat(np.arange(40), 5)


def least_squares(X: Any, y: Any) -> Any:
    return np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]


def answer(model: Any, X: Any) -> Any:
    return model[0] + X @ model[1:]


OLS = (least_squares, answer)


def fragile(X: Any, y: Any) -> Any:
    """Cannot learn from fewer than 40 rows."""
    if len(X) < 40:
        raise ValueError("too few rows")
    return least_squares(X, y)


# ---- against estimate and scikit-learn


@pytest.mark.parametrize(
    ("scheme", "groups"),
    [
        (CrossValidation(folds=7, repeats=2), None),
        (Subsampling(repeats=6, test=0.2, seed=4), None),
        (Holdout(), None),
        (LeaveOneOut(), None),
        (CrossValidation(folds=5), GROUPS),
        (LeaveOneGroupOut(), GROUPS),
    ],
)
def test_the_full_size_is_what_estimate_gives(scheme: Scheme, groups: Any) -> None:
    """Seven folds of 200 rows have 171 or 172 to train on: the full size is all of them."""
    found = learning_curve(OLS, X, Y, "mae", sizes=[0.5, 1.0], resampling=scheme, groups=groups).points[-1]
    there = estimate(OLS, X, Y, scheme, ["mae"], groups=groups).performance["mae"]
    assert np.array_equal(found.tests, there.test)
    assert np.array_equal(found.trains, there.train)
    assert found.overfitting == pytest.approx(there.overfitting)
    assert (found.score, found.score.low, found.score.high) == (there.score, there.score.low, there.score.high)
    assert found.score.method == there.score.method


def test_a_learner_of_chance_has_the_seeds_that_estimate_gives_it() -> None:
    forest, scheme = RandomForestClassifier(5), CrossValidation(folds=3, stratify=True)
    found = learning_curve(forest, XC, YC, "log_loss", sizes=[0.3, 1.0], resampling=scheme)
    assert np.array_equal(
        found.points[-1].tests, estimate(forest, XC, YC, scheme, ["log_loss"]).performance["log_loss"].test
    )


def test_scikit_learn_draws_the_same_curve_of_the_same_subsets() -> None:
    """Without shuffling, scikit-learn takes the first rows of the training part, so it is given our order."""
    scheme = CrossValidation(folds=5, seed=2)
    parts = growing(scheme, as_data(X, Y, None, task=None, learns_classes=False, classes=None, positive=None), 0)
    given = [(part.units.rows(part.order), part.test) for part in parts]
    _, train, test = sklearn_curve(
        LinearRegression(), X, Y, train_sizes=[20, 50, 160], cv=given, scoring="neg_mean_squared_error"
    )
    found = learning_curve(LinearRegression(), X, Y, "mse", sizes=[20, 50, 160], resampling=scheme)
    assert np.array([p.tests for p in found.points]) == pytest.approx(-test)
    assert np.array([p.trains for p in found.points]) == pytest.approx(-train)


def test_the_interval_is_the_corrected_t_with_the_ratio_of_the_scheme() -> None:
    """Nadeau and Bengio's correlation comes from the test rows that splits share: it is the same at all sizes."""
    from scipy.stats import t

    found = learning_curve(OLS, X, Y, sizes=[20, 80], resampling="cv:10x3")
    for point in found.points:
        half = t.ppf(0.975, 29) * point.tests.std(ddof=1) * math.sqrt(1 / 30 + 20 / 180)
        assert (point.score.high - point.score.low) / 2 == pytest.approx(half)
    assert found.ratio == pytest.approx(1 / 9)
    assert "n_test / n_train = 0.111" in str(found)


# ---- subsets


def _cuts(scheme: Scheme, y: Any, groups: Any, sizes: Any, seed: int = 0) -> Any:
    data = as_data(np.zeros((len(y), 2)), y, groups, task=None, learns_classes=False, classes=None, positive=None)
    return cuts(sizes, growing(scheme, data, seed), scheme, data)


@pytest.mark.parametrize(
    ("scheme", "groups"),
    [
        (CrossValidation(folds=4, repeats=2, stratify=5), None),
        (Subsampling(repeats=3), None),
        (CrossValidation(folds=4), GROUPS),
        (TimeOrdered(folds=3), None),
    ],
)
def test_subsets_nest_and_come_from_the_seed(scheme: Scheme, groups: Any) -> None:
    found = _cuts(scheme, Y, groups, None)
    assert len(found) >= 6
    for small, large in itertools.pairwise(found):
        for a, b in zip(small, large, strict=True):
            assert set(a.train) < set(b.train) or np.array_equal(a.train, b.train)
            assert not set(b.train) & set(b.test)
            assert np.array_equal(a.test, b.test)
            assert len(set(b.train)) == len(b.train)
    again, other = _cuts(scheme, Y, groups, None), _cuts(scheme, Y, groups, None, seed=1)
    assert all(
        np.array_equal(a.train, b.train) for p, q in zip(found, again, strict=True) for a, b in zip(p, q, strict=True)
    )
    if not isinstance(scheme, TimeOrdered):
        assert not all(np.array_equal(a.train, b.train) for a, b in zip(found[0], other[0], strict=True))


def test_sizes_are_exact_and_strata_keep_their_shares() -> None:
    y = np.repeat([0, 1, 2], [140, 40, 20])
    for size, splits in zip(
        [10, 33, 100], _cuts(CrossValidation(folds=5, stratify=True), y, None, [10, 33, 100]), strict=True
    ):
        for split in splits:
            assert len(split.train) == size
            assert np.abs(np.bincount(y[split.train], minlength=3) - size * np.array([0.7, 0.2, 0.1])).max() <= 1


def test_groups_are_never_split() -> None:
    groups = np.random.default_rng(0).integers(0, 30, 200)
    for splits in _cuts(CrossValidation(folds=5), Y, groups, [20, 60, 1.0]):
        for split in splits:
            inside = set(groups[split.train])
            assert len(split.train) == np.isin(groups, list(inside)).sum()
            assert not inside & set(groups[split.test])


def test_in_time_the_latest_rows_are_taken_and_the_shortest_window_is_full() -> None:
    found = _cuts(TimeOrdered(folds=3), Y, None, [10, 1.0])
    for size, splits in zip([10, 50], found, strict=True):
        for split in splits:
            assert np.array_equal(split.train, np.arange(split.test[0] - size, split.test[0]))


# ---- the law


def test_least_squares_learns_at_a_rate_of_one_over_n() -> None:
    """On a linear truth the excess error of p + 1 coefficients is near sigma² (p + 1) / n (Stein 1960 gives it exactly)."""
    X, y = LinearTruth(features=4, sd=2.0).draw(2000, 7)
    found = learning_curve(OLS, X, y, "mse", sizes=[25, 40, 65, 110, 200, 400, 900], resampling="subsampling:80x0.2")
    law = found.law
    assert law is not None
    low, high = law.range(law.draws[:, 2])
    assert low < 1.0 < high
    assert law.c == pytest.approx(1.0, abs=0.35)
    assert found.asymptote == pytest.approx(4.0, abs=0.4)
    assert found.asymptote.low < 4.0 < found.asymptote.high
    stein = 4 * (100 + 1) * (100 - 2) / (100 * (100 - 4 - 2))
    assert found.predict(100) == pytest.approx(stein, rel=0.05)
    gain = found.gain(2)
    assert gain.rows == (2000, 4000)
    assert gain.gain == pytest.approx(float(gain.before) - float(gain.after))
    assert gain.gain.low < 4 * 5 / 2000 - 4 * 5 / 4000 < gain.gain.high


def test_where_higher_is_better_the_law_is_of_what_is_missing() -> None:
    found = learning_curve(OLS, *TRUTH.draw(600, 3), "r2", sizes=[15, 25, 45, 90, 200, 500], resampling="cv:10x2")
    law = found.law
    assert law is not None
    assert found.scale.words == "1 - r2"
    assert found.predict(90) == pytest.approx(1 - float(law(90)))
    assert found.predict(360).low < found.predict(360) < found.predict(360).high <= 1
    assert found.gain().gain > 0
    assert found.predict(10_000) > found.predict(100)
    assert "Power law of 1 - r2" in str(found)


def test_without_a_law_the_reason_is_given() -> None:
    flat = learning_curve(DummyRegressor(), X, Y, resampling="cv:5x2")
    assert flat.law is None
    assert "No power law: the loss does not clearly fall" in str(flat)
    with refusal(assay.InputError):
        flat.predict(500)
    few = learning_curve(OLS, X, Y, sizes=[10, 20, 40], resampling="cv:5x2")
    assert "at least 4 sizes, got 3" in few.lawless


def test_one_split_and_time_give_a_law_without_limits() -> None:
    for scheme in (Holdout(seed=1), TimeOrdered(folds=3)):
        found = learning_curve(OLS, X, Y, sizes=[8, 12, 20, 45], resampling=scheme)
        assert found.law is not None
        assert found.law.draws is None
        assert found.predict(400).low is None
        assert not found.predict(400).reliable
        assert ("the model trained on that many rows of this one split" in str(found)) == isinstance(scheme, Holdout)
        assert "→" in str(found)
        ET.fromstring(found.figure())


# ---- failures and other ends


def test_failed_fits_are_counted_and_never_averaged_away() -> None:
    found = learning_curve((fragile, answer), X, Y, sizes=[10, 50, 70, 100, 160], resampling="cv:5x2")
    assert math.isnan(found.points[0].score)
    assert len(found.points[0].failures) == len(found.failures) == 10
    assert "10 of 50 fits failed" in str(found)
    assert "ValueError: too few rows" in found.failures[0]
    assert "Excluded from the power law: 1 of 5 sizes" in found.lawless
    assert found.law is None or found.law.largest == 160
    assert found.to_frame()["failures"].to_list() == [10, 0, 0, 0, 0]
    assert "<svg" in found._repr_html_()
    with refusal(assay.InputError):
        learning_curve((fragile, answer), X, Y, sizes=[10, 50], resampling="cv:5", on_failure="raise")
    with refusal(assay.InputError):
        learning_curve((fragile, answer), X, Y, sizes=[10, 20], resampling="cv:5")


def test_progress_counts_every_fit_and_an_interrupt_comes_through() -> None:
    told: list[int] = []
    learning_curve(OLS, X, Y, sizes=[10, 20], resampling="cv:5", progress=told.append)
    assert sum(told) == 10

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learning_curve(OLS, X, Y, sizes=[10, 20], resampling="cv:5", progress=stop)


def test_jobs_change_nothing() -> None:
    """Fits that finish in any order; threads, since test_estimate.py has the processes."""
    learner = KNeighborsClassifier(3)
    with joblib.parallel_config(backend="threading"):
        one, two = (learning_curve(learner, XC, YC, sizes=[20, 60], resampling="cv:3", jobs=jobs) for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_defaults_and_forms() -> None:
    found = learning_curve(LogisticRegression(), XC, YC)
    assert found.metric == "accuracy"
    assert found.scheme == CrossValidation(folds=10, repeats=2, stratify=True)
    assert found.sizes[-1] == 135
    assert len(found.points) == 8
    assert json.loads(json.dumps(found.to_dict()))["points"][0]["rows"] == 20
    assert found.to_frame().height == 8
    assert "| rows |" in found.to_markdown()
    assert repr(found) == "<LearningCurve LogisticRegression n=150: accuracy at 8 sizes>"
    svg = ET.fromstring(found.figure())
    assert svg.tag.endswith("svg")


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": [10, 500]},
        {"sizes": [1, 20]},
        {"sizes": [1.5]},
        {"sizes": []},
        {"sizes": [20, 20]},
        {"resampling": Bootstrap()},
        {"resampling": 5},
        {"resampling": assay.Nested(grid={"a": [1]})},
        {"metric": ["mse", "mae"]},
        {"metric": "confusion_matrix"},
        {"level": 95},
        {"on_failure": "skip"},
    ],
)
def test_bad_input_is_refused_in_words(options: dict[str, Any]) -> None:
    with refusal((assay.ParameterError, assay.InputError)):
        learning_curve(OLS, X, Y, **{"resampling": "cv:10", **options})


def test_bad_questions_to_a_curve_are_refused() -> None:
    found = learning_curve(OLS, X, Y, sizes=[12, 20, 50, 180], resampling="cv:10x2")
    for wrong in (0, -5, math.nan, True):
        with refusal(assay.ParameterError):
            found.predict(wrong)
    for wrong in (1, 0.5, math.inf):
        with refusal(assay.ParameterError):
            found.gain(wrong)
