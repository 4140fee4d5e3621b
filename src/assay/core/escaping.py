"""Names that others chose (models, labels, columns, slices) in each format of output: shown as they are, never obeyed."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

# Controls of terminals (the C0 and C1 sets), line separators, and marks that turn the direction of text around.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_MARKDOWN = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[|*`]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=\])[(\[:]|(?<!\w)_|_(?!\w)")
_TEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "–": "--",
        "−": "$-$", "→": r"$\rightarrow$", "·": r"$\cdot$", "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$"}  # fmt: skip


def visible(text: str, keep: str = "") -> str:
    r"""Controls as Python writes them (``\n``, ``\x1b``), so that one name is one line and moves no cursor."""
    return _CONTROL.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def html(text: str) -> str:
    """For HTML and SVG, as content or in quotes."""
    return markup.escape(visible(text))


def markdown(text: str) -> str:
    """For a cell or a line of Markdown: no markup, no HTML, no link, and no new cell."""
    return _MARKDOWN.sub(lambda found: {"<": "&lt;", "&": "&amp;"}.get(found[0], "\\" + found[0]), visible(text))


def latex(text: str) -> str:
    """For text of LaTeX."""
    return "".join(_TEX.get(letter, letter) for letter in visible(text))


def latex_row(cells: Sequence[str]) -> str:
    r"""A row of a LaTeX table; a star or bracket at its beginning would be taken for an argument of the ``\\`` or rule before it."""
    row = " & ".join(map(latex, cells))
    return ("{}" if row.lstrip().startswith(("[", "*")) else "") + rf"{row} \\"


def csv(frame: pl.DataFrame) -> str:
    """A frame as CSV in which no cell is a formula to a spreadsheet: such texts get an apostrophe in front."""
    import polars as pl

    text = pl.selectors.string()
    formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    guarded = frame.with_columns(pl.when(formula).then("'" + text).otherwise(text).name.keep())
    return visible(str(guarded.write_csv()), keep="\n")


def json(text: str) -> str:
    """JSON that was written, with controls as its own escapes; they can stand in strings only."""
    return _CONTROL.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
