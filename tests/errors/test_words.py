"""What errors say where a value nearly fits, or where words were lost."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import assay
from assay import AssayError, InputError
from assay.cli.wording import OPTIONS, in_options
from assay.core.errors import arg
from assay.core.signatures import from_signature
from assay.metrics import F1, FID, Accuracy, SkillScore
from assay.resampling import Holdout
from messages import refusal

Y, P = [0, 1] * 10, [0, 1, 1, 0] * 5
CASES: list[tuple[Callable[[], Any], str]] = [
    lambda: assay.evaluate(task="binary", y_true=None, y_pred=P),
    lambda: Accuracy().interval(Y, P, seed=2**200),
    lambda: Holdout(seed=2**200),
    lambda: Accuracy().rank(Y, {1: P, "1": Y}),
    lambda: assay.compare(task="binary", y_true=Y, models={1: P, "1": Y}, kind="y_pred"),
    lambda: SkillScore(loss=FID()),
    lambda: assay.threads(10**6),
]


@pytest.mark.parametrize("call", CASES)
def test_words(call: Callable[[], Any]) -> None:
    before = assay.threads()
    with refusal(AssayError):
        call()
    assert assay.threads() == before


def test_arguments_as_options() -> None:
    fix = f"For logits pass {arg('logits')}, or {arg('method', 'wilson')} ({arg('classes', ['a', 'b'])}); {arg('level', 0.9)}."
    error = InputError("evaluate", "y_prob", f"must fit {arg('average', 'macro')}", fix)
    assert in_options(error, OPTIONS["score"]) == (
        "--prob must fit average=macro. For logits pass --logits, or --method wilson (--classes a,b); --level 0.9."
    )
    assert in_options(error.but(who="F1"), OPTIONS["score"]).startswith("F1: --prob must")
    assert str(error).startswith(
        "evaluate: y_prob must fit average='macro'. For logits pass logits, or method='wilson'"
    )


def test_an_error_carries_its_parts() -> None:
    error = InputError("F1", "y_true", "must hold labels, got 0.5", f"Pass scores as {arg('y_score')}.")
    assert (error.who, error.argument, error.problem) == ("F1", "y_true", "must hold labels, got 0.5")
    assert error.fix == "Pass scores as y_score."
    assert str(error) == "F1: y_true must hold labels, got 0.5. Pass scores as y_score."
    assert str(error.but(fix="")) == "F1: y_true must hold labels, got 0.5."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(TypeError):
        InputError("a whole sentence")  # type: ignore[call-arg]


@pytest.mark.parametrize("label", ["[a]", "[0.5ex]", '"a', "a]", "[1]"])
def test_labels_with_brackets_have_a_signature(label: str) -> None:
    """They were read as JSON, and evaluate failed for the name of a class."""
    metric = F1(classes=(label, "b", "c"), average="macro")
    assert from_signature(metric.signature()) == metric
    found = assay.evaluate(
        task="multiclass", y_true=[label, "b", "c"] * 9, y_pred=[label, "b", "b"] * 9, metrics=["accuracy"]
    )
    assert found["accuracy"] == 2 / 3
