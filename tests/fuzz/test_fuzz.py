"""Junk in the place of one or two arguments of every public call: a result or an error of ours, never a foreign error.

A finding names its seed and number: ``attempt(seed, number)`` of `fuzzing` makes the call again.
"""

from __future__ import annotations

import pytest
from fuzzing import run

SHORT = 2000
LONG = 100_000


def report(seed: int, start: int, stop: int) -> None:
    findings = run(seed, start, stop)
    assert not findings, f"{len(findings)} of {stop - start}\n" + "\n".join(map(str, findings[:40]))


def test_no_foreign_errors() -> None:
    report(0, 0, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_no_foreign_errors_in_many_calls(part: int) -> None:
    size = LONG // 20
    report(1, part * size, (part + 1) * size)
