"""The data that a learner is tried on: rows of any container, a target, and what kind of problem it makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, ingest, to_host
from assay.core.errors import InputError, shown
from assay.core.monoids import Label
from assay.core.name_columns import as_text
from assay.core.parameters import choice
from assay.evaluation.presets import TABLES, Task


@dataclass(frozen=True, eq=False)
class LearningData:
    """Rows, targets, the group of each row if rows come in groups, and the task; ``classes`` in order, the positive one last.

    ``columns`` are the classes in the order in which a learner that does not name its columns has them: sorted, or as said.
    """

    X: Any
    y: Any
    groups: Any
    task: Task
    classes: tuple[Label, ...]
    columns: tuple[Label, ...] = ()

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
    """Rows by position: frames, arrays, tensors, tables, sparse matrices, and lists of whatever a learner takes."""
    if isinstance(X, np.ndarray):
        return cast(Any, X).take(at, axis=0)
    if hasattr(X, "iloc"):
        return X.iloc[at]
    if type(X).__module__.split(".")[0] == "pyarrow":
        return X.take(at)
    if isinstance(X, list | tuple):
        return [cast(Any, X)[i] for i in at]
    return X[at]


def as_data(
    X: Any, y: ArrayLike, groups: ArrayLike | None, *, task: Task | None, learns_classes: bool, classes: Sequence[Label] | None,
    positive: Label | None, who: str = "estimate",
) -> LearningData:  # fmt: skip
    """The data of a call, checked; the task is told by the target and the learner unless it is said."""
    target = _target(y, task, who)
    rows = _by_rows(X)
    n = _length(rows, who)
    if len(target) != n:
        raise InputError(f"{who}: X has {n} rows, y has {len(target)}. Each row needs its target.")
    if n < 2:
        raise InputError(f"{who}: at least 2 rows are needed, got {n}.")
    _refuse_missing(target, who)
    found: Task = task if task is not None else inferred_task(target, learns_classes=learns_classes)
    choice(who, "task", found, TABLES)
    labels = None if groups is None else to_host(ingest(groups, name="groups", who=who))
    if labels is not None and labels.shape != (n,):
        raise InputError(f"{who}: groups must hold one label for each of {n} rows, got shape {labels.shape}.")
    columns = _classes(target, found, classes, who)
    return LearningData(rows, target, labels, found, _positive_last(columns, found, positive, who), columns)


def _target(y: ArrayLike, task: Task | None, who: str) -> Any:
    """The target on the host: numbers kept as objects are numbers again, a single column is a vector."""
    found = to_host(ingest(y, name="y", who=who))
    if found.ndim == 2 and found.shape[1] == 1 and task != "multilabel":
        found = found[:, 0]
    if found.ndim not in (1, 2):
        raise InputError(f"{who}: y must hold one target a row, or a row of them, got shape {found.shape}.")
    if found.dtype.kind == "O" and found.size:
        kinds: set[Any] = {type(value) for value in cast(Any, found).ravel().tolist()}
        if kinds in ({int}, {float}, {bool}, {int, float}):
            return np.array(found.tolist())
    return found


def _length(X: Any, who: str) -> int:
    """How many rows there are; what has none, or cannot give them by place, is refused."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError, AttributeError, RuntimeError) as error:
        raise InputError(f"{who}: X must hold rows, in an array, a list or a frame, got {shown(X)}.") from error


def _by_rows(X: Any) -> Any:
    """Sparse rows in a format that gives rows; the others cannot, or not fast."""
    return X.tocsr() if hasattr(X, "tocsr") and getattr(X, "format", "csr") not in ("csr", "csc", "lil") else X


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


def inferred_task(y: Any, *, learns_classes: bool) -> Task:
    """Numbers are a regression, unless the learner gives probabilities; two values are binary, a matrix of 0 and 1 multilabel."""
    if y.ndim == 2:
        return "multilabel" if y.dtype.kind in "biu" else "regression"
    if not learns_classes and y.dtype.kind in "iuf":
        return "regression"
    return "binary" if len(np.unique(as_text(y))) == 2 else "multiclass"


def _classes(y: Any, task: Task, said: Sequence[Label] | None, who: str) -> tuple[Label, ...]:
    """The classes of all rows, so that a fold that lacks one is still scored with it."""
    if task not in ("binary", "multiclass"):
        return tuple(said or ())
    found: list[Any] = list(said) if said is not None else np.unique(as_text(y)).tolist()
    if task == "binary" and len(found) != 2:
        raise InputError(
            f"{who}: a binary task has 2 classes, y holds {len(found)}. Say task='multiclass' or 'regression'."
        )
    if len(found) < 2:
        raise InputError(f"{who}: y holds a single class, so there is nothing to learn.")
    return tuple(found)


def _positive_last(found: tuple[Label, ...], task: Task, positive: Label | None, who: str) -> tuple[Label, ...]:
    if positive is None or task not in ("binary", "multiclass"):
        return found
    if positive not in found:
        raise InputError(f"{who}: positive={positive!r} is not a class of y ({', '.join(map(str, found))}).")
    return tuple(sorted(found, key=lambda c: c == positive)) if task == "binary" else found
