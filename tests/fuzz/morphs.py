"""Valid arrays made odd: they pass the first checks and reach the depths."""

from __future__ import annotations

import decimal
import warnings
from collections.abc import Callable
from typing import Any

import array_api_strict
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch
from junk import read_only

nan, inf = float("nan"), float("inf")


def _first(value: Any) -> Callable[[Any], Any]:
    """The array with one entry replaced, as objects if it does not fit."""

    def made(array: Any) -> Any:
        odd = np.array(array)
        try:
            odd.reshape(-1)[:1] = value
        except (ValueError, TypeError, OverflowError):
            odd = odd.astype(object)
            odd.reshape(-1)[0] = value
        return odd

    return made


def _torch(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda array: change(torch.from_numpy(np.ascontiguousarray(array)))


def _nulled(array: Any) -> Any:
    return [None, *np.asarray(array).tolist()[1:]]


MORPHS: dict[str, Callable[[Any], Any]] = {
    "tolist": lambda a: a.tolist(),
    "tuple": lambda a: tuple(a.tolist()),
    "object": lambda a: a.astype(object),
    "float16": lambda a: a.astype(np.float16),
    "float32": lambda a: a.astype(np.float32),
    "int8": lambda a: a.astype(np.int8),
    "uint8": lambda a: a.astype(np.uint8),
    "bool": lambda a: a.astype(bool),
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "longdouble": lambda a: a.astype(np.longdouble),
    "complex": lambda a: a.astype(complex),
    "text": lambda a: a.astype(str),
    "bytes": lambda a: a.astype(bytes),
    "datetime": lambda a: a.astype(np.int64).astype("M8[s]"),
    "timedelta": lambda a: a.astype(np.int64).astype("m8[s]"),
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed": lambda a: a[::-1],
    "fortran": lambda a: np.asfortranarray(a),
    "read-only": lambda a: read_only(a.copy()),
    "short": lambda a: a[:-1],
    "longer": lambda a: np.concatenate([a, a[:1]]),
    "one": lambda a: a[:1],
    "none": lambda a: a[:0],
    "column": lambda a: a.reshape(-1, 1),
    "row": lambda a: a.reshape(1, -1),
    "flat": lambda a: a.reshape(-1),
    "3d": lambda a: a.reshape(*a.shape, 1),
    "two columns": lambda a: np.stack([a, a], axis=1),
    "nan first": _first(nan),
    "inf first": _first(inf),
    "-inf first": _first(-inf),
    "None first": _first(None),
    "huge first": _first(1e308),
    "text first": _first("x"),
    "2**70 first": _first(2**70),
    "list first": lambda a: [[1, 2], *a.tolist()[1:]],
    "all nan": lambda a: np.full(a.shape, nan),
    "all inf": lambda a: np.full(a.shape, inf),
    "zeros": lambda a: np.zeros_like(a),
    "huge": lambda a: np.full(a.shape, 1e308),
    "tiny": lambda a: np.full(a.shape, 5e-324),
    "negative": lambda a: -a,
    "times 1e300": lambda a: a * 1e300,
    "half": lambda a: a + 0.5,
    "masked": lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) == 0),
    "masked clean": lambda a: np.ma.array(a),
    "pd.Series": lambda a: pd.Series(a),
    "pd null": lambda a: pd.Series(_nulled(a)),
    "pd.Int64 null": lambda a: pd.Series(_nulled(a), dtype="Int64"),
    "pd category": lambda a: pd.Series(a).astype("category"),
    "pd.DataFrame": lambda a: pd.DataFrame(a),
    "pl.Series": lambda a: pl.Series(a),
    "pl null": lambda a: pl.Series(_nulled(a)),
    "pl lazy": lambda a: pl.DataFrame({"a": a}).lazy(),
    "pl cat": lambda a: pl.Series(a.astype(str), dtype=pl.Categorical),
    "pl struct": lambda a: pl.Series([{"a": v} for v in a.tolist()]),
    "pa.array": lambda a: pa.array(a),
    "pa chunked": lambda a: pa.chunked_array([a]),
    "pa dict": lambda a: pa.array(a).dictionary_encode(),
    "torch": _torch(lambda t: t),
    "torch grad": _torch(lambda t: t.double().requires_grad_()),
    "torch half": _torch(lambda t: t.half()),
    "torch bf16": _torch(lambda t: t.bfloat16()),
    "torch f8": _torch(lambda t: t.to(torch.float8_e4m3fn)),
    "torch sparse": _torch(lambda t: t.to_sparse()),
    "torch meta": _torch(lambda t: t.to("meta")),
    "torch u16": _torch(lambda t: t.to(torch.uint16)),
    "torch quantized": _torch(lambda t: torch.quantize_per_tensor(t.float(), 0.1, 0, torch.qint8)),
    "torch strided": _torch(lambda t: t.repeat_interleave(2, 0)[::2]),
    "torch bool": _torch(lambda t: t.bool()),
    "jax": jnp.asarray,
    "jax bf16": lambda a: jnp.asarray(a).astype(jnp.bfloat16),
    "jax f8": lambda a: jnp.asarray(a).astype(jnp.float8_e4m3fn),
    "jax bool": lambda a: jnp.asarray(a).astype(bool),
    "strict": array_api_strict.asarray,
    "strict device1": lambda a: array_api_strict.asarray(a, device=array_api_strict.Device("device1")),
    "matrix": lambda a: np.asmatrix(a),
    "dict": lambda a: dict(enumerate(a.tolist())),
    "set": lambda a: set(a.tolist()),
    "generator": lambda a: (v for v in a.tolist()),
    "memoryview": lambda a: memoryview(np.ascontiguousarray(a)),
    "nested list": lambda a: [[v] for v in a.tolist()],
    "decimal": lambda a: [decimal.Decimal(repr(v)) for v in a.tolist()],
    "string dtype": lambda a: a.astype(str).astype(np.dtypes.StringDType()),
}


def morphed(name: str, value: Any) -> Any:
    """A valid value made odd; the value itself where this change does not apply to it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return MORPHS[name](np.asarray(value))
    except Exception:
        return value
