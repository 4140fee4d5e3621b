"""Two independent samples and two forecasts: published limits, peers, and the level under the null hypothesis."""

from __future__ import annotations

import math
import pickle
from typing import Any

import dieboldmariano
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics as sk

import assay
from assay.core.registry import metrics
from assay.inference.forecasts import diebold_mariano
from assay.inference.independent import compare_unpaired
from messages import refusal

ACCURACY, AUC, MSE = assay.metrics.Accuracy(), assay.metrics.RocAuc(), assay.metrics.MSE()


def right(hits: int, n: int) -> Any:
    return ACCURACY.state([1] * n, [1] * hits + [0] * (n - hits))


# Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10.
PUBLISHED = [
    ((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((6, 7), (2, 7), 0.0582, 0.8062),
    ((5, 56), (0, 29), -0.0381, 0.1926), ((0, 10), (0, 20), -0.1611, 0.2775), ((0, 10), (0, 10), -0.2775, 0.2775),
    ((10, 10), (0, 20), 0.6791, 1.0), ((10, 10), (0, 10), 0.6075, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "low", "high"), PUBLISHED)
def test_proportions_have_newcombes_limits(a: Any, b: Any, low: float, high: float) -> None:
    found = compare_unpaired(right(*a), right(*b))
    np.testing.assert_allclose([found.low, found.high], [low, high], atol=5e-5)
    assert found.significant == (found.low > 0 or found.high < 0)
    assert str(found).endswith("Newcombe, unpaired")
    assert not found.paired
    assert pickle.loads(pickle.dumps(found)).paired is False


def structural(y: Any, s: Any) -> float:
    """DeLong's variance of an area from its structural components, pair by pair."""
    wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    return wins.mean(axis=1).var(ddof=1) / wins.shape[0] + wins.mean(axis=0).var(ddof=1) / wins.shape[1]


def test_areas_have_delongs_unpaired_test() -> None:
    """Variances of both curves added, Welch's degrees of freedom over all rows, as pROC documents roc.test(paired=FALSE)."""
    rng = np.random.default_rng(3)
    data = [
        (y := rng.integers(0, 2, n), np.round(y * shift + rng.normal(size=n), 1))
        for n, shift in ((90, 1.0), (140, 0.4))
    ]
    found = compare_unpaired(*(AUC.state(*one) for one in data))
    v = [structural(*one) for one in data]
    effect = sk.roc_auc_score(*data[0]) - sk.roc_auc_score(*data[1])
    df = sum(v) ** 2 / (v[0] ** 2 / 89 + v[1] ** 2 / 139)
    np.testing.assert_allclose([found.effect, found.error, found.df], [effect, math.sqrt(sum(v)), df], rtol=1e-10)
    np.testing.assert_allclose(found.p, 2 * scipy.stats.t.sf(abs(effect) / math.sqrt(sum(v)), df), rtol=1e-10)
    assert (found.method, found.favours, found.n) == ("DeLong", "a", 230)


def test_means_have_welchs_test() -> None:
    rng = np.random.default_rng(4)
    e, f = rng.normal(size=60), 1.5 * rng.normal(size=90)
    found = compare_unpaired(MSE.state(e, 0 * e), MSE.state(f, 0 * f))
    theirs = scipy.stats.ttest_ind(e**2, f**2, equal_var=False)
    np.testing.assert_allclose([found.p, found.df], [theirs.pvalue, theirs.df], rtol=1e-9)
    limits = theirs.confidence_interval()
    np.testing.assert_allclose([found.low, found.high], [limits.low, limits.high], rtol=1e-9)
    assert found.favours == "a"


def test_scores_are_compared_by_their_limits() -> None:
    a, b = right(56, 70).interval(), right(48, 80).interval()
    by_scores, by_states = compare_unpaired(a, b), compare_unpaired(right(56, 70), right(48, 80))
    assert (by_scores.low, by_scores.high, by_scores.p) == (by_states.low, by_states.high, by_states.p)
    other = compare_unpaired(b, a)
    np.testing.assert_allclose(
        [other.low, other.high, other.p], [-by_scores.high, -by_scores.low, by_scores.p], rtol=1e-12
    )


def test_the_level_is_attained_without_a_difference() -> None:
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(400):
        states = [AUC.state(y := rng.permutation(np.arange(n) % 2), y + rng.normal(size=n)) for n in (60, 100)]
        rejected += compare_unpaired(*states).significant
    assert 0.02 <= rejected / 400 <= 0.085


def test_what_does_not_compare_is_refused() -> None:
    score = right(5, 9).interval()
    with refusal(assay.InputError):
        compare_unpaired(score, assay.metrics.F1().interval([0, 1, 1], [0, 1, 0]))
    with refusal(assay.InputError):
        compare_unpaired(score, ACCURACY.score([0, 1], [0, 1]))
    with refusal(assay.ParameterError):
        compare_unpaired(score, score, level=0.9)
    with refusal(assay.ParameterError):
        compare_unpaired(score, score, margin=-1.0)


# ---- forecasts


@pytest.mark.parametrize("horizon", [1, 2, 5])
@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize(("variance", "theirs"), [("truncated", "acf"), ("bartlett", "bartlett")])
def test_diebold_mariano(horizon: int, correction: bool, variance: Any, theirs: str) -> None:
    y, a, b = np.random.default_rng(6).normal(size=(3, 80))
    for metric, loss in (("mse", lambda u, v: (u - v) ** 2), ("mae", lambda u, v: abs(u - v))):
        found = diebold_mariano(y, a, b, metric=metric, horizon=horizon, correction=correction, variance=variance)
        statistic, p = dieboldmariano.dm_test(
            y, a, b, loss=loss, h=horizon, harvey_correction=correction, variance_estimator=theirs
        )
        np.testing.assert_allclose(found.effect / found.error, statistic, rtol=1e-10)
        np.testing.assert_allclose(found.p, p, rtol=1e-7)
        assert found.significant == (found.low > 0 or found.high < 0)
        assert found.favours == ("a" if found < 0 else "b")


def test_a_negative_variance_gives_way_to_bartlett_weights() -> None:
    sign = np.tile([1.0, -1.0], 20)
    y, a, b = np.zeros(40), 2 + sign / 2, np.full(40, 1.5)
    with pytest.raises(dieboldmariano.NegativeVarianceException):
        dieboldmariano.dm_test(y, a, b, h=2)
    found = diebold_mariano(y, a, b, horizon=2)
    assert "Bartlett" in found.method
    np.testing.assert_allclose(
        found.p, dieboldmariano.dm_test(y, a, b, h=2, variance_estimator="bartlett")[1], rtol=1e-6
    )


def test_forecasts_that_cannot_be_tested_are_refused() -> None:
    y = np.arange(6.0)
    with refusal(assay.ParameterError):
        diebold_mariano(y, y + 1, y + 1)
    with refusal(assay.ParameterError):
        diebold_mariano(y, y + 1, y, horizon=6)
    with refusal(assay.AssayError):
        diebold_mariano(y, y + 1, y, metric="max_error")


# ---- tuners


def test_every_metric_tells_a_tuner_its_direction() -> None:
    for cls in metrics():
        wanted = {"higher": "maximize", "lower": "minimize", "none": None}[cls.record.better]
        assert cls.record.direction == wanted
    assert AUC.record.direction == "maximize"
