"""Losses of segmentation on logits of 8 images, 21 classes and 256 x 256 places: softmax, value and gradient, float32."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from assay import losses
from benchmarks.harness import Workload

SHAPE = (8, 21, 256, 256)
NAME = "8x21x256x256, forward and backward"


def smp() -> Any:
    """The losses of segmentation_models_pytorch, from their folder: the package asks for more than they need."""
    folder = next(
        f for f in (Path(entry) / "segmentation_models_pytorch" / "losses" for entry in sys.path) if f.exists()
    )
    spec: Any = importlib.util.spec_from_file_location(
        "smp_losses", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules["smp_losses"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def maps() -> tuple[Any, Any]:
    """Label maps of squares of 32 places, one in ten places at random, and logits that know something of them."""
    import torch

    torch.manual_seed(0)
    images, classes, height, width = SHAPE
    coarse = torch.randint(0, classes, (images, height // 32, width // 32))
    y = coarse.repeat_interleave(32, 1).repeat_interleave(32, 2)
    y = torch.where(torch.rand(y.shape) < 0.1, torch.randint(0, classes, y.shape), y)
    z = torch.randn(SHAPE) + 2 * torch.nn.functional.one_hot(y, classes).movedim(-1, 1)
    return z.contiguous().requires_grad_(), y


def workloads() -> Iterator[Workload]:
    import kornia.losses as kornia
    import monai.losses as monai

    z, y = maps()
    channel, ours = y[:, None], losses
    peer = smp()

    def step(function: Callable[..., Any], target: Any = y, **options: Any) -> Callable[[], None]:
        def run() -> None:
            z.grad = None
            function(z, target, **options).backward()

        return run

    exact: Any = {"softmax": True, "to_onehot_y": True, "smooth_nr": 0.0, "smooth_dr": 0.0}
    image: Any = {"over": "image", "classes": "all"}
    yield Workload(
        f"Dice of images, {NAME}",
        step(ours.dice, **image),
        {
            "monai": (step(monai.DiceLoss(**exact), channel), 1),
            "kornia macro": (step(kornia.dice_loss, average="macro"), 1),
        },
    )
    yield Workload(
        f"Dice of images, all classes in one, {NAME}",
        step(ours.dice, **image, average="micro"),
        {"kornia": (step(kornia.dice_loss), 1)},
    )
    yield Workload(
        f"Dice of the batch, {NAME}",
        step(ours.dice),
        {
            "monai": (step(monai.DiceLoss(**exact, batch=True), channel), 1),
            "smp": (step(peer.DiceLoss("multiclass")), 2),
        },
    )
    yield Workload(
        f"Jaccard of the batch, {NAME}",
        step(ours.jaccard),
        {
            "monai": (step(monai.DiceLoss(**exact, batch=True, jaccard=True), channel), 1),
            "smp": (step(peer.JaccardLoss("multiclass")), 2),
        },
    )
    parameters: Any = {"alpha": 0.3, "beta": 0.7}
    yield Workload(
        f"Tversky of the batch, {NAME}",
        step(ours.tversky, **parameters),
        {
            "monai": (step(monai.TverskyLoss(**exact, **parameters, batch=True), channel), 1),
            "kornia": (step(kornia.tversky_loss, **parameters), 1),
            "smp": (step(peer.TverskyLoss("multiclass", **parameters)), 2),
        },
    )
    yield Workload(
        f"Lovász-softmax of images, {NAME}",
        step(ours.lovasz_softmax, **image),
        {"kornia": (step(kornia.lovasz_softmax_loss), 3)},
        rounds=3,
    )
    yield Workload(
        f"Lovász-softmax of the batch, {NAME}",
        step(ours.lovasz_softmax),
        {"smp": (step(peer.LovaszLoss("multiclass")), 3)},
        rounds=3,
    )
