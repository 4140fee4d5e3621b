"""Simulated images for the demo: discs of three kinds, found and drawn by two models of different care; and a learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evaluation.evaluate import evaluate
from assay.evaluation.side_by_side import SideBySide, side_by_side
from assay.resampling import Estimate, GaussianTruth, estimate

SIDE, IMAGES, KINDS = 64, 120, 3
MODELS = {"careful": 1.0, "hasty": 2.5}  # how far boxes and edges are off, in pixels


def detection() -> SideBySide:
    """Boxes of discs by two detectors."""
    truth, found = _objects()
    metrics = ["coco", "coco:iou=0.5", "average_recall"]
    results = {
        name: evaluate(task="detection", y_true=truth, y_pred=found[name], metrics=metrics, replicates=500)
        for name in MODELS
    }
    return side_by_side(results, title="Detection: discs of three kinds (simulated)")


def segmentation() -> SideBySide:
    """Label maps of the same discs."""
    truth, found = _maps()
    metrics = ["mean_iou", "dice", "pixel_accuracy", "boundary_iou"]
    results = {
        name: evaluate(task="segmentation", y_true=truth, y_pred=found[name], metrics=metrics) for name in MODELS
    }
    return side_by_side(results, title="Segmentation: the same discs as label maps (simulated)")


def learner() -> Estimate:
    """How well the nearest class mean will do on new rows, trained on 200."""
    X, y = GaussianTruth().draw(200, 0)
    return estimate(_train, X, y, "cv:10x5,stratify", ["accuracy"], task="binary", name="nearest class mean")


def _train(X: Any, y: Any) -> Any:
    labels = np.unique(y)
    means: Any = np.stack([X[y == label].mean(axis=0) for label in labels])

    def predict(rows: Any) -> Any:
        gaps = ((rows[:, None, :] - means) ** 2).sum(axis=2)
        return labels[gaps.argmin(axis=1)]

    return predict


def _discs() -> list[tuple[Any, Any, Any]]:
    """Centres, radii and kinds of the discs of each image."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 4, IMAGES)
    return [(rng.uniform(12, SIDE - 12, (n, 2)), rng.uniform(5, 12, n), rng.integers(1, KINDS + 1, n)) for n in counts]


def _boxes(centre: Any, radius: Any) -> Any:
    return np.concatenate([centre - radius[:, None], centre + radius[:, None]], axis=1)


def _objects() -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    rng = np.random.default_rng(1)
    discs = _discs()
    truth = [{"boxes": _boxes(centre, radius), "labels": kind} for centre, radius, kind in discs]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in MODELS}
    for name, off in MODELS.items():
        for centre, radius, kind in discs:
            own = _boxes(centre + rng.normal(0, off, centre.shape), radius)
            false = _boxes(rng.uniform(12, SIDE - 12, (1, 2)), np.array([8.0]))
            scores = np.concatenate([rng.beta(6, 2, len(kind)), rng.beta(2, 4, 1)])
            labels = np.concatenate([kind, rng.integers(1, KINDS + 1, 1)])
            found[name].append({"boxes": np.concatenate([own, false]), "labels": labels, "scores": scores})
    return truth, found


def _maps() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(2)
    discs = _discs()
    truth = np.stack([_drawn(*one) for one in discs])
    found = {
        name: np.stack([_drawn(c + rng.normal(0, off, c.shape), r, kind) for c, r, kind in discs])
        for name, off in MODELS.items()
    }
    return truth, found


def _drawn(centre: Any, radius: Any, kind: Any) -> Any:
    y, x = np.mgrid[:SIDE, :SIDE]
    image = np.zeros((SIDE, SIDE), np.uint8)
    for (a, b), r, k in zip(centre, radius, kind, strict=True):
        image[np.hypot(y - a, x - b) < r] = k
    return image
