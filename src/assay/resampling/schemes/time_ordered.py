"""A scheme for rows ordered in time: test rows always come after training rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError, arg
from assay.core.parameters import choice, whole
from assay.resampling.schemes._sampling_units import Indices, SamplingUnits
from assay.resampling.schemes.scheme import Part, Scheme


@dataclass(frozen=True, kw_only=True)
class TimeOrdered(Scheme):
    """Consecutive test windows at the end of the data, each with all the rows before it, or with the last of them.

    Rows must be in time order. ``test_size`` units make a window (by default the size that gives ``folds`` + 1 equal parts);
    ``gap`` units before it are left out, so that training rows cannot overlap with the test. A ``"sliding"`` window trains on at
    most ``train_size`` units, an ``"expanding"`` one on all. Groups (days, say) stay whole; each must be contiguous, and time
    follows the order of the rows, whatever the groups are called.

    >>> [(s.train.tolist(), s.test.tolist()) for s in TimeOrdered(folds=2, gap=1).splits(6)]
    [([0], [2, 3]), ([0, 1, 2], [4, 5])]
    """

    stratified: ClassVar[str] = "time determines what is tested"

    folds: int = 5
    window: Literal["expanding", "sliding"] = "expanding"
    test_size: int | None = None
    train_size: int | None = None
    gap: int = 0

    def check(self) -> None:
        """Integers; only a sliding window has a training size."""
        whole(self.name, "folds", self.folds)
        whole(self.name, "gap", self.gap, low=0)
        choice(self.name, "window", self.window, ("expanding", "sliding"))
        for name in ("test_size", "train_size"):
            if getattr(self, name) is not None:
                whole(self.name, name, getattr(self, name))
        if self.window == "expanding" and self.train_size is not None:
            why = "has no effect: an expanding window trains on all earlier rows"
            fix = f"Use {arg('window', 'sliding')}, or leave {arg('train_size')} out."
            raise ParameterError(self.name, "train_size", why, fix)

    def codes(self, groups: ArrayLike) -> Indices:
        """The groups as integers from 0, in order of appearance."""
        codes = super().codes(groups)
        first = np.unique(codes, return_index=True)[1]
        return np.argsort(np.argsort(first))[codes] if len(codes) else codes

    def count(self, units: SamplingUnits) -> int:
        """One per fold."""
        return self.folds

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """Each window with the units before its gap."""
        size = self._size(units)
        every = np.arange(units.count)
        longest = self.train_size or (units.count - self.folds * size - self.gap if self.window == "sliding" else None)
        for fold in range(self.folds):
            begin = units.count - (self.folds - fold) * size
            end = begin - self.gap
            start = 0 if longest is None else max(0, end - longest)
            yield every[start:end], every[begin : begin + size], 0, fold

    def _size(self, units: SamplingUnits) -> int:
        return self.test_size or units.count // (self.folds + 1)

    def _enough(self, units: SamplingUnits) -> None:
        if units.groups is not None and (np.diff(units.groups) < 0).any():
            raise InputError(self.name, "groups", "must be contiguous rows in time order, but some recur after others")
        size = self._size(units)
        left = units.count - self.folds * size - self.gap
        if size < 1 or left < 1:
            why = f"{self.folds} windows of {max(size, 1)} and a gap of {self.gap} leave nothing to train on in {units.count} units"
            raise InputError(self.name, "", why, "Choose fewer folds, or smaller windows.")
