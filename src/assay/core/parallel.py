"""How many threads there are for kernels: what the caller says, else what the process and its other libraries were told."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

from assay.core.call_checks import guarded
from assay.core.errors import ParameterError
from assay.core.value_checks import Says

MOST_THREADS = 256
_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
_chosen: list[int] = []  # what `threads(n)` was told last; empty before


@guarded
def threads(n: Annotated[int | None, Says("a positive integer")] = None) -> int:
    """How many threads kernels use; with a number, they use that many from now on.

    Unless told, that is the number of cores the process may run on, or less where ``OMP_NUM_THREADS``,
    ``NUMBA_NUM_THREADS`` or ``torch.set_num_threads`` say so. More threads than cores gain nothing, and more than 256 are refused.
    """
    if n is not None:
        _chosen[:] = [_positive(n)]
    return _chosen[0] if _chosen else min(_cores(), *_limits())


def _positive(n: int) -> int:
    if n < 1:
        raise ParameterError("threads", "n", f"must be a positive integer, got {n}")
    if n > (most := max(MOST_THREADS, _cores())):
        raise ParameterError(
            "threads",
            "n",
            f"must be at most {most}, got {n}; this process may run on {_cores()} cores, and more threads gain nothing",
        )
    return n


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _limits() -> list[int]:
    """What other libraries of this process keep to; never empty."""
    said = [os.environ.get(name, "").split(",")[0].strip() for name in _VARIABLES]  # OpenMP: one number per level
    limits = [int(text) for text in said if text.isdecimal() and int(text) > 0]
    torch: Any = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_num_threads"):
        limits.append(int(torch.get_num_threads()))
    return limits or [_cores()]
