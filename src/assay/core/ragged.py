"""A column whose rows hold any number of items: the boxes of an image. Items lie in flat arrays, so that kernels walk over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np


@dataclass(frozen=True, eq=False)
class Ragged:
    """``items`` are flat arrays of equal length, row after row; row i holds ``starts[i]`` to ``starts[i + 1]``.

    ``pools`` are arrays that items point into (runs of masks) and ``facts`` what belongs to rows (image sizes, names), one
    entry a row. It behaves as an array of one axis: `Inputs` takes its rows, slices and all.
    """

    items: Mapping[str, Any]
    starts: Any
    pools: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    facts: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())

    ndim: ClassVar[int] = 1
    dtype: ClassVar[Any] = np.dtype(object)

    @classmethod
    def of(cls, items: Mapping[str, Any], counts: Any, **more: Any) -> Ragged:
        """From the number of items of each row."""
        return cls(items, np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]), **more)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int]:
        """The number of rows, as arrays say it."""
        return (self.n,)

    def __len__(self) -> int:
        return self.n

    @cached_property
    def counts(self) -> Any:
        """The number of items of each row."""
        return np.diff(self.starts)

    @cached_property
    def row(self) -> Any:
        """The row of each item."""
        return np.repeat(np.arange(self.n), self.counts)

    def __getitem__(self, name: str) -> Any:
        return self.items[name]

    def __contains__(self, name: str) -> bool:
        return name in self.items

    def take(self, at: Any) -> Ragged:
        """Some of the rows: a slice, or positions."""
        rows = np.arange(self.n)[at]
        if isinstance(at, slice) and cast(Any, at).step in (None, 1):
            first, last = (int(self.starts[rows[0]]), int(self.starts[rows[-1] + 1])) if len(rows) else (0, 0)
            items = {name: values[first:last] for name, values in self.items.items()}
        else:
            begins = self.starts[rows]
            sizes = self.counts[rows]
            shift = np.repeat(begins - np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(rows) else begins, sizes)
            picked = np.arange(int(sizes.sum())) + shift
            items = {name: values[picked] for name, values in self.items.items()}
        facts = {name: values[rows] for name, values in self.facts.items()}
        return Ragged.of(items, self.counts[rows], pools=self.pools, facts=facts)

    def differs(self, other: Ragged) -> Any:
        """For each row whether its items are not those of ``other``."""
        if set(self.items) != set(other.items):
            return np.ones(self.n, dtype=np.bool_)
        found = self.counts != other.counts
        alike = np.flatnonzero(~found)
        mine, theirs = self.take(alike), other.take(alike)
        for name in {*mine.items, *theirs.items}:
            if name in mine and name in theirs and mine[name].shape == theirs[name].shape:
                unequal = np.asarray(mine[name] != theirs[name])
                unequal = unequal.any(axis=tuple(range(1, unequal.ndim)))
            else:
                unequal = np.ones(len(mine.row), bool)  # only one side says this of its items
            found[alike[mine.row[unequal]]] = True
        return found

    def keep(self, which: Any) -> Ragged:
        """Some of the items of every row, by a flag for each."""
        if which.all():
            return self
        counts = np.bincount(self.row[which], minlength=self.n)
        items = {name: values[which] for name, values in self.items.items()}
        return Ragged.of(items, counts, pools=self.pools, facts=self.facts)
