"""More of it: Bad scores, probabilities, logits and costs, and labels where these are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from error_cases import Bad, check, inf, nan, params

import assay

CASES: list[Bad] = [
    (
        "auc cols binary",
        lambda: assay.roc_auc([0, 1], [[0.5, 0.5], [0.2, 0.8]]),
        assay.InputError,
        (
            "RocAuc: there are 2 columns of scores. Choose average='macro', 'weighted', 'micro' or None, "
            "or pass the scores of the positive class alone."
        ),
    ),
    (
        "auc 1 col macro",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], average="macro"),
        assay.InputError,
        "RocAuc: average='macro' needs one column of scores a class; there is one score a row.",
    ),
    (
        "k big",
        lambda: assay.top_k_accuracy([0, 1], [[0.5, 0.5, 0], [0.2, 0.8, 0]], k=3),
        assay.InputError,
        "TopKAccuracy: k=3 takes all 3 classes, so every row is right. Choose a smaller k.",
    ),
    (
        "k 1d",
        lambda: assay.top_k_accuracy([0, 1], [0.5, 0.2], k=1),
        assay.InputError,
        "TopKAccuracy: y_score must be a matrix (rows, columns), got float64 of shape (2,).",
    ),
    (
        "soft sum",
        lambda: assay.log_loss([[0.5, 0.2]], [[0.5, 0.5]], soft=True),
        assay.InputError,
        (
            "LogLoss: every row of y_true must sum to 1, row 0 sums to 0.7. Renormalise on purpose "
            "(y_true / y_true.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "soft neg",
        lambda: assay.log_loss([[1.5, -0.5]], [[0.5, 0.5]], soft=True),
        assay.InputError,
        (
            "LogLoss: y_true must be probabilities in [0, 1], got [ 1.5 -0.5] in row 0. For logits pass "
            "logits=, for other scores y_score=."
        ),
    ),
    (
        "soft unsaid",
        lambda: assay.brier([[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]),
        assay.InputError,
        (
            "Brier: y_true is a matrix, so it must hold 0 and 1, one column a label, got [0.5 0.5] in row 1. For distributions "
            "over the classes say soft=True, with log_loss or brier."
        ),
    ),
    (
        "soft labels",
        lambda: assay.log_loss([0, 1], [0.5, 0.5], soft=True),
        assay.InputError,
        (
            "LogLoss: soft=True reads y_true as distributions, a matrix (rows, classes), got int64 of shape (2,). For labels "
            "leave soft out."
        ),
    ),
    (
        "score frame",
        lambda: assay.metrics.F1(average=None).score([1, 0], [1, 0]),
        assay.InputError,
        "F1: does not give one number here; choose how to average, or read its value.",
    ),
    (
        "y_true probs",
        lambda: assay.brier([0.2, 0.8], [0.1, 0.9]),
        assay.InputError,
        (
            "Brier: y_true must hold labels, got float64 of shape (2,) and row 0 looks like a score "
            "(0.2). For scores, take the labels first (y_prob=... with a threshold) or pass them by their"
            " name: y_prob=, y_score= or logits=."
        ),
    ),
    (
        "tm style",
        lambda: assay.accuracy([0, 1], y_prob=[[0.2, 0.3], [0.4, 0.6]]),
        assay.InputError,
        (
            "Accuracy: every row of y_prob must sum to 1, row 0 sums to 0.5. Renormalise on purpose "
            "(y_prob / y_prob.sum(1, keepdims=True)), or pass logits=."
        ),
    ),
    (
        "y_prob text",
        lambda: assay.f1([0, 1], y_prob=["a", "b"]),
        assay.InputError,
        ("F1: y_prob must hold numbers, got 'a' (str) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "y_prob none",
        lambda: assay.f1([0, 1], y_prob=[None, 0.5]),
        assay.InputError,
        ("F1: y_prob must hold numbers, got None (NoneType) in row 0. Convert or drop such rows in every input first."),
    ),
    (
        "logits nan f1",
        lambda: assay.f1([0, 1], logits=[nan, 0.5]),
        assay.InputError,
        (
            "F1: logits must be finite, got nan in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "prob nan f1",
        lambda: assay.f1([0, 1], y_prob=[nan, 0.5]),
        assay.InputError,
        (
            "F1: y_prob must be finite, got nan in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "logits matrix nan f1",
        lambda: assay.f1([0, 1], logits=[[nan, 0.5], [0.1, 0.2]], average="macro"),
        assay.InputError,
        (
            "F1: logits must be finite, got nan in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
    (
        "logits matrix inf f1",
        lambda: assay.f1([0, 1], logits=[[inf, 0.5], [0.1, 0.2]], average="macro"),
        assay.InputError,
        (
            "F1: logits must be finite, got inf in row 0 (1 such values in all). Drop or repair those "
            "rows in every input first."
        ),
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
