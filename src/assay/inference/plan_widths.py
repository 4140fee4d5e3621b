"""The interval that a number of rows will give, by the formulas that the intervals themselves use."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from assay.core.distributions import t_quantile, z_quantile
from assay.core.errors import ParameterError
from assay.inference.closed import Limits, on_scale, rescaled, wilson
from assay.inference.plan_subject import Assumed, Subject, trial_share


@dataclass(frozen=True)
class Width:
    """Limits by the number of rows, from ``least`` rows on; ``names`` are the assumptions behind them."""

    limits: Callable[[int], Limits]
    method: str
    names: set[str]
    least: int = 2

    def at(self, rows: int) -> float:
        """The full width; infinite where there is no interval yet."""
        low, high = self.limits(rows)
        return math.inf if math.isnan(high - low) else high - low


def width_of(subject: Subject, assumed: Assumed) -> Width:
    """The rule of a subject; refuses what has no formula and assumptions that have no part in it."""
    if subject.family not in _RULES:
        raise subject.refuse()
    width = _RULES[subject.family](subject, assumed)
    assumed.only(subject, "An interval", width.names)
    return width


def _proportion(subject: Subject, assumed: Assumed) -> Width:
    value, share = assumed.value_of(subject), trial_share(subject, assumed)

    def limits(rows: int) -> Limits:
        return wilson(value * rows * share, rows * share, assumed.level)

    return Width(limits, "Wilson", {"value", "prevalence" if assumed.share is None and share < 1 else "share"}, 1)


def _overlap(subject: Subject, assumed: Assumed) -> Width:
    """Wilson on the Jaccard index of the rows that are positive by truth or prediction, read as F1 where that is asked."""
    value = assumed.value_of(subject)
    jaccard = subject.key == "jaccard"
    index = value if jaccard else value / (2 - value)
    share = assumed.share or _union_share(subject, assumed, index)

    def limits(rows: int) -> Limits:
        low, high = wilson(index * rows * share, rows * share, assumed.level)
        return (low, high) if jaccard else (2 * low / (1 + low), 2 * high / (1 + high))

    how = "" if assumed.share else ", as many predicted as true positives"
    return Width(limits, f"Wilson on the Jaccard index{how}", {"value", "share" if assumed.share else "prevalence"}, 1)


def _union_share(subject: Subject, assumed: Assumed, index: float) -> float:
    """The share of rows that are positive by truth or prediction, if both sides are as many."""
    if assumed.prevalence is None:
        why = "the part of all rows that is positive by truth or by prediction; or give prevalence"
        return assumed.need(subject, "share", why)
    return min(1.0, 2 * assumed.prevalence / (1 + index))


def _mean(subject: Subject, assumed: Assumed) -> Width:
    sd = assumed.need(
        subject, "sd", "the standard deviation of the losses of single rows, from a pilot or a former test"
    )
    centre = assumed.value if assumed.value is not None else 0.0

    def limits(rows: int) -> Limits:
        half = t_quantile(assumed.level, rows - 1) * sd / math.sqrt(rows)
        return centre - half, centre + half

    return Width(limits, "t", {"value", "sd"})


def _bounded_mean(subject: Subject, assumed: Assumed) -> Width:
    value, (low, high) = assumed.value_of(subject, inside=True), subject.bounds
    largest = math.sqrt((value - low) * (high - value))
    sd = largest if assumed.sd is None else assumed.sd
    if sd > largest * (1 + 1e-9):
        raise ParameterError(f"{subject.who}: sd cannot be above {largest:.3g} around {value:g}, got {sd:g}.")

    def limits(rows: int) -> Limits:
        quantile = t_quantile(assumed.level, rows - 1)
        return rescaled("logit", value, sd / math.sqrt(rows), subject.bounds, quantile)

    return Width(limits, "logit t" + (", largest possible sd" if assumed.sd is None else ""), {"value", "sd"})


def _root_mean(subject: Subject, assumed: Assumed) -> Width:
    value = assumed.value_of(subject, inside=True)
    square = value**2
    sd = math.sqrt(2) * square if assumed.sd is None else assumed.sd

    def limits(rows: int) -> Limits:
        half = t_quantile(assumed.level, rows - 1) * sd / math.sqrt(rows)
        return math.sqrt(max(0.0, square - half)), math.sqrt(square + half)

    how = "normal errors" if assumed.sd is None else "sd is that of the squared errors"
    return Width(limits, f"root of the t interval of the mean square, {how}", {"value", "sd"})


def auc_variance(auc: float, positives: float, negatives: float) -> float:
    """The variance of the area under the ROC curve after Hanley and McNeil (1982), the classes averaged (Newcombe 2006).

    With few positives the original overstates it by a quarter for normal scores; with as many of both classes they are one.
    """
    extra = (positives + negatives) / 2 - 1
    inner = 1 + extra * ((1 - auc) / (2 - auc) + auc / (1 + auc))
    return auc * (1 - auc) * inner / (positives * negatives)


def _auc(subject: Subject, assumed: Assumed) -> Width:
    value = assumed.value_of(subject, inside=True)
    prevalence = assumed.need(subject, "prevalence", "the part of all rows that is positive")
    quantile = z_quantile(assumed.level)

    def limits(rows: int) -> Limits:
        error = math.sqrt(auc_variance(value, rows * prevalence, rows * (1 - prevalence)))
        return on_scale("logit", value, error, quantile)

    least = math.ceil(2 / min(prevalence, 1 - prevalence))
    return Width(limits, "Newcombe's variance on the logit scale", {"value", "prevalence"}, least)


def _correlation(subject: Subject, assumed: Assumed) -> Width:
    """Fisher's z for normal data; Bonett and Wright (2000) for ranks, Fieller, Hartley and Pearson (1957) for Kendall."""
    value = assumed.value_of(subject, inside=True)
    spread, lost, name = 1.0, 3, "Fisher z, normal data"
    if subject.key == "kendall":
        spread, lost, name = 0.437, 4, "Fisher z after Fieller, Hartley and Pearson"
    elif subject.family == "rank_correlation":
        spread, name = 1 + value**2 / 2, "Fisher z after Bonett and Wright"

    def limits(rows: int) -> Limits:
        half, centre = z_quantile(assumed.level) * math.sqrt(spread / (rows - lost)), math.atanh(value)
        return math.tanh(centre - half), math.tanh(centre + half)

    return Width(limits, name, {"value"}, lost + 1)


_RULES: dict[str, Callable[[Subject, Assumed], Width]] = {
    "proportion": _proportion,
    "overlap": _overlap,
    "mean": _mean,
    "bounded_mean": _bounded_mean,
    "root_mean": _root_mean,
    "auc": _auc,
    "correlation": _correlation,
    "rank_correlation": _correlation,
}
