"""Decisions by their cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError, ParameterError, arg
from assay.core.monoids import Counts, Label
from assay.core.record import Record
from assay.core.sources import RESAMPLING_NOTES
from assay.metrics.classification.decisions import Decision
from assay.metrics.classification.family import TAKES, TableMetric
from assay.metrics.classification.labels import LabelRules, binary_classes, shown
from assay.ops import divide


@dataclass(frozen=True, kw_only=True)
class ExpectedCost(TableMetric):
    r"""Mean cost of the decisions under a cost matrix.

    .. math:: \frac1n \sum_i C[y_i, \hat y_i]

    ``cost[t][p]`` is the cost of predicting p when t is true, in the order of ``classes`` (0..K-1 if not said). Given
    probabilities, each row gets the decision of smallest expected cost.

    >>> expected_cost([0, 1, 1, 0], [1, 1, 0, 0], cost=[[0, 1], [5, 0]])
    1.5
    """

    record = Record(
        title="Expected cost", range=(-np.inf, np.inf), better="lower", family="mean", takes=TAKES,
        use="errors have known, unequal costs", misleads="only as good as the costs; a shift of prevalence changes it",
        equals=("misclassification for cost 0 on and 1 off the diagonal",), references=("elkan2001",),
        erratum=f"{RESAMPLING_NOTES} have the predictions in the rows of the confusion matrix; with the truth in the rows of "
        "both matrices the cost is tr(Confᵀ Cost) / n.",
    )  # fmt: skip

    cost: tuple[tuple[float, ...], ...] = ((0.0, 1.0), (1.0, 0.0))

    def check(self) -> None:
        """A square matrix of finite costs, as large as the classes."""
        try:
            matrix: Any = np.asarray(self.cost, dtype=np.float64)
        except (ValueError, TypeError):
            matrix = np.empty(0)
        if (
            matrix.ndim != 2
            or matrix.shape[0] != matrix.shape[1]
            or matrix.shape[0] < 2
            or not np.isfinite(matrix).all()
        ):
            raise ParameterError(
                self.name, "cost", f"must be a square matrix of finite numbers, rows true, got {self.cost!r}"
            )
        if self.classes is not None and len(self.classes) != len(matrix):
            raise ParameterError(
                self.name, "cost", f"is for {len(matrix)} classes, {arg('classes')} names {len(self.classes)}"
            )

    def decision(self) -> Decision:
        """Probabilities are decided by cost."""
        return Decision(self.classes, self.positive, self.ignore_index, threshold=self.threshold, cost=self.cost)

    def order(self, labels: tuple[Label, ...]) -> tuple[Label, ...]:
        """The classes that the rows of the cost matrix stand for."""
        k = len(self.cost)
        if self.classes is not None:
            return self.classes
        if k == 2:
            return binary_classes(self.name, labels, LabelRules(None, self.positive))
        if set(labels) <= set(range(k)):
            return tuple(range(k))
        raise InputError(
            self.name,
            "classes",
            f"is required to match labels with rows of cost: the labels are {shown(labels)}",
            f"Give {arg('classes')} in the order of the rows.",
        )

    def of(self, total: Counts) -> Floats:
        """Mean cost over the table."""
        if total.layout != "labelwise":
            total = total.over(self.order(total.labels))
        return super().of(total)

    def of_table(self, table: Floats) -> Floats:
        """Sum of cost times count over the number of rows."""
        cost = np.asarray(self.cost, dtype=np.float64)
        return divide((cost * table).sum(axis=(-2, -1)), table.sum(axis=(-2, -1)))

    def cell_slopes(self, total: Counts, value: Floats) -> Floats:
        """What a row costs above the mean."""
        places = {label: at for at, label in enumerate(self.order(total.labels))}
        at = [places[label] for label in total.labels]
        return (np.asarray(self.cost, dtype=np.float64)[np.ix_(at, at)] - value) / total.table.sum()
