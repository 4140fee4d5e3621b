"""From the columns that were named on the command line to the arguments of `evaluate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.cli import tasks
from assay.core.errors import ParameterError, did_you_mean
from assay.core.registry import metrics
from assay.core.takes import Takes
from assay.io.columns import Columns, Label, Matrix, as_labels
from assay.io.labels import alike

KINDS = {"y_prob": "prob", "y_score": "score", "logits": "logits"}


@dataclass(frozen=True)
class Request:
    """What the command line said about columns and labels."""

    truth: str
    task: str | None = None
    pred: str | None = None
    prob: str | None = None
    score: str | None = None
    logits: str | None = None
    weight: str | None = None
    groups: str | None = None
    strata: str | None = None
    ids: str | None = None
    by: tuple[str, ...] = ()
    classes: str | None = None
    positive: str | None = None
    threshold: float = 0.5
    inputs: tuple[str, ...] = ()

    def check(self) -> None:
        """What can be refused before a file is read."""
        if self.task is not None and self.task not in tasks.TASKS:
            raise ParameterError(f"there is no task {self.task!r}.{did_you_mean(self.task, tasks.TASKS)}")
        self.extra()
        if not (self.pred or self.prob or self.score or self.logits or self.inputs):
            raise ParameterError("nothing to score: name the predictions with --pred, --prob, --score or --logits.")
        if self.task == "regression":
            for option in ("prob", "score", "logits", "classes", "positive"):
                if getattr(self, option):
                    raise ParameterError(f"--{option} does not go with --task regression; its predictions are --pred.")
        if self.positive and self.task in ("multiclass", "multilabel"):
            raise ParameterError(f"--positive goes with --task binary, not {self.task}.")

    def extra(self) -> dict[str, str]:
        """The columns of ``--input NAME=COLUMN`` by name."""
        known = sorted({name for metric in metrics() for name in _more(metric.takes)})
        found: dict[str, str] = {}
        for text in self.inputs:
            name, mark, column = text.partition("=")
            if not (mark and name and column):
                raise ParameterError(f"--input {text!r}: write NAME=COLUMN, such as lower=q05.")
            if name not in known:
                hint = did_you_mean(name, known) or f" There are: {', '.join(known)}."
                raise ParameterError(f"--input {text!r}: no metric takes {name!r}.{hint}")
            if name in found:
                raise ParameterError(f"--input {text!r}: {name} was given twice.")
            found[name] = column
        return found


def _more(takes: Takes) -> tuple[str, ...]:
    """What a metric takes of each row that has no option of its own."""
    return tuple(n for n in (*takes.required, *takes.optional) if n not in ("y_true", "y_pred", *KINDS))


@dataclass(frozen=True)
class Call:
    """Arguments of `evaluate`, and why the task is what it is if that was not said."""

    arguments: dict[str, Any]
    told: str | None


def gather(tables: Sequence[Columns], requests: Sequence[Request]) -> list[Call]:
    """Read the columns of each model, find the task if need be, and put everything under the names that `evaluate` takes.

    The task that the first one tells is the task of all, and the labels of all are of one kind.
    """
    scores = [_scores(table, request) for table, request in zip(tables, requests, strict=True)]
    first = requests[0]
    told = None
    if first.task is None:
        told = tasks.tell(tables[0], first.truth, first.pred, scores[0], _classes(first, scores[0]))
    task = first.task or (told.task if told else "")
    if task in ("binary", "multiclass"):
        tables = _alike(tables, requests, _classes(first, scores[0]))
    return [
        Call(_arguments(task, table, request, own), told.why if told else None)
        for table, request, own in zip(tables, requests, scores, strict=True)
    ]


def _scores(table: Columns, request: Request) -> dict[str, Any]:
    return {name: table.values(wanted) for name, option in KINDS.items() if (wanted := getattr(request, option))}


def _alike(tables: Sequence[Columns], requests: Sequence[Request], known: Sequence[str]) -> list[Columns]:
    named = [
        [table.one(wanted) for wanted in (request.truth, request.pred) if wanted]
        for table, request in zip(tables, requests, strict=True)
    ]
    return alike(tables, named, known)


def _arguments(task: str, table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    build = {"regression": _regression, "binary": _binary, "multiclass": _multiclass, "multilabel": _multilabel}[task]
    arguments = {"task": task, **build(table, request, scores), **_rows(table, request)}
    if task != "regression":
        arguments["threshold"] = request.threshold
    if request.inputs:
        arguments["extra"] = {name: _bare(table.values(column)) for name, column in request.extra().items()}
    return arguments


def _rows(table: Columns, request: Request) -> dict[str, Any]:
    return {
        "weight": table.numbers(table.one(request.weight)) if request.weight else None,
        "groups": table.groups(table.one(request.groups)) if request.groups else None,
        "strata": table.groups(table.one(request.strata)) if request.strata else None,
        "ids": table.groups(table.one(request.ids)) if request.ids else None,
        "slices": {name: table.slices(name) for name in request.by},
    }


def _regression(table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    truth = table.values(request.truth)
    if not request.pred:
        if not request.inputs:
            raise ParameterError("--task regression needs the predictions: --pred.")
        return {"y_true": _bare(truth)}
    pred = table.values(request.pred)
    if isinstance(truth, Matrix) and isinstance(pred, Matrix):
        return {"y_true": truth.values, "y_pred": aligned(pred, truth.names, "--pred").values}
    return {"y_true": _bare(truth), "y_pred": _bare(pred)}


def _bare(values: Any) -> Any:
    return values.values if isinstance(values, Matrix) else values


def _classes(request: Request, scores: Mapping[str, Any]) -> list[str]:
    """The classes that the command line names, by option or by columns of scores."""
    named = [*(request.classes or "").split(","), request.positive or ""]
    named += [name for values in scores.values() if isinstance(values, Matrix) for name in values.names]
    return [name.strip() for name in named if name]


def _labels(table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    known = _classes(request, scores)
    y_true = table.labels(table.one(request.truth), known)
    found: dict[str, Any] = {"y_true": y_true}
    if request.pred:
        found["y_pred"] = table.labels(table.one(request.pred), known)
    if request.classes:
        found["classes"] = as_labels(request.classes.split(","), y_true)
    if request.positive:
        found["positive"] = as_labels([request.positive], y_true)[0]
    return found


def _binary(table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    return _with_scores(_labels(table, request, scores), scores)


def _multiclass(table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    for name, values in scores.items():
        if not isinstance(values, Matrix):
            option = f"--{KINDS[name]}"
            raise ParameterError(
                f"--task multiclass needs one {option} column a class: {option} p0,p1,p2 or {option} 'p_*'."
            )
    return _with_scores(_labels(table, request, scores), scores)


def _with_scores(found: dict[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    """Add the scores; the names of their columns are the classes unless these were said."""
    for name, values in scores.items():
        if isinstance(values, Matrix):
            if "classes" not in found:
                found["classes"] = as_labels(values.names, found["y_true"])
            elif len(scores) > 1:
                values = aligned(values, tuple(str(c) for c in found["classes"]), f"--{KINDS[name]}")  # noqa: PLW2901
        found[name] = _bare(values)
    return found


def _multilabel(table: Columns, request: Request, scores: Mapping[str, Any]) -> dict[str, Any]:
    truth = table.matrix(request.truth)
    names = tuple(n.strip() for n in request.classes.split(",")) if request.classes else truth.names
    if len(names) != len(truth.names):
        raise ParameterError(f"--classes names {len(names)} labels, --truth has {len(truth.names)} columns.")
    found: dict[str, Any] = {"y_true": truth.values, "classes": names}
    given = {**scores, **({"y_pred": table.matrix(request.pred)} if request.pred else {})}
    for name, values in given.items():
        option = f"--{KINDS.get(name, 'pred')}"
        if not isinstance(values, Matrix):
            raise ParameterError(
                f"--task multilabel needs one {option} column a label, as in --truth: {option} p_a,p_b."
            )
        found[name] = (values if request.classes else aligned(values, truth.names, option)).values
    return found


def aligned(matrix: Matrix, names: tuple[str, ...], option: str) -> Matrix:
    """The columns in the order of ``names``; columns that cannot be told to belong are refused, not guessed."""
    if matrix.names == names:
        return matrix
    if len(matrix.names) != len(names):
        raise ParameterError(
            f"{option} has {len(matrix.names)} columns, there must be {len(names)}: {', '.join(names)}."
        )
    if sorted(matrix.names) != sorted(names):
        raise ParameterError(
            f"{option} names {', '.join(matrix.names)}, the others {', '.join(names)}: which column is "
            "which? Name the columns alike, or say --classes and put all columns into that order."
        )
    order = [matrix.names.index(name) for name in names]
    return Matrix(np.asarray(matrix.values)[:, order], names)


__all__ = ["Call", "Label", "Request", "aligned", "gather"]
