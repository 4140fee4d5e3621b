"""The Lovász kernel and its plain twin against the agnostic body: present and absent classes, weights, ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import both

from assay.core.arrays import namespace
from assay.losses.segmentation.lovasz import extension

RNG = np.random.default_rng(8)


def wanted(errors: Any, labels: Any, share: Any, by_image: bool) -> Any:
    classes = errors.shape[1]
    hit = (labels[:, None] == np.arange(classes)[:, None]).astype(float)
    share = np.broadcast_to(np.ones(labels.shape) if share is None else share, labels.shape)[:, None] * np.ones_like(
        hit
    )
    parts = [errors.astype(float), hit, share]
    if not by_image:
        parts = [np.moveaxis(x, 0, 1).reshape(1, classes, -1) for x in parts]
    return extension(namespace(hit), *parts)


@pytest.mark.parametrize("by_image", [True, False])
@pytest.mark.parametrize("form", ["plain", "ties", "weights", "nothing", "one place"])
def test_extension(form: str, by_image: bool) -> None:
    n = 1 if form == "one place" else 40
    labels = RNG.integers(0, 3, (2, n))  # class 3 is absent
    errors = RNG.random((2, 4, n)).astype(np.float32)
    if form == "ties":
        errors = (np.round(errors * 4) / 4).astype(np.float32)
    share = {"weights": RNG.random((2, n)) * (RNG.random((2, n)) > 0.3), "nothing": np.zeros((2, n))}.get(form)
    for kernel in both("lovasz", "extension"):
        slopes = errors.copy()
        values = kernel(slopes, labels, share, by_image=by_image)
        np.testing.assert_allclose(values, wanted(errors, labels, share, by_image), rtol=1e-6, atol=1e-12)
        true = labels[:, None] == np.arange(4)[:, None]
        assert (np.where(true, -slopes, slopes) >= 0).all()
        summed = (np.where(true, -slopes, slopes) * errors).sum(axis=2)
        np.testing.assert_allclose(summed if by_image else summed.sum(axis=0, keepdims=True), values, rtol=1e-5)
