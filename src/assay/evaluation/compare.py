"""Several models on the same rows, metric by metric: which is best, which cannot be told apart, and how certain that is."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal, cast

from assay.core.arrays import ArrayLike
from assay.core.call_checks import guarded
from assay.core.errors import AssayError, InputError, ParameterError, UndefinedError, arg, did_you_mean
from assay.core.inference_options import InferenceOptions
from assay.core.monoids import Label
from assay.core.parameters import number
from assay.core.ranking import Ranking
from assay.core.value_checks import MODELS
from assay.evaluation.call_forms import bare_kind, refuse_arrays, refuse_columns, true_values
from assay.evaluation.comparisons import Comparisons, Correction
from assay.evaluation.measure import said, views
from assay.evaluation.opening import Metrics, OpenedCase, checked_options, opened, refuse_guess, refuse_repeats
from assay.evaluation.presets import RANKINGS, Task
from assay.evaluation.stage_progress import announce
from assay.evaluation.table_request import ByModel, TableCall, Wanted
from assay.evaluation.task_data import KINDS, ignored_note
from assay.evaluation.task_inference import task_of_arrays
from assay.inference.design import Design
from assay.inference.draws import Progress
from assay.inference.families import family_of
from assay.inference.paired import METHODS
from assay.inference.rankings import ranked
from assay.inference.sample import Sample

Kind = Literal["auto", "y_pred", "y_prob", "y_score", "logits"]
Model = ArrayLike | Mapping[str, ArrayLike]


@guarded
def compare(
    data: object = None,
    models: Annotated[Mapping[str, Model] | None, MODELS] = None,
    *,
    task: Task | None = None,
    truth: Wanted | None = None,
    pred: ByModel | None = None,
    prob: ByModel | None = None,
    score: ByModel | None = None,
    logits: ByModel | None = None,
    y_true: ArrayLike | None = None,
    kind: Kind = "auto",
    metrics: Metrics | None = None,
    weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    level: float = 0.95,
    method: str = "auto",
    replicates: int = 2000,
    seed: int = 0,
    margin: float | None = None,
    effect: float | None = None,
    correction: Correction = "metrics",
    ids: ArrayLike | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float = 0.5,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Comparisons:
    """Compare two or more models that predicted the same rows, by the usual metrics of the task or by those named.

    Of a table, name the columns: ``compare(df, truth="y", prob=["p", "q"])``, or the models too: ``prob={"old": "p", "new": "q"}``; a
    model of several classes has a list of columns or a pattern. From arrays, ``compare(y_true, {"old": p, "new": q}, kind="y_prob")``:
    ``models`` holds the predictions of each by name: an array, whose ``kind`` states what it is (``"y_prob"``, ``"y_pred"``,
    ``"y_score"``, ``"logits"``; labels and regression targets need no kind), or a mapping that names its inputs.

    The usual metrics are those of `evaluate` without calibration errors: these diagnose one model and do not rank several, which
    is what log loss and Brier score are for. Name them to compare by them.

    All pairs are tested, paired by row. ``correction="metrics"``: p values, and the findings that rest on them, allow for the number of
    metrics and pairs (Holm); ``"pairs"``: for the pairs of each metric only, as where one metric was chosen before looking.
    Intervals allow for the pairs of a metric (Šidák).
    ``method`` is as in `Metric.compare`. ``margin`` adds tests that the model named first is not worse than the other by
    that much, and that both are within it. ``effect`` adds the number of such rows that find a true difference of that size with a power of
    0.8. The other arguments are those of `evaluate`.

    >>> found = compare(
    ...     task="regression", y_true=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], metrics=["mae"],
    ...     models={"a": [1.1, 2.0, 3.1, 4.0, 5.2, 6.1], "b": [1.0, 2.5, 2.2, 4.8, 5.9, 6.3]},
    ... )
    >>> found["mae"].order
    ['a', 'b']
    """
    options = checked_options("compare", METHODS, level, method, replicates, seed)
    refuse_guess("compare", task, parameters)
    if margin is not None:
        number("compare", "margin", margin, low=0, open_low=True)
    if effect is not None:
        number("compare", "effect", effect, low=0, open_low=True)
    if truth is not None:
        refuse_arrays("compare", {"y_true": y_true, "models": models})
        call = TableCall(
            "compare", data, truth, task, {"pred": pred, "prob": prob, "score": score, "logits": logits},
            {"weight": weight, "groups": groups, "strata": strata, "ids": ids}, classes, positive, threshold,
        )  # fmt: skip
        return _of_table(
            call, metrics=metrics, level=level, method=method, replicates=replicates, seed=seed, margin=margin, effect=effect,
            correction=correction, parameters=parameters, progress=progress,
        )  # fmt: skip
    refuse_columns("compare", {"pred": pred, "prob": prob, "score": score, "logits": logits})
    y_true = true_values("compare", cast("ArrayLike", data), y_true, alone=models is None)
    if models is None or y_true is None:
        raise InputError("compare", "models" if models is None else "y_true", "is required")
    given = _named_inputs(models, y_true, task, kind)
    inferred = task_of_arrays("compare", {"y_true": y_true, **_first_kinds(given)}) if task is None else None
    task = task or (inferred.task if inferred else "binary")
    cases = _cases(
        task, y_true, given, metrics=metrics, weight=weight, classes=classes, positive=positive, threshold=threshold,
        parameters=parameters,
    )  # fmt: skip
    first = next(iter(cases.values()))
    n = first.problem.inputs.n
    refuse_repeats(first.problem.inputs.matching(ids, "ids"), n)
    design = Design.of_inputs(first.problem.inputs, groups, strata, "compare")
    rankings, left_out = _rankings(cases, design, options, progress)
    return Comparisons(
        task=task, n=n, models=list(cases), level=level, margin=margin, rankings=rankings, left_out=left_out,
        metrics={name: first.told[name] for name in rankings}, positive=first.problem.facts.get("positive"),
        groups=None if groups is None else design.units, effect=effect, correction=correction,
    ).noted(*([inferred.note] if inferred else []), *ignored_note(first.problem.inputs))  # fmt: skip


def _of_table(call: TableCall, **options: Any) -> Comparisons:
    """The columns that a call names as arrays."""
    from assay.evaluation.table_calls import compared_columns

    named = compared_columns(call)
    found = compare(**{**named.arguments, **options})
    return found if named.inferred is None else found.noted(named.inferred.note)


def _first_kinds(given: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The predictions of the first model by kind: its task is the task of all."""
    return {kind: values for kind, values in next(iter(given.values())).items() if kind in KINDS}


def _named_inputs(
    models: Mapping[str, Any], y_true: ArrayLike, task: Task | None, kind: Kind
) -> dict[str, dict[str, Any]]:
    """The inputs of every model, by name."""
    if len(models) < 2:
        raise InputError("compare", "models", f"must hold at least two, got {len(models)}")
    return {
        name: dict(cast("Mapping[str, Any]", model))
        if isinstance(model, Mapping) and not (task in RANKINGS and not any(known in model for known in KINDS))
        else {_kind_of_array(name, model, y_true, task, kind): model}
        for name, model in models.items()
    }


def _kind_of_array(name: str, model: Any, y_true: ArrayLike, task: Task | None, kind: Kind) -> str:
    """What a bare array is: as said, or what it can only be."""
    found = kind if kind != "auto" else bare_kind("compare", name, model, task, y_true)
    if found is None:
        kinds = " or ".join(arg("kind", known) for known in ("y_prob", "y_score", "logits"))
        raise ParameterError(
            "compare", "", f"are the numbers of {name!r} probabilities, scores or logits?", f"Give {kinds}."
        )
    return found


def _cases(
    task: Task, y_true: ArrayLike, given: dict[str, dict[str, Any]], *, classes: Sequence[Label] | None, **other: Any
) -> dict[str, OpenedCase]:
    """One case per model, all with the same classes."""

    def settled(known: Sequence[Label] | None) -> dict[str, OpenedCase]:
        cases: dict[str, OpenedCase] = {}
        for name, inputs in given.items():
            with _about(name):
                kinds = {k: v for k, v in inputs.items() if k in KINDS}
                extra = {k: v for k, v in inputs.items() if k not in KINDS}
                cases[name] = opened(task, {"y_true": y_true, **kinds}, extra=extra, classes=known, **other)
                _refuse_unused(cases[name], extra)
        return cases

    cases = settled(classes)
    labels = set[Any]().union(*(case.problem.classes for case in cases.values()))
    if task == "multiclass" and any(len(case.problem.classes) < len(labels) for case in cases.values()):
        return settled(sorted(labels))  # a model that never says a class is still a model of the same problem
    return cases


def _refuse_unused(case: OpenedCase, extra: dict[str, Any]) -> None:
    """An input that no metric takes is a misspelt one."""
    taken = {name for m in case.told.values() for name in (*m.takes.required, *m.takes.optional, *m.takes.free)}
    for name in extra:
        if name not in taken:
            fix = did_you_mean(name, {*KINDS, *taken} - {"y_true"}).strip()
            raise InputError("", "", f"none of these metrics takes {name!r}", fix)


@contextmanager
def _about(name: str) -> Generator[None]:
    """Errors name the model."""
    try:
        yield
    except AssayError as error:
        who = "" if error.who in ("", "evaluate") else f": {error.who}"
        raise error.but(who=f"compare: {name}{who}") from error


def _rankings(
    cases: dict[str, OpenedCase], design: Design, options: InferenceOptions, progress: Progress | None
) -> tuple[dict[str, Ranking], dict[str, str]]:
    """A ranking for each metric that all models have; of a preset, what cannot be had is left out with the reason."""
    first = next(iter(cases.values()))
    samples: dict[str, dict[str, Sample]] = {}
    for name, case in cases.items():
        with _about(name):
            samples[name] = views(case.told, case.problem.inputs, case.problem.available, design)
    names = [m for m in next(iter(samples.values())) if all(m in own for own in samples.values())]
    if first.lenient:
        names = [m for m in names if family_of(first.told[m]).ranks_models]
    rankings, left_out = dict[str, Ranking](), dict[str, str]()
    refusal: AssayError = ParameterError("compare", "", "the models have no metric in common")
    for metric in names:
        announce(progress, metric, len(names))
        try:
            rankings[metric] = _ranked({name: own[metric] for name, own in samples.items()}, options, progress)
        except (UndefinedError, ParameterError) as error:
            if not first.lenient:
                raise
            refusal = refusal if left_out else error.but(who="compare")
            left_out[metric] = f"{said(error, first.told[metric])}."
    if not rankings:
        raise refusal
    return rankings, left_out


def _ranked(samples: dict[str, Sample], options: InferenceOptions, progress: Progress | None) -> Ranking:
    for sample in samples.values():
        sample.inputs.who = sample.metric.name
        sample.metric.check_weights(sample.inputs)
    return ranked(samples, options, progress)
