"""Closed forms of losses of embeddings for large CPU tensors: what is kept is what the gradient needs, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import array_api_compat.torch as _xp
import torch as _torch

torch, xp = cast(Any, _torch), cast(Any, _xp)  # their own annotations are partial
Plain = Callable[..., Any]  # the pure body, which second derivatives go through


class Gram(torch.autograd.Function):
    """All inner products of the rows of one matrix: both sides of the gradient in one product."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Keep the rows."""
        ctx.save_for_backward(x)
        return x @ x.T

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """Itself differentiable, since it is made of plain operations."""
        (x,), (up,) = ctx.saved_tensors, above
        return (up + up.T) @ x


def gram(x: Any) -> Any:
    """All inner products of the rows."""
    return Gram.apply(x)


def second(plain: Plain, inputs: tuple[Any, ...], up: Any, needed: tuple[bool, ...]) -> tuple[Any, ...]:
    """The gradient as a graph of the pure body, for who will differentiate it again."""
    asked = [x for x, need in zip(inputs, needed, strict=True) if need]
    found = iter(torch.autograd.grad(plain(*inputs), asked, up, create_graph=True))
    return tuple(next(found) if need else None for need in needed)


def _shortened(x: Any) -> tuple[Any, Any]:
    """Rows of length 1 (zeros stay), and the lengths they had (1 for zeros)."""
    size = torch.linalg.vector_norm(x, dim=1, keepdim=True)
    size = size.masked_fill(size == 0, 1.0)
    return x / size, size


def _through_length(rows: Any, size: Any, up: Any) -> Any:
    """The gradient before the rows were shortened."""
    return up.addcmul_(rows, (rows * up).sum(1, keepdim=True), value=-1).div_(size)


class MarginRows(torch.autograd.Function):
    """Cross entropy of scaled cosines, with a margin on the own class: one matrix of probabilities is all that is kept."""

    @staticmethod
    def forward(ctx: Any, plain: Plain, x: Any, w: Any, target: Any, rule: Any, scale: float) -> Any:
        """The loss of each row."""
        (rows, size), (classes, length) = _shortened(x), _shortened(w)
        cosines = rows @ classes.T
        place = target[:, None]
        own = cosines.gather(1, place)
        moved = rule.value(xp, own)
        chances = cosines.scatter_(1, place, moved).mul_(scale)
        values = -torch.log_softmax(chances, 1).gather(1, place)[:, 0]
        ctx.form, ctx.scale = (plain, rule), scale
        ctx.save_for_backward(x, w, target, rows, size, classes, length, chances, rule.slope(xp, own))
        return values

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """Two products, and the lengths."""
        (up,), (plain, rule) = above, ctx.form
        x, w, target, rows, size, classes, length, logits, slope = ctx.saved_tensors
        if torch.is_grad_enabled():

            def again(x: Any, w: Any) -> Any:
                return plain(xp, x, w, target, rule, ctx.scale)

            return None, *second(again, (x, w), up, ctx.needs_input_grad[1:3]), None, None, None
        place, up = target[:, None], up[:, None]
        slopes = torch.softmax(logits, 1).mul_(up * ctx.scale)
        own = slopes.gather(1, place).sub_(up * ctx.scale).mul_(slope)
        slopes.scatter_(1, place, own)
        first = _through_length(rows, size, slopes @ classes) if ctx.needs_input_grad[1] else None
        other = _through_length(classes, length, slopes.T @ rows) if ctx.needs_input_grad[2] else None
        return None, first, other, None, None, None


def margin_rows(plain: Plain, x: Any, w: Any, target: Any, rule: Any, scale: float) -> Any:
    """The loss of each row of a softmax with margin."""
    return MarginRows.apply(plain, x, w, target, rule, scale)


class CircleRows(torch.autograd.Function):
    """The circle loss of each row of similarities: two softmaxes and one weight each are its gradient."""

    @staticmethod
    def forward(ctx: Any, plain: Plain, s: Any, same: Any, different: Any, margin: float, gamma: float) -> Any:
        """The loss of each row, and the whole slope in the similarities."""
        pull, push = torch.clamp(1 + margin - s, min=0), torch.clamp(s + margin, min=0)
        near = (pull * (s - (1 - margin))).mul_(-gamma).masked_fill_(~same, -torch.inf)
        far = (push * (s - margin)).mul_(gamma).masked_fill_(~different, -torch.inf)
        ends = torch.logsumexp(near, 1), torch.logsumexp(far, 1)
        whole = torch.isfinite(ends[0]) & torch.isfinite(ends[1])
        both = torch.where(whole, ends[0] + ends[1], -torch.inf)
        values = torch.nn.functional.softplus(both)
        outer = torch.where(whole, gamma * torch.sigmoid(both), 0.0)[:, None]
        near = near.sub_(torch.where(whole, ends[0], 0.0)[:, None]).exp_().mul_(pull)
        far = far.sub_(torch.where(whole, ends[1], 0.0)[:, None]).exp_().mul_(push)
        slopes = far.sub_(near).mul_(outer)
        ctx.form = (plain, same, different, margin, gamma)
        ctx.save_for_backward(s, slopes)
        return values

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """The kept slope."""
        (up,), (s, slopes) = above, ctx.saved_tensors
        if torch.is_grad_enabled():

            def again(s: Any) -> Any:
                return ctx.form[0](xp, s, *ctx.form[1:])

            return None, *second(again, (s,), up, (True,)), None, None, None, None
        return None, slopes * up[:, None], None, None, None, None


def circle_rows(plain: Plain, s: Any, same: Any, different: Any, margin: float, gamma: float) -> Any:
    """The circle loss of each row of similarities."""
    return CircleRows.apply(plain, s, same, different, margin, gamma)
