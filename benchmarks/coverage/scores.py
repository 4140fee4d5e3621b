"""Metrics of scores: areas under curves, average precision, calibration error, and what is resampled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import norm

from assay.metrics import AveragePrecision, CalibrationError, EqualErrorRate, RocAuc, TprAtFpr
from benchmarks.coverage.setting import RESAMPLED, Setting, Task

SIZES = (30, 100, 1000)
DRAWS = 500  # bootstrap replicates inside one simulated data set
BINS = 15


def settings() -> Iterator[Task]:
    for n in SIZES:
        yield from _areas(n)
    yield from _precisions()
    for n in SIZES:
        yield from _calibration(n)
    yield from _resampled()


def distance(auc: float) -> float:
    """How far apart two normal laws of scores lie that give this area."""
    return math.sqrt(2) * float(norm.ppf(auc))


def scored_rows(n: int, prevalence: float, apart: float) -> Any:
    """Rows that are positive at random, with normal scores."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        positive = rng.random((size, n)) < prevalence
        return positive.astype(np.int64), rng.standard_normal((size, n)) + apart * positive

    return draw


def _areas(n: int) -> Iterator[Setting]:
    for prevalence in (0.2, 0.5):
        for auc in (0.7, 0.9, 0.98):
            yield Setting(
                family="AUC", name=f"AUC {auc}, prevalence {prevalence}", n=n, truth=auc,
                draw=scored_rows(n, prevalence, distance(auc)), interval=_two_classes(RocAuc()), band=(0.93, 0.98),
            )  # fmt: skip


def _two_classes(metric: Any, **options: Any) -> Any:
    """The interval with the positive class named, so that data without it are undefined instead of refused."""

    def interval(truth: Any, score: Any) -> Any:
        if truth.min() == truth.max():
            return _Undefined()
        return metric.interval(truth, score, **options)

    return interval


class _Undefined:
    low = None


def _true_precision(prevalence: float, apart: float) -> float:
    """Precision averaged over recall, by quadrature over the laws of the scores."""
    at = np.linspace(-8, 8 + apart, 200_001)
    recall, alarm = norm.sf(at - apart), norm.sf(at)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * alarm)
    return float(np.trapezoid(precision * norm.pdf(at - apart), at))


def _precisions() -> Iterator[Setting]:
    cases = [(1000, p, a) for p in (0.1, 0.3, 0.5) for a in (0.8, 0.9)]
    cases += [(100, 0.3, 0.8), (100, 0.3, 0.95), (300, 0.1, 0.8), (300, 0.1, 0.95)]
    for n, prevalence, auc in cases:
        few = n * prevalence < 50
        yield Setting(
            family="AP", name=f"prevalence {prevalence}, AUC {auc}" + (", P<50" if few else ""), n=n,
            truth=_true_precision(prevalence, distance(auc)), draw=scored_rows(n, prevalence, distance(auc)),
            interval=_two_classes(AveragePrecision()), band=(0.93, 1.0) if few else (0.94, 0.96),
        )  # fmt: skip


def _forecasts(n: int, power: float) -> Any:
    """Uniform forecasts p of events that happen with probability p ** power."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        p = rng.random((size, n))
        return (rng.random((size, n)) < p**power).astype(np.int64), p

    return draw


def _true_gaps(power: float) -> Any:
    """The mean gap of every bin: forecasts in it are uniform, so an integral gives it."""
    edge = np.linspace(0, 1, BINS + 1)
    happens = np.diff(edge ** (power + 1)) / (power + 1) * BINS
    return happens - (edge[1:] + edge[:-1]) / 2


def _calibration(n: int) -> Iterator[Setting]:
    for name, power in (("calibrated", 1.0), ("miscalibrated", 2.0)):
        gaps = _true_gaps(power)
        true = {"l1": float(np.abs(gaps).mean()), "l2": float(np.sqrt((gaps**2).mean()))}
        for norm_, truth in true.items():
            metric = CalibrationError(norm=norm_, bins=BINS, of_what="positive")
            yield Setting(
                family="ECE", name=f"{name} model, {norm_}", n=n, truth=0.0 if power == 1 else truth,
                draw=_forecasts(n, power), interval=_two_classes(metric), band=(0.95 if power == 1 else 0.94, 1.0),
                sized=power != 1,
            )  # fmt: skip


def _resampled() -> Iterator[Setting]:
    apart, n = distance(0.85), 200
    draw = scored_rows(n, 0.5, apart)
    at_tenth = float(norm.sf(norm.isf(0.1) - apart))
    cases = (
        ("equal error rate, default", EqualErrorRate(), float(norm.sf(apart / 2)), {}),
        ("TPR at FPR 0.1, default", TprAtFpr(fpr=0.1), at_tenth, {}),
        ("AUC by BCa", RocAuc(), 0.85, {"method": "bca"}),
        ("AUC by percentiles", RocAuc(), 0.85, {"method": "percentile"}),
    )
    for name, metric, truth, options in cases:
        yield Setting(
            family="bootstrap", name=name, n=n, truth=truth, draw=draw, band=(0.92, 0.97), replicates=RESAMPLED,
            interval=_two_classes(metric, replicates=DRAWS, **options),
        )  # fmt: skip
    yield Setting(
        family="bootstrap", name="AUC .98 by percentiles, for contrast", n=30, truth=0.98, band=(0.92, 0.97),
        draw=scored_rows(30, 0.5, distance(0.98)), replicates=RESAMPLED, judged=False,
        interval=_two_classes(RocAuc(), replicates=DRAWS, method="percentile"),
    )  # fmt: skip
