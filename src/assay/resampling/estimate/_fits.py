"""One fit: train on some rows, predict others, and keep what is needed to score it later."""

from __future__ import annotations

import math
import traceback
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from assay.core.errors import AssayError, InputError
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.estimate.learners import Learner
from assay.resampling.schemes._sampling_units import keys
from assay.resampling.schemes.scheme import Split

Role = Literal["split", "pair", "half", "full"]
_FEW = 10  # classes that are looked for one by one
_ROUNDING = 1e-6  # tolerated beyond 0 and 1, for single precision


@dataclass(frozen=True, eq=False)
class FitJob:
    """A fit to be done: ``role`` tells the splits of the scheme from fits that only an interval needs."""

    index: int
    split: Split
    role: Role = "split"


@dataclass(frozen=True, eq=False)
class FitRecord:
    """A finished fit: the predictions for its test rows, or the error it ended with.

    ``train`` holds the predictions for the training rows until they are scored, or for good if they are to be kept; ``scores``
    the training metrics.
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

    def scored(self, scores: dict[str, float], *, keep: bool, rows: bool) -> FitRecord:
        """The same with its training metrics, and without the predictions and rows behind them unless they are kept."""
        return replace(
            self, scores=scores, train=self.train if keep else {}, train_rows=self.train_rows if rows or keep else None
        )


def fitted(learner: Learner, data: LearningData, job: FitJob, seed: int) -> FitRecord:
    """Train and predict; whatever a learner raises becomes part of the record."""
    split = job.split
    start = perf_counter()
    blank = FitRecord(
        job.index, job.role, split.repeat, split.fold, split.test, len(split.train), train_rows=split.train
    )
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
    if isinstance(error, AssayError):  # what the learner returned is wrong: the place that checks it helps nobody
        return f"{type(error).__name__}: {error}".removesuffix(".")
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"


def fit_seed(seed: int, index: int) -> int:
    """The seed of one fit, a function of the scheme's seed and the index of the fit."""
    return int(keys(seed, index + (1 << 50), 1)[0] >> np.uint64(33))


def _settled(answers: dict[str, Any], model: Any, data: LearningData, n: int) -> dict[str, Any]:
    """Predictions in one convention: one column per class of all data, one number for the positive of two."""
    found: dict[str, Any] = {}
    for kind, values in _opened(answers, data).items():
        if np.ndim(values) == 0 or len(values) != n:
            raise InputError("", "learner", f"returned {np.size(values)} predictions ({kind}) for {n} rows")
        if kind != "y_pred" and data.task == "regression":
            continue  # numbers have no probabilities
        if kind == "y_score" and len(data.classes) > 2 and getattr(model, "pairwise", False):
            continue  # scores of pairs of classes; `run` has warned of it
        _refuse_missing(values, kind)
        found[kind] = _decided(values, data) if kind == "y_pred" else values
        if kind != "y_pred" and data.classes:
            found[kind] = _aligned(values, model.columns, data, kind)
    return found


def _opened(answers: dict[str, Any], data: LearningData) -> dict[str, Any]:
    """A matrix as the only prediction in classification holds probabilities: its largest column is the decision."""
    only = answers.get("y_pred")
    if not data.classes or len(answers) > 1 or only is None or only.ndim != 2 or only.shape[1] == 1:
        return answers
    names = data.columns or data.classes
    if only.shape[1] != len(names):
        raise InputError("", "learner", f"returned {only.shape[1]} columns for {len(names)} classes ({_listed(names)})")
    sums = np.asarray(only, dtype=np.float64).sum(axis=1)
    if np.isfinite(sums).all() and ((only < -_ROUNDING).any() or (np.abs(sums - 1) > 1e-3).any()):
        fix = "Return labels, or probabilities (softmax of the scores)."
        raise InputError("", "learner", "returned a matrix whose rows do not add up to 1", fix)
    return {"y_pred": np.array(names)[only.argmax(axis=1)], "y_prob": only}


def _refuse_missing(values: Any, kind: str) -> None:
    """A fit with missing predictions has failed; it must not stop the others."""
    bad = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        bad = np.isnan(values) if kind == "y_score" else ~np.isfinite(values)
    elif values.dtype.kind == "O":
        bad = np.array([v is None or v != v for v in values.ravel().tolist()]).reshape(values.shape)  # noqa: PLR0124
    if kind == "y_prob" and values.dtype.kind in "fiu" and ((values < -_ROUNDING) | (values > 1 + _ROUNDING)).any():
        raise InputError("", "learner", "returned y_prob that does not lie between 0 and 1")
    rows = bad.reshape(len(values), -1).any(axis=1)
    if rows.any():
        why = f"returned {kind} that is missing or infinite for {int(rows.sum())} of {len(values)} rows"
        raise InputError("", "learner", why)


def _decided(values: Any, data: LearningData) -> Any:
    """Decisions in the shape of the target, a single column as a vector; labels must be known ones."""
    shape: tuple[int, ...] = data.y.shape[1:]
    if values.size != len(values) * math.prod(shape):
        why = f"returned y_pred of shape {values.shape}, the target has {(len(values), *shape)}"
        raise InputError("", "learner", why)
    found = values.reshape(len(values), *shape)
    if data.classes and found.ndim == 1:
        _refuse_foreign(found, data)
    return found


def _refuse_foreign(labels: Any, data: LearningData) -> None:
    few = labels.dtype.kind in "biu" and len(data.classes) <= _FEW  # counted far more quickly than put into a set
    if few and sum(np.count_nonzero(labels == label) for label in data.classes) == len(labels):
        return
    known = {*data.classes, *(data.y.tolist() if data.y.dtype.kind == "O" else ())}
    strange = next((label for label in dict.fromkeys(labels.tolist()) if label not in known), None)
    if strange is not None:
        raise InputError(
            "",
            "learner",
            f"returned y_pred {strange!r}, which is not one of the classes ({_listed(data.classes)})",
            "Return labels; return probabilities from predict_proba, or as a matrix with one column per class.",
        )


def _listed(names: Any) -> str:
    return ", ".join(map(str, names))


def _aligned(values: Any, columns: Any, data: LearningData, kind: str) -> Any:
    names: list[Any] = list(data.columns or data.classes) if columns is None else np.asarray(columns).tolist()
    if values.ndim == 2 and values.shape[1] == 1 and len(names) == 2:
        values = values[:, 0]
    if values.ndim == 1:
        if len(names) != 2:
            why = f"returned one number of {kind} per row for {len(names)} classes ({_listed(names)})"
            raise InputError("", "learner", why)
        values = np.stack([_flipped(values, kind), values], axis=1)  # the number belongs to the second class
    if len(names) != values.shape[1]:
        why = f"returned {values.shape[1]} columns of {kind} for {len(names)} classes ({_listed(names)})"
        raise InputError("", "learner", why)
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
