"""Slices: each with its own interval, its gap to the whole, and by option an estimate that borrows from the others."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats, ingest, to_host
from assay.core.errors import InputError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.score import Score
from assay.core.slices import Slice, Slices
from assay.core.tails import t_quantile, two_sided
from assay.inference import closed
from assay.inference.bootstrap import draws_for
from assay.inference.design import Design, codes_of
from assay.inference.interval import found, scored
from assay.inference.limits import Interval
from assay.inference.options import Options
from assay.inference.sample import NotSmoothError, Sample

SMALL = 30


@dataclasses.dataclass(frozen=True)
class _Gap:
    """Slice minus whole, with limits of the level of one slice among many, and the p value that belongs to them."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan


def sliced(
    metric: Metric[Any],
    inputs: Inputs,
    slices: ArrayLike,
    groups: ArrayLike | None,
    options: Options,
    *,
    pool: bool = False,
) -> Slices:
    """The metric on every slice of one column, compared with the whole."""
    codes, labels = labelled(slices, inputs.n, metric.name)
    whole = Sample(metric, inputs, Design.of(inputs.n, groups, None, metric.name))
    known = with_classes(metric, whole.total)
    parts: dict[Any, Part] = {}
    for at, label in enumerate(labels):
        rows = np.flatnonzero(codes == at)
        parts[label] = Part(Sample(known, inputs.rows(rows), part_design(whole.design, rows)), rows)
    own = against_whole(whole, parts, options, pool=pool)
    return Slices(metric.signature(), scored(whole, options), own, options.level, metric.record.better)


@dataclasses.dataclass(frozen=True)
class Part:
    """A slice as a sample, and where its rows stand in the whole."""

    sample: Sample
    rows: Any


def against_whole(whole: Sample, parts: dict[Any, Part], options: Options, *, pool: bool) -> dict[Any, Slice]:
    """Every slice with its score and its gap to the whole; limits and p values allow for the number of slices (Šidák)."""
    scores = {label: _flagged(scored(part.sample, options)) for label, part in parts.items()}
    count = sum(not math.isnan(score) for score in scores.values())
    gap_of = _Gaps(whole, dataclasses.replace(options, method="auto", level=closed.sidak(options.level, count)))
    gaps = {label: gap_of(part) for label, part in parts.items()}
    pooled = partially_pooled(scores, {k: p.sample for k, p in parts.items()}, options.level) if pool else {}
    return {label: _slice(scores[label], gaps[label], count, pooled.get(label), options.level) for label in parts}


def _slice(score: Score, gap: _Gap, count: int, pooled: Score | None, level: float) -> Slice:
    sure = math.isfinite(gap.p)
    return Slice(
        score, gap.value, gap.low if sure else None, gap.high if sure else None, gap.p if sure else None,
        1 - (1 - gap.p) ** count if sure else None, level, pooled,
    )  # fmt: skip


def labelled(slices: ArrayLike, n: int, who: str) -> tuple[Any, list[Any]]:
    """Codes of the rows and the labels they stand for."""
    codes = codes_of("slices", slices, n, who)
    values = to_host(ingest(slices, name="slices", who=who))
    first = np.unique(codes, return_index=True)[1]
    labels = [v.item() if hasattr(v, "item") else v for v in values[first]]
    if len(labels) > n / 2 and n > 20:
        raise InputError(
            f"{who}: slices has {len(labels)} labels on {n} rows; a slice of a row or two says nothing. Bin them first."
        )
    return codes, labels


def with_classes(metric: Metric[Any], total: Any) -> Metric[Any]:
    """The metric with the classes of the whole data said: a slice that lacks one is still a slice of the same problem."""
    labels = getattr(total, "labels", ())
    if getattr(metric, "classes", 0) is not None or len(labels) < 2 or None in labels:
        return metric
    return dataclasses.replace(metric, classes=tuple(labels))


def part_design(design: Design, rows: Any) -> Design:
    """The design of some rows."""
    return Design(len(rows), None if design.groups is None else np.unique(design.groups[rows], return_inverse=True)[1])


def _flagged(score: Score) -> Score:
    if score.n >= SMALL or not score.reliable or score.low is None:
        return score
    return score.but(reliable=False, reason=f"fewer than {SMALL} rows in a slice")


class _Gaps:
    """Gaps of slices to one whole.

    The limits of slice and whole are combined by the correlation of the two (MOVER): a slice that is right on all of its few
    rows has influence values of zero, but an interval of its own that says how little it knows.
    """

    def __init__(self, whole: Sample, options: Options) -> None:
        self.whole, self.options = whole, options
        self.limits = found(whole, options) if whole.smooth else None

    def __call__(self, part: Part) -> _Gap:
        sample, gap = part.sample, part.sample.value - self.whole.value
        if not math.isfinite(gap) or sample.design.units < 2:
            return _Gap(gap)
        quantile = t_quantile(self.options.level, max(1.0, sample.df))
        if self.limits is None or not sample.smooth:
            half = quantile * _resampled_error(self.whole, part.rows, self.options)
            low, high = gap - half, gap + half
        else:
            low, high = self._combined(part, gap)
        half = gap - low if gap > 0 else high - gap
        return _Gap(gap, low, high, two_sided(quantile * gap / half, max(1.0, sample.df)) if half > 0 else math.nan)

    def _combined(self, part: Part, gap: float) -> closed.Limits:
        own, whole = found(part.sample, self.options), cast(Interval, self.limits)
        down, up = max(0.0, part.sample.value - own.low), max(0.0, own.high - part.sample.value)
        below, above = max(0.0, self.whole.value - whole.low), max(0.0, whole.high - self.whole.value)
        rho = self._correlation(part)
        return (
            gap - math.sqrt(max(0.0, down**2 + above**2 - 2 * rho * down * above)),
            gap + math.sqrt(max(0.0, up**2 + below**2 - 2 * rho * up * below)),
        )

    def _correlation(self, part: Part) -> float:
        moved = np.zeros(self.whole.n)
        moved[part.rows] = part.sample.influence
        sizes = self.whole.design.error(moved) * self.whole.design.error(self.whole.influence)
        return self.whole.design.covariance(moved, self.whole.influence) / sizes if sizes > 0 else 0.0


def _resampled_error(whole: Sample, rows: Any, options: Options) -> float:
    """The standard deviation of the gap over replicates: outside a slice rows weigh nothing."""
    draws = draws_for(whole, min(options.replicates, 500), options.seed)
    base = np.ones(whole.n) if whole.weight is None else whole.weight
    inside = np.zeros(whole.n)
    inside[rows] = 1.0
    groups = whole.design.groups
    gaps: list[Floats] = []
    for start, stop in draws.batches():
        weights = draws.weights(start, stop)
        weights = (weights if groups is None else weights[:, groups]) * base
        gaps.append(_values(whole, weights * inside) - _values(whole, weights))
    known = np.concatenate(gaps)
    known = known[np.isfinite(known)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan


def _values(sample: Sample, weights: Floats) -> Floats:
    metric = sample.metric
    if hasattr(sample.total, "reweighted"):
        return metric.reweighed(sample.total, weights)
    return np.array([float(metric.finalize(metric.statistic().of(sample.inputs.reweighted(w)))) for w in weights])


# ---- partial pooling


def partially_pooled(scores: dict[Any, Score], samples: dict[Any, Sample], level: float) -> dict[Any, Score]:
    """Every slice drawn towards the mean of all, the more the less it knows (random effects, DerSimonian and Laird 1986)."""
    usable = {label: s for label, s in samples.items() if _measured(s)}
    if len(usable) < 3:
        raise InputError(f"pooling needs at least three slices with a value and a standard error, got {len(usable)}.")
    scale = next(iter(usable.values())).metric.record.transform
    there, back, slope = closed.SCALES[scale]
    with np.errstate(all="ignore"):
        values = np.array([there(s.value) for s in usable.values()], dtype=np.float64)
        errors = np.array([s.error * slope(s.value) for s in usable.values()], dtype=np.float64)
    precision = 1 / errors**2
    mean = (precision @ values) / precision.sum()
    excess = precision @ (values - mean) ** 2 - (len(values) - 1)
    between = max(0.0, excess / (precision.sum() - (precision @ precision) / precision.sum()))
    weight = 1 / (errors**2 + between)
    mean, of_mean = (weight @ values) / weight.sum(), 1 / weight.sum()
    keep = between / (between + errors**2)
    centre = keep * values + (1 - keep) * mean
    error = np.sqrt(keep * errors**2 + (1 - keep) ** 2 * of_mean)
    half = t_quantile(level, max(1, len(values) - 1)) * error
    found: dict[Any, Score] = {}
    for label, c, h in zip(usable, centre, half, strict=True):
        low, high = float(back(c - h)), float(back(c + h))
        found[label] = scores[label].but(
            float(back(c)), low=low, high=high, level=level, method="partial pooling", reliable=True, reason=""
        )
    return found


def _measured(sample: Sample) -> bool:
    """Whether the slice has a value inside its range and a standard error."""
    try:
        inside = sample.metric.bounds[0] < sample.value < sample.metric.bounds[1]
        return inside and math.isfinite(sample.error) and sample.error > 0
    except NotSmoothError:
        return False
