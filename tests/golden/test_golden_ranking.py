"""Hand-worked values of ranking metrics. One query of six documents in the order 1 to 6; grades 3, 0, 2, 0, 0, 1 unless said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from golden_cases import Case, check, params

import assay

LOG = np.log2
GRADES: list[list[float]] = [[3, 0, 2, 0, 0, 1]]
SCORES = [[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]]
ONE: dict[str, Any] = {"y_true": GRADES, "y_score": SCORES}
DCG = 3 + 2 / LOG(4) + 1 / LOG(7)
IDEAL = 3 + 2 / LOG(3) + 1 / LOG(4)
# Documents 2 and 3 share a score: relevant ones stand at 1, at 2 or 3, and at 6.
TIED: dict[str, Any] = {"y_true": GRADES, "y_score": [[0.9, 0.8, 0.8, 0.6, 0.5, 0.4]]}

CASES = [
    Case("average_precision_at_k", ONE, (1 + 2 / 3 + 3 / 6) / 3),
    Case("average_precision_at_k", ONE, (1 + 2 / 3) / 3, {"k": 3}),
    Case("average_precision_at_k", ONE, (1 + 2 / 3) / 3, {"k": 3, "denominator": "attainable"}),
    Case("average_precision_at_k", ONE, 1 / 1, {"k": 1, "denominator": "attainable"}),
    Case("average_precision_at_k", ONE, (1 + 2 / 3) / 2, {"k": 3, "denominator": "retrieved"}),
    Case("average_precision_at_k", ONE, (1 + 2 / 3) / 2, {"relevance": 2}),
    Case("average_precision_at_k", TIED, (1 + (2 / 2 + 2 / 3) / 2 + 3 / 6) / 3, {"ties": "average"}),
    Case("average_precision_at_k", TIED, (1 + 2 / 2 + 3 / 6) / 3, {"ties": "id"}),
    Case("average_precision_at_k", TIED, (1 + 2 / 3 + 3 / 6) / 3, {"ties": "input"}),
    Case("average_precision_at_k", TIED, (1 + 2 / 3 + 3 / 6) / 3, {"ties": "pessimistic"}),
    Case("precision_at_k", ONE, 2 / 4, {"k": 4}),
    Case("precision_at_k", ONE, 3 / 10),
    Case("precision_at_k", ONE, 2 / 3, {"k": 4, "relative": True}),
    Case("recall_at_k", ONE, 2 / 3, {"k": 4}),
    Case("hit_rate", ONE, 1.0, {"k": 1}),
    Case("hit_rate", {"y_true": [[0, 0, 1]], "y_score": [[3, 2, 1]]}, 0.0, {"k": 2}),
    Case("hit_rate", {"y_true": [[0, 1, 1]], "y_score": [[1, 1, 1]]}, 2 / 3, {"k": 1, "ties": "average"}),
    Case("mean_reciprocal_rank", {"y_true": [[0, 0, 1], [0, 1, 0]], "y_score": [[3, 2, 1]] * 2}, (1 / 3 + 1 / 2) / 2),
    Case("mean_reciprocal_rank", {"y_true": [[0, 0, 1]], "y_score": [[1, 1, 1]]}, (1 + 1 / 2 + 1 / 3) / 3, {"ties": "average"}),
    Case("r_precision", ONE, 2 / 3),
    Case("r_precision", ONE, 3 / 6, {"multiple": 2.0}),
    Case("bpref", ONE, (1 + (1 - 1 / 3) + (1 - 3 / 3)) / 3),
    Case("inferred_average_precision", {"y_true": [[1, -1, 1]], "y_score": [[3, 2, 1]]},
         (1 + 1 / 3 + 2 / 3 * (1 + 1e-5) / (1 + 2e-5)) / 2),
    Case("judged_at_k", {"y_true": [[1, math.nan, 0, 0]], "y_score": [[4, 3, 2, 1]]}, 2 / 3, {"k": 3}),
    Case("judged_at_k", {"y_true": [[1, math.nan, 0, 0]], "y_score": [[4, 3, 2, 1]]}, 1 / 3, {"k": 3, "complement": True}),
    Case("ndcg", ONE, DCG / IDEAL),
    Case("ndcg", ONE, (3 + 2 / LOG(4)) / IDEAL, {"k": 3}),
    Case("ndcg", ONE, (7 + 3 / LOG(4) + 1 / LOG(7)) / (7 + 3 / LOG(3) + 1 / LOG(4)), {"gain": "exponential"}),
    Case("ndcg", TIED, (3 + (2 / LOG(3) + 2 / LOG(4)) / 2 + 1 / LOG(7)) / IDEAL, {"ties": "average"}),
    # nDCG at ranks 1, 3 and 6, where the ideal ranking has gained 3, all and all.
    Case("ndcg_at_relevant", ONE, (1 + (3 + 2 / LOG(4)) / IDEAL + DCG / IDEAL) / 3),
    # After 1, 2 and 3 documents the ideal goes down a grade, and at the end.
    Case("ndcg_at_relevant", ONE, (1 + 3 / (3 + 2 / LOG(3)) + (3 + 2 / LOG(4)) / IDEAL + DCG / IDEAL) / 4, {"points": "grades"}),
    Case("normalized_gain", ONE, (1 + 1 / LOG(3) + 1 / LOG(5)) / 3, {"binary": True}),
    # Costs of the ideal: 3, 5, 6, 7, 8, 9; gained so far 3, 3, 5, 5, 5, 6.
    Case("normalized_gain", ONE, (3 / LOG(2 + 3 - 3) + 2 / LOG(2 + 6 - 5) + 1 / LOG(2 + 9 - 6)) / 6),
    Case("expected_reciprocal_rank", ONE, 7 / 8 + 1 / 8 * 3 / 8 / 3 + 1 / 8 * 5 / 8 * 1 / 8 / 6, {"max_grade": 3}),
    Case("rank_biased_precision", ONE, 0.5 * (1 + 0.5**2 + 0.5**5), {"persistence": 0.5}),
    Case("rank_biased_precision", ONE, 0.5 * (3 + 2 * 0.5**2 + 0.5**5) / 4, {"persistence": 0.5, "max_grade": 4.0}),
    Case("rank_biased_residual", ONE, 0.5**6, {"persistence": 0.5}),
    Case("rank_biased_residual", ONE, 0.0, {"persistence": 0.5, "tail": "unjudged"}),
    Case("set_retrieval", ONE, 2 * 3 / (3 + 6)),
    Case("set_retrieval", ONE, 3 / 6, {"measure": "precision"}),
    Case("set_retrieval", ONE, 1.0, {"measure": "recall"}),
    Case("set_retrieval", ONE, 1.0, {"measure": "relative_precision"}),
    Case("set_retrieval", ONE, 9 / 18, {"measure": "average_precision"}),
    Case("retrieval_utility", ONE, 3.0 - 3.0),
    Case("retrieval_count", ONE, 3.0),
    Case("retrieval_count", ONE, 6.0, {"of_what": "retrieved"}),
    Case("interpolated_precision", ONE, 2 / 3, {"recall": 0.5}),
    # 0.0 to 0.1 need no document, up to 0.4 one, up to 0.8 two, the rest three.
    Case("interpolated_precision", ONE, (2 + 3 + 4 * 2 / 3 + 2 * 3 / 6) / 11),
]  # fmt: skip


@pytest.mark.parametrize("case", params(CASES))
@pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
def test_a_value_worked_by_hand(case: Case) -> None:
    check(case)


def test_hits_of_the_metrics_list() -> None:
    """Erratum: hits at 1, 2, 3, 6, 7 and 9 of 10 give 0.841270 only where AP@k is divided by the hits."""
    grades = [[1, 1, 1, 0, 0, 1, 1, 0, 1, 0]]
    scores = [list(range(10, 0, -1))]
    assert assay.average_precision_at_k(grades, scores, k=10, denominator="retrieved") == pytest.approx(
        0.841270, abs=5e-7
    )


def test_trap_22_ndcg_with_ties_by_tool() -> None:
    """Equal scores: averaged as scikit-learn does, or broken by document as trec_eval does."""
    grades, scores = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 1.0, "b": 1.0, "c": 2.0}}
    ideal = 2 + 1 / LOG(3)
    with pytest.warns(assay.UndefinedWarning, match="1 queries with ties"):
        assert assay.ndcg(grades, scores) == pytest.approx((2 + 1 / LOG(4)) / ideal)  # b before a
    assert assay.ndcg(grades, scores, ties="average") == pytest.approx((2 + (1 / LOG(3) + 1 / LOG(4)) / 2) / ideal)


def test_the_ideal_is_of_all_judged_documents() -> None:
    """Not of the retrieved ones: a ranking that lacks the best document cannot score 1."""
    grades = {"q": {"a": 3, "b": 1}}
    assert assay.ndcg(grades, {"q": {"b": 1.0}}) == pytest.approx(1 / (3 + 1 / LOG(3)))
