"""Columns of texts: one text per row, or several references per row, in the form that metrics of text walk over.

A column is a `Ragged` whose one item is ``text``. Texts stay Python strings, which most callers have already; kernels read them as one
array of code points (`joined`), made once for all texts of a call.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, arg
from assay.core.ingestion import unlocked
from assay.core.ragged import Ragged

Codes = NDArray[np.uint32]
Offsets = NDArray[np.int64]
TEXT = "text"


def text_column(value: ArrayLike, *, name: str, who: str, several: bool = False) -> Ragged:
    """One text per row; with ``several`` a row may also be a list of texts, in which None is a reference that is missing."""
    if isinstance(value, Ragged):
        if TEXT not in value:
            raise InputError(who, name, "must hold texts, got a column of other items")
        if not several and np.any(value.counts != 1):
            row = int(np.argmax(value.counts != 1))
            raise InputError(who, name, f"must hold one text per row, got {int(value.counts[row])} in row {row}")
        return value
    rows = _rows(value, name, who)
    if not several or not any(_is_list(row) for row in rows):
        return Ragged({TEXT: _texts(rows, name, who)}, np.arange(len(rows) + 1, dtype=np.int64))
    if (
        set(map(type, rows)) == {list}
        and all(rows)
        and None not in (texts := list(itertools.chain.from_iterable(rows)))
    ):
        counts = list(map(len, rows))  # the usual form, without a look at every row
    else:
        counts, texts = _given(rows, name, who)
    row_of = np.repeat(np.arange(len(rows)), counts)
    return Ragged.of({TEXT: _texts(texts, name, who, row_of)}, counts)


def _given(rows: Sequence[Any], name: str, who: str) -> tuple[list[int], list[object]]:
    """How many references each row has, and all of them."""
    counts, texts = list[int](), list[object]()
    for at, row in enumerate(rows):
        own = [one for one in row if one is not None] if _is_list(row) else [row]
        if not own:
            raise InputError(
                who, name, f"has no reference in row {at}", "Give each row at least one text; it may be empty."
            )
        counts.append(len(own))
        texts.extend(own)
    return counts, texts


def joined(texts: Sequence[str]) -> tuple[Codes, Offsets]:
    """All texts as one array of code points; text i is ``codes[offsets[i] : offsets[i + 1]]``."""
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
    return unlocked(np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)), offsets


def same_rows(references: Ragged, predictions: Ragged, who: str) -> None:
    """Refuse numbers of rows that differ; lists of references, one for each set of them, are what other tools take."""
    if references.n == predictions.n:
        return
    sets = bool(np.all(references.counts == predictions.n)) and predictions.n > 1
    fix = f"References are given row by row: pass {arg('y_true')}=list(zip(*references))." if sets else ""
    counts = f"{arg('y_true')} {references.n}, {arg('y_pred')} {predictions.n}"
    raise InputError(who, "", f"the inputs must have the same number of rows, got {counts}", fix)


def _rows(value: object, name: str, who: str) -> list[Any]:
    if isinstance(value, str | bytes):
        problem = "must hold one text per row, got a single text"
        raise InputError(who, name, problem, f"Pass a list: {name}=[text].")
    if hasattr(value, "columns"):
        raise InputError(who, name, "must hold one text per row, got a frame", "Pass one column of it.")
    if hasattr(value, "to_list"):
        return list(cast(Any, value).to_list())
    if hasattr(value, "to_pylist"):
        return list(cast(Any, value).to_pylist())
    if hasattr(value, "tolist"):
        try:
            return list(np.atleast_1d(cast(Any, value)).tolist())
        except (TypeError, RuntimeError) as error:  # a tensor of a kind that NumPy does not know
            raise InputError(who, name, f"must hold one text per row, got {type(value).__name__}") from error
    if not isinstance(value, Iterable):
        raise InputError(who, name, f"must hold one text per row, got {value!r}")
    return list(cast("Iterable[object]", value))


def _is_list(row: object) -> bool:
    return isinstance(row, list | tuple | np.ndarray)


def _texts(values: Sequence[object], name: str, who: str, row_of: Any = None) -> Any:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    if set(map(type, values)) <= {str}:
        return texts
    for at, text in enumerate(values):
        if type(text) is not str:
            texts[at] = _text(text, name, who, at if row_of is None else int(row_of[at]))
    return texts


def _text(value: object, name: str, who: str, row: int) -> str:
    """A text that is not exactly a str; refuses everything else by name."""
    if isinstance(value, str):  # a subclass, such as NumPy's
        return str(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        fix = 'Give "" for an empty text, or drop the row in every input.'
        raise InputError(who, name, f"is missing in row {row}", fix)
    if isinstance(value, bytes):
        raise InputError(who, name, f"must hold text, got bytes in row {row}", "Decode them: value.decode().")
    if _is_list(value):
        raise InputError(who, name, f"must hold one text per row, got {len(cast(Any, value))} in row {row}")
    raise InputError(who, name, f"must hold text, got {value!r} ({type(value).__name__}) in row {row}")
