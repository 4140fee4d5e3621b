"""Tables: from the columns that the command line names to the arguments of `evaluate` and `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.cli.readers.reader import CompareInput, DataOptions, ScoreInput
from assay.core.errors import ParameterError, did_you_mean
from assay.core.registry import metrics
from assay.core.takes import Takes
from assay.evaluation.presets import IMAGES, TEXTS
from assay.evaluation.table_columns import KINDS, ColumnOptions, gather
from assay.io import read_columns

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
        if data.truth is None and any(Path(path).suffix == ".txt" for path in data.files):
            fix = f"For files with one text per line, specify --task: {', '.join(TEXTS)}."
            raise ParameterError("", "", "files of text were named, but no task of texts", fix)
        if data.truth is None and len(data.files) == 1 and Path(data.files[0]).is_dir():
            fix = f"For images, name the truth and the predictions, and specify --task {tasks}."
            raise ParameterError("", data.files[0], "is a folder", fix)
        if command == "score" and len(data.files) > 1:
            raise ParameterError(
                "",
                "",
                "two files were named, but a table is one",
                f"Quote a pattern ('preds-*.csv'); for images, specify --task {tasks}.",
            )
        if command == "score" and data.missing != "error":
            raise ParameterError("", "--missing", "is for files of several models, and for rankings", "Drop it.")
        if data.truth is None:
            raise ParameterError("", "--truth", "must name the column of true values", f"See assay {command} --help.")
        if command == "score":
            check_columns(column_options(data), data)

    def score(self, data: DataOptions) -> ScoreInput:
        """The columns of one table."""
        [found] = gather([read_columns(data.files[0], data.input_format)], [column_options(data)])
        return ScoreInput(found.arguments, found.inferred and found.inferred.why)

    def compare(self, data: DataOptions) -> CompareInput:
        """The columns of several models, from one file per model or from one file."""
        from assay.cli.readers.model_tables import compared

        return compared(data)


_ROWS = ("truth", "task", "weight", "groups", "strata", "ids", "by", "threshold")


def check_columns(wanted: ColumnOptions, data: DataOptions) -> None:
    """What can be refused before a file is read."""
    if not (wanted.pred or wanted.prob or wanted.score or wanted.logits or wanted.extra):
        raise ParameterError(
            "", "", "nothing to score", "Name the predictions with --pred, --prob, --score or --logits."
        )
    if data.task == "regression":
        for option in ("prob", "score", "logits", "classes", "positive"):
            if getattr(wanted, option):
                fix = "The predictions of a regression are --pred."
                raise ParameterError("", f"--{option}", "does not apply to --task regression", fix)
    if data.positive and data.task in ("multiclass", "multilabel"):
        raise ParameterError("", "--positive", f"applies to --task binary, not {data.task}")


def _extra(inputs: tuple[str, ...]) -> dict[str, str]:
    """The columns of ``--input NAME=COLUMN`` by name."""
    known = sorted({name for metric in metrics() for name in _more(metric.takes)}) if inputs else []
    found: dict[str, str] = {}
    for text in inputs:
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
    shared: dict[str, Any] = {name: getattr(data, name) for name in _ROWS}
    predictions: dict[str, Any] = (
        dict(own) if own else {name: next(iter(getattr(data, name)), None) for name in _PREDICTIONS}
    )
    classes = tuple(name.strip() for name in data.classes.split(",")) if data.classes else None
    return ColumnOptions(
        **shared, **predictions, classes=classes, positive=data.positive or None, extra=_extra(data.inputs)
    )


def _more(takes: Takes) -> tuple[str, ...]:
    """The inputs of a metric that have no option of their own."""
    return tuple(n for n in (*takes.required, *takes.optional) if n not in ("y_true", "y_pred", *KINDS))
