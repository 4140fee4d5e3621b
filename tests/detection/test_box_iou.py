"""Overlaps of boxes: pycocotools for the matrix, formats, weights, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
import facts
from assay.core.errors import InputError, ParameterError
from assay.metrics.detection.overlaps import BoxIoU, box_iou_matrix
from messages import refusal


@pytest.mark.parametrize("box_format", ["xyxy", "xywh", "cxcywh"])
def test_the_format_is_never_guessed(box_format: Any) -> None:
    overlap, precision = facts.BOX_FORMATS[box_format]
    true, found = np.array([[0.0, 0, 1, 1]]), np.array([[0.5, 0.5, 1, 1]])
    assert assay.box_iou(true, found, box_format=box_format) == pytest.approx(overlap, abs=5e-4)
    assert box_iou_matrix(found, true, box_format=box_format)[0, 0] == pytest.approx(overlap, abs=5e-4)
    truth, seen = [{"boxes": true, "labels": [0]}], [{"boxes": found, "labels": [0], "scores": [0.5]}]
    assert assay.coco(truth, seen, iou_thresholds=(0.2,), box_format=box_format) == pytest.approx(precision)


side = st.floats(0, 100, allow_nan=False, width=32)
boxes = st.lists(st.tuples(side, side, side, side), max_size=6)


@settings(max_examples=200, deadline=None)
@given(a=boxes, b=boxes, data=st.data())
def test_pycocotools_has_the_same_matrix(a: Any, b: Any, data: st.DataObject) -> None:
    mask = pytest.importorskip("pycocotools.mask")
    crowd = data.draw(st.lists(st.integers(0, 1), min_size=len(b), max_size=len(b)))
    got = box_iou_matrix(np.array(a).reshape(-1, 4), np.array(b).reshape(-1, 4), crowd, box_format="xywh")
    assert got.shape == (len(a), len(b))
    if a and b:
        wanted = mask.iou(np.array(a, float), np.array(b, float), crowd)
        np.testing.assert_allclose(got, np.nan_to_num(wanted), rtol=1e-15, atol=0)


def test_rows_have_weights_and_intervals() -> None:
    rng = np.random.default_rng(0)
    true = np.concatenate([rng.random((50, 2)), 2 + rng.random((50, 2))], axis=1)
    found = true + 0.5 * rng.random((50, 4))
    each = np.array([assay.box_iou(t[None], p[None]) for t, p in zip(true, found, strict=True)])
    weight = rng.random(50)
    assert assay.box_iou(true, found, weight=weight) == pytest.approx(np.average(each, weights=weight))
    score = BoxIoU().interval(true, found)
    assert score.low < each.mean() < score.high


def test_what_is_refused() -> None:
    good = [[0, 0, 1, 1]]
    with refusal(InputError):
        assay.box_iou(good, [[0, 0, 1]])
    with refusal(InputError):
        assay.box_iou([[3.0, 0, 1, 1]], good)
    with refusal(InputError):
        assay.box_iou(good * 2, [[0.0, 0, 1, 1], [0, 0, np.nan, 1]])
    with refusal(InputError):
        box_iou_matrix(good, good, [0, 1])
    with refusal(ParameterError):
        box_iou_matrix(good, good, box_format="yxyx")  # type: ignore[arg-type]
