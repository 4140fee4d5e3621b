"""Identification against a gallery: the rank of the mate of each probe, from similarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.arrays import ArrayLike, Floats, describe, to_host
from assay.core.errors import InputError, ParameterError
from assay.core.ingestion import ingest
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.parameters import whole
from assay.core.record import Record
from assay.core.statistic import Linear, Statistic
from assay.core.takes import Takes
from assay.data.rankings import rankings
from assay.metrics.ranking.family import CutMetric, NoRelevant, Ranked
from assay.metrics.ranking.order import Ties
from assay.ops import divide

TAKES = (
    "y_true: identities of the probes",
    "y_score: similarity of each probe to each gallery entry",
    "gallery: identities of the gallery entries",
)


@dataclass(frozen=True, kw_only=True)
class Identification(CutMetric):
    r"""Fraction of probes with an entry of the same identity among the ``k`` most similar of a gallery.

    .. math:: \frac{1}{n}\sum_i \left[rank(mate_i) \le k\right]

    ``y_true`` holds the identity of each probe, ``y_score`` its similarity to every gallery entry, ``gallery`` their identities. An
    impostor that is as similar as the mate ranks before it (``ties="pessimistic"``). A probe whose identity the gallery lacks is an error:
    ``no_relevant="zero"`` counts it as not found, ``"skip"`` leaves it out.

    >>> identification(["a", "b"], [[0.9, 0.2], [0.8, 0.3]], gallery=["a", "b"])
    0.5
    """

    record = Record(
        title="Rank-k identification rate",
        range=(0, 1),
        better="higher",
        family="query_mean",
        transform="logit",
        takes=TAKES,
        undefined="no probe has a mate, or all are skipped",
        use="face, voice and person identification in a closed set",
        misleads="falls as the gallery grows: rates of galleries of different sizes do not compare",
        references=("phillips2000",),
        aliases=("rank_k_identification", "cmc_at_k"),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_score"), free=("gallery",))

    k: int = 1
    ties: Ties = "pessimistic"
    no_relevant: NoRelevant = "error"

    def check(self) -> None:
        """A mate is a mate: there are no grades."""
        super().check()
        if self.relevance != 1:
            raise ParameterError(self.name, "relevance", "does not apply: an entry is a mate or not", "Drop it.")

    @property
    def optimum(self) -> float | None:
        """Reached where every probe is most similar to its mate."""
        return super().optimum if self.no_relevant == "error" else None

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """Which gallery entries are mates, beside the similarities."""
        bound = self.takes.bind(self.name, args, named)
        if "gallery" not in bound:
            raise InputError(self.name, "gallery", "is required: the identity of each column of y_score")
        probes, gallery = (to_host(ingest(bound[name], name=name, who=self.name)) for name in ("y_true", "gallery"))
        for name, labels in (("y_true", probes), ("gallery", gallery)):
            if labels.ndim != 1:
                raise InputError(self.name, name, f"must hold one identity per entry, got {describe(labels)}")
        if (probes.dtype.kind in "US") != (gallery.dtype.kind in "US") and len(probes):
            raise InputError(self.name, "gallery", "must have identities of the kind of y_true: text, or numbers")
        mates = probes[:, None] == gallery[None, :]
        truth, ranking = rankings(mates.astype(np.float64), bound["y_score"], ordered=False, who=self.name)
        return Inputs({"y_true": truth, "y_score": ranking}, weight=weight, who=self.name).balance()

    def values(self, ranked: Ranked) -> Floats:
        """Whether the mate is among the first."""
        found = self.within(ranked, "hits")
        first = ((found.grade >= ranked.level) & (found.hits == 0)).astype(np.float64)
        return ranked.dense(found.sums(first, ranked.n))


@dataclass(frozen=True)
class _MatchRanks(Statistic[Sum]):
    """Sums over probes of whether the mate is found at each rank."""

    metric: CumulativeMatchCurve

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return ("weight", *(f"rank {rank}" for rank in range(1, self.metric.max_rank + 1)))

    def of(self, inputs: Inputs) -> Sum:
        """The weighted sums."""
        rows, weight = self.unit_rows(inputs), inputs.host_weight()
        return Sum(self.holds, rows.sum(axis=0) if weight is None else weight @ rows, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per probe."""
        return Linear(lambda t: Sum(self.holds, t, inputs.n), len(self.holds), rows=self.unit_rows(inputs))

    def unit_rows(self, inputs: Inputs) -> Floats:
        """Weight, and whether the mate is found, at each rank."""
        at = [self.metric.at(rank).query_rows(inputs) for rank in range(1, self.metric.max_rank + 1)]
        return np.stack([at[0][:, 0], *(rows[:, 1] for rows in at)], axis=1)


@dataclass(frozen=True, kw_only=True)
class CumulativeMatchCurve(Identification):
    r"""Identification rate at each rank from 1 to ``max_rank`` (CMC).

    .. math:: CMC(k) = \frac{1}{n}\sum_i \left[rank(mate_i) \le k\right]

    An array of ``max_rank`` rates, as `identification` gives them one by one.

    >>> cumulative_match_curve(["a", "b"], [[0.9, 0.2], [0.8, 0.3]], gallery=["a", "b"], max_rank=2)
    array([0.5, 1. ])
    """

    record = Record(
        title="Cumulative match characteristic",
        range=(0, 1),
        better="higher",
        family="curve",
        takes=TAKES,
        undefined="no probe has a mate, or all are skipped",
        use="how many candidates a person has to look at",
        misleads="falls as the gallery grows: curves of galleries of different sizes do not compare",
        references=("phillips2000",),
        aliases=("cmc", "cmc_curve"),
    )

    max_rank: int = 10

    def check(self) -> None:
        """At least one rank."""
        super().check()
        whole(self.name, "max_rank", self.max_rank)

    def at(self, rank: int) -> Identification:
        """The rate at one rank."""
        return Identification(
            k=rank, relevance=self.relevance, ties=self.ties, no_relevant=self.no_relevant, max_retrieved=self.max_retrieved,
            judged_only=self.judged_only, unjudged=self.unjudged, compat=self.compat, missing=self.missing,
        )  # fmt: skip

    def statistic(self) -> Statistic[Sum]:
        """Sums at every rank."""
        return _MatchRanks(self)

    def of(self, total: Sum) -> Floats:
        """The rates."""
        return divide(total.totals[..., 1:], total.totals[..., :1])

    def remarks(self, total: Sum) -> dict[str, float]:
        """None: the ranks say what is to be said."""
        return {}
