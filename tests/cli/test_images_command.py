"""`assay score` and `assay compare` of images, as users type them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assay.cli import run


def call(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    code = run([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def coco(tmp_path: Path) -> dict[str, Path]:
    rng = np.random.default_rng(0)
    truth: list[dict[str, Any]] = []
    results: dict[str, list[dict[str, Any]]] = {"good": [], "bad": []}
    for image in range(30):
        for _ in range(4):
            x, y, w, h = (rng.random(4) * [200, 200, 60, 60] + [0, 0, 20, 20]).tolist()
            label = int(rng.integers(1, 3))
            truth.append(
                {
                    "id": len(truth) + 1,
                    "image_id": image,
                    "category_id": label,
                    "bbox": [x, y, w, h],
                    "area": w * h,
                    "iscrowd": 0,
                }
            )
            for name, off in (("good", 2.0), ("bad", 9.0)):
                box = [x + rng.normal(0, off), y + rng.normal(0, off), w, h]
                results[name].append(
                    {"image_id": image, "category_id": label, "bbox": box, "score": float(rng.random())}
                )
    whole = {
        "images": [{"id": i} for i in range(30)],
        "annotations": truth,
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    }
    paths = {"truth": tmp_path / "gt.json", **{name: tmp_path / f"{name}.json" for name in results}}
    paths["truth"].write_text(json.dumps(whole))
    for name, found in results.items():
        paths[name].write_text(json.dumps(found))
    return paths


def test_detection_from_files(capsys: Any, coco: dict[str, Path]) -> None:
    code, out, _ = call(capsys, "score", coco["truth"], coco["good"], "--task", "detection", "--replicates", "100")
    assert code == 0
    for text in ("coco", "average_recall", "cat", "dog", "bias-corrected bootstrap"):
        assert text in out
    code, out, _ = call(capsys, "score", coco["truth"], coco["good"], "--task", "detection", "--no-intervals", "--json")
    data = json.loads(out)
    assert set(data["scores"]["coco"]["parts"]) == {"cat", "dog"}
    assert data["support"].keys() == {"cat", "dog"}


def test_two_detectors(capsys: Any, coco: dict[str, Path]) -> None:
    code, out, _ = call(
        capsys,
        "compare",
        coco["truth"],
        coco["good"],
        coco["bad"],
        "--task",
        "detection",
        "-m",
        "coco",
        "--replicates",
        "100",
    )
    assert code == 0
    assert "good is best by coco" in " ".join(out.split())


def test_limits_and_refusals(capsys: Any, coco: dict[str, Path], tmp_path: Path) -> None:
    code, _, err = call(
        capsys,
        "score",
        coco["truth"],
        coco["bad"],
        "--task",
        "detection",
        "--no-intervals",
        "--fail-under",
        "coco=0.99",
    )
    assert code == 1
    assert "coco" in err
    for arguments, words in (
        (["score", coco["truth"], "--task", "detection"], "takes the truth and the predictions"),
        (["score", coco["truth"], coco["good"]], "two files were named"),
        (
            ["score", coco["truth"], coco["good"], "--task", "detection", "--truth", "y"],
            "does not apply to --task detection",
        ),
        (["score", coco["truth"], coco["good"], "--task", "detection", "--iou-type", "boxes"], "--iou-type"),
        (["score", coco["truth"], coco["good"], "--task", "detection", "--iou-type", "segm"], "has no segmentation"),
        (["score", coco["truth"], tmp_path / "none.json", "--task", "detection"], "no such file"),
        (["compare", coco["truth"], coco["good"], "--task", "detection"], "two models"),
        (["score", tmp_path / "a", tmp_path / "b", "--task", "image_generation"], "cannot be read"),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert words in err
    broken = tmp_path / "broken.json"
    broken.write_text(coco["good"].read_text()[:-200])
    code, _, err = call(capsys, "score", coco["truth"], broken, "--task", "detection")
    assert code == 2
    assert "ends in the middle" in err or "not valid JSON" in err


def test_label_maps_and_pictures_in_folders(capsys: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for side in ("refs", "preds"):
        (tmp_path / side).mkdir()
    for at in range(12):
        true = rng.integers(0, 3, (16, 16)).astype(np.uint8)
        Image.fromarray(true).save(tmp_path / "refs" / f"{at}.png")
        Image.fromarray(np.where(rng.random((16, 16)) < 0.2, 1, true).astype(np.uint8)).save(
            tmp_path / "preds" / f"{at}.png"
        )
    code, out, _ = call(capsys, "score", tmp_path / "refs", tmp_path / "preds", "--task", "segmentation")
    assert code == 0
    assert "mean_iou" in out
    code, out, _ = call(
        capsys,
        "score",
        tmp_path / "refs",
        tmp_path / "preds",
        "--task",
        "segmentation",
        "--ignore-index",
        "2",
        "--json",
    )
    assert code == 0
    usual = json.loads(out)["scores"]["mean_iou"]["value"]
    code, out, _ = call(
        capsys, "score", tmp_path / "refs", tmp_path / "preds", "--task", "segmentation", "--ignore-index", "2", "--json",
        "-m", "mean_iou", "-m", "hausdorff:missed=diagonal",
    )  # fmt: skip
    assert json.loads(out)["scores"]["mean_iou"]["value"] == usual  # a metric that is named is told what to ignore, too
    code, out, _ = call(capsys, "score", tmp_path / "refs", tmp_path / "preds", "--task", "image_quality")
    assert code == 0
    assert "psnr" in out


def test_samples_of_features(capsys: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    np.save(tmp_path / "real.npy", rng.normal(size=(300, 4)))
    np.save(tmp_path / "fake.npy", rng.normal(0.3, 1, size=(200, 4)))
    code, out, _ = call(capsys, "score", tmp_path / "real.npy", tmp_path / "fake.npy", "--task", "image_generation")
    assert code == 0
    for text in ("fid", "kid", "measure=coverage"):
        assert text in out
    for side in ("real", "fake"):
        (tmp_path / side).mkdir()
    code, _, err = call(capsys, "score", tmp_path / "real", tmp_path / "fake", "--task", "image_generation")
    assert code == 2
    assert "pt_inception-2015-12-05" in err


def test_boxes_in_tables_and_in_folders_of_yolo(capsys: Any, tmp_path: Path) -> None:
    """The same boxes in both forms have the same values."""
    rng = np.random.default_rng(3)
    rows: dict[str, list[str]] = {"truth": ["image,label,x1,y1,x2,y2"], "found": ["image,label,x1,y1,x2,y2,score"]}
    for folder in ("images", "truth", "found"):
        (tmp_path / folder).mkdir()
    for image in range(20):
        Image.fromarray(np.zeros((100, 200), np.uint8)).save(tmp_path / "images" / f"i{image}.png")
        texts: dict[str, list[str]] = {"truth": [], "found": []}
        for _ in range(3):
            cx, cy, w, h = rng.integers([40, 30, 10, 10], [160, 70, 40, 40]).tolist()
            for side, off in (("truth", 0), ("found", int(rng.integers(0, 6)))):
                score = [f"{rng.integers(1, 100) / 100}"] if side == "found" else []
                x = cx + off
                rows[side].append(
                    ",".join([f"i{image},1", *map(str, (x - w / 2, cy - h / 2, x + w / 2, cy + h / 2)), *score])
                )
                texts[side].append(" ".join(["1", *map(repr, (x / 200, cy / 100, w / 200, h / 100)), *score]))
        for side, lines in texts.items():
            (tmp_path / side / f"i{image}.txt").write_text("\n".join(lines))
    for side, lines in rows.items():
        (tmp_path / f"{side}.csv").write_text("\n".join(lines))
    values: list[dict[str, Any]] = []
    for sources in (["truth.csv", "found.csv"], ["truth", "found", "--images", str(tmp_path / "images")]):
        paths = [str(tmp_path / source) for source in sources[:2]]
        code, out, err = call(capsys, "score", *paths, *sources[2:], "--task", "detection", "--no-intervals", "--json")
        assert code == 0, err
        values.append({name: score["value"] for name, score in json.loads(out)["scores"].items()})
    assert values[0] == pytest.approx(values[1], nan_ok=True)
    assert 0.2 < values[0]["coco"] < 1
    code, _, err = call(capsys, "score", *paths, "--task", "detection", "--iou-type", "segm")
    assert code == 2
    assert "only COCO's json files hold more than boxes" in err


def test_what_is_meant_is_said(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text(" ")
    for arguments, said in (
        (("score", tmp_path, tmp_path, "--task", "detect"), "Did you mean 'detection'"),
        (("score", tmp_path), "is a folder. For images, name the truth and the predictions"),
        (("score", tmp_path, tmp_path, "--task", "panoptic"), "is a folder. Name the json file"),
        (("score", tmp_path / "empty.json", tmp_path, "--task", "detection"), "empty.json: is empty"),
    ):
        code, _, err = call(capsys, *arguments)
        assert code == 2
        assert said in err


def test_crowdpose_is_asked_for(capsys: Any, tmp_path: Path) -> None:
    """Its truth has no areas: scored with its own rule, or not at all."""
    points = [5.0, 5.0, 2.0] * 14
    person = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 80], "iscrowd": 0, "keypoints": points}
    truth = {"images": [{"id": 1}], "annotations": [person], "categories": [{"id": 1, "name": "person"}]}
    (tmp_path / "gt.json").write_text(json.dumps(truth))
    (tmp_path / "dt.json").write_text(
        json.dumps([{"image_id": 1, "category_id": 1, "keypoints": points, "score": 0.9}])
    )
    base = ["score", tmp_path / "gt.json", tmp_path / "dt.json", "--task", "detection", "--no-intervals", "--json"]
    code, _, err = call(capsys, *base, "--iou-type", "keypoints", "-m", "coco:sigmas=crowdpose")
    assert code == 2
    assert "on the command line --crowdpose gives both" in err
    code, out, _ = call(capsys, *base, "--iou-type", "keypoints", "--crowdpose")
    assert code == 0
    assert json.loads(out)["scores"]["coco"]["value"] == pytest.approx(1)
    code, _, err = call(capsys, *base, "--crowdpose")
    assert code == 2
    assert "--crowdpose is about poses" in err
