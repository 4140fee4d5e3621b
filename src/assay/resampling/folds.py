"""One fit: train on some rows, answer to others, and keep what is needed to score it later."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from assay.core.errors import InputError
from assay.resampling.data import Data
from assay.resampling.learners import Learner
from assay.resampling.schemes import Split
from assay.resampling.units import keys

Role = Literal["split", "pair", "half", "full"]


@dataclass(frozen=True, eq=False)
class Job:
    """A fit to be done: ``role`` says whether it is one of the scheme's splits or serves an interval."""

    index: int
    split: Split
    role: Role = "split"


@dataclass(frozen=True, eq=False)
class Fold:
    """A fit that was done: the answers to its test rows, or the error it ended with.

    ``train`` holds the answers to the training rows, until they are scored or if they are to be kept; ``scores`` the training
    metrics.
    """

    index: int
    role: Role
    repeat: int
    fold: int
    rows: Any
    train_size: int
    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    train_rows: Any = None
    train: dict[str, Any] = field(default_factory=dict[str, Any])
    scores: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0
    error: str = ""
    chosen: str = ""

    def scored(self, scores: dict[str, float], *, keep: bool, rows: bool) -> Fold:
        """The same with its training metrics, and without the answers and rows behind them unless they are kept."""
        return replace(
            self, scores=scores, train=self.train if keep else {}, train_rows=self.train_rows if rows or keep else None
        )


def fitted(learner: Learner, data: Data, job: Job, seed: int) -> Fold:
    """Train and answer; whatever a learner raises becomes part of the record."""
    split = job.split
    start = perf_counter()
    blank = Fold(job.index, job.role, split.repeat, split.fold, split.test, len(split.train), train_rows=split.train)
    try:
        X = data.rows(split.train)
        more = {"groups": data.groups_of(split.train)} if learner.grouped else {}
        model = learner.train(X, data.y.take(split.train, axis=0), fit_seed(seed, job.index), **more)
        answers = _settled(model(data.rows(split.test)), model, data, len(split.test))
        train = _settled(model(X), model, data, len(split.train)) if job.role == "split" else {}
    except Exception as error:
        return replace(blank, error=_told(error), seconds=perf_counter() - start)
    chosen = getattr(model, "parameters", None)
    return replace(
        blank, answers=answers, train=train, seconds=perf_counter() - start, chosen=str(chosen) if chosen else ""
    )


def _told(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"


def fit_seed(seed: int, index: int) -> int:
    """The seed of one fit, a function of the scheme's and its place."""
    return int(keys(seed, index + (1 << 50), 1)[0] >> np.uint64(33))


def _settled(answers: dict[str, Any], model: Any, data: Data, n: int) -> dict[str, Any]:
    """Answers in one convention: a column for each class of all data, one number for the positive of two."""
    found: dict[str, Any] = {}
    for kind, values in answers.items():
        if len(values) != n:
            raise InputError(f"the learner gave {len(values)} answers ({kind}) to {n} rows.")
        found[kind] = values if kind == "y_pred" or not data.classes else _aligned(values, model.columns, data, kind)
    return found


def _aligned(values: Any, columns: Any, data: Data, kind: str) -> Any:
    if values.ndim == 1:
        return values if columns is None or list(columns)[-1] == data.classes[-1] else _flipped(values, kind)
    names: list[Any] = list(data.classes if columns is None else np.asarray(columns).tolist())
    if len(names) != values.shape[1]:
        raise InputError(
            f"the learner gave {values.shape[1]} columns of {kind} for {len(names)} classes ({', '.join(map(str, names))})."
        )
    if tuple(names) != data.classes:
        missing = 0.0 if kind == "y_prob" else -np.inf
        whole = np.full((len(values), len(data.classes)), missing)
        for at, name in enumerate(names):
            whole[:, data.classes.index(name)] = values[:, at]
        values = whole
    return values[:, -1] if data.task == "binary" else values


def _flipped(values: Any, kind: str) -> Any:
    """Scores of the other class of two."""
    return 1 - values if kind == "y_prob" else -values
