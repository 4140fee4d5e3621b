"""COCO's numbers: average precision and average recall, at one overlap or many, by size of object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from assay.core.arrays import Floats
from assay.core.monoids import Rows
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.core.takes import Takes
from assay.metrics.detection.family import CocoMetric

ID_ZERO = "pycocotools loses the match of an annotation whose id is 0 and counts the object as missed: number annotations from 1."


@dataclass(frozen=True, kw_only=True)
class COCO(CocoMetric):
    r"""Mean average precision of COCO.

    .. math:: AP = \frac{1}{|K|\,|T|} \sum_{k, t} \frac{1}{101} \sum_{r \in \{0, .01, ..., 1\}} \max_{r' \ge r} p_{k,t}(r')

    ``iou=0.5`` gives AP50, ``area_range="small"`` that of small objects, ``iou_type="segm"`` that of masks and ``iou_type="keypoints"``
    that of poses. The values of the classes stand beside the mean.

    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 10, 7]], "labels": [1], "scores": [0.9]}]
    >>> round(coco(truth, found), 6), round(coco(truth, found, iou=0.5), 6)
    (0.5, 1.0)
    """

    record = Record(
        title="COCO average precision",
        range=(0, 1),
        better="higher",
        family="envelope",
        takes=("y_true: objects of each image", "y_pred: objects of each image with scores"),
        undefined="no ground truth of the class",
        use="detectors that give scores; the common number of the field",
        misleads="depends on the classes of the set, not comparable between sets; hides which errors a detector makes",
        equals=(
            "pycocotools stats[0] (iou=None), stats[1] (iou=0.5), stats[3:6] (area_range=...); of keypoints stats[0:5]",
        ),
        differs=(ID_ZERO,),
        references=("lin2014",),
        traps=(2, 3),
        aliases=("mAP", "mean_average_precision"),
        erratum=f"{SURVEY} counts as false positives only boxes on background; boxes of too little overlap and duplicates of "
        "a found object are false positives too.",
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    def of(self, total: Rows) -> Any:
        """Average precision of each class."""
        return self.precisions(total)

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """All replicates in one walk over the detections."""
        return self.settled(self.drawn_precisions(total, weights), total)


@dataclass(frozen=True, kw_only=True)
class AverageRecall(CocoMetric):
    r"""Average recall of COCO: the fraction of objects found by the best ``max_detections`` detections of each image and class.

    .. math:: AR = \frac{1}{|K|\,|T|} \sum_{k, t} \text{recall}_{k,t}

    ``max_detections=1`` and ``max_detections=10`` are COCO's AR of one and of ten detections per image, ``area_range="small"`` that of
    small objects.

    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 10, 7]], "labels": [1], "scores": [0.9]}]
    >>> round(average_recall(truth, found), 6)
    0.5
    """

    record = Record(
        title="COCO average recall",
        range=(0, 1),
        better="higher",
        family="bootstrap",
        takes=("y_true: objects of each image", "y_pred: objects of each image with scores"),
        undefined="no ground truth of the class",
        use="proposals, and detectors whose misses matter more than their false alarms",
        misleads="false alarms cost nothing up to max_detections",
        equals=("pycocotools stats[6:9] (max_detections=1, 10, 100), stats[9:12] (area_range=...)",),
        differs=(ID_ZERO,),
        references=("lin2014", "hosang2016"),
        traps=(2,),
        aliases=("AR",),
        erratum=f"{SURVEY} averages over numbers of detections and images, and writes AR^{{IoU=100}} in table 11; it is "
        "averaged over IoU thresholds and classes, and 100 is the maximum number of detections.",
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    def of(self, total: Rows) -> Any:
        """Final recall of each class."""
        return self.recalls(total)

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """Recall is a ratio of sums, so that replicates need no walk."""
        return self.settled(self.drawn_recalls(total, weights), total)
