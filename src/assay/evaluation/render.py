"""A result as tables: for the terminal, a notebook, Markdown, LaTeX and data frames. Written once as plain cells."""

from __future__ import annotations

import html as markup
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import DependencyError, ParameterError
from assay.core.score import Score, digits
from assay.core.slices import Slice

if TYPE_CHECKING:
    from assay.evaluation.result import Result

_ARROWS = {"higher": "↑", "lower": "↓", "none": ""}
_MOST_COLUMNS = 8


@dataclass(frozen=True)
class Grid:
    """A titled table of text cells; the first column is text, the others are numbers."""

    title: str
    head: list[str]
    rows: list[list[str]]


def grids(result: Result) -> list[Grid]:
    """The tables of a result: metrics beside the baseline, classes, slices."""
    return [_main(result), *_classes(result), *(_slice(result, name) for name in result.slices)]


def footnotes(result: Result) -> list[str]:
    """What the numbers are about, then the warnings."""
    facts = [f"{result.n} rows"]
    if result.groups is not None:
        facts.append(f"{result.groups} groups")
    if result.positive is not None:
        facts.append(f"positive class {result.positive!r}")
    elif result.classes:
        facts.append(f"{len(result.classes)} {'labels' if result.task == 'multilabel' else 'classes'}")
    return [" · ".join(facts), *_reasons(result), *(f"! {w[0].upper()}{w[1:]}" for w in result.warnings)]


def _reasons(result: Result) -> list[str]:
    """What the stars and arrows of the tables mean."""
    doubts: dict[str, list[str]] = {}
    for name, score in result.scores.items():
        if score.reason:
            doubts.setdefault(score.reason, []).append(name)
    said = [f"* {', '.join(names)}: {reason}" for reason, names in doubts.items()]
    slices = [s for found in result.gaps.values() for own in found.values() for s in own.values()]
    said += [f"* in slices: {reason}" for reason in sorted({s.score.reason for s in slices if s.score.reason})]
    if any(s.differs for s in slices):
        said.append("▲▼ surely above or below the whole, all slices of a metric taken together")
    return said


def value_text(score: float | None) -> str:
    """A value as it stands in a table: a dash where it does not exist."""
    if score is None or math.isnan(score):
        return "–"
    return score.short() if isinstance(score, Score) else digits(score)


def _cell(value: Any) -> str:
    """A score, or a slice with a mark if it surely differs from the whole."""
    if not isinstance(value, Slice):
        return value_text(value)
    mark = {True: " ▲", False: " ▼"}[value.gap > 0] if value.differs else ""
    return value_text(value.score) + mark


def _main(result: Result) -> Grid:
    rows = [
        [name, _ARROWS[result.metrics[name].record.better], value_text(score), value_text(result.baseline.get(name))]
        for name, score in result.scores.items()
    ]
    return Grid(result.task, ["metric", "", "value", "baseline"], rows)


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


def _slice(result: Result, name: str) -> Grid:
    """Metrics down, slices across, while there are few of them; many slices go down, the first metrics across."""
    columns: list[tuple[str, dict[str, Any], int]] = [("all", dict(result.scores), result.n)]
    columns += [(str(v), own, next((s.score.n for s in own.values()), 0)) for v, own in result.gaps[name].items()]
    if len(columns) <= _MOST_COLUMNS:
        head = [name, *(value for value, _, _ in columns)]
        rows = [["n", *(str(n) for _, _, n in columns)]]
        return Grid(f"by {name}", head, rows + [[m, *(_cell(s.get(m)) for _, s, _ in columns)] for m in result.scores])
    shown = list(result.scores)[:_MOST_COLUMNS]
    body = [[value, str(n), *(_cell(scores.get(m)) for m in shown)] for value, scores, n in columns]
    return Grid(f"by {name}", [name, "n", *shown], body)


def rich_view(result: Result) -> Any:
    """Tables and notes for a rich console."""
    from rich.console import Group
    from rich.text import Text

    notes = [Text(line, style="yellow" if line.startswith("!") else "dim") for line in footnotes(result)]
    return Group(*(rich_table(grid) for grid in grids(result)), *notes)


def rich_table(grid: Grid) -> Any:
    """One table for a rich console."""
    from rich import box
    from rich.table import Table

    table = Table(title=grid.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(grid.head):
        table.add_column(name, justify="left" if i == 0 else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*row)
    return table


def text(result: Result) -> str:
    """Plain text, no colours."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=100, no_color=True).print(rich_view(result))
    return out.getvalue()


def markdown(result: Result) -> str:
    """Pipe tables."""
    lines: list[str] = []
    for grid in grids(result):
        lines += [
            f"**{grid.title}**",
            "",
            _pipe(grid.head),
            "|" + "|".join(["---", *["---:"] * (len(grid.head) - 1)]) + "|",
        ]
        lines += [*(_pipe(row) for row in grid.rows), ""]
    return "\n".join([*lines, *(f"- {note}" for note in footnotes(result)), ""])


def _pipe(cells: list[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


_TEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "–": "--"}  # fmt: skip


def _tex(cell: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in cell)


def latex(result: Result) -> str:
    """Booktabs tables, one after the other."""
    parts: list[str] = []
    for grid in grids(result):
        body = "\n".join(" & ".join(map(_tex, row)) + r" \\" for row in grid.rows)
        head = " & ".join(map(_tex, grid.head)) + r" \\"
        columns = "l" + "r" * (len(grid.head) - 1)
        parts.append(
            f"% {grid.title}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n"
        )
    return "\n".join(parts)


def html(result: Result) -> str:
    """Plain tables for a notebook."""
    parts: list[str] = []
    for grid in grids(result):
        head = "".join(f"<th>{markup.escape(c)}</th>" for c in grid.head)
        rows = "".join("<tr>" + "".join(f"<td>{markup.escape(c)}</td>" for c in row) + "</tr>" for row in grid.rows)
        parts.append(
            f"<h4>{markup.escape(grid.title)}</h4><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )
    notes = "".join(f"<li>{markup.escape(note)}</li>" for note in footnotes(result))
    return "<div class='assay-result'>" + "".join(parts) + f"<ul>{notes}</ul></div>"


def records(result: Result) -> list[dict[str, Any]]:
    """One record a metric and slice."""
    found: list[dict[str, Any]] = []
    tables = [("all", "", result.scores)]
    tables += [(name, str(value), scores) for name, values in result.slices.items() for value, scores in values.items()]
    for name, value, scores in tables:
        for key, score in scores.items():
            found.append(
                {
                    "slice": name,
                    "of": value,
                    "metric": key,
                    "value": float(score),
                    "low": score.low,
                    "high": score.high,
                    "n": score.n,
                    "baseline": result.baseline.get(key) if name == "all" else None,
                    "better": result.metrics[key].record.better,
                }
            )
    return found


def frame(result: Result, backend: str) -> Any:
    """The records as a data frame."""
    import polars as pl

    schema = {"slice": pl.String, "of": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64,
              "high": pl.Float64, "n": pl.Int64, "baseline": pl.Float64, "better": pl.String}  # fmt: skip
    data = pl.DataFrame(records(result), schema=schema)
    if backend not in ("polars", "pandas", "pyarrow"):
        raise ParameterError(f"to_frame: backend must be 'polars', 'pandas' or 'pyarrow', got {backend!r}.")
    try:
        convert: dict[str, Any] = {"polars": lambda: data, "pandas": data.to_pandas, "pyarrow": data.to_arrow}
        return convert[backend]()
    except ImportError as error:
        raise DependencyError(
            f"to_frame: the {backend} backend needs that package and pyarrow: pip install {backend} pyarrow."
        ) from error
