"""Places to ignore have one name in every loss, and a sum of losses passes it on."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from assay.core.loss import losses as find_losses
from assay.losses import Term
from messages import refusal

RNG = np.random.default_rng(8)
Z, Y = RNG.normal(size=(2, 3, 4)), RNG.integers(0, 3, (2, 4))
VOID = np.where(np.arange(4) < 2, 255, Y)
TERMS = {"cross_entropy": 1.0, "dice": 0.5}


def test_a_sum_passes_it_to_its_terms() -> None:
    want = losses.cross_entropy(Z, VOID, ignore_index=255) + 0.5 * losses.dice(Z, VOID, ignore_index=255)
    assert float(losses.combined(Z, VOID, terms=TERMS, ignore_index=255)) == pytest.approx(float(want), rel=1e-12)
    with refusal(assay.InputError):
        losses.combined(Z, VOID, terms=TERMS)


def test_a_term_may_name_its_own() -> None:
    terms = [Term("cross_entropy", parameters={"ignore_index": 1}), Term("dice", 0.5)]
    y = np.where(VOID == 255, 2, VOID)
    want = losses.cross_entropy(Z, y, ignore_index=1) + 0.5 * losses.dice(Z, y, ignore_index=2)
    assert float(losses.combined(Z, y, terms=terms, ignore_index=2)) == pytest.approx(float(want), rel=1e-12)


def test_a_term_that_has_none_is_refused_with_the_way_out() -> None:
    with refusal(assay.ParameterError):
        losses.combined([1.0], [1.0], terms={"mse": 1.0, "mae": 1.0}, ignore_index=255)
    assert float(losses.combined([1.0], [2.0], terms={"mse": 1.0})) == 1


def test_the_module_passes_it_on_and_refuses_before_a_training() -> None:
    torch: Any = pytest.importorskip("torch")
    from assay.torch import Loss

    criterion = Loss("combined", terms=TERMS, ignore_index=255)
    found = criterion(torch.tensor(Z), torch.tensor(VOID))
    assert float(found) == pytest.approx(float(losses.combined(Z, VOID, terms=TERMS, ignore_index=255)), rel=1e-12)
    with refusal(assay.ParameterError):
        Loss("combined", terms={"mse": 1.0}, ignore_index=255)


@pytest.mark.parametrize("name", ["binary_cross_entropy", "focal", "poly", "hinge"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("ignored", [255, -100])
def test_elements_of_two_classes_are_ignored_too(name: str, reduction: str, ignored: int) -> None:
    """A map of labels with void places against one logit each."""
    f, low = getattr(losses, name), -1 if name == "hinge" else 0
    y = np.where(Y > 1, 1, low)
    void = np.where(np.arange(4) < 2, ignored, y)
    found = f(Z[:, 0], void, ignore_index=ignored, reduction=reduction)
    assert float(found) == pytest.approx(float(f(Z[:, 0, 2:], y[:, 2:], reduction=reduction)), rel=1e-12)
    keep = np.arange(4) != 3
    both = f(Z[:, 0], void, ignore_index=ignored, mask=np.broadcast_to(keep, y.shape), reduction=reduction)
    assert float(both) == pytest.approx(float(f(Z[:, 0, 2:3], y[:, 2:3], reduction=reduction)), rel=1e-12)
    assert float(f(Z[:, 0], np.full(y.shape, ignored), ignore_index=ignored, undefined=7.0)) == 7


def test_floats_are_looked_at_for_what_is_not_the_default() -> None:
    y = np.array([0.0, 1.0, 255.0])
    z = np.array([0.3, 0.2, np.nan])
    assert float(losses.binary_cross_entropy(z, y, ignore_index=255)) == pytest.approx(
        float(losses.binary_cross_entropy(z[:2], y[:2])), rel=1e-12
    )


def test_it_has_one_name_and_one_default() -> None:
    for loss in find_losses():
        names = inspect.signature(loss).parameters
        assert not {n for n in names if "ignore" in n} - {"ignore_index"}, loss.key
        assert "ignore_index" not in names or names["ignore_index"].default == -100, loss.key
