"""Distances of a generated sample from a real one: the truth is the distance of the laws they are drawn from."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.metrics import FID, KID, FIDInfinity
from assay.metrics.generation.frechet import distance
from benchmarks.coverage.setting import RESAMPLED, Setting, Task

ABOUT = (0.93, 0.97)
WORLDS = {"near": (0.1, 1.0), "far": (0.3, 1.5)}  # shift of every feature, scale of the covariance


def settings() -> Iterator[Task]:
    for features in (4, 16, 64):
        for name in WORLDS:
            yield _frechet(features, 1000, name)
    yield _frechet(64, 4000, "near", replicates=500)
    yield _frechet(16, 1000, "near", FIDInfinity(), "FID-infinity, for contrast", judged=False, replicates=500)
    for name in WORLDS:
        yield _kernel(300, name)


@functools.cache
def _law(features: int, world: str) -> tuple[Any, Any, Any]:
    """Mean, factor and covariance of the generated law; the real one is standard normal."""
    shift, scale = WORLDS[world]
    turn, _ = np.linalg.qr(np.random.default_rng(features).normal(size=(features, features)))
    variance = scale * (0.5 + np.arange(features) / features)
    return np.full(features, shift), turn * np.sqrt(variance), (turn * variance) @ turn.T


def _draw(features: int, n: int, world: str) -> Any:
    mean, factor, _ = _law(features, world)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        real = (rng.standard_normal((n, features)) for _ in range(size))
        fake = (mean + rng.standard_normal((n, features)) @ factor.T for _ in range(size))
        return real, fake  # drawn one after the other as they are asked for, never all at once

    return draw


def _frechet(features: int, n: int, world: str, metric: Any = None, name: str = "FID", **more: Any) -> Setting:
    mean, _, covariance = _law(features, world)
    truth = distance(np.zeros(features), np.eye(features), mean, covariance)
    return Setting(
        family="generation", name=f"{name}, {features} features, {world}", n=n, truth=truth, draw=_draw(features, n, world),
        interval=(metric or FID(correction="richardson")).interval, band=ABOUT, **{"replicates": RESAMPLED, **more},
    )  # fmt: skip


def _moments(mean: Any, covariance: Any) -> tuple[Any, Any, Any]:
    """First, second and third moments of a normal law."""
    shared = np.einsum("i,jk->ijk", mean, covariance)
    third = np.einsum("i,j,k->ijk", mean, mean, mean) + shared + shared.transpose(1, 0, 2) + shared.transpose(1, 2, 0)
    return mean, covariance + np.outer(mean, mean), third


def _discrepancy(features: int, world: str) -> float:
    """The squared discrepancy of the two laws under the kernel (x.y / d + 1)^3, which moments up to the third give exactly."""
    mean, _, covariance = _law(features, world)
    real, fake = _moments(np.zeros(features), np.eye(features)), _moments(mean, covariance)

    def kernel(a: Any, b: Any) -> float:
        first, second, third = (
            float((p * q).sum()) / features ** (k + 1) for k, (p, q) in enumerate(zip(a, b, strict=True))
        )
        return 1 + 3 * first + 3 * second + third

    return kernel(real, real) + kernel(fake, fake) - 2 * kernel(real, fake)


def _kernel(n: int, world: str) -> Setting:
    return Setting(
        family="generation", name=f"KID, 4 features, {world}", n=n, truth=_discrepancy(4, world), draw=_draw(4, n, world),
        interval=KID().interval, band=ABOUT, replicates=RESAMPLED,
    )  # fmt: skip
