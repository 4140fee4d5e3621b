"""Resampling: what `estimate` adds to the fits themselves, and splits that take no memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RepeatedKFold, cross_validate

import assay
from assay.resampling.schemes.scheme import CrossValidation, Subsampling
from benchmarks.harness import Row, Workload

HALF = 2.0  # at most half the time of the peer
N, SPLITS = 1000, 100_000


class Nothing(ClassifierMixin, BaseEstimator):
    """A learner without work: all that is measured is what happens around it."""

    def fit(self, X: Any, y: Any) -> Nothing:
        """Nothing but what scikit-learn asks of a classifier."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Any) -> Any:
        """The first class."""
        return np.zeros(len(X), dtype=np.int64)


def workloads() -> list[Workload]:
    """Ten folds ten times, with training scores (assay always has them) and without."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5000, 20)), rng.integers(0, 2, 5000)
    scheme, folds = CrossValidation(folds=10, repeats=10), RepeatedKFold(n_splits=10, n_repeats=10, random_state=0)

    def ours() -> Any:
        return assay.estimate(Nothing(), X, y, scheme, ["accuracy"], task="binary")

    def theirs(train: bool) -> Callable[[], Any]:
        return lambda: cross_validate(Nothing(), X, y, cv=folds, scoring="accuracy", return_train_score=train)

    return [
        Workload(
            "estimate, 10x10 folds, no-op learner, 5000x20",
            ours,
            {"cross_validate with train scores": (theirs(True), HALF), "cross_validate, test scores only": (theirs(False), HALF)},
            rounds=15,
        )
    ]  # fmt: skip


def rows() -> Iterator[Row]:
    """The peak over a hundred thousand splits, one after the other, beside that over ten: it must not grow."""
    few, many = (_peak(lambda count=count: _walk(Subsampling(repeats=count))) for count in (10, SPLITS))
    yield Row(f"1e5 lazy splits of {N} rows, memory", "ten splits", few / many, 0.95, (many, few))


def _walk(scheme: Any) -> None:
    for _ in scheme.split(np.empty((N, 1))):
        pass


def _peak(call: Callable[[], Any]) -> float:
    """Bytes at the peak; the first call fills caches."""
    _walk(Subsampling(repeats=2))
    tracemalloc.start()
    try:
        call()
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
