"""The difference of two models by closed form: what the family of the metric allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile, two_sided, z_quantile
from assay.core.monoids import Rows
from assay.inference import closed
from assay.inference.design import Design
from assay.inference.sample import Sample

LONE = 0.15  # the share of one row in the spread from which the skewness of a sample cannot be believed


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
        False  # by swaps of the units themselves: doubts about the interval of a single model are not about it
    )


def discordant(a: Sample, b: Sample, effect: float) -> tuple[float, float, float] | None:
    """(rows that only a has, rows that only b has, rows in all) if both are shares of the same rows; None otherwise.

    A row of a share of m rows has the influence (x - share) / m, so the differences tell the outcomes.
    """
    trials = [float(np.max(s.trials)) for s in (a, b)]
    if a.weight is not None or trials[0] != trials[1] or np.ndim(a.trials):
        return None
    if abs(effect) == 1:
        return (trials[0], 0.0, trials[0]) if effect > 0 else (0.0, trials[0], trials[0])
    moved = trials[0] * (a.influence - b.influence) + effect
    whole = np.rint(moved)
    untouched = (np.abs(a.influence) < 1e-15) & (np.abs(b.influence) < 1e-15)
    if np.any((np.abs(moved - whole) > 1e-6) & ~untouched):
        return None
    whole = np.where(np.abs(moved - whole) > 1e-6, 0, whole)
    return float((whole == 1).sum()), float((whole == -1).sum()), trials[0]


def mcnemar(counts: tuple[float, float, float], effect: float, level: float, *, exact: bool) -> Difference:
    """McNemar's test with the limits of Bonett and Price."""
    only_a, only_b, n = counts
    low, high = closed.bonett_price(only_a, only_b, n, level)
    p = (closed.exact_mcnemar if exact else closed.mcnemar)(only_a, only_b)
    return Difference(
        min(low, effect), max(high, effect), p, closed.bonett_price_error(*counts), math.inf,
        f"Bonett-Price, {'exact' if exact else 'mid-p'} McNemar",
    )  # fmt: skip


def hall(a: Sample, moved: Floats, effect: float, level: float) -> Difference:
    """Hall's transformed t of the differences of row losses."""
    square = float(moved @ moved)
    if square == 0:
        return _same_everywhere(effect, "Hall t", a.rows)
    rows = a.rows
    error = math.sqrt(square * rows / max(1.0, rows - 1))
    skew = _sure_skew(moved, square, rows)
    low, high = closed.hall(effect, error, skew, rows, level)
    lone = "a single row carries half of the spread" if float(np.max(moved**2)) > square / 2 else few(rows)
    return Difference(low, high, closed.hall_test(effect, error, skew, rows), error, rows - 1, "Hall t", lone)


def _sure_skew(moved: Floats, square: float, rows: float) -> float:
    """The skewness of the differences, drawn to zero as far as it may be noise.

    Differences of models that are alike are symmetric: the skewness of a sample of them is noise, and large where losses have
    heavy tails. Corrected for as it stands, a test at 5 % would reject up to 13 % of true null hypotheses.
    """
    if float(np.max(moved**2)) > LONE * square:
        return 0.0  # one row decides: it tells nothing about the shape of the others
    third, fourth, sixth = (float((moved**k).sum()) / rows / (square / rows) ** (k / 2) for k in (3, 4, 6))
    noise = (sixth - 6 * fourth + 9) / rows
    return third**3 / (third**2 + noise) if third else 0.0


def delong(rows: Rows, moved: Floats, effect: float, level: float) -> Difference:
    """DeLong's test."""
    if not np.any(moved):
        return _same_everywhere(effect, "DeLong", len(moved))
    positive = rows["positive"]
    variance, least = 0.0, math.inf
    for side in (positive, ~positive):
        n = int(side.sum())
        least = min(least, n)
        variance += float(moved[side] @ moved[side]) * n / max(1, n - 1)
    error = math.sqrt(variance)
    half = z_quantile(level) * error
    return Difference(
        effect - half, effect + half, two_sided(effect / error), error, math.inf, "DeLong",
        f"only {least} rows of the smaller class" if least < 10 else "",
    )  # fmt: skip


def delta(design: Design, moved: Floats, effect: float, level: float, rows: float) -> Difference:
    """t of the differences of influence values, of rows or of units."""
    error = design.error(moved)
    name = "influence difference" + (f", {design.text()}" if design.text() else "")
    if error == 0:
        return _same_everywhere(effect, name, design.units)
    df = max(1.0, rows - 1) if design.plain else float(design.df)
    half = t_quantile(level, df) * error
    return Difference(effect - half, effect + half, two_sided(effect / error, df), error, df, name, few(df + 1))


def alike(a: Sample, level: float) -> Difference:
    """No row tells the models apart, and a width of nothing would claim that none ever will.

    Of a share Bonett and Price know the limits: one more pair of each kind. Elsewhere nothing says how far a row could set them apart.
    """
    if a.metric.record.family == "proportion" and np.ndim(a.trials) == 0:
        counts = (0.0, 0.0, min(float(a.trials), a.units))
        limits, error = closed.bonett_price(*counts, level), closed.bonett_price_error(*counts)
        return Difference(*limits, 1.0, error, math.inf, "Bonett-Price, no discordant row")
    reason = (
        "no row tells the models apart: the difference is 0 on these rows, and nothing says how large it is on others"
    )
    return Difference(math.nan, math.nan, 1.0, None, math.inf, "equal on every row", reason)


def _same_everywhere(effect: float, name: str, units: float) -> Difference:
    """The models differ by the same amount on every row: nothing is known about how far others would.

    What is left is the sign: a difference that all units share has the p value of a sign test.
    """
    reason = "the models differ by the same amount on every row"
    return Difference(effect, effect, min(1.0, 2.0 ** (1 - units)), None, math.inf, name, reason)


def few(units: float) -> str:
    """The reason not to trust what rests on a handful of units."""
    return f"only {units:.3g} independent units" if units < 10 else ""
