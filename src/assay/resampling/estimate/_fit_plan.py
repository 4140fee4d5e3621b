"""Which fits an estimate needs: the splits of its scheme, and those that only its interval requires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.resampling.estimate._fits import FitJob
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.schemes._sampling_units import SamplingUnits, drawn, keys
from assay.resampling.schemes.scheme import CrossValidation, Scheme, Split, Subsampling

HALVES = 10  # pairs of half samples of the conservative z


@dataclass(frozen=True, eq=False)
class FitPlan:
    """The fits of a scheme and a method, in an order that depends on nothing else."""

    scheme: Scheme
    method: str
    data: LearningData

    @property
    def units(self) -> SamplingUnits:
        """What is split."""
        return self.scheme.units(self.data.X, self.data.y, self.data.groups)

    def count(self) -> int:
        """How many fits there are."""
        splits = self.scheme.count(self.units)
        if self.method == "nested_cv":
            folds = splits // _cross(self.scheme).repeats
            return splits + _cross(self.scheme).repeats * (folds * (folds - 1) // 2)
        if self.method == "conservative_z":
            return splits * (1 + 2 * HALVES)
        return splits + (self.method in ("632", "632+"))

    def jobs(self) -> Iterator[FitJob]:
        """One at a time: the plan of a hundred thousand splits takes no memory."""
        index = -1
        for index, split in enumerate(self.scheme.splits(self.data.X, self.data.y, self.data.groups)):
            yield FitJob(index, split)
        for at, (role, split) in enumerate(self._extra(), start=index + 1):
            yield FitJob(at, split, role)

    def _extra(self) -> Iterator[tuple[Any, Split]]:
        if self.method == "nested_cv":
            yield from (("pair", split) for split in self._pairs())
        elif self.method == "conservative_z":
            yield from (("half", split) for split in self._halves())
        elif self.method in ("632", "632+"):
            every = np.arange(self.data.n)
            yield "full", Split(every, every)

    def _pairs(self) -> Iterator[Split]:
        """For every two folds of a repeat the fit without both, which serves for either as the outer one."""
        parts: dict[int, list[Any]] = {}
        for split in self.scheme.splits(self.data.X, self.data.y, self.data.groups):
            parts.setdefault(split.repeat, []).append(split.test)
        for repeat, folds in parts.items():
            for at, (i, j) in enumerate(combinations(range(len(folds)), 2)):
                test = np.concatenate([folds[i], folds[j]])
                left = np.ones(self.data.n, dtype=bool)
                left[test] = False
                yield Split(np.flatnonzero(left), test, repeat, at)

    def _halves(self) -> Iterator[Split]:
        """The scheme repeated within two halves of the units, with test sets as large as those of the whole."""
        scheme, units = _subsampling(self.scheme), self.units
        within = replace(scheme, test=min(0.5, 2 * scheme.test))
        strata = None if units.unit_strata is None else units.unit_strata
        whole = SamplingUnits(units.count, None, strata)
        for pair in range(HALVES):
            first = drawn(whole, 0.5, keys(scheme.seed, pair + (1 << 48), units.count))
            for side, mask in enumerate((first, ~first)):
                rows = np.sort(units.rows(np.flatnonzero(mask)))
                half = replace(within, seed=int(keys(scheme.seed, 2 * pair + side + (1 << 49), 1)[0] >> np.uint64(1)))
                for split in half.splits(len(rows), self.data.y[rows], self.data.groups_of(rows)):
                    yield Split(rows[split.train], rows[split.test], 2 * pair + side, split.repeat)


def _cross(scheme: Scheme) -> CrossValidation:
    assert isinstance(scheme, CrossValidation)
    return scheme


def _subsampling(scheme: Scheme) -> Subsampling:
    assert isinstance(scheme, Subsampling)
    return scheme
