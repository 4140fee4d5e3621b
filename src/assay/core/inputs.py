"""The data of one call, checked once and shared by every statistic that is computed from them."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from assay.core.arrays import (
    Array,
    ArrayLike,
    Host,
    as_float,
    describe,
    epsilon,
    is_foreign,
    is_numpy,
    kind_of,
    like,
    namespace,
    to_host,
    together,
)
from assay.core.errors import EmptyInputError, InputError, arg
from assay.core.ingestion import column_names, ingest
from assay.core.ragged import Ragged

F = TypeVar("F", bound=Callable[..., Any])
SAFE = 2.0**200  # weights whose sum lies within this factor of 1 can be multiplied and cubed without a thought


def memo(function: F) -> F:
    """A function or method that is computed once for the same data: the `Inputs` among its first two arguments keep the result.

    The other arguments are the key, and must be hashable.
    """
    defaults: dict[str, Any] = cast(Any, function).__kwdefaults__ or {}

    @functools.wraps(function)
    def once(*args: Any, **named: Any) -> Any:
        at = 0 if isinstance(args[0], Inputs) else 1
        key: tuple[Any, ...] = (once, *args[:at], *args[at + 1 :], *{**defaults, **named}.items())
        results = args[at].results
        if key not in results:
            results[key] = function(*args, **named)
        return results[key]

    return cast(F, once)


class Inputs:
    """Named arrays of equal length and an optional weight.

    ``wanted`` tells which statistics will be needed, so that those which read the same columns can share one pass;
    ``results`` keeps what functions marked with `memo` have computed already.
    """

    def __init__(
        self, values: Mapping[str, ArrayLike | None], *, weight: ArrayLike | None = None, who: str = "assay"
    ) -> None:
        self.who = who
        self.shown: dict[str, str] = {}  # the names by which the caller knows the arrays, where they differ from ours
        given = {name: v for name, v in values.items() if v is not None}
        self.columns = {name: names for name, v in given.items() if (names := column_names(v)) is not None}
        arrays = {name: ingest(v, name=name, who=who) for name, v in given.items()}
        for name, array in arrays.items():
            _refuse_kind(array, name, who)
        if weight is not None:
            arrays["weight"] = as_float(self._number_like("weight", ingest(weight, name="weight", who=who)))
        self.epsilon = {
            name: epsilon(a) for name, a in arrays.items()
        }  # of the dtypes that came in, before any widening
        arrays = together(arrays, who)
        self.weight: Array | None = arrays.pop("weight", None)
        self.arrays = arrays
        self.n = self._length()
        self.wanted: frozenset[Hashable] = frozenset()
        self.free: dict[str, Any] = {}  # inputs that are not one value per row, such as a training series
        self.results: dict[Hashable, Any] = {}
        self.weight_total = self._check_weight()
        self.balanced = False  # whether the weights were multiplied to bring them near 1
        self.given = self.n  # rows of the caller's
        self.counted: Host | None = None  # which of these are here, where some were left out
        self.ignored = 0  # how many of them were left out because of their truth

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def known(self, function: Callable[..., Any], *others: Hashable) -> Any:
        """What a function marked with `memo` gave for these data and other arguments; None if it was not called."""
        return self.results.get((function, *others))

    def forget_rows(self, keep: Iterable[Hashable] = ()) -> None:
        """Let go of what has one value per row and was computed for none of ``keep``; sums and tables stay known."""
        kept = set(keep)
        self.results = {k: v for k, v in self.results.items() if kept & set(cast(Any, k)) or not _per_row(v, self.n)}

    def renamed(self, old: str, new: str) -> Inputs:
        """The same data with the array ``new`` in the place of ``old``."""
        other = self._like({**{k: a for k, a in self.arrays.items() if k not in (old, new)}, old: self.arrays[new]})
        other.shown = {**self.shown, old: new}
        other.columns = {(old if k == new else k): names for k, names in self.columns.items() if k != old}
        other.epsilon = {**self.epsilon, old: self.epsilon[new]}
        return other

    def only(self, names: Iterable[str]) -> Inputs:
        """The same data with these arrays alone."""
        wanted = set(names)
        if wanted == set(self.arrays):
            return self  # with everything that is known about them already
        return self._like({name: a for name, a in self.arrays.items() if name in wanted})

    def rows(self, at: Any) -> Inputs:
        """Some of the rows: a slice, or positions as a host array."""

        def pick(array: Array) -> Array:
            if isinstance(array, Ragged):
                return array.take(at)
            if isinstance(at, slice) or is_numpy(array):
                return array[at, ...]
            return namespace(array).take(array, like(array, at), axis=0)

        other = self._like({name: pick(a) for name, a in self.arrays.items()})
        other.weight = None if self.weight is None else pick(self.weight)
        other.n = other.given = int(next(iter(other.arrays.values())).shape[0])
        other.counted, other.ignored = None, 0
        return other

    def counting(self, at: Host, given: int) -> Inputs:
        """The rows at these positions, which are those that count of ``given`` rows of the caller's; the others are left out."""
        if not len(at):
            raise EmptyInputError(self.who, "", "the truth of every row is to be ignored, so nothing would be measured")
        other = self.rows(at)
        other.weight_total = other._check_weight()
        other.given, other.counted, other.ignored = given, at, given - len(at)
        return other

    def given_rows(self, at: Host) -> Inputs:
        """Some of the rows that the caller gave, by their places among these; what was left out stays out."""
        if self.counted is None:
            return self.rows(at)
        there = np.isin(at, self.counted)
        other = self.rows(np.searchsorted(self.counted, at[there])) if there.any() else self
        other = other.counting(np.arange(int(there.sum())), len(at))
        other.counted = np.flatnonzero(there)
        return other

    def matching(self, column: ArrayLike | None, name: str) -> ArrayLike | None:
        """A column that came beside the caller's rows (groups, slices, ids), for the rows that count."""
        if column is None or self.counted is None:
            return column
        array = to_host(ingest(column, name=name, who=self.who))
        if array.shape[:1] != (self.given,):
            raise InputError(self.who, name, f"must hold one label per row ({self.given}), got {describe(array)}")
        return array[self.counted]

    def reweighted(self, weight: Any) -> Inputs:
        """The same data under other weights, given as a host array."""
        other = self._like(self.arrays)
        other.weight = self.beside(weight)
        return other

    def balance(self) -> Inputs:
        """The same data with weights near 1 where theirs are so large or small that products of them would not fit.

        By a power of two, which changes no digit.
        """
        if self.weight is None or 1 / SAFE <= self.weight_total <= SAFE:
            return self
        power = -math.frexp(self.weight_total)[1]
        half = power // 2  # the whole power may be more than a number can hold
        other = self._like(self.arrays)
        other.weight = self.weight * 2.0**half * 2.0 ** (power - half)
        other.weight_total, other.balanced = math.ldexp(self.weight_total, power), True
        return other

    def replaced(self, arrays: Mapping[str, Any]) -> Inputs:
        """The same data with other arrays of the same names and length, given on the host."""
        return self._like({**self.arrays, **{name: self.beside(array) for name, array in arrays.items()}})

    def _like(self, arrays: dict[str, Array]) -> Inputs:
        other = copy.copy(self)
        other.wanted, other.results, other.arrays = frozenset(), {}, arrays
        return other

    def beside(self, array: Array) -> Array:
        """The array in the library and on the device of the other inputs: codes of text are made on the host."""
        others = (a for a in (*self.arrays.values(), self.weight) if a is not None and is_foreign(a))
        first = next(others, None)
        return like(first, array) if first is not None and is_numpy(array) else array

    @memo
    def host(self, name: str) -> Any:
        """The named array in NumPy."""
        return to_host(self.arrays[name])

    def host_weight(self) -> Any:
        """The weights in NumPy as float64, or None."""
        return None if self.weight is None else to_host(self.weight).astype(np.float64, copy=False)

    @memo
    def numbers(self, name: str, *, ranks: tuple[int, ...] = (1,)) -> Array:
        """The named array as floats; refuses text, objects and a wrong rank."""
        array = self.arrays[name]
        if array.ndim not in ranks:
            wanted = " or ".join({1: "one number per row", 2: "a matrix (rows, columns)"}[r] for r in ranks)
            raise InputError(self.who, name, f"must be {wanted}, got {describe(array)}", _rank_hint(array, name, ranks))
        array = self._number_like(name, array)
        wide = as_float(array)
        if kind_of(array) == "int" and epsilon(wide) == 2.0**-52:
            self._refuse_rounding(name, array, wide)
        return wide

    def _number_like(self, name: str, array: Array) -> Array:
        """The array if it holds numbers; objects that all are numbers become numbers, text is never read as one."""
        if kind_of(array) not in ("text", "object"):
            return array
        width = max(1, array.size // max(1, len(array) if array.ndim else 1))
        for at, value in enumerate(array.reshape(-1).tolist()):
            if not isinstance(value, int | float | np.number) or isinstance(value, bool):
                raise InputError(
                    self.who,
                    self.shown.get(name, name),
                    f"must hold numbers, got {value!r} ({type(value).__name__}) in row {at // width}",
                    "Convert or drop such rows in every input first.",
                )
        try:
            wide = array.astype(np.float64)
        except OverflowError:
            self.refuse_overflow()
        if any(isinstance(value, int) for value in array.flat):
            self._refuse_rounding(name, array, wide)
        return wide

    def refuse_ties(self, *names: str) -> None:
        """Numbers that differ and become one float: integers beyond 2**53, or 2**24 where there is single precision only."""
        for name in names:
            array = self.arrays[name]
            wide = as_float(self._number_like(name, array))
            if kind_of(array) == "int":
                self._refuse_rounding(name, array, wide)
            elif is_numpy(array) and array.dtype == np.longdouble and len(np.unique(array)) > len(np.unique(wide)):
                raise InputError(
                    self.who,
                    self.shown.get(name, name),
                    "holds numbers that differ beyond the precision of float64, so that they would tie",
                    "Pass their ranks.",
                )

    def _refuse_rounding(self, name: str, array: Array, wide: Array) -> None:
        """Integers whose float is another number: differences between them would be lost."""
        if kind_of(array) == "int":
            xp, limit = namespace(array), 2 / epsilon(wide)
            if int(xp.max(array)) <= limit and int(xp.min(array)) >= -limit:
                return
        host = to_host(array)
        different = host.astype(object) != to_host(wide).astype(object)  # exactly, whatever the dtypes
        if different.any():
            row = int(np.argwhere(different)[0][0])
            raise InputError(
                self.who,
                self.shown.get(name, name),
                "holds integers with more digits than a float can hold, so that different ones become equal; got "
                f"{host[tuple(np.argwhere(different)[0])]} in row {row}",
                f"Subtract one number from all of {arg('y_true')} and {arg('y_pred')} first, or pass ranks where only the order matters.",
            )

    def refuse_not_finite(self, *names: str) -> None:
        """The slow pass: find and name the first NaN or infinity, if there is one."""
        for name in names:
            array = to_host(self.numbers(name, ranks=(1, 2)))
            bad = ~np.isfinite(array)
            if bad.any():
                row = int(np.argwhere(bad)[0][0])
                value = array[tuple(np.argwhere(bad)[0])]
                raise InputError(
                    self.who,
                    self.shown.get(name, name),
                    f"must be finite, got {value} in row {row} ({int(bad.sum())} such values in all)",
                    "Drop or repair those rows in every input first.",
                )

    def refuse_overflow(self) -> NoReturn:
        """Finite inputs whose result is not: they are too large for what is computed of them."""
        raise InputError(
            self.who,
            "",
            "the inputs are so large that the result overflows",
            "Divide them all by one unit first.",
        )

    def _length(self) -> int:
        sizes: dict[str, int] = {}
        for name, array in self.arrays.items():
            if array.ndim == 0:
                raise InputError(self.who, name, f"must hold one value per row, got a single value ({describe(array)})")
            sizes[name] = int(array.shape[0])
            if array.ndim == 2 and array.shape[0] and not array.shape[1]:
                raise InputError(self.who, name, f"has no columns ({describe(array)}); at least one is needed")
        if len(set(sizes.values())) > 1:
            lengths = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise InputError(self.who, "", f"the inputs must have the same number of rows, got {lengths}")
        if not sizes:
            raise InputError(self.who, "", "no data were given")
        n = next(iter(sizes.values()))
        if n == 0:
            raise EmptyInputError(self.who, "", "the inputs are empty; at least one row is needed")
        return n

    def _check_weight(self) -> float:
        """The sum of the weights; refuses what is not a weight."""
        if self.weight is None:
            return float(self.n)
        if tuple(self.weight.shape) != (self.n,):
            raise InputError(
                self.who, "weight", f"must hold one number per row ({self.n}), got {describe(self.weight)}"
            )
        xp = namespace(self.weight)
        with np.errstate(over="ignore"):
            low, total = float(xp.min(self.weight)), float(xp.sum(self.weight))
        if low >= 0 and np.isfinite(total) and total > 0:
            return total
        weight = to_host(self.weight)
        if (bad := ~np.isfinite(weight) | (weight < 0)).any():
            row = int(np.argmax(bad))
            raise InputError(self.who, "weight", f"must be finite and non-negative, got {weight[row]} in row {row}")
        if not weight.any():
            raise EmptyInputError(
                self.who, "", "all weights are zero, so nothing would be measured", "Give some row a positive weight."
            )
        raise InputError(self.who, "", "the sum of the weights overflows", "Divide them all by their largest.")


def _per_row(value: Any, n: int) -> bool:
    """Whether a result, or a part of it, is an array with a value per row."""
    if isinstance(value, dict | list | tuple):
        parts: Iterable[Any] = cast(Any, value.values() if isinstance(value, dict) else value)
        return any(_per_row(part, n) for part in parts)
    if hasattr(value, "shape"):
        return math.prod(value.shape) >= n
    return any(_per_row(part, n) for part in getattr(value, "__dict__", {}).values())


def _refuse_kind(array: Array, name: str, who: str) -> None:
    """Durations, dates and records are neither numbers nor labels, though NumPy turns some of them into either."""
    kind = array.dtype.kind if is_numpy(array) else ""
    what = {"m": "durations", "M": "dates", "V": "records of several fields"}.get(kind)
    if what is not None:
        hint = "Pass one of its fields." if kind == "V" else f"Divide {name} by a unit, np.timedelta64(1, 's')."
        hint = f"Take {name} - {name}[0] in units of np.timedelta64(1, 's')." if kind == "M" else hint
        raise InputError(who, name, f"must hold numbers or labels, got {what} ({describe(array)})", hint)


def _rank_hint(array: Array, name: str, ranks: tuple[int, ...]) -> str:
    if array.ndim == 2 and array.shape[1] == 1:
        return f" It has one column: pass {name}[:, 0]."
    if array.ndim == 2 and ranks == (1,):
        return f" For one output or the score of the positive class pass one column, {name}[:, j]."
    return ""
