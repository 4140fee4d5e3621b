"""Measures of binary relevance: average precision, precision, recall, hit rate, reciprocal rank, R-precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.distributions import hypergeometric
from assay.core.monoids import Sum
from assay.core.parameters import number
from assay.core.record import Record
from assay.core.sources import METRICS_LIST
from assay.metrics.ranking.family import TAKES, CutMetric, Ranked, RankingMetric
from assay.ops import divide

FLOOR = 1e-5  # of a value in a geometric mean, as in trec_eval


@dataclass(frozen=True, kw_only=True)
class AveragePrecisionAtK(CutMetric):
    r"""Mean over queries of the precision at each relevant document.

    .. math:: AP = \frac{1}{R}\sum_{i \le k} rel_i\,P@i

    With ``k=None`` it is MAP. Relevant documents that are not ranked count with precision 0. What a cut at ``k`` divides by differs between
    tools: ``denominator="relevant"`` is R as in trec_eval, ``"attainable"`` min(k, R), ``"retrieved"`` the relevant ones among the
    first k, which rewards finding few. ``mean="geometric"`` is trec_eval's gm_map, in which no query counts below 0.00001.

    >>> average_precision_at_k([[1, 0, 1]], [[0.9, 0.8, 0.7]])
    0.8333...
    """

    record = Record(
        title="Mean average precision of rankings",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="ad hoc retrieval with binary judgments, where all relevant documents should be found early",
        misleads="divided by what was retrieved, a system that finds less scores more",
        equals=("trec_eval: map (k=None), map_cut (k=10), gm_map (mean='geometric')", "pytrec_eval: map, map_cut"),
        differs=("torchmetrics retrieval_average_precision with top_k divides by the relevant documents in the top k",),
        references=("buckley2000",),
        aliases=("map_at_k", "map_cut"),
        traps=(22,),
        erratum=f"{METRICS_LIST}, divides AP@k by the hits in the top k (hits at 1, 2, 3, 6, 7 and 9 of 10 give 0.841270), and its "
        "formula of the mean lacks the division by the number of queries.",
    )

    denominator: Literal["relevant", "attainable", "retrieved"] = "relevant"
    mean: Literal["arithmetic", "geometric"] = "arithmetic"

    @property
    def optimum(self) -> float | None:
        """Out of reach where a query has more relevant documents than count."""
        return super().optimum if self.k is None or self.denominator != "relevant" else None

    def values(self, ranked: Ranked) -> Floats:
        """Average precision of each query."""
        found = self.within(ranked, "hits")
        found = found.at(found.grade >= ranked.level)
        precision = found.sums((found.hits + 1) / found.position, ranked.n)
        if self.denominator == "retrieved":
            hits = self.hits(ranked)
            values = np.where(hits > 0, divide(precision, hits), 0.0)
            return ranked.dense(self._over_ties(ranked, values))
        attainable = np.inf if self.denominator == "relevant" or self.k is None else self.k
        return ranked.dense(divide(precision, np.minimum(ranked.relevant, attainable)))

    def _over_ties(self, ranked: Ranked, values: Floats) -> Floats:
        """Where a tie reaches over the cut, the number of hits is random too: the mean over how many of the tie are among the first k."""
        found = ranked.standing()
        k = min(self.k or np.inf, self.max_retrieved or np.inf)
        cut = (found.size > 1) & (found.above < k) & (found.above + found.size > k)
        values = values.copy()
        for row in np.unique(found.row[cut]).tolist():
            own = found.at((found.row == row) & (found.grade >= ranked.level))
            tied = (own.size > 1) & (own.above < k) & (own.above + own.size > k)
            if not tied.any():
                continue
            before = own.at(own.above < own.above[tied][0])
            base = CutMetric.slots_of(ranked, before, "hits")
            start = float(np.sum(base.weight * (base.hits + 1) / base.position))
            above, size, r = int(own.above[tied][0]), int(own.size[tied][0]), int(tied.sum())
            values[row] = _straddling(start, len(before.row), above, size, r, int(k) - above)
        return values

    def scale(self, values: Floats) -> Floats:
        """Logarithms for the geometric mean."""
        return np.log(np.maximum(values, FLOOR)) if self.mean == "geometric" else values

    def of(self, total: Sum) -> Floats:
        """The mean of the queries."""
        mean = super().of(total)
        return np.exp(mean) if self.mean == "geometric" else mean


def _straddling(start: float, before: int, above: int, size: int, relevant: int, kept: int) -> float:
    """Mean of precision sum over hits: ``kept`` of the ``size`` tied documents, of which some are ``relevant``, count."""
    total = 0.0
    for hits in range(min(kept, relevant) + 1):
        if before + hits == 0:
            continue
        j = np.arange(1, kept + 1)
        inside = (hits / kept) * (before + 1 + (j - 1) * (hits - 1) / max(kept - 1, 1)) / (above + j)
        odds = float(hypergeometric(np.array(hits), size, relevant, np.array(kept)))
        total += odds * (start + float(inside.sum())) / (before + hits)
    return total


@dataclass(frozen=True, kw_only=True)
class PrecisionAtK(CutMetric):
    r"""Fraction of the first ``k`` documents that are relevant.

    .. math:: P@k = \frac{1}{k}\sum_{i \le k} rel_i

    Rankings shorter than ``k`` are filled up with nonrelevant documents, as in trec_eval. ``relative=True`` divides by the largest value
    that the query allows, min(k, R) / k.

    >>> precision_at_k([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]], k=2)
    0.5
    """

    record = Record(
        title="Precision at k",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="one page of results, where every place counts alike",
        misleads="a query with fewer than k relevant documents cannot reach 1",
        equals=("trec_eval: P, relative_P (relative=True)", "pytrec_eval: P"),
        references=("buckley2000",),
        aliases=("precision_at",),
    )

    k: int = 10
    relative: bool = False

    @property
    def optimum(self) -> float | None:
        """Out of reach where fewer than k documents are relevant."""
        return super().optimum if self.relative else None

    def values(self, ranked: Ranked) -> Floats:
        """Precision of each query."""
        if self.relative:
            return ranked.dense(divide(self.hits(ranked), np.minimum(ranked.relevant, self.k)))
        return self.hits(ranked) / self.k


@dataclass(frozen=True, kw_only=True)
class RecallAtK(CutMetric):
    r"""Fraction of the relevant documents that are among the first ``k``.

    .. math:: R@k = \frac{1}{R}\sum_{i \le k} rel_i

    Relevant documents that the ranking lacks count as not found.

    >>> recall_at_k([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]], k=2)
    0.5
    """

    record = Record(
        title="Recall at k",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="first stages of retrieval, whose candidates a second stage orders",
        misleads="with more than k relevant documents it cannot reach 1; candidates that are sampled make it too high",
        equals=("trec_eval: recall", "pytrec_eval: recall"),
        references=("buckley2000", "krichene2020"),
        aliases=("recall_at",),
    )

    k: int = 10

    @property
    def optimum(self) -> float | None:
        """Out of reach where more than k documents are relevant."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """Recall of each query."""
        return ranked.dense(divide(self.hits(ranked), ranked.relevant))


@dataclass(frozen=True, kw_only=True)
class HitRate(CutMetric):
    r"""Fraction of the queries with a relevant document among the first ``k``.

    .. math:: HR@k = \frac{1}{Q}\sum_q \left[\exists\, i \le k: rel_i\right]

    trec_eval calls it success. With one relevant item per user, as in leave-one-out tests of recommenders, it equals recall at k.

    >>> hit_rate([[0, 1], [1, 0]], [[0.9, 0.8], [0.7, 0.6]], k=1)
    0.5
    """

    record = Record(
        title="Hit rate at k",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="one good answer suffices: navigation, leave-one-out tests of recommenders",
        misleads="among sampled candidates it is far higher than among all items, and may order models differently",
        equals=("trec_eval: success", "ranx: hit_rate"),
        references=("krichene2020",),
        aliases=("success", "success_at_k"),
    )

    k: int = 10

    @property
    def optimum(self) -> float | None:
        """Out of reach where a query has no relevant document."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """Whether there is a hit."""
        found = self.within(ranked, "hits")
        return found.sums(((found.grade >= ranked.level) & (found.hits == 0)).astype(np.float64), ranked.n)


@dataclass(frozen=True, kw_only=True)
class MeanReciprocalRank(CutMetric):
    r"""Mean over queries of one over the rank of the first relevant document.

    .. math:: MRR = \frac{1}{Q}\sum_q \frac{1}{rank_q}

    A query whose ranking holds no relevant document among the first ``k`` counts as 0.

    >>> mean_reciprocal_rank([[0, 1], [1, 0]], [[0.9, 0.8], [0.7, 0.6]])
    0.75
    """

    record = Record(
        title="Mean reciprocal rank",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="one right answer is wanted, as early as possible",
        misleads="the step from rank 1 to 2 weighs as much as all further ones",
        equals=("trec_eval: recip_rank", "pytrec_eval: recip_rank"),
        references=("voorhees1999",),
        aliases=("mrr", "reciprocal_rank", "recip_rank"),
    )

    @property
    def optimum(self) -> float | None:
        """Out of reach where a query has no relevant document."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """One over the rank of the first relevant document."""
        found = self.within(ranked, "hits")
        first = (found.grade >= ranked.level) & (found.hits == 0)
        return found.sums(first / found.position, ranked.n)


@dataclass(frozen=True, kw_only=True)
class RPrecision(RankingMetric):
    r"""Precision at the number of relevant documents.

    .. math:: R\text{-}prec = \frac{1}{R}\sum_{i \le R} rel_i

    ``multiple`` moves the cut to a multiple of R, as trec_eval's Rprec_mult does: from below 1 (precision) to above (recall).

    >>> r_precision([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]])
    0.5
    """

    record = Record(
        title="R-precision",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="queries with very different numbers of relevant documents",
        misleads="rests on a single cut per query",
        equals=("trec_eval: Rprec, Rprec_mult (multiple=0.2)", "pytrec_eval: Rprec"),
        references=("buckley2000",),
        aliases=("rprec",),
    )

    multiple: float = 1.0

    def check(self) -> None:
        """A multiple above 0."""
        super().check()
        number(self.name, "multiple", self.multiple, low=0, open_low=True)

    @property
    def optimum(self) -> float | None:
        """Out of reach where the cut lies beyond the relevant documents."""
        return super().optimum if self.multiple <= 1 else None

    def values(self, ranked: Ranked) -> Floats:
        """Precision at the cut of each query."""
        cut = np.floor(self.multiple * ranked.relevant + 0.9)
        found = ranked.slots()
        hit = (found.grade >= ranked.level) & (found.position <= cut[found.row])
        return ranked.dense(divide(found.sums(hit.astype(np.float64), ranked.n), cut))
