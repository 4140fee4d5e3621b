"""Results in a notebook: tables in the colours of the page, light or dark, with intervals that never break across lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core import escaping

_MOST = 12  # rows of a long table: the first and the last
_INTERVAL = re.compile(r"(?:[-+−]?\d[\d.e+-]*\s)?\[[^\[\]]{1,60},[^\[\]]{1,60}\](?:\s\d[\d.]*\s%)?(?:\s\*)?")
_LIGHT = "--assay-line:#d5d9de;--assay-soft:#5b6470;--assay-best:#0b6e3b;--assay-warn:#8a5200;--assay-band:#f5f7f9"
_DARK = "--assay-line:#3b424b;--assay-soft:#a3adb8;--assay-best:#5fd39a;--assay-warn:#f0b45c;--assay-band:#1d2228"
_RULES = (
    "{font:13px/1.45 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;color:inherit;overflow-x:auto;"
    f"{_LIGHT}}}",
    " table{border-collapse:collapse;margin:.3em 0 .6em;font-variant-numeric:tabular-nums;background:none}",
    " th, td{padding:.2em .8em;text-align:right;white-space:nowrap;border:0;background:none;color:inherit}",
    " th:first-child, td:first-child{text-align:left;padding-left:.2em}",
    " thead th{font-weight:600;border-bottom:1px solid var(--assay-line)}",
    " tbody tr:nth-child(even) td{background:var(--assay-band)}",
    " .t{font-weight:600;margin:.5em 0 .1em}",
    " .b{font-weight:700;color:var(--assay-best)}",
    " .i{white-space:nowrap}",
    " .n{margin:.1em 0;color:var(--assay-soft);max-width:60em}",
    " .w{color:var(--assay-warn)}",
)
# Notebooks and editors say their theme in several ways; a page that says nothing follows the system.
_DARK_PAGES = ("[data-jp-theme-light=false] ", ".vscode-dark ", "[data-theme=dark] ", "[theme=dark] ")
_LIGHT_PAGES = ("[data-jp-theme-light=true] ", ".vscode-light ", "[data-theme=light] ")
STYLE = (
    "<style>"
    + "".join(".assay-result" + rule.replace(", ", ",.assay-result ") for rule in _RULES)
    + f"@media (prefers-color-scheme:dark){{.assay-result{{{_DARK}}}}}"
    + ",".join(f"{page}.assay-result" for page in _DARK_PAGES)
    + f"{{{_DARK}}}"
    + ",".join(f"{page}.assay-result" for page in _LIGHT_PAGES)
    + f"{{{_LIGHT}}}</style>"
)


@dataclass(frozen=True)
class Table:
    """A titled table of texts; ``best`` marks cells by (row, column), ``below`` stands under it."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]] = frozenset()
    below: str = ""


def page(tables: Sequence[Table], notes: Sequence[str], verdict: Sequence[str] = ()) -> str:
    """The verdict, tables and notes, with their style."""
    return f"<div class='assay-result'>{STYLE}{_said(verdict)}{''.join(map(_table, tables))}{_said(notes)}</div>"


def _said(notes: Sequence[str]) -> str:
    return "".join(f"<p class='n{' w' if note.startswith('!') else ''}'>{line(note)}</p>" for note in notes)


def sentence(text: str, notes: Sequence[str] = ()) -> str:
    """One line of text and notes, such as a score; what stands before the first space is strong."""
    strong, _, rest = text.partition(" ")
    said = "".join(f"<p class='n'>{line(note)}</p>" for note in notes)
    return f"<div class='assay-result'>{STYLE}<span class='i'><b>{escaping.html(strong)}</b> {_tail(rest)}</span>{said}</div>"


def _tail(text: str) -> str:
    """The interval on one line with the value; what follows it may break."""
    interval, mark, rest = text.partition(" · ")
    return f"{escaping.html(interval)}</span><span>{escaping.html(mark + rest)}" if mark else escaping.html(text)


def line(text: str) -> str:
    """A text in which no interval breaks."""
    pieces, at = list[str](), 0
    for found in _INTERVAL.finditer(text):
        pieces += [escaping.html(text[at : found.start()]), f"<span class='i'>{escaping.html(found[0])}</span>"]
        at = found.end()
    return "".join([*pieces, escaping.html(text[at:])])


def shortened(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The first and the last rows of a long table, and between them how many are left out."""
    if len(rows) <= _MOST:
        return list(rows)
    half = _MOST // 2
    gap = [f"… {len(rows) - 2 * half} more", *[""] * (len(rows[0]) - 1)]
    return [*rows[:half], gap, *rows[-half:]]


def _table(table: Table) -> str:
    head = "".join(f"<th>{escaping.html(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{_row(row, i, table.best)}</tr>" for i, row in enumerate(table.rows))
    title = f"<p class='t'>{escaping.html(table.title)}</p>" if table.title else ""
    below = f"<p class='n'>{line(table.below)}</p>" if table.below else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"


def _row(row: Sequence[str], i: int, best: frozenset[tuple[int, int]]) -> str:
    marks = [" class='b'" if (i, j) in best else "" for j in range(len(row))]
    return "".join(f"<td{mark}>{escaping.html(cell)}</td>" for mark, cell in zip(marks, row, strict=True))
