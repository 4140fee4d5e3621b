"""Claims of metrics of rankings."""

from __future__ import annotations

import dataclasses
import shutil
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics.ranking.trec import MEASURES
from claims import claim, oracle, same

PEER = "pytrec_eval"


def data(rng: Any, most: int = 4, ties: bool = True) -> tuple[Any, Any]:
    """Judgments and a run by name; some documents are not judged and some not ranked."""
    levels = 12 if ties else 10**9
    judged = {f"q{i}": {f"d{j}": int(rng.integers(0, most)) for j in rng.choice(40, 25, False)} for i in range(20)}
    run = {f"q{i}": {f"d{j}": float(rng.integers(0, levels)) for j in rng.choice(50, 30, False)} for i in range(20)}
    return judged, run


def by_peer(names: tuple[str, ...]) -> Any:
    """The mean of each measure equals the peer's, whose scores are in single precision."""

    def show(peer: Any, rng: Any) -> None:
        judged, run = data(rng)
        found = peer.RelevanceEvaluator(judged, peer.supported_measures).evaluate(run)
        for name in names:
            metric = dataclasses.replace(MEASURES[name], compat="trec_eval 9")
            values = np.array([found[query][name] for query in judged])
            wanted = np.exp(values.mean()) if name.startswith("gm_") else values.mean()
            wanted = values.sum() if metric.record.family == "total" else wanted
            same(metric(judged, run), wanted)

    return show


CUTS = (5, 10, 20)
TREC: dict[tuple[str, str], tuple[str, ...]] = {
    ("average_precision_at_k", "trec_eval: map (k=None), map_cut (k=10), gm_map (mean='geometric')"): (
        "map", "gm_map", *(f"map_cut_{k}" for k in CUTS)),
    ("average_precision_at_k", "pytrec_eval: map, map_cut"): ("map", *(f"map_cut_{k}" for k in CUTS)),
    ("precision_at_k", "trec_eval: P, relative_P (relative=True)"): tuple(f"{n}_{k}" for n in ("P", "relative_P") for k in CUTS),
    ("precision_at_k", "pytrec_eval: P"): tuple(f"P_{k}" for k in CUTS),
    ("recall_at_k", "trec_eval: recall"): tuple(f"recall_{k}" for k in CUTS),
    ("recall_at_k", "pytrec_eval: recall"): tuple(f"recall_{k}" for k in CUTS),
    ("hit_rate", "trec_eval: success"): ("success_1", "success_5", "success_10"),
    ("mean_reciprocal_rank", "trec_eval: recip_rank"): ("recip_rank",),
    ("mean_reciprocal_rank", "pytrec_eval: recip_rank"): ("recip_rank",),
    ("r_precision", "trec_eval: Rprec, Rprec_mult (multiple=0.2)"): ("Rprec", "Rprec_mult_0.20", "Rprec_mult_1.60"),
    ("r_precision", "pytrec_eval: Rprec"): ("Rprec",),
    ("bpref", "trec_eval: bpref, gm_bpref (mean='geometric')"): ("bpref", "gm_bpref"),
    ("bpref", "pytrec_eval: bpref"): ("bpref",),
    ("inferred_average_precision", "trec_eval: infAP"): ("infAP",),
    ("ndcg", "trec_eval: ndcg, ndcg_cut (gain='linear', ties='id')"): ("ndcg", *(f"ndcg_cut_{k}" for k in CUTS)),
    ("ndcg_at_relevant", "trec_eval: ndcg_rel, Rndcg (points='grades')"): ("ndcg_rel", "Rndcg"),
    ("normalized_gain", "trec_eval: G, binG (binary=True)"): ("G", "binG"),
    ("set_retrieval", "trec_eval: set_F, set_P, set_recall, set_relative_P, set_map"): (
        "set_F", "set_P", "set_recall", "set_relative_P", "set_map"),
    ("retrieval_utility", "trec_eval: utility"): ("utility",),
    ("retrieval_count", "trec_eval: num_rel_ret, num_ret, num_rel, num_nonrel_judged_ret, num_q"): (
        "num_rel_ret", "num_ret", "num_rel", "num_q"),
    ("interpolated_precision", "trec_eval: iprec_at_recall (recall=0.1), 11pt_avg (recall=None)"): (
        "11pt_avg", *(f"iprec_at_recall_{at / 10:.2f}" for at in range(11))),
}  # fmt: skip
for (key, text), names in TREC.items():
    claim(f"metric.{key}", text, peer=PEER)(by_peer(names))


@claim(
    "metric.judged_at_k",
    "trec_eval 10: unj (complement=True)",
    formula="trec_eval 10 m_unj.c: unjudged in the top k, over k",
)
def _unjudged(rng: Any) -> None:
    judged, run = data(rng, ties=False)
    shares = [np.mean([d not in judged[q] for d in sorted(s, key=lambda d: -s[d])[:10]]) for q, s in run.items()]
    same(assay.judged_at_k(judged, run, k=10, complement=True), float(np.mean(shares)))


def gains(judged: Any, run: Any, unjudged: float) -> dict[str, list[float]]:
    """Binary grades in the order of each ranking; ``unjudged`` where there is none."""
    ordered = {query: sorted(scores, key=lambda document: -scores[document]) for query, scores in run.items()}
    return {q: [float(judged[q].get(d, unjudged)) for d in documents] for q, documents in ordered.items()}


@claim(
    "metric.rank_biased_precision",
    "trec_eval 10: rbp (persistence=0.9, binary grades)",
    formula="trec_eval 10 m_rbp.c: (1 - p) sum of p^(rank - 1) over relevant documents",
)
def _rbp(rng: Any) -> None:
    judged, run = data(rng, most=2, ties=False)
    rows = [0.1 * sum(g * 0.9**k for k, g in enumerate(one)) for one in gains(judged, run, 0).values()]
    same(assay.rank_biased_precision(judged, run, persistence=0.9), float(np.mean(rows)))


@oracle("metric.rank_biased_precision", peer="cwl.ruler.measures.cwl_rbp")
def _rbp_cwl(peer: Any, rng: Any) -> None:
    judged, run = data(rng, most=2, ties=False)
    rows = [_cwl(peer, row).expected_utility for row in gains(judged, run, 0).values()]
    same(assay.rank_biased_precision(judged, run, persistence=0.9), float(np.mean(rows)))


@claim(
    "metric.rank_biased_residual",
    "trec_eval 10: rbp_resid (tail='unjudged')",
    formula="trec_eval 10 m_rbp_resid.c: one minus the weight of judged documents; 0 where all that is ranked is judged",
)
def _residual(rng: Any) -> None:
    judged, run = data(rng, most=2, ties=False)
    wanted = assay.metrics.RankBiasedResidual(persistence=0.9, tail="unjudged")
    rows = []
    for one in gains(judged, run, np.nan).values():
        left = 1 - 0.1 * sum(0.9**k for k, g in enumerate(one) if not np.isnan(g))
        rows.append(left if np.isnan(one).any() else 0.0)
    same(wanted(judged, run), float(np.mean(rows)))


@oracle("metric.rank_biased_residual", peer="cwl.ruler.measures.cwl_rbp")
def _residual_cwl(peer: Any, rng: Any) -> None:
    judged, run = data(rng, most=2, ties=False)
    rows = [_cwl(peer, row).residual_expected_utility for row in gains(judged, run, np.nan).values()]
    same(assay.rank_biased_residual(judged, run, persistence=0.9), float(np.mean(rows)))


def _cwl(peer: Any, row: list[float]) -> Any:
    from cwl.ruler.ranking import Ranking

    metric = peer.RBPCWLMetric(0.9)
    metric.residuals = True
    metric.measure(Ranking("1", np.array(row), np.ones(len(row))))
    return metric


@oracle("metric.expected_reciprocal_rank", peer="ir_measures")
def _err_perl(peer: Any, rng: Any) -> None:
    """By gdeval.pl, which ir_measures carries, and which rounds to five digits."""
    if shutil.which("perl") is None:
        pytest.skip("gdeval needs perl")
    judged, run = ({str(at): of[q] for at, q in enumerate(of)} for of in data(rng, most=5, ties=False))
    wanted = peer.calc_aggregate([peer.ERR @ 20], judged, run)[peer.ERR @ 20]
    same(assay.expected_reciprocal_rank(judged, run, k=20), wanted, rtol=0, atol=1e-5)


def _probes(rng: Any) -> tuple[Any, Any, Any]:
    gallery, probes = np.arange(12), rng.integers(0, 12, 60)
    return gallery, probes, rng.random((60, 12)) + 0.5 * (probes[:, None] == gallery)


@oracle("metric.identification", peer="sklearn.metrics")
def _identification(peer: Any, rng: Any) -> None:
    gallery, probes, similar = _probes(rng)
    wanted = peer.top_k_accuracy_score(probes, similar, k=3, labels=gallery)
    same(assay.identification(probes, similar, gallery=gallery, k=3), wanted)


@oracle("metric.cumulative_match_curve", peer="sklearn.metrics")
def _cmc(peer: Any, rng: Any) -> None:
    gallery, probes, similar = _probes(rng)
    wanted = [peer.top_k_accuracy_score(probes, similar, k=k, labels=gallery) for k in range(1, 6)]
    same(assay.cumulative_match_curve(probes, similar, gallery=gallery, max_rank=5), wanted)


@claim("metric.ndcg", "sklearn.metrics.ndcg_score: ties='average'", peer="sklearn.metrics")
def _ndcg_sklearn(peer: Any, rng: Any) -> None:
    grades, scores = rng.integers(0, 4, (15, 12)), rng.integers(0, 5, (15, 12)).astype(float)
    same(assay.ndcg(grades, scores, ties="average"), peer.ndcg_score(grades, scores))
    same(assay.ndcg(grades, scores, ties="average", k=4), peer.ndcg_score(grades, scores, k=4))


@claim("metric.judged_at_k", "ir_measures: Judged", peer="ir_measures")
def _judged_ir_measures(peer: Any, rng: Any) -> None:
    judged, run = data(rng, ties=False)
    wanted = peer.calc_aggregate([peer.Judged @ 10], judged, run)[peer.Judged @ 10]
    same(assay.judged_at_k(judged, run, k=10), wanted)


@claim(
    "metric.hit_rate",
    "ranx: hit_rate",
    formula="ranx/metrics/hit_rate.py: whether any of the first k ids is among the relevant ids",
)
def _hit_rate_ranx(rng: Any) -> None:
    judged, run = data(rng, ties=False)
    hits = []
    for query, scores in run.items():
        first = sorted(scores, key=lambda document: -scores[document])[:3]
        hits.append(any(judged[query].get(document, 0) >= 1 for document in first))
    same(assay.hit_rate(judged, run, k=3), float(np.mean(hits)))


@claim(
    "metric.expected_reciprocal_rank",
    "gdeval: ERR (max_grade=4)",
    formula="gdeval.pl: r = (2^rel - 1) / 2^4, err += r * decay / rank, decay *= 1 - r",
)
def _err_gdeval(rng: Any) -> None:
    judged, run = data(rng, most=5, ties=False)
    values = []
    for query, scores in run.items():
        decay, err = 1.0, 0.0
        for rank, document in enumerate(sorted(scores, key=lambda d: -scores[d])[:20], start=1):
            r = (2 ** judged[query].get(document, 0) - 1) / 16
            err += r * decay / rank
            decay *= 1 - r
        values.append(err)
    same(assay.expected_reciprocal_rank(judged, run, k=20), float(np.mean(values)))
