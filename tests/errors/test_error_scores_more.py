"""More of it: Bad scores, probabilities, logits and costs, and labels where these are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from error_cases import Bad, inf, nan, params

import assay
from messages import refuses

CASES: list[Bad] = [
    (
        "auc cols binary",
        lambda: assay.roc_auc([0, 1], [[0.5, 0.3, 0.2], [0.2, 0.8, 0.0]]),
    ),
    (
        "auc 1 col macro",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], average="macro"),
    ),
    (
        "k big",
        lambda: assay.top_k_accuracy([0, 1], [[0.5, 0.5, 0], [0.2, 0.8, 0]], k=3),
    ),
    (
        "k 1d",
        lambda: assay.top_k_accuracy([0, 1], [0.5, 0.2], k=1),
    ),
    (
        "soft sum",
        lambda: assay.log_loss([[0.5, 0.2]], [[0.5, 0.5]], soft=True),
    ),
    (
        "soft neg",
        lambda: assay.log_loss([[1.5, -0.5]], [[0.5, 0.5]], soft=True),
    ),
    (
        "soft unsaid",
        lambda: assay.brier([[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]),
    ),
    (
        "soft labels",
        lambda: assay.log_loss([0, 1], [0.5, 0.5], soft=True),
    ),
    (
        "score frame",
        lambda: assay.metrics.F1(average=None).score([1, 0], [1, 0]),
    ),
    (
        "y_true probs",
        lambda: assay.brier([0.2, 0.8], [0.1, 0.9]),
    ),
    (
        "tm style",
        lambda: assay.accuracy([0, 1], y_prob=[[0.2, 0.3], [0.4, 0.6]]),
    ),
    (
        "y_prob text",
        lambda: assay.f1([0, 1], y_prob=["a", "b"]),
    ),
    (
        "y_prob none",
        lambda: assay.f1([0, 1], y_prob=[None, 0.5]),
    ),
    (
        "logits nan f1",
        lambda: assay.f1([0, 1], logits=[nan, 0.5]),
    ),
    (
        "prob nan f1",
        lambda: assay.f1([0, 1], y_prob=[nan, 0.5]),
    ),
    (
        "logits matrix nan f1",
        lambda: assay.f1([0, 1], logits=[[nan, 0.5], [0.1, 0.2]], average="macro"),
    ),
    (
        "logits matrix inf f1",
        lambda: assay.f1([0, 1], logits=[[inf, 0.5], [0.1, 0.2]], average="macro"),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
