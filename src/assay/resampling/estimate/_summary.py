"""From the fits of a run to an estimate for each metric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import InputError, ParameterError, arg
from assay.core.inference_options import InferenceOptions
from assay.core.metric import Metric
from assay.core.score import Score
from assay.evaluation.opening import Specs
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._interval_formulas import AVERAGED, Limits
from assay.resampling.estimate._intervals import Evidence, limits
from assay.resampling.estimate._split_metrics import Pool, SplitScorer
from assay.resampling.estimate.result import Estimate, Performance, Run, known
from assay.resampling.schemes.scheme_text import outer_of
from assay.version import __version__


def summed(run: Run, metrics: Specs | None = None, flat: Estimate | None = None) -> Estimate:
    """The estimate for the metrics of the run, or for others, from the stored predictions: nothing is trained again."""
    if metrics is not None:
        run = replace(run, scorer=SplitScorer(run.scorer.data, metrics, run.scorer.threshold))
        flat = None if flat is None else flat.measure(metrics)
    good = [fold for fold in run.splits if not fold.error]
    if not good:
        raise InputError("estimate", "", f"every fit failed. The first: {run.failures[0].error}")
    run.scorer.ready(good[0].answers, good[0].rows)
    again = metrics is not None
    test = [_missing(run) if f.error else run.scorer.values(f.answers, f.rows) for f in run.splits]
    train = [_training(run, fold, again=again) for fold in run.splits]
    pooled = run.scorer.values(Pool(good).answers, Pool(good).rows)
    found = {
        name: _performance(run, name, _column(test, name), _column(train, name), pooled[name])
        for name in run.scorer.metrics
    }
    return Estimate(run, found, flat)


def _missing(run: Run) -> dict[str, float]:
    return dict.fromkeys(run.scorer.metrics, math.nan)


def _training(run: Run, fold: FitRecord, *, again: bool) -> dict[str, float]:
    if fold.train:
        return run.scorer.values(fold.train, fold.train_rows)
    return _missing(run) if again or fold.error else fold.scores


def _column(rows: list[dict[str, float]], name: str) -> Any:
    return np.array([row.get(name, math.nan) for row in rows], dtype=np.float64)


def _performance(run: Run, name: str, test: Any, train: Any, pooled: float) -> Performance:
    metric = run.scorer.metrics[name]
    found = _limits(run, name, test)
    sign = -1.0 if metric.record.better == "higher" else 1.0
    best = run.best.get(name, run.best.get(metric.key))
    return Performance(
        score=_score(run, metric, found),
        averaged=known(test),
        pooled=pooled if not run.failures else math.nan,
        test=test,
        train=train,
        overfitting=sign * (found.value - known(train)),
        underfitting=None if best is None else sign * (found.value - best),
        form=found.form,
        about=_about(run, found),
        error=found.error,
    )


def _limits(run: Run, name: str, test: Any) -> Limits:
    """The estimate; none where fits failed, because the others alone would mislead."""
    if run.failures:
        why = f"{len(run.failures)} of {len(run.folds)} fits failed, and an average over the others would hide it"
        return Limits(math.nan, math.nan, math.nan, math.nan, "none", "learner", AVERAGED, why)
    evidence = Evidence(run.scorer, name, outer_of(run.scheme), run.folds, test, InferenceOptions(run.level))
    try:
        return limits(evidence, run.method)
    except ParameterError as error:  # this metric has no such interval; the others may
        value = known(test)
        return Limits(
            value,
            math.nan,
            math.nan,
            math.nan,
            "none",
            "learner",
            AVERAGED,
            str(error).removeprefix("estimate: ").removesuffix("."),
        )


def _score(run: Run, metric: Metric[Any], found: Limits) -> Score:
    low, high = metric.bounds
    there = math.isfinite(found.low) and math.isfinite(found.high)
    signature = (
        f"{metric.signature()}|n:{run.scorer.data.n}|learner:{run.learner}|resampling:{run.scheme}|ci:{run.method}"
    )
    return Score(
        found.value, metric=metric.key, n=run.scorer.data.n, signature=f"{signature}|assay:{__version__}",
        low=max(low, found.low) if there else None, high=min(high, found.high) if there else None, level=run.level,
        method=found.method, reliable=not found.reason, reason=found.reason,
    )  # fmt: skip


def _about(run: Run, found: Limits) -> str:
    """The quantity that the interval covers, in words."""
    n, size = run.scorer.data.n, round(float(np.mean([fold.train_size for fold in run.splits])))
    if run.method == "holdout":
        return f"this model: the one trained on the {size} rows of the training part, on new rows of the same kind"
    if found.about == "model":
        return f"this model: the one trained on all {n} rows"
    if run.method in ("632", "632+"):
        return f"the learner trained on {n} rows of this kind, averaged over training sets"
    return f"the learner trained on about {size} rows of this kind, averaged over training sets"


def best_known(best: float | Mapping[str, float] | None, metrics: Mapping[str, Metric[Any]]) -> dict[str, float]:
    """The best known value of each metric, as the caller gave it."""
    if best is None:
        return {}
    if isinstance(best, Mapping):
        unknown = [name for name in best if name not in metrics and name not in {m.key for m in metrics.values()}]
        if unknown:
            why = f"names {unknown[0]!r}, which is not among the metrics ({', '.join(metrics)})"
            raise ParameterError("estimate", "best", why)
        return {name: float(value) for name, value in best.items()}
    if len(metrics) > 1:
        fix = f"Name it, as in {arg('best', {'accuracy': 0.95})}."
        raise ParameterError("estimate", "best", "must name its metric where there are several", fix)
    return {next(iter(metrics)): float(best)}
