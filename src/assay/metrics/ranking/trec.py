"""The measures of trec_eval by the names that it prints, and its output format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias, cast

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.inputs import Inputs
from assay.core.ragged import Ragged
from assay.metrics.ranking.family import Missing, RankingMetric
from assay.metrics.ranking.gains import NDCG, NDCGAtRelevant, NormalizedGain, RankBiasedPrecision, RankBiasedResidual
from assay.metrics.ranking.interpolated import LEVELS, InterpolatedPrecision
from assay.metrics.ranking.judgments import Bpref, InferredAveragePrecision, JudgedAtK
from assay.metrics.ranking.order import query_name
from assay.metrics.ranking.precision import (
    AveragePrecisionAtK,
    HitRate,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
)
from assay.metrics.ranking.sets import RetrievalCount, RetrievalUtility, SetRetrieval

Judgments: TypeAlias = ArrayLike | Mapping[str, object]
_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = tuple(at / 5 for at in range(1, 11))
MEASURES: dict[str, RankingMetric] = {
    "num_q": RetrievalCount(of_what="queries"), "num_ret": RetrievalCount(of_what="retrieved"),
    "num_rel": RetrievalCount(of_what="relevant"), "num_rel_ret": RetrievalCount(), "map": AveragePrecisionAtK(),
    "gm_map": AveragePrecisionAtK(mean="geometric"), "Rprec": RPrecision(), "bpref": Bpref(), "recip_rank": MeanReciprocalRank(),
    **{f"iprec_at_recall_{level:.2f}": InterpolatedPrecision(recall=level) for level in LEVELS},
    **{f"P_{k}": PrecisionAtK(k=k) for k in _CUTS}, **{f"recall_{k}": RecallAtK(k=k) for k in _CUTS},
    "infAP": InferredAveragePrecision(), "gm_bpref": Bpref(mean="geometric"),
    **{f"Rprec_mult_{multiple:.2f}": RPrecision(multiple=multiple) for multiple in _MULTIPLES},
    "utility": RetrievalUtility(), "11pt_avg": InterpolatedPrecision(), "binG": NormalizedGain(binary=True), "G": NormalizedGain(),
    "ndcg": NDCG(), "ndcg_rel": NDCGAtRelevant(), "Rndcg": NDCGAtRelevant(points="grades"),
    **{f"ndcg_cut_{k}": NDCG(k=k) for k in _CUTS}, **{f"map_cut_{k}": AveragePrecisionAtK(k=k) for k in _CUTS},
    **{f"relative_P_{k}": PrecisionAtK(k=k, relative=True) for k in _CUTS}, **{f"success_{k}": HitRate(k=k) for k in (1, 5, 10)},
    "set_P": SetRetrieval(measure="precision"), "set_relative_P": SetRetrieval(measure="relative_precision"),
    "set_recall": SetRetrieval(measure="recall"), "set_map": SetRetrieval(measure="average_precision"), "set_F": SetRetrieval(),
    "num_nonrel_judged_ret": RetrievalCount(of_what="nonrelevant_judged_retrieved"), "rbp": RankBiasedPrecision(),
    "rbp_resid": RankBiasedResidual(tail="unjudged"), **{f"unj_{k}": JudgedAtK(k=k, complement=True) for k in (5, 10, 20)},
}  # fmt: skip
_OVERALL = ("num_q", "gm_map", "gm_bpref")  # which have no value per query
USUAL = ("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
         *(name for name in MEASURES if name.startswith(("iprec_at_recall", "P_"))))  # fmt: skip


def evaluated(
    y_true: Judgments,
    y_score: Judgments,
    *,
    queries: bool = False,
    names: tuple[str, ...] = tuple(MEASURES),
    missing: Missing = "error",
) -> list[tuple[str, object, str]]:
    """(measure, query, value) as trec_eval prints them, per query if wanted and then over all."""
    first = RetrievalCount(missing=missing)
    return from_inputs(
        first.inputs(cast(ArrayLike, y_true), cast(ArrayLike, y_score)), queries=queries, names=names, missing=missing
    )


def from_inputs(
    inputs: Inputs, *, queries: bool, names: tuple[str, ...] = tuple(MEASURES), missing: Missing = "error"
) -> list[tuple[str, object, str]]:
    """The same of data that are named and checked already."""
    chosen = {name: replace(MEASURES[name], missing=missing) for name in names}
    used = ~cast(Ragged, inputs["y_score"]).facts.get("missing", np.zeros(inputs.n, bool)) | (missing == "zero")
    values = {name: metric.query_rows(inputs)[:, 1] for name, metric in chosen.items()}
    found: list[tuple[str, object, str]] = []
    if queries:
        for row in np.flatnonzero(used).tolist():
            own = (name for name in names if name not in _OVERALL)
            found += [(name, query_name(inputs, row), _written(chosen[name], values[name][row])) for name in own]
    whole = {name: metric.finalize(metric.statistic().of(inputs)) for name, metric in chosen.items()}
    return [*found, *((name, "all", _written(chosen[name], float(value))) for name, value in whole.items())]


def _written(metric: RankingMetric, value: float) -> str:
    return f"{value:.0f}" if isinstance(metric, RetrievalCount) else f"{value:.4f}"


def lines(found: list[tuple[str, object, str]]) -> Iterator[str]:
    """As trec_eval writes them."""
    for name, query, value in found:
        yield f"{name:<22}\t{query}\t{value}"
