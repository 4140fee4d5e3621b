"""The body of a loss of elements or rows, and how it runs: on whole arrays, or block by block on large CPU tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.core.arrays import Array, Namespace, epsilon
from assay.losses.accelerators import SlopeName, torch_accelerators
from assay.losses.inputs import numbers_of
from assay.losses.reduction import LossOptions, filled, known, reduce, share_and_scale, spread
from assay.ops import native


@dataclass(frozen=True)
class LossBody:
    """A loss of single elements or rows: ``value(xp, *inputs, *parameters)``.

    ``slopes`` gives the values and the derivative in each of the first ``vary`` inputs, in closed form: on large tensors it
    replaces a chain of temporaries. It must equal the derivative of ``value``; the laws compare them. A ``rowwise`` loss has
    one value for each entry of the first axis or axes, an elementwise one for each element. ``accelerator`` names the entry of
    the table of accelerators that does what ``slopes`` does without any temporary: it writes the slope into its first argument,
    or the slopes into the tuple of them.
    ``compiled`` slopes are so quick that large tensors take them for the values alone too.
    """

    value: Callable[..., Array]
    slopes: Callable[..., tuple[Array, tuple[Array, ...]]] | None = None
    vary: int = 1
    rowwise: bool = False
    accelerator: SlopeName | None = None
    compiled: bool = False


def with_slopes(
    slopes: Callable[..., tuple[Array, tuple[Array, ...]]],
    vary: int = 1,
    *,
    rowwise: bool = False,
    accelerator: SlopeName | None = None,
) -> LossBody:
    """A loss whose value and slopes are so near to each other that one body gives both."""

    def value(*inputs: Any) -> Array:
        return slopes(*inputs)[0]

    return LossBody(value, slopes, vary, rowwise, accelerator)


def each(
    who: str,
    curve: LossBody,
    xp: Namespace,
    inputs: tuple[Array, ...],
    parameters: tuple[object, ...],
    options: LossOptions,
    size: Array | None = None,
) -> Array:
    """The reduced loss of elements or rows; large CPU tensors go block by block, so that temporaries stay in the cache."""
    known(who, options)
    if options.get("reduction", "mean") != "none" and blocked(xp, *inputs):
        blocks = torch_accelerators().blocks
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


def _hushed(
    who: str, xp: Namespace, curve: LossBody, inputs: tuple[Array, ...], options: LossOptions
) -> tuple[Array, ...]:
    """What the mask leaves out as ones, which every loss can take: an infinity there would make the gradient NaN."""
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
    return _routed(xp) and torch_accelerators().blocks.worthwhile(inputs)


def eager(xp: Namespace, *inputs: Array) -> bool:
    """Whether these are plain CPU tensors of any size that nothing traces."""
    return _routed(xp) and torch_accelerators().blocks.eager(inputs)


def _routed(xp: Namespace) -> bool:
    """Whether PyTorch runs as it is written: a compiler makes one pass by itself, and cannot follow an import."""
    torch = native(xp)
    return torch is not None and not torch.compiler.is_compiling()
