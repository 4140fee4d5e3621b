"""Bad parameters that many metrics share, and inputs that are unknown, missing or given twice."""

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
        "unknown param",
        lambda: assay.f1([1, 0], [1, 0], averge="macro"),
    ),
    (
        "unknown param cls",
        lambda: assay.metrics.F1(averge="macro"),
    ),
    (
        "unknown input",
        lambda: assay.f1([1, 0], y_scores=[1, 0]),
    ),
    (
        "unknown input cls",
        lambda: assay.metrics.F1()([1, 0], y_scores=[1, 0]),
    ),
    (
        "twice",
        lambda: assay.f1([1, 0], [1, 0], y_pred=[1, 0]),
    ),
    (
        "two kinds",
        lambda: assay.f1([1, 0], [1, 0], y_prob=[0.1, 0.2]),
    ),
    (
        "none kinds",
        lambda: assay.f1([1, 0]),
    ),
    (
        "no args",
        lambda: assay.f1(),
    ),
    (
        "too many",
        lambda: assay.mse([1.0], [1.0], [1.0]),
    ),
    (
        "too many f1",
        lambda: assay.f1([1], [1], [1], [1], [1]),
    ),
    (
        "average",
        lambda: assay.f1([1, 0], [1, 0], average="marco"),
    ),
    (
        "price without end",
        lambda: assay.net_benefit([1, 0], [1, 0], threshold=1.0),
    ),
    (
        "ratios of rows",
        lambda: assay.lr_plus([[1, 0]], [[1, 0]], average="samples"),
    ),
    (
        "average auc",
        lambda: assay.roc_auc([1, 0], [0.1, 0.2], average="samples"),
    ),
    (
        "undefined",
        lambda: assay.f1([1, 0], [1, 0], undefined="zero"),
    ),
    (
        "undefined 2",
        lambda: assay.f1([1, 0], [1, 0], undefined=2),
    ),
    (
        "undefined list",
        lambda: assay.f1([1, 0], [1, 0], undefined=[0]),
    ),
    (
        "undefined none",
        lambda: assay.f1([1, 0], [1, 0], undefined=None),
    ),
    (
        "undefined arr",
        lambda: assay.f1([1, 0], [1, 0], undefined=np.array([0, 1])),
    ),
    (
        "threshold",
        lambda: assay.f1([1, 0], y_prob=[0.1, 0.2], threshold=1.5),
    ),
    (
        "threshold str",
        lambda: assay.f1([1, 0], y_prob=[0.1, 0.2], threshold="half"),
    ),
    (
        "beta",
        lambda: assay.f_beta([1, 0], [1, 0], beta=-1),
    ),
    (
        "beta None",
        lambda: assay.f_beta([1, 0], [1, 0], beta=None),
    ),
    (
        "beta nan",
        lambda: assay.f_beta([1, 0], [1, 0], beta=nan),
    ),
    (
        "classes one",
        lambda: assay.f1([1, 0], [1, 0], classes=(1,)),
    ),
    (
        "classes dup",
        lambda: assay.f1([1, 0], [1, 0], classes=(1, 1)),
    ),
    (
        "classes str",
        lambda: assay.f1([1, 0], [1, 0], classes="ab"),
    ),
    (
        "classes mixed",
        lambda: assay.f1([1, 0], [1, 0], classes=(1, "a")),
    ),
    (
        "classes float",
        lambda: assay.f1([1, 0], [1, 0], classes=(0.5, 1.5)),
    ),
    (
        "classes None in",
        lambda: assay.f1([1, 0], [1, 0], classes=(None, 1)),
    ),
    (
        "classes int",
        lambda: assay.f1([1, 0], [1, 0], classes=2),
    ),
    (
        "classes set",
        lambda: assay.f1([1, 0], [1, 0], classes={0, 1}),
    ),
    (
        "classes nested",
        lambda: assay.f1([1, 0], [1, 0], classes=((0, 1), (1, 2))),
    ),
    (
        "fair 1",
        lambda: assay.crps([1.0], members=[[1.0]], estimator="fair"),
    ),
    (
        "crps none",
        lambda: assay.crps([1.0]),
    ),
    (
        "crps both",
        lambda: assay.crps([1.0], members=[[1.0]], mean=[1.0]),
    ),
    (
        "crps mean only",
        lambda: assay.crps([1.0], mean=[1.0]),
    ),
    (
        "crps members 1d",
        lambda: assay.crps([1.0], members=[1.0]),
    ),
    (
        "crps empty members",
        lambda: assay.crps([1.0], members=np.zeros((1, 0))),
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
