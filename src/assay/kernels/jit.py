"""How kernels are compiled: cached on disk, without the lock, and free to reorder sums into vector lanes.

NaN and infinity keep their meaning (the callers notice bad input by them), so `fastmath` is not switched on whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from assay.kernels.cache import kept

F = TypeVar("F", bound=Callable[..., Any])
_LANES = {"reassoc", "nsz", "contract", "arcp"}


def _compiled(function: F, **options: Any) -> F:
    return cast(F, kept(cast(Any, numba).njit(nogil=True, **options)(function)))


def kernel(function: F) -> F:
    """Compile on first use."""
    return _compiled(function, fastmath=_LANES)


def exact(function: F) -> F:
    """Compile without any freedom to reorder."""
    return _compiled(function)


def bare(function: F) -> F:
    """Compile without reordering and without asking at every division whether it is by zero."""
    return _compiled(function, error_model="numpy")


def lanes(function: F) -> F:
    """Compile a loop without branches for vector lanes: a division by zero gives infinity, since a check would be a branch."""
    return _compiled(function, fastmath=_LANES, error_model="numpy")


def step(function: F) -> F:
    """Compile a step of such a loop: always put in its place, since a call would leave the lanes."""
    return cast(F, cast(Any, numba).njit(nogil=True, fastmath=_LANES, error_model="numpy", forceinline=True)(function))
