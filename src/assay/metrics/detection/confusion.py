"""The confusion matrix of detection, with the background beside the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Rows
from assay.core.parameters import choice, number, whole
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.classification.curves import Curve
from assay.metrics.detection.family import ShapedMetric
from assay.metrics.detection.matching import Matches, coded, shared_codes
from assay.metrics.detection.voc import TAKES
from assay.ops import divide

BOTH, MISSED, ALARM = 0, 1, 2


@dataclass(frozen=True)
class PairedObjects(Matches):
    """Which truth every detection is set against, whatever the classes.

    An image has a row for each pair, each truth without detection and each detection without truth; ``side`` says which, and the
    label of the side that is not there repeats the other.
    """

    lowest: float = 0.0
    rule: str = "score"

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """The pairs, the truths without detection and the detections without truth of all images."""
        truth, found = self.sides(inputs)
        idle = self.shapes.idle(truth)
        partner = kernels.detection_pairs.pair(
            self.shapes.arrays(found, inputs.who), found.starts, found["score"].astype(np.float64, copy=False),
            self.shapes.arrays(truth, inputs.who), truth.starts, idle, self.shapes.spread,
            (self.thresholds[0], self.lowest, self.rule == "overlap", self.most),
        )  # fmt: skip
        (true_code, found_code), names = shared_codes(truth["label"], found["label"])
        paired, alarm = np.flatnonzero(partner >= 0), np.flatnonzero(partner == kernels.detection_pairs.FREE)
        free = idle == 0
        free[partner[paired]] = False
        missed = np.flatnonzero(free)
        image = np.concatenate([found.row[paired], truth.row[missed], found.row[alarm]])
        order = np.argsort(image, kind="stable")
        true = np.concatenate([true_code[partner[paired]], true_code[missed], found_code[alarm]])[order]
        guess = np.concatenate([found_code[paired], true_code[missed], found_code[alarm]])[order]
        side = np.repeat(np.array([BOTH, MISSED, ALARM], np.uint8), [len(paired), len(missed), len(alarm)])[order]
        columns = {
            "cells": np.bincount(image, minlength=inputs.n),
            "truth": names[true],
            "label": names[guess],
            "side": side,
        }
        return Rows(columns, inputs.n, weight=inputs.host_weight())


@dataclass(frozen=True, repr=False)
class DetectionTable(Curve):
    """Counts of true (rows) against found (columns); the last row and column are the background.

    ``tp``, ``fp`` and ``fn`` are the counts of each class: a detection of another class is a false alarm there and a miss here.
    """

    labels: tuple[Any, ...]
    table: Any

    def columns(self) -> dict[str, Floats]:
        """One row per true class and one column per class found; the background is the last of both."""
        names = [*map(str, self.labels), "background"]
        return {"truth": np.asarray(names), **{name: self.table[:, j] for j, name in enumerate(names)}}

    def __repr__(self) -> str:
        return f"DetectionTable({len(self.labels)} classes: {int(self.tp.sum())} of {int(self.table[:-1].sum())} objects found)"

    @property
    def tp(self) -> Any:
        """Objects found with their class."""
        return np.diagonal(self.table)[:-1]

    @property
    def fp(self) -> Any:
        """Detections of a class that lie on another or on the background."""
        return self.table[:, :-1].sum(axis=0) - self.tp

    @property
    def fn(self) -> Any:
        """Objects of a class that were missed or taken for another."""
        return self.table[:-1].sum(axis=1) - self.tp

    def per_class(self) -> dict[str, Any]:
        """Columns of a table with one row per class: counts, precision, recall and F1 (NaN where undefined)."""
        tp, fp, fn = self.tp, self.fp, self.fn
        return {
            "label": list(self.labels), "tp": tp, "fp": fp, "fn": fn, "precision": divide(tp * 1.0, tp + fp),
            "recall": divide(tp * 1.0, tp + fn), "f1": divide(2.0 * tp, 2 * tp + fp + fn),
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DetectionConfusion(ShapedMetric):
    r"""Counts of true against found classes, with the background as one more class.

    .. math:: C_{jk} = \#\{\text{pairs of a truth of class } j \text{ and a detection of class } k\}

    Detections that score below ``threshold``, or beyond the best ``max_detections`` of an image, are left out. Truths and detections are
    paired whatever their classes, at an overlap of at least ``iou``. ``rule="score"``: detections by decreasing score, each takes the
    free truth it overlaps most (COCO's rule without classes). ``rule="overlap"``: the pair that overlaps most first, whatever its
    score. The last row counts detections without a truth, the last column truths without a detection. What lies in crowds or ignored
    truths counts nowhere.

    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
    >>> found = [{"boxes": [[0, 0, 10, 9], [50, 0, 60, 10]], "labels": [2, 1], "scores": [0.9, 0.8]}]
    >>> detection_confusion(truth, found).table
    array([[0, 1, 0],
           [0, 0, 1],
           [1, 0, 0]])
    """

    record = Record(
        title="Confusion matrix of detection",
        range=(0, np.inf),
        better="none",
        family="curve",
        takes=TAKES,
        undefined="never on valid data",
        use="which classes are taken for which, and for nothing, at the score you will use",
        misleads="depends on the score threshold; tools put the background elsewhere and pair by other rules",
        equals=(
            "faster-coco-eval compute_confusion_matrix (useCats=False): rule='score', threshold=0; it has false alarms and misses in two "
            "columns behind the classes",
            "Ultralytics ConfusionMatrix: rule='overlap', threshold=0.25, iou=0.45, transposed, where no two detections overlap one object "
            "most",
        ),
        differs=(
            "Of two detections that overlap one object most, Ultralytics pairs the better and calls the other a false alarm; here "
            "rule='overlap' lets it have the next free object, as rule='score' does.",
        ),
        references=("bolya2020",),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    iou: float = 0.5
    threshold: float = 0.0
    rule: Literal["score", "overlap"] = "score"
    max_detections: int = 100

    def check(self) -> None:
        """Thresholds that can be reached."""
        super().check()
        number(self.name, "iou", self.iou, low=0, high=1, open_low=True)
        number(self.name, "threshold", self.threshold)
        choice(self.name, "rule", self.rule, ("score", "overlap"))
        whole(self.name, "max_detections", self.max_detections)

    @property
    def weights_count(self) -> bool:
        """Cells grow with the weights."""
        return True

    def statistic(self) -> PairedObjects:
        """The pairs of all images."""
        reach = ((0.0, 1e10),)
        return PairedObjects(
            self.shapes, (self.iou,), reach, self.max_detections, False, float(self.threshold), self.rule
        )

    def of(self, total: Rows) -> DetectionTable:
        """The table, over the classes of the images that weigh something."""
        weight = np.repeat(total.weights(), total["cells"])
        kept = weight > 0
        side = total["side"][kept]
        names, codes = coded(np.concatenate([total["truth"][kept], total["label"][kept]]))
        size = len(names) + 1
        true = np.where(side == ALARM, len(names), codes[: len(side)])
        guess = np.where(side == MISSED, len(names), codes[len(side) :])
        cells = true * size + guess
        if total.weight is None:
            table = np.bincount(cells, minlength=size * size)
        else:
            table = np.bincount(cells, weight[kept], minlength=size * size)
        return DetectionTable(tuple(names.tolist()), table.reshape(size, size))
