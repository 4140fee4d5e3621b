"""The laws of metrics: each is a function of a metric and a case that raises `LawError` where the metric breaks it.

A law returns how many comparisons it made: 0 where it does not apply to the metric or the case.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from assay.core.errors import InputError, LawError, UndefinedWarning
from assay.core.metric import Metric
from assay.core.signatures import from_signature
from assay.core.state import State
from assay.testing import interval_law, metric_properties
from assay.testing.degenerate_data import comparisons
from assay.testing.law_values import Checks, counted, is_plain, numbers, shown
from assay.testing.metric_cases import MetricCase

Law = Callable[[Metric[Any], MetricCase], int]
Check = Callable[[Metric[Any], MetricCase], None]
LAWS: dict[str, Law] = {}


def law(function: Check) -> Law:
    """Add a law under the name of its function; assay's own warnings are expected while it runs."""

    def quiet(metric: Metric[Any], case: MetricCase) -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            return counted(lambda: function(metric, case))

    quiet.__name__, quiet.__doc__ = function.__name__, function.__doc__
    LAWS[function.__name__] = quiet
    return quiet


# ---- what laws are written with


def agree(
    metric: Metric[Any],
    case: MetricCase,
    says: str,
    got: object,
    wanted: object,
    *,
    rtol: float = 1e-9,
    atol: float = 1e-10,
) -> None:
    """Refuse two values that differ by more than rounding."""
    a, b = numbers(got), numbers(wanted)
    same = a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    require(metric, case, same, lambda: f"{says}: expected {shown(b)}, got {shown(a)}")


def require(metric: Metric[Any], case: MetricCase, held: object, why: str | Callable[[], str]) -> None:
    """Count a comparison, and raise the error of a broken law unless it held."""
    Checks.made += 1
    if not held:
        problem = why if isinstance(why, str) else why()
        raise LawError(metric.name, "", problem, f"Metric {metric.signature()}, case {case.name!r}.")


def _rng(metric: Metric[Any], case: MetricCase) -> Any:
    return np.random.default_rng(len(case.name) + 1000 * case.size(metric))


# ---- states


def merged(metric: Metric[Any], case: MetricCase, order: ArrayLike, cuts: Iterable[int]) -> State[Any]:
    """The sum of the states of pieces of the rows in this order."""
    pieces = [piece for piece in np.split(np.asarray(order), sorted(set(cuts))) if len(piece)]
    return cast("State[Any]", sum(metric.state(**case.taken(metric, piece)) for piece in pieces))


@law
def split(metric: Metric[Any], case: MetricCase) -> None:
    """Any split of the rows into batches merges to the whole."""
    rng, n = _rng(metric, case), case.size(metric)
    whole = metric(**case.inputs)
    for cuts in ([n // 2], [1, 2, n - 1], rng.integers(1, n, 5).tolist(), list(range(0, n, 7))):
        state = merged(metric, case, rng.permutation(n), cuts)
        agree(metric, case, "a split does not merge to the whole", state.value(), whole)
        require(metric, case, state.n == n, f"merging loses units: {n} went in, {state.n} came out")


@law
def monoid(metric: Metric[Any], case: MetricCase) -> None:
    """States add up in any grouping and in any order."""
    n = case.size(metric)
    a, b, c = (metric.state(**case.taken(metric, at)) for at in np.array_split(np.arange(n), 3))
    agree(metric, case, "merging is not associative", ((a + b) + c).value(), (a + (b + c)).value())
    agree(metric, case, "merging depends on the order of batches", (c + a + b).value(), (a + b + c).value())


@law
def neutral(metric: Metric[Any], case: MetricCase) -> None:
    """A batch without rows, or whose weights are all zero, adds nothing: a stream goes on over it."""
    state, n = metric.state(**case.inputs), case.size(metric)
    empty = metric.state(**case.taken(metric, slice(0)))
    weightless = metric.state(**case.inputs, weight=np.zeros(n))
    for nothing in (empty, weightless, State[Any].from_bytes(weightless.to_bytes()), empty + weightless):
        for total in (nothing + state, state + nothing):
            agree(metric, case, "a batch of nothing changes the value", total.value(), state.value(), rtol=0, atol=0)
            require(metric, case, total.n == n, f"a batch of nothing changes the number of units from {n} to {total.n}")


@law
def portable(metric: Metric[Any], case: MetricCase) -> None:
    """A state survives as bytes."""
    state = metric.state(**case.inputs)
    data = state.to_bytes()
    back = State[Any].from_bytes(data)
    same = back.metric == metric and back.n == state.n and back.to_bytes() == data
    require(metric, case, same, "to_bytes and from_bytes do not give the same state back")
    agree(metric, case, "a state changes its value as bytes", back.value(), state.value(), rtol=0, atol=0)
    twice = (back + state).value(), (state + state).value()
    agree(metric, case, "a state that was read does not merge", *twice, rtol=0, atol=0)


@law
def intervals(metric: Metric[Any], case: MetricCase) -> None:
    """States in any split, and as bytes, have the interval of all data, unless that resamples rows."""
    for says, got, wanted in interval_law.compared(metric, case):
        agree(metric, case, says, got, wanted, rtol=1e-7)


@law
def routes(metric: Metric[Any], case: MetricCase) -> None:
    """A call, a state and a score agree, and none of them changes its inputs."""
    before = {name: np.array(v) for name, v in case.inputs.items()}
    value = metric(**case.inputs)
    stated = metric.state(**case.inputs).value()
    agree(metric, case, "the state disagrees with the call", stated, value, rtol=0, atol=0)
    if isinstance(value, float):
        scored = float(metric.score(**case.inputs))
        agree(metric, case, "the score disagrees with the call", scored, value, rtol=0, atol=0)
    for name, array in before.items():
        same = np.array_equal(array, np.asarray(case.inputs[name]))
        require(metric, case, same, f"the call changes its input {name}")


@law
def signature(metric: Metric[Any], case: MetricCase) -> None:
    """The signature builds the same metric again, and no call depends on the order of parameters."""
    for text in (metric.signature(), f"{metric.signature()}|n:{case.size(metric)}|assay:0"):
        back = from_signature(text)
        require(metric, case, back == metric, f"the signature {text!r} reads back as {back!r}")


# ---- rows and weights


@law
def order(metric: Metric[Any], case: MetricCase) -> None:
    """The order of the rows does not matter."""
    at = _rng(metric, case).permutation(case.size(metric))
    agree(metric, case, "the order of the rows matters", metric(**case.taken(metric, at)), metric(**case.inputs))


@law
def copies(metric: Metric[Any], case: MetricCase) -> None:
    """Weight 1 equals no weight at all, and weight k equals k copies unless the metric says otherwise."""
    n = case.size(metric)
    agree(
        metric, case, "weight 1 differs from no weight", metric(**case.inputs, weight=np.ones(n)), metric(**case.inputs)
    )
    if not metric.weights_are_copies:
        return
    k = _rng(metric, case).integers(1, 4, n)
    many = case.taken(metric, np.repeat(np.arange(n), k))
    agree(metric, case, "weight k differs from k copies", metric(**case.inputs, weight=k.astype(float)), metric(**many))


@law
def absence(metric: Metric[Any], case: MetricCase) -> None:
    """Weight 0 equals absence."""
    keep = _rng(metric, case).random(case.size(metric)) < 0.7
    alone = metric(**case.taken(metric, np.flatnonzero(keep)))
    agree(metric, case, "weight 0 differs from absence", metric(**case.inputs, weight=keep.astype(float)), alone)


@law
def scaling(metric: Metric[Any], case: MetricCase) -> None:
    """Scaling all weights changes nothing, unless weights count rows; then it must change something."""
    weight = 0.5 + _rng(metric, case).random(case.size(metric))
    one, other = (metric(**case.inputs, weight=w) for w in (weight, 3.7 * weight))
    if not metric.weights_count:
        agree(metric, case, "scaling all weights changes the value", other, one)
    else:
        same = np.allclose(numbers(one), numbers(other), rtol=1e-12, atol=0, equal_nan=True)
        require(metric, case, not same, "weights_count is claimed, but scaling all weights changes nothing")


@law
def replicates(metric: Metric[Any], case: MetricCase) -> None:
    """Finalizing many weightings at once equals a loop over weighted calls."""
    if not is_plain(metric(**case.inputs)):
        return
    rng, n = _rng(metric, case), case.size(metric)
    weights, base = rng.integers(0, 4, (5, n)).astype(float), 0.5 + rng.random(n)
    loop = [metric(**case.inputs, weight=w) for w in weights]
    agree(
        metric, case, "replicates differ from weighted calls", metric.replicates(weights, **case.inputs), np.stack(loop)
    )
    loop = [metric(**case.inputs, weight=w * base) for w in weights]
    agree(
        metric,
        case,
        "replicates forget the weight",
        metric.replicates(weights, **case.inputs, weight=base),
        np.stack(loop),
    )


@law
def degenerate(metric: Metric[Any], case: MetricCase) -> None:
    """What is undefined under copies is undefined under weights of any scale, in states and in replicates."""
    for says, got, wanted in comparisons(metric, case):
        agree(metric, case, says, got, wanted)


@law
def influence(metric: Metric[Any], case: MetricCase) -> None:
    """Influence values sum to zero, are the derivative by the weights, and are near the jackknife's."""
    value = metric(**case.inputs)
    if not isinstance(value, float):
        return
    try:
        got = metric.influence(**case.inputs)
    except InputError:
        if metric.statistic().linear(metric.inputs(**case.inputs)) is not None:
            raise
        return  # not a smooth function of the weights, and it says so
    n = case.size(metric)
    size = np.abs(got).max()
    fits = got.shape == (n,) and abs(got.sum()) <= 1e-9 * max(1.0, n * size)
    told = f"influence values must be one per row and sum to 0, got shape {got.shape}, sum {got.sum():.3g}"
    require(metric, case, fits, told)
    step = 1e-5
    up, down = (metric.replicates(1 + s * np.eye(n), **case.inputs) for s in (step, -step))
    slope = _centred((up - down) / (2 * step))
    agree(
        metric,
        case,
        "influence is not the derivative by the weights",
        got,
        slope,
        rtol=1e-4,
        atol=1e-6 * max(size, 1e-3),
    )
    # Of 100 copies of each row one is left out: a table of few rows is bent too far by the loss of a whole one.
    without = _centred(100 * (value - metric.replicates(1 - np.eye(n) / 100, **case.inputs)))
    close = np.linalg.norm(got - without) <= 0.1 * np.linalg.norm(without) + 1e-9
    require(metric, case, close, lambda: f"influence {shown(got)} is far from the jackknife {shown(without)}")


def _centred(values: Any) -> Any:
    return values - values.mean()


# ---- values


@law
def bounds(metric: Metric[Any], case: MetricCase) -> None:
    """Values lie in the range, for fair and for poor predictions."""
    low, high = metric.bounds
    for inputs in (case.inputs, {**case.inputs, **_of_other_rows(case)}):
        value = metric(**inputs)
        if is_plain(value):
            found = numbers(value)
            outside = np.any((found < low - 1e-9) | (found > high + 1e-9))
            require(metric, case, not outside, f"the range is {low:g} to {high:g}, got {shown(found)}")


@law
def optimum(metric: Metric[Any], case: MetricCase) -> None:
    """A perfect prediction reaches the optimum, a fair one is not better, and one for other rows is worse."""
    if case.perfect is None or metric.record.better == "none":
        return
    best, fair, poor = (numbers(metric(**{**case.inputs, **more})) for more in (case.perfect, {}, _of_other_rows(case)))
    goal = metric.optimum
    if case.optimal and goal is not None:
        reached = np.allclose(best, goal, rtol=1e-9, atol=1e-9)
        require(metric, case, reached, f"a perfect prediction must reach {goal:g}, got {shown(best)}")
    sign = 1 if metric.record.better == "higher" else -1
    ahead, worse = (sign * (best - fair) < -1e-9).any(), (sign * (best - poor) > 1e-9).any()
    told = f"a fair prediction must not beat a perfect one ({shown(best)}), got {shown(fair)}"
    require(metric, case, not ahead, told)
    told = f"a prediction for other rows must be worse than a perfect one ({shown(best)}), got {shown(poor)}"
    require(metric, case, worse, told)


def _of_other_rows(case: MetricCase) -> dict[str, Any]:
    return {"y_true": np.asarray(case.inputs["y_true"])[::-1]} if "y_true" in case.inputs else {}


@law
def single_precision(metric: Metric[Any], case: MetricCase) -> None:
    """float32 inputs give the value of float64 inputs within single precision."""
    single = {
        name: np.asarray(v, np.float32) if np.asarray(v).dtype.kind == "f" else v for name, v in case.inputs.items()
    }
    agree(metric, case, "float32 is far from float64", metric(**single), metric(**case.inputs), rtol=2e-5, atol=1e-6)


@law
def properties(metric: Metric[Any], case: MetricCase) -> None:
    """Every property that is claimed holds."""
    for name in sorted(metric.properties):
        check = metric_properties.CHECKS.get(name)
        if check is None:
            known = ", ".join(metric_properties.CHECKS)
            require(metric, case, False, f"claims the property {name!r}, for which there is no law; known are {known}")
            return
        for says, got, wanted in check(metric, case):
            agree(metric, case, f"{name} is claimed, but {says}", got, wanted, rtol=1e-7, atol=1e-9)
