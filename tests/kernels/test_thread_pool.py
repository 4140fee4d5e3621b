"""The threads of kernels: started once, safe to call from within, after a fork and after an error."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from typing import Any

import pytest

from assay import kernels
from assay.kernels import thread_pool


def sums(n: int) -> int:
    return sum(kernels.over_chunks(n, lambda a, b: sum(range(a, b)), least=1))


@pytest.fixture(autouse=True)
def _cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "threads", lambda: 3)


def test_pieces_come_back_in_order_on_a_few_threads() -> None:
    seen, most = set[int](), 0

    def work(a: int, b: int) -> tuple[int, int]:
        nonlocal most
        seen.add(threading.get_ident())
        most = max(most, len(seen))
        time.sleep(0.0001)
        seen.discard(threading.get_ident())
        return a, b

    for _ in range(20):
        found = kernels.over_chunks(1000, work, least=10)
        assert found == sorted(found)
        assert found[0][0] == 0
        assert found[-1][1] == 1000
    assert most <= 3


def test_pieces_are_taken_on_demand() -> None:
    """A thread that is held up has one piece; the others do the rest meanwhile."""
    rest, done = threading.Event(), []

    def work(a: int, b: int) -> None:
        if a == 0:
            assert rest.wait(20)
        done.append(a)
        if len(done) == 11:
            rest.set()

    kernels.over_chunks(12, work, least=1)
    assert done[-1] == 0
    assert sorted(done) == list(range(12))


def test_small_pieces_are_as_many_as_said() -> None:
    assert len(kernels.over_chunks(100, lambda a, b: b - a, least=2, most=100)) == 50
    assert len(kernels.over_chunks(100, lambda a, b: b - a, least=2)) == 12


def test_work_that_divides_itself_again_does_not_wait_for_its_own_thread() -> None:
    inner: list[Any] = kernels.over_chunks(60, lambda a, b: sum(sums(10) for _ in range(a, b)), least=1)
    assert sum(inner) == 60 * 45


def test_an_error_is_raised_and_the_pool_goes_on() -> None:
    def work(a: int, b: int) -> int:
        raise ArithmeticError(f"piece {a}")

    with pytest.raises(ArithmeticError, match="piece 0"):
        kernels.over_chunks(100, work, least=1)
    assert sums(100) == 4950


def _child(answer: Any) -> None:
    answer.put(sums(100))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    assert sums(100) == 4950
    assert thread_pool._pools  # pyright: ignore[reportPrivateUsage]
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    process = context.Process(target=_child, args=(answer,))
    process.start()
    process.join(30)
    assert process.exitcode == 0
    assert answer.get() == 4950
