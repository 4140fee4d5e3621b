"""From columns of a table, named by the command line or by a caller, to the arguments of `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.errors import ParameterError, arg
from assay.core.monoids import Label
from assay.data.columns import Columns, Matrix, Wanted, as_labels
from assay.data.label_spelling import alike
from assay.evaluation.presets import TEXTS
from assay.evaluation.task_inference import InferredTask, task_of_columns

KINDS = {"y_prob": "prob", "y_score": "score", "logits": "logits"}
PREDICTIONS = ("y_pred", *KINDS)


@dataclass(frozen=True)
class ColumnOptions:
    """The columns and labels of one model; ``extra`` holds columns by the name of the input."""

    truth: Wanted
    task: str | None = None
    pred: Wanted | None = None
    prob: Wanted | None = None
    score: Wanted | None = None
    logits: Wanted | None = None
    weight: str | None = None
    groups: str | None = None
    strata: str | None = None
    ids: str | None = None
    by: tuple[str, ...] = ()
    classes: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float = 0.5
    extra: Mapping[str, Wanted] = field(default_factory=dict[str, Wanted])

    @property
    def named(self) -> list[Wanted]:
        """Every column that is asked for."""
        several = (self.truth, self.pred, self.prob, self.score, self.logits, *self.by, *self.extra.values())
        return [one for one in (*several, self.weight, self.groups, self.strata, self.ids) if one is not None]


@dataclass(frozen=True)
class TableArguments:
    """Arguments of `evaluate`, and the task with its reason if it was not named."""

    arguments: dict[str, Any]
    inferred: InferredTask | None


def gather(tables: Sequence[Columns], requests: Sequence[ColumnOptions]) -> list[TableArguments]:
    """Read the columns of each model, find the task if need be, and put everything under the names that `evaluate` takes.

    The task of the first is the task of all, and the labels of all are of one kind.
    """
    scores = [_scores(table, request) for table, request in zip(tables, requests, strict=True)]
    first = requests[0]
    inferred = None
    if first.task is None:
        inferred = task_of_columns(tables[0], first.truth, first.pred, scores[0], _classes(first, scores[0]))
    task = first.task or (inferred.task if inferred else "")
    if task in ("binary", "multiclass"):
        tables = _alike(tables, requests, _classes(first, scores[0]))
    return [
        TableArguments(_arguments(task, table, request, own), inferred)
        for table, request, own in zip(tables, requests, scores, strict=True)
    ]


def _scores(table: Columns, request: ColumnOptions) -> dict[str, Any]:
    return {name: table.values(wanted) for name, option in KINDS.items() if (wanted := getattr(request, option))}


def _alike(tables: Sequence[Columns], requests: Sequence[ColumnOptions], known: Sequence[str]) -> list[Columns]:
    named = [
        [table.one(wanted) for wanted in (request.truth, request.pred) if wanted]
        for table, request in zip(tables, requests, strict=True)
    ]
    return alike(tables, named, known)


def _arguments(task: str, table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    if task in TEXTS:
        return _of_texts(task, table, request)
    build = {"regression": _regression, "binary": _binary, "multiclass": _multiclass, "multilabel": _multilabel}[task]
    arguments = {"task": task, **build(table, request, scores), **_rows(table, request)}
    if task != "regression":
        arguments["threshold"] = request.threshold
    if request.extra:
        arguments["extra"] = {name: _bare(table.values(column)) for name, column in request.extra.items()}
    return arguments


def _of_texts(task: str, table: Columns, request: ColumnOptions) -> dict[str, Any]:
    """Texts stay texts; several columns of truth are several references."""
    if not request.pred:
        raise ParameterError("", "", f"{arg('task', task)} requires the predictions: {arg('pred')}")
    texts = {"y_true": table.texts(request.truth), "y_pred": table.texts(table.one(request.pred))}
    more = {name: table.texts(table.one(column)) for name, column in request.extra.items()}
    return {"task": task, **texts, **_rows(table, request), **({"extra": more} if more else {})}


def _rows(table: Columns, request: ColumnOptions) -> dict[str, Any]:
    return {
        "weight": table.numbers(table.one(request.weight)) if request.weight else None,
        "groups": table.groups(table.one(request.groups)) if request.groups else None,
        "strata": table.groups(table.one(request.strata)) if request.strata else None,
        "ids": table.groups(table.one(request.ids)) if request.ids else None,
        "slices": {name: table.slices(name) for name in request.by},
    }


def _regression(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    truth = table.values(request.truth)
    if not request.pred:
        if not request.extra:
            raise ParameterError("", "", f"{arg('task', 'regression')} requires the predictions: {arg('pred')}")
        return {"y_true": _bare(truth)}
    pred = table.values(request.pred)
    if isinstance(truth, Matrix) and isinstance(pred, Matrix):
        return {"y_true": truth.values, "y_pred": aligned(pred, truth.names, "pred").values}
    return {"y_true": _bare(truth), "y_pred": _bare(pred)}


def _bare(values: Any) -> Any:
    return values.values if isinstance(values, Matrix) else values


def _classes(request: ColumnOptions, scores: Mapping[str, Any]) -> list[str]:
    """The classes that the caller names, or the columns of scores."""
    named = [str(label) for label in (*(request.classes or ()), request.positive) if label is not None]
    return named + [name for values in scores.values() if isinstance(values, Matrix) for name in values.names]


def _labels(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    known = _classes(request, scores)
    y_true = table.labels(table.one(request.truth), known)
    found: dict[str, Any] = {"y_true": y_true}
    if request.pred:
        found["y_pred"] = table.labels(table.one(request.pred), known)
    if request.classes:
        found["classes"] = as_labels([str(label) for label in request.classes], y_true)
    if request.positive is not None:
        found["positive"] = as_labels([str(request.positive)], y_true)[0]
    return found


def _binary(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    return _with_scores(_labels(table, request, scores), scores)


def _multiclass(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    for name, values in scores.items():
        if not isinstance(values, Matrix):
            option = KINDS[name]
            columns = " or ".join(arg(option, columns) for columns in ("p0,p1,p2", "p_*"))
            words = f"{arg('task', 'multiclass')} requires one {arg(option)} column per class: {columns}"
            raise ParameterError("", "", words)
    return _with_scores(_labels(table, request, scores), scores)


def _with_scores(found: dict[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    """Add the scores; the names of their columns are the classes unless the caller names them."""
    for name, values in scores.items():
        if isinstance(values, Matrix):
            if "classes" not in found:
                found["classes"] = as_labels(values.names, found["y_true"])
            elif len(scores) > 1:
                values = aligned(values, tuple(str(c) for c in found["classes"]), KINDS[name])  # noqa: PLW2901
        found[name] = _bare(values)
    return found


def _multilabel(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    truth = table.matrix(request.truth)
    names = tuple(map(str, request.classes)) if request.classes else truth.names
    if len(names) != len(truth.names):
        words = f"names {len(names)} labels, but {arg('truth')} has {len(truth.names)} columns"
        raise ParameterError("", "classes", words)
    found: dict[str, Any] = {"y_true": truth.values, "classes": names}
    given = {**scores, **({"y_pred": table.matrix(request.pred)} if request.pred else {})}
    for name, values in given.items():
        option = KINDS.get(name, "pred")
        if not isinstance(values, Matrix):
            words = f"requires one {arg(option)} column per label, as in {arg('truth')}: {arg(option, 'p_a,p_b')}"
            raise ParameterError("", "", f"{arg('task', 'multilabel')} {words}")
        found[name] = (values if request.classes else aligned(values, truth.names, option)).values
    return found


def aligned(matrix: Matrix, names: tuple[str, ...], option: str, who: str = "") -> Matrix:
    """The columns in the order of ``names``; columns that cannot be matched are refused, not guessed."""
    if matrix.names == names:
        return matrix
    if len(matrix.names) != len(names):
        words = f"has {len(matrix.names)} columns, there must be {len(names)}: {', '.join(names)}"
        raise ParameterError(who, option, words)
    if sorted(matrix.names) != sorted(names):
        raise ParameterError(
            who, option,
            f"names {', '.join(matrix.names)}, the others {', '.join(names)}: which column is which?",
            f"Name the columns alike, or specify {arg('classes')} and put all columns into that order.",
        )  # fmt: skip
    order = [matrix.names.index(name) for name in names]
    return Matrix(np.asarray(matrix.values)[:, order], names)


def shared_arguments(call: TableArguments) -> dict[str, object]:
    """What `compare` takes for all models at once."""
    return {k: v for k, v in call.arguments.items() if k not in (*PREDICTIONS, "extra", "slices", "ids")}


def model_predictions(calls: Sequence[TableArguments], names: Sequence[str]) -> dict[str, dict[str, object]]:
    """What each model predicted, the columns of its classes in the order of the first."""
    classes = calls[0].arguments.get("classes")
    found: dict[str, dict[str, object]] = {}
    for call, name in zip(calls, names, strict=True):
        own = call.arguments
        given = {kind: own[kind] for kind in PREDICTIONS if kind in own}
        if classes is not None and own.get("classes", classes) != classes:
            order, wanted = tuple(map(str, own["classes"])), tuple(map(str, classes))
            for kind, values in given.items():
                if kind != "y_pred" and getattr(values, "ndim", 1) == 2:
                    given[kind] = aligned(Matrix(values, order), wanted, KINDS[kind], name).values
        found[name] = {**given, **own.get("extra", {})}
    return found
