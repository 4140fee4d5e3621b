"""The difference of two models, and the test that serves every smooth metric: t of the differences of influence values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile, two_sided
from assay.inference.design import Design


@dataclass(frozen=True)
class Difference:
    """An effect with its limits, p value, standard error and degrees of freedom."""

    low: float
    high: float
    p: float
    error: float | None
    df: float
    method: str
    reason: str = ""
    exact: bool = (
        False  # by swaps of the units themselves: doubts about the interval of a single model do not concern it
    )


def delta(design: Design, moved: Floats, effect: float, level: float, rows: float) -> Difference:
    """t of the differences of influence values, of rows or of units."""
    error = design.error(moved)
    name = "influence difference" + (f", {design.text()}" if design.text() else "")
    if error == 0:
        return same_everywhere(effect, name, design.units)
    df = max(1.0, rows - 1) if design.plain else float(design.df)
    half = t_quantile(level, df) * error
    return Difference(effect - half, effect + half, two_sided(effect / error, df), error, df, name, few(df + 1))


def same_everywhere(effect: float, name: str, units: float) -> Difference:
    """The models differ by the same amount on every row: nothing is known about how far they would differ on others.

    What is left is the sign: a difference that all units share has the p value of a sign test.
    """
    reason = "the models differ by the same amount on every row"
    return Difference(effect, effect, min(1.0, 2.0 ** (1 - units)), None, math.inf, name, reason)


def few(units: float) -> str:
    """The reason not to trust what rests on a handful of units."""
    return f"only {units:.3g} independent units" if units < 10 else ""
