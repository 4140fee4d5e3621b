"""An alignment of two texts, to read and to print."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple, overload

from assay.core.call_checks import guarded
from assay.metrics.text.edits import EDITS, Kind, shortest
from assay.metrics.text.error_rates import SPLITTERS
from assay.metrics.text.tokenizers import Splitter, tokenizer_of

_MARKS: dict[Kind, str] = {"hit": "", "substitution": "S", "deletion": "D", "insertion": "I"}


class Edit(NamedTuple):
    """One step: a word of the reference, a word of the text, or one of each; None where there is none."""

    kind: Kind
    reference: str | None
    text: str | None


class TextAlignment(Sequence[Edit]):
    """The edits from a reference to a text, in order; prints as two lines with a mark below each error."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = tuple(edits)

    def __len__(self) -> int:
        return len(self._edits)

    @overload
    def __getitem__(self, at: int) -> Edit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Edit, ...]: ...
    def __getitem__(self, at: int | slice) -> Edit | tuple[Edit, ...]:
        return self._edits[at]

    @property
    def counts(self) -> dict[str, int]:
        """How many hits, substitutions, deletions and insertions there are."""
        kinds = [edit.kind for edit in self._edits]
        return {name: kinds.count(kind) for name, kind in zip(EDITS, _MARKS, strict=True)}

    def __str__(self) -> str:
        columns = [(*_beside(edit), _MARKS[edit.kind]) for edit in self._edits]
        widths = [max(map(_width, column)) for column in columns]
        lines = (
            "  ".join(cell + " " * (wide - _width(cell)) for cell, wide in zip(row, widths, strict=True)).rstrip()
            for row in zip(*columns, strict=True)
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"TextAlignment({', '.join(f'{count} {name}' for name, count in self.counts.items())})"


def _beside(edit: Edit) -> tuple[str, str]:
    """Both words, a missing one as stars."""
    a, b = edit.reference, edit.text
    return a if a is not None else "*" * _width(b or ""), b if b is not None else "*" * _width(a or "")


def _width(text: str) -> int:
    """Columns in a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


@guarded
def align(reference: str, text: str, *, tokenizer: str | Splitter = "none") -> TextAlignment:
    """The edits from a reference to a text that `word_error_rate` counts, word by word.

    >>> print(align("the cat sat", "the hat sat down"))
    the  cat  sat  ****
    the  hat  sat  down
         S         I
    """
    splitter = tokenizer_of("align", tokenizer, SPLITTERS)
    a, b = (splitter.split(splitter.prepare(side) if splitter.prepare else side) for side in (reference, text))
    steps = shortest(a, b)
    return TextAlignment(
        [
            Edit(kind, None if kind == "insertion" else a[i], None if kind == "deletion" else b[j])
            for kind, i, j in steps
        ]
    )
