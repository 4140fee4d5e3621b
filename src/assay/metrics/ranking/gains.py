"""Measures of graded relevance: discounted cumulative gain and its relatives, ERR, rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from assay.core.arrays import Floats, Host
from assay.core.errors import InputError, ParameterError, arg
from assay.core.parameters import number
from assay.core.record import Record
from assay.metrics.ranking.family import TAKES, CutMetric, Ranked, RankingMetric
from assay.metrics.ranking.graded_slots import running
from assay.metrics.ranking.order import Standing
from assay.metrics.ranking.slots import per_row
from assay.ops import divide


@dataclass(frozen=True, kw_only=True)
class NDCG(CutMetric):
    r"""Discounted cumulative gain, divided by that of the best possible ranking.

    .. math:: nDCG@k = \frac{\sum_{i \le k} g_i / \log_2(i+1)}{\sum_{i \le k} g^*_i / \log_2(i+1)}

    The ideal ranking g* holds all judged documents by decreasing gain, also those that the ranking lacks. ``gain="linear"`` takes the
    grade itself, ``"exponential"`` 2^grade - 1, which favours the highest grades. Grades may be fractions; those at or below 0
    gain nothing. ``relevance`` does not matter here.

    >>> ndcg([[3, 2, 0, 1]], [[0.9, 0.8, 0.7, 0.6]], k=10)
    0.9854...
    """

    record = Record(
        title="Normalised discounted cumulative gain",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a document of a grade above 0, or all are skipped",
        use="graded judgments, where the first documents matter most",
        misleads="linear and exponential gain, and the rule for ties, give different numbers under one name",
        equals=(
            "trec_eval: ndcg, ndcg_cut (gain='linear', ties='id')",
            "sklearn.metrics.ndcg_score: ties='average'",
        ),
        references=("jarvelin2002", "burges2005"),
        aliases=("ndcg_at_k", "ndcg_cut", "ndcg_score", "normalized_discounted_cumulative_gain"),
        traps=(22,),
    )

    gain: Literal["linear", "exponential"] = "linear"

    def gains(self, grades: Floats) -> Floats:
        """The gain of each grade."""
        return np.exp2(grades) - 1 if self.gain == "exponential" else grades

    def values(self, ranked: Ranked) -> Floats:
        """nDCG of each query."""
        found = self.within(ranked)
        gained = found.sums(self.gains(found.grade) / np.log2(1 + found.position), ranked.n)
        best = self.ideal(ranked)
        return np.where(best > 0, divide(gained, best), np.nan)

    def ideal(self, ranked: Ranked) -> Floats:
        """The gain of all judged documents in the best order."""
        judged = ranked.judged
        row, gain, place = ideal_order(ranked, self.gains(judged.grade))
        kept = place < (np.inf if self.k is None else self.k)
        return per_row(row[kept], (gain / np.log2(2 + place))[kept], ranked.n)


def ideal_order(ranked: Ranked, gains: Floats) -> tuple[Host, Floats, Host]:
    """Row, gain and place (from 0) of all judged documents of positive grade in the best order."""
    row: Any = ranked.judged.row
    order = np.lexsort((-gains, row))
    row = row[order]
    place = cast(Any, np.arange(len(row))) - cast(Any, np.searchsorted(row, row))
    return row, gains[order], place


@dataclass(frozen=True, kw_only=True)
class NDCGAtRelevant(RankingMetric):
    r"""nDCG at the rank of each relevant document, averaged over these; experimental in trec_eval.

    .. math:: \frac{1}{R}\sum_{i:\,g_i > 0} nDCG@i

    ``points="documents"`` averages over documents of positive gain (trec_eval's ndcg_rel; those that the ranking lacks have the value at
    its end), ``"grades"`` over the ranks at which the ideal ranking goes down to the next grade (Rndcg).

    >>> ndcg_at_relevant([[1, 0, 1]], [[0.9, 0.8, 0.7]])
    0.9598...
    """

    record = Record(
        title="nDCG averaged over ranks",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a document of a grade above 0, or all are skipped",
        use="comparison with published values of trec_eval",
        misleads="hardly used; its values are not those of nDCG",
        equals=("trec_eval: ndcg_rel, Rndcg (points='grades')",),
        references=("jarvelin2002",),
        aliases=("ndcg_rel",),
    )

    points: Literal["documents", "grades"] = "documents"

    def check(self) -> None:
        """Where rankings are cut, a tie at the cut decides gain and number of documents together."""
        super().check()
        if self.max_retrieved is not None and self.ties == "average":
            raise ParameterError(
                self.name, "", f"{arg('max_retrieved')} has no exact average over ties here",
                f"Choose another rule, such as {arg('ties', 'id')}.",
            )  # fmt: skip

    def values(self, ranked: Ranked) -> Floats:
        """The average of each query."""
        return (_over_documents if self.points == "documents" else _over_grades)(ranked)


def _over_documents(ranked: Ranked) -> Floats:
    """At a tied document, those of its tie before it stand there in proportion to their number."""
    row, gain, place = ideal_order(ranked, ranked.judged.grade)
    count = np.bincount(row, minlength=ranked.n)
    found = ranked.standing()
    values = np.full(ranked.n, np.nan)
    for at in np.flatnonzero(count):
        ideal = np.cumsum(gain[row == at] / np.log2(2 + place[row == at]))
        values[at] = _mean_over_documents(ranked.cut_standing(found.at(found.row == at)), ideal, int(count[at]))
    return values


def _mean_over_documents(found: Standing, ideal: Floats, relevant: int) -> float:
    total, gained = 0.0, 0.0
    for above in np.unique(found.above):
        own = found.grade[found.above == above]
        t = int(found.size[found.above == above][0])
        places = cast(Any, np.arange(above, above + t))
        discount = 1 / np.log2(places + 2)
        before = np.concatenate([[0.0], np.cumsum(discount)[:-1]])
        best = ideal[np.minimum(places, len(ideal) - 1)]
        for grade in own:
            inside = (own.sum() - grade) / (t - 1) * before if t > 1 else 0.0
            total += float(np.sum((gained + grade * discount + inside) / best)) / t
        gained += own.sum() / t * float(discount.sum())
    return (total + (relevant - len(found.row)) * gained / ideal[-1]) / relevant


def _over_grades(ranked: Ranked) -> Floats:
    """nDCG at the last rank of each grade of the ideal ranking, and where documents follow beyond, at the end."""
    row, gain, place = ideal_order(ranked, ranked.judged.grade)
    found = ranked.slots()
    gained = found.grade / np.log2(1 + found.position) * found.weight
    values = np.full(ranked.n, np.nan)
    for at in np.unique(row):
        own, ideal = gain[row == at], np.cumsum(gain[row == at] / np.log2(2 + place[row == at]))
        last = np.flatnonzero(np.diff(own, append=0.0) != 0)
        here = found.row == at
        cuts, best = last + 1.0, ideal[last]
        if (
            ranked.retrieved[at] > len(own) + 1
        ):  # documents follow beyond all that gain: trec_eval looks once more at the end
            cuts, best = np.append(cuts, ranked.retrieved[at]), np.append(best, ideal[-1])
        got = np.array([gained[here & (found.position <= cut)].sum() for cut in cuts])
        values[at] = float(np.mean(got / best))
    return values


@dataclass(frozen=True, kw_only=True)
class NormalizedGain(RankingMetric):
    r"""Gain of each document, discounted by what the documents before it failed to gain; trec_eval's G.

    .. math:: G = \frac{1}{\sum g}\sum_i \frac{g_i}{\log_2(2 + c_i - \sum_{j \le i} g_j)}

    c is the gain of the ideal ranking up to the same rank, at least 1 per document. ``binary=True`` (binG) counts relevant documents alike.

    >>> normalized_gain([[1, 0, 1]], [[0.9, 0.8, 0.7]])
    0.8154...
    """

    record = Record(
        title="Normalised gain G",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no query has a relevant document, or all are skipped",
        use="comparison with published values of trec_eval",
        misleads="hardly used outside trec_eval",
        equals=("trec_eval: G, binG (binary=True)",),
        references=("jarvelin2002",),
    )

    binary: bool = False

    def values(self, ranked: Ranked) -> Floats:
        """G of each query."""
        if self.binary:
            found = ranked.slots("hits")
            found = found.at(found.grade >= ranked.level)
            missed = found.position - 1 - found.hits
            return ranked.dense(divide(found.sums(1 / np.log2(2 + missed), ranked.n), ranked.relevant))
        row, gain, _ = ideal_order(ranked, ranked.judged.grade)
        cost = np.cumsum(np.maximum(gain, 1.0) - 1.0)
        start = np.concatenate([[0.0], cost])[np.searchsorted(row, np.arange(ranked.n + 1))]
        found = running(ranked, lambda grade: grade, product=False)
        at = np.minimum(found.position, np.diff(np.searchsorted(row, np.arange(ranked.n + 1)))[found.row]).astype(
            np.int64
        )
        extra = np.concatenate([[0.0], cost])[np.searchsorted(row, found.row) + at] - start[found.row]
        short = found.position + extra - (found.hits + found.grade)
        best = np.bincount(row, gain, minlength=ranked.n)
        return np.where(best > 0, divide(found.sums(found.grade / np.log2(2 + short), ranked.n), best), np.nan)


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocalRank(CutMetric):
    r"""Expected reciprocal of the rank at which a reader who is satisfied by grade stops.

    .. math:: ERR@k = \sum_{i \le k} \frac{R_i}{i}\prod_{j < i}(1 - R_j), \qquad R = \frac{2^g - 1}{2^{g_{max}}}

    ``max_grade`` is the highest grade of the scale, whether or not it occurs: the value depends on it, so it is never taken from
    the data.

    >>> expected_reciprocal_rank([[1, 0, 1]], [[0.9, 0.8, 0.7]], max_grade=1)
    0.5833...
    """

    record = Record(
        title="Expected reciprocal rank",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="graded judgments, where one very good document suffices",
        misleads="depends on the highest grade of the scale, which tools guess or fix at 4",
        equals=("gdeval: ERR (max_grade=4)",),
        references=("chapelle2009",),
        aliases=("err",),
    )

    max_grade: float = 4

    def check(self) -> None:
        """A highest grade above 0."""
        super().check()
        number(self.name, "max_grade", self.max_grade, low=0, high=100, open_low=True)

    @property
    def optimum(self) -> float | None:
        """Out of reach: not even the highest grade satisfies every reader."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """ERR of each query."""
        check_grades(ranked, self.max_grade)

        def satisfied(grade: Floats) -> Floats:
            return (np.exp2(grade) - 1) / 2.0**self.max_grade

        found = running(ranked, lambda grade: 1 - satisfied(grade), product=True)
        found = found if self.k is None else found.at(found.position <= self.k)
        return found.sums(satisfied(found.grade) * found.hits / found.position, ranked.n)


def check_grades(ranked: Ranked, most: float) -> None:
    """Refuse grades beyond the scale."""
    if ranked.judged.grade.max(initial=0.0) > most:
        raise InputError(
            ranked.inputs.who, "y_true", f"has a grade of {ranked.judged.grade.max():g}, above {arg('max_grade', most)}",
            "Give the highest grade of the scale.",
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RankBiasedPrecision(RankingMetric):
    r"""Rate at which a reader who goes on to the next document with a fixed probability finds relevant ones.

    .. math:: RBP = (1 - p)\sum_i g_i\,p^{i-1}

    ``persistence`` is p. ``max_grade=None`` counts relevant documents as 1; with a highest grade, gains are grade / max_grade. Unlike
    most measures it needs no number of relevant documents; `rank_biased_residual` is how much unjudged documents could add.

    >>> rank_biased_precision([[1, 0, 1]], [[0.9, 0.8, 0.7]], persistence=0.5)
    0.625
    """

    record = Record(
        title="Rank-biased precision",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="incomplete judgments: with its residual it has honest bounds",
        misleads="no ranking of finite length reaches 1, and a short one is capped well below",
        equals=("trec_eval 10: rbp (persistence=0.9, binary grades)",),
        references=("moffat2008",),
        aliases=("rbp",),
    )

    persistence: float = 0.9
    max_grade: float | None = None

    def check(self) -> None:
        """A probability below 1."""
        super().check()
        number(self.name, "persistence", self.persistence, low=0, high=1, open_low=True, open_high=True)
        if self.max_grade is not None:
            number(self.name, "max_grade", self.max_grade, low=0, open_low=True)

    @property
    def optimum(self) -> float | None:
        """Out of reach of a ranking of finite length."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """RBP of each query."""
        found = ranked.slots()
        gain = (found.grade >= ranked.level).astype(np.float64)
        if self.max_grade is not None:
            check_grades(ranked, self.max_grade)
            gain = found.grade / self.max_grade
        return (1 - self.persistence) * found.sums(gain * self.persistence ** (found.position - 1), ranked.n)


@dataclass(frozen=True, kw_only=True)
class RankBiasedResidual(RankingMetric):
    r"""How much rank-biased precision could grow if all unjudged documents were relevant.

    .. math:: 1 - (1 - p)\sum_{i\text{ judged}} p^{i-1}

    It includes the documents beyond the end of the ranking. ``tail`` says when these count: always, or only where a ranked document is
    unjudged, as in trec_eval 10.

    >>> rank_biased_residual([[1, np.nan, 1]], [[0.9, 0.8, 0.7]], persistence=0.5)
    0.375
    """

    record = Record(
        title="Residual of rank-biased precision",
        range=(0, 1),
        better="none",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="all queries are skipped",
        use="beside rank_biased_precision: value and value plus residual are bounds under any further judgments",
        misleads="describes the judgments, not the quality of the ranking",
        equals=("trec_eval 10: rbp_resid (tail='unjudged')",),
        references=("moffat2008",),
    )

    persistence: float = 0.9
    tail: Literal["always", "unjudged"] = "always"

    def check(self) -> None:
        """A probability below 1."""
        super().check()
        number(self.name, "persistence", self.persistence, low=0, high=1, open_low=True, open_high=True)

    @property
    def optimum(self) -> float | None:
        """Out of reach: there is always a document beyond the last one."""
        return None

    def values(self, ranked: Ranked) -> Floats:
        """What is left of the weight of all ranks."""
        found = ranked.slots(everything=True)
        found = found.at(found.grade >= 0)
        residual = 1 - (1 - self.persistence) * found.sums(self.persistence ** (found.position - 1), ranked.n)
        if self.tail == "always":
            return residual
        judged = found.sums(np.ones(len(found.row)), ranked.n)
        return np.where(judged < ranked.retrieved - 0.5, residual, 0.0)
