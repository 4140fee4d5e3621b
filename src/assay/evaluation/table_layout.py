"""Tables of text cells, written once and shown on a terminal of any width, in a notebook, as Markdown or LaTeX."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.core import escaping, notebook
from assay.core.score import Score, digits

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}
_NAME, _HEADING = 24, 12  # where names give way when the terminal is narrow
_ENDLESS = 10_000
_MOST_NAMES = 12


@dataclass(frozen=True)
class Star:
    """An interval in a table that is not to be trusted: of which metric, where (empty: on all rows), and why."""

    metric: str
    where: str
    reason: str


@dataclass(frozen=True)
class Grid:
    """A titled table; the first column is text, the others are numbers. ``best`` marks cells by (row, column).

    ``stars`` tells of the marks behind intervals in its cells, so that each has its footnote and no other has. On a terminal names wider
    than ``names`` are broken behind one of ``marks``, and intervals of a ``stacked`` table stand below their values.
    """

    title: str
    head: list[str]
    rows: list[list[str]]
    best: frozenset[tuple[int, int]] = frozenset()
    below: str = ""
    stars: tuple[Star, ...] = ()
    marks: str = ""
    names: int = 0
    stacked: bool = False


Fits = Callable[[Grid], bool]


# ---- cells


def value_text(score: float | None) -> str:
    """A value as it stands in a table: a dash where it is undefined, behind it the bias-corrected estimate if there is one."""
    if score is None or math.isnan(score):
        return "–"
    if not isinstance(score, Score):
        return digits(score)
    corrected = "" if score.corrected is None else f" ({digits(score.corrected, score.low, score.high)})"
    return digits(score, score.low, score.high) + corrected


def limits_text(low: float | None, high: float | None, *, sure: bool = True) -> str:
    """``[0.897, 0.929]``, with a star if it is not to be trusted; empty where there is none."""
    if low is None or high is None:
        return "" if sure else "*"
    return f"[{digits(low, low, high)}, {digits(high, low, high)}]" + ("" if sure else " *")


def interval_text(score: Score) -> str:
    """The interval of a score as it stands in a table."""
    return "" if math.isnan(score) else limits_text(score.low, score.high, sure=score.reliable)


def with_interval(score: float | None) -> str:
    """Value and interval in one cell."""
    return " ".join(filter(None, [value_text(score), interval_text(score) if isinstance(score, Score) else ""]))


def percent(level: float) -> str:
    """A level as it stands in a heading."""
    return f"{100 * level:g} %"


def counted(n: int, what: str) -> str:
    """``1 row``, ``7 rows``, ``3 queries``."""
    if what.endswith("y") and n != 1:
        return f"{n} {what[:-1]}ies"
    return f"{n} {what}{'' if n == 1 else 'es' if what.endswith('s') else 's'}"


# ---- notes


def stars_of(where: str, scores: Mapping[str, Any]) -> tuple[Star, ...]:
    """The marks of scores or differences by metric."""
    return tuple(
        Star(metric, where, s.reason)
        for metric, s in scores.items()
        if s is not None and s.reason and not s.reliable and not math.isnan(s)
    )


def star_notes(grids: Sequence[Grid], more: Sequence[Star] = ()) -> list[str]:
    """Why some intervals carry a star: each reason once, with the metrics and the places that it concerns."""
    doubts: dict[str, dict[str, list[str]]] = {}
    for star in (*(star for grid in grids for star in grid.stars), *more):
        metrics = doubts.setdefault(star.reason, {}).setdefault(star.where, [])
        metrics += [] if star.metric in metrics else [star.metric]
    return [f"* {_places(found)}: {reason}" for reason, found in doubts.items()]


def corrected_note(scores: Iterable[Any]) -> list[str]:
    """What a number in parentheses is, where there is one."""
    if not any(isinstance(score, Score) and score.corrected is not None for score in scores):
        return []
    return ["in parentheses: the bias-corrected estimate, which its interval is about"]


def _places(found: Mapping[str, list[str]]) -> str:
    """``accuracy, f1 (site a, site b); recall (site c)``."""
    alike: dict[str, list[str]] = {}
    for where, metrics in found.items():
        alike.setdefault(", ".join(metrics), []).append(where or "all rows")
    return "; ".join(m if where == ["all rows"] else f"{m} ({shortened(where)})" for m, where in alike.items())


def shortened(names: Sequence[str]) -> str:
    """The first names, and how many there are beyond."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def warning_notes(warnings: Iterable[str]) -> list[str]:
    """Warnings as they stand below a table."""
    return [f"! {text}" for text in warnings]


def sentence(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def method_note(what: str, methods: Iterable[tuple[str, str | None]]) -> list[str]:
    """By which method each interval was made: one line, the metrics of a method together."""
    said: dict[str, list[str]] = {}
    for metric, method in methods:
        if method not in (None, "none") and metric not in said.setdefault(method, []):
            said[method].append(metric)
    return [f"{what}: " + "; ".join(f"{how} ({', '.join(names)})" for how, names in said.items())] if said else []


# ---- the terminal


class Page:
    """A verdict, tables and notes for a rich console; the layout may depend on the available width."""

    def __init__(
        self,
        tables: Callable[[Fits | None], list[Grid]],
        notes: Callable[[Sequence[Grid]], Sequence[str]],
        verdict: Sequence[str] = (),
    ) -> None:
        self.tables, self.notes, self.verdict = tables, notes, verdict

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        def fits(grid: Grid) -> bool:
            return (
                console.measure(rich_table(grid), options=options.update(width=_ENDLESS)).maximum <= options.max_width
            )

        for note in self.verdict:
            yield Text(escaping.visible(note), style="yellow" if note.startswith("!") else "")
        shown = self.tables(lambda grid: fits(_narrowed(grid)))
        if self.verdict and shown:
            yield ""
        for grid in shown:
            yield rich_table(_fitted(grid, fits))
            if grid.below:
                yield Text(escaping.visible(grid.below) + "\n", style="dim")
        for note in self.notes(shown):
            yield Text(escaping.visible(note), style="yellow" if note.startswith("!") else "dim")

    def text(self, width: int = 100) -> str:
        """Plain text, no colours."""
        from rich.console import Console

        out = io.StringIO()
        Console(file=out, width=width, no_color=True).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _fitted(grid: Grid, fits: Fits) -> Grid:
    """The grid, with names broken and intervals below their values if there is too little room."""
    found = (grid, _narrowed(grid), stacked(_narrowed(grid)), stacked(_tight(grid)))
    return next((one for one in found if fits(one)), found[-1])


def _narrowed(grid: Grid) -> Grid:
    """Long names over several lines."""
    return replace(grid, marks=":,", names=_NAME)


def _tight(grid: Grid) -> Grid:
    """Names as narrow as can be without breaking a word."""
    return replace(grid, marks=":,_", names=_HEADING)


def _broken(name: str, marks: str, width: int) -> str:
    """A long name over several lines, broken behind its marks."""
    lines = [""]
    for part in re.findall(rf"[^{marks}]+[{marks}]?", name) or [name]:
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  " if ":" in marks else "")
        lines[-1] += part
    return "\n".join(lines)


def first_fitting(layouts: Iterable[Grid], fits: Fits | None) -> Grid:
    """The first layout that there is room for, else the last."""
    found = None
    for found in layouts:
        if fits is None or fits(found):
            break
    assert found is not None
    return found


def stacked(grid: Grid) -> Grid:
    """Intervals below their values."""
    return replace(grid, stacked=True)


def _laid_out(grid: Grid) -> Grid:
    """The cells as they stand on a terminal: controls in names made visible first, so that lines break only where they should."""
    shown = escaping.visible
    head, rows = [shown(name) for name in grid.head], [[shown(cell) for cell in row] for row in grid.rows]
    if grid.marks:
        head = [head[0], *(_broken(name, "_", _HEADING) for name in head[1:])]
        rows = [[_broken(row[0], grid.marks, grid.names), *row[1:]] for row in rows]
    if grid.stacked:
        rows = [[row[0], *(cell.replace(" [", "\n[") for cell in row[1:])] for row in rows]
    return replace(grid, title=shown(grid.title), head=head, rows=rows)


def rich_table(grid: Grid) -> Any:
    """One table for a rich console."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = _laid_out(grid)
    table = Table(
        title=Text(grid.title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for i, name in enumerate(grid.head):
        table.add_column(Text(name), justify="left" if i == 0 else "right", overflow="fold")
    columns = [_aligned(head, [row[j] for row in grid.rows]) for j, head in enumerate(grid.head)]
    for i, row in enumerate(zip(*columns, strict=True)):
        for j, cell in enumerate(row):
            cell.style = "bold green" if (i, j) in grid.best else ""
        table.add_row(*row)
    return table


def _aligned(head: str, cells: list[str]) -> list[Any]:
    """The cells as rich texts. Marks behind some intervals take room behind all, so that brackets stand below each other."""
    from rich.text import Text

    rows = [cell.split("\n") for cell in cells]
    room = max((_tail(line) for lines in rows for line in lines), default=0)
    if not room:
        return [Text(cell) for cell in cells]
    padded = [[line + " " * (room - _tail(line)) if "]" in line else line for line in lines] for lines in rows]
    width = max(len(line) for lines in [head.split("\n"), *padded] for line in lines)
    # To the left, because a console strips what is blank at the right before it justifies.
    return [Text("\n".join(line.rjust(width) for line in lines), justify="left") for lines in padded]


def _tail(line: str) -> int:
    return len(line) - line.rfind("]") - 1 if "]" in line else 0


# ---- documents


def to_markdown(grids: Sequence[Grid], notes: Sequence[str], verdict: Sequence[str] = ()) -> str:
    """The verdict, pipe tables with the best cells in bold, then the notes."""
    lines = [*("- " + escaping.markdown(note) for note in verdict), *([""] if verdict else [])]
    for grid in grids:
        rule = "|" + "|".join(["---", *["---:"] * (len(grid.head) - 1)]) + "|"
        lines += [f"**{escaping.markdown(grid.title)}**", "", _pipe(grid.head), rule]
        for i, row in enumerate(grid.rows):
            lines.append(_pipe(row, [j for j in range(len(row)) if (i, j) in grid.best]))
        lines += ["", *([escaping.markdown(grid.below), ""] if grid.below else [])]
    return "\n".join([*lines, *("- " + escaping.markdown(note) for note in notes), ""])


def _pipe(cells: list[str], bold: Sequence[int] = ()) -> str:
    texts = [escaping.markdown(cell) for cell in cells]
    return "| " + " | ".join(f"**{text}**" if j in bold else text for j, text in enumerate(texts)) + " |"


def to_html(grids: Sequence[Grid], notes: Sequence[str], verdict: Sequence[str] = ()) -> str:
    """Tables for a notebook."""
    return notebook.page([notebook.Table(g.title, g.head, g.rows, g.best, g.below) for g in grids], notes, verdict)


def to_latex(grids: Sequence[Grid], notes: Sequence[str], verdict: Sequence[str] = ()) -> str:
    """The verdict, booktabs tables one after the other, then the notes."""
    parts = [_latex_notes(verdict)] if verdict else []
    for grid in grids:
        head, body = escaping.latex_row(grid.head), "\n".join(map(escaping.latex_row, grid.rows))
        columns = "l" + "r" * (len(grid.head) - 1)
        title = escaping.visible(grid.title)
        parts.append(
            f"% {title}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n"
        )
    return "\n".join([*parts, _latex_notes(notes)])


def _latex_notes(notes: Sequence[str]) -> str:
    said = "\n".join(rf"{escaping.latex(note)}\par" for note in notes)
    return f"{{\\footnotesize\\noindent\n{said}\n}}\n"
