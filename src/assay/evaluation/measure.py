"""All metrics of a call on the same data: shared statistics once, then the interval of each."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import AssayError, InputError, ParameterError, UndefinedError
from assay.core.inference_options import InferenceOptions
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.name_columns import CodedNames
from assay.core.outcomes import Outcome
from assay.core.score import Score
from assay.core.slices import Slice
from assay.evaluation.stage_progress import announce
from assay.evaluation.task_data import TaskData, pick, slice_codes
from assay.inference.design import Design
from assay.inference.draws import Progress
from assay.inference.families import family_of
from assay.inference.interval import scored
from assay.inference.sample import Sample
from assay.inference.slices import Part, against_whole, part_design, partially_pooled


def measure(
    chosen: Mapping[str, Metric[Any]],
    inputs: Inputs,
    given: list[str],
    *,
    lenient: bool,
    options: InferenceOptions | None = None,
    design: Design | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """All metrics on the same data; equal statistics and those of one pass are computed once."""
    samples = views(chosen, inputs, given, design)
    found: dict[str, Any] = {}
    for name, sample in samples.items():
        announce(progress, name, len(samples))
        found[name] = value_of(sample, lenient, options, progress)
    return found


def views(
    chosen: Mapping[str, Metric[Any]], inputs: Inputs, given: list[str], design: Design | None = None
) -> dict[str, Sample]:
    """Each metric beside the arrays it takes; those that take the same share what is computed of them."""
    found: dict[tuple[str, ...], Inputs] = {}
    balanced = inputs.balance()

    def view(metric: Metric[Any]) -> Inputs:
        names, source = pick(metric, given), inputs if metric.weights_count else balanced
        return found.setdefault((*names, str(source.balanced)), source.only(names))

    for metric in chosen.values():
        view(metric).wanted |= frozenset(metric.statistic().leaves())
    return {name: Sample(metric, view(metric), design) for name, metric in chosen.items()}


def value_of(sample: Sample, lenient: bool, options: InferenceOptions | None, progress: Progress | None = None) -> Any:
    """A `Score`, or an array or curve where the metric gives one."""
    metric = sample.metric
    sample.inputs.who = metric.name
    try:
        metric.check_weights(sample.inputs)
        outcome = sample.outcome
    except UndefinedError as error:
        if not lenient:
            raise
        return metric.as_score(Outcome(math.nan, 1, {}, {str(error): 1.0}), sample.n)
    if not isinstance(outcome.value, float):
        return outcome.value
    if options is None or not family_of(metric).has_interval:
        return metric.as_score(outcome, sample.n)
    try:
        return scored(sample, options, progress)
    except ParameterError as error:  # the method does not hold for this metric: refused if both were asked for
        if not lenient:
            raise
        return metric.as_score(outcome, sample.n).but(level=options.level, reliable=False, reason=said(error, metric))


def said(error: AssayError, metric: Metric[Any]) -> str:
    """An error as the reason behind a mark, which names the metric itself; Python and the command line show the same text."""
    return error.worded(_noted).removeprefix(f"{metric.name}: ").rstrip(".")


def _noted(name: str, value: str | None) -> str:
    return name if value is None else f"{name} {value}"


@dataclass(frozen=True)
class Sliced:
    """Slices by column, label and metric; and by column and metric why slices could not borrow from each other."""

    slices: dict[str, dict[Any, dict[str, Slice]]]
    unpooled: dict[str, dict[str, str]]


def sliced_columns(
    chosen: Mapping[str, Metric[Any]],
    problem: TaskData,
    columns: Mapping[str, ArrayLike | CodedNames],
    design: Design,
    options: InferenceOptions | None,
    *,
    pool: bool,
    progress: Progress | None = None,
) -> Sliced:
    """Every metric on every slice of every column. Rows are brought into the order of the slice once.

    One metric after the other, and what one keeps per row goes with it, so that the slices need about the memory of the whole.
    """
    found = Sliced({}, {})
    whole = views(chosen, problem.inputs, problem.available, design) if columns else {}
    for name, values in columns.items():
        parts = _parts(chosen, problem, design, slice_codes(name, values, problem.inputs.n))
        by_label: dict[Any, dict[str, Slice]] = {label: {} for label in parts}
        for key in whole:
            announce(progress, f"{key} by {name}", len(whole) * len(columns))
            # Copies: what they find out about rows, such as influence values, goes when the metric is done.
            of_metric = {label: replace(own[key], sample=copy.copy(own[key].sample)) for label, own in parts.items()}
            own = _slices_of(copy.copy(whole[key]), of_metric, options)
            if pool and options is not None:
                own, why_not = _pooled(own, of_metric, options.level)
                if why_not:
                    found.unpooled.setdefault(name, {})[key] = why_not
            for label, slice_ in own.items():
                by_label[label][key] = slice_
            _forget(key, whole, *({k: part.sample for k, part in own.items()} for own in parts.values()))
        found.slices[name] = by_label
    return found


def _parts(
    chosen: Mapping[str, Metric[Any]], problem: TaskData, design: Design, slices: tuple[Any, list[Any]]
) -> dict[Any, dict[str, Part]]:
    """Each slice by label, with all metrics on it."""
    codes, labels = slices
    order = np.argsort(codes, kind="stable")
    edges: list[int] = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(labels)))]).tolist()
    ordered = problem.inputs.rows(order)
    parts: dict[Any, dict[str, Part]] = {}
    for label, start, stop in zip(labels, edges[:-1], edges[1:], strict=True):
        rows = order[start:stop]
        samples = views(chosen, ordered.rows(slice(start, stop)), problem.available, part_design(design, rows))
        parts[label] = {key: Part(sample, rows) for key, sample in samples.items()}
    return parts


def _forget(done: str, *views_of: Mapping[str, Sample]) -> None:
    """Let go of what was kept per row for a metric, unless one that is still to come reads the same."""
    for samples in views_of:
        names = list(samples)
        later = [samples[name].metric for name in names[names.index(done) + 1 :]]
        wanted = {leaf for metric in later for leaf in metric.statistic().leaves()}
        if not wanted & set(samples[done].metric.statistic().leaves()):
            samples[done].inputs.forget_rows(wanted)


def _pooled(slices: dict[Any, Slice], parts: dict[Any, Part], level: float) -> tuple[dict[Any, Slice], str]:
    """The slices after borrowing from each other, or as they are and why they cannot."""
    compared = {label: s for label, s in slices.items() if not math.isnan(s.gap)}
    try:
        scores = {label: s.score for label, s in compared.items()}
        pooled = partially_pooled(scores, {label: parts[label].sample for label in compared}, level)
    except InputError as error:
        return slices, error.problem
    return {label: replace(s, pooled=pooled.get(label)) for label, s in slices.items()}, ""


def _slices_of(whole: Sample, parts: dict[Any, Part], options: InferenceOptions | None) -> dict[Any, Slice]:
    """The slices of one metric; values alone where no interval was asked for or none holds."""
    values = {label: value_of(part.sample, True, None) for label, part in parts.items()}
    known = {label: parts[label] for label, value in values.items() if isinstance(value, Score)}
    defined = {label: part for label, part in known.items() if part.sample.n > 1 and not math.isnan(values[label])}
    compared: dict[Any, Slice] = {}
    if options is not None and defined and family_of(whole.metric).has_interval:
        try:
            compared = against_whole(whole, defined, options, pool=False)
        except (ParameterError, InputError) as error:
            values = {
                k: v.but(reliable=False, reason=said(error, whole.metric)) for k, v in values.items() if k in known
            }
    level = 0.0 if options is None else options.level
    return {k: compared.get(k) or Slice(values[k], math.nan, None, None, None, None, level) for k in known}
