"""Kernels of label maps and surfaces beside their plain twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.kernels import label_maps, surface_distances
from assay.metrics.segmentation import overlap_rows, surface_rows

KINDS = (np.uint8, np.uint16, np.int32, np.int64)


@st.composite
def pairs(draw: Any) -> tuple[Any, Any, int]:
    """Two maps of one kind in patches, so that words of one label occur, with an ignored label now and then."""
    kind = draw(st.sampled_from(KINDS))
    height, width, most = draw(st.integers(1, 9)), draw(st.integers(1, 40)), draw(st.sampled_from((2, 5, 200)))
    row = hnp.arrays(np.int64, (2, height, -(-width // 8)), elements=st.integers(0, most))
    coarse = np.repeat(draw(row), 8, axis=2)[..., :width]
    fine = draw(hnp.arrays(np.int64, (2, height, width), elements=st.integers(0, most)))
    maps = np.where(draw(hnp.arrays(np.bool_, (height, width))), fine, coarse).astype(kind)
    ignore = draw(st.sampled_from((overlap_rows.NOTHING, 0, 1, 255)))
    return maps[0], maps[1], ignore


@settings(max_examples=200, deadline=None)
@given(pairs())
def test_counts(case: Any) -> None:
    true, predicted, ignore = case
    got = label_maps.counts(true, predicted, ignore, 201)
    np.testing.assert_array_equal(got, overlap_rows.plain_counts(true, predicted, ignore, 201))


@settings(max_examples=100, deadline=None)
@given(pairs())
def test_counts_of_many_labels(case: Any) -> None:
    true, predicted, ignore = case
    got = label_maps.counts(true, predicted, ignore, 2000)  # beyond a joint table
    np.testing.assert_array_equal(got, overlap_rows.plain_counts(true, predicted, ignore, 2000))


@settings(max_examples=100, deadline=None)
@given(pairs(), st.sampled_from((1, 3, 2000)))
def test_labels_that_do_not_fit_are_told(case: Any, size: int) -> None:
    true, predicted, ignore = case
    counted = true != ignore
    odd = ((true >= size) & counted) | ((predicted >= size) & (predicted != ignore) & counted)
    assert (label_maps.counts(true, predicted, ignore, size) is None) == bool(odd.any())


@settings(max_examples=100, deadline=None)
@given(pairs(), st.integers(1, 4))
def test_rims(case: Any, reach: int) -> None:
    true, predicted, ignore = case
    np.testing.assert_array_equal(label_maps.boundary(true, reach), overlap_rows.plain_rim(true, reach))
    got = label_maps.boundary_counts(true, predicted, reach, ignore, 201)
    np.testing.assert_array_equal(got, overlap_rows.plain_rim_counts(true, predicted, reach, ignore, 201))


@settings(max_examples=200, deadline=None)
@given(
    st.data(),
    st.sampled_from(((7, 9), (1, 12), (4, 5, 6), (1, 1, 3))),
    st.booleans(),
    st.sampled_from(surface_distances.NORMS),
)
def test_distances(data: Any, shape: tuple[int, ...], corners: bool, norm: Any) -> None:
    a, b = (data.draw(hnp.arrays(np.bool_, shape)) for _ in range(2))
    spacing = tuple(data.draw(st.sampled_from((0.5, 1.0, 2.25))) for _ in shape)
    got = surface_distances.between(a, b, spacing, corners=corners, norm=norm)
    wanted = surface_rows.plain_between(a, b, spacing, corners=corners, norm=norm)
    for ours, twin in zip(got, wanted, strict=True):
        np.testing.assert_allclose(ours, twin, rtol=1e-14)


def test_far_masks_in_a_large_map() -> None:
    a, b = np.zeros((2, 300, 400), dtype=np.bool_)
    a[5:9, 3:8], b[280:295, 370:390] = True, True
    got, wanted = (f(a, b, (1.0, 2.0), corners=False) for f in (surface_distances.between, surface_rows.plain_between))
    for ours, twin in zip(got, wanted, strict=True):
        np.testing.assert_allclose(ours, twin, rtol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_locked_arrays_are_read(kind: Any) -> None:
    true = np.arange(24).reshape(4, 6).astype(kind)
    true.flags.writeable = False
    got = label_maps.counts(true, true, overlap_rows.NOTHING, 24)
    np.testing.assert_array_equal(got, np.ones((24, 3)))
