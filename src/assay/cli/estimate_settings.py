"""The settings of `assay estimate`: splits, measures, fits, and where results go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.cli.gates import Limit, Outcome, parse
from assay.cli.learner_table import LearnerTable
from assay.cli.option_values import best_of, grid_of, specs_of
from assay.cli.output import emit, refuse_overwriting, write_result
from assay.core import escaping
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.evaluation.presets import TABLES
from assay.figures.split_strips import strip_chart
from assay.resampling import Estimate, Guideline, Nested, Scheme, guideline, scheme_of
from assay.resampling.schemes.guidelines import BUDGET

_TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class SplitOptions:
    """The splits, the selection inside them and the intervals."""

    resampling: str | None = None
    seed: int | None = None
    budget: int | None = None
    ordered: bool = False
    grid: Sequence[str] = ()
    select: str | None = None
    nested: bool = False
    method: str = "auto"
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what cannot be read, and what would be passed over in silence."""
        if self.resampling is not None:
            _scheme(self.resampling)
        grid_of(self.grid)
        if self.resampling is not None and (self.budget is not None or self.ordered):
            idle = "--ordered" if self.budget is None else "--budget"
            words = "helps to choose a scheme, and --resampling has chosen it"
            raise ParameterError("", idle, words, "Drop one of them.")
        if self.resampling is not None and self.seed is not None and "seed=" in self.resampling:
            raise ParameterError("", "--seed", "and the seed of --resampling are two seeds", "Specify one of them.")
        if self.select is not None and not self.grid:
            words = "is the metric that selects from a --grid"
            raise ParameterError("", "--select", words, "Add a --grid, or drop --select.")
        if self.nested and self.grid:
            words = "is for a learner that is itself a search, and --grid searches already"
            raise ParameterError("", "--nested", words, "Drop it.")

    def guide(self, rows: LearnerTable, task: str) -> Guideline:
        """Which scheme for these rows, and why."""
        counts = np.unique(rows.y, return_counts=True)[1].tolist() if task in ("binary", "multiclass") else None
        groups = None if rows.groups is None else len(np.unique(rows.groups))
        budget = BUDGET if self.budget is None else self.budget
        seed = self.seed or 0
        return guideline(len(rows.y), classes=counts, groups=groups, budget=budget, ordered=self.ordered, seed=seed)

    def scheme(self, rows: LearnerTable, task: str) -> Scheme:
        """The scheme that was named, or the guideline's; around a search if there is one."""
        if self.resampling is None:
            found = self.guide(rows, task).scheme
        else:
            found = _scheme(self.resampling)
            found = found if self.seed is None else replace(found, seed=self.seed)
        if self.grid or self.nested:
            return Nested(outer=found, grid=grid_of(self.grid) or None, select=self.select, seed=found.seed)
        return found


def _scheme(text: str) -> Scheme:
    try:
        return scheme_of(text)
    except ParameterError as error:
        raise error.but(argument="--resampling") from error


@dataclass(frozen=True)
class MeasureOptions:
    """What is measured; a misspelt metric is reported before a file is read or a learner trained."""

    task: str | None = None
    positive: str | None = None
    threshold: float = 0.5
    metrics: Sequence[str] = ()
    best: Sequence[str] = ()
    fail_under: Sequence[str] = ()
    limits: list[Limit] = field(init=False)
    specs: list[str] = field(init=False)
    best_known: float | dict[str, float] | None = field(init=False)

    def __post_init__(self) -> None:
        """Read the texts."""
        if self.task is not None and self.task not in TABLES:
            raise ParameterError("", "", f"unknown task {self.task!r}", did_you_mean(self.task, TABLES).strip())
        object.__setattr__(self, "limits", [parse(text) for text in self.fail_under])
        object.__setattr__(self, "specs", specs_of(self.metrics))
        object.__setattr__(self, "best_known", best_of(self.best))

    def arguments(self) -> dict[str, Any]:
        """The arguments of `estimate`; limits are measured with the metrics that were named."""
        more = [limit.spec for limit in self.limits if limit.spec not in self.specs]
        return {
            "threshold": self.threshold,
            "metrics": [*self.specs, *more] if self.specs else None,
            "best": self.best_known,
        }


@dataclass(frozen=True)
class FitOptions:
    """How fits are done and kept."""

    jobs: int = 1
    store: Path | None = None
    keep_train: bool = False

    def __post_init__(self) -> None:
        """Refuse what would be passed over in silence."""
        if self.keep_train and self.store is None:
            words = "keeps predictions in the --store for later metrics"
            raise ParameterError("", "--keep-train", words, "Name a folder: --store runs/forest.")

    def arguments(self) -> dict[str, Any]:
        """The arguments of `estimate`."""
        return {"jobs": self.jobs, "store": self.store, "keep_train": self.keep_train}


@dataclass(frozen=True)
class OutputFiles:
    """The files and the format of the results."""

    format: str
    output: Path | None = None
    predictions: Path | None = None
    splits: Path | None = None
    figure: Path | None = None

    def __post_init__(self) -> None:
        """Refuse, before anything is trained, what could not be written afterwards."""
        named = {"--predictions": self.predictions, "--splits": self.splits, "--figure": self.figure}
        for option, path in named.items():
            known = (".svg",) if option == "--figure" else _TABLES
            if path is not None and path.suffix.lower() not in known:
                raise ParameterError("", option, f"must end in {' or '.join(known)}, got {path}")
        for path in (self.output, *named.values()):
            if path is not None and not path.parent.is_dir():
                raise InputError(str(path), "", f"the folder {path.parent} does not exist", "Create it first.")

    def refuse(self, inputs: Sequence[str]) -> None:
        """Refuse to write over what is read."""
        for path in (self.output, self.predictions, self.splits, self.figure):
            refuse_overwriting(path, inputs)

    def write(self, found: Estimate, targets: Sequence[str], outcomes: Sequence[Outcome] = ()) -> None:
        """Write every file that was named; ``targets`` are the columns of the truth."""
        write_result(found, self.format, self.output, outcomes)
        if self.predictions is not None:
            classes = found.run.scorer.data.classes
            _write_table(named(found.predictions, [str(c) for c in classes] or targets), self.predictions)
        if self.splits is not None:
            _write_table(found.splits, self.splits, for_people=True)
        if self.figure is not None:
            emit(strip_chart(found), self.figure)


def named(frame: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Columns of matrices by the class or target that they stand for, so that `assay score` can read the table."""
    columns: list[pl.Series] = []
    for series in frame.get_columns():
        numbered = re.fullmatch(r"(y_pred|y_prob|y_score)_(\d+)", series.name)
        if isinstance(series.dtype, pl.Array):
            columns += [series.arr.get(j).alias(f"{series.name}_{label}") for j, label in enumerate(labels)]
        else:
            columns.append(series.alias(f"{numbered[1]}_{labels[int(numbered[2])]}") if numbered else series)
    return pl.DataFrame(columns)


def _write_table(frame: pl.DataFrame, path: Path, *, for_people: bool = False) -> None:
    """Predictions are read again, so their csv holds labels as they are; what people open in a spreadsheet holds no formulas."""
    try:
        if path.suffix.lower() != ".csv":
            frame.write_parquet(path)
        elif for_people:
            path.write_text(escaping.csv(frame), encoding="utf-8")
        else:
            frame.write_csv(path)
    except OSError as error:
        raise InputError(str(path), "", f"cannot be written ({error.strerror or error})") from error
