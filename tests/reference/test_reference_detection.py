"""Detection beside what others publish or compute: Padilla's VOC values, faster-coco-eval, tidecv, scikit-learn, torchmetrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
import facts
import fixtures
import tide_oracle
from assay.io.coco import read_coco
from assay.io.voc import read_voc
from assay.metrics.detection import errors
from assay.metrics.detection.confusion import DetectionConfusion
from assay.metrics.detection.overlaps import box_iou_matrix
from tide_oracle import crowded

VOC = ("01_detection", "padilla_voc_case1")
SMALL = ("01_detection", "fce_small")


# ---- coco and average_recall


@pytest.mark.filterwarnings("ignore::assay.core.errors.UndefinedWarning")  # some classes have no truth
@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_coco_and_average_recall(kind: Any) -> None:
    """The official fake results on a hundred images of COCO."""
    where = fixtures.path("01_detection", "coco_val2014_100")
    pair = read_coco(where / "instances_val2014_100.json", where / f"fake{kind}100_results.json", kind)
    wanted = facts.COCO[kind]
    assert assay.coco(*pair, iou_type=kind) == pytest.approx(wanted["AP"], abs=1e-10)
    assert assay.coco(*pair, iou_type=kind, iou=0.75) == pytest.approx(wanted["AP75"], abs=1e-10)
    assert assay.average_recall(*pair, iou_type=kind) == pytest.approx(wanted["AR100"], abs=1e-10)
    assert assay.average_recall(*pair, iou_type=kind, max_detections=10) == pytest.approx(wanted["AR10"], abs=1e-10)


# ---- average_precision_voc


@pytest.mark.parametrize("iou", ["0.1", "0.3", "0.5", "0.75"])
@pytest.mark.parametrize(("points", "name"), [("eleven", "AP_11point"), ("all", "AP_every_point")])
def test_average_precision_voc(points: Any, name: str, iou: str) -> None:
    where = fixtures.path(*VOC)
    pair = read_voc(where / "gts", where / "dets", layout="images", box_format="xywh")
    wanted = fixtures.load_json(*VOC, "expected.json")[name][iou]
    assert assay.average_precision_voc(*pair, points=points, iou=float(iou)) == pytest.approx(
        wanted, abs=1e-10
    )  # ten digits, cut off


# ---- detection_confusion


def test_detection_confusion_of_masks() -> None:
    """Masks of faster-coco-eval's own test; it keeps false alarms and misses in two columns behind the classes."""
    where = fixtures.path(*SMALL)
    table = DetectionConfusion(iou_type="segm")(
        *read_coco(where / "gt_dataset.json", where / "dt_dataset.json", "segm")
    )
    expected = fixtures.load_json(*SMALL, "expected.json")
    wanted = np.array(expected["confusion_matrix segm iou 0.5 useCats=False rows=gt cat, cols=pred cats + fn..."])
    np.testing.assert_array_equal(table.table[:-1, :-1], wanted[:, :-2])
    np.testing.assert_array_equal(table.table[-1, :-1], wanted[:, -2])
    np.testing.assert_array_equal(table.table[:-1, -1], wanted[:, -1])
    assert table.table[-1, -1] == 0


@pytest.mark.parametrize("seed", range(4))
def test_faster_coco_eval_pairs_alike(seed: int) -> None:
    truth, found = crowded(seed)
    table = DetectionConfusion(box_format="xywh")(truth, found)
    np.testing.assert_array_equal(_as_theirs(table.table), _faster(truth, found))


def _as_theirs(table: Any) -> Any:
    return np.concatenate([table[:-1, :-1], table[-1:, :-1].T, table[:-1, -1:]], axis=1)


def _faster(truth: list[dict], found: list[dict]) -> Any:
    package = pytest.importorskip("faster_coco_eval")
    from faster_coco_eval.extra import PreviewResults

    objects, results = [], []
    for image, (there, seen) in enumerate(zip(truth, found, strict=True)):
        for label, box in zip(there["labels"].tolist(), there["boxes"].tolist(), strict=True):
            own = {"id": len(objects) + 1, "image_id": image, "category_id": label, "bbox": box, "iscrowd": 0}
            objects.append({**own, "area": box[2] * box[3]})
        for label, box, score in zip(seen["labels"].tolist(), seen["boxes"].tolist(), seen["scores"], strict=True):
            results.append({"image_id": image, "category_id": label, "bbox": box, "score": float(score)})
    gt = package.COCO(
        {
            "images": [{"id": i, "width": 200, "height": 200} for i in range(len(truth))], "annotations": objects,
            "categories": [{"id": k, "name": str(k)} for k in range(3)],
        }
    )  # fmt: skip
    shown = PreviewResults(gt, gt.loadRes(results), iouType="bbox", iou_tresh=0.5, useCats=False)
    return shown.compute_confusion_matrix()


# ---- box_iou


@pytest.mark.parametrize("kind", ["iou", "giou", "diou", "ciou"])
def test_box_iou(kind: Any) -> None:
    true, found = np.array(facts.BOXES_TRUE), np.array(facts.BOXES_PREDICTED)
    # Five hundred-thousandths of rounding in four digits, and of the eps that torchvision adds to its divisors.
    assert assay.box_iou(true, found, kind=kind) == pytest.approx(facts.BOX_MEANS[kind], abs=5.1e-5)
    each = [[assay.box_iou(t[None], p[None], kind=kind) for t in true] for p in found]
    np.testing.assert_allclose(each, facts.BOX_OVERLAPS[kind], atol=6e-5)


def test_box_iou_matrix() -> None:
    found = box_iou_matrix(facts.BOXES_PREDICTED, facts.BOXES_TRUE)
    np.testing.assert_allclose(found, facts.BOX_OVERLAPS["iou"], atol=5.1e-5)


# ---- detection_errors and detection_error_cost


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_detection_error_cost(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, found = crowded(seed, images=20)
    costs, counts, _ = tide_oracle.costs(truth, found, 0.5, 0.1)
    monkeypatch.setattr(errors, "LEVELS", np.arange(101) / 100)  # tidecv's levels, which differ from COCO's by rounding
    table = assay.detection_errors(truth, found, box_format="xywh")
    assert {name: table.count[name] for name in counts} == counts
    for error, wanted in costs.items():
        got = assay.detection_error_cost(truth, found, error=error, box_format="xywh")
        assert got == pytest.approx(wanted, abs=1e-12)


# ---- detection_curve


def test_detection_curve() -> None:
    """With one truth an image, all of them found, the curve is that of a classifier of detections into right and wrong."""
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    n = 40
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]} for _ in range(n)]
    boxes, scores = [[0, 0, 10, 10], [50, 0, 60, 10]], rng.integers(0, 30, (n, 2)) / 30
    found = [{"boxes": boxes, "labels": [1, 1], "scores": pair} for pair in scores]
    right = np.tile([1, 0], n)
    precision, recall, threshold = sklearn.precision_recall_curve(right, scores.reshape(-1))
    curve = assay.detection_curve(truth, found)[1]
    np.testing.assert_allclose(curve.precision, precision[:-1][::-1])
    np.testing.assert_allclose(curve.recall, recall[:-1][::-1])
    np.testing.assert_allclose(curve.threshold, threshold[::-1])


def test_mask_ap_is_the_published_number_of_masks() -> None:
    folder = fixtures.path("01_detection", "coco_val2014_100")
    pair = read_coco(folder / "instances_val2014_100.json", folder / "fakesegm100_results.json", "segm")
    with pytest.warns(assay.UndefinedWarning):  # some classes have no object here
        assert assay.mask_ap(*pair) == pytest.approx(facts.COCO["segm"]["AP"], abs=1e-10)
