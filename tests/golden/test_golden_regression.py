"""Regression metrics on data small enough to work out by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F  # noqa: N817

import pytest
from golden_cases import Case, check, check_undefined, params

import assay
from messages import refusal, warned

# Errors p - y: -1/2, 1/2, 0, 1. Sum of squares 3/2, of sizes 2. Mean of y 23/8, SST = 62.25 - 4 (23/8)^2 = 467/16.
PLAIN = {"y_true": [3.0, -0.5, 2.0, 7.0], "y_pred": [2.5, 0.0, 2.0, 8.0]}
# The last row counts four times: squares (1/4 + 1/4 + 0 + 4) / 7, sizes (1/2 + 1/2 + 4) / 7.
WEIGHTED = {**PLAIN, "weight": [1.0, 1.0, 1.0, 4.0]}
# Two outputs: squares 0, 1 and 4, 0; population variances of the targets 1 and 100.
TWO = {"y_true": [[1.0, 10.0], [3.0, 30.0]], "y_pred": [[1.0, 12.0], [4.0, 30.0]]}
STEPS = {"y_true": [0.0, 1.0, 2.0, 3.0], "y_pred": [0.0, 1.0, 2.0, 2.0]}  # RMSE 1/2, variance 5/4, mean 3/2
TIED = {"y_true": [1.0, 1.0, 2.0], "y_pred": [1.0, 2.0, 3.0]}
ORDER = {"y_true": [1.0, 2.0, 3.0, 4.0], "y_pred": [1.0, 3.0, 2.0, 9.0]}
# log(1 + y) is 1 and 2, log(1 + p) is 2 and 2: squares 1 and 0.
LOGS = {"y_true": [math.e - 1, math.e**2 - 1], "y_pred": [math.e**2 - 1, math.e**2 - 1]}
NEGATIVE = {"y_true": [1.0, 2.0, -4.0], "y_pred": [1.5, 2.0, -5.0]}  # relative errors 1/2, 0, 1/4
ZERO = {"y_true": [1.0, 0.0, 2.0], "y_pred": [2.0, 1.0, 1.0]}  # relative errors 1, none, 1/2
HALVES = {"y_true": [1.0, 2.0, 0.0], "y_pred": [1.0, 4.0, 0.0]}  # symmetric errors 0, 2*2/6, 0/0 = 0
FUTURE = {"y_true": [5.0, 6.0], "y_pred": [5.0, 8.0]}  # absolute errors 0, 2
BOUNDS = {"y_true": [1.0, 2.0, 3.0], "lower": [0.0, 2.5, 2.0], "upper": [2.0, 4.0, 3.0]}  # inside, below, on the edge
M4 = {"y_true": [5.0, 6.0], "y_pred": [5.0, 7.0], "y_baseline": [4.0, 4.0]}
COUNTS = {"y_true": [2.0, 1.0, 0.0], "y_pred": [1.0, 1.0, 0.5]}
AMOUNTS = {"y_true": [1.0, 3.0], "y_pred": [2.0, 3.0]}
EVENTS = {"y_true": [1.0, 0.0], "y_pred": [0.5, 0.25]}  # likelihoods 1/2 and 3/4
SKILL = {"y_true": [1.0, 2.0, 3.0], "y_pred": [1.0, 2.0, 3.5], "y_baseline": [2.0, 2.0, 2.0]}

CASES = [
    Case("mse", PLAIN, F(3, 8)),
    Case("mse", WEIGHTED, F(9, 14)),
    Case("mse", TWO, F(5, 4)),  # (1/2 + 2) / 2
    Case("mse", TWO, [F(1, 2), F(2)], {"outputs": "each"}),
    Case("mse", TWO, F(13, 8), {"outputs": (0.25, 0.75)}),  # 1/8 + 3/2
    Case("mse", TWO, F(401, 202), {"outputs": "variance"}),  # (1/2 * 1 + 2 * 100) / 101
    Case("mean_loss", PLAIN, F(3, 8)),  # the squared error by default
    Case("mean_loss", PLAIN, F(3, 16), {"loss": "huber"}),  # halves 1/8, 1/8, 0, 1/2
    Case("mean_loss", WEIGHTED, F(5, 7), {"loss": "mae"}),
    Case("rmse", PLAIN, math.sqrt(3 / 8)),
    Case("rmse", TWO, (math.sqrt(1 / 2) + math.sqrt(2)) / 2),  # root first, then the mean over outputs
    Case("sse", PLAIN, F(3, 2)),
    Case("sse", WEIGHTED, F(9, 2)),
    Case("mae", PLAIN, F(1, 2)),
    Case("mae", WEIGHTED, F(5, 7)),
    Case("mae", TWO, [F(1, 2), F(1)], {"outputs": "each"}),
    Case("mean_error", PLAIN, F(1, 4)),  # (-1/2 + 1/2 + 0 + 1) / 4
    Case("mean_error", WEIGHTED, F(4, 7)),
    Case("deviance", PLAIN, F(3, 2)),  # the sum of squares
    Case("deviance", WEIGHTED, F(9, 2)),
    Case(
        "deviance", COUNTS, 2 * (2 * math.log(2) - 1 + 0.5), {"distribution": "poisson"}
    ),  # 2 log(2/1) - 2 + 1; 0; 1/2
    Case("deviance", AMOUNTS, 2 * (math.log(2) - 0.5), {"distribution": "gamma"}),  # log(2/1) + 1/2 - 1; 0
    Case("deviance", EVENTS, 2 * (math.log(2) + math.log(4 / 3)), {"distribution": "binomial"}),
    Case("mean_deviance", COUNTS, (4 * math.log(2) - 1) / 3, {"distribution": "poisson"}),
    Case(
        "mean_deviance",
        {**EVENTS, "weight": [3.0, 1.0]},
        (3 * math.log(2) + math.log(4 / 3)) / 2,
        {"distribution": "binomial"},
    ),
    Case(
        "mean_deviance",
        {"y_true": [0.5], "y_pred": [0.25]},
        math.log(2) + math.log(2 / 3),
        {"distribution": "binomial"},
    ),
    # Four rows of variance 3/8: n (1 + log(2 pi 3/8)).
    Case("aic", PLAIN, 4 * (1 + math.log(0.75 * math.pi)) + 6, {"coefficients": 3}),
    Case("aicc", PLAIN, 4 * (1 + math.log(0.75 * math.pi)) + 4 + 12, {"coefficients": 2}),  # 2 * 2 * 3 / (4 - 2 - 1)
    Case("bic", PLAIN, 4 * (1 + math.log(0.75 * math.pi)) + 3 * math.log(4), {"coefficients": 3}),
    Case("aic", WEIGHTED, 7 * (1 + math.log(9 / 7 * math.pi)) + 2),  # seven rows of variance 9/14
    Case("aic", EVENTS, 2 * (math.log(2) + math.log(4 / 3)) + 4, {"distribution": "binomial", "coefficients": 2}),
    Case(
        "aic", COUNTS, 2 * (1 + math.log(2) + 1 + 0.5) + 2, {"distribution": "poisson"}
    ),  # exp(-1) / 2, exp(-1), exp(-1/2)
    Case("bic", COUNTS, 2 * (1 + math.log(2) + 1 + 0.5) + math.log(3), {"distribution": "poisson"}),
    Case("max_error", PLAIN, 1),
    Case("max_error", {**PLAIN, "weight": [1.0, 1.0, 1.0, 0.0]}, F(1, 2)),  # the last row is not there
    Case("max_error", TWO, [1, 2], {"outputs": "each"}),
    Case("wape", PLAIN, F(4, 25)),  # 2 / (3 + 1/2 + 2 + 7)
    Case("wape", WEIGHTED, F(10, 67)),  # 5 / (3 + 1/2 + 2 + 28)
    Case("wape", ZERO, 1),  # (1 + 1 + 1) / (1 + 0 + 2)
    Case("wape", PLAIN, 16, {"percent": True}),
    Case("mspe", NEGATIVE, F(5, 48)),  # (1/4 + 0 + 1/16) / 3
    Case("mspe", NEGATIVE, F(50_000, 48), {"percent": True}),
    Case("nmae", STEPS, F(1, 6)),  # (1/4) / (3/2)
    Case("nmae", STEPS, F(1, 12), {"divisor": "range"}),
    Case("nmae", STEPS, F(1, 6), {"divisor": "iqr"}),  # quartiles 3/4 and 9/4
    Case("nmae", STEPS, 0.25 / math.sqrt(5 / 4), {"divisor": "sd"}),
    Case("nmae", {"y_true": [-1.0, -3.0], "y_pred": [0.0, -3.0]}, F(1, 4)),  # (1/2) / 2, not negative
    Case("median_absolute_error", PLAIN, F(1, 2)),  # 0, 1/2, 1/2, 1
    Case("median_absolute_error", WEIGHTED, 1),  # 0, 1/2, 1/2, 1, 1, 1, 1
    Case("median_absolute_error", {**STEPS, "weight": [0.0, 1.0, 1.0, 2.0]}, F(1, 2)),  # 0, 0, 1, 1
    Case("mape", NEGATIVE, F(1, 4)),
    Case("mape", NEGATIVE, 25, {"percent": True}),
    Case("mape", {**NEGATIVE, "weight": [1.0, 1.0, 2.0]}, F(1, 4)),  # (1/2 + 0 + 1/2) / 4
    Case("smape", HALVES, F(2, 9)),
    Case("smape", HALVES, F(200, 9), {"percent": True}),
    Case("smape", {"y_true": [0.0], "y_pred": [5.0]}, 2),  # the upper end of the range
    Case("mase", {**FUTURE, "y_train": [1.0, 2.0, 4.0]}, F(2, 3)),  # 1 / ((1 + 2) / 2)
    Case("mase", {**FUTURE, "y_train": [1.0, 2.0, 4.0, 8.0]}, F(2, 9), {"season": 2}),  # 1 / ((3 + 6) / 2)
    Case("mase", {**FUTURE, "scale": [1.0, 4.0]}, F(1, 4)),  # (0/1 + 2/4) / 2
    Case("mase", {**FUTURE, "scale": 2.0, "weight": [1.0, 3.0]}, F(3, 4)),  # (0 + 3 * 2/2) / 4
    # sMAPE (0 + 2/13) / 2 over (2/9 + 4/10) / 2, MASE 1/4 over 3/4.
    Case("owa", {**M4, "scale": 2.0}, (F(2, 13) / F(28, 45) + F(1, 3)) / 2),
    Case("owa", {**M4, "y_train": [1.0, 2.0, 4.0, 8.0]}, (F(2, 13) / F(28, 45) + F(1, 3)) / 2, {"season": 2}),
    Case("owa", {**M4, "scale": [1.0, 4.0], "weight": [1.0, 3.0]}, (F(6, 13) / F(64, 45) + F(3, 4) / F(5, 2)) / 2),
    Case("msle", LOGS, F(1, 2)),
    Case("rmsle", LOGS, math.sqrt(1 / 2)),
    Case("nrmse", STEPS, 0.5 / math.sqrt(5 / 4)),
    Case("nrmse", STEPS, F(1, 6), {"divisor": "range"}),
    Case("nrmse", STEPS, F(1, 3), {"divisor": "mean"}),
    Case("nrmse", STEPS, F(1, 3), {"divisor": "iqr"}),  # quartiles 3/4 and 9/4
    Case("r2", PLAIN, 1 - F(24, 467)),  # (3/2) / (467/16)
    Case("r2", TWO, [F(1, 2), F(49, 50)], {"outputs": "each"}),  # 1 - 1/2, 1 - 4/200
    Case("r2", TWO, (F(1, 2) + 98) / 101, {"outputs": "variance"}),
    Case("r2", {**STEPS, "weight": [1.0, 0.0, 0.0, 1.0]}, 1 - F(2, 9)),  # rows 0 and 3 alone: SSE 1, SST 9/2
    Case("adjusted_r2", PLAIN, 1 - F(36, 467), {"features": 1}),  # times 3/2
    Case("adjusted_r2", PLAIN, 1 - F(72, 467), {"features": 2}),  # times 3/1
    Case("explained_variance", PLAIN, 1 - F(20, 467)),  # bias 1/4: (3/2 - 4/16) / (467/16)
    Case("skill_score", SKILL, F(7, 8)),  # (1/4) / 2
    Case("skill_score", SKILL, F(3, 4), {"loss": assay.metrics.MAE()}),  # (1/2) / 2
    Case("pearson", {"y_true": [1.0, 2.0, 3.0], "y_pred": [2.0, 4.0, 7.0]}, 5 / math.sqrt(2 * 38 / 3)),
    Case("spearman", ORDER, F(4, 5)),  # 1 - 6 * 2 / (4 * 15)
    Case("spearman", TIED, math.sqrt(3) / 2),  # ranks 1.5 1.5 3 against 1 2 3: 1.5 / sqrt(1.5 * 2)
    Case("kendall", ORDER, F(2, 3)),  # 5 pairs right, 1 wrong, of 6
    Case("kendall", TIED, 2 / math.sqrt(2 * 3)),  # 2 right, 1 of 3 tied in y
    Case("kendall", TIED, F(8, 9), {"variant": "c"}),  # 2 * 2 / (9 * (2 - 1) / 2)
    Case(
        "kendall", {**TIED, "weight": [2.0, 1.0, 1.0]}, 3 / math.sqrt(3 * 5)
    ),  # rows 0 0 1 2: 3 right, 3 and 5 not tied
    Case("pinball", {"y_true": [1.0, 2.0, 3.0], "y_pred": [0.0, 2.0, 5.0]}, F(1, 3) * F(19, 10), {"quantile": 0.1}),
    Case("interval_coverage", BOUNDS, F(2, 3)),
    Case("interval_coverage", {**BOUNDS, "weight": [1.0, 2.0, 1.0]}, F(1, 2)),
    Case("interval_width", BOUNDS, F(9, 6)),  # (2 + 3/2 + 1) / 3
    Case("interval_score", BOUNDS, F(29, 6), {"level": 0.9}),  # 2 + (3/2 + 20 * 1/2) + 1, over 3
    Case("interval_score", BOUNDS, F(13, 6), {"level": 0.5}),  # 2 + (3/2 + 4 * 1/2) + 1, over 3
    Case("crps", {"y_true": [0.0], "members": [[-1.0, 1.0]]}, F(1, 2)),  # 1 - (0 + 2 + 2 + 0) / 4 / 2
    Case("crps", {"y_true": [0.0], "members": [[-1.0, 1.0]]}, 0, {"estimator": "fair"}),  # 1 - 2/2
    Case("crps", {"y_true": [3.0], "members": [[1.0]]}, 2),  # one member: the absolute error
    Case("crps", {"y_true": [0.0], "mean": [0.0], "sd": [1.0]}, (math.sqrt(2) - 1) / math.sqrt(math.pi)),
]


@pytest.mark.parametrize("case", params(CASES))
def test_value(case: Case) -> None:
    check(case)


CONSTANT = {"y_true": [2.0, 2.0, 2.0], "y_pred": [1.0, 2.0, 4.0]}
UNDEFINED = [
    ("r2", CONSTANT, {}),
    ("explained_variance", CONSTANT, {}),
    ("adjusted_r2", CONSTANT, {}),
    ("adjusted_r2", ORDER, {"features": 3}),  # 4 rows are not more than 3 + 1
    ("pearson", CONSTANT, {}),
    ("spearman", CONSTANT, {}),
    ("kendall", CONSTANT, {}),
    ("kendall", CONSTANT, {"variant": "c"}),
    ("wape", {"y_true": [0.0, 0.0], "y_pred": [1.0, 2.0]}, {}),
    ("nmae", {"y_true": [-1.0, 1.0], "y_pred": [0.0, 0.0]}, {}),
    ("nmae", CONSTANT, {"divisor": "sd"}),
    ("nmae", CONSTANT, {"divisor": "range"}),
    ("nrmse", CONSTANT, {}),
    ("nrmse", CONSTANT, {"divisor": "range"}),
    ("nrmse", CONSTANT, {"divisor": "iqr"}),
    ("nrmse", {"y_true": [-1.0, 1.0], "y_pred": [0.0, 0.0]}, {"divisor": "mean"}),
    ("mase", {**FUTURE, "y_train": [3.0, 3.0, 3.0]}, {}),
    ("aicc", PLAIN, {"coefficients": 3}),  # 4 rows are not more than 3 + 1
    ("owa", {**M4, "y_baseline": M4["y_true"], "scale": 1.0}, {}),
    ("skill_score", {**SKILL, "y_baseline": SKILL["y_true"]}, {}),
]


@pytest.mark.parametrize(("key", "inputs", "options"), UNDEFINED)
def test_undefined(key: str, inputs: dict, options: dict) -> None:
    check_undefined(key, inputs, options)


def test_mspe_at_zero() -> None:
    """As MAPE."""
    with refusal(assay.UndefinedError):
        assay.mspe(**ZERO)
    with warned(assay.UndefinedWarning):
        assert assay.mspe(**ZERO, zeros="skip") == 0.625
    with warned(assay.UndefinedWarning):
        assert assay.mspe(**ZERO, zeros="epsilon", epsilon=0.5) == pytest.approx((1 + 4 + 0.25) / 3, rel=1e-15)


def test_mape_at_zero() -> None:
    """A zero target is an error unless the caller says what to do with it; what was done is said aloud."""
    with refusal(assay.UndefinedError):
        assay.mape(**ZERO)
    with warned(assay.UndefinedWarning):
        assert assay.mape(**ZERO, zeros="skip") == 0.75
    with warned(assay.UndefinedWarning):
        assert assay.mape(**ZERO, zeros="epsilon", epsilon=0.5) == pytest.approx((1 + 2 + 0.5) / 3, rel=1e-15)


def test_one_constant_output() -> None:
    """The constant output is left out of the mean, counted, and can be given a number instead."""
    data = {"y_true": [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], "y_pred": [[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]}
    with warned(assay.UndefinedWarning):
        assert assay.r2(**data) == pytest.approx(0.5, rel=1e-15)
    assert assay.r2(**data, undefined=0) == pytest.approx(0.25, rel=1e-15)
    score = assay.metrics.R2().score(**data)
    assert (score.undefined, len(score.parts)) == (1, 2)
