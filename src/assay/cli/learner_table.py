"""What a learner is trained on, from a table: features, targets and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.extras import optional
from assay.core.name_columns import as_text
from assay.data.columns import as_labels
from assay.io import Columns, read_columns

FRAMES = ("pandas", "polars")


@dataclass(frozen=True)
class LearnerColumns:
    """What the command line says about columns."""

    truth: str
    features: str | None = None
    groups: str | None = None
    frame: str | None = None

    def __post_init__(self) -> None:
        """What can be refused before a file is read."""
        if self.frame is not None and self.frame not in FRAMES:
            hint = did_you_mean(self.frame, FRAMES).strip()
            raise ParameterError("--frame", "", f"unknown value {self.frame!r}", hint)


@dataclass(frozen=True, eq=False)
class LearnerTable:
    """The arguments of `estimate`, and the columns that the truth came from."""

    X: Any
    y: Any
    groups: Any
    targets: tuple[str, ...]

    def positive(self, label: str | None) -> Any:
        """A label as the command line writes it, as the target holds it."""
        return None if label is None else as_labels([label], self.y)[0]


def read_learner_table(file: str, input_format: str | None, wanted: LearnerColumns) -> LearnerTable:
    """Read the columns; those that are not numeric are refused."""
    table = read_columns(file, input_format)
    truth = table.expand(wanted.truth)
    names = _features(table, wanted, truth)
    X = _frame(table, names, wanted.frame) if wanted.frame else _matrix(table, names)
    groups = table.groups(table.one(wanted.groups)) if wanted.groups else None
    return LearnerTable(X, _target(table, truth), groups, tuple(truth))


def _features(table: Columns, wanted: LearnerColumns, truth: list[str]) -> list[str]:
    if wanted.features is None:
        others = {*truth, *([table.one(wanted.groups)] if wanted.groups else [])}
        names = [name for name in table.frame.columns if name not in others]
    else:
        names = list(dict.fromkeys(table.expand(wanted.features)))
        if known := [name for name in names if name in truth]:
            words = f"names {known[0]!r}, which is the truth: the learner would know the answer"
            raise ParameterError("", "--features", words)
    if not names:
        raise InputError(table.who, "", f"has no column to learn from besides {', '.join(truth)}")
    return names


def _target(table: Columns, truth: list[str]) -> Any:
    """One column of labels or numbers; several are a matrix, of integers if they all are 0 or 1."""
    if len(truth) == 1:
        found = table.labels(truth[0])
        if table.frame.schema[truth[0]].is_float() and found.dtype.kind == "O":
            words = "writes a number in two ways, such as 1.0 and 1, which are one amount and two labels"
            raise InputError(table.who, f"column {truth[0]!r}", words, "Write them alike.")
        return as_text(found)
    values: Any = np.column_stack([table.numbers(name) for name in truth])
    return values.astype(np.int64) if np.isin(values, (0, 1)).all() else values


def _matrix(table: Columns, names: list[str]) -> Any:
    """Numbers; an empty cell is NaN, which the learner accepts or refuses."""
    schema = table.frame.schema
    bad = [name for name in names if not (schema[name].is_numeric() or schema[name] == pl.Boolean)]
    if bad:
        shown = ", ".join(repr(name) for name in bad[:5]) + (f" and {len(bad) - 5} more" if len(bad) > 5 else "")
        what, verb = ("column", "is") if len(bad) == 1 else ("columns", "are")
        raise InputError(
            table.who, f"{what} {shown}", f"{verb} not numeric ({_kind(schema[bad[0]])})",
            "Name the columns to learn from with --features, or pass the learner whole data frames with --frame pandas.",
        )  # fmt: skip
    columns = [table.frame.get_column(name).cast(pl.Float64).to_numpy() for name in names]
    return np.ascontiguousarray(np.column_stack(columns))


def _kind(dtype: Any) -> str:
    return {"String": "text"}.get(str(dtype), str(dtype).lower())


def _frame(table: Columns, names: list[str], kind: str) -> Any:
    chosen = table.frame.select(names)
    if kind == "polars":
        return chosen
    pd = optional("pandas", "", "--frame pandas", "requires pandas", "Or use --frame polars.")
    return pd.DataFrame({name: chosen.get_column(name).to_numpy() for name in names})
