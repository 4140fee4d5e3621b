"""Binary scores: rank sums, losses, calibration bins, top labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import both, home

FEW = settings(max_examples=60, deadline=None, derandomize=True)
MANY = settings(max_examples=200, deadline=None, derandomize=True)
tiny, huge = 5e-324, 1.7e308
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, tiny, -tiny, huge, -huge, np.inf, -np.inf, 0.5, 2.0**-1022]),
    st.floats(allow_nan=False),
    st.floats(0, 1, width=32),
)
labelled = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=60)


def naive_rank_sums(score: Any, positive: Any) -> tuple[float, float]:
    """Over all pairs, and over all thresholds."""
    above, below = score[positive], score[~positive]
    if not len(above):
        return math.nan, math.nan
    found = [(np.sum(above >= s), np.sum(score >= s)) for s in above]
    precision = math.fsum(tp / every for tp, every in found) / len(above)
    if not len(below):
        return math.nan, precision
    wins = (above[:, None] > below).sum() + 0.5 * (above[:, None] == below).sum()
    return float(wins / (len(above) * len(below))), precision


def check_rank_sums(score: Any, positive: Any, routes: list[Any]) -> None:
    wanted = naive_rank_sums(score.astype(np.float64), positive)
    for rank_sums in routes:
        got = rank_sums(score, positive)
        if got is not None:  # the kernel may say that the general route must serve
            np.testing.assert_allclose(got[:2], wanted, rtol=1e-12, atol=0, err_msg=f"{score} {positive}")


@MANY
@given(rows=labelled)
def test_rank_sums(rows: list[tuple[float, bool]]) -> None:
    score, positive = np.array([s for s, _ in rows]), np.array([y for _, y in rows])
    check_rank_sums(score, positive, both(home("rank_sums"), "rank_sums"))


@FEW
@given(
    n=st.integers(1, 3000),
    levels=st.sampled_from([1, 2, 7, 1000, 10**9]),
    seed=st.integers(0, 999),
    single=st.booleans(),
)
def test_rank_sums_of_many_rows(n: int, levels: int, seed: int, single: bool) -> None:
    rng = np.random.default_rng(seed)
    score = (rng.integers(0, levels, n) / levels - 0.3) * 10.0 ** rng.integers(-3, 4)
    score = score.astype(np.float32 if single else np.float64)
    check_rank_sums(score, rng.random(n) < 0.3, both(home("rank_sums"), "rank_sums")[:1])


@pytest.mark.parametrize("make", [
    lambda rng, n: np.where(rng.random(n) < 0.01, 1e300, rng.random(n)),
    lambda rng, n: np.where(rng.random(n) < 0.5, -np.inf, rng.random(n)),
    lambda rng, n: np.exp(rng.normal(0, 200, n)),
    lambda rng, n: -np.exp(rng.normal(0, 200, n)),
    lambda rng, n: 1 + rng.integers(0, 50, n) * 2.0**-52,
    lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, -0.0),
], ids=["outliers", "minus infinity", "log-normal", "negative", "neighbouring floats", "zeros"])  # fmt: skip
def test_rank_sums_of_awkward_scores(make: Any) -> None:
    rng = np.random.default_rng(3)
    score = make(rng, 5000)
    check_rank_sums(score, rng.random(5000) < 0.4, both(home("rank_sums"), "rank_sums")[:1])


def weights(n: int) -> list[Any]:
    return [None, np.arange(n) % 3 / 2.0]


probabilities = st.lists(
    st.tuples(st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-300]), st.floats(0, 1)), st.booleans()),
    min_size=1,
    max_size=60,
)


@FEW
@given(rows=probabilities, single=st.booleans())
def test_losses(rows: list[tuple[float, bool]], single: bool) -> None:
    p = np.array([s for s, _ in rows], dtype=np.float32 if single else np.float64)
    positive = np.array([y for _, y in rows])
    wide = p.astype(np.float64)
    q = np.where(positive, wide, 1 - wide)
    for w in weights(len(p)):
        u = np.ones(len(p)) if w is None else w
        logs = -math.fsum(u[q > 0] * np.log(q[q > 0]))
        wanted = [math.fsum(u), math.fsum(u * (1 - q) ** 2), logs, math.fsum(u[q == 0]), wide.min(), wide.max()]
        for losses in both("binary", "losses"):
            np.testing.assert_allclose(losses(p, positive, w, logs=True), wanted, rtol=1e-11, atol=1e-12)
            got = losses(p, positive, w, logs=False)
            np.testing.assert_allclose(got[[0, 1, 4, 5]], np.array(wanted)[[0, 1, 4, 5]], rtol=1e-11, atol=1e-12)


@FEW
@given(n=st.integers(1, 40), at=st.integers(0, 39), bad=st.sampled_from([np.nan, -0.1, 1.5]), logs=st.booleans())
def test_losses_show_what_is_no_probability(n: int, at: int, bad: float, logs: bool) -> None:
    p = np.full(n, 0.25)
    p[at % n] = bad
    for losses in both("binary", "losses"):
        sums = losses(p, np.arange(n) % 2 == 0, None, logs=logs)
        assert not (sums[4] >= 0 and sums[5] <= 1 and np.isfinite(sums[:4]).all())


def naive_bins(c: Any, correct: Any, u: Any, edges: Any) -> Any:
    out = np.zeros((len(edges) - 1, 4))
    for i, x in enumerate(c.tolist()):
        at = next(
            (b for b in range(len(edges) - 1) if x <= edges[b + 1]), len(edges) - 2
        )  # bins are (a, b], 0 in the first
        y = float(correct[i])
        out[at] += u[i] * np.array([1.0, x, y, (y - x) ** 2])
    return out


EDGES = [np.linspace(0, 1, k + 1) for k in (1, 2, 10, 15, 100)] + [
    np.array([0.0, 0.001, 0.3, 0.30000000000000004, 1.0])
]


@MANY
@given(at=st.integers(0, len(EDGES) - 1), data=st.data(), single=st.booleans())
def test_bins(at: int, data: st.DataObject, single: bool) -> None:
    edges = EDGES[at]
    near = [float(v) for e in edges for v in (e, np.nextafter(e, 0), np.nextafter(e, 1))]
    values = data.draw(st.lists(st.one_of(st.sampled_from(near), st.floats(0, 1)), min_size=1, max_size=50))
    c = np.array(values, dtype=np.float32 if single else np.float64)
    correct = np.array(data.draw(st.lists(st.booleans(), min_size=len(c), max_size=len(c))))
    for w in weights(len(c)):
        wanted = naive_bins(c, correct, np.ones(len(c)) if w is None else w, edges)
        for bins in both("binary", "bins"):
            np.testing.assert_allclose(bins(c, correct, w, edges), wanted, rtol=1e-11, atol=1e-13)


@FEW
@given(rows=probabilities)
def test_top_label(rows: list[tuple[float, bool]]) -> None:
    p, positive = np.array([s for s, _ in rows]), np.array([y for _, y in rows])
    for top_label in both("binary", "top_label"):
        confidence, correct = top_label(p, positive)
        np.testing.assert_array_equal(confidence, np.where(p >= 0.5, p, 1 - p))
        np.testing.assert_array_equal(correct, (p >= 0.5) == positive)
