"""The default interval of each family of metrics: which formula, on which scale, and when not to trust it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.core.distributions import t_quantile, z_quantile
from assay.core.interval_state import FEW_FOR_MOMENTS
from assay.core.monoids import Counts, Moments, Rows
from assay.inference import closed
from assay.inference.sample import Sample
from assay.metrics.classification.overlap import F1, FBeta

FEW_ROWS = 10
FEW_OF_A_CLASS = 10
FEW_POSITIVES = 50
POSTERIOR_DRAWS = 20_000
MANY = 1000  # cells above this have a posterior that is normal to the third digit of its limits: no need to draw it
HEAVY = 0.6  # skewness over root n from which a few rows decide the spread: there Hall's correction is out of its depth
FEW_LOSSES = 100  # below, losses without a bound may not have shown their tail, and nothing in the sample would tell
TAIL = 1.5  # a sample shows about two thirds of the skewness of losses with heavy tails (docs/design/decisions.md)


@dataclass(frozen=True)
class Interval:
    """Limits with the name of their method, and the reason not to trust them if there is one."""

    low: float
    high: float
    method: str
    reason: str = ""
    notes: dict[str, float] = field(default_factory=lambda: dict[str, float]())
    corrected: float | None = (
        None  # the bias-corrected estimate, where the limits are about that and not about the value
    )


def scaled(sample: Sample, level: float, *, name: str = "delta") -> Interval:
    """Value plus and minus t standard errors on the scale of the family: what serves wherever nothing better is known."""
    metric, value = sample.metric, sample.value
    scale, bounds = metric.record.transform, sample.bounds
    quantile = t_quantile(level, sample.df)
    at_bound = value in bounds or sample.error == 0
    if at_bound and bounds == (0, 1):
        return Interval(*closed.wilson(value * sample.units, sample.units, level), "Wilson", _few(sample))
    if at_bound or (scale == "log" and value <= 0):
        return Interval(value, value, f"{name} ({scale})", "all rows agree, so they tell nothing about the spread")
    limits = closed.rescaled(scale, value, standard_error(sample), bounds, quantile)
    return Interval(
        *limits, f"{name} t" if scale == "identity" else f"{name} t on the {_SCALE_NAMES[scale]} scale", _few(sample)
    )


def standard_error(sample: Sample) -> float:
    """The standard error; functions of moments on few rows have it from leaving out each row in turn.

    A row far out stretches the very moments that it is measured by, so its influence value is too small (leverage).
    """
    few = sample.design.plain and sample.n <= FEW_FOR_MOMENTS and isinstance(sample.total, Moments)
    found = sample.weighted_rows() if few else None
    if found is None:
        return sample.error
    build, rows, weight = found
    without = np.asarray(sample.metric.finalize(build(rows.sum(axis=0) - rows)), dtype=np.float64)
    moved = (1 - weight / weight.sum()) * (without - sample.value)
    error = math.sqrt(float(moved @ moved) * sample.rows / max(1.0, sample.rows - 1))
    return error if math.isfinite(error) else sample.error


_SCALE_NAMES = {"log": "log", "logit": "logit", "fisher_z": "Fisher z", "log_one_minus": "log(1 - value)"}


def _few(sample: Sample) -> str:
    return f"only {sample.rows:.3g} rows" if sample.rows < FEW_ROWS else ""


def _heavy(sample: Sample) -> str:
    if abs(sample.skew) / math.sqrt(sample.rows) > HEAVY:
        return "a few rows carry most of the spread (heavy tails)"
    if _unbounded(sample) and sample.rows < FEW_LOSSES:
        return f"losses without a bound on fewer than {FEW_LOSSES} rows: a rare large one may not have been drawn"
    return _few(sample)


def _unbounded(sample: Sample) -> bool:
    """Whether single losses may be large without bound; those of a table take a few values."""
    no_bound = sample.metric.record.better == "lower" and sample.bounds[1] == math.inf
    return no_bound and not isinstance(sample.total, Counts)


def mean(sample: Sample, level: float) -> Interval:
    """Hall's transformed t."""
    if sample.error == 0:
        return Interval(sample.value, sample.value, "Hall t", "all rows agree, so they tell nothing about the spread")
    limits, method = _hall(sample, sample.value, sample.error, level)
    return Interval(*limits, method, _heavy(sample))


def root_mean(sample: Sample, level: float) -> Interval:
    """The root of Hall's interval of the mean square."""
    value = sample.value
    if sample.error == 0 or value == 0:
        return Interval(value, value, "root of Hall t", "all rows agree, so they tell nothing about the spread")
    (low, high), method = _hall(sample, value**2, 2 * value * sample.error, level)
    return Interval(math.sqrt(max(0.0, low)), math.sqrt(max(0.0, high)), f"root of {method}", _heavy(sample))


def _hall(sample: Sample, value: float, error: float, level: float) -> tuple[closed.Limits, str]:
    """Hall's limits; the upper one of losses without a bound allows for a tail that the rows did not show."""
    low, high = closed.hall(value, error, sample.skew, sample.rows, level)
    if not _unbounded(sample):
        return (low, high), "Hall t"
    _, further = closed.hall(value, error, TAIL * sample.skew, sample.rows, level)
    return (low, max(high, further)), "Hall t, heavy upper tail"


def bounded_mean(sample: Sample, level: float) -> Interval:
    """t on the logit scale."""
    return scaled(sample, level, name="logit")


# ---- rates of tables


def averaged(sample: Sample) -> str | None:
    """How classes were averaged, if they were."""
    return getattr(sample.metric, "average", "binary")


def effective_trials(sample: Sample) -> float:
    """How many independent trials have this standard error; by count where all or none succeeded."""
    value = sample.value
    counted = np.asarray(sample.trials)
    most = float(counted) if counted.ndim == 0 else sample.rows
    if 0 < value < 1 and sample.spread.square > 0:
        trials = value * (1 - value) / sample.spread.square
        return min(trials, most) if sample.uneven else trials  # light rows in the wrong would pass for many trials
    return float(np.max(counted))


def proportion(sample: Sample, level: float) -> Interval:
    """Wilson's interval, with the effective number of trials under weights and averages."""
    if averaged(sample) == "samples":
        return bounded_mean(sample, level)
    if averaged(sample) == "macro":
        return macro(sample, level)
    trials = effective_trials(sample)
    limits = _share_limits(sample, sample.value * trials, trials, level)
    return Interval(*limits, "Wilson", _few_trials(trials) or small_class(sample))


def _share_limits(sample: Sample, successes: float, trials: float, level: float) -> closed.Limits:
    """Wilson's, or where each tail must hold by itself the exact ones: Wilson's tails are unequal near 0 and 1."""
    return (closed.clopper_pearson if sample.each_tail else closed.wilson)(successes, trials, level)


def _few_trials(trials: float) -> str:
    return f"rests on {trials:.3g} rows only" if trials < FEW_ROWS else ""


def overlap(sample: Sample, level: float) -> Interval:
    """Wilson's interval of the Jaccard index given the union, carried over to F by F = 2J/(1+J)."""
    if averaged(sample) in ("samples", "macro", "micro", "weighted"):
        return proportion(sample, level)
    value, plain = sample.value, not _is_f(sample)
    index, slope = _as_jaccard(value, plain)
    union = float(np.max(sample.trials))
    if 0 < value < 1 and sample.spread.square > 0:
        trials = index * (1 - index) / (sample.spread.square * slope**2)
        union = min(trials, union) if sample.uneven else trials
    low, high = _share_limits(sample, index * union, union, level)
    limits = (low, high) if plain else (2 * low / (1 + low), 2 * high / (1 + high))
    return Interval(*limits, "Wilson on the Jaccard index", _few_trials(union))


def _is_f(sample: Sample) -> bool:
    """Whether the value is an F score, which is a Jaccard index in disguise."""
    return isinstance(sample.metric, F1 | FBeta)


def _as_jaccard(value: Any, plain: bool) -> tuple[Any, Any]:
    """F as a Jaccard index, and the derivative."""
    return (value, 1.0) if plain else (value / (2 - value), 2 / (2 - value) ** 2)


def macro(sample: Sample, level: float) -> Interval:
    """MOVER: the classes' own intervals, combined by the correlations of their estimates."""
    total, metric = sample.total, sample.metric
    one_cell = isinstance(total, Counts) and total.layout != "labelwise"  # a row counts once
    covariance = metric.part_covariance(total, sample.squared_weights) if one_cell else None
    values = np.asarray(metric.of(total), dtype=np.float64)
    known = ~np.isnan(values)
    if covariance is None or known.sum() < 2:
        return scaled(sample, level)
    trials = np.asarray(sample.trials)[known]
    values, covariance = values[known], covariance[np.ix_(known, known)]
    index, slope = _as_jaccard(values, not _is_f(sample))
    variance = np.diagonal(covariance)
    inner = (index > 0) & (index < 1) & (variance > 0)
    size = np.where(inner, index * (1 - index) / np.where(inner, variance * slope**2, 1), np.maximum(trials, 1e-9))
    size = np.minimum(size, np.maximum(trials, 1e-9)) if sample.uneven else size  # as for a single rate
    low, high = closed.wilson(index * size, size, level)
    if _is_f(sample):
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


def _over_classes(metric: Any, values: Any, low: Any, high: Any, correlation: Any, classes: int) -> closed.Limits:
    """The mean over the classes that count; those without a value are left out or count as a constant."""
    counted = len(values) if isinstance(metric.undefined, str) else classes
    rest = 0.0 if isinstance(metric.undefined, str) else metric.undefined * (classes - len(values)) / classes
    bottom, top = closed.mover(values, low, high, correlation, np.full(len(values), 1 / counted))
    return bottom + rest, top + rest


def small_class(sample: Sample) -> str:
    """The reason not to trust an average over classes of which one has hardly any rows."""
    total = sample.total
    if not isinstance(total, Counts) or averaged(sample) in ("binary", "micro") or total.layout == "labelwise":
        return ""
    return _rare_class(sample)


def _rare_class(sample: Sample) -> str:
    support = sample.total.table.sum(axis=-1) * sample.scale
    few = [label for label, count in zip(sample.total.labels, support, strict=True) if 0 < count < FEW_OF_A_CLASS]
    if not few:
        return ""
    shown = ", ".join(map(str, few[:5])) + (" and more" if len(few) > 5 else "")
    return f"fewer than {FEW_OF_A_CLASS} rows in class {shown}"


def agreement(sample: Sample, level: float) -> Interval:
    """2 x 2: quantiles under a Dirichlet(1/2) posterior of the cells. More classes: t on the Fisher z scale."""
    table = sample.total.table * sample.scale
    if table.shape[-1] == 2 and table.min() < MANY and not sample.uneven:
        rng = np.random.Generator(np.random.Philox(0))
        drawn = rng.standard_gamma(table.reshape(-1) + 0.5, size=(POSTERIOR_DRAWS, 4)).reshape(-1, 2, 2)
        values: Any = sample.metric.finalize(Counts(sample.total.labels, drawn, sample.n, sample.total.layout))
        return _posterior(sample, values, level, "Dirichlet(1/2) posterior", _few(sample))
    if table.sum() == np.trace(table) and sample.value == 1:
        return _perfect_agreement(sample, table, level)
    return _doubting(scaled(sample, level), _rare_class(sample))


def _doubting(interval: Interval, reason: str) -> Interval:
    """The interval with a reason not to trust it, if there is one, in the place of its own."""
    return replace(interval, reason=reason or interval.reason)


def _posterior(sample: Sample, values: Any, level: float, method: str, reason: str) -> Interval:
    """Quantiles of draws; the estimate itself always lies inside."""
    low, high = np.quantile(values[~np.isnan(values)], [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(min(low, sample.value), max(high, sample.value), method, reason)


def _perfect_agreement(sample: Sample, table: Any, level: float) -> Interval:
    """No row disagrees: how many might is bounded by Wilson, and the margins say what that does to the value."""
    rows = table.sum()
    chance = float((table.sum(axis=0) @ table.sum(axis=1)) / rows**2)
    low, _ = closed.wilson(rows, rows, level)
    bottom = max(-1.0, (low - chance) / (1 - chance)) if chance < 1 else -1.0
    return Interval(bottom, sample.value, "Wilson on agreement", "truth and decisions agree on every row")


def balanced(sample: Sample, level: float) -> Interval:
    """Two classes: Jeffreys posteriors of both recalls. More: recalls shrunk to their mean, on the logit scale."""
    if sample.uneven:
        return _doubting(scaled(sample, level), _rare_class(sample))
    table = sample.total.table * sample.scale
    support, hits = table.sum(axis=-1), np.diagonal(table, axis1=-2, axis2=-1)
    hits, support = hits[support > 0], support[support > 0]
    k = len(support)
    if k == 2 and min(hits.min(), (support - hits).min()) < MANY:
        rng = np.random.Generator(np.random.Philox(0))
        drawn = rng.beta(hits + 0.5, support - hits + 0.5, size=(POSTERIOR_DRAWS, 2)).mean(axis=-1)
        return _posterior(
            sample, _adjusted(sample, drawn, k), level, "Jeffreys posterior of both recalls", _rare_class(sample)
        )
    pooled = (hits / support).mean()
    shrunk = (hits + 2 * pooled) / (support + 2)
    error = math.sqrt(float((shrunk * (1 - shrunk) / support).sum())) / k
    if not 0 < pooled < 1:
        limits = closed.wilson(pooled * support.sum(), support.sum(), level)
    else:
        limits = closed.on_scale("logit", float(shrunk.mean()), error, z_quantile(level))
    low, high = _adjusted(sample, np.array(limits), k).tolist()
    return Interval(min(low, sample.value), max(high, sample.value), "shrunk logit", _rare_class(sample))


def _adjusted(sample: Sample, values: Any, k: int) -> Any:
    """Balanced accuracies as the metric's parameters want them."""
    return (values - 1 / k) / (1 - 1 / k) if getattr(sample.metric, "adjusted", False) and k > 1 else values


# ---- areas


def _class_sizes(rows: Rows) -> tuple[float, float]:
    """The effective numbers (Kish) of positive and of negative rows."""
    sizes: list[float] = []
    for side in (rows["positive"], ~rows["positive"]):
        weight = None if rows.weight is None else rows.weight[side]
        square = 0.0 if weight is None else float(weight @ weight)
        sizes.append(float(side.sum()) if weight is None else float(weight.sum()) ** 2 / square if square else 0.0)
    return sizes[0], sizes[1]


def delong_error(sample: Sample) -> float:
    """DeLong's standard error of an area, with the two classes' own degrees of freedom."""
    p, q = _class_sizes(sample.total)
    hits, misses = sample.metric.squares(sample.total)
    return math.sqrt(hits * p / max(1, p - 1) + misses * q / max(1, q - 1))


def auc(sample: Sample, level: float) -> Interval:
    """DeLong on the logit scale; Newcombe's method 5 for small classes and for areas of 0 and 1."""
    if getattr(sample.metric, "max_fpr", None) is not None:
        raise LookupError  # a part of the area has no closed form
    if sample.total["score"].ndim == 2:
        return scaled(sample, level)
    sizes, value = _class_sizes(sample.total), sample.value
    error = delong_error(sample)
    few = f"only {min(sizes):.3g} rows of the smaller class" if min(sizes) < FEW_ROWS else ""
    if min(sizes) < 20 or not 0 < value < 1 or error == 0:
        return Interval(*closed.newcombe(value, *sizes, level), "Newcombe 5", few)
    return Interval(*closed.on_scale("logit", value, error, z_quantile(level)), "DeLong on the logit scale")


def average_precision(sample: Sample, level: float) -> Interval:
    """Influence values on the logit scale; Boyd's logit interval for few positives and values near 1."""
    if sample.metric.interpolated:
        raise LookupError  # the running maximum has no influence values
    if sample.total["score"].ndim == 2:
        return scaled(sample, level)
    positives, _ = _class_sizes(sample.total)
    value, z = sample.value, z_quantile(level)
    few = f"only {positives:.3g} positive rows" if positives < FEW_POSITIVES else ""
    if few or value > 0.95:
        inner = (positives + 0.5) / (positives + 1) if value >= 1 else value  # rounding may pass 1
        error = math.sqrt(inner * (1 - inner) / positives)
        low, high = closed.on_scale("logit", inner, error, z)
        return Interval(low, max(high, value), "Boyd logit", few)
    error = math.sqrt(sample.metric.squares(sample.total) * sample.rows / max(1.0, sample.rows - 1))
    return Interval(*closed.on_scale("logit", value, error, z), "influence values on the logit scale")


def quantile(sample: Sample, level: float) -> Interval:
    """Order statistics: the binomial law alone, whatever the law of the errors."""
    rows = sample.total["absolute"] if isinstance(sample.total, Rows) else None
    if rows is None or rows.shape[1] != 1 or sample.weighted:
        raise LookupError
    at = closed.order_statistics(sample.n, 0.5, level)
    if at is None:
        return Interval(
            float(rows.min()), float(rows.max()), "order statistics", f"{sample.n} rows are too few for this level"
        )
    ordered = np.partition(rows[:, 0], at)
    return Interval(float(ordered[at[0]]), float(ordered[at[1]]), "order statistics")


Method = Callable[[Sample, float], Interval]
