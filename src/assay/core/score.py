"""Results that behave like numbers and know how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.core import notebook
from assay.core.plain_data import plain_data


def digits(value: float, low: float | None = None, high: float | None = None) -> str:
    """The value with as many decimals as its interval supports: three by default, never scientific for plain sizes."""
    if not math.isfinite(value):
        return str(float(value))  # str of a Score comes back here
    if abs(value) < 1e-12:
        value = 0.0  # what rounding left of a zero
    width = abs(high - low) if low is not None and high is not None and math.isfinite(high - low) else None
    scale = width or abs(value)
    places = 3 if scale == 0 else max(3 if abs(value) < 10 else 1, 2 - math.floor(math.log10(scale)))
    if abs(value) >= 1e7 or places > 8:
        return f"{value:.4g}"
    return f"{value:.{places}f}"


class Score(float):
    """A metric's value on data: a float with its interval, its method and everything needed to reproduce it.

    ``low``, ``high``, ``level`` and ``method`` are None when no interval was requested. ``reliable`` is False, with
    ``reason``, where the interval is known not to hold its level. ``undefined`` counts the classes, outputs or rows on
    which the value is undefined, ``parts`` holds the values per class or output, ``notes`` what else was counted.
    ``corrected`` is the bias-corrected estimate where the interval is about that and not about the plain value, else None.
    """

    metric: str
    n: int
    low: float | None
    high: float | None
    level: float | None
    method: str | None
    corrected: float | None
    reliable: bool
    reason: str
    undefined: int
    parts: dict[Any, float]
    notes: dict[str, float]
    signature: str

    def __new__(
        cls,
        value: float,
        *,
        metric: str,
        n: int,
        signature: str,
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
        method: str | None = None,
        corrected: float | None = None,
        reliable: bool = True,
        reason: str = "",
        undefined: int = 0,
        parts: Mapping[Any, float] | None = None,
        notes: Mapping[str, float] | None = None,
    ) -> Score:
        """Keep the facts beside the number."""
        self = super().__new__(cls, value)
        self.metric, self.n, self.signature = metric, n, signature
        self.low, self.high, self.level, self.method = low, high, level, method
        self.corrected, self.reliable, self.reason, self.undefined = corrected, reliable, reason, undefined
        self.parts, self.notes = dict(parts or {}), dict(notes or {})
        return self

    @property
    def value(self) -> float:
        """The plain number."""
        return float(self)

    def but(self, value: float | None = None, **facts: Any) -> Score:
        """The same with other facts."""
        return Score(float(self) if value is None else value, **{**self.__dict__, **facts})

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(self.__dict__)

    def __str__(self) -> str:
        return " · ".join([self.short(), f"n={self.n}", *([self.method] if self.method else [])])

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def short(self) -> str:
        """Value and interval: ``0.913 [0.897, 0.929] 95 %``; a star marks an interval that is not reliable.

        An interval about the bias-corrected estimate stands behind that: ``6.589 (bias-corrected 0.979) [0.430, 1.528] 95 %``.
        """
        text = digits(self, self.low, self.high)
        text += "" if self.corrected is None else f" (bias-corrected {digits(self.corrected, self.low, self.high)})"
        if self.low is None or self.high is None or self.level is None:
            return text
        low, high = digits(self.low, self.low, self.high), digits(self.high, self.low, self.high)
        return f"{text} [{low}, {high}] {100 * self.level:g} %" + ("" if self.reliable else " *")

    def _repr_html_(self) -> str:
        return notebook.sentence(str(self), [f"* {self.reason}"] if self.reason and not self.reliable else [])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return plain_data({"value": float(self), **self.__dict__})


def in_cells(score: Score) -> list[str]:
    """Value and interval as they stand in two cells of a table whose head has the level."""
    value, mark, interval = score.short().partition(" [")
    return [value, (mark + interval).strip().replace(f" {100 * (score.level or 0):g} %", "")]
