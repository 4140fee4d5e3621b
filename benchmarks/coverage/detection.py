"""Average precision of detectors on simulated images; the truth is the value on very many of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core.ragged import Ragged
from assay.data.objects import objects
from assay.metrics import COCO, AverageRecall
from benchmarks.coverage.setting import Setting, Task

BAND = (0.93, 0.97)
MANY = 40_000  # images of the truth; its own error is a tenth of that of 400
REPLICATES, BOOTSTRAP = 500, 300


def settings() -> Iterator[Task]:
    for classes, n in ((5, 100), (5, 400), (20, 200), (20, 800)):
        yield _line("mAP", COCO(), classes, n)
    yield _line("mAP, percentiles for contrast", COCO(), classes=20, n=200, method="percentile", judged=False)
    yield _line("average recall", AverageRecall(), classes=5, n=400, judged=False)


def _line(name: str, metric: Any, classes: int, n: int, method: str = "auto", *, judged: bool = True) -> Setting:
    def interval(y_true: Any, y_pred: Any) -> Any:
        return metric.interval(y_true, y_pred, method=method, replicates=BOOTSTRAP)

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
        made = [world(n, classes, rng) for _ in range(size)]
        return [pair[0] for pair in made], [pair[1] for pair in made]

    return Setting(
        family="detection", name=f"{name}, {classes} classes", n=n, truth=_truth(metric, classes), draw=draw, interval=interval,
        band=BAND, replicates=REPLICATES, judged=judged, sized=False,
    )  # fmt: skip


@functools.cache
def _truth(metric: Any, classes: int) -> float:
    return float(metric(*world(MANY, classes, np.random.default_rng(classes))))


def world(n: int, classes: int, rng: np.random.Generator) -> tuple[Ragged, Ragged]:
    """Images of about three objects, classes by Zipf's law, images of different difficulty; detectors miss and invent."""
    share = 1 / np.arange(1, classes + 1)
    share /= share.sum()
    counts = rng.poisson(3, n)
    image = np.repeat(np.arange(n), counts)
    label = rng.choice(classes, len(image), p=share)
    box = np.concatenate([rng.uniform(0, 400, (len(image), 2)), rng.uniform(20, 120, (len(image), 2))], axis=1)
    hard = rng.normal(0, 0.5, n)
    seen = rng.random(len(image)) < 0.8
    own = image[seen]
    moved = np.concatenate(
        [
            box[seen, :2] + rng.normal(0, 0.08, (len(own), 2)) * box[seen, 2:] * np.exp(hard[own])[:, None],
            box[seen, 2:] * np.exp(rng.normal(0, 0.1, (len(own), 2))),
        ],
        axis=1,
    )
    false = np.repeat(np.arange(n), rng.poisson(2, n))
    invented = np.concatenate([rng.uniform(0, 400, (len(false), 2)), rng.uniform(20, 120, (len(false), 2))], axis=1)
    score = np.concatenate([1.2 - hard[own] + rng.normal(size=len(own)), -0.8 + rng.normal(size=len(false))])
    where = np.concatenate([own, false])
    order = np.argsort(where, kind="stable")
    found = {
        "label": np.concatenate([label[seen], rng.choice(classes, len(false), p=share)])[order],
        "box": np.concatenate([moved, invented])[order],
        "score": score[order],
    }
    return (
        objects({"label": label, "box": box}, counts, predicted=False, who="world"),
        objects(found, np.bincount(where, minlength=n), predicted=True, who="world"),
    )
