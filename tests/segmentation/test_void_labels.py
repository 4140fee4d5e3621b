"""A label that stands for «no class» is refused until someone says what it is; it has one name everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import assay
from assay import InputError
from assay.cli import run
from messages import refusal

TRUE = np.array([[[0, 1, 1, 255]], [[0, 0, 2, 255]]])
FOUND = np.array([[[0, 1, 0, 1]], [[0, 0, 2, 2]]])
SAID = (
    r"y_true\[0\]( \(.*\))? holds the label 255, which is never predicted; .* ignore_index=255, "
    r".* classes=\(0, 1, 255\)"
)
METRICS = ["pixel_accuracy", "mean_class_accuracy", "mean_iou", "dice", "boundary_iou", "hausdorff", "boundary_f1"]


@pytest.mark.parametrize("name", METRICS)
def test_a_void_label_is_refused(name: str) -> None:
    metric = getattr(assay, name)
    with refusal(InputError):
        metric(TRUE, FOUND)
    assert np.isfinite(metric(TRUE, FOUND, ignore_index=255))


@pytest.mark.filterwarnings("ignore::assay.UndefinedWarning")
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int64])
@pytest.mark.parametrize("level", ["set", "image"])
def test_every_form_of_maps(kind: Any, level: str) -> None:
    metric = assay.metrics.MeanIoU(level=level)  # pyright: ignore[reportArgumentType]
    large = np.zeros((2, 1, 600_000), kind)
    large[:, 0, :3] = 1
    true = large.copy()
    true[0, 0, 5] = 255
    for y_true, y_pred in (
        (TRUE.astype(kind), FOUND.astype(kind)),
        (list(TRUE.astype(kind)), list(FOUND.astype(kind))),
        (true, large),
    ):
        with refusal(InputError):
            metric(y_true, y_pred)
        with refusal(InputError):
            metric.state(y_true, y_pred)


def test_the_largest_label_of_16_bits() -> None:
    true = np.where(TRUE == 255, 65535, TRUE).astype(np.uint16)
    with refusal(InputError):
        assay.mean_iou(true, FOUND.astype(np.uint16))


def test_what_is_a_class_counts() -> None:
    """Declared, predicted somewhere, or beside its neighbour; 0 and 255 alone are masks to surfaces."""
    everything = assay.mean_iou(TRUE, FOUND, classes=(0, 1, 2, 255))
    assert everything == pytest.approx((3 / 4 + 1 / 3 + 1 / 2 + 0) / 4)
    predicted = FOUND.copy()
    predicted[1, 0, 3] = 255
    assert assay.mean_iou(TRUE, predicted) == pytest.approx((3 / 4 + 1 / 3 + 1 + 1 / 2) / 4)
    neighbour = np.where(TRUE == 2, 254, TRUE)
    assert assay.pixel_accuracy(neighbour, FOUND) == 4 / 8
    masks = 255 * np.array([[[0, 1, 1]]])
    assert assay.dice(masks, masks) == 1
    assert assay.hausdorff(masks, masks) == 0


def test_a_stream_refuses_no_less_than_the_whole() -> None:
    metric = assay.metrics.MeanIoU()
    predicted = FOUND.copy()
    predicted[1, 0, 3] = 255
    metric(TRUE, predicted)
    metric.state(TRUE[1:], predicted[1:])
    with refusal(InputError):
        metric.state(TRUE[:1], predicted[:1])  # the whole would pass, its first batch says so aloud
    known = assay.metrics.MeanIoU(classes=(0, 1, 2, 255))
    parts = known.state(TRUE[:1], predicted[:1]) + known.state(TRUE[1:], predicted[1:])
    assert parts.value() == known(TRUE, predicted) == metric(TRUE, predicted)


def test_evaluate_and_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with refusal(InputError):
        assay.evaluate(task="segmentation", y_true=TRUE, y_pred=FOUND, level=None)
    told = assay.evaluate(task="segmentation", y_true=TRUE, y_pred=FOUND, level=None, parameters={"ignore_index": 255})
    assert float(told["mean_iou"]) == assay.mean_iou(TRUE, FOUND, ignore_index=255)
    for side, maps in (("true", TRUE), ("found", FOUND)):
        (tmp_path / side).mkdir()
        for at, one in enumerate(maps.astype(np.uint8)):
            Image.fromarray(one).save(tmp_path / side / f"{at}.png")
    arguments = ["score", str(tmp_path / "true"), str(tmp_path / "found"), "--task", "segmentation", "--no-intervals"]
    assert run(arguments) == 2
    assert "255" in capsys.readouterr().err
    assert run([*arguments, "--ignore-index", "255"]) == 0


def test_old_names_are_answered_with_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    with refusal(assay.AssayError):
        assay.mean_iou(TRUE, FOUND, ignore=255)  # pyright: ignore[reportCallIssue]
    with refusal(assay.AssayError):
        assay.evaluate(task="segmentation", y_true=TRUE, y_pred=FOUND, level=None, metrics=["mean_iou:ignore=255"])
    with refusal(assay.AssayError):
        assay.evaluate(task="segmentation", y_true=TRUE, y_pred=FOUND, level=None, parameters={"ignore": 255})
    assert run(["score", "a", "b", "--task", "segmentation", "--ignore-label", "255"]) == 2
    assert "--ignore-index" in capsys.readouterr().err
