"""Tests of others on the same data: statsmodels, scipy, and DeLong's as the textbook has it. Each gives a p value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

SWAPS = 199


def statsmodels_mcnemar(**options: Any) -> Callable[..., float]:
    """McNemar's test, exact or by chi²."""

    def p(truth: Any, a: Any, b: Any) -> float:
        right_a, right_b = a == truth, b == truth
        cells = [(right_a & right_b).sum(), (right_a & ~right_b).sum(), (~right_a & right_b).sum()]
        table = [[cells[0], cells[1]], [cells[2], len(truth) - sum(cells)]]
        return 1.0 if cells[1] + cells[2] == 0 else float(mcnemar(table, **options).pvalue)

    return p


def t_of_losses(truth: Any, a: Any, b: Any) -> float:
    """Paired t test of squared errors."""
    return float(stats.ttest_rel((truth - a) ** 2, (truth - b) ** 2).pvalue)


def wilcoxon_of_losses(truth: Any, a: Any, b: Any) -> float:
    """Signed-rank test of squared errors."""
    return float(stats.wilcoxon((truth - a) ** 2 - (truth - b) ** 2).pvalue)


def swapped(statistic: Callable[..., Any]) -> Callable[..., float]:
    """scipy's permutation test that swaps the two models row by row; ``statistic(truth, a, axis)`` is one model's value."""

    def p(truth: Any, a: Any, b: Any) -> float:
        def gap(first: Any, second: Any, axis: int) -> Any:
            return statistic(truth, first, axis) - statistic(truth, second, axis)

        found: Any = stats.permutation_test(
            (a, b), gap, permutation_type="samples", vectorized=True, n_resamples=SWAPS, rng=0
        )
        return float(found.pvalue)

    return p


def mean_square(truth: Any, a: Any, axis: int) -> Any:
    return ((truth - a) ** 2).mean(axis=axis)


def f1(truth: Any, a: Any, axis: int) -> Any:
    both = (truth * a).sum(axis=axis)
    return 2 * both / np.maximum(truth.sum() + a.sum(axis=axis), 1)


def r2(truth: Any, a: Any, axis: int) -> Any:
    return 1 - mean_square(truth, a, axis) / truth.var()


def delong(truth: Any, a: Any, b: Any) -> float:
    """DeLong, DeLong and Clarke-Pearson (1988) from all pairs of a positive and a negative row."""
    places = [_placements(truth == 1, score) for score in (a, b)]
    variance = sum(np.var(x - y, ddof=1) / len(x) for x, y in zip(*places, strict=True))
    gap = places[0][0].mean() - places[1][0].mean()
    return 1.0 if variance == 0 else math.erfc(abs(gap) / math.sqrt(2 * variance))


def _placements(positive: Any, score: Any) -> tuple[Any, Any]:
    hits, others = score[positive], score[~positive]
    above = (hits[:, None] > others) + 0.5 * (hits[:, None] == others)
    return above.mean(axis=1), above.mean(axis=0)
