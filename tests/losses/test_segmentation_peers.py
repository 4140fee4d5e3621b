"""Losses of segmentation give the values and gradients of smp, monai, kornia and optax at the settings that records name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from segmentation_peers import kornia, monai, smp

from assay import losses

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(62)
Y = RNG.integers(0, 4, (2, 8, 9))  # class 4 is absent, and 3 in the first image
Y[0][Y[0] == 3] = 0
Z = RNG.normal(size=(2, 5, 8, 9)) + 1.5 * np.moveaxis(np.eye(5)[Y], -1, 1)
T = torch.tensor(np.moveaxis(np.eye(5)[Y], -1, 1))
V = np.where(RNG.random(Y.shape) < 0.2, 255, Y)
LABELS = torch.tensor(Y)
KORNIA: Any = {"over": "image", "smooth": (0.0, 1e-8)}
MONAI: Any = {"softmax": True, "to_onehot_y": True}
WHOLE: Any = {"over": "image", "classes": "all"}


def equal(ours: Any, theirs: Any, value: float = 1e-12, kind: Any = torch.float64) -> None:
    """Equal values and gradients in the logits."""
    a, b = (torch.tensor(Z, dtype=kind, requires_grad=True) for _ in range(2))
    mine, other = ours(a), theirs(b)
    torch.testing.assert_close(mine, other, rtol=value, atol=value)
    mine.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad, rtol=100 * value, atol=value)


def test_monai_dice() -> None:
    y = LABELS[:, None]
    peer = monai().DiceLoss
    equal(lambda z: losses.dice(z, LABELS, smooth=1e-5, **WHOLE), lambda z: peer(**MONAI)(z, y))
    equal(lambda z: losses.dice(z, LABELS, smooth=1e-5, classes="all"), lambda z: peer(**MONAI, batch=True)(z, y))
    equal(
        lambda z: losses.dice(z, LABELS, smooth=(0.1, 0.3), over="image", classes=[1, 2, 3, 4]),
        lambda z: peer(**MONAI, smooth_nr=0.1, smooth_dr=0.3, include_background=False)(z, y),
    )
    equal(
        lambda z: losses.dice(z, LABELS, smooth=1.0, squared=True, **WHOLE),
        lambda z: peer(softmax=True, squared_pred=True, smooth_nr=1.0, smooth_dr=1.0)(z, T),
    )
    equal(lambda z: losses.dice(z, T, smooth=1e-5, form="multilabel", **WHOLE), lambda z: peer(sigmoid=True)(z, T))
    equal(
        lambda z: losses.dice(z, torch.tensor(V), smooth=1e-5, ignore_index=255, **WHOLE),
        lambda z: peer(**MONAI, ignore_index=255)(z, torch.tensor(V)[:, None]),
    )


def test_monai_jaccard_and_tversky() -> None:
    y = LABELS[:, None]
    equal(
        lambda z: losses.jaccard(z, LABELS, smooth=5e-6, **WHOLE),
        lambda z: monai().DiceLoss(**MONAI, jaccard=True)(z, y),
    )
    equal(
        lambda z: losses.tversky(z, LABELS, alpha=0.3, beta=0.7, smooth=1e-5, **WHOLE),
        lambda z: monai().TverskyLoss(**MONAI, alpha=0.3, beta=0.7)(z, y),
    )


def test_kornia() -> None:
    peer = kornia()
    equal(
        lambda z: losses.dice(z, LABELS, classes="all", average="micro", **KORNIA),
        lambda z: peer.dice_loss(z, LABELS),
    )
    weight = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0], dtype=torch.float64)
    equal(
        lambda z: losses.dice(z, LABELS, class_weight=weight, **KORNIA),
        lambda z: peer.dice_loss(z, LABELS, average="macro", weight=weight),
    )
    equal(
        lambda z: losses.tversky(z, LABELS, alpha=0.2, beta=0.9, **KORNIA),
        lambda z: peer.tversky_loss(z, LABELS, 0.2, 0.9),
    )
    equal(lambda z: losses.lovasz_softmax(z, LABELS, **WHOLE), lambda z: peer.lovasz_softmax_loss(z, LABELS))
    mask = (LABELS == 0).long()
    equal(lambda z: losses.lovasz_hinge(z[:, 0], mask, over="image"), lambda z: peer.lovasz_hinge_loss(z[:, :1], mask))


@pytest.mark.parametrize("name", ["Dice", "Jaccard", "Tversky"])
def test_smp(name: str) -> None:
    """Its absent classes count 0 in a mean over all; its smooth stands before the factor 2 of Dice."""
    ours, twice = getattr(losses, name.lower()), 2 if name == "Dice" else 1
    parameters = {"alpha": 0.3, "beta": 0.7} if name == "Tversky" else {}
    peer = getattr(smp(), f"{name}Loss")
    for given in ({}, {"smooth": 0.5}):
        smooth = twice * given.get("smooth", 0.0)
        equal(
            lambda z, s=smooth: ours(z, LABELS, reduction="sum", smooth=s, **parameters) / 5,
            lambda z, g=given: peer("multiclass", **g, **parameters)(z, LABELS),
        )
    void = torch.tensor(V)
    equal(
        lambda z: ours(z, void, reduction="sum", ignore_index=255, **parameters) / 5,
        lambda z: peer("multiclass", ignore_index=255, **parameters)(z, void),
    )
    equal(
        lambda z: ours(z, T, form="multilabel", reduction="sum", **parameters) / 5,
        lambda z: peer("multilabel", **parameters)(z, T),
    )


def test_smp_logarithm_and_lovasz() -> None:
    equal(
        lambda z: losses.dice(z, LABELS, log=True, reduction="sum") / 5,
        lambda z: smp().DiceLoss("multiclass", log_loss=True)(z, LABELS),
    )
    for over, per_image in (("batch", False), ("image", True)):
        equal(
            lambda z, over=over: losses.lovasz_softmax(z, LABELS, over=over),
            lambda z, per_image=per_image: smp().LovaszLoss("multiclass", per_image=per_image)(z, LABELS),
            1e-6,
            torch.float32,
        )


def test_optax() -> None:
    pytest.importorskip("jax")
    peer = pytest.importorskip("optax").losses.dice_loss
    last = np.moveaxis(Z, 1, -1), np.moveaxis(T.numpy(), 1, -1)
    assert float(losses.dice(Z, Y, smooth=2.0, **WHOLE)) == pytest.approx(float(np.mean(peer(*last))), rel=1e-5)
    found = losses.tversky(Z, Y, alpha=0.3, beta=0.7, smooth=1.0, **WHOLE)
    assert float(found) == pytest.approx(float(np.mean(peer(*last, alpha=0.3, beta=0.7))), rel=1e-5)
