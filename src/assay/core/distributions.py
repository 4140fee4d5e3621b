"""Quantiles and tails of the normal distribution, of Student's t, of F and of chi-square; hypergeometric chances."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from assay.core.arrays import Floats, Host


def z_quantile(level: float) -> float:
    """The two-sided normal quantile."""
    return NormalDist().inv_cdf((1 + level) / 2)


def t_quantile(level: float, df: float) -> float:
    """The two-sided quantile of Student's t; of the normal distribution where ``df`` is infinite."""
    return z_quantile(level) if math.isinf(df) else float(special("stdtrit")(df, (1 + level) / 2))


def two_sided(statistic: float, df: float = math.inf) -> float:
    """The two-sided p value of a t (or, without ``df``, normal) statistic."""
    return min(1.0, 2 * upper_tail(abs(statistic), df))


def two_sided_quantile(p: float) -> float:
    """The size of a normal statistic whose two-sided p value is ``p``."""
    return math.inf if p <= 0 else -NormalDist().inv_cdf(p / 2)


def upper_tail(statistic: float, df: float = math.inf) -> float:
    """The chance of a larger value of Student's t, or of the normal distribution."""
    if math.isnan(statistic):
        return math.nan
    if math.isinf(df):
        return 0.5 * math.erfc(statistic / math.sqrt(2))
    return float(special("stdtr")(df, -statistic))


def f_upper_tail(statistic: float, above: float, below: float) -> float:
    """The chance of a larger value of F with ``above`` and ``below`` degrees of freedom."""
    return 0.0 if statistic == math.inf else float(special("fdtrc")(above, below, statistic))


def f_quantile(level: float, above: float, below: float) -> float:
    """The value that F stays below with the chance ``level``."""
    return float(special("fdtri")(above, below, level))


def chi2_upper_tail(statistic: float, df: float) -> float:
    """The chance of a larger value of chi-square."""
    return float(special("chdtrc")(df, statistic))


def hypergeometric(hits: Host, total: int, marked: int, drawn: Host) -> Floats:
    """The chance of so many ``hits`` among ``drawn`` of ``total`` units, of which some are ``marked``; 0 where that cannot be."""
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    misses = drawn - hits
    fits = (hits >= 0) & (hits <= marked) & (misses >= 0) & (misses <= total - marked)

    def log_choose(n: Any, k: Any) -> Any:
        return log_factorial[n] - log_factorial[k] - log_factorial[n - k]

    hits, misses, drawn = (np.where(fits, count, 0) for count in (hits, misses, drawn))
    odds = log_choose(marked, hits) + log_choose(total - marked, misses) - log_choose(total, drawn)
    return np.where(fits, np.exp(odds), 0.0)


def special(name: str) -> Callable[..., Any]:
    """A function of scipy.special, loaded when first needed: scipy.stats would cost two seconds."""
    import scipy.special  # pyright: ignore

    return getattr(scipy.special, name)  # pyright: ignore
