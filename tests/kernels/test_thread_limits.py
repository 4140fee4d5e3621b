"""Kernels keep to the number of threads that the process was told, by whatever library's means."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import assay
from assay import kernels
from assay.core import parallel
from assay.core.errors import ParameterError
from messages import refusal

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine with eight cores on which nobody has said anything."""
    monkeypatch.setattr(parallel, "_chosen", [])
    monkeypatch.setattr(parallel, "_cores", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(8)
    yield
    torch.set_num_threads(before)


def used() -> int:
    """On how many threads pieces of work are really run at most."""
    seen: set[int] = set()
    allowed = kernels.threads()  # asked here: threads that have run blocks of PyTorch keep it to one
    gate = threading.Barrier(allowed, timeout=5)

    def work(start: int, stop: int) -> None:
        seen.add(threading.get_ident())
        if stop <= allowed:
            gate.wait()  # the first pieces wait for each other: every thread of the pool must take one

    kernels.over_chunks(4 * allowed, work, least=1)
    return len(seen)


@pytest.mark.parametrize("variable", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS"])
@pytest.mark.parametrize(("text", "wanted"), [("3", 3), ("2,1", 2), ("99", 8), ("0", 8), ("many", 8), ("", 8)])
def test_environment_variables(monkeypatch: pytest.MonkeyPatch, variable: str, text: str, wanted: int) -> None:
    monkeypatch.setenv(variable, text)
    assert assay.threads() == wanted


def test_the_smaller_of_two_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    assert assay.threads() == 2
    assert used() == 2


def test_torch() -> None:
    torch.set_num_threads(3)
    assert assay.threads() == 3
    assert used() == 3


def test_the_caller_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert assay.threads(np.int64(5)) == 5
    assert assay.threads() == 5
    assert used() == 5
    assert assay.threads(1) == 1
    assert used() == 1


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", True, [2]])
def test_other_numbers_are_refused(bad: Any) -> None:
    with refusal(ParameterError):
        assay.threads(bad)
