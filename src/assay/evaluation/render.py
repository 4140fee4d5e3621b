"""The tables of a result: metrics beside the baseline, classes and slices, with notes below them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.core.score import Score
from assay.core.slices import Slice
from assay.evaluation.matrix_tables import matrix_grids
from assay.evaluation.presets import PREPARED, unit_of
from assay.evaluation.table_layout import (
    ARROWS,
    Fits,
    Grid,
    Page,
    Star,
    corrected_note,
    counted,
    first_fitting,
    interval_text,
    method_note,
    percent,
    sentence,
    stacked,
    star_notes,
    stars_of,
    value_text,
    warning_notes,
    with_interval,
)

if TYPE_CHECKING:
    from assay.evaluation.result import Result

_MOST_COLUMNS = 8
_MOST_OF_CLASS = 6  # metrics across a table of classes
_Column = tuple[str, dict[str, Any], int]  # a slice: its label, its scores by metric, its rows


def page(result: Result) -> Page:
    """For a terminal of any width."""
    return Page(lambda fits: grids(result, fits), lambda shown: footnotes(result, shown), opening(result))


def grids(result: Result, fits: Fits | None = None) -> list[Grid]:
    """The tables of a result; without ``fits`` they may be as wide as they like."""
    if not result.scores:  # curves and matrices alone: nothing here is one number
        return matrix_grids(result, fits)
    slices = [grid for name in result.gaps for grid in _sliced(result, name, fits)]
    return [first_fitting(_mains(result), fits), *_classes(result), *matrix_grids(result, fits), *slices]


def _mains(result: Result) -> Iterator[Grid]:
    """The widest layout first; at last intervals stand below their values and the baseline is left out."""
    yield (whole := _main(result))
    if result.level is None:
        return
    head = ["metric", f"value [{percent(result.level)}]", *whole.head[4:]]
    rows = [[f"{row[0]} {row[1]}".strip(), f"{row[2]} {row[3]}".strip(), *row[4:]] for row in whole.rows]
    yield stacked(replace(whole, head=head, rows=rows))
    if len(head) < 3:
        return
    below = "The baseline does not fit: widen the terminal, or take another format."
    yield stacked(replace(whole, head=head[:2], rows=[row[:2] for row in rows], below=below))


def _main(result: Result) -> Grid:
    with_limits = result.level is not None
    beside = ["baseline"] if result.baseline or result.task not in PREPARED else []
    head = ["metric", "", "value", *([f"{percent(result.level)} interval"] if result.level else []), *beside]
    rows = [
        [result.label(name), ARROWS[result.metrics[name].record.better], value_text(score),
         *([interval_text(score)] if with_limits else []), *([value_text(result.baseline.get(name))] if beside else [])]
        for name, score in result.scores.items()
    ]  # fmt: skip
    return Grid(result.task, head, rows, stars=stars_of("", result.scores) if with_limits else ())


def _classes(result: Result) -> list[Grid]:
    table = result.per_class()
    if not table or len(table) < 2:
        return []
    every = [name for name in dict.fromkeys(name for row in table.values() for name in row) if name != "support"]
    names = [*every[:_MOST_OF_CLASS], *(["support"] if result.support else [])]
    rows = [
        [str(label), *(f"{row['support']:g}" if n == "support" else value_text(row.get(n)) for n in names)]
        for label, row in table.items()
        if not all(math.isnan(row.get(n, math.nan)) for n in every)
    ]
    hidden = len(every) - _MOST_OF_CLASS
    below = f"{hidden} more metrics by class are in the other formats (json)." if hidden > 0 else ""
    return [Grid("by class" if result.task != "multilabel" else "by label", ["class", *names], rows, below=below)]


# ---- slices


def _sliced(result: Result, name: str, fits: Fits | None) -> list[Grid]:
    """Metrics down and slices across if there is room, else slices down and the metrics in as many tables as they need."""
    columns: list[_Column] = [("all", dict(result.scores), result.n)]
    columns += [(str(v), own, next((s.score.n for s in own.values()), 0)) for v, own in result.gaps[name].items()]
    title = f"by {name}" + (f", {percent(result.level)} intervals" if result.level else "")
    metrics = {m: result.label(m) for m in result.scores}
    for grid in _one_table(result, name, title, metrics, columns):
        if fits is None or fits(grid):
            return [grid]
    return _blocks(name, title, list(metrics), columns, fits)


def _one_table(
    result: Result, name: str, title: str, metrics: Mapping[str, str], columns: list[_Column]
) -> Iterator[Grid]:
    """The layouts that show everything at once, the widest first."""
    if len(columns) > _MOST_COLUMNS:
        return
    if any(s.pooled is not None for own in result.gaps[name].values() for s in own.values()):
        yield _across(title, name, metrics, columns, _wide_cell)
    yield (across := _across(title, name, metrics, columns))
    yield stacked(across)
    yield stacked(_across(title, name, metrics, columns[1:]))  # the whole stands in the first table


def _blocks(name: str, title: str, metrics: list[str], columns: list[_Column], fits: Fits | None) -> list[Grid]:
    """Slices down, in tables below each other that hold as many metrics as fit; one at least."""
    found: list[Grid] = []
    while metrics:
        counts = range(len(metrics), 0, -1)
        heading = f"by {name} (continued)" if found else title
        layouts = (_down(name, heading, metrics[:count], columns) for count in counts)
        found.append(first_fitting(layouts, fits))
        metrics = metrics[len(found[-1].head) - 2 :]
    return found


def _down(name: str, title: str, metrics: list[str], columns: list[_Column]) -> Grid:
    rows = [[value, str(n), *(_cell(scores.get(m)) for m in metrics)] for value, scores, n in columns]
    return Grid(title, [name, "n", *metrics], rows, stars=_stars(name, metrics, columns))


def _across(
    title: str,
    name: str,
    metrics: Mapping[str, str],
    columns: list[_Column],
    cell: Callable[[Any], str] | None = None,
) -> Grid:
    rows = [["n", *(str(n) for _, _, n in columns)]]
    rows += [[label, *((cell or _cell)(scores.get(m)) for _, scores, _ in columns)] for m, label in metrics.items()]
    head = [name, *(value for value, _, _ in columns)]
    return Grid(title, head, rows, stars=_stars(name, list(metrics), columns))


def _stars(name: str, metrics: list[str], columns: list[_Column]) -> tuple[Star, ...]:
    """The marks of the metrics shown, slice by slice."""
    found: list[Star] = []
    for label, own, _ in columns:
        scores = {m: s.score if isinstance(s, Slice) else s for m in metrics if (s := own.get(m)) is not None}
        found += stars_of(f"{name} {label}" if any(isinstance(s, Slice) for s in own.values()) else "", scores)
    return tuple(found)


def _cell(value: Any) -> str:
    """A score, or a slice with a mark if it differs significantly from the whole."""
    if not isinstance(value, Slice):
        return with_interval(value)
    return _marked(value) + ("" if value.pooled is None else f" → {value_text(value.pooled)}")


def _wide_cell(value: Any) -> str:
    """As `_cell`, with the limits of what was pooled."""
    if not isinstance(value, Slice) or value.pooled is None:
        return _cell(value)
    return f"{_marked(value)} → {with_interval(value.pooled)}"


def _marked(value: Slice) -> str:
    return with_interval(value.score) + ({True: " ▲", False: " ▼"}[value.gap > 0] if value.differs else "")


# ---- notes


def opening(result: Result) -> list[str]:
    """What comes first: what the numbers are about, how the model does against the baseline, and the warnings."""
    facts = [counted(result.n, unit_of(result.task))]
    if result.groups is not None:
        facts.append(counted(result.groups, "group"))
    if result.positive is not None:
        facts.append(f"positive class {result.positive!r}")
    elif result.classes:
        facts.append(counted(len(result.classes), "label" if result.task == "multilabel" else "class"))
    return [
        " · ".join([*facts, *result.notes]),
        *filter(None, [result.verdict]),
        *warning_notes(map(sentence, result.warnings)),
    ]


def footnotes(result: Result, shown: Sequence[Grid]) -> list[str]:
    """What the marks of the tables shown mean, and last by which methods the intervals were made."""
    return [
        *_marks(result, shown),
        *method_note("intervals", ((name, score.method) for name, score in result.scores.items())),
    ]


def _marks(result: Result, shown: Sequence[Grid]) -> list[str]:
    """What the stars and arrows of the tables mean."""
    slices = [s for found in result.gaps.values() for own in found.values() for s in own.values()]
    said = [*corrected_note([*result.scores.values(), *(s.score for s in slices)]), *star_notes(shown)]
    if any(s.differs for s in slices):
        said.append("▲▼ surely above or below the whole, all slices of a metric taken together")
    if any(s.pooled is not None for s in slices):
        said.append("→ after borrowing from the other slices (partial pooling)")
    for name, found in result.unpooled.items():
        alike: dict[str, list[str]] = {}
        for metric, reason in found.items():
            alike.setdefault(reason, []).append(metric)
        said += [f"not pooled by {name}: {', '.join(metrics)} ({reason})" for reason, metrics in alike.items()]
    return said


# ---- records


def records(result: Result) -> list[dict[str, Any]]:
    """One record per metric and slice."""
    found: list[dict[str, Any]] = []
    for key, score in result.scores.items():
        found.append(_record(result, key, score, "all", "") | {"baseline": result.baseline.get(key)})
    for name, slices in result.gaps.items():
        for label, own in slices.items():
            for key, s in own.items():
                gap = {"gap": s.gap, "gap_low": s.gap_low, "gap_high": s.gap_high, "differs": s.differs}
                found.append(_record(result, key, s.score, name, str(label)) | gap | _pooled(s))
    return found


def _pooled(s: Slice) -> dict[str, Any]:
    pooled = s.pooled
    return {} if pooled is None else {"pooled": float(pooled), "pooled_low": pooled.low, "pooled_high": pooled.high}


def _record(result: Result, key: str, score: Score, name: str, label: str) -> dict[str, Any]:
    return {
        "slice": name, "of": label, "metric": key, "value": float(score), "corrected": score.corrected, "low": score.low,
        "high": score.high, "level": score.level, "method": score.method, "reliable": score.reliable, "reason": score.reason, "n": score.n,
        "better": result.metrics[key].record.better,
    }  # fmt: skip


def schema() -> dict[str, Any]:
    """The columns of a result's frame."""
    import polars as pl

    return {
        "slice": pl.String, "of": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "n": pl.Int64, "baseline": pl.Float64, "better": pl.String, "corrected": pl.Float64, "level": pl.Float64, "method": pl.String,
        "reliable": pl.Boolean, "reason": pl.String, "gap": pl.Float64, "gap_low": pl.Float64, "gap_high": pl.Float64,
        "differs": pl.Boolean, "pooled": pl.Float64, "pooled_low": pl.Float64, "pooled_high": pl.Float64,
    }  # fmt: skip
