"""Losses of large CPU tensors, block by block.

A chain of tensor operations writes every temporary to memory, and autograd keeps them. Here a block of rows runs through all
of it while it is in the cache, its derivative is taken at once, and only the gradient of the inputs is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch as _torch
from torch import Tensor

from assay.core.arrays import Namespace
from assay.losses.accelerators import Slopes, torch_accelerators
from assay.losses.loss_body import LossBody
from assay.torch import workers

torch = cast(Any, _torch)  # its own annotations are partial
BLOCK = 1 << 16  # elements: temporaries of this size stay in the cache of one core
WIDER = 4  # blocks of losses that need no temporaries are so many times larger
FEWEST = 1 << 18  # elements from which blocks pay for themselves


def worthwhile(inputs: tuple[Tensor, ...]) -> bool:
    """Whether these are plain, large, dense CPU tensors that nothing is tracing or transforming."""
    return inputs[0].numel() >= FEWEST and bool(inputs[0].shape) and eager(inputs)


def eager(inputs: tuple[Tensor, ...]) -> bool:
    """Whether these are plain, dense CPU tensors that nothing is tracing or transforming."""
    if torch.compiler.is_compiling():
        return False
    if torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0:
        return False
    return all(type(x) in (torch.Tensor, torch.nn.Parameter) and x.device.type == "cpu" for x in inputs) and all(
        x.dtype in (torch.float32, torch.float64) for x in inputs if x.is_floating_point()
    )


def value_shape(
    curve: LossBody, xp: Namespace, inputs: tuple[Tensor, ...], parameters: tuple[object, ...]
) -> tuple[int, ...]:
    """The shape of the values: that of one row, asked of the loss itself, behind the number of rows."""
    if not curve.rowwise:
        return tuple(inputs[0].shape)
    with torch.no_grad():
        row = curve.value(xp, *(x[:1] for x in inputs), *parameters)
    return (inputs[0].shape[0], *row.shape[1:])


@dataclass(frozen=True)
class BlockWork:
    """All that a sum over blocks needs beside the inputs that vary."""

    curve: LossBody
    xp: Any
    constants: tuple[Any, ...]
    parameters: Any
    share: Any
    scale: Any

    def alike(self, varied: tuple[Tensor, ...]) -> bool:
        """Whether all numbers have one dtype."""
        return len({x.dtype for x in (*varied, *self.constants) if x.is_floating_point()}) == 1

    def values(self, varied: tuple[Tensor, ...], at: slice = slice(None)) -> Tensor:
        """The weighted values of some rows, by the loss itself."""
        values = self.curve.value(self.xp, *(x[at] for x in (*varied, *self.constants)), *self.parameters)
        return self.weighted(values, at)

    def sum(self, varied: tuple[Tensor, ...], at: slice) -> Tensor:
        """The weighted sum of some rows, where nothing learns."""
        return self.slopes(varied, at)[0] if self.curve.compiled else self.values(varied, at).sum()

    def fill(self, gradients: list[Tensor], varied: tuple[Tensor, ...], at: slice, native: Slopes | None) -> Tensor:
        """The sum of some rows; its derivatives are written into the gradients."""
        scale = 1.0 if self.scale is None else self.scale
        if native is not None:
            share = None if self.share is None else self.share[at]
            inputs = (x[at] for x in (*varied, *self.constants))
            outs = tuple(gradient[at] for gradient in gradients)
            return native(outs[0] if len(outs) == 1 else outs, share, scale, *inputs, *self.parameters)
        total, slopes = self.slopes(varied, at)
        for gradient, slope in zip(gradients, slopes, strict=True):
            torch.mul(slope, scale, out=gradient[at])
        return total

    def slopes(self, varied: tuple[Tensor, ...], at: slice) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The sum of some rows and its derivatives: in closed form, or by autograd on the block."""
        if self.curve.slopes is not None:
            inputs = (x[at] for x in (*varied, *self.constants))
            values, slopes = self.curve.slopes(self.xp, *inputs, *self.parameters)
            return self.weighted(values, at).sum(), tuple(self.weighted(s, at) for s in slopes)
        with torch.enable_grad():
            block = tuple(x[at].detach().requires_grad_() for x in varied)
            values = self.curve.value(self.xp, *block, *(x[at] for x in self.constants), *self.parameters)
            total = self.weighted(values, at).sum()
        return total.detach(), torch.autograd.grad(total, block)

    def weighted(self, values: Tensor, at: slice) -> Tensor:
        """Values times their share; what has none may be infinite and must not count."""
        if self.share is None:
            return values
        share = self.share[at]
        share = share.reshape(*share.shape, *[1] * (values.ndim - share.ndim))
        return torch.where(share != 0, values, 0.0) * share


class _BlockTotal(torch.autograd.Function):
    """The weighted sum of a loss, times a scale; a second derivative goes through the loss itself."""

    @staticmethod
    def forward(ctx: Any, work: BlockWork, *varied: Any) -> Any:
        """Sum the blocks and keep the gradient, the only thing that is as large as the inputs."""
        value, ctx.kept = _filled(work, varied)
        ctx.work = work
        ctx.save_for_backward(*varied, *work.constants)
        return value

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """The kept gradients, or their own graph if a second derivative will be asked for.

        They are given away: what they are given to may change them in place. Whoever asks again has them worked out again.
        """
        (up,) = above
        if torch.is_grad_enabled():
            return None, *_graph_of(ctx, up)
        gradients = ctx.kept
        if gradients is None:
            gradients = _filled(ctx.work, ctx.saved_tensors[: len(ctx.needs_input_grad) - 1])[1]
        factor = _factor(up)
        if factor is None:
            return None, *(gradient * up for gradient in gradients)
        ctx.kept = None
        return None, *(gradients if factor == 1.0 else [gradient.mul_(factor) for gradient in gradients])


def _factor(up: Any) -> float | None:
    """What comes from above as a number; None where several are mapped over at once."""
    try:
        return float(up)
    except RuntimeError:
        return None


def _filled(work: BlockWork, varied: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The sum of all blocks, times the scale, and its gradients."""
    gradients = [torch.empty_like(x, memory_format=torch.contiguous_format) for x in varied]
    native = _native(work.curve) if work.alike(varied) else None
    blocks = slices(varied[0], BLOCK * (1 if native is None else getattr(native, "wider", WIDER)))
    value = _added(workers.each(lambda at: work.fill(gradients, varied, at, native), blocks), work)
    return value if native is None else value.to(varied[0].dtype), gradients


def _graph_of(ctx: Any, up: Any) -> list[Any]:
    """Gradients that can be differentiated again, through the loss itself; None where none is needed."""
    needs = ctx.needs_input_grad[1:]
    varied = ctx.saved_tensors[: len(needs)]
    needed = [x for x, need in zip(varied, needs, strict=True) if need]
    total = ctx.work.values(varied).sum() * (1.0 if ctx.work.scale is None else ctx.work.scale)
    found = iter(torch.autograd.grad(total, needed, up, create_graph=True))
    return [next(found) if need else None for need in needs]


def total(
    curve: LossBody,
    xp: Namespace,
    inputs: tuple[Tensor, ...],
    parameters: tuple[object, ...],
    share: Tensor | None,
    scale: Tensor | None,
) -> Tensor:
    """The weighted sum of the values of a loss, times ``scale``."""
    if not curve.rowwise:
        inputs = tuple(x.reshape(-1) for x in inputs)
        share = None if share is None else share.reshape(-1)
    varied, constants = inputs[: curve.vary], inputs[curve.vary :]
    work = BlockWork(curve, xp, constants, parameters, share, scale)
    if not torch.is_grad_enabled() or not any(_learns(x) for x in (*inputs, share, scale, *parameters)):
        return _added(workers.each(lambda at: work.sum(varied, at), slices(varied[0], BLOCK)), work)
    if any(_learns(x) for x in (*constants, share, scale, *parameters)):  # rare, and autograd knows how
        return work.values(varied).sum() * (1.0 if scale is None else scale)
    return _BlockTotal.apply(work, *varied)


def _learns(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _native(curve: LossBody) -> Callable[..., Any] | None:
    return None if curve.accelerator is None else torch_accelerators().slopes(curve.accelerator)


def slices(first: Tensor, size: int) -> list[slice]:
    """The rows of blocks of so many elements."""
    rows = max(1, size // max(1, math.prod(first.shape[1:])))
    return [slice(start, start + rows) for start in range(0, first.shape[0], rows)]


def _added(sums: list[Any], work: BlockWork) -> Any:
    """Sums of blocks in double precision, so that ten million elements lose no digits."""
    total = torch.stack(sums).double().sum()
    return (total if work.scale is None else total * work.scale).to(sums[0].dtype)
