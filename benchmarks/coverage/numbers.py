"""Metrics of numbers: means of losses under skewed laws, bounded means, RMSE, correlations, R², medians."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import norm

from assay.metrics import F1, MAE, MAPE, MSE, R2, RMSE, Hamming, LogLoss, MedianAbsoluteError, Pearson, Spearman
from benchmarks.coverage.setting import Band, Setting, Task

SIZES = (30, 100, 1000)
SKEWED: dict[int, Band] = {30: (0.93, 1.0), 100: (0.935, 1.0), 1000: (0.94, 0.96)}
BOUNDED: dict[int, Band] = {30: (0.93, 1.0), 100: (0.94, 0.955), 1000: (0.94, 0.96)}
ABOUT: Band = (0.93, 0.97)  # families for which the recipe names no band
LABELS = 20

Law = Callable[[np.random.Generator, tuple[int, int]], Any]


def settings() -> Iterator[Task]:
    for n in SIZES:
        yield from _means(n)
        yield from _roots(n)
        yield from _bounded(n)
        yield from _correlations(n)
        yield from _others(n)
    for n in (40, 100, 1000):
        yield from _heavy_squares(n)
        yield from _heavy_losses(n)


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_normal(shape)


def t4(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_t(4, shape)


def lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.lognormal(0, 1, shape)


def exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_exponential(shape)


def centred_exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.standard_exponential(shape) - 1


def centred_lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.lognormal(0, 0.5, shape) - math.exp(0.125)


def against_zero(law: Law, n: int) -> Any:
    """Targets from a law and predictions of zero, so that the errors have that law."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        errors = law(rng, (size, n))
        return errors, np.zeros_like(errors)

    return draw


def _errors(family: str, name: str, n: int, metric: Any, law: Law, truth: float, band: Band, **more: Any) -> Setting:
    return Setting(
        family=family, name=name, n=n, truth=truth, draw=against_zero(law, n), interval=metric.interval, band=band, **more
    )  # fmt: skip


def _means(n: int) -> Iterator[Setting]:
    yield _errors("skewed means", "MSE, normal errors", n, MSE(), normal, 1.0, SKEWED[n])
    yield _errors("skewed means", "MAE, lognormal errors", n, MAE(), lognormal, math.exp(0.5), SKEWED[n])
    yield _errors("skewed means", "MAE, exponential errors", n, MAE(), exponential, 1.0, SKEWED[n])


def _roots(n: int) -> Iterator[Setting]:
    yield _errors("RMSE", "normal errors", n, RMSE(), normal, 1.0, SKEWED[n])
    heavy = {30: (0.88, 1.0), 100: (0.90, 1.0), 1000: (0.91, 1.0)}
    yield _errors("RMSE", "t4 errors, no fourth moment", n, RMSE(), t4, math.sqrt(2), heavy[n])


def _heavy_squares(n: int) -> Iterator[Setting]:
    """Squared errors whose tail few samples show. A lognormal law of sigma 1 is beyond any interval and stands for contrast."""
    band: Band = (0.90, 1.0) if n == 40 else (0.93, 1.0)
    wide = math.exp(0.25) * math.expm1(0.25)
    cases: tuple[tuple[str, Law, float, bool], ...] = (
        ("normal errors", normal, 1.0, True),
        ("exponential errors", centred_exponential, 1.0, True),
        ("t4 errors, no fourth moment", t4, 2.0, True),
        ("lognormal errors, sigma 0.5", centred_lognormal, wide, True),
        ("lognormal errors, sigma 1, not centred", lognormal, math.exp(2), False),
    )
    for name, law, truth, judged in cases:
        yield _errors("MSE, heavy tails", name, n, MSE(), law, truth, band, judged=judged, sized=False)


def around_mean(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Lognormal targets around their mean, which is all that the model knows."""
    return lognormal(rng, shape) - math.exp(0.5)


def wide_lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.lognormal(0, 1.5, shape)


def _heavy_losses(n: int) -> Iterator[Setting]:
    """Losses without a bound that are no squares. Few rows carry a star whatever they show, so the band there is wide."""
    band: Band = (0.90, 1.0) if n == 40 else (0.93, 1.0)
    cases: tuple[tuple[str, Law, float], ...] = (
        ("MAE, normal errors", normal, math.sqrt(2 / math.pi)),
        ("MAE, t4 errors", t4, 1.0),
        ("MAE, lognormal errors, sigma 1", lognormal, math.exp(0.5)),
        ("MAE, lognormal errors, sigma 1.5", wide_lognormal, math.exp(1.125)),
        ("MAE, lognormal errors around their mean", around_mean, 4 * math.exp(0.5) * (norm.cdf(0.5) - 0.5)),
    )
    for name, law, truth in cases:
        yield _errors("losses without a bound", name, n, MAE(), law, truth, band, sized=False)
    yield Setting(
        family="losses without a bound", name="MAPE, lognormal targets", n=n, truth=math.sqrt(2 / math.pi) * math.exp(0.245),
        draw=_relative(n), interval=MAPE().interval, band=band, sized=False,
    )  # fmt: skip
    yield Setting(
        family="losses without a bound", name="log loss, 3 % surely wrong", n=n, truth=SURE[1] + 0.03 * (SURE[2] - SURE[1]),
        draw=_surely_wrong(n), interval=LogLoss().interval, band=band, judged=n >= 100, sized=False,
    )  # fmt: skip


def _relative(n: int) -> Any:
    """Normal errors of lognormal targets."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        truth = rng.lognormal(0, 0.7, (size, n))
        return truth, truth + rng.standard_normal((size, n))

    return draw


SURE = (
    0.95,
    -math.log(0.95),
    -math.log(0.05),
)  # a probability, and the log loss where it is right and where it is wrong


def _surely_wrong(n: int) -> Any:
    """Probabilities near 0 and 1, of which 3 % are on the wrong side."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        truth = rng.random((size, n)) < 0.5
        called = truth ^ (rng.random((size, n)) < 0.03)
        return truth.astype(np.int64), np.where(called, SURE[0], 1 - SURE[0])

    return draw


def _rows_of_labels(n: int, shape: tuple[float, float]) -> Any:
    """Rows of labels of which each row has its own rate of wrong ones, from a Beta law."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        rate = rng.beta(*shape, (size, n, 1))
        wrong = rng.random((size, n, LABELS)) < rate
        truth = rng.random((size, n, LABELS)) < 0.5
        return truth.astype(np.int8), (truth ^ wrong).astype(np.int8)

    return draw


def _bounded(n: int) -> Iterator[Setting]:
    for shape in ((1, 9), (0.5, 2)):
        rate = shape[0] / sum(shape)
        yield Setting(
            family="bounded means", name=f"Hamming loss, rates Beta{shape}", n=n, truth=rate,
            draw=_rows_of_labels(n, shape), interval=Hamming().interval, band=BOUNDED[n],
        )  # fmt: skip
    yield Setting(
        family="bounded means", name="mean Dice of rows", n=n, truth=_true_dice(),
        draw=_rows_of_labels(n, (1, 4)), interval=F1(average="samples").interval, band=BOUNDED[n],
    )  # fmt: skip


@functools.cache
def _true_dice() -> float:
    """From a million rows: there is no formula for the mean of these ratios."""
    truth, decided = _rows_of_labels(1000, (1, 4))(np.random.default_rng(0), 1000)
    both, size = (truth & decided).sum(axis=-1), truth.sum(axis=-1) + decided.sum(axis=-1)
    return float((2 * both[size > 0] / size[size > 0]).mean())


def _pairs(law: Law, n: int, slope: float = 1.0) -> Any:
    """Predictions x and targets slope x + error."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        x = rng.standard_normal((size, n))
        return slope * x + law(rng, (size, n)), x

    return draw


def _correlations(n: int) -> Iterator[Setting]:
    for name, law, variance in (("normal errors", normal, 1.0), ("t4 errors", t4, 2.0)):
        yield Setting(
            family="Pearson", name=name, n=n, truth=1 / math.sqrt(1 + variance), draw=_pairs(law, n),
            interval=Pearson().interval, band=ABOUT,
        )  # fmt: skip
    for slope in (0.5, 2.0):
        rho = slope / math.sqrt(1 + slope**2)
        yield Setting(
            family="Spearman", name=f"normal, Pearson {rho:.2f}", n=n, truth=6 / math.pi * math.asin(rho / 2),
            draw=_pairs(normal, n, slope), interval=Spearman().interval, band=ABOUT,
        )  # fmt: skip


def _others(n: int) -> Iterator[Setting]:
    yield Setting(
        family="R²", name="normal errors, true value 0.5", n=n, truth=0.5, draw=_pairs(normal, n),
        interval=R2().interval, band=ABOUT,
    )  # fmt: skip
    metric = MedianAbsoluteError()
    yield _errors("medians", "normal errors", n, metric, normal, 0.674490, (0.94, 0.97))
    yield _errors("medians", "lognormal errors", n, metric, lognormal, 1.0, (0.94, 0.97))
