"""Losses of a million boxes, forward and backward in single precision, and the IoU of 4000 x 4000 pairs."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from assay import losses
from benchmarks.harness import Workload

N, M = 1_000_000, 4_000


def boxes(rng: Any, low: Any) -> Any:
    return np.concatenate([low, low + 0.05 + 0.5 * rng.random(low.shape)], axis=1).astype(np.float32)


def shared_and_union(torch: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """As in torchvision.ops, which writes the areas of boxes that overlap through a mask."""
    x1, y1, x2, y2 = a.unbind(dim=-1)
    u1, v1, u2, v2 = b.unbind(dim=-1)
    left, top, right, low = torch.max(x1, u1), torch.max(y1, v1), torch.min(x2, u2), torch.min(y2, v2)
    shared = torch.zeros_like(x1)
    mask = (low > top) & (right > left)
    shared[mask] = (right[mask] - left[mask]) * (low[mask] - top[mask])
    return shared, (x2 - x1) * (y2 - y1) + (u2 - u1) * (v2 - v1) - shared


def generalized(torch: Any, a: Any, b: Any, eps: float = 1e-7) -> Any:
    """torchvision's generalized_box_iou_loss."""
    shared, union = shared_and_union(torch, a, b)
    x1, y1, x2, y2 = a.unbind(dim=-1)
    u1, v1, u2, v2 = b.unbind(dim=-1)
    whole = (torch.max(x2, u2) - torch.min(x1, u1)) * (torch.max(y2, v2) - torch.min(y1, v1))
    return 1 - (shared / (union + eps) - (whole - union) / (whole + eps))


def distance(torch: Any, a: Any, b: Any, eps: float = 1e-7) -> tuple[Any, Any]:
    """torchvision's distance_box_iou_loss, and the IoU."""
    shared, union = shared_and_union(torch, a, b)
    found = shared / (union + eps)
    x1, y1, x2, y2 = a.unbind(dim=-1)
    u1, v1, u2, v2 = b.unbind(dim=-1)
    diagonal = (torch.max(x2, u2) - torch.min(x1, u1)) ** 2 + (torch.max(y2, v2) - torch.min(y1, v1)) ** 2 + eps
    gap = ((x2 + x1) / 2 - (u1 + u2) / 2) ** 2 + ((y2 + y1) / 2 - (v1 + v2) / 2) ** 2
    return 1 - found + gap / diagonal, found


def complete(torch: Any, a: Any, b: Any, eps: float = 1e-7) -> Any:
    """torchvision's complete_box_iou_loss."""
    near, found = distance(torch, a, b, eps)
    x1, y1, x2, y2 = a.unbind(dim=-1)
    u1, v1, u2, v2 = b.unbind(dim=-1)
    v = (4 / (math.pi**2)) * torch.pow(torch.atan((u2 - u1) / (v2 - v1)) - torch.atan((x2 - x1) / (y2 - y1)), 2)
    with torch.no_grad():
        alpha = v / (1 - found + v + eps)
    return near + alpha * v


def matrix(torch: Any, a: Any, b: Any) -> Any:
    """torchvision's box_iou."""
    areas = [(x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1]) for x in (a, b)]
    low, high = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    sides = (high - low).clamp(min=0)
    shared = sides[:, :, 0] * sides[:, :, 1]
    return shared / (areas[0][:, None] + areas[1] - shared)


def trained(x: Any, f: Callable[[Any], Any]) -> Callable[[], Any]:
    def call() -> Any:
        x.grad = None
        f(x).backward()
        return x.grad

    return call


def workloads() -> Iterator[Workload]:
    torch: Any = importlib.import_module("torch")
    rng = np.random.default_rng(0)
    low = rng.random((N, 2))
    x = torch.tensor(boxes(rng, low), requires_grad=True)
    y = torch.tensor(boxes(rng, low + 0.1 * rng.normal(size=low.shape)))
    giou: dict[str, Any] = {"torchvision": (trained(x, lambda p: generalized(torch, p, y).mean()), 1.5)}
    try:
        monai = importlib.import_module("monai.losses").BoxGIoULoss()
        giou["monai"] = (trained(x, lambda p: monai(p, y)), 1.5)
    except ImportError:
        print("monai is not installed: no BoxGIoULoss")
    yield Workload("GIoU, 1e6, with gradient", trained(x, lambda p: losses.giou(p, y)), giou)
    diou = {"torchvision": (trained(x, lambda p: distance(torch, p, y)[0].mean()), 1.5)}
    yield Workload("DIoU, 1e6, with gradient", trained(x, lambda p: losses.diou(p, y)), diou)
    ciou = {"torchvision": (trained(x, lambda p: complete(torch, p, y).mean()), 1.5)}
    yield Workload("CIoU, 1e6, with gradient", trained(x, lambda p: losses.ciou(p, y)), ciou)
    with torch.no_grad():
        plain = x.detach()
        ours, theirs = losses.giou(plain, y), generalized(torch, plain, y).mean()
        assert abs(float(ours - theirs)) < 1e-4
    yield Workload(
        "GIoU, 1e6, value only",
        lambda: losses.giou(plain, y),
        {"torchvision": (lambda: generalized(torch, plain, y).mean(), 1.0)},
    )
    a, b = plain[:M], y[:M]
    pairs = {"torchvision": (lambda: matrix(torch, a, b), 1.0)}
    yield Workload("IoU of all pairs, 4000 x 4000", lambda: losses.box_iou(a, b, pairs="all"), pairs)
    learns = a.clone().requires_grad_()
    whole = {"torchvision": (trained(learns, lambda p: (1 - matrix(torch, p, b)).mean()), None)}
    yield Workload(
        "IoU loss of all pairs, with gradient", trained(learns, lambda p: losses.iou(p, b, pairs="all")), whole, 3
    )
