"""The spread of influence values without the values: every shorter way must give what the values themselves give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import kernels
from assay.inference.sample import Sample

M = assay.metrics
N = 3000


def _cases(n: int) -> list[tuple[Any, dict[str, Any]]]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    p = np.clip(0.3 * y + 0.6 * rng.random(n), 0.01, 0.99)
    target = rng.normal(size=n) * 2 + 30
    value = target + rng.exponential(size=n)
    code, matrix = rng.integers(0, 3, n), rng.dirichlet([1, 2, 3], size=n)
    pairs, chances = {"y_true": target, "y_pred": value}, {"y_true": y, "y_prob": p}
    return [
        *((metric, pairs) for metric in (M.MSE(), M.RMSE(), M.SSE(), M.MAE(), M.Pinball(quantile=0.3), M.MAPE(), M.SMAPE(), M.MSLE())),
        *((metric, pairs) for metric in (M.R2(), M.AdjustedR2(features=4), M.ExplainedVariance(), M.Pearson())),
        *((metric, chances) for metric in (M.LogLoss(), M.Brier(), M.LogLoss(clip=0.2))),
        *((metric, {"y_true": code, "y_prob": matrix}) for metric in (M.LogLoss(), M.Brier())),
        *((metric, {"y_true": y, "y_pred": (p > 0.5).astype(int)}) for metric in (M.Accuracy(), M.F1(), M.MatthewsCorrelation())),
        (M.F1(average="macro"), {"y_true": code, "y_pred": matrix.argmax(axis=1)}),
    ]  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_spread_is_that_of_the_influence_values(
    compiled: bool, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        monkeypatch.setattr(kernels, "LARGE", 100)
    weight = np.random.default_rng(1).random(N) * 2 if weighted else None
    for metric, data in _cases(N):
        sample = Sample(metric, metric.inputs(**data, weight=weight))
        v = metric.influence(**data, weight=weight)
        assert sample.spread.square == pytest.approx(float(v @ v), rel=1e-8), metric.signature()
        scale = float((np.abs(v) ** 3).sum())
        assert sample.spread.cube == pytest.approx(float((v**3).sum()), rel=1e-7, abs=1e-9 * scale), metric.signature()


def test_no_rows_are_made_where_sums_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shorter way is really taken: without it, this would fail."""
    monkeypatch.setattr(assay.Metric, "influence_of", lambda *_: pytest.fail("rows were made"))
    for metric, data in _cases(200):
        assert metric.interval(**data).high is not None


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_have_the_squares_of_their_influence_values(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    y, score = rng.integers(0, 2, N), np.round(rng.normal(size=N), 1)
    weight = rng.random(N) if weighted else None
    for metric in (M.RocAuc(), M.AveragePrecision()):
        total = metric.statistic().of(metric.inputs(y, score, weight=weight))
        v = metric.influence(y, score, weight=weight)
        assert float(np.sum(metric.squares(total))) == pytest.approx(float(v @ v), rel=1e-9)
