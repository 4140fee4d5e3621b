"""Bad parameters that many metrics share, and inputs that are unknown, missing or given twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from error_cases import Bad, check, nan, params

import assay

CASES: list[Bad] = [
    (
        "unknown param",
        lambda: assay.f1([1, 0], [1, 0], averge="macro"),
        assay.ParameterError,
        "F1: there is no parameter 'averge'. Did you mean 'average'?",
    ),
    (
        "unknown param cls",
        lambda: assay.metrics.F1(averge="macro"),
        assay.ParameterError,
        "F1: there is no parameter 'averge'. Did you mean 'average'?",
    ),
    (
        "unknown input",
        lambda: assay.f1([1, 0], y_scores=[1, 0]),
        assay.ParameterError,
        (
            "F1: there is no parameter 'y_scores'. There are: average, classes, logits, positive, "
            "threshold, undefined, weight, y_pred, y_prob, y_true."
        ),
    ),
    (
        "unknown input cls",
        lambda: assay.metrics.F1()([1, 0], y_scores=[1, 0]),
        assay.InputError,
        "F1: there is no input 'y_scores'; it takes y_true, one of y_pred, y_prob, logits.",
    ),
    (
        "twice",
        lambda: assay.f1([1, 0], [1, 0], y_pred=[1, 0]),
        assay.InputError,
        "F1: y_pred was given twice, by place and by name.",
    ),
    (
        "two kinds",
        lambda: assay.f1([1, 0], [1, 0], y_prob=[0.1, 0.2]),
        assay.InputError,
        "F1: give exactly one of y_pred, y_prob, logits; got y_pred and y_prob.",
    ),
    (
        "none kinds",
        lambda: assay.f1([1, 0]),
        assay.InputError,
        "F1: give exactly one of y_pred, y_prob, logits; got none.",
    ),
    (
        "no args",
        lambda: assay.f1(),
        assay.InputError,
        "F1: y_true must be given; it takes y_true, one of y_pred, y_prob, logits.",
    ),
    (
        "too many",
        lambda: assay.mse([1.0], [1.0], [1.0]),
        assay.InputError,
        "MSE: takes at most 2 inputs (y_true, y_pred), got 3.",
    ),
    (
        "too many f1",
        lambda: assay.f1([1], [1], [1], [1], [1]),
        assay.InputError,
        "F1: takes at most 4 inputs (y_true, y_pred, y_prob, logits), got 5.",
    ),
    (
        "average",
        lambda: assay.f1([1, 0], [1, 0], average="marco"),
        assay.ParameterError,
        ("F1: average must be one of 'binary', 'macro', 'micro', 'weighted', 'samples', None, got 'marco'."),
    ),
    (
        "average auc",
        lambda: assay.roc_auc([1, 0], [0.1, 0.2], average="samples"),
        assay.ParameterError,
        "RocAuc: average must be one of 'binary', 'macro', 'micro', 'weighted', None, got 'samples'.",
    ),
    (
        "undefined",
        lambda: assay.f1([1, 0], [1, 0], undefined="zero"),
        assay.ParameterError,
        "F1: undefined must be 'nan', 'error', 0 or 1, got 'zero'.",
    ),
    (
        "undefined 2",
        lambda: assay.f1([1, 0], [1, 0], undefined=2),
        assay.ParameterError,
        "F1: undefined must be 'nan', 'error', 0 or 1, got 2.",
    ),
    (
        "undefined list",
        lambda: assay.f1([1, 0], [1, 0], undefined=[0]),
        assay.ParameterError,
        "F1: undefined must be 'nan', 'error', 0 or 1, got (0,).",
    ),
    (
        "undefined none",
        lambda: assay.f1([1, 0], [1, 0], undefined=None),
        assay.ParameterError,
        "F1: undefined must be 'nan', 'error', 0 or 1, got None.",
    ),
    (
        "undefined arr",
        lambda: assay.f1([1, 0], [1, 0], undefined=np.array([0, 1])),
        assay.ParameterError,
        "F1: undefined must be 'nan', 'error', 0 or 1, got (0, 1).",
    ),
    (
        "threshold",
        lambda: assay.f1([1, 0], y_prob=[0.1, 0.2], threshold=1.5),
        assay.ParameterError,
        "F1: threshold must be a number at least 0 and at most 1, got 1.5.",
    ),
    (
        "threshold str",
        lambda: assay.f1([1, 0], y_prob=[0.1, 0.2], threshold="half"),
        assay.ParameterError,
        "F1: threshold must be a number, got 'half'.",
    ),
    (
        "beta",
        lambda: assay.f_beta([1, 0], [1, 0], beta=-1),
        assay.ParameterError,
        "FBeta: beta must be a number at least 0, got -1.",
    ),
    (
        "beta None",
        lambda: assay.f_beta([1, 0], [1, 0], beta=None),
        assay.ParameterError,
        "FBeta: beta must be a number, got None.",
    ),
    (
        "beta nan",
        lambda: assay.f_beta([1, 0], [1, 0], beta=nan),
        assay.ParameterError,
        "FBeta: beta must be a number, got nan.",
    ),
    (
        "classes one",
        lambda: assay.f1([1, 0], [1, 0], classes=(1,)),
        assay.ParameterError,
        "F1: classes must name at least two different labels, got (1,).",
    ),
    (
        "classes dup",
        lambda: assay.f1([1, 0], [1, 0], classes=(1, 1)),
        assay.ParameterError,
        "F1: classes must name at least two different labels, got (1, 1).",
    ),
    (
        "classes str",
        lambda: assay.f1([1, 0], [1, 0], classes="ab"),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got 'ab'.",
    ),
    (
        "classes mixed",
        lambda: assay.f1([1, 0], [1, 0], classes=(1, "a")),
        assay.ParameterError,
        "F1: classes must be all text or all whole numbers, got (1, 'a').",
    ),
    (
        "classes float",
        lambda: assay.f1([1, 0], [1, 0], classes=(0.5, 1.5)),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got (0.5, 1.5).",
    ),
    (
        "classes None in",
        lambda: assay.f1([1, 0], [1, 0], classes=(None, 1)),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got (None, 1).",
    ),
    (
        "classes int",
        lambda: assay.f1([1, 0], [1, 0], classes=2),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got 2.",
    ),
    (
        "classes set",
        lambda: assay.f1([1, 0], [1, 0], classes={0, 1}),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got {0, 1}.",
    ),
    (
        "classes nested",
        lambda: assay.f1([1, 0], [1, 0], classes=((0, 1), (1, 2))),
        assay.ParameterError,
        "F1: classes must be a list of labels or None, got ((0, 1), (1, 2)).",
    ),
    (
        "fair 1",
        lambda: assay.crps([1.0], members=[[1.0]], estimator="fair"),
        assay.InputError,
        "CRPS: the fair estimator needs at least two members, got 1.",
    ),
    (
        "crps none",
        lambda: assay.crps([1.0]),
        assay.InputError,
        "CRPS: give members (rows, ensemble size), or mean and sd; got neither.",
    ),
    (
        "crps both",
        lambda: assay.crps([1.0], members=[[1.0]], mean=[1.0]),
        assay.InputError,
        "CRPS: give members (rows, ensemble size), or mean and sd; got mean and members.",
    ),
    (
        "crps mean only",
        lambda: assay.crps([1.0], mean=[1.0]),
        assay.InputError,
        "CRPS: give members (rows, ensemble size), or mean and sd; got mean.",
    ),
    (
        "crps members 1d",
        lambda: assay.crps([1.0], members=[1.0]),
        assay.InputError,
        "CRPS: members must be a matrix (rows, columns), got float64 of shape (1,).",
    ),
    (
        "crps empty members",
        lambda: assay.crps([1.0], members=np.zeros((1, 0))),
        assay.InputError,
        "CRPS: members has no columns (float64 of shape (1, 0)); at least one is needed.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
