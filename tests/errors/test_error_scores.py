"""Bad scores, probabilities, logits and costs, and labels where these are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, inf, nan, params

import assay
from messages import refuses

CASES: list[Bad] = [
    (
        "empty auc",
        lambda: assay.roc_auc([], []),
    ),
    (
        "zero cols prob",
        lambda: assay.log_loss([0, 1], np.zeros((2, 0))),
    ),
    (
        "one row auc",
        lambda: assay.roc_auc([1], [0.5], undefined="error"),
    ),
    (
        "nan score",
        lambda: assay.roc_auc([0, 1], [nan, 0.5]),
    ),
    (
        "nan prob",
        lambda: assay.log_loss([0, 1], [nan, 0.5]),
    ),
    (
        "nan prob2",
        lambda: assay.brier([0, 1], [[nan, 0.5], [0.5, 0.5]]),
    ),
    (
        "nan logits",
        lambda: assay.log_loss([0, 1], logits=[nan, 0.5]),
    ),
    (
        "inf logits",
        lambda: assay.log_loss([0, 1], logits=[inf, 0.5]),
    ),
    (
        "nan topk",
        lambda: assay.top_k_accuracy([0, 1], [[nan, 0.5, 0.2], [0.1, 0.2, 0.3]], k=1),
    ),
    (
        "rank lab3",
        lambda: assay.f1(np.zeros((2, 2, 2), int), np.zeros((2, 2, 2), int)),
    ),
    (
        "scores rank",
        lambda: assay.roc_auc([0, 1], np.zeros((2, 1))),
    ),
    (
        "prob out",
        lambda: assay.log_loss([0, 1], [0.5, 1.2]),
    ),
    (
        "prob neg",
        lambda: assay.brier([0, 1], [-0.1, 0.5]),
    ),
    (
        "prob percent",
        lambda: assay.brier([0, 1], [50, 70]),
    ),
    (
        "prob sum",
        lambda: assay.log_loss([0, 1], [[0.5, 0.4], [0.5, 0.5]]),
    ),
    (
        "prob sum auc",
        lambda: assay.roc_auc([0, 1, 2], y_prob=[[0.5, 0.4, 0.3], [0.5, 0.5, 0], [0, 0, 1]], average="macro"),
    ),
    (
        "prob sum f1",
        lambda: assay.f1([0, 1, 2], y_prob=[[0.5, 0.4, 0.3], [0.5, 0.5, 0], [0, 0, 1]], average="macro"),
    ),
    (
        "scores as pred",
        lambda: assay.f1([0, 1], [0.2, 0.8]),
    ),
    (
        "labels as prob text",
        lambda: assay.log_loss([0, 1], ["a", "b"]),
    ),
    (
        "labels as score text",
        lambda: assay.roc_auc([0, 1], ["a", "b"]),
    ),
    (
        "score as truth",
        lambda: assay.roc_auc([0.2, 0.8], [0, 1]),
    ),
    (
        "object ok labels?",
        lambda: assay.f1(np.array([1, "a", 0], dtype=object), np.array([1, 0, 0], dtype=object)),
    ),
    (
        "wrong pos auc",
        lambda: assay.roc_auc([1, 2], [0.1, 0.2], positive=3),
    ),
    (
        "no pos auc",
        lambda: assay.roc_auc([1, 2], [0.1, 0.2]),
    ),
    (
        "pos auc not in classes",
        lambda: assay.roc_auc(["a", "b"], [0.1, 0.2], positive="c", classes=("a", "b")),
    ),
    (
        "three in auc",
        lambda: assay.roc_auc([0, 1, 2], [0.1, 0.2, 0.3]),
    ),
    (
        "three f1 prob",
        lambda: assay.f1([0, 1, 2], y_prob=[0.1, 0.2, 0.3]),
    ),
    (
        "ml auc shape",
        lambda: assay.roc_auc(np.array([[0, 1], [1, 1]]), np.zeros((2, 3)), average="macro"),
    ),
    (
        "cost classes",
        lambda: assay.expected_cost([0, 1, 2], [0, 1, 2], cost=[[0, 1], [1, 0]]),
    ),
    (
        "cost dec text",
        lambda: assay.cost_minimal_decisions([["a", "b"]], [[0, 1], [1, 0]]),
    ),
    (
        "cost dec nan",
        lambda: assay.cost_minimal_decisions([[nan, 0.5]], [[0, 1], [1, 0]]),
    ),
    (
        "cost dec out",
        lambda: assay.cost_minimal_decisions([1.5, 0.5], [[0, 1], [1, 0]]),
    ),
    (
        "cost dec sum",
        lambda: assay.cost_minimal_decisions([[0.5, 0.2]], [[0, 1], [1, 0]]),
    ),
    (
        "ece pos unknown",
        lambda: assay.calibration_error([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], of_what="positive", positive=7),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
