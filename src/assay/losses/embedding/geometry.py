"""What losses of embeddings share: unit vectors, cosines and distances with finite gradients, who is alike, and the mean.

Half precision is widened to single: norms and distances of it would overflow at lengths of 256.
"""

from __future__ import annotations

import contextlib
from typing import Any, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Array, ArrayLike, Namespace, array_api_compat, epsilon, is_numpy
from assay.core.errors import InputError
from assay.losses.accelerators import EmbeddingRoutes, torch_accelerators
from assay.losses.inputs import floating
from assay.losses.loss_body import blocked, eager
from assay.losses.reduction import LossOptions, known, reduce, spread
from assay.ops import native, stop_gradient

_FEW = 1 << 20  # differences of all pairs, number by number, that are simply written down


def vectors(who: str, xp: Namespace, array: Array, name: str = "embeddings") -> Array:
    """One vector per row, as floats of single precision at least."""
    if array.ndim != 2:
        raise InputError(who, name, f"must have one vector per row, shape (n, dimension), got {tuple(array.shape)}")
    return widened(xp, array)


def is_matrix(given: ArrayLike | None) -> bool:
    """Whether it has two axes, and so can be no labels."""
    array = cast(Any, given)
    return given is not None and (array.ndim if hasattr(array, "ndim") else np.ndim(array)) == 2


def widened(xp: Namespace, array: Array) -> Array:
    """Floats of single precision at least."""
    array = floating(xp, array)
    return xp.astype(array, xp.float32) if epsilon(array) > 1e-4 else array


def alike(who: str, **given: Array) -> None:
    """Refuse arrays that should have one shape and do not; nothing is broadcast."""
    shapes = {name: tuple(array.shape) for name, array in given.items()}
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(who, "", f"these must have the same shape: {listed}")


def root(xp: Namespace, squares: Array) -> Array:
    """The square root, with a gradient of 0 where the square is 0."""
    fast = fast_route(xp, squares)
    if fast:
        return fast.root(squares)
    none = squares <= 0
    return xp.where(none, xp.zeros_like(squares), xp.sqrt(xp.where(none, xp.ones_like(squares), squares)))


def lengths(xp: Namespace, x: Array) -> Array:
    """The length of each vector of the last axis, which stays, with one entry."""
    return root(xp, xp.sum(x * x, axis=-1, keepdims=True))


def unit(xp: Namespace, x: Array) -> Array:
    """Vectors of length 1; a vector of zeros stays one."""
    size = lengths(xp, x)
    return x / xp.where(size == 0, xp.ones_like(size), size)


def cosine(xp: Namespace, a: Array, b: Array) -> Array:
    """The cosine of each pair of rows; 0 where one of them is all zeros."""
    return xp.sum(unit(xp, a) * unit(xp, b), axis=-1)


def promoted(xp: Namespace, *given: Array) -> list[Array]:
    """All in the widest of their float kinds."""
    if len({array.dtype for array in given}) == 1:
        return list(given)
    wanted = xp.result_type(*given)
    return [xp.astype(array, wanted) for array in given]


def full_precision(xp: Namespace, x: Array) -> contextlib.AbstractContextManager[object]:
    """Where PyTorch would round products to half precision by itself (autocast), it is told not to."""
    torch = native(xp)
    if not torch or not torch.is_autocast_enabled(x.device.type):
        return contextlib.nullcontext()
    return torch.autocast(x.device.type, enabled=False)


def product(xp: Namespace, a: Array, b: Array) -> Array:
    """The matrix product, in the precision of what is given."""
    with full_precision(xp, a):
        return a @ b


def gram(xp: Namespace, x: Array) -> Array:
    """All inner products of the rows."""
    fast = fast_route(xp, x)
    return fast.gram(x) if fast else product(xp, x, xp.matrix_transpose(x))


def fast_route(xp: Namespace, *inputs: Array) -> EmbeddingRoutes | None:
    """The closed forms for large plain CPU tensors, or None: then the pure body runs."""
    return torch_accelerators().embedding if blocked(xp, *inputs) else None


def squared_distances(xp: Namespace, x: Array) -> Array:
    """All squared distances of the rows, from their differences.

    Inner products would be quicker, but lose the digits of rows that are near to each other and far from the origin, or from
    some other row. So equal rows are at exactly 0 here, and no row depends on what the others are.
    """
    n, width = x.shape
    if n * n * width <= _FEW:
        return _direct(xp, x)
    if is_numpy(x) and x.dtype in (xp.float32, xp.float64):
        return kernels.distances.all_squared_distances(x)
    if eager(xp, x):
        return torch_accelerators().embedding.distance_squares(many_squares, x)
    return many_squares(xp, x)


def _direct(xp: Namespace, x: Array) -> Array:
    gap = x[:, None, :] - x[None, :, :]
    return xp.sum(gap * gap, axis=-1)


def many_squares(xp: Namespace, x: Array) -> Array:
    """Squared distances of many rows: a few features at a time, and a gradient that keeps none of the differences.

    The gradient is that of sizes and inner products, which is the same function. It does not change when all rows are
    moved: from their medians, which single rows cannot pull away, it has the most digits.
    """
    n, width = x.shape
    fixed, step = stop_gradient(x), max(1, _FEW // (n * n))
    square = _direct(xp, fixed[:, :step])
    for start in range(step, width, step):
        square = square + _direct(xp, fixed[:, start : start + step])
    x = x - xp.sort(fixed, axis=0)[n // 2, :]
    size = xp.sum(x * x, axis=-1)
    smooth = size[:, None] + size[None, :] - 2 * gram(xp, x)
    return square + (smooth - stop_gradient(smooth))


def itself(xp: Namespace, x: Array) -> Array:
    """The pairs of a row with itself."""
    place = xp.arange(x.shape[0], device=array_api_compat.device(x))
    return place[:, None] == place[None, :]


def relations(who: str, xp: Namespace, x: Array, target: Array, keep: Array | None) -> tuple[Array, Array]:
    """Which other rows are of the same class, and which are of another; rows that are not kept are of neither."""
    if tuple(target.shape) != (x.shape[0],):
        raise InputError(
            who, "target", f"must hold one label for each of {x.shape[0]} embeddings, got {tuple(target.shape)}"
        )
    same = target[:, None] == target[None, :]
    others = ~itself(xp, x)
    if keep is not None:
        others = others & keep[:, None] & keep[None, :]
    return same & others, ~same & others


def taking_part(who: str, xp: Namespace, x: Array, options: LossOptions) -> tuple[Array, Array | None, LossOptions]:
    """The rows with zeros for those that take no part, which do, and the options without the mask that said so."""
    known(who, options)
    mask = options.get("mask")
    if mask is None:
        return x, None, options
    rest: Any = {name: value for name, value in options.items() if name != "mask"}
    keep = spread(who, xp, "mask", mask, x, (x.shape[0],)) != 0
    return hushed(xp, keep, x), keep, rest


def hushed(xp: Namespace, keep: Array | None, x: Array) -> Array:
    """Zeros for the rows that are left out: what is infinite or missing there must not reach a gradient."""
    if keep is None:
        return x
    return xp.where(xp.reshape(keep, (*keep.shape, *[1] * (x.ndim - keep.ndim))), x, xp.zeros_like(x))


def masked(who: str, xp: Namespace, options: LossOptions, *inputs: Array) -> list[Array]:
    """Each input with zeros for the rows that the mask leaves out."""
    mask = options.get("mask")
    if mask is None:
        return list(inputs)
    rows = tuple(inputs[0].shape[:-1])
    keep = spread(who, xp, "mask", mask, inputs[0], rows) != 0
    return [hushed(xp, keep, x) for x in inputs]


def taken(xp: Namespace, values: Array, at: Array) -> Array:
    """The values at some places of each row."""
    torch = native(xp)  # whose own function for this also looks for places counted from the end
    return torch.gather(values, -1, at) if torch else xp.take_along_axis(values, at, axis=-1)


def active(xp: Namespace, values: Array) -> Array:
    """Which values are a loss: more than 0. NaN is one too, since a mean over the others would hide it."""
    return ~(values <= 0)


def of_nothing(who: str, xp: Namespace, x: Array, options: LossOptions) -> Array:
    """The loss of a batch of no rows: ``undefined``, or an empty array."""
    none = xp.sum(x, axis=-1)
    return reduce(who, xp, none, options, none)


def counted(xp: Namespace, chosen: Array, like: Array) -> Array:
    """How many are chosen in each row, as floats."""
    return xp.sum(xp.astype(chosen, like.dtype), axis=-1)
