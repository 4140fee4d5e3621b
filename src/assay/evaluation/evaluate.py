"""One call for a task: shared statistics in one pass, baseline, slices and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.value_checks import Says
from assay.evaluation.baseline import baseline_inputs, class_counts
from assay.evaluation.call_forms import placed, refuse_arrays, refuse_columns
from assay.evaluation.measure import measure, sliced_columns
from assay.evaluation.opening import Metrics, checked_options, opened, refuse_guess, refuse_repeats
from assay.evaluation.presets import PREPARED, RANKINGS, Task
from assay.evaluation.ranking_baseline import cautions, ranking_baseline
from assay.evaluation.result import Result
from assay.evaluation.table_request import TableCall, Wanted
from assay.evaluation.task_data import TaskData, ignored_note, matching_names
from assay.evaluation.task_inference import task_of_arrays
from assay.evaluation.text_advice import text_advice
from assay.evaluation.text_baselines import text_baseline
from assay.inference.design import Design
from assay.inference.draws import Progress
from assay.inference.interval import METHODS


@guarded
def evaluate(
    data: object = None,
    predictions: ArrayLike | None = None,
    *,
    task: Task | None = None,
    truth: Wanted | None = None,
    pred: Wanted | None = None,
    prob: Wanted | None = None,
    score: Wanted | None = None,
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    y_prob: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    logits: ArrayLike | None = None,
    metrics: Metrics | None = None,
    weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    level: float | None = 0.95,
    method: str = "auto",
    replicates: int = 2000,
    seed: int = 0,
    pool: bool = False,
    ids: ArrayLike | None = None,
    by: str | Sequence[str] = (),
    slices: Annotated[Mapping[str, ArrayLike] | None, Says("a dict of name and column, such as {'site': site}")] = None,
    extra: Mapping[str, ArrayLike] | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = 0.5,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score predictions with the usual metrics of a task, or with those named.

    From a table of pandas, polars or pyarrow by the names of its columns, ``evaluate(df, truth="y", prob="p", by="site")``; from arrays
    as ``y_true`` and ``y_pred``, ``y_prob``, ``y_score`` or ``logits``. Of a table, ``logits``, ``weight``, ``groups``, ``strata``,
    ``ids`` and the values of ``extra`` may be columns too, and several columns are a list, ``"a,b"`` or a pattern such as ``"p_*"``.
    ``evaluate(y_true, y_pred)`` takes labels, or the numbers of a regression; probabilities and scores are given by name.

    ``task`` is regression, binary, multiclass or multilabel, or of images: detection, segmentation, panoptic, image_quality, and
    image_generation (features of real and of generated ones); or of texts: translation, speech, question_answering,
    summarization and captioning. Their metrics describe the form of ``y_true`` and ``y_pred``.
    Without a task it is the one that the data determine, which the result notes; where they may pose several, it is asked for.
    ``metrics`` takes names, specs such as ``"f_beta:beta=2,average=macro"`` and metric objects, one or several: ``"mse, mae"``.
    Statistics that metrics share are computed once. The result holds the trivial baseline beside each
    number, the values of every slice, and warnings.

    Every number has an interval of ``level`` (None: no intervals) by the ``method`` that fits its family; see `Metric.interval`.
    ``groups`` names the independent unit of each row (patient, user), where rows are not independent, and ``strata`` how they
    were drawn. Slices show their gap to the whole; ``pool=True`` lets small slices borrow from the others.

    Given ``ids``, rows that occur twice are refused: a distributed sampler that fills up its last batch counts them twice.
    ``extra`` holds what some metrics take beyond predictions: ``lower`` and ``upper``, ``members``, ``mean`` and ``sd``,
    ``y_baseline``, ``scale``, ``y_train``; of translations and summaries ``source``, the baseline. ``parameters`` go to all metrics that
    have them and do not name them in their text: ``{"ignore_index": 255}`` for label maps, ``{"iou_type": "segm"}`` for detections.
    Rows whose true label is ``{"ignore_index": -100}`` are left out of all metrics of a task of labels, and noted. ``progress`` is
    called with the number of replicates done.

    >>> result = evaluate(task="regression", y_true=[1.0, 2.0, 3.0], y_pred=[1.0, 2.0, 4.0], metrics=["mae", "r2"])
    >>> float(result["mae"]), float(result["r2"])
    (0.3333333333333333, 0.5)
    """
    refuse_guess("evaluate", task, parameters)
    given = {"y_true": y_true, "y_pred": y_pred, "y_prob": y_prob, "logits": logits, "y_score": y_score}
    if truth is not None:
        refuse_arrays("evaluate", {**given, "logits": None, "predictions": predictions})
        call = TableCall(
            "evaluate", data, truth, task, {"pred": pred, "prob": prob, "score": score, "logits": logits},
            {"weight": weight, "groups": groups, "strata": strata, "ids": ids},
            classes, positive, threshold, (by,) if isinstance(by, str) else tuple(by), extra,
        )  # fmt: skip
        return _of_table(
            call, slices or {}, metrics=metrics, level=level, method=method, replicates=replicates, seed=seed, pool=pool,
            parameters=parameters, progress=progress,
        )  # fmt: skip
    refuse_columns("evaluate", {"pred": pred, "prob": prob, "score": score, "by": by or None})
    given = placed("evaluate", cast("ArrayLike", data), predictions, given, task)
    inferred = task_of_arrays("evaluate", given) if task is None else None
    case = opened(
        task or (inferred.task if inferred else "binary"),
        given,
        metrics=metrics,
        weight=weight,
        extra=extra,
        classes=classes,
        positive=positive,
        threshold=threshold,
        parameters=parameters,
    )
    problem, told = case.problem, case.told
    refuse_repeats(problem.inputs.matching(ids, "ids"), problem.inputs.n)
    design = Design.of_inputs(problem.inputs, groups, strata, "evaluate")
    options = None if level is None else checked_options("evaluate", METHODS, level, method, replicates, seed)
    values = measure(
        case.chosen, problem.inputs, problem.available, lenient=case.lenient, options=options, design=design,
        progress=progress,
    )  # fmt: skip
    columns = {name: matching_names(problem.inputs, name, values) for name, values in (slices or {}).items()}
    sliced = sliced_columns(told, problem, columns, design, options, pool=pool, progress=progress)
    return Result(
        task=problem.task,
        n=problem.inputs.n,
        classes=problem.classes or _classes_of(values),
        positive=problem.facts.get("positive"),
        groups=None if groups is None else design.units,
        level=level,
        metrics=case.chosen,
        values=values,
        slices=sliced.slices,
        unpooled=sliced.unpooled,
        find_baseline=partial(_baseline, told, problem),
        find_support=partial(_support, problem),
        find_advice=partial(text_advice, case.chosen, problem),
        effective_n=_effective(problem.inputs),
        notes=(
            *(() if inferred is None else (inferred.note,)),
            *(cautions(problem) if problem.task in RANKINGS else ()),
            *ignored_note(problem.inputs),
        ),
    )


def _of_table(call: TableCall, slices: Mapping[str, ArrayLike], **options: Any) -> Result:
    """The columns that a call names as arrays."""
    from assay.evaluation.table_calls import evaluated_columns

    named = evaluated_columns(call)
    arguments: dict[str, Any] = {**named.arguments, **options}
    arguments["slices"] = {**slices, **named.arguments["slices"]}
    found = evaluate(**arguments)
    return found if named.inferred is None else found.noted(named.inferred.note)


def _baseline(chosen: Mapping[str, Metric[Any]], problem: TaskData) -> dict[str, float]:
    """What a model that knows only the targets' distribution would score; there is none for images, and for some texts."""
    if problem.task in RANKINGS:
        return ranking_baseline(chosen, problem)
    inputs = text_baseline(problem) if problem.task in PREPARED else baseline_inputs(problem)
    if inputs is None:
        return {}
    available = [name for name in inputs.arrays if name != "y_true"]
    # A metric of forecasts that state their own uncertainty has no trivial counterpart here.
    usable = {
        k: m
        for k, m in chosen.items()
        if m.record.better != "none" and (m.takes.one_of or set(m.takes.required) == {"y_true", "y_pred"})
    }
    # Whoever knows the costs decides by them, so the trivial model does too: from the base rates, not for the majority.
    by_cost = {k: m for k, m in usable.items() if hasattr(m, "cost")}
    values = measure({k: m for k, m in usable.items() if k not in by_cost}, inputs, available, lenient=True)
    values |= measure(by_cost, inputs, [name for name in available if name != "y_pred"], lenient=True)
    return {name: float(v) for name, v in values.items() if isinstance(v, float)}


def _classes_of(values: Mapping[str, Any]) -> tuple[Label, ...]:
    """The classes that metrics of images found."""
    found = dict.fromkeys(label for value in values.values() for label in getattr(value, "parts", {}))
    return tuple(found)


def _support(problem: TaskData) -> dict[Label, float]:
    if problem.task == "detection":
        labels, counts = np.unique(problem.inputs["y_true"]["label"], return_counts=True)
        return dict(zip(labels.tolist(), counts.astype(np.float64).tolist(), strict=True))
    return dict(zip(problem.classes, class_counts(problem).tolist(), strict=True)) if problem.classes else {}


def _effective(inputs: Inputs) -> float | None:
    """Kish's effective sample size."""
    w = inputs.balance().host_weight()
    return None if w is None else float(w.sum() ** 2 / (w @ w))
