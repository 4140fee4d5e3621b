"""Distances between clouds of points: Wasserstein in one dimension, exactly, and the Sinkhorn divergence in any."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, like, namespace
from assay.core.errors import InputError
from assay.core.loss import loss
from assay.losses.class_inputs import numbers_beside
from assay.losses.generation.autodiff import repeated
from assay.losses.generation.row_sums import floats, wide
from assay.losses.parameter_checks import between, positive, whole
from assay.ops import logsumexp, native, stop_gradient


@loss(
    "robust",
    "symmetric",
    title="Wasserstein distance in one dimension",
    use="two samples of numbers must have the same distribution",
    instead="sinkhorn for points in several dimensions",
    misleads="a distance of samples is above that of their distributions: two samples of the same one differ",
    equals=("scipy wasserstein_distance",),
    references=("vallender1974", "villani2009"),
    aliases=("earth_mover", "earth_movers_distance", "emd"),
)
def wasserstein_distance(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    p: float = 1.0,
    prediction_weight: ArrayLike | None = None,
    target_weight: ArrayLike | None = None,
) -> Array:
    r"""How far mass must be moved, at least, to turn one sample of numbers into the other.

    .. math:: W_p = \Big(\int_0^1 |F^{-1}(u) - G^{-1}(u)|^p\,du\Big)^{1/p}

    Exact, from sorted values, and differentiable through them; the samples may differ in size. Weights need not sum to 1: each
    sample is divided by the sum of its own, without weights by its size. None may be negative; if all of a sample are 0, the
    distance is 0. Where both are equal and p is above 1, the gradient is taken as 0.

    >>> float(wasserstein_distance([0.0, 1.0, 3.0], [5.0, 6.0, 8.0]))
    5.0
    """
    who = "wasserstein_distance"
    between(who, 1.0, float("inf"), p=p)
    xp, (a, b) = floats(who, prediction=prediction, target=target)
    for name, side in (("prediction", a), ("target", b)):
        if side.ndim != 1 or not side.shape[0]:
            raise InputError(
                who,
                name,
                f"must be a filled sample of numbers, got shape {tuple(side.shape)}",
                "For points take sinkhorn.",
            )
    if prediction_weight is None and target_weight is None:
        width, at, to = _levels(xp, a, b)
        gaps = xp.abs(xp.take(xp.sort(a), at) - xp.take(xp.sort(b), to))
    else:
        width, gaps = _weighted(who, xp, a, b, prediction_weight, target_weight)
    gaps = wide(xp, gaps)
    cost = xp.sum(xp.astype(width, gaps.dtype) * (gaps if p == 1 else gaps**p))
    value = xp.astype(cost if p == 1 else _root(xp, cost, 1 / p), a.dtype)
    return _if_any(xp, value, prediction_weight, target_weight)


def _root(xp: Namespace, x: Array, power: float) -> Array:
    """A root whose slope at 0 is taken as 0."""
    none = x <= 0
    return xp.where(none, xp.zeros_like(x), xp.where(none, xp.ones_like(x), x) ** power)


def _levels(xp: Namespace, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The pieces of (0, 1] on which both quantile functions are constant: their widths, and the place in either sample.

    They depend on the sizes alone, and integers give them without rounding.
    """
    n, m = int(a.shape[0]), int(b.shape[0])
    if native(xp):  # where a compiler follows; what both samples cut is there twice, with a width of 0 between
        marks = (xp.arange(1, k + 1, device=a.device) * other for k, other in ((n, m), (m, n)))
        cuts = xp.sort(xp.concat(list(marks)))
        width = xp.concat([cuts[:1], cuts[1:] - cuts[:-1]])
        return xp.astype(width, a.dtype) / (n * m), (cuts - 1) // m, (cuts - 1) // n
    cuts: Any = np.union1d(np.arange(1, n + 1) * m, np.arange(1, m + 1) * n)
    width = np.diff(cuts, prepend=0) / (n * m)
    return like(a, width), like(a, (cuts - 1) // m), like(a, (cuts - 1) // n)


def _weighted(who: str, xp: Namespace, a: Array, b: Array, first: Any, second: Any) -> tuple[Array, Array]:
    """Widths of the pieces and gaps on them, where the steps of the distribution functions are weights."""
    sides = [
        _steps(who, xp, name, x, w) for name, x, w in (("prediction_weight", a, first), ("target_weight", b, second))
    ]
    (a, up), (b, over) = sides
    cuts = xp.sort(xp.concat([up, over]))
    width = xp.concat([cuts[:1], cuts[1:] - cuts[:-1]])
    at, to = (xp.clip(xp.searchsorted(stop_gradient(c), stop_gradient(cuts)), 0, c.shape[0] - 1) for c in (up, over))
    return width, xp.abs(xp.take(a, at) - xp.take(b, to))


def _steps(who: str, xp: Namespace, name: str, x: Array, weight: Any) -> tuple[Array, Array]:
    """The sorted sample and its distribution function."""
    weight = _shares(who, xp, name, x, weight)
    order = xp.argsort(stop_gradient(x))
    running = xp.cumulative_sum(xp.take(weight, order))
    return xp.take(x, order), running / running[-1]


def _shares(who: str, xp: Namespace, name: str, points: Array, given: Any) -> Array:
    """Weights of the points that sum to 1, in at least single precision; equal ones if all that are given are 0."""
    n = points.shape[0]
    if given is None:
        return wide(xp, xp.full_like(points if points.ndim == 1 else points[:, 0], 1 / n))
    array = numbers_beside(who, name, given, points, f"one number for each of {n} points")
    if tuple(array.shape) != (n,):
        raise InputError(who, name, f"must have one number for each of {n} points, got shape {tuple(array.shape)}")
    weight = wide(xp, xp.astype(array, points.dtype))
    weight = xp.where(xp.all(weight == 0), xp.ones_like(weight), weight)
    return weight / xp.sum(weight)


def _if_any(xp: Namespace, value: Array, *weights: Any) -> Array:
    """The value, or 0 if one of the samples has no weight at all."""
    for given in weights:
        if given is not None:
            array: Any = given if array_api_compat.is_array_api_obj(given) else np.asarray(given)
            some = array_api_compat.array_namespace(array).any(array != 0)
            value = xp.where(some, value, xp.zeros_like(value)) if namespace(array) is xp else value * bool(some)
    return value


@loss(
    "differentiable",
    "smooth",
    title="Sinkhorn divergence",
    use="generated points must fill the same region as real ones, and no critic is wanted",
    instead="wasserstein_distance, exact in one dimension; wasserstein with a critic for pictures",
    misleads="epsilon is in the unit of the cost: too large and it compares means only, too small and it does not converge",
    references=("cuturi2013", "feydy2019", "genevay2018"),
)
def sinkhorn(
    prediction: ArrayLike,
    target: ArrayLike,
    *,
    epsilon: float = 0.05,
    iterations: int = 100,
    p: float = 2.0,
    prediction_weight: ArrayLike | None = None,
    target_weight: ArrayLike | None = None,
    unrolled: bool = False,
) -> Array:
    r"""Transport cost between two clouds of points, softened by entropy and freed of its bias.

    .. math:: S = \mathrm{OT}_\epsilon(a, b) - \tfrac12\mathrm{OT}_\epsilon(a, a) - \tfrac12\mathrm{OT}_\epsilon(b, b)

    OT is the least mean of the distance to the power p, plus epsilon times the divergence of the plan from independence. As
    ``epsilon`` goes to 0 it tends to the exact cost, the p-th power of the Wasserstein distance. ``iterations`` steps are made
    in log space, the first half of them with an epsilon that comes down from the largest cost. Where they have converged, equal
    clouds give 0 and both sides may be exchanged; with the defaults the rest is about 1e-4 of the cost, and more the
    smaller epsilon is beside the distances. The gradient takes the plan that was reached for the best one and keeps no
    iteration: it may be a few per cent off until more ``iterations`` are made. ``unrolled=True`` differentiates the iterations
    themselves, which second derivatives need. Weights are as in `wasserstein_distance`.

    >>> round(float(sinkhorn([[0.0], [1.0]], [[2.0], [3.0]], epsilon=0.01)), 6)
    4.0
    """
    who = "sinkhorn"
    positive(who, epsilon=epsilon)
    between(who, 1.0, float("inf"), p=p)
    whole(who, 1, iterations=iterations)
    xp, (x, y) = floats(who, prediction=prediction, target=target)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1] or not min(x.shape[0], y.shape[0]):
        raise InputError(
            who,
            "",
            f"prediction and target must hold points, one per row, of one dimension; got shapes {tuple(x.shape)} "
            f"and {tuple(y.shape)}",
        )
    a, b = (
        _shares(who, xp, f"{name}_weight", side, weight)
        for name, side, weight in (("prediction", x, prediction_weight), ("target", y, target_weight))
    )
    plan = _Plan(xp, p, epsilon, iterations, unrolled)
    wide_x, wide_y = wide(xp, x), wide(xp, y)
    bias = plan.own(wide_x, a) + plan.own(wide_y, b)
    value = xp.astype(plan.cost(wide_x, a, wide_y, b) - 0.5 * bias, x.dtype)
    return _if_any(xp, value, prediction_weight, target_weight)


class _Plan(NamedTuple):
    """How the softened transport problem is solved."""

    xp: Namespace
    p: float
    epsilon: Any
    iterations: int
    unrolled: bool

    def cost(self, x: Array, a: Array, y: Array, b: Array) -> Array:
        """The softened cost between two clouds: both potentials in turn, and the value of the dual."""
        xp, logs = self.xp, (_log(self.xp, a), _log(self.xp, b))
        costs = self._costs(x, y)
        held, (log_a, log_b) = self._held(costs), map(self._held, logs)
        temper = self._temper(held)

        def step(k: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
            f = _softened(xp, log_b, state[1], held, temper(k))
            return f, _softened(xp, log_a, f, xp.matrix_transpose(held), temper(k))

        start = (xp.zeros_like(log_a), xp.zeros_like(log_b))
        _, g = repeated(xp, self.iterations, step, start)
        return xp.sum(a * _softened(xp, logs[1], g, costs, self.epsilon)) + xp.sum(b * g)

    def own(self, x: Array, a: Array) -> Array:
        """The softened cost of a cloud to itself, where both potentials are one; averaging lets it settle fast."""
        xp, log_a = self.xp, _log(self.xp, a)
        costs = self._costs(x, x)
        held, held_log = self._held(costs), self._held(log_a)
        temper = self._temper(held)

        def step(k: Any, f: Array) -> Array:
            return 0.5 * (f + _softened(xp, held_log, f, held, temper(k)))

        f = repeated(xp, self.iterations, step, xp.zeros_like(held_log))
        return xp.sum(a * (_softened(xp, log_a, f, costs, self.epsilon) + f))

    def _held(self, array: Array) -> Array:
        """A constant: at the optimum the potentials do not move the value, so only the last step is differentiated."""
        return array if self.unrolled else stop_gradient(array)

    def _costs(self, x: Array, y: Array) -> Array:
        gap = x[:, None, :] - y[None, :, :]
        square = self.xp.sum(gap * gap, axis=-1)
        return square if self.p == 2 else _root(self.xp, square, self.p / 2)

    def _temper(self, costs: Array) -> Any:
        """Epsilon of each step: from the largest cost down in the first half, since small ones alone take very long."""
        half = self.iterations // 2
        powers = [max(1 - k / half, 0.0) for k in range(self.iterations)] if half else [0.0]
        power = self.xp.asarray(powers, dtype=costs.dtype, device=array_api_compat.device(costs))
        top = self.xp.max(costs) / self.epsilon
        top = self.xp.where(top > 1, top, self.xp.ones_like(top))

        def at(k: Any) -> Array:
            return self.epsilon * top ** power[k]

        return at


def _log(xp: Namespace, share: Array) -> Array:
    """The logarithm of weights; minus infinity where there is none."""
    none = share <= 0
    return xp.where(none, xp.full_like(share, -xp.inf), xp.log(xp.where(none, xp.ones_like(share), share)))


def _softened(xp: Namespace, logs: Array, potential: Array, costs: Array, epsilon: Any) -> Array:
    """The soft minimum over the columns of what they cost less their potential."""
    return -epsilon * logsumexp(xp, logs + (potential - costs) / epsilon, axis=-1)
