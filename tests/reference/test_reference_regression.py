"""Every regression metric against an implementation that nobody here wrote, or the definition spelled out in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import properscoring
import pytest
import scipy.stats
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_data import SIZES, WEIGHTS, pairs, weights

import assay

OUTPUTS: dict[str, Any] = {"mean": "uniform_average", "each": "raw_values", "variance": "variance_weighted"}
# key: (assay's options, scikit-learn's function, its options, positive data)
SKLEARN: dict[str, tuple[dict, Callable, dict, bool]] = {
    "mse": ({}, sk.mean_squared_error, {}, False),
    "rmse": ({}, sk.root_mean_squared_error, {}, False),
    "mae": ({}, sk.mean_absolute_error, {}, False),
    "median_absolute_error": ({}, sk.median_absolute_error, {}, False),
    "mape": ({}, sk.mean_absolute_percentage_error, {}, False),
    "msle": ({}, sk.mean_squared_log_error, {}, True),
    "rmsle": ({}, sk.root_mean_squared_log_error, {}, True),
    "pinball": ({"quantile": 0.3}, sk.mean_pinball_loss, {"alpha": 0.3}, False),
    "r2": ({}, sk.r2_score, {}, False),
    "explained_variance": ({}, sk.explained_variance_score, {}, False),
}


def close(value: Any, expected: Any, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("key", SKLEARN)
def test_scikit_learn(key: str, kind: str, n: int) -> None:
    options, oracle, theirs, positive = SKLEARN[key]
    y, p = pairs(n, positive=positive)
    w = weights(kind, n)
    close(getattr(assay, key)(y, p, weight=w, **options), oracle(y, p, sample_weight=w, **theirs))


@pytest.mark.parametrize("key", SKLEARN)
@pytest.mark.parametrize("outputs", ["mean", "each", "variance", (0.2, 0.3, 0.5)])
def test_scikit_learn_outputs(key: str, outputs: Any) -> None:
    options, oracle, theirs, positive = SKLEARN[key]
    y, p = pairs(50, outputs=3, positive=positive)
    w = weights("real", 50)
    how = OUTPUTS[outputs] if isinstance(outputs, str) else list(outputs)
    if outputs == "variance" and key not in ("r2", "explained_variance"):  # scikit-learn has it for these two only
        how = np.diag(np.cov(y, rowvar=False, aweights=w)) / np.trace(np.cov(y, rowvar=False, aweights=w))
    close(
        getattr(assay, key)(y, p, weight=w, outputs=outputs, **options),
        oracle(y, p, sample_weight=w, multioutput=how, **theirs),
    )


def _mean(values: Any, w: Any) -> float:
    return float(np.average(values, weights=w))


def _quartiles(y: Any) -> float:
    low, high = np.percentile(y, [25, 75])
    return float(high - low)


DIRECT: dict[str, tuple[dict, Callable[[Any, Any, Any], Any]]] = {
    "sse": ({}, lambda y, p, w: np.sum((np.ones(len(y)) if w is None else w) * (y - p) ** 2)),
    "smape": ({}, lambda y, p, w: _mean(2 * abs(y - p) / (abs(y) + abs(p)), w)),
    "mape": ({"zeros": "epsilon", "epsilon": 0.5}, lambda y, p, w: _mean(abs(y - p) / np.maximum(abs(y), 0.5), w)),
    "mean_error": ({}, lambda y, p, w: _mean(p, w) - _mean(y, w)),
    "wape": ({}, lambda y, p, w: _mean(abs(y - p), w) / _mean(abs(y), w)),
    "mspe": ({}, lambda y, p, w: sk.mean_squared_error(np.ones(len(y)), p / y, sample_weight=w)),
    "nmae": ({"divisor": "sd"}, lambda y, p, w: _mean(abs(y - p), w) / np.sqrt(np.cov(y, aweights=w, ddof=0))),
    "adjusted_r2": (
        {"features": 4},
        lambda y, p, w: (
            1
            - (1 - sk.r2_score(y, p, sample_weight=w))
            * ((len(y) if w is None else w.sum()) - 1)
            / ((len(y) if w is None else w.sum()) - 5)
        ),
    ),
    "nrmse": ({}, lambda y, p, w: np.sqrt(_mean((y - p) ** 2, w) / np.cov(y, aweights=w, ddof=0))),
    "pearson": (
        {},
        lambda y, p, w: np.cov(y, p, aweights=w)[0, 1] / np.sqrt(np.prod(np.diag(np.cov(y, p, aweights=w)))),
    ),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("key", DIRECT)
def test_direct(key: str, kind: str, n: int) -> None:
    options, oracle = DIRECT[key]
    y, p = pairs(n, 1)
    w = weights(kind, n)
    close(getattr(assay, key)(y, p, weight=w, **options), oracle(y, p, w))


@pytest.mark.parametrize("n", SIZES)
def test_nrmse_divisors(n: int) -> None:
    y, p = pairs(n, 2)
    root = np.sqrt(np.mean((y - p) ** 2))
    close(assay.nrmse(y, p, divisor="range"), root / (y.max() - y.min()))
    close(assay.nrmse(y, p, divisor="mean"), root / abs(y.mean()))
    close(assay.nrmse(y, p, divisor="iqr"), root / _quartiles(y))
    size = sk.mean_absolute_error(y, p)
    close(assay.nmae(y, p, divisor="range"), size / (y.max() - y.min()))
    close(assay.nmae(y, p), size / abs(y.mean()))
    close(assay.nmae(y, p, divisor="iqr"), size / _quartiles(y))
    close(assay.max_error(y, p), sk.max_error(y, p))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", ["none", "copies"])
@pytest.mark.parametrize("rounded", [False, True])
def test_rank_correlations(n: int, kind: str, rounded: bool) -> None:
    """scipy on the rows, each as often as its weight says."""
    y, p = pairs(n, 3, rounded=rounded)
    w = weights(kind, n)
    times = np.ones(n, dtype=int) if w is None else w.astype(int)
    yy, pp = np.repeat(y, times), np.repeat(p, times)
    close(assay.spearman(y, p, weight=w), scipy.stats.spearmanr(yy, pp).statistic)
    close(assay.kendall(y, p, weight=w), scipy.stats.kendalltau(yy, pp).statistic)
    close(assay.kendall(y, p, weight=w, variant="c"), scipy.stats.kendalltau(yy, pp, variant="c").statistic)
    close(assay.pearson(y, p, weight=w), scipy.stats.pearsonr(yy, pp).statistic)


@pytest.mark.parametrize("n", SIZES)
def test_mase(n: int) -> None:
    """Hyndman and Koehler's definition, step by step."""
    y, p = pairs(n, 4)
    train = np.random.default_rng(5).normal(size=200).cumsum()
    scale = sum(abs(train[t] - train[t - 12]) for t in range(12, 200)) / 188
    close(assay.mase(y, p, y_train=train, season=12), np.abs(y - p).mean() / scale)
    scales = np.random.default_rng(6).gamma(2, 1, n) + 0.1
    close(assay.mase(y, p, scale=scales, weight=weights("real", n)), _mean(np.abs(y - p) / scales, weights("real", n)))


@pytest.mark.parametrize("loss", ["MSE", "MAE", "RMSE"])
def test_skill_score(loss: str) -> None:
    y, p = pairs(500, 7)
    base = np.full(500, y.mean())
    oracle = {"MSE": sk.mean_squared_error, "MAE": sk.mean_absolute_error, "RMSE": sk.root_mean_squared_error}[loss]
    close(assay.skill_score(y, p, base, loss=getattr(assay.metrics, loss)()), 1 - oracle(y, p) / oracle(y, base))
    if loss == "MSE":
        close(assay.skill_score(y, p, base), sk.r2_score(y, p))
    if loss == "MAE":
        close(
            assay.skill_score(y, p, np.full(500, np.median(y)), loss=assay.metrics.MAE()),
            sk.d2_absolute_error_score(y, p),
        )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_intervals(n: int, kind: str) -> None:
    y, p = pairs(n, 8)
    w = weights(kind, n)
    half = np.random.default_rng(9).gamma(2, 0.5, n)
    low, high = p - half, p + half
    close(assay.interval_coverage(y, low, high, weight=w), _mean((low <= y) & (y <= high), w))
    close(assay.interval_width(y, low, high, weight=w), _mean(2 * half, w))
    fine = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    close(assay.interval_score(y, low, high, level=0.8, weight=w), _mean(high - low + 2 / 0.2 * fine, w))
    # Gneiting and Raftery: the interval score is the two pinball losses over (1 - level) / 2.
    both = sum(sk.mean_pinball_loss(y, q, alpha=a, sample_weight=w) for a, q in ((0.1, low), (0.9, high)))
    close(assay.interval_score(y, low, high, level=0.8, weight=w), both / 0.1)


@pytest.mark.parametrize("n", [29, 7001])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_crps(n: int, kind: str) -> None:
    rng = np.random.default_rng([10, n])
    y, w = rng.normal(size=n), weights(kind, n)
    members = np.round(rng.normal(size=(n, 11)), 1)  # with ties
    close(assay.crps(y, members=members, weight=w), _mean(properscoring.crps_ensemble(y, members), w))
    mean, sd = rng.normal(size=n), rng.gamma(2, 0.5, n) + 0.01
    close(assay.crps(y, mean=mean, sd=sd, weight=w), _mean(properscoring.crps_gaussian(y, mean, sd), w))
    apart = np.abs(members[:, :, None] - members[:, None, :]).sum(axis=(1, 2)) / (11 * 10)
    fair = np.abs(members - y[:, None]).mean(axis=1) - apart / 2
    close(assay.crps(y, members=members, weight=w, estimator="fair"), _mean(fair, w))


SMALL = st.integers(-8, 8)
ROWS = st.lists(st.tuples(SMALL, SMALL, st.integers(0, 3)), min_size=2, max_size=30).filter(
    lambda rows: sum(r[2] for r in rows) > 0
)


@given(ROWS)
@settings(max_examples=150, deadline=None)
def test_exact_fractions(rows: list[tuple[int, int, int]]) -> None:
    """Means and R² in exact arithmetic on whole numbers with whole weights, zeros among them."""
    y, p, w = (list(column) for column in zip(*rows, strict=True))
    total = sum(w)
    errors = [(Fraction(b - a), k) for a, b, k in rows]
    squares = sum(e * e * k for e, k in errors)
    data = {"y_true": np.array(y, float), "y_pred": np.array(p, float), "weight": np.array(w, float)}
    close(assay.mse(**data), float(squares / total), 1e-13)
    close(assay.sse(**data), float(squares), 1e-13)
    close(assay.mae(**data), float(sum(abs(e) * k for e, k in errors) / total), 1e-13)
    quarter = sum(k * (Fraction(1, 4) * max(-e, 0) + Fraction(3, 4) * max(e, 0)) for e, k in errors)
    close(assay.pinball(**data, quantile=0.25), float(quarter / total), 1e-13)
    halves = sum(Fraction(2 * k * abs(b - a), abs(a) + abs(b)) for a, b, k in rows if a or b)
    close(assay.smape(**data), float(halves / total), 1e-13)
    mean = Fraction(sum(a * k for a, _, k in rows), total)
    spread = sum(k * (a - mean) ** 2 for a, _, k in rows)
    if spread:
        close(assay.r2(**data), float(1 - squares / spread), 1e-11)
    else:
        with pytest.warns(assay.UndefinedWarning):
            assert np.isnan(assay.r2(**data))


@pytest.mark.parametrize("n", [5, 100, 1001])
def test_quartiles_do_not_depend_on_the_scale_of_the_weights(n: int) -> None:
    rng = np.random.default_rng(n)
    y, p, w = np.round(rng.normal(size=n), 1), rng.normal(size=n), rng.exponential(size=n)
    plain = assay.nrmse(y, p, divisor="iqr")
    close(assay.nrmse(y, p, divisor="iqr", weight=np.full(n, 1 / n)), plain)  # once 1.8e14
    close(assay.nrmse(y, p, divisor="iqr", weight=np.full(n, 3.0)), plain)
    want = assay.nrmse(y, p, divisor="iqr", weight=w)
    close(assay.nrmse(y, p, divisor="iqr", weight=w / w.sum()), want)
    order = rng.permutation(n)  # y has ties, whose rows differ in weight
    close(assay.nrmse(y[order], p[order], divisor="iqr", weight=w[order]), want)
    more = [np.append(a, a[:3] + 5) for a in (y, p)]
    close(assay.nrmse(*more, divisor="iqr", weight=np.append(w, np.zeros(3))), want)
    if n > 1000:  # for many rows it is the quantile of the weighted distribution
        at = np.argsort(y)
        low, high = (y[at][np.searchsorted(np.cumsum(w[at]), q * w.sum())] for q in (0.25, 0.75))
        root = np.sqrt(np.average((y - p) ** 2, weights=w))
        np.testing.assert_allclose(want, root / (high - low), rtol=0.05)


@pytest.mark.parametrize("n", SIZES)
def test_the_mean_of_a_loss_is_the_mean_pinball_loss_of_scikit_learn(n: int) -> None:
    y, p = pairs(n)
    ours = assay.mean_loss(y, p, loss="quantile", options=(("q", 0.3),), weight=weights("real", n))
    close(ours, sk.mean_pinball_loss(y, p, alpha=0.3, sample_weight=weights("real", n)))
