"""Rows in time: what is tested always comes after what was trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError
from assay.core.parameters import choice, whole
from assay.resampling.schemes._sampling_units import SamplingUnits
from assay.resampling.schemes.scheme import Scheme


@dataclass(frozen=True, kw_only=True)
class TimeOrdered(Scheme):
    """Test windows one after another at the end of the data, each with all that came before it, or with the last of it.

    Rows stand in the order of time. ``test_size`` units make a window (by default what makes ``folds`` + 1 equal parts),
    ``gap`` units before it are left out, so that what is trained on cannot know the test by overlap. A ``"sliding"`` window
    trains on ``train_size`` units at most, an ``"expanding"`` one on all. Groups (days, say) stay whole; each must be a run of
    rows, and time runs in the order of the rows, whatever the groups are called.

    >>> [(s.train.tolist(), s.test.tolist()) for s in TimeOrdered(folds=2, gap=1).splits(6)]
    [([0], [2, 3]), ([0, 1, 2], [4, 5])]
    """

    stratified: ClassVar[str] = "time decides what is tested"

    folds: int = 5
    window: Literal["expanding", "sliding"] = "expanding"
    test_size: int | None = None
    train_size: int | None = None
    gap: int = 0

    def check(self) -> None:
        """Whole numbers; only a sliding window has a size."""
        whole(self.name, "folds", self.folds)
        whole(self.name, "gap", self.gap, low=0)
        choice(self.name, "window", self.window, ("expanding", "sliding"))
        for name in ("test_size", "train_size"):
            if getattr(self, name) is not None:
                whole(self.name, name, getattr(self, name))
        if self.window == "expanding" and self.train_size is not None:
            raise ParameterError(
                f"{self.name}: an expanding window trains on all that came before, so train_size has no part in it. Say "
                'window="sliding", or leave train_size out.'
            )

    def codes(self, groups: ArrayLike) -> Any:
        """The groups as whole numbers from 0, in the order in which they appear."""
        codes = super().codes(groups)
        first = np.unique(codes, return_index=True)[1]
        return np.argsort(np.argsort(first))[codes] if len(codes) else codes

    def count(self, units: SamplingUnits) -> int:
        """One a fold."""
        return self.folds

    def parts(self, units: SamplingUnits) -> Iterator[tuple[Any, Any, int, int]]:
        """Each window with what came before the gap."""
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
            raise InputError(
                f"{self.name}: groups must be runs of rows, in the order of time; some come back after others."
            )
        size = self._size(units)
        left = units.count - self.folds * size - self.gap
        if size < 1 or left < 1:
            raise InputError(
                f"{self.name}: {self.folds} windows of {max(size, 1)} and a gap of {self.gap} leave nothing to train on in "
                f"{units.count} units. Take fewer folds, or smaller windows."
            )
