"""COCO's numbers against pycocotools: the published set, made sets with everything that is rare, and the readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
import facts
import fixtures
from assay.io.coco import read_coco
from assay.metrics import COCO, AverageRecall
from coco_oracle import oracle, ours


@pytest.mark.parametrize(("kind", "file"), [("bbox", "fakebbox100_results.json"), ("segm", "fakesegm100_results.json")])
def test_the_published_numbers(kind: Any, file: str) -> None:
    folder = fixtures.path("01_detection", "coco_val2014_100")
    truth = json.loads((folder / "instances_val2014_100.json").read_text())
    results = json.loads((folder / file).read_text())
    found = ours(*read_coco(folder / "instances_val2014_100.json", folder / file, kind), kind)
    np.testing.assert_allclose(found, [facts.COCO[kind][name] for name in facts.COCO_NAMES], atol=1e-10)
    np.testing.assert_allclose(found, oracle(truth, results, kind).stats, atol=1e-12)


# ---- made sets: crowds, ties, empty images, boxes without area or outside, many detections, classes without truth


def _boxes(draw: Any, rng: Any, n: int) -> list[list[float]]:
    kinds = draw(st.sampled_from(["whole", "halves", "real"]))
    size = rng.integers(0, 60, (n, 4)).astype(float) if kinds != "real" else rng.random((n, 4)) * 60
    size = size / 2 if kinds == "halves" else size
    size[:, :2] -= 10  # some begin outside of the image
    return np.maximum(size, [-10, -10, 0, 0]).tolist()


@st.composite
def sets(draw: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    images, classes = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    truth: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    many = draw(st.booleans())
    for image in range(images):
        n = int(rng.integers(0, 6)) if rng.random() < 0.8 else 0
        own = _boxes(draw, rng, n)
        for box in own:
            # Large areas now and then, so that every range of sizes has something.
            area = float(box[2] * box[3] * rng.choice([0.5, 1, 40]))
            label = int(rng.integers(1, classes + 1))
            crowd = int(rng.random() < 0.2)
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": image,
                    "category_id": label,
                    "bbox": box,
                    "area": area,
                    "iscrowd": crowd,
                }
            )
        for _ in range(int(rng.integers(0, 130 if many else 8))):
            if n and rng.random() < 0.6:
                base = np.array(own[int(rng.integers(n))]) + rng.choice([0, 1, 4]) * np.round(rng.normal(0, 1, 4), 1)
                box = [*base[:2].tolist(), *np.maximum(base[2:], 0).tolist()]
            else:
                box = _boxes(draw, rng, 1)[0]
            score = float(rng.choice([0.5, 0.25, rng.random()]))  # ties
            results.append(
                {"image_id": image, "category_id": int(rng.integers(1, classes + 1)), "bbox": box, "score": score}
            )
    whole = {
        "images": [{"id": i, "width": 64, "height": 64} for i in range(images)],
        "annotations": truth,
        "categories": [{"id": k, "name": str(k)} for k in range(1, classes + 1)],
    }
    return whole, results


def _read(tmp: Path, truth: dict[str, Any], results: list[dict[str, Any]], kind: Any = "bbox") -> tuple[Any, Any]:
    (tmp / "gt.json").write_text(json.dumps(truth))
    (tmp / "dt.json").write_text(json.dumps(results))
    return read_coco(tmp / "gt.json", tmp / "dt.json", kind)


@settings(max_examples=150, deadline=None)
@given(case=sets())
def test_made_sets_agree_to_rounding(case: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    truth, results = case
    found = ours(*_read(tmp_path_factory.mktemp("coco"), truth, results))
    np.testing.assert_allclose(found, oracle(truth, results, "bbox").stats, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(case=sets(), seed=st.integers(0, 999))
def test_made_masks_agree_to_rounding(case: Any, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    truth, results = case
    rng = np.random.default_rng(seed)
    for record in (*truth["annotations"], *results):
        x, y, w, h = record["bbox"]
        corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) + rng.normal(0, 2, (4, 2)).round(1)
        record["segmentation"] = [corners.reshape(-1).tolist()]
    results = [{k: v for k, v in r.items() if k != "bbox"} for r in results]
    from pycocotools import mask

    for result in results:  # results come as strings of runs
        runs = mask.frPyObjects(result["segmentation"], 64, 64)[0]
        result["segmentation"] = {"size": runs["size"], "counts": runs["counts"].decode()}
    found = ours(*_read(tmp_path_factory.mktemp("coco"), truth, results, "segm"), "segm")
    np.testing.assert_allclose(found, oracle(truth, results, "segm").stats, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(case=sets(), seed=st.integers(0, 999))
def test_made_poses_agree_to_rounding(case: Any, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    truth, results = case
    rng = np.random.default_rng(seed)
    for record in (*truth["annotations"], *results):
        x, y, w, h = record["bbox"]
        points = np.stack([x + w * rng.random(17), y + h * rng.random(17), rng.integers(0, 3, 17)], axis=1)
        if rng.random() < 0.2:
            points[:, 2] = 0
        record["keypoints"] = points.reshape(-1).tolist()
        record["num_keypoints"] = int((points[:, 2] > 0).sum())
    for record, base in zip(results, rng.permutation(len(truth["annotations"])), strict=False):
        shift = np.array([*rng.normal(0, 1, 2), 0])
        moved = np.array(truth["annotations"][base]["keypoints"]).reshape(17, 3) + shift
        record["keypoints"] = moved.reshape(-1).tolist()
    results = [{k: v for k, v in r.items() if k != "bbox"} for r in results]
    found = ours(*_read(tmp_path_factory.mktemp("coco"), truth, results, "keypoints"), "keypoints")
    np.testing.assert_allclose(found, oracle(truth, results, "keypoints").stats, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(case=sets())
def test_other_thresholds_sizes_and_caps(case: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    truth, results = case
    ious, caps = (0.1, 0.33, 0.6, 0.85), [3, 7, 40]
    sizes = [[0, 1e5**2], [0, 400], [100, 1600]]
    evaluator = oracle(
        truth, results, "bbox", iouThrs=np.array(ious), maxDets=caps, areaRng=sizes, areaRngLbl=["all", "tiny", "some"]
    )
    y_true, y_pred = _read(tmp_path_factory.mktemp("coco"), truth, results)
    named = (("all", 0.0, 1e10), ("tiny", 0.0, 400.0), ("some", 100.0, 1600.0))
    for a, size in enumerate(("all", "tiny", "some")):
        for m, cap in enumerate(caps):
            table = evaluator.eval["precision"][:, :, :, a, m]
            want = table[table > -1].mean() if (table > -1).any() else np.nan
            metric = COCO(
                iou_thresholds=ious,
                area_ranges=named,
                max_detection_thresholds=tuple(caps),
                area_range=size,
                max_detections=cap,
            )
            got = metric.finalize(metric.statistic().of(metric.inputs(y_true, y_pred)))
            np.testing.assert_allclose(got, want, atol=1e-12, equal_nan=True)
            recalls = evaluator.eval["recall"][:, :, a, m]
            want = recalls[recalls > -1].mean() if (recalls > -1).any() else np.nan
            recall = AverageRecall(
                iou_thresholds=ious,
                area_ranges=named,
                max_detection_thresholds=tuple(caps),
                area_range=size,
                max_detections=cap,
            )
            got = recall.finalize(recall.statistic().of(recall.inputs(y_true, y_pred)))
            np.testing.assert_allclose(got, want, atol=1e-12, equal_nan=True)


# ---- the house


def _images(rng: Any, n: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    truth, found = [], []
    for _ in range(n):
        count = int(rng.integers(1, 5))
        corner = rng.random((count, 2)) * 100
        boxes = np.concatenate([corner, corner + 10 + rng.random((count, 2)) * 50], axis=1)
        labels = rng.integers(0, 3, count)
        truth.append({"boxes": boxes, "labels": labels})
        moved = np.concatenate([boxes + rng.normal(0, 3, boxes.shape), boxes + rng.normal(0, 25, boxes.shape)])
        moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2])
        found.append({"boxes": moved, "labels": np.concatenate([labels, labels]), "scores": rng.random(2 * count)})
    return truth, found


def test_mappings_of_images_are_the_files() -> None:
    truth, found = _images(np.random.default_rng(0), 12)
    anns: list[dict[str, Any]] = [
        {"image_id": i, "category_id": int(c), "bbox": [b[0], b[1], b[2] - b[0], b[3] - b[1]], "iscrowd": 0}
        for i, image in enumerate(truth)
        for b, c in zip(image["boxes"].tolist(), image["labels"], strict=True)
    ]
    for at, ann in enumerate(anns):
        ann |= {"id": at + 1, "area": ann["bbox"][2] * ann["bbox"][3]}
    results = [
        {"image_id": i, "category_id": int(c), "bbox": [b[0], b[1], b[2] - b[0], b[3] - b[1]], "score": float(s)}
        for i, image in enumerate(found)
        for b, c, s in zip(image["boxes"].tolist(), image["labels"], image["scores"], strict=True)
    ]
    whole = {"images": [{"id": i} for i in range(12)], "annotations": anns, "categories": [{"id": k} for k in range(3)]}
    np.testing.assert_allclose(ours(truth, found), oracle(whole, results, "bbox").stats, atol=1e-12)
    as_text = [{**image, "labels": [f"class {k}" for k in image["labels"]]} for image in truth]
    found_text = [{**image, "labels": [f"class {k}" for k in image["labels"]]} for image in found]
    assert COCO()(as_text, found_text) == pytest.approx(COCO()(truth, found))


def test_states_of_batches_add_up_and_weights_are_copies() -> None:
    truth, found = _images(np.random.default_rng(1), 20)
    metric = COCO()
    whole = metric(truth, found)
    parts = metric.state(truth[:7], found[:7]) + metric.state(truth[7:], found[7:])
    assert parts.value() == pytest.approx(whole)
    weight = np.arange(20) % 3
    copies = [i for i, w in enumerate(weight) for _ in range(w)]
    assert metric(truth, found, weight=weight) == pytest.approx(
        metric([truth[i] for i in copies], [found[i] for i in copies])
    )
    assert assay.State.from_bytes(parts.to_bytes()).value() == pytest.approx(whole)


def test_replicates_match_without_matching_again() -> None:
    """The walk over several replicates at once gives what each weight alone gives."""
    truth, found = _images(np.random.default_rng(2), 30)
    weights = np.random.default_rng(3).multinomial(30, np.full(30, 1 / 30), size=11)
    for metric in (COCO(), COCO(iou=0.5), COCO(area_range="small"), COCO(max_detections=10), AverageRecall()):
        want = [metric(truth, found, weight=w) for w in weights]
        np.testing.assert_allclose(metric.replicates(weights, truth, found), want, atol=1e-12)


def test_classes_stand_beside_the_mean() -> None:
    truth, found = _images(np.random.default_rng(4), 20)
    score = COCO().score(truth, found)
    assert set(score.parts) == {0, 1, 2}
    assert float(score) == pytest.approx(np.mean(list(score.parts.values())))
    found[0]["labels"][0] = 7
    noted = COCO().score(truth, found)
    assert noted.notes == {"detections of classes without ground truth, left out": 1.0}


def test_two_detectors_on_the_same_images() -> None:
    rng = np.random.default_rng(5)
    truth, good = _images(rng, 40)
    bad = [{**image, "boxes": image["boxes"] + rng.normal(0, 6, image["boxes"].shape)} for image in good]
    for image in bad:
        image["boxes"][:, 2:] = np.maximum(image["boxes"][:, 2:], image["boxes"][:, :2])
    result = COCO().compare(truth, good, bad, replicates=300)
    assert result.effect > 0
    assert result.p is not None
    assert result.p < 0.05
    assert "bootstrap" in str(result.method)
