"""Nothing is forgotten: every entry has an example that runs, a golden and a reference test, and a full record."""

from __future__ import annotations

import doctest
import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay._index import FUNCTIONS, METRICS
from assay.core.registry import metrics
from assay.explain.pitfalls import PITFALLS
from assay.explain.references import REFERENCES
from assay.testing import metric_properties

ENTRIES = list(metrics())
TESTS = Path(__file__).parent
NEEDED = ("title", "range", "better", "family", "takes", "use", "misleads", "undefined", "references")


@functools.cache
def words(folder: str) -> set[str]:
    """All words in the tests of a folder."""
    texts = [path.read_text(encoding="utf-8") for path in (TESTS / folder).rglob("*.py")]
    return set(re.findall(r"\w+", "\n".join(texts)))


@pytest.fixture(params=ENTRIES, ids=lambda cls: cls.key)
def entry(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_the_example_runs(entry: Any) -> None:
    names = {name: getattr(assay, name) for name in FUNCTIONS}
    parsed = doctest.DocTestParser().get_doctest(
        entry.__doc__, {**names, "assay": assay, "np": np}, entry.key, None, None
    )
    assert parsed.examples, f"{entry.__name__} has no example"
    assert any(f"{entry.key}(" in example.source for example in parsed.examples), (
        f"the example does not call {entry.key}"
    )
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(parsed, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("folder", ["golden", "reference"])
def test_there_is_a_test_of_its_values(entry: Any, folder: str) -> None:
    assert {entry.key, entry.__name__} & words(folder), f"no test in tests/{folder} names {entry.key}"


def test_the_record_is_full(entry: Any) -> None:
    missing = [name for name in NEEDED if not getattr(entry.record, name)]
    assert not missing, f"{entry.key}: the record lacks {', '.join(missing)}"
    low, high = entry.record.range
    assert low < high
    assert entry.record.better in ("higher", "lower", "none")
    assert entry.record.properties <= set(metric_properties.CHECKS)


def test_the_record_says_what_every_input_is(entry: Any) -> None:
    said = {fact.split(": ")[0] for fact in entry.record.takes}
    assert {*entry.takes.required, *entry.takes.optional, *entry.takes.free} == said


def test_references_are_known(entry: Any) -> None:
    for key in entry.record.references:
        assert REFERENCES.get(key), f"{entry.key}: {key} is not in the bibliography"


def test_traps_are_known(entry: Any) -> None:
    assert set(entry.record.traps) <= set(PITFALLS)


def test_the_docstring_has_line_formula_and_words(entry: Any) -> None:
    first, formula, *rest = [part.strip() for part in entry.__doc__.split("\n\n")]
    assert first.endswith(".")
    assert formula.startswith(".. math::")
    assert len(rest) >= 2, "words on meaning, then an example"


def test_the_index_is_the_registry() -> None:
    assert {cls.__name__: cls.__module__ for cls in ENTRIES} == METRICS
    assert {cls.key: cls.__name__ for cls in ENTRIES} == FUNCTIONS


def test_other_examples_run() -> None:
    """The examples of what is not an entry: states, decisions, the testing module."""
    from assay.core import state
    from assay.metrics.classification import decisions
    from assay.testing import check

    for module in (state, check, decisions):
        names = {name: getattr(assay, name) for name in FUNCTIONS}
        done = doctest.testmod(module, extraglobs=names, optionflags=doctest.ELLIPSIS)
        assert done.attempted
        assert done.failed == 0


def test_modules_of_the_tests_have_names_of_their_own() -> None:
    """Every folder is on the path of a run: of two modules of one name, the tests of both would get the first."""
    names = [path.name for path in Path(__file__).parent.rglob("*.py") if path.name != "conftest.py"]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []
