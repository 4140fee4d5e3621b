"""lvis 0.5.3 on data in memory, its numbers by name; and made sets that are labelled as LVIS is."""

from __future__ import annotations

import json
import logging
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics import LVIS, LVISRecall

SIDE = 200
NAMES = (
    "AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf", "AR@300", "ARs@300", "ARm@300", "ARl@300",
)  # fmt: skip


def _package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its drawing needs OpenCV, which its evaluation does not; and it was written when NumPy had a ``float`` of its own."""
    if "lvis" not in sys.modules:
        for name in ("cv2",):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(np, "float", float, raising=False)
    return pytest.importorskip("lvis", reason="the reference of LVIS is not installed")


def theirs(truth: dict[str, Any], results: list[dict[str, Any]], kind: str, folder: Path) -> Any:
    """The thirteen numbers in order; NaN where it says -1. It cannot take an empty list of results."""
    with pytest.MonkeyPatch.context() as monkeypatch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = _package(monkeypatch)
        logging.getLogger("lvis").setLevel(logging.ERROR)
        paths = folder / "truth.json", folder / "found.json"
        paths[0].write_text(json.dumps(truth))
        paths[1].write_text(json.dumps(results))
        evaluator = package.LVISEval(str(paths[0]), str(paths[1]), kind)
        evaluator.run()
    values = np.array([float(evaluator.results[name]) for name in NAMES])
    return np.where(values == -1, np.nan, values)


def numbers(kind: Any) -> list[assay.Metric[Any]]:
    """Ours, in the order of `NAMES`."""
    sizes, groups = ("small", "medium", "large"), ("rare", "common", "frequent")
    return [
        LVIS(iou_type=kind), LVIS(iou_type=kind, iou=0.5), LVIS(iou_type=kind, iou=0.75),
        *(LVIS(iou_type=kind, area_range=s) for s in sizes),
        *(LVIS(iou_type=kind, frequency=g) for g in groups), LVISRecall(iou_type=kind),
        *(LVISRecall(iou_type=kind, area_range=s) for s in sizes),
    ]  # fmt: skip


def ours(y_true: Any, y_pred: Any, kind: Any = "bbox") -> Any:
    """The numbers with the match shared."""
    metrics = numbers(kind)
    total = metrics[0].statistic().of(metrics[0].inputs(y_true, y_pred))
    return np.array([float(metric.finalize(total)) for metric in metrics])


def made(
    seed: int, images: int = 8, classes: int = 9, objects: float = 3.0, found: int = 12
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Boxes of all sizes; each image knows some classes that it lacks, and some that are labelled only in part."""
    rng = np.random.default_rng(seed)
    pictures: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        own = [(_box(rng), int(rng.integers(1, classes + 1))) for _ in range(rng.poisson(objects))]
        there = {label for _, label in own}
        absent = [k for k in range(1, classes + 1) if k not in there and rng.random() < 0.4]
        partly = [k for k in range(1, classes + 1) if rng.random() < (0.4 if k in there else 0.1)]
        pictures.append(
            {
                "id": image,
                "width": SIDE,
                "height": SIDE,
                "neg_category_ids": absent,
                "not_exhaustive_category_ids": partly,
            }
        )
        for box, label in own:
            area = 0.0 if rng.random() < 0.03 else float(np.round(box[2] * box[3] * 0.7, 3))
            ignored = {"ignore": 1} if rng.random() < 0.05 else {}
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": image,
                    "category_id": label,
                    "bbox": box.tolist(),
                    "area": area,
                    **ignored,
                }
            )
        for _ in range(int(rng.integers(0, found + 1))):
            near = bool(own) and rng.random() < 0.7
            base, label = own[int(rng.integers(len(own)))] if near else (_box(rng), 0)
            box = np.maximum(base + rng.normal(0, 3, 4) * near, [0, 0, 1, 1]) * [1, 1, 1, rng.random() > 0.02]
            label = label if near and rng.random() < 0.8 else int(rng.integers(1, classes + 1))
            score = float(np.round(rng.random(), int(rng.integers(1, 4))))
            results.append({"image_id": image, "category_id": label, "bbox": box.tolist(), "score": score})
    letters = rng.choice(["r", "c", "f"], classes).tolist()
    categories = [{"id": k, "name": f"class {k}", "frequency": letters[k - 1]} for k in range(1, classes + 1)]
    order = rng.permutation(len(results))  # results come in any order
    return {"images": pictures, "annotations": truth, "categories": categories}, [results[i] for i in order]


def _box(rng: Any) -> Any:
    size = np.minimum(rng.gamma(1.5, 40, 2) + 2, SIDE / 2)
    return np.round(np.concatenate([rng.random(2) * (SIDE - size), size]), 2)


def with_masks(truth: dict[str, Any], results: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same boxes as four-cornered polygons in the truth and as strings of runs in the results."""
    from pycocotools import mask

    def corners(box: list[float]) -> list[list[float]]:
        x, y, w, h = box
        return [[x + w / 2, y, x + w, y + h / 2, x + w / 2, y + h, x, y + h / 2]]

    for record in truth["annotations"]:
        record["segmentation"] = corners(record["bbox"])
    masks: list[dict[str, Any]] = []
    for record in results:
        runs = mask.frPyObjects(corners(record["bbox"]), SIDE, SIDE)[0]
        kept = {name: value for name, value in record.items() if name != "bbox"}
        masks.append({**kept, "segmentation": {"size": runs["size"], "counts": runs["counts"].decode()}})
    return truth, masks
