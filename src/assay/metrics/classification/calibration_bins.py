"""Confidences, whether they came true, and their sums in bins of equal width or equal weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Floats, as_int, is_numpy, like, namespace, to_host
from assay.core.errors import ParameterError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Label, Rows, Sum
from assay.core.statistic import Linear, Statistic
from assay.metrics.classification.decisions import probabilities
from assay.metrics.classification.labels import LabelRules, place_of
from assay.metrics.classification.probabilities import Forecast, forecast, layout_of
from assay.ops import bincount, sigmoid

NAMES = ("weight", "confidence", "correct", "squared")
BLOCK = 1 << 16  # rows whose influence is computed at a time
MOST_BINS = 100_000  # finer bins say nothing and fill the memory
Of = Literal["auto", "top_label", "positive", "classwise"]


@dataclass(frozen=True)
class Confidences:
    """Stated confidence and whether it came true, one column per question asked of each row."""

    confidence: Any
    correct: Any


@memo
def confidences(inputs: Inputs, rules: LabelRules, of: Of) -> Confidences:
    """What calibration compares, in the library of the inputs: (rows, questions)."""
    f = forecast(inputs, rules)
    if of == "auto":
        of = "positive" if f.kind == "binary" or len(f.classes) == 2 else "top_label"
    p, truth = probabilities(inputs, f.name, labelwise=f.kind == "labels"), f.truth
    xp = namespace(p)
    if f.kind == "labels":
        return Confidences(p, truth == 1)
    if f.kind == "classes":
        return _of_classes(inputs, p, truth, f.classes, rules, of)
    if of == "top_label":
        confidence, correct = _top_label(inputs, f, p)
        return Confidences(confidence[:, None], correct[:, None])
    if of == "positive":
        return Confidences(p[:, None], truth[:, None])
    rest = _rest(inputs, p) if f.name == "y_prob" else 1 - p
    return Confidences(xp.stack([rest, p], axis=1), xp.stack([~truth, truth], axis=1))


def _top_label(inputs: Inputs, f: Forecast, p: Array) -> tuple[Array, Array]:
    """Confidence in the likelier of two classes, and whether it is the true one."""
    if kernels.worthwhile(p) and f.name == "y_prob" and inputs["y_prob"].dtype == p.dtype:
        return kernels.binary.top_label(np.ascontiguousarray(p), f.truth)
    xp = namespace(p)
    # From logits by their size: sigmoid(-z) and 1 - sigmoid(z) round apart, and rows that tie must tie.
    confidence = sigmoid(xp, xp.abs(f.p)) if f.name == "logits" else xp.where(p >= 0.5, p, _rest(inputs, p))
    return confidence, (p >= 0.5) == f.truth


def _rest(inputs: Inputs, p: Array) -> Array:
    """One minus the probabilities, rounded as the probabilities are: the same bins whatever precision we compute in."""
    xp = namespace(p)
    return (
        xp.astype(xp.astype(1 - p, inputs["y_prob"].dtype), p.dtype) if inputs.epsilon["y_prob"] > 2.0**-52 else 1 - p
    )


def _of_classes(
    inputs: Inputs, p: Array, code: Array, classes: tuple[Label, ...], rules: LabelRules, of: Of
) -> Confidences:
    xp = namespace(p)
    code = as_int(code)
    if of == "top_label":
        return Confidences(xp.max(p, axis=1)[:, None], (xp.argmax(p, axis=1) == code)[:, None])
    if of == "classwise":
        return Confidences(p, code[:, None] == like(p, np.arange(p.shape[1]))[None, :])
    if rules.positive is None and len(classes) != 2:
        raise ParameterError(
            inputs.who, "", f"{arg('of_what', 'positive')} needs {arg('positive')}, the class to look at"
        )
    at = place_of(inputs.who, classes, rules.positive) if rules.positive is not None else 1
    return Confidences(p[:, at : at + 1], (code == at)[:, None])


def on_host(c: Confidences) -> Confidences:
    """The same in NumPy."""
    return Confidences(to_host(c.confidence), to_host(c.correct))


def bin_sums(c: Confidences, weight: Any, edges: Any) -> Any:
    """(questions, bins, 4): weight, confidence, correct and squared gap of each bin (a, b]; 0 belongs to the first."""
    columns = [(c.confidence[:, j], c.correct[:, j]) for j in range(c.confidence.shape[1])]
    fast = kernels.worthwhile(columns[0][0])
    return np.stack([(kernels.binary.bins if fast else _bin_column)(*both, weight, edges) for both in columns])


def _bin_column(confidence: Array, correct: Array, weight: Array | None, edges: Any) -> Any:
    xp = namespace(confidence)
    at = place_in_bins(xp, like(confidence, edges), confidence)
    w = xp.ones_like(confidence) if weight is None else weight
    right = xp.astype(correct, confidence.dtype)
    values = (w, w * confidence, w * right, w * (right - confidence) ** 2)
    return np.stack([bincount(xp, at, v, len(edges) - 1) for v in values], axis=-1)


def place_in_bins(xp: Any, edges: Any, confidence: Array) -> Array:
    """The bin (a, b] of each confidence; 0 belongs to the first."""
    flat = xp.reshape(confidence, (-1,))
    flat = flat.contiguous() if hasattr(flat, "contiguous") else flat  # PyTorch warns of the copy that it would make
    at = xp.searchsorted(edges, flat, side="left") - 1
    return xp.reshape(xp.clip(at, 0, edges.shape[0] - 2), confidence.shape)


def width_edges(inputs: Inputs, bins: int) -> Any:
    """Edges of equal width, rounded to the precision in which the probabilities came.

    A confidence of 0.1 in single precision is above the 0.1 of double precision; beside an edge rounded as it was, it lies on the edge
    in both. The dtype of the input decides on which side of an edge a value falls, the array library does not: what is a hair above
    0.1 in double precision may be 0.1 itself in single precision.
    """
    edges = np.linspace(0, 1, bins + 1)
    digits = round(-np.log2(inputs.epsilon["y_prob" if "y_prob" in inputs else "logits"])) + 1
    part, power = np.frexp(edges)
    return np.ldexp(np.rint(np.ldexp(part, digits)), power - digits)


@dataclass(frozen=True)
class WidthBins(Statistic[Sum]):
    """Bins of equal width."""

    rules: LabelRules
    of_what: Of
    bins: int

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return NAMES

    @memo
    def of(self, inputs: Inputs) -> Sum:
        """Sums of every bin."""
        edges = width_edges(inputs, self.bins)
        c = confidences(inputs, self.rules, self.of_what)
        weight = inputs.host_weight() if is_numpy(c.confidence) else inputs.weight
        return Sum(NAMES, bin_sums(c, weight, edges), inputs.n, layout_of(inputs))

    def row_slopes(self, inputs: Inputs, slope: Floats) -> Floats:
        """For each row ``slope`` times its sums, block by block: `linear` would also write the zeros of all other bins."""
        c = on_host(confidences(inputs, self.rules, self.of_what))
        edges, (n, q) = width_edges(inputs, self.bins), c.confidence.shape
        per_bin, found = slope.reshape(q, self.bins, 4), np.zeros(n)
        for start in range(0, n, BLOCK):
            part = slice(start, start + BLOCK)
            said, right = c.confidence[part].astype(np.float64), c.correct[part].astype(np.float64)
            values = np.stack([np.ones_like(said), said, right, (right - said) ** 2], axis=-1)
            of_bin = per_bin[np.arange(q), place_in_bins(np, edges, c.confidence[part])]  # (rows, questions, 4)
            found[part] = (of_bin * values).sum(axis=(1, 2))
        return found

    def linear(self, inputs: Inputs) -> Linear:
        """One row per unit: its four values in its bin, zeros elsewhere."""
        c = on_host(confidences(inputs, self.rules, self.of_what))
        edges = width_edges(inputs, self.bins)
        n, q = c.confidence.shape
        at = place_in_bins(np, edges, c.confidence)
        rows = np.zeros((n, q, self.bins, 4))
        values = np.stack([np.ones((n, q)), c.confidence, c.correct, (c.correct - c.confidence) ** 2], axis=-1)
        np.put_along_axis(rows, at[:, :, None, None], values[:, :, None, :], axis=2)
        shape = (q, self.bins, 4)
        return Linear(
            lambda t: Sum(NAMES, t.reshape(*t.shape[:-1], *shape), n), int(np.prod(shape)), rows=rows.reshape(n, -1)
        )


@dataclass(frozen=True)
class ConfidenceRows(Statistic[Rows]):
    """The confidences themselves: bins of equal mass are known only when all rows are."""

    rules: LabelRules
    of_what: Of

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("confidence", "correct")

    def of(self, inputs: Inputs) -> Rows:
        """The rows."""
        c = on_host(confidences(inputs, self.rules, self.of_what))
        return Rows({"confidence": c.confidence, "correct": c.correct}, inputs.n, weight=inputs.host_weight())


def mass_sums(rows: Rows, bins: int) -> tuple[Any, list[Any]]:
    """Sums of bins that hold equal weight, and their edges; equal confidences are never split."""
    parts: list[Any] = []
    all_edges: list[Any] = []
    for j in range(rows["confidence"].shape[1]):
        one = Confidences(rows["confidence"][:, j : j + 1], rows["correct"][:, j : j + 1])
        inner = _mass_edges(one.confidence[:, 0], rows.weights(), bins)
        edges = np.unique(np.concatenate([[0.0], inner, [1.0]]))
        sums = bin_sums(one, rows.weight, edges)[0]
        parts.append(np.concatenate([sums, np.zeros((bins - len(sums), 4))]))
        all_edges.append(edges)
    return np.stack(parts), all_edges


def _mass_edges(confidence: Any, weight: Any, bins: int) -> Any:
    order = np.argsort(confidence, kind="stable")
    running = np.cumsum(weight[order])
    at = cast(Any, np.searchsorted(running, running[-1] * np.arange(1, bins) / bins, side="left"))
    return confidence[order][at]
