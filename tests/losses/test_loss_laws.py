"""Every loss keeps every law on every example, and every claim of its record."""

from __future__ import annotations

from typing import Any

import pytest

from assay._examples import examples_of
from assay.core.loss import losses
from assay.core.references import REFERENCES
from assay.testing import LOSS_LAWS, check_loss

ALL = losses()


@pytest.mark.parametrize("law", list(LOSS_LAWS))
@pytest.mark.parametrize("loss", ALL, ids=lambda f: f"{f.task}.{f.key}")
def test_law(loss: Any, law: str) -> None:
    check_loss(loss, laws=[law])


@pytest.mark.parametrize("loss", ALL, ids=lambda f: f"{f.task}.{f.key}")
def test_the_record_is_full(loss: Any) -> None:
    assert examples_of(loss), "no example in assay._examples"
    assert loss.record.title
    assert loss.record.use
    assert loss.record.instead
    assert loss.record.references
    assert set(loss.record.references) <= set(REFERENCES)
    assert ".. math::" in loss.__doc__
    assert f">>> {loss.key}(" in loss.__doc__ or f"{loss.key}(" in loss.__doc__.split(">>>", 1)[1]
