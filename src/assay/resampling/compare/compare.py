"""Comparisons of learners: the same splits for all, and tests that account for shared training rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.comparison import Comparison
from assay.core.errors import InputError, ParameterError, arg, did_you_mean
from assay.core.inference_options import InferenceOptions
from assay.core.parameters import choice, number
from assay.core.ranking import Ranking
from assay.core.score import Score
from assay.core.value_checks import Says
from assay.evaluation.comparisons import Comparisons, Correction
from assay.evaluation.presets import built, titles
from assay.evaluation.table_layout import Grid
from assay.inference.design import Design
from assay.inference.paired import compared
from assay.inference.rankings import assembled
from assay.resampling.compare import paired_tests
from assay.resampling.compare.paired_tests import PairedTest, Posterior
from assay.resampling.compare.rank_tests import Ranks, friedman, signed_rank
from assay.resampling.estimate._intervals import NAIVE, OPTIMISTIC
from assay.resampling.estimate._split_metrics import MetricSpec, Pool
from assay.resampling.estimate.estimate import estimate, scheme_for
from assay.resampling.estimate.learners import LearnerLike
from assay.resampling.estimate.result import Estimate
from assay.resampling.schemes.scheme import (
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneOut,
    Resampling,
    Scheme,
    Subsampling,
)
from assay.resampling.schemes.scheme_text import described, outer_of

Learners: TypeAlias = Annotated[
    Mapping[str, LearnerLike], Says("at least two learners by name, such as {'linear': a, 'forest': b}")
]
METHODS = ("auto", "corrected_t", "five_by_two", "permutation", "rows", "cluster_t")


class LearnerComparisons(Comparisons):
    """Learners on the same splits. Index it by metric for the `Ranking`; ``pair`` returns a difference, ``estimates`` the learners.

    ``posteriors`` holds the posterior of each pair by metric, where a region of practical equivalence was given.
    """

    estimates: dict[str, Estimate]
    posteriors: dict[str, dict[tuple[str, str], Posterior]]
    what: ClassVar[str] = "learners"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        believed = {
            metric: [{"first": a, "second": b, **found.to_dict()} for (a, b), found in pairs.items()]
            for metric, pairs in self.posteriors.items()
        }
        learners = {name: one.to_dict() for name, one in self.estimates.items()}
        return {**super().to_dict(), "posteriors": believed, "learners": learners}


@guarded
def compare_learners(
    learners: Learners,
    X: object,
    y: ArrayLike,
    resampling: Resampling = None,
    metrics: Sequence[MetricSpec] | None = None,
    *,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    method: str = "auto",
    rope: float | Mapping[str, float] | None = None,
    margin: float | None = None,
    correction: Correction = "metrics",
    store: str | Path | None = None,
    **options: Any,
) -> LearnerComparisons:
    """Learners by name on the same splits: differences with intervals and p values, corrected for their number.

    P values are corrected for the number of pairs and metrics (Holm), or with ``correction="pairs"`` for the pairs of each metric.

    ``method`` is the test: ``"auto"``; ``"corrected_t"`` over splits (subsampling and cross-validation); ``"five_by_two"``, the
    combined F of ``"cv:2x5"``; ``"cluster_t"`` for groups; ``"rows"``, the paired test of the metric's own family on a hold-out
    (McNemar for accuracy, DeLong for areas); ``"permutation"`` over rows or groups. A test that is not valid for the scheme is
    refused.

    ``rope``, a difference (or one per metric) that is negligible in practice, adds the Bayesian correlated t: the probabilities
    that a pair lies below, within or above it. ``margin`` adds the tests of non-inferiority. Other options are those of
    `estimate`; each learner has a folder of its own in ``store``.
    """
    if not isinstance(cast(Any, learners), Mapping) or len(learners) < 2:
        why = "must be at least two learners by name, such as {'linear': a, 'forest': b}"
        raise InputError("compare_learners", "learners", why)
    refuse_names(options)
    choice("compare_learners", "correction", correction, ("metrics", "pairs"))
    scheme = scheme_for(next(iter(learners.values())), X, y, resampling, groups=groups, **options)
    outer = outer_of(scheme)
    how = _settled(outer, method, grouped=groups is not None)
    _check_margins(rope, margin, outer, metrics)
    folders = _folders(store, learners)
    found: dict[str, Estimate] = {}
    for name, learner in learners.items():
        folder = folders[name]
        found[name] = estimate(
            learner, X, y, scheme, metrics, groups=groups, level=level, store=folder, name=name, **options
        )
    return _assembled(found, how, level, margin, _ropes(rope, found, outer), correction)


def refuse_names(options: Mapping[str, object]) -> None:
    """Learners are named by the caller's own mapping."""
    if "name" in options:
        why = "does not apply: the learners are named by the mapping"
        raise ParameterError("compare_learners", "name", why, f"Leave {arg('name')} out.")


def _folders(store: str | Path | None, learners: Mapping[str, Any]) -> dict[str, Path | None]:
    """A folder for each learner; names that differ only in special characters are numbered."""
    plain = {name: re.sub(r"[^\w.-]+", "_", name) for name in learners}
    same = [folder for folder in plain.values() if list(plain.values()).count(folder) > 1]
    numbered = {n: f"{f}-{at}" if f in same else f for at, (n, f) in enumerate(plain.items(), start=1)}
    return {name: None if store is None else Path(store) / folder for name, folder in numbered.items()}


def _check_margins(rope: Any, margin: float | None, scheme: Scheme, metrics: Any) -> None:
    """What can be refused before anything is trained."""
    if margin is not None:
        number("compare_learners", "margin", margin, low=0, open_low=True)
    if rope is None:
        return
    if not isinstance(scheme, CrossValidation | Subsampling):
        why = f"needs the splits of a cross-validation or subsampling, not {scheme.name}"
        raise ParameterError("compare_learners", "rope", why)
    several: list[Any] = list(cast(Any, rope).values()) if isinstance(rope, Mapping) else [rope]
    for one in several:
        number("compare_learners", "rope", one, low=0)
    if isinstance(rope, Mapping) and metrics is not None:
        known = titles(metrics, [built(m) for m in metrics], chosen=True)
        for name in cast("Mapping[str, float]", rope):
            if name not in known:
                fix = did_you_mean(name, known).strip()
                raise ParameterError("compare_learners", "rope", f"names an unknown metric {name!r}", fix)


def _assembled(
    found: dict[str, Estimate],
    how: str,
    level: float,
    margin: float | None,
    ropes: Mapping[str, float],
    correction: Correction,
) -> LearnerComparisons:
    first = next(iter(found.values()))
    metrics = first.run.scorer.metrics
    common = [name for name in first if all(name in one for one in found.values())]
    other = {
        name: "not every learner returns what it needs" for one in found.values() for name in one if name not in common
    }
    if not common:
        fix = "Name a metric that applies to all learners."
        raise ParameterError("compare_learners", "metrics", "has none that the learners have in common", fix)
    rankings = {name: _ranking(name, found, how, level) for name in common}
    data = first.run.scorer.data
    result = LearnerComparisons(
        task=first.task, n=first.n, models=list(found), level=level, margin=margin, rankings=rankings, left_out=other,
        metrics=metrics, positive=data.classes[-1] if data.task == "binary" else None,
        groups=None if data.groups is None else len(np.unique(data.groups)), correction=correction,
    )  # fmt: skip
    result.estimates = found
    result.posteriors = {name: _posteriors(name, found, rope) for name, rope in ropes.items()}
    result.more = tuple(_believed(name, ropes[name], pairs) for name, pairs in result.posteriors.items())
    said = f"the same splits for all: {described(first.scheme)} · the intervals are about {first.about}"
    return cast(LearnerComparisons, result.noted(said))


# ---- which test


def _valid(scheme: Scheme, grouped: bool) -> tuple[str, ...]:
    """The tests that are valid for a scheme, the default first."""
    if isinstance(scheme, Holdout):
        return ("rows", "permutation")
    if isinstance(scheme, LeaveOneGroupOut) or (isinstance(scheme, CrossValidation) and grouped):
        return ("cluster_t", "permutation") + (("corrected_t",) if isinstance(scheme, CrossValidation) else ())
    if isinstance(scheme, Subsampling):
        return ("corrected_t",)
    if isinstance(scheme, CrossValidation):
        five = ("five_by_two",) if (scheme.folds, scheme.repeats) == (2, 5) else ()
        return (*five, "corrected_t", "permutation")
    return ("rows", "permutation") if isinstance(scheme, LeaveOneOut) else ()


def _settled(scheme: Scheme, method: str, *, grouped: bool) -> str:
    valid = _valid(scheme, grouped)
    if not valid:
        raise ParameterError(
            "compare_learners",
            "resampling",
            f"by {scheme.name} has no test that is known to be valid",
            "Use CrossValidation(folds=10, repeats=5) or a Holdout, or estimate each learner by itself.",
        )
    if method == "auto":
        return valid[0]
    if method in NAIVE:
        why = f"{method!r} treats splits or rows as independent, but they share training rows: it finds spurious differences"
        raise ParameterError("compare_learners", "method", why, _choose(valid))
    method = "rows" if method == "mcnemar" and "rows" in valid else method
    if method not in valid:
        known = method in METHODS
        why = f"{method!r} is not valid for {scheme.name}" if known else f"is unknown: {method!r}"
        fix = _choose(valid) if known else did_you_mean(method, valid).strip()
        raise ParameterError("compare_learners", "method", why, fix)
    return method


def _choose(valid: tuple[str, ...]) -> str:
    return f"Choose {' or '.join(arg('method', one) for one in valid)}."


# ---- one metric


def _ranking(name: str, found: dict[str, Estimate], how: str, level: float) -> Ranking:
    metric = next(iter(found.values())).run.scorer.metrics[name]

    def pair(a: str, b: str, options: InferenceOptions) -> Comparison:
        scores = found[a][name], found[b][name]
        if any(not math.isfinite(score) for score in scores):
            why = scores[0].reason or scores[1].reason or "the value of a learner is undefined or infinite"
            return Comparison(math.nan, a=scores[0], b=scores[1], n=found[a].n, reason=why)
        return _PAIRS[how](name, found[a], found[b], options)

    return assembled(metric, {learner: one[name] for learner, one in found.items()}, pair, InferenceOptions(level))


def _by_rows(name: str, a: Estimate, b: Estimate, options: InferenceOptions) -> Comparison:
    """The metric's own paired test on all test rows; a row tested more than once, or a group, is one unit."""
    data, folds = a.run.scorer.data, Pool(a.run.splits)
    units = data.groups_of(folds.rows)
    if units is None and len(np.unique(folds.rows)) < len(folds.rows):
        units = folds.rows
    design = Design.of(len(folds.rows), units, None, "compare_learners")
    first, second = (one.run.scorer.sample(name, Pool(one.run.splits).answers, folds.rows) for one in (a, b))
    first.design = second.design = design
    result = compared(first, second, options, scores=(a[name], b[name]))
    return result if isinstance(outer_of(a.scheme), Holdout) or data.groups is not None else _optimistic(result)


def _optimistic(result: Comparison) -> Comparison:
    return result.but(reliable=False, reason=result.reason or OPTIMISTIC)


def _over_splits(name: str, a: Estimate, b: Estimate, options: InferenceOptions) -> Comparison:
    return _told(paired_tests.corrected_paired_t(_gaps(name, a, b), _ratio(a), level=options.level), name, a, b)


def _five(name: str, a: Estimate, b: Estimate, options: InferenceOptions) -> Comparison:
    return _told(paired_tests.five_by_two_f(_gaps(name, a, b).reshape(5, 2), level=options.level), name, a, b)


def _flips(name: str, a: Estimate, b: Estimate, options: InferenceOptions) -> Comparison:
    """Losses per row, averaged over repeats; a row, or a group of rows, is swapped as a whole."""
    data = a.run.scorer.data
    losses = np.zeros(data.n)
    count = np.zeros(data.n)
    for one, other in zip(a.run.splits, b.run.splits, strict=True):
        gap = a.run.scorer.losses(name, one) - b.run.scorer.losses(name, other)
        losses[one.rows] += gap
        count[one.rows] += 1
    tested = count > 0
    found = paired_tests.sign_flips(losses[tested] / count[tested], groups=data.groups_of(tested), level=options.level)
    result = _told(found, name, a, b)
    return result if isinstance(outer_of(a.scheme), Holdout) else _optimistic(result)


def _gaps(name: str, a: Estimate, b: Estimate) -> Any:
    return a.performance[name].test - b.performance[name].test


def _ratio(one: Estimate) -> float:
    return float(np.mean([len(fold.rows) / fold.train_size for fold in one.run.splits]))


def _told(found: PairedTest, name: str, a: Estimate, b: Estimate) -> Comparison:
    """The outcome of a test as a `Comparison`."""
    first, second = a[name], b[name]
    better = a.run.scorer.metrics[name].record.better
    return Comparison(
        found.effect, a=first, b=second, n=a.n, low=found.low, high=found.high, level=found.level, p=found.p,
        method=found.method, reason=found.reason, better=better, favours=_favoured(found.effect, better),
        error=found.error, df=found.df if isinstance(found.df, float) else math.inf,
    )  # fmt: skip


def _favoured(effect: float, better: str) -> str | None:
    if effect == 0 or better == "none":
        return None
    return "a" if (effect > 0) == (better == "higher") else "b"


_PAIRS = {
    "rows": _by_rows,
    "cluster_t": _by_rows,
    "corrected_t": _over_splits,
    "five_by_two": _five,
    "permutation": _flips,
}


# ---- practical equivalence


def _ropes(rope: float | Mapping[str, float] | None, found: dict[str, Estimate], scheme: Scheme) -> dict[str, float]:
    """The region of each metric that has one."""
    if rope is None:
        return {}
    names = list(next(iter(found.values())))
    given = (
        {str(k): float(v) for k, v in rope.items()} if isinstance(rope, Mapping) else dict.fromkeys(names, float(rope))
    )
    return {name: given[name] for name in given if name in names}


def _believed(metric: str, rope: float, pairs: dict[tuple[str, str], Posterior]) -> Grid:
    rows = [
        [f"{a} − {b}", *(f"{chance:.3f}" for chance in (one.left, one.within, one.right)), one.verdict or "undecided"]
        for (a, b), one in pairs.items()
    ]
    head = ["", "below", f"within ±{rope:g}", "above", "verdict"]
    return Grid(f"{metric}, posterior of the difference (Bayesian correlated t)", head, rows)


def _posteriors(name: str, found: dict[str, Estimate], rope: float) -> dict[tuple[str, str], Posterior]:
    learners = list(found)
    pairs = [(a, b) for at, a in enumerate(learners) for b in learners[at + 1 :]]
    results: dict[tuple[str, str], Posterior] = {}
    for a, b in pairs:
        gaps = _gaps(name, found[a], found[b])
        if np.isfinite(gaps).all():
            ratio = _ratio(found[a])
            results[a, b] = paired_tests.correlated_t(gaps, ratio / (1 + ratio), rope=rope, level=found[a].run.level)
    return results


# ---- many data sets


@guarded
def compare_on_datasets(
    learners: Learners,
    datasets: Mapping[str, tuple[object, ArrayLike]],
    metric: MetricSpec,
    resampling: Resampling = None,
    *,
    level: float = 0.95,
    **options: Any,
) -> Ranks | PairedTest:
    """Learners over many data sets, ``(X, y)`` by name: ranks by Friedman and Nemenyi, claims by Wilcoxon and Holm.

    Two learners have one difference per data set: Wilcoxon's signed ranks. ``diagram()`` of the result draws mean ranks with the
    critical difference. Other options are those of `estimate`.
    """
    names = list(learners)
    if len(names) < 2 or len(datasets) < 2:
        raise InputError("compare_on_datasets", "", "at least two learners and two data sets by name are needed")
    rows: list[list[Score]] = []
    better = "lower"
    for title, (X, y) in datasets.items():
        scheme = scheme_for(learners[names[0]], X, y, resampling, **options)
        row = [estimate(learners[name], X, y, scheme, [metric], level=level, name=name, **options) for name in names]
        failed = [one for one in row if one.failures]
        if failed:
            why = f"{failed[0].learner} failed on {title}: {failed[0].failures[0]}"
            raise InputError("compare_on_datasets", "learners", why)
        better = next(iter(row[0].run.scorer.metrics.values())).record.better
        rows.append([next(iter(one.scores.values())) for one in row])
    if better == "none":
        raise ParameterError("compare_on_datasets", "metric", "has no direction of better, so there are no ranks")
    table = np.array(rows, dtype=np.float64)
    if len(names) == 2:
        return signed_rank(table[:, 0] - table[:, 1], level=level)
    return friedman(table, names, cast(Any, better), datasets=list(datasets), level=level)
