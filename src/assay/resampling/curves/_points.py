"""One point of a curve: the fits of all splits there, scored on their training and test rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError
from assay.core.inference_options import InferenceOptions
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.parameters import choice
from assay.core.score import Score
from assay.evaluation.presets import Task, built
from assay.resampling.estimate._fits import FitJob, FitRecord
from assay.resampling.estimate._interval_formulas import AVERAGED, Limits
from assay.resampling.estimate._intervals import Evidence, limits, settled
from assay.resampling.estimate._learning_data import LearningData, as_data
from assay.resampling.estimate._running import run, workers_of
from assay.resampling.estimate._split_metrics import SplitScorer
from assay.resampling.estimate._view import place
from assay.resampling.estimate.learners import Learner
from assay.resampling.schemes.nested import Nested
from assay.resampling.schemes.scheme import Bootstrap, CrossValidation, Scheme, Split, Subsampling
from assay.resampling.schemes.scheme_text import scheme_of
from assay.version import __version__

DEFAULT = {"regression": "mse", "binary": "accuracy", "multiclass": "accuracy", "multilabel": "hamming"}
LARGE = 100_000
OnFailure = Literal["report", "raise"]


@dataclass(frozen=True, eq=False)
class Point:
    """The metric at one point: ``score`` on test rows with its interval, ``train`` on training rows.

    ``tests`` and ``trains`` hold one value per split, ``rows`` is the mean number of training rows, ``error`` the standard error of
    the score. ``overfitting`` is how much worse the test value is, positive whatever the direction of the metric. Fits that failed
    are in ``failures``, and the score is then NaN.
    """

    score: Score
    train: float
    overfitting: float
    rows: float
    tests: Any
    trains: Any
    error: float
    form: str
    fits: int
    failures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            **self.__dict__,
            "score": self.score.to_dict(),
            "tests": self.tests.tolist(),
            "trains": self.trains.tolist(),
            "failures": list(self.failures),
        }


@dataclass(frozen=True, eq=False)
class CurveSetup:
    """Everything that the points of a curve share: data, scheme, metric, and how fits are run."""

    who: str
    data: LearningData
    scheme: Scheme
    method: str
    scorer: SplitScorer
    level: float
    workers: int
    on_failure: OnFailure

    def folds(self, learner: Learner, splits: Iterable[Split], tell: Callable[[int], None]) -> list[FitRecord]:
        """The fits of one point. A split has the same seed at all points, the one that `estimate` gives it."""
        jobs = (FitJob(index, split) for index, split in enumerate(splits))
        done: list[FitRecord] = []
        for fold in run(learner, self.data, jobs, seed=self.scheme.seed, workers=self.workers, known={}):
            if fold.error and self.on_failure == "raise":
                raise InputError(self.who, "", f"a fit failed ({place(fold)}): {fold.error}")
            done.append(fold if fold.error else self._scored(fold))
            tell(1)
        return sorted(done, key=lambda fold: fold.index)

    def _scored(self, fold: FitRecord) -> FitRecord:
        self.scorer.ready(fold.answers, fold.rows)
        return fold.scored(self.scorer.values(fold.train, fold.train_rows), keep=False, rows=False)

    def metric(self, places: Sequence[Sequence[FitRecord]]) -> tuple[str, Metric[Any]]:
        """The metric of the curve and its name."""
        if not self.scorer.metrics:
            raise InputError(self.who, "", f"every fit failed. The first: {places[0][0].error}")
        if len(self.scorer.metrics) > 1:
            why = f"must be a single one for a curve, got {', '.join(self.scorer.metrics)}"
            raise ParameterError(self.who, "metric", why, "Choose one.")
        return next(iter(self.scorer.metrics.items()))

    def point(self, learner: str, folds: Sequence[FitRecord], full: Sequence[int]) -> Point:
        """The fits of one point, summarised; ``full`` is the number of rows of each whole training set of the scheme.

        How much splits overlap depends on the training sets of the scheme, not on the rows that were taken from them.
        """
        name, metric = self.metric([folds])
        failures = tuple(f"{place(fold)}: {fold.error}" for fold in folds if fold.error)
        tests: Any = np.array([self._test(fold, name) for fold in folds])
        trains: Any = np.array([fold.scores.get(name, math.nan) for fold in folds])
        stretched = [replace(fold, train_size=size) for fold, size in zip(folds, full, strict=True)]
        found = self._limits(name, stretched, tests, len(failures))
        rows, train = float(np.mean([fold.train_size for fold in folds])), float(trains.mean())
        sign = -1.0 if metric.record.better == "higher" else 1.0
        return Point(
            self._score(learner, metric, found, rows), train, sign * (found.value - train), rows, tests, trains,
            found.error, found.form, len(folds), failures,
        )  # fmt: skip

    def _test(self, fold: FitRecord, name: str) -> float:
        return math.nan if fold.error else self.scorer.values(fold.answers, fold.rows)[name]

    def _limits(self, name: str, folds: Sequence[FitRecord], tests: Any, failed: int) -> Limits:
        nothing = Limits(math.nan, math.nan, math.nan, math.nan, "none", "learner", AVERAGED)
        if failed:
            why = f"{failed} of {len(folds)} fits failed, and an average over the others would hide it"
            return replace(nothing, reason=why)
        evidence = Evidence(self.scorer, name, self.scheme, folds, tests, InferenceOptions(self.level))
        try:
            return limits(evidence, self.method)
        except ParameterError as error:
            why = str(error.but(who="")).removesuffix(".")
            return replace(nothing, value=float(tests.mean()), reason=why)

    def _score(self, learner: str, metric: Metric[Any], found: Limits, rows: float) -> Score:
        low, high = metric.bounds
        there = math.isfinite(found.low) and math.isfinite(found.high)
        data = f"n:{self.data.n}|train:{rows:g}|learner:{learner}|resampling:{self.scheme}|ci:{self.method}"
        return Score(
            found.value, metric=metric.key, n=self.data.n, signature=f"{metric.signature()}|{data}|assay:{__version__}",
            low=max(low, found.low) if there else None, high=min(high, found.high) if there else None, level=self.level,
            method=found.method, reliable=not found.reason, reason=found.reason,
        )  # fmt: skip


def curve_setup(
    who: str, learner: Learner, X: Any, y: ArrayLike, metric: str | Metric[Any] | None, resampling: Scheme | str | None, *,
    groups: ArrayLike | None, task: Task | None, classes: Sequence[Label] | None, positive: Label | None, threshold: float,
    level: float, on_failure: OnFailure, jobs: int, seed: int,
) -> CurveSetup:  # fmt: skip
    """The setup of a call, checked before anything is trained."""
    choice(who, "on_failure", on_failure, ("report", "raise"))
    options = InferenceOptions(level, seed=seed).checked(who)
    data = as_data(X, y, groups, task=task, learns_classes=learner.classes, classes=classes, positive=positive, who=who)
    asked = DEFAULT[data.task] if metric is None else metric
    if built(asked).record.better == "none":  # which also refuses a misspelt name before anything is trained
        why = f"{built(asked).key} has no direction of better"
        raise ParameterError(who, "metric", why, "Choose another metric.")
    scheme = _scheme(who, resampling, data, options.seed)
    scheme.units(data.X, data.y, data.groups)
    scorer = SplitScorer(data, [asked], threshold)
    method = settled(scheme, "auto", grouped=data.groups is not None)
    return CurveSetup(who, data, scheme, method, scorer, options.level, workers_of(jobs), on_failure)


def _scheme(who: str, given: Any, data: LearningData, seed: int) -> Scheme:
    scheme = scheme_of(given) if isinstance(given, str) else given
    if scheme is None:
        return _default(data, seed)
    if not isinstance(scheme, Scheme):
        known = "a scheme such as CrossValidation(folds=10, repeats=2) or a text such as 'cv:10x2'"
        raise ParameterError(who, "resampling", f"must be {known}, got {type(given).__name__}")
    if isinstance(scheme, Nested):
        fix = "Give its outer scheme, and a search as the learner."
        raise ParameterError(who, "resampling", "Nested does not apply to a curve", fix)
    if isinstance(scheme, Bootstrap):
        why = "Bootstrap does not apply: its samples contain duplicate rows, which blurs the size"
        raise ParameterError(who, "resampling", why, "Choose Subsampling.")
    return scheme


def _default(data: LearningData, seed: int) -> Scheme:
    """Ten folds, repeated twice: a curve has many points, so each gets fewer fits than an estimate would."""
    stratify = bool(data.classes) and data.y.ndim == 1
    if data.n >= LARGE and data.groups is None:
        return Subsampling(repeats=5, test=0.1, stratify=stratify, seed=seed)
    units = data.n if data.groups is None else len(np.unique(data.groups))
    folds = 10 if units >= 10 else 5 if units >= 5 else max(2, units)
    return CrossValidation(folds=folds, repeats=2, stratify=stratify, seed=seed)
