"""Bad scores, probabilities, logits and costs, and labels where these are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, inf, nan, params

import assay

CASES: list[Bad] = [
    (
        "empty auc",
        lambda: assay.roc_auc([], []),
        assay.InputError,
        "RocAuc: the inputs are empty; at least one row is needed.",
    ),
    (
        "zero cols prob",
        lambda: assay.log_loss([0, 1], np.zeros((2, 0))),
        assay.InputError,
        "LogLoss: y_prob has no columns (float64 of shape (2, 0)); at least one is needed.",
    ),
    (
        "one row auc",
        lambda: assay.roc_auc([1], [0.5], undefined="error"),
        assay.UndefinedError,
        "RocAuc: the value does not exist here: only one class occurs.",
    ),
    (
        "nan score",
        lambda: assay.roc_auc([0, 1], [nan, 0.5]),
        assay.InputError,
        "RocAuc: y_score must not hold NaN, found it in row 0 (1 in all). Drop those rows everywhere.",
    ),
    (
        "nan prob",
        lambda: assay.log_loss([0, 1], [nan, 0.5]),
        assay.InputError,
        (
            "LogLoss: y_prob must be finite, got nan in row 0 (1 such values in all). Drop or repair "
            "those rows in every input first."
        ),
    ),
    (
        "nan prob2",
        lambda: assay.brier([0, 1], [[nan, 0.5], [0.5, 0.5]]),
        assay.InputError,
        (
            "Brier: y_prob must be finite, got nan in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "nan logits",
        lambda: assay.log_loss([0, 1], logits=[nan, 0.5]),
        assay.InputError,
        (
            "LogLoss: logits must be finite, got nan in row 0 (1 such values in all). Drop or repair "
            "those rows in every input first."
        ),
    ),
    (
        "inf logits",
        lambda: assay.log_loss([0, 1], logits=[inf, 0.5]),
        assay.InputError,
        (
            "LogLoss: logits must be finite, got inf in row 0 (1 such values in all). Drop or repair "
            "those rows in every input first."
        ),
    ),
    (
        "nan topk",
        lambda: assay.top_k_accuracy([0, 1], [[nan, 0.5, 0.2], [0.1, 0.2, 0.3]], k=1),
        assay.InputError,
        (
            "TopKAccuracy: y_score must be finite, got nan in row 0 (1 such values in all). Drop or "
            "repair those rows in every input first."
        ),
    ),
    (
        "rank lab3",
        lambda: assay.f1(np.zeros((2, 2, 2), int), np.zeros((2, 2, 2), int)),
        assay.InputError,
        "F1: y_true must hold one label a row, got int64 of shape (2, 2, 2).",
    ),
    (
        "scores rank",
        lambda: assay.roc_auc([0, 1], np.zeros((2, 1))),
        assay.InputError,
        ("RocAuc: y_score has one column, which holds no second class. Pass y_score[:, 0] for a binary problem."),
    ),
    (
        "prob out",
        lambda: assay.log_loss([0, 1], [0.5, 1.2]),
        assay.InputError,
        (
            "LogLoss: y_prob must be probabilities in [0, 1], got 1.2 in row 1. For logits pass logits=, "
            "for other scores y_score=."
        ),
    ),
    (
        "prob neg",
        lambda: assay.brier([0, 1], [-0.1, 0.5]),
        assay.InputError,
        (
            "Brier: y_prob must be probabilities in [0, 1], got -0.1 in row 0. For logits pass logits=, "
            "for other scores y_score=."
        ),
    ),
    (
        "prob percent",
        lambda: assay.brier([0, 1], [50, 70]),
        assay.InputError,
        (
            "Brier: y_prob must be probabilities in [0, 1], got 50.0 in row 0. For logits pass logits=, "
            "for other scores y_score=."
        ),
    ),
    (
        "prob sum",
        lambda: assay.log_loss([0, 1], [[0.5, 0.4], [0.5, 0.5]]),
        assay.InputError,
        (
            "LogLoss: every row of y_prob must sum to 1, row 0 sums to 0.9. Renormalise on purpose "
            "(y_prob / y_prob.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "prob sum auc",
        lambda: assay.roc_auc([0, 1, 2], y_prob=[[0.5, 0.4, 0.3], [0.5, 0.5, 0], [0, 0, 1]], average="macro"),
        assay.InputError,
        (
            "RocAuc: every row of y_prob must sum to 1, row 0 sums to 1.2. Renormalise on purpose (y_prob"
            " / y_prob.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "prob sum f1",
        lambda: assay.f1([0, 1, 2], y_prob=[[0.5, 0.4, 0.3], [0.5, 0.5, 0], [0, 0, 1]], average="macro"),
        assay.InputError,
        (
            "F1: every row of y_prob must sum to 1, row 0 sums to 1.2. Renormalise on purpose (y_prob / "
            "y_prob.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "scores as pred",
        lambda: assay.f1([0, 1], [0.2, 0.8]),
        assay.InputError,
        (
            "F1: y_pred must hold labels, got float64 of shape (2,) and row 0 looks like a score (0.2). "
            "For scores, take the labels first (y_prob=... with a threshold) or pass them by their name: "
            "y_prob=, y_score= or logits=."
        ),
    ),
    (
        "labels as prob text",
        lambda: assay.log_loss([0, 1], ["a", "b"]),
        assay.InputError,
        ("LogLoss: y_prob must hold numbers, got 'a' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "labels as score text",
        lambda: assay.roc_auc([0, 1], ["a", "b"]),
        assay.InputError,
        ("RocAuc: y_score must hold numbers, got 'a' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "score as truth",
        lambda: assay.roc_auc([0.2, 0.8], [0, 1]),
        assay.InputError,
        (
            "RocAuc: y_true must hold labels, got float64 of shape (2,) and row 0 looks like a score "
            "(0.2). For scores, take the labels first (y_prob=... with a threshold) or pass them by their"
            " name: y_prob=, y_score= or logits=."
        ),
    ),
    (
        "object ok labels?",
        lambda: assay.f1(np.array([1, "a", 0], dtype=object), np.array([1, 0, 0], dtype=object)),
        assay.InputError,
        "F1: y_true must hold labels of one kind, text or whole numbers, got int, str.",
    ),
    (
        "wrong pos auc",
        lambda: assay.roc_auc([1, 2], [0.1, 0.2], positive=3),
        assay.InputError,
        "RocAuc: positive=3 is not among the labels 1, 2.",
    ),
    (
        "no pos auc",
        lambda: assay.roc_auc([1, 2], [0.1, 0.2]),
        assay.InputError,
        "RocAuc: which class is positive? The labels are 1, 2. Say positive=2 (or another of them).",
    ),
    (
        "pos auc not in classes",
        lambda: assay.roc_auc(["a", "b"], [0.1, 0.2], positive="c", classes=("a", "b")),
        assay.InputError,
        "RocAuc: positive='c' is not among the labels 'a', 'b'.",
    ),
    (
        "three in auc",
        lambda: assay.roc_auc([0, 1, 2], [0.1, 0.2, 0.3]),
        assay.InputError,
        (
            "RocAuc: a binary problem has two classes, found 3: 0..2. Several classes need one column of "
            "y_score a class."
        ),
    ),
    (
        "three f1 prob",
        lambda: assay.f1([0, 1, 2], y_prob=[0.1, 0.2, 0.3]),
        assay.InputError,
        ("F1: a binary problem has two classes, found 3: 0..2. Several classes need one column of y_prob a class."),
    ),
    (
        "ml auc shape",
        lambda: assay.roc_auc(np.array([[0, 1], [1, 1]]), np.zeros((2, 3)), average="macro"),
        assay.InputError,
        "RocAuc: y_true and y_score must have one shape, got (2, 2) and (2, 3).",
    ),
    (
        "cost classes",
        lambda: assay.expected_cost([0, 1, 2], [0, 1, 2], cost=[[0, 1], [1, 0]]),
        assay.InputError,
        "ExpectedCost: a binary problem has two classes, found 3: 0..2.",
    ),
    (
        "cost dec text",
        lambda: assay.cost_minimal_decisions([["a", "b"]], [[0, 1], [1, 0]]),
        assay.InputError,
        (
            "cost_minimal_decisions: y_prob must hold numbers, got 'a' (str) in row 0. Convert or drop "
            "such rows in every input first."
        ),
    ),
    (
        "cost dec nan",
        lambda: assay.cost_minimal_decisions([[nan, 0.5]], [[0, 1], [1, 0]]),
        assay.InputError,
        (
            "cost_minimal_decisions: y_prob must be finite, got nan in row 0 (1 such values in all). Drop"
            " or repair those rows in every input first."
        ),
    ),
    (
        "cost dec out",
        lambda: assay.cost_minimal_decisions([1.5, 0.5], [[0, 1], [1, 0]]),
        assay.InputError,
        (
            "cost_minimal_decisions: y_prob must be probabilities in [0, 1], got 1.5 in row 0. For logits"
            " pass logits=, for other scores y_score=."
        ),
    ),
    (
        "cost dec sum",
        lambda: assay.cost_minimal_decisions([[0.5, 0.2]], [[0, 1], [1, 0]]),
        assay.InputError,
        (
            "cost_minimal_decisions: every row of y_prob must sum to 1, row 0 sums to 0.7. Renormalise on"
            " purpose (y_prob / y_prob.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "ece pos unknown",
        lambda: assay.calibration_error([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], of_what="positive", positive=7),
        assay.InputError,
        "CalibrationError: positive=7 is not among the classes 0..2.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
