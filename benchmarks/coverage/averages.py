"""F1 and its averages beside confidenceinterval 1.0.5 on the same tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.metrics import F1
from benchmarks.coverage.lines import Beside
from benchmarks.coverage.setting import RESAMPLED, Task, generator
from benchmarks.coverage.tables import binary_cells, class_cells, drawn_tables, rows_of, truth_of


@dataclass(frozen=True)
class Pair:
    """One average in one setting, by both packages."""

    name: str
    average: str
    n: int
    cells: Any

    @property
    def label(self) -> str:
        return f"averages/{self.name}/{self.n}"

    def rows(self, most: int) -> list[Beside]:
        from confidenceinterval import f1_score

        replicates, metric = min(RESAMPLED, most), F1(average=self.average)
        (tables,) = drawn_tables(self.cells, self.n)(generator(self.label), replicates)
        own, other, values = [], [], []
        for table in tables:
            data = rows_of(table)
            score = metric.interval(*data)
            values.append(float(score))
            own.append((score.low, score.high))
            other.append(f1_score(*data, average=self.average)[1])
        truth, oracle = truth_of(metric, self.cells), 2 * 1.959964 * float(np.std(values, ddof=1))
        measured = [number for limits in (own, other) for number in _measured(np.array(limits), truth, oracle)]
        return [Beside("averages", self.name, self.n, replicates, *measured)]


def _measured(limits: Any, truth: float, oracle: float) -> tuple[float, float]:
    low, high = limits.T
    return float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean()) / oracle


def settings() -> Iterator[Task]:
    even = class_cells([1 / 3, 1 / 3, 1 / 3], [0.85, 0.75, 0.65])
    skewed = class_cells([0.7, 0.2, 0.1], [0.9, 0.7, 0.6])
    rare = class_cells([0.85, 0.1, 0.05], [0.95, 0.6, 0.5])
    for n in (100, 1000):
        for average in ("macro", "micro"):
            yield Pair(f"{average}, K=3, equal classes", average, n, even)
            yield Pair(f"{average}, K=3, shares .70 .20 .10", average, n, skewed)
            yield Pair(f"{average}, K=3, shares .85 .10 .05", average, n, rare)
        yield Pair("binary, prevalence .3, true value .82", "binary", n, binary_cells(0.3, 0.85, 0.9))
        yield Pair("binary, prevalence .5, true value .95", "binary", n, binary_cells(0.5, 0.95, 0.95))
