"""Names that differ in a trailing NUL stay two, whatever holds them; what has no name names nothing."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay import InputError
from assay.inference import ppi
from assay.metrics import Accuracy
from assay.resampling import Holdout
from messages import refusal

Y = [0, 1] * 10
P = [0, 1, 1, 0] * 5
NAMES = ["a\0", "a"] * 10
HOLDERS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "object": lambda names: np.array(names, dtype=object),
    "StringDType": lambda names: np.array(names, dtype=np.dtypes.StringDType()),
    "polars": pl.Series,
    "polars categories": lambda names: pl.Series(names, dtype=pl.Categorical),
    "pandas": pd.Series,
    "pyarrow": pa.array,
}


@pytest.fixture(params=HOLDERS)
def hold(request: pytest.FixtureRequest) -> Callable[[list[str]], Any]:
    return HOLDERS[request.param]


def test_labels(hold: Callable[[list[str]], Any]) -> None:
    assert assay.accuracy(hold(["a\0", "b"]), hold(["a", "b"])) == 0.5


def test_slices(hold: Callable[[list[str]], Any]) -> None:
    assert set(Accuracy().by(hold(NAMES), Y, P).slices) == {"a\0", "a"}
    found = assay.evaluate(task="binary", y_true=Y, y_pred=P, slices={"g": hold(NAMES)})
    assert set(found.gaps["g"]) == {"a\0", "a"}


def test_groups_and_ids(hold: Callable[[list[str]], Any]) -> None:
    ids = [f"{i}{end}" for i in range(10) for end in ("", "\0")]
    found = assay.evaluate(task="binary", y_true=Y, y_pred=P, groups=hold(ids), ids=hold(ids))
    assert found.groups == 20
    test = next(iter(Holdout(test=0.5).splits(20, groups=hold(NAMES)))).test
    assert len({NAMES[i] for i in test}) == 1


def test_strata_of_prediction_powered_inference() -> None:
    """The labelled rows have the NUL, the unlabelled ones do not: a stratum of its own, where nobody is unlabelled."""
    rows = {"strata": NAMES * 3, "unlabelled_strata": ["a"] * 60}
    with refusal(InputError):
        ppi.mean([1.0, 2.0] * 30, [1.0, 2.5] * 30, [1.0, 2.0] * 30, **rows)


class _Site(enum.Enum):
    NORTH = 1
    SOUTH = 2


@pytest.mark.parametrize(
    "values",
    [[_Site.NORTH, _Site.SOUTH] * 10, [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 10,
     pd.cut(pd.Series(P), 2), [pd.Interval(0, 1), pd.Interval(1, 2)] * 10],
)  # fmt: skip
def test_things_with_a_value_name_slices(values: Any) -> None:
    assert len(Accuracy().by(values, Y, P).slices) == 2


NAMELESS: list[tuple[list[Any], str]] = [
    [object(), object()],
    [len, print],
    [{"a": 1}, {"b": 2}],
    [1, "1"],
]


@pytest.mark.parametrize("pair", NAMELESS)
def test_things_without_a_name(pair: list[Any]) -> None:
    values = np.array(pair * 10, dtype=object)
    with refusal(InputError):
        Accuracy().by(values, Y, P)
    for named in ({"slices": {"g": values}}, {"groups": values}, {"ids": values}):
        with refusal(InputError):
            assay.evaluate(task="binary", y_true=Y, y_pred=P, **named)
