"""Proper scores of probabilities: log loss and Brier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Floats, as_int, describe, is_numpy, kind_of, like, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Label, Sum
from assay.core.parameters import choice, number
from assay.core.record import Record
from assay.core.sources import RESAMPLING_NOTES
from assay.core.statistic import Linear, Statistic, around_mean
from assay.core.takes import Takes
from assay.metrics.classification.decisions import indicator, probabilities, refuse_outside, refuse_sums, sum_tolerance
from assay.metrics.classification.family import check_classes
from assay.metrics.classification.labels import LabelRules, column_classes, encode, refuse_one_column, truth_mask
from assay.ops import divide, log_sigmoid, log_softmax, powers_of, quiet, real, total

TAKES = ("y_true: labels or distributions", "y_prob: probabilities", "logits: logits")
NAMES = ("weight", "squared", "log", "infinite")


@dataclass(frozen=True)
class Forecast:
    """Probabilities beside the truth, in one array library.

    ``kind`` says how to read them: "binary" (mask, p), "classes" (codes, matrix), "soft" (matrix, matrix), "labels"
    (0/1 matrix, matrix).
    """

    kind: Literal["binary", "classes", "soft", "labels"]
    truth: Array
    p: Array
    name: str
    classes: tuple[Label, ...]


def forecast(inputs: Inputs, rules: LabelRules, *, soft: bool = False) -> Forecast:
    """What kind of problem this is; values are not checked yet."""
    name = "y_prob" if "y_prob" in inputs else "logits"
    p = inputs.numbers(name, ranks=(1, 2))
    if inputs["y_true"].ndim == 2:
        return _matrix_truth(inputs, name, p, rules, soft)
    if soft:
        raise InputError(
            inputs.who,
            "",
            f"{arg('soft', True)} reads y_true as distributions, a matrix (rows, classes), got {describe(inputs['y_true'])}",
            f"For labels leave {arg('soft')} out.",
        )
    if p.ndim == 1:
        mask, classes = truth_mask(
            inputs, rules, advice=f"For several classes give one column of {arg(name)} per class."
        )
        return Forecast("binary", mask, p, name, classes)
    classes = column_classes(inputs, name, rules)
    return Forecast("classes", encode(inputs, "y_true", classes), p, name, classes)


def _matrix_truth(inputs: Inputs, name: str, p: Array, rules: LabelRules, soft: bool) -> Forecast:
    """One column per label, or with ``soft`` a distribution over the classes: said by the caller, never read off the values."""
    y = inputs["y_true"]
    refuse_one_column(inputs, "y_true")
    if tuple(y.shape) != tuple(p.shape):
        raise InputError(
            inputs.who, "y_true", f"is a matrix, so {name} must have its shape {tuple(y.shape)}, got {tuple(p.shape)}"
        )
    classes = column_classes(inputs, name, rules)
    if soft:
        return Forecast("soft", probabilities(inputs, "y_true"), p, name, classes)
    if kind_of(y) == "float":
        _refuse_fractions(inputs, y)
    return Forecast("labels", indicator(inputs, "y_true"), p, name, classes)


def _refuse_fractions(inputs: Inputs, y: Array) -> None:
    if bool(namespace(y).all(y == namespace(y).round(y))):
        return
    inputs.refuse_not_finite("y_true")
    host = to_host(y)
    row = int(np.argwhere(host != np.round(host))[0][0])
    raise InputError(
        inputs.who,
        "y_true",
        f"is a matrix, so it must hold 0 and 1, one column per label, got {host[row]} in row {row}",
        f"For distributions over the classes choose {arg('soft', True)}, with log_loss or brier.",
    )


def layout_of(inputs: Inputs, *, soft: bool = False) -> str:
    """What a row is, in words: sums over rows of different problems must not be added."""
    p = inputs[next(name for name in ("y_prob", "logits", "y_score") if name in inputs)]
    if p.ndim == 1:
        return "one probability per row"
    several = inputs["y_true"].ndim == 2 and not soft
    return f"{p.shape[1]} {'labels' if several else 'classes'} per row"


@dataclass(frozen=True)
class ProperSums(Statistic[Sum]):
    """Sums of squared and log losses, and the weight of rows whose log loss is infinite.

    ``floor`` bounds probabilities from below; the rows it moves are counted where the infinite ones are otherwise.
    """

    rules: LabelRules
    logs: bool
    floor: float | str = 0.0
    soft: bool = False

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return NAMES

    @memo
    def of(self, inputs: Inputs) -> Sum:
        """The sums; bad probabilities are refused."""
        f = forecast(inputs, self.rules, soft=self.soft)
        fast = self._fast(inputs, f)
        if fast is not None:
            return Sum(NAMES, fast, inputs.n, layout_of(inputs, soft=self.soft))
        rows = self._rows(inputs, f)
        xp = namespace(rows[0])
        totals = np.stack([total(xp, r, inputs.weight) for r in rows])
        return Sum(NAMES, totals, inputs.n, layout_of(inputs, soft=self.soft))

    def _fast(self, inputs: Inputs, f: Forecast) -> Any:
        if not self._compiled(f):
            return None
        w = inputs.host_weight()
        if f.kind == "binary":
            sums = kernels.binary.losses(f.p, f.truth, w, logs=self.logs)
        else:
            sums = kernels.multiclass.losses(f.p, f.truth, w)
        if not (sums[4] >= 0 and sums[5] <= 1 and np.isfinite(sums[:4]).all()):
            refuse_outside(inputs, f.name, f.p)
        if f.kind == "classes" and sums[6] > sum_tolerance(inputs, f.name):
            refuse_sums(inputs, f.name, f.p.sum(axis=1, dtype=np.float64))
        floor = _floor(self.floor, inputs.epsilon[f.name])
        return _with_floor(sums[:4], floor) if floor == 0 or floor < _smallest(f.p, sums) else None

    def _compiled(self, f: Forecast) -> bool:
        """Whether the kernels serve: probabilities of single labels, large, on the host."""
        known = f.kind in ("binary", "classes") and f.name == "y_prob"
        return known and kernels.worthwhile(f.p) and is_numpy(f.truth)

    def linear(self, inputs: Inputs) -> Linear:
        """One row of losses per unit."""
        rows = to_host(self.unit_rows(inputs)).astype(np.float64)
        layout = layout_of(inputs, soft=self.soft)
        return Linear(lambda t: Sum(NAMES, t, inputs.n, layout), len(NAMES), rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        """The losses of each unit under their names."""
        rows = self._rows(inputs, forecast(inputs, self.rules, soft=self.soft))
        return namespace(rows[0]).stack(rows, axis=-1)

    def power_sums(self, inputs: Inputs, total: Sum, slope: Any, centre: float) -> tuple[float, float] | None:
        """One more pass over the probabilities."""
        f = forecast(inputs, self.rules, soft=self.soft)
        if not is_numpy(f.p):
            return None
        if self._compiled(f) and self.floor == 0:
            spread = (kernels.binary if f.kind == "binary" else kernels.multiclass).spread
            return spread(f.p, f.truth, inputs.host_weight(), slope[1], slope[2], centre - slope[0])
        rows = (g * row for g, row in zip(slope, self._rows(inputs, f), strict=True) if g)
        return powers_of(sum(rows, -centre), inputs.host_weight())

    def row_powers(self, inputs: Inputs, total: Sum, *, cubes: bool) -> tuple[Any, Any] | None:
        """One more pass over large probabilities, for the loss that the metric is the mean of."""
        f = forecast(inputs, self.rules, soft=self.soft)
        if inputs.weight is not None or not self._compiled(f):
            return None
        slope, at = np.zeros(len(NAMES)), 2 if self.logs else 1
        slope[at] = 1.0
        powers = self.power_sums(inputs, total, slope, float(total.totals[at] / total.totals[0]))
        return None if powers is None else around_mean(powers, inputs.n, 1 + at, 1 + len(NAMES), cubes=cubes)

    def _rows(self, inputs: Inputs, f: Forecast) -> tuple[Array, ...]:
        p = probabilities(inputs, f.name, labelwise=f.kind == "labels")
        xp = namespace(p)
        with quiet():
            log_p, log_not = _logs(xp, f, p)
            squared, logs = _LOSSES[f.kind](xp, f.truth, p, log_p, log_not)
        bad = ~xp.isfinite(logs)
        floor = _floor(self.floor, inputs.epsilon[f.name])
        if floor > 0:
            clipped = xp.where(p < floor, xp.full_like(p, floor), p)
            other = xp.where(1 - p < floor, xp.full_like(p, floor), 1 - p)
            bounded = _LOSSES[f.kind](xp, f.truth, p, xp.log(clipped), xp.log(other))[1]
            bad = ~(logs <= bounded + 1e-5)  # every row that the bound moved is counted, whether it was infinite or not
            logs = xp.where(bad, bounded, logs)
        logs = xp.where(xp.isfinite(logs), logs, xp.zeros_like(logs))
        return xp.ones_like(logs), squared, logs, xp.astype(bad, logs.dtype)


def _floor(floor: float | str, step: float) -> float:
    """``"eps"`` is the smallest step of the dtype that the probabilities came in."""
    return step if isinstance(floor, str) else floor


def _smallest(p: Any, sums: Any) -> float:
    """The least of all p and 1 - p that are not zero: a smaller bound moves the zeros alone."""
    if sums[4] > 0 and sums[5] < 1:
        return float(min(sums[4], 1 - sums[5]))
    return float(np.min(np.minimum(p, 1 - p), where=(p > 0) & (p < 1), initial=1.0))


def _with_floor(sums: Any, floor: float) -> Any:
    if floor > 0:
        sums[2] -= sums[3] * np.log(floor)
    return sums


def _logs(xp: Any, f: Forecast, p: Array) -> tuple[Array, Array]:
    """log p and log(1 - p), from logits without the detour over p."""
    if f.name == "logits":
        if f.p.ndim == 1 or f.kind == "labels":
            return log_sigmoid(xp, f.p), log_sigmoid(xp, -f.p)
        both = log_softmax(xp, f.p)
        return both, both
    return xp.log(p), xp.log1p(-p)


def _binary(xp: Any, mask: Array, p: Array, log_p: Array, log_not: Array) -> tuple[Array, Array]:
    return (xp.astype(mask, p.dtype) - p) ** 2, 0 - xp.where(mask, log_p, log_not)


def _classes(xp: Any, code: Array, p: Array, log_p: Array, _: Array) -> tuple[Array, Array]:
    true = as_int(code)[:, None] == like(p, np.arange(p.shape[1]))[None, :]
    squared = xp.sum((p - xp.astype(true, p.dtype)) ** 2, axis=1)
    return squared, 0 - xp.sum(xp.where(true, log_p, xp.zeros_like(p)), axis=1)


def _soft(xp: Any, target: Array, p: Array, log_p: Array, _: Array) -> tuple[Array, Array]:
    return xp.sum((p - target) ** 2, axis=1), 0 - xp.sum(xp.where(target > 0, target * log_p, xp.zeros_like(p)), axis=1)


def _labels(xp: Any, true: Array, p: Array, log_p: Array, log_not: Array) -> tuple[Array, Array]:
    squared, logs = _binary(xp, true == 1, p, log_p, log_not)
    return xp.mean(squared, axis=1), xp.mean(logs, axis=1)


_LOSSES = {"binary": _binary, "classes": _classes, "soft": _soft, "labels": _labels}


@dataclass(frozen=True, kw_only=True)
class ProbabilityMetric(Metric[Sum]):
    """A score of probabilities, from ``y_prob`` or ``logits``; ``classes`` states the order of the columns."""

    takes = Takes(("y_true",), ("y_prob", "logits"), one_of=True)

    classes: tuple[Label, ...] | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Check the label set."""
        super().__post_init__()
        check_classes(self.name, self.classes)


@dataclass(frozen=True, kw_only=True)
class LogLoss(ProbabilityMetric):
    r"""Mean negative log-probability of what happened.

    .. math:: -\frac1n \sum_i \log p_i(y_i)

    A matrix y_true holds 0 and 1, one column per label, and a row counts the mean over its labels; with ``soft=True`` each row is a
    distribution over the classes. Proper: only the true probabilities are best. A row that gives the truth probability 0 makes it
    infinite; such rows are counted. ``clip="eps"`` bounds probabilities from below at the smallest step of the dtype they came in,
    a number at that number.

    >>> log_loss([1, 0, 0, 1], y_prob=[0.9, 0.1, 0.2, 0.65])
    0.2161...
    """

    record = Record(
        title="Log loss", range=(0, np.inf), better="lower", family="mean", transform="log", takes=TAKES,
        undefined="infinite where the truth had probability 0", use="to rank probabilistic classifiers",
        misleads="a single confident error can decide it; clipping hides that and differs between libraries",
        equals=('scikit-learn log_loss: clip="eps"; of several labels the mean of its values for each',
                "torch cross_entropy, nll_loss", "permetrics CEL: clip=1e-10"),
        references=("good1952",),
        traps=(1, 26),
        properties=frozenset({"proper"}),
        aliases=("logloss", "BCE", "CCE", "cross_entropy"),
        erratum=f"{RESAMPLING_NOTES}: the multiclass formula lacks the minus sign.",
    )  # fmt: skip

    clip: Literal["eps"] | float | None = None
    soft: bool = False

    def check(self) -> None:
        """A small positive bound."""
        if isinstance(self.clip, str):
            choice(self.name, "clip", self.clip, ("eps",))
        elif self.clip is not None:
            number(self.name, "clip", self.clip, low=0, high=0.5, open_low=True)

    def statistic(self) -> ProperSums:
        """Log losses."""
        return ProperSums(LabelRules(self.classes, self.positive), logs=True, floor=self.clip or 0.0, soft=self.soft)

    def of(self, total: Sum) -> Floats:
        """Their mean, infinite if some are."""
        value = divide(total["log"], total["weight"])
        return value if self.clip is not None else np.where(real(total["infinite"]) > 0, np.inf, value)

    def remarks(self, total: Sum) -> dict[str, float]:
        """Rows that gave what happened probability 0."""
        what = "rows gave what happened probability 0; the loss is infinite"
        if self.clip is not None:
            what = "rows gave what happened a probability below clip and were clipped"
        return {what: float(total["infinite"])}


@dataclass(frozen=True, kw_only=True)
class Brier(ProbabilityMetric):
    r"""Mean squared error of the probabilities.

    .. math:: \frac1n \sum_i \sum_k (p_{ik} - 1[y_i = k])^2

    With one probability per row, of the positive class, it is the mean of (p - y)² and lies in 0..1. With one column per class
    it sums over the classes and lies in 0..2; ``halve=True`` brings that to 0..1. A matrix y_true holds 0 and 1, one column a
    label, and a row counts the mean over its labels; with ``soft=True`` each row is a distribution over the classes. Proper.

    >>> brier([0, 1, 1, 0], y_prob=[0.25, 0.75, 0.5, 0.5])
    0.15625
    """

    record = Record(
        title="Brier score", range=(0, 2), better="lower", family="mean", transform="log", takes=TAKES,
        use="to rank probabilistic classifiers without fear of infinity", misleads="differences are small when the class is rare",
        equals=("scikit-learn brier_score_loss; of several labels the mean of its values for each",
                "yardstick brier_class: halve=True with several classes"),
        references=("brier1950",),
        traps=(26,), properties=frozenset({"proper"}),
        aliases=("brier_score", "brier_score_loss"),
    )  # fmt: skip

    halve: bool = False
    soft: bool = False

    def bounds_of(self, total: Sum) -> tuple[float, float]:
        """One probability per row or label cannot be off by more than 1; a distribution over classes by 2."""
        return self.bounds if total.layout.endswith("classes per row") else (0, 1)

    def statistic(self) -> ProperSums:
        """Squared losses."""
        return ProperSums(LabelRules(self.classes, self.positive), logs=False, soft=self.soft)

    def of(self, total: Sum) -> Floats:
        """Their mean."""
        return divide(total["squared"], total["weight"]) * (0.5 if self.halve else 1)
