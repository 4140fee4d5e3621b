"""Every loss keeps every law on every example, and every claim of its record."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

import assay
from accepted import checks, laws_that_apply, name_of
from accepted_table import table
from assay.core.loss import losses
from assay.explain.references import REFERENCES
from assay.testing import LOSS_LAWS, check_loss
from assay.testing.examples import examples_of
from messages import refusal

ALL = losses()


QUICK = [law for law in LOSS_LAWS if law != "jax_maps"]


def _called(one: Any) -> str:
    return one if isinstance(one, str) else f"{one.task}.{one.key}"


@pytest.mark.parametrize(("loss", "law"), laws_that_apply(ALL, QUICK), ids=_called)
def test_law(loss: Any, law: str) -> None:
    assert checks(loss, law), "the law compared nothing: it does not apply (make accepted)"


@pytest.mark.parametrize("loss", ALL, ids=_called)
def test_laws_that_do_not_apply(loss: Any) -> None:
    """Losses over a whole batch have no rows to reduce or to mask; all others must be in the table without exception."""
    without = table()[name_of(loss)].without
    assert not [law for law in without if checks(loss, law)], "these laws apply now (make accepted)"
    check_loss(loss, laws=["finite_and_in_range"])


@pytest.mark.parametrize("loss", ALL, ids=_called)
def test_vmap(loss: Any) -> None:
    assert LOSS_LAWS["jax_maps"](loss, examples_of(loss)[0])


@pytest.mark.slow
@pytest.mark.parametrize("loss", [f for f in ALL if len(examples_of(f)) > 1], ids=_called)
def test_vmap_of_every_example(loss: Any) -> None:
    assert all(LOSS_LAWS["jax_maps"](loss, example) for example in examples_of(loss)[1:])


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
