"""Csv and tsv files: everything is read as text, and a column becomes numbers where it is written as numbers are.

A file of text has no types. ``01`` and ``1`` are two ids, so a column of integers must be written as programs write them; what is
left as text is still read as numbers where a task needs numbers. Numbers and true or false can be written in several ways (``1.0``, ``1``,
``1e0``; ``True``, ``true``): for columns that may be labels the text is kept too, and `Columns` goes back to it where two texts would be
one.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from assay.data.columns import Columns, whole_numbers
from assay.io import table_problems


def read_separated(data: Path | bytes, mark: str, who: str) -> Columns:
    """The table with a type for each column; broken lines and a header that comes again are named by their line."""
    table_problems.check_header(data, mark, who)
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    try:
        frame = pl.read_csv(source, separator=mark, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        table_problems.refuse_separated(data, mark, who, error)
    # polars fills short rows with nulls; only then is the slow pass that counts fields worth its time.
    if frame.width > 1 and frame.to_series(frame.width - 1).null_count():
        table_problems.refuse_ragged(data, mark, who)
    if _header_again(frame):
        table_problems.refuse_header_again(data, mark, who)
    typed = frame.with_columns(_typed(column) for column in frame.get_columns())
    return Columns(typed, who, {c.name: frame[c.name].str.strip_chars() for c in typed.get_columns() if _ambiguous(c)})


def _header_again(frame: pl.DataFrame) -> bool:
    first = frame.columns[0]
    same = frame.filter(frame.get_column(first) == first)
    return bool(same.height) and any(row == tuple(frame.columns) for row in same.iter_rows())


def _typed(text: pl.Series) -> pl.Series:
    """Integers, true and false, numbers, or the text as it is; spaces around a number are not part of it."""
    gaps = text.null_count()
    if gaps == text.len():
        return text
    bare = text.str.strip_chars()
    for whole in (pl.Int64(), pl.Int128()):
        numbers = bare.cast(whole, strict=False)
        if numbers.null_count() == gaps and not bool((numbers.cast(pl.String) != bare).any()):
            return numbers
    if bool(bare.str.to_lowercase().is_in(["true", "false"]).all()):
        return bare.str.to_lowercase() == "true"
    numbers = bare.cast(pl.Float64, strict=False)
    return text if numbers.null_count() > gaps or _padded(bare) or not bool(numbers.is_finite().any()) else numbers


def _ambiguous(typed: pl.Series) -> bool:
    """Whether these may be labels whose values do not tell how they were written; fractions are none."""
    return typed.dtype == pl.Boolean or (typed.dtype.is_float() and whole_numbers(typed))


def _padded(bare: pl.Series) -> bool:
    """Whether any is a number filled up with zeros, such as 007."""
    return bool(bare.str.contains(r"^[+-]?0[0-9]").any())
