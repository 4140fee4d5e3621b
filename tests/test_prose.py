"""Idiom that the glossary replaces does not come back."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "prose.py"


@pytest.fixture(scope="module")
def prose() -> ModuleType:
    """tools/prose.py as a module."""
    spec = importlib.util.spec_from_file_location("prose", TOOL)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("It takes one value a row.", "per"),
        ("one thread a class", "per"),
        ("needs 3 fits a repeat", "per"),
        ("must be a whole number", "integer"),
        ("got 5 by place", "positional"),
        ("the file is no valid JSON", "not"),
        ("the value does not exist", "undefined"),
        ("the bootstrap less the bias", "bias-corrected"),
        ("this trap is known", "pitfall"),
        ("errors of a normal law", "distribution"),
    ],
)
def test_idiom_is_found(prose: ModuleType, text: str, word: str) -> None:
    """Each pattern with the word to use instead."""
    assert [found for _, found, _ in prose.found(text)] == [word]


@pytest.mark.parametrize(
    "text", ["one value per row", "a row of the table", "is no longer there", "an integer", "one of a class of its own"]
)
def test_plain_english_passes(prose: ModuleType, text: str) -> None:
    """What reads well is left alone."""
    assert prose.found(text) == []


def test_the_tree_is_under_the_ceiling(prose: ModuleType) -> None:
    """The ceiling only falls."""
    assert prose.main(["--check"]) == 0
