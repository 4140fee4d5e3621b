"""Precision and recall of every class over all score thresholds, and where F1 is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core.errors import ParameterError, arg
from assay.core.monoids import Rows
from assay.core.record import Record
from assay.core.takes import Takes
from assay.metrics.classification.curves import Curve, settle_curves
from assay.metrics.detection.coco import ID_ZERO
from assay.metrics.detection.family import CocoMetric
from assay.metrics.detection.matching import Ordered
from assay.metrics.detection.voc import TAKES
from assay.ops import divide

_ONE = np.uint64(1)


@dataclass(frozen=True, repr=False)
class DetectionPoints(Curve):
    """Precision, recall and F1 of the detections that score at least the threshold, at every score from the top."""

    precision: Any
    recall: Any
    f1: Any
    threshold: Any

    def best(self) -> tuple[float, float]:
        """(threshold, F1) where F1 is largest, among equals the highest threshold; (infinity, 0) without detections."""
        if not len(self.f1) or np.isnan(self.f1).all():
            return float("inf"), 0.0
        at = int(np.nanargmax(self.f1))
        return float(self.threshold[at]), float(self.f1[at])


@dataclass(frozen=True, kw_only=True)
class DetectionCurve(CocoMetric):
    r"""Precision and recall of every class over all score thresholds, with F1 and where it is best.

    .. math:: t \mapsto \left(\frac{TP(t)}{TP(t) + FP(t)},\ \frac{TP(t)}{P}\right)

    A dict with the curve of each class that has something to find; detections of other classes are left out and counted. Matching is
    COCO's at ``iou``; every distinct score is a point, without interpolation. ``curves[label].best()`` is the threshold where F1 is
    largest. It is chosen on these data: measure the F1 you report on others.

    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 10, 9], [50, 0, 60, 10]], "labels": [1, 1], "scores": [0.75, 0.5]}]
    >>> detection_curve(truth, found)[1].best()
    (0.75, 0.6666666666666666)
    """

    record = Record(
        title="Precision-recall curves of detection",
        range=(0, 1),
        better="none",
        family="curve",
        takes=TAKES,
        undefined="no ground truth of the class",
        use="the choice of a score threshold for each class",
        misleads="the best F1 of a curve is too good: its threshold was chosen on the same images",
        equals=("pycocotools eval['precision'] before its envelope and its 101 levels",),
        differs=(
            ID_ZERO,
            "VOC gives a detection to the object that it overlaps most, and calls it wrong if that one is taken; COCO and this curve go on "
            "to the best free object. VOC also adds a pixel to every side. average_precision_voc does both.",
        ),
        references=("lin2014", "davis2006"),
        traps=(3,),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    iou: float | None = 0.5

    def check(self) -> None:
        """One threshold, not the mean of many."""
        super().check()
        if self.iou is None:
            raise ParameterError(
                self.name,
                "iou",
                f"must be one of {arg('iou_thresholds', self.iou_thresholds)}: a curve is at one overlap",
            )

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """None: the curves carry their names."""
        return ()

    def combine(self, values: Any, total: Rows) -> Any:
        """Curves are not averaged."""
        return values

    def settle(self, values: Any) -> Any:
        """The ``undefined`` policy at every point."""
        return settle_curves(super().settle, values)

    def of(self, total: Rows) -> dict[Any, DetectionPoints]:
        """The curve of each class."""
        rows, weight = Ordered.of(total), total.weights()
        positives = rows.positives(weight, self.range_at)
        score = total["score"][rows.order]
        return {
            label: self._drawn(rows, score, weight, positives[k], slice(int(rows.edges[k]), int(rows.edges[k + 1])))
            for k, label in enumerate(rows.names.tolist())
            if positives[k] > 0
        }

    def _drawn(self, rows: Ordered, score: Any, weight: Any, positives: float, at: slice) -> DetectionPoints:
        """The curve of one class, whose detections stand at these places."""
        bit = _ONE << np.uint64(self.chosen[0])
        hit, skip = rows.hit[self.range_at][at] & bit, rows.skip[self.range_at][at] & bit
        w = weight[rows.image[at]]
        kept = (rows.rank[at] < self.most) & (skip == 0) & (w > 0)
        tp, seen, threshold = np.cumsum((w * (hit > 0))[kept]), np.cumsum(w[kept]), score[at][kept]
        last = np.append(threshold[1:] != threshold[:-1], True) if len(threshold) else np.zeros(0, bool)
        tp, seen, threshold = tp[last], seen[last], threshold[last]
        f1 = divide(2 * tp, seen + positives)
        return DetectionPoints(divide(tp, seen), tp / positives, f1, threshold.astype(np.float64))
