"""Masks: the compiled loops against the same loops in plain Python, also at the seams between threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from twins import both

RNG = np.random.default_rng(8)
M, H, W = 40, 11, 13


def pixels() -> Any:
    share = RNG.choice([0, 0.1, 0.5, 1], (M, 1, 1))
    return (RNG.random((M, H, W)) < share).astype(np.uint8)


def alike(module: str, function: str, *args: Any, **named: Any) -> Any:
    """What the compiled kernel gives, which the plain one gives too."""
    compiled, plain = (f(*args, **named) for f in both(module, function))
    parts = (compiled, plain) if isinstance(compiled, tuple) else ((compiled,), (plain,))
    for got, wanted in zip(*parts, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
    return compiled


@pytest.fixture(scope="module")
def pool() -> tuple[Any, Any]:
    return alike("masks", "from_pixels", pixels(), by_row=True)


def test_pixels_by_row_and_by_column() -> None:
    images = pixels()
    rows = alike("masks", "from_pixels", images, by_row=True)
    columns = alike("masks", "from_pixels", np.ascontiguousarray(images.transpose(0, 2, 1)), by_row=False)
    for got, wanted in zip(rows, columns, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_strings(pool: Any) -> None:
    text, offsets = alike("masks", "encoded", *pool)
    size = np.full(M, H * W)
    counts, starts, fault = alike("masks", "decoded", text, offsets, size)
    np.testing.assert_array_equal(counts, pool[0])
    np.testing.assert_array_equal(starts, pool[1])
    assert not fault.any()
    text = text.copy()
    text[:: len(text) // 40] = 200
    *_, fault = alike("masks", "decoded", text, offsets, np.full(M, H * W + 1))
    assert len(np.unique(fault[:, 0])) > 1


def test_sums_boxes_choices_and_overlaps(pool: Any) -> None:
    counts, starts = pool
    size = alike("masks", "area", counts, starts)
    box = alike("masks", "boxes", counts, starts, np.full(M, H))
    side = (counts, starts, box, size)
    alike("masks", "iou", side, side, (np.arange(M) % 3 == 0).astype(np.uint8))
    alike("masks", "take", counts, starts, RNG.integers(0, M, 60))
    assert not alike("masks", "checked", counts.astype(np.int64), starts, np.full(M, H * W)).any()
    assert alike("masks", "checked", counts.astype(np.int64) - 1, starts, np.full(M, H * W)).any()
    alike("boundary_bands", "bands", counts, starts, np.full(M, H), np.full(M, W), np.arange(M) % 4 + 1)


def test_polygons() -> None:
    each = RNG.integers(6, 14, 3 * M)
    polygons = np.concatenate([[0], np.cumsum(each)])
    xy = RNG.uniform(-4, 18, polygons[-1])
    xy[RNG.integers(0, len(xy), 6)] = [np.nan, np.inf, 1e9, -1e9, 5, 5]
    masks = np.minimum(np.arange(M + 1) * 3, 3 * M)
    height, width = np.full(M, H), np.full(M, W)
    *_, fault = alike("polygons", "drawn", xy, polygons, masks, height, width)
    assert {0, 2} <= set(fault[:, 0])
    even = np.arange(M + 1) * 12
    alike("polygons", "drawn", RNG.integers(-4, 18, 12 * M) / 2, even, np.arange(M + 1), height, width)
