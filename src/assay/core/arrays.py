"""Arrays of any library come in here: NumPy, PyTorch, JAX, lists, pandas, polars and pyarrow columns.

An array of an array library stays in it and on its device; everything else becomes NumPy. torch and jax are never
imported for the user: whoever passes a tensor has imported its library.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol, TypeAlias, cast

import array_api_compat as _compat
import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.core.extras import optional
from assay.core.ragged import Ragged


class SupportsArray(Protocol):
    """What NumPy can read: its own arrays, tensors of PyTorch and JAX, columns of pandas and polars."""

    def __array__(self) -> Any:
        """The values as NumPy."""
        ...


class SupportsDLPack(Protocol):
    """An array of any library that shares its memory by DLPack."""

    def __dlpack__(self) -> object:
        """The memory."""
        ...


class SupportsToNumpy(Protocol):
    """A column of pandas, polars or pyarrow."""

    def to_numpy(self) -> Any:
        """The values as NumPy."""
        ...


Array: TypeAlias = Any  # an array of whatever library the caller uses
ArrayLike: TypeAlias = (
    SupportsArray | SupportsDLPack | SupportsToNumpy | Ragged | Sequence[object] | float
)  # for `ingest`
Namespace: TypeAlias = ModuleType  # a module that follows the Python array API standard
Floats: TypeAlias = NDArray[np.float64]
Host: TypeAlias = NDArray[Any]


class _Compat:
    """array-api-compat, with tensors of PyTorch known at a glance: its own look through a cache makes compilers warn."""

    def is_array_api_obj(self, value: object) -> bool:
        if value is None or isinstance(value, list | tuple | float | int | str):
            return False
        return _is_tensor(value) or cast(Any, _compat).is_array_api_obj(value)

    def device(self, array: Any) -> Any:
        return array.device if _is_tensor(array) else cast(Any, _compat).device(array)

    def array_namespace(self, *arrays: Any) -> ModuleType:
        if arrays and all(_is_tensor(array) for array in arrays):
            from array_api_compat import torch

            return torch
        return cast(Any, _compat).array_namespace(*arrays)

    def __getattr__(self, name: str) -> Any:
        return getattr(_compat, name)


def _is_tensor(value: object) -> bool:
    torch: Any = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


array_api_compat = _Compat()
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


def is_foreign(array: Array) -> bool:
    """Whether the array belongs to another library than NumPy."""
    return not isinstance(array, np.ndarray | Ragged)


def is_numpy(array: Array) -> bool:
    """Whether the array lives on the host in NumPy."""
    return isinstance(array, np.ndarray)


def namespace(*arrays: Array) -> Namespace:
    """The array API namespace that the arrays share."""
    return array_api_compat.array_namespace(*arrays)


def to_host(array: Array) -> Host:
    """The array as NumPy; a copy only if it lives elsewhere."""
    if isinstance(array, np.ndarray):
        return cast(Host, array)
    if hasattr(array, "cpu"):
        array = array.cpu()
        array = array.float() if "bfloat16" in str(array.dtype) else array  # which NumPy has not
    try:
        return np.asarray(array) if hasattr(array, "__array__") else np.from_dlpack(array)
    except RuntimeError:  # array-api-strict gives an array of its second device over this protocol only
        return np.from_dlpack(array)


def compiling() -> bool:
    """Whether `torch.compile` is tracing this very call: it follows tensors, but no import and no question about NumPy's dtypes."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def like(array: Array, values: Any) -> Array:
    """Host values in the library and on the device of ``array``; its namespace's own makers choose the default device."""
    if is_numpy(array):
        return values
    if compiling():  # which traces NumPy too, but not what follows
        return sys.modules["torch"].as_tensor(values, device=array.device)
    host: Host = np.asarray(values, order="C")
    host = host if host.dtype.isnative else host.astype(host.dtype.newbyteorder("="))
    host = host if host.flags.writeable else host.copy()  # PyTorch warns of memory that it may not write to
    xp = namespace(array)
    if host.dtype.kind == "f" and not has_float64(xp, array):
        with np.errstate(over="ignore"):  # infinite in single precision, and refused as such
            host = host.astype(np.float32)
    elif host.dtype.kind in "iu":
        host = host.astype(f"{host.dtype.kind}{host.dtype.itemsize}", copy=False)  # C's long and long long are one type
    elif host.dtype.kind == "f" and host.dtype.itemsize not in (4, 8):  # which not every library has
        host = host.astype(np.float32 if host.dtype.itemsize == 2 else np.float64)
    return xp.asarray(host, device=array_api_compat.device(array))


def together(arrays: dict[str, Array], who: str) -> dict[str, Array]:
    """All arrays in one library: NumPy ones (lists, columns) join the tensors they came with."""
    foreign = {name: a for name, a in arrays.items() if is_foreign(a)}
    if not foreign:
        return arrays
    modules = {type(a).__module__.split(".")[0] for a in foreign.values()}
    if len(modules) > 1:
        raise InputError(
            who, "", f"the inputs mix {' and '.join(sorted(modules))}", "Convert them to one array library first."
        )
    devices = {name: str(array_api_compat.device(a)) for name, a in foreign.items()}
    if len(set(devices.values())) > 1:
        where = ", ".join(f"{name} on {device}" for name, device in devices.items())
        raise InputError(who, "", f"the inputs are on different devices: {where}", "Move them to one device first.")
    first = next(iter(foreign.values()))
    host = {n for n, a in arrays.items() if is_numpy(a) and a.dtype.kind in "biuf"}
    return {n: like(first, a) if n in host else a for n, a in arrays.items()}


def kind_of(array: Array) -> str:
    """One of ``bool int float text object``: what the values are, whatever the library."""
    if is_numpy(array):
        return {"b": "bool", "i": "int", "u": "int", "f": "float", "U": "text", "S": "text", "T": "text"}.get(
            array.dtype.kind, "object"
        )
    if getattr(array.dtype, "is_floating_point", False):  # PyTorch, where the question below takes microseconds
        return "float"
    xp = namespace(array)
    for kind, standard in (("bool", "bool"), ("int", "integral"), ("float", "real floating")):
        if xp.isdtype(array.dtype, standard):
            return kind
    return "float" if "float" in str(array.dtype) else "object"


def describe(array: Array) -> str:
    """``float32 of shape (8, 3)``, for error texts."""
    dtype = str(array.dtype).replace("torch.", "").replace("array_api_strict.", "")
    return f"{dtype} of shape {tuple(array.shape)}"


def has_float64(xp: Namespace, array: Array) -> bool:
    """Whether the library and device of the array compute in double precision (JAX does so only on request)."""
    return "float64" in xp.__array_namespace_info__().dtypes(device=array_api_compat.device(array))


def epsilon(array: Array) -> float:
    """The step of the array's dtype at 1, where that is a float narrower than double; otherwise that of double."""
    name = str(getattr(array.dtype, "name", array.dtype)).rsplit(".", 1)[-1]
    return {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23}.get(name, 2.0**-52)


def as_float(array: Array) -> Array:
    """Double precision where the device has it, otherwise the widest float there is; NumPy float32 stays as it is.

    The kernels widen float32 row by row, so a copy of the whole column would only cost memory.
    """
    if is_numpy(array):
        return array if array.dtype in (np.float64, np.float32) else array.astype(np.float64)
    xp = namespace(array)
    target = xp.float64 if has_float64(xp, array) else xp.float32
    return array if array.dtype == target else xp.astype(array, target)


def as_int(array: Array) -> Array:
    """Whole numbers of 64 bits where the library has them (JAX only on request), otherwise of 32."""
    xp = namespace(array)
    wide = is_numpy(array) or "int64" in xp.__array_namespace_info__().dtypes(device=array_api_compat.device(array))
    return xp.astype(array, xp.int64 if wide else xp.int32, copy=False)


def stop_gradient(x: Array) -> Array:
    """The array as a constant: nothing is differentiated through it on PyTorch and JAX."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):  # which a compiler follows, unlike the name of a class
        return x.detach()
    if "jax" in type(x).__module__:
        return sys.modules["jax"].lax.stop_gradient(x)
    return x
