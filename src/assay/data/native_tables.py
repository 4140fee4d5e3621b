"""Tables of pandas, polars and pyarrow as `Columns`: only the columns that are asked for are read, and gaps stay gaps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import narwhals as nw
import polars as pl

from assay.core.errors import InputError
from assay.data.columns import Columns, Wanted


def columns_of(table: object, wanted: Iterable[Wanted], who: str) -> Columns:
    """The columns wanted, by name or pattern."""
    try:
        frame: Any = nw.from_native(cast(Any, table), eager_only=True)
    except TypeError as error:
        lazy = hasattr(table, "collect")
        fix = "Pass what its .collect() returns." if lazy else "Columns are named for tables only."
        raise InputError(
            who, "data", f"must be a table of pandas, polars or pyarrow, got {type(table).__name__}", fix
        ) from error
    by_name = {str(name): name for name in frame.columns}
    names = Columns(pl.DataFrame(schema=dict.fromkeys(by_name, pl.Null)), who)
    chosen = dict.fromkeys(name for one in wanted for name in names.expand(one))
    if len(frame) == 0:
        raise InputError(who, "data", "has columns but no rows")
    return Columns(pl.DataFrame([_series(frame.get_column(by_name[name]), name, who) for name in chosen]), who)


def _series(column: Any, name: str, who: str) -> pl.Series:
    """One column; pandas' are read without pyarrow, and their NaN is a gap."""
    if not column.implementation.is_pandas_like():
        return column.to_polars().rename(name)
    numbers = column.dtype.is_numeric() or column.dtype == nw.Boolean
    if numbers and (column.dtype.is_float() or not column.null_count()):
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    missing = column.is_null().to_list()
    values = [None if gap else value for value, gap in zip(column.to_list(), missing, strict=True)]
    try:
        return pl.Series(name, values)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise InputError(who, "", f"column {name!r} holds values of several kinds", "Make them one.") from error
