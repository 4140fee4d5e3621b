"""Resampled samples: draws, areas and rank correlations against naive sums over pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both

from assay.inference.draws import Draws
from assay.kernels.bootstrap import Ranked

FEW = settings(max_examples=40, deadline=None, derandomize=True)


def naive_auc(score: Any, positive: Any, w: Any) -> float:
    pairs = np.outer(w[positive], w[~positive])
    gap = score[positive][:, None] - score[~positive]
    return float((pairs * ((gap > 0) + 0.5 * (gap == 0))).sum() / pairs.sum()) if pairs.sum() else math.nan


def naive_precision(score: Any, positive: Any, w: Any) -> float:
    hits = w[positive]
    if not hits.sum():
        return math.nan
    tp = [w[positive & (score >= s)].sum() for s in score[positive]]
    taken = [w[score >= s].sum() for s in score[positive]]
    return math.fsum(u * a / b for u, a, b in zip(hits, tp, taken, strict=True) if u) / float(hits.sum())


def naive_spearman(y: Any, p: Any, w: Any) -> float:
    ranks = [np.array([w[x < v].sum() + w[x == v].sum() / 2 for v in x]) - w.sum() / 2 for x in (y, p)]
    if any(len(np.unique(x[w > 0])) < 2 for x in (y, p)):
        return math.nan
    a, b = ranks
    return float((w * a) @ b / math.sqrt((w * a) @ a) / math.sqrt((w * b) @ b))


def problem(n: int, levels: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, n) / levels, rng.random(n) < 0.4, rng


def ranked(score: Any, positive: Any, unit: Any, base: Any) -> Ranked:
    order = np.argsort(-score, kind="stable").astype(np.uint32)
    ordered = score[order]
    end = np.append(ordered[1:] != ordered[:-1], True).astype(np.uint8)
    return Ranked(unit[order], positive[order].astype(np.uint8), end, np.empty(0) if base is None else base[order])


@FEW
@given(n=st.integers(1, 40), levels=st.sampled_from([1, 3, 1000]), seed=st.integers(0, 999), weighted=st.booleans())
def test_areas_under_given_weights(n: int, levels: int, seed: int, weighted: bool) -> None:
    score, positive, rng = problem(n, levels, seed)
    base = rng.random(n) if weighted else None
    weights = rng.integers(0, 3, (5, n)) * rng.random((5, 1))
    rows = ranked(score, positive, np.arange(n), base)
    full = weights if base is None else weights * base
    for roc, naive in ((True, naive_auc), (False, naive_precision)):
        wanted = [naive(score, positive, w) for w in full]
        for weighted_areas in both("bootstrap", "weighted_areas"):
            np.testing.assert_allclose(weighted_areas(weights, rows, roc=roc), wanted, rtol=1e-12)


@FEW
@given(n=st.integers(1, 40), groups=st.integers(1, 9), seed=st.integers(0, 999), strata=st.booleans())
def test_areas_of_draws(n: int, groups: int, seed: int, strata: bool) -> None:
    score, positive, rng = problem(n, 10, seed)
    unit = rng.integers(0, groups, n)
    draws = Draws(groups, 12, seed, rng.integers(0, 2, groups) if strata else None)
    counts = draws.weights(0, 12)
    for draw in both("bootstrap", "draw"):
        np.testing.assert_array_equal(draw(draws.stream(0, 12), groups), counts)
    for base in (None, rng.random(n)):
        rows = ranked(score, positive, unit, base)
        full = counts[:, unit] * (np.ones(n) if base is None else base)
        for roc, naive in ((True, naive_auc), (False, naive_precision)):
            wanted = [naive(score, positive, w) for w in full]
            for drawn_areas in both("bootstrap", "drawn_areas"):
                got = drawn_areas(draws.stream(0, 12), rows, groups, roc=roc)
                np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize("weights", [np.uint16, np.float64])
@FEW
@given(n=st.integers(1, 40), levels=st.sampled_from([1, 3, 1000]), seed=st.integers(0, 999))
def test_rank_correlation(weights: Any, n: int, levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, levels, (2, n))
    drawn = rng.integers(0, 3, (6, n)).astype(weights)
    scaled = drawn * 0.3 if weights is np.float64 else drawn
    codes = [np.unique(x, return_inverse=True)[1] for x in (y, p)]
    wanted = [naive_spearman(y, p, w.astype(np.float64)) for w in scaled]
    for weighted_spearman in both("bootstrap", "weighted_spearman"):
        np.testing.assert_allclose(weighted_spearman(scaled, *codes), wanted, rtol=1e-12, atol=1e-12)


@FEW
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60), levels=st.sampled_from([2, 5, 1000]))
def test_steps_and_medians(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    score, positive = rng.integers(0, levels, n) / 7, rng.random(n) < 0.5
    weights: Any = rng.integers(0, 3, (4, n)).astype(np.float64)
    order = np.argsort(-score, kind="stable")
    end = np.append(score[order][1:] != score[order][:-1], True)
    distinct = np.unique(score)[::-1]
    for weighted_steps in both("bootstrap", "weighted_steps"):
        for w in weights:
            at, tp, fp = weighted_steps(w, order.astype(np.uint32), positive[order].view(np.uint8), end.view(np.uint8))
            assert at.tolist() == [k for k, s in enumerate(distinct) if w[score == s].sum() > 0]
            assert tp.tolist() == [w[positive & (score >= s)].sum() for s in distinct[at]]
            assert fp.tolist() == [w[~positive & (score >= s)].sum() for s in distinct[at]]
    rising = np.argsort(score, kind="stable")
    wanted = [np.median(np.repeat(score, w.astype(int))) if w.any() else math.nan for w in weights]
    for weighted_middles in both("bootstrap", "weighted_middles"):
        np.testing.assert_allclose(weighted_middles(weights, rising, score[rising]), wanted, rtol=1e-15)
