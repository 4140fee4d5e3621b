"""Two models on the same rows: paired by construction, tested as the family of the metric allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.comparison import Comparison
from assay.core.distributions import two_sided_quantile, z_quantile
from assay.core.errors import InputError, ParameterError, arg, did_you_mean, shown
from assay.core.inference_options import InferenceOptions
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.parameters import number
from assay.core.score import Score
from assay.core.uncertainty import PairedData
from assay.inference import differences, exact_randomisation
from assay.inference.design import Design
from assay.inference.differences import Difference
from assay.inference.draws import Progress
from assay.inference.exact_randomisation import DiscordantUnits, few_outputs_differ
from assay.inference.families import family_of, named_tests
from assay.inference.families.family import not_valid
from assay.inference.interval import scored, without_influence
from assay.inference.paired_resampling import changed_units, paired_replicates, randomised, swappable
from assay.inference.sample import NotSmoothError, Sample

UNEQUAL = 1.1  # the error by influence values over that by swaps, from which rows that both treat alike matter
LARGE = 20_000  # rows from which a look at the influence values must suffice to see that many units make the difference
RESAMPLED = ("bootstrap", "permutation", "randomisation")
METHODS = ("auto", "delta", *named_tests(), *RESAMPLED)


def pair(metric: Metric[Any], data: PairedData) -> dict[str, Sample]:
    """One sample per model, on the same rows."""
    samples: dict[str, Sample] = {}
    design: Design | None = None
    for name, model in data.models.items():
        inputs = _inputs(metric, data, name, model)
        design = design or Design.of_inputs(inputs, data.groups, data.strata, metric.name)
        if inputs.n != design.n:
            problem = f"a comparison needs as many rows for every model, got {design.n} and {inputs.n} for {name!r}"
            raise InputError(metric.name, "", problem)
        samples[name] = Sample(metric, inputs, design)
    if len(samples) < 2:
        raise InputError(metric.name, "", f"a comparison needs at least two models, got {len(samples)}")
    return samples


def _inputs(metric: Metric[Any], data: PairedData, name: str, model: ArrayLike | Mapping[str, ArrayLike]) -> Inputs:
    if not isinstance(model, Mapping) or metric.takes.holds_rows(model):
        return metric.inputs(data.y_true, cast("ArrayLike", model), weight=data.weight, **data.named)
    given = cast("Mapping[object, ArrayLike]", model)
    if not all(isinstance(key, str) for key in given):
        problem = f"must name its inputs: {metric.takes.text()}, got {shown(model)}"
        raise InputError(metric.name, repr(name), problem)
    return metric.inputs(data.y_true, weight=data.weight, **{**data.named, **model})


def compared(
    a: Sample,
    b: Sample,
    options: InferenceOptions,
    *,
    margin: float | None = None,
    scores: tuple[Score, Score] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """The difference of two samples of the same metric on the same rows; ``scores`` if they are known already."""
    metric = a.metric
    if options.method not in METHODS:
        fix = did_you_mean(options.method, METHODS).strip()
        raise ParameterError(metric.name, "method", f"{options.method!r} does not compare models", fix)
    if margin is not None:
        number(metric.name, "margin", margin, low=0, open_low=True)
    first, second = scores or tuple(scored(sample, single(options)) for sample in (a, b))
    effect = float(first) - float(second)
    if not math.isfinite(effect):
        return Comparison(effect, a=first, b=second, reason="the value of a model is undefined or infinite", n=a.n)
    found = _inside(_agreeing(_found(a, b, effect, options, progress), effect, options.level), a.bounds)
    if not (found.reason or found.exact):
        found = replace(found, reason=first.reason or second.reason)
    directed = effect != 0 and metric.record.better != "none"
    favours = ("a" if metric.record.is_better(first, second) else "b") if directed else None
    return Comparison(
        effect, a=first, b=second, favours=favours, level=options.level, n=a.n, better=metric.record.better, margin=margin,
        low=_known(found.low), high=_known(found.high), p=_known(found.p), error=found.error, df=found.df,
        method=found.method, reason=found.reason,
    )  # fmt: skip


def _known(limit: float) -> float | None:
    return None if math.isnan(limit) else limit


def _inside(found: Difference, bounds: tuple[float, float]) -> Difference:
    """No difference is larger than the range of the value."""
    widest = bounds[1] - bounds[0]
    if math.isnan(found.low):
        return found
    return replace(found, low=max(-widest, found.low), high=min(widest, found.high))


def single(options: InferenceOptions) -> InferenceOptions:
    """Options for the interval of each model alone: resampled where the comparison is, the default otherwise."""
    return options if options.method == "bootstrap" else replace(options, method="auto")


def _found(a: Sample, b: Sample, effect: float, options: InferenceOptions, progress: Progress | None) -> Difference:
    family, method = family_of(a.metric), options.method
    family.refuse_comparison(a.metric, method)
    if family.incomparable:
        if method != "auto":
            not_valid(a.metric, method, family.incomparable)
        return Difference(math.nan, math.nan, math.nan, None, math.inf, "none", family.incomparable)
    if effect == 0 and method in ("auto", *RESAMPLED) and _equal_outputs(a, b):
        return family.equal(a, options.level)
    if method == "bootstrap":
        found = _bootstrap(a, b, effect, options, progress)
        return replace(found, reason=found.reason or _rests_on_few(a, b))
    if method in RESAMPLED or (family.biased and method == "auto"):
        return _randomisation(a, b, effect, options, progress)
    try:
        moved = a.influence - b.influence
    except NotSmoothError as error:
        if method != "auto":
            raise without_influence(error, "bootstrap", "randomisation") from error
        return _without_influence(a, b, effect, options, progress)
    return _smooth(a, b, moved, effect, options)


def _smooth(a: Sample, b: Sample, moved: Floats, effect: float, options: InferenceOptions) -> Difference:
    """By closed form; an exact test takes its place where few units tell the models apart."""
    family, level = family_of(a.metric), options.level
    if a.design.plain:
        counted = family.counted(a, b, effect, options)
        if counted is not None:
            return counted
    own = a.design.plain and options.method in ("auto", *(test.name for test in family.named_tests))
    found = family.paired(a, moved, effect, level) if own else None
    if found is None:
        _refuse_named(a, options.method)
        if effect == 0 and not np.any(moved):
            return family.equal(a, level)
        found = differences.delta(a.design, moved, effect, level, a.rows)
    elif effect == 0 and not np.any(moved):
        return found
    few = _few_units(a, b, moved)
    if few is None:
        return found
    if options.method == "auto" and isinstance(few, DiscordantUnits):
        return _swapped(found, few, effect, level, a)
    return replace(found, reason=found.reason or _on_few(few, a.design))


def _refuse_named(sample: Sample, method: str) -> None:
    """A test requested by name that is not for this metric or these data."""
    named = named_tests().get(method)
    if named is not None:
        fix = f"Choose {arg('method', 'auto')} or {arg('method', 'randomisation')}."
        raise ParameterError(sample.metric.name, "", f"{arg('method', method)} is for {named.purpose}", fix)


def _few_units(a: Sample, b: Sample, moved: Floats) -> DiscordantUnits | float | None:
    """The discordant units if few make the difference; only how many, if their gaps are unknown; None if there are many.

    Losses of different size are not a sign of few units, so those with any difference count; elsewhere their size counts too, since
    the rows behind a ratio such as precision matter in different degree.
    """
    family, spread = family_of(a.metric), exact_randomisation.concentration(a.design.sums(moved))
    if a.n > LARGE and spread > 4 * exact_randomisation.FEW:
        order = family.ordering
        if order is None or not few_outputs_differ(a, b, order.column):
            return None  # the units of a large sample need not be looked at twice
    units = family.discordant(a, b)
    if units is None:
        return spread if 0 < spread <= exact_randomisation.FEW else None
    if units.swapped:
        few = exact_randomisation.FEW if family.ordering is None else family.ordering.few
        return units if 0 < spread <= few else None
    every = family.each_unit_counts or family.ordering is not None
    size = units.count if every else units.effective
    return units if 0 < size <= exact_randomisation.FEW else None


def _on_few(few: DiscordantUnits | float, design: Design) -> str:
    count = few.count if isinstance(few, DiscordantUnits) else few
    what = "rows" if design.groups is None else "groups"
    return f"about {count:.2g} {what} make the difference: too few for this method. The automatic choice is exact where it can be"


def _swapped(found: Difference, units: DiscordantUnits, effect: float, level: float, a: Sample) -> Difference:
    """The p value of all swaps; limits that know how few units there are.

    Swaps know nothing of rows that both models treat alike. Where these matter too, because the models differ otherwise (one calls twice
    as many rows positive, and a false alarm of both weighs less in its precision), the influence values must reject as well. In an order
    all rows that both treat alike have equal outputs, and cannot matter.
    """
    p, exact = units.test
    whole = family_of(a.metric).ordering is not None and not units.swapped
    if not whole and (found.error or 0.0) > UNEQUAL * units.spread and found.p >= p:
        return found
    half = z_quantile(level) * units.error
    what = "row" if a.design.groups is None else "group"
    how = f"randomisation of {units.swapped}" if units.swapped else "randomisation"
    method = f"{'exact ' if exact else ''}{how}, {units.count} discordant {what}{'' if units.count == 1 else 's'}"
    low, high = min(found.low, effect - half), max(found.high, effect + half)
    few = differences.few(a.design.units if a.design.groups is not None else a.rows)
    return Difference(low, high, p, max(units.error, found.error or 0.0), found.df, method, few, exact=True)


def _agreeing(found: Difference, effect: float, level: float) -> Difference:
    """Limits that include zero if and only if the p value does not reject it: where they differ, the one near zero follows the test."""
    rejected, outside = found.p < 1 - level, found.low > 0 or found.high < 0
    if rejected == outside or effect == 0 or math.isnan(found.p):
        return found
    size = two_sided_quantile(min(found.p, 0.5))  # of the effect, in standard errors, as the test sees it
    near = effect * (1 - z_quantile(level) / size)
    return replace(found, low=near) if effect > 0 else replace(found, high=near)


# ---- resampling


def _equal_outputs(a: Sample, b: Sample) -> bool:
    changed = changed_units(a, b)
    return changed is not None and not len(changed)


def _without_influence(
    a: Sample, b: Sample, effect: float, options: InferenceOptions, progress: Progress | None
) -> Difference:
    """By resampling; if few units have different outputs, replicates miss them all too often, and they are swapped instead."""
    changed = changed_units(a, b)
    if changed is not None and swappable(a, b) and 0 < len(changed) <= exact_randomisation.FEW:
        return _randomisation(a, b, effect, options, progress)
    found = _bootstrap(a, b, effect, options, progress)
    return replace(found, reason=found.reason or _rests_on_few(a, b))


def _rests_on_few(a: Sample, b: Sample) -> str:
    """Why replicates of a difference may not be trusted: few units decide it, or a value lies on a bound of its range."""
    changed = changed_units(a, b)
    if changed is not None and 0 < len(changed) <= exact_randomisation.FEW:
        return _on_few(len(changed), a.design)
    if a.smooth and b.smooth:
        few = _few_units(a, b, a.influence - b.influence)
        return "" if few is None else _on_few(few, a.design)
    return "a value lies on a bound of its range" if {a.value, b.value} & set(a.bounds) else ""


def _bootstrap(a: Sample, b: Sample, effect: float, options: InferenceOptions, progress: Progress | None) -> Difference:
    values = paired_replicates(a, b, options, progress)
    known = values[np.isfinite(values)]
    if not len(known):
        raise InputError(a.metric.name, "", "the difference is undefined in every replicate")
    low, high = np.quantile(known, [(1 - options.level) / 2, (1 + options.level) / 2]).tolist()
    beyond = 2 * int(min((known <= 0).sum(), (known >= 0).sum()))  # the level at which the limits touch zero
    lost = len(values) - len(known)
    reason = f"the difference is undefined in {lost} of {len(values)} replicates" if lost > 0.01 * len(values) else ""
    return Difference(
        low, high, min(1.0, (beyond + 1) / (len(known) + 1)), float(known.std(ddof=1)) or None, math.inf,
        f"paired bootstrap, {len(values)} replicates", reason or differences.few(a.design.units),
    )  # fmt: skip


def _randomisation(
    a: Sample, b: Sample, effect: float, options: InferenceOptions, progress: Progress | None
) -> Difference:
    """The p value by swapping the models unit by unit; the limits come from the default method."""
    values, exact = randomised(a, b, options, progress)
    # A swap without a value is not evidence against chance.
    small = np.abs(values) < abs(effect) - 1e-12 * max(1.0, abs(effect))
    beyond = len(values) - int(small.sum())
    p = beyond / len(values) if exact else (beyond + 1) / (len(values) + 1)
    biased = family_of(a.metric).biased  # both values are too large, not by the same amount
    if biased or not (a.smooth and b.smooth):
        other = _bootstrap(a, b, effect, options, progress)
    else:
        other = _smooth(a, b, a.influence - b.influence, effect, replace(options, method="auto"))
    reason = "both values are biased upward" if biased else other.reason
    name = options.method if options.method == "permutation" else "randomisation"
    how = f"exact {name}" if exact else f"{name}, {len(values)} replicates"
    method = how if "randomisation" in other.method else f"{how}; interval by {other.method}"
    return Difference(other.low, other.high, p, other.error, other.df, method, reason)
