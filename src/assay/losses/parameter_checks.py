"""Checks of the parameters of losses: numbers in a range, integers, choices. What JAX traces is not checked."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from assay.core.arrays import ArrayLike, array_api_compat, kind_of
from assay.core.errors import ParameterError
from assay.losses.inputs import strange


def positive(who: str, **parameters: object) -> None:
    """Refuse a parameter that is not above zero; what JAX traces is not checked."""
    for name, value in parameters.items():
        if not _fits(value, lambda v: 0 < v < math.inf):
            raise ParameterError(who, name, f"must be a number above 0, got {value!r}")


def between(who: str, low: float, high: float, **parameters: object) -> None:
    """Refuse a parameter outside of [low, high]."""
    for name, value in parameters.items():
        if not _fits(value, lambda v: low <= v <= high):
            above = "" if low == -math.inf else f" at least {low:g}"
            span = above if high == math.inf else f" in [{low:g}, {high:g}]"
            raise ParameterError(who, name, f"must be a number{span}, got {value!r}")


def _fits(value: Any, inside: Callable[[Any], bool]) -> bool:
    """Whether a value is one number with this property, or a single number in an array (which may learn or be traced)."""
    if isinstance(value, bool | str):
        return False
    if isinstance(value, numbers.Real):
        return is_float(value) and inside(value)
    if not array_api_compat.is_array_api_obj(value) or kind_of(value) not in ("int", "float") or strange(value):
        return False
    if type(value).__name__.endswith("Tracer") or getattr(value, "requires_grad", False):
        return value.ndim == 0  # what is traced has no value yet, and what learns changes it
    return value.ndim == 0 and inside(float(value))


def is_float(value: object) -> bool:
    """Whether it is a number that a float can hold, or infinite."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def one_of(who: str, name: str, value: ArrayLike, *allowed: str) -> None:
    """Refuse an unknown choice."""
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(repr(one) for one in allowed)
        raise ParameterError(who, name, f"must be one of {names}, got {value!r}")


def whole(who: str, least: int, **parameters: object) -> None:
    """Refuse a parameter that is not an integer from ``least`` on, or more than any library counts."""
    for name, value in parameters.items():
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
            raise ParameterError(who, name, f"must be an integer from {least} to {2**31 - 1}, got {value!r}")
