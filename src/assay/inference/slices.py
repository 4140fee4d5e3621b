"""Slices: each with its own interval, its gap to the whole, and optionally an estimate that borrows from the others."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from assay.core.arrays import ArrayLike, Floats, to_host
from assay.core.distributions import t_quantile, two_sided
from assay.core.errors import InputError
from assay.core.inference_options import InferenceOptions
from assay.core.ingestion import ingest
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.score import Score
from assay.core.slices import Slice, Slices
from assay.inference import formulas
from assay.inference.bootstrap import draws_for, lenient
from assay.inference.delta_method import Interval
from assay.inference.design import Design, codes_of
from assay.inference.interval import found, scored
from assay.inference.partial_pooling import partially_pooled
from assay.inference.sample import Sample

SMALL = 30


@runtime_checkable
class ClassMetric(Protocol):
    """A metric whose classes can be set."""

    @property
    def classes(self) -> tuple[Label, ...] | None:
        """All classes; None for those that the data show."""
        ...


@runtime_checkable
class LabelledTotal(Protocol):
    """What a metric gathered by class."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes."""
        ...


@dataclasses.dataclass(frozen=True)
class _Gap:
    """Slice minus whole, with limits at the level of one slice among many, and their p value."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan


def sliced(
    metric: Metric[Any],
    inputs: Inputs,
    slices: ArrayLike,
    groups: ArrayLike | None,
    options: InferenceOptions,
    *,
    pool: bool = False,
) -> Slices:
    """The metric on every slice of one column, compared with the whole."""
    codes, labels = labelled(cast(ArrayLike, inputs.matching(slices, "slices")), inputs.n, metric.name)
    whole = Sample(metric, inputs, Design.of_inputs(inputs, groups, None, metric.name))
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


def against_whole(whole: Sample, parts: dict[Any, Part], options: InferenceOptions, *, pool: bool) -> dict[Any, Slice]:
    """Every slice with its score and its gap to the whole; limits and p values allow for the number of slices (Šidák)."""
    scores = {label: _flagged(scored(part.sample, options)) for label, part in parts.items()}
    count = sum(not math.isnan(score) for score in scores.values())
    gap_of = _Gaps(whole, dataclasses.replace(options, method="auto", level=formulas.sidak(options.level, count)))
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
        problem = f"has {len(labels)} labels on {n} rows; a slice of a row or two is not informative"
        raise InputError(who, "slices", problem, "Bin them first.")
    return codes, labels


def with_classes(metric: Metric[Any], total: Any) -> Metric[Any]:
    """The metric with the classes of the whole data: a slice that lacks one is still a slice of the same problem."""
    labels = total.labels if isinstance(total, LabelledTotal) else ()
    unsaid = isinstance(metric, ClassMetric) and metric.classes is None
    if not unsaid or len(labels) < 2 or None in labels:
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

    def __init__(self, whole: Sample, options: InferenceOptions) -> None:
        self.whole, self.options = whole, options
        self.limits = found(whole, options) if whole.smooth else None
        self.size = whole.spread.square if whole.smooth and whole.design.plain else 0.0

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

    def _combined(self, part: Part, gap: float) -> formulas.Limits:
        picked = copy.copy(part.sample)  # with all that is known of it; its own score keeps its own limits
        picked.each_tail = True
        own, whole = found(picked, self.options), cast(Interval, self.limits)
        down, up = max(0.0, part.sample.value - own.low), max(0.0, own.high - part.sample.value)
        below, above = max(0.0, self.whole.value - whole.low), max(0.0, whole.high - self.whole.value)
        rho = self._correlation(part)
        return (
            gap - math.sqrt(max(0.0, down**2 + above**2 - 2 * rho * down * above)),
            gap + math.sqrt(max(0.0, up**2 + below**2 - 2 * rho * up * below)),
        )

    def _correlation(self, part: Part) -> float:
        if self.whole.design.plain:  # the influence of a slice is zero outside it: its own rows tell everything
            size = math.sqrt(part.sample.spread.square * self.size)
            product = part.sample.product(self.whole)
            if product is None:
                product = float(part.sample.influence @ self.whole.influence[part.rows])
            return product / size if size > 0 else 0.0
        moved = np.zeros(self.whole.n)
        moved[part.rows] = part.sample.influence
        sizes = self.whole.design.error(moved) * self.whole.design.error(self.whole.influence)
        return self.whole.design.covariance(moved, self.whole.influence) / sizes if sizes > 0 else 0.0


def _resampled_error(whole: Sample, rows: Any, options: InferenceOptions) -> float:
    """The standard deviation of the gap over replicates: rows outside the slice have weight zero."""
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
    metric = lenient(sample.metric)
    if hasattr(sample.total, "reweighted"):
        return metric.reweighed(sample.total, weights)
    return np.array([float(metric.finalize(metric.statistic().of(sample.inputs.reweighted(w)))) for w in weights])
