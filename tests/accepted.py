"""Which forms of data every metric accepts, and which laws say nothing about an entry: `accepted.txt`, written by `make accepted`.

A metric that begins to refuse a form, or to accept another, fails until the table is written anew and its diff is read. The laws
are collected from the table, so that none is run where it would return at once, and a law that compares nothing fails.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.loss import losses
from assay.testing import LAWS, LOSS_LAWS
from assay.testing.examples import examples_of
from registered import all_variants, cases_of

FILE = Path(__file__).with_name("accepted.txt")
HEAD = "# Written by `make accepted`: forms of data that each metric accepts, one per line, and laws that do not apply to an entry.\n"
PARTIAL = (  # laws that may not apply to an entry; a run of the others that compares nothing fails
    "intervals", "replicates", "degenerate", "influence", "bounds", "optimum", "properties",
    "reductions_agree", "masks_select", "claims_hold",
)  # fmt: skip


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


def name_of(entry: Any) -> str:
    return f"loss {entry.task}.{entry.key}" if entry in losses() else entry.signature()


def checks(entry: Any, law: str) -> int:
    """How many comparisons a law makes on all data of an entry."""
    if entry in losses():
        return sum(LOSS_LAWS[law](entry, example) for example in examples_of(entry))
    return sum(LAWS[law](entry, case) for case in cases_of(entry))


def applies(entry: Any, law: str) -> bool:
    """Whether a law makes a comparison on any data of an entry."""
    if entry in losses():
        return any(LOSS_LAWS[law](entry, example) for example in examples_of(entry))
    return any(LAWS[law](entry, case) for case in cases_of(entry))


def without(entry: Any) -> tuple[str, ...]:
    laws = LOSS_LAWS if entry in losses() else LAWS
    return tuple(law for law in laws if law in PARTIAL and not applies(entry, law))


def measured(at: int) -> tuple[str, Accepted]:
    entry = entries()[at]
    forms = () if entry in losses() else tuple(case.name for case in cases_of(entry))
    return name_of(entry), Accepted(forms, without(entry))


@functools.cache
def entries() -> list[Any]:
    return [*all_variants(), *losses()]


def laws_that_apply(entries: list[Any], laws: Any) -> list[tuple[Any, str]]:
    """Pairs of an entry and a law; an entry that the table does not know is checked by all."""
    return [
        (entry, law) for entry in entries for law in laws if law not in table().get(name_of(entry), Accepted()).without
    ]


def write(found: dict[str, Accepted]) -> None:
    text = HEAD
    for name, entry in sorted(found.items()):
        text += f"\n{name}\n" + "".join(f"  form {form}\n" for form in entry.forms)
        text += f"  without {' '.join(entry.without)}\n" if entry.without else ""
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(dict(measured(at) for at in range(len(entries()))))
