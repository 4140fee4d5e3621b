"""What finalizing gives: a value with what there is to say about it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """A value with what there is to say about it."""

    value: Any
    undefined: int
    parts: dict[Any, float]
    remarks: dict[str, float]
    why: str = ""  # it is undefined, where the record does not say


def outside() -> int:
    """How many frames up the caller's own code is: warnings point there, not into the library."""
    depth, frame = 0, inspect.currentframe()
    while (
        frame is not None and frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "assay"
    ):
        depth, frame = depth + 1, frame.f_back
    return depth


def is_numeric(value: object) -> bool:
    """Whether a value is a number or an array of numbers, not a curve."""
    return isinstance(value, np.ndarray | np.generic | float)


def missing(value: Any) -> int:
    """How many of the numbers do not exist."""
    return int(np.isnan(value).sum()) if is_numeric(value) else 0


def plain(value: Any) -> Any:
    """Zero-dimensional arrays as Python floats; everything else as it is."""
    return float(value) if is_numeric(value) and np.ndim(value) == 0 else value
