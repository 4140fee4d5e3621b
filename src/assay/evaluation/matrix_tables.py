"""Confusion matrices as tables: every class where there is room, else those with the most errors, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from assay.core.score import digits
from assay.evaluation.table_layout import Fits, Grid, first_fitting

if TYPE_CHECKING:
    from assay.core.arrays import Floats
    from assay.core.monoids import Label
    from assay.evaluation.result import Result

_LONGEST = 12  # characters of a heading; the rows carry the whole names in the same order
_MOST = 30  # classes across
_MOST_ERRORS = 5


@runtime_checkable
class ClassTable(Protocol):
    """A table of true against found classes that knows its classes, with the background as one more."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, without the background."""
        ...

    @property
    def table(self) -> Floats:
        """Counts, rows true."""
        ...


def matrix_grids(result: Result, fits: Fits | None) -> list[Grid]:
    """The confusion matrices of a result as tables."""
    found: list[Grid] = []
    for name, value in result.values.items():
        if isinstance(value, ClassTable):
            names = [*map(str, value.labels), "background"]
            found.append(first_fitting(_layouts(result.label(name), names, np.asarray(value.table)), fits))
        elif result.metrics[name].key == "confusion_matrix" and np.ndim(value) == 3:
            found.append(_by_label(result.label(name), [str(c) for c in result.classes], np.asarray(value)))
        elif result.metrics[name].key == "confusion_matrix":
            names = [str(c) for c in result.classes]
            found.append(first_fitting(_layouts(result.label(name), names, np.asarray(value)), fits))
    return found


def is_table(result: Result, name: str) -> bool:
    """Whether a value that is not one number is printed as a table."""
    return isinstance(result.values[name], ClassTable) or result.metrics[name].key == "confusion_matrix"


def _layouts(title: str, names: Sequence[str], table: Floats) -> Iterator[Grid]:
    """All classes first, then ever fewer, those with the fewest errors left out first."""
    errors = np.nan_to_num(table) * (1 - np.eye(len(table)))
    order = np.argsort(-(errors.sum(axis=0) + errors.sum(axis=1)), kind="stable")
    widest = len(names) if len(names) <= _MOST else _MOST
    yield _grid(title, names, table, range(len(names)), "")
    for count in range(min(widest, len(names) - 1), 1, -1):
        yield _grid(title, names, table, sorted(order[:count].tolist()), _left_out(names, errors, count))


def _grid(title: str, names: Sequence[str], table: Floats, shown: Sequence[int], below: str) -> Grid:
    head = ["truth ↓ · predicted →", *(_short(names[j]) for j in shown)]
    rows = [[names[i], *(_cell(table[i, j]) for j in shown)] for i in shown]
    right = frozenset((k, k + 1) for k in range(len(shown)))
    return Grid(title, head, rows, right, below=below)


def _left_out(names: Sequence[str], errors: Floats, count: int) -> str:
    """Which classes there was no room for, and the most frequent errors among all of them."""
    most = np.argsort(-errors, axis=None, kind="stable")[:_MOST_ERRORS].tolist()
    counts = {divmod(at, len(names)): float(errors.ravel()[at]) for at in most}
    said = ", ".join(f"{names[i]} as {names[j]} ({_cell(n)})" for (i, j), n in counts.items() if n > 0)
    worst = f" Most frequent errors: {said}." if said else ""
    return f"{count} of {len(names)} classes are shown, those with the most errors; the other formats (json) hold all.{worst}"


def _by_label(title: str, names: Sequence[str], tables: Floats) -> Grid:
    """One 2 x 2 table per label as one row."""
    head = ["label", "true positive", "false positive", "false negative", "true negative"]
    rows = [
        [name, *(_cell(x) for x in (t[1, 1], t[0, 1], t[1, 0], t[0, 0]))] for name, t in zip(names, tables, strict=True)
    ]
    return Grid(title, head, rows)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _cell(value: float) -> str:
    if np.isnan(value):
        return "–"
    return f"{int(value):,}" if float(value).is_integer() else digits(float(value))
