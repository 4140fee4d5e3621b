"""Tables of several models: one file per model or one file for all, matched row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from assay.cli.model_names import model_names
from assay.cli.readers.reader import CompareInput, DataOptions
from assay.cli.readers.tables import check_columns, column_options
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.data.columns import Wanted
from assay.evaluation.table_columns import KINDS, ColumnOptions, gather, model_predictions, shared_arguments
from assay.io import Columns, read_columns
from assay.io.table_join import Joined, Missing, joined

_SHARED = ("weight", "groups", "strata")


@dataclass(frozen=True)
class ModelTables:
    """Where the models are: files, the columns of their predictions by option, and how rows are matched."""

    paths: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    missing: str

    @property
    def count(self) -> int:
        """How many models there are."""
        return len(self.paths) if len(self.paths) > 1 else max(len(given) for given in self.columns.values())

    def check(self) -> None:
        """What can be refused before a file is read."""
        if self.missing not in ("error", "drop"):
            hint = did_you_mean(self.missing, ("error", "drop")).strip()
            raise ParameterError("--missing", "", f"unknown value {self.missing!r}", hint)
        if self.count < 2:
            raise ParameterError(
                "", "", "a comparison needs two models",
                "Name several files, or one file and --prob (or --pred, --score, --logits) once per model.",
            )  # fmt: skip
        if self.paths.count("-") > 1:
            raise ParameterError("", "", "standard input can be read only once", "Name files for the other models.")
        for option, given in self.columns.items():
            if len(given) not in (0, 1, self.count):
                words = f"{len(given)} --{option} columns are named for {self.count} models"
                raise ParameterError("", "", words, "Name one for all, or one per model.")
        self._refuse_duplicates()

    def _refuse_duplicates(self) -> None:
        seen: set[tuple[str | None, ...]] = set()
        for model in range(self.count):
            own = (self.path(model), *(self.column(option, model) for option in self.columns))
            if own in seen:
                what = self.path(model) if len(self.paths) > 1 else ", ".join(name for name in own[1:] if name)
                words = "is named twice: a model cannot be compared with itself"
                raise ParameterError("", what, words, "Name another one.")
            seen.add(own)

    def column(self, option: str, model: int) -> str | None:
        """The column of one kind of prediction of one model."""
        given = self.columns[option]
        return given[model if len(given) > 1 else 0] if given else None

    def path(self, model: int) -> str:
        """The file of one model."""
        return self.paths[model if len(self.paths) > 1 else 0]

    def titles(self) -> list[list[str]]:
        """What may serve as names of the models: what distinguishes files or columns."""
        if len(self.paths) == 1:
            several = next(list(given) for given in self.columns.values() if len(given) > 1)
            return [[column.rstrip("*_.-") or column for column in several], several]
        stems = ["stdin" if path == "-" else Path(path).name.split(".")[0] or path for path in self.paths]
        return [stems, list(self.paths)]


def compared(data: DataOptions) -> CompareInput:
    """The models on the same rows."""
    tables = ModelTables(data.files, {kind: getattr(data, kind) for kind in ("pred", *KINDS.values())}, data.missing)
    tables.check()
    names = model_names(data.names, tables.count, tables.titles())
    models = [
        column_options(data, {option: tables.column(option, model) for option in tables.columns})
        for model in range(tables.count)
    ]
    for own in models:
        check_columns(own, data)
    rows = _matched(tables, data, models[0])
    calls = gather(rows.tables, models)
    inferred = calls[0].inferred
    return CompareInput(
        model_predictions(calls, names), shared_arguments(calls[0]), inferred and inferred.why, matched=rows.how
    )


def _matched(models: ModelTables, data: DataOptions, columns: ColumnOptions) -> Joined:
    """The tables on the same rows; what they hold about the rows themselves must agree."""
    read = {path: read_columns(path, data.input_format) for path in dict.fromkeys(models.paths)}
    tables = [read[models.path(model)] for model in range(models.count)]
    rows = joined(tables, data.ids, cast("Missing", models.missing))
    shared = [getattr(columns, option) for option in _SHARED if getattr(columns, option)]
    for wanted in (columns.truth, *shared):
        for column in _owner(rows, wanted).expand(wanted):
            rows.agree(column)
            rows = rows.filled(column)
    return rows if len(read) > 1 else replace(rows, how="all models in one file")


def _owner(rows: Joined, wanted: Wanted) -> Columns:
    """The first file that has the columns."""
    errors: list[UnknownNameError] = []
    for table in rows.tables:
        try:
            table.expand(wanted)
        except UnknownNameError as error:
            errors.append(error)
        else:
            return table
    if len({table.who for table in rows.tables}) == 1:
        raise errors[0]
    more = "No other file has it either: it must be in one of them if --id identifies the rows, else in each."
    raise errors[0].but(fix=f"{errors[0].fix} {more}".strip())
