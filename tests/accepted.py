"""Which forms of data every metric accepts, and which laws say nothing about an entry: `accepted.txt`, written by `make accepted`.

A metric that begins to refuse a form, or to accept another, fails until the table is written anew and its diff is read. The laws
are collected from the table, so that none is run where it would return at once, and a law that compares nothing fails.
"""

from __future__ import annotations

import functools
from typing import Any

from accepted_table import FILE, Accepted, table
from assay import testing
from assay.core.loss import losses
from assay.testing import LAWS, LOSS_LAWS
from assay.testing.examples import examples_of
from registered import all_variants, cases_of

HEAD = "# Written by `make accepted`: forms of data that each metric accepts, one per line, and laws that do not apply to an entry.\n"
PARTIAL = (  # laws that may not apply to an entry; a run of the others that compares nothing fails
    "intervals", "replicates", "degenerate", "influence", "bounds", "optimum", "properties",
    "reductions_agree", "masks_select", "claims_hold",
)  # fmt: skip


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
    return name_of(entry), Accepted(forms_of(entry), without(entry))


def forms_of(entry: Any) -> tuple[str, ...]:
    """The forms that a metric accepts, found by calling it with all."""
    return () if entry in losses() else tuple(case.name for case in testing.cases_for(entry))


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
