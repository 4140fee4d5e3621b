"""From losses of elements or rows to one number: weights, masks, what the mean divides by, and the mean of an empty selection."""

from __future__ import annotations

import inspect
import math
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

from assay.core.arrays import Array, ArrayLike, Namespace, epsilon
from assay.core.errors import InputError, ParameterError, UndefinedError, did_you_mean
from assay.core.loss import LOSSES
from assay.losses.inputs import numbers_of
from assay.losses.parameter_checks import is_float

T = TypeVar("T")
Reduction: TypeAlias = Literal["mean", "sum", "none"]

Undefined: TypeAlias = Literal["nan", "error", 0, 1] | float


class LossOptions(TypedDict, total=False):
    """What every loss of elements or rows takes in addition to its own parameters."""

    weight: (
        ArrayLike | None
    )  # one number per value, or one for each of the leading axes; (rows, 1) is always one per row
    mask: ArrayLike | None  # what counts: booleans or zeros and ones, shaped as the weight
    reduction: Reduction
    undefined: Undefined  # the mean of nothing: a number (0, with a gradient of 0), 'nan' or 'error'


class Parts(NamedTuple, Generic[T]):
    """What ``parts=True`` gives: the number that is minimised, and what it is the sum of."""

    total: T
    parts: dict[str, T]


def known(who: str, options: LossOptions) -> None:
    """Refuse unknown options by name, and an unknown reduction."""
    if not options:
        return
    for name in options:
        if name not in LossOptions.__annotations__:
            own = (p for f in LOSSES.values() if f.key == who for p in inspect.signature(f).parameters)
            hint = did_you_mean(name, {*LossOptions.__annotations__, *own} - {"options"})
            raise ParameterError("", "", f"{who} has no parameter {name!r}", hint)
    reduction: Any = options.get("reduction", "mean")
    if not isinstance(reduction, str) or reduction not in ("mean", "sum", "none"):
        raise ParameterError(who, "reduction", f"must be 'mean', 'sum' or 'none', got {reduction!r}")
    undefined: Any = options.get("undefined", 0.0)
    if not (is_float(undefined) or (isinstance(undefined, str) and undefined in ("nan", "error"))):
        raise ParameterError(who, "undefined", f"must be a number, 'nan' or 'error', got {undefined!r}")


def reduce(who: str, xp: Namespace, values: Array, options: LossOptions, size: Array | None = None) -> Array:
    """Weigh, select and reduce.

    The mean divides by the sum of the weights of what the mask selects: by its number without weights, or by the sum of
    ``size`` over it where the values have sizes of their own. The mean of nothing is ``undefined``: by default 0 with a
    gradient of 0, since a batch that is all padding must not stop training.
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
    """The sum in at least single precision: half precision cannot count beyond a few thousand."""
    return xp.sum(values, dtype=xp.float32) if epsilon(values) > 1e-4 else xp.sum(values)


def over(who: str, xp: Namespace, total: Array, size: Array, options: LossOptions) -> Array:
    """``total / size``, and what ``undefined`` says where the size is 0."""
    undefined = options.get("undefined", 0.0)
    empty = size == 0
    if undefined == "error" and type(empty).__name__.endswith("Tracer"):
        raise ParameterError(
            who, "", "undefined='error' must look at the values, which JAX traces", "Use 'nan' under jit."
        )
    if undefined == "error" and bool(empty):
        raise UndefinedError(who, "", "nothing is selected, so there is no mean", "Pass undefined=0 to go on with 0.")
    value = total / xp.where(empty, xp.ones_like(size), size)
    if undefined in ("error", 0):
        return value
    other: Any = float(undefined)
    return xp.where(empty, value + other, value)


def share_and_scale(
    who: str, xp: Namespace, first: Array, shape: tuple[int, ...], options: LossOptions, size: Array | None = None
) -> tuple[Array | None, Array | None]:
    """Weights and mask as one array, and the factor of the weighted sum."""
    share = _share(who, xp, first, shape, options)
    if options.get("reduction", "mean") == "sum":
        return share, None
    if size is not None:
        whole = xp.sum(size if share is None else share * size)
    else:
        whole = xp.full((), float(math.prod(shape)), dtype=first.dtype) if share is None else xp.sum(share)
    return share, over(who, xp, xp.ones_like(whole), whole, {**options, "undefined": _stopping(options)})


def _stopping(options: LossOptions) -> Undefined:
    """An error where nothing counts, if requested; otherwise 0, which `filled` replaces by what was requested."""
    return "error" if options.get("undefined") == "error" else 0


def filled(xp: Namespace, value: Array, share: Array | None, options: LossOptions) -> Array:
    """The mean of a large tensor, or what ``undefined`` says where nothing counts."""
    undefined = options.get("undefined", 0)
    if share is None or undefined in (0, "error") or options.get("reduction", "mean") != "mean":
        return value
    return xp.where(xp.any(share != 0), value, value + float(undefined))


def _share(who: str, xp: Namespace, values: Array, shape: tuple[int, ...], options: LossOptions) -> Array | None:
    """Weights and mask as one array of the shape and kind of the values; None if there is neither."""
    weight, mask = options.get("weight"), options.get("mask")
    share = None if weight is None else spread(who, xp, "weight", weight, values, shape)
    if mask is None:
        return share
    chosen = xp.astype(spread(who, xp, "mask", mask, values, shape) != 0, values.dtype)
    return chosen if share is None else share * chosen


def chosen(who: str, xp: Namespace, options: LossOptions, keep: Array | None) -> LossOptions:
    """The options with what is kept as a part of the mask."""
    if keep is None:
        return options
    mask = options.get("mask")
    if mask is None:
        return {**options, "mask": keep}
    return {**options, "mask": keep & (spread(who, xp, "mask", mask, keep, tuple(keep.shape)) != 0)}


def spread(who: str, xp: Namespace, name: str, given: ArrayLike, values: Array, shape: tuple[int, ...]) -> Array:
    """One number per value, or one for each of the leading axes, spread over the others; of the dtype of ``values``."""
    array = numbers_of(who, name, given, values)
    column = (*shape[:1], *[1] * (array.ndim - 1))
    if name == "weight" and array.ndim > 1 and tuple(array.shape) == column != shape[: array.ndim]:
        array = xp.reshape(array, (-1,))  # one number per row, said so that it cannot be taken for one per class
    if tuple(array.shape) != shape[: array.ndim]:
        raise InputError(
            who, name, f"must have the shape of the losses {shape} or of their first axes, got {tuple(array.shape)}"
        )
    array = xp.astype(array, values.dtype) if array.dtype != values.dtype else array
    return xp.broadcast_to(xp.reshape(array, (*array.shape, *[1] * (len(shape) - array.ndim))), shape)
