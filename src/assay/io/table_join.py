"""Tables of several models brought onto the same rows, by an id column or by their order; what does not match is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from assay.core.errors import InputError, arg
from assay.data.columns import Columns

Missing = Literal["error", "drop"]
_SHOWN = 5
_CLOSE = 1e-6  # of numbers with a fraction, which files may hold with fewer digits


@dataclass(frozen=True)
class Joined:
    """Tables with the same rows in the same order, how that came about, and a name for each row."""

    tables: tuple[Columns, ...]
    how: str
    rows: pl.Series

    def agree(self, column: str) -> None:
        """Refuse tables that do not say the same in a column; those that do not have it are not asked."""
        first, *others = [table for table in self.tables if column in table.frame.columns]
        wanted = first.frame.get_column(column)
        for other in others:
            found = other.frame.get_column(column)
            wrong = _unequal(wanted, found)
            if wrong.any():
                row, count = int(wrong.arg_max() or 0), int(wrong.sum())
                if wanted[row] is None or found[row] is None:
                    empty = first if wanted[row] is None else other
                    raise InputError(
                        empty.who,
                        "",
                        f"column {column!r} has an empty value for {self.rows.name} {self.rows[row]}",
                        "Fill it in.",
                    )
                raise InputError(
                    other.who,
                    "",
                    f"column {column!r} says {found[row]!r} for {self.rows.name} {self.rows[row]}, {first.who} says "
                    f"{wanted[row]!r} ({count} such row{'s' if count > 1 else ''})",
                    f"All files must be about the same rows{self._hint()}.",
                )

    def filled(self, column: str) -> Joined:
        """The tables that lack a column with that of the first one that has it, where ids tell which row is which."""
        owner = next(table for table in self.tables if column in table.frame.columns)
        lacking = [table for table in self.tables if column not in table.frame.columns]
        if not lacking:
            return self
        if self.rows.name == "row":
            raise InputError(
                lacking[0].who,
                "",
                f"has no column {column!r}, but {owner.who} has",
                f"Put it into every file, or name the column that identifies a row ({arg('id')}): then it may be in one file only.",
            )
        tables = tuple(t if column in t.frame.columns else t.holding(column, owner) for t in self.tables)
        return replace(self, tables=tables, how=f"{self.how}, {column!r} of {owner.who} for all")

    def _hint(self) -> str:
        return "; if only their order differs, say --id" if self.rows.name == "row" else ""


def joined(tables: Sequence[Columns], by: str | None, missing: Missing = "error") -> Joined:
    """The tables on the rows that they share, in the order of the first."""
    return _by_order(tables) if by is None else _by_id(tables, by, missing)


def _by_order(tables: Sequence[Columns]) -> Joined:
    first = tables[0]
    for other in tables[1:]:
        if other.frame.height != first.frame.height:
            raise InputError(
                first.who,
                "",
                f"has {first.frame.height} rows, but {other.who} has {other.frame.height}, so they cannot be matched by order",
                f"Name the column that identifies a row: {arg('id')}.",
            )
    rows = pl.Series("row", range(first.frame.height))
    return Joined(tuple(tables), "rows matched by their order", rows)


def _by_id(tables: Sequence[Columns], by: str, missing: Missing) -> Joined:
    keys = [_keys(table, by) for table in tables]
    shared = keys[0]
    for own in keys[1:]:
        shared = shared.filter(shared.is_in(own.implode()))
    dropped = [own.len() - shared.len() for own in keys]
    for table, own in zip(tables[1:], keys[1:], strict=True):
        _refuse_strangers(tables[0], keys[0], table, own, by)
    if missing == "error":
        _refuse_missing(tables, keys, by)
    if not shared.len():
        raise InputError("", "", f"no {by} is in all files", f"Check that {by!r} is the column that identifies a row.")
    ordered: list[Columns] = []
    for table, own in zip(tables, keys, strict=True):
        places = pl.DataFrame({"key": own, "place": range(own.len())})
        at = shared.to_frame("key").join(places, on="key", how="left", maintain_order="left").get_column("place")
        ordered.append(table.taken(at))
    lost = ", ".join(f"{count} of {t.who}" for t, count in zip(tables, dropped, strict=True) if count)
    return Joined(tuple(ordered), f"rows matched by {by!r}" + (f", dropped: {lost}" if lost else ""), shared.alias(by))


def _keys(table: Columns, by: str) -> pl.Series:
    """The ids as text, so that 7 and "7" are the same row; refused where one comes twice."""
    keys = table.names(table.one(by)).cast(pl.String).alias("key")
    twice = keys.filter(keys.is_duplicated()).unique(maintain_order=True)
    if twice.len():
        raise InputError(
            table.who,
            "",
            f"{_count(twice.len(), 'id')} in {by!r} occur{'s' if twice.len() == 1 else ''} more than once: {_some(twice)}",
            "Keep one row of each.",
        )
    return keys


def _refuse_strangers(first: Columns, every: pl.Series, other: Columns, own: pl.Series, by: str) -> None:
    """Two files that share no id at all hold other rows, or write their ids in another way."""
    if not every.len() or not own.len() or bool(every.is_in(own.implode()).any()):
        return
    bare, stripped = (keys.str.strip_chars().str.strip_chars_start("0") for keys in (every, own))
    if bool(bare.is_in(stripped.implode()).any()):
        why = f"They are written in two ways: {_written(first, by)} and {_written(other, by)}. Write them alike."
    else:
        why = f"They begin with {every[0]!r} and {own[0]!r}. Is {by!r} what identifies a row in both?"
    raise InputError("", "", f"no {by} of {first.who} is in {other.who}", why)


def _written(table: Columns, by: str) -> str:
    series = table.whole(table.one(by))
    return f"{series[0]!r}, {'a number' if _numeric(series) else 'text'}, in {table.who}"


def _refuse_missing(tables: Sequence[Columns], keys: Sequence[pl.Series], by: str) -> None:
    first, every = tables[0], keys[0]
    for table, own in zip(tables[1:], keys[1:], strict=True):
        for who, there, other, absent in (
            (table, own, first, every.filter(~every.is_in(own.implode()))),
            (first, every, table, own.filter(~own.is_in(every.implode()))),
        ):
            if absent.len():
                raise InputError(
                    who.who,
                    "",
                    f"{_count(absent.len(), 'row')} of {other.who} {'is' if absent.len() == 1 else 'are'} missing ({by} "
                    f"{_some(absent)}; {there.len()} rows are there)",
                    f"Add them, or give {arg('missing', 'drop')} to compare on shared rows.",
                )


def _unequal(a: pl.Series, b: pl.Series) -> pl.Series:
    """Where two columns differ: numbers by value, lists as they are, everything else as text."""
    if a.dtype.is_nested() or b.dtype.is_nested():
        return pl.Series([x != y for x, y in zip(a.to_list(), b.to_list(), strict=True)])
    if _numeric(a) and _numeric(b):
        x, y = a.cast(pl.Float64), b.cast(pl.Float64)
        room = _CLOSE * x.abs() if a.dtype.is_float() or b.dtype.is_float() else 0 * x
        return ((x - y).abs() > room).fill_null(True) & ~(a.is_null() & b.is_null())
    return a.cast(pl.String).ne_missing(b.cast(pl.String))


def _numeric(series: pl.Series) -> bool:
    return series.dtype.is_numeric() or series.dtype == pl.Boolean


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _some(values: pl.Series) -> str:
    shown = ", ".join(str(v) for v in values[:_SHOWN])
    return shown + (", ..." if values.len() > _SHOWN else "")
