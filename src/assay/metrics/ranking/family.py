"""Base classes of ranking metrics: how judgments and rankings come in, and the mean over queries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.errors import InputError, ParameterError, UndefinedError, arg
from assay.core.inputs import Inputs, memo
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.outcomes import Outcome
from assay.core.parameters import number, whole
from assay.core.ragged import Ragged
from assay.core.statistic import Linear, Statistic
from assay.core.takes import Takes
from assay.data.rankings import UNKNOWN, rankings
from assay.metrics.ranking.order import (
    Documents,
    Order,
    Standing,
    Ties,
    all_judged,
    documents,
    query_name,
    standing,
    tied_queries,
)
from assay.metrics.ranking.slots import Need, Slots, slots
from assay.ops import divide

Missing = Literal["error", "zero", "skip"]
NoRelevant = Literal["zero", "skip", "error"]
Compat = Literal["trec_eval 10", "trec_eval 9"]
TAKES = (
    "y_true: judgments of rankings or of named documents: the grades of each query",
    "y_score: scores of the documents of each query",
    "y_pred: documents of each query from best to worst",
)
SET_TAKES = ("y_true: judgments of named documents: the grades of each query", *TAKES[1:])
NAMES = ("weight", "value", "tied", "missing", "empty", "unknown")
HOW = {"id": "broken by document", "input": "left in the order of the input", "average": "averaged",
       "pessimistic": "resolved against the ranking"}  # fmt: skip


class Ranked:
    """The rankings of some data as a metric sees them: slots, and counts per query."""

    def __init__(self, metric: RankingMetric, inputs: Inputs) -> None:
        self.metric, self.inputs, self.n = metric, inputs, inputs.n
        self.level = float(metric.relevance)

    @cached_property
    def judged(self) -> Documents:
        """All documents with a grade above 0, ranked or not."""
        return documents(self.inputs, everything=False)

    @cached_property
    def relevant(self) -> Floats:
        """The number of relevant documents of each query, ranked or not."""
        at = self.judged.grade >= self.level
        return np.bincount(self.judged.row[at], minlength=self.n).astype(np.float64)

    @cached_property
    def nonrelevant(self) -> Floats:
        """The number of documents of each query that are judged and not relevant."""
        every = documents(self.inputs, everything=True)
        at = (every.grade >= 0) & (every.grade < self.level)
        return np.bincount(every.row[at], minlength=self.n).astype(np.float64)

    @cached_property
    def retrieved(self) -> Floats:
        """The number of documents that each query ranks, as far as they count."""
        counts = cast(Ragged, self.inputs["y_score"]).counts.astype(np.float64)
        most = self.metric.max_retrieved
        counts = counts if most is None else np.minimum(counts, most)
        return (
            np.bincount(self.standing(everything=True).row, minlength=self.n).astype(np.float64)
            if self.metric.judged_only
            else counts
        )

    def slots(self, need: Need = "position", *, everything: bool = False) -> Slots:
        """The slots of the documents with a grade above 0, or of all judged ones."""
        return self.cut(
            _slots(
                self.inputs,
                self.order,
                self.level,
                need,
                everything,
                self.metric.judged_only,
                self.metric.max_retrieved,
            )
        )

    def cut(self, made: Slots) -> Slots:
        """The slots as far as rankings count."""
        most = self.metric.max_retrieved
        return made if most is None or self.metric.judged_only else made.at(made.position <= most)

    def cut_standing(self, found: Standing) -> Standing:
        """Documents as far as rankings count, where no tie is averaged."""
        most = self.metric.max_retrieved
        return found if most is None or self.metric.judged_only else found.at(found.above < most)

    def standing(self, *, everything: bool = False) -> Standing:
        """Where the documents with a grade above 0, or all judged ones, stand."""
        return _standing(self.inputs, self.order, everything, self.metric.judged_only, self.metric.max_retrieved)

    @property
    def order(self) -> Order:
        """How documents are put in order; without ties to average, every rule that breaks none is the same."""
        return Order(self.metric.ties, self.metric.compat == "trec_eval 9")

    def dense(self, values: Floats) -> Floats:
        """Values per query, NaN where a query has no relevant document."""
        return np.where(self.relevant > 0, values, np.nan)


def _standing(inputs: Inputs, order: Order, everything: bool, judged_only: bool, most: int | None) -> Standing:
    found = standing(inputs, order, everything=everything or judged_only)
    if judged_only:
        found = _judged_only(found, most)
        return found if everything else found.at(found.grade > 0)
    return found


@memo
def _slots(
    inputs: Inputs, order: Order, level: float, need: Need, everything: bool, judged_only: bool, most: int | None
) -> Slots:
    """The slots, made once for all metrics that read the same."""
    return slots(_standing(inputs, order, everything, judged_only, most), level, need, inputs.who)


def _judged_only(found: Standing, most: int | None) -> Standing:
    """Ranks among judged documents alone: the others are removed after ranking, and after cutting at ``most``."""
    found = found.at((found.grade >= 0) & ((found.above < most) if most is not None else True))
    order = np.lexsort((found.above, found.row))
    found = found.at(order)
    n = len(found.row)
    if not n:
        return found
    new_row = np.diff(found.row, prepend=-1) != 0
    first = new_row | (np.diff(found.above, prepend=-1) != 0)
    starts = np.maximum.accumulate(np.where(first, np.arange(n), 0))
    above = starts - np.maximum.accumulate(np.where(new_row, np.arange(n), 0))
    sizes = np.bincount(np.cumsum(first) - 1)[np.cumsum(first) - 1]
    return Standing(found.row, found.grade, above, sizes)


@dataclass(frozen=True)
class QueryMean(Statistic[Sum]):
    """Sums over queries of a metric's value, and counts of tied, missing and empty ones."""

    metric: RankingMetric

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return NAMES

    def of(self, inputs: Inputs) -> Sum:
        """The weighted sums."""
        rows, weight = self.unit_rows(inputs), inputs.host_weight()
        totals = rows.sum(axis=0) if weight is None else weight @ rows
        totals[NAMES.index("unknown")] += cast(Ragged, inputs["y_score"]).pools.get(UNKNOWN, 0)
        return Sum(NAMES, totals, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per query."""
        return Linear(lambda t: Sum(NAMES, t, inputs.n), len(NAMES), rows=self.unit_rows(inputs))

    @memo
    def unit_rows(self, inputs: Inputs) -> Floats:
        """Weight, value, and what is to be said of each query."""
        return self.metric.query_rows(inputs)


@dataclass(frozen=True, kw_only=True)
class RankingMetric(Metric[Sum]):
    """A mean over queries of a value of each ranking.

    ``y_true`` holds the judgments of each query, ``y_score`` the scores of its documents: matrices or lists of lists that give every
    document a grade and a score (NaN in ``y_true``: not judged; a masked array of scores: not ranked); or dicts
    ``{query: {document: grade}}`` and ``{query: {document: score}}``, or long frames with the columns query, document, and grade or
    score. Instead of scores, ``y_pred`` lists the documents of each query from best to worst. A list or set of documents in ``y_true``
    means that these are relevant.

    ``relevance`` is the least grade that counts as relevant. ``ties`` says in which order equal scores stand: ``"id"`` as in
    trec_eval, by document in descending order of bytes (columns of a matrix from the last to the first); ``"average"``, the exact mean
    over all orders; ``"input"``; ``"pessimistic"``, the relevant ones last; ``"error"``. ``missing`` decides about queries that
    ``y_true`` has and the ranking lacks: they are an error, count as zero, or are skipped. ``no_relevant`` decides about
    queries without a relevant document where the value is undefined for them. ``max_retrieved`` cuts every ranking, and
    ``judged_only`` removes unjudged documents from it. ``unjudged="relevant"`` takes every ranked document without a judgment for
    relevant: together with the plain value it bounds what complete judgments could give, exactly so for precision, hit rate, reciprocal
    rank and rank-biased precision. ``compat="trec_eval 9"`` reads scores in single precision, as version 9 does.
    """

    takes: ClassVar[Takes] = Takes(("y_true",), ("y_score", "y_pred"), one_of=True, keyed=True)

    relevance: float = 1
    ties: Ties = "id"
    missing: Missing = "error"
    no_relevant: NoRelevant = "zero"
    max_retrieved: int | None = None
    judged_only: bool = False
    unjudged: Literal["nonrelevant", "relevant"] = "nonrelevant"
    compat: Compat = "trec_eval 10"

    def check(self) -> None:
        """A level above 0, a cut of at least 1."""
        number(self.name, "relevance", self.relevance, low=0, open_low=True)
        if self.max_retrieved is not None:
            whole(self.name, "max_retrieved", self.max_retrieved)
            if self.judged_only and self.ties == "average":
                raise ParameterError(
                    self.name, "", f"{arg('judged_only', True)} beside {arg('max_retrieved')} has no exact average over ties",
                    f"Choose another rule, such as {arg('ties', 'id')}.",
                )  # fmt: skip

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """Judgments and rankings as columns, one row per query."""
        bound = self.takes.bind(self.name, args, named)
        name = "y_pred" if "y_pred" in bound else "y_score"
        truth, ranking = rankings(bound["y_true"], bound[name], ordered=name == "y_pred", who=self.name)
        inputs = Inputs({"y_true": truth, "y_score": ranking}, weight=weight, who=self.name)
        return inputs if self.weights_count else inputs.balance()

    @property
    def optimum(self) -> float | None:
        """Out of reach where rankings are cut off."""
        return super().optimum if self.max_retrieved is None else None

    def statistic(self) -> Statistic[Sum]:
        """Sums over queries."""
        return QueryMean(self)

    def of(self, total: Sum) -> Floats:
        """The mean."""
        return divide(total["value"], total["weight"])

    @abstractmethod
    def values(self, ranked: Ranked) -> Floats:
        """The value of each query; NaN where it is undefined because no document is relevant."""

    def query_rows(self, inputs: Inputs) -> Floats:
        """Rows of `QueryMean`: queries that are skipped have weight 0."""
        gone = cast(Ragged, inputs["y_score"]).facts.get("missing", np.zeros(inputs.n, bool))
        self._refuse_missing(inputs, gone)
        seen = inputs if self.unjudged == "nonrelevant" else all_judged(inputs, float(self.relevance))
        values = np.where(gone, 0.0, self.values(Ranked(self, seen)))
        empty = np.isnan(values)
        if self.no_relevant == "error" and empty.any():
            row = int(np.argmax(empty))
            raise UndefinedError(
                inputs.who, "", f"query {query_name(inputs, row)!r} has no relevant document ({int(empty.sum())} such queries)",
                f"Choose {arg('no_relevant', 'zero')} or {arg('no_relevant', 'skip')}.",
            )  # fmt: skip
        used = ~((gone & (self.missing == "skip")) | (empty & (self.no_relevant == "skip")))
        tied = tied_queries(inputs, self.compat == "trec_eval 9")
        return np.stack(
            [used, np.where(empty, 0.0, self.scale(values)) * used, tied, gone, empty, np.zeros(inputs.n)], axis=1
        )

    def scale(self, values: Floats) -> Floats:
        """What is added up; the logarithm for a geometric mean."""
        return values

    def _refuse_missing(self, inputs: Inputs, gone: Any) -> None:
        if self.missing == "error" and gone.any():
            row = int(np.argmax(gone))
            raise InputError(
                inputs.who, "y_score", f"lacks {int(gone.sum())} of {inputs.n} judged queries, such as {query_name(inputs, row)!r}",
                f"Choose {arg('missing', 'zero')} to count them as 0, or {arg('missing', 'skip')} to leave them out.",
            )  # fmt: skip

    def remarks(self, total: Sum) -> dict[str, float]:
        """Tied, missing, empty and unjudged queries."""
        counted = {"zero": "counted as 0", "skip": "left out", "error": ""}
        return {
            f"queries with ties that involve relevant documents, {HOW.get(self.ties, '')}": float(
                np.sum(total["tied"])
            ),
            f"judged queries are not ranked and were {counted[self.missing]}": float(np.sum(total["missing"])),
            f"queries without a relevant document were {counted[self.no_relevant]}": float(np.sum(total["empty"])),
            "ranked queries have no judgments and were left out": float(np.sum(total["unknown"])),
        }

    def warn(self, outcome: Outcome) -> None:
        """Say aloud what a plain number cannot carry; that ties were averaged is no reason to worry."""
        quiet = self.ties in ("average", "pessimistic")
        kept = {what: n for what, n in outcome.remarks.items() if not (quiet and what.startswith("queries with ties"))}
        super().warn(Outcome(outcome.value, outcome.undefined, outcome.parts, kept, outcome.why))


@dataclass(frozen=True, kw_only=True)
class CutMetric(RankingMetric):
    """A measure of the first ``k`` documents; None is all."""

    k: int | None = None

    def check(self) -> None:
        """At least one document."""
        super().check()
        if self.k is not None:
            whole(self.name, "k", self.k)

    def within(self, ranked: Ranked, need: Need = "position", *, everything: bool = False) -> Slots:
        """The slots among the first ``k`` documents."""
        found = ranked.slots(need, everything=everything)
        return found if self.k is None else found.at(found.position <= self.k)

    @staticmethod
    def slots_of(ranked: Ranked, found: Standing, need: Need) -> Slots:
        """The slots of some documents, which must hold all that stand before them."""
        return ranked.cut(slots(found, ranked.level, need, ranked.metric.name))

    def hits(self, ranked: Ranked) -> Floats:
        """The number of relevant documents among the first ``k``."""
        found = self.within(ranked)
        return found.sums((found.grade >= ranked.level).astype(np.float64), ranked.n)
