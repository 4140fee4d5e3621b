"""Prediction-powered inference: a few labels and many predictions of a judge give one valid estimate.

A judge (a model, an annotator program) has scored many rows, people only some of them. The labelled rows reveal by how much the
judge is off, and the estimate is corrected by it (PPI: Angelopoulos et al. 2023, Science 382). It never relies on the
judge being right: a bad one only makes the interval as wide as that of the labels alone (PPI++: arXiv:2311.01453).

Every function takes these keyword arguments:

- ``power``: how far the predictions are trusted: ``"tuned"`` from the data (PPI++), 1 (PPI), 0 (labels alone).
- ``level``: the level of the interval.
- ``groups``, ``unlabelled_groups``: rows of one group (a document, a user) are not independent; the same name in both is
  the same group.
- ``strata``, ``unlabelled_strata``: labels were drawn by stratum; each has its own power. ``shares`` gives the known fraction
  of the population in each stratum; without it the fractions are those of all rows, and their uncertainty is included.
- ``cross_fit``: tune the power of a row on the other folds: True for five, or their number, dealt by ``seed``.
- ``few_labels``: allow fewer than 50 labels; the interval is then marked as unreliable.

Rows with and without labels must be drawn from the same population.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, Unpack, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError, arg
from assay.core.metric import Metric
from assay.core.signatures import from_spec
from assay.core.value_checks import Says
from assay.inference.families import family_of
from assay.inference.ppi_data import Options, Settings, check_level, columns, sample_of
from assay.inference.ppi_estimate import JudgedSample, PpiEstimate
from assay.inference.ppi_limits import LimitRule, Method, mean_rule, scale_rule, wilson_rule
from assay.inference.ppi_score import Facts, PpiScore, assembled, scored

__all__ = ["Judged", "Options", "PpiScore", "difference", "difference_of", "mean", "metric", "proportion"]

Judged: TypeAlias = Annotated[tuple[ArrayLike, ArrayLike, ArrayLike], Says("(labels, predictions, unlabelled)")]
"""Labels, predictions of the same rows, and predictions of rows without a label."""


@guarded(who="ppi.mean")
def mean(
    labels: ArrayLike,
    predictions: ArrayLike,
    unlabelled: ArrayLike,
    *,
    method: Method = "hall",
    **options: Unpack[Options],
) -> PpiScore:
    """The mean label of a population, from labelled rows and the judge's ``predictions`` with and without labels.

    The interval is Hall's transformed t, which takes the skewness of the labels out; ``method="t"`` leaves it in.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(3.0, 1.0, 1100)
    >>> judge = truth + rng.normal(0.4, 0.5, 1100)
    >>> mean(truth[:100], judge[:100], judge[100:])
    2.949 [2.851, 3.047] 95 % · n=100 labels + 1000 predictions · PPI++, Hall t, power 0.69 · 0.51 of the classical width
    """
    settings = Settings.of("ppi.mean", options)
    return scored(settings, "mean", _sample(settings, labels, predictions, unlabelled), mean_rule(settings.who, method))


@guarded(who="ppi.proportion")
def proportion(
    labels: ArrayLike, predictions: ArrayLike, unlabelled: ArrayLike, **options: Unpack[Options]
) -> PpiScore:
    """The proportion of ones in a population; predictions are 0/1, probabilities or any other score.

    The interval is Wilson's with the number of labels that would be as precise without predictions, so that it stays inside
    [0, 1] and keeps its coverage near both ends. Half a success and half a failure on which the judge knows nothing are added to both
    variances: two or three disagreements among the labels say little about how often judge and people disagree.
    """
    settings = Settings.of("ppi.proportion", options)
    sample = _sample(settings, labels, predictions, unlabelled)
    _refuse_not_binary(sample.labels)
    return scored(settings, "proportion", sample, wilson_rule(sample.units[0]))


@guarded(who="ppi.difference")
def difference(a: Judged, b: Judged, *, method: Method = "hall", **options: Unpack[Options]) -> PpiScore:
    """The mean of system a minus that of system b on the same items, each given as (labels, predictions, unlabelled).

    Row i of both is the same item, so what makes an item hard for both cancels. For systems seen on different items take
    the mean of each and then `difference_of`.
    """
    settings = Settings.of("ppi.difference", options)
    first, second = (_triple(name, given) for name, given in (("a", a), ("b", b)))
    for name in ("labels", "unlabelled"):
        sizes = [len(part[0 if name == "labels" else 2]) for part in (first, second)]
        if sizes[0] != sizes[1]:
            problem = f"a and b must hold the same items, got {sizes[0]} and {sizes[1]} {name}"
            raise InputError(
                "ppi.difference", "", problem, "For different items use difference_of(mean(...), mean(...))."
            )
    labels, predictions, unlabelled = (x - y for x, y in zip(first, second, strict=True))
    sample = sample_of(settings, labels, predictions, unlabelled)
    return scored(settings, "difference", sample, mean_rule(settings.who, method))


@guarded(who="ppi.difference_of")
def difference_of(first: PpiScore, second: PpiScore, *, level: float = 0.95) -> PpiScore:
    """The difference of two estimates from different, independent rows; degrees of freedom follow Welch (1947)."""
    check_level("ppi.difference_of", level)
    for score in (first, second):
        if not isinstance(cast(Any, score), PpiScore):
            raise InputError("ppi.difference_of", "", f"takes two results of this module, got {type(score).__name__}")
    reasons = dict.fromkeys(score.reason for score in (first, second) if score.reason)
    facts = Facts("difference", first.n + second.n, first.unlabelled + second.unlabelled, level, "; ".join(reasons))
    alone = [score.classical or score for score in (first, second)]
    return assembled(facts, _welch(first, second), _welch(*alone), mean_rule("", "t"), "PPI, t, independent")


def _welch(first: PpiScore, second: PpiScore) -> PpiEstimate:
    variances = first.error**2, second.error**2
    spent = variances[0] ** 2 / first.df + variances[1] ** 2 / second.df
    df = sum(variances) ** 2 / spent if spent > 0 else min(first.df, second.df)
    power = (first.power * first.n + second.power * second.n) / (first.n + second.n)
    return PpiEstimate(float(first) - float(second), sum(variances), df, 0.0, power)


@guarded(who="ppi.metric")
def metric(
    metric: str | Metric[Any],
    labelled: Mapping[str, ArrayLike],
    judged: Mapping[str, ArrayLike],
    unlabelled: Mapping[str, ArrayLike],
    **options: Unpack[Options],
) -> PpiScore:
    """A metric's value in a population, from its inputs on labelled rows, the same rows as judged, and unlabelled rows.

    The inputs are those of the metric, as keywords: ``judged`` has the judge's targets where ``labelled`` has the true ones.
    For any metric that is a smooth function of sums over rows (means, ratios, rates of a confusion table): its influence
    values stand in for the rows of a mean. The interval is built on the metric's own scale and kept inside its range.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y, p = rng.normal(size=1100), np.zeros(1100)
    >>> judge = y + rng.normal(scale=0.3, size=1100)
    >>> a, b = slice(100), slice(100, None)
    >>> metric("mae", {"y_true": y[a], "y_pred": p[a]}, {"y_true": judge[a], "y_pred": p[a]}, {"y_true": judge[b], "y_pred": p[b]})
    0.783 [0.723, 0.847] 95 % · n=100 labels + 1000 predictions · PPI++, log t, power 0.63 · 0.57 of the classical width
    """
    entry: Metric[Any] = from_spec(metric) if isinstance(metric, str) else metric
    settings = Settings.of(f"ppi.metric({entry.key})", options)
    parts = [_pseudo_values(entry, data) for data in (labelled, judged, unlabelled)]
    if len(parts[0]) != len(parts[1]):
        problem = f"must be the same rows as labelled, got {len(parts[1])} and {len(parts[0])}"
        raise InputError(settings.who, "judged", problem)
    sample = sample_of(settings, *parts)
    return scored(settings, entry.signature(), sample, _rule(settings, entry, labelled, sample))


# ---- what is measured


def _sample(settings: Settings, labels: ArrayLike, predictions: ArrayLike, unlabelled: ArrayLike) -> JudgedSample:
    first, second = columns(settings.who, labels=labels, predictions=predictions)
    (third,) = columns(settings.who, unlabelled=unlabelled)
    return sample_of(settings, first, second, third)


def _triple(name: str, given: Any) -> list[Floats]:
    if not isinstance(given, tuple | list) or len(cast("list[Any]", given)) != 3:
        problem = f"must be (labels, predictions, unlabelled), got {type(cast(Any, given)).__name__}"
        raise InputError("ppi.difference", name, problem)
    labels, predictions, unlabelled = cast("list[Any]", given)
    who = f"ppi.difference, {name}"
    return [*columns(who, labels=labels, predictions=predictions), *columns(who, unlabelled=unlabelled)]


def _refuse_not_binary(labels: Floats) -> None:
    odd = ~np.isin(labels, (0, 1))
    if odd.any():
        row = int(np.argmax(odd))
        fix = "Use ppi.mean for scores, or mark the ones: labels == value."
        raise InputError("ppi.proportion", "labels", f"must be 0 or 1, got {labels[row]:g} in row {row}", fix)


def _pseudo_values(entry: Metric[Any], data: Mapping[str, ArrayLike]) -> Floats:
    """Rows whose mean is the metric's value and whose spread is its uncertainty."""
    inputs = entry.inputs(**data)
    if entry.weights_count or entry.statistic().linear(inputs) is None:
        why = "grows with the number of rows" if entry.weights_count else "is not a smooth function of sums over rows"
        fix = "Choose a mean or a rate, such as mae or accuracy."
        raise ParameterError("ppi.metric", "", f"{entry.key} {why}, so it has no rows to correct", fix)
    value = entry.outcome(entry.statistic().of(inputs)).value
    if not isinstance(value, float):
        raise InputError("ppi.metric", "", f"{entry.key} is not one number here", "Choose how to average.")
    if not math.isfinite(value):
        raise InputError("ppi.metric", "", f"{entry.key} is {value} on one of the data sets: {entry.record.undefined}")
    return value + inputs.n * entry.influence_of(inputs)


def _rule(settings: Settings, entry: Metric[Any], labelled: Mapping[str, ArrayLike], sample: JudgedSample) -> LimitRule:
    family = family_of(entry)
    trials = entry.trials(entry.statistic().of(entry.inputs(**labelled)))
    if settings.strata is not None and (not family.mean_of_rows or trials is not None):
        problem = "is not a mean over all rows, so it is not the mean of its strata"
        raise ParameterError(settings.who, "", problem, f"Leave {arg('strata')} out.")
    if not family.successes or entry.bounds != (0, 1):
        return scale_rule(entry)
    counted = sample.units[0] if trials is None else min(float(np.max(trials)), sample.units[0])
    if counted < 2:
        raise InputError(
            settings.who, "", f"only {counted:g} of the labelled rows counts for it", "Label more of those."
        )
    return wilson_rule(counted)
