"""Results of several models on the same rows, side by side, with the trivial baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.call_checks import guarded
from assay.core.errors import InputError
from assay.evaluation.result import Result
from assay.evaluation.table_layout import (
    ARROWS,
    Grid,
    Page,
    Star,
    corrected_note,
    counted,
    method_note,
    percent,
    sentence,
    star_notes,
    stars_of,
    to_markdown,
    value_text,
    warning_notes,
    with_interval,
)


@dataclass(frozen=True)
class SideBySide:
    """A table with one column per model; its ``grid.best`` holds the (row, column) of the best value of every row."""

    grid: Grid
    notes: list[str]

    def __rich__(self) -> Page:
        """Table and notes for a rich console."""
        return Page(lambda _: [self.grid], lambda _: self.notes)

    def to_markdown(self) -> str:
        """A pipe table, the best values in bold."""
        return to_markdown([self.grid], self.notes)


@guarded
def side_by_side(results: Mapping[str, Result], *, title: str | None = None) -> SideBySide:
    """The results of models, by name, as one table. They must be of one task and of as many rows."""
    first = _alike(results)
    names = [name for name in first.scores if all(name in r.scores for r in results.values())]
    slices = [(s, v) for s, values in first.slices.items() for v in values]
    rows, best = list[list[str]](), set[tuple[int, int]]()
    for name in names:
        scores = [r.scores[name] for r in results.values()]
        better = first.metrics[name].record.better
        best |= {(len(rows), 2 + j) for j in _best(scores, better)}
        rows.append(
            [first.label(name), ARROWS[better], *map(with_interval, scores), value_text(first.baseline.get(name))]
        )
    for name, value in slices if names else ():
        rows.append(_slice_row(results, names[0], name, value))
    head = ["metric", "", *results, "baseline"]
    stars = [star for model, r in results.items() for star in _stars(r, names, model)]
    grid = Grid(title or first.task, head, rows, frozenset(best), stars=tuple(stars))
    return SideBySide(grid, _notes(results, first, grid))


def _alike(results: Mapping[str, Result]) -> Result:
    if not results:
        raise InputError("side_by_side", "results", "must hold at least one result")
    first = next(iter(results.values()))
    for name, other in results.items():
        if (other.task, other.n) != (first.task, first.n):
            problem = f"must be of one task on the same rows, got {first.task} of {first.n} rows and {other.task} of {other.n} ({name})"
            raise InputError("side_by_side", "results", problem)
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


def _stars(result: Result, names: list[str], model: str) -> list[Star]:
    """The marks in the column of a model: of all metrics, and of the first one on every slice."""
    found = list(stars_of(model, {name: result.scores[name] for name in names}))
    for name, values in result.slices.items():
        for label, own in values.items():
            found += stars_of(f"{name} {label}, {model}", {m: own[m] for m in names[:1] if m in own})
    return found


def _notes(results: Mapping[str, Result], first: Result, grid: Grid) -> list[str]:
    """How many rows, then every star and warning once, with the models that it concerns unless it concerns all."""
    facts = [counted(first.n, "row"), *([f"{percent(first.level)} intervals"] if first.level else [])]
    facts += [f"positive class {first.positive!r}"] if first.positive is not None else []
    how = method_note("intervals", ((m, s.method) for r in results.values() for m, s in r.scores.items()))
    scores = [score for result in results.values() for score in result.scores.values()]
    warnings = said_of({name: result.warnings for name, result in results.items()})
    return [" · ".join(facts), *how, *corrected_note(scores), *star_notes([grid]), *warning_notes(warnings)]


def said_of(warnings: Mapping[str, Sequence[str]]) -> list[str]:
    """Every warning once, with the models that it concerns unless it concerns all."""
    said: dict[str, list[str]] = {}
    for name, own in warnings.items():
        for text in own:
            said.setdefault(text, []).append(name)
    return [sentence(text) if len(who) == len(warnings) else f"{', '.join(who)}: {text}" for text, who in said.items()]
