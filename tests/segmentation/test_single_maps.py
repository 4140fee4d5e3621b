"""A single map is one image; where that cannot be meant, the error says that the batch axis is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import assay
from assay.data.panoptic import PanopticMap
from messages import refusal

RNG = np.random.default_rng(1)
TRUTH, FOUND = RNG.integers(0, 3, (2, 9, 12))
MAPS = ["mean_iou", "dice", "pixel_accuracy", "mean_class_accuracy", "boundary_iou", "boundary_f1", "hausdorff",
        "average_surface_distance", "normalized_surface_dice"]  # fmt: skip


@pytest.mark.parametrize("name", MAPS)
def test_a_single_map_is_one_image(name: str) -> None:
    metric: Any = getattr(assay, name)
    wanted = metric([TRUTH], [FOUND])
    for convert in (np.asarray, torch.as_tensor, np.ndarray.tolist, lambda a: a.astype(np.uint8)):
        assert metric(convert(TRUTH), convert(FOUND)) == wanted
    assert metric(TRUTH > 0, FOUND > 0) == metric([TRUTH > 0], [FOUND > 0])


def test_states_of_single_maps_add_up() -> None:
    metric = assay.metrics.MeanIoU()
    state = metric.state(TRUTH, FOUND) + metric.state(FOUND, FOUND)
    assert state.value() == metric(np.stack([TRUTH, FOUND]), np.stack([FOUND, FOUND]))
    assert state.n == 2


def test_a_single_panoptic_map() -> None:
    truth, found = (np.stack([one, np.zeros_like(one)], axis=-1) for one in (TRUTH, FOUND))
    assert assay.panoptic_quality(truth, found) == assay.panoptic_quality([truth], [found])
    ids = np.where(TRUTH > 0, 1, 2)
    pair: Any = (ids, [{"id": 1, "category_id": 5}, {"id": 2, "category_id": 6}])
    assert assay.panoptic_quality(pair, pair) == 1.0
    assert assay.panoptic_quality(PanopticMap.of(*pair), PanopticMap.of(*pair)) == 1.0


@pytest.mark.parametrize("name", ["mean_iou", "hausdorff"])
def test_a_map_beside_a_batch_lacks_its_axis(name: str) -> None:
    metric: Any = getattr(assay, name)
    for truth, found in ((TRUTH, FOUND[None]), (TRUTH[None], FOUND), (TRUTH[0], FOUND[0])):
        with refusal(assay.InputError):
            metric(truth, found)


def test_a_prediction_may_call_a_segment_0() -> None:
    """As panopticapi and hotcoco read it; unlisted, 0 is void. In the truth it would be a segment and void at once."""
    ids = np.array([[1, 1, 2, 2]])
    truth: Any = (ids, [{"id": 1, "category_id": 5}, {"id": 2, "category_id": 6}])
    found: Any = (ids - 1, [{"id": 0, "category_id": 5}, {"id": 1, "category_id": 6}])
    assert assay.panoptic_quality([truth], [found]) == 1.0
    assert assay.panoptic_quality([truth], [(ids - 1, found[1][1:])]) == 0.5
    with refusal(assay.InputError):
        assay.panoptic_quality([found], [truth])
