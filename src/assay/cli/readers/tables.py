"""Tables: from the columns that the command line names to the arguments of `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from assay.cli.readers import task_inference
from assay.cli.readers.reader import CompareInput, DataOptions, ScoreInput
from assay.core.errors import ParameterError, did_you_mean
from assay.core.registry import metrics
from assay.core.takes import Takes
from assay.evaluation.presets import IMAGES
from assay.io import read_columns
from assay.io.columns import Columns, Matrix, as_labels
from assay.io.label_spelling import alike

KINDS = {"y_prob": "prob", "y_score": "score", "logits": "logits"}
_PREDICTIONS = ("pred", *KINDS.values())


class TableReader:
    """Tasks on tables, whose task the columns may determine."""

    options = frozenset({
        "input_format", "truth", "pred", "prob", "score", "logits", "inputs", "weight", "groups", "strata", "ids", "by", "missing",
        "classes", "positive", "threshold",
    })  # fmt: skip

    def check(self, data: DataOptions, command: str) -> None:
        """A table has the truth among its columns; a score is of one table."""
        tasks = f"{', '.join(list(IMAGES)[:-1])} or {list(IMAGES)[-1]}"
        if data.truth is None and len(data.files) == 1 and Path(data.files[0]).is_dir():
            fix = f"For images, name the truth and the predictions, and specify --task {tasks}."
            raise ParameterError("", data.files[0], "is a folder", fix)
        if command == "score" and len(data.files) > 1:
            raise ParameterError(
                "", "", "two files were named, but a table is one", f"For images, specify --task {tasks}."
            )
        if data.truth is None:
            raise ParameterError("", "--truth", "must name the column of true values", f"See assay {command} --help.")
        if command == "score":
            column_options(data).check()

    def score(self, data: DataOptions) -> ScoreInput:
        """The columns of one table."""
        [found] = gather([read_columns(data.files[0], data.input_format)], [column_options(data)])
        return ScoreInput(found.arguments, found.inferred)

    def compare(self, data: DataOptions) -> CompareInput:
        """The columns of several models, from one file per model or from one file."""
        from assay.cli.readers.model_tables import compared

        return compared(data)


@dataclass(frozen=True)
class ColumnOptions:
    """The columns and labels of one model."""

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
        self.extra()
        if not (self.pred or self.prob or self.score or self.logits or self.inputs):
            raise ParameterError(
                "", "", "nothing to score", "Name the predictions with --pred, --prob, --score or --logits."
            )
        if self.task == "regression":
            for option in ("prob", "score", "logits", "classes", "positive"):
                if getattr(self, option):
                    fix = "The predictions of a regression are --pred."
                    raise ParameterError("", f"--{option}", "does not apply to --task regression", fix)
        if self.positive and self.task in ("multiclass", "multilabel"):
            raise ParameterError("", "--positive", f"applies to --task binary, not {self.task}")

    def extra(self) -> dict[str, str]:
        """The columns of ``--input NAME=COLUMN`` by name."""
        known = sorted({name for metric in metrics() for name in _more(metric.takes)})
        found: dict[str, str] = {}
        for text in self.inputs:
            name, mark, column = text.partition("=")
            if not (mark and name and column):
                raise ParameterError("", "--input", f"must be NAME=COLUMN, such as lower=q05; got {text!r}")
            if name not in known:
                hint = did_you_mean(name, known).strip() or f"There are: {', '.join(known)}."
                raise ParameterError(f"--input {text!r}", "", f"no metric takes {name!r}", hint)
            if name in found:
                raise ParameterError(f"--input {text!r}", name, "was given twice")
            found[name] = column
        return found


def column_options(data: DataOptions, own: dict[str, str | None] | None = None) -> ColumnOptions:
    """The columns of one model: its ``own`` predictions, or the only ones that were named."""
    shared: dict[str, Any] = {
        f.name: getattr(data, f.name) for f in fields(ColumnOptions) if f.name not in _PREDICTIONS
    }
    predictions: dict[str, Any] = (
        dict(own) if own else {name: next(iter(getattr(data, name)), None) for name in _PREDICTIONS}
    )
    return ColumnOptions(**shared, **predictions)


def _more(takes: Takes) -> tuple[str, ...]:
    """The inputs of a metric that have no option of their own."""
    return tuple(n for n in (*takes.required, *takes.optional) if n not in ("y_true", "y_pred", *KINDS))


@dataclass(frozen=True)
class TableArguments:
    """Arguments of `evaluate`, and why the task is what it is if it was not named."""

    arguments: dict[str, Any]
    inferred: str | None


def gather(tables: Sequence[Columns], requests: Sequence[ColumnOptions]) -> list[TableArguments]:
    """Read the columns of each model, find the task if need be, and put everything under the names that `evaluate` takes.

    The task of the first is the task of all, and the labels of all are of one kind.
    """
    scores = [_scores(table, request) for table, request in zip(tables, requests, strict=True)]
    first = requests[0]
    inferred = None
    if first.task is None:
        known = _classes(first, scores[0])
        inferred = task_inference.inferred_task(tables[0], first.truth, first.pred, scores[0], known)
    task = first.task or (inferred.task if inferred else "")
    if task in ("binary", "multiclass"):
        tables = _alike(tables, requests, _classes(first, scores[0]))
    return [
        TableArguments(_arguments(task, table, request, own), inferred.why if inferred else None)
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
    build = {"regression": _regression, "binary": _binary, "multiclass": _multiclass, "multilabel": _multilabel}[task]
    arguments = {"task": task, **build(table, request, scores), **_rows(table, request)}
    if task != "regression":
        arguments["threshold"] = request.threshold
    if request.inputs:
        arguments["extra"] = {name: _bare(table.values(column)) for name, column in request.extra().items()}
    return arguments


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
        if not request.inputs:
            raise ParameterError("", "--task regression", "requires the predictions: --pred")
        return {"y_true": _bare(truth)}
    pred = table.values(request.pred)
    if isinstance(truth, Matrix) and isinstance(pred, Matrix):
        return {"y_true": truth.values, "y_pred": aligned(pred, truth.names, "--pred").values}
    return {"y_true": _bare(truth), "y_pred": _bare(pred)}


def _bare(values: Any) -> Any:
    return values.values if isinstance(values, Matrix) else values


def _classes(request: ColumnOptions, scores: Mapping[str, Any]) -> list[str]:
    """The classes that the command line names, by option or by columns of scores."""
    named = [*(request.classes or "").split(","), request.positive or ""]
    named += [name for values in scores.values() if isinstance(values, Matrix) for name in values.names]
    return [name.strip() for name in named if name]


def _labels(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
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


def _binary(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    return _with_scores(_labels(table, request, scores), scores)


def _multiclass(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    for name, values in scores.items():
        if not isinstance(values, Matrix):
            option = f"--{KINDS[name]}"
            words = f"requires one {option} column per class: {option} p0,p1,p2 or {option} 'p_*'"
            raise ParameterError("", "--task multiclass", words)
    return _with_scores(_labels(table, request, scores), scores)


def _with_scores(found: dict[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    """Add the scores; the names of their columns are the classes unless --classes names them."""
    for name, values in scores.items():
        if isinstance(values, Matrix):
            if "classes" not in found:
                found["classes"] = as_labels(values.names, found["y_true"])
            elif len(scores) > 1:
                values = aligned(values, tuple(str(c) for c in found["classes"]), f"--{KINDS[name]}")  # noqa: PLW2901
        found[name] = _bare(values)
    return found


def _multilabel(table: Columns, request: ColumnOptions, scores: Mapping[str, Any]) -> dict[str, Any]:
    truth = table.matrix(request.truth)
    names = tuple(n.strip() for n in request.classes.split(",")) if request.classes else truth.names
    if len(names) != len(truth.names):
        raise ParameterError("", "--classes", f"names {len(names)} labels, but --truth has {len(truth.names)} columns")
    found: dict[str, Any] = {"y_true": truth.values, "classes": names}
    given = {**scores, **({"y_pred": table.matrix(request.pred)} if request.pred else {})}
    for name, values in given.items():
        option = f"--{KINDS.get(name, 'pred')}"
        if not isinstance(values, Matrix):
            words = f"requires one {option} column per label, as in --truth: {option} p_a,p_b"
            raise ParameterError("", "--task multilabel", words)
        found[name] = (values if request.classes else aligned(values, truth.names, option)).values
    return found


def aligned(matrix: Matrix, names: tuple[str, ...], option: str) -> Matrix:
    """The columns in the order of ``names``; columns that cannot be matched are refused, not guessed."""
    if matrix.names == names:
        return matrix
    if len(matrix.names) != len(names):
        words = f"has {len(matrix.names)} columns, there must be {len(names)}: {', '.join(names)}"
        raise ParameterError("", option, words)
    if sorted(matrix.names) != sorted(names):
        raise ParameterError(
            "", option,
            f"names {', '.join(matrix.names)}, the others {', '.join(names)}: which column is which?",
            "Name the columns alike, or specify --classes and put all columns into that order.",
        )  # fmt: skip
    order = [matrix.names.index(name) for name in names]
    return Matrix(np.asarray(matrix.values)[:, order], names)
