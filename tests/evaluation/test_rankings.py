"""Retrieval and recommendation by `evaluate` and `compare`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import metrics

pytestmark = pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")


def data(seed: int = 0, queries: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    grades = (rng.random((queries, 30)) < 0.15).astype(int)
    return grades, grades * 0.6 + rng.random(grades.shape), grades * 0.2 + rng.random(grades.shape)


def test_the_usual_metrics_beside_a_random_order() -> None:
    grades, scores, _ = data()
    found = assay.evaluate(task="retrieval", y_true=grades, y_score=scores)
    assert found["ndcg"] == metrics.NDCG(k=10)(grades, scores)
    random = [metrics.NDCG(k=10)(grades, np.random.default_rng(s).random(grades.shape)) for s in range(40)]
    assert found.baseline["ndcg"] == pytest.approx(np.mean(random), abs=0.02)
    assert found.scores["ndcg"].low is not None


def test_popularity_is_the_baseline_of_recommenders() -> None:
    grades, scores, _ = data()
    grades[:, 3] = 1  # everybody likes one item
    found = assay.evaluate(task="recommendation", y_true=grades, y_score=scores)
    popular = np.stack([np.delete(grades, row, axis=0).sum(axis=0) for row in range(len(grades))])
    assert found.baseline["hit_rate"] == metrics.HitRate()(grades, popular.astype(float))
    assert found.baseline["hit_rate"] == 1.0


def test_map_is_that_of_rankings() -> None:
    grades, scores, _ = data()
    found = assay.evaluate(
        task="retrieval", y_true=grades, y_score=scores, metrics=["map", "mean_average_precision:k=5"]
    )
    assert [metric.key for metric in found.metrics.values()] == ["average_precision_at_k"] * 2
    assert assay.evaluate(
        task="retrieval", y_true=grades, y_score=scores, metrics="map", parameters={"ties": "average"}
    )


def test_models_are_dicts_of_queries() -> None:
    grades, good, poor = data()
    names = [f"d{j}" for j in range(grades.shape[1])]
    judged = {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(grades.tolist())}
    runs = {
        name: {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(scores.tolist())}
        for name, scores in (("good", good), ("poor", poor))
    }
    found = assay.compare(task="retrieval", y_true=judged, models=runs, metrics=["map", "ndcg:k=10"])
    assert found["average_precision_at_k"].order == ["good", "poor"]
    same = metrics.AveragePrecisionAtK().compare(judged, runs["good"], runs["poor"])
    matrix = metrics.AveragePrecisionAtK().compare(grades, good, poor)
    assert float(same) == pytest.approx(float(matrix))
    swapped = metrics.AveragePrecisionAtK().compare(grades, good, poor, method="randomisation", replicates=500)
    assert swapped.p is not None
    assert swapped.p < 0.01


def test_few_differing_queries_are_tested_exactly() -> None:
    grades, scores, _ = data()
    other = scores.copy()
    other[:6] = other[:6, ::-1]
    found = metrics.NDCG().compare(grades, scores, other)
    assert "randomisation" in (found.method or "")


def test_warnings_a_colleague_would_give() -> None:
    grades, scores, _ = data(queries=10)
    judged = np.where(np.random.default_rng(1).random(grades.shape) < 0.5, np.nan, grades)
    said = assay.evaluate(task="retrieval", y_true=judged, y_score=scores).warnings
    assert any("not judged and count as nonrelevant" in text for text in said)
    assert any("only 10 queries" in text for text in said)
    one = np.zeros((60, 100))
    one[:, 0] = 1
    sampled = assay.evaluate(task="recommendation", y_true=one, y_score=np.random.default_rng(0).random(one.shape))
    assert "if these were sampled" in str(sampled)


def test_groups_are_clusters() -> None:
    grades, scores, _ = data()
    topics = np.repeat(np.arange(10), 4)
    plain = assay.evaluate(task="retrieval", y_true=grades, y_score=scores, metrics=["ndcg"])
    clustered = assay.evaluate(task="retrieval", y_true=grades, y_score=scores, metrics=["ndcg"], groups=topics)
    assert clustered.groups == 10
    assert float(clustered["ndcg"]) == float(plain["ndcg"])


@pytest.mark.parametrize("form", ["matrix", "lists", "dicts", "frames", "orders", "masked", "list of dicts"])
def test_every_form_has_one_value(form: str) -> None:
    rng = np.random.default_rng(7)
    grades, scores = rng.integers(0, 3, (12, 9)), rng.permuted(np.tile(np.arange(9.0), (12, 1)), axis=1)
    names = [f"d{j}" for j in range(9)]
    judged = [dict(zip(names, row, strict=True)) for row in grades.tolist()]
    ranked = [dict(zip(names, row, strict=True)) for row in scores.tolist()]
    by_query = ({f"q{i}": row for i, row in enumerate(side)} for side in (judged, ranked))
    wanted = metrics.NDCG()(grades, scores)
    if form == "matrix":
        given: dict[str, Any] = {"y_true": grades, "y_score": scores}
    elif form == "lists":
        given = {"y_true": grades.tolist(), "y_score": scores.tolist()}
    elif form == "dicts":
        given = dict(zip(("y_true", "y_score"), by_query, strict=True))
    elif form == "list of dicts":
        given = {"y_true": judged, "y_score": ranked}
    elif form == "frames":
        import polars as pl

        rows = [(f"q{i}", name, grades[i, j], scores[i, j]) for i in range(12) for j, name in enumerate(names)]
        frame = pl.DataFrame(rows, schema=["query", "document", "grade", "score"], orient="row")
        given = {"y_true": frame, "y_score": frame.to_pandas()}
    elif form == "orders":
        orders = {f"q{i}": sorted(row, key=lambda name, row=row: -row[name]) for i, row in enumerate(ranked)}
        given = {"y_true": next(by_query), "y_pred": orders}
    else:
        wide = np.concatenate([scores, np.full((12, 2), np.nan)], axis=1)
        more = np.concatenate([grades, np.zeros((12, 2))], axis=1)
        given = {"y_true": more, "y_score": np.ma.masked_invalid(wide)}
    assert metrics.NDCG()(**given) == pytest.approx(wanted, rel=1e-14)
