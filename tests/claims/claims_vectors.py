"""Claims of losses of embeddings and of label maps."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
import torch

from assay import losses
from claims import claim, same

F = "torch.nn.functional"
PML = "pytorch_metric_learning.losses"
SMP = "segmentation_models_pytorch.losses"


def t(*arrays: Any) -> list[Any]:
    return [torch.tensor(a) for a in arrays]


def batch(rng: Any, n: int = 24, k: int = 5, d: int = 8) -> tuple[Any, Any]:
    """Embeddings and classes, each class at least twice."""
    return rng.normal(size=(n, d)), np.concatenate([np.repeat(np.arange(k), 2), rng.integers(0, k, n - 2 * k)])


# ---- embeddings


@claim("loss.triplet", "torch triplet_margin_loss(eps=0): squared=False, margin=1", peer=F)
def _(functional: Any, rng: Any) -> None:
    a, p, n = rng.normal(size=(3, 20, 6))
    ours = losses.triplet(a, positive=p, negative=n, squared=False, margin=1.0)
    same(ours, functional.triplet_margin_loss(*t(a, p, n), eps=0.0))


@claim(
    "loss.triplet",
    "pytorch-metric-learning TripletMarginLoss: squared=False, normalize=True, average='active', margin=0.05", peer=PML,
)  # fmt: skip
def _(pml: Any, rng: Any) -> None:
    x, y = batch(rng)
    ours = losses.triplet(x, y, squared=False, normalize=True, average="active", margin=0.05)
    same(ours, pml.TripletMarginLoss()(*t(x, y)), 1e-8)


@claim(
    "loss.circle", "pytorch-metric-learning CircleLoss: margin=0.4, gamma=80; its mean leaves out anchors without loss",
    peer=PML,
)  # fmt: skip
def _(pml: Any, rng: Any) -> None:
    x, y = batch(rng)
    same(losses.circle(x, y, margin=0.4, gamma=80.0), pml.CircleLoss()(*t(x, y)), 1e-8)
    y = np.arange(8) % 2
    far = np.eye(8)[y] + 1e-3 * rng.normal(size=(8, 8))  # classes at right angles: nothing is lost
    far[0] = -far[0]  # but by one row, which is opposite to its class
    each = plain_circle(far, y)
    assert (each[1::2] == 0).all()
    assert (each[::2] > 0).all()
    same(losses.circle(far, y, margin=0.4, gamma=4000.0), each.mean(), 1e-8)
    same(pml.CircleLoss(gamma=4000)(*t(far, y)), each[each > 0].mean(), 1e-8)


def plain_circle(x: Any, y: Any) -> Any:
    """Each anchor's loss with a margin of 0.4 and a gamma of 4000, as ours has it."""
    x, like = x / np.linalg.norm(x, axis=1, keepdims=True), y[:, None] == y
    s = x @ x.T
    pull, push = -4000 * np.maximum(1.4 - s, 0) * (s - 0.6), 4000 * np.maximum(s + 0.4, 0) * (s - 0.4)
    none = np.full_like(s, -np.inf)
    both = np.logaddexp.reduce(np.where(like & ~np.eye(len(x), dtype=bool), pull, none), axis=1)
    return np.logaddexp(0, both + np.logaddexp.reduce(np.where(like, none, push), axis=1))


@claim(
    "loss.contrastive",
    "pytorch-metric-learning ContrastiveLoss, with form='linear', average='active_by_kind', normalize=True", peer=PML,
)  # fmt: skip
def _(pml: Any, rng: Any) -> None:
    x, y = batch(rng)
    ours = losses.contrastive(x, y, form="linear", average="active_by_kind", normalize=True)
    same(ours, pml.ContrastiveLoss()(*t(x, y)), 1e-8)


@claim("loss.info_nce", "pytorch-metric-learning NTXentLoss, from labels", peer=PML)
def _(pml: Any, rng: Any) -> None:
    x, y = batch(rng)
    same(losses.info_nce(x, y), pml.NTXentLoss()(*t(x, y)), 1e-8)


@claim("loss.info_nce", "the NT-Xent of SimCLR: form='nt_xent'", peer=F)
def _(functional: Any, rng: Any) -> None:
    """Eq. 1 of the paper: of 2N views, each finds its partner among all others."""
    a, b = t(rng.normal(size=(9, 6)), rng.normal(size=(9, 6)))
    views = functional.normalize(torch.cat([a, b]))
    logits = (views @ views.T / 0.2).fill_diagonal_(-math.inf)
    wanted = functional.cross_entropy(logits, (torch.arange(18) + 9) % 18)
    same(losses.info_nce(a, other=b, form="nt_xent", temperature=0.2), wanted)


@claim("loss.info_nce", "the loss of CLIP: form='symmetric'", peer=F)
def _(functional: Any, rng: Any) -> None:
    """Figure 3 of the paper: cross entropy along both axes."""
    a, b = t(rng.normal(size=(9, 6)), rng.normal(size=(9, 6)))
    logits = functional.normalize(a) @ functional.normalize(b).T / 0.07
    both = [functional.cross_entropy(side, torch.arange(9)) for side in (logits, logits.T)]
    same(losses.info_nce(a, other=b, form="symmetric"), sum(both) / 2)


@claim("loss.cosface", "pytorch-metric-learning CosFaceLoss", peer=PML)
def _(pml: Any, rng: Any) -> None:
    x, y, w, peer = prototypes(rng, pml.CosFaceLoss(5, 8))
    same(losses.cosface(x, y, w), peer(*t(x, y)), 1e-8)


@claim("loss.arcface", "pytorch-metric-learning ArcFaceLoss, whose margin is in degrees", peer=PML)
def _(pml: Any, rng: Any) -> None:
    for degrees in (28.6, 100.0):
        x, y, w, peer = prototypes(rng, pml.ArcFaceLoss(5, 8, margin=degrees))
        same(losses.arcface(x, y, w, margin=math.radians(degrees)), peer(*t(x, y)), 1e-8)


@claim("loss.sphereface", "pytorch-metric-learning SphereFaceLoss, with annealing=0", peer=PML)
def _(pml: Any, rng: Any) -> None:
    x, y, w, peer = prototypes(rng, pml.SphereFaceLoss(5, 8))
    same(losses.sphereface(x, y, w, annealing=0.0), peer(*t(x, y)), 1e-8)


def prototypes(rng: Any, peer: Any) -> tuple[Any, Any, Any, Any]:
    """A batch, class vectors, and the peer with the same class vectors."""
    x, y = batch(rng)
    w = rng.normal(size=(5, 8))
    peer.W = torch.nn.Parameter(torch.tensor(w.T.copy()))
    return x, y, w, peer


@claim("loss.softmax", "torch linear and cross_entropy", peer=F)
def _(functional: Any, rng: Any) -> None:
    x, y = batch(rng)
    w, bias = rng.normal(size=(5, 8)), rng.normal(size=5)
    wanted = functional.cross_entropy(functional.linear(*t(x, w, bias)), torch.tensor(y))
    same(losses.softmax(x, y, w, bias=bias), wanted)


@claim(
    "loss.center", "half of torch mse_loss(reduction='sum') to the centres of the rows' classes, divided by n", peer=F
)
def _(functional: Any, rng: Any) -> None:
    x, y = batch(rng)
    centers = rng.normal(size=(5, 8))
    same(losses.center(x, y, centers), functional.mse_loss(*t(x, centers[y]), reduction="sum") / (2 * len(x)))


@claim(
    "loss.simsiam",
    "the authors' code: the negative mean of two torch cosine_similarity, p1 with z2 and p2 with z1",
    peer=F,
)
def _(functional: Any, rng: Any) -> None:
    """main_simsiam.py: loss = -(criterion(p1, z2).mean() + criterion(p2, z1).mean()) * 0.5"""
    p1, p2, z1, z2 = t(*rng.normal(size=(4, 10, 6)))
    wanted = -(functional.cosine_similarity(p1, z2).mean() + functional.cosine_similarity(p2, z1).mean()) * 0.5
    same(losses.simsiam(p1, p2, z1, z2), wanted)


@claim("loss.barlow_twins", "the authors' code: epsilon=1e-5, off_diagonal=0.0051", peer=F)
def _(functional: Any, rng: Any) -> None:
    """main.py of barlowtwins: batch normalisation without weights, over the batch size; lambd is 0.0051 by default."""
    a, b = t(*rng.normal(size=(2, 16, 5)))
    normed = [functional.batch_norm(x, None, None, training=True) for x in (a, b)]
    c = (normed[0].T @ normed[1]).div(16)
    wanted = off_identity(c, 0.0051)
    same(losses.barlow_twins(a, b, epsilon=1e-5, off_diagonal=0.0051), wanted)
    # What the record says of the paper's listing: its std() divides by n - 1, so that c is smaller by (n - 1) / n.
    listing = [(x - x.mean(0)) / x.std(0) for x in (a, b)]
    c = listing[0].T @ listing[1] / 16
    assert abs(float(off_identity(c, 0.005)) - float(losses.barlow_twins(a, b))) > 1e-3
    same(losses.barlow_twins(a, b), off_identity(c * 16 / 15, 0.005))


def off_identity(c: Any, off_diagonal: float) -> Any:
    own = torch.diagonal(c)
    return (own - 1).pow(2).sum() + off_diagonal * (c.pow(2).sum() - own.pow(2).sum())


# ---- label maps


def maps(rng: Any) -> tuple[Any, Any, Any]:
    """Logits, labels and their indicators; class 4 is absent, and 3 in the first image."""
    y = rng.integers(0, 4, (2, 8, 9))
    y[0][y[0] == 3] = 0
    hot = np.moveaxis(np.eye(5)[y], -1, 1)
    return rng.normal(size=(2, 5, 8, 9)) + 1.5 * hot, y, hot


WHOLE: Any = {"over": "image", "classes": "all"}
KORNIA: Any = {"over": "image", "smooth": (0.0, 1e-8)}
ABSENT = ": reduction='sum' divided by the number of classes, since absent classes count 0 in its mean"


@claim("loss.dice", f"smp DiceLoss('multiclass'){ABSENT}; its smooth counts before the factor 2", peer=SMP)
def _(smp: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.dice(z, y, reduction="sum") / 5, smp.DiceLoss("multiclass")(*t(z, y)))
    smoothed = smp.DiceLoss("multiclass", smooth=0.5)(*t(z, y))
    same(losses.dice(z, y, reduction="sum", smooth=1.0) / 5, smoothed)


@claim("loss.jaccard", f"smp JaccardLoss('multiclass'){ABSENT}", peer=SMP)
def _(smp: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.jaccard(z, y, reduction="sum") / 5, smp.JaccardLoss("multiclass")(*t(z, y)))


@claim(
    "loss.tversky",
    "smp TverskyLoss('multiclass'): reduction='sum' divided by the number of classes; its gamma is a power of the mean, not of each class",
    peer=SMP,
)  # fmt: skip
def _(smp: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    ours = losses.tversky(z, y, alpha=0.4, beta=0.6, reduction="sum") / 5
    same(ours, smp.TverskyLoss("multiclass", alpha=0.4, beta=0.6)(*t(z, y)))
    same(ours**2, smp.TverskyLoss("multiclass", alpha=0.4, beta=0.6, gamma=2.0)(*t(z, y)))


@claim(
    "loss.dice",
    "monai DiceLoss(softmax=True): over='image', classes='all', smooth=1e-5; batch=True: over='batch'; squared_pred: squared=True",
    peer="monai.losses",
)  # fmt: skip
def _(monai: Any, rng: Any) -> None:
    z, y, hot = maps(rng)
    same(losses.dice(z, y, smooth=1e-5, **WHOLE), monai.DiceLoss(softmax=True)(*t(z, hot)))
    pooled = monai.DiceLoss(softmax=True, batch=True)(*t(z, hot))
    same(losses.dice(z, y, smooth=1e-5, over="batch", classes="all"), pooled)
    squared = monai.DiceLoss(softmax=True, squared_pred=True)(*t(z, hot))
    same(losses.dice(z, y, smooth=1e-5, squared=True, **WHOLE), squared)


@claim(
    "loss.jaccard",
    "monai DiceLoss(jaccard=True, softmax=True): over='image', classes='all', smooth=5e-6 (its smooth counts double)",
    peer="monai.losses",
)  # fmt: skip
def _(monai: Any, rng: Any) -> None:
    z, y, hot = maps(rng)
    same(losses.jaccard(z, y, smooth=5e-6, **WHOLE), monai.DiceLoss(jaccard=True, softmax=True)(*t(z, hot)))


@claim("loss.tversky", "monai TverskyLoss(softmax=True): over='image', classes='all', smooth=1e-5", peer="monai.losses")
def _(monai: Any, rng: Any) -> None:
    z, y, hot = maps(rng)
    theirs = monai.TverskyLoss(softmax=True, alpha=0.3, beta=0.7)(*t(z, hot))
    same(losses.tversky(z, y, alpha=0.3, beta=0.7, smooth=1e-5, **WHOLE), theirs)


@claim(
    "loss.dice",
    "kornia dice_loss: over='image', classes='all', average='micro', smooth=(0, 1e-8); average='macro': over='image', smooth=(0, 1e-8)",
    peer="kornia.losses",
)  # fmt: skip
def _(kornia: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.dice(z, y, classes="all", average="micro", **KORNIA), kornia.dice_loss(*t(z, y)))
    same(losses.dice(z, y, **KORNIA), kornia.dice_loss(*t(z, y), average="macro"))


@claim("loss.tversky", "kornia tversky_loss: over='image', smooth=(0, 1e-8)", peer="kornia.losses")
def _(kornia: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.tversky(z, y, alpha=0.2, beta=0.9, **KORNIA), kornia.tversky_loss(*t(z, y), 0.2, 0.9))


@claim(
    "loss.dice", "optax dice_loss: over='image', classes='all', smooth=2 (its smooth counts before the factor 2)",
    peer="optax.losses",
)  # fmt: skip
def _(optax: Any, rng: Any) -> None:
    z, y, hot = maps(rng)
    with jax.enable_x64(True):
        theirs = np.mean(optax.dice_loss(np.moveaxis(z, 1, -1), np.moveaxis(hot, 1, -1)))
    same(losses.dice(z, y, smooth=2.0, **WHOLE), theirs)


@claim(
    "loss.tversky", "optax dice_loss with alpha and beta: over='image', classes='all', smooth=1", peer="optax.losses"
)
def _(optax: Any, rng: Any) -> None:
    z, y, hot = maps(rng)
    with jax.enable_x64(True):
        theirs = np.mean(optax.dice_loss(np.moveaxis(z, 1, -1), np.moveaxis(hot, 1, -1), alpha=0.3, beta=0.7))
    same(losses.tversky(z, y, alpha=0.3, beta=0.7, smooth=1.0, **WHOLE), theirs)


@claim("loss.lovasz_softmax", "smp LovaszLoss('multiclass')", peer=SMP)
def _(smp: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.lovasz_softmax(z, y), smp.LovaszLoss("multiclass")(*t(z.astype("f4"), y)), 1e-5)


@claim("loss.lovasz_softmax", "kornia lovasz_softmax_loss: over='image', classes='all'", peer="kornia.losses")
def _(kornia: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.lovasz_softmax(z, y, **WHOLE), kornia.lovasz_softmax_loss(*t(z, y)))


@claim(
    "loss.lovasz_softmax",
    "lovasz_softmax of the authors on sigmoid outputs, (images, height, width) or one channel, with classes=[1]",
    peer=f"{SMP}.lovasz",  # smp holds a copy of the authors' code
)
def _(lovasz: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    p, mask = 1 / (1 + np.exp(-z[:, :1])), (y == 0) * 1
    for per_image, over in ((False, "batch"), (True, "image")):
        theirs = lovasz._lovasz_softmax(*t(p[:, 0].astype("f4"), mask), classes=[1], per_image=per_image)
        same(losses.lovasz_softmax(probabilities=p[:, 0], target=mask, classes=[1], over=over), theirs, 1e-5)
        same(losses.lovasz_softmax(z[:, :1], mask, classes=[1], over=over), theirs, 1e-5)


@claim("loss.lovasz_hinge", "smp LovaszLoss('binary')", peer=SMP)
def _(smp: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    same(losses.lovasz_hinge(z[:, 0], y == 0), smp.LovaszLoss("binary")(*t(z[:, 0].astype("f4"), (y == 0) * 1.0)), 1e-5)


@claim("loss.lovasz_hinge", "kornia lovasz_hinge_loss: over='image'", peer="kornia.losses")
def _(kornia: Any, rng: Any) -> None:
    z, y, _ = maps(rng)
    theirs = kornia.lovasz_hinge_loss(*t(z[:, :1], (y == 0) * 1))
    same(losses.lovasz_hinge(z[:, 0], y == 0, over="image"), theirs)


def jaccard_slopes(truth: Any) -> Any:
    """lovasz_grad of the authors' code: what the Jaccard loss gains as each place of the sorted errors joins the wrong ones."""
    union = truth.sum() + (1 - truth).cumsum()
    jaccard = 1 - (truth.sum() - truth.cumsum()) / union
    return np.diff(jaccard, prepend=0.0)


def sorted_sum(errors: Any, truth: Any) -> float:
    order = np.argsort(-errors, kind="stable")
    return float(errors[order] @ jaccard_slopes(truth[order].astype(float)))


AUTHORS = "bermanmaxim/LovaszSoftmax, pytorch/lovasz_losses.py"


@claim(
    "loss.lovasz_softmax",
    "lovasz_softmax of the authors on probabilities; its per_image=True is over='image'",
    formula=AUTHORS,
)
def _(rng: Any) -> None:
    z, y, hot = maps(rng)
    errors = abs(hot - np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))

    def present(e: Any, h: Any) -> float:
        return np.mean([sorted_sum(e[:, c].ravel(), h[:, c].ravel()) for c in range(5) if h[:, c].any()])

    same(losses.lovasz_softmax(z, y), present(errors, hot))
    images = [present(errors[i : i + 1], hot[i : i + 1]) for i in range(2)]
    same(losses.lovasz_softmax(z, y, over="image"), np.mean(images))


@claim(
    "loss.lovasz_hinge",
    "lovasz_hinge of the authors: its per_image=True, the default there, is over='image'",
    formula=AUTHORS,
)
def _(rng: Any) -> None:
    z, y, _ = maps(rng)
    margin = 1 - z[:, 0] * (2.0 * (y == 0) - 1)

    def one(m: Any, truth: Any) -> float:
        return sorted_sum(np.maximum(m.ravel(), 0), truth.ravel())

    same(losses.lovasz_hinge(z[:, 0], y == 0), one(margin, y == 0))
    images = [one(margin[i], y[i] == 0) for i in range(2)]
    same(losses.lovasz_hinge(z[:, 0], y == 0, over="image"), np.mean(images))
