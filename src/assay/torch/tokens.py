"""Cross entropy from hidden states: the logits of a chunk of tokens, their slopes, and at once their part of the gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import torch as _torch
from torch import Tensor

from assay.losses.accelerators import Body
from assay.torch.slopes import cross_entropy, exact

torch = cast(Any, _torch)  # its own annotations are partial


@dataclass(frozen=True)
class TokenWork:
    """All that the sum over chunks needs beside what learns."""

    values: Callable[..., Any]
    target: Any
    parameters: tuple[float, float]
    chunk: int
    share: Any
    scale: Any

    def plain(self, hidden: Tensor, *others: Tensor) -> Tensor:
        """The same sum by autograd."""
        values = self.values(hidden, self.target, *others)
        weighted = values if self.share is None else torch.where(self.share != 0, values, 0.0) * self.share
        return weighted.sum() * (1.0 if self.scale is None else self.scale)

    def slices(self) -> list[slice]:
        """The tokens of the chunks."""
        return [slice(start, start + self.chunk) for start in range(0, self.target.shape[0], self.chunk)]


class _TokenTotal(torch.autograd.Function):
    """The weighted sum over the tokens, times a scale; a second derivative goes through the loss itself."""

    @staticmethod
    @exact
    def forward(ctx: Any, work: TokenWork, *inputs: Any) -> Any:
        """Sum the chunks and keep the gradients, which are as large as the inputs."""
        value, ctx.kept = _filled(work, inputs, ctx.needs_input_grad[1:])
        ctx.work = work
        # Labels and weights are saved so that autograd refuses to work with them if they have been changed since.
        ctx.save_for_backward(*inputs, work.target, work.share)
        return value

    @staticmethod
    @exact
    def backward(ctx: Any, *above: Any) -> Any:
        """The kept gradients, given away (who asks again has them worked out again), or their own graph."""
        (up,) = above
        needs = ctx.needs_input_grad[1:]
        inputs = ctx.saved_tensors[: len(needs)]
        if torch.is_grad_enabled():
            needed = [x for x, need in zip(inputs, needs, strict=True) if need]
            found = iter(torch.autograd.grad(ctx.work.plain(*inputs), needed, up, create_graph=True))
            return None, *(next(found) if need else None for need in needs)
        gradients = _filled(ctx.work, inputs, needs)[1] if ctx.kept is None else ctx.kept
        ctx.kept = None
        return None, *(None if g is None else g.mul_(up) for g in gradients)


def _filled(work: TokenWork, inputs: tuple[Any, ...], needs: tuple[bool, ...]) -> tuple[Any, list[Any]]:
    """The sum over all chunks, times the scale, and the gradients that are needed."""
    gradients = [torch.zeros_like(x) if need else None for x, need in zip(inputs, needs, strict=True)]
    total = torch.stack([_chunk(work, inputs, gradients, at) for at in work.slices()]).double().sum()
    return (total if work.scale is None else total * work.scale).to(inputs[0].dtype), gradients


def _chunk(work: TokenWork, inputs: tuple[Any, ...], gradients: list[Any], at: slice) -> Any:
    """The sum over some tokens, and their part of the gradients."""
    rows, matrix = inputs[0][at], inputs[1]
    logits = rows @ matrix.T
    if len(inputs) > 2:
        logits += inputs[2]
    slopes = torch.empty_like(logits)
    share = None if work.share is None else work.share[at]
    scale = 1.0 if work.scale is None else work.scale
    total = cross_entropy(slopes, share, scale, logits, work.target[at], *work.parameters, None)
    for_rows, for_matrix, *for_bias = gradients
    if for_rows is not None:
        torch.mm(slopes, matrix, out=for_rows[at])
    if for_matrix is not None:
        for_matrix.addmm_(slopes.T, rows)
    if for_bias and for_bias[0] is not None:
        for_bias[0].add_(slopes.sum(0))
    return total


def total(
    values: Body,
    inputs: tuple[Tensor, ...],
    target: Tensor,
    parameters: tuple[float, float],
    chunk: int,
    share: Tensor | None,
    scale: Tensor | None,
) -> Tensor:
    """The weighted sum of the losses of all tokens, times ``scale``."""
    work = TokenWork(values, target, parameters, chunk, share, scale)
    if any(isinstance(x, Tensor) and x.requires_grad for x in (share, scale)):  # rare, and autograd knows how
        return work.plain(*inputs)
    return _TokenTotal.apply(work, *inputs)
