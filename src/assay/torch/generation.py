"""Sums of losses of generation whose slopes are written straight into the gradient; see `assay.torch.slopes`.

Optimistic: the plain formula runs first, and only if its sum is not finite the careful one of the loss itself does.
"""

from __future__ import annotations

from typing import Any, cast

import torch as _torch
from torch import Tensor

torch = cast(Any, _torch)  # its own annotations are partial
PIECE = 1 << 16  # products that are added at once


def squares(out: Tensor, share: Tensor | None, scale: Tensor | float, p: Tensor, y: Tensor, *factor: Tensor) -> Tensor:
    """Of squared errors: of elements, or of rows that have a factor or a share."""
    torch.sub(p, y, out=out)
    weight = share if not factor else factor[0] if share is None else _beside(factor[0], share) * share
    if weight is None:
        total = _dot(out, out)
        out.mul_(2 * scale)
        return total
    if weight.ndim == out.ndim:
        return _weighted(out, out * out, weight, 2 * scale)
    rows = out.reshape(out.shape[0], -1)
    return _weighted(out, torch.linalg.vecdot(rows, rows), weight, 2 * scale)


def bits(out: Tensor, share: Tensor | None, scale: Tensor | float, z: Tensor, x: Tensor) -> Tensor:
    """Of binary cross entropies summed over each row."""
    torch.sigmoid(z, out=out)
    out.sub_(x)
    if share is None:
        total = torch.nn.functional.binary_cross_entropy_with_logits(z, x, reduction="sum")
        out.mul_(scale)
        return total
    values = torch.nn.functional.binary_cross_entropy_with_logits(z, x, reduction="none")
    return _weighted(out, values.reshape(z.shape[0], -1).sum(1), share, scale)


def divergence(
    out: Tensor, share: Tensor | None, scale: Tensor | float, q: Tensor, p: Tensor, q_kind: str, p_kind: str
) -> Tensor:
    """Of the divergence of classes in the second axis, from logits or log-probabilities."""
    log_q = torch.log_softmax(q, 1) if q_kind == "logits" else q
    if p_kind == "target":
        torch.clamp(p, min=torch.finfo(p.dtype).smallest_normal, out=out).log_()
    else:
        out.copy_(torch.log_softmax(p, 1) if p_kind == "logits" else p)
        p = out.exp()
    out.sub_(log_q)
    total: Any = _dot(out, p) if share is None else None
    values = None if share is None else (out * p).sum(1)
    if not bool(torch.isfinite(total if values is None else values).all()):  # 0 log 0
        values = torch.where((p <= 0) & ~log_q.isnan(), 0.0, out * p).sum(1)
        total = values.sum()
    factor = scale if share is None else 1.0
    if q_kind == "logits":
        torch.exp(log_q, out=out).mul_(p.sum(1, keepdim=True) * factor).sub_(p if share is not None else p * factor)
    else:
        torch.mul(p, -factor, out=out)
    return total if share is None else _weighted(out, values, share, scale, axis=1)


def codes(out: tuple[Tensor, ...], share: Tensor | None, scale: Tensor | float, m: Tensor, v: Tensor) -> Tensor:
    """Of the divergence of normal distributions from N(0, I)."""
    by_mean, by_spread = out
    torch.exp(v, out=by_spread).sub_(1)
    if share is None:
        total = 0.5 * (_dot(m, m) + (by_spread - v).sum())
        torch.mul(m, scale, out=by_mean)
        by_spread.mul_(0.5 * scale)
        return total
    by_mean.copy_(m)
    values = 0.5 * (m * m + (by_spread - v)).reshape(m.shape[0], -1).sum(1)
    _weighted(by_spread, values, share, 0.5 * scale)
    return _weighted(by_mean, values, share, scale)


def flow(
    out: tuple[Tensor, ...],
    share: Tensor | None,
    scale: Tensor | float,
    z: Tensor,
    d: Tensor,
    root: float,
    over: float,
    more: float,
) -> Tensor:
    """Of the likelihood of a flow with a normal base."""
    by_latent, by_determinant = out
    by_determinant.fill_(-1 / over)
    if share is None:
        total = (0.5 * _dot(z, z) - d.sum() + root * d.numel()) / over + more * d.numel()
        torch.mul(z, scale / over, out=by_latent)
        by_determinant.mul_(scale)
        return total
    by_latent.copy_(z)
    rows = z.reshape(z.shape[0], -1)
    values = (0.5 * torch.linalg.vecdot(rows, rows) + (root - d)) / over + more
    _weighted(by_determinant, values, share, scale)
    return _weighted(by_latent, values, share, scale / over)


def _dot(a: Any, b: Any) -> Any:
    """The sum of products, piece by piece: over a million of them in one go, single precision loses a digit."""
    pieces = zip(a.reshape(-1).split(PIECE), b.reshape(-1).split(PIECE), strict=True)
    return torch.stack([torch.dot(one, other) for one, other in pieces]).sum()


def _beside(row: Any, share: Any) -> Any:
    """One number per row, with axes of 1 for what the share has more."""
    return row.reshape(*row.shape, *[1] * (share.ndim - row.ndim))


def _weighted(out: Any, values: Any, weight: Any, scale: Any, axis: int | None = None) -> Any:
    """The weighted sum, with the slopes weighted in place; what has no weight may be infinite and must not count."""
    across = weight.unsqueeze(axis) if axis is not None else _beside(weight, out)
    none = weight == 0
    out.mul_(across * scale)
    if bool(none.any()):
        out.masked_fill_(across == 0, 0.0)
        values = torch.where(none, 0.0, values)
    return (values * weight).sum()
