"""What a family contributes to a plan: the interval that a number of rows gives, or the power of a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from assay.inference.formulas import Limits


@dataclass(frozen=True)
class WidthRule:
    """Limits by the number of rows, from ``least`` rows on; ``names`` are the assumptions behind them."""

    limits: Callable[[int], Limits]
    method: str
    names: set[str]
    least: int = 2

    def at(self, rows: int) -> float:
        """The full width; infinite where there is no interval yet."""
        low, high = self.limits(rows)
        return math.inf if math.isnan(high - low) else high - low


@dataclass(frozen=True)
class PowerRule:
    """Power by rows and effect; ``largest`` is the largest possible effect, ``names`` the assumptions behind it."""

    power: Callable[[int, float], float]
    method: str
    names: set[str]
    largest: float = math.inf
    least: int = 2
