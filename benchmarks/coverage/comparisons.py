"""Tests of two correlated models on the same rows: how often they reject without a difference, and with one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from assay.metrics import F1, MSE, R2, Accuracy, MatthewsCorrelation, RocAuc
from benchmarks.coverage import peers
from benchmarks.coverage.lines import LEVEL, Test
from benchmarks.coverage.scores import distance
from benchmarks.coverage.setting import BATCH, Task, generator

SIZES = (50, 200, 2000)
CLOSED, RESAMPLED, SLOW = 2_000, 1_000, 400
ALPHA = 0.05
Rejects = Callable[[Any, Any, Any], bool]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Data with and without a difference, and the tests that see them."""

    family: str
    n: int
    draw: Callable[[np.random.Generator, tuple[int, int], float], tuple[Any, Any, Any]]
    effect: float  # at 200 rows; at n it shrinks with the root of n, so that the power stays comparable
    own: dict[str, Rejects]
    peers: dict[str, Rejects]
    unlike: tuple[str, ...] = ()  # peers that test another hypothesis, shown but not measured against
    replicates: int = CLOSED

    @property
    def label(self) -> str:
        return f"{self.family}/{self.n}"

    def rows(self, most: int) -> list[Test]:
        replicates = min(self.replicates, most)
        rng = generator(self.label)
        tests = {**self.own, **self.peers}
        null, moved = (
            self._rejections(rng, tests, replicates, e) for e in (0.0, self.effect * math.sqrt(200 / self.n))
        )
        levels, powers = ({name: float(v.mean()) for name, v in found.items()} for found in (null, moved))
        ceiling = LEVEL[1] + 2 * math.sqrt(LEVEL[1] * (1 - LEVEL[1]) / replicates)
        rivals = [name for name in self.peers if name not in self.unlike and levels[name] <= ceiling]
        return [
            Test(
                self.family, name, self.n, replicates, levels[name], powers[name], name in self.peers,
                name in self.own, "" if name in self.peers else _beaten(moved, name, rivals),
            )
            for name in tests
        ]  # fmt: skip

    def _rejections(
        self, rng: np.random.Generator, tests: dict[str, Rejects], replicates: int, effect: float
    ) -> dict[str, Any]:
        found: dict[str, list[bool]] = {name: [] for name in tests}
        for start in range(0, replicates, BATCH):
            drawn = self.draw(rng, (min(BATCH, replicates - start), self.n), effect)
            for data in zip(*drawn, strict=True):
                for name, rejects in tests.items():
                    found[name].append(rejects(*data))
        return {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def _beaten(moved: dict[str, Any], name: str, rivals: list[str]) -> str:
    """The rival that finds the difference more often by more than three errors of the paired count."""
    for rival in sorted(rivals, key=lambda r: -moved[r].mean()):
        gap = moved[rival] - moved[name]
        if gap.mean() > 3 * gap.std(ddof=1) / math.sqrt(len(gap)):
            return rival
    return ""


def by(metric: Any, **options: Any) -> Rejects:
    """The test of `compare`."""
    return lambda truth, a, b: metric.compare(truth, a, b, **options).p <= ALPHA


def outside(metric: Any, **options: Any) -> Rejects:
    """The interval of `compare` without zero."""

    def rejects(truth: Any, a: Any, b: Any) -> bool:
        found = metric.compare(truth, a, b, **options)
        return not found.low <= 0 <= found.high

    return rejects


def below(p: Callable[..., float]) -> Rejects:
    return lambda truth, a, b: p(truth, a, b) <= ALPHA


# ---- data: draw(rng, (replicates, rows), effect)


def correlated(rng: np.random.Generator, shape: tuple[int, int], rho: float) -> tuple[Any, Any]:
    """Two normal numbers a row."""
    shared, *own = rng.standard_normal((3, *shape))
    return tuple(math.sqrt(rho) * shared + math.sqrt(1 - rho) * x for x in own)  # type: ignore[return-value]


def right_or_wrong(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Decisions of models that are right on 75 % of the rows, often on the same."""
    u, v = correlated(rng, shape, 0.5)
    truth = rng.integers(0, 2, shape)
    a, b = u < norm.ppf(0.75 + effect / 2), v < norm.ppf(0.75 - effect / 2)
    return truth, np.where(a, truth, 1 - truth), np.where(b, truth, 1 - truth)


def errors(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Normal errors of equal variance, correlated by 0.7."""
    u, v = correlated(rng, shape, 0.7)
    return np.zeros(shape), u * math.sqrt(1 + effect), v


def heavy(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Errors of Student's t with three degrees of freedom: their squares have no variance."""
    return np.zeros(shape), (1 - effect) * rng.standard_t(3, shape), rng.standard_t(3, shape)


def shapes(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Equal mean squares of different shape: one model is steady, the other mostly better and sometimes far off."""
    steady = np.sqrt(rng.uniform(0.5, 1.5, shape))
    return np.zeros(shape), rng.standard_normal(shape) * math.sqrt(1 + effect), steady


def score_pair(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Scores of two models for 40 % positive rows, correlated by 0.6, with areas 0.8."""
    u, v = correlated(rng, shape, 0.6)
    truth = rng.random(shape) < 0.4
    return truth.astype(np.int64), u + (distance(0.8) + effect) * truth, v + distance(0.8) * truth


def decisions(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Decisions from such scores."""
    truth, u, v = score_pair(rng, shape, effect)
    cut = distance(0.8) / 2
    return truth, (u > cut + effect / 2).astype(np.int64), (v > cut).astype(np.int64)


def predictions(rng: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Any, Any, Any]:
    """Predictions of a target that share most of their error."""
    x = rng.standard_normal(shape)
    u, v = correlated(rng, shape, 0.3)
    return x + 0.7 * rng.standard_normal(shape), x + 0.6 * u * (1 - effect), x + 0.6 * v


# ---- contests


def settings() -> Iterator[Task]:
    mse, f1, r2 = MSE(), F1(), R2()
    for n in SIZES:
        yield Contest(
            family="accuracy", n=n, draw=right_or_wrong, effect=0.08,
            own={"McNemar, exact up to 20 discordant rows, then mid-p": by(Accuracy()), "Bonett-Price interval": outside(Accuracy())},
            peers={
                "statsmodels exact McNemar": below(peers.statsmodels_mcnemar(exact=True)),
                "statsmodels chi² McNemar": below(peers.statsmodels_mcnemar(exact=False)),
            },
        )  # fmt: skip
    for family, draw in (
        ("squared errors", errors), ("squared errors of different shapes", shapes), ("squared errors, heavy tails", heavy),
    ):  # fmt: skip
        for n in SIZES:
            yield Contest(
                family=family, n=n, draw=draw, effect=0.3, own={"paired Hall t": by(mse)}, unlike=("scipy wilcoxon",),
                peers={
                    "scipy ttest_rel": below(peers.t_of_losses),
                    "scipy wilcoxon": below(peers.wilcoxon_of_losses),
                },
            )  # fmt: skip
    for n in SIZES:
        yield Contest(
            family="AUC", n=n, draw=score_pair, effect=0.3, own={"paired DeLong": by(RocAuc())},
            peers={"textbook DeLong z": below(peers.delong)}, replicates=CLOSED if n < 2000 else RESAMPLED,
        )  # fmt: skip
    for family, metric, draw, peer in (("F1", f1, decisions, peers.f1), ("R²", r2, predictions, peers.r2)):
        for n in SIZES:
            yield Contest(
                family=family, n=n, draw=draw, effect=0.35 if family == "F1" else 0.2,
                replicates=RESAMPLED if n < 2000 else SLOW,
                own={
                    "influence difference, or swaps of few rows": by(metric),
                    "paired bootstrap": by(metric, method="bootstrap", replicates=500),
                },
                peers={"scipy permutation_test": below(peers.swapped(peer))},
            )  # fmt: skip
    for n in SIZES:
        yield Contest(
            family="MCC", n=n, draw=decisions, effect=0.35, replicates=RESAMPLED, peers={},
            own={"influence difference, or swaps of few rows": by(MatthewsCorrelation())},
        )  # fmt: skip
    for n in SIZES:
        yield Contest(
            family="squared errors, swapped", n=n, draw=errors, effect=0.3, replicates=RESAMPLED,
            own={"permutation": by(mse, method="permutation", replicates=peers.SWAPS)},
            peers={"scipy permutation_test": below(peers.swapped(peers.mean_square))},
        )  # fmt: skip
        yield Contest(
            family="F1, swapped", n=n, draw=decisions, effect=0.35, replicates=SLOW,
            own={"randomisation": by(f1, method="randomisation", replicates=peers.SWAPS)},
            peers={"scipy permutation_test": below(peers.swapped(peers.f1))},
        )  # fmt: skip
