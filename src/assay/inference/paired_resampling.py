"""Replicates of a difference: both models under the same draws, or with their outputs swapped at random."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats, to_host
from assay.core.errors import InputError
from assay.core.inference_options import InferenceOptions
from assay.core.inputs import Inputs
from assay.core.monoids import Counts, Sum
from assay.core.ragged import Ragged
from assay.core.statistic import Linear
from assay.inference.bootstrap import Progress, draws_for, grouped, lenient, replicated, unit_rows
from assay.inference.draws import Draws, joint_sums, weighted_sums
from assay.inference.sample import Sample


def paired_replicates(a: Sample, b: Sample, options: InferenceOptions, progress: Progress | None) -> Floats:
    """The difference in every bootstrap replicate: equal seeds draw equal rows, which pairs the models."""
    tables = all(isinstance(s.total, Counts) and s.total.layout != "labelwise" and s.weight is None for s in (a, b))
    if tables and a.design.plain:
        return _joint_tables(a, b, draws_for(a, options.replicates, options.seed))
    linear = _summed(a, b)
    if linear is not None:
        return _joint_sums(a, b, linear, draws_for(a, options.replicates, options.seed), progress)
    return replicated(a, options.replicates, options.seed, progress) - replicated(
        b, options.replicates, options.seed, None
    )


def _summed(a: Sample, b: Sample) -> tuple[Linear, Linear] | None:
    """The rows of sums behind both values, where both have them."""
    if not (isinstance(a.total, Sum) and isinstance(b.total, Sum)):
        return None
    first, second = (s.metric.statistic().linear(s.inputs) for s in (a, b))
    if first is None or second is None or first.rows is None or second.rows is None:
        return None
    return first, second


def _joint_sums(a: Sample, b: Sample, linear: tuple[Linear, Linear], draws: Draws, progress: Progress | None) -> Floats:
    """Both sums from one set of draws."""
    rows = [unit_rows(s, cast(Floats, part.rows), draws.units) for s, part in zip((a, b), linear, strict=True)]
    sums, metric = joint_sums(rows, draws, progress), lenient(a.metric)
    first, second = (
        np.asarray(metric.finalize(p.build(t)), dtype=np.float64) for p, t in zip(linear, sums, strict=True)
    )
    return first - second


def _joint_tables(a: Sample, b: Sample, draws: Draws) -> Floats:
    """Both tables from one multinomial draw over the pairs of cells that occur."""
    first, second = (cast(Linear, s.metric.statistic().linear(s.inputs)) for s in (a, b))  # tables have cells
    joint = first.cells[:, 0] * second.width + second.cells[:, 0]
    pairs, place, counts = np.unique(joint, return_index=True, return_counts=True)
    order = np.argsort(place)  # as they come in the data, so that swapping the models swaps the sign and nothing else
    pairs, counts = pairs[order], counts[order]
    drawn = draws.cells(counts).astype(np.float64)
    values: list[Floats] = []
    for linear, cells in ((first, pairs // second.width), (second, pairs % second.width)):
        tables = np.zeros((draws.replicates, linear.width))
        np.add.at(tables.T, cells, drawn.T)
        values.append(np.asarray(a.metric.finalize(linear.build(tables)), dtype=np.float64))
    return values[0] - values[1]


def randomised(a: Sample, b: Sample, options: InferenceOptions, progress: Progress | None) -> tuple[Floats, bool]:
    """Differences after swapping the models' outputs at random units; all swaps, if few units have different outputs."""
    changed, units = changed_units(a, b), a.design.units
    at = np.arange(units) if changed is None else changed
    exact = len(at) < 20 and 2 ** len(at) <= options.replicates
    draws = Draws(units, 2 ** len(at)) if exact else draws_for(a, options.replicates, options.seed)
    swap = _swapper(a, b)
    parts: list[Floats] = []
    for start, stop in draws.batches():
        signs = _every_swap(start, stop, at, units) if exact else draws.signs(start, stop)
        parts.append(swap(signs, a.design.groups))
        if progress is not None:
            progress(len(signs))
    return np.concatenate(parts), exact


def _every_swap(start: int, stop: int, at: Any, units: int) -> Any:
    """Some of all the swaps of the units ``at``, in the order of binary numbers."""
    signs = np.zeros((stop - start, units), dtype=np.bool_)
    signs[:, at] = (np.arange(start, stop)[:, None] >> np.arange(len(at))) & 1 == 1
    return signs


def swappable(a: Sample, b: Sample) -> bool:
    """Whether the outputs of the models can change places: both have the same inputs, one entry per row."""
    return set(a.inputs.arrays) == set(b.inputs.arrays) and not any(
        isinstance(array, Ragged) for array in a.inputs.arrays.values()
    )


def changed_units(a: Sample, b: Sample) -> NDArray[np.int64] | None:
    """Positions of the units to which the models give different outputs; None where these cannot be compared."""
    if set(a.inputs.arrays) != set(b.inputs.arrays):
        return None
    changed = np.zeros(a.n, dtype=np.bool_)
    for name in a.inputs.arrays:
        first, second = a.inputs[name], b.inputs[name]
        if isinstance(first, Ragged) and isinstance(second, Ragged):
            changed |= first.differs(second)
        elif first.shape != second.shape:
            return None
        else:
            changed |= (to_host(first) != to_host(second)).reshape(a.n, -1).any(axis=1)
    return np.flatnonzero(a.design.sums(changed.astype(np.float64)))


def _swapper(a: Sample, b: Sample) -> Any:
    """How a batch of swaps becomes differences: by the rows of sums, or by swapping the data themselves."""
    linear = _summed(a, b)
    if linear is None:
        return _Arrays(a, b)
    first, second = linear
    return _Sums(a, first.build, cast(Floats, first.rows), cast(Floats, second.rows))


class _Sums:
    """Swapping rows of sums moves their difference from one model to the other."""

    def __init__(self, a: Sample, build: Any, first: Floats, second: Floats) -> None:
        base = 1.0 if a.weight is None else a.weight[:, None]
        self.metric, self.build = a.metric, build
        self.first, self.second = (first * base).sum(axis=0), (second * base).sum(axis=0)
        gap = (second - first) * base
        groups = a.design.groups
        self.gap = gap if groups is None else grouped(gap, groups, a.design.units)

    def __call__(self, signs: Any, groups: Any) -> Floats:
        moved = weighted_sums(signs, [self.gap])[0]
        one, other = (self.metric.finalize(self.build(t)) for t in (self.first + moved, self.second - moved))
        return np.asarray(one - other, dtype=np.float64)


class _Arrays:
    """The general route: the inputs swapped row by row and the metric computed again."""

    def __init__(self, a: Sample, b: Sample) -> None:
        names = set(a.inputs.arrays)
        if names != set(b.inputs.arrays):
            kinds = f"{', '.join(sorted(names))} and {', '.join(sorted(b.inputs.arrays))}"
            raise InputError(a.metric.name, "", f"the models have different inputs ({kinds}), which cannot be swapped")
        self.metric, self.inputs = a.metric, a.inputs
        self.pairs = {n: (to_host(a.inputs[n]), to_host(b.inputs[n])) for n in names if n != "y_true"}

    def __call__(self, signs: Any, groups: Any) -> Floats:
        return np.array([self._one(s if groups is None else s[groups]) for s in signs])

    def _one(self, swap: Any) -> float:
        value = [self._value(swap), self._value(~swap)]
        return value[0] - value[1]

    def _value(self, swap: Any) -> float:
        arrays: dict[str, Any] = {}
        for name, (a, b) in self.pairs.items():
            arrays[name] = np.where(swap.reshape(-1, *[1] * (a.ndim - 1)), b, a)
        inputs: Inputs = self.inputs.replaced(arrays)
        return float(self.metric.finalize(self.metric.statistic().of(inputs)))
