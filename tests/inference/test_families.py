"""One file says all about a family: every key has one, every one is used, and a new one needs nothing else."""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import assay
from assay.core import registry
from assay.core.errors import ParameterError
from assay.core.record import FamilyKey
from assay.explain.metric_explanation import explanation
from assay.inference import families
from assay.inference.delta_method import Interval
from assay.inference.families import FAMILIES, family_of
from assay.inference.families.family import Family
from assay.inference.plan import plan
from assay.inference.plan_rules import WidthRule
from assay.inference.sample import asked
from assay.metrics.regression.errors import MSE

SOURCE = Path(families.__file__).parent.parent.parent


def test_every_key_has_a_family_and_every_family_a_key() -> None:
    assert set(FAMILIES) == set(get_args(FamilyKey))


def test_every_family_is_used_by_a_metric() -> None:
    assert set(FAMILIES) == {cls.record.family for cls in registry.metrics()}


def test_every_family_is_a_class_of_its_own_in_a_file_of_its_own() -> None:
    files = {key: type(family).__module__.rpartition(".")[2] for key, family in FAMILIES.items()}
    assert files == {key: key for key in FAMILIES}
    beside = {path.stem for path in Path(families.__file__).parent.glob("*.py")}
    assert beside == {*FAMILIES, "__init__", "family"}


def test_every_family_describes_its_interval() -> None:
    for key, family in FAMILIES.items():
        assert family.interval_words, key
        name, colon, how = family.interval_words.partition(": ")
        assert not family.has_interval or (name and colon and how), f"{key}: {family.interval_words}"


def names_of_families(path: Path) -> list[tuple[str, int, str]]:
    """Where a file compares or looks something up by the name of a family."""
    found: list[tuple[str, int, str]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr == "family" and isinstance(node.value, ast.Attribute):
            found += [(path.name, node.lineno, ast.unparse(node))] if node.value.attr == "record" else []
    return found


def test_nothing_but_the_table_reads_the_key() -> None:
    """The key of a record is looked up in one place, and shown in two messages."""
    readers = {name for path in SOURCE.rglob("*.py") for name, _, _ in names_of_families(path)}
    assert readers == {"__init__.py", "plan.py", "sample.py"}


# ---- a family that nobody knows of


class Halves(Family):
    """An interval from half the value to twice the value: what a new file would hold."""

    interval_words = "from a half to the double"
    powers = 1

    def interval(self, sample: Any, level: float) -> Interval:
        return Interval(sample.value / 2, sample.value * 2, "halves")

    def width(self, subject: Any, assumed: Any) -> WidthRule:
        value = assumed.value_of(subject)
        return WidthRule(lambda rows: (value - 1 / rows, value + 1 / rows), "halves", {"value"})


@pytest.fixture
def duration(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A metric of the new family, which stands in the table and nowhere else."""
    monkeypatch.setitem(FAMILIES, "halves", Halves())  # pyright: ignore
    monkeypatch.setattr(registry, "register", lambda cls: None)

    @dataclass(frozen=True, kw_only=True)
    class Duration(MSE):
        """Mean squared error under another name."""

        record = dataclasses.replace(MSE.record, title="Duration", family="halves")  # pyright: ignore

    return Duration()


def test_a_new_family_takes_one_file_and_its_line(duration: Any) -> None:
    y, p = np.arange(90.0), np.arange(90.0) + 1
    score = duration.interval(y, p)
    assert (score.low, score.high, score.method) == (float(score) / 2, float(score) * 2, "halves")
    state = duration.state(y[:9], p[:9]) + duration.state(y[9:], p[9:])
    assert state.interval().method == "halves"
    assert duration.compare(y, p, p + np.sin(y)).method == "influence difference"
    assert explanation(type(duration)).interval == "from a half to the double"
    assert plan(duration, width=0.01, value=1.0).n == 200
    with pytest.raises(ParameterError, match="of the family halves has no such formula"):
        plan(duration, effect=0.1, value=1.0)
    with pytest.raises(ParameterError, match="is for proportions"):
        duration.interval(y, p, method="wilson")


def test_an_unknown_family_is_refused_by_name(duration: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FAMILIES, "halves")  # pyright: ignore
    with pytest.raises(ParameterError, match="Duration: names an unknown family 'halves'"):
        family_of(duration)


def test_a_metric_that_lacks_what_its_family_asks_for_is_told_so() -> None:
    from assay.inference.families.calibration import BinnedMetric

    with pytest.raises(ParameterError, match="family 'proportion', whose metrics must be a BinnedMetric"):
        asked(assay.metrics.Accuracy(), BinnedMetric)
