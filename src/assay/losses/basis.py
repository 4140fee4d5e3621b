"""What all losses share: arrays of one library and shape in, weights, masks and the reduction out."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from assay.core.arrays import Array, Namespace, array_api_compat, describe, kind_of, namespace
from assay.core.errors import InputError, ParameterError

Reduction: TypeAlias = Literal["mean", "sum", "none"]


def arrays(who: str, **given: Any) -> tuple[Namespace, list[Array]]:
    """The inputs as arrays of one library; lists become NumPy, whole numbers beside floats stay what they are."""
    found = [value if array_api_compat.is_array_api_obj(value) else np.asarray(value) for value in given.values()]
    try:
        return namespace(*found), found
    except TypeError as error:
        kinds = ", ".join(f"{name} {type(value).__module__.split('.')[0]}" for name, value in given.items())
        raise InputError(f"{who}: the inputs must be arrays of one library, got {kinds}.") from error


def pair(who: str, prediction: Any, target: Any) -> tuple[Namespace, Array, Array]:
    """Prediction and target as floats of one shape: nothing is broadcast, since that is how losses go wrong unseen."""
    xp, (prediction, target) = arrays(who, prediction=prediction, target=target)
    prediction, target = floating(xp, prediction), floating(xp, target, like=prediction)
    if tuple(prediction.shape) != tuple(target.shape):
        hint = " One of them has a column axis: drop it with [:, 0]." if prediction.ndim != target.ndim else ""
        raise InputError(
            f"{who}: prediction and target must have the same shape, got {describe(prediction)} and {describe(target)}.{hint}"
        )
    return xp, prediction, target


def floating(xp: Namespace, array: Array, like: Array | None = None) -> Array:
    """Whole numbers as floats: of the kind of ``like`` if it is one, of the default kind otherwise."""
    if kind_of(array) == "float":
        return array
    wanted = like.dtype if like is not None and kind_of(like) == "float" else xp.asarray(0.5).dtype
    return xp.astype(array, wanted)


def reduce(who: str, xp: Namespace, values: Array, reduction: Reduction, weight: Any = None, mask: Any = None) -> Array:
    """Weigh, select and reduce.

    The mean divides by the sum of the weights of what the mask selects: by its number without weights. Nothing selected
    gives 0 with a gradient of 0, since a batch that is all padding must not stop a training.
    """
    if reduction not in ("mean", "sum", "none"):
        raise ParameterError(f"{who}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}.")
    share = _share(who, xp, values, weight, mask)
    if share is None:
        return values if reduction == "none" else (xp.mean(values) if reduction == "mean" else xp.sum(values))
    values = xp.where(share != 0, values, xp.zeros_like(values)) * share  # what is left out may be infinite
    if reduction == "none":
        return values
    total = xp.sum(values)
    if reduction == "sum":
        return total
    size = xp.sum(share)
    return total / xp.where(size == 0, xp.ones_like(size), size)


def _share(who: str, xp: Namespace, values: Array, weight: Any, mask: Any) -> Array | None:
    """Weights and mask as one array of the shape of the values; None if there is neither."""
    share = None if weight is None else _spread(who, xp, "weight", weight, values)
    if mask is None:
        return share
    chosen = xp.astype(_spread(who, xp, "mask", mask, values) != 0, values.dtype)
    return chosen if share is None else share * chosen


def _spread(who: str, xp: Namespace, name: str, given: Any, values: Array) -> Array:
    """One number a value, or one for each of the leading axes, spread over the others."""
    array = given if array_api_compat.is_array_api_obj(given) else xp.asarray(given)
    if tuple(array.shape) != tuple(values.shape[: array.ndim]):
        raise InputError(
            f"{who}: {name} must have the shape of the losses {tuple(values.shape)} or of their first axes, got {tuple(array.shape)}."
        )
    array = xp.astype(array, values.dtype) if array.dtype != values.dtype else array
    return xp.broadcast_to(xp.reshape(array, (*array.shape, *[1] * (values.ndim - array.ndim))), tuple(values.shape))


def positive(who: str, **parameters: Any) -> None:
    """Refuse a parameter that is not above zero; what is traced by JAX is not looked at."""
    for name, value in parameters.items():
        if isinstance(value, bool) or (isinstance(value, int | float) and not 0 < value < float("inf")):
            raise ParameterError(f"{who}: {name} must be a number above 0, got {value!r}.")


def softplus(xp: Namespace, x: Array) -> Array:
    """``log(1 + exp(x))`` without overflow, with the right gradient everywhere, at 0 too."""
    size = xp.abs(x)
    return 0.5 * (x + size) + xp.log1p(xp.exp(-size))
