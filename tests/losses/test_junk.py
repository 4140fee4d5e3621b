"""Whatever a loss is called with, it gives a value or an error of ours, never one from inside of a library."""

from __future__ import annotations

import importlib.util

import junk
import pytest


def _arrays() -> list[junk.Junk]:
    found = list(junk.ARRAYS)
    found += junk.torch_arrays() if importlib.util.find_spec("torch") else []
    return found + (junk.jax_arrays() if importlib.util.find_spec("jax") else [])


def _foreign(seed: int, count: int) -> list[str]:
    found: list[str] = []
    for loss, given, replaced in junk.calls(seed, count, _arrays()):
        error = junk.foreign(loss, given)
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
