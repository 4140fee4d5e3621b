"""An entry that is neither a metric nor a loss: a way to split, to estimate, to infer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from assay.explain.formula import to_unicode


@dataclass(frozen=True)
class Topic:
    """What it does, how it is called, and what to know of it; ``latex`` is its formula, if it has one."""

    key: str
    title: str
    summary: str
    calls: list[str]
    sections: dict[str, list[str]]
    references: list[str]
    kind: str = "inference"
    task: str = ""
    latex: str = ""

    @property
    def formula(self) -> str:
        """The formula as one line of text."""
        return to_unicode(self.latex)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {**dataclasses.asdict(self), "formula": self.formula}
