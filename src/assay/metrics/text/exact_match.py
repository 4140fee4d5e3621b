"""Exact match: the fraction of texts that equal one of their references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.data.texts import TEXT
from assay.metrics.averages import Numbers
from assay.metrics.text.family import TEXTS, TextMetric
from assay.metrics.unit_sums import UNITS
from assay.ops import divide


@dataclass(frozen=True)
class Matches:
    """Whether each text equals one of its references."""

    names = ("match",)

    def rows(self, inputs: Inputs) -> Floats:
        """One or zero per row."""
        truth, found = inputs["y_true"], inputs["y_pred"]
        equal = truth[TEXT] == found[TEXT][truth.row]
        return (np.bincount(truth.row[equal.astype(np.bool_)], minlength=truth.n) > 0).astype(np.float64)[:, None]


@dataclass(frozen=True, kw_only=True)
class ExactMatch(TextMetric):
    r"""Fraction of texts that equal one of their references.

    .. math:: \frac{1}{n} \sum_i \max_r [\hat t_i = t_{ir}]

    Texts are compared as they are, character by character.

    >>> exact_match(["Paris", ["42", "forty-two"]], ["Paris", "forty-two."])
    0.5
    """

    record = Record(
        title="Exact match", range=(0, 1), better="higher", family="proportion", transform="logit", takes=TEXTS,
        use="short answers that are right or wrong", misleads="an answer that differs by a comma counts as wrong",
        references=("rajpurkar2016",), aliases=("em",),
    )  # fmt: skip

    def measure(self) -> Matches:
        """Equal or not."""
        return Matches()

    def of(self, total: Sum) -> Numbers:
        """The fraction."""
        return divide(total["match"], total[UNITS])
