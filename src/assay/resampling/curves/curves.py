"""`learning_curve` and `complexity_curve`: a metric against the number of training rows, and against a parameter."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.errors import InputError, ParameterError
from assay.core.monoids import Label
from assay.core.value_checks import Says
from assay.evaluation.presets import Task
from assay.resampling.curves._growing_subsets import cuts, growing
from assay.resampling.curves._points import CurveSetup, OnFailure, Point, curve_setup
from assay.resampling.curves.complexity_curve import ComplexityCurve
from assay.resampling.curves.learning_curve import LearningCurve, Scale
from assay.resampling.curves.power_law import PowerLaw, power_law
from assay.resampling.estimate._fits import FitRecord
from assay.resampling.estimate._running import Watch, watched
from assay.resampling.estimate._split_metrics import MetricSpec
from assay.resampling.estimate.learners import Learner, LearnerLike, as_learner
from assay.resampling.schemes._selection import with_parameters
from assay.resampling.schemes.scheme import Resampling


@guarded
def learning_curve(
    learner: LearnerLike,
    X: object,
    y: ArrayLike,
    metric: MetricSpec | None = None,
    *,
    sizes: Sequence[int | float] | None = None,
    resampling: Resampling = None,
    groups: ArrayLike | None = None,
    task: Task | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = 0.5,
    level: float = 0.95,
    on_failure: OnFailure = "report",
    jobs: int = 1,
    progress: Watch = None,
    seed: int = 0,
    name: str | None = None,
    inner_loss: str | None = None,
) -> LearningCurve:
    """How a learner's metric changes with the number of training rows, and what more rows would gain.

    In every split of the scheme the learner is trained on growing subsets of the training set, each containing the smaller ones,
    and tested on the test rows of the split. ``sizes`` are numbers of rows, or fractions of the training set; by default eight,
    evenly spaced on a log scale. Subsets keep the class proportions if the scheme is stratified, and groups whole; in time they
    are the latest rows. ``resampling`` is by default 10-fold cross-validation, repeated twice, stratified where there are classes.

    ``metric`` is by default ``mse``, for classes ``accuracy``. Where higher is better, the power law is fitted to the distance
    from the best value. It is left out, with the reason, where the curve is flat or has fewer than four sizes.

    ``seed`` determines the subsets, the resamples of the power law, and the default scheme. The rest is as in `estimate`.
    """
    used = as_learner(learner, name=name, inner_loss=inner_loss)
    made = curve_setup(
        "learning_curve", used, X, y, metric, resampling, groups=groups, task=task, classes=classes, positive=positive,
        threshold=threshold, level=level, on_failure=on_failure, jobs=jobs, seed=seed,
    )  # fmt: skip
    parts = growing(made.scheme, made.data, seed)
    places = cuts(sizes, parts, made.scheme, made.data)
    with watched(progress, len(parts) * len(places), used.name) as tell:
        found = [made.folds(used, splits, tell) for splits in places]
    full = [part.full for part in parts]
    scale = _scale(made, found)
    points = tuple(made.point(used.name, folds, full) for folds in found)
    ratio = float(np.mean([len(part.test) / part.full for part in parts]))
    law, why = _law(points, scale, ratio if made.method != "none" else None, made.level, seed)
    return LearningCurve(
        learner=used.name, inner_loss=used.inner_loss, task=made.data.task, n=made.data.n, scheme=made.scheme, level=made.level,
        ratio=ratio, scale=scale, points=points, law=law, lawless=why,
    )  # fmt: skip


def _scale(made: CurveSetup, found: Sequence[Sequence[FitRecord]]) -> Scale:
    name, metric = made.metric(found)
    return Scale.of(name, metric.record.better, metric.bounds, metric.optimum)


def _law(
    points: tuple[Point, ...], scale: Scale, ratio: float | None, level: float, seed: int
) -> tuple[PowerLaw | None, str]:
    """The power law of the points that have a value on every split, or why there is none."""
    used = [point for point in points if np.isfinite(point.tests).all()]
    left = len(points) - len(used)
    note = (
        f"Excluded from the power law: {left} of {len(points)} sizes, where some split has no finite value."
        if left
        else ""
    )
    try:
        table = np.array([scale.loss(point.tests) for point in used]).reshape(len(used), len(points[0].tests))
        law = power_law([p.rows for p in used], table, ratio=ratio, floor=scale.floor, level=level, seed=seed)
    except InputError as error:
        return None, " ".join(filter(None, [_sentence(error), note]))
    return law, note


def _sentence(error: InputError) -> str:
    """An error without who raised it, for a result that goes on without the power law."""
    return str(error.but(who=""))


_PARAMETER = "the name of a parameter, such as 'max_depth'"


@guarded
def complexity_curve(
    learner: LearnerLike,
    X: object,
    y: ArrayLike,
    parameter: Annotated[str, Says(_PARAMETER)],
    values: Sequence[object],
    metric: MetricSpec | None = None,
    *,
    resampling: Resampling = None,
    groups: ArrayLike | None = None,
    task: Task | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = 0.5,
    level: float = 0.95,
    on_failure: OnFailure = "report",
    jobs: int = 1,
    progress: Watch = None,
    seed: int = 0,
    name: str | None = None,
    inner_loss: str | None = None,
) -> ComplexityCurve:
    """How a learner's metric changes with a parameter; ``values`` go from the simplest to the most flexible learner.

    Every value is tested on the same splits. The parameter is set by ``set_params`` of an estimator (``"step__name"`` in a
    pipeline), or passed as a keyword to the training function. The result names the best value, the simplest one within a standard
    error of it, and which values under- and overfit. ``seed`` determines the default scheme; the rest is as in `learning_curve`.
    """
    if not parameter:
        raise ParameterError("complexity_curve", "parameter", f"must be {_PARAMETER}, got {parameter!r}")
    tried = list(values)
    if len(tried) < 2:
        why = f"must hold at least 2 values of {parameter}, from simple to complex, got {len(tried)}"
        raise ParameterError("complexity_curve", "values", why)
    plain = as_learner(learner, name=name, inner_loss=inner_loss)
    made = curve_setup(
        "complexity_curve", plain, X, y, metric, resampling, groups=groups, task=task, classes=classes, positive=positive,
        threshold=threshold, level=level, on_failure=on_failure, jobs=jobs, seed=seed,
    )  # fmt: skip
    learners = [_with(learner, parameter, value) for value in tried]
    splits = list(made.scheme.splits(made.data.X, made.data.y, made.data.groups))
    with watched(progress, len(splits) * len(tried), plain.name) as tell:
        found = [made.folds(one, splits, tell) for one in learners]
    scale = _scale(made, found)
    full = [len(split.train) for split in splits]
    points = tuple(
        made.point(f"{plain.name}({parameter}={v!r})", folds, full) for v, folds in zip(tried, found, strict=True)
    )
    ratio = float(np.mean([len(split.test) / len(split.train) for split in splits]))
    return ComplexityCurve(
        learner=plain.name, inner_loss=plain.inner_loss, task=made.data.task, n=made.data.n, scheme=made.scheme,
        level=made.level, ratio=ratio, scale=scale, parameter=parameter, values=tuple(tried), points=points,
    )  # fmt: skip


def _with(learner: Any, parameter: str, value: Any) -> Learner:
    """The learner with one parameter changed; its random parts are seeded at each fit, as in `estimate`."""
    if hasattr(learner, "set_params"):
        try:
            return as_learner(copy.deepcopy(learner).set_params(**{parameter: value}))
        except (ValueError, TypeError) as error:
            why = f"{parameter}={value!r} is refused by {type(learner).__name__}: {error}"
            raise ParameterError("complexity_curve", "parameter", why) from error
    if hasattr(learner, "fit"):
        why = f"{type(learner).__name__} has no set_params to set {parameter!r}"
        fix = "Give a training function that takes it as a keyword."
        raise ParameterError("complexity_curve", "learner", why, fix)
    return with_parameters(learner, {parameter: value})
