"""Regression metrics on ten million rows of float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import assay
from benchmarks.harness import Workload

N = 10_000_000


def workloads() -> Iterator[Workload]:
    import polars as pl
    import scipy.stats
    import sklearn.metrics as sk

    rng = np.random.default_rng(0)
    y = rng.normal(10, 3, N)
    p = y + rng.normal(size=N)
    names = ["mse", "mae", "rmse", "r2", "mape"]

    def together() -> None:
        assay.evaluate(task="regression", y_true=y, y_pred=p, metrics=names, level=None)

    def separately() -> None:
        sk.mean_squared_error(y, p)
        sk.mean_absolute_error(y, p)
        sk.root_mean_squared_error(y, p)
        sk.r2_score(y, p)
        sk.mean_absolute_percentage_error(y, p)

    yield Workload("five errors together, 1e7", together, {"scikit-learn": (separately, 15)}, rounds=20)
    peers = {"scikit-learn": (lambda: sk.mean_squared_error(y, p), 5), "bare read": (lambda: (y.sum(), p.sum()), 0.5)}
    yield Workload("MSE, 1e7", lambda: assay.mse(y, p), peers, rounds=20)
    peers = {
        "scipy": (lambda: scipy.stats.spearmanr(y, p), 5),
        "polars": (lambda: pl.DataFrame({"y": y, "p": p}).select(pl.corr("y", "p", method="spearman")), 1.5),
    }
    yield Workload("Spearman, 1e7", lambda: assay.spearman(y, p), peers, rounds=2)
    few = slice(0, 1_000_000)
    yield Workload(
        "Kendall, 1e6",
        lambda: assay.kendall(y[few], p[few]),
        {"scipy": (lambda: scipy.stats.kendalltau(y[few], p[few]), 2.0)},
    )
    yield Workload(
        "median absolute error, 1e7",
        lambda: assay.median_absolute_error(y, p),
        {"scikit-learn": (lambda: sk.median_absolute_error(y, p), None)},
    )
