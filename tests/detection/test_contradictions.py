"""Results that carry their own lists of images and categories: they must mean the same by an id as the truth does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.io.coco import read_coco
from messages import refusal

IMAGES = [
    {"id": 1, "file_name": "a/one.jpg", "width": 64, "height": 48},
    {"id": 2, "file_name": "a/two.jpg", "width": 64, "height": 48},
]
CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
OBJECTS = [
    {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0},
    {"id": 2, "image_id": 2, "category_id": 2, "bbox": [5, 5, 20, 10], "area": 200, "iscrowd": 0},
]


def _score(folder: Path, **lists: Any) -> float:
    truth, found = folder / "truth.json", folder / "found.json"
    truth.write_text(json.dumps({"images": IMAGES, "annotations": OBJECTS, "categories": CATEGORIES}))
    found.write_text(json.dumps({"annotations": [{**record, "score": 0.5} for record in OBJECTS], **lists}))
    return assay.coco(*read_coco(truth, found))


def test_lists_that_agree_are_fine(tmp_path: Path) -> None:
    assert _score(tmp_path) == pytest.approx(1)
    assert _score(tmp_path, images=IMAGES[::-1], categories=CATEGORIES[::-1]) == pytest.approx(1)
    elsewhere = [{**image, "file_name": f"/data/{image['file_name']}"} for image in IMAGES]
    assert _score(tmp_path, images=elsewhere) == pytest.approx(1)  # the same file in another place
    assert _score(tmp_path, images=[{"id": 1}, {"id": 7, "file_name": "other.jpg"}]) == pytest.approx(1)
    assert _score(tmp_path, categories=[{"id": 1}], images=[{"id": 1, "width": 0, "height": 0}]) == pytest.approx(1)


@pytest.mark.parametrize(
    "lists",
    [
        {"images": [{"id": 1, "file_name": "a/two.jpg"}]},
        {"images": [{"id": 2, "file_name": "b/two.jpg"}]},
        {"images": [{"id": 1, "width": 32, "height": 24}]},
        {"categories": [{"id": 2, "name": "cat"}]},
    ],
)
def test_lists_that_contradict_the_truth_are_refused(tmp_path: Path, lists: dict[str, Any]) -> None:
    """Joined by id they would give a number that nobody asked for."""
    with refusal(InputError) as caught:
        _score(tmp_path, **lists)
    assert "found.json" in str(caught.value)
    assert "truth.json" in str(caught.value)
    assert "write them with the ids of the ground truth" in str(caught.value)
