"""What a law compares: the numbers of any value, and how they are shown."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from assay.core.arrays import Array, Floats


def numbers(value: object) -> Floats:
    """All numbers of a value, an array, a curve or a dict of curves as one flat array."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return numbers([getattr(value, f.name) for f in dataclasses.fields(value)])
    if isinstance(value, Mapping):
        return numbers(list(cast("Mapping[Any, Any]", value).values()))
    if isinstance(value, list | tuple):
        return np.concatenate([numbers(part) for part in cast("list[Any]", value)])
    return np.ravel(np.asarray(value, dtype=np.float64))


def is_plain(value: object) -> bool:
    """Whether a value is a number or an array of numbers, not a curve."""
    return isinstance(value, float | np.ndarray)


def shown(values: Array) -> str:
    """The first few numbers."""
    text = ", ".join(f"{v:.12g}" for v in values[:6])
    return text + (f", ... ({len(values)} in all)" if len(values) > 6 else "")


class Checks:
    """How many comparisons laws have made: a law that compared nothing has shown nothing."""

    made = 0


def counted(run: Callable[[], object]) -> int:
    """The number of comparisons that a run makes."""
    before = Checks.made
    run()
    return Checks.made - before


def near(a: object, b: object, tolerance: float = 1e-10) -> bool:
    """Equal up to rounding."""
    return bool(np.allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance * 1e-2, equal_nan=True))


def library(name: str) -> Any:
    """A module, or None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
