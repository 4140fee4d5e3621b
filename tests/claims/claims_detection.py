"""Claims of metrics of detection."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import assay
import coco_oracle
import facts
import lvis_oracle
import tide_oracle
import voc_oracle
from assay.io.coco import read_coco
from assay.metrics.detection import errors
from claims import claim, same

PYCOCO = "pycocotools.cocoeval"
TIDE = (
    "tidecv TIDERun(...).fix_main_errors() and fix_special_errors(), divided by 100, but for classes without truth (AP 0 there, left "
    "out here), detections in ignored regions (sorted into types there), and 100 recall levels that differ by rounding"
)


def files(truth: list[dict], found: list[dict], first: int = 1) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same as COCO's files have it; annotations are numbered from ``first`` on."""
    objects, results = [], []
    for image, (there, seen) in enumerate(zip(truth, found, strict=True)):
        for label, box in zip(there["labels"].tolist(), there["boxes"].tolist(), strict=True):
            own = {"image_id": image, "category_id": label, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
            objects.append({"id": len(objects) + first, **own})
        for label, box, score in zip(seen["labels"].tolist(), seen["boxes"].tolist(), seen["scores"], strict=True):
            results.append({"image_id": image, "category_id": label, "bbox": box, "score": float(score)})
    images = [{"id": i, "width": 200, "height": 200} for i in range(len(truth))]
    return {
        "images": images,
        "annotations": objects,
        "categories": [{"id": k, "name": str(k)} for k in range(3)],
    }, results


def crowded(rng: Any) -> tuple[list[dict], list[dict]]:
    """Boxes as in COCO (x, y, width, height) of all sizes: every third image is four times as large."""
    truth, found = tide_oracle.crowded(int(rng.integers(10_000)), images=18)
    for image in range(0, 18, 3):
        for side in (truth, found):
            side[image]["boxes"] = 4 * side[image]["boxes"]
    return truth, found


@claim(
    "metric.coco",
    "pycocotools stats[0] (iou=None), stats[1] (iou=0.5), stats[3:6] (area_range=...); of keypoints stats[0:5]",
    peer=PYCOCO,
)
def _(_: Any, rng: Any) -> None:
    truth, found = crowded(rng)
    stats = coco_oracle.oracle(*files(truth, found), "bbox").stats
    given: Any = {"box_format": "xywh"}
    ours = [assay.coco(truth, found, **given), assay.coco(truth, found, iou=0.5, **given)]
    ours += [assay.coco(truth, found, area_range=size, **given) for size in coco_oracle.SIZES]
    same(ours, stats[[0, 1, 3, 4, 5]])
    poses(rng)


def poses(rng: Any) -> None:
    """Two people an image, found with errors of some pixels."""
    truth: list[dict] = []
    found: list[dict] = []
    objects, results = [], []
    for image in range(8):
        points = np.concatenate([200 * rng.random((2, 17, 2)), np.full((2, 17, 1), 2)], axis=2)
        sizes = rng.choice([50.0, 150.0], 2)  # medium and large
        boxes = [[0.0, 0.0, s, s] for s in sizes]
        moved = points + np.append(rng.normal(0, 3, 2), 0)
        scores = rng.random(2)
        truth.append({"boxes": boxes, "labels": [1, 1], "keypoints": points, "area": sizes**2})
        found.append({"labels": [1, 1], "keypoints": moved, "scores": scores})
        for at in range(2):
            own = {"image_id": image, "category_id": 1, "keypoints": points[at].ravel().tolist(), "num_keypoints": 17}
            objects.append({**own, "id": len(objects) + 1, "bbox": boxes[at], "area": sizes[at] ** 2, "iscrowd": 0})
            result = {"image_id": image, "category_id": 1, "keypoints": moved[at].ravel().tolist()}
            results.append({**result, "score": float(scores[at])})
    whole = {
        "images": [{"id": i} for i in range(8)],
        "annotations": objects,
        "categories": [{"id": 1, "name": "person"}],
    }
    stats = coco_oracle.oracle(whole, results, "keypoints").stats
    ours = [assay.coco(truth, found, iou_type="keypoints", box_format="xywh", iou=iou) for iou in (None, 0.5, 0.75)]
    ours += [
        assay.coco(truth, found, iou_type="keypoints", box_format="xywh", area_range=s) for s in ("medium", "large")
    ]
    same(ours, stats[:5])
    assert 0 < stats[0] < 1


@claim(
    "metric.average_recall",
    "pycocotools stats[6:9] (max_detections=1, 10, 100), stats[9:12] (area_range=...)",
    peer=PYCOCO,
)
def _(_: Any, rng: Any) -> None:
    truth, found = crowded(rng)
    stats = coco_oracle.oracle(*files(truth, found), "bbox").stats
    ours = [assay.average_recall(truth, found, max_detections=cap, box_format="xywh") for cap in (1, 10, 100)]
    ours += [assay.average_recall(truth, found, area_range=size, box_format="xywh") for size in coco_oracle.SIZES]
    same(ours, stats[6:12])


def masks_of(rng: Any) -> tuple[Any, Any]:
    """Rectangles as masks of 60 x 60, in memory and as COCO's files have them."""
    from pycocotools import mask

    truth, found = tide_oracle.crowded(int(rng.integers(10_000)), images=8)
    whole, results = files(truth, found)
    for side, records in ((truth, whole["annotations"]), (found, results)):
        rows = iter(records)
        for one in side:
            drawn = np.zeros((len(one["boxes"]), 60, 60), bool)
            for m, (x, y, w, h) in zip(drawn, one["boxes"].astype(int).clip(0).tolist(), strict=True):
                m[y : y + h, x : x + w] = True
            one["masks"] = drawn
            for m in drawn:
                record = next(rows)
                code = mask.encode(np.asfortranarray(m.astype(np.uint8)))
                record["segmentation"] = {"size": code["size"], "counts": code["counts"].decode()}
                record.pop("bbox")
                record["area"] = float(m.sum())
    for one in (*truth, *found):
        del one["boxes"]
    return (truth, found), (whole, [{k: v for k, v in r.items() if k != "area"} for r in results])


@claim("metric.mask_ap", 'pycocotools with iouType="segm", stats[0]', peer=PYCOCO)
def _(_: Any, rng: Any) -> None:
    (truth, found), (whole, results) = masks_of(rng)
    for image in whole["images"]:
        image.update(width=60, height=60)
    stats = coco_oracle.oracle(whole, results, "segm").stats
    assert 0 < stats[0] < 1
    same(assay.mask_ap(truth, found), stats[0])


@claim("metric.detection_curve", "pycocotools eval['precision'] before its envelope and its 101 levels", peer=PYCOCO)
def _(_: Any, rng: Any) -> None:
    truth, found = crowded(rng)
    run = coco_oracle.oracle(*files(truth, found), "bbox")
    for label, curve in assay.detection_curve(truth, found, box_format="xywh").items():
        ours = [max(curve.precision[curve.recall >= r], default=0.0) for r in run.params.recThrs]
        same(ours, run.eval["precision"][0, :, label, 0, -1])


def lvis_claim(entry: str, text: str, which: slice) -> None:
    @claim(f"metric.{entry}", text, peer="lvis")
    def _(_: Any, rng: Any) -> None:
        truth, results = lvis_oracle.made(int(rng.integers(10_000)))
        with tempfile.TemporaryDirectory() as name:
            wanted = lvis_oracle.theirs(truth, results, "bbox", Path(name))
            files = Path(name, "gt.json"), Path(name, "dt.json")  # theirs changes what it reads
            for file, data in zip(files, (truth, results), strict=True):
                file.write_text(json.dumps(data))
            same(lvis_oracle.ours(*read_coco(*files, "bbox"))[which], wanted[which])


lvis_claim("lvis", "lvis 0.5.3 AP, AP50, AP75, APs, APm, APl (area_range=...), APr, APc, APf (frequency=...)", slice(9))
lvis_claim("lvis_recall", "lvis 0.5.3 AR@300, ARs@300, ARm@300, ARl@300 (area_range=...)", slice(9, 13))


# ---- other rules


@claim(
    "metric.average_precision_voc",
    "Padilla's PascalVOCMetrics: points='all' (EveryPointInterpolation), 'eleven' (ElevenPointInterpolation)",
    published="README and results.txt of rafaelpadilla/Object-Detection-Metrics: see voc_oracle",
)  # fmt: skip
def _(rng: Any) -> None:
    """Their example, whose boxes are redrawn by the published verdicts: a right one lies on an object of its own."""
    order = rng.permutation(voc_oracle.PADILLA_OBJECTS)
    objects = [[20.0 * i, 0.0, 20.0 * i + 9, 9.0] for i in range(voc_oracle.PADILLA_OBJECTS)]
    free, boxes = iter(order), []
    for at, right in enumerate(voc_oracle.PADILLA_RIGHT):
        boxes.append(objects[next(free)] if right else [20.0 * at, 50.0, 20.0 * at + 9, 59.0])
    truth = [{"boxes": objects, "labels": [1] * len(objects)}]
    found = [{"boxes": boxes, "labels": [1] * len(boxes), "scores": np.linspace(0.95, 0.1, len(boxes))}]
    # Both are printed with ten decimals, cut off.
    same(assay.average_precision_voc(truth, found, iou=0.3, points="all"), voc_oracle.PADILLA_EVERY_POINT, 1e-9)
    same(assay.average_precision_voc(truth, found, iou=0.3, points="eleven"), voc_oracle.PADILLA_ELEVEN_POINTS, 1e-9)


@claim(
    "metric.average_precision_voc", "VOC devkit VOCevaldet.m: points='eleven' (2007), 'all' (2010)",
    formula="VOCevaldet.m of the devkit, transcribed in voc_oracle",
)  # fmt: skip
def _(rng: Any) -> None:
    truth, found = tide_oracle.crowded(int(rng.integers(10_000)))
    for one in (*truth, *found):
        one["boxes"] = np.concatenate([one["boxes"][:, :2], one["boxes"][:, :2] + one["boxes"][:, 2:]], axis=1)
    for points in ("eleven", "all"):
        plain = [{**one, "ignore": np.zeros(len(one["labels"]), int)} for one in truth]
        wanted = [voc_oracle.twin(plain, found, label, 0.5, points, 1.0) for label in range(3)]
        same(assay.average_precision_voc(truth, found, points=points), np.mean(wanted))


def faster(truth: list[dict], found: list[dict], package: Any) -> Any:
    from faster_coco_eval.extra import PreviewResults

    whole, results = files(truth, found)
    gt = package.COCO(whole)
    shown = PreviewResults(gt, gt.loadRes(results), iouType="bbox", iou_tresh=0.5, useCats=False)
    return shown.compute_confusion_matrix()


@claim(
    "metric.detection_confusion",
    "faster-coco-eval compute_confusion_matrix (useCats=False): rule='score', threshold=0; it has false alarms and misses in two "
    "columns behind the classes", peer="faster_coco_eval",
)  # fmt: skip
def _(package: Any, rng: Any) -> None:
    truth, found = tide_oracle.crowded(int(rng.integers(10_000)))
    table = assay.detection_confusion(truth, found, rule="score", threshold=0, box_format="xywh").table
    behind = np.concatenate([table[:-1, :-1], table[-1:, :-1].T, table[:-1, -1:]], axis=1)
    same(behind, faster(truth, found, package))


def ultralytics(true: dict, seen: dict, k: int) -> Any:
    """ConfusionMatrix.process_batch of ultralytics 8, its NumPy transcribed: rows are predictions, columns truths."""
    table = np.zeros((k + 1, k + 1))
    kept = seen["scores"] > 0.25
    boxes, labels = seen["boxes"][kept], seen["labels"][kept]
    overlap = box_overlap(true["boxes"], boxes)
    x = np.argwhere(overlap > 0.45)
    pairs = np.column_stack([x, overlap[tuple(x.T)]]) if len(x) else np.zeros((0, 3))
    for column in (1, 0):
        pairs = pairs[pairs[:, 2].argsort()[::-1]]
        pairs = pairs[np.unique(pairs[:, column], return_index=True)[1]]
    g, d = pairs[:, 0].astype(int), pairs[:, 1].astype(int)
    for i, label in enumerate(true["labels"]):
        at = np.flatnonzero(g == i)
        table[labels[d[at[0]]] if len(at) else k, label] += 1
    for j, label in enumerate(labels):
        if j not in d:
            table[label, k] += 1
    return table


def box_overlap(a: Any, b: Any) -> Any:
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum((a[:, :2] + a[:, 2:])[:, None], (b[:, :2] + b[:, 2:])[None])
    common = np.prod(np.clip(high - low, 0, None), axis=2)
    return common / (np.prod(a[:, 2:], axis=1)[:, None] + np.prod(b[:, 2:], axis=1) - common)


ALONE = "where no two detections overlap one object most"


@claim(
    "metric.detection_confusion", f"Ultralytics ConfusionMatrix: rule='overlap', threshold=0.25, iou=0.45, transposed, {ALONE}",
    formula="ultralytics, utils/metrics.py, ConfusionMatrix.process_batch",
)  # fmt: skip
def _(rng: Any) -> None:
    pairs = zip(*tide_oracle.crowded(int(rng.integers(10_000)), images=60), strict=True)
    kept = [(t, f) for t, f in pairs if no_rivals(t, f)]
    assert len(kept) > 10
    wanted = sum(ultralytics(t, f, 3) for t, f in kept)
    given: Any = {"rule": "overlap", "threshold": 0.25, "iou": 0.45, "box_format": "xywh"}
    ours = assay.detection_confusion(*zip(*kept, strict=True), **given)
    same(ours.table.T, wanted)


def no_rivals(true: dict, seen: dict) -> bool:
    """Every detection that counts has an object of its own that it overlaps most."""
    overlap = box_overlap(true["boxes"], seen["boxes"][seen["scores"] > 0.25])
    best = overlap.argmax(axis=0)[overlap.max(axis=0) > 0.45]
    return len(set(best.tolist())) == len(best)


def tide_claim(entry: str) -> None:
    @claim(f"metric.{entry}", TIDE, peer="tidecv")
    def _(_: Any, rng: Any) -> None:
        truth, found = tide_oracle.crowded(int(rng.integers(10_000)), images=20)
        costs, counts, _ = tide_oracle.costs(truth, found, 0.5, 0.1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                errors, "LEVELS", np.arange(101) / 100
            )  # tidecv's levels, which differ from COCO's by rounding
            table = assay.detection_errors(truth, found, box_format="xywh")
            assert {name: table.count[name] for name in counts} == counts
            for error, wanted in costs.items():
                same(assay.detection_error_cost(truth, found, error=error, box_format="xywh"), wanted)
                same(table.cost[error], wanted)


tide_claim("detection_errors")
tide_claim("detection_error_cost")


# ---- boxes


def corners(rng: Any) -> Any:
    low = 6 * rng.random((30, 2))
    return np.concatenate([low, low + 0.5 + 4 * rng.random((30, 2))], axis=1)


@claim("metric.box_iou", "torchvision box_iou", peer="torchvision.ops.boxes")
def _(vision: Any, rng: Any) -> None:
    a, b = corners(rng), corners(rng)
    whole = vision.box_iou(torch.tensor(a), torch.tensor(b))
    same(assay.box_iou(a, b), torch.diagonal(whole).mean())
    same(assay.box_iou_matrix(a, b), whole)


@claim(
    "metric.box_iou", "torchmetrics intersection_over_union and its like (aggregate=True, the diagonal)",
    published="the example in the documentation of torchmetrics, which itself asks for the whole of torchvision",
)  # fmt: skip
def _(_: Any) -> None:
    for kind, printed in facts.BOX_MEANS.items():
        same(assay.box_iou(facts.BOXES_TRUE, facts.BOXES_PREDICTED, kind=kind), printed, atol=5.1e-5, rtol=0)
