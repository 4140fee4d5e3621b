"""Replicates of a value: one set of draws shared by all metrics and models, and the cheapest route for each monoid."""

from __future__ import annotations

import dataclasses
import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats
from assay.core.errors import ParameterError, arg
from assay.core.metric import E, Metric
from assay.core.monoids import Counts, Rows
from assay.core.statistic import Linear
from assay.inference.delta_method import Interval
from assay.inference.draws import Draws, Progress, replicate_rows, replicate_sums, tell
from assay.inference.sample import Sample

MOST_UNIT_CELLS = 50_000_000  # above, a table for every group would not fit in memory


def draws_for(sample: Sample, replicates: int, seed: int) -> Draws:
    """The draws of this design: the same for every metric and model on these units."""
    design = sample.design
    return Draws(design.units, replicates, seed, None if design.strata is None else design.unit_strata)


def replicated(sample: Sample, replicates: int, seed: int, progress: Progress | None = None) -> Floats:
    """The value in every bootstrap replicate."""
    draws = draws_for(sample, replicates, seed)
    total, metric = sample.total, lenient(sample.metric)
    if isinstance(total, Counts) and sample.design.plain and sample.weight is None and total.layout != "labelwise":
        cells = draws.cells(total.table.reshape(-1))
        tables = cells.reshape(replicates, *total.table.shape)
        return np.asarray(metric.finalize(Counts(total.labels, tables, total.n, total.layout)), dtype=np.float64)
    if isinstance(total, Rows):
        return replicate_rows(metric, total, draws, sample.design.groups, progress)
    linear = metric.statistic().linear(sample.inputs)
    if linear is not None:
        sums = replicated_sums(sample, linear, draws, progress)
        return np.asarray(metric.finalize(linear.build(sums)), dtype=np.float64)
    return _again(sample, draws, progress)


def lenient(metric: Metric[E]) -> Metric[E]:
    """The metric as replicates need it: one in which the value is undefined is counted, not an error."""
    return dataclasses.replace(metric, undefined="nan") if metric.undefined == "error" else metric


def replicated_sums(sample: Sample, linear: Linear, draws: Draws, progress: Progress | None) -> Floats:
    """The totals in every replicate: rows are added up to units first, so that the cost no longer depends on the rows."""
    if linear.rows is not None:
        return replicate_sums(unit_rows(sample, linear.rows, draws.units), draws, progress)
    base = np.ones(sample.n) if sample.weight is None else sample.weight
    groups = sample.design.groups
    if draws.units * linear.width <= MOST_UNIT_CELLS and groups is not None:
        hits = linear.cells.shape[1]
        at = (groups[:, None] * linear.width + linear.cells).reshape(-1)
        cells: Any = np.bincount(at, np.repeat(base, hits), minlength=draws.units * linear.width)
        return replicate_sums(cells.reshape(draws.units, linear.width), draws, progress)
    parts: list[Floats] = []
    for start, stop in draws.batches():
        weights = draws.weights(start, stop)
        parts.append(linear.totals((weights if groups is None else weights[:, groups]) * base))
        tell(progress, stop - start)
    return np.concatenate(parts)


def unit_rows(sample: Sample, rows: Floats, units: int) -> Floats:
    """The rows by their weights, added up to units."""
    weighted = rows if sample.weight is None else rows * sample.weight[:, None]
    return weighted if sample.design.groups is None else grouped(weighted, sample.design.groups, units)


def grouped(rows: Floats, groups: NDArray[np.int64], units: int) -> Floats:
    """Rows added up to the units that they belong to."""
    return np.stack([np.bincount(groups, column, minlength=units) for column in rows.T], axis=1, dtype=np.float64)


def _again(sample: Sample, draws: Draws, progress: Progress | None) -> Floats:
    """The slow route for what is neither sums nor rows: the statistic of the reweighted data, replicate by replicate."""
    base = np.ones(sample.n) if sample.weight is None else sample.weight
    groups, metric = sample.design.groups, lenient(sample.metric)
    values: list[float] = []
    for start, stop in draws.batches():
        for drawn in draws.weights(start, stop):
            weight = (drawn if groups is None else drawn[groups]) * base
            values.append(float(metric.finalize(metric.statistic().of(sample.inputs.reweighted(weight)))))
        tell(progress, stop - start)
    return np.array(values)


def percentile(sample: Sample, values: Floats, level: float) -> Interval:
    """The quantiles of the replicates."""
    known, reason = usable(sample, values)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low, high, f"percentile bootstrap, {len(values)} replicates", reason)


def bca(sample: Sample, values: Floats, level: float) -> Interval:
    """Efron's (1987) bias-corrected accelerated limits; the acceleration comes from influence values, without a jackknife."""
    if not sample.smooth:
        problem = (
            "bca needs influence values, which this metric does not have: it does not change smoothly with the weights"
        )
        raise ParameterError(sample.metric.name, "", problem, f"Choose {arg('method', 'percentile')}.")
    known, reason = usable(sample, values)
    acceleration = sample.skew / (6 * math.sqrt(sample.rows if sample.design.plain else sample.design.units))
    below = (float((known < sample.value).sum()) + 0.5 * float((known == sample.value).sum())) / len(known)
    normal = NormalDist()
    shift = normal.inv_cdf(min(max(below, 0.5 / len(known)), 1 - 0.5 / len(known)))
    shares: list[float] = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = shift + normal.inv_cdf(tail)
        shares.append(normal.cdf(shift + z / (1 - acceleration * z)))
    low, high = np.quantile(known, shares).tolist()
    return Interval(low, high, f"BCa bootstrap, {len(values)} replicates", reason)


def usable(sample: Sample, values: Floats) -> tuple[Floats, str]:
    """The replicates in which the value is defined, and why they might not be trusted."""
    known = values[np.isfinite(values)]
    lost = len(values) - len(known)
    if not len(known):
        return np.array([math.nan]), "the value is undefined in every replicate"
    if lost > 0.01 * len(values):
        return known, f"the value is undefined in {lost} of {len(values)} replicates"
    if known.min() == known.max():
        return known, "all replicates agree, so they say nothing about the spread"
    return known, "only few units to draw from" if sample.design.units < 20 else ""
