"""Calibration: do things happen as often as the probabilities say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Floats, as_int, is_numpy, like, namespace, to_host
from assay.core.errors import ParameterError, arg
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Label, Rows, Sum
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.core.statistic import Linear, Statistic, gradient
from assay.core.takes import Takes
from assay.metrics.classification.curves import Curve, settle_curves
from assay.metrics.classification.decisions import probabilities
from assay.metrics.classification.family import check_classes
from assay.metrics.classification.labels import LabelRules, place_of
from assay.metrics.classification.probabilities import TAKES, Forecast, forecast, layout_of
from assay.ops import bincount, divide, real, sigmoid

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


@dataclass(frozen=True, kw_only=True)
class CalibrationFamily(Metric[Any]):
    """What the calibration error and the reliability curve share."""

    takes = Takes(("y_true",), ("y_prob", "logits"), one_of=True)

    bins: int = 15
    binning: Literal["width", "mass"] = "width"
    of_what: Of = "auto"
    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Check what both have in common."""
        super().__post_init__()
        whole(self.name, "bins", self.bins, high=MOST_BINS)
        choice(self.name, "binning", self.binning, ("width", "mass"))
        choice(self.name, "of_what", self.of_what, ("auto", "top_label", "positive", "classwise"))
        check_classes(self.name, self.classes)

    def statistic(self) -> Statistic[Any]:
        """Bin sums, or the rows where bins have equal mass."""
        rules = LabelRules(self.classes, self.positive)
        return (
            WidthBins(rules, self.of_what, self.bins)
            if self.binning == "width"
            else ConfidenceRows(rules, self.of_what)
        )

    def sums(self, total: Any) -> Any:
        """(..., questions, bins, 4)."""
        return total.totals if isinstance(total, Sum) else mass_sums(total, self.bins)[0]


@dataclass(frozen=True, kw_only=True)
class CalibrationError(CalibrationFamily):
    r"""Expected calibration error: the mean gap between confidence and accuracy over bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} |\mathrm{acc}(b) - \mathrm{conf}(b)|

    ``norm`` "l1" is ECE, "l2" its root mean square form, "max" the largest gap (MCE). ``of_what`` compares the top label (Guo et
    al.), the positive class, or each class in turn; "auto" is the positive class of two and the top label of more. Bins are
    (a, b], and the dtype of the input decides on which side of an edge a value falls. The plain value is too large on few rows
    even for a perfect model; ``debiased=True`` (l2) takes the sampling noise out. Empty bins do not count. The value of a
    multilabel problem is the mean over its labels.

    >>> calibration_error([1, 1, 1, 0], y_prob=[0.75, 0.75, 0.75, 0.75], bins=2)
    0.0
    """

    record = Record(
        title="Calibration error", range=(0, 1), better="lower", family="calibration", takes=TAKES,
        undefined="no row", use="to see whether probabilities can be taken at their word",
        misleads="depends on the bins; biased upward on few rows; a constant forecast at the base rate scores 0",
        equals=("torchmetrics multiclass_calibration_error, binary_calibration_error", "netcal ECE"),
        references=("guo2017", "kumar2019"), traps=(29,),
        aliases=("ECE", "expected_calibration_error"),
    )  # fmt: skip

    norm: Literal["l1", "l2", "max"] = "l1"
    debiased: bool = False

    def check(self) -> None:
        """Debiasing exists for squares."""
        choice(self.name, "norm", self.norm, ("l1", "l2", "max"))
        if self.debiased and self.norm != "l2":
            raise ParameterError(
                self.name,
                "",
                f"{arg('debiased', True)} needs {arg('norm', 'l2')}: the noise of squared gaps is known, that of absolute gaps is not",
            )

    @property
    def weights_count(self) -> bool:
        """The noise of a bin is known by the number of its rows."""
        return self.debiased

    @property
    def corrects_for_rows(self) -> bool:
        """Debiasing does."""
        return self.debiased

    def influence_of(self, inputs: Inputs, total: object = None) -> Floats:
        """As for any sum of rows, without making the rows, which are as wide as there are bins."""
        statistic = self.statistic()
        if not isinstance(statistic, WidthBins):
            return super().influence_of(inputs, total)
        element = statistic.of(inputs) if total is None else cast(Sum, total)
        shape = np.shape(element.totals)

        def build(t: Any) -> Sum:
            return replace(element, totals=t.reshape(*t.shape[:-1], *shape))

        values = statistic.row_slopes(inputs, gradient(self.finalize, build, cast(Floats, np.ravel(element.totals))))
        base = inputs.host_weight()
        if base is None:
            return values - values.mean()
        return base * (values - (base @ values) / base.sum())

    def of(self, total: Any) -> Any:
        """The error over bins, mean over questions."""
        s = self.sums(total)
        count = s[..., 0]
        gap = divide(s[..., 2] - s[..., 1], count)
        gap = np.where(np.isnan(gap), 0, gap)
        share = divide(count, count.sum(axis=-1, keepdims=True))
        if self.norm == "max":
            return np.max(np.where(real(gap) < 0, -gap, gap), axis=-1).mean(axis=-1)
        if self.norm == "l1":
            return (share * np.where(real(gap) < 0, -gap, gap)).sum(axis=-1).mean(axis=-1)
        square = (share * (gap**2 - (_noise(s, gap) if self.debiased else 0))).sum(axis=-1).mean(axis=-1)
        return np.sqrt(np.where(real(square) > 0, square, 0))


def _noise(s: Any, gap: Any) -> Any:
    """Sampling variance of each bin's gap; a bin of one row says nothing and takes itself out.

    Weights near 1 are one row, up to halfway to two: dividing by what is left of such a bin would blow it up.
    """
    count = s[..., 0]
    spread = s[..., 3] - count * gap**2
    noise = divide(spread, count * (count - 1))
    return cast(Any, np.where(real(count) > 1.5, noise, gap**2))


@dataclass(frozen=True, repr=False)
class Reliability(Curve):
    """Per bin: its edges, weight, mean confidence and observed frequency; NaN in empty bins."""

    low: Any
    high: Any
    weight: Any
    confidence: Any
    frequency: Any


@dataclass(frozen=True, kw_only=True)
class ReliabilityCurve(CalibrationFamily):
    r"""Observed frequency against stated confidence, bin by bin: the reliability diagram as plain arrays.

    .. math:: b \mapsto (\mathrm{conf}(b), \mathrm{acc}(b))

    Below the diagonal the model is too sure. With ``of_what="classwise"`` a list, one curve per class.

    >>> reliability_curve([1, 0], y_prob=[0.9, 0.2], bins=2, of_what="positive").frequency
    array([0., 1.])
    """

    record = Record(
        title="Reliability curve", range=(0, 1), better="none", family="curve", takes=TAKES,
        undefined="empty bins", use="how probabilities are wrong, not only by how much", misleads="sparse bins jump about",
        references=("murphy1977",), traps=(29,),
        aliases=("calibration_curve", "reliability_diagram"),
    )  # fmt: skip

    @property
    def weights_count(self) -> bool:
        """The weight of a bin is part of the curve."""
        return True

    def settle(self, values: Any) -> Any:
        """The ``undefined`` policy in every bin."""
        return settle_curves(super().settle, values)

    def of(self, total: Any) -> Any:
        """One curve per question."""
        if isinstance(total, Sum):
            sums, edges = total.totals, [np.linspace(0, 1, self.bins + 1)] * len(total.totals)
        else:
            sums, edges = mass_sums(total, self.bins)
        curves = [self._curve(s, e) for s, e in zip(sums, edges, strict=True)]
        return curves[0] if len(curves) == 1 else curves

    def _curve(self, s: Any, edges: Any) -> Reliability:
        s = s[: len(edges) - 1]
        return Reliability(edges[:-1], edges[1:], s[:, 0], divide(s[:, 1], s[:, 0]), divide(s[:, 2], s[:, 0]))
