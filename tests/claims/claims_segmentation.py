"""Claims of metrics of label maps, surfaces and panoptic maps."""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import ndimage

import assay
from assay.io.panoptic import read_panoptic
from claims import claim, same

sys.path.append(str(Path(__file__).parents[1] / "segmentation"))
import panoptic_files

SK = "sklearn.metrics"
MONAI = "monai.metrics"


def maps(rng: Any, n: int = 6, classes: int = 5) -> tuple[Any, Any]:
    true = rng.integers(0, classes, (n, 19, 23))
    return true, np.where(rng.random(true.shape) < 0.6, true, rng.integers(0, classes, true.shape))


def blobs(rng: Any, n: int = 4) -> tuple[Any, Any]:
    noise = rng.normal(size=(n, 40, 50))
    more = noise + 0.5 * rng.normal(size=noise.shape)
    return tuple(np.stack([ndimage.gaussian_filter(image, 3) for image in part]) > 0.02 for part in (noise, more))


# ---- overlap


def flat_claim(key: str, text: str, name: str, **options: Any) -> None:
    @claim(f"metric.{key}", f"scikit-learn {text} on flattened maps", peer=SK)
    def _(sk: Any, rng: Any) -> None:
        true, predicted = maps(rng)
        same(getattr(assay, key)(true, predicted), getattr(sk, name)(true.ravel(), predicted.ravel(), **options))


flat_claim("pixel_accuracy", "accuracy_score", "accuracy_score")
flat_claim("mean_class_accuracy", "balanced_accuracy_score", "balanced_accuracy_score")
flat_claim("mean_iou", "jaccard_score(average='macro')", "jaccard_score", average="macro")
flat_claim("dice", "f1_score(average='macro')", "f1_score", average="macro")


def mmsegmentation_claim(key: str, name: str) -> None:
    """Its IoUMetric adds up areas over all images and takes the mean over classes, those without area left out."""
    source = "mmsegmentation, evaluation/metrics/iou_metric.py, total_area_to_metrics"

    @claim(f"metric.{key}", f"mmsegmentation {name}", formula=source)
    def _(rng: Any) -> None:
        true, predicted = maps(rng)
        both, label, called = (np.array([m(c) for c in range(5)], float) for m in (
            lambda c: ((true == c) & (predicted == c)).sum(), lambda c: (true == c).sum(), lambda c: (predicted == c).sum(),
        ))  # fmt: skip
        theirs = {
            "aAcc": both.sum() / label.sum(), "mAcc": np.nanmean(both / label), "mIoU": np.nanmean(both / (label + called - both)),
        }  # fmt: skip
        same(getattr(assay, key)(true, predicted), theirs[name])


mmsegmentation_claim("pixel_accuracy", "aAcc")
mmsegmentation_claim("mean_class_accuracy", "mAcc")
mmsegmentation_claim("mean_iou", "mIoU")


@claim("metric.mean_iou", "torchmetrics JaccardIndex(average='macro')", peer="torchmetrics")
def _(tm: Any, rng: Any) -> None:
    true, predicted = maps(rng)
    theirs = tm.JaccardIndex(task="multiclass", num_classes=5, average="macro")
    same(assay.mean_iou(true, predicted), theirs(torch.tensor(predicted), torch.tensor(true)), 1e-6)


def hot(labels: Any) -> Any:
    return torch.nn.functional.one_hot(torch.tensor(labels), 5).movedim(-1, 1)


@claim(
    "metric.mean_iou", "torchmetrics functional.segmentation.mean_iou and monai MeanIoU, their mean over images, for level='image'",
    peer="torchmetrics.functional.segmentation",
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    from monai.metrics import MeanIoU

    true, predicted = maps(rng)
    given = torch.tensor(predicted), torch.tensor(true)
    each = tm.mean_iou(*given, num_classes=5, input_format="index", per_class=False)
    same(assay.mean_iou(true, predicted, level="image"), each.mean(), 1e-6)
    monai = MeanIoU()
    monai(hot(predicted), hot(true))
    same(assay.mean_iou(true, predicted, level="image"), monai.aggregate(), 1e-6)


@claim("metric.dice", "monai DiceMetric(reduction='mean') for level='image'", peer=MONAI)
def _(monai: Any, rng: Any) -> None:
    true, predicted = maps(rng)
    metric = monai.DiceMetric(reduction="mean")
    metric(hot(predicted), hot(true))
    same(assay.dice(true, predicted, level="image"), metric.aggregate(), 1e-6)


def pooled(true: Any, predicted: Any, rim: Any) -> float:
    """Mean over both classes of what the rims of all images share over what they cover."""
    values = []
    for c in (0, 1):
        pairs = [(rim(t == c), rim(p == c)) for t, p in zip(true, predicted, strict=True)]
        values.append(sum((a & b).sum() for a, b in pairs) / sum((a | b).sum() for a, b in pairs))
    return float(np.mean(values))


@claim(
    "metric.boundary_iou", "boundary-iou-api mask_to_boundary with dilation_ratio=width",
    formula="boundary-iou-api, utils/boundary_utils.py: a border of zeros, erosion by 3 x 3, round(ratio times the diagonal) times",
)  # fmt: skip
def _(rng: Any) -> None:
    true, predicted = (m.astype(int) for m in blobs(rng))
    times = max(1, round(0.03 * math.hypot(40, 50)))

    def rim(mask: Any) -> Any:
        eroded = ndimage.binary_erosion(np.pad(mask, 1), np.ones((3, 3)), times)
        return mask & ~eroded[1:-1, 1:-1]

    same(assay.boundary_iou(true, predicted, width=0.03), pooled(true, predicted, rim))


@claim(
    "metric.boundary_iou",
    "faster-coco-eval rleToBoundary(dilation_ratio=width), pooled",
    peer="faster_coco_eval.core.mask",
)
def _(mask: Any, rng: Any) -> None:
    true, predicted = (m.astype(int) for m in blobs(rng))

    def rim(one: Any) -> Any:
        code = mask.encode(np.asfortranarray(one.astype(np.uint8)))
        return mask.decode(mask.rleToBoundary(code, dilation_ratio=0.03)).astype(bool)

    same(assay.boundary_iou(true, predicted, width=0.03), pooled(true, predicted, rim))


# ---- surfaces


def edges(mask: Any) -> Any:
    return mask ^ ndimage.binary_erosion(mask)


def channel(mask: Any) -> Any:
    return torch.tensor(mask[:, None].astype(np.float32))


@claim("metric.hausdorff", "monai compute_hausdorff_distance(percentile=...)", peer=MONAI)
def _(monai: Any, rng: Any) -> None:
    true, predicted = blobs(rng)
    for percent in (None, 95):
        theirs = monai.compute_hausdorff_distance(
            channel(predicted), channel(true), include_background=True, percentile=percent
        )
        same(assay.hausdorff(true, predicted, percentile=percent or 100), theirs.mean(), 1e-5)


@claim(
    "metric.hausdorff",
    "monai compute_hausdorff_distance(directed=True) for direction='to_truth'; its distance_metric is norm",
    peer=MONAI,
)
def _(monai: Any, rng: Any) -> None:
    true, predicted = blobs(rng)
    for norm in ("euclidean", "taxicab", "chessboard"):
        for directed, direction in ((False, "both"), (True, "to_truth")):
            for percent in (None, 95):
                theirs = monai.compute_hausdorff_distance(
                    channel(predicted), channel(true), include_background=True, percentile=percent,
                    directed=directed, distance_metric=norm,
                )  # fmt: skip
                ours = assay.hausdorff(true, predicted, percentile=percent or 100, direction=direction, norm=norm)
                same(ours, theirs.mean(), 1e-5)


@claim(
    "metric.mean_average_surface_distance",
    "monai compute_average_surface_distance(symmetric=False), the mean of both orders of its inputs",
    peer=MONAI,
)
def _(monai: Any, rng: Any) -> None:
    pair = [channel(mask) for mask in blobs(rng)]
    for norm in ("euclidean", "taxicab", "chessboard"):
        theirs = [
            monai.compute_average_surface_distance(a, b, include_background=True, distance_metric=norm).mean()
            for a, b in (pair, pair[::-1])
        ]
        true, predicted = (mask[:, 0].numpy() > 0 for mask in pair)
        same(assay.mean_average_surface_distance(true, predicted, norm=norm), np.mean(theirs), 1e-5)


@claim(
    "metric.hausdorff",
    "scipy directed_hausdorff of the edge pixels, the larger direction",
    peer="scipy.spatial.distance",
)
def _(distance: Any, rng: Any) -> None:
    values = []
    true, predicted = blobs(rng)
    for t, p in zip(true, predicted, strict=True):
        a, b = np.argwhere(edges(t)), np.argwhere(edges(p))
        values.append(max(distance.directed_hausdorff(a, b)[0], distance.directed_hausdorff(b, a)[0]))
    same(assay.hausdorff(true, predicted), np.mean(values))


@claim(
    "metric.average_surface_distance",
    "monai compute_average_surface_distance(symmetric=True); symmetric=False is direction='to_truth'", peer=MONAI,
)  # fmt: skip
def _(monai: Any, rng: Any) -> None:
    true, predicted = blobs(rng)
    for symmetric, direction in ((True, "both"), (False, "to_truth")):
        theirs = monai.compute_average_surface_distance(
            channel(predicted), channel(true), include_background=True, symmetric=symmetric
        )
        same(assay.average_surface_distance(true, predicted, direction=direction), theirs.mean(), 1e-5)


@claim("metric.normalized_surface_dice", "monai compute_surface_dice(class_thresholds=[tolerance])", peer=MONAI)
def _(monai: Any, rng: Any) -> None:
    true, predicted = blobs(rng)
    theirs = monai.compute_surface_dice(
        channel(predicted), channel(true), class_thresholds=[1.5], include_background=True
    )
    same(assay.normalized_surface_dice(true, predicted, tolerance=1.5), theirs.mean(), 1e-5)


def surfels_claim(key: str, text: str) -> None:
    """The package as published asks for names that NumPy and SciPy have dropped since."""

    @claim(f"metric.{key}", text, peer="surface_distance.metrics")
    def _(package: Any, rng: Any) -> None:
        true, predicted = blobs(rng, 1)
        ours: Any = {"spacing": (1.3, 0.4), "surface": "surfels"}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(np, "Inf", np.inf, raising=False)
            patch.setattr(ndimage, "filters", ndimage, raising=False)
            found = package.compute_surface_distances(true[0], predicted[0], (1.3, 0.4))
            if key == "hausdorff":
                for percent in (100, 95):
                    wanted = package.compute_robust_hausdorff(found, percent)
                    same(assay.hausdorff(true, predicted, percentile=percent, **ours), wanted)
            elif key == "average_surface_distance":
                for direction, wanted in zip(
                    ("from_truth", "to_truth"), package.compute_average_surface_distance(found), strict=True
                ):
                    same(assay.average_surface_distance(true, predicted, direction=direction, **ours), wanted)
            elif key == "mean_average_surface_distance":
                wanted = np.mean(package.compute_average_surface_distance(found))
                same(assay.mean_average_surface_distance(true, predicted, **ours), wanted)
            else:
                wanted = package.compute_surface_dice_at_tolerance(found, 1.2)
                same(assay.normalized_surface_dice(true, predicted, tolerance=1.2, **ours), wanted)


surfels_claim("hausdorff", "surface-distance compute_robust_hausdorff for surface='surfels'")
surfels_claim(
    "average_surface_distance",
    "surface-distance compute_average_surface_distance for surface='surfels' and one direction",
)
surfels_claim(
    "mean_average_surface_distance",
    "surface-distance compute_average_surface_distance, the mean of both, for surface='surfels'",
)
surfels_claim("normalized_surface_dice", "surface-distance compute_surface_dice_at_tolerance for surface='surfels'")


@claim(
    "metric.boundary_f1", "MATLAB bfscore for unit='diagonal', tolerance=0.0075",
    formula="MathWorks' page of bfscore: the F measure of boundary pixels within 0.75 % of the diagonal of the other boundary",
)  # fmt: skip
def _(rng: Any) -> None:
    true, predicted = blobs(rng)
    scores = []
    for t, p in zip(true, predicted, strict=True):
        far = [ndimage.distance_transform_edt(~edges(m)) for m in (t, p)]
        near = 0.0075 * math.hypot(40, 50)
        precision, recall = (far[0][edges(p)] <= near).mean(), (far[1][edges(t)] <= near).mean()
        scores.append(2 * precision * recall / (precision + recall))
    same(assay.boundary_f1(true, predicted, unit="diagonal", tolerance=0.0075), np.mean(scores))


# ---- panoptic quality


def painted(rng: Any) -> list[tuple[Any, dict[int, int]]]:
    """Rectangles of segments, some of them void, and the class of each number: truth and prediction."""
    sides = []
    for _ in range(2):
        ids = np.zeros((16, 16), dtype=np.int64)
        for number in range(1, 7):
            y, x, h, w = rng.integers(0, 10, 4)
            ids[y : y + 4 + h, x : x + 4 + w] = number
        sides.append((ids, {number: int(rng.choice([1, 2, 5])) for number in range(1, 7)}))
    (true, classes), (_, other) = sides
    return [(true, classes), (np.where(rng.random((16, 16)) < 0.9, true, sides[1][0]), {**other, **classes})]


def panoptic(rng: Any) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Maps and segments of both sides, of four images; one thing of the first class is a crowd in each."""
    maps: tuple[list[Any], list[Any]] = ([], [])
    infos: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(4):
        for side, (ids, classes) in enumerate(painted(rng)):
            crowd = [i for i in np.unique(ids).tolist() if i and classes[i] == 1][:1] if side == 0 else []
            maps[side].append(ids)
            infos[side].append(panoptic_files.segments_of(ids, classes, tuple(crowd)))
    return maps[0], infos[0], maps[1], infos[1]


def written(rng: Any, show: Any) -> None:
    true, info_t, predicted, info_p = panoptic(rng)
    with tempfile.TemporaryDirectory() as name:
        truth = panoptic_files.write_side(Path(name), "truth", true, info_t)
        prediction = panoptic_files.write_side(Path(name), "prediction", predicted, info_p)
        data = read_panoptic(truth, prediction)
        metric = assay.metrics.PanopticQuality(things=data.things, classes=data.classes)
        show(metric.table(data.y_true, data.y_pred), truth, prediction)


@claim("metric.panoptic_quality", "hotcoco PanopticEval, with one crowd region per class", peer="hotcoco")
def _(hotcoco: Any, rng: Any) -> None:
    def show(ours: Any, truth: Path, prediction: Path) -> None:
        evaluation = hotcoco.panoptic.PanopticEval(str(truth), str(prediction))
        evaluation.evaluate()
        theirs = evaluation.results()
        assert 0 < theirs["All"]["pq"] < 1
        for group in ("All", "Things", "Stuff"):
            same(
                [ours[group.lower()][part] for part in ("pq", "sq", "rq")],
                [theirs[group][p] for p in ("pq", "sq", "rq")],
            )

    written(rng, show)


def pq_compute(images: Any) -> dict[int, float]:
    """pq_compute_single_core of panopticapi: matches above 0.5, crowds and void left out of false alarms by their share."""
    tp, fp, fn, iou = (dict.fromkeys((1, 2, 5), 0.0) for _ in range(4))
    for true, info_t, predicted, info_p in images:
        truths, calls = ({s["id"]: s for s in side} for side in (info_t, info_p))
        common = {(g, d): ((true == g) & (predicted == d)).sum() for g in (0, *truths) for d in calls}
        taken: set[Any] = set()
        for (g, d), shared in common.items():
            if not g or truths[g]["iscrowd"] or truths[g]["category_id"] != calls[d]["category_id"]:
                continue
            union = truths[g]["area"] + calls[d]["area"] - shared - common[0, d]
            if shared / union > 0.5:
                tp[truths[g]["category_id"]] += 1
                iou[truths[g]["category_id"]] += shared / union
                taken |= {("g", g), ("d", d)}
        crowd = {s["category_id"]: g for g, s in truths.items() if s["iscrowd"]}
        for g, s in truths.items():
            fn[s["category_id"]] += ("g", g) not in taken and not s["iscrowd"]
        for d, s in calls.items():
            ignored = common[0, d] + (common[crowd[s["category_id"]], d] if s["category_id"] in crowd else 0)
            fp[s["category_id"]] += ("d", d) not in taken and ignored / s["area"] <= 0.5
    return {c: iou[c] / (tp[c] + (fp[c] + fn[c]) / 2) for c in tp if tp[c] + fp[c] + fn[c]}


@claim(
    "metric.panoptic_quality", "panopticapi pq_compute, with one crowd region per class",
    formula="panopticapi, evaluation.py, pq_compute_single_core",
)  # fmt: skip
def _(rng: Any) -> None:
    state = rng.bit_generator.state
    wanted = pq_compute(zip(*panoptic(rng), strict=True))
    rng.bit_generator.state = state
    written(rng, lambda ours, *_: same(ours["all"]["pq"], np.mean(list(wanted.values()))))


@claim(
    "metric.panoptic_quality", "torchmetrics PanopticQuality where nothing is predicted void and no truth is crowd",
    peer="torchmetrics.detection",
)  # fmt: skip
def _(tm: Any, rng: Any) -> None:
    small = np.stack([rng.integers(0, 3, (4, 5, 5)), rng.integers(0, 2, (4, 5, 5))], axis=-1)
    true = small.repeat(4, 1).repeat(4, 2)
    predicted = np.roll(true, 1, axis=1)
    theirs = tm.PanopticQuality(things={0, 1}, stuffs={2})(torch.tensor(predicted), torch.tensor(true))
    same(assay.panoptic_quality(true, predicted, things=(0, 1)), theirs, 1e-6)
