"""The tables of a result: metrics beside the baseline, classes, slices, and what there is to say below them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.score import Score
from assay.core.slices import Slice
from assay.evaluation.grids import ARROWS, Fits, Grid, Page, interval_text, percent, stacked, value_text, with_interval

if TYPE_CHECKING:
    from assay.evaluation.result import Result

_MOST_COLUMNS = 8
_MOST_REASONS = 8
_MOST_NAMES = 4


def page(result: Result) -> Page:
    """For a terminal of any width."""
    return Page(lambda fits: grids(result, fits), footnotes(result))


def grids(result: Result, fits: Fits | None = None) -> list[Grid]:
    """The tables of a result; without ``fits`` they may be as wide as they like."""
    return [_main(result), *_classes(result), *(_slice(result, name, fits) for name in result.gaps)]


def _main(result: Result) -> Grid:
    with_limits = result.level is not None
    head = ["metric", "", "value", *([f"{percent(result.level)} interval"] if result.level else []), "baseline"]
    rows = [
        [name, ARROWS[result.metrics[name].record.better], value_text(score),
         *([interval_text(score)] if with_limits else []), value_text(result.baseline.get(name))]
        for name, score in result.scores.items()
    ]  # fmt: skip
    return Grid(result.task, head, rows)


def _classes(result: Result) -> list[Grid]:
    table = result.per_class()
    if not table or len(table) < 2:
        return []
    names = list(dict.fromkeys(name for row in table.values() for name in row))
    rows = [
        [str(label), *(f"{row['support']:g}" if n == "support" else value_text(row.get(n)) for n in names)]
        for label, row in table.items()
    ]
    return [Grid("by class" if result.task != "multilabel" else "by label", ["class", *names], rows)]


# ---- slices


def _slice(result: Result, name: str, fits: Fits | None) -> Grid:
    """The widest layout that fits: metrics down and slices across, else slices down and as many metrics as there is room for."""
    found = list(_layouts(result, name))
    return next((grid for grid in found if fits is None or fits(grid)), found[-1])


def _layouts(result: Result, name: str) -> Iterator[Grid]:
    columns: list[tuple[str, dict[str, Any], int]] = [("all", dict(result.scores), result.n)]
    columns += [(str(v), own, next((s.score.n for s in own.values()), 0)) for v, own in result.gaps[name].items()]
    title = f"by {name}" + (f", {percent(result.level)} intervals" if result.level else "")
    metrics = list(result.scores)
    if len(columns) <= _MOST_COLUMNS:
        yield (across := _across(title, name, metrics, columns))
        yield stacked(across)
        yield stacked(_across(title, name, metrics, columns[1:]))  # the whole stands in the first table
    for count in range(len(metrics), 0, -1):
        shown = metrics[:count]
        body = [[value, str(n), *(_cell(scores.get(m)) for m in shown)] for value, scores, n in columns]
        yield Grid(title, [name, "n", *shown], body, below=_hidden(result, name, metrics[count:]))


def _across(title: str, name: str, metrics: list[str], columns: list[tuple[str, dict[str, Any], int]]) -> Grid:
    rows = [["n", *(str(n) for _, _, n in columns)]]
    rows += [[m, *(_cell(scores.get(m)) for _, scores, _ in columns)] for m in metrics]
    return Grid(title, [name, *(value for value, _, _ in columns)], rows)


def _cell(value: Any) -> str:
    """A score, or a slice with a mark if it surely differs from the whole."""
    if not isinstance(value, Slice):
        return with_interval(value)
    pooled = "" if value.pooled is None else f" → {value_text(value.pooled)}"
    mark = {True: " ▲", False: " ▼"}[value.gap > 0] if value.differs else ""
    return with_interval(value.score) + mark + pooled


def _hidden(result: Result, name: str, metrics: list[str]) -> str:
    """What the metrics that there was no room for would have shown."""
    if not metrics:
        return ""
    differing = [
        f"{m} {'▲' if own[m].gap > 0 else '▼'} {label}"
        for m in metrics
        for label, own in result.gaps[name].items()
        if m in own and own[m].differs
    ]
    more = f"; among them {', '.join(differing[:6])}{' ...' if len(differing) > 6 else ''}" if differing else ""
    one = len(metrics) == 1
    return (
        f"{len(metrics)} more metric{'' if one else 's'} by {name} {'does' if one else 'do'} not fit: choose metrics, widen the "
        f"terminal, or take another format{more}."
    )


# ---- notes


def footnotes(result: Result) -> list[str]:
    """What the numbers are about, what the marks mean, then the warnings."""
    facts = [f"{result.n} rows"]
    if result.groups is not None:
        facts.append(f"{result.groups} groups")
    if result.positive is not None:
        facts.append(f"positive class {result.positive!r}")
    elif result.classes:
        facts.append(f"{len(result.classes)} {'labels' if result.task == 'multilabel' else 'classes'}")
    return [" · ".join(facts), *_marks(result), *(f"! {w[0].upper()}{w[1:]}" for w in result.warnings)]


def _marks(result: Result) -> list[str]:
    """What the stars and arrows of the tables mean."""
    said = starred(result.scores)
    doubts: dict[str, list[str]] = {}
    slices = [(f"{name} {label}", s) for name, found in result.gaps.items() for label, own in found.items()
              for s in own.values()]  # fmt: skip
    for where, s in slices:
        if s.score.reason:
            doubts.setdefault(s.score.reason, []).append(where)
    said += listed(doubts)
    if any(s.differs for _, s in slices):
        said.append("▲▼ surely above or below the whole, all slices of a metric taken together")
    if any(s.pooled is not None for _, s in slices):
        said.append("→ after borrowing from the other slices (partial pooling)")
    return said


def starred(scores: dict[str, Score]) -> list[str]:
    """Why some intervals carry a star: each reason once, with the metrics it is about."""
    doubts: dict[str, list[str]] = {}
    for name, score in scores.items():
        if score.reason and score == score:  # noqa: PLR0124 - a value that does not exist has a warning of its own
            doubts.setdefault(score.reason, []).append(name)
    return listed(doubts)


def listed(doubts: dict[str, list[str]]) -> list[str]:
    """Each reason once, with the places it is about."""
    said: list[str] = []
    for reason, places in list(doubts.items())[:_MOST_REASONS]:
        where = list(dict.fromkeys(places))
        more = f" and {len(where) - _MOST_NAMES} more" if len(where) > _MOST_NAMES else ""
        said.append(f"* {', '.join(where[:_MOST_NAMES])}{more}: {reason}")
    if len(doubts) > _MOST_REASONS:
        said.append(f"* and {len(doubts) - _MOST_REASONS} more reasons not to trust an interval")
    return said


# ---- records


def records(result: Result) -> list[dict[str, Any]]:
    """One record a metric and slice."""
    found: list[dict[str, Any]] = []
    for key, score in result.scores.items():
        found.append(_record(result, key, score, "all", "") | {"baseline": result.baseline.get(key)})
    for name, slices in result.gaps.items():
        for label, own in slices.items():
            for key, s in own.items():
                gap = {"gap": s.gap, "gap_low": s.gap_low, "gap_high": s.gap_high, "differs": s.differs}
                found.append(_record(result, key, s.score, name, str(label)) | gap)
    return found


def _record(result: Result, key: str, score: Score, name: str, label: str) -> dict[str, Any]:
    return {
        "slice": name, "of": label, "metric": key, "value": float(score), "low": score.low, "high": score.high,
        "level": score.level, "method": score.method, "reliable": score.reliable, "reason": score.reason, "n": score.n,
        "better": result.metrics[key].record.better,
    }  # fmt: skip


def schema() -> dict[str, Any]:
    """The columns of a result's frame."""
    import polars as pl

    return {
        "slice": pl.String, "of": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "n": pl.Int64, "baseline": pl.Float64, "better": pl.String, "level": pl.Float64, "method": pl.String,
        "reliable": pl.Boolean, "reason": pl.String, "gap": pl.Float64, "gap_low": pl.Float64, "gap_high": pl.Float64,
        "differs": pl.Boolean,
    }  # fmt: skip
