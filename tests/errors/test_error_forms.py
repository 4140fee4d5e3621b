"""Forms of data that cannot be read in one way: refused with what to do, never a foreign error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from error_cases import Bad, check, params

import assay

CASES: list[Bad] = [
    (
        "threshold of three",
        lambda: assay.accuracy([0, 1, 2], y_prob=[[0.6, 0.2, 0.2]] * 3, threshold=0.3),
        assay.ParameterError,
        (
            "Accuracy: threshold=0.3 decides between two classes, and y_prob has 3 columns, of which the largest wins. Leave "
            "threshold out, or decide yourself and pass y_pred=."
        ),
    ),
]


def traced() -> Any:
    jax = pytest.importorskip("jax")
    return jax.jit(lambda p: assay.log_loss([0, 1], y_prob=p))(jax.numpy.asarray([0.2, 0.9]))


def sparse() -> Any:
    torch = pytest.importorskip("torch")
    return assay.mse(torch.tensor([0.0, 1.0]).to_sparse(), [0.0, 1.0])


def without_data() -> Any:
    torch = pytest.importorskip("torch")
    return assay.mse([0.0, 1.0], torch.zeros(2, device="meta"))


CASES += [
    (
        "columns of one name",
        lambda: assay.log_loss(["a", "b"], y_prob=pd.DataFrame(np.full((2, 2), 0.5), columns=["a", "a"])),
        assay.InputError,
        "LogLoss: y_prob has columns of one name: a. Rename or drop one of each.",
    ),
    (
        "columns of one name in pyarrow",
        lambda: assay.mse(pa.table([[1.0], [2.0]], names=["a", "a"]), [[1.0, 2.0]]),
        assay.InputError,
        "MSE: y_true has columns of one name: a. Rename or drop one of each.",
    ),
    (
        "missing in a pandas array",
        lambda: assay.accuracy(pd.array([1, None], dtype="Int64"), [1, 0]),
        assay.InputError,
        "Accuracy: y_true has 1 missing values. Drop or fill those rows in every input first.",
    ),
    (
        "index of several levels",
        lambda: assay.accuracy(pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), [1, 0]),
        assay.InputError,
        "Accuracy: y_true must be an array, a list or a column, got MultiIndex.",
    ),
    (
        "not a column",
        lambda: assay.accuracy(pd.Timestamp("2020-01-01"), [1, 0]),
        assay.InputError,
        "Accuracy: y_true must be an array, a list or a column, got Timestamp.",
    ),
    (
        "traced",
        traced,
        assay.InputError,
        (
            "LogLoss: y_prob is traced by JAX (jit, vmap or grad) and holds no numbers yet, and a metric must look at them. Call it "
            "outside, on the arrays that the traced function returns."
        ),
    ),
    ("sparse", sparse, assay.InputError, "MSE: y_true is a sparse tensor. Pass y_true.to_dense()."),
    (
        "meta",
        without_data,
        assay.InputError,
        "MSE: y_pred is a tensor on the meta device, which holds no data.",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), params(CASES))
def test_text(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    check(call, kind, text)
