"""Rates of a confusion table: how many trials stand behind one, and intervals of averages over classes."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import z_quantile
from assay.core.metric import Metric
from assay.core.monoids import Counts
from assay.inference import formulas
from assay.inference.delta_method import FEW_ROWS, Interval, scaled
from assay.inference.sample import Sample, asked
from assay.metrics.classification.overlap import F1, FBeta

V = TypeVar("V", float, Floats)
FEW_OF_A_CLASS = 10
POSTERIOR_DRAWS = 20_000
MANY = 1000  # cells above this have a posterior that is normal to the third digit of its limits: no need to draw it


@runtime_checkable
class ClassAverage(Protocol):
    """A metric that averages over classes and knows how the estimates of the classes vary together."""

    def part_covariance(self, total: Counts, squares: Floats) -> Floats | None:
        """The covariance of the classes' values, from the table of squared weights."""
        ...


@runtime_checkable
class AveragingMetric(Protocol):
    """A metric of one class against the rest, whose values are averaged over classes."""

    @property
    def average(self) -> str | None:
        """How: ``"binary"`` is the positive class alone, None one value per class."""
        ...


def average_of(metric: object) -> str | None:
    """How classes are averaged, if they are."""
    return metric.average if isinstance(metric, AveragingMetric) else "binary"


def averaged(sample: Sample) -> str | None:
    """How classes were averaged, if they were."""
    return average_of(sample.metric)


def effective_trials(sample: Sample) -> float:
    """How many independent trials have this standard error; by count where all or none succeeded."""
    value = sample.value
    counted = np.asarray(sample.trials)
    most = float(counted) if counted.ndim == 0 else sample.rows
    if 0 < value < 1 and sample.spread.square > 0:
        trials = value * (1 - value) / sample.spread.square
        return min(trials, most) if sample.uneven else trials  # light rows in the wrong would pass for many trials
    return float(np.max(counted))


def share_limits(sample: Sample, successes: float, trials: float, level: float) -> formulas.Limits:
    """Wilson's limits, or exact ones where each tail must attain its own level: Wilson's tails are unequal near 0 and 1."""
    return (formulas.clopper_pearson if sample.each_tail else formulas.wilson)(successes, trials, level)


def few_trials(trials: float) -> str:
    """The reason not to trust a rate of a handful of rows."""
    return f"rests on {trials:.3g} rows only" if trials < FEW_ROWS else ""


def is_f(sample: Sample) -> bool:
    """Whether the value is an F score, which is a function of the Jaccard index."""
    return isinstance(sample.metric, F1 | FBeta)


def as_jaccard(value: V, plain: bool) -> tuple[V, V | float]:
    """F as a Jaccard index, and the derivative."""
    return (value, 1.0) if plain else (value / (2 - value), 2 / (2 - value) ** 2)


def macro(sample: Sample, level: float) -> Interval:
    """MOVER: the classes' own intervals, combined by the correlations of their estimates."""
    total, metric = sample.total, sample.metric
    one_cell = isinstance(total, Counts) and total.layout != "labelwise"  # a row counts once
    covariance = asked(metric, ClassAverage).part_covariance(total, sample.squared_weights) if one_cell else None
    values = np.asarray(metric.of(total), dtype=np.float64)
    known = ~np.isnan(values)
    if covariance is None or known.sum() < 2:
        return scaled(sample, level)
    trials = np.asarray(sample.trials)[known]
    values, covariance = values[known], covariance[np.ix_(known, known)]
    index, slope = as_jaccard(values, not is_f(sample))
    variance = np.diagonal(covariance)
    inner = (index > 0) & (index < 1) & (variance > 0)
    size = np.where(inner, index * (1 - index) / np.where(inner, variance * slope**2, 1), np.maximum(trials, 1e-9))
    size = np.minimum(size, np.maximum(trials, 1e-9)) if sample.uneven else size  # as for a single rate
    low, high = formulas.wilson(index * size, size, level)
    if is_f(sample):
        low, high = 2 * low / (1 + low), 2 * high / (1 + high)
    low, high = _unbounded_if_small(index, size, slope, values, (low, high), level)
    sd = np.sqrt(np.where(variance > 0, variance, 1))
    correlation = np.where(np.outer(variance > 0, variance > 0), covariance / np.outer(sd, sd), 0)
    np.fill_diagonal(correlation, 1.0)
    limits = _over_classes(metric, values, low, high, correlation, len(known))
    return Interval(*limits, "MOVER over classes", small_class(sample))


def _unbounded_if_small(index: Any, size: Any, slope: Any, values: Any, limits: Any, level: float) -> tuple[Any, Any]:
    """Limits of small classes, not narrowed by the range: a mean of several such estimates varies as if there were none."""
    shrunk = (index * size + 2 * index.mean()) / (size + 2)
    half = np.where(size < FEW_OF_A_CLASS, z_quantile(level) * np.sqrt(shrunk * (1 - shrunk) / size) / slope, 0)
    return np.minimum(limits[0], values - half), np.maximum(limits[1], values + half)


def _over_classes(
    metric: Metric[Any], values: Any, low: Any, high: Any, correlation: Any, classes: int
) -> formulas.Limits:
    """The mean over the classes that count; those without a value are left out or count as a constant."""
    counted = len(values) if isinstance(metric.undefined, str) else classes
    rest = 0.0 if isinstance(metric.undefined, str) else metric.undefined * (classes - len(values)) / classes
    bottom, top = formulas.mover(values, low, high, correlation, np.full(len(values), 1 / counted))
    return bottom + rest, top + rest


def small_class(sample: Sample) -> str:
    """The reason not to trust an average over classes of which one has hardly any rows."""
    total = sample.total
    if not isinstance(total, Counts) or averaged(sample) in ("binary", "micro") or total.layout == "labelwise":
        return ""
    return rare_class(sample)


def rare_class(sample: Sample) -> str:
    """The reason not to trust a value to which a class of hardly any rows contributes as much as the others."""
    support = sample.total.table.sum(axis=-1) * sample.scale
    few = [label for label, count in zip(sample.total.labels, support, strict=True) if 0 < count < FEW_OF_A_CLASS]
    chosen: tuple[object, ...] | None = getattr(sample.metric, "labels", None)
    few = few if chosen is None else [label for label in few if label in chosen]  # the others are in no average
    if not few:
        return ""
    shown = ", ".join(map(str, few[:5])) + (" and more" if len(few) > 5 else "")
    return f"fewer than {FEW_OF_A_CLASS} rows in class {shown}"


def posterior(sample: Sample, values: Floats, level: float, method: str, reason: str) -> Interval:
    """Quantiles of draws; the estimate itself always lies inside."""
    low, high = np.quantile(values[~np.isnan(values)], [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(min(low, sample.value), max(high, sample.value), method, reason)
