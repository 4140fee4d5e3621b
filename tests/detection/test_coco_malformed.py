"""Files and mappings that are wrong, or right in unusual ways: an error that names the record, or the right number; never a wrong one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.io.coco import read_coco
from assay.metrics import COCO
from coco_oracle import oracle
from messages import refusal

TRUTH: dict[str, Any] = {
    "images": [{"id": 1, "height": 80, "width": 100}, {"id": 2, "height": 80, "width": 100}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 2, "image_id": 2, "category_id": 1, "bbox": [30, 10, 20, 30], "area": 600, "iscrowd": 0},
    ],
    "categories": [{"id": 1, "name": "cat"}],
}
FOUND: list[dict[str, Any]] = [
    {"image_id": 1, "category_id": 1, "bbox": [11, 10, 20, 20], "score": 0.9},
    {"image_id": 2, "category_id": 1, "bbox": [30, 12, 20, 30], "score": 0.8},
]


def value(tmp: Path, truth: Any = None, found: Any = None, kind: Any = "bbox") -> float:
    for name, given, plain in (("gt.json", truth, TRUTH), ("dt.json", found, FOUND)):
        text = given if isinstance(given, str | bytes) else json.dumps(plain if given is None else given)
        (tmp / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return float(COCO(iou_type=kind)(*read_coco(tmp / "gt.json", tmp / "dt.json", kind)))


def changed(where: str, at: int, **fields: Any) -> Any:
    truth, found = copy.deepcopy(TRUTH), copy.deepcopy(FOUND)
    (found if where == "found" else truth[where])[at].update(fields)
    return {"found": found} if where == "found" else {"truth": truth}


@pytest.mark.parametrize(
    "change",
    [
        changed("annotations", 0, area=float("nan")),
        changed("annotations", 1, area=-5),
        changed("annotations", 0, iscrowd=256),
        changed("annotations", 0, bbox=[1, 2, -3, 4]),
        changed("annotations", 0, bbox=[1, 2, 3]),
        changed("annotations", 1, image_id=9),
        changed("annotations", 1, category_id=9),
        changed("annotations", 1, image_id=10**19),
        changed("annotations", 1, image_id=1.5),
        changed("categories", 0, id=1.9),
        changed("found", 1, score=float("nan")),
        changed("found", 1, score="high"),
        {"found": "[[1, 2]]"},
        {"found": "[null]"},
        {"found": '{"a": 1}'},
        {"found": json.dumps(FOUND)[:-30]},
        {"found": ""},
        {"truth": json.dumps(TRUTH)[:-40]},
        {"truth": "[]"},
        {"truth": {**TRUTH, "categories": [*TRUTH["categories"], {"id": 1, "name": "dog"}]}},
        {"truth": {**TRUTH, "images": [TRUTH["images"][0]] * 2}},
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    with refusal(assay.InputError):
        value(tmp_path, **change)


@pytest.mark.parametrize(
    "damage",
    ['"foo": bar baz', '"foo": [1}', '"foo": tru', '"foo": 1 2', '"foo": "a" "b"'],
)
def test_damaged_json_is_never_scored(tmp_path: Path, damage: str) -> None:
    text = json.dumps(FOUND).replace('"score": 0.9', f'{damage}, "score": 0.9')
    with refusal(assay.InputError):
        value(tmp_path, found=text)
    for number in ("01", "1.", "+1", ".5", "1e", "--1", "0x1"):
        with pytest.raises(assay.InputError):
            value(tmp_path, found=json.dumps(FOUND).replace('"score": 0.9', f'"score": {number}'))


def test_unusual_but_valid_json_is_read(tmp_path: Path) -> None:
    want = value(tmp_path)
    assert 0.5 < want < 1
    extra = [{"note": {"a": [1, {"b": "}],{"}]}, **one, "é": 'ü\\"', "flag": None, "yes": True} for one in FOUND]
    assert value(tmp_path, found=extra) == want
    assert value(tmp_path, found=json.dumps(FOUND, indent=3).replace("\n", "\r\n")) == want
    assert value(tmp_path, found=b"\xef\xbb\xbf" + json.dumps(FOUND).encode()) == want
    assert value(tmp_path, truth=json.dumps(TRUTH).encode("utf-16")) == want
    assert value(tmp_path, found=json.dumps(FOUND).replace("0.9", "9.0e-1").replace("0.8", "8E-1")) == want
    assert value(tmp_path, found=[dict(reversed(list(one.items()))) for one in FOUND]) == want
    assert value(tmp_path, found=json.dumps(FOUND).replace('"image_id": 2', '"image_id": 2.0')) == want


def test_large_ids_are_exact(tmp_path: Path) -> None:
    base = 10**17
    truth, found = copy.deepcopy(TRUTH), copy.deepcopy(FOUND)
    for record in (*truth["annotations"], *found):
        record["image_id"] += base
    for image in truth["images"]:
        image["id"] += base
    assert value(tmp_path, truth, found) == value(tmp_path)
    found[0]["image_id"] += 16
    with refusal(assay.InputError):
        value(tmp_path, truth, found)


def _runs(size: tuple[int, int]) -> dict[str, Any]:
    from pycocotools import mask

    pixels = np.zeros(size, np.uint8, order="F")
    pixels[10:30, 10:30] = 1
    runs = mask.encode(pixels)
    return {"size": list(size), "counts": runs["counts"].decode()}


def test_masks_must_have_the_size_of_their_image(tmp_path: Path) -> None:
    truth = copy.deepcopy(TRUTH)
    for record in truth["annotations"]:
        record["segmentation"] = [[10, 10, 30, 10, 30, 30, 10, 30]]
    right = [{**one, "segmentation": _runs((80, 100))} for one in FOUND]
    assert value(tmp_path, truth, right, "segm") > 0.5
    wrong = [{**one, "segmentation": _runs((100, 80))} for one in FOUND]
    with refusal(assay.InputError):
        value(tmp_path, truth, wrong, "segm")
    escaped = json.dumps(right)
    for character in "0123456789:;<=>?@":
        escaped = escaped.replace(f'"{character}', f'"{character}')
    counts = right[0]["segmentation"]["counts"]
    odd = json.dumps(right).replace(json.dumps(counts), '"' + "".join(f"\\u{ord(c):04x}" for c in counts) + '"')
    assert value(tmp_path, truth, odd, "segm") == value(tmp_path, truth, right, "segm")
    lost = json.dumps(truth).replace(
        "[[10, 10, 30, 10, 30, 30, 10, 30]]", "[[10, 10, 30, 10, 30, 30][1, 1, 2, 2, 3, 3]]"
    )
    with refusal(assay.InputError):
        value(tmp_path, lost, right, "segm")


def test_runs_say_the_size_of_their_image(tmp_path: Path) -> None:
    """Where the list of images has another size, pycocotools reads the runs in their own, and so do we."""
    truth = copy.deepcopy(TRUTH)
    for record in truth["annotations"]:
        record["segmentation"] = _runs((100, 80))
    found = [{**one, "segmentation": _runs((100, 80))} for one in FOUND]
    wanted = oracle(copy.deepcopy(truth), found, "segm").stats[0]
    assert wanted > 0.5
    assert value(tmp_path, truth, found, "segm") == pytest.approx(wanted, abs=1e-12)


def test_mappings_that_are_wrong() -> None:
    def images(**fields: Any) -> list[dict[str, Any]]:
        return [{"boxes": [[0, 0, 5, 5]], "labels": [0], **fields}]

    found = images(scores=[0.9])
    for truth, prediction, words in (
        (images(labels=["0"]), found, "text on one side and numbers on the other"),
        (images(labels=0), found, "labels must be a list"),
        (images(labels=[float("nan")]), found, "labels must not be missing"),
        (images(), images(scores=[[1.0]]), "scores must be one number"),
        (images(), images(scores=["hi"]), "scores must be numbers"),
        (images(boxes=[["a", "b", "c", "d"]]), found, "boxes must be numbers"),
    ):
        with pytest.raises(assay.InputError, match=words):
            COCO()(truth, prediction)
    masks = [{"masks": np.ones((1, 4, 6), bool), "labels": [0]}]
    other = [{"masks": np.ones((1, 6, 4), bool), "labels": [0], "scores": [0.9]}]
    with refusal(assay.InputError):
        COCO(iou_type="segm")(masks, other)


def test_polygons_and_arrays_in_memory() -> None:
    dense = np.zeros((2, 10, 10), bool)
    dense[:, 0:5, 0:5] = True
    corners = [[[0, 0, 5, 0, 5, 5, 0, 5]]]
    truth = [{"masks": dense[:1], "labels": [1]}, {"masks": corners, "labels": [1], "size": (10, 10)}]
    found = [{"masks": dense[:1], "labels": [1], "scores": [0.9]}, {"masks": dense[1:], "labels": [1], "scores": [0.8]}]
    assert COCO(iou_type="segm")(truth, found) == pytest.approx(1)
    assert COCO(iou_type="segm")(truth[::-1], found[::-1]) == pytest.approx(1)
    with refusal(assay.InputError):
        COCO(iou_type="segm")([{"masks": corners, "labels": [1]}], found[:1])
