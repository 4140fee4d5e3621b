"""``assay compare``: several models on the same rows, from a file each or from columns of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from assay.cli.columns import KINDS, Call, Request, aligned, gather
from assay.cli.output import chosen_format, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.cli.score import speaking_options, tell_task
from assay.core.errors import ParameterError, UnknownNameError, did_you_mean
from assay.core.signatures import from_spec
from assay.evaluation.compare import compare
from assay.io import Columns, read_columns
from assay.io.columns import Matrix
from assay.io.join import Joined, Missing, joined

_PREDICTIONS = ("y_pred", *KINDS)
_SHARED = ("weight", "groups", "strata")


@dataclass(frozen=True)
class Files:
    """Where the models are: files, the columns of their predictions by option, and how rows are matched."""

    paths: list[str]
    columns: dict[str, list[str]]
    names: str | None
    ids: str | None
    missing: str
    input_format: str | None

    @property
    def count(self) -> int:
        """How many models there are."""
        return len(self.paths) if len(self.paths) > 1 else max(len(given) for given in self.columns.values())

    def check(self) -> None:
        """What can be refused before a file is read."""
        if self.missing not in ("error", "drop"):
            raise ParameterError(f"--missing {self.missing!r}: {did_you_mean(self.missing, ('error', 'drop')).strip()}")
        if self.count < 2:
            raise ParameterError(
                "a comparison needs two models: name several files, or one file and --prob (or --pred, --score, --logits) once a model."
            )
        if self.paths.count("-") > 1:
            raise ParameterError("standard input can be read only once. Name files for the other models.")
        for option, given in self.columns.items():
            if len(given) not in (0, 1, self.count):
                raise ParameterError(
                    f"{len(given)} --{option} columns are named for {self.count} models. Name one for all, or one a model."
                )

        self._refuse_twice()

    def _refuse_twice(self) -> None:
        seen: dict[tuple[str | None, ...], int] = {}
        for model in range(self.count):
            own = (self.path(model), *(self.column(option, model) for option in self.columns))
            if own in seen:
                what = self.path(model) if len(self.paths) > 1 else ", ".join(name for name in own[1:] if name)
                raise ParameterError(
                    f"{what} is named twice: a model cannot be compared with itself. Name another one."
                )
            seen[own] = model

    def column(self, option: str, model: int) -> str | None:
        """The column of one kind of prediction of one model."""
        given = self.columns[option]
        return given[model if len(given) > 1 else 0] if given else None

    def path(self, model: int) -> str:
        """The file of one model."""
        return self.paths[model if len(self.paths) > 1 else 0]

    def titles(self) -> list[str]:
        """The names of the models: as said, else what tells files or columns apart."""
        if self.names is not None:
            said = [name.strip() for name in self.names.split(",")]
            if len(said) != self.count or len(set(said)) != self.count or not all(said):
                raise ParameterError(
                    f"--names {self.names!r}: {self.count} different names are needed, separated by commas."
                )
            return said
        if len(self.paths) == 1:
            several = next(given for given in self.columns.values() if len(given) > 1)
            return unique([[column.rstrip("*_.-") or column for column in several], several])
        stems = ["stdin" if path == "-" else Path(path).name.split(".")[0] or path for path in self.paths]
        return unique([stems, self.paths])


def unique(candidates: Sequence[list[str]]) -> list[str]:
    """The first list without repetitions; the last one is numbered if need be."""
    for names in candidates:
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({i})" for i, name in enumerate(candidates[-1], start=1)]


def run(
    files: Files,
    request: Request,
    *,
    metrics: list[str] | None,
    format: str | None,
    as_json: bool,
    output: Path | None,
    **inference: Any,
) -> int:
    """Compare the models and print what was found."""
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, files.paths)
    files.check()
    names = files.titles()
    requests = [
        replace(request, **{option: files.column(option, model) for option in files.columns})
        for model in range(files.count)
    ]
    for own in requests:
        own.check()
    for spec in metrics or ():
        from_spec(spec)  # a misspelt metric is told before a large file is read
    rows = _matched(files, request)
    calls = gather(rows.tables, requests)
    with resampling(inference["replicates"]) as progress, speaking_options():
        arguments = {**_common(calls[0]), "metrics": metrics, "progress": progress, **inference}
        found = compare(
            models=dict(zip(names, _models(calls, names), strict=True)), **cast("dict[str, Any]", arguments)
        )
    write_result(found.noted(rows.how), format, output)
    tell_task(calls[0])
    return 0


def _matched(files: Files, request: Request) -> Joined:
    """The tables on the same rows; what they say about them must agree."""
    read = {path: read_columns(path, files.input_format) for path in dict.fromkeys(files.paths)}
    tables = [read[files.path(model)] for model in range(files.count)]
    rows = joined(tables, files.ids, cast("Missing", files.missing))
    shared = [getattr(request, option) for option in _SHARED if getattr(request, option)]
    for wanted in (request.truth, *shared):
        for column in _owner(rows, wanted).expand(wanted):
            rows.agree(column)
            rows = rows.filled(column)
    return rows if len(read) > 1 else replace(rows, how="all models in one file")


def _owner(rows: Joined, wanted: str) -> Columns:
    """The first file that has the columns."""
    said: list[str] = []
    for table in rows.tables:
        try:
            table.expand(wanted)
        except UnknownNameError as error:
            said.append(str(error))
        else:
            return table
    more = "" if len({table.who for table in rows.tables}) == 1 else (
        " Nor has any other file it: it must stand in one of them if --id tells which row is which, else in each."
    )  # fmt: skip
    raise UnknownNameError(said[0] + more)


def _common(call: Call) -> dict[str, Any]:
    return {k: v for k, v in call.arguments.items() if k not in (*_PREDICTIONS, "extra", "slices", "ids")}


def _models(calls: list[Call], names: list[str]) -> list[dict[str, Any]]:
    """What each model predicted, the columns of its classes in the order of the first."""
    classes = calls[0].arguments.get("classes")
    found: list[dict[str, Any]] = []
    for call, name in zip(calls, names, strict=True):
        own = call.arguments
        given = {kind: own[kind] for kind in _PREDICTIONS if kind in own}
        if classes is not None and own.get("classes", classes) != classes:
            order, wanted = tuple(map(str, own["classes"])), tuple(map(str, classes))
            for kind, values in given.items():
                if kind != "y_pred" and getattr(values, "ndim", 1) == 2:
                    given[kind] = aligned(Matrix(values, order), wanted, f"{name}: --{KINDS[kind]}").values
        found.append({**given, **own.get("extra", {})})
    return found
