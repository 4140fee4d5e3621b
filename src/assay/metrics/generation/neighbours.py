"""Precision, recall, density and coverage of a generated sample, from nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.monoids import Rows
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.metrics.generation.samples import TAKES, SampleMetric, SampleRows, split_rows
from assay.ops import divide

NUMBERS = 4_000_000  # distances that are held at once
LARGE = 1e8  # multiplications; below this, arrays in double precision are done before numba is loaded
MOST = 32  # neighbours; for more of them the kernel would measure too many distances one by one
MEASURES = ("precision", "recall", "density", "coverage")


@dataclass(frozen=True)
class Found:
    """What a measure says of each row that it is a mean of, with the rows' weights."""

    values: Floats
    weight: Floats


def squared_distances(x: Floats, y: Floats, x_square: Floats, y_square: Floats) -> Floats:
    """Squared distances of rows; what rounding leaves of a zero is zero."""
    sizes = x_square[:, None] + y_square[None, :]
    out = sizes - 2 * (x @ y.T)
    out[out <= 16 * np.finfo(np.float64).eps * sizes] = 0
    return out


def radii(x: Floats, square: Floats, weight: Floats, k: int) -> Floats:
    """Squared distance to the k-th nearest other row; a row of weight 3 has two others at distance 0."""
    out = np.empty(len(x))
    plain = bool((weight == 1).all())
    step = max(1, NUMBERS // max(1, len(x)))
    for i in range(0, len(x), step):
        block = squared_distances(x[i : i + step], x, square[i : i + step], square)
        at = np.arange(len(block))
        if plain:
            block[at, i + at] = 0
            out[i : i + step] = np.partition(block, k, axis=1)[:, k] if k < len(x) else np.inf
        else:
            block[at, i + at] = 0
            out[i : i + step] = _weighted_radii(block, i, weight, k)
    return out


def _weighted_radii(block: Floats, start: int, weight: Floats, k: int) -> Floats:
    """The distance within which others weigh k."""
    order = np.argsort(block, axis=1, kind="stable")
    around = np.cumsum(weight[order], axis=1) - 1  # less the one copy that looks around
    enough = around >= k - 1e-9
    first = np.argmax(enough, axis=1)
    found = np.take_along_axis(block, np.take_along_axis(order, first[:, None], axis=1), axis=1)[:, 0]
    return np.where(enough.any(axis=1), found, np.inf)


def neighbourhoods(total: Rows, k: int) -> dict[str, Found]:
    """All four measures, row by row, from one pass over the distances between the samples."""
    x, w_x, y, w_y = split_rows(total)
    plain = bool((w_x == 1).all() and (w_y == 1).all())
    large = plain and float(len(x)) * len(y) * x.shape[1] >= LARGE and k <= MOST
    balls, met, caught = kernels.neighbours.neighbourhoods(x, y, k) if large else _balls(x, w_x, y, w_y, k)
    return {
        "precision": Found((balls > 0).astype(np.float64), w_y), "density": Found(balls / k, w_y),
        "recall": Found(caught.astype(np.float64), w_x), "coverage": Found(met.astype(np.float64), w_x),
    }  # fmt: skip


def _balls(x: Any, w_x: Floats, y: Any, w_y: Floats, k: int) -> tuple[Any, Any, Any]:
    """What the balls of x around each row of y weigh, which balls of x hold any, and which rows of x lie in a ball of y."""
    middle = x.mean(axis=0, dtype=np.float64) if len(x) else 0.0  # small numbers keep more digits of their differences
    x, y = x.astype(np.float64) - middle, y.astype(np.float64) - middle
    xx, yy = (np.einsum("ij,ij->i", s, s) for s in (x, y))
    around_x, around_y = radii(x, xx, w_x, k), radii(y, yy, w_y, k)
    balls, caught, met = np.zeros(len(y)), np.zeros(len(x), dtype=bool), np.zeros(len(x), dtype=bool)
    step = max(1, NUMBERS // max(1, len(y)))
    for i in range(0, len(x), step):
        at = slice(i, i + step)
        far = squared_distances(x[at], y, xx[at], yy)
        inside = far <= around_x[at, None]
        balls += w_x[at] @ inside
        met[at] = inside.any(axis=1)
        caught[at] = (far <= around_y[None, :]).any(axis=1)
    return balls, met, caught


@dataclass(frozen=True, kw_only=True)
class PrecisionRecallGenerative(SampleMetric):
    r"""Precision, recall, density or coverage of a generated sample, by balls that reach to the k-th neighbour.

    .. math:: \frac1m \sum_j \mathbf 1\left[y_j \in \bigcup_i B(x_i, r_k(x_i))\right]

    ``measure="precision"`` is the fraction of generated rows inside the ball of a real row; ``"recall"`` the fraction of real rows inside
    the ball of a generated one; ``"density"`` the mean number of real balls around a generated row, over k; ``"coverage"`` the fraction of
    real balls with a generated row inside. Balls are closed. The interval treats the balls as
    fixed. Undefined if a sample has no more than k rows.

    >>> real, fake = [[0.0], [1.0], [2.0], [3.0]], [[0.5], [2.5], [9.0], [9.5]]
    >>> precision_recall_generative(real, fake, k=1), precision_recall_generative(real, fake, k=1, measure="recall")
    (0.5, 1.0)
    """

    record = Record(
        title="Precision, recall, density and coverage of a generated sample", range=(0, np.inf), better="higher",
        family="manifold", takes=TAKES, undefined="a sample has no more than k rows",
        use="to tell images that look wrong (precision, density) from kinds that are missing (recall, coverage)",
        misleads="one real outlier has a huge ball: precision and recall reward it, density and coverage less; depends on k and n",
        equals=("torch-fidelity's PRC (precision, recall)", "prdc with k=5, but for rows on the edge of a ball"),
        references=("kynkaanniemi2019", "naeem2020"), traps=(21,),
    )  # fmt: skip

    measure: Literal["precision", "recall", "density", "coverage"] = "precision"
    k: int = 3

    def check(self) -> None:
        """A measure and a number of neighbours."""
        choice(self.name, "measure", self.measure, MEASURES)
        whole(self.name, "k", self.k)

    @property
    def bounds(self) -> tuple[float, float]:
        """Shares end at 1."""
        return self.record.range if self.measure == "density" else (0, 1)

    def statistic(self) -> SampleRows:
        """The rows."""
        return SampleRows()

    def counts(self, total: Rows) -> tuple[float, float]:
        """Weights of both samples."""
        w, fake = total.weights(), total["sample"].astype(bool)
        return float(w[~fake].sum()), float(w[fake].sum())

    def found(self, total: Rows) -> Found | None:
        """The rows that the value is a mean of; None where there are too few for a ball."""
        if min(self.counts(total)) - 1 < self.k - 1e-9:
            return None
        if total.weight is None:
            return total.remember(("neighbourhoods", self.k), lambda: neighbourhoods(total, self.k))[self.measure]
        return neighbourhoods(total, self.k)[self.measure]

    def of(self, total: Rows) -> Any:
        """Their mean."""
        found = self.found(total)
        return np.float64(np.nan) if found is None else divide(found.weight @ found.values, found.weight.sum())
