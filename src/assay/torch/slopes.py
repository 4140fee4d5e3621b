"""Sums of losses whose slopes are written straight into the gradient, with no temporary of its size.

Each takes the gradient of some rows, the share of each row (None: all count 1), the scale of the whole sum, the rows of the
inputs, and the parameters; it fills the gradient and gives the weighted sum, before the scale.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import torch as _torch
from torch import Tensor

from assay import kernels
from assay.core.arrays import namespace
from assay.losses.accelerators import Body
from assay.losses.class_inputs import safe_log, shares_of
from assay.torch import blocks

torch = cast(Any, _torch)  # its own annotations are partial
FEW = 48  # classes below which two exponentials cost less than two searches for the largest


def exact(step: Body) -> Callable[..., Any]:
    """A step of a Function as it is written, under autocast too, which would take products in half precision."""

    @functools.wraps(step)
    def run(*inputs: Any) -> Any:
        if not torch.is_autocast_enabled("cpu"):
            return step(*inputs)
        with torch.autocast("cpu", enabled=False):
            return step(*inputs)

    return run


def cross_entropy(
    out: Tensor,
    share: Tensor | None,
    scale: Tensor | float,
    z: Tensor,
    target: Tensor,
    true: float,
    even: float,
    by_class: Tensor | None,
) -> Tensor:
    """Of ``-true * w_t log p_t - even * sum_c w_c log p_c``; a soft target takes the place of the one true class."""
    soft = target.is_floating_point()
    weights = None if by_class is None else by_class.reshape(-1, *[1] * (z.ndim - 2))
    own = _class_weights(by_class, target, z.ndim)
    hits = torch.full((), true, dtype=z.dtype).expand(target.shape) if own is None else true * own
    whole = hits.sum(1) if soft else hits
    if even:
        whole = whole + even * (z.shape[1] if weights is None else weights.sum())
    lse = _softmax(out, z)
    at_target = _shared(z, hits) if soft else _true(z, target) * hits
    values = lse * whole - at_target
    if even:
        values = values - even * (z if weights is None else z * weights).sum(1)
    factor = scale if share is None else share * scale
    out.mul_(_row(whole * factor))
    _subtract(out, target, hits * (_row(factor) if soft else factor), soft)
    if even:
        out.sub_(even * _row(factor) * (1.0 if weights is None else weights))
    return _summed(out, values, share)


def _compiled(name: str) -> Any:
    """A loss of elements that runs in one compiled pass over all of them, with no blocks."""

    def run(out: Any, share: Any, scale: Any, p: Any, y: Any, *parameters: Any) -> Any:
        arrays = [x.detach().contiguous().numpy() for x in (p, y)]
        weights = None if share is None else share.detach().contiguous().numpy()
        value = kernels.elementwise.loss_and_gradient(
            name, *arrays, weights, out.numpy(), float(scale), *map(float, parameters)
        )
        return torch.tensor(value, dtype=torch.float64)

    whole = cast(Any, run)
    whole.wider = 1 << 40
    return whole


squared, absolute, huber, pinball, hinge = map(_compiled, ("squared", "absolute", "huber", "pinball", "hinge"))


def small_cross_entropy(
    z: Tensor, target: Tensor, by_class: Tensor | None, ignore_index: int | None, smoothing: float, reduction: str
) -> Tensor | None:
    """PyTorch's own, which has the least overhead on small tensors; None where it does not apply, or has no mean."""
    large = (1 << 20) if z.shape[1] < FEW and blocks.FEWEST > 1 else blocks.FEWEST
    if z.numel() >= large or not blocks.eager((z, target)) or target.dtype != torch.int64:
        return None
    ignored = -100 if ignore_index is None else ignore_index
    if ignore_index is None and bool((target == ignored).any()):
        return None  # which PyTorch would ignore all the same
    try:
        value = torch.nn.functional.cross_entropy(
            z, target, by_class, ignore_index=ignored, reduction=reduction, label_smoothing=smoothing
        )
    except IndexError:  # a label that is not a class, which is worded where labels are looked at
        return None
    return None if bool(value.isnan()) else value


def of_the_truth(
    out: Tensor,
    share: Tensor | None,
    scale: Tensor | float,
    z: Tensor,
    target: Tensor,
    profile: Body,
    by_class: Tensor | None,
    *shape: object,
) -> Tensor:
    """Of ``w_t f(log p_t)``, whose slope in the logits is ``w_t f'(log p_t)`` times that of ``log p_t``."""
    torch.log_softmax(z, 1, out=out)
    soft = target.is_floating_point()
    logs = shares_of(namespace(out), target, out.clone()) if soft else _true(out, target)
    values, slope = _profiled(logs, profile, shape)
    weights = _class_weights(by_class, target, z.ndim)
    if weights is not None:
        values, slope = values * weights, slope * weights
    factor = scale if share is None else share * scale
    slope = slope * (_row(factor) if soft else factor)
    out.exp_().mul_(-_row(slope.sum(1) if soft else slope))
    _subtract(out, target, -slope, soft)
    return _summed(out, values.sum(1) if soft else values, share)


def _profiled(logs: Any, profile: Any, shape: tuple[Any, ...]) -> tuple[Any, Any]:
    """The profile and its slope: only the true classes pass here, so autograd has little to keep."""
    xp = namespace(logs)
    with torch.enable_grad():
        leaf = logs.detach().requires_grad_()
        values = profile(xp, leaf, safe_log(xp, -torch.expm1(leaf)), *shape)
        return values.detach(), torch.autograd.grad(values.sum(), leaf)[0]


def _class_weights(by_class: Any, target: Any, axes: int) -> Any:
    """The weight of each true class; for a distribution, of every class times its share."""
    if target.is_floating_point():
        return target if by_class is None else target * by_class.reshape(-1, *[1] * (axes - 2))
    return None if by_class is None else by_class[target]


def _softmax(out: Any, z: Any) -> Any:
    """Probabilities into ``out``; gives the logarithms of their denominators.

    The largest probability is one over the sum of the exponentials, which spares a second exponential of everything. Short
    rows are searched so slowly that it costs more than it saves.
    """
    if z.shape[1] < FEW and z.ndim == 2:
        torch.log_softmax(z, 1, out=out)
        lse = z[:, 0] - out[:, 0]
        if bool(lse.isnan().any()):  # the first class may be impossible, the likeliest is not
            lse = z.amax(1) - out.amax(1)
        out.exp_()
        return lse
    torch.softmax(z, 1, out=out)
    return z.amax(1) - out.amax(1).log()


def _shared(z: Any, hits: Any) -> Any:
    """The mean of the logits under the target; what cannot be and has no share adds nothing."""
    found = (z * hits).sum(1)
    return torch.where(hits != 0, z * hits, 0.0).sum(1) if bool(found.isnan().any()) else found


def _true(z: Any, target: Any) -> Any:
    return z.gather(1, target.unsqueeze(1)).squeeze(1)


def _row(factor: Any) -> Any:
    """One number per place, with an axis for the classes; a single number as it is."""
    return factor.unsqueeze(1) if getattr(factor, "ndim", 0) else factor


def _subtract(out: Any, target: Any, what: Any, soft: bool) -> None:
    if soft:
        out.sub_(what)
    else:
        out.scatter_add_(1, target.unsqueeze(1), (-what).unsqueeze(1).to(out.dtype))


def _summed(out: Any, values: Any, share: Any) -> Any:
    """The weighted sum; what has no share may be infinite, and must not count nor have a slope."""
    if share is None:
        return values.sum()
    none = share == 0
    if bool(none.any()):
        out.masked_fill_(none.unsqueeze(1), 0.0)
    return torch.where(none, 0.0, values * share).sum()
