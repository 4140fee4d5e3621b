"""Which task a table poses, where the columns determine it without guessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import ParameterError
from assay.core.name_columns import as_text
from assay.io.columns import Columns, Matrix

_TEXT = {"O", "U", "T"}


@dataclass(frozen=True)
class InferredTask:
    """A task and the reason."""

    task: str
    why: str


def inferred_task(
    table: Columns, truth: str, pred: str | None, scores: Mapping[str, Any], known: Sequence[str] = ()
) -> InferredTask:
    """The task, or an error that asks for it."""
    names = table.expand(truth)
    found = _of_matrix(table.matrix(truth)) if len(names) > 1 else _of_column(table, names[0], pred, scores, known)
    if found is None:
        fix = "Specify --task regression, binary, multiclass or multilabel."
        raise ParameterError(table.who, "", "the columns do not tell the task", fix)
    return found


def _of_matrix(truth: Matrix) -> InferredTask | None:
    values = np.asarray(truth.values)
    zeros_and_ones = bool(((values == 0) | (values == 1)).all())
    return InferredTask("multilabel", f"{values.shape[1]} columns of 0 and 1 in --truth") if zeros_and_ones else None


def _of_column(
    table: Columns, name: str, pred: str | None, scores: Mapping[str, Any], known: Sequence[str]
) -> InferredTask | None:
    truth = _values(table, name, known)
    widths = {np.asarray(v.values).shape[1] if isinstance(v, Matrix) else 1 for v in scores.values()}
    count = len(np.unique(as_text(truth)))
    if widths and max(widths) > 2:
        return InferredTask("multiclass", f"{max(widths)} columns of scores")
    if widths:
        return InferredTask("binary", f"two labels in {name!r} and scores of one class") if count == 2 else None
    predicted = _values(table, table.one(pred), known) if pred else truth
    return _of_labels(name, truth, predicted)


def _values(table: Columns, name: str, known: Sequence[str]) -> Any:
    """Labels; numbers with a decimal point may be amounts, however they are written."""
    return table.numbers(name) if table.frame.schema[name].is_float() else table.labels(name, known)


def _of_labels(name: str, truth: Any, predicted: Any) -> InferredTask | None:
    """Text is classes, non-integer numbers are regression; integers beyond 0 and 1 may be either."""
    if truth.dtype.kind == "f" and _fractions(truth):
        return InferredTask("regression", f"{name!r} holds non-integer numbers")
    if truth.dtype.kind in "iu" and predicted.dtype.kind == "f" and _fractions(predicted):
        return InferredTask("regression", "the predictions are non-integer numbers")
    kinds = {truth.dtype.kind, predicted.dtype.kind}
    both = {str(v) for values in (truth, predicted) for v in np.unique(as_text(values))}
    text = bool(kinds & _TEXT) and not any(v.dtype.kind == "f" and _fractions(v) for v in (truth, predicted))
    if text or kinds == {"b"}:
        return InferredTask("binary" if len(both) <= 2 else "multiclass", f"{len(both)} labels in {name!r}")
    if kinds <= {"i", "u", "b"} and both <= {"0", "1", "True", "False"}:
        return InferredTask("binary", f"{name!r} holds 0 and 1")
    return None


def _fractions(values: Any) -> bool:
    array = np.asarray(values, dtype=np.float64)
    return bool((array != np.round(array)).any())
