"""Several curves at once: their areas, the mean and the range of these, and the mean curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Label


class WithArea(Protocol):
    """A curve that has an area."""

    @property
    def area(self) -> float:
        """The area under the curve; NaN where it is undefined."""
        ...


Curve = TypeVar("Curve", bound=WithArea)


class Curves(dict[Label, Curve]):
    """One curve per class or pair of classes, by label; the mean and the range of their areas."""

    @property
    def areas(self) -> dict[Label, float]:
        """The area under each curve; NaN where it is undefined."""
        return {label: curve.area for label, curve in self.items()}

    @property
    def mean_area(self) -> float:
        """The mean of the areas that are defined: the macro average; NaN if none is."""
        known = self._known
        return float(np.mean(known)) if known else float("nan")

    @property
    def area_range(self) -> tuple[float, float]:
        """The smallest and the largest area."""
        known = self._known
        return (min(known), max(known)) if known else (float("nan"), float("nan"))

    @property
    def _known(self) -> list[float]:
        return [area for area in self.areas.values() if not np.isnan(area)]

    def __repr__(self) -> str:
        """Labels and areas, not the points."""
        low, high = self.area_range
        of = ", ".join(f"{label}: {area:.4g}" for label, area in list(self.areas.items())[:8])
        more = ", ..." if len(self) > 8 else ""
        return f"{len(self)} curves, mean area {self.mean_area:.4g} ({low:.4g} to {high:.4g}): {of}{more}"


def mean_line(curves: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The mean of rising polygons (x, y) from (0, 0) to (1, 1), taken at every x of any of them.

    Where a curve jumps, both ends of the jump are points, so that the area of the mean is the mean of the areas.
    """
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    low, high = np.zeros(len(grid)), np.zeros(len(grid))
    for x, y in curves:
        at, first = np.unique(x, return_index=True)
        last = np.append(first[1:], len(x)) - 1
        # Between two of its own x the curve runs from the upper end at the left to the lower end at the right.
        left = np.interp(grid, at, y[first])
        right = np.interp(grid, at, y[last])
        cell = np.clip(np.searchsorted(at, grid, side="right") - 1, 0, max(len(at) - 2, 0))
        inside = ~np.isin(grid, at)
        if inside.any():
            x0, x1, y0, y1 = at[cell], at[cell + 1], y[last][cell], y[first][cell + 1]
            straight = y0 + (y1 - y0) * np.divide(grid - x0, x1 - x0)
            left, right = np.where(inside, straight, left), np.where(inside, straight, right)
        low, high = low + left, high + right
    count = len(curves)
    points = np.repeat(grid, 2), np.stack([low, high], axis=1).reshape(-1) / count
    keep = np.append(True, (np.diff(points[0]) > 0) | (np.diff(points[1]) > 0))  # no point twice
    return points[0][keep], points[1][keep]


def mean_steps(curves: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The mean of precisions (recall, precision) at every recall of any of them, each by its own steps."""
    grid = np.unique(np.concatenate([x[x > 0] for x, _ in curves]))
    # A recall that is met exactly counts as met: quotients of weights differ in the last digit.
    places = [np.minimum(np.searchsorted(x, grid * (1 - 1e-12), side="left"), len(x) - 1) for x, _ in curves]
    return grid, np.mean([y[at] for (_, y), at in zip(curves, places, strict=True)], axis=0)
