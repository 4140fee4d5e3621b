"""Arrays of any library come in here: NumPy, PyTorch, JAX, lists, pandas, polars and pyarrow columns.

An array of an array library stays in it and on its device; everything else becomes NumPy. What is masked, ragged, missing or complex
is refused with the reason.
"""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np

from assay.core.arrays import Array, ArrayLike, Host, array_api_compat, describe, is_numpy, namespace
from assay.core.errors import InputError
from assay.core.extras import optional
from assay.core.ragged import Ragged

_FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf")


def ingest(value: ArrayLike, *, name: str, who: str) -> Array:
    """The value as an array; refuses what is masked, ragged, missing or complex, with the reason."""
    if isinstance(value, Ragged):
        return value
    if isinstance(value, np.ma.MaskedArray):
        return _unmasked(cast(Any, value), name, who)
    if array_api_compat.is_array_api_obj(value):
        _refuse_without_values(value, name, who)
        array = _widened(_detached(value))
    elif type(value).__module__.split(".")[0] in _FRAMES:
        array = _from_frame(value, name, who)
    else:
        array = _from_sequence(value, name, who)
    if array.dtype.kind == "c" if is_numpy(array) else "complex" in str(array.dtype):
        raise InputError(who, name, f"must be real, got {describe(array)}", "Take .real or the absolute value first.")
    return unlocked(array)


class _Memory:
    """The memory of an array, offered without its read-only flag; keeps the array alive."""

    def __init__(self, array: Host) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.array, self.__array_interface__ = array, interface


def unlocked(array: Array) -> Array:
    """A read-only array (columns of frames, memory maps) as a view that does not say so.

    A compiled kernel takes the two for different types, which would compile everything twice. Nothing here writes to
    inputs; the laws compare them before and after.
    """
    if not is_numpy(array) or array.flags.writeable or array.dtype.kind not in "biuf":
        return array
    return np.asarray(_Memory(array))


def _refuse_without_values(value: Array, name: str, who: str) -> None:
    """Tensors that are not a plain block of numbers: their own library would fail somewhere inside."""
    jax: Any = sys.modules.get("jax")
    if jax is not None and isinstance(value, jax.core.Tracer):
        raise InputError(
            who,
            name,
            "is traced by JAX (jit, vmap or grad) and holds no values yet, which a metric needs",
            "Call it outside, on the arrays that the traced function returns.",
        )
    if jax is not None and str(getattr(value, "dtype", "")).startswith("key<"):
        raise InputError(who, name, "is a JAX random key, not an array of numbers")
    if type(value).__module__.split(".")[0] != "torch":
        return
    if value.is_nested or "strided" not in str(value.layout):
        what = "nested" if value.is_nested else "sparse"
        hint = "to_padded_tensor(...)" if value.is_nested else "to_dense()"
        raise InputError(who, name, f"is a {what} tensor", f"Pass {name}.{hint}.")
    if value.is_quantized:
        raise InputError(who, name, "is a quantized tensor", f"Pass {name}.dequantize().")
    if value.device.type == "meta":
        raise InputError(who, name, "is a tensor on the meta device, which holds no data")


def _widened(value: Array) -> Array:
    """Kinds of number that libraries store but hardly compute with (float8, int4, short unsigned ones) as common ones."""
    dtype = str(value.dtype).removeprefix("torch.")
    xp = namespace(value)
    if dtype.startswith(("float8_", "float4_", "float6_")):
        return xp.astype(value, xp.float32)
    torch_only = type(value).__module__.split(".")[0] == "torch" and dtype in ("uint16", "uint32", "uint64")
    return (
        xp.astype(value, xp.int64 if torch_only else xp.int32)
        if torch_only or dtype in ("int4", "uint4", "int2", "uint2")
        else value
    )


def _detached(value: Array) -> Array:
    # A tensor that asks for a gradient is fine to measure; what is measured never needs the graph.
    return value.detach() if getattr(value, "requires_grad", False) else value


def _unmasked(value: Any, name: str, who: str) -> Host:
    hidden = int(np.ma.getmaskarray(value).sum())
    if hidden:
        raise InputError(
            who,
            name,
            f"is a masked array with {hidden} masked values",
            f"Remove those rows from every input first, or give them weight 0 and any valid value: {name}.filled(...).",
        )
    return np.asarray(value.data)


def _from_sequence(value: Any, name: str, who: str) -> Host:
    if isinstance(value, dict | set | str | bytes) or value is None:
        raise InputError(who, name, f"must be an array, a list or a column, got {type(cast(Any, value)).__name__}")
    try:
        array = np.asarray(value)
    except OverflowError as error:
        raise InputError(who, name, "holds integers beyond 64 bits", "Pass such identifiers as text.") from error
    except ValueError as error:
        raise InputError(
            who, name, "is ragged: its rows differ in length", "Give one number or label per row."
        ) from error
    if array.dtype.kind == "O" and array.size and isinstance(array.item(0), list | tuple):
        raise InputError(who, name, "is ragged: its rows differ in length", "Give one number or label per row.")
    if array.ndim == 0 and array.dtype.kind == "O":
        raise InputError(who, name, f"must be an array, a list or a column, got {type(value).__name__}")
    if array.dtype.kind in "US" and array.ndim:
        _refuse_mixed(value, name, who)
        if keeps_nul(value):
            return np.array(value, dtype=object)
    if array.dtype.kind == "f" and array.size and _loses_digits(array, value):
        return np.array(value, dtype=object)  # as it came, for whoever needs numbers to refuse
    return array


def _loses_digits(array: Host, value: Any) -> bool:
    """Whether integers of more digits than a float has stood beside floats, with which NumPy makes floats of all."""
    if isinstance(value, np.ndarray) or not np.abs(array).max() >= 2**53:
        return False
    return any(isinstance(item, int) and float(item) != item for item in np.array(value, dtype=object).reshape(-1))


def keeps_nul(value: object) -> bool:
    """Whether some text ends in a NUL character, which NumPy's fixed width drops: two labels would become one."""
    if isinstance(value, list | tuple):
        return any(keeps_nul(item) for item in cast("list[Any]", value))
    return isinstance(value, str) and value.endswith("\0")


def _refuse_mixed(value: Any, name: str, who: str) -> None:
    """NumPy turns 1 beside 'a' into '1' without a word; such a list is of no one kind."""
    for row, item in enumerate(value):
        cells = cast("list[Any]", item if isinstance(item, list | tuple) else [item])
        other = next((cell for cell in cells if not isinstance(cell, str | bytes)), None)
        if other is not None and not isinstance(other, np.ndarray):
            raise InputError(
                who,
                name,
                f"must hold text or numbers, not both, got {other!r} ({type(other).__name__}) in row {row} beside text",
                "Make all of them text or all of them numbers.",
            )


def _from_frame(value: Any, name: str, who: str) -> Host:
    import narwhals as nw

    if type(value).__name__ == "LazyFrame":
        raise InputError(who, name, "is a LazyFrame, which holds no data yet", "Pass its .collect().")
    is_column = hasattr(value, "to_pylist") and not hasattr(value, "column_names")
    if is_column and not type(value).__name__.startswith("Chunked"):
        value = optional("pyarrow", who, name, "is a pyarrow array").chunked_array([value])
    _refuse_repeats(value, name, who)
    try:
        native: Any = nw.from_native(_as_series(value), allow_series=True)
    except (TypeError, ValueError, NotImplementedError) as error:
        kind = type(value).__name__
        raise InputError(who, name, f"must be an array, a list or a column, got {kind}") from error
    if isinstance(native, nw.DataFrame):
        columns = [
            (c, cast(Any, native)[:, j].to_native()) for j, c in enumerate(native.columns)
        ]  # names may be numbers
        if not columns:
            raise InputError(who, name, "has no columns")
        return np.column_stack([_from_frame(column, f"{name}[{c!r}]", who) for c, column in columns])
    if "struct" in str(native.dtype).lower():
        raise InputError(
            who,
            name,
            f"is a column of structs ({native.dtype}), which is neither a number nor a label per row",
            "Pass one of its fields.",
        )
    missing = int(native.null_count())
    if missing:
        raise InputError(who, name, f"has {missing} missing values", "Drop or fill those rows in every input first.")
    text = native.dtype == nw.String and bool(native.str.ends_with("\0").any())  # which polars gives in fixed width
    array = np.array(native.to_list(), dtype=object) if text else np.asarray(native.to_numpy())
    if array.dtype.kind == "O" and array.size and isinstance(array.item(0), list | tuple | np.ndarray):
        raise InputError(who, name, "holds lists", "Give one number or label per row.")
    return array


def _as_series(value: Any) -> Any:
    """What holds the values of a pandas column (Index, Categorical, Series.values) as a column; the rest as it is."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(value)
    return value


def _refuse_repeats(value: Any, name: str, who: str) -> None:
    names = column_names(value) or ()
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(
            who, name, f"has duplicate column names: {', '.join(twice[:8])}", "Rename or drop one of each."
        )


def column_names(value: object) -> tuple[str, ...] | None:
    """The column names if ``value`` is a data frame: they name the classes of a matrix of probabilities."""
    if type(value).__module__.split(".")[0] not in _FRAMES or type(value).__name__ == "LazyFrame":
        return None
    names = getattr(value, "column_names", None) or getattr(value, "columns", None)
    return None if names is None or callable(names) else tuple(str(n) for n in names)
