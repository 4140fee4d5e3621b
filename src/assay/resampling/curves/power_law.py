"""The power law of learning curves, a + b n^-c: fitted by weighted least squares, with its uncertainty from the splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import t_quantile, z_quantile
from assay.core.errors import InputError
from assay.resampling.estimate._interval_formulas import corrected_t
from assay.resampling.schemes._sampling_units import keys

EXPONENTS = (0.05, 3.0)  # the plausible range: below, a power law looks like a logarithm; above, like a jump
DRAWS = 1000
FEW_SIZES, FEW_SPLITS, NARROW, FAR = 4, 5, 4.0, 10.0
_GRID, _STEPS, _GOLDEN = 80, 40, (math.sqrt(5) - 1) / 2
_EDGE = 0.05  # of the draws
_REFUSE = (
    0.8  # level at which a fall must show; the corrected t is wide here (twice, measured), so not the caller's level
)
_STREAM = 1 << 52
_WHO = "power law"


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """A loss that falls with the number of rows as ``a + b * n**-c``; ``a`` is its limit for infinitely many rows.

    ``draws`` holds one row ``(a, b, c)`` per resample of the splits; ``doubts`` tells why the law is not reliable, if it is not.
    """

    a: float
    b: float
    c: float
    largest: float
    level: float
    draws: Any = field(default=None, repr=False)
    doubts: tuple[str, ...] = ()

    def __call__(self, n: float | Floats) -> Floats:
        """The loss at n rows; the asymptote for infinite n."""
        return self.a + self.b * np.asarray(n, dtype=np.float64) ** -self.c

    def drawn(self, n: float) -> Floats:
        """The loss at n rows under each draw; empty if there are none."""
        if self.draws is None:
            return np.empty(0)
        a, b, c = self.draws.T
        return a + b * float(n) ** -c

    def limits(self, n: float) -> tuple[float, float]:
        """The limits of the loss at n rows; NaN if the spread is unknown."""
        return self.range(self.drawn(n))

    def range(self, values: Floats) -> tuple[float, float]:
        """The central part of the drawn values with probability ``level``."""
        if len(values) == 0:
            return math.nan, math.nan
        tail = (1 - self.level) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        return float(low), float(high)

    def doubted(self, n: float) -> str:
        """Why a value at n rows is not reliable; empty if it is."""
        far = n > FAR * self.largest and math.isfinite(n)
        more = [f"{n:g} rows are more than {FAR:g} times the largest size measured"] if far else []
        return "; ".join([*self.doubts, *more])

    def to_dict(self) -> dict[str, Any]:
        """The parameters with their limits as plain data."""
        parts = {name: float(getattr(self, name)) for name in "abc"}
        if self.draws is None:
            return {**parts, "doubts": list(self.doubts)}
        ranges = {f"{name}_limits": list(self.range(self.draws[:, i])) for i, name in enumerate("abc")}
        return {**parts, **ranges, "level": self.level, "doubts": list(self.doubts)}


def power_law(
    sizes: Sequence[float] | Floats,
    losses: Floats,
    *,
    ratio: float | None,
    floor: float = -math.inf,
    level: float = 0.95,
    seed: int = 0,
) -> PowerLaw:
    """The power law of a table of losses, one row per size and one column per split; refused where the data do not determine it.

    ``ratio`` is n_test / n_train of the splits, which measures their overlap; None leaves the uncertainty out. Splits are
    resampled as a whole, because all sizes of a split share their test rows, and deviations are stretched to the width of the
    corrected t: plain resampling would treat the splits as independent. ``floor`` is the smallest possible loss.
    """
    sizes, table = np.asarray(sizes, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(sizes):
        why = f"must have one row per size, got shape {table.shape} for {len(sizes)} sizes"
        raise InputError(_WHO, "losses", why)
    _refuse(sizes, table, ratio)
    mean: Any = table.mean(axis=1)
    weights = _weights(table)
    a, b, c = fit(sizes, mean[None], weights, floor)[0]
    if not b > 0:
        raise InputError(_WHO, "", "the loss does not fall with the number of rows")
    draws = None if ratio is None or table.shape[1] < 2 else _draws(sizes, table, weights, ratio, floor, level, seed)
    unclear = () if _falls(sizes, table, ratio, level) else (f"the fall is not clear at {100 * level:g} %",)
    doubts = (*_doubts(sizes, table, float(c), draws), *unclear)
    return PowerLaw(float(a), float(b), float(c), float(sizes.max()), level, draws, doubts)


def _refuse(sizes: Any, table: Any, ratio: float | None) -> None:
    """Refuse data that do not determine a power law."""
    if not np.isfinite(table).all() or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise InputError(_WHO, "", "sizes must be positive and losses finite")
    distinct = len(np.unique(sizes))
    if distinct < FEW_SIZES:
        why = f"three parameters need at least {FEW_SIZES} sizes, got {distinct}"
        raise InputError(_WHO, "", why, "Give more sizes.")
    if not _falls(sizes, table, ratio, _REFUSE):
        why = (
            "the loss does not clearly fall with the size: the curve is flat, and more rows promise little, or the splits disagree "
            "too much"
        )
        raise InputError(_WHO, "", why, "Use more splits and smaller sizes to find out.")


def _falls(sizes: Any, table: Any, ratio: float | None, level: float) -> bool:
    """Whether the loss clearly falls with the logarithm of the size: the slope of each split, then the corrected t."""
    w = _weights(table)
    logs = np.log(sizes) - np.average(np.log(sizes), weights=w)
    slopes: Any = -((w * logs) @ table) / (w * logs * logs).sum()
    if len(slopes) < 2 or ratio is None:
        return float(slopes.mean()) > 0
    return corrected_t(slopes, ratio, level).low > 0


def _weights(table: Any) -> Any:
    """The inverse variance at each size, at most a hundred times the typical one."""
    if table.shape[1] < 2:
        return np.ones(len(table))
    spread: Any = table.std(axis=1, ddof=1)
    least = 0.1 * float(np.median(spread))
    return np.maximum(spread, least) ** -2.0 if least > 0 else np.ones(len(table))


def _draws(sizes: Any, table: Any, weights: Any, ratio: float, floor: float, level: float, seed: int) -> Any:
    count = table.shape[1]
    fractions = keys(seed, _STREAM, DRAWS * count) >> np.uint64(32)
    at = ((fractions * np.uint64(count)) >> np.uint64(32)).astype(np.int64).reshape(DRAWS, count)
    mean: Any = table.mean(axis=1)
    moved = np.stack([table[:, one].mean(axis=1) for one in at]) - mean  # one at a time: there may be many splits
    # From the spread of a mean of independent values to that of the corrected t, its quantile included.
    stretch = math.sqrt((1 / count + ratio) * count * count / (count - 1)) * t_quantile(level, count - 1)
    return fit(sizes, mean + stretch / z_quantile(level) * moved, weights, floor)


def _doubts(sizes: Any, table: Any, c: float, draws: Any) -> tuple[str, ...]:
    said: list[str] = []
    span = float(sizes.max() / sizes.min())
    if span < NARROW:
        said.append(f"the sizes span only a factor of {span:.2g}")
    if table.shape[1] < FEW_SPLITS:
        said.append(f"only {table.shape[1]} split{'s' if table.shape[1] > 1 else ''}")
    edges = float(_at_edge(c)) if draws is None else float(_at_edge(draws[:, 2]).mean())
    if _at_edge(c):
        said.append(f"the exponent is at the edge of its plausible range ({EXPONENTS[0]:g} to {EXPONENTS[1]:g})")
    elif edges > _EDGE:
        said.append(f"the exponent is uncertain: {100 * edges:.0f} % of the resamples reach an edge of its range")
    return tuple(said)


def _at_edge(c: Any) -> Any:
    low, high = EXPONENTS
    return (c < 1.01 * low) | (c > 0.99 * high)


# ---- least squares


def fit(sizes: Floats, losses: Floats, weights: Floats, floor: float = -math.inf) -> Floats:
    """Least-squares rows ``(a, b, c)``, one per row of losses, with ``a >= floor`` and ``b >= 0``.

    For a given exponent the rest is linear, so one search over the exponent, on a grid and then by golden section, finds the
    global minimum without starting values.
    """
    largest = float(np.max(sizes))
    logs = np.log(np.asarray(sizes, dtype=np.float64) / largest)
    w = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    y = np.asarray(losses, dtype=np.float64)
    mean: Any = y @ w
    lines = _Lines(y - mean[:, None], w, floor - mean)

    def cost(c: Any) -> Any:
        return lines.best(np.exp(-c[:, None] * logs))[2]

    grid: Any = np.geomspace(*EXPONENTS, _GRID)
    at: Any = np.argmin([lines.best(np.exp(-c * logs))[2] for c in grid], axis=0)
    low, high = grid[np.maximum(at - 1, 0)], grid[np.minimum(at + 1, _GRID - 1)]
    for _ in range(_STEPS):
        low, high = _closer(cost, low, high)
    c: Any = (low + high) / 2
    a, b, _ = lines.best(np.exp(-c[:, None] * logs))
    return np.stack([mean + a, b * largest**c, c], axis=1)


def _closer(cost: Callable[[Any], Any], low: Any, high: Any) -> tuple[Any, Any]:
    """One step of the golden-section search."""
    step = _GOLDEN * (high - low)
    left = cost(high - step) <= cost(low + step)
    return cast(Any, np.where(left, low, high - step)), cast(Any, np.where(left, low + step, high))


@dataclass(frozen=True, eq=False)
class _Lines:
    """Weighted lines through rows of ``y``, whose weighted means are 0; ``floor`` is the smallest intercept of each."""

    y: Any
    weights: Any
    floor: Any

    def best(self, x: Any) -> tuple[Any, Any, Any]:
        """Intercept, slope and cost at these x: the free line if within the bounds, or else the better of the two edges."""
        centre = (x * self.weights).sum(axis=-1)
        dx = x - centre[..., None]
        spread = (self.weights * dx * dx).sum(axis=-1)
        along = (self.y * (self.weights * dx)).sum(axis=-1)
        b = along / spread
        a = -b * centre
        level = np.maximum(self.floor, 0.0)
        found = [
            (a, b, np.where((a >= self.floor) & (b >= 0), -along * b, np.inf)),
            (level, 0.0 * b, level**2 + 0.0 * b),
        ]
        if np.isfinite(self.floor).all():
            rest = along - self.floor * centre
            slope = np.maximum(rest, 0.0) / (spread + centre**2)
            found.append((self.floor + 0.0 * slope, slope, self.floor**2 - slope * rest))
        at: Any = np.argmin([cost for *_, cost in found], axis=0)
        a, b, cost = (np.choose(at, parts) for parts in zip(*found, strict=True))
        return a, b, cost
