"""Kernel distance of features (KID)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError
from assay.core.monoids import Rows
from assay.core.parameters import number, whole
from assay.core.record import Record
from assay.metrics.generation.samples import TAKES, SampleMetric, SampleRows, split_rows

BLOCK = 1024  # rows of inner products that are held at once
FEW = 2500  # rows whose kernel matrix is kept for replicates


@dataclass(frozen=True)
class Polynomial:
    """The kernel ``(gamma x.y + coef)^degree``."""

    degree: int
    gamma: float
    coef: float

    def sums(self, x: Floats, y: Floats, w_x: Floats, w_y: Floats, *, same: bool = False) -> tuple[Floats, Floats]:
        """``K w_y`` and ``K' w_x``; of a sample with itself every pair is worked out once."""
        rows, columns = np.zeros(len(x)), np.zeros(len(y))
        for i in range(0, len(x), BLOCK):
            at, first = slice(i, i + BLOCK), i if same else 0
            product = x[at] @ y[first:].T
            down, across = self._block(product, w_x[at], w_y[first:])
            rows[at] += down
            columns[first:] += across
            if same:  # what lies on the diagonal block was met from both sides
                inner, _ = self._block(product[:, : len(product)], w_x[at], w_y[at])
                rows[at] -= inner
        if same:
            rows += columns
            return rows, rows
        return rows, columns

    def _block(self, product: Any, w_x: Floats, w_y: Floats) -> tuple[Floats, Floats]:
        if kernels.worthwhile(product):
            return kernels.polynomial_kernel.sums(
                np.ascontiguousarray(product), self.gamma, self.coef, self.degree, w_x, w_y
            )
        k = (product.astype(np.float64, copy=False) * self.gamma + self.coef) ** self.degree
        return k @ w_y, w_x @ k

    def diagonal(self, x: Floats) -> Floats:
        """The kernel of each row with itself."""
        square = np.einsum("ij,ij->i", x, x, dtype=np.float64)
        return (square * self.gamma + self.coef) ** self.degree


@dataclass(frozen=True)
class KernelPairs:
    """Weighted kernel sums of one sample: each row with all rows, and over all pairs of different rows."""

    weight: float
    rows: Floats
    diagonal: Floats
    total: float

    @property
    def count(self) -> float:
        """Number of ordered pairs."""
        return self.weight * (self.weight - 1)


def _pair_count(weight: Floats) -> Floats:
    """Number of ordered pairs; NaN where there are none."""
    return np.where(weight > 1, weight * (weight - 1), np.nan)


def _pairs(kernel: Polynomial, x: Any, w: Floats) -> KernelPairs:
    rows, _ = kernel.sums(x, x, w, w, same=True)
    diagonal = kernel.diagonal(x)
    return KernelPairs(float(w.sum()), rows, diagonal, float(w @ rows - w @ diagonal))


@dataclass(frozen=True, kw_only=True)
class KID(SampleMetric):
    r"""Kernel distance of two samples of features: the unbiased estimate of their squared maximum mean discrepancy.

    .. math:: \frac{\sum_{i \ne j} k(x_i, x_j)}{n(n-1)} + \frac{\sum_{i \ne j} k(y_i, y_j)}{m(m-1)} - \frac{2}{nm} \sum_{i,j} k(x_i, y_j)

    The kernel is ``(gamma x.y + coef)^degree`` with gamma 1 / features by default. Unbiased at every size, so it may fall below 0. All
    pairs are used; ``subsets`` of ``subset_size`` rows, drawn with ``seed``, give the mean over subsets that other tools report, which
    depends on the order of the rows. Features in single precision are multiplied in it and added up in double. Undefined if a sample has
    fewer than two rows.

    >>> kid([[0.0, 1.0], [2.0, 3.0], [1.0, 5.0]], [[1.0, 1.0], [3.0, 3.0], [2.0, 5.0]])
    -466.958...
    """

    record = Record(
        title="Kernel inception distance", range=(-np.inf, np.inf), better="lower", family="kernel_distance", takes=TAKES,
        undefined="a sample has fewer than two rows", use="as FID, for small samples: it has no bias to correct",
        misleads="its size depends on kernel, network and resizing; a spread over subsets is not the error of their mean",
        equals=("torch-fidelity's KID with subsets=100 (subset_size=1000, seed=2020)",), references=("binkowski2018",), traps=(21,),
        aliases=("kernel_inception_distance",),
    )  # fmt: skip

    degree: int = 3
    gamma: float | None = None
    coef: float = 1.0
    subsets: int | None = None
    subset_size: int = 1000
    seed: int = 2020

    def check(self) -> None:
        """A kernel and subsets that there can be."""
        whole(self.name, "degree", self.degree, low=1)
        number(self.name, "coef", self.coef)
        if self.gamma is not None:
            number(self.name, "gamma", self.gamma, low=0, open_low=True)
        if self.subsets is not None:
            whole(self.name, "subsets", self.subsets, low=1)
        whole(self.name, "subset_size", self.subset_size, low=2)
        whole(self.name, "seed", self.seed, low=0, high=2**32 - 1)

    def statistic(self) -> SampleRows:
        """The rows."""
        return SampleRows()

    def kernel(self, total: Rows) -> Polynomial:
        """The kernel on these features."""
        return Polynomial(self.degree, 1 / total["features"].shape[1] if self.gamma is None else self.gamma, self.coef)

    def counts(self, total: Rows) -> tuple[float, float]:
        """Weights of both samples."""
        w, fake = total.weights(), total["sample"].astype(bool)
        return float(w[~fake].sum()), float(w[fake].sum())

    def of(self, total: Rows) -> Any:
        """The distance, or one a subset."""
        if self.subsets is not None:
            return self._of_subsets(total)
        x, w_x, y, w_y = split_rows(total)
        if min(w_x.sum(), w_y.sum()) <= 1:
            return np.float64(np.nan)
        kernel = self.kernel(total)
        a, b = _pairs(kernel, x, w_x), _pairs(kernel, y, w_y)
        cross = float(w_x @ kernel.sums(x, y, w_x, w_y)[0])
        return np.float64(a.total / a.count + b.total / b.count - 2 * cross / (a.weight * b.weight))

    def _of_subsets(self, total: Rows) -> Any:
        if total.weight is not None:
            raise InputError("KID", "subsets", "are drawn from rows without weights", "Leave out subsets or weight.")
        x, _, y, _ = split_rows(total)
        size, kernel = self.subset_size, self.kernel(total)
        if min(len(x), len(y)) < size:
            raise ParameterError(
                "KID", "subset_size", f"is {size}, which needs as many rows of each sample, got {len(x)} and {len(y)}"
            )
        draw, ones = np.random.RandomState(self.seed), np.ones(size)
        values = np.empty(self.subsets or 0)
        for i in range(len(values)):
            p, q = (sample[draw.choice(len(sample), size, replace=False)] for sample in (x, y))
            a, b = _pairs(kernel, p, ones), _pairs(kernel, q, ones)
            values[i] = (a.total + b.total) / a.count - 2 * float(kernel.sums(p, q, ones, ones)[0].sum()) / size**2
        return values

    def combine(self, values: Any, total: Rows) -> Any:
        """The mean over subsets."""
        return values.mean(axis=-1) if self.subsets is not None else values

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """The subsets, if there are."""
        return tuple(f"subset {i}" for i in range(self.subsets or 0))

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """All replicates by products with one matrix of the kernel, where that is small enough to keep."""
        if self.subsets is not None or total.n > FEW:
            return super().reweighed(total, weights)
        kernel, x = self.kernel(total), total["features"].astype(np.float64, copy=False)
        fake = total["sample"].astype(bool)
        a, b = weights * ~fake, weights * fake
        with np.errstate(all="ignore"):
            k = total.remember(kernel, lambda: (x @ x.T * kernel.gamma + kernel.coef) ** kernel.degree)
            own = [(((w @ k) * w).sum(axis=1) - w @ np.diagonal(k)) / _pair_count(w.sum(axis=1)) for w in (a, b)]
            cross = ((a @ k) * b).sum(axis=1) / (a.sum(axis=1) * b.sum(axis=1))
        return self.settle(own[0] + own[1] - 2 * cross)

    def row_influence(self, total: Rows) -> Floats:
        """Derivative by the weights, of the estimate from all pairs."""
        x, w_x, y, w_y = split_rows(total)
        kernel = self.kernel(total)
        a, b = _pairs(kernel, x, w_x), _pairs(kernel, y, w_y)
        to_y, to_x = kernel.sums(x, y, w_x, w_y)
        cross = float(w_x @ to_y)
        w, fake = total.weights(), total["sample"].astype(bool)
        values = np.zeros(total.n)
        for side, pairs, across, other in ((~fake, a, to_y, b), (fake, b, to_x, a)):
            own = (2 * pairs.rows - pairs.diagonal) / pairs.count - pairs.total * (
                2 * pairs.weight - 1
            ) / pairs.count**2
            own -= 2 * (across - cross / pairs.weight) / (pairs.weight * other.weight)
            values[side & (w > 0)] = own
        values *= w
        return values - w * (values.sum() / w.sum())
