"""tidecv without what it needs for drawing, and sets of images for it."""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any

import numpy as np
import pytest

NAMES = {
    "Cls": "classification", "Loc": "localisation", "Both": "both", "Dupe": "duplicate", "Bkg": "background", "Miss": "missed",
    "FalsePos": "false_positives", "FalseNeg": "false_negatives",
}  # fmt: skip


def tide() -> Any:
    """The package, with empty modules in the place of those that only draw."""
    pytest.importorskip("pycocotools")
    if importlib.util.find_spec("tidecv") is None:
        pytest.skip("tidecv is not installed")
    for name, facts in {
        "cv2": {"FONT_HERSHEY_SIMPLEX": 0, "LINE_AA": 0},
        "seaborn": {},
        "appdirs": {"user_data_dir": str},
    }.items():
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(facts)
    import tidecv

    return tidecv


def costs(truth: list[dict], found: list[dict], iou: float, background: float) -> tuple[dict, dict, float]:
    """(cost of each type, number of each type, AP), from 0 to 1, by tidecv; boxes are x, y, width, height."""
    package = tide()
    gt, preds = package.Data("gt"), package.Data("preds")
    for image, (there, seen) in enumerate(zip(truth, found, strict=True)):
        gt.add_image(image, str(image))
        for label, box in zip(there["labels"], there["boxes"], strict=True):
            gt.add_ground_truth(image, int(label), list(map(float, box)))
        for label, box, score in zip(seen["labels"], seen["boxes"], seen["scores"], strict=True):
            preds.add_detection(image, int(label), float(score), list(map(float, box)))
    run = package.TIDERun(gt, preds, iou, background, package.TIDE.BOX, 100)
    main, special = run.fix_main_errors(), run.fix_special_errors()
    gained = {NAMES[kind.short_name]: value / 100 for kind, value in {**main, **special}.items()}
    counted = {NAMES[kind.short_name]: count for kind, count in run.count_errors().items()}
    return gained, counted, run.ap / 100


def crowded(seed: int, images: int = 12, classes: int = 3) -> tuple[list[dict], list[dict]]:
    """Images with every kind of error: moved, doubled, renamed and invented boxes; every class has truth, no score ties."""
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for image in range(images):
        n = int(rng.integers(1, 6))
        boxes = np.concatenate([rng.integers(0, 60, (n, 2)), rng.integers(8, 30, (n, 2))], axis=1).astype(float)
        labels = rng.integers(0, classes, n)
        labels[0] = image % classes
        there = np.repeat(np.arange(n), rng.integers(0, 3, n))
        near = boxes[there] + rng.normal(0, 3.0, (len(there), 4)) * rng.integers(0, 2, (len(there), 1))
        named = np.where(rng.random(len(there)) < 0.3, rng.integers(0, classes, len(there)), labels[there])
        m = int(rng.integers(0, 3))
        free = np.concatenate([rng.integers(0, 90, (m, 2)), rng.integers(4, 30, (m, 2))], axis=1).astype(float)
        every = np.concatenate([near, free])
        every[:, 2:] = np.maximum(every[:, 2:], 1.0)
        truth.append({"boxes": boxes, "labels": labels})
        found.append({"boxes": every, "labels": np.concatenate([named, rng.integers(0, classes, m)])})
    total = sum(len(one["labels"]) for one in found)
    scores = iter((rng.permutation(total) + 1.0) / (total + 1))
    for one in found:
        one["scores"] = np.array([next(scores) for _ in one["labels"]])
    return truth, found
