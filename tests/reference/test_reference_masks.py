"""Soft overlaps, centre lines, coverings and OWA against peers or the definition spelled out."""

from __future__ import annotations

from typing import Any

import monai.losses
import numpy as np
import pytest
import skimage.morphology
import torch
from scipy import ndimage

import assay
from assay.kernels import thinning
from assay.metrics.segmentation.centre_lines import plain_thinned, thinning_tables
from messages import refusal


def blobs(seed: int, n: int = 5, smooth: float = 2) -> Any:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, 40, 50))
    return tuple(
        np.stack([ndimage.gaussian_filter(one, smooth) for one in part]) > 0
        for part in (noise, noise + 0.5 * rng.normal(size=noise.shape))
    )


# ---- soft overlaps


@pytest.mark.parametrize("squared", [False, True])
def test_soft_dice_is_what_the_loss_of_monai_lacks_to_one(squared: bool) -> None:
    true, _ = blobs(0)
    z = np.random.default_rng(1).normal(size=true.shape)
    loss = monai.losses.DiceLoss(sigmoid=True, squared_pred=squared, smooth_nr=0, smooth_dr=0)
    theirs = 1 - loss(torch.tensor(z)[:, None], torch.tensor(true, dtype=torch.float64)[:, None])
    np.testing.assert_allclose(assay.soft_dice(true, logits=z, squared=squared), float(theirs), rtol=1e-10)


def test_soft_overlaps_of_decisions_are_those_of_masks() -> None:
    true, found = blobs(2)
    for level in ("image", "set"):
        dice = assay.dice(true, found, background=0, level=level)
        np.testing.assert_allclose(assay.soft_dice(true, y_prob=found.astype(float), level=level), dice, rtol=1e-12)
        iou = assay.mean_iou(true, found, background=0, level=level)
        np.testing.assert_allclose(assay.soft_iou(true, y_prob=found.astype(float), level=level), iou, rtol=1e-12)


def test_images_of_different_sizes_and_one_image() -> None:
    rng = np.random.default_rng(3)
    masks = [rng.integers(0, 2, size) for size in ((3, 4), (5, 2))]
    chances = [rng.random(mask.shape) for mask in masks]
    each = [assay.soft_dice(mask, y_prob=p) for mask, p in zip(masks, chances, strict=True)]
    np.testing.assert_allclose(assay.soft_dice(masks, y_prob=chances), np.mean(each), rtol=1e-12)
    tensor = assay.soft_iou(torch.tensor(masks[0]), y_prob=torch.tensor(chances[0]))
    np.testing.assert_allclose(tensor, assay.soft_iou(masks[0], y_prob=chances[0]), rtol=1e-12)


@pytest.mark.parametrize(
    "data",
    [
        {"y_true": [[0, 2]], "y_prob": [[0.5, 0.5]]},
        {"y_true": [[0, 1]], "y_prob": [[0.5, 1.5]]},
        {"y_true": [[0, 1]], "y_prob": [[0.5, float("nan")]]},
        {"y_true": [[0, 1]], "logits": [[0.5, float("inf")]]},
        {"y_true": [[0, 1]], "y_prob": [[0.5, 0.5, 0.5]]},
        {"y_true": [[0, 1]], "y_prob": [[[0.5, 0.5]], [[0.5, 0.5]]]},
        {"y_true": [0, 1], "y_prob": [0.5, 0.5]},
    ],
)
def test_what_is_not_a_mask_or_a_probability_is_refused(data: Any) -> None:
    with refusal(assay.InputError):
        assay.soft_dice(**data)


# ---- centre lines


@pytest.mark.parametrize("smooth", [0, 1, 3])
def test_thinning_is_that_of_scikit_image(smooth: float) -> None:
    for mask in np.concatenate(blobs(4, 10, smooth)):
        expected = skimage.morphology.thin(mask)
        np.testing.assert_array_equal(plain_thinned(mask, thinning_tables()), expected)
        np.testing.assert_array_equal(thinning.thinned(mask, thinning_tables()), expected)
        parts = [ndimage.label(one, np.ones((3, 3)))[1] for one in (mask, expected)]
        assert parts[0] == parts[1], "thinning keeps the number of regions"


def test_cl_dice() -> None:
    true, found = blobs(5)
    each = []
    for t, p in zip(true, found, strict=True):
        lines = [skimage.morphology.thin(m) for m in (t, p)]
        sensitivity, precision = p[lines[0]].mean(), t[lines[1]].mean()
        each.append(2 * sensitivity * precision / (sensitivity + precision))
    np.testing.assert_allclose(assay.cl_dice(true, found), np.mean(each), rtol=1e-12)


def test_large_images_take_the_compiled_route() -> None:
    true, found = blobs(6, 12)  # 24,000 pixels
    small = np.mean([assay.cl_dice(t, p) for t, p in zip(true, found, strict=True)])
    np.testing.assert_allclose(assay.cl_dice(true, found), small, rtol=1e-12)


def test_volumes_are_refused() -> None:
    with refusal(assay.InputError):
        assay.cl_dice(np.ones((1, 2, 3, 4), dtype=int), np.ones((1, 2, 3, 4), dtype=int))


# ---- parsing covering


@pytest.mark.parametrize("seed", range(4))
def test_parsing_covering(seed: int) -> None:
    """Every pair of segments, counted pixel by pixel."""
    rng = np.random.default_rng(seed)
    true, found = rng.integers(0, 3, (2, 3, 12, 13, 2))
    covered, area = np.zeros(3), np.zeros(3)
    for t, p in zip(true, found, strict=True):
        known = t[..., 0] != 0
        for kind, instance in np.unique(t[known], axis=0):
            own = (t == (kind, instance)).all(axis=-1)
            others = [known & (p == (kind, i)).all(axis=-1) for i in range(3)]
            covered[kind] += own.sum() * max((own & o).sum() / (own | o).sum() for o in others)
            area[kind] += own.sum()
    expected = covered[1:] / area[1:]
    np.testing.assert_allclose(assay.parsing_covering(true, found, void=0, average=None), expected, rtol=1e-12)
    np.testing.assert_allclose(assay.parsing_covering(true, found, void=0), expected.mean(), rtol=1e-12)


# ---- OWA


def test_owa() -> None:
    """As the M4 competition writes it: errors of all series averaged, then divided."""
    rng = np.random.default_rng(8)
    y = 5 + rng.random(60)
    p, b, scale = y + rng.normal(size=60), y + 2 * rng.normal(size=60), 0.5 + rng.random(60)
    smape = [np.mean(200 * abs(f - y) / (abs(y) + abs(f))) for f in (p, b)]
    mase = [np.mean(abs(f - y) / scale) for f in (p, b)]
    np.testing.assert_allclose(
        assay.owa(y, p, b, scale=scale), (smape[0] / smape[1] + mase[0] / mase[1]) / 2, rtol=1e-12
    )
    assert assay.owa(y, b, b, scale=scale) == pytest.approx(1, rel=1e-14)
