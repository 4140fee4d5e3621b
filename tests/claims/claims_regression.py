"""Claims of metrics of numbers, intervals and forecasts, and of the losses of regression."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import assay
from assay import losses
from claims import claim, same

SK = "sklearn.metrics"
TM = "torchmetrics.functional"
F = "torch.nn.functional"


def pairs(rng: Any, n: int = 200, positive: bool = False) -> tuple[Any, Any]:
    y = rng.normal(3, 2, n)
    p = y + rng.normal(0.2, 1, n)
    return (abs(y) + 0.1, abs(p) + 0.1) if positive else (y, p)


def sklearn_claim(key: str, text: str, name: str, ours: Any = None, theirs: Any = None, positive: bool = False) -> None:
    @claim(f"metric.{key}", text, peer=SK)
    def _(sk: Any, rng: Any) -> None:
        y, p = pairs(rng, positive=positive)
        w = rng.gamma(1.0, 1.0, len(y))
        oracle = getattr(sk, name)
        same(getattr(assay, key)(y, p, weight=w, **(ours or {})), oracle(y, p, sample_weight=w, **(theirs or {})))


FINITE = {"force_finite": False}
sklearn_claim("mse", "scikit-learn mean_squared_error", "mean_squared_error")
sklearn_claim("rmse", "scikit-learn root_mean_squared_error", "root_mean_squared_error")
sklearn_claim("mae", "scikit-learn mean_absolute_error", "mean_absolute_error")
sklearn_claim("median_absolute_error", "scikit-learn median_absolute_error", "median_absolute_error")
sklearn_claim("msle", "scikit-learn mean_squared_log_error", "mean_squared_log_error", positive=True)
sklearn_claim("rmsle", "scikit-learn root_mean_squared_log_error", "root_mean_squared_log_error", positive=True)
sklearn_claim(
    "pinball", "scikit-learn mean_pinball_loss(alpha=quantile)", "mean_pinball_loss", {"quantile": 0.3}, {"alpha": 0.3}
)


@claim("metric.max_error", "scikit-learn max_error", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.max_error(y, p), sk.max_error(y, p))


@claim("metric.mean_error", "permetrics MBE", peer="permetrics")
def _(permetrics: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.mean_error(y, p), permetrics.RegressionMetric(y, p).MBE())


@claim("metric.wape", "torchmetrics weighted_mean_absolute_percentage_error", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = pairs(rng)
    y[:20] = 0
    same(assay.wape(y, p), tm.weighted_mean_absolute_percentage_error(torch.tensor(p), torch.tensor(y)))


def undefined_claim(key: str, name: str) -> None:
    """Equal where the target varies, and both not a number where it does not."""

    @claim(f"metric.{key}", f"scikit-learn {name} (force_finite=False)", peer=SK)
    def _(sk: Any, rng: Any) -> None:
        y, p = pairs(rng)
        same(getattr(assay, key)(y, p), getattr(sk, name)(y, p, force_finite=False))
        flat = np.ones(4)
        assert np.isnan(getattr(assay, key)(flat, flat))
        assert np.isnan(getattr(sk, name)(flat, flat, force_finite=False))


undefined_claim("r2", "r2_score")
undefined_claim("explained_variance", "explained_variance_score")


@claim("metric.mse", "torchmetrics mean_squared_error", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.mse(y, p), tm.mean_squared_error(torch.tensor(p), torch.tensor(y)))


@claim(
    "metric.nrmse",
    "torchmetrics normalized_root_mean_squared_error: divisor='mean' by default, negative where the mean is; normalization='std' "
    "is divisor='sd'",
    peer=f"{TM}.regression",
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    y, p = pairs(rng)
    theirs, given = tm.normalized_root_mean_squared_error, (torch.tensor(p), torch.tensor(y))
    same(assay.nrmse(y, p, divisor="mean"), theirs(*given))
    same(assay.nrmse(-y, -p, divisor="mean"), -theirs(-given[0], -given[1]))
    same(assay.nrmse(y, p, divisor="sd"), theirs(*given, normalization="std"))


@claim("metric.mape", 'scikit-learn mean_absolute_percentage_error: zeros="epsilon", epsilon=2.2e-16', peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    step = float(np.finfo(float).eps)
    same(assay.mape(y, p, zeros="epsilon", epsilon=step), sk.mean_absolute_percentage_error(y, p))
    y[:2] = 0
    same(assay.mape(y, p, zeros="epsilon", epsilon=step), sk.mean_absolute_percentage_error(y, p))


@claim(
    "metric.mape", 'yardstick mape: zeros="skip", percent=True',
    formula="yardstick's reference of mape(): the mean of |truth - estimate| / |truth| times 100, where the truth is not 0",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = pairs(rng)
    y[:2] = 0
    same(assay.mape(y, p, zeros="skip", percent=True), 100 * np.mean(abs(y - p)[2:] / abs(y)[2:]))


@claim(
    "metric.smape", "M4: percent=True",
    formula="the guide of the M4 competition: the mean of 2|y - f| / (|y| + |f|) times 100",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.smape(y, p, percent=True), 100 * np.mean(2 * abs(y - p) / (abs(y) + abs(p))))


@claim("metric.smape", "torchmetrics symmetric_mean_absolute_percentage_error", peer=TM)
def _(tm: Any, rng: Any) -> None:
    y, p = pairs(rng)
    theirs = tm.symmetric_mean_absolute_percentage_error(torch.tensor(p), torch.tensor(y))
    same(assay.smape(y, p), theirs)


@claim("metric.smape", "permetrics SMAPE: percent=True", peer="permetrics")
def _(permetrics: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.smape(y, p, percent=True), permetrics.RegressionMetric(y, p).SMAPE())


def correlation_claim(key: str, name: str) -> None:
    @claim(f"metric.{key}", f"scipy.stats.{name}", peer="scipy.stats")
    def _(stats: Any, rng: Any) -> None:
        y, p = pairs(rng)
        same(getattr(assay, key)(y, p), getattr(stats, name)(y, p).statistic)
        y, p = np.round(y), np.round(p)  # with ties
        same(getattr(assay, key)(y, p), getattr(stats, name)(y, p).statistic)


correlation_claim("pearson", "pearsonr")
correlation_claim("spearman", "spearmanr")
correlation_claim("kendall", "kendalltau")


@claim("metric.crps", "properscoring crps_ensemble", peer="properscoring")
def _(properscoring: Any, rng: Any) -> None:
    y, members = rng.normal(size=50), rng.normal(size=(50, 9))
    same(assay.crps(y, members=members), properscoring.crps_ensemble(y, members).mean())


@claim("metric.crps", 'scoringrules crps_ensemble(estimator="nrg"), "fair"', peer="scoringrules")
def _(rules: Any, rng: Any) -> None:
    y, members = rng.normal(size=50), rng.normal(size=(50, 9))
    same(assay.crps(y, members=members), rules.crps_ensemble(y, members, estimator="nrg").mean())
    fair = rules.crps_ensemble(y, members, estimator="fair").mean()
    same(assay.crps(y, members=members, estimator="fair"), fair)


@claim("metric.interval_score", "scoringrules interval_score(alpha=1-level)", peer="scoringrules")
def _(rules: Any, rng: Any) -> None:
    y, p = pairs(rng)
    half = rng.gamma(2, 0.5, len(y))
    for level in (0.5, 0.9):
        theirs = rules.interval_score(y, p - half, p + half, alpha=1 - level)
        same(assay.interval_score(y, p - half, p + half, level=level), np.mean(theirs))


# ---- losses


def torch_claim(key: str, name: str, **options: Any) -> None:
    @claim(f"loss.{key}", f"torch {name}", peer=F)
    def _(functional: Any, rng: Any) -> None:
        y, p = pairs(rng)
        for reduction in ("mean", "sum", "none"):
            for given in ({}, options):  # the defaults are the same, too
                found = getattr(losses, key)(p, y, reduction=reduction, **given)
                same(found, getattr(functional, name)(torch.tensor(p), torch.tensor(y), reduction=reduction, **given))


torch_claim("mse", "mse_loss")
torch_claim("mae", "l1_loss")
torch_claim("huber", "huber_loss", delta=0.7)
torch_claim("smooth_l1", "smooth_l1_loss", beta=0.7)


@claim(
    "loss.log_cosh", "keras log_cosh",
    formula="the reference of keras.losses.log_cosh: mean(log((exp(x) + exp(-x)) / 2)) of x = y_pred - y_true",
)  # fmt: skip
def _(rng: Any) -> None:
    y, p = pairs(rng)
    same(losses.log_cosh(p, y), np.mean(np.log((np.exp(p - y) + np.exp(y - p)) / 2)))


@claim("loss.quantile", "scikit-learn mean_pinball_loss(alpha=q)", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(losses.quantile(p, y, q=0.3), sk.mean_pinball_loss(y, p, alpha=0.3))


@claim("loss.poisson_nll", "torch poisson_nll_loss", peer=F)
def _(functional: Any, rng: Any) -> None:
    y, p = rng.poisson(3.0, 100).astype(float), rng.normal(size=100)
    same(losses.poisson_nll(p, y), functional.poisson_nll_loss(torch.tensor(p), torch.tensor(y)))


@claim("loss.gaussian_nll", "torch gaussian_nll_loss", peer=F)
def _(functional: Any, rng: Any) -> None:
    y, p, variance = rng.normal(size=100), rng.normal(size=100), rng.gamma(2, 1, 100)
    theirs = functional.gaussian_nll_loss(*(torch.tensor(a) for a in (p, y, variance)))
    same(losses.gaussian_nll(p, y, variance=variance), theirs)
