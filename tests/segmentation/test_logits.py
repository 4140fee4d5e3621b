"""Segmentation metrics take the logits of a network as they take label maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, (5, 6, 7))
Z = RNG.normal(size=(5, 4, 6, 7)).astype(np.float32)
METRICS = ("mean_iou", "dice", "pixel_accuracy", "mean_class_accuracy", "boundary_iou")


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "lists"])
def test_logits_give_the_value_of_their_argmax(name: str, library: str) -> None:
    metric = getattr(assay, name)
    made: dict[str, Any] = {"numpy": lambda x: x, "lists": lambda x: x.tolist()}
    if library in ("torch", "jax"):
        module: Any = pytest.importorskip("torch" if library == "torch" else "jax.numpy")
        made[library] = lambda x: module.asarray(x)
    found = metric(made[library](Y), logits=made[library](Z))
    assert float(found) == float(metric(Y, Z.argmax(1)))


def test_volumes_single_images_and_lists_of_sizes() -> None:
    volumes, scores = RNG.integers(0, 3, (2, 3, 4, 5)), RNG.normal(size=(2, 3, 3, 4, 5))
    assert assay.mean_iou(volumes, logits=scores) == assay.mean_iou(volumes, scores.argmax(1))
    assert assay.mean_iou(Y[0], logits=Z[0]) == assay.mean_iou(Y[0], Z[0].argmax(0))
    sizes = [(4, 5), (6, 3)]
    truth = [RNG.integers(0, 3, size) for size in sizes]
    several = [RNG.normal(size=(3, *size)) for size in sizes]
    assert assay.dice(truth, logits=several) == assay.dice(truth, [z.argmax(0) for z in several])


def test_one_channel_is_a_mask() -> None:
    mask, scores = Y > 1, RNG.normal(size=(5, 1, 6, 7))
    assert assay.dice(mask, logits=scores) == assay.dice(mask, scores[:, 0] >= 0)


def test_many_classes_keep_their_numbers() -> None:
    wide = RNG.normal(size=(1, 300, 4, 4))
    labels = wide.argmax(1)
    assert assay.pixel_accuracy(labels, logits=wide) == 1.0
    assert labels.max() > 255


def test_ties_go_to_the_first_class() -> None:
    assert assay.pixel_accuracy(np.zeros((1, 2, 2), int), logits=np.ones((1, 3, 2, 2))) == 1.0


def test_half_precision_tensors_in_a_training_loop() -> None:
    torch: Any = pytest.importorskip("torch")
    from assay.torch import MetricCollection

    both = MetricCollection(["mean_iou", "pixel_accuracy"])
    z = torch.tensor(Z).bfloat16().requires_grad_()
    both.update(y_true=torch.tensor(Y[:3]), logits=z[:3])
    both.update(y_true=torch.tensor(Y[3:]), logits=z[3:])
    labels = z.detach().argmax(1).numpy()
    assert float(both.compute()["mean_iou"]) == pytest.approx(assay.mean_iou(Y, labels))
    assert float(both.compute()["pixel_accuracy"]) == pytest.approx(assay.pixel_accuracy(Y, labels))


def test_intervals_and_weights_follow() -> None:
    metric = assay.metrics.MeanIoU()
    ours, theirs = metric.interval(Y, logits=Z), metric.interval(Y, Z.argmax(1))
    assert (ours.value, ours.low, ours.high) == (theirs.value, theirs.low, theirs.high)
    weight = RNG.random(5)
    assert metric(Y, logits=Z, weight=weight) == metric(Y, Z.argmax(1), weight=weight)


def test_bad_logits() -> None:
    with pytest.raises(AssayError, match=r"must be \(images, classes, height, width\)"):
        assay.mean_iou(Y, logits=Y)
    with pytest.raises(AssayError, match="same shape"):
        assay.mean_iou(Y, logits=Z.transpose(0, 2, 3, 1))
    with pytest.raises(AssayError, match="exactly one of"):
        assay.mean_iou(Y, Y, logits=Z)
    with pytest.raises(AssayError, match="NaN"):
        assay.mean_iou(Y, logits=np.where(Z > 2, np.nan, Z))
