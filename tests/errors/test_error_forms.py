"""Forms of data that cannot be read in one way: refused with what to do, never a foreign error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from error_cases import Bad, params

import assay
from messages import refuses

CASES: list[Bad] = [
    (
        "threshold of three",
        lambda: assay.accuracy([0, 1, 2], y_prob=[[0.6, 0.2, 0.2]] * 3, threshold=0.3),
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
    ),
    (
        "columns of one name in pyarrow",
        lambda: assay.mse(pa.table([[1.0], [2.0]], names=["a", "a"]), [[1.0, 2.0]]),
    ),
    (
        "missing in a pandas array",
        lambda: assay.accuracy(pd.array([1, None], dtype="Int64"), [1, 0]),
    ),
    (
        "index of several levels",
        lambda: assay.accuracy(pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), [1, 0]),
    ),
    (
        "not a column",
        lambda: assay.accuracy(pd.Timestamp("2020-01-01"), [1, 0]),
    ),
    (
        "traced",
        traced,
    ),
    (
        "sparse",
        sparse,
    ),
    (
        "meta",
        without_data,
    ),
]


@pytest.mark.parametrize("call", params(CASES))
def test_text(call: Callable[[], Any]) -> None:
    refuses(call)
