"""Two models on the same rows: paired by construction, tested by what the family of the metric allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.comparison import Comparison
from assay.core.errors import InputError, ParameterError, did_you_mean, shown
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.core.parameters import number
from assay.core.score import Score
from assay.core.tails import t_quantile, two_sided, two_sided_quantile, z_quantile
from assay.inference import closed, swaps
from assay.inference.design import Design
from assay.inference.draws import Progress
from assay.inference.generated import refuse_comparison
from assay.inference.interval import scored
from assay.inference.options import Options
from assay.inference.resampled_pairs import changed_units, paired_replicates, randomised, swappable
from assay.inference.sample import NotSmoothError, Sample

LONE = 0.15  # the share of one row in the spread from which the skewness of a sample cannot be believed
UNEQUAL = 1.1  # the error by influence values over that by swaps, from which rows that both treat alike matter
LARGE = 20_000  # rows from which a look at the influence values must suffice to see that many units make the difference
MEANS = ("mean", "total", "bounded_mean")
# Above so many units influence values were seen to hold their level, and DeLong's test finds more than swaps do.
ORDERS = {"auc": 6, "average_precision": swaps.FEW / 2, "rank_correlation": swaps.FEW / 2}
METHODS = ("auto", "delta", "delong", "mcnemar", "hall", "bootstrap", "permutation", "randomisation")


@dataclass(frozen=True)
class Difference:
    """An effect with its limits, p value, standard error and degrees of freedom."""

    low: float
    high: float
    p: float
    error: float | None
    df: float
    method: str
    reason: str = ""
    exact: bool = (
        False  # by swaps of the units themselves: doubts about the interval of a single model are not about it
    )


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
            metric.inputs(y_true, model, weight=weight, **named) if given is None
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
        low=found.low, high=found.high, p=found.p, error=found.error, df=found.df, method=found.method, reason=found.reason,
    )  # fmt: skip


def _inside(found: Difference, bounds: tuple[float, float]) -> Difference:
    """No difference is larger than the range of the value."""
    widest = bounds[1] - bounds[0]
    return replace(found, low=max(-widest, found.low), high=min(widest, found.high))


def single(options: Options) -> Options:
    """Options for the interval of each model alone: resampled where the comparison is, the default otherwise."""
    return options if options.method == "bootstrap" else replace(options, method="auto")


def _found(a: Sample, b: Sample, effect: float, options: Options, progress: Progress | None) -> Difference:
    refuse_comparison(a.metric, options.method)
    if options.method == "bootstrap":
        found = _bootstrap(a, b, effect, options, progress)
        return replace(found, reason=found.reason or _rests_on_few(a, b))
    calibration = a.metric.record.family == "calibration"
    if options.method in ("permutation", "randomisation") or (calibration and options.method == "auto"):
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
        counts = discordant(a, b, effect)
        if counts is not None:
            return _mcnemar(counts, effect, options.level, exact=auto and counts[0] + counts[1] <= swaps.FEW)
    _refuse_other(a, options.method)
    if plain and family in MEANS and options.method in ("auto", "hall"):
        found = _hall(a, moved, effect, options.level)
    elif plain and family == "auc" and options.method in ("auto", "delong") and a.total["score"].ndim == 1:
        found = _delong(a.total, moved, effect, options.level)
    else:
        found = _delta(a.design, moved, effect, options.level, a.rows)
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
    spread = swaps.concentration(a.design.sums(moved))
    if a.n > LARGE and spread > 4 * swaps.FEW:
        return None  # the units of a large sample need not be looked at twice
    gaps = swaps.gaps_of(a, b)
    if gaps is None:
        return spread if 0 < spread <= swaps.FEW else None
    if a.metric.record.family in ORDERS:
        return gaps if 0 < spread <= ORDERS[a.metric.record.family] else None
    size = gaps.count if a.metric.record.family in MEANS else gaps.effective
    return gaps if 0 < size <= swaps.FEW else None


def _on_few(few: swaps.Gaps | float, design: Design) -> str:
    count = few.count if isinstance(few, swaps.Gaps) else few
    what = "rows" if design.groups is None else "groups"
    return f"about {count:.2g} {what} make the difference: too few for this method. method='auto' takes an exact test where there is one"


def _swapped(found: Difference, gaps: swaps.Gaps, effect: float, level: float, a: Sample) -> Difference:
    """The p value of all swaps; limits that know how few units there are.

    Swaps know nothing of rows that both models treat alike. Where these matter too, because the models differ otherwise (one calls twice
    as many rows positive, and a false alarm of both weighs less in its precision), the influence values must reject as well.
    """
    p, exact = gaps.test
    if (found.error or 0.0) > UNEQUAL * gaps.spread and found.p >= p:
        return found
    half = z_quantile(level) * gaps.error
    what = "row" if a.design.groups is None else "group"
    method = f"{'exact ' if exact else ''}randomisation, {gaps.count} discordant {what}{'' if gaps.count == 1 else 's'}"
    low, high = min(found.low, effect - half), max(found.high, effect + half)
    few = _few(a.design.units if a.design.groups is not None else a.rows)
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


# ---- closed forms


def discordant(a: Sample, b: Sample, effect: float) -> tuple[float, float, float] | None:
    """(rows that only a has, rows that only b has, rows in all) if both are shares of the same rows; None otherwise.

    A row of a share of m rows has the influence (x - share) / m, so the differences tell the outcomes.
    """
    trials = [float(np.max(s.trials)) for s in (a, b)]
    if a.weight is not None or trials[0] != trials[1] or np.ndim(a.trials):
        return None
    if abs(effect) == 1:
        return (trials[0], 0.0, trials[0]) if effect > 0 else (0.0, trials[0], trials[0])
    moved = trials[0] * (a.influence - b.influence) + effect
    whole = np.rint(moved)
    untouched = (np.abs(a.influence) < 1e-15) & (np.abs(b.influence) < 1e-15)
    if np.any((np.abs(moved - whole) > 1e-6) & ~untouched):
        return None
    whole = np.where(np.abs(moved - whole) > 1e-6, 0, whole)
    return float((whole == 1).sum()), float((whole == -1).sum()), trials[0]


def _mcnemar(counts: tuple[float, float, float], effect: float, level: float, *, exact: bool) -> Difference:
    only_a, only_b, n = counts
    low, high = closed.bonett_price(only_a, only_b, n, level)
    p = (closed.exact_mcnemar if exact else closed.mcnemar)(only_a, only_b)
    return Difference(
        min(low, effect), max(high, effect), p, closed.bonett_price_error(*counts), math.inf,
        f"Bonett-Price, {'exact' if exact else 'mid-p'} McNemar",
    )  # fmt: skip


def _hall(a: Sample, moved: Floats, effect: float, level: float) -> Difference:
    square = float(moved @ moved)
    if square == 0:
        return _same_everywhere(effect, "Hall t", a.rows)
    rows = a.rows
    error = math.sqrt(square * rows / max(1.0, rows - 1))
    skew = _sure_skew(moved, square, rows)
    low, high = closed.hall(effect, error, skew, rows, level)
    lone = "a single row carries half of the spread" if float(np.max(moved**2)) > square / 2 else _few(rows)
    return Difference(low, high, closed.hall_test(effect, error, skew, rows), error, rows - 1, "Hall t", lone)


def _sure_skew(moved: Floats, square: float, rows: float) -> float:
    """The skewness of the differences, drawn to zero as far as it may be noise.

    Differences of models that are alike are symmetric: the skewness of a sample of them is noise, and large where losses have
    heavy tails. Corrected for as it stands, a test at 5 % would reject up to 13 % of true null hypotheses.
    """
    if float(np.max(moved**2)) > LONE * square:
        return 0.0  # one row decides: it tells nothing about the shape of the others
    third, fourth, sixth = (float((moved**k).sum()) / rows / (square / rows) ** (k / 2) for k in (3, 4, 6))
    noise = (sixth - 6 * fourth + 9) / rows
    return third**3 / (third**2 + noise) if third else 0.0


def _delong(rows: Rows, moved: Floats, effect: float, level: float) -> Difference:
    if not np.any(moved):
        return _same_everywhere(effect, "DeLong", len(moved))
    positive = rows["positive"]
    variance, least = 0.0, math.inf
    for side in (positive, ~positive):
        n = int(side.sum())
        least = min(least, n)
        variance += float(moved[side] @ moved[side]) * n / max(1, n - 1)
    error = math.sqrt(variance)
    half = z_quantile(level) * error
    return Difference(
        effect - half, effect + half, two_sided(effect / error), error, math.inf, "DeLong",
        f"only {least} rows of the smaller class" if least < 10 else "",
    )  # fmt: skip


def _delta(design: Design, moved: Floats, effect: float, level: float, rows: float) -> Difference:
    error = design.error(moved)
    name = "influence difference" + (f", {design.text()}" if design.text() else "")
    if error == 0:
        return _same_everywhere(effect, name, design.units)
    df = max(1.0, rows - 1) if design.plain else float(design.df)
    half = t_quantile(level, df) * error
    return Difference(effect - half, effect + half, two_sided(effect / error, df), error, df, name, _few(df + 1))


def _same_everywhere(effect: float, name: str, units: float) -> Difference:
    """No row tells the models apart, or all by the same amount: nothing is known about how far others would.

    What is left is the sign: a difference that all units share has the p value of a sign test.
    """
    reason = "no row tells the models apart" if effect == 0 else "the models differ by the same amount on every row"
    p = 1.0 if effect == 0 else min(1.0, 2.0 ** (1 - units))
    return Difference(effect, effect, p, None, math.inf, name, reason)


def _few(units: float) -> str:
    return f"only {units:.3g} independent units" if units < 10 else ""


# ---- resampling


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
        f"paired bootstrap, {len(values)} replicates", reason or _few(a.design.units),
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
