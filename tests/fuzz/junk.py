"""Junk that users pass by mistake: values of every kind.

Every entry makes a fresh value, so that a generator is never half spent and a call can be repeated.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable
from pathlib import Path
from typing import Any

import array_api_strict
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch

import assay

nan, inf = float("nan"), float("inf")


class Odd:
    """An object of the caller's own."""

    def __repr__(self) -> str:
        return "Odd()"


class Silent:
    """An object that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("not ready")


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _structured() -> Any:
    return np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])


SCALARS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "1": lambda: 1,
    "2": lambda: 2,
    "-1": lambda: -1,
    "3": lambda: 3,
    "7": lambda: 7,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "2**70": lambda: 2**70,
    "-2**70": lambda: -(2**70),
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "0.0": lambda: 0.0,
    "0.5": lambda: 0.5,
    "-0.0": lambda: -0.0,
    "1e-320": lambda: 1e-320,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "nan": lambda: nan,
    "inf": lambda: inf,
    "-inf": lambda: -inf,
    "95": lambda: 95,
    "1j": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("0.5"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "''": lambda: "",
    "'a'": lambda: "a",
    "'nan'": lambda: "nan",
    "'auto'": lambda: "auto",
    "'é✓'": lambda: "é✓",
    "'\\0'": lambda: "\0",
    "'\\ud800'": lambda: "\ud800",
    "'1'": lambda: "1",
    "long text": lambda: "x" * 300,
    "'f1:beta'": lambda: "f1:",
    "'('": lambda: "(",
    "'mae:outputs=('": lambda: "mae:outputs=(",
    "b''": lambda: b"",
    "b'a'": lambda: b"a",
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "np.int64(3)": lambda: np.int64(3),
    "np.float32(0.5)": lambda: np.float32(0.5),
    "np.bool_": lambda: np.bool_(True),
    "np.str_": lambda: np.str_("auto"),
    "np.uint64": lambda: np.uint64(2**64 - 1),
    "np.float16(nan)": lambda: np.float16("nan"),
    "np.array(2)": lambda: np.array(2),
    "np.array('a')": lambda: np.array("a"),
    "np.datetime64": lambda: np.datetime64("2020-01-01"),
    "NaT": lambda: np.datetime64("NaT"),
    "timedelta64": lambda: np.timedelta64(3, "s"),
    "np.void": lambda: np.void(b"abc"),
    "date": lambda: datetime.date(2020, 1, 1),
    "timedelta": lambda: datetime.timedelta(1),
    "pd.NA": lambda: pd.NA,
    "pd.NaT": lambda: pd.NaT,
    "Odd()": Odd,
    "Silent()": Silent,
    "object()": object,
    "class": lambda: Odd,
    "int": lambda: int,
    "function": lambda: len,
    "lambda": lambda: lambda *a, **k: None,
    "module": lambda: np,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "slice": lambda: slice(3),
    "range": lambda: range(3),
    "Path": lambda: Path("nowhere"),
    "Exception": lambda: ValueError("x"),
    "complex": lambda: complex(nan, 1),
    "MAE()": lambda: assay.metrics.MAE(),
    "MAE": lambda: assay.metrics.MAE,
    "CrossValidation": lambda: assay.CrossValidation(),
    "Score": lambda: assay.metrics.MAE().score([1.0, 2.0], [1.0, 3.0]),
}

COLLECTIONS: dict[str, Callable[[], Any]] = {
    "[]": list,
    "()": tuple,
    "{}": dict,
    "set()": set,
    "frozenset": lambda: frozenset({1, 2}),
    "{1, 2}": lambda: {1, 2},
    "[1]": lambda: [1],
    "[0, 1]": lambda: [0, 1],
    "[0, 1, 1]": lambda: [0, 1, 1],
    "[None]": lambda: [None],
    "[nan]": lambda: [nan, 1.0],
    "['a', 1]": lambda: ["a", 1],
    "['a', 'b']": lambda: ["a", "b"],
    "[[]]": lambda: [[]],
    "ragged": lambda: [[1], [1, 2]],
    "nested": lambda: [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
    "matrix": lambda: [[1.0, 2.0], [3.0, 4.0]],
    "deep": lambda: [[[[[1]]]]],
    "[Odd()]": lambda: [Odd(), Odd()],
    "mixed": lambda: [1, "a", None, 2.5, b"x"],
    "[inf]": lambda: [inf, -inf],
    "[2**70]": lambda: [2**70, 1],
    "[10**5000]": lambda: [10**5000],
    "[True, False]": lambda: [True, False],
    "('mae',)": lambda: ("mae",),
    "['no such']": lambda: ["no such"],
    "[1j]": lambda: [1j, 2j],
    "{'a': 1}": lambda: {"a": 1},
    "{1: 2}": lambda: {1: 2},
    "{None: None}": lambda: {None: None},
    "{(1, 2): 3}": lambda: {(1, 2): 3},
    "{'a': None}": lambda: {"a": None},
    "{'a': [1, 2]}": lambda: {"a": [1, 2], "b": [1, 2]},
    "{'': ''}": lambda: {"": ""},
    "{1: 1, '1': 1}": lambda: {1: 1, "1": 1},
    "{b'a': 0}": lambda: {b"a": 0},
    "generator": lambda: (i for i in range(3)),
    "iterator": lambda: iter([1, 2]),
    "map": lambda: map(str, [1]),
    "zip": lambda: zip([1], [2], strict=True),
    "dict.values": lambda: {"a": 1}.values(),
    "[(1, 2, 3)]": lambda: [(1, 2, 3)],
    "[b'a']": lambda: [b"a", b"b"],
    "[date]": lambda: [datetime.date(2020, 1, 1)] * 2,
    "self-holding": lambda: _cyclic(),
    "'deep dict'": lambda: {"a": {"b": {"c": 1}}},
    "['']": lambda: ["", ""],
    "str subclass": lambda: np.str_("a"),
}


def _cyclic() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


ARRAYS: dict[str, Callable[[], Any]] = {
    "empty": lambda: np.array([]),
    "empty 2d": lambda: np.empty((0, 3)),
    "no columns": lambda: np.empty((3, 0)),
    "0-d": lambda: np.array(1.5),
    "object": lambda: np.array([1, "a", None], dtype=object),
    "object numbers": lambda: np.array([1, 2.5, 3], dtype=object),
    "datetime": lambda: np.array(["2020-01-01"] * 3, dtype="M8[D]"),
    "timedelta": lambda: np.arange(3).astype("m8[s]"),
    "structured": _structured,
    "complex": lambda: np.ones(3, complex),
    "void": lambda: np.zeros(3, "V4"),
    "bytes": lambda: np.array([b"a", b"b"]),
    "unicode": lambda: np.array(["a", "é", ""]),
    "4d": lambda: np.zeros((2, 2, 2, 2)),
    "masked": lambda: np.ma.array([1.0, 2, 3], mask=[0, 1, 0]),
    "masked clean": lambda: np.ma.array([1.0, 2, 3]),
    "longdouble": lambda: np.arange(3, dtype=np.longdouble),
    "matrix": lambda: np.asmatrix([[1.0, 2.0]]),
    "read-only": lambda: read_only(np.arange(3.0)),
    "big-endian": lambda: np.arange(3, dtype=">f8"),
    "strided": lambda: np.arange(9.0)[::-3],
    "uint64": lambda: np.array([2**64 - 1, 0, 1], dtype=np.uint64),
    "recarray": lambda: _structured().view(np.recarray),
    "float16": lambda: np.arange(3, dtype=np.float16),
    "all nan": lambda: np.full(3, nan),
    "huge": lambda: np.full(3, 1e308),
    "StringDType": lambda: np.array(["a", "b"], dtype=np.dtypes.StringDType()),
}

FRAMES: dict[str, Callable[[], Any]] = {
    "pd.Series null": lambda: pd.Series([1.0, None, 3.0]),
    "pd.Series Int64 NA": lambda: pd.Series([1, None, 3], dtype="Int64"),
    "pd.Categorical": lambda: pd.Categorical(["a", "b", "a"]),
    "pd.Series category": lambda: pd.Series(["a", "b", None], dtype="category"),
    "pd.DataFrame": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    "pd.DataFrame empty": lambda: pd.DataFrame(),
    "pd.DataFrame twice": lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "pd.MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "pd.Index": lambda: pd.Index([1, 2, 3]),
    "pd.Series datetime": lambda: pd.Series(pd.date_range("2020", periods=3)),
    "pd.Series tz": lambda: pd.Series(pd.date_range("2020", periods=3, tz="UTC")),
    "pd.Interval": lambda: pd.interval_range(0, 3),
    "pd.Timestamp": lambda: pd.Timestamp("2020"),
    "pd.Series lists": lambda: pd.Series([[1], [2, 3]]),
    "pd.Sparse": lambda: pd.arrays.SparseArray([0, 0, 1]),
    "pl.Series null": lambda: pl.Series([1, None, 3]),
    "pl.Series struct": lambda: pl.Series([{"a": 1}, {"a": 2}]),
    "pl.Series list": lambda: pl.Series([[1], [2, 3]]),
    "pl.Series cat": lambda: pl.Series(["a", "b"], dtype=pl.Categorical),
    "pl.Series decimal": lambda: pl.Series([decimal.Decimal("1.5")]),
    "pl.Series object": lambda: pl.Series([Odd()], dtype=pl.Object),
    "pl.Series duration": lambda: pl.Series([datetime.timedelta(1)]),
    "pl.Series null type": lambda: pl.Series([None, None]),
    "pl.DataFrame": lambda: pl.DataFrame({"a": [1, 2], "b": [{"c": 1}, {"c": 2}]}),
    "pl.LazyFrame": lambda: pl.LazyFrame({"a": [1]}),
    "pl.DataFrame empty": lambda: pl.DataFrame(),
    "pl.expr": lambda: pl.col("a"),
    "pa.array": lambda: pa.array([1, None, 3]),
    "pa.struct": lambda: pa.array([{"a": 1}]),
    "pa.dictionary": lambda: pa.array(["a", "b"]).dictionary_encode(),
    "pa.table": lambda: pa.table({"a": [1, 2]}),
    "pa.scalar": lambda: pa.scalar(3),
    "pa.list": lambda: pa.array([[1], [2, 3]]),
    "pa.null": lambda: pa.nulls(3),
    "pa.chunked": lambda: pa.chunked_array([[1], [2, None]]),
    "pa.decimal": lambda: pa.array([decimal.Decimal("1.5")]),
    "pa.schema": lambda: pa.schema([("a", pa.int32())]),
}

TENSORS: dict[str, Callable[[], Any]] = {
    "sparse": lambda: torch.eye(3).to_sparse(),
    "sparse csr": lambda: torch.eye(3).to_sparse_csr(),
    "float8": lambda: torch.ones(3).to(torch.float8_e4m3fn),
    "float8 e5": lambda: torch.ones(3).to(torch.float8_e5m2),
    "meta": lambda: torch.ones(3, device="meta"),
    "bfloat16": lambda: torch.ones(3, dtype=torch.bfloat16),
    "requires_grad": lambda: torch.ones(3, requires_grad=True),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "torch 0-d": lambda: torch.tensor(0.5),
    "torch 0-d meta": lambda: torch.tensor(0.5, device="meta"),
    "torch empty": lambda: torch.empty(0),
    "torch complex": lambda: torch.ones(3, dtype=torch.complex64),
    "torch bool": lambda: torch.tensor([True, False]),
    "nested tensor": lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]),
    "Parameter": lambda: torch.nn.Parameter(torch.ones(2)),
    "Module": lambda: torch.nn.Linear(1, 1),
    "torch.dtype": lambda: torch.float32,
    "torch conj": lambda: torch.ones(2, dtype=torch.complex64).conj(),
    "torch half": lambda: torch.ones(3, dtype=torch.half),
    "uint16": lambda: torch.ones(3, dtype=torch.uint16),
    "torch neg": lambda: torch._neg_view(torch.ones(3)),
    "jax": lambda: jnp.arange(3.0),
    "jax bfloat16": lambda: jnp.ones(3, jnp.bfloat16),
    "jax float8": lambda: jnp.ones(3, jnp.float8_e4m3fn),
    "jax int4": lambda: jnp.ones(3, jnp.int4),
    "jax 0-d": lambda: jnp.array(1),
    "jax empty": lambda: jnp.zeros((0,)),
    "jax key": lambda: __import__("jax").random.key(0),
    "strict": lambda: array_api_strict.asarray([1.0, 2.0, 3.0]),
    "strict device1": lambda: array_api_strict.asarray([1.0, 2.0, 3.0], device=array_api_strict.Device("device1")),
    "strict 0-d": lambda: array_api_strict.asarray(1),
    "strict bool": lambda: array_api_strict.asarray([True, False]),
}

JUNK: dict[str, Callable[[], Any]] = {**SCALARS, **COLLECTIONS, **ARRAYS, **FRAMES, **TENSORS}
