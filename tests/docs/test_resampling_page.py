"""The page on resampling: its code gives what it shows, and its table of schemes is what the library does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from assay.resampling import scheme_of
from assay.resampling.estimate._fit_plan import FitPlan
from assay.resampling.estimate._intervals import METHODS, settled
from assay.resampling.estimate._learning_data import LearningData

PAGE = (Path(__file__).parents[2] / "docs" / "resampling.md").read_text()
N, GROUPS = 60, 12
DATA = LearningData(np.zeros((N, 1)), np.arange(N) % 2, None, "binary", (0, 1))
GROUPED = LearningData(np.zeros((N, 1)), np.arange(N) % 2, np.arange(N) // 5, "binary", (0, 1))


def table() -> list[list[str]]:
    """The rows of the table of schemes."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
    return [row for row in rows if row[0].startswith("`")]


def test_code_gives_what_it_shows() -> None:
    pytest.importorskip("sklearn")
    tour = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL))
    example = doctest.DocTestParser().get_doctest(tour, {}, "resampling", "resampling.md", 0)
    assert len(example.examples) > 25
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(example)
    assert runner.failures == 0


def test_every_scheme_is_in_the_table() -> None:
    named = {re.findall(r"`(\w+)`", row[0])[0] for row in table()}
    assert named == {
        "Holdout", "Subsampling", "CrossValidation", "LeaveOneGroupOut", "LeaveOneOut", "Bootstrap", "TimeOrdered",
    }  # fmt: skip


@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_the_table_tells_the_default_interval_and_the_fits(row: list[str]) -> None:
    name, text, method, _, fits = row
    grouped = "group" in name.lower()
    scheme = scheme_of(text.strip("`"))
    assert type(scheme).__name__ in name
    how = settled(scheme, "auto", grouped=grouped)
    assert f"`{how}`" == method
    sizes = {"K": getattr(scheme, "folds", 0), "r": getattr(scheme, "repeats", 0), "n": N, "G": GROUPS}
    wanted = eval(re.sub(r"(\w) (\w)", r"\1 * \2", fits), {}, sizes)
    assert FitPlan(scheme, how, GROUPED if grouped else DATA).count() == wanted


def test_other_methods_cost_what_the_page_says() -> None:
    ten, fifty = scheme_of("cv:10x2"), scheme_of("subsampling:50x0.1")
    assert FitPlan(ten, "nested_cv", DATA).count() == 20 + 2 * 45
    assert FitPlan(fifty, "conservative_z", DATA).count() == 21 * 50


@pytest.mark.parametrize("method", [name for name in METHODS if name != "auto"])
def test_every_method_is_named(method: str) -> None:
    assert f"`{method}`" in PAGE
