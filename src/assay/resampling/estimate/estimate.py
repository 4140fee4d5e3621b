"""`estimate`: the performance of a learner on new data, with its uncertainty, from a scheme and metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError, arg
from assay.core.inference_options import InferenceOptions
from assay.core.monoids import Label
from assay.core.parameters import choice
from assay.evaluation.opening import Specs, listed
from assay.evaluation.presets import Task, built, titles
from assay.resampling.estimate._fit_plan import FitPlan
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._intervals import settled
from assay.resampling.estimate._learning_data import LearningData, as_data
from assay.resampling.estimate._running import Watch, run, watched, workers_of
from assay.resampling.estimate._split_metrics import MetricSpec, SplitScorer
from assay.resampling.estimate._store import Store, fingerprint
from assay.resampling.estimate._summary import best_known, summed
from assay.resampling.estimate.learners import Learner, LearnerLike, as_learner
from assay.resampling.estimate.result import Estimate, Run
from assay.resampling.schemes._selection import selecting, with_parameters
from assay.resampling.schemes.guidelines import guideline
from assay.resampling.schemes.nested import Nested
from assay.resampling.schemes.scheme import Bootstrap, Resampling, Scheme
from assay.resampling.schemes.scheme_text import outer_of, scheme_of


@guarded
def estimate(
    learner: LearnerLike,
    X: object,
    y: ArrayLike,
    resampling: Resampling = None,
    metrics: Specs | MetricSpec | None = None,
    *,
    groups: ArrayLike | None = None,
    task: Task | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = 0.5,
    level: float = 0.95,
    method: str = "auto",
    best: float | Mapping[str, float] | None = None,
    on_failure: Literal["report", "raise"] = "report",
    keep_train: bool = False,
    store: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    progress: Watch = None,
    name: str | None = None,
    inner_loss: str | None = None,
) -> Estimate:
    """How well a learner will perform on new data, with a valid interval.

    ``learner`` is an estimator with ``fit`` and ``predict``, a pair ``(fit, predict)``, a mapping with ``fit``, ``predict``,
    ``predict_proba``, or a function that trains and returns a predictor. ``resampling`` is a scheme or a text such as
    ``"cv:10x5"``; by default `guideline` chooses. ``metrics`` are names, specs or metric objects, as in `evaluate`; by default
    those of the task, except calibration errors, which are biased upward on small test sets.

    ``method`` is the interval: ``"auto"`` for the default of the scheme, or ``"corrected_t"``, ``"nested_cv"``, ``"conservative_z"``,
    ``"bayle"``, ``"five_by_two"``, ``"cluster_t"``, ``"holdout"``, ``"632+"``, ``"632"``, ``"oob"``. A method that is not
    valid for the scheme is refused. ``groups`` are never split, and the interval then counts groups.

    ``best`` is the best known value, or one per metric: it determines the underfitting. A fit that fails is recorded and counted,
    and the estimate is then NaN (``on_failure="raise"`` stops at once). ``store`` is a folder in which finished fits are kept: the
    same call resumes where an interrupted one stopped. ``keep_train`` keeps the predictions for training rows for later metrics.
    ``jobs`` is the number of processes, -1 for one per core; ``progress=True`` shows a progress bar.
    """
    choice("estimate", "on_failure", on_failure, ("report", "raise"))
    options = InferenceOptions(level, method).checked("estimate")
    plain = as_learner(learner, name=name, inner_loss=inner_loss)
    data = as_data(X, y, groups, task=task, learns_classes=plain.classes, classes=classes, positive=positive)
    scheme = _scheme(resampling, data)
    outer = outer_of(scheme)
    how = settled(outer, options.method, grouped=data.groups is not None)
    metrics = None if metrics is None else listed(metrics)
    _refuse_foreign(metrics, data)
    _refuse_best(best, metrics)
    first = metrics[0] if metrics else None
    used = replace(selecting(learner, scheme, data, first), name=plain.name) if isinstance(scheme, Nested) else plain
    scorer = SplitScorer(data, metrics, threshold)
    folds = _folds(
        used, data, FitPlan(outer, how, data), scorer, workers_of(jobs), progress, store, keep_train, on_failure
    )
    found = Run(used.name, used.inner_loss, scheme, how, scorer, folds, options.level, {})
    if not scorer.metrics:
        return summed(found)  # every fit failed, which this reports
    found = replace(found, best=best_known(best, scorer.metrics))
    flat = _flat(learner, scheme, used, found, workers_of(jobs), progress) if isinstance(scheme, Nested) else None
    return summed(found, flat=flat)


def _refuse_foreign(metrics: Specs | None, data: LearningData) -> None:
    """Refuse misspelt metrics and those of another task before anything is trained."""
    for metric in map(built, metrics or ()):
        if metric.task == "classification" and data.task == "regression":
            why = (
                f"holds {metric.key}, which is for classification, but this looks like regression: {arg('y')} holds numbers, and "
                "the learner returns no probabilities"
            )
            fix = f"Choose a regression metric, {arg('task', 'binary')} or {arg('task', 'multiclass')}."
            raise ParameterError("estimate", "metrics", why, fix)


def _refuse_best(best: float | Mapping[str, float] | None, metrics: Specs | None) -> None:
    """Check ``best`` before anything is trained, as far as possible."""
    if best is None or metrics is None:
        return
    best_known(
        best, dict(zip(titles(metrics, [built(m) for m in metrics], chosen=True), map(built, metrics), strict=True))
    )


def scheme_for(
    learner: LearnerLike, X: object, y: ArrayLike, resampling: Resampling, *, groups: ArrayLike | None = None,
    task: Task | None = None, classes: Sequence[Label] | None = None, positive: Label | None = None, **_: Any,
) -> Scheme:  # fmt: skip
    """The scheme that `estimate` would use, so that several learners use the same."""
    learns = as_learner(learner).classes
    return _scheme(
        resampling, as_data(X, y, groups, task=task, learns_classes=learns, classes=classes, positive=positive)
    )


def _scheme(given: Scheme | str | None, data: LearningData) -> Scheme:
    if isinstance(given, Scheme):
        return given
    if isinstance(given, str):
        return scheme_of(given)
    counts = np.unique(data.y, return_counts=True)[1].tolist() if data.classes and data.y.ndim == 1 else None
    units = None if data.groups is None else len(np.unique(data.groups))
    return guideline(data.n, classes=counts, groups=units).scheme


def _folds(
    learner: Learner, data: LearningData, plan: FitPlan, scorer: SplitScorer, workers: int, progress: Watch, store: Any,
    keep: bool, on_failure: str,
) -> tuple[FitRecord, ...]:  # fmt: skip
    """All fits in the order of the plan, scored on their training rows as they finish."""
    total = plan.count()  # checks the data before anything is trained
    identity = {
        "learner": f"{learner.name} {learner.identity}",
        "resampling": repr(plan.scheme),
        "interval": plan.method,
        "task": f"{data.task} {data.classes}",
    }
    with ExitStack() as open_until_done:
        kept: Store | None = None
        if store is not None:
            whole = {**identity, "data": fingerprint(data), "train": str(keep)}
            kept = open_until_done.enter_context(Store.opened(store, whole))
        known = {} if kept is None else {fold.index: fold for fold in kept.known()}
        done = list[FitRecord]()
        tell = open_until_done.enter_context(watched(progress, total, learner.name))
        for fold in run(learner, data, plan.jobs(), seed=plan.scheme.seed, workers=workers, known=known):
            if fold.error and on_failure == "raise":
                where = f"repeat {fold.repeat + 1}, fold {fold.fold + 1}"
                raise InputError("estimate", "", f"a fit failed ({where}): {fold.error}")
            done.append(_scored(fold, scorer, keep=keep, rows=isinstance(plan.scheme, Bootstrap)))
            if kept is not None and fold.index not in known:
                kept.keep(done[-1])
            tell(1)
    return tuple(sorted(done, key=lambda fold: fold.index))


def _scored(fold: FitRecord, scorer: SplitScorer, *, keep: bool, rows: bool) -> FitRecord:
    """The training metrics, computed now so that the predictions behind them need not be kept."""
    if fold.error or not fold.train:
        return fold if rows else replace(fold, train_rows=None)
    scorer.ready(fold.answers, fold.rows)
    return fold.scored(scorer.values(fold.train, fold.train_rows), keep=keep, rows=rows)


def _flat(learner: Any, nested: Nested, used: Learner, run: Run, workers: int, progress: Watch) -> Estimate:
    """The estimate without nesting: parameters selected once, on all rows, then tested on the same outer splits."""
    data = run.scorer.data
    model: Any = used.train(data.X, data.y, nested.seed, data.groups)
    search = nested.grid is None
    winner = as_learner(learner.estimator) if search and not hasattr(learner, "set_params") else None
    fixed = winner or with_parameters(learner.estimator if search else learner, model.parameters)
    plan = FitPlan(nested.outer, run.method, data)
    scorer = SplitScorer(data, run.scorer.specs, run.scorer.threshold)
    folds = _folds(fixed, data, plan, scorer, workers, progress, None, False, "report")
    again = replace(run, scheme=nested.outer, scorer=scorer, folds=folds, learner=used.name)
    return summed(again)
