"""What all losses share: arrays of one library and shape in, weights, masks and the reduction out."""

from __future__ import annotations

import importlib
import inspect
import math
import numbers
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, cast

import numpy as np

from assay.core.arrays import Array, Namespace, array_api_compat, describe, epsilon, kind_of, like, namespace
from assay.core.errors import InputError, ParameterError, UndefinedError, did_you_mean
from assay.core.loss import LOSSES
from assay.ops import native

Reduction: TypeAlias = Literal["mean", "sum", "none"]
Undefined: TypeAlias = Literal["nan", "error", 0, 1] | float


class Options(TypedDict, total=False):
    """What every loss of elements or rows takes beside its own parameters."""

    weight: Any  # one number a value, or one for each of the leading axes; (rows, 1) is always one a row
    mask: Any  # what counts: booleans or zeros and ones, shaped as the weight
    reduction: Reduction
    undefined: Undefined  # the mean of nothing: a number (0, with a gradient of 0), 'nan' or 'error'


class Parts(NamedTuple):
    """What ``parts=True`` gives: the number that is minimised, and what it is the sum of."""

    total: Array
    parts: dict[str, Array]


@dataclass(frozen=True)
class Curve:
    """A loss of single elements or rows: ``value(xp, *inputs, *parameters)``.

    ``slopes`` gives the values and the derivative in each of the first ``vary`` inputs, in closed form: on large tensors it
    replaces a chain of temporaries. It must equal the derivative of ``value``; the laws compare them. A ``rowwise`` loss has
    one value for each entry of the first axis or axes, an elementwise one for each element. ``native`` names a function of
    `assay.torch.native`, or ``file.function`` of another file there, that does what ``slopes`` does with no temporary at all:
    it writes the slope into its first argument, or the slopes into the tuple of them.
    ``compiled`` slopes are so quick that large tensors take them for the values alone too.
    """

    value: Callable[..., Array]
    slopes: Callable[..., tuple[Array, tuple[Array, ...]]] | None = None
    vary: int = 1
    rowwise: bool = False
    native: str = ""
    compiled: bool = False


def with_slopes(
    slopes: Callable[..., tuple[Array, tuple[Array, ...]]], vary: int = 1, *, rowwise: bool = False, native: str = ""
) -> Curve:
    """A loss whose value and slopes are so near to each other that one body gives both."""

    def value(*inputs: Any) -> Array:
        return slopes(*inputs)[0]

    return Curve(value, slopes, vary, rowwise, native)


def each(
    who: str,
    curve: Curve,
    xp: Namespace,
    inputs: tuple[Array, ...],
    parameters: Any,
    options: Options,
    size: Array | None = None,
) -> Array:
    """The reduced loss of elements or rows; large CPU tensors go block by block, so that temporaries stay in the cache."""
    known(who, options)
    if options.get("reduction", "mean") != "none" and blocked(xp, *inputs):
        blocks = importlib.import_module("assay.torch.blocks")
        shape = blocks.value_shape(curve, xp, inputs, parameters)
        share, scale = share_and_scale(who, xp, inputs[0], shape, options, size)
        value = blocks.total(curve, xp, inputs, parameters, share, scale)
        return filled(xp, value, share, options)
    kind, inputs = inputs[0].dtype, _widened(xp, inputs)
    value = reduce(who, xp, curve.value(xp, *_hushed(who, xp, curve, inputs, options), *parameters), options, size)
    return xp.astype(value, kind) if value.dtype != kind else value


def _widened(xp: Namespace, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Half precision of JAX as single: the exponential of 12 is beyond float16, its mean and its gradient are not.

    The compiler makes one pass of it, so that nothing is held in single precision.
    """
    if "jax" not in xp.__name__:
        return inputs
    return tuple(xp.astype(x, xp.float32) if epsilon(x) > 1e-4 else x for x in inputs)


def _hushed(who: str, xp: Namespace, curve: Curve, inputs: tuple[Array, ...], options: Options) -> tuple[Array, ...]:
    """What the mask leaves out as ones, which every loss can take: an infinity there would give a gradient that is none."""
    mask = options.get("mask")
    if mask is None:
        return inputs
    first = inputs[0]
    leading = tuple(numbers_of(who, "mask", mask, first).shape)
    if leading != tuple(
        first.shape[: len(leading)]
    ):  # classes stand between the rows and the places, or it is refused later
        return inputs
    keep = spread(who, xp, "mask", mask, first, tuple(first.shape)) != 0
    varied = (xp.where(keep, x, xp.ones_like(x)) if x.shape == first.shape else x for x in inputs[: curve.vary])
    return (*varied, *inputs[curve.vary :])


def blocked(xp: Namespace, *inputs: Array) -> bool:
    """Whether these are large CPU tensors that go block by block."""
    torch = native(xp)
    if torch is None or torch.compiler.is_compiling():  # which makes one pass by itself, and cannot follow an import
        return False
    return importlib.import_module("assay.torch.blocks").worthwhile(inputs)


def arrays(who: str, **given: Any) -> tuple[Namespace, list[Array]]:
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
        raise InputError(f"{who}: the inputs must be arrays of one library, got {kinds}.") from error


def is_foreign(who: str, name: str, value: Any) -> bool:
    """Whether it is an array of another library than NumPy; refused if it holds no plain real numbers."""
    if isinstance(value, _OF_NUMPY) or not array_api_compat.is_array_api_obj(value):
        return False
    what = _strange(value)
    if what:
        raise InputError(f"{who}: {name} must hold plain real numbers, got {what}.")
    return True


_OF_NUMPY = (np.ndarray, np.generic)
_STRANGE = ("complex", "float8_", "float6_", "float4_", "int4", "uint4", "int2", "uint2", "bits", "key")


def _strange(value: Any) -> str:
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


def pair(who: str, prediction: Any, target: Any, names: tuple[str, str] = ("prediction", "target")) -> tuple[Any, ...]:
    """Both as floats of one shape: nothing is broadcast, since that is how losses go wrong unseen."""
    xp, (prediction, target) = arrays(who, **{names[0]: prediction, names[1]: target})
    prediction = floating(xp, prediction)
    target = floating(xp, target, like=prediction)
    if tuple(prediction.shape) != tuple(target.shape):
        hint = " One of them has a column axis: drop it with [:, 0]." if prediction.ndim != target.ndim else ""
        raise InputError(
            f"{who}: {names[0]} and {names[1]} must have the same shape, got {describe(prediction)} and {describe(target)}.{hint}"
        )
    return xp, prediction, target


def floating(xp: Namespace, array: Array, like: Array | None = None) -> Array:
    """Whole numbers as floats: of the kind of ``like`` if it is one, of the default kind otherwise."""
    if kind_of(array) == "float":
        return array
    wanted = like.dtype if like is not None and kind_of(like) == "float" else xp.asarray(0.5).dtype
    return xp.astype(array, wanted)


def known(who: str, options: Any) -> None:
    """Refuse what no loss takes, by its name, and a reduction that is none."""
    if not options:
        return
    for name in options:
        if name not in Options.__annotations__:
            own = (p for f in LOSSES.values() if f.key == who for p in inspect.signature(f).parameters)
            hint = did_you_mean(name, {*Options.__annotations__, *own} - {"options"})
            raise ParameterError(f"{who} has no parameter {name!r}.{hint}")
    reduction: Any = options.get("reduction", "mean")
    if not isinstance(reduction, str) or reduction not in ("mean", "sum", "none"):
        raise ParameterError(f"{who}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}.")
    undefined: Any = options.get("undefined", 0.0)
    if not (_is_float(undefined) or (isinstance(undefined, str) and undefined in ("nan", "error"))):
        raise ParameterError(f"{who}: undefined must be a number, 'nan' or 'error', got {undefined!r}.")


def reduce(who: str, xp: Namespace, values: Array, options: Options, size: Array | None = None) -> Array:
    """Weigh, select and reduce.

    The mean divides by the sum of the weights of what the mask selects: by its number without weights, or by the sum of
    ``size`` over it where the values have sizes of their own. The mean of nothing is ``undefined``: by default 0 with a
    gradient of 0, since a batch that is all padding must not stop a training.
    """
    known(who, options)
    reduction = options.get("reduction", "mean")
    share = _share(who, xp, values, tuple(values.shape), options)
    if share is not None:
        values = xp.where(share != 0, values, xp.zeros_like(values)) * share  # what is left out may be infinite
    if reduction == "none":
        return values
    if reduction == "sum":
        return xp.sum(values)
    if share is None and size is None and math.prod(values.shape):
        return xp.mean(values)
    if size is not None:
        share = size if share is None else share * size
    whole = xp.zeros_like(xp.sum(values)) if share is None else share
    return xp.astype(over(who, xp, _wide_sum(xp, values), _wide_sum(xp, whole), options), values.dtype)


def _wide_sum(xp: Namespace, values: Array) -> Array:
    """The sum in single precision at least: half precision cannot count beyond a few thousand."""
    return xp.sum(values, dtype=xp.float32) if epsilon(values) > 1e-4 else xp.sum(values)


def over(who: str, xp: Namespace, total: Array, size: Array, options: Options) -> Array:
    """``total / size``, and what ``undefined`` says where the size is 0."""
    undefined = options.get("undefined", 0.0)
    empty = size == 0
    if undefined == "error" and type(empty).__name__.endswith("Tracer"):
        raise ParameterError(
            f"{who}: undefined='error' must look at the values, which JAX traces. Use 'nan' under jit."
        )
    if undefined == "error" and bool(empty):
        raise UndefinedError(f"{who}: nothing is selected, so there is no mean. Pass undefined=0 to go on with 0.")
    value = total / xp.where(empty, xp.ones_like(size), size)
    if undefined in ("error", 0):
        return value
    other: Any = float(undefined)
    return xp.where(empty, value + other, value)


def share_and_scale(
    who: str, xp: Namespace, first: Array, shape: tuple[int, ...], options: Options, size: Array | None = None
) -> tuple[Any, Any]:
    """Weights and mask as one array, and what the weighted sum is multiplied by."""
    share = _share(who, xp, first, shape, options)
    if options.get("reduction", "mean") == "sum":
        return share, None
    if size is not None:
        whole = xp.sum(size if share is None else share * size)
    else:
        whole = xp.full((), float(math.prod(shape)), dtype=first.dtype) if share is None else xp.sum(share)
    return share, over(who, xp, xp.ones_like(whole), whole, {**options, "undefined": _stopping(options)})


def _stopping(options: Options) -> Undefined:
    """An error where nothing counts, if that is wanted; else 0, and `filled` puts in what is wanted instead."""
    return "error" if options.get("undefined") == "error" else 0


def filled(xp: Namespace, value: Array, share: Array | None, options: Options) -> Array:
    """The mean of a large tensor, or what ``undefined`` says where nothing counts."""
    undefined = options.get("undefined", 0)
    if share is None or undefined in (0, "error") or options.get("reduction", "mean") != "mean":
        return value
    return xp.where(xp.any(share != 0), value, value + float(undefined))


def _share(who: str, xp: Namespace, values: Array, shape: tuple[int, ...], options: Options) -> Array | None:
    """Weights and mask as one array of the shape and kind of the values; None if there is neither."""
    weight, mask = options.get("weight"), options.get("mask")
    share = None if weight is None else spread(who, xp, "weight", weight, values, shape)
    if mask is None:
        return share
    chosen = xp.astype(spread(who, xp, "mask", mask, values, shape) != 0, values.dtype)
    return chosen if share is None else share * chosen


def chosen(who: str, xp: Namespace, options: Options, keep: Array | None) -> Options:
    """The options with what is kept as a part of the mask."""
    if keep is None:
        return options
    mask = options.get("mask")
    if mask is None:
        return {**options, "mask": keep}
    return {**options, "mask": keep & (spread(who, xp, "mask", mask, keep, tuple(keep.shape)) != 0)}


def spread(who: str, xp: Namespace, name: str, given: Any, values: Array, shape: tuple[int, ...]) -> Array:
    """One number a value, or one for each of the leading axes, spread over the others; of the dtype of ``values``."""
    array = numbers_of(who, name, given, values)
    column = (*shape[:1], *[1] * (array.ndim - 1))
    if name == "weight" and array.ndim > 1 and tuple(array.shape) == column != shape[: array.ndim]:
        array = xp.reshape(array, (-1,))  # one number a row, said so that it cannot be taken for one a class
    if tuple(array.shape) != shape[: array.ndim]:
        raise InputError(
            f"{who}: {name} must have the shape of the losses {shape} or of their first axes, got {tuple(array.shape)}."
        )
    array = xp.astype(array, values.dtype) if array.dtype != values.dtype else array
    return xp.broadcast_to(xp.reshape(array, (*array.shape, *[1] * (len(shape) - array.ndim))), shape)


def numbers_of(who: str, name: str, given: Any, beside: Array) -> Any:
    """Real numbers in the library of another input; lists and NumPy join it."""
    if not is_foreign(who, name, given):
        return like(beside, _numbers(who, name, given))
    if namespace(given) is not namespace(beside):
        raise InputError(f"{who}: {name} must be of the library of the other inputs, got {type(given).__module__}.")
    return given


def _numbers(who: str, name: str, given: Any) -> Any:
    """Numbers from what is no tensor, or words about what is none."""
    try:
        array = cast(Any, np.asarray(given))
    except ValueError as error:
        raise InputError(f"{who}: {name} is ragged: its rows differ in length.") from error
    except (TypeError, OverflowError, RuntimeError) as error:  # such as a list of tensors on the meta device
        raise InputError(f"{who}: {name} must hold real numbers, got {type(given).__name__}.") from error
    if array.dtype.kind not in "biuf":
        what = "complex numbers" if array.dtype.kind == "c" else "something else"
        raise InputError(f"{who}: {name} must hold real numbers, got {what}: {str(given)[:60]}.")
    if isinstance(given, np.ma.MaskedArray):
        raise InputError(f"{who}: {name} is a masked array. Pass {name}.filled(...) and its mask as mask=.")
    return array if array.dtype.itemsize <= 8 else array.astype(np.float64)  # wider ones exist in NumPy alone


def positive(who: str, **parameters: Any) -> None:
    """Refuse a parameter that is not above zero; what is traced by JAX is not looked at."""
    for name, value in parameters.items():
        if not _fits(value, lambda v: 0 < v < math.inf):
            raise ParameterError(f"{who}: {name} must be a number above 0, got {value!r}.")


def between(who: str, low: float, high: float, **parameters: Any) -> None:
    """Refuse a parameter outside of [low, high]."""
    for name, value in parameters.items():
        if not _fits(value, lambda v: low <= v <= high):
            above = "" if low == -math.inf else f" at least {low:g}"
            span = above if high == math.inf else f" in [{low:g}, {high:g}]"
            raise ParameterError(f"{who}: {name} must be a number{span}, got {value!r}.")


def _fits(value: Any, inside: Callable[[Any], bool]) -> bool:
    """Whether a value is one number with this property, or a single number in an array (which may learn or be traced)."""
    if isinstance(value, bool | str):
        return False
    if isinstance(value, numbers.Real):
        return _is_float(value) and inside(value)
    if not array_api_compat.is_array_api_obj(value) or kind_of(value) not in ("int", "float") or _strange(value):
        return False
    if type(value).__name__.endswith("Tracer") or getattr(value, "requires_grad", False):
        return value.ndim == 0  # what is traced has no value yet, and what learns changes it
    return value.ndim == 0 and inside(float(value))


def _is_float(value: Any) -> bool:
    """Whether it is a number that a float can hold, or infinite."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def one_of(who: str, name: str, value: Any, *allowed: str) -> None:
    """Refuse a choice that does not exist."""
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(repr(one) for one in allowed)
        raise ParameterError(f"{who}: {name} must be one of {names}, got {value!r}.")
