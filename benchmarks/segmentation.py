"""Overlap of 500 label maps, surfaces of 100 masks, panoptic quality of 200 pairs of png files; all of 512 x 512 pixels."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.io.panoptic import read_panoptic
from benchmarks.harness import Workload

SIDE = 512
CLASSES = 21


def label_maps(n: int) -> tuple[Any, Any]:
    """Patches of 16 x 16 with a tenth of the pixels redrawn and edges moved, as predictions have them."""
    rng = np.random.default_rng(0)
    patches = rng.integers(0, CLASSES, (n, SIDE // 16, SIDE // 16), dtype=np.uint8)
    true = np.repeat(np.repeat(patches, 16, axis=1), 16, axis=2)
    redrawn = rng.random((n, SIDE, SIDE), dtype=np.float32) < 0.1
    return true, np.where(redrawn, rng.integers(0, CLASSES, true.shape, dtype=np.uint8), np.roll(true, 2, axis=2))


def masks(n: int) -> tuple[Any, Any]:
    """One wavy disc an image, and a rounder one a little aside."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:SIDE, :SIDE]
    sides: tuple[list[Any], list[Any]] = [], []
    for _ in range(n):
        centre, radius = rng.uniform(150, 350, 2), rng.uniform(40, 140)
        for side, wave, shift in zip(sides, (12, 4), (0, 6), strict=True):
            away = np.hypot(y - centre[0] - shift, x - centre[1])
            side.append(away < radius + wave * np.sin(7 * np.arctan2(y - centre[0], x - centre[1])))
    return np.stack(sides[0]), np.stack(sides[1])


def overlap() -> Iterator[Workload]:
    import hotcoco
    import torch
    from torchmetrics.classification import MulticlassJaccardIndex
    from torchmetrics.segmentation import DiceScore, MeanIoU

    true, predicted = label_maps(500)
    few = slice(0, 50)
    t, p = torch.tensor(true[few].astype(np.int64)), torch.tensor(predicted[few].astype(np.int64))

    def theirs() -> None:
        evaluation = hotcoco.semantic.SemanticEval(CLASSES)
        for a, b in zip(true, predicted, strict=True):
            evaluation.update(a, b)
        evaluation.evaluate() if hasattr(evaluation, "evaluate") else None

    def whole(metric: Any) -> Any:
        return lambda: (
            metric.reset(),
            [metric.update(p[i : i + 10], t[i : i + 10]) for i in range(0, 50, 10)],
            metric.compute(),
        )

    portion = {"torchmetrics": 0.1, "torchmetrics, unchecked": 0.1, "torchmetrics per image": 0.1}
    jaccard = [MulticlassJaccardIndex(CLASSES, validate_args=checked) for checked in (True, False)]
    images: dict[str, Any] = {"num_classes": CLASSES, "input_format": "index"}
    yield Workload(
        "mIoU, 500 maps 512x512, 21 classes", lambda: assay.mean_iou(true, predicted, classes=CLASSES),
        {
            "torchmetrics": (whole(jaccard[0]), 15), "torchmetrics, unchecked": (whole(jaccard[1]), None),
            "torchmetrics per image": (whole(MeanIoU(**images)), 50), "hotcoco": (theirs, 1),
        },
        rounds=3, portion=portion,
    )  # fmt: skip
    yield Workload(
        "Dice by image, 500 maps 512x512, 21 classes",
        lambda: assay.dice(true, predicted, classes=CLASSES, level="image"),
        {"torchmetrics per image": (whole(DiceScore(**images)), 50)}, rounds=3, portion=portion,
    )  # fmt: skip


def together(metrics: list[Any], true: Any, predicted: Any) -> list[Any]:
    """Several metrics of the same images, from one walk over them."""
    inputs = metrics[0].inputs(true, predicted)
    inputs.wanted = frozenset(metric.statistic() for metric in metrics)
    return [metric.finalize(metric.statistic().of(inputs)) for metric in metrics]


def surfaces() -> Iterator[Workload]:
    import surface_distance.metrics as deepmind
    import torch
    from monai import metrics as monai
    from scipy import ndimage

    vars(np).setdefault("Inf", np.inf)  # names that the package as published still asks for
    vars(ndimage).setdefault("filters", ndimage)
    true, predicted = masks(100)
    t, p = (torch.tensor(m[:, None].astype(np.float32)) for m in (true, predicted))
    wanted: list[Any] = [
        assay.metrics.Hausdorff(), assay.metrics.Hausdorff(percentile=95), assay.metrics.AverageSurfaceDistance(),
        assay.metrics.NormalizedSurfaceDice(tolerance=2.0),
    ]  # fmt: skip

    def of_monai() -> None:
        for percentile in (None, 95):
            monai.compute_hausdorff_distance(p, t, include_background=True, percentile=percentile)
        monai.compute_average_surface_distance(p, t, include_background=True, symmetric=True)
        monai.compute_surface_dice(p, t, class_thresholds=[2.0], include_background=True)

    def of_deepmind() -> None:
        for a, b in zip(true, predicted, strict=True):
            found = deepmind.compute_surface_distances(a, b, (1, 1))
            deepmind.compute_robust_hausdorff(found, 100)
            deepmind.compute_robust_hausdorff(found, 95)
            deepmind.compute_average_surface_distance(found)
            deepmind.compute_surface_dice_at_tolerance(found, 2.0)

    yield Workload(
        "HD, HD95, ASSD, surface Dice, 100 masks 512x512", lambda: together(wanted, true, predicted),
        {"monai": (of_monai, 6)}, rounds=2,
    )  # fmt: skip
    weighed = [type(m)(**{**vars(m), "surface": "surfels"}) for m in wanted]
    yield Workload(
        "the same by surface elements", lambda: together(weighed, true, predicted),
        {"surface-distance": (of_deepmind, 4)}, rounds=2,
    )  # fmt: skip


def segments(rng: Any, n: int) -> list[tuple[Any, ...]]:
    """Ellipses of any class over a ground of stuff."""
    ground = (SIDE / 2, SIDE / 2, 600.0, 600.0, int(rng.integers(11, 21)))
    places, sizes = rng.uniform(0, SIDE, (n, 2)), rng.uniform(15, 120, (n, 2))
    return [ground, *((*a, *b, int(rng.integers(1, 21))) for a, b in zip(places, sizes, strict=True))]


def painted(rng: Any, shapes: list[tuple[Any, ...]]) -> tuple[Any, dict[int, int]]:
    """The map of segment numbers, and the class of each number."""
    y, x = np.mgrid[:SIDE, :SIDE]
    ids, classes = np.zeros((SIDE, SIDE), dtype=np.uint32), {}
    for top, left, high, wide, label in shapes:
        number = int(rng.integers(1, 1 << 24))
        ids[((y - top) / high) ** 2 + ((x - left) / wide) ** 2 < 1] = number
        classes[number] = label
    return ids, classes


def panoptic_files(folder: Path, n: int) -> tuple[Path, Path]:
    """Truth and prediction as json and png."""
    from PIL import Image

    rng = np.random.default_rng(0)
    categories = [{"id": c, "name": str(c), "isthing": int(c <= 10)} for c in range(1, 21)]
    records: tuple[list[Any], list[Any]] = [], []
    for at in range(n):
        shapes = segments(rng, 18)
        moved = [
            (a + rng.normal(0, 4), b + rng.normal(0, 4), c * rng.uniform(0.9, 1.1), d, e) for a, b, c, d, e in shapes
        ]
        for side, record, made in zip(("truth", "prediction"), records, (shapes, moved), strict=True):
            ids, classes = painted(rng, made)
            (folder / side).mkdir(exist_ok=True)
            rgb = np.stack([ids & 255, ids >> 8 & 255, ids >> 16], axis=-1).astype(np.uint8)
            Image.fromarray(rgb).save(folder / side / f"{at}.png")
            own = [
                {"id": i, "category_id": classes[i], "iscrowd": 0, "area": int(area)}
                for i, area in zip(*(v.tolist() for v in np.unique(ids, return_counts=True)), strict=True) if i
            ]  # fmt: skip
            record.append({"image_id": at, "file_name": f"{at}.png", "segments_info": own})
    images = [{"id": at, "file_name": f"{at}.jpg", "height": SIDE, "width": SIDE} for at in range(n)]
    for side, record in zip(("truth", "prediction"), records, strict=True):
        document = {"images": images, "annotations": record, "categories": categories}
        (folder / f"{side}.json").write_text(json.dumps(document))
    return folder / "truth.json", folder / "prediction.json"


def panoptic() -> Iterator[Workload]:
    import hotcoco
    import torch
    from torchmetrics.functional.detection import panoptic_quality

    with tempfile.TemporaryDirectory() as name:
        truth, prediction = panoptic_files(Path(name), 200)

        def ours() -> float:
            data = read_panoptic(truth, prediction)
            return assay.panoptic_quality(data.y_true, data.y_pred, things=data.things, classes=data.classes)

        def of_hotcoco() -> None:
            hotcoco.panoptic.PanopticEval(str(truth), str(prediction)).evaluate()

        data = read_panoptic(truth, prediction)
        tensors = [torch.tensor(_pairs([cell.read() for cell in side[:2]])) for side in (data.y_pred, data.y_true)]
        kinds: dict[str, Any] = {"things": set(range(1, 11)), "stuffs": set(range(11, 21))}
        yield Workload(
            "PQ, 200 pairs of png 512x512", ours,
            {"hotcoco": (of_hotcoco, 1)}, rounds=15,
        )  # fmt: skip
        yield Workload(
            "PQ, 200 pairs of png 512x512", ours,
            {"torchmetrics": (lambda: panoptic_quality(*tensors, **kinds), 500)}, portion={"torchmetrics": 0.01},
        )  # fmt: skip


def _pairs(maps: list[Any]) -> Any:
    """(class, instance) as torchmetrics takes them."""
    found = []
    for one in maps:
        table = dict(one.segments[:, :2].tolist())
        numbers, at = np.unique(one.ids, return_inverse=True)
        classes = np.array([table.get(int(i), 11) for i in numbers])[at.reshape(one.ids.shape)]
        found.append(np.stack([classes, one.ids.astype(np.int64)], axis=-1))
    return np.stack(found)


def workloads() -> Iterator[Workload]:
    yield from overlap()
    yield from surfaces()
    yield from panoptic()
