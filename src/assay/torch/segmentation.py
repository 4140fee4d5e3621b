"""Losses of segmentation on large CPU tensors: softmax, counts and sorts image by image, and gradients in closed form.

Peers build a one-hot array as large as the logits and let autograd keep every temporary. Here labels are looked up, the softmax is
the only large thing that is kept, and its memory becomes the gradient.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import torch as _torch

from assay.losses.segmentation.maps import Maps
from assay.torch import blocks

torch = cast(Any, _torch)  # its own annotations are partial


def worthwhile(given: Maps) -> bool:
    """Whether these are large plain CPU tensors, and no weight that learns."""
    inputs = (given.scores, given.truth) if given.share is None else (given.scores, given.truth, given.share)
    return blocks.worthwhile(inputs) and not (given.share is not None and given.share.requires_grad)


@dataclass
class Work:
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

    def label(self, n: int) -> Any:
        """The labels of an image, as a row."""
        return self.given.truth[n].long()[None]

    def share(self, n: int) -> Any:
        """What the places of an image count, as a row; None if all count 1."""
        return None if self.given.share is None else self.given.share[n]

    def softmax(self, scores: Any, n: int, out: Any) -> Any:
        """The probabilities of an image; places that count nothing are as if their logits were 0."""
        share = self.share(n)
        image = scores[n] if share is None else torch.where(share != 0, scores[n], 0.0)
        return torch.softmax(image, 0, out=out)

    def true(self, dtype: Any) -> Any:
        """The weight of the true places of each image and class."""
        images, classes = self.given.scores.shape[:2]
        at = self.given.truth.long() + classes * torch.arange(images)[:, None]
        share = None if self.given.share is None else self.given.share.reshape(-1).double()
        return torch.bincount(at.reshape(-1), share, images * classes).reshape(images, classes).to(dtype)

    def graph(self, scores: Any, up: Any) -> Any:
        """The gradient with a graph of its own, for a second derivative: by the loss's own body."""
        found = self.plain(replace(self.given, scores=scores))
        return torch.autograd.grad(found, scores, up.to(found.dtype), create_graph=True)[0]


def counts(given: Maps, squared: bool, plain: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Soft counts of each image and class, in double precision: predicted and true, predicted, true."""

    def body(maps: Maps) -> Any:
        return torch.stack(plain(maps, squared)[:2])

    work = Work(given, body, squared, keep=torch.is_grad_enabled() and given.scores.requires_grad)
    both, predicted = Counts.apply(given.scores, work)
    return both, predicted, work.true(both.dtype)


class Counts(torch.autograd.Function):
    """Sums over places of the softmax and of its value at the true class, (2, images, classes)."""

    @staticmethod
    def forward(ctx: Any, scores: Any, work: Work) -> Any:
        """One image after the other, while it is in the cache."""
        images, classes, _ = scores.shape
        found = torch.zeros(2, images, classes, dtype=torch.float64)
        p_all = torch.empty_like(scores, memory_format=torch.contiguous_format) if work.keep else None
        spare = None if work.keep else torch.empty_like(scores[0], memory_format=torch.contiguous_format)
        for n in range(images):
            p = work.softmax(scores, n, spare if p_all is None else p_all[n])
            label, share = work.label(n), work.share(n)
            true = p.gather(0, label)
            found[0, n] = torch.bincount(label[0], (true if share is None else true * share)[0].double(), classes)
            found[1, n] = _sizes(p, share, work.squared)
        work.kept = p_all
        ctx.work = work
        ctx.save_for_backward(scores)
        return found

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """The chain through the softmax, written over it."""
        (up,), (scores,), work = above, ctx.saved_tensors, ctx.work
        if torch.is_grad_enabled():
            return work.graph(scores, up), None
        p_all, work.kept = work.kept, None
        fresh = p_all is None
        p_all = torch.empty_like(scores, memory_format=torch.contiguous_format) if fresh else p_all
        up = up.to(scores.dtype)
        for n in range(scores.shape[0]):
            p = work.softmax(scores, n, p_all[n]) if fresh else p_all[n]
            _through_softmax(p, work.label(n), work.share(n), up[:, n], work.squared)
        return p_all, None


def _sizes(p: Any, share: Any, squared: bool) -> Any:
    """The sum of the probabilities, or of their squares, of each class."""
    if squared:
        p = p * p
    return p.sum(1) if share is None else p @ share[0].to(p.dtype)


def _through_softmax(p: Any, label: Any, share: Any, up: Any, squared: bool) -> None:
    """Overwrite the probabilities of an image by the gradient in its logits; ``up``: in both counts of each class."""
    true = p.gather(0, label) * up[0][label[0]]
    slope = p * (2 * up[1][:, None]) if squared else up[1][:, None]
    mean = (p * slope).sum(0) if squared else up[1] @ p
    p.mul_(slope - (mean + true)).scatter_add_(0, label, true)
    if share is not None:
        p.mul_(share)


# ---- Lovász


def lovasz(given: Maps, by_image: bool, plain: Callable[..., Any]) -> tuple[Any, Any] | None:
    """The Lovász extension of each class and the weight of its true places; None in double precision, which has no kernel."""
    if given.scores.dtype != torch.float32 or given.truth.numel() >= 1 << 31:
        return None

    def body(maps: Maps) -> Any:
        return plain(maps if by_image else maps.whole())[0]

    work = Work(given, body, by_image=by_image)
    values = Extension.apply(given.scores, work)
    true = work.true(values.dtype)
    return values, true if by_image else true.sum(0, keepdim=True)


class Extension(torch.autograd.Function):
    """The extension of the softmax of logits; what is kept are its slopes in the probabilities."""

    @staticmethod
    def forward(ctx: Any, scores: Any, work: Work) -> Any:
        """Errors in place of the probabilities, and slopes in place of the errors."""
        values, work.kept = _slopes(scores, work)
        ctx.work = work
        ctx.save_for_backward(scores)
        return values

    @staticmethod
    def backward(ctx: Any, *above: Any) -> Any:
        """The chain through the softmax, written over the slopes."""
        (up,), (scores,), work = above, ctx.saved_tensors, ctx.work
        if torch.is_grad_enabled():
            return work.graph(scores, up), None
        slopes, work.kept = work.kept, None
        if slopes is None:
            slopes = _slopes(scores, work)[1]
        up = up.to(scores.dtype)
        p = torch.empty_like(scores[0], memory_format=torch.contiguous_format)
        for n in range(scores.shape[0]):
            work.softmax(scores, n, p)
            slope = slopes[n].mul_(up[n if work.by_image else 0][:, None])
            slope.sub_((p * slope).sum(0)).mul_(p)
        return slopes, None


def _slopes(scores: Any, work: Work) -> tuple[Any, Any]:
    """The extension of each class, and its slope in every probability."""
    errors = torch.empty_like(scores, memory_format=torch.contiguous_format)
    for n in range(scores.shape[0]):
        p, label = work.softmax(scores, n, errors[n]), work.label(n)
        p.scatter_(0, label, 1 - p.gather(0, label))
    share = None if work.given.share is None else work.given.share[:, 0].numpy()
    kernel = importlib.import_module("assay.kernels.lovasz")
    values = kernel.extension(errors.numpy(), work.given.truth.numpy(), share, by_image=work.by_image)
    return torch.from_numpy(values), errors
