"""What a state keeps beside its element, so that the default interval follows from it: power sums of the rows it has added up.

An influence value is ``w (slope . h)``, where ``h`` is the row of the unit around the mean of all rows, with a leading 1. The
slope is known only when all data are in, but the sums of ``w^2 h h'`` and ``w^3 h h' h''`` give the sums of squares and cubes
of the influence values for every slope. When states merge, the mean moves, and a linear map takes the sums to the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from assay.core.arrays import Array, Floats, is_foreign, like, namespace
from assay.core.inputs import Inputs
from assay.core.monoids import Counts, Joint, Moments, Rows, Sum
from assay.core.power_sums import add, sums_of
from assay.core.statistic import JointStatistic, Linear, Statistic

WIDEST = {2: 1024, 3: 64}  # numbers in a row whose second or third moments are kept: 8 MB and 2 MB
FEW_FOR_MOMENTS = 1000  # above, leaving out a row and its influence value say the same: no need to keep the rows
_CHUNK = 1 << 14


@dataclass(frozen=True)
class Weights:
    """Sum, sum of squares, least and largest of the weights; without weights every row weighs 1."""

    kind: ClassVar[str] = "weights"
    total: float
    square: float
    low: float
    high: float

    def __add__(self, other: Weights) -> Weights:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Weights(self.total + other.total, self.square + other.square, low, high)

    @classmethod
    def of(cls, inputs: Inputs) -> Weights:
        """Of the weights of a batch."""
        if inputs.weight is None:
            return cls(float(inputs.n), float(inputs.n), 1.0, 1.0)
        w = inputs.weight if is_foreign(inputs.weight) else inputs.host_weight()
        xp = namespace(w)
        sums, _ = sums_of(xp.stack([xp.ones_like(w), w], axis=1), None, cubes=False)
        return cls(float(sums[0, 1]), float(sums[1, 1]), float(xp.min(w)), float(xp.max(w)))

    @property
    def unit(self) -> bool:
        """Whether every row weighs 1, as without weights."""
        return self.low == self.high == 1.0


@dataclass(frozen=True)
class Powers:
    """Sums of ``w^2 h h'`` and, where the interval needs skewness, of ``w^3 h h' h''``; the rows themselves while they are few."""

    kind: ClassVar[str] = "powers"
    square: Any  # (width, width)
    cube: Any = None  # (width, width, width)
    rows: Any = None  # (n, width)
    weight: Any = None  # (n,)

    def moved(self, step: Callable[[Any], Any]) -> Powers:
        """Around another mean: ``step`` maps the first axis of an array of ``h`` to it."""
        square, cube = (None if a is None else _everywhere(step, a) for a in (self.square, self.cube))
        rows = None if self.rows is None else step(self.rows.T).T
        return replace(self, square=square, cube=cube, rows=rows)

    def __add__(self, other: Powers) -> Powers:
        """Of both, which must be around the same mean."""
        cube = None if self.cube is None else self.cube + other.cube
        square = self.square + other.square
        if self.rows is None or other.rows is None or len(self.rows) + len(other.rows) > FEW_FOR_MOMENTS:
            return Powers(square, cube)
        rows, weight = (np.concatenate(pair) for pair in ((self.rows, other.rows), (self.weight, other.weight)))
        return Powers(square, cube, rows, weight)


@dataclass(frozen=True)
class Tables:
    """Tables of squared and cubed weights: all rows of a cell have the same influence, up to their weights."""

    kind: ClassVar[str] = "tables"
    square: Counts
    cube: Counts

    def __add__(self, other: Tables) -> Tables:
        return Tables(self.square + other.square, self.cube + other.cube)


@dataclass(frozen=True)
class Kept:
    """The weights of the rows, and their power sums unless the element tells them itself."""

    kind: ClassVar[str] = "kept"
    weights: Weights
    powers: Powers | Tables | None = None

    @classmethod
    def of(cls, power: int, statistic: Statistic[Any], inputs: Inputs, total: Any) -> Kept | None:
        """Of one batch, up to a ``power`` of influence values; None where the default interval needs none, or the rows themselves."""
        if power == 0 or isinstance(total, Rows):
            return None
        weights = Weights.of(inputs)
        if isinstance(total, Counts) and total.layout != "labelwise":
            return cls(weights, None if inputs.weight is None else _tables(statistic, inputs))
        return cls(weights, None if power == 1 else _powers(power, statistic, inputs, total, weights))

    def merged(self, mine: Any, other: Kept, others: Any, total: Any) -> Kept:
        """Of both: ``mine`` and ``others`` are their elements, ``total`` the sum of these."""
        weights = self.weights + other.weights
        if isinstance(total, Counts) and total.layout != "labelwise":
            if self.powers is None and other.powers is None:
                return Kept(weights)
            return Kept(weights, tables_of(self, mine) + tables_of(other, others))
        if self.powers is None or other.powers is None or width_of(total) > WIDEST[self._power]:
            return Kept(weights)
        whole = weights.total
        here = cast(Powers, self.powers).moved(step_to(mine, self.weights.total, total, whole))
        there = cast(Powers, other.powers).moved(step_to(others, other.weights.total, total, whole))
        return Kept(weights, here + there)

    @property
    def _power(self) -> int:
        return 2 if cast(Powers, self.powers).cube is None else 3


def tables_of(kept: Kept, total: Counts) -> Tables:
    """The tables of squared and cubed weights; without weights they are the table itself."""
    return cast(Tables, kept.powers or Tables(total, total))


def _tables(statistic: Statistic[Any], inputs: Inputs) -> Tables:
    weight = cast(Any, inputs.weight if is_foreign(cast(Array, inputs.weight)) else inputs.host_weight())
    square, cube = (statistic.of(inputs.reweighted(weight**power)) for power in (2, 3))
    return Tables(square, cube)


# ---- rows around their mean


def width_of(total: Any) -> int:
    """How many numbers per row around the mean has; 0 if the element is not a sum of rows."""
    if isinstance(total, Joint):
        widths = [width_of(part) for part in total.parts]
        return sum(widths) if all(widths) else 0
    if isinstance(total, Moments):
        return int(total.mean.size // max(1, len(total.names)) * _square_width(len(total.names)))
    return 1 + int(np.size(_sums(total))) if isinstance(total, Sum | Counts) else 0


def opened(total: Any, weight: float) -> tuple[Callable[[Any], Any], Floats]:
    """The element as a function of the sums of ``w h``, and these sums."""
    if isinstance(total, Joint):
        builds, sums = zip(*(opened(part, weight) for part in total.parts), strict=True)
        edges = np.cumsum([0, *map(len, sums)])

        def joined(t: Any) -> Joint:
            return Joint(tuple(build(t[..., edges[i] : edges[i + 1]]) for i, build in enumerate(builds)))

        return joined, np.concatenate(sums)
    if isinstance(total, Moments):
        m, k = total.mean.shape
        sums = np.concatenate([total.weight[:, None], np.zeros((m, k)), total.m2.reshape(m, k * k)], axis=1)

        def moments(t: Any) -> Moments:
            return Moments.from_sums(total.names, total.mean, t.reshape(*t.shape[:-1], m, _square_width(k)), total.n)

        return moments, sums.reshape(-1)
    shape, centre = np.shape(_sums(total)), np.ravel(_sums(total)) / weight

    def plain(t: Any) -> Any:
        return _with_sums(total, (t[..., 1:] + centre * t[..., :1]).reshape(*t.shape[:-1], *shape))

    return plain, np.concatenate([[weight], np.ravel(_sums(total)) - centre * weight])


def _around(each: Any, total: Any, weight: float) -> Floats:
    """The rows ``h`` (n, width) from elements of single rows, ``each``, and the element of them all."""
    if isinstance(total, Joint):
        return np.concatenate([_around(a, b, weight) for a, b in zip(each.parts, total.parts, strict=True)], axis=1)
    if isinstance(total, Moments):
        d = each.mean - total.mean
        squares = (d[..., :, None] * d[..., None, :]).reshape(*d.shape[:-1], -1)
        return np.concatenate([np.ones((*d.shape[:-1], 1)), d, squares], axis=-1).reshape(len(d), -1)
    rows = _sums(each) - _sums(total) / weight
    return np.concatenate([np.ones((len(rows), 1)), rows.reshape(len(rows), -1)], axis=1)


def step_to(old: Any, weight: float, new: Any, whole: float) -> Callable[[Any], Any]:
    """The map of rows around the mean of ``old`` to rows around that of ``new``, along the first axis."""
    if isinstance(old, Joint):
        steps = [step_to(a, weight, b, whole) for a, b in zip(old.parts, new.parts, strict=True)]
        edges = np.cumsum([0, *map(width_of, old.parts)])
        return lambda h: np.concatenate([step(h[edges[i] : edges[i + 1]]) for i, step in enumerate(steps)])
    if isinstance(old, Moments):
        return _step_of_moments(old, new)
    there = old if isinstance(old, Counts) else old.over(new.labels)
    gap = np.ravel(_sums(there)) / weight - np.ravel(_sums(new)) / whole
    at = 1 + _places(old, new)

    def step(h: Any) -> Any:
        moved = np.zeros((1 + len(gap), *h.shape[1:]))
        moved[0], moved[at] = h[0], h[1:]
        moved[1:] += np.multiply.outer(gap, h[0])
        return moved

    return step


def _places(old: Any, new: Any) -> Any:
    """Where the numbers of a row of ``old`` are in one of ``new``, which may have seen more classes."""
    numbers = np.arange(np.size(_sums(new)))
    if isinstance(old, Counts) or old.labels == new.labels:
        return numbers
    return numbers.reshape(np.shape(new.totals))[[new.labels.index(label) for label in old.labels]].reshape(-1)


def _step_of_moments(old: Moments, new: Moments) -> Callable[[Any], Any]:
    """``d - gap`` and its products are linear in ``(1, d, d d')``, output by output."""
    m, k = old.mean.shape
    gap = old.mean - new.mean
    eye = np.eye(k)
    maps = np.zeros((m, _square_width(k), _square_width(k)))
    maps[:, 0, 0] = 1.0
    maps[:, 1 : k + 1, 0], maps[:, 1 : k + 1, 1 : k + 1] = gap, eye
    maps[:, k + 1 :, 0] = (gap[:, :, None] * gap[:, None, :]).reshape(m, -1)
    crossed = np.einsum("ma,bc->mabc", gap, eye) + np.einsum("mb,ac->mabc", gap, eye)
    maps[:, k + 1 :, 1 : k + 1] = crossed.reshape(m, k * k, k)
    maps[:, k + 1 :, k + 1 :] = np.eye(k * k)

    def step(h: Any) -> Any:
        blocks = h.reshape(m, _square_width(k), -1)
        return np.matmul(maps, blocks).reshape(h.shape)

    return step


def _square_width(k: int) -> int:
    return 1 + k + k * k


def _sums(total: Any) -> Any:
    return total.totals if isinstance(total, Sum) else total.table


def _with_sums(total: Any, sums: Any) -> Any:
    return replace(total, totals=sums) if isinstance(total, Sum) else replace(total, table=sums)


def _everywhere(step: Callable[[Any], Any], array: Any) -> Any:
    for axis in range(array.ndim):
        array = np.moveaxis(step(np.moveaxis(array, axis, 0)), 0, axis)
    return array


# ---- the sums of a batch


def _powers(power: int, statistic: Statistic[Any], inputs: Inputs, total: Any, weights: Weights) -> Powers | None:
    width = width_of(total)
    if not 0 < width <= WIDEST[power]:
        return None
    few = inputs.n <= FEW_FOR_MOMENTS and isinstance(total, Moments)
    quick = None if few else statistic.row_powers(inputs, total, cubes=power == 3)
    if quick is not None:
        return Powers(*quick)
    if not few and any(map(is_foreign, inputs.arrays.values())):
        h = _where_they_are(statistic, inputs, total, weights.total)
        if h is not None:
            return Powers(*sums_of(h, inputs.weight, cubes=power == 3))
    linear = statistic.linear(inputs)
    if linear is None:
        return None
    square, cube = np.zeros((width, width)), np.zeros((width,) * 3) if power == 3 else None
    weight = inputs.host_weight()
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, inputs.n, _CHUNK):
            part = slice(start, start + _CHUNK)
            h = _around(linear.build(_dense(linear, part)), total, weights.total)
            add(square, cube, h if weight is None else h * weight[part, None])
    if not few:
        return Powers(square, cube)
    rows = _around(linear.build(_dense(linear, slice(None))), total, weights.total)
    return Powers(square, cube, rows, np.ones(inputs.n) if weight is None else weight)


def _dense(linear: Linear, part: slice) -> Floats:
    """Rows of a chunk; of tables, a one in every cell that a unit counts in."""
    if linear.rows is not None:
        return linear.rows[part].astype(np.float64, copy=False)
    cells = linear.cells[part]
    rows = np.zeros((len(cells), linear.width))
    np.put_along_axis(rows, cells, 1.0, axis=1)
    return rows


def _where_they_are(statistic: Statistic[Any], inputs: Inputs, total: Any, weight: float) -> Array | None:
    """The rows ``h`` (n, width) of tensors, on their device."""
    if isinstance(total, Joint):
        own = statistic.parts if isinstance(statistic, JointStatistic) else statistic.leaves()  # parts may be joint too
        pairs = zip(own, total.parts, strict=True)
        parts = [_where_they_are(leaf, inputs, part, weight) for leaf, part in pairs]
        known = [part for part in parts if part is not None]
        return namespace(*known).concat(known, axis=1) if len(known) == len(parts) else None
    rows = statistic.unit_rows(inputs)
    if rows is None:
        return None
    xp, n = namespace(rows), int(rows.shape[0])
    centre = total.mean if isinstance(total, Moments) else np.ravel(_sums(total)) / weight
    d = rows - xp.astype(like(rows, centre), rows.dtype)
    if isinstance(total, Moments):
        squares = xp.reshape(d[..., :, None] * d[..., None, :], (*d.shape[:-1], -1))
        d = xp.concat([d, squares], axis=-1)
    return xp.reshape(xp.concat([xp.ones_like(d[..., :1]), d], axis=-1), (n, -1))
