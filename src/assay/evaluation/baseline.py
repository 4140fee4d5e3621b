"""The trivial model of each task: mean, majority class, prevalence."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.arrays import to_host
from assay.core.inputs import Inputs
from assay.evaluation.task_data import TaskData
from assay.metrics.classification.decisions import Decision
from assay.metrics.classification.labels import LabelRules, encode, truth_mask
from assay.metrics.classification.tables import Confusion


def baseline_inputs(problem: TaskData) -> Inputs:
    """The targets beside the best prediction that ignores all features."""
    build = {"regression": _mean, "multilabel": _labelwise}.get(problem.task, _prevalence)
    return build(problem)


def _mean(problem: TaskData) -> Inputs:
    y = to_host(problem.inputs["y_true"]).astype(np.float64)
    weight = problem.inputs.host_weight()
    mean = np.average(y, axis=0, weights=weight)
    arrays = {"y_true": y, "y_pred": np.broadcast_to(mean, y.shape)}
    if "scale" in problem.inputs:
        arrays["scale"] = to_host(problem.inputs["scale"])
    inputs = Inputs(arrays, weight=weight, who="baseline")
    inputs.free = problem.inputs.free
    return inputs


def class_counts(problem: TaskData) -> Any:
    """The weight of each class or label in the truth."""
    weight = problem.inputs.host_weight()
    if problem.task == "multilabel":
        y = to_host(problem.inputs["y_true"])
        return y.sum(axis=0).astype(np.float64) if weight is None else weight @ y
    table = problem.inputs.known(Confusion.of, Confusion(Decision(threshold=problem.facts["threshold"])))
    if table is not None:
        return table.over(problem.classes).table.sum(axis=1).astype(np.float64)
    if problem.task == "binary":
        mask, _ = truth_mask(problem.inputs, LabelRules(problem.classes, problem.facts["positive"]))
        codes = to_host(mask).astype(np.int64)
    else:
        codes = to_host(encode(problem.inputs, "y_true", problem.classes))
    return np.bincount(codes, weight, minlength=len(problem.classes)).astype(np.float64)


def _prevalence(problem: TaskData) -> Inputs:
    """One row per class, weighted by how often it occurs: the baseline depends on nothing else."""
    counts = class_counts(problem)
    share = counts / counts.sum()
    labels = np.array(problem.classes)
    k = len(labels)
    chances: Any = np.full(2, share[1]) if problem.task == "binary" else np.tile(share, (k, 1))
    arrays = {"y_true": labels, "y_pred": np.full(k, labels[share.argmax()]), "y_prob": chances, "y_score": chances}
    return Inputs(arrays, weight=counts, who="baseline")


def _labelwise(problem: TaskData) -> Inputs:
    y = to_host(problem.inputs["y_true"])
    weight = problem.inputs.host_weight()
    share = np.broadcast_to(np.average(y, axis=0, weights=weight), y.shape)
    arrays = {"y_true": y, "y_pred": (share >= 0.5).astype(np.int64), "y_prob": share, "y_score": share}
    return Inputs(arrays, weight=weight, who="baseline")
