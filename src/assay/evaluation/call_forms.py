"""The forms in which `evaluate` and `compare` are called: arrays by name, positional arrays, columns of a table.

Kinds of predictions are named by the caller, never guessed from values: 0.7 may be a probability, a score or a logit.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.core.arrays import ArrayLike, kind_of, to_host
from assay.core.errors import InputError, ParameterError, arg
from assay.core.ingestion import column_names, ingest
from assay.evaluation.presets import PREPARED, RANKINGS, Task
from assay.evaluation.task_inference import has_fractions

_NAMED = ("truth", "pred", "prob", "score", "logits")
_KINDS = ("y_prob", "y_score", "logits")


def refuse_arrays(who: str, given: Mapping[str, object]) -> None:
    """Beside columns of a table, arrays of predictions would be a second truth about the same rows."""
    for name, value in given.items():
        if value is not None:
            fix = f"Columns of a table are named by {', '.join(map(arg, _NAMED))}."
            raise ParameterError(who, name, f"does not go with {arg('truth')}, which names a column of a table", fix)


def refuse_columns(who: str, given: Mapping[str, object]) -> None:
    """Columns that are named without a table, or without its truth."""
    for name, value in given.items():
        if value is not None:
            fix = f"Name the column of true values too: {who}(df, {arg('truth', 'y')}, ...)."
            fix = f"Slices of arrays are given as {arg('slices')}, a dict of name and array." if name == "by" else fix
            raise ParameterError(who, name, f"names a column of a table, whose {arg('truth')} is not named", fix)


def true_values(who: str, data: ArrayLike | None, y_true: ArrayLike | None, *, alone: bool) -> ArrayLike | None:
    """The truth, positional or by name; a table without anything else needs the names of its columns."""
    if data is None or y_true is None:
        if data is not None and alone and column_names(data) is not None:
            named = "p" if who == "evaluate" else ["p", "q"]
            fix = f"Name its columns: {who}(df, {arg('truth', 'y')}, {arg('prob', named)})."
            raise InputError(who, "data", "is a table whose columns have no part yet", fix)
        return y_true if data is None else data
    fix = f"Columns of a table are named by {', '.join(map(arg, _NAMED))}." if isinstance(y_true, str) else "Drop one."
    raise InputError(who, "y_true", "was given twice, as a positional and as a keyword argument", fix)


def placed(
    who: str, data: ArrayLike | None, predictions: ArrayLike | None, given: Mapping[str, ArrayLike | None], task: Task | None
) -> dict[str, ArrayLike | None]:  # fmt: skip
    """The arrays by name, the positional ones among them."""
    others = [name for name, value in given.items() if value is not None and name != "y_true"]
    found = {**given, "y_true": true_values(who, data, given["y_true"], alone=predictions is None and not others)}
    if predictions is None:
        return found
    kind = bare_kind(who, "predictions", predictions, task, found["y_true"])
    if kind is None:
        kinds = " or ".join(arg(name) for name in _KINDS)
        fix = f"Name them: {kinds}; for a regression, {arg('task', 'regression')}."
        raise ParameterError(who, "", "are these numbers probabilities, scores or logits?", fix)
    if given[kind] is not None:
        raise InputError(who, kind, "was given twice, as a positional and as a keyword argument")
    return {**found, kind: predictions}


def bare_kind(who: str, name: str, values: ArrayLike, task: Task | None, truth: ArrayLike | None) -> str | None:
    """What predictions are whose kind nobody named; None for fractional numbers beside labels, which may be several things."""
    if task in RANKINGS:
        return "y_score"
    if task == "regression" or task in PREPARED or kind_of(ingest(values, name=name, who=who)) != "float":
        return "y_pred"
    amounts = ingest(truth, name="y_true", who=who) if task is None and truth is not None else None
    return "y_pred" if amounts is not None and kind_of(amounts) == "float" and has_fractions(to_host(amounts)) else None
