"""Cross entropy of tokens from 512-wide hidden states: chunks against the plain route, forward and backward, float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay import losses
from benchmarks.harness import Row, Workload
from benchmarks.memory import compared

TOKENS, VOCABULARY, WIDTH = 4096, 32000, 512
NAME = f"tokens from hidden states, {TOKENS}x{VOCABULARY}"
SETUP = f"""
import torch
from assay import losses
h = torch.randn({TOKENS}, {WIDTH}, requires_grad=True)
w = (0.05 * torch.randn({VOCABULARY}, {WIDTH})).requires_grad_()
t = torch.randint(0, {VOCABULARY}, ({TOKENS},))
(h[:8] @ w.T).sum().backward()
"""


def workloads() -> Iterator[Workload]:
    import torch

    h = torch.randn(TOKENS, WIDTH, requires_grad=True)
    w = (0.05 * torch.randn(VOCABULARY, WIDTH)).requires_grad_()
    t = torch.randint(0, VOCABULARY, (TOKENS,))

    def step(function: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            h.grad = w.grad = None
            function().backward()

        return run

    yield Workload(
        NAME,
        step(lambda: losses.token_cross_entropy(hidden=h, output=w, target=t)),
        {"plain route": (step(lambda: torch.nn.functional.cross_entropy(h @ w.T, t)), 1 / 1.2)},
        rounds=3,
    )


def rows() -> Iterator[Row]:
    yield compared(
        NAME,
        "plain route",
        SETUP,
        "losses.token_cross_entropy(hidden=h, output=w, target=t).backward()",
        "torch.nn.functional.cross_entropy(h @ w.T, t).backward()",
        4,
    )
