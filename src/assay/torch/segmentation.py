"""Losses of segmentation on large CPU tensors: softmax, counts and sorts image by image, and gradients in closed form.

Peers build a one-hot array as large as the logits and let autograd keep every temporary. Here labels are looked up, the softmax is
the only large thing that is kept, and its memory becomes the gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import torch as _torch
from torch import Tensor

from assay import kernels
from assay.losses.accelerators import Body
from assay.losses.segmentation.maps import Maps
from assay.torch import blocks
from assay.torch.slopes import exact

torch = cast(Any, _torch)  # its own annotations are partial
CHUNK = 3 << 20  # elements of which some temporaries fit into the cache that cores share


def worthwhile(given: Maps) -> bool:
    """Whether these are large plain CPU tensors, and no weight that learns."""
    inputs = (given.scores, given.truth) if given.share is None else (given.scores, given.truth, given.share)
    return blocks.worthwhile(inputs) and not (given.share is not None and given.share.requires_grad)


@dataclass
class SegmentationWork:
    """What the sums of a batch need beside its logits (images, classes, places); ``plain`` is the loss's own body.

    ``kept`` is the one large array that stays between forward and backward. The backward pass overwrites it, so a second one
    makes it again.
    """

    given: Maps
    plain: Callable[..., Any]
    squared: bool = False
    by_image: bool = True
    keep: bool = True
    kept: Any = None

    def constants(self) -> tuple[Tensor, Tensor | None]:
        """Labels and weights, to be saved for the backward pass: autograd refuses one if they have been changed since."""
        return self.given.truth, self.given.share

    def chunks(self) -> list[slice]:
        """Some images at a time: few enough to stay in the cache, many enough that threads do not wait for each other."""
        images, size = self.given.scores.shape[0], self.given.scores[:1].numel()
        step = max(1, min(images // 4, CHUNK // max(1, size)))
        return [slice(start, start + step) for start in range(0, images, step)]

    def labels(self, at: slice = slice(None)) -> Tensor:
        """The labels of some images, as one channel."""
        return self.given.truth[at].long()[:, None]

    def share(self, at: slice = slice(None)) -> Tensor | None:
        """What the places of some images count, as one channel; None if all count 1."""
        return None if self.given.share is None else self.given.share[at]

    def softmax(self, scores: Tensor, at: slice, out: Tensor) -> Tensor:
        """The probabilities of some images; places that count nothing are as if their logits were 0."""
        share = self.share(at)
        part = scores[at] if share is None else torch.where(share != 0, scores[at], 0.0)
        return torch.softmax(part, 1, out=out)

    def by_class(self, values: Tensor | None = None) -> Tensor:
        """The sums of the values of the places, or their number, for each image and true class, in double precision."""
        images, classes = self.given.scores.shape[:2]
        cells = self.labels()[:, 0] + classes * torch.arange(images)[:, None]
        share = self.share()
        if share is not None:
            values = share if values is None else values * share
        values = None if values is None else values.reshape(-1).double()
        return torch.bincount(cells.reshape(-1), values, images * classes).reshape(images, classes).double()

    def graph(self, scores: Tensor, up: Tensor) -> Tensor:
        """The gradient with a graph of its own, for a second derivative: by the loss's own body."""
        found = self.plain(replace(self.given, scores=scores))
        return torch.autograd.grad(found, scores, up.to(found.dtype), create_graph=True)[0]


def counts(given: Maps, squared: bool, plain: Body) -> tuple[Tensor, Tensor, Tensor]:
    """Soft counts of each image and class, in double precision: predicted and true, predicted, true."""

    def body(maps: Maps) -> Any:
        return torch.stack(plain(maps, squared)[:2])

    work = SegmentationWork(given, body, squared, keep=torch.is_grad_enabled() and given.scores.requires_grad)
    both, predicted = _CountsFunction.apply(given.scores, work)
    return both, predicted, work.by_class()


class _CountsFunction(torch.autograd.Function):
    """Sums over places of the softmax at the true class and of the whole softmax, (2, images, classes)."""

    @staticmethod
    @exact
    def forward(ctx: Any, scores: Any, work: SegmentationWork) -> Any:
        """Some images after the other, while they are in the cache."""
        true = torch.empty_like(scores[:, :1], memory_format=torch.contiguous_format)
        sizes = torch.empty(scores.shape[:2], dtype=torch.float64)
        work.kept = _like(scores) if work.keep else None
        for at in work.chunks():
            p = work.softmax(scores, at, _like(scores[at]) if work.kept is None else work.kept[at])
            torch.gather(p, 1, work.labels(at), out=true[at])
            sizes[at] = _sizes(p, work.share(at), work.squared)
        ctx.work = work
        ctx.save_for_backward(scores, true, *work.constants())
        return torch.stack([work.by_class(true), sizes])

    @staticmethod
    @exact
    def backward(ctx: Any, *above: Any) -> Any:
        """The chain through the softmax, written over it."""
        (up,), (scores, true, *_), work = above, ctx.saved_tensors, ctx.work
        if torch.is_grad_enabled():
            return work.graph(scores, up), None
        kept, work.kept = work.kept, None
        p_all, up = _like(scores) if kept is None else kept, up.to(scores.dtype)
        spare = _like(scores[work.chunks()[0]])
        for at in work.chunks():
            p = work.softmax(scores, at, p_all[at]) if kept is None else p_all[at]
            _through_softmax(p, true[at], work.labels(at), up[:, at], spare[: len(p)], work.squared)
            if work.given.share is not None:
                p.mul_(work.share(at))
        return p_all, None


def _like(x: Any) -> Any:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _sizes(p: Any, share: Any, squared: bool) -> Any:
    """The sum of the probabilities, or of their squares, of each image and class."""
    if squared:
        p = p * p
    return p.sum(2) if share is None else (p @ share.mT)[:, :, 0]


def _through_softmax(p: Any, true: Any, label: Any, up: Any, spare: Any, squared: bool) -> None:
    """Overwrite the probabilities of some images by the gradient in their logits; ``up``: in both counts of each class."""
    pull = true * up[0].gather(1, label[:, 0])[:, None]
    if squared:
        slope = torch.mul(p, 2 * up[1][:, :, None], out=spare)
        mean = (p * slope).sum(1, keepdim=True)
    else:
        slope = up[1][:, :, None]
        mean = up[1][:, None] @ p
    p.mul_(torch.sub(slope, mean.add_(pull), out=spare)).scatter_add_(1, label, pull)


# ---- Lovász


def lovasz(given: Maps, by_image: bool, plain: Body) -> tuple[Tensor, Tensor] | None:
    """The Lovász extension of each class and the weight of its true places; None in double precision, which has no kernel."""
    if given.scores.dtype != torch.float32 or given.truth.numel() >= 1 << 31:
        return None

    def body(maps: Maps) -> Any:
        return plain(maps if by_image else maps.whole())[0]

    work = SegmentationWork(given, body, by_image=by_image)
    values = _ExtensionFunction.apply(given.scores, work)
    true = work.by_class()
    return values, true if by_image else true.sum(0, keepdim=True)


class _ExtensionFunction(torch.autograd.Function):
    """The extension of the softmax of logits; what is kept are its slopes in the probabilities."""

    @staticmethod
    @exact
    def forward(ctx: Any, scores: Any, work: SegmentationWork) -> Any:
        """Errors in place of the probabilities, and slopes in place of the errors."""
        values, work.kept = _slopes(scores, work)
        ctx.work = work
        ctx.save_for_backward(scores, *work.constants())
        return values

    @staticmethod
    @exact
    def backward(ctx: Any, *above: Any) -> Any:
        """The chain through the softmax, written over the slopes."""
        (up,), (scores, *_), work = above, ctx.saved_tensors, ctx.work
        if torch.is_grad_enabled():
            return work.graph(scores, up), None
        slopes, work.kept = work.kept, None
        if slopes is None:
            slopes = _slopes(scores, work)[1]
        up = up.to(scores.dtype).expand(scores.shape[:2])[:, :, None]
        for at in work.chunks():
            p = work.softmax(scores, at, _like(scores[at]))
            slope = slopes[at].mul_(up[at])
            slope.sub_((p * slope).sum(1, keepdim=True)).mul_(p)
        return slopes, None


def _slopes(scores: Any, work: SegmentationWork) -> tuple[Any, Any]:
    """The extension of each class, and its slope in every probability."""
    errors = _like(scores)
    for at in work.chunks():
        p, label = work.softmax(scores, at, errors[at]), work.labels(at)
        p.scatter_(1, label, 1 - p.gather(1, label))
    share = None if work.given.share is None else work.given.share[:, 0].numpy()
    values = kernels.lovasz.extension(errors.numpy(), work.given.truth.numpy(), share, by_image=work.by_image)
    return torch.from_numpy(values), errors
