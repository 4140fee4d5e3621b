"""Whether an element is such as a metric would write: kinds, names, shapes, dtypes, and counts that agree with each other.

A checksum tells damage, not a forger. What is checked here keeps wrong bytes from becoming a wrong number or an error of NumPy's.
"""

from __future__ import annotations

import typing
from typing import Any, cast

import numpy as np

from assay.core.engine import engine
from assay.core.errors import StateError, UndefinedError
from assay.core.interval_state import WIDEST, Kept, Powers, Tables, Weights, width_of
from assay.core.monoids import Counts, Extreme, Joint, Moments, Nothing, Rows, Sum
from assay.core.statistic import JointStatistic, Statistic

MOST_ROWS = 2**60
_LAYOUTS = ("square", "pair", "labelwise")
_COUNTING = {"found", "there", "cells"}  # columns that say how many entries of others belong to each row
_CLOSE = 1e-6  # sums of the same weights in another order


def check(metric: Any, total: Any, kept: Any) -> None:
    """Refuse an element, or what is kept beside it, that this metric's data could not give."""
    if isinstance(total, Nothing):
        _fits(type(total.n) is int and total.n == 0 and kept is None, "it has seen nothing, and yet keeps something")
        return
    _kinds(metric.statistic(), total)
    _fits(isinstance(kept, Kept | None), "what is kept for intervals is of another kind")
    for part in _flat(total):
        _CHECKS[type(part)](part)
        _fits(part.n == total.n, f"its parts saw {part.n} and {total.n} rows")
    if kept is not None:
        _kept(engine().powers(metric), total, kept)


def try_out(metric: Any, total: Any) -> None:
    """Finalize once, where that is cheap, so that what does not fit the metric shows when it is read."""
    if any(isinstance(part, Rows | Nothing) for part in _flat(total)):
        return
    try:
        with np.errstate(all="ignore"):
            value = metric.outcome(total).value
    except UndefinedError:
        return
    if not isinstance(value, float | np.ndarray):  # curves have ranges of their own
        return
    low, high = metric.bounds
    numbers = np.asarray(value, dtype=np.float64)
    slack = _CLOSE * np.maximum(1.0, np.abs(numbers))
    inside = np.isnan(numbers) | ((numbers >= low - slack) & (numbers <= high + slack))
    _fits(bool(inside.all()), f"its value {value!s:.40} is outside the metric's range [{low:g}, {high:g}]")


def _fits(holds: bool, why: str) -> None:
    if not holds:
        raise StateError("", "", f"this state cannot be read: its parts do not fit together: {why}", "Write it again.")


def _flat(total: Any) -> list[Any]:
    """The elements that an element is made of."""
    return [leaf for part in total.parts for leaf in _flat(part)] if isinstance(total, Joint) else [total]


def _kinds(statistic: Statistic[Any], total: Any) -> None:
    """Kinds and names must be those of the metric's statistic."""
    if isinstance(statistic, JointStatistic):
        parts: Any = total.parts if isinstance(total, Joint) else None
        together = isinstance(parts, tuple) and len(cast(Any, parts)) == len(statistic.parts)
        _fits(together, f"the metric keeps {len(statistic.parts)} elements side by side")
        for one, part in zip(statistic.parts, cast("tuple[Any, ...]", parts), strict=True):
            _kinds(one, part)
        return
    wanted = _element_of(statistic)
    _fits(type(total) in _CHECKS, f"an element is a {type(total).__name__}")
    _fits(wanted is None or type(total) is wanted, f"the metric keeps no {type(total).__name__}")
    names: Any = statistic.holds
    if names is not None:
        held = tuple(total.columns) if isinstance(total, Rows) else total.names
        _fits(held == names, f"the metric keeps {', '.join(names)}, not {held!r:.100}")


def _element_of(statistic: Statistic[Any]) -> Any:
    """The kind of element that a statistic says it gives, if it does: ``Statistic[Sum]``."""
    for cls in type(statistic).__mro__:
        for base in getattr(cls, "__orig_bases__", ()):
            kind = typing.get_args(base)[0] if typing.get_args(base) else None
            if isinstance(kind, type) and kind in _CHECKS:
                return kind
    return None


# ---- one check per kind of element


def _number_of_rows(n: Any) -> None:
    _fits(type(n) is int and 0 <= n < MOST_ROWS, f"n must be an integer, got {n!r:.40}")


def _names(names: Any) -> int:
    found = cast("tuple[Any, ...]", names) if isinstance(names, tuple) else ()
    known = all(isinstance(name, str) for name in found)
    _fits(known and len(set(found)) == len(found) > 0, f"names are {names!s:.60}")
    return len(found)


def _labels(labels: Any) -> int:
    found = cast("tuple[Any, ...]", labels) if isinstance(labels, tuple) else ((),)
    known = all(isinstance(label, str | int | float | None) for label in found)
    _fits(known and len(set(found)) == len(found), f"labels are {labels!s:.60}")
    return len(found)


def _array(array: Any, *shape: int | None, dtypes: str = "float64") -> Any:
    """An array of these dtypes whose last axes have these sizes; None is any size."""
    known = isinstance(array, np.ndarray) and str(cast(Any, array).dtype) in dtypes.split()
    _fits(known, f"{dtypes} was expected, got {array!s:.40}")
    array = cast(Any, array)
    there = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else ()
    agree = len(there) == len(shape) and all(b is None or a == b for a, b in zip(there, shape, strict=True))
    _fits(agree, f"an array has the shape {array.shape}, expected {shape}")
    return array


def _sum(total: Sum) -> None:
    _number_of_rows(total.n)
    _number_of_rows(total.ignored)
    width, labels = _names(total.names), _labels(total.labels)
    _fits(isinstance(cast(Any, total.layout), str), "the problem is not text")
    totals = _array(total.totals, *((labels, width) if labels else (width,)), dtypes="float64 int64")
    _fits(bool(np.isfinite(totals).all()), "sums are not finite")
    if "weight" in total.names:
        _fits(bool((total["weight"] >= 0).all()), "rows have a negative weight in all")


def _counts(total: Counts) -> None:
    _number_of_rows(total.n)
    _number_of_rows(total.ignored)
    k = _labels(total.labels)
    _fits(total.layout in _LAYOUTS and (total.layout != "pair" or k == 2), f"a table of {k} labels is {total.layout!r}")
    table = _array(total.table, *((k, 2, 2) if total.layout == "labelwise" else (k, k)), dtypes="float64 int64")
    _fits(table.ndim == (3 if total.layout == "labelwise" else 2), f"a table has {table.ndim} axes")
    with np.errstate(all="ignore"):
        rows = table.sum(axis=(-2, -1), dtype=np.float64)
        least = (
            -_CLOSE * float(rows.max(initial=0)) if table.dtype.kind == "f" else 0
        )  # a difference of sums of weights
        _fits(bool((table >= least).all()) and bool(np.isfinite(rows).all()), "a table has cells that are not counts")
    _fits(table.dtype.kind == "f" or bool((rows == total.n).all()), f"a table does not hold {total.n} rows")


def _moments(total: Moments) -> None:
    _number_of_rows(total.n)
    k = _names(total.names)
    sets = np.shape(total.weight)
    width = None if k == 1 else k  # one name may stand for a vector of features
    mean = _array(total.mean, *sets, width)
    _array(total.weight, *sets)
    _array(total.m2, *sets, mean.shape[-1], mean.shape[-1])
    _fits(mean.ndim == len(sets) + 1 and total.m2.ndim == len(sets) + 2, "moments have other axes than their weights")
    finite = all(np.isfinite(part).all() for part in (total.weight, mean, total.m2))
    _fits(finite, "moments are not finite")
    _fits(bool((total.weight >= 0).all()), "moments have negative weights")
    spread, size = np.diagonal(total.m2, axis1=-2, axis2=-1), total.weight[..., None] * mean**2
    _squares(spread, size)
    most = np.sqrt(np.maximum(0, spread))
    rounding = _CLOSE * (most + np.sqrt(size))
    widest = (most + rounding)[..., :, None] * (most + rounding)[..., None, :]
    _fits(bool((np.abs(total.m2) <= widest).all()), "columns vary together more than alone")
    if total.low is not None:
        _fits(_array(total.low, *mean.shape).shape == mean.shape, "the low parts of means have another shape")


def _extreme(total: Extreme) -> None:
    _number_of_rows(total.n)
    low = _array(total.low, _names(total.names))
    _fits(_array(total.high, *low.shape).shape == low.shape, "the ends of a range have different shapes")
    _fits(bool((low <= total.high).all()), "a range ends before it begins")


def _rows(total: Rows) -> None:
    _number_of_rows(total.n)
    _labels(total.labels)
    columns = total.columns if isinstance(cast(Any, total.columns), dict) else {}
    _fits(len(columns) > 0, "there are no columns")
    for name, column in columns.items():
        _fits(isinstance(column, np.ndarray) and column.ndim > 0, f"the column {name!r:.40} is not an array")
    first: Any = next(iter(columns.values()))
    _fits(len(first) == total.n, f"there are {len(first)} rows, and n says {total.n}")
    for name in _COUNTING & set(columns):
        counts: Any = _array(columns[name], total.n, dtypes="int64 int32")
        objects: Any = counts.sum(dtype=np.float64)  # an integer would wrap
        _fits(
            bool((counts >= 0).all()) and objects in map(len, columns.values()), f"{name!r} counts {objects:g} objects"
        )
    if total.weight is not None:
        weight = _array(total.weight, total.n)
        _fits(bool((weight >= 0).all()) and bool(np.isfinite(weight).all()), "weights are negative or not finite")


_CHECKS: dict[type, Any] = {Sum: _sum, Counts: _counts, Moments: _moments, Extreme: _extreme, Rows: _rows}


# ---- what is kept for intervals


def _kept(power: int, total: Any, kept: Kept) -> None:
    weights = cast(Any, kept.weights)
    _fits(power > 0 and isinstance(weights, Weights), "the metric keeps nothing for intervals")
    _weights(weights, total.n)
    table = isinstance(total, Counts) and total.layout != "labelwise"
    if kept.powers is None:
        _fits(not table or weights.unit, "the squares of the weights are missing")
        return
    _fits(type(kept.powers) is (Tables if table else Powers), "what is kept for intervals is of another kind")
    if table:
        _tables(total, cast(Tables, kept.powers), weights)
    else:
        _powers(power, total, cast(Powers, kept.powers), weights)


def _weights(weights: Weights, n: int) -> None:
    numbers = [weights.total, weights.square, weights.low, weights.high]
    _fits(all(type(v) is float and 0 <= v < np.inf for v in numbers), f"weights are {numbers!r:.80}")
    low, high = weights.low, weights.high
    _fits(weights.total > 0 and weights.square > 0 and low <= high, f"weights are {numbers!r:.80}")
    _fits(
        not weights.unit or weights.total == weights.square == n, f"{weights.total:g} rows without weights are not {n}"
    )
    slack = 1 + _CLOSE
    _fits(
        low * n <= weights.total * slack and weights.total <= high * n * slack,
        f"{n} weights add up to {weights.total:g}",
    )
    fair = low * weights.total <= weights.square * slack and weights.square <= high * weights.total * slack
    _fits(fair, f"weights that add up to {weights.total:g} have squares that add up to {weights.square:g}")


def _tables(total: Counts, tables: Tables, weights: Weights) -> None:
    for counts in (tables.square, tables.cube):
        _fits(isinstance(cast(Any, counts), Counts), "squares of weights are not a table")
        _counts(counts)
        _fits(counts.layout == total.layout and counts.n == total.n, "squares of weights are those of other rows")
        _fits(set(counts.labels) <= set(total.labels), "squares of weights are those of other labels")
    _near(float(tables.square.table.sum()), weights.square)


def _powers(power: int, total: Any, powers: Powers, weights: Weights) -> None:
    width = width_of(total)
    _fits(0 < width <= WIDEST[power], f"rows of {width} numbers have no powers")
    square = _array(powers.square, width, width)
    _near(float(square[0, 0]), weights.square)
    _squares(np.diagonal(square), np.diagonal(square).max())
    _fits((power == 3) == (powers.cube is not None), "the third powers do not belong to the metric")
    if powers.cube is not None:
        _array(powers.cube, width, width, width)
    for part in _flat(total):
        for weight in np.ravel(part.weight).tolist() if isinstance(part, Moments) else ():
            _near(weight, weights.total)
    if powers.rows is not None:
        _array(powers.rows, total.n, width)
        _near(float(_array(powers.weight, total.n).sum()), weights.total)


def _squares(sums: Any, size: Any) -> None:
    _fits(bool((sums >= -_CLOSE * size).all()), "squares add up to a negative number")


def _near(one: float, other: float) -> None:
    _fits(abs(one - other) <= _CLOSE * abs(other), f"weights add up to {one:g} and to {other:g}")
