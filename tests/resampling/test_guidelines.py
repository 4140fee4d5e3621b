"""What the guideline says: schemes that can be run on such data, and no praise where nothing was measured."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from messages import refusal


@given(
    n=st.integers(2, 400),
    groups=st.none() | st.integers(2, 400),
    budget=st.integers(1, 60),
    ordered=st.booleans(),
    classes=st.integers(0, 5),
    seed=st.integers(0, 1000),
)
@settings(max_examples=150, deadline=None)
def test_what_it_says_can_be_done_within_the_budget(
    n: int, groups: int | None, budget: int, ordered: bool, classes: int, seed: int
) -> None:
    """The splits of every advised scheme exist: both sides full, and no more fits than were allowed."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n) if classes else rng.normal(size=n)
    groups = None if groups is None else min(groups, n)
    codes = None if groups is None else np.sort(np.arange(n) % groups)
    counts = np.unique(y, return_counts=True)[1] if classes else None
    found = assay.guideline(n, classes=counts, groups=groups, budget=budget, ordered=ordered, seed=seed)
    splits = list(found.scheme.splits(n, y, codes))
    assert 1 <= len(splits) <= budget
    assert all(len(s.train) and len(s.test) for s in splits)
    assert found.reasons
    assert (found.method == "none") == ordered


def test_classes_are_kept_with_groups_too() -> None:
    found = assay.guideline(1000, classes=[900, 100], groups=200)
    assert found.scheme == assay.CrossValidation(folds=10, repeats=5, stratify=True)
    assert found.method == "cluster_t"
    assert assay.guideline(1000, classes=[900, 100], groups=200, budget=1).scheme == assay.Holdout(stratify=True)
    single = assay.guideline(1000, classes=[900, 100], groups=8)
    assert single.scheme == assay.LeaveOneGroupOut()  # which refuses strata
    assert any("nothing is stratified" in reason for reason in single.reasons)
    rare = assay.guideline(1000, classes=[997, 3], groups=200)
    assert any("class of 3 rows" in reason for reason in rare.reasons)


def test_a_small_class_in_large_data_is_a_small_sample() -> None:
    found = assay.guideline(10**6, classes=[10**6 - 10, 10])
    assert found.scheme == assay.CrossValidation(folds=10, stratify=True)
    assert any("class of 10" in reason for reason in found.reasons)
    assert assay.guideline(10**6, classes=[500_000, 500_000]).scheme == assay.Holdout(stratify=True)
    one = assay.guideline(10**6, classes=[10**6 - 10, 10], budget=1)
    assert one.scheme == assay.Holdout(stratify=True)
    assert any("class of 10 is still a small sample" in reason for reason in one.reasons)


def test_the_interval_is_praised_only_where_it_was_measured() -> None:
    praise, unknown = "covered the error in", "unknown"
    assert praise in str(assay.guideline(300))
    for n, budget in ((2, 50), (3, 3), (29, 50)):
        assert "is flagged" in str(assay.guideline(n, budget=budget))
        assert praise not in str(assay.guideline(n, budget=budget))
    for n, budget in ((50, 50), (300, 10), (300, 3)):
        assert unknown in str(assay.guideline(n, budget=budget))
        assert praise not in str(assay.guideline(n, budget=budget))


def test_the_numbers_of_the_praise_are_those_of_the_table() -> None:
    """The coverage of the corrected t as it was measured, rounded, at the stated numbers of rows."""
    text = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text()
    table = text.split("### corrected t\n")[1].split("\n### ")[0]
    rows = re.findall(r"^\| [^|]+ \| (\d+) \| (\.\d+|1\.\d+) \|", table, flags=re.MULTILINE)
    coverage = [float(value) for _, value in rows]
    assert {n for n, _ in rows} == {"100", "500"}
    (low, high) = re.findall(r"0\.\d\d", str(assay.guideline(300)))
    assert (round(min(coverage), 2), round(max(coverage), 2)) == (float(low), float(high))


def test_time_of_groups_counts_groups() -> None:
    found = assay.guideline(300, groups=3, ordered=True)
    days = np.repeat(["Mon", "Tue", "Wed"], 100)
    assert [days[s.test][0] for s in found.scheme.splits(300, groups=days)] == ["Wed"]
    assert found.method == "none"


def test_counts_come_as_they_are_counted() -> None:
    y = np.array([0] * 250 + [1] * 50)
    expected = assay.guideline(300, classes=[250, 50])
    assert assay.guideline(np.int64(300), classes=np.bincount(y)) == expected  # type: ignore[arg-type]
    assert assay.guideline(300, classes=Counter(y.tolist())) == expected
    assert assay.guideline(300, classes=[250, 0, 50]) == expected  # a class without rows is not there
    assert assay.guideline(4, classes=[1, 1, 1, 1]).scheme.stratify is False  # labels, not classes
    assert json.dumps([assay.guideline(np.int64(300), budget=np.int32(10)).scheme.folds]) == "[10]"  # type: ignore


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.guideline(1000, classes=3),
        lambda: assay.guideline(1000, classes="ab"),
        lambda: assay.guideline(1000, classes=[0.5, 0.5]),
        lambda: assay.guideline(1000, classes=[-1, 5]),
        lambda: assay.guideline(10, classes=[20, 3]),
        lambda: assay.guideline(10, groups=11),
        lambda: assay.guideline(10, groups=11, ordered=True),
        lambda: assay.guideline(1),
        lambda: assay.guideline(True),
        lambda: assay.guideline(10, budget=0),
    ],
)
def test_refusals_of_the_guideline_say_why(call: Any) -> None:
    with refusal(assay.ParameterError):
        call()


def test_estimate_follows_it_for_classes_in_groups() -> None:
    LogisticRegression = pytest.importorskip("sklearn.linear_model").LogisticRegression
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), rng.integers(2, 9, 30))
    X = rng.normal(size=(len(groups), 2))
    y = (X[:, 0] + rng.normal(size=len(groups)) > 0).astype(int)
    found = assay.estimate(LogisticRegression(), X, y, metrics=["accuracy"], groups=groups)
    assert found.scheme == assay.CrossValidation(folds=10, repeats=5, stratify=True)
    assert 0.5 < float(found["accuracy"]) < 1
