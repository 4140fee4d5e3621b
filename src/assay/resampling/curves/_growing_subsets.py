"""Growing training subsets: each size contains all smaller ones, strata keep their proportions, groups stay whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import ParameterError
from assay.resampling.estimate._learning_data import LearningData
from assay.resampling.schemes._sampling_units import SamplingUnits, keys
from assay.resampling.schemes.scheme import Scheme, Split
from assay.resampling.schemes.time_ordered import TimeOrdered

COUNT = 8  # of sizes, unless the caller gives them
_STREAM = 1 << 51
_LEAST, _SHARE, _A_CLASS, _A_COLUMN = 20, 32, 2, 2


@dataclass(frozen=True, eq=False)
class Growing:
    """A split with its training units in the order in which they are added; ``ends`` counts the rows up to each."""

    units: SamplingUnits
    order: Any
    ends: Any
    test: Any
    repeat: int
    fold: int

    @property
    def full(self) -> int:
        """Rows of the whole training set."""
        return int(self.ends[-1])

    def cut(self, rows: float) -> Split:
        """The split with about this many training rows: the number of first units that comes closest."""
        count = int(np.clip(np.searchsorted(self.ends, rows), 0, len(self.ends) - 1))
        below = self.ends[count - 1] if count else -np.inf
        count += bool(self.ends[count] - rows <= rows - below)
        chosen = np.sort(self.order[: max(count, 1)])
        return Split(self.units.rows(chosen), self.test, self.repeat, self.fold)


def growing(scheme: Scheme, data: LearningData, seed: int) -> list[Growing]:
    """The splits of a scheme, each with its training units in an order set by the seed; in time, the latest first."""
    units = scheme.units(data.X, data.y, data.groups)
    found: list[Growing] = []
    for at, (train, test, repeat, fold) in enumerate(scheme.parts(units)):
        if isinstance(scheme, TimeOrdered):
            order: Any = train[::-1]
        else:
            order = spread(train, units.unit_strata, keys(seed, _STREAM + at, units.count))
        sizes = units.table.sum(axis=1)[order] if units.groups is not None else np.ones(len(order), dtype=np.int64)
        found.append(Growing(units, order, np.cumsum(sizes), units.rows(test), repeat, fold))
    return found


def spread(train: Any, strata: Any, key: Any) -> Any:
    """The units in a random order of which every prefix has each stratum in proportion, up to one unit."""
    shuffled = train[np.argsort(key[train], kind="stable")]
    if strata is None:  # groups with rows of several strata: plain random order
        return shuffled
    own = strata[shuffled]
    place = np.empty(len(shuffled))
    for stratum in np.unique(own):
        at = np.flatnonzero(own == stratum)
        place[at] = (np.arange(len(at)) + 0.5) / len(at)
    return shuffled[np.argsort(place, kind="stable")]


def cuts(given: Sequence[Any] | None, parts: list[Growing], scheme: Scheme, data: LearningData) -> list[list[Split]]:
    """The splits at each size, from small to large.

    Training sets of single rows have equal sizes, so each gives exactly the size requested. Groups differ in size, so each
    training set gives the same fraction of itself. Windows in time grow, so the shortest one determines the full size.
    """
    lengths = np.array([part.full for part in parts], dtype=np.float64)
    full = (
        lengths.min()
        if isinstance(scheme, TimeOrdered)
        else lengths.mean()
        if data.groups is not None
        else lengths.max()
    )
    scale = lengths / full if data.groups is not None and not isinstance(scheme, TimeOrdered) else np.ones(len(parts))
    wanted = _default(float(full), data) if given is None else _checked(given, float(full))
    found: list[list[Split]] = []
    for size in wanted:
        cut = [part.cut(size * float(by)) for part, by in zip(parts, scale, strict=True)]
        if found and all(len(a.train) == len(b.train) for a, b in zip(cut, found[-1], strict=True)):
            if given is None:
                continue
            why = f"holds {size:g}, which gives the same training rows as the size before"
            raise ParameterError("learning_curve", "sizes", why, "Leave it out.")
        found.append(cut)
    return found


def _default(full: float, data: LearningData) -> list[float]:
    """Evenly spaced on a log scale, from where learners begin to work: some rows per class, and more rows than columns."""
    shape: Any = getattr(data.X, "shape", ())
    columns = int(shape[1]) if len(shape) == 2 else 0
    least = max(_LEAST, full / _SHARE, _A_CLASS * len(data.classes), _A_COLUMN * columns)
    sizes = np.geomspace(max(2.0, min(least, full / 4)), full, COUNT)
    return sorted({float(round(size)) for size in sizes[:-1]} | {full})


def _checked(given: Sequence[Any], full: float) -> list[float]:
    """Numbers of rows, or fractions of the training set, sorted."""
    sizes: list[float] = []
    for one in given:
        value: Any = one.item() if hasattr(one, "item") else one
        fraction = isinstance(value, float) and 0 < value <= 1
        if not fraction and (isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= full):
            rows = f"numbers of rows from 2 to {full:g} (the training set of a split)"
            raise ParameterError(
                "learning_curve", "sizes", f"must be {rows}, or fractions of it such as 0.5, got {one!r}"
            )
        sizes.append(max(2.0, round(value * full)) if fraction and value < 1 else full if fraction else float(value))
    if not sizes or len(set(sizes)) < len(sizes):
        raise ParameterError("learning_curve", "sizes", "must not be empty, and must be distinct")
    return sorted(sizes)
