"""Losses of 512 embeddings of 512 numbers in 16 classes, forward and backward, float32, against pytorch-metric-learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from assay import losses
from benchmarks.harness import Row, Workload
from benchmarks.memory import compared

N, CLASSES, IDENTITIES = 512, 16, 100


PAIRS = """
import torch
from assay import losses
from pytorch_metric_learning.losses import NTXentLoss
x = torch.randn(192, 512, requires_grad=True)
y = torch.arange(192) % 16
for _ in range(3):
    (x @ x.T).sum().backward()
    losses.info_nce(x[:32], y[:32]).backward()
    NTXentLoss()(x[:32], y[:32]).backward()
"""  # fewer rows than where time is measured: the peer's memory grows with their fourth power


def rows() -> Iterator[Row]:
    """Memory of all positives against all negatives."""
    peer, ours, theirs = "pytorch-metric-learning", "losses.info_nce(x, y).backward()", "NTXentLoss()(x, y).backward()"
    yield compared("NT-Xent from labels, 192 x 512", peer, PAIRS, ours, theirs, 100)


def step(function: Callable[..., Any], *learned: Any) -> Callable[[], None]:
    """One forward and backward pass."""

    def run() -> None:
        for x in learned:
            x.grad = None
        value = function(*learned)
        (value.total if hasattr(value, "total") else value).backward()

    return run


def workloads() -> Iterator[Workload]:
    import torch

    rng = np.random.default_rng(0)
    target = torch.from_numpy(np.arange(N) % CLASSES)
    x = torch.tensor(rng.normal(size=(N, 512)), dtype=torch.float32, requires_grad=True)
    yield from of_labels(x, target)
    yield from of_prototypes(x, torch.from_numpy(rng.integers(0, IDENTITIES, N)))
    yield from of_views(rng)
    yield from of_triplets(rng)


def of_labels(x: Any, target: Any) -> Iterator[Workload]:
    """All pairs and triplets of a batch."""
    from pytorch_metric_learning import losses as peer

    def ours(name: str, **form: Any) -> Callable[[], None]:
        return step(lambda z: getattr(losses, name)(z, target, **form), x)

    def theirs(loss: Any) -> Callable[[], None]:
        return step(lambda z: loss(z, target), x)

    yield Workload(
        "triplet, all of a batch, 512 x 512",
        ours("triplet", squared=False, normalize=True, margin=0.05, average="active"),
        {"pytorch-metric-learning": (theirs(peer.TripletMarginLoss()), 4)},
    )
    yield Workload(
        "circle, 512 x 512",
        ours("circle", margin=0.4, gamma=80.0),
        {"pytorch-metric-learning": (theirs(peer.CircleLoss()), 1.5)},
        rounds=15,
    )
    yield Workload(
        "contrastive, 512 x 512",
        ours("contrastive", form="linear", normalize=True, average="active_by_kind"),
        {"pytorch-metric-learning": (theirs(peer.ContrastiveLoss()), None)},
        rounds=15,
    )
    few = 128  # its memory grows with the product of the numbers of pairs: n^4 over the classes
    part, some = x[:few].detach().requires_grad_(), target[:few]
    small = step(lambda z: peer.NTXentLoss()(z, some), part)
    yield Workload(
        "NT-Xent from labels, 512 x 512",
        ours("info_nce"),
        {"pytorch-metric-learning": (small, 100)},
        portion={"pytorch-metric-learning": (few / N) ** 4},
        rounds=3,
    )


def of_prototypes(x: Any, target: Any) -> Iterator[Workload]:
    """Class vectors with a margin."""
    import torch
    from pytorch_metric_learning import losses as peer

    for name, wanted in (("ArcFace", 1.5), ("CosFace", None)):
        loss = getattr(peer, f"{name}Loss")(IDENTITIES, 512)
        w = torch.nn.Parameter(loss.W.detach().T.contiguous())
        function = getattr(losses, name.lower())
        form = {"margin": np.radians(28.6)} if name == "ArcFace" else {}

        def ours(z: Any, w: Any, function: Any = function, form: Any = form) -> Any:
            return function(z, target, w, **form)

        def theirs(z: Any, w: Any, loss: Any = loss) -> Any:
            return loss(z, target)

        yield Workload(
            f"{name}, 512 x 512, {IDENTITIES} classes",
            step(ours, x, w),
            {"pytorch-metric-learning": (step(theirs, x, loss.W), wanted)},
            rounds=30,
        )


def of_views(rng: Any) -> Iterator[Workload]:
    """Two views of 1024 things."""
    import torch
    from monai.losses import BarlowTwinsLoss

    a, b = (torch.tensor(rng.normal(size=(1024, 2048)), dtype=torch.float32, requires_grad=True) for _ in range(2))

    def formula(a: Any, b: Any) -> Any:
        a, b = ((z - z.mean(0)) / z.std(0, correction=0) for z in (a, b))
        c = a.T @ b / len(a)
        on = torch.diagonal(c)
        return ((1 - on) ** 2).sum() + 0.005 * ((c**2).sum() - (on**2).sum())

    yield Workload(
        "Barlow Twins, 1024 x 2048",
        step(losses.barlow_twins, a, b),
        {"the same in eager torch": (step(formula, a, b), 1), "monai": (step(BarlowTwinsLoss(), a, b), None)},
    )


def of_triplets(rng: Any) -> Iterator[Workload]:
    """Given triplets."""
    import torch

    three = [torch.tensor(rng.normal(size=(100_000, 512)), dtype=torch.float32, requires_grad=True) for _ in range(3)]

    def ours(a: Any, p: Any, n: Any) -> Any:
        return losses.triplet(a, positive=p, negative=n, squared=False, margin=1.0)

    yield Workload(
        "triplet, given, 1e5 x 512",
        step(ours, *three),
        {"torch triplet_margin_loss": (step(torch.nn.functional.triplet_margin_loss, *three), 0.9)},
        rounds=3,
    )
