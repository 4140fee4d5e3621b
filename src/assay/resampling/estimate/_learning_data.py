"""The data that a learner is tested on: rows of any container, a target, and the task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, to_host
from assay.core.errors import InputError, arg, shown
from assay.core.ingestion import ingest
from assay.core.monoids import Label
from assay.core.name_columns import as_text
from assay.core.parameters import choice
from assay.evaluation.presets import TABLES, Task


@dataclass(frozen=True, eq=False)
class LearningData:
    """Rows, targets, the group of each row if there are groups, and the task; ``classes`` in order, the positive one last.

    ``columns`` are the classes in the order assumed for a learner that does not name its columns: sorted, or as given.
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
        """Some of the rows, in the container they came in."""
        return rows_of(self.X, at)

    def groups_of(self, at: Any) -> Any:
        """The groups of some rows, if there are any."""
        return None if self.groups is None else self.groups[at]


def rows_of(X: Any, at: Any) -> Any:
    """Rows by position: of frames, arrays, tensors, tables, sparse matrices, and lists of anything a learner accepts."""
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
    """The data of a call, checked; the task is inferred from target and learner unless it is given."""
    target = _target(y, task, who)
    rows = _by_rows(X)
    n = _length(rows, who)
    if len(target) != n:
        raise InputError(
            who, "y", f"must have one target per row: {arg('X')} has {n} rows, {arg('y')} has {len(target)}"
        )
    if n < 2:
        raise InputError(who, "X", f"must have at least 2 rows, got {n}")
    _refuse_missing(target, who)
    found: Task = task if task is not None else inferred_task(target, learns_classes=learns_classes)
    choice(who, "task", found, TABLES)
    labels = None if groups is None else to_host(ingest(groups, name="groups", who=who))
    if labels is not None and labels.shape != (n,):
        raise InputError(who, "groups", f"must hold one label per row, {n} in all, got shape {labels.shape}")
    columns = _classes(target, found, classes, who)
    return LearningData(rows, target, labels, found, _positive_last(columns, found, positive, who), columns)


def _target(y: ArrayLike, task: Task | None, who: str) -> Any:
    """The target on the host: numbers stored as objects become numbers, a single column a vector."""
    found = to_host(ingest(y, name="y", who=who))
    if found.ndim == 2 and found.shape[1] == 1 and task != "multilabel":
        found = found[:, 0]
    if found.ndim not in (1, 2):
        raise InputError(who, "y", f"must hold one target per row, or one row of targets, got shape {found.shape}")
    if found.dtype.kind == "O" and found.size:
        kinds: set[Any] = {type(value) for value in cast(Any, found).ravel().tolist()}
        if kinds in ({int}, {float}, {bool}, {int, float}):
            return np.array(found.tolist())
    return found


def _length(X: Any, who: str) -> int:
    """How many rows there are; refuses what has no rows that can be indexed."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError, AttributeError, RuntimeError) as error:
        raise InputError(who, "X", f"must hold rows, in an array, a list or a frame, got {shown(X)}") from error


def _by_rows(X: Any) -> Any:
    """Sparse rows in a format that can be indexed by row quickly."""
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
        why = f"is missing or infinite in {int(bad.sum())} rows, the first is row {int(np.argmax(bad))}"
        raise InputError(who, "y", why, "Drop them first.")


def inferred_task(y: Any, *, learns_classes: bool) -> Task:
    """Numbers mean regression, unless the learner classifies; two values are binary, a matrix of 0 and 1 is multilabel."""
    if y.ndim == 2:
        return "multilabel" if y.dtype.kind in "biu" else "regression"
    if not learns_classes and y.dtype.kind in "iuf":
        return "regression"
    return "binary" if len(np.unique(as_text(y))) == 2 else "multiclass"


def _classes(y: Any, task: Task, given: Sequence[Label] | None, who: str) -> tuple[Label, ...]:
    """The classes of all rows, so that a fold that lacks one is still scored with it."""
    if task not in ("binary", "multiclass"):
        return tuple(given or ())
    found: list[Any] = list(given) if given is not None else np.unique(as_text(y)).tolist()
    if task == "binary" and len(found) != 2:
        fix = f"Choose {arg('task', 'multiclass')} or {arg('task', 'regression')}."
        raise InputError(who, "y", f"must have 2 classes for a binary task, got {len(found)}", fix)
    if len(found) < 2:
        raise InputError(who, "y", "holds a single class, so there is nothing to learn")
    return tuple(found)


def _positive_last(found: tuple[Label, ...], task: Task, positive: Label | None, who: str) -> tuple[Label, ...]:
    if positive is None or task not in ("binary", "multiclass"):
        return found
    if positive not in found:
        why = f"must be a class of {arg('y')} ({', '.join(map(str, found))}), got {positive!r}"
        raise InputError(who, "positive", why)
    return tuple(sorted(found, key=lambda c: c == positive)) if task == "binary" else found
