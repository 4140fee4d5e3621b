"""Columns that name things, a row each: slices, groups, strata and ids. Names that differ stay apart, and what has no name is refused."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import ArrayLike, Host, describe, to_host
from assay.core.errors import InputError, shown
from assay.core.ingestion import ingest, keeps_nul


@dataclass(frozen=True, eq=False)
class CodedNames:
    """A column of few names as it takes the least memory: a small integer per row, and the names in order."""

    codes: Host
    names: list[Any]

    def tolist(self) -> list[Any]:
        """The name of each row."""
        return [self.names[code] for code in self.codes.tolist()]


_ABSENT = ("NoneType", "NAType", "NaTType")


def name_column(column: ArrayLike, *, name: str, who: str, n: int) -> Host:
    """The names of the rows as numbers or text that can be sorted."""
    array = to_host(ingest(column, name=name, who=who))
    if array.shape != (n,):
        raise InputError(who, name, f"must hold one label per row ({n}), got {describe(array)}")
    refuse_missing(array, name=name, who=who)
    if array.dtype.kind == "O":
        _refuse_nameless(array, name, who)
    return as_text(array)


def as_text(values: Host) -> Host:
    """Objects as text, in NumPy's fixed width unless that drops something; the rest as it is."""
    if values.dtype.kind != "O":
        return values
    texts = [str(v) for v in values.tolist()]
    return np.array(texts, dtype=object if keeps_nul(texts) else np.str_)


def refuse_missing(values: Host, *, name: str, who: str) -> None:
    """None, NaN, NaT and pandas' NA would become a name, or fail where names are sorted."""
    missing = _missing(values)
    if missing.any():
        row, count = int(np.argmax(missing)), int(missing.sum())
        more = f" ({count} such rows)" if count > 1 else ""
        raise InputError(
            who, name, f"must not hold missing values, got {values[row]} in row {row}{more}",
            "Give such rows a label of their own or drop them.",
        )  # fmt: skip


def _missing(values: Host) -> Any:
    if values.dtype.kind == "O":
        return np.array(
            [type(v).__name__ in _ABSENT or (isinstance(v, float) and math.isnan(v)) for v in values.tolist()], np.bool_
        )
    absent = {"f": np.isnan, "m": np.isnat, "M": np.isnat}.get(values.dtype.kind)
    return np.zeros(1, np.bool_) if absent is None else absent(values)


def _refuse_nameless(values: Host, name: str, who: str) -> None:
    """Things that are equal only to themselves (their text is an address), and text beside numbers, where 1 and "1" would be one."""
    kinds: set[type] = {type(v) for v in values.tolist()}
    texts = {kind for kind in kinds if issubclass(kind, str)}
    for kind in kinds - texts:
        row = next(i for i, v in enumerate(values.tolist()) if type(v) is kind)
        if texts:
            raise InputError(
                who,
                name,
                f"must hold text or numbers, not both, got {shown(values[row])} in row {row} beside text",
                "Make all of them text or all of them numbers.",
            )
        if _nameless(kind):
            raise InputError(
                who,
                name,
                f"must hold text or numbers, got {shown(values[row])} in row {row}, which has no name of its own",
            )


def _nameless(kind: type) -> bool:
    own = kind.__eq__ is object.__eq__ and not issubclass(kind, enum.Enum)
    return own or not issubclass(kind, Hashable) or issubclass(kind, Callable)
