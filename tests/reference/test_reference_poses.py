"""CrowdPose beside xtcocotools, which carries the rule of crowdposetools as ``use_area=False`` (that package itself is not published)."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.io.coco import read_coco
from assay.metrics import COCO, AverageRecall
from assay.metrics.detection.shapes import SIGMAS


def _people(seed: int, images: int = 40) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """People without areas, some without a visible point, some crowds; poses near them and far away.

    CrowdPose's ``num_keypoints`` counts visible points alone (2), and a person with none of them is not to be found.
    """
    rng = np.random.default_rng(seed)
    truth: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for image in range(images):
        for _ in range(int(rng.integers(0, 5))):
            x, y = rng.random(2) * 100
            w, h = 20 + rng.gamma(2, 40, 2)
            points = np.stack([x + w * rng.random(14), y + h * rng.random(14), rng.integers(0, 3, 14)], axis=1)
            points[:, 2] = np.minimum(points[:, 2], rng.choice([2, 2, 2, 1, 0]))
            truth.append({"id": len(truth) + 1, "image_id": image, "category_id": 1, "bbox": [x, y, w, h],
                          "iscrowd": int(rng.random() < 0.1),
                          "keypoints": points.reshape(-1).tolist(), "num_keypoints": int((points[:, 2] == 2).sum())})  # fmt: skip
            for _ in range(int(rng.integers(0, 3))):
                near = np.where([True, True, False], points + rng.normal(0, rng.choice([1, 4, 12]), (14, 3)), 1.0)
                found.append(
                    {
                        "image_id": image,
                        "category_id": 1,
                        "keypoints": near.reshape(-1).tolist(),
                        "score": float(rng.random()),
                    }
                )
    pictures = [{"id": i, "crowdIndex": float(rng.random())} for i in range(images)]
    return {"images": pictures, "annotations": truth, "categories": [{"id": 1, "name": "person"}]}, found


def _theirs(path: Path, truth: dict[str, Any], found: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its compiled masks are built for another NumPy and are not needed for poses."""
    masks: Any = types.ModuleType("xtcocotools._mask")
    masks.iou = masks.merge = masks.frPyObjects = None
    monkeypatch.setitem(sys.modules, "xtcocotools._mask", masks)
    package = pytest.importorskip("xtcocotools.coco")
    evaluation = pytest.importorskip("xtcocotools.cocoeval")
    path.write_text(json.dumps(truth))
    with contextlib.redirect_stdout(io.StringIO()):
        coco = package.COCO(str(path))
        results = path.with_name("xt.json")
        results.write_text(json.dumps(found))
        evaluator = evaluation.COCOeval(
            coco, coco.loadRes(str(results)), "keypoints_crowd", np.array(SIGMAS["crowdpose"]), use_area=False
        )
        evaluator.evaluate()
        evaluator.accumulate()
        sizes = evaluator.eval["precision"][:, :, 0, 1:, 0].mean(axis=(0, 1))
        evaluator.summarize()
    return evaluator.stats, sizes


@pytest.mark.parametrize("seed", range(4))
def test_crowdpose_is_that_of_xtcocotools(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, found = _people(seed)
    stats, sizes = _theirs(tmp_path / "truth.json", truth, found, monkeypatch)
    (tmp_path / "found.json").write_text(json.dumps(found))
    pair = read_coco(tmp_path / "truth.json", tmp_path / "found.json", "keypoints")
    rule: Any = {"iou_type": "keypoints", "sigmas": "crowdpose", "use_area": False}
    ours = [make(**rule, iou=iou).score(*pair) for make in (COCO, AverageRecall) for iou in (None, 0.5, 0.75)]
    np.testing.assert_allclose(np.array(ours, dtype=float), stats[:6], atol=1e-12)
    ours = [COCO(**rule, area_range=size).score(*pair) for size in ("medium", "large")]
    np.testing.assert_allclose(np.array(ours, dtype=float), sizes, atol=1e-12)
    crowding = np.digitize(pair[0].facts["crowd_index"], [0.2, 0.8])
    sliced = assay.evaluate(
        task="detection",
        y_true=pair[0],
        y_pred=pair[1],
        parameters=rule,
        level=None,
        metrics=["coco"],
        slices={"crowding": crowding},
    )
    easy_medium_hard = [float(sliced.slices["crowding"][at]["coco"]) for at in range(3)]
    np.testing.assert_allclose(easy_medium_hard, stats[6:], atol=5.1e-5)  # theirs are rounded to four digits


def test_sigmas_are_those_of_crowdposetools() -> None:
    """As in crowdposetools/cocoeval.py: tenths of these."""
    published = [0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89, 0.79, 0.79]
    np.testing.assert_allclose(SIGMAS["crowdpose"], np.array(published) / 10)
