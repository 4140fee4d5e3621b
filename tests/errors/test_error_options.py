"""Bad options of single metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, nan, params

import assay
from messages import refuses

CASES: list[Bad] = [
    (
        "outputs",
        lambda: assay.mse([1.0], [1.0], outputs="median"),
    ),
    (
        "outputs neg",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=(1.0, -1.0)),
    ),
    (
        "outputs text",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=("a", "b")),
    ),
    (
        "outputs number",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=3),
    ),
    (
        "outputs None",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=None),
    ),
    (
        "quantile",
        lambda: assay.pinball([1.0], [1.0], quantile=1.5),
    ),
    (
        "quantile 1",
        lambda: assay.pinball([1.0], [1.0], quantile=0),
    ),
    (
        "zeros",
        lambda: assay.mape([1.0], [1.0], zeros="ignore"),
    ),
    (
        "epsilon",
        lambda: assay.mape([1.0], [1.0], epsilon=0),
    ),
    (
        "season",
        lambda: assay.mase([1.0], [1.0], y_train=[1.0, 2], season=0),
    ),
    (
        "season float",
        lambda: assay.mase([1.0], [1.0], y_train=[1.0, 2], season=1.5),
    ),
    (
        "features",
        lambda: assay.adjusted_r2([1.0, 2], [1.0, 2], features=-1),
    ),
    (
        "divisor",
        lambda: assay.nrmse([1.0, 2], [1.0, 2], divisor="std"),
    ),
    (
        "variant",
        lambda: assay.kendall([1.0, 2], [1.0, 2], variant="a"),
    ),
    (
        "level",
        lambda: assay.interval_score([1.0], [1.0], [2.0], level=1),
    ),
    (
        "level pct",
        lambda: assay.interval_score([1.0], [1.0], [2.0], level=90),
    ),
    (
        "estimator",
        lambda: assay.crps([1.0], members=[[1.0]], estimator="nrg"),
    ),
    (
        "loss",
        lambda: assay.skill_score([1.0], [1.0], [1.0], loss=assay.metrics.R2()),
    ),
    (
        "loss str",
        lambda: assay.skill_score([1.0], [1.0], [1.0], loss="mse"),
    ),
    (
        "kappa weights",
        lambda: assay.cohen_kappa([1, 0], [1, 0], weights="square"),
    ),
    (
        "normalize",
        lambda: assay.confusion_matrix([1, 0], [1, 0], normalize="pred"),
    ),
    (
        "cost shape",
        lambda: assay.expected_cost([1, 0], [1, 0], cost=[[0, 1, 2], [1, 0, 2]]),
    ),
    (
        "cost nan",
        lambda: assay.expected_cost([1, 0], [1, 0], cost=[[0, nan], [1, 0]]),
    ),
    (
        "cost text",
        lambda: assay.expected_cost([1, 0], [1, 0], cost="high"),
    ),
    (
        "cost probs cols",
        lambda: assay.expected_cost([0, 1], y_prob=[[0.5, 0.5], [0.5, 0.5]], cost=np.ones((3, 3)).tolist()),
    ),
    (
        "cost thr",
        lambda: assay.cost_minimal_threshold([[0, 1, 2]]),
    ),
    (
        "cost thr neg",
        lambda: assay.cost_minimal_threshold([[1, 0], [0, 1]]),
    ),
    (
        "cost thr text",
        lambda: assay.cost_minimal_threshold("x"),
    ),
    (
        "cost thr nan",
        lambda: assay.cost_minimal_threshold([[0, nan], [1, 0]]),
    ),
    (
        "cost dec shape",
        lambda: assay.cost_minimal_decisions([[0.5, 0.5]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
    ),
    (
        "clip",
        lambda: assay.log_loss([1], [0.5], clip=0.9),
    ),
    (
        "clip text",
        lambda: assay.log_loss([1], [0.5], clip="auto"),
    ),
    (
        "clip neg",
        lambda: assay.log_loss([1], [0.5], clip=-1e-3),
    ),
    (
        "bins",
        lambda: assay.calibration_error([1], [0.5], bins=0),
    ),
    (
        "bins float",
        lambda: assay.calibration_error([1], [0.5], bins=10.0),
    ),
    (
        "binning",
        lambda: assay.calibration_error([1], [0.5], binning="quantile"),
    ),
    (
        "of_what",
        lambda: assay.calibration_error([1], [0.5], of_what="class"),
    ),
    (
        "norm",
        lambda: assay.calibration_error([1], [0.5], norm="l3"),
    ),
    (
        "debiased",
        lambda: assay.calibration_error([1], [0.5], debiased=True),
    ),
    (
        "ece positive many",
        lambda: assay.calibration_error([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], of_what="positive"),
    ),
    (
        "ece soft",
        lambda: assay.calibration_error([[0.5, 0.5]], [[0.5, 0.5]]),
    ),
    (
        "max_fpr",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], max_fpr=0),
    ),
    (
        "max_fpr2",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], max_fpr=2),
    ),
    (
        "multiclass",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], multiclass="raise"),
    ),
    (
        "ovo binary",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], multiclass="ovo"),
    ),
    (
        "fpr",
        lambda: assay.tpr_at_fpr([0, 1], [0.1, 0.2], fpr=1.5),
    ),
    (
        "k",
        lambda: assay.top_k_accuracy([0, 1], [[0.5, 0.5, 0], [0.2, 0.8, 0]], k=0),
    ),
    (
        "sweep best",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).best("roc_auc"),
    ),
    (
        "sweep cheapest",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).cheapest([1, 2]),
    ),
    (
        "sweep values type",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).values(3),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
