"""The arithmetic of prediction-powered inference: one mean, rectified by predictions, with its variance.

Every estimate of :mod:`assay.inference.ppi` is such a mean: of labels, of differences, or of a metric's pseudo-values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats

Power: TypeAlias = Literal["tuned"] | float
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class JudgedSample:
    """Labels and predictions of the same rows, and the predictions of rows without a label.

    Rows with the same code are one independent unit; without groups every row has a code of its own.
    """

    labels: Floats
    predictions: Floats
    unlabelled: Floats
    codes: Codes
    unlabelled_codes: Codes
    grouped: bool = False

    @property
    def units(self) -> tuple[int, int]:
        """Independent units with and without labels."""
        if not self.grouped:
            return len(self.labels), len(self.unlabelled)
        return len(np.unique(self.codes)), len(np.unique(self.unlabelled_codes))

    def part(self, rows: Any, unlabelled_rows: Any = slice(None)) -> JudgedSample:
        """Some of the rows."""
        return JudgedSample(
            self.labels[rows], self.predictions[rows], self.unlabelled[unlabelled_rows],
            self.codes[rows], self.unlabelled_codes[unlabelled_rows], self.grouped,
        )  # fmt: skip

    def sums(self, labelled: Floats, unlabelled: Floats) -> tuple[Floats, Floats]:
        """What each unit adds to the two means, from values per row; a unit with both kinds of rows has both."""
        size = 1 + int(max(self.codes.max(), self.unlabelled_codes.max()))
        pairs = ((self.codes, labelled), (self.unlabelled_codes, unlabelled))
        first, second = (np.asarray(np.bincount(c, (v - v.mean()) / len(v), size), np.float64) for c, v in pairs)
        return first, second


@dataclass(frozen=True)
class PpiEstimate:
    """A value with its variance, the degrees of freedom of that variance, its third cumulant and the power used."""

    value: float
    variance: float
    df: float
    third: float
    power: float

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    @property
    def skew(self) -> float:
        """The skewness of the estimate itself, which falls with the root of the number of labels."""
        return self.third / self.variance**1.5 if self.variance > 0 else 0.0


def rectified(sample: JudgedSample, power: Power, folds: int = 0, seed: int = 0) -> PpiEstimate:
    """The prediction-powered mean: labels, minus ``power`` times the amount by which the predictions of labelled rows are off.

    With ``folds`` the power of a row is tuned on the other folds. A tuned power costs one degree of freedom, as a slope
    fitted to the labelled units does.
    """
    powers = _powers(sample, power, folds, seed)
    values = sample.labels - powers * (sample.predictions - sample.unlabelled.mean())
    used = float(powers.mean())
    units, others = sample.units
    df = units - 1 - (power == "tuned" and used > 0)
    own, beside = sample.sums(values, used * sample.unlabelled)
    errors = math.sqrt(units / df) * own + math.sqrt(others / (others - 1)) * beside
    return PpiEstimate(float(values.mean()), float(errors @ errors), df, float((errors**3).sum()), used)


def _powers(sample: JudgedSample, power: Power, folds: int, seed: int) -> Floats:
    """The power of each labelled row."""
    n = len(sample.labels)
    if power != "tuned":
        return np.full(n, float(power))
    if not folds:
        return np.full(n, tuned_power(sample, n))
    powers = np.empty(n)
    for held in _folds(sample.codes, folds, seed):
        powers[held] = tuned_power(sample.part(~held), n)
    return powers


def _folds(codes: Codes, folds: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Which rows each fold holds; the rows of a unit stay together."""
    _, unit = np.unique(codes, return_inverse=True)
    fold = np.random.default_rng(seed).permutation(int(unit.max()) + 1) % folds
    for k in range(folds):
        yield fold[unit] == k


def tuned_power(sample: JudgedSample, n: int) -> float:
    """The power between 0 and 1 of the least variance with ``n`` labels (Angelopoulos, Duchi and Zrnic 2023).

    For single rows Cov(y, f) / ((1 + n/N) Var f), Var f from all rows as in the authors' own program; for groups the same
    minimum from the sums of the groups.
    """
    y, _ = sample.sums(sample.labels, sample.unlabelled)
    f, beside = sample.sums(sample.predictions, sample.unlabelled)
    scale = len(sample.labels) / n
    if sample.grouped:
        slope = math.sqrt(scale) * f - beside
        together, spread = math.sqrt(scale) * y @ slope, slope @ slope
    else:
        everything = np.concatenate([sample.predictions, sample.unlabelled])
        together, spread = scale * y @ f, everything.var(ddof=1) * (1 / n + 1 / len(sample.unlabelled))
    return float(np.clip(together / spread, 0, 1)) if spread > 0 else 0.0


def stratified(parts: list[PpiEstimate], shares: Floats, between: float) -> PpiEstimate:
    """The mean over strata; ``between`` is the variance that estimated shares add, and df follow Satterthwaite (1946)."""
    values, variances = np.array([p.value for p in parts]), np.array([p.variance for p in parts])
    terms = shares**2 * variances
    within = float(terms.sum())
    denominator = float((terms**2 / np.array([p.df for p in parts])).sum())
    df = within**2 / denominator if denominator > 0 else float(min(p.df for p in parts))
    third = float(shares**3 @ np.array([p.third for p in parts]))
    power = float(shares @ np.array([p.power for p in parts]))
    return PpiEstimate(float(shares @ values), within + between, df, third, power)


def mean_variance(values: Floats, codes: Codes) -> float:
    """The variance of a mean of rows that belong to independent units."""
    sums = np.bincount(codes, (values - values.mean()) / len(values))
    units = len(np.unique(codes))
    return float(units / (units - 1) * (sums @ sums))
