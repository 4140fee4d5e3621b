"""nDCG and MAP of simulated rankings; the truth is the mean over very many queries."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.metrics import NDCG, AveragePrecisionAtK
from benchmarks.coverage.setting import Setting, Task

BAND = (0.93, 0.97)
MANY = 100_000  # queries of the truth
DOCUMENTS, REPLICATES = 30, 1000


def settings() -> Iterator[Task]:
    for n in (25, 50, 200):
        yield _line("nDCG@10", NDCG(k=10), n)
        yield _line("MAP", AveragePrecisionAtK(), n)


def _line(name: str, metric: Any, n: int) -> Setting:
    def interval(y_true: Any, y_score: Any) -> Any:
        return metric.interval(y_true, y_score)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        made = [world(n, rng) for _ in range(size)]
        return [pair[0] for pair in made], [pair[1] for pair in made]

    return Setting(
        family="rankings", name=name, n=n, truth=_truth(metric), draw=draw, interval=interval, band=BAND,
        replicates=REPLICATES, sized=False,
    )  # fmt: skip


@functools.cache
def _truth(metric: Any) -> float:
    return float(metric(*world(MANY, np.random.default_rng(1))))


def world(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Queries of different difficulty, with one to ten relevant documents of 30."""
    grades = np.zeros((n, DOCUMENTS), np.int64)
    grades[rng.random((n, DOCUMENTS)) < rng.uniform(0.02, 0.3, (n, 1))] = 1
    grades[:, 0] = 1 + rng.integers(0, 3, n)
    skill = rng.normal(1.0, 0.8, (n, 1))
    return grades, skill * (grades > 0) + rng.normal(size=grades.shape)
