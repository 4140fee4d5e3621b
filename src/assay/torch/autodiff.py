"""What samplers and penalties need of PyTorch beyond arrays: gradients with or without a graph, generators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch as _torch
from torch import Generator, Tensor

torch = cast(Any, _torch)  # its own annotations are partial


def gradient(function: Callable[[Tensor], Tensor], at: Tensor, *, graph: bool) -> Tensor:
    """The gradient of the sum of ``function`` at ``at``; with ``graph`` it can be differentiated again."""

    def summed(x: Any) -> Any:
        return function(x).sum()

    if torch._C._are_functorch_transforms_active():  # autograd itself cannot look inside of them
        return torch.func.grad(summed)(at)
    keep = graph and torch.is_grad_enabled()
    with torch.enable_grad():
        point = at.detach().requires_grad_()
        (slopes,) = torch.autograd.grad(summed(point), point, create_graph=keep)
    return slopes


def noise(generator: Generator, shape: tuple[int, ...], beside: Tensor, kind: str) -> Tensor:
    """Random numbers of a generator, on the device of ``beside``."""
    draw = torch.rand if kind == "uniform" else torch.randn
    return draw(shape, generator=generator, dtype=beside.dtype, device=generator.device).to(beside.device)
