"""Intervals: the bootstrap against scipy around scikit-learn, closed forms and default intervals against the values alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import f1_score, roc_auc_score

import assay
from benchmarks.harness import Workload

M = assay.metrics
REPLICATES, FEW = 2000, 20  # scipy would take minutes: it draws FEW replicates, and its time is scaled up
A_THIRD = 1 / 3  # an interval may cost three times the value: value / interval must reach this


def workloads() -> list[Workload]:
    """Bootstraps first, then the cost of intervals over values."""
    return [*_bootstraps(), *_one_by_one(), *_clusters(), *_closed(), _evaluate()]


def _binary(n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score, 1 / (1 + np.exp(0.5 - score))


def _bootstraps() -> list[Workload]:
    y, score, _ = _binary(100_000)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 100_000)
    guess = np.where(rng.random(100_000) < 0.8, truth, rng.integers(0, 10, 100_000))
    macro = M.F1(average="macro")
    cases: list[tuple[str, Any, Any, Callable[..., Any], float]] = [
        ("bootstrap of ROC-AUC", M.RocAuc(), (y, score), roc_auc_score, 60.0),
        (
            "bootstrap of macro-F1, 10 classes",
            macro,
            (truth, guess),
            lambda a, b: f1_score(a, b, average="macro"),
            500.0,
        ),
    ]
    return [
        Workload(
            f"{name}, n=1e5, {REPLICATES} replicates",
            lambda metric=metric, data=data: metric.interval(*data, method="percentile", replicates=REPLICATES),
            {"scipy around scikit-learn": (lambda data=data, peer=peer: _scipy(data, peer), wanted)},
            rounds=2,
            portion={"scipy around scikit-learn": FEW / REPLICATES},
        )
        for name, metric, data, peer, wanted in cases
    ]


def _one_by_one() -> list[Workload]:
    """Values that have no sums: each replicate is worked out for itself, all together within three seconds."""
    y, _, prob = _binary(100_000)
    rng = np.random.default_rng(4)
    other = np.clip(prob + 0.05 * rng.normal(size=len(prob)), 0, 1)
    target = rng.normal(size=100_000)
    value = target + rng.normal(size=100_000)
    cases: list[tuple[str, Callable[[], Any]]] = [
        ("equal error rate", lambda: M.EqualErrorRate().interval(y, prob, replicates=REPLICATES)),
        ("TPR at FPR", lambda: M.TprAtFpr().interval(y, prob, replicates=REPLICATES)),
        ("precision at recall", lambda: M.PrecisionAtRecall().interval(y, prob, replicates=REPLICATES)),
        ("median absolute error", lambda: M.MedianAbsoluteError().interval(target, value, method="percentile", replicates=REPLICATES)),
        ("two equal error rates", lambda: M.EqualErrorRate().compare(y, prob, other, replicates=REPLICATES)),
        ("two calibration errors", lambda: M.CalibrationError().compare(y, prob, other, replicates=REPLICATES)),
    ]  # fmt: skip
    return [
        Workload(
            f"bootstrap of {name}, n=1e5, {REPLICATES} replicates",
            call,
            {"limit of 3 s": (lambda: time.sleep(3), 1.0)},
            rounds=1,
        )
        for name, call in cases
    ]


def _scipy(data: Any, peer: Callable[..., Any]) -> Any:
    return bootstrap(data, peer, paired=True, vectorized=False, n_resamples=FEW, method="percentile", random_state=0)


def _clusters() -> list[Workload]:
    """Ten times as many rows in as many groups may cost only the one pass over them more."""
    rng = np.random.default_rng(2)

    def call(n: int) -> Callable[[], Any]:
        y = rng.normal(size=n)
        p, groups = y + rng.normal(size=n), rng.integers(0, 10_000, n)
        return lambda: M.MAE().interval(y, p, groups=groups, method="percentile", replicates=REPLICATES)

    small, large = call(100_000), call(1_000_000)
    return [
        Workload("cluster bootstrap of MAE, 1e4 groups, n=1e6", large, {"the same at n=1e5": (small, None)}, rounds=2)
    ]


def _closed() -> list[Workload]:
    y, score, prob = _binary(1_000_000)
    pred = (prob > 0.5).astype(np.int64)
    rng = np.random.default_rng(3)
    target = rng.normal(size=1_000_000)
    value = target + rng.normal(size=1_000_000)
    cases = [
        (M.Accuracy(), (y, pred)), (M.F1(), (y, pred)), (M.MatthewsCorrelation(), (y, pred)), (M.RocAuc(), (y, score)),
        (M.AveragePrecision(), (y, score)), (M.LogLoss(), (y, prob)), (M.Brier(), (y, prob)), (M.CalibrationError(), (y, prob)),
        (M.MSE(), (target, value)), (M.RMSE(), (target, value)), (M.R2(), (target, value)), (M.Pearson(), (target, value)),
        (M.MedianAbsoluteError(), (target, value)), (M.Spearman(), (target, value)),
    ]  # fmt: skip
    return [
        Workload(
            f"{metric.key} with its interval, n=1e6",
            lambda metric=metric, data=data: metric.interval(*data),
            {"the value alone": (lambda metric=metric, data=data: metric(*data), A_THIRD)},
        )
        for metric, data in cases
    ]


def _evaluate() -> Workload:
    y, _, prob = _binary(1_000_000)
    return Workload(
        "evaluate binary with all intervals, n=1e6",
        lambda: assay.evaluate(task="binary", y_true=y, y_prob=prob),
        {"the values alone": (lambda: assay.evaluate(task="binary", y_true=y, y_prob=prob, level=None), A_THIRD)},
    )
