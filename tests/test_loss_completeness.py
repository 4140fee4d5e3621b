"""No loss is forgotten: each has an example that runs, a test that names it, and its errata and traps are shown."""

from __future__ import annotations

import doctest
import functools
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from assay import losses
from assay.core.loss import losses as registered
from assay.explain.pitfalls import PITFALLS

LOSSES = registered()
TESTS = Path(__file__).parent
NAMES = {name: getattr(losses, name) for name in losses.__all__} | {"losses": losses, "np": np}
TRAP_ROWS = (*range(7, 16), 31, 34)
MODULES = [importlib.import_module(found.name) for found in pkgutil.walk_packages(losses.__path__, "assay.losses.")]


@functools.cache
def words(pattern: str) -> set[str]:
    """All words in the tests whose path fits."""
    texts = [path.read_text(encoding="utf-8") for path in TESTS.glob(pattern)]
    return set(re.findall(r"\w+", "\n".join(texts)))


def failures(test: doctest.DocTest) -> str:
    """What goes wrong in an example; nothing if all is well."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=said.append)
    return "".join(said)


@pytest.fixture(params=LOSSES, ids=lambda entry: entry.key)
def entry(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_the_example_of_a_loss_runs(entry: Any) -> None:
    parsed = doctest.DocTestParser().get_doctest(entry.__doc__, dict(NAMES), entry.key, None, None)
    assert any(f"{entry.key}(" in example.source for example in parsed.examples), (
        f"the example does not call {entry.key}"
    )
    wrong = failures(parsed)
    assert not wrong, wrong


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_examples_of_a_module_run(module: ModuleType) -> None:
    """Those of helpers too."""
    for test in doctest.DocTestFinder().find(module, extraglobs=NAMES):
        wrong = failures(test)
        assert not wrong, wrong


def test_a_test_names_the_loss(entry: Any) -> None:
    assert entry.key in words("losses/*.py") | words("golden/*.py"), f"no test of losses names {entry.key}"


def test_errata_are_shown(entry: Any) -> None:
    if entry.record.erratum:
        assert entry.key in words("golden/*.py"), f"no golden test shows the erratum of {entry.key}"


def test_the_record_of_a_loss_is_full(entry: Any) -> None:
    missing = [
        name for name in ("title", "use", "instead", "misleads", "references") if not getattr(entry.record, name)
    ]
    assert not missing, f"{entry.key}: the record lacks {', '.join(missing)}"
    low, high = entry.record.range
    assert low < high


@pytest.mark.parametrize("row", TRAP_ROWS)
def test_traps_of_losses_are_told_and_named(row: int) -> None:
    assert PITFALLS[row].text
    assert any(row in entry.record.traps for entry in LOSSES), f"no loss names trap {row}"


def test_a_mean_says_what_it_divides_by(entry: Any) -> None:
    """All but a distance of samples, a sum of terms, and what is one number for the batch."""
    said = re.search(
        r"[Mm]ean (?:then )?(?:divides|is over)|averaged over|There is no mean", " ".join(entry.__doc__.split())
    )
    assert said or entry.key in ("sinkhorn", "wasserstein_distance", "combined")
