"""Centre lines of masks by thinning (Guo and Hall 1989), and what clDice asks of them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.record import Record
from assay.metrics.segmentation.surface_rows import Mask, Reduction, SurfaceDistances, Surfaces
from assay.metrics.segmentation.surfaces import SHARE, SurfaceMetric

# Neighbours in the order of Guo and Hall: east, then against the clock.
STEPS = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))


@functools.cache
def thinning_tables() -> NDArray[np.uint8]:
    """For either pass, which of the 256 neighbourhoods lose their pixel.

    It goes where that breaks no line (one crossing from outside to inside), shortens none (two or three neighbours in pairs), and it lies
    on the side that the pass takes away.
    """
    x: list[Any] = [(np.arange(256) >> k & 1).astype(np.bool_) for k in range(8)]
    crossings: Any = sum((~x[k] & (x[k + 1] | x[(k + 2) % 8])).astype(int) for k in (0, 2, 4, 6))
    pairs: list[Any] = [
        sum((x[(k + shift) % 8] | x[(k + shift + 1) % 8]).astype(int) for k in (0, 2, 4, 6)) for shift in (0, 1)
    ]
    least: Any = np.minimum(*pairs)
    thick = (crossings == 1) & (least >= 2) & (least <= 3)
    north_east, south_west = (x[1] | x[2] | ~x[7]) & x[0], (x[5] | x[6] | ~x[3]) & x[4]
    return np.stack([thick & ~north_east, thick & ~south_west]).astype(np.uint8)


def plain_thinned(mask: Mask, tables: NDArray[np.uint8]) -> Mask:
    """The centre line of a mask: the twin of the kernel."""
    padded = np.pad(mask.astype(np.uint8), 1)
    inner = padded[1:-1, 1:-1]
    h, w = mask.shape
    while True:
        before = inner.copy()
        for table in tables:
            codes: Any = sum(
                padded[1 + y : 1 + y + h, 1 + x : 1 + x + w].astype(np.int64) << k for k, (y, x) in enumerate(STEPS)
            )
            inner &= 1 - table[codes]
        if np.array_equal(before, inner):
            return inner.astype(np.bool_)


@dataclass(frozen=True)
class CentreLines(Surfaces):
    """Centre lines in the place of surfaces: a pixel of one is at distance 0 if the other mask has it."""

    def masks(self, inputs: Inputs, at: int, *, one: bool) -> list[tuple[Mask, Mask]]:
        """True and predicted mask of each class of one picture."""
        found = super().masks(inputs, at, one=one)
        if found[0][0].ndim != 2:
            problem = f"thinning is defined for maps (height, width), got {found[0][0].shape}"
            raise InputError(inputs.who, "", problem, "Pass the slices of a volume as images.")
        return found

    def gaps(self, true: Mask, predicted: Mask, compiled: bool) -> SurfaceDistances:
        """Of either centre line, which pixels the other mask lacks."""
        thin = kernels.thinning.thinned if compiled else plain_thinned
        forth, back = (
            np.where(other[thin(own, thinning_tables())], 0.0, np.inf)
            for own, other in ((true, predicted), (predicted, true))
        )
        size = math.hypot(*true.shape)
        return SurfaceDistances(forth, back, np.ones(len(forth)), np.ones(len(back)), size, size)


@dataclass(frozen=True, kw_only=True)
class ClDice(SurfaceMetric):
    r"""Centre-line Dice (clDice): do vessels, roads and other thin structures keep their course and their connections.

    .. math:: \frac{2 P S}{P + S}, \quad P = \frac{|C_P \cap V_T|}{|C_P|},\; S = \frac{|C_T \cap V_P|}{|C_T|}

    P is the fraction of the predicted centre line that lies in the true mask, S that of the true centre line in the predicted mask.
    How wide a structure is drawn does not matter. Centre lines are thinned after Guo and Hall (1989); pictures only, no volumes.
    One side empty counts 0. The value is the mean over images.

    >>> cl_dice([[1, 1, 1, 1]], [[1, 1, 0, 0]])
    0.6666...
    """

    record = Record(
        title="Centre-line Dice", **SHARE, use="connected thin structures, where Dice hardly sees a gap",
        misleads="blind to width; a few pixels of a skeleton decide where structures are short and thick",
        equals=("skimage.morphology.thin in the place of skeletonize in the formula of its authors",),
        differs=("code of its authors: skimage skeletonize (Zhang and Suen), whose centre lines differ by single pixels",),
        references=("shit2021", "guo1989"), aliases=("cldice", "centerline_dice", "centreline_dice"),
    )  # fmt: skip

    def surfaces(self) -> CentreLines:
        """Centre lines."""
        return CentreLines(self.classes, self.ignore_index, self.background)

    def reduction(self) -> Reduction:
        """The F1 of both fractions."""
        return Reduction("f1")
