"""Results as data frames of any library, and as CSV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, overload

from assay.core import escaping
from assay.core.call_checks import guarded
from assay.core.extras import optional
from assay.core.value_checks import Backend

if TYPE_CHECKING:
    import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
    import polars as pl


class FrameData(NamedTuple):
    """Records, or columns by name; ``schema`` gives the type of each column where the values may not."""

    data: Sequence[Mapping[str, object]] | Mapping[str, object]
    schema: Mapping[str, object] | None = None


class Framed:
    """A result that has a data frame; a subclass says which by `frame_data`."""

    def frame_data(self) -> FrameData:
        """What the frame holds."""
        raise TypeError(f"{type(self).__name__} must define frame_data()")  # a programming error, not a user's

    @overload
    def to_frame(self, backend: Literal["polars"] = "polars") -> pl.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pandas"]) -> pd.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"]) -> Any: ...
    @guarded
    def to_frame(self, backend: Backend = "polars") -> object:
        """The result as a polars, pandas or pyarrow table; `frame_data` says what its rows are."""
        import polars as pl

        table = cast("Any", pl.DataFrame(*cast("tuple[Any, Any]", self.frame_data())))
        if backend == "polars":
            return table
        package = optional(backend, "to_frame", "backend", f"{backend!r} requires {backend}")
        if backend == "pyarrow":
            return table.to_arrow()
        # Column by column, since polars' own way needs pyarrow too.
        return package.DataFrame({name: table.get_column(name).to_numpy() for name in table.columns})

    def to_polars(self) -> pl.DataFrame:
        """The frame in polars."""
        return self.to_frame("polars")

    def to_pandas(self) -> pd.DataFrame:
        """The frame in pandas."""
        return self.to_frame("pandas")

    @overload
    def to_csv(self) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> None: ...
    @guarded
    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The frame as CSV: written to ``path``, or returned as text without one."""
        text = escaping.csv(self.to_polars())
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None
