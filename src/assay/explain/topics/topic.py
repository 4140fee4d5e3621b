"""An entry of `assay explain` that is neither a metric nor a loss: a way to split, to estimate, to infer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from assay.explain.formula import to_unicode
from assay.explain.references import REFERENCES

USE, MISLEADS, ABOUT, ERRATUM = "When to use it", "When it misleads", "What its interval is about", "Erratum"
READ = "How to read it"


@dataclass(frozen=True)
class Topic:
    """What it does, how it is called, and what to know about it; ``latex`` is its formula, if it has one."""

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

    def to_dict(self) -> dict[str, object]:
        """Everything as plain data, ready for JSON."""
        return {**dataclasses.asdict(self), "formula": self.formula}


def works(keys: str) -> list[str]:
    """The citations of these keys, which are separated by spaces."""
    return [REFERENCES[key] for key in keys.split()]


def resampling_topic(
    key: str, title: str, summary: str, calls: list[str], latex: str, sections: dict[str, list[str]], references: str,
    kind: str = "resampling", task: str = "scheme",
) -> Topic:  # fmt: skip
    """A topic with a formula; ``references`` are the keys of its citations."""
    return Topic(key, title, summary, calls, sections, works(references), kind, task, latex)
