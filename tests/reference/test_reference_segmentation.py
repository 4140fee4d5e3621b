"""Segmentation metrics against scikit-learn, torchmetrics, monai, scipy and surface-distance, and against published values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from fixtures import load_json, path

FOLDER = ("03_segmentation", "deepmind_surface_distance")
pytestmark = pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")


def maps(seed: int, n: int = 6, classes: int = 5, size: tuple[int, ...] = (19, 23)) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, (n, *size))
    return true, np.where(rng.random(true.shape) < 0.6, true, rng.integers(0, classes, true.shape))


def blobs(seed: int, n: int = 5, size: tuple[int, ...] = (40, 50)) -> tuple[Any, Any]:
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, *size))
    smooth = np.stack([ndimage.gaussian_filter(image, 3) for image in noise])
    other = np.stack([ndimage.gaussian_filter(image, 3) for image in noise + 0.5 * rng.normal(size=noise.shape)])
    return smooth > 0.03, other > 0.03


# ---- overlap


@pytest.mark.parametrize("seed", range(3))
def test_overlap_is_that_of_flattened_maps(seed: int) -> None:
    sk = pytest.importorskip("sklearn.metrics")
    true, predicted = maps(seed)
    t, p = true.ravel(), predicted.ravel()
    assert assay.pixel_accuracy(true, predicted) == pytest.approx(sk.accuracy_score(t, p), rel=1e-13)
    assert assay.mean_class_accuracy(true, predicted) == pytest.approx(sk.balanced_accuracy_score(t, p), rel=1e-13)
    for average, theirs in (("macro", "macro"), ("frequency", "weighted"), (None, None)):
        got = assay.mean_iou(true, predicted, average=average)
        np.testing.assert_allclose(got, sk.jaccard_score(t, p, average=theirs), rtol=1e-13)
        np.testing.assert_allclose(
            assay.dice(true, predicted, average=average), sk.f1_score(t, p, average=theirs), rtol=1e-13
        )
    kept = t != 2
    got = assay.mean_iou(true, predicted, ignore_index=2)
    assert got == pytest.approx(
        np.mean(sk.jaccard_score(t[kept], p[kept], average=None, labels=[0, 1, 3, 4])), rel=1e-13
    )


@pytest.mark.parametrize("ignore", [None, 4])
def test_images_are_those_of_torchmetrics(ignore: int | None) -> None:
    torch = pytest.importorskip("torch")
    tm = pytest.importorskip("torchmetrics.functional.segmentation")
    true, predicted = maps(7)
    true[0, true[0] == 3] = 0  # one class that an image lacks
    predicted[0, predicted[0] == 3] = 0
    if ignore is None:
        t, p = torch.tensor(true), torch.tensor(predicted)
        each = tm.mean_iou(p, t, num_classes=5, input_format="index", per_class=False).numpy()
        assert assay.mean_iou(true, predicted, level="image") == pytest.approx(each.mean(), rel=1e-6)
        dice = tm.dice_score(p, t, num_classes=5, input_format="index", average="macro").numpy()
        assert assay.dice(true[1:], predicted[1:], level="image") == pytest.approx(dice[1:].mean(), rel=1e-6)
    else:
        jaccard = pytest.importorskip("torchmetrics.functional.classification").multiclass_jaccard_index
        ours = assay.mean_iou(true, np.where(predicted == 4, 0, predicted), ignore_index=ignore, average=None)
        # Where the truth is ignored nothing counts; their prediction of the ignored class is made class 0 in ours, too.
        theirs = jaccard(
            torch.tensor(np.where(predicted == 4, 0, predicted)), torch.tensor(true), num_classes=5, ignore_index=ignore,
            average="none",
        ).numpy()  # fmt: skip
        np.testing.assert_allclose(ours, theirs[:4], rtol=1e-6)


def test_published_dice_and_iou_of_monai() -> None:
    checked = 0
    for name, metric in (("meandice", assay.dice), ("meaniou", assay.mean_iou)):
        cases = load_json("03_segmentation", "monai_metric_cases", f"test_compute_{name}.json")["cases"]
        for case in cases.values():
            given = case[0] if len(case) == 2 else {}
            if not all(isinstance(given.get(k), dict) for k in ("y_pred", "y")) or isinstance(case[1][0], bool | float):
                continue
            p, t = (np.array(given[k]["data"]) for k in ("y_pred", "y"))
            if p.shape != t.shape or isinstance(case[1][0][0], bool):
                continue
            expected = np.array(case[1], dtype=float)
            first = t.shape[1] - expected.shape[1]
            empty = "nan" if given.get("ignore_empty", True) else 1
            for image in range(len(t)):
                for c in range(first, t.shape[1]):
                    pair = t[image : image + 1, c].astype(int), p[image : image + 1, c].astype(int)
                    value = metric(*pair, classes=2, average=None, undefined=empty)[1]
                    wanted = expected[image, c - first]
                    assert value == pytest.approx(wanted, abs=1e-4, nan_ok=True)
                    checked += 1
    assert checked >= 10


@pytest.mark.parametrize("seed", range(4))
def test_boundary_iou_by_erosion(seed: int) -> None:
    """The definition by scipy's erosion with a square, the border padded by zeros, class after class."""
    ndimage = pytest.importorskip("scipy.ndimage")
    true, predicted = (m.astype(int) + (np.indices(m.shape)[1] > 30) for m in blobs(seed))
    reach = max(1, round(0.02 * math.hypot(40, 50)))
    wanted = np.zeros((3, 2))
    for t, p in zip(true, predicted, strict=True):
        for c in range(3):
            rims = [m ^ ndimage.binary_erosion(m, np.ones((3, 3)), reach) for m in (t == c, p == c)]
            wanted[c] += (rims[0] & rims[1]).sum(), (rims[0] | rims[1]).sum()
    np.testing.assert_allclose(
        assay.boundary_iou(true, predicted, average=None), wanted[:, 0] / wanted[:, 1], rtol=1e-14
    )


# ---- surfaces


def directed(true: Any, predicted: Any, spacing: Any) -> tuple[Any, Any]:
    """Distances between edge pixels by scipy's distance transform."""
    ndimage = pytest.importorskip("scipy.ndimage")
    edges = [m ^ ndimage.binary_erosion(m) for m in (true, predicted)]
    far = [ndimage.distance_transform_edt(~edge, sampling=spacing) for edge in edges]
    return far[1][edges[0]], far[0][edges[1]]


@pytest.mark.parametrize(
    ("size", "spacing"), [((40, 50), (1.0, 1.0)), ((40, 50), (1.3, 0.4)), ((12, 20, 16), (2.0, 0.7, 1.1))]
)
def test_surfaces_by_scipy(size: tuple[int, ...], spacing: tuple[float, ...]) -> None:
    true, predicted = blobs(3, size=size)
    pairs = [directed(t, p, spacing) for t, p in zip(true, predicted, strict=True)]
    for percent in (100, 95, 50):
        wanted = np.mean([max(np.percentile(a, percent), np.percentile(b, percent)) for a, b in pairs])
        assert assay.hausdorff(true, predicted, spacing=spacing, percentile=percent) == pytest.approx(wanted, rel=1e-12)
    wanted = np.mean([np.concatenate(pair).mean() for pair in pairs])
    assert assay.average_surface_distance(true, predicted, spacing=spacing) == pytest.approx(wanted, rel=1e-12)
    wanted = np.mean([(a.mean() + b.mean()) / 2 for a, b in pairs])
    assert assay.mean_average_surface_distance(true, predicted, spacing=spacing) == pytest.approx(wanted, rel=1e-12)
    wanted = np.mean([(np.concatenate(pair) <= 1.5).mean() for pair in pairs])
    assert assay.normalized_surface_dice(true, predicted, spacing=spacing, tolerance=1.5) == pytest.approx(
        wanted, rel=1e-12
    )


@pytest.mark.parametrize("norm", ["taxicab", "chessboard"])
@pytest.mark.parametrize("size", [(40, 50), (12, 20, 16)])
def test_directed_distances_of_other_norms_by_scipy(norm: Any, size: tuple[int, ...]) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    true, predicted = blobs(3, size=size)
    forth, back = [], []
    for t, p in zip(true, predicted, strict=True):
        edges = [m ^ ndimage.binary_erosion(m) for m in (t, p)]
        far = [ndimage.distance_transform_cdt(~edge, metric=norm) for edge in edges]
        forth.append(far[1][edges[0]])
        back.append(far[0][edges[1]])
    options: dict[str, Any] = {"norm": norm}
    for direction, sides in (("from_truth", forth), ("to_truth", back)):
        wanted = np.mean([side.max() for side in sides])
        assert assay.hausdorff(true, predicted, direction=direction, **options) == pytest.approx(wanted, rel=1e-12)
    wanted = np.mean([max(a.max(), b.max()) for a, b in zip(forth, back, strict=True)])
    assert assay.hausdorff(true, predicted, **options) == pytest.approx(wanted, rel=1e-12)
    wanted = np.mean([(a.mean() + b.mean()) / 2 for a, b in zip(forth, back, strict=True)])
    assert assay.mean_average_surface_distance(true, predicted, **options) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_boundary_f1_by_scipy(seed: int) -> None:
    true, predicted = blobs(seed)
    for tolerance, unit, limit in ((2, "pixels", 2.0), (0.0075, "diagonal", 0.0075 * math.hypot(40, 50))):
        scores = []
        for t, p in zip(true, predicted, strict=True):
            recall, precision = ((d <= limit).mean() for d in directed(t, p, (1, 1)))
            scores.append(2 * precision * recall / (precision + recall))
        got = assay.boundary_f1(true, predicted, tolerance=tolerance, unit=unit)
        assert got == pytest.approx(np.mean(scores), rel=1e-12)


@pytest.mark.parametrize("metric", ["dice", "mean_iou"])
def test_overlaps_without_background_of_monai(metric: str) -> None:
    torch = pytest.importorskip("torch")
    monai = pytest.importorskip("monai.metrics")
    true, predicted = maps(8)
    true[0][true[0] == 4], predicted[0][predicted[0] == 4] = 0, 0  # a class that an image lacks
    hot = [torch.nn.functional.one_hot(torch.tensor(m), 5).movedim(-1, 1) for m in (predicted, true)]
    call = {"dice": monai.compute_dice, "mean_iou": monai.compute_iou}[metric]
    theirs = call(*hot, include_background=False).double().numpy()  # (images, classes)
    ours = getattr(assay, metric)
    assert ours(true, predicted, background=0, level="image") == pytest.approx(
        np.nanmean(theirs, axis=1).mean(), rel=1e-6
    )
    each = ours(true, predicted, background=0, level="image", average=None)
    np.testing.assert_allclose(each, np.nanmean(theirs, axis=0), rtol=1e-6)
    whole = ours(true, predicted, average=None)
    assert ours(true, predicted, background=0) == pytest.approx(np.mean(np.asarray(whole)[1:]))


def test_surfaces_of_all_classes_but_the_background() -> None:
    true, predicted = (m.astype(int) + 3 * (np.indices(m.shape)[1] > 30) for m in blobs(5))
    for metric in (assay.hausdorff, assay.average_surface_distance):
        named = metric(true, predicted, classes=(1, 3, 4), missed="diagonal")
        assert metric(true, predicted, missed="diagonal") == named
    assert assay.hausdorff(true, predicted, background=None) == assay.hausdorff(true, predicted, classes=(0, 1, 3, 4))
    masked = np.where(true == 3, 255, true)
    assert assay.boundary_f1(masked, predicted, ignore_index=255) == assay.boundary_f1(
        masked, predicted, classes=(1, 3, 4), ignore_index=255
    )


@pytest.mark.parametrize("spacing", [None, (2.0, 0.5)])
def test_surfaces_of_monai(spacing: Any) -> None:
    torch = pytest.importorskip("torch")
    monai = pytest.importorskip("monai.metrics")
    true, predicted = blobs(5)
    t, p = (torch.tensor(m[:, None].astype(np.float32)) for m in (true, predicted))
    options: dict[str, Any] = {"include_background": True, "spacing": spacing}
    ours: dict[str, Any] = {"spacing": spacing}
    for percent in (None, 95):
        theirs = float(monai.compute_hausdorff_distance(p, t, percentile=percent, **options).mean())
        assert assay.hausdorff(true, predicted, percentile=percent or 100, **ours) == pytest.approx(theirs, rel=1e-5)
    for symmetric, direction in ((True, "both"), (False, "to_truth")):
        theirs = float(monai.compute_average_surface_distance(p, t, symmetric=symmetric, **options).mean())
        assert assay.average_surface_distance(true, predicted, direction=direction, **ours) == pytest.approx(
            theirs, rel=1e-5
        )
    theirs = float(monai.compute_surface_dice(p, t, class_thresholds=[1.5], **options).mean())
    assert assay.normalized_surface_dice(true, predicted, tolerance=1.5, **ours) == pytest.approx(theirs, rel=1e-5)


@pytest.fixture
def surface_distance(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The package as published asks for names that NumPy and SciPy have dropped since."""
    package = pytest.importorskip("surface_distance")
    from scipy import ndimage

    if not hasattr(np, "Inf"):
        monkeypatch.setattr(np, "Inf", np.inf, raising=False)
    if not hasattr(ndimage, "filters"):
        monkeypatch.setattr(ndimage, "filters", ndimage, raising=False)
    return package.metrics


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("size", "spacing"), [((40, 50), (1.3, 0.4)), ((12, 20, 16), (2.0, 0.7, 1.1))])
def test_surfels_of_surface_distance(surface_distance: Any, size: tuple[int, ...], spacing: tuple[float, ...]) -> None:
    true, predicted = blobs(11, n=2, size=size)
    for t, p in zip(true, predicted, strict=True):
        found = surface_distance.compute_surface_distances(t, p, spacing)
        ours: dict[str, Any] = {"spacing": spacing, "surface": "surfels"}
        for percent in (100, 95, 50):
            wanted = surface_distance.compute_robust_hausdorff(found, percent)
            assert assay.hausdorff(t[None], p[None], percentile=percent, **ours) == pytest.approx(wanted, rel=1e-12)
        for direction, wanted in zip(
            ("from_truth", "to_truth"), surface_distance.compute_average_surface_distance(found), strict=True
        ):
            got = assay.average_surface_distance(t[None], p[None], direction=direction, **ours)
            assert got == pytest.approx(wanted, rel=1e-12)
        wanted = surface_distance.compute_surface_dice_at_tolerance(found, 1.2)
        assert assay.normalized_surface_dice(t[None], p[None], tolerance=1.2, **ours) == pytest.approx(
            wanted, rel=1e-12
        )


def test_areas_of_all_surface_elements() -> None:
    tables = pytest.importorskip("surface_distance").lookup_tables
    from assay.metrics.segmentation.surfels import areas

    for spacing in ((1.0, 1.0, 1.0), (2.0, 0.7, 1.3)):
        np.testing.assert_allclose(
            areas(spacing), tables.create_table_neighbour_code_to_surface_area(spacing), rtol=1e-13
        )
    np.testing.assert_allclose(
        areas((2.0, 0.7)), tables.create_table_neighbour_code_to_contour_length((2.0, 0.7)), rtol=1e-13
    )


def surface_cases() -> list[dict[str, Any]]:
    return load_json(*FOLDER, "expected.json")["cases"]


@pytest.mark.parametrize("which", range(10))
def test_published_surface_distances(which: int) -> None:
    case = surface_cases()[which]
    with np.load(path(*FOLDER, "masks.npz")) as masks:
        true, predicted = (masks[f"{case['name']}_{side}"][None] for side in ("gt", "pred"))
    wanted, ours = case["expected"], {"spacing": tuple(map(float, case["spacing_mm"])), "surface": "surfels"}
    if "hausdorff_100" not in wanted:
        pytest.skip("this case publishes surface elements only")
    both = case["name"].endswith("both_empty")
    for percent in (100, 95):  # they call the distance of two empty masks infinite; here it does not exist
        expected = math.nan if both else wanted[f"hausdorff_{percent}"]
        assert assay.hausdorff(true, predicted, percentile=percent, **ours) == pytest.approx(
            expected, abs=1e-3, nan_ok=True
        )
    dice = assay.normalized_surface_dice(true, predicted, tolerance=1, **ours)
    assert dice == pytest.approx(wanted["surface_dice_at_1mm"], abs=1e-3, nan_ok=True)
    if not both and not case["name"].endswith(("empty_gt", "empty_pred")):
        for direction, expected in zip(("from_truth", "to_truth"), wanted["average_surface_distance"], strict=True):
            got = assay.average_surface_distance(true, predicted, direction=direction, **ours)
            assert got == pytest.approx(expected, abs=1e-3)
    volume = assay.dice(true.astype(int), predicted.astype(int), classes=2, average=None)[1]
    assert volume == pytest.approx(wanted["volumetric_dice"], abs=1e-3, nan_ok=True)


# ---- panoptic quality; more in tests/segmentation


def test_torchmetrics_where_nothing_is_left_open() -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.detection")
    rng = np.random.default_rng(0)
    true = np.stack([rng.integers(0, 3, (4, 5, 5)), rng.integers(0, 2, (4, 5, 5))], axis=-1).repeat(4, 1).repeat(4, 2)
    predicted = np.roll(true, 1, axis=1)
    wanted = functional.panoptic_quality(torch.tensor(predicted), torch.tensor(true), things={0, 1}, stuffs={2})
    assert assay.panoptic_quality(true, predicted, things=(0, 1)) == pytest.approx(float(wanted), abs=1e-6)
