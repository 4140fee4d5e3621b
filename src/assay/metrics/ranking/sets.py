"""Measures of the retrieved set, whatever its order: precision, recall, F, utility, and totals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Sum
from assay.core.parameters import number
from assay.core.record import Record
from assay.metrics.ranking.family import SET_TAKES, Ranked, RankingMetric
from assay.ops import divide

Part = Literal["f", "precision", "recall", "relative_precision", "average_precision"]
Quantity = Literal["relevant_retrieved", "retrieved", "relevant", "nonrelevant_judged_retrieved", "queries"]


def _found(ranked: Ranked) -> Floats:
    slots = ranked.slots()
    return slots.sums((slots.grade >= ranked.level).astype(np.float64), ranked.n)


@dataclass(frozen=True, kw_only=True)
class SetRetrieval(RankingMetric):
    r"""Precision, recall and F of everything that was retrieved.

    .. math:: P = \frac{hits}{retrieved}, \quad R = \frac{hits}{relevant}, \quad F_\beta = \frac{(1+\beta^2)PR}{\beta^2 P + R}

    ``measure="average_precision"`` is trec_eval's set_map, P R; ``"relative_precision"`` is precision over the largest one possible.

    >>> set_retrieval([[1, 0, 1, 1]], [[0.9, 0.8, 0.7, 0.6]], max_retrieved=2)
    0.4
    """

    record = Record(
        title="Precision, recall and F of retrieved sets",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=SET_TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="boolean search and filtering, where there is a set and no order",
        misleads="where rankings are cut at a fixed length, the length decides precision",
        equals=("trec_eval: set_F, set_P, set_recall, set_relative_P, set_map",),
        references=("rijsbergen1979",),
    )

    measure: Part = "f"
    beta: float = 1.0

    def check(self) -> None:
        """A weight of recall above 0."""
        super().check()
        number(self.name, "beta", self.beta, low=0, open_low=True)

    @property
    def optimum(self) -> float | None:
        """Everything that is ranked counts as retrieved: no order reaches the bound."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """The value of each query."""
        hits, retrieved, relevant = _found(ranked), ranked.retrieved, ranked.relevant
        square = self.beta**2
        if self.measure == "precision":
            return np.where(retrieved > 0, divide(hits, retrieved), 0.0)
        if self.measure == "average_precision":
            slots = ranked.slots("hits")
            hits = slots.sums(
                (slots.grade >= ranked.level) * (2 * slots.hits + 1), ranked.n
            )  # their square, also where it varies
        below = {
            "f": square * relevant + retrieved,
            "recall": relevant,
            "relative_precision": np.minimum(retrieved, relevant),
            "average_precision": retrieved * relevant,
        }[self.measure]
        top = (1 + square) * hits if self.measure == "f" else hits
        return ranked.dense(np.where(below > 0, divide(top, below), 0.0))


@dataclass(frozen=True, kw_only=True)
class RetrievalUtility(RankingMetric):
    r"""Worth of the retrieved set: what each kind of document gains or costs.

    .. math:: a\,hits + b\,(retrieved - hits) + c\,(relevant - hits) + d\,(collection - rest)

    ``worth`` holds (a, b, c, d); ``collection`` is the number of documents there are, needed where d is not 0.

    >>> retrieval_utility([[1, 0, 1]], [[0.9, 0.8, 0.7]])
    1.0
    """

    record = Record(
        title="Utility of a retrieved set",
        range=(-math.inf, math.inf),
        better="higher",
        family="mean",
        takes=SET_TAKES,
        undefined="all queries are skipped",
        use="filtering with known costs",
        misleads="queries with many documents dominate the mean",
        equals=("trec_eval: utility",),
        references=("rijsbergen1979",),
    )

    worth: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0)
    collection: int = 0

    @property
    def optimum(self) -> float | None:
        """No order of the same documents changes it."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """The worth of each query."""
        hits, retrieved, relevant = _found(ranked), ranked.retrieved, ranked.relevant
        a, b, c, d = self.worth
        rest = self.collection + hits - retrieved - relevant
        return a * hits + b * (retrieved - hits) + c * (relevant - hits) + d * rest


@dataclass(frozen=True, kw_only=True)
class RetrievalCount(RankingMetric):
    r"""Totals over queries: how many documents were retrieved, relevant, or both.

    .. math:: \sum_q count_q

    ``of_what`` names what is counted.

    >>> retrieval_count([[1, 0, 1]], [[0.9, 0.8, 0.7]])
    2.0
    """

    record = Record(
        title="Counts of documents",
        range=(0, math.inf),
        better="none",
        family="total",
        takes=SET_TAKES,
        undefined="never on valid data",
        use="a look at the data before any measure",
        misleads="totals are dominated by queries with many documents",
        equals=("trec_eval: num_rel_ret, num_ret, num_rel, num_nonrel_judged_ret, num_q",),
        references=("buckley2000",),
    )

    of_what: Quantity = "relevant_retrieved"

    @property
    def weights_count(self) -> bool:
        """A total."""
        return True

    def values(self, ranked: Ranked) -> Floats:
        """The count of each query."""
        if self.of_what == "nonrelevant_judged_retrieved":
            slots = ranked.slots(everything=True)
            return slots.sums(((slots.grade >= 0) & (slots.grade < ranked.level)).astype(np.float64), ranked.n)
        if self.of_what == "relevant_retrieved":
            return _found(ranked)
        return {"retrieved": ranked.retrieved, "relevant": ranked.relevant, "queries": np.ones(ranked.n)}[self.of_what]

    def of(self, total: Sum) -> Floats:
        """The total."""
        return total["value"]
