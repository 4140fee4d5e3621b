"""Small learners, simulated truths, and the true risk of the ones on the others: what the coverage of learners is counted against.

``python -m benchmarks.coverage.learner_worlds [TRUTH/N/LEARNER ...]`` simulates the risks anew, into learner_risks.json.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
from scipy.spatial import cKDTree

from assay.metrics import MSE, Accuracy
from assay.resampling.simulation.truths import FriedmanTruth, GaussianTruth, GroupedTruth, LinearTruth, Truth, seeds

FILE = Path(__file__).parent / "learner_risks.json"
Predict = Callable[[Any], Any]
Train = Callable[[Any, Any, int], Predict]
BLOCK = 100  # training sets drawn at once
POINTS, FEW_POINTS = 500, 100  # fresh rows for each fitted model; neighbours are slow to find, and more sets tell more


# ---- learners: train(X, y, seed) gives a function of rows


def linear(X: Any, y: Any, seed: int) -> Predict:
    """Least squares with an intercept."""
    middle, level = X.mean(axis=0), y.mean()
    centred = X - middle
    slopes = np.linalg.solve(centred.T @ centred, centred.T @ (y - level))
    return lambda Z: level + (Z - middle) @ slopes


def nearest(k: int) -> Train:
    """The mean of the k nearest rows."""

    def train(X: Any, y: Any, seed: int) -> Predict:
        known = cKDTree(X)
        return lambda Z: y[known.query(Z, k)[1].reshape(len(Z), k)].mean(axis=1)

    return train


def tree(X: Any, y: Any, seed: int) -> Predict:
    """A regression tree of depth 4 with at least 5 rows a leaf; on targets 0 and 1 its splits are those of Gini."""
    grown = _grown(X, y, 4, 5)
    return lambda Z: _answered(Z, *grown)


def forest(X: Any, y: Any, seed: int) -> Predict:
    """Ten such trees of depth 6 on bootstrap samples, each split from half of the features."""
    rng = np.random.default_rng(seed)
    order = np.argsort(X, axis=0, kind="stable")
    trees = []
    for _ in range(10):
        drawn = np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y)).astype(np.float64)
        asked = rng.random((2**6, X.shape[1])).argsort(axis=1) < (X.shape[1] + 1) // 2
        trees.append(_grow(order, X, y.astype(np.float64), drawn, asked, 6, 5.0))
    return lambda Z: np.mean([_answered(Z, *grown) for grown in trees], axis=0)


def _grown(X: Any, y: Any, depth: int, leaf: int) -> tuple[Any, Any, Any]:
    asked = np.ones((2**depth, X.shape[1]), dtype=bool)
    order = np.argsort(X, axis=0, kind="stable")
    return _grow(order, X, y.astype(np.float64), np.ones(len(y)), asked, depth, float(leaf))


@nb.njit(cache=True)
def _grow(  # noqa: PLR0912 - one loop nest is what a compiler likes
    order: Any, X: Any, y: Any, weight: Any, asked: Any, depth: int, leaf: float
) -> Any:
    """All nodes of a level at once: one pass over each sorted feature finds the best cut of every node."""
    n, width = X.shape
    count = 2 ** (depth + 1) - 1
    feature, cut, value = np.full(count, -1), np.zeros(count), np.zeros(count)
    at = np.zeros(n, dtype=np.int64)
    for level in range(depth + 1):
        first, many = 2**level - 1, 2**level
        mass, total = np.zeros(many), np.zeros(many)
        for i in range(n):
            if at[i] >= first:
                mass[at[i] - first] += weight[i]
                total[at[i] - first] += weight[i] * y[i]
        best = np.zeros(many)
        for k in range(many):
            if mass[k] > 0:
                value[first + k] = total[k] / mass[k]
                best[k] = total[k] ** 2 / mass[k] * (1 + 1e-12) + 1e-12
        if level == depth:
            break
        for j in range(width):
            left, seen, last = np.zeros(many), np.zeros(many), np.zeros(many)
            for i in order[:, j]:
                k = at[i] - first
                if k < 0 or weight[i] == 0 or not asked[k, j]:
                    continue
                right = mass[k] - left[k]
                if left[k] >= leaf and right >= leaf and X[i, j] > last[k]:
                    gain = seen[k] ** 2 / left[k] + (total[k] - seen[k]) ** 2 / right
                    if gain > best[k]:
                        best[k], feature[first + k], cut[first + k] = gain, j, (X[i, j] + last[k]) / 2
                left[k] += weight[i]
                seen[k] += weight[i] * y[i]
                last[k] = X[i, j]
        for i in range(n):
            node = at[i]
            if node >= first and feature[node] >= 0:
                at[i] = 2 * node + (1 if X[i, feature[node]] <= cut[node] else 2)
    return feature, cut, value


@nb.njit(cache=True)
def _answered(Z: Any, feature: Any, cut: Any, value: Any) -> Any:
    found = np.empty(len(Z))
    for i in range(len(Z)):
        node = 0
        while feature[node] >= 0:
            node = 2 * node + (1 if Z[i, feature[node]] <= cut[node] else 2)
        found[i] = value[node]
    return found


LEARNERS: dict[str, Train] = {"linear": linear, "tree": tree, "5-nearest": nearest(5), "forest": forest}


# ---- worlds


@dataclass(frozen=True)
class World:
    """A truth and the metric that is asked for."""

    name: str
    truth: Truth

    @property
    def binary(self) -> bool:
        return self.truth.task == "binary"

    @property
    def metric(self) -> Any:
        return Accuracy() if self.binary else MSE()

    def learner(self, name: str) -> Train:
        """The learner by name; for classes it says which is more likely."""
        train = ALL[name]
        return _deciding(train) if self.binary else train

    def scores(self, y: Any, given: Any) -> Any:
        """What the metric is the mean of."""
        return (y == given).astype(np.float64) if self.binary else (y - given) ** 2

    def expected(self, given: Any, X: Any) -> Any:
        """The expected score of each row, less what is known of all rows together."""
        mean = self.truth.mean(X)
        if self.binary:  # a wrong decision costs what the odds are away from even
            return np.where((given == 1) == (mean > 0.5), 0.0, -np.abs(2 * mean - 1))
        return (given - mean) ** 2

    @property
    def known(self) -> float:
        """The score of the best model."""
        return 1 - self.truth.noise if self.binary else self.truth.noise

    def true(self, model: Predict, X: Any) -> float:
        """The true score of a fitted model, from these fresh rows."""
        return self.known + float(self.expected(model(X), X).mean())


def _deciding(train: Train) -> Train:
    @functools.wraps(train)
    def decides(X: Any, y: Any, seed: int) -> Predict:
        model = train(X, y, seed)
        return lambda Z: (model(Z) > 0.5).astype(np.int64)

    return decides


ALL: dict[str, Train] = {**LEARNERS, "1-nearest": nearest(1)}
LINE = World("linear truth", LinearTruth(features=5))
CURVE = World("Friedman's function", FriedmanTruth(features=5, sd=3.0))
CLASSES = World("two normal classes", GaussianTruth(features=5, distance=2.0))
GROUPS = World("groups", GroupedTruth(features=5, size=5, between=1.0, shared=2))
WORLDS = {world.name: world for world in (LINE, CURVE, CLASSES, GROUPS)}


# ---- risks


@dataclass(frozen=True)
class Known:
    """The expected score of a learner at a size, with the standard error of its simulation."""

    value: float
    error: float


def exact(n: int) -> float:
    """Least squares on the linear truth: noise times (1 + 1/n)(n - 2)/(n - p - 2), because features are normal."""
    truth = LINE.truth
    width = len(truth.points(1, 0)[0])
    return truth.noise * (1 + 1 / n) * (n - 2) / (n - width - 2)


@functools.cache
def _held() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def risk(world: World, learner: str, n: int) -> Known:
    """What is to be held: from the formula or from the file."""
    if world is LINE and learner == "linear":
        return Known(exact(n), 0.0)
    held = _held()[world.name][str(n)][learner]
    return Known(held["value"], held["error"])


def largest_error(world: World) -> float:
    """The largest standard error of the simulated values, as a share of them."""
    at = _held().get(world.name, {})
    return max((one["error"] / one["value"] for learners in at.values() for one in learners.values()), default=0.0)


def _simulated(world: World, name: str, n: int, sets: int, points: int) -> dict[str, Any]:
    """Many training sets; every fitted model is judged by fresh rows of its own."""
    train, found = world.learner(name), list[float]()
    for block, seed in enumerate(seeds(n, 7, sets // BLOCK)):
        X, y, fresh = _block(world, n, seed, points)
        found += [world.true(train(X[at], y[at], block * BLOCK + at), fresh[at]) for at in range(BLOCK)]
    return _mean(np.array(found))


def _mean(values: Any) -> dict[str, Any]:
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return {"value": round(float(values.mean()), 7), "error": round(error, 7), "sets": len(values)}


def _block(world: World, n: int, seed: int, points: int) -> tuple[Any, Any, Any]:
    truth = world.truth
    X, y = truth.draw(BLOCK * n, seed)
    fresh = truth.points(BLOCK * points, seed + 2**32)
    return X.reshape(BLOCK, n, -1), y.reshape(BLOCK, n), fresh.reshape(BLOCK, points, -1)


def _asked() -> list[tuple[World, str, int, int, int]]:
    """What is needed: for 10 folds the training size nine tenths of n, and n itself; more sets where the spread is larger."""
    small, large = (
        {"linear": 50_000, "tree": 100_000, "5-nearest": 60_000, "forest": 25_000},
        {"linear": 20_000, "tree": 40_000, "5-nearest": 20_000, "forest": 10_000},
    )
    free, near = (CURVE, CLASSES), ("5-nearest", "1-nearest")
    asked = [
        (world, name, n, sets, FEW_POINTS if name in near else POINTS)
        for sizes, many in (((90, 100), small), ((450, 500), large))
        for n in sizes
        for world in free
        for name, sets in many.items()
    ]
    asked += [(world, name, n, 25_000, POINTS) for n in (45, 50) for world in free for name in near]
    asked += [
        (CLASSES, "5-nearest", n, 15_000, FEW_POINTS) for n in (25, 33, 40)
    ]  # two folds, a third held out, five folds
    return asked + [
        (GROUPS, name, n, 1_800_000 // n, POINTS) for n in (90, 225, 900) for name in ("linear", "5-nearest")
    ]


def main(names: list[str]) -> None:
    """Simulate and keep, one by one."""
    for world, learner, n, sets, points in _asked():
        if names and not any(f"{world.name}/{n}/{learner}".startswith(begin) for begin in names):
            continue
        held = json.loads(FILE.read_text()) if FILE.exists() else {}
        found = _simulated(world, learner, n, sets, points)
        held.setdefault(world.name, {}).setdefault(str(n), {})[learner] = found
        FILE.write_text(json.dumps(held, indent=1) + "\n")
        print(world.name, n, learner, found, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
