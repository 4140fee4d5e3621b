"""Checks of parameters, worded once; and the parameters of an entry as text and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias, cast

from assay.core.errors import ParameterError, did_you_mean, shown
from assay.core.value_checks import NO, Kind, scalar

_DEEPEST = 8  # axes of a parameter


def _policy(value: Any) -> Any:
    """What is done where a value is undefined."""
    value = scalar(value)
    fits = isinstance(value, str | int | float) and not isinstance(value, bool) and value in ("nan", "error", 0, 1)
    return value if fits else NO


Undefined: TypeAlias = Annotated[Literal["nan", "error"] | float, Kind("'nan', 'error', 0 or 1", _policy)]


def choice(who: str, name: str, value: object, options: Iterable[object]) -> None:
    """Refuse a value that is not one of the options."""
    options = tuple(options)
    if not any(value is o or (type(value) is type(o) and value == o) for o in options):
        names = ", ".join(repr(o) for o in options)
        raise ParameterError(who, name, f"must be one of {names}, got {shown(value)}")


def number(
    who: str,
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> None:
    """Refuse what is not a finite number between ``low`` and ``high``."""
    try:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer beyond the floats
        fits = False
    inside = fits and (low < value if open_low else low <= value) and (value < high if open_high else value <= high)
    if not inside:
        bounds = f"{'above' if open_low else 'at least'} {low:g}" if math.isfinite(low) else "finite"
        bounds += f" and {'below' if open_high else 'at most'} {high:g}" if math.isfinite(high) else ""
        raise ParameterError(who, name, f"must be a number {bounds}, got {shown(value)}")


def whole(who: str, name: str, value: object, *, low: int = 1, high: float = math.inf) -> None:
    """Refuse what is not an integer between ``low`` and ``high``."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        bounds = f"at least {low}" + (f" and at most {high}" if math.isfinite(high) else "")
        raise ParameterError(who, name, f"must be an integer of {bounds}, got {shown(value)}")


def frozen(value: Any, depth: int = 0) -> Any:
    """Lists and arrays as nested tuples of plain Python values, so that metrics are hashable."""
    if depth > _DEEPEST:  # such as a list that holds itself: left as it is, and refused as what it is
        return value
    if hasattr(value, "tolist") and not isinstance(value, type):
        try:
            value = value.tolist()
        except Exception:  # a tensor without data or a sparse one: left as it is, and refused as what it is
            return value
    if isinstance(value, list | tuple):
        return tuple(frozen(v, depth + 1) for v in cast("list[Any]", value))
    return value


def changed(entry: Any) -> dict[str, Any]:
    """The fields of a frozen dataclass that differ from their defaults."""
    return {
        f.name: getattr(entry, f.name)
        for f in dataclasses.fields(entry)
        if getattr(entry, f.name) != f.default or f.default is dataclasses.MISSING
    }


def check_names(who: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a parameter that the entry does not have."""
    known = tuple(known)
    for name in given:
        if name not in known:
            raise ParameterError(who, "", f"has no parameter {name!r}", did_you_mean(name, known))
