"""The command line speaks of options: no complaint of any of its tests names an argument as Python writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.cli.wording import OPTIONS

MESSAGES = Path(__file__).parents[1] / "messages.txt"
COMPLAINTS = sorted(
    {line.strip() for line in MESSAGES.read_text(encoding="utf-8").splitlines() if line.startswith("    assay: ")}
)
ARGUMENTS = sorted({name for table in OPTIONS.values() for name in table})
PYTHON = re.compile(rf"(?<![-\w:,.'\"])({'|'.join(ARGUMENTS)})=|\b(y_true|y_pred|y_prob|y_score)\b")


def test_there_are_complaints_of_every_command() -> None:
    """The snapshot holds them all, so that none is looked over."""
    assert len(COMPLAINTS) > 100
    for option in ("--truth", "--resampling", "--width", "--names"):
        assert any(option in text for text in COMPLAINTS), option


@pytest.mark.parametrize("argument", ["y_prob=", " method='wilson'", " level=0.9", "y_true must"])
def test_the_pattern_finds_what_it_should(argument: str) -> None:
    """Else the next test could not fail."""
    assert PYTHON.search(f"assay: pass {argument}")


def test_no_complaint_names_an_argument() -> None:
    """``--prob``, not ``y_prob=``."""
    assert [text for text in COMPLAINTS if PYTHON.search(text)] == []
