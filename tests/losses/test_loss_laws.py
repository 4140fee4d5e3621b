"""Every loss keeps every law on every example, and every claim of its record."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

import assay
from assay.core.loss import losses
from assay.explain.references import REFERENCES
from assay.testing import LOSS_LAWS, check_loss
from assay.testing.examples import examples_of
from messages import refusal

ALL = losses()


@pytest.mark.parametrize("law", list(LOSS_LAWS))
@pytest.mark.parametrize("loss", ALL, ids=lambda f: f"{f.task}.{f.key}")
def test_law(loss: Any, law: str) -> None:
    check_loss(loss, laws=[law])


@pytest.mark.parametrize("loss", ALL, ids=lambda f: f"{f.task}.{f.key}")
def test_the_record_is_full(loss: Any) -> None:
    assert examples_of(loss), "no example in assay.testing.examples"
    assert loss.record.title
    assert loss.record.use
    assert loss.record.instead
    assert loss.record.references
    assert set(loss.record.references) <= set(REFERENCES)
    assert ".. math::" in loss.__doc__
    assert f">>> {loss.key}(" in loss.__doc__ or f"{loss.key}(" in loss.__doc__.split(">>>", 1)[1]


@pytest.mark.parametrize("loss", ALL, ids=lambda f: f"{f.task}.{f.key}")
def test_choices_and_flags_that_do_not_exist_are_refused(loss: Any) -> None:
    hints = typing.get_type_hints(loss)
    example = examples_of(loss)[0]
    wrong = {n: "maybe" for n in _by_name(loss) if hints[n] is bool or typing.get_origin(hints[n]) is typing.Literal}
    for name, value in wrong.items():
        with refusal(assay.ParameterError):
            loss(**{**example.inputs, **example.options, name: value})


def _by_name(loss: Any) -> list[str]:
    return [n for n, p in inspect.signature(loss).parameters.items() if p.kind is p.KEYWORD_ONLY]
