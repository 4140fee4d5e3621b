"""The five monoids. A metric never writes its own merge: its data are one of these, and they add up.

Every element allows leading axes, so that ten thousand bootstrap replicates are finalized in one call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from assay.core.errors import StateError
from assay.core.value_checks import LABEL

T = TypeVar("T")
Label: TypeAlias = Annotated[Any, LABEL]  # a class label: str, int or bool
LARGEST_TABLE = 2**31  # bytes


@dataclass(frozen=True)
class Sum:
    """Sums of named per-unit rows; ``totals[..., j]`` belongs to ``names[j]``.

    ``layout`` says what a unit is where the sums alone do not tell: the loss of a row of three classes is not that of two.
    With ``labels`` there is one set of sums per class, ``totals[..., c, j]``; batches that saw other classes add up over all.
    """

    kind: ClassVar[str] = "sum"
    names: tuple[str, ...]
    totals: Any
    n: int
    layout: str = ""
    labels: tuple[Label, ...] = ()
    ignored: int = 0  # rows that were left out because of their truth, which are not among n

    def __getitem__(self, name: str) -> Any:
        return self.totals[..., self.names.index(name)]

    def __add__(self, other: Sum) -> Sum:
        _same("statistics", self.names, other.names)
        _same("problems", self.layout, other.layout)
        if self.labels != other.labels:
            labels = union(self.labels, other.labels)
            return self.over(labels) + other.over(labels)
        _same("shapes", self.totals.shape, other.totals.shape)
        ignored = self.ignored + other.ignored
        return replace(self, totals=self.totals + other.totals, n=self.n + other.n, ignored=ignored)

    def over(self, labels: tuple[Label, ...]) -> Sum:
        """The same sums with a place for each of ``labels``, which must hold all of ours."""
        if labels == self.labels:
            return self
        affordable(self.totals.size // max(1, len(self.labels)) * len(labels))
        totals = np.zeros((*self.totals.shape[:-2], len(labels), len(self.names)), dtype=self.totals.dtype)
        place = {label: at for at, label in enumerate(labels)}
        totals[..., [place[label] for label in self.labels], :] = self.totals
        return replace(self, totals=totals, labels=labels)

    def select(self, names: tuple[str, ...]) -> Sum:
        """The same sums with only these names."""
        return replace(self, names=names, totals=self.totals[..., [self.names.index(name) for name in names]])


@dataclass(frozen=True)
class Counts:
    """A table of cells whose last two axes are (true, predicted); int64, or float64 under weights.

    States of different batches may have seen different labels: the sum is over their union.
    """

    kind: ClassVar[str] = "counts"
    labels: tuple[Label, ...]
    table: Any
    n: int
    layout: str = "square"  # or "pair": (negative, positive); or "labelwise": one 2 x 2 table per label
    ignored: int = 0  # rows that were left out because of their truth, which are not among n

    def __add__(self, other: Counts) -> Counts:
        _same("layouts", self.layout, other.layout)
        if self.layout == "pair" and self.labels != other.labels:
            return self._add_pair(other)
        if self.layout == "labelwise":
            _same("labels", self.labels, other.labels)
        _same("kinds of labels", _kind(self.labels), _kind(other.labels))
        labels = self.labels if self.labels == other.labels else union(self.labels, other.labels)
        table = self.over(labels).table + other.over(labels).table
        return Counts(labels, table, self.n + other.n, self.layout, self.ignored + other.ignored)

    def _add_pair(self, other: Counts) -> Counts:
        """A batch of positive rows alone cannot tell whether the others are called 0 or -1: the batch that saw them can."""
        _same("positive labels", self.labels[1], other.labels[1])
        guessed = [counts for counts in (self, other) if not counts.table[..., 0, :].any()]
        if not guessed:
            _same("labels", self.labels, other.labels)
        unsure = min(guessed, key=lambda counts: counts.labels[0] is not None)  # rather None, of which nothing is known
        labels = other.labels if unsure is self else self.labels
        ignored = self.ignored + other.ignored
        return replace(self, labels=labels, table=self.table + other.table, n=self.n + other.n, ignored=ignored)

    def over(self, labels: tuple[Label, ...]) -> Counts:
        """The same counts in a table over ``labels``, which must hold all of ours."""
        if labels == self.labels:
            return self
        place = {label: at for at, label in enumerate(labels)}
        where = [place[label] for label in self.labels]
        size = len(labels)
        affordable(size * size)
        table = np.zeros((*self.table.shape[:-2], size, size), dtype=self.table.dtype)
        table[..., np.array(where)[:, None], np.array(where)[None, :]] = self.table
        return replace(self, labels=labels, table=table)


@dataclass(frozen=True)
class Moments:
    """Total weight, means and centred second moments of named columns, merged as Chan, Golub and LeVeque (1979).

    A mean far from zero has few digits below the spread, and each merge would round them again; so ``low`` keeps what does not fit in
    ``mean``. After k merges the moments are off by at most about k times 2^-53 of their size, as sums are, however large the mean is.
    """

    kind: ClassVar[str] = "moments"
    names: tuple[str, ...]
    weight: Any  # (...)
    mean: Any  # (..., k)
    m2: Any  # (..., k, k)
    n: int
    low: Any = None  # (..., k): the mean is mean + low; None is zero

    def __add__(self, other: Moments) -> Moments:
        _same("columns", self.names, other.names)
        _same("shapes", self.mean.shape, other.mean.shape)
        weight = self.weight + other.weight
        share = other.weight / np.where(weight == 0, 1.0, weight)
        mine, others = (np.zeros(()) if part.low is None else part.low for part in (self, other))
        delta = (other.mean - self.mean) + (others - mine)
        mean, lost = two_sum(self.mean, delta * share[..., None])
        mean, low = two_sum(mean, mine + lost)
        outer = delta[..., :, None] * delta[..., None, :]
        m2 = self.m2 + other.m2 + outer * (self.weight * share)[..., None, None]
        return Moments(self.names, weight, mean, m2, self.n + other.n, low)

    def average(self, name: str) -> Any:
        """The mean of a column."""
        return self.mean[..., self.names.index(name)]

    def second(self, a: str, b: str | None = None) -> Any:
        """The centred second moment of two columns (a sum, not divided by the weight)."""
        return self.m2[..., self.names.index(a), self.names.index(b or a)]

    def select(self, names: tuple[str, ...]) -> Moments:
        """The same moments of only these columns."""
        at = np.array([self.names.index(name) for name in names])
        low = None if self.low is None else self.low[..., at]
        return Moments(names, self.weight, self.mean[..., at], self.m2[..., at[:, None], at[None, :]], self.n, low)

    @classmethod
    def from_sums(cls, names: tuple[str, ...], shift: Any, sums: Any, n: int) -> Moments:
        """From linear sums of ``(1, d, d d')`` with ``d = x - shift``: the last axis holds 1 + k + k*k numbers.

        A spread that is less than what rounding makes of n sums is none: in such a replicate the column is constant.
        """
        k = len(names)
        weight, first = sums[..., 0], sums[..., 1 : k + 1]
        second = sums[..., k + 1 :].reshape(*sums.shape[:-1], k, k)
        m2 = second - first[..., :, None] * first[..., None, :] / weight[..., None, None]
        least = 4 * np.finfo(np.float64).eps * max(n, 4) * np.real(second)
        none = np.eye(k, dtype=np.bool_) & (np.real(m2) <= least)
        m2 = np.where(none, 0.0, m2)
        return cls(names, weight, shift + first / weight[..., None], m2, n)


@dataclass(frozen=True)
class Extreme:
    """Smallest and largest value of named columns."""

    kind: ClassVar[str] = "extreme"
    names: tuple[str, ...]
    low: Any
    high: Any
    n: int

    def __add__(self, other: Extreme) -> Extreme:
        _same("columns", self.names, other.names)
        return Extreme(self.names, np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.n + other.n)

    def width(self, name: str) -> Any:
        """Largest minus smallest."""
        at = self.names.index(name)
        return self.high[..., at] - self.low[..., at]


@dataclass(frozen=True)
class Rows:
    """The units themselves, one entry per unit in every column; what needs an order sorts them once, at the end."""

    kind: ClassVar[str] = "rows"
    columns: dict[str, Any]
    n: int
    labels: tuple[Label, ...] = ()
    weight: Any = None
    cache: dict[Any, Any] = field(default_factory=lambda: dict[Any, Any](), compare=False, repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def remember(self, key: Any, build: Callable[[], T]) -> T:
        """``build()`` once: an order that every metric and every reweighted copy of these rows shares."""
        if key not in self.cache:
            self.cache[key] = build()
        return cast(T, self.cache[key])

    def __add__(self, other: Rows) -> Rows:
        _same("columns", tuple(self.columns), tuple(other.columns))
        labels = _labels_of(self, other)
        for name, a in self.columns.items():
            _same("shapes", (name, *a.shape[1:]), (name, *other.columns[name].shape[1:]))
        columns = {name: np.concatenate([a, other.columns[name]]) for name, a in self.columns.items()}
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([self.weights(), other.weights()])
        return Rows(columns, self.n + other.n, labels, weight)

    def weights(self) -> Any:
        """The weights, ones where none were given."""
        return np.ones(self.n) if self.weight is None else self.weight

    def reweighted(self, weight: Any) -> Rows:
        """The same units under other weights."""
        return replace(self, weight=weight)


def _labels_of(a: Rows, b: Rows) -> tuple[Label, ...]:
    """The labels of both; where one batch of a binary problem has not seen its negative class (None), the other's."""
    for some, more in ((a.labels, b.labels), (b.labels, a.labels)):
        if some[:1] == (None,) and some[1:] == more[1:]:
            return more
    _same("labels", a.labels, b.labels)
    return a.labels


@dataclass(frozen=True)
class Joint:
    """Several monoids side by side: a product of monoids is a monoid."""

    kind: ClassVar[str] = "joint"
    parts: tuple[Any, ...]

    def __add__(self, other: Joint) -> Joint:
        return Joint(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __getitem__(self, at: int) -> Any:
        return self.parts[at]

    @property
    def n(self) -> int:
        """Number of units seen."""
        return int(self.parts[0].n)


@dataclass(frozen=True)
class Nothing:
    """What a batch without rows, or without any weight, adds to the others: nothing. The neutral element of every monoid."""

    kind: ClassVar[str] = "nothing"
    n: int = 0


Element: TypeAlias = Sum | Counts | Moments | Extreme | Rows | Joint


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The sum, and what its rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def union(a: tuple[Label, ...], b: tuple[Label, ...]) -> tuple[Label, ...]:
    """All labels, in their natural order if they have one, otherwise as they came."""
    both = dict.fromkeys((*a, *b))
    try:
        return tuple(sorted(both))
    except TypeError:
        return tuple(both)


def affordable(cells: int) -> None:
    """Refuse to merge into more than fits in memory: states of batches that hardly share a label."""
    if 8 * cells > LARGEST_TABLE:
        raise StateError(
            "",
            "",
            f"these states hold so many different labels that together they take {8 * cells / 2**30:.3g} GiB, the "
            f"most is {LARGEST_TABLE / 2**30:g}",
            "Are the labels identifiers?",
        )


def _kind(labels: tuple[Label, ...]) -> str:
    return "text" if any(isinstance(label, str) for label in labels) else "numbers"


def _same(what: str, a: Any, b: Any) -> None:
    if a != b:
        raise StateError("", "", f"these states hold different {what} and cannot be added: {a} and {b}")
