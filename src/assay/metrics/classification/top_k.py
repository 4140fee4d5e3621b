"""Top-k accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from assay import kernels
from assay.core.arrays import Array, Floats, as_int, describe, is_numpy, like, namespace, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.parameters import whole
from assay.core.record import Record
from assay.core.statistic import Linear, Statistic
from assay.core.takes import Takes
from assay.metrics.classification.decisions import probabilities
from assay.metrics.classification.labels import LabelRules, column_classes, encode
from assay.metrics.classification.probabilities import ProbabilityMetric, layout_of
from assay.ops import divide, total


@dataclass(frozen=True)
class _TopHits(Statistic[Sum]):
    """Chance that the true class is among the k best, ties broken at random."""

    rules: LabelRules
    k: int

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("weight", "hits")

    def of(self, inputs: Inputs) -> Sum:
        rows = self.unit_rows(inputs)
        sums = total(namespace(rows), rows, inputs.weight)
        return Sum(("weight", "hits"), sums, inputs.n, layout_of(inputs))

    def linear(self, inputs: Inputs) -> Linear:
        rows = to_host(self.unit_rows(inputs)).astype(np.float64)
        return Linear(lambda t: Sum(("weight", "hits"), t, inputs.n), 2, rows=rows)

    def unit_rows(self, inputs: Inputs) -> Array:
        rows = self._rows(inputs)
        xp = namespace(rows)
        return xp.stack([xp.ones_like(rows), rows], axis=-1)

    def _rows(self, inputs: Inputs) -> Array:
        name = next(n for n in ("y_score", "y_prob", "logits") if n in inputs)
        p = inputs.numbers(name, ranks=(2,))
        inputs.refuse_ties(name)
        if name == "y_prob":
            probabilities(inputs, name)
        if inputs["y_true"].ndim != 1:
            raise InputError(
                inputs.who,
                "y_true",
                f"must hold one label per row, got {describe(inputs['y_true'])}",
                "Multilabel problems have no top k.",
            )
        if self.k >= p.shape[1]:
            _refuse_all(inputs.who, self.k, int(p.shape[1]))
        code = encode(inputs, "y_true", column_classes(inputs, name, self.rules))
        xp = namespace(p)
        if kernels.worthwhile(p) and is_numpy(code):
            greater, equal, bad = kernels.multiclass.standing(p, np.ascontiguousarray(code, dtype=np.int64))
        else:
            true = xp.sum(
                xp.where(as_int(code)[:, None] == like(p, np.arange(p.shape[1]))[None, :], p, xp.zeros_like(p)), axis=1
            )
            greater = xp.sum(as_int(p > true[:, None]), axis=1)
            equal = xp.sum(as_int(p == true[:, None]), axis=1)
            bad = int(xp.sum(as_int(xp.isnan(p))))
        if bad:
            inputs.refuse_not_finite(name)
        share = xp.astype(self.k - greater, p.dtype) / xp.astype(equal, p.dtype)
        return xp.where(share > 1, xp.ones_like(share), xp.where(share < 0, xp.zeros_like(share), share))


def _refuse_all(who: str, k: int, classes: int) -> NoReturn:
    """Say what k can be: the usual five are all of a few classes."""
    choice = f"Choose {arg('k')} from 1 to {classes - 1}, such as {arg('k', min(3, classes - 1))}."
    if classes == 2:
        choice = f"Of two classes only {arg('k', 1)} is left, which is accuracy."
    raise InputError(who, "", f"{arg('k', k)} takes all {classes} classes, so every row is right", choice)


@dataclass(frozen=True, kw_only=True)
class TopKAccuracy(ProbabilityMetric):
    r"""Fraction of rows whose true class is among the ``k`` highest scores.

    .. math:: \frac1n \sum_i 1[\mathrm{rank}_i(y_i) \le k]

    Where the true class ties with others across the border, the row counts the chance that a random order puts it inside, so
    that the order of the columns does not matter and a constant score earns k/K.

    >>> top_k_accuracy([0, 1, 2, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]], k=2)
    0.75
    """

    record = Record(
        title="Top-k accuracy", range=(0, 1), better="higher", family="bounded_mean", transform="logit",
        takes=("y_true: labels", "y_score: scores", "y_prob: probabilities", "logits: logits"),
        use="many classes, or several suggestions shown", misleads="k close to the number of classes scores near 1 for any model",
        equals=("scikit-learn top_k_accuracy_score where scores do not tie",), references=("russakovsky2015",),
        aliases=("top_k_accuracy_score",),
    )  # fmt: skip
    takes = Takes(("y_true",), ("y_score", "y_prob", "logits"), one_of=True)

    k: int = 5

    def check(self) -> None:
        """At least one place."""
        whole(self.name, "k", self.k)

    def statistic(self) -> _TopHits:
        """Hits."""
        return _TopHits(LabelRules(self.classes, self.positive), self.k)

    def of(self, total: Sum) -> Floats:
        """Their fraction."""
        return divide(total["hits"], total["weight"])
