"""Bad options of single metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, nan, params

import assay

CASES: list[Bad] = [
    (
        "outputs",
        lambda: assay.mse([1.0], [1.0], outputs="median"),
        assay.ParameterError,
        "MSE: outputs must be 'mean', 'each', 'variance' or a list of numbers, got 'median'.",
    ),
    (
        "outputs neg",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=(1.0, -1.0)),
        assay.ParameterError,
        "MSE: outputs must be 'mean', 'each', 'variance' or a tuple of weights, got (1.0, -1.0).",
    ),
    (
        "outputs text",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=("a", "b")),
        assay.ParameterError,
        "MSE: outputs must be 'mean', 'each', 'variance' or a list of numbers, got ('a', 'b').",
    ),
    (
        "outputs number",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=3),
        assay.ParameterError,
        "MSE: outputs must be 'mean', 'each', 'variance' or a list of numbers, got 3.",
    ),
    (
        "outputs None",
        lambda: assay.mse([[1.0, 2]], [[1.0, 2]], outputs=None),
        assay.ParameterError,
        "MSE: outputs must be 'mean', 'each', 'variance' or a list of numbers, got None.",
    ),
    (
        "quantile",
        lambda: assay.pinball([1.0], [1.0], quantile=1.5),
        assay.ParameterError,
        "Pinball: quantile must be a number above 0 and at most 1, got 1.5.",
    ),
    (
        "quantile 1",
        lambda: assay.pinball([1.0], [1.0], quantile=0),
        assay.ParameterError,
        "Pinball: quantile must be a number above 0 and at most 1, got 0.",
    ),
    (
        "zeros",
        lambda: assay.mape([1.0], [1.0], zeros="ignore"),
        assay.ParameterError,
        "MAPE: zeros must be one of 'error', 'skip', 'epsilon', got 'ignore'.",
    ),
    (
        "epsilon",
        lambda: assay.mape([1.0], [1.0], epsilon=0),
        assay.ParameterError,
        "MAPE: epsilon must be a number above 0, got 0.",
    ),
    (
        "season",
        lambda: assay.mase([1.0], [1.0], y_train=[1.0, 2], season=0),
        assay.ParameterError,
        "MASE: season must be a whole number of at least 1, got 0.",
    ),
    (
        "season float",
        lambda: assay.mase([1.0], [1.0], y_train=[1.0, 2], season=1.5),
        assay.ParameterError,
        "MASE: season must be an integer, got 1.5.",
    ),
    (
        "features",
        lambda: assay.adjusted_r2([1.0, 2], [1.0, 2], features=-1),
        assay.ParameterError,
        "AdjustedR2: features must be a whole number of at least 0, got -1.",
    ),
    (
        "divisor",
        lambda: assay.nrmse([1.0, 2], [1.0, 2], divisor="std"),
        assay.ParameterError,
        "NRMSE: divisor must be one of 'sd', 'range', 'mean', 'iqr', got 'std'.",
    ),
    (
        "variant",
        lambda: assay.kendall([1.0, 2], [1.0, 2], variant="a"),
        assay.ParameterError,
        "Kendall: variant must be one of 'b', 'c', got 'a'.",
    ),
    (
        "level",
        lambda: assay.interval_score([1.0], [1.0], [2.0], level=1),
        assay.ParameterError,
        "IntervalScore: level must be a number above 0 and below 1, got 1.",
    ),
    (
        "level pct",
        lambda: assay.interval_score([1.0], [1.0], [2.0], level=90),
        assay.ParameterError,
        "IntervalScore: level must be a number above 0 and below 1, got 90.",
    ),
    (
        "estimator",
        lambda: assay.crps([1.0], members=[[1.0]], estimator="nrg"),
        assay.ParameterError,
        "CRPS: estimator must be one of 'standard', 'fair', got 'nrg'.",
    ),
    (
        "loss",
        lambda: assay.skill_score([1.0], [1.0], [1.0], loss=assay.metrics.R2()),
        assay.ParameterError,
        "SkillScore: loss must be a metric whose best value is 0, got R2.",
    ),
    (
        "loss str",
        lambda: assay.skill_score([1.0], [1.0], [1.0], loss="mse"),
        assay.ParameterError,
        "SkillScore: loss must be a Metric, got 'mse'.",
    ),
    (
        "kappa weights",
        lambda: assay.cohen_kappa([1, 0], [1, 0], weights="square"),
        assay.ParameterError,
        "CohenKappa: weights must be one of 'linear', 'quadratic', None, got 'square'.",
    ),
    (
        "normalize",
        lambda: assay.confusion_matrix([1, 0], [1, 0], normalize="pred"),
        assay.ParameterError,
        "ConfusionMatrix: normalize must be one of 'true', 'predicted', 'all', None, got 'pred'.",
    ),
    (
        "cost shape",
        lambda: assay.expected_cost([1, 0], [1, 0], cost=[[0, 1, 2], [1, 0, 2]]),
        assay.ParameterError,
        ("ExpectedCost: cost must be a square matrix of finite numbers, rows true, got ((0, 1, 2), (1, 0, 2))."),
    ),
    (
        "cost nan",
        lambda: assay.expected_cost([1, 0], [1, 0], cost=[[0, nan], [1, 0]]),
        assay.ParameterError,
        ("ExpectedCost: cost must be a list of lists of numbers, got ((0, nan), (1, 0))."),
    ),
    (
        "cost text",
        lambda: assay.expected_cost([1, 0], [1, 0], cost="high"),
        assay.ParameterError,
        "ExpectedCost: cost must be a list of lists of numbers, got 'high'.",
    ),
    (
        "cost probs cols",
        lambda: assay.expected_cost([0, 1], y_prob=[[0.5, 0.5], [0.5, 0.5]], cost=np.ones((3, 3)).tolist()),
        assay.ParameterError,
        (
            "ExpectedCost: cost must be a 2 x 2 matrix of finite numbers (rows true, columns predicted), "
            "got ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))."
        ),
    ),
    (
        "cost thr",
        lambda: assay.cost_minimal_threshold([[0, 1, 2]]),
        assay.ParameterError,
        (
            "cost_minimal_threshold: cost must be a 2 x 2 matrix of finite numbers (rows true, columns "
            "predicted), got [[0, 1, 2]]."
        ),
    ),
    (
        "cost thr neg",
        lambda: assay.cost_minimal_threshold([[1, 0], [0, 1]]),
        assay.ParameterError,
        "cost_minimal_threshold: each error must cost more than the right decision on the same class.",
    ),
    (
        "cost thr text",
        lambda: assay.cost_minimal_threshold("x"),
        assay.ParameterError,
        (
            "cost_minimal_threshold: cost must be a 2 x 2 matrix of finite numbers (rows true, columns "
            "predicted), got 'x'."
        ),
    ),
    (
        "cost thr nan",
        lambda: assay.cost_minimal_threshold([[0, nan], [1, 0]]),
        assay.ParameterError,
        (
            "cost_minimal_threshold: cost must be a 2 x 2 matrix of finite numbers (rows true, columns "
            "predicted), got [[0, nan], [1, 0]]."
        ),
    ),
    (
        "cost dec shape",
        lambda: assay.cost_minimal_decisions([[0.5, 0.5]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
        assay.ParameterError,
        (
            "cost_minimal_decisions: cost must be a 2 x 2 matrix of finite numbers (rows true, columns "
            "predicted), got [[0, 1, 1], [1, 0, 1], [1, 1, 0]]."
        ),
    ),
    (
        "clip",
        lambda: assay.log_loss([1], [0.5], clip=0.9),
        assay.ParameterError,
        "LogLoss: clip must be a number above 0 and at most 0.5, got 0.9.",
    ),
    (
        "clip text",
        lambda: assay.log_loss([1], [0.5], clip="auto"),
        assay.ParameterError,
        "LogLoss: clip must be 'eps', a number or None, got 'auto'.",
    ),
    (
        "clip neg",
        lambda: assay.log_loss([1], [0.5], clip=-1e-3),
        assay.ParameterError,
        "LogLoss: clip must be a number above 0 and at most 0.5, got -0.001.",
    ),
    (
        "bins",
        lambda: assay.calibration_error([1], [0.5], bins=0),
        assay.ParameterError,
        "CalibrationError: bins must be a whole number of at least 1 and at most 100000, got 0.",
    ),
    (
        "bins float",
        lambda: assay.calibration_error([1], [0.5], bins=10.0),
        assay.ParameterError,
        "CalibrationError: bins must be an integer, got 10.0.",
    ),
    (
        "binning",
        lambda: assay.calibration_error([1], [0.5], binning="quantile"),
        assay.ParameterError,
        "CalibrationError: binning must be one of 'width', 'mass', got 'quantile'.",
    ),
    (
        "of_what",
        lambda: assay.calibration_error([1], [0.5], of_what="class"),
        assay.ParameterError,
        "CalibrationError: of_what must be one of 'auto', 'top_label', 'positive', 'classwise', got 'class'.",
    ),
    (
        "norm",
        lambda: assay.calibration_error([1], [0.5], norm="l3"),
        assay.ParameterError,
        "CalibrationError: norm must be one of 'l1', 'l2', 'max', got 'l3'.",
    ),
    (
        "debiased",
        lambda: assay.calibration_error([1], [0.5], debiased=True),
        assay.ParameterError,
        ("CalibrationError: debiased=True needs norm='l2': the noise of squared gaps is known, of absolute ones not."),
    ),
    (
        "ece positive many",
        lambda: assay.calibration_error([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], of_what="positive"),
        assay.ParameterError,
        "CalibrationError: of_what='positive' needs positive=, the class to look at.",
    ),
    (
        "ece soft",
        lambda: assay.calibration_error([[0.5, 0.5]], [[0.5, 0.5]]),
        assay.InputError,
        (
            "CalibrationError: y_true is a matrix, so it must hold 0 and 1, one column a label, got [0.5 0.5] in row 0. For "
            "distributions over the classes say soft=True, with log_loss or brier."
        ),
    ),
    (
        "max_fpr",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], max_fpr=0),
        assay.ParameterError,
        "RocAuc: max_fpr must be a number above 0 and at most 1, got 0.",
    ),
    (
        "max_fpr2",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], max_fpr=2),
        assay.ParameterError,
        "RocAuc: max_fpr must be a number above 0 and at most 1, got 2.",
    ),
    (
        "multiclass",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], multiclass="raise"),
        assay.ParameterError,
        "RocAuc: multiclass must be one of 'ovr', 'ovo', got 'raise'.",
    ),
    (
        "ovo binary",
        lambda: assay.roc_auc([0, 1], [0.1, 0.2], multiclass="ovo"),
        assay.ParameterError,
        "RocAuc: multiclass='ovo' needs average='macro' or 'weighted' and no max_fpr.",
    ),
    (
        "fpr",
        lambda: assay.tpr_at_fpr([0, 1], [0.1, 0.2], fpr=1.5),
        assay.ParameterError,
        "TprAtFpr: fpr must be a number at least 0 and at most 1, got 1.5.",
    ),
    (
        "k",
        lambda: assay.top_k_accuracy([0, 1], [[0.5, 0.5, 0], [0.2, 0.8, 0]], k=0),
        assay.ParameterError,
        "TopKAccuracy: k must be a whole number of at least 1, got 0.",
    ),
    (
        "sweep best",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).best("accuracy"),
        assay.ParameterError,
        "threshold_sweep: accuracy is not a rate of the four cells, such as f1, precision or recall.",
    ),
    (
        "sweep cheapest",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).cheapest([1, 2]),
        assay.ParameterError,
        ("threshold_sweep: cost must be a 2 x 2 matrix of finite numbers (rows true, columns predicted), got [1, 2]."),
    ),
    (
        "sweep values type",
        lambda: assay.threshold_sweep([0, 1], [0.1, 0.2]).values(3),
        assay.ParameterError,
        "Sweep.values: metric must be text or a Metric, got 3.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
