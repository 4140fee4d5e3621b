"""Draws: uniform, independent, the same by every route; replicates equal the metric under the drawn weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay import kernels
from assay.core.inference_options import InferenceOptions
from assay.core.monoids import Rows
from assay.inference import draws as module
from assay.inference.bootstrap import replicated
from assay.inference.design import Design
from assay.inference.draws import Draws, replicate_rows, replicate_sums
from assay.inference.paired_resampling import paired_replicates
from assay.inference.sample import Sample
from assay.metrics import AveragePrecision, CalibrationError, RocAuc, Spearman, TprAtFpr

ROUTES = pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])


@pytest.fixture
def route(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    monkeypatch.setattr(kernels, "repaid", lambda draws: compiled)


@ROUTES
@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("n", [1, 2, 7, 64, 1000])
def test_every_replicate_draws_as_many_units_as_there_are(n: int) -> None:
    weights = Draws(n, 50).weights(0, 50)
    assert weights.dtype == np.uint16
    assert weights.shape == (50, n)
    assert (weights.sum(axis=1) == n).all()


def test_routes_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    strata = np.random.default_rng(0).integers(0, 5, 300)
    for seed in (0, 1, 12345, -1, 2**70):
        for codes in (None, strata):
            found: list[Any] = []
            for compiled in (False, True):
                monkeypatch.setattr(kernels, "repaid", lambda draws, compiled=compiled: compiled)
                found.append(Draws(300, 40, seed, codes).weights(3, 40))
            np.testing.assert_array_equal(*found)


@ROUTES
@pytest.mark.usefixtures("route")
def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = Draws(100, 30, seed=7)
    whole, coins = draws.weights(0, 30), draws.signs(0, 30)
    monkeypatch.setattr(module, "BATCH", 8 * 100 * 7)
    pieces = list(draws.batches())
    assert pieces == [(0, 7), (7, 14), (14, 21), (21, 28), (28, 30)]
    np.testing.assert_array_equal(np.concatenate([draws.weights(*p) for p in pieces]), whole)
    np.testing.assert_array_equal(np.concatenate([draws.signs(*p) for p in pieces]), coins)


@pytest.mark.parametrize("n", [3, 10, 1000, 4096])
def test_draws_are_uniform(n: int) -> None:
    replicates = 2_000_000 // n
    total = Draws(n, replicates, seed=3).weights(0, replicates).sum(axis=0, dtype=np.int64)
    assert 1e-4 < stats.chisquare(total).pvalue < 1 - 1e-4


def test_weights_have_the_moments_of_the_multinomial() -> None:
    n = 200
    weights = Draws(n, 20_000, seed=5).weights(0, 20_000).astype(np.float64)
    assert weights.mean() == 1
    assert abs(weights.var() / (1 - 1 / n) - 1) < 0.005
    share = np.bincount(weights.astype(int).ravel(), minlength=5)[:5] / weights.size
    np.testing.assert_allclose(share, stats.binom.pmf(np.arange(5), n, 1 / n), atol=2e-3)


def test_replicates_units_and_seeds_are_independent() -> None:
    weights = np.stack([Draws(2000, 300, seed).weights(0, 300) for seed in range(3)]).astype(np.float64) - 1
    between = np.corrcoef(weights.reshape(-1, 2000))[np.triu_indices(900, 1)] * np.sqrt(2000)
    assert abs(between.mean()) < 0.01
    assert abs(between.std() - 1) < 0.01
    assert abs(between).max() < 6
    along = np.corrcoef(weights[0].T)[np.triu_indices(2000, 1)]
    assert abs(along.mean() + 1 / 1999) < 2e-4  # the counts of a replicate add up to n
    assert abs(along.std() * np.sqrt(300) - 1) < 0.01


def test_pairs_of_draws_in_sequence_are_uniform() -> None:
    """Two units draw (0,0), (0,1), ... equally often: the first two draws of a replicate do not know of each other."""
    counts = np.bincount(Draws(2, 100_000, seed=9).weights(0, 100_000)[:, 0], minlength=3)
    assert stats.chisquare(counts, 100_000 * np.array([0.25, 0.5, 0.25])).pvalue > 1e-4


@ROUTES
@pytest.mark.usefixtures("route")
def test_strata_keep_their_size() -> None:
    strata = np.array([7, 2, 2, 7, 9, 2, 7, 7])
    weights = Draws(8, 4000, strata=strata).weights(0, 4000)
    for code in (2, 7, 9):
        inside = weights[:, strata == code]
        assert (inside.sum(axis=1) == (strata == code).sum()).all()
        assert code == 9 or stats.chisquare(inside.sum(axis=0)).pvalue > 1e-4
    assert (weights[:, 4] == 1).all()


def test_coins_are_fair_and_unlike_the_draws() -> None:
    draws = Draws(130, 4000, seed=1)
    coins = draws.signs(0, 4000)
    assert coins.dtype == np.bool_
    assert coins.shape == (4000, 130)
    assert abs(coins.mean() - 0.5) < 0.5 * 4 / np.sqrt(coins.size)
    each = (coins.sum(axis=0) - 2000) / np.sqrt(1000)
    assert stats.kstest(each, "norm").pvalue > 1e-4
    assert abs(np.corrcoef(coins.ravel(), draws.weights(0, 4000).ravel())[0, 1]) < 4 / np.sqrt(coins.size)


def test_cells_are_multinomial() -> None:
    counts = np.array([50, 0, 30, 20])
    tables = Draws(100, 20_000, seed=4).cells(counts)
    assert (tables.sum(axis=1) == 100).all()
    np.testing.assert_allclose(tables.mean(axis=0), counts, atol=0.15)
    np.testing.assert_allclose(tables.var(axis=0), counts * (1 - counts / 100), rtol=0.05)
    np.testing.assert_array_equal(tables, Draws(100, 20_000, seed=4).cells(counts))
    assert Draws(0, 3).cells(np.zeros(4, dtype=np.int64)).tolist() == [[0] * 4] * 3


@ROUTES
@pytest.mark.usefixtures("route")
def test_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(500, 6))
    draws = Draws(500, 70, seed=2)
    monkeypatch.setattr(module, "BATCH", 30_000)
    monkeypatch.setattr(module, "_BLOCK", 128)
    told: list[int] = []
    got = replicate_sums(rows, draws, told.append)
    np.testing.assert_allclose(got, draws.weights(0, 70).astype(float) @ rows, rtol=1e-12, atol=1e-12)
    assert sum(told) == 70
    assert len(told) > 1


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_both_models_from_one_set_of_draws(weighted: bool, grouped: bool) -> None:
    rng = np.random.default_rng(5)
    y, metric, options = rng.integers(0, 2, 300), CalibrationError(), InferenceOptions(replicates=150, seed=3)
    weight = rng.random(300) if weighted else None
    groups = rng.integers(0, 40, 300) if grouped else None
    design = Design.of(300, groups, None, "", weight)
    a, b = (Sample(metric, metric.inputs(y, y_prob=rng.random(300), weight=weight), design) for _ in range(2))
    got = paired_replicates(a, b, options, None)
    np.testing.assert_allclose(got, replicated(a, 150, 3) - replicated(b, 150, 3), rtol=0, atol=1e-13)
    assert got.std() > 0


def score_rows(n: int, k: int, *, weighted: bool, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    weight = rng.random(n) * (rng.random(n) < 0.8) if weighted else None
    if k == 1:
        score = rng.integers(0, 12, n) / 12
        return Rows({"score": score, "positive": rng.random(n) < score}, n, (0, 1), weight)
    return Rows({"score": rng.integers(0, 9, (n, k)) / 9, "code": rng.integers(0, k, n)}, n, tuple(range(k)), weight)


@ROUTES
@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("metric", "columns"),
    [
        (RocAuc(), 1), (AveragePrecision(), 1), (RocAuc(max_fpr=0.4), 1), (AveragePrecision(interpolated=True), 1),
        (TprAtFpr(), 1), (RocAuc(average="macro"), 3), (RocAuc(average="weighted"), 3), (RocAuc(average="micro"), 3),
        (AveragePrecision(average="weighted"), 3), (AveragePrecision(average=None), 3),
        (RocAuc(undefined=0, average="macro"), 3), (RocAuc(average="weighted", multiclass="ovo"), 3),
    ],
    ids=lambda m: m.signature() if hasattr(m, "signature") else str(m),
)  # fmt: skip
def test_rows_equal_the_metric_under_the_drawn_weights(
    metric: Any, columns: int, weighted: bool, grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 40
    total = score_rows(n, columns, weighted=weighted, seed=columns)
    codes = np.arange(n) % 11 if grouped else None
    draws = Draws(11 if grouped else n, 25, seed=8)
    monkeypatch.setattr(module, "BATCH", 8 * n * columns * 9)
    told: list[int] = []
    got = replicate_rows(metric, total, draws, codes, told.append)
    drawn = draws.weights(0, 25)
    full = (drawn if codes is None else drawn[:, codes]) * total.weights()
    wanted = [metric.finalize(total.reweighted(w)) for w in full]
    np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert told == [9, 9, 7]


@ROUTES
@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("metric", [RocAuc(), AveragePrecision()])
def test_vanishing_classes_leave_no_value(metric: Any) -> None:
    total = Rows({"score": np.array([0.1, 0.5, 0.5, 0.9]), "positive": np.array([False, True, False, True])}, 4)
    weights = np.array([[1.0, 0, 1, 0], [0, 2, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0.5]])
    got = metric.reweighed(total, weights)
    wanted = [np.nan, np.nan if metric.key == "roc_auc" else 1.0, np.nan, metric.finalize(total.reweighted(weights[3]))]
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


@ROUTES
@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("outputs", ["mean", "each", (1.0, 3.0)])
@pytest.mark.parametrize("levels", [3, 1000])
def test_spearman(outputs: Any, levels: int) -> None:
    rng = np.random.default_rng(levels)
    y = rng.integers(0, levels, (60, 2)) / 1.0
    total = Rows({"target": y, "prediction": y + rng.integers(0, levels, (60, 2))}, 60)
    weights = np.concatenate([Draws(60, 20).weights(0, 20) * 1.0, rng.random((5, 60)), np.eye(60)[:1]])
    metric = Spearman(outputs=outputs)
    got = metric.reweighed(total, weights)
    np.testing.assert_allclose(got[:-1], [metric.finalize(total.reweighted(w)) for w in weights[:-1]], rtol=1e-12)
    assert np.isnan(got[-1]).all()
