"""Losses of generation, forward and backward in single precision, against PyTorch's own functions and formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Workload


def workloads() -> Iterator[Workload]:
    import torch
    from torch.nn import functional

    from assay import losses

    draw = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, generator=draw)

    def both(loss: Callable[..., Any], *inputs: Any) -> Callable[[], Any]:
        """One step of training: the value, and the gradients of the inputs."""
        leaves = [x.clone().requires_grad_() for x in inputs]

        def run() -> Any:
            return torch.autograd.grad(loss(*leaves), leaves)

        return run

    z, p = normal(4096, 1000), torch.softmax(normal(4096, 1000), 1)
    logs = torch.log_softmax(z, 1)
    yield Workload(
        "KL divergence of log-probabilities, 4096 x 1000",
        both(lambda q: losses.kl_divergence(log_probabilities=q, target=p), logs),
        {"torch kl_div": (both(lambda q: functional.kl_div(q, p, reduction="batchmean"), logs), 0.9)},
    )
    yield Workload(
        "KL divergence of logits, 4096 x 1000",
        both(lambda q: losses.kl_divergence(q, p), z),
        {
            "torch kl_div": (
                both(lambda q: functional.kl_div(torch.log_softmax(q, 1), p, reduction="batchmean"), z),
                0.9,
            )
        },
    )

    def normals(m: Any, v: Any) -> Any:
        return -0.5 * torch.sum(1 + v - m.pow(2) - v.exp(), 1).mean()

    codes = normal(20_000, 128), normal(20_000, 128)
    yield Workload(
        "Gaussian KL, 20000 x 128", both(losses.gaussian_kl, *codes), {"torch formula": (both(normals, *codes), 1.2)}
    )
    pictures, target = normal(512, 3, 64, 64), torch.rand(512, 3, 64, 64, generator=draw)
    few = normal(512, 128), normal(512, 128)

    def theirs(x: Any, m: Any, v: Any) -> Any:
        return functional.binary_cross_entropy_with_logits(x, target, reduction="sum") / 512 + normals(m, v)

    def ours(x: Any, m: Any, v: Any) -> Any:
        return losses.vae(logits=x, target=target, mean=m, log_variance=v)

    yield Workload(
        "VAE, 512 pictures of 3x64x64", both(ours, pictures, *few), {"torch": (both(theirs, pictures, *few), 0.9)}
    )
    yield Workload(
        "reconstruction, 512 pictures of 3x64x64",
        both(lambda x: losses.reconstruction(x, target), pictures),
        {"torch mse_loss": (both(lambda x: functional.mse_loss(x, target, reduction="sum") / 512, pictures), 0.9)},
    )
    yield Workload(
        "denoising, 512 pictures of 3x64x64",
        both(lambda x: losses.denoising(x, target), pictures),
        {"torch mse_loss": (both(lambda x: functional.mse_loss(x, target), pictures), 0.9)},
    )
    snr = torch.rand(512, generator=draw) * 20

    def weighted(x: Any) -> Any:
        weight = torch.clamp(snr, max=5.0) / snr
        return (functional.mse_loss(x, target, reduction="none").mean(dim=(1, 2, 3)) * weight).mean()

    yield Workload(
        "denoising, min-SNR, 512 pictures of 3x64x64",
        both(lambda x: losses.denoising(x, target, snr=snr), pictures),
        {"diffusers formula": (both(weighted, pictures), 1.2)},
    )
    yield Workload(
        "flow likelihood, 512 of 3x64x64",
        both(losses.flow_nll, pictures, normal(512)),
        {"torch formula": (both(_flow, pictures, normal(512)), 1.2)},
    )


def _flow(z: Any, d: Any) -> Any:
    import math

    return -(-0.5 * (z**2 + math.log(2 * math.pi)).flatten(1).sum(1) + d).mean()
