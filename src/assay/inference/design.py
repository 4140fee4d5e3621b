"""What the independent units of the data are: rows, or groups of rows, drawn as a whole or within strata."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, Floats
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.name_columns import name_column


@dataclass(frozen=True)
class Design:
    """How the sample was drawn.

    ``groups`` are the codes of the group of each row (patients, users, documents): rows of one group are not independent,
    groups are. ``strata`` are codes too: units were drawn within each stratum, in numbers fixed beforehand.
    """

    n: int
    groups: Any = None
    strata: Any = None

    @classmethod
    def of(
        cls, n: int, groups: ArrayLike | None, strata: ArrayLike | None, who: str, weight: Floats | None = None
    ) -> Design:
        """From the columns given by the caller; a group all of whose rows have zero weight is left out."""
        group_codes = None if groups is None else codes_of("groups", groups, n, who)
        if group_codes is not None and weight is not None and weight.min() == 0:
            live = weight > 0
            codes = np.zeros(n, dtype=np.int64)
            codes[live] = np.unique(group_codes[live], return_inverse=True)[1]
            group_codes = codes
        strata_codes = None if strata is None else codes_of("strata", strata, n, who)
        design = cls(n, group_codes, strata_codes)
        design._check(who)
        return design

    @classmethod
    def of_inputs(cls, inputs: Inputs, groups: ArrayLike | None, strata: ArrayLike | None, who: str) -> Design:
        """Of checked inputs: columns that came beside the caller's rows are read for the rows that count."""
        groups, strata = inputs.matching(groups, "groups"), inputs.matching(strata, "strata")
        return cls.of(inputs.n, groups, strata, who, inputs.host_weight())

    def within(self, samples: NDArray[np.int64] | None, who: str) -> Design:
        """The same design where rows were drawn in several samples: strata lie within them."""
        if samples is None:
            return self
        strata = samples if self.strata is None else self.strata * (int(samples.max()) + 1) + samples
        design = Design(self.n, self.groups, np.unique(strata, return_inverse=True)[1].reshape(-1))
        if self.n > 1:
            design._check(who)
        return design

    def _check(self, who: str) -> None:
        if self.groups is not None and self.units < 2:
            raise InputError(
                who, "groups", "holds a single group", "An interval needs at least two independent groups."
            )
        if self.strata is None:
            return
        if self.groups is not None and np.any(self.unit_strata[self.groups] != self.strata):
            raise InputError(who, "groups", "must be nested in strata, but a group lies in several")
        sizes = np.bincount(self.unit_strata)
        if sizes.min() < 2:
            problem = f"must hold at least two units each, but {int((sizes < 2).sum())} hold a single one, which has no spread"
            raise InputError(who, "strata", problem, "Merge them.")

    @property
    def plain(self) -> bool:
        """Whether rows are independent and drawn as a whole."""
        return self.groups is None and self.strata is None

    @property
    def units(self) -> int:
        """Number of independent units."""
        return self.n if self.groups is None else int(self.groups.max()) + 1

    @cached_property
    def unit_strata(self) -> NDArray[np.int64]:
        """The stratum of each unit."""
        if self.groups is None:
            return self.strata
        found = np.empty(self.units, dtype=np.int64)
        found[self.groups] = self.strata
        return found

    @property
    def df(self) -> float:
        """Degrees of freedom of a standard error."""
        return self.units - (1 if self.strata is None else len(np.unique(self.unit_strata)))

    def sums(self, values: Floats) -> Floats:
        """Values of rows added up to units."""
        if self.groups is None:
            return values
        return np.bincount(self.groups, values, minlength=self.units).astype(np.float64)

    def centred(self, influence: Floats) -> tuple[Floats, Floats]:
        """(deviations of the units, factor of each): the squared error is the sum of factor times squared deviation."""
        units = self.sums(influence)
        if self.strata is None:
            return units - units.mean(), np.full(len(units), len(units) / max(1, len(units) - 1))
        size = np.bincount(self.unit_strata).astype(np.float64)
        mean = np.bincount(self.unit_strata, units) / size
        return units - mean[self.unit_strata], (size / (size - 1))[self.unit_strata]

    def error(self, influence: Floats) -> float:
        """The standard error that belongs to influence values of rows."""
        deviation, factor = self.centred(influence)
        return math.sqrt(float(factor @ deviation**2))

    def covariance(self, a: Floats, b: Floats) -> float:
        """The covariance of two estimates from their influence values."""
        (first, factor), (second, _) = self.centred(a), self.centred(b)
        return float((factor * first) @ second)

    def text(self) -> str:
        """What the units are called in the name of a method."""
        grouped = "" if self.groups is None else f"{self.units} groups"
        layered = "" if self.strata is None else f"{len(np.unique(self.unit_strata))} strata"
        return ", ".join(part for part in (grouped, layered) if part)


def codes_of(name: str, column: ArrayLike, n: int, who: str) -> NDArray[np.int64]:
    """A column of labels as codes 0, 1, ...; refuses a wrong length, several columns and missing values."""
    return np.unique(name_column(column, name=name, who=who, n=n), return_inverse=True)[1].reshape(-1)
