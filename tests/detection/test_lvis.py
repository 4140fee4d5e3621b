"""LVIS's rules one by one on small images, the house around them, and the files that are known by their fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.cli import run
from assay.core.errors import InputError, ParameterError
from assay.io.coco import read_coco
from assay.metrics import COCO, LVIS, AverageRecall, DetectionConfusion, DetectionCurve, DetectionErrors, LVISRecall
from lvis_oracle import made, ours
from messages import refusal, warned

BOX, FAR = [0, 0, 10, 10], [50, 50, 60, 60]


def _truth(labels: list[Any], absent: list[Any], partly: list[Any], **more: Any) -> dict[str, Any]:
    boxes = [[0, 20 * at, 10, 20 * at + 10] for at in range(len(labels))]
    return {"boxes": boxes, "labels": labels, "neg_category_ids": absent, "not_exhaustive_category_ids": partly, **more}


def _found(*detections: tuple[Any, Any, float]) -> dict[str, Any]:
    boxes, labels, scores = zip(*detections, strict=True)
    return {"boxes": list(boxes), "labels": list(labels), "scores": list(scores)}


# ---- the rules


def test_classes_that_were_not_looked_for_do_not_count() -> None:
    truth = [_truth([1], [], []), _truth([2], [], [])]
    # A false alarm of class 1 in the second image, which says nothing of class 1, stands before the right one.
    found = [_found((BOX, 1, 0.5)), _found((BOX, 2, 0.9), (FAR, 1, 0.8))]
    assert LVIS()(truth, found) == pytest.approx(1)
    truth[1]["neg_category_ids"] = [1]
    assert LVIS()(truth, found) == pytest.approx(0.75)  # class 1 has precision 1/2 now


def test_wrong_detections_of_partly_labelled_classes_do_not_count() -> None:
    found = [_found((FAR, 1, 0.9), (BOX, 1, 0.8))]
    assert LVIS()([_truth([1], [], [])], found) == pytest.approx(0.5)
    assert LVIS()([_truth([1], [], [1])], found) == pytest.approx(1)


def test_right_detections_of_partly_labelled_classes_count() -> None:
    found = [_found((BOX, 1, 0.9))]
    assert LVISRecall()([_truth([1, 1], [], [1])], found) == pytest.approx(0.5)


def test_the_cap_is_over_all_classes_and_comes_first() -> None:
    """The best two of the image are of a class that was not looked for: they use up the cap all the same."""
    truth, found = [_truth([1], [], [])], [_found((FAR, 3, 0.9), (FAR, 3, 0.8), (BOX, 1, 0.7))]
    assert LVIS(max_detections=2)(truth, found) == 0
    assert LVIS(max_detections=3)(truth, found) == pytest.approx(1)


def test_there_are_no_crowds() -> None:
    truth, found = [_truth([1], [], [], iscrowd=[1])], [_found((BOX, 1, 0.9), (BOX, 1, 0.8))]
    assert LVISRecall()(truth, found) == pytest.approx(1)


def test_groups_of_classes() -> None:
    truth = [_truth([1, 2, 3], [], [], frequency=["r", "c", "f"])]
    found = [_found((BOX, 1, 0.9), ([0, 20, 10, 30], 2, 0.8), (FAR, 2, 0.9))]
    values = [LVIS(frequency=group)(truth, found) for group in ("rare", "common", "frequent")]
    assert values == pytest.approx([1, 0.5, 0])
    assert LVIS(frequency="common").score(truth, found).parts == pytest.approx({2: 0.5})
    with warned(assay.UndefinedWarning):
        assert np.isnan(LVIS(frequency="rare")([_truth([2], [], [], frequency=["c"])], [_found((BOX, 2, 0.9))]))


def test_classes_may_be_text() -> None:
    truth, found = [_truth(["cat"], ["dog"], [])], [_found((BOX, "cat", 0.5), (FAR, "dog", 0.9), (FAR, "emu", 0.9))]
    with warned(assay.UndefinedWarning):
        assert LVIS()(truth, found) == pytest.approx(1)
    truth[0]["neg_category_ids"] = [4]
    with refusal(InputError):
        LVIS()(truth, found)


# ---- what is refused


def test_what_lvis_needs_is_asked_for() -> None:
    plain = [{"boxes": [BOX], "labels": [1]}]
    with refusal(InputError):
        LVIS()(plain, [_found((BOX, 1, 0.9))])
    with refusal(InputError):
        LVIS()([_truth([1], [], []), {**plain[0], "not_exhaustive_category_ids": []}], [_found((BOX, 1, 0.9))] * 2)
    with refusal(InputError):
        LVIS(frequency="rare")([_truth([1], [], [])], [_found((BOX, 1, 0.9))])
    with refusal(InputError):
        LVIS()([_truth([1], [], [], frequency=["x"])], [_found((BOX, 1, 0.9))])
    with refusal(InputError):
        LVIS(frequency="rare")([_truth([1, 1], [], [], frequency=["r", "c"])], [_found((BOX, 1, 0.9))])
    with refusal(ParameterError):
        LVIS(iou_type="keypoints")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "metric",
    [
        COCO(),
        AverageRecall(),
        DetectionConfusion(),
        DetectionCurve(),
        DetectionErrors(),
        assay.metrics.AveragePrecisionVOC(),
    ],
)
def test_metrics_that_would_take_the_labels_for_all_refuse_them(metric: Any) -> None:
    with refusal(InputError):
        metric([_truth([1], [], [])], [_found((BOX, 1, 0.9))])


# ---- the house


def _files(folder: Path, seed: int = 3, **more: Any) -> tuple[Path, Path]:
    truth, results = made(seed, images=12, **more)
    paths = folder / "lvis.json", folder / "results.json"
    paths[0].write_text(json.dumps(truth))
    paths[1].write_text(json.dumps(results))
    return paths


def test_streams_of_images_give_the_value_of_all(tmp_path: Path) -> None:
    y_true, y_pred = read_coco(*_files(tmp_path))
    for metric in (LVIS(), LVIS(frequency="common"), LVISRecall(area_range="small")):
        parts = [metric.state(y_true.take(slice(a, a + 5)), y_pred.take(slice(a, a + 5))) for a in (0, 5, 10)]
        assert float((parts[0] + parts[1] + parts[2]).score()) == pytest.approx(
            float(metric.score(y_true, y_pred)), abs=1e-14
        )


def test_the_preset_knows_lvis_by_its_fields(tmp_path: Path) -> None:
    y_true, y_pred = read_coco(*_files(tmp_path))
    site = np.arange(12) % 2
    result = assay.evaluate(task="detection", y_true=y_true, y_pred=y_pred, slices={"site": site}, replicates=100)
    values = [float(score) for score in result.scores.values()]
    np.testing.assert_allclose(values, ours(y_true, y_pred), atol=1e-14)
    assert list(result.scores)[6:10] == [
        "lvis:frequency=rare",
        "lvis:frequency=common",
        "lvis:frequency=frequent",
        "lvis_recall",
    ]
    assert any("LVIS's rules apply, not COCO's" in sentence for sentence in result.warnings)
    half = float(result.slices["site"][0]["lvis"])
    assert half == pytest.approx(float(LVIS().score(y_true.take(slice(0, 12, 2)), y_pred.take(slice(0, 12, 2)))))
    score = result["lvis"]
    assert score.low is not None
    assert score.low < score.high


def test_two_models_are_compared(tmp_path: Path) -> None:
    y_true, y_pred = read_coco(*_files(tmp_path))
    worse = made(99, images=12)[1]
    (tmp_path / "worse.json").write_text(json.dumps(worse))
    other = read_coco(tmp_path / "lvis.json", tmp_path / "worse.json")[1]
    result = assay.compare(
        task="detection", y_true=y_true, models={"good": y_pred, "bad": other}, metrics=["lvis"], replicates=100
    )
    assert "good" in str(result)


def test_read_as_exhaustive_it_is_plain_coco(tmp_path: Path) -> None:
    """The two differ, which is why nobody should get one for the other."""
    paths = _files(tmp_path)
    pair, plain = read_coco(*paths), read_coco(*paths, exhaustive=True)
    assert abs(float(COCO().score(*plain)) - float(LVIS().score(*pair))) > 0.01
    with refusal(InputError):
        COCO()(*pair)


def test_the_command_line_scores_lvis_as_lvis(tmp_path: Path, capsys: Any) -> None:
    paths = _files(tmp_path)
    base = ["score", *map(str, paths), "--task", "detection", "--no-intervals"]
    assert run([*base, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert next(iter(data["scores"])) == "lvis"
    assert data["scores"]["lvis"]["value"] == pytest.approx(float(LVIS().score(*read_coco(*paths))))
    assert run(base) == 0
    assert "LVIS's rules apply" in " ".join(capsys.readouterr().out.split())
    assert run([*base, "-m", "coco"]) == 2
    assert "exhaustive" in capsys.readouterr().err
    assert run([*base, "--exhaustive", "--json"]) == 0
    assert next(iter(json.loads(capsys.readouterr().out)["scores"])) == "coco"


# ---- files


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t["images"][2].pop("neg_category_ids"),
        lambda t: t["images"][0].update(neg_category_ids=[77]),
        lambda t: t["images"][1].update(not_exhaustive_category_ids="1"),
        lambda t: t["categories"][0].update(frequency="often"),
        lambda t: t["categories"][1].pop("frequency"),
    ],
)
def test_files_that_are_half_lvis_are_refused(tmp_path: Path, change: Any) -> None:
    paths = _files(tmp_path)
    truth = json.loads(paths[0].read_text())
    change(truth)
    paths[0].write_text(json.dumps(truth))
    with refusal(InputError):
        read_coco(*paths)


def test_frequencies_alone_do_not_say_what_was_looked_for(tmp_path: Path) -> None:
    paths = _files(tmp_path)
    truth = json.loads(paths[0].read_text())
    for image in truth["images"]:
        del image["neg_category_ids"], image["not_exhaustive_category_ids"]
    paths[0].write_text(json.dumps(truth))
    with refusal(InputError):
        read_coco(*paths)
    assert COCO().score(*read_coco(*paths, exhaustive=True)) > 0
    for category in truth["categories"]:
        category["frequency"] = 12  # a number means something else
    paths[0].write_text(json.dumps(truth))
    assert COCO().score(*read_coco(*paths)) > 0


def test_without_frequencies_the_groups_are_left_out(tmp_path: Path) -> None:
    paths = _files(tmp_path)
    truth = json.loads(paths[0].read_text())
    for category in truth["categories"]:
        del category["frequency"]
    paths[0].write_text(json.dumps(truth))
    y_true, y_pred = read_coco(*paths)
    result = assay.evaluate(task="detection", y_true=y_true, y_pred=y_pred, level=None)
    assert [name for name in result.scores if "frequency" in name] == []
    assert len(result.scores) == 10
