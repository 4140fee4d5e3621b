"""Inputs of losses: arrays of one library, as floats of one shape; lists and NumPy join the tensors they come with."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np

from assay.core.arrays import (
    Array,
    ArrayLike,
    Namespace,
    array_api_compat,
    compiling,
    describe,
    kind_of,
    like,
    namespace,
)
from assay.core.errors import InputError


def arrays(who: str, **given: ArrayLike | None) -> tuple[Namespace, list[Array]]:
    """The inputs as arrays of one library; lists and NumPy join the tensors they come with."""
    foreign = [v for name, v in given.items() if is_foreign(who, name, v)]
    if not foreign:
        found = [_numbers(who, name, value) for name, value in given.items()]
        return namespace(*found), found
    found = list(given.values())
    if len(foreign) < len(found):
        host = {n for n, v in given.items() if not array_api_compat.is_array_api_obj(v)}
        found = [_joined(foreign[0], _numbers(who, n, v)) if n in host else v for n, v in given.items()]
    try:
        return namespace(*found), found
    except TypeError as error:
        kinds = ", ".join(f"{name} {type(value).__module__.split('.')[0]}" for name, value in given.items())
        raise InputError(who, "", f"the inputs must be arrays of one library, got {kinds}") from error


def is_foreign(who: str, name: str, value: ArrayLike | None) -> bool:
    """Whether it is an array of another library than NumPy; refused if it holds no plain real numbers."""
    if isinstance(value, _OF_NUMPY) or not array_api_compat.is_array_api_obj(value):
        return False
    what = strange(value)
    if what:
        raise InputError(who, name, f"must hold plain real numbers, got {what}")
    return True


_OF_NUMPY = (np.ndarray, np.generic)

_STRANGE = ("complex", "float8_", "float6_", "float4_", "int4", "uint4", "int2", "uint2", "bits", "key")


def strange(value: Array) -> str:
    """What an array is if no loss can compute with it; nothing for others."""
    if hasattr(value, "is_nested"):
        if value.is_nested or value.layout is not sys.modules["torch"].strided:
            return "a nested tensor" if value.is_nested else "a sparse tensor"
        if value.is_quantized or value.is_meta:
            return "a quantized tensor" if value.is_quantized else "a tensor on the meta device, which holds no data"
    dtype = str(value.dtype).rsplit(".", 1)[-1]
    return f"dtype {dtype}" if dtype.startswith(_STRANGE) else ""


def _joined(first: Array, value: Any) -> Array:
    """Numbers from a list, in the library and on the device of a tensor, and of its dtype if both are floats."""
    array = like(first, np.asarray(value))
    xp = namespace(first)
    return xp.astype(array, first.dtype) if kind_of(array) == "float" == kind_of(first) else array


def pair(
    who: str, prediction: ArrayLike, target: ArrayLike, names: tuple[str, str] = ("prediction", "target")
) -> tuple[Namespace, Array, Array]:
    """Both as floats of one shape: nothing is broadcast, since that is how losses go wrong unseen."""
    xp, (first, second) = arrays(who, **{names[0]: prediction, names[1]: target})
    first = floating(xp, first)
    second = floating(xp, second, like=first)
    if tuple(first.shape) != tuple(second.shape):
        hint = " One of them has a column axis: drop it with [:, 0]." if first.ndim != second.ndim else ""
        raise InputError(
            who,
            "",
            f"{names[0]} and {names[1]} must have the same shape, got {describe(first)} and {describe(second)}",
            hint,
        )
    return xp, first, second


def floating(xp: Namespace, array: Array, like: Array | None = None) -> Array:
    """Integers as floats: of the kind of ``like`` if it is one, of the default kind otherwise."""
    if kind_of(array) == "float":
        return array
    wanted = like.dtype if like is not None and kind_of(like) == "float" else xp.asarray(0.5).dtype
    return xp.astype(array, wanted)


def numbers_of(who: str, name: str, given: ArrayLike, beside: Array) -> Array:
    """Real numbers in the library of another input; lists and NumPy join it."""
    if not is_foreign(who, name, given):
        return like(beside, _numbers(who, name, given))
    if namespace(given) is not namespace(beside):
        raise InputError(who, name, f"must be of the library of the other inputs, got {type(given).__module__}")
    return given


def _numbers(who: str, name: str, given: Any) -> Any:
    """Numbers from what is not a tensor, or the reason why there are none."""
    try:
        array = cast(Any, np.asarray(given))
    except ValueError as error:
        raise InputError(who, name, "is ragged: its rows differ in length") from error
    except (TypeError, OverflowError, RuntimeError) as error:  # such as a list of tensors on the meta device
        raise InputError(who, name, f"must hold real numbers, got {type(given).__name__}") from error
    if compiling():
        return array
    if array.dtype.kind not in "biuf":
        what = "complex numbers" if array.dtype.kind == "c" else "something else"
        raise InputError(who, name, f"must hold real numbers, got {what}: {str(given)[:60]}")
    if isinstance(given, np.ma.MaskedArray):
        raise InputError(who, name, "is a masked array", f"Pass {name}.filled(...) and its mask as mask=.")
    return array if array.dtype.itemsize <= 8 else array.astype(np.float64)  # wider ones exist in NumPy alone
