"""Closed forms of losses of embeddings for large CPU tensors: what is kept is what the gradient needs, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import array_api_compat.torch as _xp
import torch as _torch
from torch import Tensor

from assay import kernels
from assay.losses.accelerators import Aims, MarginRule

torch, xp = cast(Any, _torch), cast(Any, _xp)  # their own annotations are partial
# Under autocast products would be rounded to half precision, and then fit nothing that was kept.
whole = torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
whole_back = torch.amp.custom_bwd(device_type="cpu")
Plain = Callable[..., Any]  # the pure body, which second derivatives go through


class _Gram(torch.autograd.Function):
    """All inner products of the rows of one matrix: both sides of the gradient in one product."""

    @staticmethod
    @whole
    def forward(ctx: Any, x: Any) -> Any:
        """Keep the rows."""
        ctx.save_for_backward(x)
        return x @ x.T

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """Itself differentiable, since it is made of plain operations."""
        (x,), (up,) = ctx.saved_tensors, above
        return (up + up.T) @ x


def gram(x: Tensor) -> Tensor:
    """All inner products of the rows."""
    return _Gram.apply(x)


def second(plain: Plain, inputs: tuple[Tensor, ...], up: Tensor, needed: tuple[bool, ...]) -> tuple[Tensor | None, ...]:
    """The gradient as a graph of the pure body, for who will differentiate it again."""
    asked = [x for x, need in zip(inputs, needed, strict=True) if need]
    found = iter(torch.autograd.grad(plain(*inputs), asked, up, create_graph=True))
    return tuple(next(found) if need else None for need in needed)


class _Root(torch.autograd.Function):
    """Square roots with a gradient of 0 at 0."""

    @staticmethod
    @whole
    def forward(ctx: Any, squares: Any) -> Any:
        """Keep the roots."""
        roots = squares.sqrt()
        ctx.save_for_backward(roots)
        return roots

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """Itself differentiable, since it is made of plain operations."""
        (roots,), (up,) = ctx.saved_tensors, above
        return (up * 0.5 / roots).masked_fill(roots == 0, 0.0)


def root(squares: Tensor) -> Tensor:
    """Square roots with a gradient of 0 at 0."""
    return _Root.apply(squares)


class _Distances(torch.autograd.Function):
    """All squared distances of the rows of one matrix, from their differences."""

    @staticmethod
    @whole
    def forward(ctx: Any, plain: Plain, x: Any) -> Any:
        """Keep the rows."""
        ctx.plain = plain
        ctx.save_for_backward(x)
        return torch.from_numpy(kernels.distances.all_squared_distances(_host(x)))

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """One product in double precision: the part that is the same for all rows falls out of it."""
        (x,), (up,) = ctx.saved_tensors, above
        if torch.is_grad_enabled():

            def again(x: Any) -> Any:
                return ctx.plain(xp, x)

            return None, *second(again, (x,), up, (True,))
        pull = (up + up.T).double()
        place = x.double()
        place = place - place.mean(0)
        found = torch.addmm(place * pull.sum(1)[:, None], pull, place, alpha=-1).mul_(2)
        return None, found.to(x.dtype)


def distance_squares(plain: Plain, x: Tensor) -> Tensor:
    """All squared distances of the rows."""
    return _Distances.apply(plain, x)


class _GapSquares(torch.autograd.Function):
    """Squared distances of each row of one matrix to the same row of two others."""

    @staticmethod
    @whole
    def forward(ctx: Any, plain: Plain, *rows: Any) -> Any:
        """Two numbers per row."""
        ctx.plain = plain
        ctx.save_for_backward(*rows)
        near, far = kernels.distances.squared_distances(*(_host(x) for x in rows))
        return torch.from_numpy(near), torch.from_numpy(far)

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """All three gradients in one pass over the vectors."""
        rows = ctx.saved_tensors
        if torch.is_grad_enabled():
            asked = [x for x, need in zip(rows, ctx.needs_input_grad[1:], strict=True) if need]
            found = iter(torch.autograd.grad(ctx.plain(xp, *rows), asked, above, create_graph=True))
            return None, *(next(found) if need else None for need in ctx.needs_input_grad[1:])
        found = [torch.empty_like(x, memory_format=torch.contiguous_format) for x in rows]
        kernels.distances.gradients(
            *(_host(x) for x in (*rows, *above)), out=(_host(found[0]), _host(found[1]), _host(found[2]))
        )
        return None, *found


def _host(x: Any) -> Any:
    """The numbers of a tensor, which a kernel reads or fills."""
    return x.detach().contiguous().numpy()


def gap_squares(plain: Plain, a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Squared distances of each row of ``a`` to those of ``b`` and of ``c``."""
    return _GapSquares.apply(plain, a, b, c)


class _Standard(torch.autograd.Function):
    """Columns with mean 0 and variance 1; the gradient needs the result alone."""

    @staticmethod
    @whole
    def forward(ctx: Any, plain: Plain, x: Any, epsilon: float) -> Any:
        """Constant columns are divided by 1."""
        variance, mean = torch.var_mean(x, 0, correction=0)
        size = (variance + epsilon).sqrt()
        size = size.masked_fill(size == 0, 1.0)
        z = (x - mean).div_(size)
        ctx.form = (plain, epsilon)
        ctx.save_for_backward(x, z, size)
        return z

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """What moves the mean or the spread of a column is taken off."""
        (up,), (plain, epsilon), (x, z, size) = above, ctx.form, ctx.saved_tensors
        if torch.is_grad_enabled():

            def again(x: Any) -> Any:
                return plain(xp, x, epsilon)

            return None, *second(again, (x,), up, (True,)), None
        along = (up * z).mean(0)
        return None, (up - up.mean(0)).addcmul_(z, along, value=-1).div_(size), None


def standard(plain: Plain, x: Tensor, epsilon: float) -> Tensor:
    """Columns with mean 0 and variance 1."""
    return _Standard.apply(plain, x, epsilon)


def _over_length(x: Any) -> Any:
    """One over the length of each row; 1 for rows of zeros."""
    size = torch.linalg.vector_norm(x, dim=1)
    return size.masked_fill_(size == 0, 1.0).reciprocal_()


class _MarginRows(torch.autograd.Function):
    """Cross entropy of scaled cosines, with a margin on the own class.

    Lengths are divided out of the matrix of products and of its gradient, never out of the vectors themselves: that would
    take a copy of them in each direction.
    """

    @staticmethod
    @whole
    def forward(ctx: Any, plain: Plain, x: Any, w: Any, target: Any, rule: Any, scale: float) -> Any:
        """The loss of each row."""
        over_x, over_w, place = _over_length(x), _over_length(w), target[:, None]
        logits = (x @ w.T).mul_(over_x[:, None]).mul_(over_w)
        own = logits.gather(1, place)
        moved = rule.value(xp, own)
        logits = logits.scatter_(1, place, moved).mul_(scale)
        chances = torch.softmax(logits, 1)
        # The largest probability is one over the sum of the exponentials: no second pass of exponentials is needed.
        values = (logits.amax(1) - chances.amax(1).log_()).sub_(moved[:, 0], alpha=scale)
        ctx.form, ctx.scale = (plain, rule), scale
        ctx.save_for_backward(x, w, target, over_x, over_w, logits, chances, own)
        return values

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """Two products, from which what points along the vectors themselves is taken off."""
        (up,), (plain, rule), scale = above, ctx.form, ctx.scale
        x, w, target, over_x, over_w, logits, chances, own = ctx.saved_tensors
        if torch.is_grad_enabled():

            def again(x: Any, w: Any) -> Any:
                return plain(xp, x, w, target, rule, scale)

            return None, *second(again, (x, w), up, ctx.needs_input_grad[1:3]), None, None, None
        place, up = target[:, None], (up * scale)[:, None]
        slopes = chances * up
        true = slopes.gather(1, place).sub_(up).mul_(rule.slope(xp, own))
        slopes.scatter_(1, place, true)
        along = (slopes * logits).mul_(1 / scale)
        along.scatter_(1, place, true * own)
        slopes.mul_(over_x[:, None]).mul_(over_w)
        first = other = None
        if ctx.needs_input_grad[1]:
            first = (slopes @ w).addcmul_(x, (over_x * over_x * along.sum(1))[:, None], value=-1)
        if ctx.needs_input_grad[2]:
            other = (slopes.T @ x).addcmul_(w, (over_w * over_w * along.sum(0))[:, None], value=-1)
        return None, first, other, None, None, None


def margin_rows(plain: Plain, x: Tensor, w: Tensor, target: Tensor, rule: MarginRule, scale: float) -> Tensor:
    """The loss of each row of a softmax with margin."""
    return _MarginRows.apply(plain, x, w, target, rule, scale)


class _CircleRows(torch.autograd.Function):
    """The circle loss of each row of similarities: two softmaxes and one weight each are its gradient."""

    @staticmethod
    @whole
    def forward(ctx: Any, plain: Plain, s: Any, same: Any, different: Any, aims: Aims, gamma: float) -> Any:
        """The loss of each row, and the whole slope in the similarities."""
        optimum_p, optimum_n, margin_p, margin_n = aims
        pull, push = torch.clamp(optimum_p - s, min=0), torch.clamp(s - optimum_n, min=0)
        near = (pull * (s - margin_p)).mul_(-gamma).masked_fill_(~same, -torch.inf)
        far = (push * (s - margin_n)).mul_(gamma).masked_fill_(~different, -torch.inf)
        ends = torch.logsumexp(near, 1), torch.logsumexp(far, 1)
        none = (ends[0] == -torch.inf) | (ends[1] == -torch.inf)
        both = torch.where(none, -torch.inf, ends[0] + ends[1])
        values = torch.nn.functional.softplus(both)
        outer = torch.where(none, 0.0, gamma * torch.sigmoid(both))[:, None]
        near = near.sub_(torch.where(none, 0.0, ends[0])[:, None]).exp_().mul_(pull)
        far = far.sub_(torch.where(none, 0.0, ends[1])[:, None]).exp_().mul_(push)
        slopes = far.sub_(near).mul_(outer)
        ctx.form = (plain, same, different, aims, gamma)
        ctx.save_for_backward(s, slopes)
        return values

    @staticmethod
    @whole_back
    def backward(ctx: Any, *above: Any) -> Any:
        """The kept slope."""
        (up,), (s, slopes) = above, ctx.saved_tensors
        if torch.is_grad_enabled():

            def again(s: Any) -> Any:
                return ctx.form[0](xp, s, *ctx.form[1:])

            return None, *second(again, (s,), up, (True,)), None, None, None, None
        return None, slopes * up[:, None], None, None, None, None


def circle_rows(plain: Plain, s: Tensor, same: Tensor, different: Tensor, aims: Aims, gamma: float) -> Tensor:
    """The circle loss of each row of similarities."""
    return _CircleRows.apply(plain, s, same, different, aims, gamma)
