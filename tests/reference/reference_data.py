"""Seeded data for the comparisons: small and large (where compiled kernels serve), tied, weighted."""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = (37, 70_001)  # see conftest: above 65536 the kernels serve in these tests
WEIGHTS = ("none", "copies", "real")


def weights(kind: str, n: int, seed: int = 0) -> Any:
    """No weights, whole ones with zeros among them, or real ones."""
    rng = np.random.default_rng([seed, n, 7])
    return {
        "none": None,
        "copies": rng.integers(0, 4, n).astype(float),
        "real": rng.gamma(1.0, 2.0, n),
    }[kind]


def pairs(n: int, seed: int = 0, *, outputs: int = 0, positive: bool = False, rounded: bool = False) -> tuple[Any, Any]:
    """Targets and predictions; rounded ones tie."""
    rng = np.random.default_rng([seed, n])
    shape = (n, outputs) if outputs else n
    y = rng.normal(3, 2, shape)
    p = y + rng.normal(0.2, 1, shape)
    if positive:
        y, p = np.abs(y) + 0.1, np.abs(p)
    return (np.round(y), np.round(p)) if rounded else (y, p)


def labels(n: int, k: int, seed: int = 0) -> tuple[Any, Any]:
    """True and predicted classes of unequal size; about two thirds are right. Every class occurs in both."""
    rng = np.random.default_rng([seed, n, k])
    share = np.arange(1, k + 1) / np.arange(1, k + 1).sum()
    y = rng.choice(k, n, p=share)
    p = np.where(rng.random(n) < 0.6, y, rng.choice(k, n))
    y[:k] = p[:k] = np.arange(k)
    return y, p


def multilabel(n: int, k: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng([seed, n, k, 1])
    y = (rng.random((n, k)) < 0.4).astype(int)
    p = np.where(rng.random((n, k)) < 0.7, y, 1 - y)
    y[:2] = [[0] * k, [1] * k]
    return y, p


def scores(n: int, seed: int = 0, *, tied: bool = False) -> tuple[Any, Any]:
    """Binary truth and probabilities; tied ones take 21 values."""
    rng = np.random.default_rng([seed, n, 2])
    y = (rng.random(n) < 0.3).astype(int)
    y[:2] = [0, 1]
    p = 1 / (1 + np.exp(-rng.normal(2.0 * y - 1, 1.2)))
    return y, np.round(p * 20) / 20 if tied else p


def shares(n: int, k: int, seed: int = 0, *, tied: bool = False) -> tuple[Any, Any]:
    """Classes and one column of probabilities a class."""
    rng = np.random.default_rng([seed, n, k, 3])
    y, _ = labels(n, k, seed)
    z = rng.normal(0, 1, (n, k))
    z[np.arange(n), y] += 1.0
    if tied:
        z = np.round(z)
    e = np.exp(z)
    return y, e / e.sum(axis=1, keepdims=True)


def crossing(x: Any, y: Any) -> Any:
    """Where a falling line of points meets y = x, segment by segment."""
    for a, b, c, d in zip(x[:-1], y[:-1], x[1:], y[1:], strict=True):
        if c >= d:
            gap = (b - a) + (c - d)
            return a + (b - a) / gap * (c - a) if gap else a
    raise AssertionError("the curve ends at (1, 0)")
