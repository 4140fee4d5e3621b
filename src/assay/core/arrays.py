"""Arrays of any library alike: their namespace, kind and precision, and the way to NumPy and back.

torch and jax are never imported for the user: whoever passes a tensor has imported its library.
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
