"""Example images for the laws of segmentation metrics: small label maps, masks and panoptic maps."""

from __future__ import annotations

from typing import Any

import numpy as np

SIZE = (5, 6)


def label_maps(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    """Maps of four classes in patches, and the same with a fifth of the pixels redrawn."""
    patches = rng.integers(0, 4, (rows, 3, 3))
    true = np.repeat(np.repeat(patches, 2, axis=1), 2, axis=2)[:, : SIZE[0], : SIZE[1]]
    return true, np.where(rng.random(true.shape) < 0.2, rng.integers(0, 4, true.shape), true)


def masks(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    """One rectangle an image, and the same grown by a column or moved down, now and then with a stray pixel."""
    true, predicted = np.zeros((2, rows, *SIZE), dtype=np.int64)
    for at in range(rows):
        top, left = rng.integers(0, 2, 2)
        down, right = rng.integers(0, 2, 2)
        true[at, top : top + 3, left : left + 3] = 1
        predicted[at, top + down : top + 3 + down, left : left + 3 + right] = 1
        predicted[at, -1, -1] |= rng.random() < 0.3
    return true, predicted


def panoptic_maps(rng: np.random.Generator, rows: int) -> tuple[Any, Any]:
    """Pairs (class, instance) of patches, and the same with some pixels of another patch."""
    classes, instances = rng.integers(0, 3, (rows, 3, 3)), rng.integers(1, 3, (rows, 3, 3))
    both = np.stack([classes, np.where(classes == 0, 0, instances)], axis=-1)
    true = np.repeat(np.repeat(both, 2, axis=1), 2, axis=2)[:, : SIZE[0], : SIZE[1]]
    other = np.roll(true, 1, axis=2)
    return true, np.where(rng.random(true.shape[:-1])[..., None] < 0.2, other, true)
