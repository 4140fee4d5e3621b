"""Two models on the same rows: paired by construction, tested by what the family of the metric allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.comparison import Comparison
from assay.core.distributions import two_sided_quantile, z_quantile
from assay.core.errors import InputError, ParameterError, did_you_mean, shown
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.core.parameters import number
from assay.core.score import Score
from assay.inference import differences, swaps
from assay.inference.design import Design
from assay.inference.differences import Difference
from assay.inference.draws import Progress
from assay.inference.generated import refuse_comparison
from assay.inference.interval import scored
from assay.inference.options import Options
from assay.inference.resampled_pairs import changed_units, paired_replicates, randomised, swappable
from assay.inference.sample import NotSmoothError, Sample

UNEQUAL = 1.1  # the error by influence values over that by swaps, from which rows that both treat alike matter
LARGE = 20_000  # rows from which a look at the influence values must suffice to see that many units make the difference
MEANS = ("mean", "total", "bounded_mean")
# Above so many units influence values were seen to hold their level, and DeLong's test finds more than swaps do.
ORDERS = {"auc": 6, "average_precision": swaps.FEW / 2, "rank_correlation": swaps.FEW / 2}
RESAMPLED = ("bootstrap", "permutation", "randomisation")
METHODS = ("auto", "delta", "delong", "mcnemar", "hall", *RESAMPLED)


def pair(
    metric: Metric[Any], y_true: ArrayLike, models: Mapping[str, Any], weight: Any, groups: Any, strata: Any, named: Any
) -> dict[str, Sample]:
    """One sample a model, on the same rows. A model is an array, or a mapping that names its inputs."""
    samples: dict[str, Sample] = {}
    design: Design | None = None
    for name, model in models.items():
        given = dict(cast("Mapping[str, Any]", model)) if isinstance(model, Mapping) else None
        if given is not None and not all(isinstance(key, str) for key in cast("dict[Any, Any]", given)):
            raise InputError(
                f"{metric.name}: {name!r} must name its inputs: {metric.takes.text()}, got {shown(model)}."
            )
        inputs = (
            metric.inputs(y_true, cast("ArrayLike", model), weight=weight, **named) if given is None
            else metric.inputs(y_true, weight=weight, **{**named, **given})
        )  # fmt: skip
        design = design or Design.of(inputs.n, groups, strata, metric.name, inputs.host_weight())
        if inputs.n != design.n:
            raise InputError(
                f"{metric.name}: a comparison needs as many rows for every model, got {design.n} and {inputs.n} for {name!r}."
            )
        samples[name] = Sample(metric, inputs, design)
    if len(samples) < 2:
        raise InputError(f"{metric.name}: a comparison needs at least two models, got {len(samples)}.")
    return samples


def compared(
    a: Sample,
    b: Sample,
    options: Options,
    *,
    margin: float | None = None,
    scores: tuple[Score, Score] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """The difference of two samples of the same metric on the same rows; ``scores`` if they are at hand already."""
    metric = a.metric
    if options.method not in METHODS:
        raise ParameterError(
            f"{metric.name}: there is no way to compare by {options.method!r}.{did_you_mean(options.method, METHODS)}"
        )
    if margin is not None:
        number(metric.name, "margin", margin, low=0, open_low=True)
    first, second = scores or tuple(scored(sample, single(options)) for sample in (a, b))
    effect = float(first) - float(second)
    if not math.isfinite(effect):
        return Comparison(effect, a=first, b=second, reason="the value of a model does not exist or is infinite", n=a.n)
    found = _inside(_agreeing(_found(a, b, effect, options, progress), effect, options.level), a.bounds)
    if not (found.reason or found.exact):
        found = replace(found, reason=first.reason or second.reason)
    directed = effect != 0 and metric.record.better != "none"
    favours = ("a" if metric.record.is_better(first, second) else "b") if directed else None
    return Comparison(
        effect, a=first, b=second, favours=favours, level=options.level, n=a.n, better=metric.record.better, margin=margin,
        low=_known(found.low), high=_known(found.high), p=found.p, error=found.error, df=found.df, method=found.method, reason=found.reason,
    )  # fmt: skip


def _known(limit: float) -> float | None:
    return None if math.isnan(limit) else limit


def _inside(found: Difference, bounds: tuple[float, float]) -> Difference:
    """No difference is larger than the range of the value."""
    widest = bounds[1] - bounds[0]
    if math.isnan(found.low):
        return found
    return replace(found, low=max(-widest, found.low), high=min(widest, found.high))


def single(options: Options) -> Options:
    """Options for the interval of each model alone: resampled where the comparison is, the default otherwise."""
    return options if options.method == "bootstrap" else replace(options, method="auto")


def _found(a: Sample, b: Sample, effect: float, options: Options, progress: Progress | None) -> Difference:
    refuse_comparison(a.metric, options.method)
    if effect == 0 and options.method in ("auto", *RESAMPLED) and _equal_outputs(a, b):
        return differences.alike(a, options.level)
    if options.method == "bootstrap":
        found = _bootstrap(a, b, effect, options, progress)
        return replace(found, reason=found.reason or _rests_on_few(a, b))
    calibration = a.metric.record.family == "calibration"
    if options.method in RESAMPLED or (calibration and options.method == "auto"):
        return _randomisation(a, b, effect, options, progress)
    try:
        moved = a.influence - b.influence
    except NotSmoothError as error:
        if options.method != "auto":
            raise ParameterError(f"{error} Choose method='bootstrap' or 'randomisation'.") from error
        return _without_influence(a, b, effect, options, progress)
    return _smooth(a, b, moved, effect, options)


def _smooth(a: Sample, b: Sample, moved: Floats, effect: float, options: Options) -> Difference:
    """By closed form; an exact test takes its place where few units tell the models apart."""
    family, plain, auto = a.metric.record.family, a.design.plain, options.method == "auto"
    if plain and family == "proportion" and options.method in ("auto", "mcnemar"):
        counts = differences.discordant(a, b, effect)
        if counts is not None:
            return differences.mcnemar(counts, effect, options.level, exact=auto and counts[0] + counts[1] <= swaps.FEW)
    _refuse_other(a, options.method)
    if effect == 0 and not np.any(moved):
        return differences.alike(a, options.level)
    if plain and family in MEANS and options.method in ("auto", "hall"):
        found = differences.hall(a, moved, effect, options.level)
    elif plain and family == "auc" and options.method in ("auto", "delong") and a.total["score"].ndim == 1:
        found = differences.delong(a.total, moved, effect, options.level)
    else:
        found = differences.delta(a.design, moved, effect, options.level, a.rows)
    few = _few_gaps(a, b, moved)
    if few is None:
        return found
    if auto and isinstance(few, swaps.Gaps):
        return _swapped(found, few, effect, options.level, a)
    return replace(found, reason=found.reason or _on_few(few, a.design))


def _few_gaps(a: Sample, b: Sample, moved: Floats) -> swaps.Gaps | float | None:
    """The gaps of the units if few of them make the difference; only how many, if there are no gaps; None if there are many.

    Losses of different size are no sign of few units, so those with any difference count; elsewhere their size counts too, since
    the rows behind a ratio such as precision matter in different degree.
    """
    family, spread = a.metric.record.family, swaps.concentration(a.design.sums(moved))
    if a.n > LARGE and spread > 4 * swaps.FEW and not swaps.few_outputs_differ(a, b):
        return None  # the units of a large sample need not be looked at twice
    gaps = swaps.gaps_of(a, b)
    if gaps is None:
        return spread if 0 < spread <= swaps.FEW else None
    if gaps.swapped:
        return gaps if 0 < spread <= ORDERS[family] else None
    size = gaps.count if family in MEANS or family in ORDERS else gaps.effective
    return gaps if 0 < size <= swaps.FEW else None


def _on_few(few: swaps.Gaps | float, design: Design) -> str:
    count = few.count if isinstance(few, swaps.Gaps) else few
    what = "rows" if design.groups is None else "groups"
    return f"about {count:.2g} {what} make the difference: too few for this method. method='auto' takes an exact test where there is one"


def _swapped(found: Difference, gaps: swaps.Gaps, effect: float, level: float, a: Sample) -> Difference:
    """The p value of all swaps; limits that know how few units there are.

    Swaps know nothing of rows that both models treat alike. Where these matter too, because the models differ otherwise (one calls twice
    as many rows positive, and a false alarm of both weighs less in its precision), the influence values must reject as well. In an order
    all rows that both treat alike have equal outputs, and cannot matter.
    """
    p, exact = gaps.test
    whole = a.metric.record.family in ORDERS and not gaps.swapped
    if not whole and (found.error or 0.0) > UNEQUAL * gaps.spread and found.p >= p:
        return found
    half = z_quantile(level) * gaps.error
    what = "row" if a.design.groups is None else "group"
    how = f"randomisation of {gaps.swapped}" if gaps.swapped else "randomisation"
    method = f"{'exact ' if exact else ''}{how}, {gaps.count} discordant {what}{'' if gaps.count == 1 else 's'}"
    low, high = min(found.low, effect - half), max(found.high, effect + half)
    few = differences.few(a.design.units if a.design.groups is not None else a.rows)
    return Difference(low, high, p, max(gaps.error, found.error or 0.0), found.df, method, few, exact=True)


def _agreeing(found: Difference, effect: float, level: float) -> Difference:
    """Limits that hold zero if and only if the p value does not reject it: where they differ, the one near zero follows the test."""
    rejected, outside = found.p < 1 - level, found.low > 0 or found.high < 0
    if rejected == outside or effect == 0 or math.isnan(found.p):
        return found
    size = two_sided_quantile(min(found.p, 0.5))  # of the effect, in standard errors, as the test sees it
    near = effect * (1 - z_quantile(level) / size)
    return replace(found, low=near) if effect > 0 else replace(found, high=near)


def _refuse_other(sample: Sample, method: str) -> None:
    """A named test that is not for this metric."""
    wants = {
        "mcnemar": (
            (),  # where it holds, it was taken before
            "for rows that are right or wrong under both models (accuracy, recall), unweighted and independent",
        ),
        "hall": (MEANS, "for means of row losses"),
        "delong": (("auc",), "for the area under the ROC curve of two classes"),
    }
    if method not in wants:
        return
    families, what = wants[method]
    family = sample.metric.record.family
    several = family == "auc" and isinstance(sample.total, Rows) and sample.total["score"].ndim == 2
    if family not in families or several or not sample.design.plain:
        raise ParameterError(
            f"{sample.metric.name}: method={method!r} is {what}. Choose method='auto' or 'randomisation'."
        )


# ---- resampling


def _equal_outputs(a: Sample, b: Sample) -> bool:
    changed = changed_units(a, b)
    return changed is not None and not len(changed)


def _without_influence(a: Sample, b: Sample, effect: float, options: Options, progress: Progress | None) -> Difference:
    """By resampling; if few units have different outputs, replicates miss them all too often, and they are swapped instead."""
    changed = changed_units(a, b)
    if changed is not None and swappable(a, b) and 0 < len(changed) <= swaps.FEW:
        return _randomisation(a, b, effect, options, progress)
    found = _bootstrap(a, b, effect, options, progress)
    return replace(found, reason=found.reason or _rests_on_few(a, b))


def _rests_on_few(a: Sample, b: Sample) -> str:
    """Why replicates of a difference may not be trusted: few units decide it, or a value lies on a bound of its range."""
    changed = changed_units(a, b)
    if changed is not None and 0 < len(changed) <= swaps.FEW:
        return _on_few(len(changed), a.design)
    if a.smooth and b.smooth:
        few = _few_gaps(a, b, a.influence - b.influence)
        return "" if few is None else _on_few(few, a.design)
    return "a value lies on a bound of its range" if {a.value, b.value} & set(a.bounds) else ""


def _bootstrap(a: Sample, b: Sample, effect: float, options: Options, progress: Progress | None) -> Difference:
    values = paired_replicates(a, b, options, progress)
    known = values[np.isfinite(values)]
    if not len(known):
        raise InputError(f"{a.metric.name}: the difference does not exist in any replicate.")
    low, high = np.quantile(known, [(1 - options.level) / 2, (1 + options.level) / 2]).tolist()
    beyond = 2 * int(min((known <= 0).sum(), (known >= 0).sum()))  # the level at which the limits touch zero
    lost = len(values) - len(known)
    reason = f"the difference does not exist in {lost} of {len(values)} replicates" if lost > 0.01 * len(values) else ""
    return Difference(
        low, high, min(1.0, (beyond + 1) / (len(known) + 1)), float(known.std(ddof=1)) or None, math.inf,
        f"paired bootstrap, {len(values)} replicates", reason or differences.few(a.design.units),
    )  # fmt: skip


def _randomisation(a: Sample, b: Sample, effect: float, options: Options, progress: Progress | None) -> Difference:
    """The p value by swapping the models unit by unit; the limits from the default method, which it does not give."""
    values, exact = randomised(a, b, options, progress)
    small = np.abs(values) < abs(effect) - 1e-12 * max(
        1.0, abs(effect)
    )  # a swap without a value does not speak against chance
    beyond = len(values) - int(small.sum())
    p = beyond / len(values) if exact else (beyond + 1) / (len(values) + 1)
    biased = a.metric.record.family == "calibration"  # both values are too large, not by the same amount
    if biased or not (a.smooth and b.smooth):
        other = _bootstrap(a, b, effect, options, progress)
    else:
        other = _smooth(a, b, a.influence - b.influence, effect, replace(options, method="auto"))
    reason = "both values are biased upward" if biased else other.reason
    name = options.method if options.method == "permutation" else "randomisation"
    how = f"exact {name}" if exact else f"{name}, {len(values)} replicates"
    method = how if "randomisation" in other.method else f"{how}; interval by {other.method}"
    return Difference(other.low, other.high, p, other.error, other.df, method, reason)
