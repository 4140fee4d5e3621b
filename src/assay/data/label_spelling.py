"""Columns of labels that are compared with one another are of one kind: numbers in all of them, or text in all of them.

A csv file has no types. Its labels are numbers only if no column stays text and no two texts, in any of the columns, are one number:
``01``, ``1``, ``1.0`` and ``1e0`` are four labels, ``True`` and ``true`` two. Files that have types keep them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from assay.core.errors import InputError
from assay.data.columns import Columns, is_text, whole_numbers


def alike(tables: Sequence[Columns], names: Sequence[Sequence[str]], known: Sequence[str] = ()) -> list[Columns]:
    """The tables with the named columns of each as text if that is what one of them must be.

    Columns that are text and have no label in common with the very first, though they would if numbers and capitals were read alike,
    are refused, and so are numbers beside words: every row would count as wrong. Labels that are ``known`` classes were meant.
    """
    columns = [(table, name, table.whole(name)) for table, own in zip(tables, names, strict=True) for name in own]
    if any(series.dtype.is_nested() or _has_fractions(series) for _, _, series in columns):
        return list(tables)  # no labels, which whoever takes them for labels says
    if not any(is_text(series) for _, _, series in columns) and not _merged(columns):
        return list(tables)
    _refuse_two_ways([(table, name) for table, name, _ in columns], known)
    return [
        replace(table, frame=table.frame.with_columns(table.written(name).alias(name) for name in dict.fromkeys(own)))
        for table, own in zip(tables, names, strict=True)
    ]


def _has_fractions(series: pl.Series) -> bool:
    return series.dtype.is_float() and not whole_numbers(series)


def _merged(columns: Sequence[tuple[Columns, str, pl.Series]]) -> bool:
    """Whether a number is written in two ways in files that have no types."""
    untyped = [(table, name, series) for table, name, series in columns if table.spelled is not None]
    if all(series.dtype.is_integer() for _, _, series in untyped):
        return False  # written as programs write them, or they would be text
    pairs = [
        pl.DataFrame({"value": series.cast(pl.Int64, strict=False), "text": table.written(name)}).unique()
        for table, name, series in untyped
    ]
    found = pl.concat(pairs).unique().drop_nulls()
    return found.get_column("value").n_unique() < found.height


def _refuse_two_ways(columns: Sequence[tuple[Columns, str]], known: Sequence[str]) -> None:
    (first, name), *others = columns
    truth = first.written(name).unique()
    for table, other in others:
        own = table.written(other).unique()
        if own.is_in(truth.implode()).any() or own.is_in(list(known)).all():
            continue
        same = _read_alike(own).is_in(_read_alike(truth).drop_nulls().implode())
        if same.any():
            here = own.filter(same).sort()[0]
            there = truth.filter(_read_alike(truth) == _read_alike(pl.Series([here]))[0]).sort()[0]
            raise InputError(
                table.who,
                "",
                f"column {other!r} shares no label with column {name!r}{_of(first, table)}, because they are written differently: "
                f"{here!r} and {there!r}",
                "Write them alike.",
            )
        if _numbers(truth) != _numbers(own) and not known:
            words, digits = (own, truth) if _numbers(truth) else (truth, own)
            shown = f"one holds numbers ({digits.sort()[0]!r}), the other words ({words.sort()[0]!r})"
            problem = f"column {other!r} shares no label with column {name!r}{_of(first, table)}: {shown}"
            raise InputError(table.who, "", problem, "Write the labels alike, or list all classes.")


def _numbers(text: pl.Series) -> bool:
    return text.cast(pl.Float64, strict=False).null_count() == 0


def _of(first: Columns, table: Columns) -> str:
    return "" if first.who == table.who else f" of {first.who}"


def _read_alike(text: pl.Series) -> pl.Series:
    """Texts that differ in spaces, capitals or the way a number is written as one."""
    bare = text.str.strip_chars().str.to_lowercase().replace({"true": "1", "false": "0"})
    numbers = bare.cast(pl.Float64, strict=False)
    return pl.select(pl.coalesce(numbers.cast(pl.String), bare)).to_series()
