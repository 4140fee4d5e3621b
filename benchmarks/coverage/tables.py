"""Metrics of confusion tables: proportions, overlaps, agreement, balanced accuracy, averages over classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from assay.metrics import F1, Accuracy, BalancedAccuracy, CohenKappa, Jaccard, MatthewsCorrelation
from benchmarks.coverage.setting import CLOSED, RESAMPLED, Row, Setting, Task

SIZES = (30, 100, 1000)
GRID = np.arange(0.05, 0.9501, 0.005)
MACRO = {30: (0.90, 1.0), 100: (0.93, 1.0), 1000: (0.94, 0.96)}
POSTERIOR = {30: CLOSED, 100: RESAMPLED, 1000: RESAMPLED}  # these intervals are themselves drawn, and cost accordingly


def settings() -> Iterator[Task]:
    for n in SIZES:
        yield Proportions(n)
    for n in SIZES:
        yield from _overlaps(n)
        yield from _agreement(n)
        yield from _balanced(n)
        yield from _macro(n)


@dataclass(frozen=True)
class Proportions:
    """Accuracies over a grid of true values. The binomial law gives the coverage exactly, without a Monte-Carlo error."""

    n: int

    @property
    def label(self) -> str:
        return f"proportions/{self.n}"

    def rows(self, most: int) -> list[Row]:
        metric, hits = Accuracy(), np.arange(self.n + 1)
        truth = np.ones(self.n, dtype=np.int64)
        scores = [metric.interval(truth, (np.arange(self.n) < k).astype(np.int64)) for k in hits]
        low, high = np.array([(s.low, s.high) for s in scores]).T
        held = (low[:, None] <= GRID) & (high[:, None] >= GRID)
        chance = binom.pmf(hits[:, None], self.n, GRID)
        coverage = (chance * held).sum(axis=0)
        width = (chance * (high - low)[:, None]).sum(axis=0)
        ratio = width / (2 * 1.959964 * np.sqrt(GRID * (1 - GRID) / self.n))
        flagged = float((chance * np.array([not s.reliable for s in scores])[:, None]).sum(axis=0).mean())
        name = f"accuracy, {len(GRID)} values in .05-.95, exact"
        return [
            Row(
                "proportions", name, self.n, 0, float(coverage.mean()), 0.0, float(ratio.mean()), 0.945, 0.96, flagged,
                minimum=float(coverage.min()), floor=0.92,
            )
        ]  # fmt: skip


def drawn_tables(cells: Any, n: int) -> Any:
    """Confusion tables of n rows with these shares."""
    shares = np.asarray(cells, dtype=np.float64)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        return (rng.multinomial(n, shares.reshape(-1), size=size).reshape(size, *shares.shape),)

    return draw


def rows_of(table: Any) -> tuple[Any, Any]:
    """The rows behind a table."""
    truth, decided = np.indices(table.shape).reshape(2, -1)
    return np.repeat(truth, table.reshape(-1)), np.repeat(decided, table.reshape(-1))


def on_tables(metric: Any, **options: Any) -> Callable[[Any], Any]:
    """The metric's interval from a table; all classes are named, whether they occur or not."""

    def interval(table: Any) -> Any:
        return metric.interval(*rows_of(table), **options)

    return interval


def truth_of(metric: Any, cells: Any) -> float:
    """The value that a million rows with these very shares have."""
    table = np.rint(np.asarray(cells) * 1_000_000).astype(np.int64)
    return float(metric(*rows_of(table)))


def binary_cells(prevalence: float, sensitivity: float, specificity: float) -> Any:
    other = 1 - prevalence
    return np.array(
        [
            [other * specificity, other * (1 - specificity)],
            [prevalence * (1 - sensitivity), prevalence * sensitivity],
        ]
    )


def class_cells(shares: list[float], recalls: list[float]) -> Any:
    """Errors fall on the other classes evenly."""
    p, r, k = np.array(shares), np.array(recalls), len(shares)
    cells = np.repeat((p * (1 - r) / (k - 1))[:, None], k, axis=1)
    np.fill_diagonal(cells, p * r)
    return cells


def _table_setting(family: str, name: str, n: int, metric: Any, cells: Any, **more: Any) -> Setting:
    return Setting(
        family=family, name=name, n=n, truth=truth_of(metric, cells), draw=drawn_tables(cells, n),
        interval=on_tables(metric), discrete=True, **more,
    )  # fmt: skip


def _overlaps(n: int) -> Iterator[Setting]:
    for prevalence, sensitivity, specificity in ((0.1, 0.8, 0.97), (0.3, 0.85, 0.9), (0.5, 0.97, 0.97)):
        cells = binary_cells(prevalence, sensitivity, specificity)
        for title, metric in (("F1", F1()), ("IoU", Jaccard())):
            yield _table_setting("F1, IoU", f"{title}, prevalence {prevalence}", n, metric, cells, band=(0.94, 0.97))


def _agreement(n: int) -> Iterator[Setting]:
    for prevalence in (0.1, 0.3, 0.5):
        cells = binary_cells(prevalence, 0.8, 0.9)
        more: dict[str, Any] = {"band": (0.93, 0.97), "replicates": POSTERIOR[n]}
        yield _table_setting("MCC, kappa", f"MCC, prevalence {prevalence}", n, MatthewsCorrelation(), cells, **more)
        if prevalence == 0.3:
            yield _table_setting("MCC, kappa", f"kappa, prevalence {prevalence}", n, CohenKappa(), cells, **more)
    several = class_cells([0.5, 0.3, 0.2], [0.8, 0.7, 0.6])
    for title, metric in (("MCC", MatthewsCorrelation()), ("kappa", CohenKappa())):
        yield _table_setting("MCC, kappa", f"{title}, K=3", n, metric, several, band=(0.93, 0.97))


def _balanced(n: int) -> Iterator[Setting]:
    more: dict[str, Any] = {"band": (0.94, 0.97)}
    two = binary_cells(0.3, 0.8, 0.9)
    yield _table_setting(
        "balanced accuracy", "K=2, prevalence 0.3", n, BalancedAccuracy(), two, replicates=POSTERIOR[n], **more
    )
    three = class_cells([0.5, 0.3, 0.2], [0.9, 0.8, 0.7])
    five = class_cells([0.3, 0.25, 0.2, 0.15, 0.1], [0.9, 0.85, 0.8, 0.75, 0.7])
    for k, cells in ((3, three), (5, five)):
        yield _table_setting("balanced accuracy", f"K={k}", n, BalancedAccuracy(), cells, **more)


def _macro(n: int) -> Iterator[Setting]:
    metric = F1(average="macro")
    three = class_cells([1 / 3, 1 / 3, 1 / 3], [0.85, 0.75, 0.65])
    five = class_cells([0.4, 0.25, 0.15, 0.12, 0.08], [0.85, 0.8, 0.75, 0.7, 0.65])
    for name, cells in (("K=3", three), ("K=5, imbalanced", five)):
        yield _table_setting("macro-F1", name, n, metric, cells, band=MACRO[n])
