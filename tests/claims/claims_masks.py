"""Claims of soft overlaps and centre lines, and independent checks of coverings and OWA."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import ndimage

import assay
from claims import claim, oracle, same


def masks(rng: Any, n: int = 4) -> tuple[Any, Any]:
    noise = rng.normal(size=(n, 30, 40))
    parts = noise, noise + 0.5 * rng.normal(size=noise.shape)
    return tuple(np.stack([ndimage.gaussian_filter(one, 2) for one in part]) > 0 for part in parts)


def soft(rng: Any) -> tuple[Any, Any, Any]:
    true, _ = masks(rng)
    p = rng.random(true.shape)
    return true, p, (torch.tensor(p)[:, None], torch.tensor(true, dtype=torch.float64)[:, None])


@claim("metric.soft_dice", "1 - monai DiceLoss(smooth_nr=0, smooth_dr=0), the mean over images", peer="monai.losses")
def _(monai: Any, rng: Any) -> None:
    true, p, given = soft(rng)
    same(assay.soft_dice(true, y_prob=p), 1 - monai.DiceLoss(smooth_nr=0, smooth_dr=0)(*given))


@claim(
    "metric.soft_iou",
    "1 - monai DiceLoss(jaccard=True, smooth_nr=0, smooth_dr=0), the mean over images",
    peer="monai.losses",
)
def _(monai: Any, rng: Any) -> None:
    true, p, given = soft(rng)
    same(assay.soft_iou(true, y_prob=p), 1 - monai.DiceLoss(jaccard=True, smooth_nr=0, smooth_dr=0)(*given))


@claim(
    "metric.cl_dice", "skimage.morphology.thin in the place of skeletonize in the formula of its authors",
    peer="skimage.morphology",
)  # fmt: skip
def _(morphology: Any, rng: Any) -> None:
    true, found = masks(rng)
    each = []
    for t, p in zip(true, found, strict=True):
        sensitivity, precision = p[morphology.thin(t)].mean(), t[morphology.thin(p)].mean()
        each.append(2 * precision * sensitivity / (precision + sensitivity))
    same(assay.cl_dice(true, found), np.mean(each))


@oracle("metric.parsing_covering", peer="sklearn.metrics")
def _(sk: Any, rng: Any) -> None:
    """One segment per class: the mean IoU of the classes."""
    true = rng.integers(0, 4, (1, 15, 16))
    found = np.where(rng.random(true.shape) < 0.7, true, rng.integers(0, 4, true.shape))
    given = [np.stack([m, np.zeros_like(m)], axis=-1) for m in (true, found)]
    same(assay.parsing_covering(*given), sk.jaccard_score(true.ravel(), found.ravel(), average="macro"))


@oracle("metric.owa", peer="permetrics")
def _(permetrics: Any, rng: Any) -> None:
    """Relative errors of permetrics; a scale that all rows share cancels."""
    y = 5 + rng.random(80)
    p, b = y + 0.3 * rng.normal(size=80), y + 0.6 * rng.normal(size=80)
    ours, theirs = (permetrics.RegressionMetric(y, f) for f in (p, b))
    same(assay.owa(y, p, b, scale=3.0), (ours.SMAPE() / theirs.SMAPE() + ours.MAE() / theirs.MAE()) / 2)
