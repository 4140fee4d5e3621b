"""Losses under `torch.autocast` compute in single precision, as those of PyTorch do.

A mean of thousands of terms, an exponential or a small difference is more than half precision holds. PyTorch keeps a list of such
functions, its losses among them, and widens their inputs; here all losses are on it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")


def in_single(function: Callable[..., T], inputs: tuple[Any, ...], named: dict[str, Any]) -> T:
    """``function(*inputs, **named)``; where autocast is on, half precision is widened first and nothing inside is narrowed.

    A function among the arguments, such as a log-density, is the caller's model: it stays under autocast.
    """
    torch: Any = sys.modules.get("torch")  # without a cast, behind which a compiler does not know autocast
    if torch is None or not torch._C._is_any_autocast_enabled():
        return function(*inputs, **named)
    device = next((x.device.type for x in (*inputs, *named.values()) if isinstance(x, torch.Tensor)), None)
    if device is None or not torch.is_autocast_enabled(device):
        return function(*inputs, **named)
    inputs = tuple(_widened(torch, x) for x in inputs)
    named = {name: _widened(torch, x) for name, x in named.items()}
    if any(callable(x) for x in (*inputs, *named.values())):
        return function(*inputs, **named)
    with torch.autocast(device, enabled=False):
        return function(*inputs, **named)


def _widened(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
    if isinstance(value, Mapping):
        return {name: _widened(torch, one) for name, one in cast("Mapping[str, Any]", value).items()}
    return value
