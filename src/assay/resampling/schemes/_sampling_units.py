"""The units that a scheme splits (rows, or groups of rows) and the strata that every part should represent equally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, to_host
from assay.core.errors import InputError, arg
from assay.core.ingestion import ingest
from assay.core.name_columns import refuse_missing
from assay.inference.draws import mix
from assay.resampling.schemes._group_assignment import assigned, sampled

Indices: TypeAlias = NDArray[np.int64]
MOST_CLASSES = 0.5  # more distinct integers than this fraction of the rows are not classes
BINS = 10  # of a real target, by its quantiles
_STEP = np.uint64(0x9E3779B97F4A7C15)


def keys(seed: int, stream: int, count: int) -> Any:
    """One 64-bit number per unit, a function of (seed, stream, unit) alone: the same on every platform."""
    first = mix(np.array([seed % 2**64], dtype=np.uint64) + _STEP)
    second = mix(first + np.array([stream + 1], dtype=np.uint64) * _STEP)
    return mix(second + np.arange(1, count + 1, dtype=np.uint64) * _STEP)


def key_table(seed: int, streams: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """`keys` of many streams at once, one row per stream."""
    first = mix(np.array([seed % 2**64], dtype=np.uint64) + _STEP)
    second = mix(first + (streams + np.uint64(1)) * _STEP)
    return mix(second[:, None] + np.arange(1, count + 1, dtype=np.uint64) * _STEP)


def codes_of(who: str, name: str, given: ArrayLike) -> Any:
    """Labels as integers from 0, in the order of their sorted values."""
    values = to_host(ingest(given, name=name, who=who))
    if values.ndim != 1:
        raise InputError(who, name, f"must hold one label per row, got shape {values.shape}")
    return _coded(who, name, values)


def _coded(who: str, name: str, values: Any) -> Any:
    refuse_missing(values, name=name, who=who)
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    except (TypeError, ValueError) as error:
        raise InputError(who, name, "must hold text or numbers, not both: its labels have no order") from error


def strata_of(who: str, y: ArrayLike, bins: int) -> Any:
    """Classes as they are; a real target in bins of equal size."""
    values = to_host(ingest(y, name="y", who=who))
    if values.ndim != 1:
        raise InputError(who, "stratify", f"needs one target per row, got shape {values.shape}")
    if values.dtype.kind != "f":
        codes = _coded(who, "y", values)
        if codes.max(initial=0) + 1 <= max(2, MOST_CLASSES * len(codes)):
            return codes
        if values.dtype.kind not in "iu":
            why = "needs classes to stratify by, but nearly every row has a label of its own"
            raise InputError(who, "stratify", why, f"Leave {arg('stratify')} out.")
    if not np.isfinite(values.astype(np.float64)).all():
        raise InputError(who, "stratify", "needs a finite target")
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(values, kind="stable")] = np.arange(len(values))
    return rank * min(bins, len(values)) // max(1, len(values))


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """Rows, or whole groups of them; ``strata`` and ``groups`` are codes from 0, one per row."""

    n: int
    groups: Any = None
    strata: Any = None

    @property
    def count(self) -> int:
        """How many units there are."""
        return self.n if self.groups is None else int(self.groups.max(initial=-1)) + 1

    @cached_property
    def _members(self) -> tuple[Any, Any]:
        """Rows by group, and where each group begins."""
        order = np.argsort(self.groups, kind="stable")
        return order, np.concatenate([[0], np.cumsum(np.bincount(self.groups, minlength=self.count))])

    def rows(self, units: Any) -> Any:
        """The rows of some units, in their order; a unit that occurs twice gives its rows twice."""
        if self.groups is None:
            return np.asarray(units, dtype=np.int64)
        order, begins = self._members
        units = np.asarray(units, dtype=np.int64)
        sizes = begins[units + 1] - begins[units]
        # The position of a row among those requested, moved from where its unit begins there to where it begins in the order.
        shift = np.repeat(begins[units] - np.cumsum(sizes) + sizes, sizes)
        return order[np.arange(len(shift)) + shift]

    @cached_property
    def table(self) -> Any:
        """Rows of each unit by stratum."""
        strata = np.zeros(self.n, dtype=np.int64) if self.strata is None else self.strata
        units = np.arange(self.n) if self.groups is None else self.groups
        width = int(strata.max(initial=0)) + 1
        return np.bincount(units * width + strata, minlength=self.count * width).reshape(self.count, width)

    @cached_property
    def unit_strata(self) -> Any:
        """The stratum of each unit, or None if some group has rows of several."""
        if self.strata is None:
            return np.zeros(self.count, dtype=np.int64)
        if self.groups is None:
            return self.strata
        return self.table.argmax(axis=1) if ((self.table > 0).sum(axis=1) == 1).all() else None


def dealt(units: SamplingUnits, parts: int, key: Any) -> Any:
    """A part from 0 for every unit: parts of equal size, each with an equal proportion of every stratum.

    Single rows are dealt out like cards, stratum after stratum, so that the parts differ by at most one row, within each stratum
    and in total. Groups are larger and mixed: they come in random order, and each goes where it leaves the least imbalance.
    """
    if units.groups is not None:
        return assigned(units.table, parts, key)
    strata = units.unit_strata
    part = np.empty(units.count, dtype=np.int64)
    part[np.lexsort((key, strata))] = np.arange(units.count) % parts
    return part


def drawn(units: SamplingUnits, fraction: float, key: Any) -> Any:
    """Whether each unit is in the test part: ``fraction`` of all rows and of every stratum, give or take one row; of groups, about."""
    if units.groups is not None:
        return sampled(units.table, fraction, key)
    order = np.lexsort((key, units.unit_strata))
    count = int(np.clip(np.round(fraction * units.count), 1, units.count - 1))
    steps = (np.arange(units.count + 1) * count + int(key[0] % np.uint64(units.count))) // units.count
    chosen = np.zeros(units.count, dtype=bool)
    chosen[order] = np.diff(steps) > 0
    return chosen
