"""Results of several models on the same rows, side by side, with the trivial baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.errors import InputError
from assay.evaluation.grids import ARROWS, Grid, Page, percent, to_markdown, value_text, with_interval
from assay.evaluation.render import starred
from assay.evaluation.result import Result


@dataclass(frozen=True)
class Beside:
    """A table with one column a model; its ``grid.best`` holds the (row, column) of the best value of every row."""

    grid: Grid
    notes: list[str]

    def __rich__(self) -> Any:
        """Table and notes for a rich console."""
        return Page(lambda _: [self.grid], self.notes)

    def to_markdown(self) -> str:
        """A pipe table, the best values in bold."""
        return to_markdown([self.grid], self.notes)


def beside(results: Mapping[str, Result], *, title: str | None = None) -> Beside:
    """The results of models, by name, as one table. They must be of one task and of equally many rows."""
    first = _alike(results)
    names = [name for name in first.scores if all(name in r.scores for r in results.values())]
    slices = [(s, v) for s, values in first.slices.items() for v in values]
    rows, best = list[list[str]](), set[tuple[int, int]]()
    for name in names:
        scores = [r.scores[name] for r in results.values()]
        better = first.metrics[name].record.better
        best |= {(len(rows), 2 + j) for j in _best(scores, better)}
        rows.append([name, ARROWS[better], *map(with_interval, scores), value_text(first.baseline.get(name))])
    for name, value in slices:
        rows.append(_slice_row(results, names[0], name, value))
    head = ["metric", "", *results, "baseline"]
    return Beside(Grid(title or first.task, head, rows, frozenset(best)), _notes(results, first))


def _alike(results: Mapping[str, Result]) -> Result:
    if not results:
        raise InputError("beside: give at least one result.")
    first = next(iter(results.values()))
    for name, other in results.items():
        if (other.task, other.n) != (first.task, first.n):
            raise InputError(
                f"beside: the results must be of one task on the same rows, got {first.task} of {first.n} rows and "
                f"{other.task} of {other.n} ({name})."
            )
    return first


def _best(scores: list[Any], better: str) -> list[int]:
    """Where the best value stands; nothing is best where all are equal, undefined or without direction."""
    defined = [float(s) for s in scores if not math.isnan(s)]
    if better == "none" or len(set(defined)) < 2:
        return []
    top = max(defined) if better == "higher" else min(defined)
    return [j for j, s in enumerate(scores) if s == top]


def _slice_row(results: Mapping[str, Result], metric: str, name: str, value: Any) -> list[str]:
    found = [r.slices.get(name, {}).get(value, {}).get(metric) for r in results.values()]
    return [f"  {metric} · {name} {value}", "", *map(with_interval, found), ""]


def _notes(results: Mapping[str, Result], first: Result) -> list[str]:
    """How many rows, then every star and warning once, with the models that it is about unless it is about all."""
    said: dict[str, list[str]] = {}
    for name, result in results.items():
        for note in [*starred(result.scores), *(f"! {warning}" for warning in result.warnings)]:
            said.setdefault(note, []).append(name)
    facts = [f"{first.n} rows", *([f"{percent(first.level)} intervals"] if first.level else [])]
    facts += [f"positive class {first.positive!r}"] if first.positive is not None else []
    return [" · ".join(facts), *(_said(note, who, len(who) == len(results)) for note, who in said.items())]


def _said(note: str, who: list[str], of_all: bool) -> str:
    mark, text = note[:2], note[2:]
    if of_all:
        return mark + (text[0].upper() + text[1:] if mark == "! " else text)
    return f"{mark}{', '.join(who)}: {text}"
