"""Rows that are not independent, and few labels beside many predictions of a judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.inference import ppi
from assay.metrics import F1, MAE, RocAuc
from benchmarks.coverage.scores import distance
from benchmarks.coverage.setting import Setting, Task

GROUPS = (8, 20, 50, 200)
EACH = 5  # rows of a group
WITHIN = 0.5  # share of the variance that a group has in common
UNLABELLED = 2000


def settings() -> Iterator[Task]:
    for groups in GROUPS:
        yield from _means(groups)
    for groups in GROUPS[1:]:
        yield from _rates(groups)
    for labels, band in ((50, (0.935, 1.0)), (150, (0.94, 0.96)), (500, (0.94, 0.96))):
        yield from _judged(labels, band)


def _correlated(rng: np.random.Generator, size: int, groups: int) -> Any:
    """Normal numbers with variance one, WITHIN of it the group's."""
    shared = rng.standard_normal((size, groups, 1)) * math.sqrt(WITHIN)
    own = rng.standard_normal((size, groups, EACH)) * math.sqrt(1 - WITHIN)
    return (shared + own).reshape(size, -1)


def _means(groups: int) -> Iterator[Setting]:
    of_row = np.repeat(np.arange(groups), EACH)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        loss = np.abs(10 + _correlated(rng, size, groups))  # ten standard deviations above zero: a plain mean
        return loss, np.zeros_like(loss)

    for name, known in (("mean", True), ("mean, groups ignored, for contrast", False)):
        options: dict[str, Any] = {"groups": of_row} if known else {}
        yield Setting(
            family="clusters", name=f"{name}, {groups} groups of {EACH}", n=groups * EACH, truth=10.0, draw=draw,
            interval=_with(MAE(), options), band=(0.94, 0.96), judged=known,
        )  # fmt: skip


def _with(metric: Any, options: dict[str, Any]) -> Any:
    return lambda truth, given: metric.interval(truth, given, **options)


def _rates(groups: int) -> Iterator[Setting]:
    of_row, apart = np.repeat(np.arange(groups), EACH), distance(0.85)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        truth = rng.random((size, groups * EACH)) < 0.4
        return truth.astype(np.int64), _correlated(rng, size, groups) + apart * truth

    def decided(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        truth, score = draw(rng, size)
        return truth, (score > apart / 2).astype(np.int64)

    rate = 0.5 * math.erfc(-apart / 2 / math.sqrt(2))  # sensitivity and specificity at the middle
    f1 = 2 * 0.4 * rate / (0.4 * rate + 0.6 * (1 - rate) + 0.4)
    for name, metric, truth, rows in (("AUC", RocAuc(), 0.85, draw), ("F1", F1(), f1, decided)):
        yield Setting(
            family="clusters", name=f"{name}, {groups} groups of {EACH}", n=groups * EACH, truth=truth, draw=rows,
            interval=_with(metric, {"groups": of_row}), band=(0.93, 0.97),
        )  # fmt: skip


# ---- prediction-powered


def _judge(n: int, binary: bool, noise: float) -> Any:
    """Labels, predictions of the same rows, predictions of others."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        truth = rng.standard_normal((size, n + UNLABELLED))
        judge = truth + noise * rng.standard_normal(truth.shape) + 0.3
        if binary:
            truth, judge = (truth > 0.5).astype(np.float64), (judge > 0.5).astype(np.float64)
        return truth[:, :n], judge[:, :n], judge[:, n:]

    return draw


def _judged(n: int, band: tuple[float, float]) -> Iterator[Task]:
    share = 0.5 * math.erfc(0.5 / math.sqrt(2))
    for name, noise in (("good judge", 0.5), ("poor judge", 1.5)):
        for kind, estimate, truth in (("mean", ppi.mean, 0.0), ("proportion", ppi.proportion, share)):
            draw = _judge(n, kind == "proportion", noise)
            common: dict[str, Any] = {"family": "PPI++", "n": n, "truth": truth, "draw": draw, "band": band}
            yield Setting(name=f"{kind}, {name}", interval=estimate, **common)
