"""Entries on resampling: every row of the catalogue is there, says what it must, and calls what exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex

import numpy as np
import pytest

import assay
from assay.explain.references import REFERENCES
from assay.explain.topics import ALIASES, TOPICS
from assay.explain.topics.estimates import LEARNER_INTERVAL
from assay.explain.topics.topic import ABOUT, ERRATUM, MISLEADS, USE
from assay.resampling import Bootstrap, CrossValidation, scheme_of
from assay.resampling.estimate._intervals import METHODS

WANTED = {  # what the plan of the library promises
    "scheme": "holdout subsampling bootstrap cross_validation repeated_cross_validation leave_one_out leave_one_group_out stratified "
    "nested time_ordered",
    "estimate": "generalization_error train_error overfitting underfitting learning_curve complexity_curve bias_variance guideline",
}
WITH_ERRATUM = {"scheme.bootstrap", "scheme.subsampling", "estimate.bias_variance", "estimate.generalization_error"}
INFERENCE = {"interval", "learner_interval", "compare", "prediction_powered"}
ENTRIES = {f"{t.task}.{t.key}": t for t in TOPICS.values() if t.kind == "resampling"}
PYTHON = [(t.key, call) for t in TOPICS.values() for call in t.calls if not call.startswith("assay ")]
COMMANDS = [(t.key, call) for t in TOPICS.values() for call in t.calls if call.startswith("assay ")]


def test_every_row_of_the_catalogue_is_an_entry() -> None:
    assert set(ENTRIES) == {f"{task}.{key}" for task, keys in WANTED.items() for key in keys.split()}
    assert {t.key for t in TOPICS.values() if t.kind == "inference"} >= INFERENCE


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_says_what_it_must(key: str) -> None:
    entry = ENTRIES[key]
    assert entry.summary.endswith(".")
    assert entry.calls
    assert entry.references
    assert "\\" not in entry.formula
    assert len(entry.formula) > 5
    for section in (USE, MISLEADS, ABOUT):
        assert all(text.endswith(".") for text in entry.sections[section]), section
    assert (key in WITH_ERRATUM) == (ERRATUM in entry.sections)


def test_the_errata_are_right() -> None:
    (said,) = ENTRIES["scheme.bootstrap"].sections[ERRATUM]
    share = np.mean([len(np.unique(s.train)) / 2000 for s in Bootstrap(repeats=50).splits(2000)])
    assert f"{100 * (1 - np.exp(-1)):.1f} %" in said
    assert share == pytest.approx(1 - np.exp(-1), abs=0.003)
    (said,) = ENTRIES["estimate.bias_variance"].sections[ERRATUM]
    assert "SQUARED bias" in said
    draws = np.random.default_rng(0).normal(0.5, 2.0, 200_000)  # an estimator of 0, off by 0.5
    assert np.mean(draws**2) == pytest.approx(draws.var() + 0.5**2, rel=0.01)


def called(call: str) -> tuple[str, ast.Call] | None:
    """The name that a line calls first, and the call."""
    node = ast.parse(call.replace("...", "")).body[0]
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return (ast.unparse(calls[0].func), calls[0]) if calls else None


def found(name: str, key: str) -> object:
    """What a name stands for: of assay, or imported by a line of the same entry."""
    for line in TOPICS[key].calls:
        if match := re.fullmatch(r"from ([\w.]+) import (\w+)", line):
            module, imported = match.groups()
            if name.split(".", maxsplit=1)[0] == imported:
                one = getattr(importlib.import_module(module), imported)
                return getattr(one, name.split(".")[1]) if "." in name else one
    root, *parts = name.split(".")
    assert root == "assay", f"{key}: where does {name} come from?"
    one: object = assay
    for part in parts:
        one = getattr(one, part)
    return one


@pytest.mark.parametrize(("key", "call"), PYTHON, ids=lambda text: text[:40])
def test_calls_name_functions_and_parameters_that_exist(key: str, call: str) -> None:
    if call.startswith("from "):
        module, name = re.fullmatch(r"from ([\w.]+) import (\w+)", call).groups()
        assert hasattr(importlib.import_module(module), name) or importlib.import_module(f"{module}.{name}")
        return
    name, node = called(call)
    if "(" in name:  # a method of an instance: Metric().interval(...)
        return
    known = inspect.signature(found(name, key)).parameters
    loose = any(p.kind is p.VAR_KEYWORD for p in known.values())
    for keyword in node.keywords:
        assert loose or keyword.arg in known, f"{call}: there is no {keyword.arg}"


@pytest.mark.parametrize(("key", "call"), COMMANDS, ids=lambda text: text[:60])
def test_commands_have_the_options_they_show(key: str, call: str) -> None:
    import typer.main

    from assay.cli.app import app

    words = shlex.split(call)
    command = typer.main.get_command(app).commands[words[1]]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known
    for option in ("--resampling", "-r"):
        if option in words:
            scheme_of(words[words.index(option) + 1])


def test_every_method_is_explained_and_found() -> None:
    text = " ".join(item for items in LEARNER_INTERVAL.sections.values() for item in items)
    for method in METHODS:
        if method != "auto":
            assert re.search(rf"(?<!\w){re.escape(method)}", text), method
    assert all(target in TOPICS for target in ALIASES.values())
    assert not set(ALIASES) & set(TOPICS)


def test_the_formula_of_the_corrected_t_is_that_of_nadeau_and_bengio() -> None:
    """10 folds, 5 repeats: n_test / n_train is 1/9 in the entry and in the splits."""
    (split, *_) = CrossValidation(folds=10, repeats=5).splits(500)
    assert len(split.test) / len(split.train) == pytest.approx(1 / 9)
    formula = " ".join(ENTRIES["scheme.repeated_cross_validation"].formula.split())
    assert formula == "m̄ ± t_(J-1) s √(1/J + 1/(k-1)), J = r k"


@pytest.mark.parametrize(
    "work",
    ["nadeau2003", "bates2024", "bayle2020", "dietterich1998", "alpaydin1999", "efron1997", "demsar2006", "corani2015"],
)
def test_works_are_cited_by_some_entry(work: str) -> None:
    assert any(REFERENCES[work] in t.references for t in TOPICS.values())
