"""Interval and test formulas: each takes numbers or arrays of them, returns limits or p values, and knows nothing about metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import special, t_quantile, two_sided, z_quantile

Limits = tuple[float, float]


# ---- proportions


@overload
def wilson(successes: float, trials: float, level: float) -> Limits: ...
@overload
def wilson(successes: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]: ...
def wilson(successes: float | Floats, trials: float | Floats, level: float) -> Limits | tuple[Floats, Floats]:
    """Wilson's score interval of proportions (Wilson 1927); counts may be fractions, as effective sizes are."""
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    z2 = z_quantile(level) ** 2
    share = k / n
    centre = (k + z2 / 2) / (n + z2)
    half = math.sqrt(z2) / (n + z2) * np.sqrt(np.maximum(n * share * (1 - share), 0) + z2 / 4)
    low, high = np.where(k <= 0, 0.0, np.maximum(0, centre - half)), np.where(k >= n, 1.0, np.minimum(1, centre + half))
    return (float(low), float(high)) if low.ndim == 0 else (low, high)


def clopper_pearson(successes: float, trials: float, level: float) -> Limits:
    """The exact interval of a proportion: never below its level, wider than Wilson's."""
    inverse, tail = special("betaincinv"), (1 - level) / 2
    low = 0.0 if successes <= 0 else float(inverse(successes, trials - successes + 1, tail))
    high = 1.0 if successes >= trials else float(inverse(successes + 1, trials - successes, 1 - tail))
    return low, high


def bonett_price(only_a: float, only_b: float, n: float, level: float) -> Limits:
    """Difference of two paired proportions (Bonett and Price 2012), from the pairs on which only one is right."""
    centre, half = (only_a - only_b) / (n + 2), z_quantile(level) * bonett_price_error(only_a, only_b, n)
    return max(-1.0, centre - half), min(1.0, centre + half)


def bonett_price_error(only_a: float, only_b: float, n: float) -> float:
    """The standard error behind it: one pair of each kind is added, so that it is never zero."""
    p, q = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    return math.sqrt((p + q - (p - q) ** 2) / (n + 2))


def mcnemar(only_a: float, only_b: float) -> float:
    """McNemar's exact test with the mid-p correction (Fagerland, Lydersen and Laake 2013)."""
    pairs, fewer = only_a + only_b, min(only_a, only_b)
    if pairs == 0:
        return 1.0
    if only_a == only_b:
        fair = 1.0 - 0.5 * _binomial_point(fewer, pairs)
        return min(1.0, fair)
    below = float(special("bdtr")(int(fewer), int(pairs), 0.5))
    return min(1.0, 2 * below - _binomial_point(fewer, pairs))


def exact_mcnemar(only_a: float, only_b: float) -> float:
    """McNemar's exact test: never above its level, whatever the number of pairs."""
    return min(1.0, 2 * float(special("bdtr")(int(min(only_a, only_b)), int(only_a + only_b), 0.5)))


def _binomial_point(k: float, n: float) -> float:
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))


# ---- means


def hall(mean: float, error: float, skew: float, n: float, level: float) -> Limits:
    """Hall's (1992) transformed t: takes the skewness of the losses out of the interval of their mean.

    ``error`` is the standard error of the mean and ``skew`` the skewness of the single losses.
    """
    t = t_quantile(level, max(1.0, n - 1))
    return mean - _hall_inverse(t, skew, n) * error, mean - _hall_inverse(-t, skew, n) * error


def hall_test(mean: float, error: float, skew: float, n: float) -> float:
    """The p value of a mean of zero that belongs to `hall`: zero lies outside the interval where p is below 1 - level."""
    u = mean / error
    a = skew / (3 * math.sqrt(n))
    return two_sided(u + a * u**2 + a**2 * u**3 / 3 + skew / (6 * math.sqrt(n)), n - 1)


def _hall_inverse(u: float, skew: float, n: float) -> float:
    a, shift = skew / (3 * math.sqrt(n)), skew / (6 * math.sqrt(n))
    return u - shift if abs(a) < 1e-8 else (math.cbrt(1 + 3 * a * (u - shift)) - 1) / a


# ---- on another scale

SCALES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    # name: (there, back, derivative of there)
    "identity": (lambda v: v, lambda u: u, lambda v: 1.0),
    "log": (np.log, np.exp, lambda v: 1 / v),
    "logit": (lambda v: np.log(v / (1 - v)), lambda u: 1 / (1 + np.exp(-u)), lambda v: 1 / (v * (1 - v))),
    "fisher_z": (np.arctanh, np.tanh, lambda v: 1 / (1 - v**2)),
    "log_one_minus": (lambda v: -np.log1p(-v), lambda u: -np.expm1(-u), lambda v: 1 / (1 - v)),
}


def on_scale(scale: str, value: float, error: float, quantile: float) -> Limits:
    """``value ± quantile * error`` on the named scale, brought back."""
    there, back, slope = SCALES[scale]
    with np.errstate(all="ignore"):
        centre, half = there(value), quantile * error * slope(value)
        low, high = back(centre - half), back(centre + half)
    return float(low), float(high)


def rescaled(scale: str, value: float, error: float, bounds: Limits, quantile: float) -> Limits:
    """`on_scale` for a value between finite bounds other than the scale's own: put on it, and back."""
    own = {"logit": (0.0, 1.0), "fisher_z": (-1.0, 1.0)}.get(scale)
    if own is None or own == bounds:
        return on_scale(scale, value, error, quantile)
    size = (bounds[1] - bounds[0]) / (own[1] - own[0])
    low, high = on_scale(scale, (value - bounds[0]) / size + own[0], error / size, quantile)
    return (low - own[0]) * size + bounds[0], (high - own[0]) * size + bounds[0]


# ---- areas, averages, quantiles


def newcombe(auc: float, positives: float, negatives: float, level: float) -> Limits:
    """Newcombe's (2006) method 5 for the area under the ROC curve: a score interval that also holds at 0 and 1."""
    z, extra = z_quantile(level), (positives + negatives) / 2 - 1

    def beyond(theta: float) -> float:
        inner = 1 + extra * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return abs(auc - theta) - z * math.sqrt(theta * (1 - theta) * inner / (positives * negatives))

    return _crossing(beyond, 0.0, auc), _crossing(beyond, 1.0, auc)


def _crossing(beyond: Callable[[float], float], outside: float, inside: float) -> float:
    """Where ``beyond`` turns positive between ``inside`` and the bound ``outside``."""
    if beyond(outside) <= 0:
        return outside
    for _ in range(60):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if beyond(middle) > 0 else (outside, middle)
    return (outside + inside) / 2


def mover(values: Floats, low: Floats, high: Floats, correlation: Floats, shares: Floats) -> Limits:
    """Limits of a weighted mean from the limits of its parts and their correlations (Zou and Donner 2008)."""
    value = float(shares @ values)
    down, up = shares * (values - low), shares * (high - values)
    return value - math.sqrt(max(0.0, down @ correlation @ down)), value + math.sqrt(max(0.0, up @ correlation @ up))


def order_statistics(n: int, q: float, level: float) -> tuple[int, int] | None:
    """Positions (from 0) of the ordered values that enclose the q-quantile; None if no two of them do."""
    tail, reach = (1 - level) / 2, 10 + 10 * math.sqrt(n)  # far beyond any quantile that a level asks for
    first, last = max(0, int(n * q - reach)), min(n, int(n * q + reach))
    below = special("bdtr")(np.arange(first, last), n, q)  # P(at most k rows lie below the quantile)
    low = first + int(np.searchsorted(below, tail, side="right")) - 1  # the largest k with P(B <= k) <= tail
    high = first + int(np.searchsorted(below, 1 - tail, side="left"))  # the least k with P(B <= k) >= 1 - tail
    return None if low < 0 or high > n - 1 else (low, high)


# ---- several at once


def holm(p: list[float]) -> list[float]:
    """P values adjusted for their number (Holm 1979): each may be read against the level as it is."""
    adjusted, running = [math.nan] * len(p), 0.0
    known = sorted((value, at) for at, value in enumerate(p) if not math.isnan(value))
    for place, (value, at) in enumerate(known):
        running = max(running, min(1.0, (len(known) - place) * value))
        adjusted[at] = running
    return adjusted


def sidak(level: float, count: int) -> float:
    """The level of each of ``count`` intervals that together hold at ``level``."""
    return level ** (1 / max(1, count))
