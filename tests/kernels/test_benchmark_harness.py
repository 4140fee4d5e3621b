"""The benchmarks' clock: warm-up is never counted, and what takes long is measured once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import harness
from benchmarks.startup import Start, timed


class Machine:
    """A clock that calls move on by as many seconds as they are said to take, one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.calls = 0.0, dict[str, int]()
        monkeypatch.setattr(harness.time, "perf_counter", lambda: self.now)

    def taking(self, name: str, first: float, *others: float) -> Callable[[], None]:
        def call() -> None:
            at = self.calls[name] = self.calls.get(name, 0) + 1
            self.now += first if at == 1 else others[min(at - 2, len(others) - 1)]

        return call


def test_compilation_of_any_length_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    peers = {"peer": (machine.taking("peer", 0.5, 3.0, 2.0, 4.0), 2.0)}
    (row,) = harness.measure(harness.Workload("w", machine.taking("assay", 60.0, 1.5, 1.0, 2.0), peers, rounds=3))
    assert row.seconds == (1.0, 2.0)
    assert row.ratio == 2.0
    assert row.verdict == "ok"
    assert machine.calls == {"assay": 4, "peer": 4}


def test_slow_calls_are_measured_once_after_their_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    peers = {"slow": (machine.taking("slow", 100.0, 30.0, 1.0), 40.0)}
    portion = {"slow": 0.5}
    (row,) = harness.measure(harness.Workload("w", machine.taking("assay", 1.0, 1.0), peers, rounds=3, portion=portion))
    assert machine.calls == {"assay": 4, "slow": 2}
    assert row.seconds == (1.0, 60.0)


def test_a_start_is_judged_by_the_quieter_clock() -> None:
    assert Start("s", 9.0, 3.0, 2.0).verdict == "ok"
    assert Start("s", 2.0, 3.0, 9.0).verdict == "ok"
    assert Start("s", 9.0, 3.0, 9.0).verdict == "MISSED"


def test_starts_are_measured_in_a_fresh_process_with_the_given_cache(tmp_path: Path) -> None:
    code = (
        "import os, sys; assert 'assay' not in sys.modules; open(os.environ['ASSAY_CACHE_DIR'] + '/seen', 'w').close()"
    )
    seconds, cpu = timed(code, "", tmp_path)
    assert 0 <= seconds < 60
    assert 0 <= cpu < 60
    assert (tmp_path / "seen").exists()
