"""What regression metrics gather from (target, prediction): sums of row losses, moments, ranges, all in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Namespace, is_numpy, like, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Extreme, Moments, Sum
from assay.core.statistic import Linear, Statistic
from assay.ops import powers_of, quiet, total


@dataclass(frozen=True, order=True)
class Atom:
    """A loss of one row, by name, with its parameter; `ATOMS` has the bodies, the kernel their compiled twins."""

    name: str
    parameter: float = 0.0

    @property
    def label(self) -> str:
        """The name under which its sum is kept."""
        return f"{self.name}({self.parameter!r})" if self.parameter else self.name

    def rows(self, xp: Namespace, y: Array, p: Array) -> Array:
        """The per-row values in any array library."""
        return ATOMS[self.name](xp, y, p, self.parameter)


def _percentage(xp: Namespace, y: Array, p: Array, least: float) -> Array:
    # A row with y = 0 and no lower bound adds nothing here; the sum of "zero" tells that it was there.
    size = xp.where(xp.abs(y) > least, xp.abs(y), xp.full_like(y, least))
    none = 0 * (p - y)  # not a plain zero: NaN must show in the sum
    return xp.where(size > 0, xp.abs(p - y) / xp.where(size > 0, size, xp.ones_like(y)), none)


def _squared_percentage(xp: Namespace, y: Array, p: Array, least: float) -> Array:
    share = _percentage(xp, y, p, least)
    return share * share


def _symmetric(xp: Namespace, y: Array, p: Array, _: float) -> Array:
    size = xp.abs(y) + xp.abs(p)
    return 2 * xp.abs(p - y) / xp.where(size == 0, xp.ones_like(size), size)


ATOMS: dict[str, Callable[[Any, Any, Any, float], Any]] = {
    "error": lambda xp, y, p, _: p - y,
    "absolute": lambda xp, y, p, _: xp.abs(p - y),
    "squared": lambda xp, y, p, _: (p - y) ** 2,
    "percentage": _percentage,
    "symmetric": _symmetric,
    "squared_log": lambda xp, y, p, _: (xp.log1p(p) - xp.log1p(y)) ** 2,
    "pinball": lambda xp, y, p, q: xp.where(y >= p, q * (y - p), (1 - q) * (p - y)),
    "zero": lambda xp, y, p, _: xp.astype(y == 0, y.dtype),
    "nonzero": lambda xp, y, p, _: xp.astype(y != 0, y.dtype),
    "target_size": lambda xp, y, p, _: xp.abs(y),
    "squared_percentage": _squared_percentage,
}
COLUMNS = ("target", "prediction", "error")
SMALLEST_SQUARE = 1e-306  # not far below, numbers have fewer digits
NEARLY = 1e-5  # of the mean; a column that spreads less is looked at row by row, for it may be constant


@dataclass(frozen=True)
class PairSums(Statistic[Sum]):
    """Sums of row losses, with the total weight under the name ``weight``; one row of sums an output."""

    atoms: tuple[Atom, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return ("weight", *(atom.label for atom in self.atoms))

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """The sums, from the pass that all pair statistics share."""
        return _shared(inputs, self)[0].select(self.names)

    def linear(self, inputs: Inputs) -> Linear:
        """One row of losses per unit, output after output."""
        rows, c = to_host(self.unit_rows(inputs)), len(self.names)
        m = rows.shape[1] // c
        return Linear(lambda t: Sum(self.names, t.reshape(*t.shape[:-1], m, c), inputs.n), m * c, rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        """One and the losses of each unit, output after output."""
        y, p = pair(inputs)
        xp = namespace(y, p)
        with quiet():
            losses = [atom.rows(xp, y, p) for atom in self.atoms]
        return xp.reshape(xp.stack([xp.ones_like(losses[0]), *losses], axis=-1), (inputs.n, -1))

    def power_sums(self, inputs: Inputs, total: Sum, slope: Any, centre: float) -> tuple[float, float] | None:
        """One more pass over target and prediction."""
        y, p = pair(inputs)
        if y.shape[1] != 1 or not (is_numpy(y) and is_numpy(p)):
            return None
        y, p, weight = y[:, 0], p[:, 0], inputs.host_weight()
        if kernels.worthwhile(y, p):
            return kernels.regression.spread(
                y, p, _host_weights(inputs), *_coded(self.atoms), slope[1:], centre - slope[0]
            )
        with quiet():
            rows = (g * atom.rows(np, y, p) for g, atom in zip(slope[1:], self.atoms, strict=True))
            return powers_of(sum(rows, slope[0] - centre), weight)

    def row_powers(self, inputs: Inputs, total: Sum, *, cubes: bool) -> tuple[Any, Any] | None:
        """One more pass over target and prediction, if they are large."""
        y, p = pair(inputs)
        if y.shape[1] != 1 or not kernels.worthwhile(y, p):
            return None
        centre = total.totals[0, 1:] / total.totals[0, 0]
        how = (*_coded(self.atoms), centre)
        square, cube = kernels.regression_moments.of_losses(y[:, 0], p[:, 0], _host_weights(inputs), *how, cubes=cubes)
        at = np.array([0, *range(2, len(self.names) + 1)])  # the number 1, which is their weight, does not vary
        found = np.zeros((len(self.names) + 1,) * 2), np.zeros((len(self.names) + 1,) * 3)
        found[0][np.ix_(at, at)] = square
        if cubes:
            found[1][np.ix_(at, at, at)] = cube
        return found[0], found[1] if cubes else None


@dataclass(frozen=True)
class PairMoments(Statistic[Moments]):
    """Means and centred second moments of some of target, prediction and error; one set an output."""

    columns: tuple[str, ...]

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.columns

    def of(self, inputs: Inputs) -> Moments:
        """The moments, from the pass that all pair statistics share."""
        return _shared(inputs, self)[1].select(self.columns)

    def linear(self, inputs: Inputs) -> Linear:
        """One row of powers a unit, around the means, so that no digit is lost."""
        y, p = (to_host(a).astype(np.float64) for a in pair(inputs))
        data = np.stack([_column(y, p, name) for name in self.columns], axis=-1)  # (n, m, k)
        low, high = data.min(axis=0), data.max(axis=0)
        # Of a constant column nothing is left, not even rounding.
        shift = np.where(low == high, low, np.average(data, axis=0, weights=inputs.host_weight()))
        d = data - shift
        n, m, k = d.shape
        rows = np.concatenate(
            [np.ones((n, m, 1)), d, (d[..., :, None] * d[..., None, :]).reshape(n, m, k * k)], axis=-1
        )
        width = 1 + k + k * k

        def build(t: Any) -> Moments:
            return Moments.from_sums(self.columns, shift, t.reshape(*t.shape[:-1], m, width), n)

        return Linear(build, m * width, rows=rows.reshape(n, m * width))

    def unit_rows(self, inputs: Inputs) -> Array:
        """The columns, one set an output."""
        y, p = pair(inputs)
        return namespace(y, p).stack([_column(y, p, name) for name in self.columns], axis=-1)

    def power_sums(self, inputs: Inputs, total: Moments, slope: Any, centre: float) -> tuple[float, float] | None:
        """Every row is a quadratic polynomial of target and prediction: one pass adds up its powers."""
        y, p = pair(inputs)
        if y.shape[1] != 1 or not (is_numpy(y) and is_numpy(p)):
            return None
        coefficients = _polynomial(total, slope)
        coefficients[2] -= centre
        y, p, weight = y[:, 0], p[:, 0], inputs.host_weight()
        if kernels.worthwhile(y, p):
            return kernels.quadratic.powers(y, p, weight, coefficients)
        shift_y, shift_p, constant, a, b, e, f, h = coefficients
        u, v = y - shift_y, p - shift_p
        return powers_of(constant + u * (a + e * u + f * v) + v * (b + h * v), weight)

    def row_powers(self, inputs: Inputs, total: Moments, *, cubes: bool) -> tuple[Any, Any] | None:
        """One more pass over target and prediction, if they are large."""
        y, p = pair(inputs)
        if y.shape[1] != 1 or len(self.columns) != 2 or cubes or not kernels.worthwhile(y, p):
            return None
        which = np.array([COLUMNS.index(name) for name in self.columns], dtype=np.int64)
        square = kernels.regression_moments.of_squares(y[:, 0], p[:, 0], _host_weights(inputs), which, total.mean[0])
        at = np.array([0, 1, 2, 3, 4, 4, 5])  # uv and vu
        return square[np.ix_(at, at)], None


def _host_weights(inputs: Inputs) -> Any:
    """The weights as kernels take them: none are an empty array."""
    return np.empty(0) if inputs.weight is None else np.ascontiguousarray(inputs.host_weight())


def _polynomial(total: Moments, slope: Any) -> Any:
    """A gradient in the sums of (1, d, d d') as a polynomial of u = target - mean and v = prediction - mean."""
    k = len(total.names)
    parts = np.array(
        [{"target": (1, 0), "prediction": (0, 1), "error": (-1, 1)}[name] for name in total.names], dtype=np.float64
    )
    linear, square = slope[1 : k + 1], slope[k + 1 :].reshape(k, k)
    means = dict(zip(total.names, total.mean[0].tolist(), strict=True))
    shift = means.get("target", 0.0), means.get("prediction", means.get("target", 0.0) + means.get("error", 0.0))
    a, b = linear @ parts
    form = parts.T @ square @ parts
    return np.array([*shift, slope[0], a, b, form[0, 0], form[0, 1] + form[1, 0], form[1, 1]])


@dataclass(frozen=True)
class TargetRange(Statistic[Extreme]):
    """Smallest and largest target of each output."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("target",)

    def of(self, inputs: Inputs) -> Extreme:
        """The range; rows of weight zero do not count."""
        y, _ = pair(inputs)
        xp = namespace(y)
        if inputs.weight is not None:
            y = to_host(y)[to_host(inputs.weight) > 0]
            xp = namespace(y)
        low, high = (to_host(f(y, axis=0)).astype(np.float64)[..., None] for f in (xp.min, xp.max))
        return Extreme(("target",), low, high, inputs.n)


@memo
def pair(inputs: Inputs) -> tuple[Array, Array]:
    """Target and prediction as float matrices (rows, outputs) of the same shape; rows of weight zero hold nothing extreme."""
    y, p = (inputs.numbers(name, ranks=(1, 2)) for name in ("y_true", "y_pred"))
    if tuple(y.shape) != tuple(p.shape):
        raise InputError(
            inputs.who,
            "",
            f"{arg('y_true')} and {arg('y_pred')} must have the same shape, got {tuple(y.shape)} and {tuple(p.shape)}",
            "One of them has a column axis: pass array[:, 0]." if y.ndim != p.ndim else "",
        )
    y, p = (y[:, None], p[:, None]) if y.ndim == 1 else (y, p)
    return _absent(y, inputs.weight), _absent(p, inputs.weight)


def _absent(values: Array, weight: Array | None) -> Array:
    """Rows of weight zero are not there: a row that is stands in, lest 0 times a square too large is not a number."""
    if weight is None or float(namespace(weight).min(weight)) > 0:
        return values
    xp = namespace(values)
    there = (weight > 0)[:, None]
    first = int(xp.argmax(xp.astype(weight > 0, xp.int32)))
    return xp.where(there | ~xp.isfinite(values), values, values[first : first + 1, ...])  # NaN is refused even there


def _column(y: Any, p: Any, name: str) -> Any:
    return {"target": y, "prediction": p, "error": p - y}[name]


def _shared(inputs: Inputs, asking: PairSums | PairMoments) -> tuple[Sum, Moments]:
    """The pass that serves every pair statistic wanted of these inputs."""
    wanted = inputs.wanted if asking in inputs.wanted else frozenset({asking})
    atoms = tuple(sorted({atom for s in wanted if isinstance(s, PairSums) for atom in s.atoms}))
    asked = {c for s in wanted if isinstance(s, PairMoments) for c in s.columns}
    columns = tuple(name for name in COLUMNS if name in asked)
    return _scan(inputs, atoms, columns)


@memo
def _scan(inputs: Inputs, atoms: tuple[Atom, ...], columns: tuple[str, ...]) -> tuple[Sum, Moments]:
    """One pass over the data; what is not finite afterwards is looked for row by row and refused."""
    y, p = pair(inputs)
    if kernels.worthwhile(y, p):
        sums, moments = _scan_kernel(inputs, y, p, atoms, columns)
    else:
        with quiet():
            sums, moments = _scan_agnostic(inputs, y, p, atoms, columns)
    if not (np.isfinite(sums.totals).all() and np.isfinite(moments.m2).all()):
        inputs.refuse_not_finite("y_true", "y_pred")
        if all(atom.name != "squared_log" for atom in atoms):  # logarithms have reasons of their own, which MSLE words
            inputs.refuse_overflow()
    return sums, _settle_constants(inputs.who, y, p, moments)


def _settle_constants(who: str, y: Array, p: Array, moments: Moments) -> Moments:
    """A constant column has its value for a mean and no spread: rounding leaves both a little off, and merging more so.

    Values so small that their squares vanish would pass for constant ones and are refused.
    """
    mean, m2, low = moments.mean.copy(), moments.m2.copy(), moments.low
    low = np.zeros_like(mean) if low is None else low.copy()
    for at, name in enumerate(moments.names):
        square = m2[:, at, at]
        for j in np.flatnonzero(square <= np.maximum(moments.weight * (NEARLY * mean[:, at]) ** 2, SMALLEST_SQUARE)):
            values: Any = _column(to_host(y[:, int(j)]), to_host(p[:, int(j)]), name)
            if values.min() == values.max():
                mean[j, at], low[j, at], m2[j, at, :], m2[j, :, at] = values[0], 0.0, 0.0, 0.0
            elif square[j] < SMALLEST_SQUARE and name != "error":  # errors that vanish beside their target are no loss
                column = {"target": "y_true", "prediction": "y_pred"}[name]
                raise InputError(
                    who,
                    column,
                    "differs from row to row by so little that its squares do not fit in a number",
                    "Multiply all inputs by one unit first.",
                )
    return replace(moments, mean=mean, m2=m2, low=low)


def _scan_agnostic(
    inputs: Inputs, y: Array, p: Array, atoms: tuple[Atom, ...], columns: tuple[str, ...]
) -> tuple[Sum, Moments]:
    xp = namespace(y, p)
    w = inputs.weight
    if is_numpy(y):
        y, p = y.astype(np.float64, copy=False), p.astype(np.float64, copy=False)
    weight = total(xp, xp.ones_like(y), w)
    totals = np.stack([weight, *(total(xp, atom.rows(xp, y, p), w) for atom in atoms)], axis=-1)
    data = [_column(y, p, name) for name in columns]
    means = [total(xp, d, w) / weight for d in data]
    centred = [d - xp.astype(like(d, mu), d.dtype) for d, mu in zip(data, means, strict=True)]
    rest = [total(xp, c, w) for c in centred]  # what rounding of the means leaves: under uneven weights it matters
    m2 = [
        [total(xp, a * b, w) - rest_a * rest_b / weight for b, rest_b in zip(centred, rest, strict=True)]
        for a, rest_a in zip(centred, rest, strict=True)
    ]
    m, k = y.shape[1], len(columns)
    moments = Moments(
        columns, weight, np.stack(means, axis=-1) if k else np.zeros((m, 0)),
        np.moveaxis(np.array(m2), 2, 0) if k else np.zeros((m, 0, 0)), inputs.n,
        np.stack([left / weight for left in rest], axis=-1) if k else None,
    )  # fmt: skip
    return Sum(("weight", *(atom.label for atom in atoms)), totals, inputs.n), moments


def _scan_kernel(
    inputs: Inputs, y: Any, p: Any, atoms: tuple[Atom, ...], columns: tuple[str, ...]
) -> tuple[Sum, Moments]:
    outputs = [_scan_output(inputs, y[:, j], p[:, j], atoms, columns) for j in range(y.shape[1])]
    sums, moments = zip(*outputs, strict=True)
    names = sums[0].names
    return (
        Sum(names, np.stack([s.totals for s in sums]), inputs.n),
        Moments(
            columns,
            _stack(moments, "weight"),
            _stack(moments, "mean"),
            _stack(moments, "m2"),
            inputs.n,
            _stack(moments, "low"),
        ),
    )


def _stack(elements: Iterable[Any], part: str) -> Any:
    return np.stack([getattr(element, part) for element in elements])


def _coded(atoms: tuple[Atom, ...]) -> tuple[Any, Any]:
    """Atoms as the kernels know them."""
    codes = np.array([kernels.regression.CODES[a.name] for a in atoms], dtype=np.int64)
    return codes, np.array([a.parameter for a in atoms], dtype=np.float64)


def _scan_output(
    inputs: Inputs, y: Any, p: Any, atoms: tuple[Atom, ...], columns: tuple[str, ...]
) -> tuple[Sum, Moments]:
    w = _host_weights(inputs)
    codes, parameters = _coded(atoms)
    which = np.array([COLUMNS.index(c) for c in columns], dtype=np.int64)
    k = len(columns)

    def work(start: int, stop: int) -> tuple[Sum, Moments]:
        sums, mean, m2 = np.zeros(len(atoms)), np.zeros(k), np.zeros((k, k))
        part = slice(start, stop)
        rows = (np.ascontiguousarray(a[part], dtype=np.float64) for a in (y, p))  # a copy only of what is not float64
        weight = kernels.regression.scan(*rows, w[part] if len(w) else w, codes, parameters, which, sums, mean, m2)
        names = ("weight", *(atom.label for atom in atoms))
        moments = Moments(columns, np.float64(weight), mean, m2, stop - start, np.zeros(k))
        return Sum(names, np.array([weight, *sums]), stop - start), moments

    done = kernels.over_chunks(inputs.n, work)
    sums, moments = done[0]
    for more_sums, more_moments in done[1:]:
        sums, moments = sums + more_sums, moments + more_moments
    return sums, moments
