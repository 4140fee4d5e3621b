"""Mutated files of every kind end in errors of assay alone, in bounded memory, and never end the process."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("reader_fuzz.py")
MEMORY = 3 << 30


def fuzzed(seed: int, count: int, folder: Path) -> str:
    """What a child process says, whose memory is limited."""
    found = subprocess.run(
        [sys.executable, str(SCRIPT), str(seed), str(count), str(folder)], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
    )  # fmt: skip
    return found.stdout + (f"{found.stderr}\nexit code {found.returncode}" if found.returncode else "")


def test_mutated_files(tmp_path: Path) -> None:
    assert fuzzed(0, 20, tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_many_mutated_files(tmp_path: Path, seed: int) -> None:
    assert fuzzed(seed, 2000, tmp_path) == ""
