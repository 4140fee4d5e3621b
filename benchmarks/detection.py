"""COCO from files to the twelve numbers: boxes on 5000 images, masks on 500; LVIS's thirteen; a thousand replicates of mean AP."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assay.inference.draws import Draws
from assay.io.coco import read_coco
from assay.metrics import COCO, LVIS, AverageRecall, LVISRecall
from benchmarks.harness import Row, Workload
from benchmarks.memory import extra

ALLOWED = 4096  # megabytes for a hundred thousand images
SIZES = ("small", "medium", "large")
CLASSES, WIDTH, HEIGHT = 80, 640, 480


def box_files(images: int, found: int, folder: Path) -> tuple[Path, Path]:
    """A truth of about seven objects an image and ``found`` detections, two near each object, the others anywhere."""
    rng = np.random.default_rng(0)
    truth: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        own: list[tuple[Any, int]] = []
        for _ in range(rng.poisson(7.3)):
            size = rng.gamma(2, 40, 2)
            box = np.round([*(rng.random(2) * np.maximum([WIDTH, HEIGHT] - size, 1)), *size], 2)
            own.append((box, int(rng.integers(1, CLASSES + 1))))
            area = round(float(box[2] * box[3]) * 0.7, 4)
            crowd = int(rng.random() < 0.01)
            truth.append({"id": len(truth) + 1, "image_id": image, "category_id": own[-1][1], "bbox": box.tolist(), "area": area,
                          "iscrowd": crowd})  # fmt: skip
        for at in range(found):
            if at < 2 * len(own):
                box, label = own[at % len(own)]
                box = box + rng.normal(0, 6, 4)
                label, score = (label if rng.random() < 0.9 else int(rng.integers(1, CLASSES + 1))), rng.beta(4, 2)
            else:
                box = np.array([*(rng.random(2) * [WIDTH, HEIGHT] * 0.8), *rng.gamma(2, 40, 2)])
                label, score = int(rng.integers(1, CLASSES + 1)), rng.beta(1.5, 5)
            box = np.round(np.maximum(box, [0, 0, 1, 1]), 2).tolist()
            results.append({"image_id": image, "category_id": label, "bbox": box, "score": round(float(score), 5)})
    return _written(images, truth, results, folder)


def _written(images: int, truth: Any, results: Any, folder: Path) -> tuple[Path, Path]:
    paths = folder / f"gt{images}.json", folder / f"dt{images}.json"
    pictures = [{"id": i, "width": WIDTH, "height": HEIGHT} for i in range(1, images + 1)]
    categories = [{"id": k, "name": f"class {k}"} for k in range(1, CLASSES + 1)]
    paths[0].write_text(json.dumps({"images": pictures, "annotations": truth, "categories": categories}))
    paths[1].write_text(json.dumps(results))
    return paths


def _labelled_in_part(images: int, folder: Path, classes: int = 1203, found: int = 300) -> tuple[Path, Path]:
    """As LVIS: about a dozen objects of 1203 classes an image, some classes looked for in vain, 300 detections an image."""
    rng = np.random.default_rng(1)
    share = 1 / np.arange(1, classes + 1)
    share /= share.sum()
    pictures: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        own = 1 + int(rng.poisson(11))
        boxes = np.round(rng.random((found, 4)) * [WIDTH / 2, HEIGHT / 2, 150, 150] + [0, 0, 4, 4], 2)
        labels = rng.choice(classes, found, p=share) + 1
        near = np.maximum(np.round(boxes + rng.normal(0, 4, boxes.shape), 2), [0, 0, 1, 1])
        scores = np.round(rng.random(found), 5)
        absent = np.setdiff1d(rng.choice(classes, 20, replace=False) + 1, labels[:own]).tolist()
        partly = [k for k in set(labels[:own].tolist()) if rng.random() < 0.1]
        pictures.append(
            {
                "id": image,
                "width": WIDTH,
                "height": HEIGHT,
                "neg_category_ids": absent,
                "not_exhaustive_category_ids": partly,
            }
        )
        for box, label in zip(boxes[:own].tolist(), labels[:own].tolist(), strict=True):
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": image,
                    "category_id": label,
                    "bbox": box,
                    "area": round(box[2] * box[3], 2),
                }
            )
        results += [
            {"image_id": image, "category_id": label, "bbox": box, "score": score}
            for label, box, score in zip(labels.tolist(), near.tolist(), scores.tolist(), strict=True)
        ]
    categories = [
        {"id": k, "name": f"class {k}", "frequency": "fcr"[(k > 50) + (k > 300)]} for k in range(1, classes + 1)
    ]
    paths = folder / "lvis_gt.json", folder / "lvis_dt.json"
    paths[0].write_text(json.dumps({"images": pictures, "annotations": truth, "categories": categories}))
    paths[1].write_text(json.dumps(results))
    return paths


def thirteen(paths: tuple[Path, Path]) -> list[float]:
    """From LVIS's files to its numbers."""
    y_true, y_pred = read_coco(*paths)
    groups: tuple[Any, ...] = ("rare", "common", "frequent")
    metrics = [
        LVIS(), LVIS(iou=0.5), LVIS(iou=0.75), *(LVIS(area_range=s) for s in SIZES), *(LVIS(frequency=g) for g in groups),
        LVISRecall(), *(LVISRecall(area_range=s) for s in SIZES),
    ]  # fmt: skip
    total = metrics[0].statistic().of(metrics[0].inputs(y_true, y_pred))
    return [float(metric.finalize(total)) for metric in metrics]


def _lvis_peer(module: str, paths: tuple[Path, Path]) -> Callable[[], list[float]]:
    def run() -> list[float]:
        with _silent():
            if module == "lvis":  # it draws with OpenCV, which its evaluation does not need, and knows an older NumPy
                sys.modules.setdefault("cv2", types.ModuleType("cv2"))
                np.float = float  # pyright: ignore[reportAttributeAccessIssue]
                from lvis import LVISEval

                evaluation = LVISEval(str(paths[0]), str(paths[1]), "bbox")
            else:
                from hotcoco import COCO, COCOeval

                truth = COCO(str(paths[0]))
                evaluation = COCOeval(truth, truth.load_res(str(paths[1])), "bbox", lvis_style=True)
            evaluation.run()
            return [float(value) for value in evaluation.get_results().values()]

    return run


def _masks(folder: Path) -> tuple[Path, Path]:
    """The same with masks: eight-cornered polygons in the truth, strings of runs in thirty results an image."""
    from pycocotools import mask

    gt, dt = box_files(500, 30, folder)
    truth, results = json.loads(gt.read_text()), json.loads(dt.read_text())
    for record in (*truth["annotations"], *results):
        x, y, w, h = record["bbox"]
        turn = np.arange(8) * np.pi / 4
        corners = np.stack([x + w / 2 * (1 + np.cos(turn)), y + h / 2 * (1 + np.sin(turn))], axis=1)
        record["segmentation"] = [np.round(corners, 2).reshape(-1).tolist()]
    for record in results:
        runs = mask.frPyObjects(record["segmentation"], HEIGHT, WIDTH)[0]
        record["segmentation"] = {"size": runs["size"], "counts": runs["counts"].decode()}
        del record["bbox"]
    gt.write_text(json.dumps(truth))
    dt.write_text(json.dumps(results))
    return gt, dt


def twelve(paths: tuple[Path, Path], kind: Any) -> list[float]:
    """From files to the numbers."""
    y_true, y_pred = read_coco(*paths, kind)
    same: dict[str, Any] = {"iou_type": kind}
    metrics = [
        COCO(**same), COCO(**same, iou=0.5), COCO(**same, iou=0.75), *(COCO(**same, area_range=s) for s in SIZES),
        *(AverageRecall(**same, max_detections=c) for c in (1, 10, 100)), *(AverageRecall(**same, area_range=s) for s in SIZES),
    ]  # fmt: skip
    total = metrics[0].statistic().of(metrics[0].inputs(y_true, y_pred))
    return [float(metric.finalize(total)) for metric in metrics]


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Rust prints past Python's own output."""
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def _peer(module: str, paths: tuple[Path, Path], kind: str) -> Callable[[], None]:
    def run() -> None:
        with _silent():
            if module == "pycocotools":
                from pycocotools.coco import COCO
                from pycocotools.cocoeval import COCOeval
            elif module == "faster-coco-eval":
                from faster_coco_eval import COCO
                from faster_coco_eval import COCOeval_faster as COCOeval
            else:
                from hotcoco import COCO, COCOeval
            truth = COCO(str(paths[0]))
            load = getattr(truth, "loadRes", None) or truth.load_res
            evaluation = COCOeval(truth, load(str(paths[1])), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()

    return run


def workloads() -> Iterator[Workload]:
    """All of this family."""
    with tempfile.TemporaryDirectory() as folder:
        boxes = box_files(5000, 100, Path(folder))
        yield Workload(
            "COCO boxes, 5000 images, files to 12 numbers", lambda: twelve(boxes, "bbox"),
            {
                "hotcoco": (_peer("hotcoco", boxes, "bbox"), 1),
                "faster-coco-eval": (_peer("faster-coco-eval", boxes, "bbox"), 10),
            },
            rounds=5,
        )  # fmt: skip
        yield Workload(
            "COCO boxes, 5000 images, files to 12 numbers", lambda: twelve(boxes, "bbox"),
            {"pycocotools": (_peer("pycocotools", boxes, "bbox"), 50)}, rounds=1,
        )  # fmt: skip
        metric = COCO()
        total = metric.statistic().of(metric.inputs(*read_coco(*boxes)))
        weights = Draws(5000, 1000, 0).weights(0, 1000)
        yield Workload(
            "mAP, 1000 replicates of 5000 images; a third of an evaluation is the limit",
            lambda: metric.reweighed(total, weights),
            {"one evaluation by assay": (lambda: twelve(boxes, "bbox"), 1 / 3)}, rounds=3,
        )  # fmt: skip
        partly = _labelled_in_part(500, Path(folder))
        yield Workload(
            "LVIS boxes, 500 images, 1203 classes, files to 13 numbers", lambda: thirteen(partly),
            {"hotcoco": (_lvis_peer("hotcoco", partly), 1), "lvis": (_lvis_peer("lvis", partly), 30)}, rounds=3,
        )  # fmt: skip
        masks = _masks(Path(folder))
        yield Workload(
            "COCO masks, 500 images, files to 12 numbers", lambda: twelve(masks, "segm"),
            {"hotcoco": (_peer("hotcoco", masks, "segm"), 1)}, rounds=15,
        )  # fmt: skip
        yield Workload(
            "COCO masks, 500 images, files to 12 numbers", lambda: twelve(masks, "segm"),
            {"pycocotools": (_peer("pycocotools", masks, "segm"), 15)}, rounds=3,
        )  # fmt: skip


def _many(images: int, folder: Path) -> tuple[Path, Path]:
    """Seven objects and a hundred detections an image, written image by image: as a list they would not fit into memory."""
    rng = np.random.default_rng(0)
    paths = folder / "gt.json", folder / "dt.json"
    form = '{"image_id": %d, "category_id": %d, "bbox": [%.2f, %.2f, %.2f, %.2f], '
    with paths[0].open("w") as truth, paths[1].open("w") as found:
        pictures = ", ".join(f'{{"id": {i}, "width": {WIDTH}, "height": {HEIGHT}}}' for i in range(images))
        categories = ", ".join(f'{{"id": {k}, "name": "class {k}"}}' for k in range(1, CLASSES + 1))
        truth.write(f'{{"images": [{pictures}], "categories": [{categories}], "annotations": [')
        found.write("[")
        for image in range(images):
            boxes = rng.random((100, 4)) * [WIDTH / 2, HEIGHT / 2, 200, 200] + [0, 0, 5, 5]
            labels, scores = rng.integers(1, CLASSES + 1, 100), rng.random(100)
            mark, area = "" if image == 0 else ", ", boxes[:, 2] * boxes[:, 3]
            own = [
                (form + '"area": %.2f, "iscrowd": 0, "id": %d}') % (image, labels[i], *boxes[i], area[i], 7 * image + i + 1)
                for i in range(7)
            ]  # fmt: skip
            truth.write(mark + ", ".join(own))
            near = boxes + rng.normal(0, 3, boxes.shape) * [1, 1, 0, 0]
            found.write(
                mark
                + ", ".join((form + '"score": %.5f}') % (image, labels[i], *near[i], scores[i]) for i in range(100))
            )
        truth.write("]}")
        found.write("]")
    return paths


def rows() -> Iterator[Row]:
    """What a hundred thousand images take from files to the twelve numbers."""
    with tempfile.TemporaryDirectory() as folder:
        paths = _many(100_000, Path(folder))
        setup = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent.parent)!r})
from pathlib import Path
from benchmarks.detection import twelve
paths = tuple(Path(p) for p in {[str(path) for path in paths]!r})
"""
        used = extra(setup, 'twelve(paths, "bbox")')
        yield Row("COCO boxes, 100,000 images, memory", f"limit of {ALLOWED} MB", ALLOWED / used, 1.0, (used, ALLOWED))
