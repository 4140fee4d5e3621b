"""Runs that fail, stop and go on; input that makes no sense; the choice of a scheme."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import assay
from assay.resampling.estimate._fit_plan import FitPlan
from messages import refusal

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)


class Counting:
    """A learner of means that counts its fits, and stops or fails where it is told to."""

    def __init__(
        self, stop: int = 10**9, fail: frozenset[int] = frozenset(), error: type[BaseException] = ValueError
    ) -> None:
        self.fits, self.stop, self.fail, self.error = 0, stop, fail, error

    def __call__(self, rows: Any, y: Any) -> Any:
        if self.fits >= self.stop:
            raise KeyboardInterrupt
        self.fits += 1
        if self.fits in self.fail:
            raise self.error("no luck today")
        mean = float(y.mean())
        return lambda new: np.full(len(new), mean)


def test_a_failed_fit_is_counted_and_never_averaged_away() -> None:
    found = assay.estimate(Counting(fail=frozenset({2, 4})), X, Y, "cv:5", ["mse"], name="means")
    assert np.isnan(float(found["mse"]))
    assert found["mse"].low is None
    assert len(found.failures) == 2
    assert "ValueError: no luck today" in found.failures[0]
    assert "repeat 1, fold 2" in found.failures[0]
    assert "2 of 5 fits failed" in str(found)
    values = found.performance["mse"].test
    assert np.isnan(values[[1, 3]]).all()
    assert np.isfinite(values[[0, 2, 4]]).all()
    assert found.splits["error"].null_count() == 3
    with refusal(assay.InputError):
        assay.estimate(Counting(fail=frozenset({2})), X, Y, "cv:5", ["mse"], on_failure="raise")
    with refusal(assay.InputError):
        assay.estimate(Counting(fail=frozenset(range(9))), X, Y, "cv:5", ["mse"])


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    want = assay.estimate(Counting(), X, Y, "cv:5x2", ["mse"], name="means")
    first = Counting(stop=4)
    with pytest.raises(KeyboardInterrupt):
        assay.estimate(first, X, Y, "cv:5x2", ["mse"], store=tmp_path / "run", name="means")
    second = Counting()
    found = assay.estimate(second, X, Y, "cv:5x2", ["mse"], store=tmp_path / "run", name="means")
    assert (first.fits, second.fits) == (4, 6)
    np.testing.assert_array_equal(found.performance["mse"].test, want.performance["mse"].test)
    np.testing.assert_array_equal(found.performance["mse"].train, want.performance["mse"].train)
    third = Counting()
    again = assay.estimate(third, X, Y, "cv:5x2", ["mae"], store=tmp_path / "run", name="means")
    assert third.fits == 0
    assert float(again["mae"]) == pytest.approx(float(want.measure(["mae"])["mae"]))


def test_a_store_knows_its_run(tmp_path: Path) -> None:
    assay.estimate(LinearRegression(), X, Y, "cv:5", ["mse"], store=tmp_path / "run")
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(), X, Y, "cv:4", ["mse"], store=tmp_path / "run")
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(), X + 1, Y, "cv:5", ["mse"], store=tmp_path / "run")
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(fit_intercept=False), X, Y, "cv:5", ["mse"], store=tmp_path / "run")
    (tmp_path / "run" / "0000002.npz").write_bytes(b"half a file")
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(), X, Y, "cv:5", ["mse"], store=tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with refusal(assay.InputError):
        assay.estimate(LinearRegression(), X, Y, "cv:5", ["mse"], store=tmp_path / "other")


def test_failed_fits_of_a_store_are_tried_again(tmp_path: Path) -> None:
    broken = assay.estimate(Counting(fail=frozenset({3})), X, Y, "cv:5", ["mse"], store=tmp_path / "run", name="m")
    repaired = Counting()
    found = assay.estimate(repaired, X, Y, "cv:5", ["mse"], store=tmp_path / "run", name="m")
    assert (len(broken.failures), len(found.failures), repaired.fits) == (1, 0, 1)
    assert np.isfinite(float(found["mse"]))


def test_labels_of_text_survive_the_store(tmp_path: Path) -> None:
    y = np.where(Y > 0, "yes", "no").astype(object)
    once = assay.estimate(LogisticRegression(), X, y, "cv:5", ["accuracy", "log_loss"], store=tmp_path / "run")
    twice = assay.estimate(LogisticRegression(), X, y, "cv:5", ["accuracy", "log_loss"], store=tmp_path / "run")
    assert float(once["log_loss"]) == float(twice["log_loss"])
    assert json.loads((tmp_path / "run" / "run.json").read_text())["resampling"].startswith("CrossValidation")


def test_progress_tells_of_every_fit() -> None:
    told: list[int] = []
    assay.estimate(Counting(), X, Y, "cv:5x2", ["mse"], progress=told.append)
    assert sum(told) == 10


@pytest.mark.parametrize(
    "change",
    [
        {"X": X[:50]},
        {"y": np.where(np.arange(60) == 3, np.nan, Y)},
        {"groups": np.arange(10)},
        {"resampling": "cv:ten"},
        {"resampling": "kfold:10"},
        {"resampling": 10},
        {"learner": 3},
        {"metrics": ["mze"]},
        {"metrics": ["accuracy"]},
        {"level": 95},
        {"method": "corected_t"},
        {"jobs": 0},
        {"on_failure": "ignore"},
        {"task": "ranking"},
        {"resampling": "cv:80"},
        {"resampling": "cv:5,stratfy"},
    ],
)
def test_bad_input_is_told_what_to_do(change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "learner": LinearRegression(),
        "X": X,
        "y": Y,
        "resampling": "cv:5",
        "metrics": ["mse"],
        **change,
    }
    with refusal(assay.AssayError):
        assay.estimate(**call)


def test_answers_of_the_wrong_length_fail_with_words() -> None:
    with refusal(assay.InputError):
        assay.estimate(lambda rows, y: lambda new: [1.0, 2.0, 3.0], X, Y, "cv:5", ["mse"])


def test_the_default_scheme_is_the_guideline() -> None:
    found = assay.estimate(LinearRegression(), X, Y, metrics=["mse"])
    assert found.scheme == assay.CrossValidation(folds=10, repeats=5)
    grouped = assay.estimate(LinearRegression(), X, Y, metrics=["mse"], groups=np.arange(60) // 5)
    assert grouped.scheme == assay.LeaveOneGroupOut()
    y = (Y > 0).astype(int)
    assert assay.estimate(LogisticRegression(), X, y, metrics=["accuracy"]).scheme.stratify is True


def test_guideline_follows_size_groups_classes_and_budget() -> None:
    assert assay.guideline(200_000).scheme == assay.Holdout()
    assert assay.guideline(1000, budget=10).scheme == assay.CrossValidation(folds=10)
    assert assay.guideline(1000, budget=7).scheme == assay.CrossValidation(folds=5)
    assert assay.guideline(1000, budget=1).scheme == assay.Holdout()
    assert assay.guideline(1000, groups=200).method == "cluster_t"
    assert assay.guideline(1000, groups=8).scheme == assay.LeaveOneGroupOut()
    assert isinstance(assay.guideline(500, ordered=True).scheme, assay.TimeOrdered)
    few = assay.guideline(300, classes=[296, 4])
    assert few.scheme.stratify is True
    assert any("class of 4 rows" in reason for reason in few.reasons)
    assert str(few).count("\n- ") == len(few.reasons)
    with refusal(assay.ParameterError):
        assay.guideline(10, classes=[20, 3])


def test_many_splits_are_planned_one_at_a_time() -> None:
    """The plan of a hundred thousand splits is a stream: its first job is there at once, and none is kept."""
    from assay.resampling.estimate._learning_data import as_data

    data = as_data(X, Y, None, task=None, learns_classes=False, classes=None, positive=None)
    plan = FitPlan(assay.Subsampling(repeats=100_000), "corrected_t", data)
    jobs = plan.jobs()
    assert plan.count() == 100_000
    assert next(jobs).index == 0
    assert next(jobs).index == 1
