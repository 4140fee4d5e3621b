"""Ranking metrics against trec_eval's published output, pytrec_eval row by row, and all orders of tied documents."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import assay
import fixtures
from assay import metrics
from assay.metrics.ranking.family import RankingMetric
from assay.metrics.ranking.trec import MEASURES, evaluated

pytestmark = pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
MORE: dict[str, RankingMetric] = {
    "err": metrics.ExpectedReciprocalRank(max_grade=3), "err_3": metrics.ExpectedReciprocalRank(max_grade=3, k=3),
    "graded rbp": metrics.RankBiasedPrecision(max_grade=3.0), "residual": metrics.RankBiasedResidual(),
    "judged": metrics.JudgedAtK(k=3), "ap of judged": metrics.AveragePrecisionAtK(judged_only=True),
    "ndcg of judged": metrics.NDCG(judged_only=True, gain="exponential"),
    **{f"ap_{k}_{d}": metrics.AveragePrecisionAtK(k=k, denominator=d) for k in (2, 3, 4) for d in ("attainable", "retrieved")},
    **{f"hit_{k}": metrics.HitRate(k=k) for k in (2, 3)}, **{f"mrr_{k}": metrics.MeanReciprocalRank(k=k) for k in (2, 3)},
    **{f"set_map of {k}": metrics.SetRetrieval(measure="average_precision", max_retrieved=k) for k in (2, 4)},
    **{f"11pt of {k}": metrics.InterpolatedPrecision(max_retrieved=k) for k in (2, 4)},
    **{f"ap of {k}": metrics.AveragePrecisionAtK(max_retrieved=k, denominator="retrieved") for k in (2, 4)},
}  # fmt: skip


def files() -> tuple[Any, Any]:
    folder = fixtures.path("06_retrieval", "trec_shared")
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.test").read_text().splitlines():
        query, _, document, grade = line.split()
        judged.setdefault(query, {})[document] = int(grade)
    for line in (folder / "results.test").read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(score)
    return judged, run


def rows_of(metric: RankingMetric, y_true: Any, y_score: Any) -> Any:
    return metric.query_rows(metric.inputs(y_true, y_score))[:, 1]


def test_all_of_trec_eval_on_its_own_test() -> None:
    """Fixture 06: every measure of all_trec, per query and over all, to the four decimals that are printed."""
    found = evaluated(*files(), queries=True)
    published = fixtures.path("06_retrieval", "trec_shared", "out.test.aq").read_text().splitlines()
    wanted = {tuple(line.split()[:2]): line.split()[2] for line in published}
    got = {(name, str(query)): text for name, query, text in found}
    checked = [key for key in wanted if key[0] not in ("runid", "relstring")]
    assert len(checked) > 350
    for key in checked:
        assert got[key] == wanted[key], key


def random_data(seed: int, scores: int = 10) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    judged = {f"q{i}": {f"d{j}": int(rng.integers(-1, 4)) for j in rng.choice(50, 25, False)} for i in range(30)}
    run = {f"q{i}": {f"d{j}": float(rng.integers(0, scores)) for j in rng.choice(60, 30, False)} for i in range(30)}
    return judged, run


@pytest.mark.parametrize("seed", [0, 1])
def test_rows_equal_pytrec_eval(seed: int) -> None:
    judged, run = random_data(seed)
    peer = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures).evaluate(run)
    names = sorted(set(peer["q0"]) & set(MEASURES))
    assert len(names) > 60
    for name in names:
        metric = dataclasses.replace(MEASURES[name], compat="trec_eval 9")
        if metric.record.family != "total" and getattr(metric, "mean", "") != "geometric":
            theirs = [peer[query][name] for query in judged]
            np.testing.assert_allclose(rows_of(metric, judged, run), theirs, rtol=1e-12, atol=1e-14, err_msg=name)


def test_single_precision_of_version_9() -> None:
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.00000002, "b": 1.00000001}}
    assert assay.mean_reciprocal_rank(judged, run) == 1.0
    assert assay.mean_reciprocal_rank(judged, run, compat="trec_eval 9") == 0.5  # b before a
    peer = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)
    assert peer["q"]["recip_rank"] == 0.5


@pytest.mark.parametrize("k", [None, 3, 10])
def test_averaged_ties_equal_scikit_learn(k: int | None) -> None:
    rng = np.random.default_rng(5)
    grades, scores = rng.integers(0, 4, (20, 12)), rng.integers(0, 4, (20, 12)).astype(float)
    assert assay.ndcg(grades, scores, k=k, ties="average") == pytest.approx(ndcg_score(grades, scores, k=k), rel=1e-12)


def over_all_orders(metric: RankingMetric, grades: Any, scores: Any) -> float:
    groups = [np.flatnonzero(scores == value) for value in sorted(set(scores.tolist()), reverse=True)]
    found = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        strict = np.empty(len(scores))
        strict[[at for group in orders for at in group]] = -np.arange(len(scores))
        found.append(rows_of(metric, [grades], [strict])[0])
    return float(np.mean(found))


@pytest.mark.parametrize("name", [*MEASURES, *MORE])
def test_averages_over_ties_equal_enumeration(name: str) -> None:
    metric = {**MEASURES, **MORE}[name]
    if metric.record.family == "total" or getattr(metric, "mean", "") == "geometric":
        pytest.skip("not a mean over queries")
    exact = dataclasses.replace(metric, ties="average")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        grades = rng.choice([np.nan, -1, 0, 0, 1, 1, 2, 3], 6)
        scores = rng.choice([1.0, 2.0, 3.0], 6)
        assert rows_of(exact, [grades], [scores])[0] == pytest.approx(
            over_all_orders(metric, grades, scores), abs=1e-12
        )


def test_pessimistic_is_the_least_of_all_orders() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        grades, scores = rng.choice([0, 1, 2], 6), rng.choice([1.0, 2.0], 6)
        for metric in (metrics.NDCG(), metrics.AveragePrecisionAtK(), metrics.MeanReciprocalRank()):
            groups = [np.flatnonzero(scores == value) for value in sorted(set(scores.tolist()), reverse=True)]
            found = []
            for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
                strict = np.empty(6)
                strict[[at for group in orders for at in group]] = -np.arange(6)
                found.append(rows_of(metric, [grades], [strict])[0])
            worst = dataclasses.replace(metric, ties="pessimistic")
            assert rows_of(worst, [grades], [scores])[0] == pytest.approx(min(found), abs=1e-14)


def test_unjudged_documents_bound_the_value() -> None:
    """Value and value plus residual: what any judgments of the unjudged could give."""
    rng = np.random.default_rng(8)
    grades = rng.choice([np.nan, 0, 1], (30, 10))
    scores = rng.random((30, 10))
    for metric in (
        metrics.PrecisionAtK(k=5),
        metrics.HitRate(k=3),
        metrics.MeanReciprocalRank(),
        metrics.RankBiasedPrecision(),
    ):
        high = dataclasses.replace(metric, unjudged="relevant")
        low_rows, high_rows = rows_of(metric, grades, scores), rows_of(high, grades, scores)
        for _ in range(5):
            guess = np.where(np.isnan(grades), rng.integers(0, 2, grades.shape), grades)
            got = rows_of(metric, guess, scores)
            assert (low_rows <= got + 1e-12).all()
            assert (got <= high_rows + 1e-12).all()
    rbp = metrics.RankBiasedPrecision()
    gap = rows_of(dataclasses.replace(rbp, unjudged="relevant"), grades, scores) - rows_of(rbp, grades, scores)
    tail = 0.9**10
    np.testing.assert_allclose(gap + tail, rows_of(metrics.RankBiasedResidual(), grades, scores), rtol=1e-12)


def test_names_of_entries_that_trec_eval_has() -> None:
    """average_precision_at_k, precision_at_k, recall_at_k, hit_rate, mean_reciprocal_rank, r_precision, bpref, ndcg,
    inferred_average_precision, judged_at_k, ndcg_at_relevant, normalized_gain, rank_biased_precision, rank_biased_residual,
    set_retrieval, retrieval_utility, retrieval_count, interpolated_precision, expected_reciprocal_rank: all are used above."""
    keys = {metric.key for metric in {**MEASURES, **MORE}.values()}
    assert len(keys) == 19
