"""The data of an evaluation, its labels settled once for the whole and all its slices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from assay.core.arrays import ArrayLike, describe
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Label
from assay.core.name_columns import CodedNames, name_column
from assay.core.ragged import Ragged
from assay.evaluation.presets import Task
from assay.metrics.classification.decisions import Decision, indicator
from assay.metrics.classification.labels import (
    LabelRules,
    column_classes,
    found_classes,
    label_array,
    shown,
    truth_mask,
)
from assay.metrics.classification.tables import Confusion

KINDS = ("y_pred", "y_prob", "logits", "y_score")


@dataclass(frozen=True)
class TaskData:
    """Checked inputs and what is known about the labels.

    ``said`` is what the caller specified about them, ``facts`` also what the data show: the metrics of the whole find that out by
    themselves, those of a slice must be given it, because a slice may lack a class.
    """

    task: Task
    inputs: Inputs
    said: dict[str, Any]
    facts: dict[str, Any]
    beside: dict[str, Ragged] = field(default_factory=dict[str, Ragged])  # what no metric takes: the texts translated

    @property
    def given(self) -> list[str]:
        """Which kinds of prediction there are."""
        return [name for name in KINDS if name in self.inputs]

    @property
    def available(self) -> list[str]:
        """Everything that metrics may take beside the truth."""
        return [
            *self.given,
            *(name for name in self.inputs.arrays if name not in ("y_true", *KINDS)),
            *self.inputs.free,
        ]

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes or labels; empty for regression."""
        return self.facts.get("classes") or ()


def pick(metric: Metric[Any], names: list[str]) -> tuple[str, ...]:
    """The inputs that a metric takes of those there are."""
    takes = metric.takes
    missing = [name for name in takes.required if name != "y_true" and name not in names]
    usable = [name for name in takes.optional if name in names]
    if missing or (takes.one_of and not usable):
        given = ", ".join(map(arg, names)) or "no prediction"
        raise InputError(metric.name, "", f"takes {takes.text()}, but got {given}")
    return (*takes.required, *(usable[:1] if takes.one_of else usable))


def settle(inputs: Inputs, task: Task, classes: Any, positive: Label | None, threshold: float) -> TaskData:
    """Find out what the labels are, so that every metric and every slice uses the same."""
    if len(inputs.arrays) == 1:
        kinds = ", ".join(map(arg, ("y_pred", "y_prob", "logits", "y_score")))
        raise InputError("evaluate", "", "there is no prediction", f"Give at least one of {kinds}.")
    if task == "regression":
        return TaskData(task, inputs, {}, {})
    rules = LabelRules(tuple(classes) if classes is not None else None, positive)
    said: dict[str, Any] = {"threshold": threshold, "classes": rules.classes, "positive": positive}
    if task == "binary":
        pair, inputs = _binary(inputs, rules)
        return TaskData(task, inputs, said, {**said, "classes": pair, "positive": pair[1]})
    if task == "multilabel":
        indicator(inputs, "y_true")
        return TaskData(task, inputs, said, {**said, "classes": column_classes(inputs, "y_true", rules)})
    return TaskData(task, inputs, said, {**said, "classes": _multiclass(inputs, rules, threshold)})


def _binary(inputs: Inputs, rules: LabelRules) -> tuple[tuple[Label, Label], Inputs]:
    _, pair = truth_mask(inputs, rules, advice=f"For more classes use {arg('task', 'multiclass')}.")
    for name in ("y_prob", "logits", "y_score"):
        if name in inputs and inputs[name].ndim == 2:
            columns = column_classes(inputs, name, LabelRules(rules.classes))
            if set(columns) != set(pair):
                raise InputError(
                    "evaluate",
                    name,
                    f"has two columns, and it is not known which class each stands for; the labels are {shown(pair)}",
                    f"Pass the column of the positive class, or both classes in the order of the columns as {arg('classes')}.",
                )
            inputs = inputs.only(inputs.arrays)
            scores = inputs.arrays[name]
            negative, positive = (scores[:, columns.index(label)] for label in pair)
            inputs.arrays[name] = (
                positive - negative if name == "logits" else positive
            )  # softmax of two is the sigmoid of this
    return pair, inputs


def _multiclass(inputs: Inputs, rules: LabelRules, threshold: float) -> tuple[Label, ...]:
    for name in ("y_prob", "logits", "y_score"):
        if name in inputs:
            if inputs[name].ndim != 2:
                problem = (
                    f"must have one column per class for {arg('task', 'multiclass')}, got {describe(inputs[name])}"
                )
                raise InputError("evaluate", name, problem)
            return column_classes(inputs, name, rules)
    if rules.classes is not None:
        return rules.classes
    if inputs["y_true"].ndim != 1:
        problem = f"must hold one label per row for {arg('task', 'multiclass')}, got {describe(inputs['y_true'])}"
        raise InputError("evaluate", "y_true", problem)
    # Counting finds the labels of small integers, and the inputs keep the table for the metrics.
    counts = Confusion(Decision(threshold=threshold)).quick(inputs)
    labels: list[Label] = list(
        counts.labels if counts is not None else found_classes(*(label_array(inputs, n) for n in ("y_true", "y_pred")))
    )
    return tuple(labels) if len(labels) > 1 else (*labels, _another(labels[0]))


def _another(label: Label) -> Label:
    """A second class, so that data which show only one can still be scored."""
    return f"not {label}" if isinstance(label, str) else int(label) + 1


def ignored_note(inputs: Inputs) -> tuple[str, ...]:
    """What is said of rows that no metric counts."""
    if inputs.counted is None:
        return ()
    return (
        f"{inputs.given - inputs.n} of {inputs.given} rows are left out of all metrics: their truth is the ignore_index",
    )


def matching_names(inputs: Inputs, name: str, values: ArrayLike | CodedNames) -> ArrayLike | CodedNames:
    """A column of slices for the rows that count."""
    if isinstance(values, CodedNames) and inputs.counted is not None:
        return CodedNames(values.codes[inputs.counted], values.names)
    return cast(ArrayLike, inputs.matching(cast(ArrayLike, values), f"slices[{name!r}]"))


def slice_codes(name: str, values: ArrayLike | CodedNames, n: int) -> tuple[Any, list[Any]]:
    """Each row's slice as a code, and the slices' values in order."""
    if isinstance(values, CodedNames):
        return values.codes, values.names
    names = name_column(values, name=f"slices[{name!r}]", who="evaluate", n=n)
    found, codes = np.unique(names, return_inverse=True)
    return codes.astype(np.min_scalar_type(len(found))), found.tolist()
