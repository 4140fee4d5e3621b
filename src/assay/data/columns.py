"""Columns of a table as the arrays that metrics take; wrong names, gaps and types are refused by file and column."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, UnknownNameError, arg, did_you_mean
from assay.core.name_columns import CodedNames

Label: TypeAlias = int | str
Wanted: TypeAlias = str | Sequence[str]  # a column, columns with commas between them, a pattern; or a list of such
MISSING = "(missing)"
MISSING_WORDS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
MANY_SLICES = 50
_MARKS = "_.-:/ "


@dataclass(frozen=True)
class Matrix:
    """Several columns side by side; ``names`` is what tells them apart: the class or label of each."""

    values: Any
    names: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """A table and the name its messages carry.

    A file of text has no types; for its columns whose values do not tell how they were written, ``spelled`` has the text. It is None
    for files that have types.
    """

    frame: pl.DataFrame
    who: str
    spelled: Mapping[str, pl.Series] | None = None

    def taken(self, rows: pl.Series) -> Columns:
        """The rows at some places."""
        spelled = None if self.spelled is None else {name: text[rows] for name, text in self.spelled.items()}
        return replace(self, frame=self.frame[rows], spelled=spelled)

    def holding(self, name: str, owner: Columns) -> Columns:
        """This table with a column of another one that has the same rows."""
        text = (owner.spelled or {}).get(name)
        spelled = self.spelled if text is None else {**(self.spelled or {}), name: text}
        return replace(self, frame=self.frame.with_columns(owner.frame.get_column(name)), spelled=spelled)

    def written(self, name: str) -> pl.Series:
        """One column as text, as the file has it if that is known."""
        text = (self.spelled or {}).get(name)
        return self.frame.get_column(name).cast(pl.String) if text is None else text

    def _unmerged(self, series: pl.Series) -> pl.Series:
        """The column; its text if two texts of it are one number (1.0 and 1, True and true)."""
        text = (self.spelled or {}).get(series.name)
        return series if text is None or text.n_unique() == series.n_unique() else text

    def expand(self, wanted: Wanted) -> list[str]:
        """The columns of ``a,b,c``, of a list or of a pattern such as ``prob_*``, in the order asked for or of the table."""
        names: list[str] = []
        for part in self._parts(wanted):
            pattern = any(c in part for c in "*?[") and part not in self.frame.columns
            names += self._matching(part) if pattern else [self._known(part)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ParameterError(self.who, "", f"the column {twice[0]!r} is requested twice in {wanted!r}")
        return names

    def _parts(self, wanted: Wanted) -> list[str]:
        if isinstance(wanted, str):
            return [wanted] if wanted in self.frame.columns else [part.strip() for part in wanted.split(",")]
        return [part for one in wanted for part in self._parts(one)]

    def _matching(self, pattern: str) -> list[str]:
        names = [c for c in self.frame.columns if fnmatch.fnmatchcase(c, pattern)]
        if not names:
            raise UnknownNameError(self.who, "", f"no column matches {pattern!r}", f"There are: {self._shown()}.")
        return names

    def _known(self, name: str) -> str:
        if name not in self.frame.columns:
            hint = did_you_mean(name, self.frame.columns) or f" There are: {self._shown()}."
            raise UnknownNameError(self.who, "", f"unknown column {name!r}", hint.strip())
        return name

    def _shown(self) -> str:
        names = self.frame.columns
        return ", ".join(names[:12]) + (f", ... ({len(names)} in all)" if len(names) > 12 else "")

    def one(self, wanted: Wanted) -> str:
        """The one column that is meant."""
        names = self.expand(wanted)
        if len(names) != 1:
            raise ParameterError(
                self.who, "", f"one column is needed, {wanted!r} names {len(names)}: {', '.join(names)}"
            )
        return names[0]

    def whole(self, name: str) -> pl.Series:
        """One column without gaps."""
        series = self.frame.get_column(self._known(name))
        if gaps := series.null_count():
            row = int(series.is_null().arg_max() or 0)
            raise InputError(
                self.who,
                "",
                f"column {name!r} has {gaps} empty value{'s' if gaps > 1 else ''}, the first in row {row} (counted from 0)",
                "Fill or drop those rows first.",
            )
        return series

    def _of_64_bits(self, name: str) -> pl.Series:
        """One column without gaps; integers that NumPy has no type for are refused."""
        series = self.whole(name)
        if not _is_wide(series):
            return series
        narrow = series.cast(pl.Int64, strict=False)
        if narrow.null_count():
            row = int(narrow.is_null().arg_max() or 0)
            raise InputError(
                self.who,
                "",
                f"column {name!r} holds the integer {series[row]} in row {row} (counted from 0), which needs more than 64 bits",
                "Put a decimal point into amounts.",
            )
        return narrow

    def numbers(self, name: str) -> Any:
        """One column as numbers."""
        series = self._of_64_bits(name)
        if series.dtype == pl.String:
            return self._parsed(series).to_numpy()
        if series.dtype.is_decimal():
            return series.cast(pl.Float64).to_numpy()
        if not (series.dtype.is_numeric() or series.dtype == pl.Boolean):
            raise InputError(self.who, "", f"column {name!r} must hold numbers, got {_kind(series)}")
        return series.to_numpy()

    def _parsed(self, series: pl.Series) -> pl.Series:
        """Numbers that stand in quotes are taken; a word among them is named."""
        parsed = series.str.strip_chars().cast(pl.Float64, strict=False)
        if parsed.null_count():
            row = int(parsed.is_null().arg_max() or 0)
            count = parsed.null_count()
            more = f" ({count} such values in all)" if count > 1 else ""
            raise InputError(
                self.who,
                "",
                f"column {series.name!r} must hold numbers, got the text {series[row]!r} in row {row} (counted from 0){more}",
                "Repair or drop those rows first.",
            )
        return parsed

    def labels(self, name: str, known: Sequence[str] = ()) -> Any:
        """One column of labels: integers, text, or true and false; a word for what is missing must be a ``known`` class.

        Columns that are compared with one another go through `assay.data.label_spelling.alike` first.
        """
        series = self._unmerged(self.whole(name))
        if is_text(series):
            series = series.cast(pl.String)
        if not (series.dtype.is_numeric() or isinstance(series.dtype, pl.Boolean | pl.String)):
            raise InputError(self.who, "", f"column {name!r} must hold labels (text or integers), got {_kind(series)}")
        if series.dtype == pl.String:
            self._refuse_missing(series, known)
        return series.to_numpy()

    def _refuse_missing(self, series: pl.Series, known: Sequence[str]) -> None:
        """A word such as NA would be a class of its own, or a label that is wrong."""
        words = [word for word in MISSING_WORDS if word not in known]
        found = series.is_in(words)
        if found.any():
            row, count = int(found.arg_max() or 0), int(found.sum())
            raise InputError(
                self.who,
                "",
                f"column {series.name!r} says {series[row]!r} in row {row} (counted from "
                f"0{f'; {count} such rows' if count > 1 else ''}), which often means that the label is missing",
                f"Drop those rows; if it is a class, list it in {arg('classes')}.",
            )

    def values(self, wanted: Wanted) -> Any | Matrix:
        """Numbers of one column, or a matrix for several or for one column of lists."""
        names = self.expand(wanted)
        if len(names) == 1 and not isinstance(self.frame.schema[names[0]], pl.List | pl.Array):
            return self.numbers(names[0])
        return self.matrix(wanted)

    def matrix(self, wanted: Wanted) -> Matrix:
        """Several columns, or one column of lists of equal length, as a matrix of numbers."""
        names = self.expand(wanted)
        if len(names) == 1 and isinstance(self.frame.schema[names[0]], pl.List | pl.Array):
            return self._lists(names[0])
        pattern = wanted if isinstance(wanted, str) else ""
        return Matrix(np.column_stack([self.numbers(name) for name in names]), distinct_parts(names, pattern))

    def _lists(self, name: str) -> Matrix:
        series = self.whole(name)
        nested: Any = series.cast(pl.List(pl.Float64), strict=False) if isinstance(series.dtype, pl.Array) else series
        if (gaps := nested.list.eval(pl.element().is_null()).list.any()).any():
            raise InputError(
                self.who,
                "",
                f"the lists in column {name!r} have empty values, the first in row {int(gaps.arg_max() or 0)} (counted from 0)",
                "Fill or drop those rows first.",
            )
        lengths = nested.list.len()
        if lengths.n_unique() != 1:
            row = int((lengths != lengths[0]).arg_max() or 0)
            raise InputError(
                self.who,
                "",
                f"the lists in column {name!r} must have the same length, got {lengths[0]} values in row 0 and {lengths[row]} in row {row}",
            )
        flat = Columns(pl.DataFrame({name: nested.explode()}), self.who).numbers(name)
        return Matrix(np.asarray(flat).reshape(series.len(), -1), tuple(str(i) for i in range(int(lengths[0]))))

    def texts(self, wanted: Wanted) -> list[object]:
        """One text per row; lists of texts for several columns, or for a column of lists, in which a gap is a text that is missing.

        An empty field of csv is an empty text: csv has no other way to write one.
        """
        names = self.expand(wanted)
        if len(names) == 1:
            return self._text_column(names[0])
        return [list(row) for row in zip(*map(self._text_column, names), strict=True)]

    def _text_column(self, name: str) -> list[object]:
        series = self.frame.get_column(name)
        if isinstance(series.dtype, pl.List) and series.dtype.inner == pl.String:
            return self.whole(name).to_list()
        if series.dtype.is_float() and self.spelled is not None and name not in self.spelled:
            problem = f"column {name!r} holds numbers, and their spelling (1.5 or 1.50) is not known"
            raise InputError(self.who, "", problem, "Write texts as parquet or jsonl.")
        if series.dtype.is_nested() or isinstance(series.dtype, pl.Binary | pl.Object):
            raise InputError(self.who, "", f"column {name!r} must hold text, got {_kind(series)}")
        text = self.written(name)
        return (text if self.spelled is None else text.fill_null("")).to_list()

    def slices(self, name: str) -> CodedNames:
        """One column that divides the rows; empty values are a slice of their own."""
        series = self._unmerged(self._of_single_values(self.frame.get_column(self._known(name))))
        count = series.n_unique()
        if count > MANY_SLICES:
            raise InputError(
                self.who,
                "",
                f"column {name!r} has {count} different values, too many to slice by (at most {MANY_SLICES})",
                "Put them into a few bins first.",
            )
        plain = isinstance(series.dtype, pl.Boolean | pl.String) or (series.dtype.is_integer() and not _is_wide(series))
        if series.null_count() or not plain:
            series = series.cast(pl.String).fill_null(MISSING)
        names = series.unique().sort()
        if isinstance(series.dtype, pl.String):
            codes = series.cast(pl.Enum(names)).to_physical().to_numpy()
        else:
            codes = np.searchsorted(names.to_numpy(), series.to_numpy())
        return CodedNames(codes.astype(np.min_scalar_type(len(names))), names.to_list())

    def _of_single_values(self, series: pl.Series) -> pl.Series:
        """Refuse lists, records and bytes, which divide or name nothing."""
        if series.dtype.is_nested() or isinstance(series.dtype, pl.Binary | pl.Object):
            raise InputError(self.who, "", f"column {series.name!r} must hold text or numbers, got {_kind(series)}")
        return series

    def names(self, name: str) -> pl.Series:
        """One column of names, text or integers; fractions are none, for 1.10 and 1.1 would be one."""
        series = self._unmerged(self._of_single_values(self.whole(name)))
        if series.dtype.is_float():
            plain = (series == series.round()) & (series.abs() < 2**53)
            if not bool(plain.all()):
                row = int((~plain).arg_max() or 0)
                raise InputError(
                    self.who,
                    "",
                    f"column {name!r} holds {series[row]} in row {row} (counted from 0), but names must be text or integers: 1.10 "
                    "and 1.1 would be the same",
                    "Write them as text, such as v1.10.",
                )
            series = series.cast(pl.Int64)
        return series

    def groups(self, name: str) -> Any:
        """One column that names the independent unit of each row."""
        series = self.names(name)
        plain = series.dtype.is_integer() and not _is_wide(series)
        return (series if plain else series.cast(pl.String)).to_numpy()


def _is_wide(series: pl.Series) -> bool:
    """Whether these are integers of 128 bits, which NumPy does not have."""
    return str(series.dtype).endswith("Int128")


def is_text(series: pl.Series) -> bool:
    """Whether labels are text; integers that NumPy has no type for are names, not amounts."""
    return isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum) or _is_wide(series)


def whole_numbers(series: pl.Series) -> bool:
    """Whether all numbers that are there are whole."""
    return bool((series == series.round()).all())


def _kind(series: pl.Series) -> str:
    return {"String": "text", "Boolean": "true and false"}.get(str(series.dtype), str(series.dtype).lower())


def distinct_parts(names: Sequence[str], wanted: str = "") -> tuple[str, ...]:
    """What tells columns apart: the text after the prefix they share.

    A pattern says where the prefix ends. Else it ends behind the last mark that all share (``prob_cat``, ``prob_cow``:
    "cat", "cow") or before the numbers (``p9``, ``p10``); without either the whole names count.
    """
    if wanted.endswith("*") and not any(c in wanted[:-1] for c in "*?[,"):
        return tuple(name[len(wanted) - 1 :] for name in names)
    if len(names) < 2:
        return tuple(names)
    shared = _shared(names)
    end = max(shared.rfind(mark) for mark in _MARKS) + 1
    if end:
        return tuple(name[end:] for name in names)
    numbered = [re.fullmatch(r"(\D+)(\d+)", name) for name in names]
    if all(numbered) and len({m[1] for m in numbered if m}) == 1:
        return tuple(m[2] for m in numbered if m)
    return tuple(names)


def _shared(names: Sequence[str]) -> str:
    """The beginning that all names share."""
    first, last = min(names), max(names)
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:size]


def as_labels(names: Sequence[str], like: Any) -> tuple[Label, ...]:
    """Names of columns or of options as labels of the kind that the data hold: integers or text."""
    array = np.asarray(like)
    if array.dtype.kind in "iufb":
        words = {"true": 1, "false": 0} if array.dtype.kind == "b" else {}
        lowered = [name.strip().lower() for name in names]
        if all(re.fullmatch(r"[+-]?\d+", name) or name in words for name in lowered):
            return tuple(words[name] if name in words else int(name) for name in lowered)
    return tuple(name.strip() for name in names)
