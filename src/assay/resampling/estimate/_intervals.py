"""Which interval methods are valid for which scheme, and the reasons why the others are refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.distributions import t_quantile
from assay.core.errors import ParameterError, arg, did_you_mean
from assay.core.inference_options import InferenceOptions
from assay.inference.design import Design
from assay.inference.interval import found
from assay.resampling.estimate import _interval_formulas as formulas
from assay.resampling.estimate._fits import FitRecord, Role
from assay.resampling.estimate._interval_formulas import POOLED, Limits
from assay.resampling.estimate._out_of_bag import out_of_bag
from assay.resampling.estimate._split_metrics import Pool, SplitScorer
from assay.resampling.schemes.scheme import (
    Bootstrap,
    CrossValidation,
    Holdout,
    LeaveOneGroupOut,
    LeaveOneOut,
    Scheme,
    Subsampling,
)
from assay.resampling.schemes.time_ordered import TimeOrdered

FEW_GROUPS, FEW_ROWS = 50, 30  # with fewer groups, coverage of .87 to .93 was measured: see docs/coverage.md
MANY_SPLITS = 20  # from which the spread of splits is informative
METHODS = (
    "auto", "corrected_t", "nested_cv", "conservative_z", "cluster_t", "bayle", "five_by_two", "holdout", "632+", "632", "oob",
)  # fmt: skip
NAIVE = ("t", "naive_t", "naive", "wald", "z", "normal", "bootstrap", "percentile")
OPTIMISTIC = "rows that share training data are treated as independent, which is optimistic (coverage 0.89 to 0.94 measured at 95 %)"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What an interval is computed from: a metric, the fits, and the scheme behind them."""

    scorer: SplitScorer
    name: str
    scheme: Scheme
    folds: Sequence[FitRecord]
    values: Any  # of the metric on every split of the scheme
    options: InferenceOptions

    def of(self, role: Role) -> list[FitRecord]:
        """The fits of one role."""
        return [fold for fold in self.folds if fold.role == role]


def settled(scheme: Scheme, method: str, *, grouped: bool) -> str:
    """The method by name, checked against the scheme; the first valid one for ``"auto"``."""
    valid = _valid(scheme, grouped)
    if method == "auto":
        return valid[0] if valid else "none"
    if method == "none":
        return "none"
    if method in NAIVE and isinstance(scheme, Holdout):
        why = f"{method!r} is not needed: a hold-out uses the interval of each metric's own family"
        raise ParameterError("estimate", "method", why, _instead(scheme, valid))
    if method in NAIVE:
        why = (
            f"{method!r} treats the splits as independent, but they share training rows: such an interval of {scheme.name} is too "
            "narrow and covers far less than its nominal level"
        )
        raise ParameterError("estimate", "method", why, _instead(scheme, valid))
    if method not in METHODS:
        raise ParameterError("estimate", "method", f"is unknown: {method!r}", did_you_mean(method, METHODS).strip())
    if method not in valid:
        why = " with groups" if grouped else ""
        problem = f"{method!r} is not valid for {scheme.name}{why}"
        raise ParameterError("estimate", "method", problem, _instead(scheme, valid))
    return method


def _instead(scheme: Scheme, valid: Sequence[str]) -> str:
    if not valid:
        return f"No interval is known to be valid for {scheme.name}; leave {arg('method')} out."
    return f"Choose {' or '.join(arg('method', one) for one in valid)}."


def _valid(scheme: Scheme, grouped: bool) -> tuple[str, ...]:
    """The methods that are valid for a scheme, the default first."""
    if isinstance(scheme, Holdout):
        return ("holdout",)
    if isinstance(scheme, Subsampling):
        return ("corrected_t", "conservative_z")
    if isinstance(scheme, CrossValidation):
        five = ("five_by_two",) if (scheme.folds, scheme.repeats) == (2, 5) else ()
        if grouped:
            return ("cluster_t", "corrected_t")
        return ("corrected_t", *(("nested_cv",) if scheme.folds > 2 else ()), "bayle", *five)
    if isinstance(scheme, LeaveOneOut):
        return ("bayle",)
    if isinstance(scheme, LeaveOneGroupOut):
        return ("cluster_t",)
    return ("632+", "632", "oob") if isinstance(scheme, Bootstrap) else ()


def limits(evidence: Evidence, method: str) -> Limits:
    """The estimate with its interval, by a method that `settled` chose."""
    return _MAKERS[method](evidence)


# ---- values of splits


def _corrected(evidence: Evidence) -> Limits:
    values = evidence.values
    missing = int(np.isnan(values).sum())
    if missing and isinstance(evidence.scheme, CrossValidation):
        why = f"undefined on {missing} of {len(values)} splits, so all test rows were pooled; {OPTIMISTIC}"
        return replace(_pooled(evidence), reason=why)
    if missing:
        why = f"undefined on {missing} of {len(values)} splits. Use larger test sets, or stratify=True"
        return _none(evidence, why, value=math.nan)
    endless = int(np.isinf(values).sum())
    if endless:
        return _none(evidence, f"infinite on {endless} of {len(values)} splits")
    if len(values) < 2:
        return _none(evidence, "a single split says nothing about the spread")
    ratio = float(np.mean([len(f.rows) / f.train_size for f in evidence.of("split")]))
    return _doubted(formulas.corrected_t(values, ratio, evidence.options.level), evidence)


def _doubted(limits: Limits, evidence: Evidence) -> Limits:
    if not limits.error > 1e-12 * max(1.0, abs(limits.value)):
        return replace(limits, reason="all splits agree, so they say nothing about the spread")
    data = evidence.scorer.data
    groups = data.n if data.groups is None else len(np.unique(data.groups))
    few = f"only {data.n} rows" if data.n < FEW_ROWS else ""
    few = f"only {groups} groups" if data.groups is not None and groups < FEW_GROUPS else few
    return replace(limits, reason=limits.reason or few)


def _conservative(evidence: Evidence) -> Limits:
    """The mean on each half of each pair, from the same number of splits as on the whole."""
    halves: dict[int, list[float]] = {}
    for fold in evidence.of("half"):
        halves.setdefault(fold.repeat, []).append(evidence.scorer.values(fold.answers, fold.rows)[evidence.name])
    means: Any = np.array([sum(halves[at]) / len(halves[at]) for at in sorted(halves)])
    if np.isnan(means).any() or np.isnan(evidence.values).any():
        return _none(evidence, "undefined on some splits. Use larger test sets, or stratify=True", value=math.nan)
    found = formulas.conservative_z(evidence.values, means[0::2], means[1::2], evidence.options.level)
    return _doubted(found, evidence)


def _five_by_two(evidence: Evidence) -> Limits:
    """Ten values of five halvings: the spread within halvings, five degrees of freedom (Dietterich 1998)."""
    table = np.asarray(evidence.values, dtype=np.float64).reshape(5, 2)
    if np.isnan(table).any():
        return _none(evidence, "undefined on some splits. Use stratify=True", value=math.nan)
    value, error = float(table.mean()), math.sqrt(float(table.var(axis=1, ddof=1).mean()))
    half = t_quantile(evidence.options.level, 5) * error
    return _doubted(Limits(value, value - half, value + half, error, "5x2cv t", "learner"), evidence)


def _none(evidence: Evidence, reason: str, value: float | None = None) -> Limits:
    numbers: Any = np.asarray(evidence.values, dtype=np.float64)
    value = float(numbers.mean()) if value is None else value
    return Limits(value, math.nan, math.nan, math.nan, "none", "learner", reason=reason)


def _ordered(evidence: Evidence) -> Limits:
    if not isinstance(evidence.scheme, TimeOrdered):
        return _none(evidence, "no interval was requested")
    return _none(evidence, "windows in time depend on each other, and no interval is known to be valid for them")


# ---- rows


def _holdout(evidence: Evidence) -> Limits:
    fold = evidence.of("split")[0]
    data = evidence.scorer.data
    design = Design.of(len(fold.rows), data.groups_of(fold.rows), None, "estimate")
    return _by_rows(evidence, fold, design, "hold-out")


def _pooled(evidence: Evidence) -> Limits:
    """All test rows as one sample; a row tested in several repeats is one unit."""
    pool = Pool(evidence.of("split"))
    repeated = len(np.unique(pool.rows)) < len(pool.rows)
    design = Design.of(len(pool.rows), pool.rows if repeated else None, None, "estimate")
    found = _by_rows(evidence, pool, design, "Bayle et al.")
    return replace(found, reason=found.reason or OPTIMISTIC, about="learner", form=POOLED)


def _clustered(evidence: Evidence) -> Limits:
    pool, data = Pool(evidence.of("split")), evidence.scorer.data
    design = Design.of(len(pool.rows), data.groups_of(pool.rows), None, "estimate")
    few = f"only {design.units} groups" if design.units < FEW_GROUPS else ""
    found = _by_rows(evidence, pool, design, "cluster")
    found = replace(found, reason=found.reason or few, about="learner", form=POOLED)
    return _wider(evidence, found) if isinstance(evidence.scheme, CrossValidation) else found


def _wider(evidence: Evidence, found: Limits) -> Limits:
    """Groups tested by models with shared training rows have correlated errors, which the spread of folds may show."""
    values = evidence.values
    if len(values) < MANY_SPLITS or not np.isfinite(values).all():
        return found
    ratio = float(np.mean([len(f.rows) / f.train_size for f in evidence.of("split")]))
    other = formulas.corrected_t(values, ratio, evidence.options.level)
    if not other.high - other.low > found.high - found.low:
        return found
    half = (other.high - other.low) / 2
    method = f"corrected resampled t over whole groups, wider than {found.method}"
    return replace(found, low=found.value - half, high=found.value + half, error=other.error, method=method)


def _by_rows(evidence: Evidence, source: FitRecord | Pool, design: Design, name: str) -> Limits:
    """The interval of the metric's own family on a sample of these units."""
    sample = evidence.scorer.sample(evidence.name, source.answers, source.rows)
    sample.design = design
    value = evidence.scorer.values(source.answers, source.rows)[evidence.name]
    if not math.isfinite(value):
        return _none(evidence, "undefined on the test rows", value=value)
    interval = found(sample, replace(evidence.options, method="auto"))
    error = sample.error if sample.smooth else math.nan
    return Limits(
        value, interval.low, interval.high, error, f"{name}, {interval.method}", "model", POOLED, interval.reason
    )


def _nested(evidence: Evidence) -> Limits:
    """Bates et al.: for each fold, the errors of models that saw neither it nor another, against its own errors."""
    scorer, name = evidence.scorer, evidence.name
    outer = evidence.of("split")
    if min(len(fold.rows) for fold in outer) < 2:
        return _none(evidence, "needs folds of at least 2 rows. Use fewer folds")
    own = [scorer.losses(name, fold) for fold in outer]
    within = _without_two(evidence, outer)
    return _doubted(
        formulas.nested(
            inside=[np.concatenate(losses).mean() for losses in within],
            outside=[losses.mean() for losses in own],
            sizes=[len(losses) for losses in own],
            spreads=[losses.var(ddof=1) for losses in own],
            pooled=np.concatenate([losses for fold, losses in zip(outer, own, strict=True) if fold.repeat == 0]),
            folds=sum(fold.repeat == 0 for fold in outer),
            level=evidence.options.level,
        ),
        evidence,
    )


def _without_two(evidence: Evidence, outer: Sequence[FitRecord]) -> list[list[Any]]:
    """For each outer fold, the errors on every other fold of its repeat by the models that saw neither."""
    at = {(fold.repeat, int(fold.rows[0])): place for place, fold in enumerate(outer)}
    found: list[list[Any]] = [[] for _ in outer]
    for pair in evidence.of("pair"):
        # The test rows of a pair are those of its two folds, one after the other.
        first = at[pair.repeat, int(pair.rows[0])]
        cut = len(outer[first].rows)
        second = at[pair.repeat, int(pair.rows[cut])]
        found[second].append(evidence.scorer.losses(evidence.name, pair, slice(None, cut)))
        found[first].append(evidence.scorer.losses(evidence.name, pair, slice(cut, None)))
    return found


_MAKERS: dict[str, Callable[[Evidence], Limits]] = {
    "corrected_t": _corrected,
    "conservative_z": _conservative,
    "five_by_two": _five_by_two,
    "holdout": _holdout,
    "bayle": _pooled,
    "cluster_t": _clustered,
    "nested_cv": _nested,
    "632+": lambda evidence: out_of_bag(evidence, "632+"),
    "632": lambda evidence: out_of_bag(evidence, "632"),
    "oob": lambda evidence: out_of_bag(evidence, "oob"),
    "none": _ordered,
}
