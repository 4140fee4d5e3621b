"""What a run holds in memory: each worker reports its peak at the end, and lets go of compiled code when it is large."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 1.2e9  # bytes; beyond them, what compilers keep is dropped before the next test
STEP = 0.3e9  # what a worker may grow by before it is tried again, if the rest is held by others


def peak() -> float:
    """The largest size of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def resident() -> float:
    """The size of this process now, in bytes; its peak where the system does not tell."""
    found = Path("/proc/self/statm")
    return int(found.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if found.exists() else peak()


class Threshold:
    """The size at which compiled code is dropped next."""

    now = LIMIT


def limit() -> None:
    """Let go where the process has become too large."""
    if resident() > Threshold.now:
        let_go()
        Threshold.now = max(LIMIT, resident() + STEP)


def let_go() -> None:
    """Drop compiled code; the next call compiles again, or reads the cache on disk."""
    for module, name in (("jax", "clear_caches"), ("torch._dynamo", "reset")):
        clear: Callable[[], Any] | None = getattr(sys.modules.get(module), name, None)
        if clear is not None:
            clear()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
