"""From probabilities to labels: thresholds, the largest class, or the smallest expected cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import kernels
from assay.core.arrays import Array, ArrayLike, as_int, describe, has_float64, like, namespace, to_host
from assay.core.errors import InputError, ParameterError, arg, shown
from assay.core.ingestion import ingest
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Label
from assay.metrics.classification.labels import (
    LabelRules,
    column_classes,
    encode,
    found_classes,
    is_text,
    label_array,
    place_of,
    truth_mask,
)  # fmt: skip
from assay.ops import sigmoid

Cost = tuple[tuple[float, ...], ...]
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True)
class Decision(LabelRules):
    """How labels come about: as given, or from probabilities by ``threshold`` or ``cost``."""

    threshold: float = DEFAULT_THRESHOLD
    cost: Cost | None = None


@dataclass(frozen=True)
class Coded:
    """True and predicted codes in one array library. Multilabel codes are 0/1 matrices, one column per label."""

    true: Array
    predicted: Array
    labels: tuple[Label, ...]
    pair: bool = False  # (negative, positive), from one probability per row

    @property
    def labelwise(self) -> bool:
        """Whether this is a multilabel problem."""
        return self.true.ndim == 2


@memo
def decided(inputs: Inputs, rule: Decision) -> Coded:
    """The codes of truth and prediction under this rule, computed once."""
    if inputs["y_true"].ndim == 2:
        return _multilabel(inputs, rule)
    if "y_pred" in inputs:
        return _given(inputs, rule)
    name = "y_prob" if "y_prob" in inputs else "logits"
    return _from_column(inputs, name, rule) if inputs[name].ndim == 1 else _from_matrix(inputs, name, rule)


def _given(inputs: Inputs, rule: Decision) -> Coded:
    true, predicted = label_array(inputs, "y_true"), label_array(inputs, "y_pred")
    if predicted.ndim != 1:
        raise InputError(
            inputs.who,
            "y_pred",
            f"must hold one label per row, got {describe(predicted)}",
            "For scores, take the labels first: the column of the largest score, argmax(1). For a multilabel problem "
            f"{arg('y_true')} must be a 0/1 matrix too.",
        )
    if is_text(true) != is_text(predicted):
        kinds = ["text" if is_text(a) else "integers" for a in (true, predicted)]
        raise InputError(
            inputs.who,
            "y_true",
            f"holds {kinds[0]} and {arg('y_pred')} holds {kinds[1]}; both must use the same labels",
        )
    classes = rule.classes or found_classes(true, predicted)
    return Coded(encode(inputs, "y_true", classes), encode(inputs, "y_pred", classes), classes)


def _from_column(inputs: Inputs, name: str, rule: Decision) -> Coded:
    mask, classes = truth_mask(
        inputs,
        LabelRules(rule.classes, rule.positive),
        advice=f"For several classes give one column of {arg(name)} per class.",
    )
    p = probabilities(inputs, name)
    threshold = rule.threshold if rule.cost is None else cost_minimal_threshold(rule.cost)
    return Coded(mask, p >= threshold, classes, pair=True)  # truth values take an eighth of the memory of integers


def _from_matrix(inputs: Inputs, name: str, rule: Decision) -> Coded:
    classes = column_classes(inputs, name, rule)
    if rule.cost is None and len(classes) == 2:
        return _from_two_columns(inputs, name, rule, classes)
    if rule.cost is None and rule.threshold != DEFAULT_THRESHOLD:
        raise ParameterError(
            inputs.who,
            "",
            f"{arg('threshold', rule.threshold)} decides between two classes, and {name} has {len(classes)} columns, of "
            "which the largest wins",
            f"Leave {arg('threshold')} out, or decide yourself and pass {arg('y_pred')}.",
        )
    p = probabilities(inputs, name) if name == "y_prob" or rule.cost is not None else _finite(inputs, name)
    xp = namespace(p)
    if rule.cost is not None:
        chosen = xp.argmin(p @ xp.astype(like(p, square_cost(inputs.who, rule.cost, len(classes))), p.dtype), axis=1)
    else:
        chosen = xp.argmax(p, axis=1)
    return Coded(encode(inputs, "y_true", classes), chosen, classes)


def _from_two_columns(inputs: Inputs, name: str, rule: Decision, classes: tuple[Label, ...]) -> Coded:
    """The column of the positive class (the second unless said) decides, as it would alone."""
    at = 1 if rule.positive is None else place_of(inputs.who, classes, rule.positive)
    chosen = as_int(probabilities(inputs, name)[:, at] >= rule.threshold)
    return Coded(encode(inputs, "y_true", classes), chosen if at else 1 - chosen, classes)


def _finite(inputs: Inputs, name: str) -> Array:
    z = inputs.numbers(name, ranks=(2,))
    if not np.isfinite(float(namespace(z).sum(z))):
        inputs.refuse_not_finite(name)
    return z


def _multilabel(inputs: Inputs, rule: Decision) -> Coded:
    true = indicator(inputs, "y_true")
    if "y_pred" in inputs:
        predicted = indicator(inputs, "y_pred")
    else:
        name = "y_prob" if "y_prob" in inputs else "logits"
        p = probabilities(inputs, name, labelwise=True)
        predicted = as_int(p >= rule.threshold)
    if tuple(true.shape) != tuple(predicted.shape):
        raise InputError(
            inputs.who,
            "y_true",
            "is a matrix, so this is a multilabel problem, and the prediction must have its shape "
            f"{tuple(true.shape)}, got {tuple(predicted.shape)}",
        )
    return Coded(true, predicted, column_classes(inputs, "y_true", rule))


def indicator(inputs: Inputs, name: str) -> Array:
    """A 0/1 matrix of labels."""
    array = label_array(inputs, name)
    if is_text(array) or array.ndim != 2:
        raise InputError(inputs.who, name, f"must be a 0/1 matrix (rows, labels) here, got {describe(array)}")
    xp = namespace(array)
    if int(xp.min(array)) < 0 or int(xp.max(array)) > 1:
        raise InputError(
            inputs.who,
            name,
            f"must hold 0 and 1 only in a multilabel problem, got {int(xp.min(array))}..{int(xp.max(array))}",
        )
    return as_int(array)


def probabilities(inputs: Inputs, name: str, *, labelwise: bool = False) -> Array:
    """The probabilities, checked: in [0, 1], and each row of a matrix sums to 1 unless it is one column per label."""
    p = inputs.numbers(name, ranks=(1, 2))
    xp = namespace(p)
    if name == "logits":
        return _from_logits(inputs, labelwise)
    low, high = kernels.regression.extent(p) if kernels.worthwhile(p) else (float(xp.min(p)), float(xp.max(p)))
    if not (low >= 0 and high <= 1):
        refuse_outside(inputs, name, to_host(p))
    if p.ndim == 2 and not labelwise:
        _check_sums(inputs, name)
    return p


@memo
def _from_logits(inputs: Inputs, labelwise: bool) -> Array:
    z = inputs.numbers("logits", ranks=(1, 2))
    xp = namespace(z)
    with np.errstate(over="ignore"):
        total = float(xp.sum(z))
    if not np.isfinite(total):
        inputs.refuse_not_finite("logits")
    if z.ndim == 1 or labelwise:
        return sigmoid(xp, z)
    e = xp.exp(z - xp.max(z, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def refuse_outside(inputs: Inputs, name: str, p: Any) -> None:
    """Name the value that is not a probability."""
    inputs.refuse_not_finite(name)
    row = int(np.argwhere((p < 0) | (p > 1))[0][0])
    raise InputError(
        inputs.who,
        name,
        f"must be probabilities in [0, 1], got {p[row]} in row {row}",
        f"Pass logits as {arg('logits')}, other scores as {arg('y_score')}.",
    )


@memo
def _check_sums(inputs: Inputs, name: str) -> None:
    p = inputs.numbers(name, ranks=(1, 2))
    xp = namespace(p)
    sums = xp.sum(p, axis=1, dtype=xp.float64 if has_float64(xp, p) else None)
    if float(xp.max(xp.abs(sums - 1))) > sum_tolerance(inputs, name):
        refuse_sums(inputs, name, to_host(sums))


def sum_tolerance(inputs: Inputs, name: str) -> float:
    """How far a row may be from 1: what rounding to the dtype it came in can do to a softmax.

    Bounded for many columns: in bfloat16 a sum of 1/4 would pass otherwise.
    """
    step = inputs.epsilon[name]
    return 1e-5 + (4 * step * min(4.0, math.sqrt(inputs[name].shape[1])) if step > 2.0**-52 else 0.0)


def refuse_sums(inputs: Inputs, name: str, sums: Any) -> None:
    """Name the row that does not sum to one."""
    row = int(np.argmax(np.abs(sums - 1)))
    raise InputError(
        inputs.who,
        name,
        f"must sum to 1 in every row; row {row} sums to {sums[row]:.6g}",
        f"Renormalise on purpose ({name} / {name}.sum(1, keepdims=True)), or pass {arg('logits')}.",
    )


def square_cost(who: str, cost: ArrayLike, k: int) -> Any:
    """The cost matrix as an array, refused unless it is square, finite and as large as the classes."""
    try:
        matrix = to_host(ingest(cost, name="cost", who=who)).astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        matrix = np.empty(0)
    if matrix.shape != (k, k) or not np.isfinite(matrix).all():
        raise ParameterError(
            who,
            "cost",
            f"must be a {k} x {k} matrix of finite numbers (rows true, columns predicted), got {shown(cost)}",
        )
    return matrix


def cost_minimal_threshold(cost: ArrayLike) -> float:
    """The probability of the positive class from which predicting it costs less.

    ``cost[t][p]`` is the cost of predicting p when t is true, classes in the order (negative, positive).

    >>> cost_minimal_threshold([[0, 1], [4, 0]])
    0.2
    """
    matrix = square_cost("cost_minimal_threshold", cost, 2)
    false_alarm, miss = matrix[0, 1] - matrix[0, 0], matrix[1, 0] - matrix[1, 1]
    if not (false_alarm > 0 and miss > 0):
        raise ParameterError(
            "cost_minimal_threshold", "", "each error must cost more than the right decision on the same class"
        )
    return float(false_alarm / (false_alarm + miss))


def cost_minimal_decisions(y_prob: ArrayLike, cost: ArrayLike) -> Array:
    """For each row the class of the smallest expected cost, as its column number.

    >>> cost_minimal_decisions([[0.7, 0.3], [0.9, 0.1]], [[0, 1], [4, 0]])
    array([1, 0])
    """
    who = "cost_minimal_decisions"
    p = probabilities(Inputs({"y_prob": y_prob}, who=who), "y_prob")
    xp = namespace(p)
    if p.ndim == 1:
        return as_int(p >= cost_minimal_threshold(cost))
    return xp.argmin(p @ xp.astype(like(p, square_cost(who, cost, int(p.shape[1]))), p.dtype), axis=1)
