"""``lvis`` and ``lvis_recall`` beside lvis 0.5.3, the package of those who made the set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.io.coco import read_coco
from lvis_oracle import made, ours, theirs, with_masks


def _compared(folder: Path, truth: dict[str, Any], results: list[dict[str, Any]], kind: Any) -> None:
    wanted = theirs(truth, results, kind, folder)
    (folder / "truth.json").write_text(json.dumps(truth))  # theirs changes what it reads
    (folder / "found.json").write_text(json.dumps(results))
    got = ours(*read_coco(folder / "truth.json", folder / "found.json", kind), kind)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_lvis_and_lvis_recall_of_boxes(seed: int, tmp_path: Path) -> None:
    _compared(tmp_path, *made(seed), "bbox")


@pytest.mark.parametrize("seed", range(6))
def test_lvis_and_lvis_recall_of_masks(seed: int, tmp_path: Path) -> None:
    _compared(tmp_path, *with_masks(*made(100 + seed)), "segm")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_many_sets(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    images, classes, objects, found = (int(rng.integers(*ends)) for ends in ((1, 12), (1, 14), (0, 8), (1, 30)))
    truth, results = made(1000 + seed, images, classes, float(objects), found)
    if results:
        _compared(tmp_path, truth, results, "bbox")


def test_three_hundred_of_an_image_over_all_classes(tmp_path: Path) -> None:
    """Equal scores at the cut: those that come first in the file stay."""
    truth, results = made(7, images=3, classes=5, objects=30.0, found=900)
    assert max(np.bincount([r["image_id"] for r in results])) > 300
    for result in results:
        result["score"] = round(result["score"], 1)
    _compared(tmp_path, truth, results, "bbox")
