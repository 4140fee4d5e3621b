"""Resampling schemes: frozen values that yield training and test indices, the same for the same seed on every platform."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import Parameters, check_fields
from assay.core.errors import InputError, ParameterError, arg
from assay.core.parameters import number, whole
from assay.core.value_checks import Says, Seed
from assay.resampling.schemes._sampling_units import (
    BINS,
    Indices,
    SamplingUnits,
    codes_of,
    dealt,
    drawn,
    keys,
    strata_of,
)

Part: TypeAlias = tuple[Indices, Indices, int, int]  # training units, test units, repeat and fold
MOST_ROWS = 10**10  # whose indices alone take 80 gigabytes


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows to test on; training rows of a bootstrap occur as often as they were drawn."""

    train: Indices
    test: Indices
    repeat: int = 0
    fold: int = 0


@dataclass(frozen=True, kw_only=True)
class Scheme(Parameters, ABC):
    """Base of all schemes. ``split`` is that of scikit-learn, so that every scheme can be passed there as ``cv=``."""

    grouped: ClassVar[tuple[str, str] | None] = None  # why groups are refused, if they are, and what to use instead
    stratified: ClassVar[str] = ""  # why strata are refused, if they are

    seed: Seed = 0
    stratify: bool | int = False

    def __post_init__(self) -> None:
        """Check what all schemes share, then what each has of its own."""
        check_fields(self)
        if self.stratify is not False and self.stratified:
            raise ParameterError(self.name, "stratify", f"does not apply here: {self.stratified}")
        if not isinstance(self.stratify, bool):
            whole(self.name, "stratify", self.stratify, low=2)
        self.check()

    @property
    def name(self) -> str:
        """The class name, as used in messages."""
        return type(self).__name__

    def check(self) -> None:
        """Refuse parameters that do not fit together."""

    @abstractmethod
    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """Training units, test units, repeat and fold of every split."""

    @abstractmethod
    def count(self, units: SamplingUnits) -> int:
        """How many splits there are."""

    def splits(self, X: object, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> Iterator[Split]:
        """The splits of these data, one at a time; ``X`` may be the number of rows."""
        units = self.units(X, y, groups)
        for train, test, repeat, fold in self.parts(units):
            yield Split(units.rows(train), units.rows(test), repeat, fold)

    def split(
        self, X: object, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Pairs of indices, as scikit-learn takes them."""
        for one in self.splits(X, y, groups):
            yield one.train, one.test

    def get_n_splits(self, X: object = None, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> int:
        """How many splits there are, under scikit-learn's name."""
        if X is not None:
            return self.count(self.units(X, y, groups))
        codes = None if groups is None else self.codes(groups)
        return self.count(
            SamplingUnits(0 if y is None else _length(self.name, y) if codes is None else len(codes), codes)
        )

    def units(self, X: object, y: ArrayLike | None, groups: ArrayLike | None) -> SamplingUnits:
        """What is split, checked."""
        n = _length(self.name, X)
        codes = None if groups is None else self._long(n, "groups", self.codes(groups))
        strata = None
        if self.stratify is not False:
            if y is None:
                raise InputError(self.name, "stratify", "needs the target", f"Give {arg('y')}.")
            bins = BINS if self.stratify is True else self.stratify
            strata = self._long(n, "y", strata_of(self.name, y, bins))
        units = SamplingUnits(n, codes, strata)
        self._enough(units)
        return units

    def codes(self, groups: ArrayLike) -> Indices:
        """The groups as integers from 0, in the order of their names."""
        if self.grouped:
            raise InputError(self.name, "groups", f"do not apply here: {self.grouped[0]}", self.grouped[1])
        return codes_of(self.name, "groups", groups)

    def _long(self, n: int, name: str, codes: Any) -> Any:
        if len(codes) != n:
            raise InputError(self.name, name, f"must have one entry per row: {n}, got {len(codes)}")
        return codes

    def _enough(self, units: SamplingUnits) -> None:
        if units.count < 2:
            what = "rows" if units.groups is None else "groups"
            raise InputError(self.name, "", f"at least 2 {what} are needed to split, got {units.count}")


def _counted(who: str, rows: int) -> int:
    if rows > MOST_ROWS:
        raise InputError(who, "X", f"must not have more than {MOST_ROWS:.0e} rows")
    return rows


Resampling: TypeAlias = Annotated[
    Scheme | str | None, Says("a scheme such as CrossValidation(folds=10, repeats=5) or a text such as 'cv:10x5'")
]


def _length(who: str, X: Any) -> int:
    """How many rows there are; integers of NumPy have a shape too, an empty one."""
    try:
        if hasattr(X, "__index__") and getattr(X, "shape", ()) == ():
            return _counted(who, operator.index(X))
        return int(X.shape[0] if hasattr(X, "shape") else len(X))
    except (TypeError, IndexError) as error:
        raise InputError(who, "X", f"must be rows of data or their number, got {type(X).__name__}") from error


@dataclass(frozen=True, kw_only=True)
class Holdout(Scheme):
    """One split: a fraction of the rows is kept for testing; with groups, about that fraction, and at least one group.

    >>> [(s.train.tolist(), s.test.tolist()) for s in Holdout(test=0.4).splits(5)]
    [([1, 2, 4], [0, 3])]
    """

    test: float = 1 / 3

    def check(self) -> None:
        """A fraction between 0 and 1."""
        number(self.name, "test", self.test, low=0.0, high=1.0, open_low=True, open_high=True)

    def count(self, units: SamplingUnits) -> int:
        """One."""
        return 1

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """The drawn units and the others."""
        yield from _drawn_parts(units, self.test, self.seed, 1)


@dataclass(frozen=True, kw_only=True)
class Subsampling(Scheme):
    """Hold-out again and again with fresh draws (Monte-Carlo cross-validation).

    Every row, and every group whatever its size, is tested in about that fraction of the repeats.
    """

    repeats: int = 50
    test: float = 0.1

    def check(self) -> None:
        """A number of repeats and a fraction between 0 and 1."""
        whole(self.name, "repeats", self.repeats)
        number(self.name, "test", self.test, low=0.0, high=1.0, open_low=True, open_high=True)

    def count(self, units: SamplingUnits) -> int:
        """One per repeat."""
        return self.repeats

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """The drawn units of each repeat and the others."""
        yield from _drawn_parts(units, self.test, self.seed, self.repeats)


def _drawn_parts(units: SamplingUnits, fraction: float, seed: int, repeats: int) -> Iterator[Part]:
    for repeat in range(repeats):
        chosen = drawn(units, fraction, keys(seed, repeat, units.count))
        yield np.flatnonzero(~chosen), np.flatnonzero(chosen), repeat, 0


@dataclass(frozen=True, kw_only=True)
class CrossValidation(Scheme):
    """Every unit is tested once per repeat, by a learner trained on all other folds.

    Groups are assigned anew in every repeat, so that the folds have about equally many rows.

    >>> [s.test.tolist() for s in CrossValidation(folds=2).splits(5)]
    [[0, 1, 4], [2, 3]]
    """

    folds: int = 10
    repeats: int = 1

    def check(self) -> None:
        """At least two folds."""
        whole(self.name, "folds", self.folds, low=2)
        whole(self.name, "repeats", self.repeats)

    def count(self, units: SamplingUnits) -> int:
        """Folds times repeats."""
        return self.folds * self.repeats

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """Each fold against the others, repeat after repeat."""
        yield from _folded(units, self.folds, self.repeats, self.seed)

    def _enough(self, units: SamplingUnits) -> None:
        if units.count < self.folds:
            what = "rows" if units.groups is None else "groups"
            why = f"must not exceed the number of {what}, got {self.folds} folds of {units.count} {what}"
            raise InputError(self.name, "folds", why, "Choose fewer folds.")


def _folded(units: SamplingUnits, folds: int, repeats: int, seed: int) -> Iterator[Part]:
    for repeat in range(repeats):
        part = dealt(units, folds, keys(seed, repeat, units.count))
        for fold in range(folds):
            yield np.flatnonzero(part != fold), np.flatnonzero(part == fold), repeat, fold


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(Scheme):
    """Every row is tested by a learner trained on all others."""

    grouped: ClassVar[tuple[str, str] | None] = (
        "one row of a group would be tested by its own group",
        "Use LeaveOneGroupOut.",
    )
    stratified: ClassVar[str] = "a test set of one row has no class proportions"

    def count(self, units: SamplingUnits) -> int:
        """One per row."""
        if units.n == 0:
            raise InputError(self.name, "X", "is needed: there are as many splits as rows")
        return units.count

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """Each row against the others."""
        every = np.arange(units.count)
        for row in range(units.count):
            yield np.delete(every, row), every[row : row + 1], 0, row


@dataclass(frozen=True, kw_only=True)
class LeaveOneGroupOut(Scheme):
    """Every group of rows (a patient, a user, a site) is tested by a learner that never saw it.

    ``folds`` deals the groups into that many folds and leaves out one fold at a time: fewer fits where there are many groups.
    """

    folds: int | None = None

    def check(self) -> None:
        """Strata balance folds of several groups; a single group is what it is."""
        if self.folds is not None:
            whole(self.name, "folds", self.folds, low=2)
        elif self.stratify is not False:
            raise ParameterError(self.name, "stratify", "does not apply to single groups", f"Give {arg('folds')} too.")

    def count(self, units: SamplingUnits) -> int:
        """One per group, or one per fold."""
        if self.folds is None and units.groups is None:
            raise InputError(self.name, "groups", "are needed: there are as many splits as groups")
        return self.folds or units.count

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """Each group, or each fold of groups, against the others."""
        if self.folds is not None:
            yield from _folded(units, self.folds, 1, self.seed)
            return
        every = np.arange(units.count)
        for one in range(units.count):
            yield np.delete(every, one), every[one : one + 1], 0, one

    def _enough(self, units: SamplingUnits) -> None:
        if units.groups is None:
            raise InputError(self.name, "groups", "are needed: one label per row")
        if units.count < (self.folds or 2):
            raise InputError(self.name, "groups", f"must be at least {self.folds or 2}, got {units.count}")


LeaveOneObjectOut = LeaveOneGroupOut  # its former name


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Scheme):
    """Trains on as many units as there are, drawn with replacement; tests on those never drawn (about 36.8 %).

    A draw that leaves nothing to test, which happens only with a handful of units, is repeated.
    """

    repeats: int = 100

    def check(self) -> None:
        """A number of repeats."""
        whole(self.name, "repeats", self.repeats)

    def count(self, units: SamplingUnits) -> int:
        """One per repeat."""
        return self.repeats

    def parts(self, units: SamplingUnits) -> Iterator[Part]:
        """The drawn units, including duplicates, and those never drawn."""
        strata = units.unit_strata
        if strata is None:
            why = "cannot keep the class proportions: some groups have rows of several strata"
            raise InputError(self.name, "stratify", why, f"Leave {arg('stratify')} out.")
        order = np.argsort(strata, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        for repeat in range(self.repeats):
            train, test = _redrawn(self.seed, repeat, order, begins)
            yield train, test, repeat, 0


def _redrawn(seed: int, repeat: int, order: Any, begins: Any) -> tuple[Any, Any]:
    """Draws within each stratum until something is left to test."""
    count = len(order)
    sizes = np.diff(begins)
    first, size = np.repeat(begins[:-1], sizes), np.repeat(sizes, sizes).astype(np.uint64)
    for attempt in range(1000):
        fractions = keys(seed, repeat + (attempt << 40), count) >> np.uint64(32)
        train = order[first + ((fractions * size) >> np.uint64(32)).astype(np.int64)]
        left = np.ones(count, dtype=bool)
        left[train] = False
        if left.any():
            return np.sort(train), np.flatnonzero(left)
    why = "leaves nothing to test: every stratum has a single unit"
    raise InputError("Bootstrap", "stratify", why, f"Leave {arg('stratify')} out.")
