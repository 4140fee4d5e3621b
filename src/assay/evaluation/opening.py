"""How `evaluate` and `compare` begin: inputs are checked, labels settled, metrics prepared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError, arg, did_you_mean
from assay.core.inference_options import InferenceOptions
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.name_columns import name_column
from assay.core.parameters import choice, frozen, number
from assay.core.ragged import Ragged
from assay.core.signatures import spec_fields, spec_parameters, split_specs
from assay.core.value_checks import scalar
from assay.evaluation.presets import IMAGES, PREPARED, TASKS, TEXTS, Task, built, in_task, prepared, preset, titles
from assay.evaluation.task_data import TaskData, pick, settle
from assay.evaluation.text_baselines import beside_texts
from assay.metrics.classification.family import LabelMetric
from assay.metrics.classification.labels import counted_rows

Specs = Sequence[str | Metric[Any]]
Metrics = str | Metric[Any] | Specs  # as a caller may give them: "mse", "mse, mae", a metric, or several of these
HALF = 0.5
LABEL_TASKS = ("binary", "multiclass", "multilabel")


@dataclass(frozen=True)
class OpenedCase:
    """The data of a task and its metrics by title.

    ``chosen`` knows what the caller specified, ``told`` also what the data show. A preset is ``lenient``: it does not fail because
    one of its metrics is undefined on these data.
    """

    problem: TaskData
    chosen: dict[str, Metric[Any]]
    told: dict[str, Metric[Any]]
    lenient: bool


def opened(
    task: Task,
    given: Mapping[str, ArrayLike | None],
    *,
    metrics: Metrics | None,
    weight: ArrayLike | None,
    extra: Mapping[str, ArrayLike] | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = HALF,
    parameters: Mapping[str, Any] | None = None,
) -> OpenedCase:
    """The case of one model: ``given`` holds the truth and the predictions by kind."""
    choice("evaluate", "task", task, TASKS)
    metrics = None if metrics is None else [in_task(spec, task) for spec in listed(metrics)]
    number("evaluate", "threshold", threshold, low=0, high=1)
    if given["y_true"] is None:
        raise InputError("evaluate", "y_true", "must be given, got None")
    said = {name: frozen(value) for name, value in (parameters or {}).items()}
    ignored = said.pop("ignore_index", None) if task in LABEL_TASKS else None
    if task in PREPARED:
        labels = {"positive": positive is not None, "threshold": threshold != HALF}
        _refuse_labels(task, {**labels, "classes": classes is not None and task not in IMAGES})
        said |= {} if classes is None else {"classes": tuple(classes)}
        problem = _prepared(task, given, metrics or PREPARED[task], weight, said, extra or {})
    else:
        inputs = counted_rows(_inputs(given, metrics, weight, extra), ignored)
        inputs.ignored = 0  # which is noted once for all metrics
        problem = settle(inputs, task, classes, frozen(positive), threshold)
    truth = problem.inputs.arrays.get("y_true")
    specs = metrics if metrics is not None else preset(task, problem.given, len(problem.classes), said, truth=truth)
    _refuse_unknown(said, specs)
    if metrics is None:
        _refuse_varied(said, specs)
    ready = [prepared(m, task, {**problem.said, **said}) for m in specs]
    _refuse_other_positive(ready, problem)
    if task in LABEL_TASKS:
        _refuse_other_rows(ready, ignored)
    names = titles(specs, ready, chosen=metrics is not None)
    told = [prepared(m, task, {**problem.facts, **said}) for m in specs]
    return OpenedCase(
        problem, dict(zip(names, ready, strict=True)), dict(zip(names, told, strict=True)), lenient=metrics is None
    )


def refuse_guess(who: str, task: Task | None, parameters: Mapping[str, object] | None) -> None:
    """What is ignored would take part in guessing the task."""
    if task is None and (parameters or {}).get("ignore_index") is not None:
        problem = "is required beside ignore_index: labels that are ignored do not tell what the others are"
        raise ParameterError(who, "task", problem, f"Give {arg('task', 'multiclass')} or another.")


def listed(metrics: Metrics) -> Specs:
    """One by one; a text may name several, with commas between them."""
    several = [metrics] if isinstance(metrics, str | Metric) else metrics
    return [spec for one in several for spec in (split_specs(one) if isinstance(one, str) else [one])]


def _prepared(
    task: Task,
    given: Mapping[str, ArrayLike | None],
    metrics: Specs,
    weight: ArrayLike | None,
    said: dict[str, Any],
    extra: Mapping[str, ArrayLike],
) -> TaskData:
    """The first metric prepares the data: objects, documents and texts become columns, maps and images stay as they are.

    Columns of texts then pass by the other metrics, for what one of them takes, such as several references, another may not.
    """
    first, *others = [_told(spec, task, said) for spec in (metrics if task in TEXTS else metrics[:1])]
    sides = {"y_true": "real", "y_pred": "fake"} if task == "image_generation" else {}
    named = {sides.get(name, name): value for name, value in given.items() if value is not None}
    inputs = first.inputs(weight=weight, **named)
    for metric in (first, *others) if task in TEXTS else ():
        if not all(isinstance(column, Ragged) for column in metric.inputs(**inputs.arrays).arrays.values()):
            raise ParameterError("evaluate", "metrics", f"name {metric.key}, which does not take texts", "Drop it.")
    return TaskData(task, inputs, {}, {}, beside_texts(task, extra, inputs.n))


def _told(spec: str | Metric[Any], task: Task, said: dict[str, Any]) -> Metric[Any]:
    """The metric with those parameters that it knows."""
    known = spec_fields(spec) if isinstance(spec, str) else ()
    return prepared(spec, task, {name: value for name, value in said.items() if name in known})


def _refuse_labels(task: Task, given: dict[str, bool]) -> None:
    """Refuse what concerns labels and probabilities per row, where the task has none."""
    for name, there in given.items():
        if there:
            raise ParameterError("evaluate", name, f"does not apply to {arg('task', task)}", "Drop it.")


def _refuse_unknown(said: Mapping[str, Any], specs: Specs) -> None:
    """A parameter that no metric has is a misspelt one."""
    texts = [spec for spec in specs if isinstance(spec, str)]
    known = {name for text in texts for name in spec_fields(text)}
    for name in said:
        if name not in known:
            objects = "" if len(texts) == len(specs) else " Metric objects carry their own parameters."
            fix = f"{did_you_mean(name, known)}{objects}".strip()
            raise ParameterError("evaluate", "parameters", f"name {name!r}, which none of these metrics has", fix)


def _refuse_varied(said: Mapping[str, Any], specs: Specs) -> None:
    """The usual metrics of a task may differ in a parameter; given to all of them, some would be the same."""
    varied = {name for spec in specs if isinstance(spec, str) for name in spec_parameters(spec)}
    for name in said:
        if name in varied:
            problem = f"cannot set {name!r}, in which the usual metrics differ: {', '.join(map(str, specs))}"
            raise ParameterError("evaluate", "parameters", problem, "Name the metrics you want.")


def _inputs(
    given: Mapping[str, ArrayLike | None],
    metrics: Specs | None,
    weight: ArrayLike | None,
    extra: Mapping[str, ArrayLike] | None,
) -> Inputs:
    """Rows by name; what belongs to no row (training targets) stands apart."""
    more = dict(extra or {})
    single = {name: number for name, v in more.items() if isinstance(number := scalar(v), int | float)}
    if single:  # one number for all rows
        n = Inputs({"y_true": given["y_true"]}, who="evaluate").n
        more |= {name: np.full(n, number) for name, number in single.items()}
    free = {name for spec in metrics or () for name in built(spec).takes.free}
    inputs = Inputs({**given, **{k: v for k, v in more.items() if k not in free}}, weight=weight, who="evaluate")
    inputs.free = {name: v for name, v in more.items() if name in free}
    return inputs


def checked_options(
    who: str, known: Sequence[str], level: float, method: str, replicates: int, seed: int
) -> InferenceOptions:
    """The options of inference; an unknown method is refused before anything is computed."""
    options = InferenceOptions(level, method, replicates, seed).checked(who)
    if method not in known:
        raise ParameterError(who, "method", f"{method!r} is unknown", did_you_mean(method, known).strip())
    return options


def refuse_repeats(ids: ArrayLike | None, n: int) -> None:
    """Refuse rows that occur twice: they shift every number."""
    if ids is None:
        return
    names = name_column(ids, name="ids", who="evaluate", n=n)
    found, count = np.unique(names, return_counts=True)
    if len(found) < n:
        again = found[np.argmax(count > 1)]
        rows = "1 row repeats" if n - len(found) == 1 else f"{n - len(found)} rows repeat"
        problem = f"must be unique; {rows} an earlier id, such as {again} in row {np.flatnonzero(names == again)[1]}"
        raise InputError("evaluate", "ids", problem, "Keep one of each: a row that counts twice shifts every number.")


def _refuse_other_rows(metrics: Sequence[Metric[Any]], ignored: Label | None) -> None:
    """All metrics of a call are of the same rows."""
    for metric in metrics:
        own = metric.ignore_index if isinstance(metric, LabelMetric) else None
        if own is not None and own != ignored:
            raise ParameterError(
                "evaluate",
                "",
                f"{metric.key} leaves out the rows whose truth is {own!r}, the other metrics would not",
                f"Give parameters={{'ignore_index': {own!r}}}, which leaves them out for all.",
            )


def _refuse_other_positive(metrics: Sequence[Metric[Any]], problem: TaskData) -> None:
    """One column of probabilities belongs to one class: a metric of the other class would read it the wrong way round."""
    positive = problem.facts.get("positive")
    for metric in metrics:
        own = getattr(metric, "positive", None)
        if (
            own is not None
            and positive is not None
            and own != positive
            and "y_pred" not in pick(metric, problem.available)
        ):
            raise ParameterError(
                "evaluate",
                "",
                f"{metric.key} requires {arg('positive', own)}, but the probabilities are those of {positive!r}",
                f"Call evaluate with {arg('positive', own)} and its probabilities (1 - y_prob), or give the decisions as y_pred.",
            )
