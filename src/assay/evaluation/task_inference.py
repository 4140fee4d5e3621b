"""Which task the data pose, where they determine it without guessing; columns of tables and arrays are read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, Host, to_host
from assay.core.errors import EmptyInputError, InputError, ParameterError, arg
from assay.core.ingestion import ingest
from assay.core.name_columns import as_text
from assay.evaluation.presets import Task

if TYPE_CHECKING:
    from assay.data.columns import Columns

_TEXT = {"O", "U", "T"}
_SCORES = ("y_prob", "y_score", "logits")


@dataclass(frozen=True)
class InferredTask:
    """A task and the reason."""

    task: Task
    why: str

    @property
    def note(self) -> str:
        """What is said below the tables."""
        return f"taken as a {self.task} task: {self.why}"


def task_of_columns(
    table: Columns, truth: str | Sequence[str], pred: str | Sequence[str] | None, scores: Mapping[str, object], known: Sequence[str]
) -> InferredTask:  # fmt: skip
    """The task of the columns named, or an error that asks for it."""
    names = table.expand(truth)
    widths = [_width(getattr(values, "values", values)) for values in scores.values()]
    if len(names) > 1:
        return _settled(_of_matrix(np.asarray(table.matrix(truth).values)), table.who, "the columns do")
    found = _of_truth(
        repr(names[0]),
        _column(table, names[0], known),
        None if pred is None or widths else _column(table, table.one(pred), known),
        widths,
    )
    return _settled(found, table.who, "the columns do")


def task_of_arrays(who: str, given: Mapping[str, ArrayLike | None]) -> InferredTask:
    """The task of arrays by argument, or an error that asks for it."""
    arrays = {name: _host(value, name, who) for name, value in given.items() if value is not None}
    truth = arrays.get("y_true")
    if truth is None:
        raise InputError(who, "y_true", "is required")
    widths = [_width(values) for name, values in arrays.items() if name in _SCORES]
    if truth.size == 0:
        raise EmptyInputError(who, "y_true", "must not be empty")
    if truth.ndim > 1:
        found = _of_matrix(truth) if truth.ndim == 2 and truth.dtype.kind in "biuf" else None
    else:
        found = _of_truth("y_true", truth, arrays.get("y_pred"), widths)
    return _settled(found, who, "the data do")


def _width(values: object) -> int:
    """The columns of a matrix; a vector is one."""
    shape = np.shape(cast("Host", values))
    return shape[1] if len(shape) > 1 else 1


def _host(value: ArrayLike, name: str, who: str) -> Host:
    return to_host(ingest(value, name=name, who=who))


def _settled(found: InferredTask | None, who: str, what: str) -> InferredTask:
    if found is None:
        fix = f"Specify {arg('task')}: regression, binary, multiclass or multilabel."
        raise ParameterError(who, "", f"{what} not tell the task", fix)
    return found


def _of_matrix(truth: Host) -> InferredTask | None:
    zeros_and_ones = bool(((truth == 0) | (truth == 1)).all())
    return InferredTask("multilabel", f"the truth is {truth.shape[1]} columns of 0 and 1") if zeros_and_ones else None


def _of_truth(name: str, truth: Host, predicted: Host | None, widths: Sequence[int]) -> InferredTask | None:
    """From one column of truth, the predictions of its kind, and how many columns each kind of score has."""
    if widths and max(widths) > 2:
        return InferredTask("multiclass", f"{max(widths)} columns of scores")
    if widths:
        two = len(np.unique(as_text(truth))) == 2
        return InferredTask("binary", f"two labels in {name} and scores of one class") if two else None
    return _of_labels(name, truth, truth if predicted is None else predicted)


def _column(table: Columns, name: str, known: Sequence[str]) -> Any:
    """Labels; numbers with a decimal point may be amounts, however they are written."""
    return table.numbers(name) if table.frame.schema[name].is_float() else table.labels(name, known)


def _of_labels(name: str, truth: Host, predicted: Host) -> InferredTask | None:
    """Text is classes, non-integer numbers are regression; integers beyond 0 and 1 may be either."""
    if truth.dtype.kind == "f" and has_fractions(truth):
        return InferredTask("regression", f"{name} holds non-integer numbers")
    if truth.dtype.kind in "iu" and predicted.dtype.kind == "f" and has_fractions(predicted):
        return InferredTask("regression", "the predictions are non-integer numbers")
    kinds = {truth.dtype.kind, predicted.dtype.kind}
    both = {str(v) for values in (truth, predicted) for v in np.unique(as_text(values))}
    text = bool(kinds & _TEXT) and not any(v.dtype.kind == "f" and has_fractions(v) for v in (truth, predicted))
    if text or kinds == {"b"}:
        return InferredTask("binary" if len(both) <= 2 else "multiclass", f"{len(both)} labels in {name}")
    if kinds <= {"i", "u", "b"} and both <= {"0", "1", "True", "False"}:
        return InferredTask("binary", f"{name} holds 0 and 1")
    return None


def has_fractions(values: Host) -> bool:
    """Whether some numbers are no integers."""
    array = np.asarray(values, dtype=np.float64)
    return bool((array != np.round(array)).any())
