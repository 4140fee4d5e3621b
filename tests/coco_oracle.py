"""pycocotools on data in memory or in files, quietly; and the twelve numbers of ours in its order."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pycocotools.coco
from pycocotools.cocoeval import COCOeval

import assay
from assay.metrics import COCO, AverageRecall

SIZES = ("small", "medium", "large")


def oracle(truth: dict[str, Any], results: list[dict[str, Any]], kind: str, **parameters: Any) -> Any:
    """The evaluator of pycocotools after it has run."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = pycocotools.coco.COCO()
        coco.dataset = truth
        coco.createIndex()
        found = coco.loadRes([dict(r) for r in results]) if results else pycocotools.coco.COCO()
        if not results:
            found.dataset = {"images": truth["images"], "annotations": [], "categories": truth["categories"]}
            found.createIndex()
        evaluator = COCOeval(coco, found, kind)
        for name, value in parameters.items():
            setattr(evaluator.params, name, value)
        evaluator.evaluate()
        evaluator.accumulate()
        if not parameters:
            evaluator.summarize()
    return evaluator


def numbers(kind: Any = "bbox") -> list[assay.Metric[Any]]:
    """Ours, in the order of pycocotools' stats."""
    if kind == "keypoints":
        same: dict[str, Any] = {"iou_type": kind}
        makers = (COCO, AverageRecall)
        return [
            metric
            for make in makers
            for metric in (
                make(**same), make(**same, iou=0.5), make(**same, iou=0.75), make(**same, area_range="medium"),
                make(**same, area_range="large"),
            )
        ]  # fmt: skip
    return [
        COCO(iou_type=kind), COCO(iou_type=kind, iou=0.5), COCO(iou_type=kind, iou=0.75),
        *(COCO(iou_type=kind, area_range=s) for s in SIZES),
        *(AverageRecall(iou_type=kind, max_detections=c) for c in (1, 10, 100)),
        *(AverageRecall(iou_type=kind, area_range=s) for s in SIZES),
    ]  # fmt: skip


def ours(y_true: Any, y_pred: Any, kind: Any = "bbox") -> Any:
    """The numbers with the match shared; -1 where there is nothing to find, as pycocotools says it."""
    metrics = numbers(kind)
    inputs = metrics[0].inputs(y_true, y_pred)
    total = metrics[0].statistic().of(inputs)
    values = np.array([float(metric.finalize(total)) for metric in metrics])
    return np.where(np.isnan(values), -1, values)
