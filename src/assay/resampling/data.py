"""The data that a learner is tried on: rows of any container, a target, and what kind of problem it makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, ingest, to_host
from assay.core.errors import InputError
from assay.core.monoids import Label
from assay.core.parameters import choice
from assay.evaluation.presets import TABLES, Task


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, targets, the group of each row if rows come in groups, and the task; ``classes`` in order, the positive one last."""

    X: Any
    y: Any
    groups: Any
    task: Task
    classes: tuple[Label, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)

    def rows(self, at: Any) -> Any:
        """Some of the rows, in the container that they came in."""
        return rows_of(self.X, at)

    def groups_of(self, at: Any) -> Any:
        """The groups of some rows, if there are any."""
        return None if self.groups is None else self.groups[at]


def rows_of(X: Any, at: Any) -> Any:
    """Rows by position: frames, arrays, tensors, sparse matrices, and lists of whatever a learner takes."""
    if isinstance(X, np.ndarray):
        return cast(Any, X).take(at, axis=0)
    if hasattr(X, "iloc"):
        return X.iloc[at]
    if isinstance(X, list | tuple):
        return [cast(Any, X)[i] for i in at]
    return X[at]


def as_data(
    X: Any, y: ArrayLike, groups: ArrayLike | None, *, task: Task | None, learns_classes: bool, classes: Sequence[Label] | None,
    positive: Label | None, who: str = "estimate",
) -> Data:  # fmt: skip
    """The data of a call, checked; the task is told by the target and the learner unless it is said."""
    target = to_host(ingest(y, name="y", who=who))
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    if len(target) != n:
        raise InputError(f"{who}: X has {n} rows, y has {len(target)}. Each row needs its target.")
    if n < 2:
        raise InputError(f"{who}: at least 2 rows are needed, got {n}.")
    _refuse_missing(target, who)
    found: Task = task if task is not None else told_task(target, learns_classes=learns_classes)
    choice(who, "task", found, TABLES)
    labels = None if groups is None else to_host(ingest(groups, name="groups", who=who))
    if labels is not None and labels.shape != (n,):
        raise InputError(f"{who}: groups must hold one label for each of {n} rows, got shape {labels.shape}.")
    return Data(X, target, labels, found, _classes(target, found, classes, positive, who))


def _refuse_missing(y: Any, who: str) -> None:
    bad = (
        np.array([v is None or (isinstance(v, float) and math.isnan(v)) for v in y.tolist()])
        if y.dtype.kind == "O"
        else None
    )
    if y.dtype.kind == "f":
        bad = ~np.isfinite(y).reshape(len(y), -1).all(axis=1)
    if bad is not None and bad.any():
        raise InputError(
            f"{who}: y is missing or infinite in {int(bad.sum())} rows, the first is row {int(np.argmax(bad))}. Drop them first."
        )


def told_task(y: Any, *, learns_classes: bool) -> Task:
    """Numbers are a regression, unless the learner gives probabilities; two values are binary, a matrix of 0 and 1 multilabel."""
    if y.ndim == 2:
        return "multilabel" if y.dtype.kind in "biu" else "regression"
    if not learns_classes and y.dtype.kind in "iuf":
        return "regression"
    return "binary" if len(np.unique(y.astype(str) if y.dtype.kind == "O" else y)) == 2 else "multiclass"


def _classes(y: Any, task: Task, said: Sequence[Label] | None, positive: Label | None, who: str) -> tuple[Label, ...]:
    """The classes of all rows, so that a fold that lacks one is still scored with it."""
    if task not in ("binary", "multiclass"):
        return tuple(said or ())
    found: list[Any] = (
        list(said) if said is not None else np.unique(y.astype(str) if y.dtype.kind == "O" else y).tolist()
    )
    if task == "binary" and len(found) != 2:
        raise InputError(
            f"{who}: a binary task has 2 classes, y holds {len(found)}. Say task='multiclass' or 'regression'."
        )
    if len(found) < 2:
        raise InputError(f"{who}: y holds a single class, so there is nothing to learn.")
    if positive is not None and positive not in found:
        raise InputError(f"{who}: positive={positive!r} is not a class of y ({', '.join(map(str, found))}).")
    if task == "binary" and positive is not None:
        found.sort(key=lambda c: c == positive)
    return tuple(found)
