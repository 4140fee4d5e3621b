"""What `accepted.txt` says: forms of data that each metric accepts, and laws that do not apply to an entry."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("accepted.txt")


@dataclass(frozen=True)
class Accepted:
    """The forms of data that an entry accepts, in order, and the laws that do not apply to it."""

    forms: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@functools.cache
def table() -> dict[str, Accepted]:
    found: dict[str, Accepted] = {}
    for block in FILE.read_text(encoding="utf-8").split("\n\n")[1:]:
        name, *lines = block.strip().split("\n")
        without = [line.removeprefix("  without ").split() for line in lines if line.startswith("  without ")]
        forms = [line.removeprefix("  form ") for line in lines if line.startswith("  form ")]
        found[name] = Accepted(tuple(forms), tuple(without[0]) if without else ())
    return found
