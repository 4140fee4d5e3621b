"""Makes the helpers of this folder importable by every test, and counts the tests that miss published data."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memory
from fixtures import MISSING, ROOT
from message_hooks import *  # noqa: F403  (hooks, which pytest finds here)
from message_hooks import PEAKS


def keep_what_jax_compiles() -> None:
    """In a folder of the project, for the next run and the other worker; a folder for each kind of processor, which code is made for."""
    told = Path("/proc/cpuinfo")
    flags = (
        next((line for line in told.read_text().splitlines() if line.startswith("flags")), "") if told.exists() else ""
    )
    kind = hashlib.sha256(f"{platform.machine()} {platform.processor()} {flags}".encode()).hexdigest()[:8]
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".jax_cache" / kind))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    if (
        "ASSAY_OPTIMISE" not in os.environ
    ):  # `make test-all` runs optimised code, which takes longer to compile than to run
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")


def wait_without_work() -> None:
    """Threads of OpenMP sleep at the end of a parallel piece: spinning, each worker would take the cores from the others.

    Beside other work a softmax of twelve numbers took 3.4 ms that way, and takes 44 µs with this.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


keep_what_jax_compiles()  # before anything imports JAX
wait_without_work()  # before anything imports PyTorch


@pytest.fixture(scope="session", autouse=True)
def kernels_declare_their_types() -> Iterator[None]:
    """No call compiles a kernel for types that it does not declare: ``assay warm`` would not know of them."""
    yield
    jit: Any = sys.modules.get("assay.kernels.jit")
    found = [
        f"{kernel.name}{types}" for kernel in (jit.KERNELS.values() if jit else ()) for types in kernel.undeclared()
    ]
    assert not found, f"bring the arguments to declared types, or declare these: {found}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Peak memory, and how many tests were skipped because published data are not there; workers report to this process."""
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())]
    missing = sum(reason.removeprefix("Skipped: ").startswith(MISSING) for reason in reasons)
    for name, size in sorted((PEAKS or {"this process": memory.peak()}).items()):
        terminalreporter.write_line(f"{name}: peak memory {size / 1e9:.2f} GB")
    if missing:
        terminalreporter.write_line(
            f"{missing} tests skipped: their published data are not in {ROOT} (see ASSAY_FIXTURES)"
        )
