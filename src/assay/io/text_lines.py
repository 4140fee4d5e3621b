"""Texts from files, one per line; files that belong together must have the same number of lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.core.errors import InputError
from assay.io import table_problems
from assay.io.tables import content, display_name, unzipped

BYTE_ORDER_MARK = "\ufeff"


def read_lines(source: str | Path) -> list[str]:
    """The lines of a file, or of standard input if ``source`` is "-"; gzip is unpacked.

    Only line feeds end a line, with or without a carriage return before them: other separators of Unicode occur inside sentences.
    """
    who, data = display_name(source), content(source)
    raw = unzipped(data, who) if isinstance(data, bytes) else data.read_bytes()
    table_problems.refuse_encoding_mark(raw, who)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        table_problems.refuse_encoding(raw, who)
        raise
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_parallel(sources: Sequence[str | Path]) -> list[list[str]]:
    """The lines of several files that belong together line by line."""
    names = [display_name(source) for source in sources]
    if names.count(display_name("-")) > 1:
        raise InputError("", "", "standard input can be read only once", "Name files for the others.")
    found = [read_lines(source) for source in sources]
    for name, lines in zip(names[1:], found[1:], strict=True):
        if len(lines) != len(found[0]):
            refuse_lengths((names[0], len(found[0])), (name, len(lines)))
    return found


def refuse_lengths(first: tuple[str, int], second: tuple[str, int]) -> None:
    """Name the first line without a counterpart."""
    (longer, most), (shorter, fewest) = sorted((first, second), key=lambda one: -one[1])
    problem = f"has no counterpart: {shorter} has {fewest} lines, {longer} {most}"
    fix = "Texts are matched line by line; write an empty line for an empty text."
    raise InputError(longer, f"line {fewest + 1}", problem, fix)
