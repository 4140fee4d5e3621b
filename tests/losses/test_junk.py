"""Whatever a loss is called with, it gives a value or an error of ours, never one from inside of a library."""

from __future__ import annotations

import importlib.util
from typing import Any

import loss_junk
import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal


def _arrays() -> list[loss_junk.Junk]:
    found = list(loss_junk.ARRAYS)
    found += loss_junk.torch_arrays() if importlib.util.find_spec("torch") else []
    return found + (loss_junk.jax_arrays() if importlib.util.find_spec("jax") else [])


def _foreign(seed: int, count: int) -> list[str]:
    found: list[str] = []
    for loss, given, replaced in loss_junk.calls(seed, count, _arrays()):
        error = loss_junk.foreign(loss, given)
        if error is not None:
            found.append(
                f"{loss.key}({ {name: given.get(name) for name in replaced} }): {type(error).__name__}: {error}"
            )
    return found


@pytest.mark.filterwarnings("ignore")
def test_junk_ends_in_errors_of_ours() -> None:
    assert not _foreign(0, 2000)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(1, 6))
def test_much_junk_ends_in_errors_of_ours(seed: int) -> None:
    assert not _foreign(seed, 5000)


def test_numbers_that_long_searches_found() -> None:
    """A number in an array of NumPy beside tensors, integers beyond 64 bits, a flag for a number, an array for a list."""
    torch: Any = pytest.importorskip("torch")
    x = torch.arange(8.0).reshape(4, 2).cos()
    plain = losses.barlow_twins(x, x.flip(0), off_diagonal=0.5)
    assert float(losses.barlow_twins(x, x.flip(0), off_diagonal=np.array(0.5))) == float(plain)
    labels = torch.tensor([0, 1, 1, 0])
    assert float(losses.dice(x, labels, smooth=10**30)) == pytest.approx(0, abs=1e-6)
    with refusal(assay.ParameterError):
        losses.sinkhorn(x, x, iterations=10**30)
    with refusal(assay.ParameterError):
        losses.reinforce(-x.abs(), labels.float(), baseline=False)
    with refusal(assay.ParameterError):
        losses.combined(x, x, terms=np.array(None))
