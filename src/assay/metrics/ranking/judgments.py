"""Measures that know which documents were judged: bpref, inferred average precision, judged at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.metrics.ranking.family import TAKES, CutMetric, Ranked, RankingMetric
from assay.metrics.ranking.precision import FLOOR
from assay.ops import divide

_EPSILON = 1e-5  # added to counts of judged documents by inferred average precision, as in trec_eval


@dataclass(frozen=True, kw_only=True)
class Bpref(RankingMetric):
    r"""Fraction of judged nonrelevant documents that rank below relevant ones.

    .. math:: bpref = \frac{1}{R}\sum_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)

    n is the number of judged nonrelevant documents before a relevant one, N that of all. Documents without a judgment do not
    matter. ``mean="geometric"`` is trec_eval's gm_bpref.

    >>> bpref([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]])
    0.75
    """

    record = Record(
        title="Binary preference",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="incomplete judgments",
        misleads="the published formula divides by R; trec_eval by the lesser of R and N, and only that stays within 0 and 1",
        equals=("trec_eval: bpref, gm_bpref (mean='geometric')", "pytrec_eval: bpref"),
        references=("buckley2004",),
    )

    mean: Literal["arithmetic", "geometric"] = "arithmetic"

    def values(self, ranked: Ranked) -> Floats:
        """bpref of each query."""
        found = ranked.slots("judged", everything=True)
        found = found.at(found.grade >= ranked.level)
        most = np.minimum(ranked.nonrelevant, ranked.relevant)[found.row]
        before = np.minimum(found.nonrelevant, ranked.relevant[found.row])
        lost = np.where(before > 0, divide(before, most), 0.0)
        return ranked.dense(divide(found.sums(1 - lost, ranked.n), ranked.relevant))

    def scale(self, values: Floats) -> Floats:
        """Logarithms for the geometric mean."""
        return np.log(np.maximum(values, FLOOR)) if self.mean == "geometric" else values

    def of(self, total: Sum) -> Floats:
        """The mean of the queries."""
        mean = super().of(total)
        return np.exp(mean) if self.mean == "geometric" else mean


@dataclass(frozen=True, kw_only=True)
class InferredAveragePrecision(RankingMetric):
    r"""Average precision estimated from a random sample of judgments of a pool.

    .. math:: \frac{1}{R}\sum_r \frac{1}{i} + \frac{i-1}{i}\cdot\frac{pool_i}{i-1}\cdot\frac{rel_i + \epsilon}{rel_i + nonrel_i + 2\epsilon}

    Documents of negative grade were in the pool and not judged; they are taken to be relevant as often as judged ones. With
    complete judgments it is average precision but for the epsilon of 0.00001.

    >>> round(inferred_average_precision([[1, 0, 1]], [[0.9, 0.8, 0.7]]), 4)
    0.8333
    """

    record = Record(
        title="Inferred average precision",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="pools of which a random part was judged",
        misleads="wrong where the judged part is not a random sample of the pool",
        equals=("trec_eval: infAP",),
        references=("yilmaz2006",),
        aliases=("infap",),
    )

    @property
    def optimum(self) -> float | None:
        """Out of reach by epsilon."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """The estimate of each query."""
        found = ranked.slots("judged", everything=True)
        found = found.at(found.grade >= ranked.level)
        pool = found.hits + found.nonrelevant + found.pooled
        share = (found.hits + _EPSILON) / (found.hits + found.nonrelevant + 2 * _EPSILON)
        terms = 1 / found.position + np.where(found.position > 1, pool / found.position * share, 0.0)
        return ranked.dense(divide(found.sums(terms, ranked.n), ranked.relevant))


@dataclass(frozen=True, kw_only=True)
class JudgedAtK(CutMetric):
    r"""Fraction of the first ``k`` documents that have a judgment.

    .. math:: J@k = \frac{1}{k}\left|\{i \le k: judged_i\}\right|

    It tells how far other numbers can be trusted: a new kind of system finds documents that nobody judged. ``complement=True`` is
    trec_eval's unj, the unjudged ones among the first k.

    >>> judged_at_k([[1, np.nan, 0]], [[0.9, 0.8, 0.7]], k=2)
    0.5
    """

    record = Record(
        title="Judged at k",
        range=(0, 1),
        better="none",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="beside every measure that counts unjudged documents as nonrelevant",
        misleads="says nothing about quality",
        equals=("trec_eval 10: unj (complement=True)", "ir_measures: Judged"),
        references=("buckley2004",),
        aliases=("judged",),
    )

    k: int = 10
    complement: bool = False

    def values(self, ranked: Ranked) -> Floats:
        """The fraction of each query."""
        found = self.within(ranked, everything=True)
        judged = found.sums((found.grade >= 0).astype(np.float64), ranked.n)
        if self.complement:
            judged = np.minimum(ranked.retrieved, self.k) - judged
        return judged / self.k
