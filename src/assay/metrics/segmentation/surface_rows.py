"""What surface metrics gather: the distances between two surfaces, found once per image and reduced to numbers there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.statistic import Linear, Statistic
from assay.metrics.segmentation.maps import image_pair, named_row, over_images, same_form
from assay.metrics.segmentation.overlap_rows import VOID, void_error, void_label
from assay.metrics.segmentation.surfels import areas

Mask: TypeAlias = NDArray[np.bool_]
Missed: TypeAlias = Literal["infinite", "diagonal", "skip"]
Norm: TypeAlias = Literal["euclidean", "taxicab", "chessboard"]
_ORDERS: dict[Norm, float] = {"euclidean": 2, "taxicab": 1, "chessboard": math.inf}
NAMES = ("weight", "absent", "exists", "missed", "value")
LARGE = 20_000  # pixels from which loading compiled code pays: all pairs of sites are many


@dataclass(frozen=True)
class SurfaceDistances:
    """Distances from the true surface to the predicted one and back, with what each site weighs."""

    forth: Floats
    back: Floats
    true_areas: Floats
    predicted_areas: Floats
    diagonal: float  # of the image, in the units of the spacing
    pixels: float  # the same in pixels

    @property
    def empty(self) -> int:
        """How many of the two surfaces are empty."""
        return (not len(self.forth)) + (not len(self.back))


@dataclass(frozen=True)
class Reduction:
    """One number of the distances of an image: ``hausdorff``, ``average``, ``dice`` or ``f1``."""

    kind: str
    number: float = 0.0
    option: str = ""

    def of(self, gaps: SurfaceDistances, weighed: bool) -> float:
        """The number; both surfaces are there."""
        if self.kind == "hausdorff":
            sides = {"from_truth": (gaps.forth, gaps.true_areas), "to_truth": (gaps.back, gaps.predicted_areas)}
            chosen = sides.values() if self.option == "both" else (sides[self.option],)
            return max(percentile(d, a if weighed else None, self.number) for d, a in chosen)
        if self.kind == "average":
            return _average(gaps, self.option)
        tolerance = self.number * (gaps.pixels if self.option == "diagonal" else 1.0)
        near = [
            float(a[d <= tolerance].sum())
            for d, a in ((gaps.forth, gaps.true_areas), (gaps.back, gaps.predicted_areas))
        ]
        sizes = float(gaps.true_areas.sum()), float(gaps.predicted_areas.sum())
        if self.kind == "dice":
            return sum(near) / sum(sizes)
        recall, precision = near[0] / sizes[0], near[1] / sizes[1]
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def is_distance(self) -> bool:
        """Whether a missed surface is infinitely far instead of worth nothing."""
        return self.kind in ("hausdorff", "average")


def percentile(distances: Floats, weights: Floats | None, percent: float) -> float:
    """A percentile: between order statistics as NumPy has it, or the first at which the weights reach the percentage."""
    if percent == 100:
        return float(distances.max())
    if weights is None:
        return float(np.percentile(distances, percent))
    order = np.argsort(distances, kind="stable")
    shares = np.cumsum(weights[order]) / weights.sum()
    return float(distances[order][min(int(np.searchsorted(shares, percent / 100)), len(order) - 1)])


def _average(gaps: SurfaceDistances, direction: str) -> float:
    forth, back = float(gaps.forth @ gaps.true_areas), float(gaps.back @ gaps.predicted_areas)
    true, predicted = float(gaps.true_areas.sum()), float(gaps.predicted_areas.sum())
    if direction == "both":
        return (forth + back) / (true + predicted)
    if direction == "mean":
        return (forth / true + back / predicted) / 2
    return forth / true if direction == "from_truth" else back / predicted


@dataclass(frozen=True)
class Surfaces:
    """Which surfaces: of which classes, in which units, by pixels or by surface elements."""

    classes: tuple[int, ...] | None = None
    ignore: int | None = None
    background: int | None = 0
    spacing: tuple[float, ...] | None = None
    surfels: bool = False
    norm: Norm = "euclidean"

    def masks(self, inputs: Inputs, at: int, *, one: bool) -> list[tuple[Any, Any]]:
        """True and predicted mask of each class of one image; ``one`` if there must be one class alone where none are named."""
        true, predicted = image_pair(inputs, at)
        if self.spacing is not None and len(self.spacing) != true.ndim:
            raise InputError(
                inputs.who,
                "spacing",
                f"has {len(self.spacing)} numbers, but {named_row(inputs, 'y_true', at)} has {true.ndim} axes {true.shape}",
                "Give one number per axis.",
            )
        known = None if self.ignore is None else true != self.ignore
        classes = self.classes or self._occurring(inputs, at, {"y_true": true, "y_pred": predicted}, one=one)
        pairs = [(true == c, predicted == c) for c in classes]
        return pairs if known is None else [(t, p & known) for t, p in pairs]

    def _occurring(self, inputs: Inputs, at: int, maps: dict[str, Any], *, one: bool) -> list[int]:
        """The classes of an image: what occurs on either side, but the background. An empty image has one class, which is empty."""
        found: set[int] = set()
        for name, labels in maps.items():
            there = _labels(labels) - {self.ignore, self.background}
            if (one and there - {1}) or min(there, default=0) < 0:
                raise InputError(
                    inputs.who,
                    named_row(inputs, name, at),
                    f"holds the label {max(there) if min(there) >= 0 else min(there)}; classes are integers from 0, and with "
                    f"{arg('average', None)} maps are masks of 0 and 1 unless classes are given",
                    "Give classes=(1, 2).",
                )
            found |= there
        void = void_label(found) if found - {VOID[0], VOID[1]} else None  # maps of 0 and 255 alone are masks
        if void is not None and self.ignore is None and not (maps["y_pred"] == void).any():
            raise void_error(inputs, at, void)
        return sorted(found) or [1]

    def gaps(self, true: Mask, predicted: Mask, compiled: bool) -> SurfaceDistances:
        """The distances of one pair of masks."""
        spacing = self.spacing or (1.0,) * true.ndim
        find = kernels.surface_distances.between if compiled else plain_between
        a, b, forth, back = find(true, predicted, spacing, corners=self.surfels, norm=self.norm)
        table = areas(spacing) if self.surfels else None
        true_areas, predicted_areas = (np.ones(len(codes)) if table is None else table[codes] for codes in (a, b))
        sizes = [n * s for n, s in zip(true.shape, spacing, strict=True)]
        diagonal = float(np.linalg.norm(sizes, _ORDERS[self.norm]))
        return SurfaceDistances(forth, back, true_areas, predicted_areas, diagonal, math.hypot(*true.shape))


@dataclass(frozen=True)
class SurfaceMeans(Statistic[Sum]):
    """Sums over images of one number of each: how many images have it, and in how many one side is missing."""

    surfaces: Surfaces
    reduction: Reduction
    average: Literal["macro"] | None = "macro"
    missed: Missed = "infinite"

    @property
    def labels(self) -> tuple[int, ...]:
        """The classes, if each has a sum of its own."""
        return () if self.average == "macro" else self.surfaces.classes or (1,)

    def rows(self, inputs: Inputs) -> Floats:
        """(images, values, 5), from the walk that all surface statistics share."""
        asked = frozenset(s for s in inputs.wanted if isinstance(s, SurfaceMeans) and s.surfaces == self.surfaces)
        return _walk(inputs, self.surfaces, asked if self in asked else frozenset({self}))[self]

    def number(self, gaps: SurfaceDistances) -> tuple[float, float, float]:
        """Whether the value exists, whether one side is missing, and the value."""
        if gaps.empty == 2:
            return 0.0, 0.0, 0.0
        if gaps.empty == 0:
            return 1.0, 0.0, self.reduction.of(gaps, self.surfaces.surfels)
        if not self.reduction.is_distance:
            return 1.0, 1.0, 0.0
        return (0.0 if self.missed == "skip" else 1.0), 1.0, (gaps.diagonal if self.missed == "diagonal" else 0.0)

    def row(self, numbers: list[tuple[float, float, float]]) -> Floats:
        """The numbers of the classes of an image as rows, or their mean as one."""
        table = np.array(numbers)
        if self.average == "macro":
            exists, missed, value = table.sum(axis=0)
            table = np.array([[float(exists > 0), float(missed > 0), value / max(exists, 1.0)]])
        return np.concatenate([np.ones((len(table), 1)), 1 - table[:, :1], table], axis=1)

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return NAMES

    def of(self, inputs: Inputs) -> Sum:
        """Their weighted sums."""
        rows, weight = self.rows(inputs), inputs.host_weight()
        totals = rows.sum(axis=0) if weight is None else np.tensordot(weight, rows, 1)
        return Sum(NAMES, totals if self.labels else totals[0], inputs.n, labels=self.labels)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per image."""
        rows = self.rows(inputs).reshape(inputs.n, -1)
        shape = (len(self.labels), len(NAMES)) if self.labels else (len(NAMES),)

        def build(t: Floats) -> Sum:
            return Sum(NAMES, t.reshape(*t.shape[:-1], *shape), inputs.n, labels=self.labels)

        return Linear(build, rows.shape[1], rows=rows)


def _labels(labels: Any) -> set[int]:
    """What occurs. Masks are recognised by their minimum and maximum: to sort their pixels would take longer than their surfaces."""
    low, high = (int(labels.min()), int(labels.max())) if labels.size else (0, -1)
    return set(range(low, high + 1)) if high <= low + 1 else {int(label) for label in np.unique(labels)}


@memo
def _walk(inputs: Inputs, surfaces: Surfaces, asked: frozenset[SurfaceMeans]) -> dict[SurfaceMeans, Floats]:
    """Every image once: surfaces and distances, then the numbers of all that ask."""
    same_form(inputs)
    array = inputs.host("y_true")
    compiled = array.dtype.kind == "O" or array.size >= LARGE
    one = any(s.average is None for s in asked)

    def work(at: int) -> list[Floats]:
        gaps = [surfaces.gaps(true, predicted, compiled) for true, predicted in surfaces.masks(inputs, at, one=one)]
        return [s.row([s.number(gap) for gap in gaps]) for s in asked]

    found = over_images(inputs, work, compiled=compiled)
    return {one: np.stack([rows[i] for rows in found]) for i, one in enumerate(asked)}


# ---- the plain twin of the kernel


def plain_between(
    a: Mask, b: Mask, spacing: tuple[float, ...], *, corners: bool, norm: Norm = "euclidean"
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """Codes of the sites of both surfaces, and the distances of each to the other surface, by all pairs."""
    sites = plain_corners if corners else plain_pixels
    (places_a, codes_a), (places_b, codes_b) = sites(a), sites(b)
    if not len(codes_a) or not len(codes_b):
        return codes_a, codes_b, np.full(len(codes_a), np.inf), np.full(len(codes_b), np.inf)
    steps = (places_a[:, None] - places_b[None]) * np.array(spacing)
    distances = np.linalg.norm(steps, _ORDERS[norm], axis=-1)
    return codes_a, codes_b, distances.min(axis=1), distances.min(axis=0)


def plain_pixels(mask: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the pixels that have a neighbour along an axis outside the mask."""
    middle = (slice(1, -1),) * mask.ndim
    padded = np.zeros([n + 2 for n in mask.shape], dtype=np.bool_)
    padded[middle] = mask
    inner = padded[middle].copy()
    for axis in range(mask.ndim):
        for step in (slice(None, -2), slice(2, None)):
            inner &= padded[(*middle[:axis], step, *middle[axis + 1 :])]
    places = np.argwhere(padded[middle] & ~inner)
    return places, np.ones(len(places), dtype=np.int64)


def plain_corners(mask: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places and codes of the corners around which mask and background meet."""
    padded = np.pad(mask.astype(np.int64), 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2,) * mask.ndim)
    bits = np.array([2**k for k in range(2**mask.ndim - 1, -1, -1)]).reshape((2,) * mask.ndim)
    codes: Any = (windows * bits).sum(axis=tuple(range(-mask.ndim, 0)))
    there = (codes > 0) & (codes < bits.sum())
    return np.argwhere(there), codes[there]
