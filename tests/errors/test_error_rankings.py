"""Bad judgments and rankings: each is refused with a text that says which query and document, and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from error_cases import Bad, inf, nan, params

import assay
from messages import refuses

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
RUN = {"q1": {"a": 0.5, "b": 0.4}, "q2": {"a": 0.1}}
FRAME = pd.DataFrame({"query": ["q1", "q1"], "doc": ["a", "a"], "score": [1.0, 2.0]})

CASES: list[Bad] = [
    ("a judged query is missing", lambda: assay.ndcg(JUDGED, {"q1": {"a": 1.0}})),
    ("no query in common", lambda: assay.ndcg(JUDGED, {1: {"a": 1.0}})),
    ("documents of two kinds", lambda: assay.ndcg(JUDGED, {"q1": {1: 1.0}, "q2": {2: 1.0}})),
    ("a score is text", lambda: assay.ndcg(JUDGED, {"q1": {"a": "high"}, "q2": {"a": 1.0}})),
    ("a score is missing", lambda: assay.ndcg(JUDGED, {"q1": {"a": None}, "q2": {"a": 1.0}})),
    ("a score is NaN", lambda: assay.ndcg(JUDGED, {"q1": {"a": nan}, "q2": {"a": 1.0}})),
    ("a grade is infinite", lambda: assay.ndcg({"q1": {"a": inf}}, {"q1": {"a": 1.0}})),
    ("a score of a matrix is NaN", lambda: assay.ndcg([[1, 0]], [[nan, 1.0]])),
    ("a grade of a matrix is infinite", lambda: assay.ndcg([[inf, 0]], [[2.0, 1.0]])),
    ("other numbers of queries", lambda: assay.ndcg([[1, 0]], [[1.0, 2.0], [1.0, 2.0]])),
    ("other numbers of documents", lambda: assay.ndcg([[1, 0], [1, 0, 0]], [[1.0, 2.0], [1.0, 2.0]])),
    ("a single query", lambda: assay.ndcg([1, 0], [1.0, 2.0])),
    ("text in a matrix", lambda: assay.ndcg(np.array([["x", "y"]]), [[1.0, 2.0]])),
    ("grades without names", lambda: assay.ndcg([[1, 0]], {"q1": {"a": 1.0}})),
    ("queries on one side", lambda: assay.ndcg(JUDGED, [{"a": 1.0}, {"a": 1.0}])),
    ("lists of other lengths", lambda: assay.ndcg([{"a": 1}], [{"a": 1.0}, {"a": 1.0}])),
    ("a document twice in a list", lambda: assay.ndcg({"q": ["a"]}, y_pred={"q": ["b", "a", "b"]})),
    ("a document twice in the truth", lambda: assay.ndcg({"q": ["a", "a"]}, y_pred={"q": ["b", "a"]})),
    ("a document twice in a frame", lambda: assay.ndcg(JUDGED, FRAME)),
    ("a frame without scores", lambda: assay.ndcg(JUDGED, FRAME[["query", "doc"]])),
    ("scores given as an order", lambda: assay.ndcg(JUDGED, y_pred=RUN)),
    ("an order given as scores", lambda: assay.ndcg(JUDGED, {"q1": ["a", "b"], "q2": ["a"]})),
    ("a query that is text", lambda: assay.ndcg({"q1": "ab"}, {"q1": {"a": 1.0}})),
    ("both kinds of ranking", lambda: assay.ndcg(JUDGED, RUN, y_pred={"q1": ["a"], "q2": ["a"]})),
    ("no ranking", lambda: assay.ndcg(JUDGED)),
    ("ties refused", lambda: assay.ndcg({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1.0, "b": 1.0}}, ties="error")),
    ("no relevant document", lambda: assay.recall_at_k({"q1": {"a": 0}}, {"q1": {"a": 1.0}}, no_relevant="error")),
    ("a grade above the scale", lambda: assay.expected_reciprocal_rank(JUDGED, RUN, max_grade=1)),
    ("k of zero", lambda: assay.ndcg(JUDGED, RUN, k=0)),
    ("a level of zero", lambda: assay.precision_at_k(JUDGED, RUN, relevance=0)),
    ("a rule that is unknown", lambda: assay.ndcg(JUDGED, RUN, ties="random")),
    ("a version that is unknown", lambda: assay.ndcg(JUDGED, RUN, compat="trec_eval 8")),
    ("a persistence of one", lambda: assay.rank_biased_precision(JUDGED, RUN, persistence=1.0)),
    ("nothing at all", lambda: assay.ndcg([], [])),
    ("a tie that is too large", lambda: assay.bpref([[1, 0] * 2000], [[1.0] * 4000], ties="average")),
]  # fmt: skip


@pytest.mark.parametrize("call", params(CASES))
def test_bad_input_is_refused(call: object) -> None:
    refuses(call)
