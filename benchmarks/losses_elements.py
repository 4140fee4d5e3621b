"""Losses of 1e7 elements and of classes, forward and backward, float32: PyTorch's own, the formulas in eager PyTorch, optax."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from assay import losses
from benchmarks.harness import Row, Workload
from benchmarks.memory import compared

N = 10_000_000


def step(function: Callable[[Any], Any], x: Any) -> Callable[[], None]:
    """One forward and backward pass."""

    def run() -> None:
        x.grad = None
        function(x).backward()

    return run


def workloads() -> Iterator[Workload]:
    import torch

    torch.manual_seed(0)
    yield from primitives(torch)
    yield from formulas(torch)
    yield from of_focal(torch)
    yield from of_classes(torch)
    yield from of_jax()


def primitives(torch: Any) -> Iterator[Workload]:
    """Against one fused operation there is nothing to gain but a pass over memory."""
    f = torch.nn.functional
    x, y = torch.randn(N, requires_grad=True), torch.randn(N)
    hits, counts = (y > 0).float(), y.abs().round()
    pairs: dict[str, tuple[Any, Any]] = {
        "mse": (lambda p: losses.mse(p, y), lambda p: f.mse_loss(p, y)),
        "mae": (lambda p: losses.mae(p, y), lambda p: f.l1_loss(p, y)),
        "huber": (lambda p: losses.huber(p, y), lambda p: f.huber_loss(p, y)),
        "smooth_l1": (lambda p: losses.smooth_l1(p, y, beta=0.5), lambda p: f.smooth_l1_loss(p, y, beta=0.5)),
        "binary cross entropy": (
            lambda p: losses.binary_cross_entropy(p, hits),
            lambda p: f.binary_cross_entropy_with_logits(p, hits),
        ),
        "poisson": (lambda p: losses.poisson_nll(p, counts), lambda p: f.poisson_nll_loss(p, counts)),
    }
    for name, (ours, theirs) in pairs.items():
        yield Workload(f"{name} loss, 1e7", step(ours, x), {"PyTorch": (step(theirs, x), 0.9)})


def formulas(torch: Any) -> Iterator[Workload]:
    x, y = torch.randn(N, requires_grad=True), torch.randn(N)
    side, spread = torch.where(y > 0, 1.0, -1.0), y.abs() + 0.1

    def log_cosh(p: Any) -> Any:
        size = (p - y).abs()
        return (size + torch.nn.functional.softplus(-2 * size) - 0.6931471805599453).mean()

    def pinball(p: Any) -> Any:
        gap = y - p
        return torch.maximum(0.9 * gap, -0.1 * gap).mean()

    def gaussian(p: Any) -> Any:
        return (0.5 * (torch.log(spread) + (p - y) ** 2 / spread)).mean()

    pairs: dict[str, tuple[Any, Any]] = {
        "log-cosh": (lambda p: losses.log_cosh(p, y), log_cosh),
        "quantile": (lambda p: losses.quantile(p, y, q=0.9), pinball),
        "poisson": (lambda p: losses.poisson_nll(p, spread), lambda p: (torch.exp(p) - spread * p).mean()),
        "hinge": (lambda p: losses.hinge(p, side), lambda p: torch.clamp(1 - side * p, min=0).mean()),
        "gaussian": (lambda p: losses.gaussian_nll(p, y, variance=spread), gaussian),
    }
    for name, (ours, theirs) in pairs.items():
        yield Workload(f"{name} loss, 1e7", step(ours, x), {"eager formula": (step(theirs, x), 2)})


def of_focal(torch: Any) -> Iterator[Workload]:
    x, y = torch.randn(N, requires_grad=True), (torch.rand(N) < 0.1).float()

    def torchvision(z: Any) -> Any:
        p, ce = torch.sigmoid(z), torch.nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none")
        pt = p * y + (1 - p) * (1 - y)
        return ((0.25 * y + 0.75 * (1 - y)) * ce * (1 - pt) ** 2).mean()

    peers: dict[str, tuple[Any, float | None]] = {"torchvision's formula": (step(torchvision, x), 5)}
    if importlib.util.find_spec("kornia"):
        from kornia.losses import binary_focal_loss_with_logits

        def kornia(z: Any) -> Any:
            return binary_focal_loss_with_logits(z[None], y[None], alpha=0.25, gamma=2.0, reduction="mean")

        peers["kornia"] = (step(kornia, x), 5)
    if importlib.util.find_spec("monai"):
        from monai.losses import FocalLoss

        criterion = FocalLoss(gamma=2.0, alpha=0.25)
        peers["monai"] = (step(lambda z: criterion(z[None, None], y[None, None]), x), 5)
    functional = _smp()
    if functional is not None:

        def smp(z: Any) -> Any:
            return functional.focal_loss_with_logits(z, y, gamma=2.0, alpha=0.25, reduction="mean")

        peers["smp"] = (step(smp, x), 5)
    yield Workload("focal loss, 1e7", step(lambda z: losses.focal(z, y), x), peers, rounds=3)


def _smp() -> Any:
    """The losses of segmentation-models-pytorch by their file: the package itself wants more than it needs for them."""
    found = importlib.util.find_spec("segmentation_models_pytorch")
    for folder in (found.submodule_search_locations or []) if found else []:
        spec = importlib.util.spec_from_file_location("smp_losses", f"{folder}/losses/_functional.py")
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    return None


SHAPES = ((8192, 32000), (65536, 1000), (100_000, 100), (100_000, 10), (8, 21, 256, 256))


def of_classes(torch: Any) -> Iterator[Workload]:
    f = torch.nn.functional
    for shape in SHAPES:
        x = torch.randn(*shape, requires_grad=True)
        t = torch.randint(0, shape[1], (shape[0], *shape[2:]))
        name = "x".join(map(str, shape))
        peers = {"PyTorch": (step(lambda z, t=t: f.cross_entropy(z, t), x), 1.3 if shape[1] == 32000 else 0.9)}
        yield Workload(
            f"cross entropy, {name}",
            step(lambda z, t=t: losses.cross_entropy(z, t), x),
            peers,
            rounds=4 if shape[1] == 32000 else 10,
        )
    x, t, weight = torch.randn(65536, 1000, requires_grad=True), torch.randint(0, 1000, (65536,)), torch.rand(1000)
    both: dict[str, Any] = {"label_smoothing": 0.1}
    yield Workload(
        "weighted smoothed cross entropy, 65536x1000",
        step(lambda z: losses.cross_entropy(z, t, class_weight=weight, **both), x),
        {"PyTorch": (step(lambda z: f.cross_entropy(z, t, weight=weight, **both), x), 0.9)},
    )
    yield Workload(
        "multi-margin hinge, 65536x1000",
        step(lambda z: losses.hinge(z, t, multiclass="multi_margin"), x),
        {"PyTorch": (step(lambda z: f.multi_margin_loss(z, t), x), 0.9)},
        rounds=3,
    )


def of_jax() -> Iterator[Workload]:
    """Value and gradient under jit."""
    if not importlib.util.find_spec("optax"):
        return
    import jax
    import optax

    rng = np.random.default_rng(0)
    x, y = (jax.numpy.asarray(rng.normal(size=N // 10), dtype="float32") for _ in range(2))
    hits, side = (y > 0).astype("float32"), jax.numpy.where(y > 0, 1.0, -1.0)
    z, t = (
        jax.numpy.asarray(rng.normal(size=(10_000, 100)), dtype="float32"),
        jax.numpy.asarray(rng.integers(0, 100, 10_000)),
    )
    hot = jax.nn.one_hot(t, 100)
    pairs: dict[str, tuple[Any, Any, Any]] = {
        "mse": (x, lambda p: losses.mse(p, y), lambda p: optax.squared_error(p, y).mean()),
        "huber": (x, lambda p: losses.huber(p, y), lambda p: optax.huber_loss(p, y).mean()),
        "log-cosh": (x, lambda p: losses.log_cosh(p, y), lambda p: optax.log_cosh(p, y).mean()),
        "binary cross entropy": (
            x,
            lambda p: losses.binary_cross_entropy(p, hits),
            lambda p: optax.sigmoid_binary_cross_entropy(p, hits).mean(),
        ),
        "focal": (x, lambda p: losses.focal(p, hits), lambda p: optax.sigmoid_focal_loss(p, hits, alpha=0.25).mean()),
        "hinge": (x, lambda p: losses.hinge(p, side), lambda p: optax.hinge_loss(p, side).mean()),
        "cross entropy": (
            z,
            lambda p: losses.cross_entropy(p, t),
            lambda p: optax.softmax_cross_entropy_with_integer_labels(p, t).mean(),
        ),
        "poly": (
            z,
            lambda p: losses.poly(p, hot, epsilon=2.0, form="softmax"),
            lambda p: optax.losses.poly_loss_cross_entropy(p, hot, epsilon=2.0).mean(),
        ),
    }
    for name, (start, ours, theirs) in pairs.items():
        yield Workload(
            f"{name} loss under jit, 1e6",
            compiled(jax, ours, start),
            {"optax": (compiled(jax, theirs, start), 0.9)},
            rounds=30,
        )


def compiled(jax: Any, function: Callable[[Any], Any], x: Any) -> Callable[[], None]:
    """Value and gradient as one compiled function."""
    both = jax.jit(jax.value_and_grad(function))

    def run() -> None:
        jax.block_until_ready(both(x))

    return run


SETUP = "import torch\nfrom assay import losses\nx = torch.randn(8192, 32000, requires_grad=True)\nt = torch.randint(0, 32000, (8192,))"


def rows() -> Iterator[Row]:
    yield compared(
        "cross entropy, 8192x32000",
        "PyTorch",
        SETUP,
        "losses.cross_entropy(x, t).backward()",
        "torch.nn.functional.cross_entropy(x, t).backward()",
        2,
    )
