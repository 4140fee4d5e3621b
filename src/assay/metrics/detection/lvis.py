"""LVIS's numbers: average precision and recall over many classes of which each image is labelled with some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.core.arrays import Floats
from assay.core.errors import InputError
from assay.core.monoids import Rows
from assay.core.parameters import choice, whole
from assay.core.record import Record
from assay.core.takes import Takes
from assay.data.objects import FREQUENCIES
from assay.metrics.detection.family import RankedMetric
from assay.metrics.detection.federated import FederatedMatches
from assay.metrics.detection.matching import Ordered
from assay.metrics.detection.shapes import Shapes

TAKES = (
    "y_true: objects of each image, with neg_category_ids and not_exhaustive_category_ids",
    "y_pred: objects of each image with scores",
)


@dataclass(frozen=True, kw_only=True)
class LvisMetric(RankedMetric):
    """A number of LVIS's evaluation.

    The best ``max_detections`` detections of an image count, over all classes. A detection of a class that is neither in the truth of its
    image nor in its ``neg_category_ids`` is left out, and a wrong one of a class in ``not_exhaustive_category_ids`` does not count.
    ``frequency`` selects the classes that are rare, common or frequent in the training set (APr, APc, APf).
    """

    iou_type: Literal["bbox", "segm"] = "bbox"
    max_detections: int = 300
    frequency: Literal["rare", "common", "frequent"] | None = None

    def check(self) -> None:
        """Kinds and groups that LVIS has."""
        super().check()
        choice(self.name, "iou_type", self.iou_type, ("bbox", "segm"))
        choice(self.name, "frequency", self.frequency, (*FREQUENCIES, None))
        whole(self.name, "max_detections", self.max_detections)

    @property
    def most(self) -> int:
        """All detections that are left are within the cap."""
        return self.max_detections

    def statistic(self) -> FederatedMatches:
        """The match that every number of these parameters shares."""
        return FederatedMatches(Shapes(self.iou_type), self.iou_thresholds, self.ranges, self.max_detections)

    def members(self, total: Rows) -> Any:
        """Which classes the value is about."""
        rows = Ordered.of(total)
        if self.frequency is None:
            return np.arange(len(rows.names))
        letters = total.remember("frequencies", lambda: _of_classes(rows, total["frequency"], self.name))
        return np.flatnonzero(letters == FREQUENCIES[self.frequency])

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """The classes of the group."""
        return tuple(Ordered.of(total).names[self.members(total)].tolist())

    def grouped(self, values: Floats, total: Rows) -> Floats:
        """The values of the group; a group without classes has none."""
        members = self.members(total)
        return values[..., members] if len(members) else np.full((*values.shape[:-1], 1), np.nan)

    def fewest(self, total: Rows) -> float:
        """The number of objects of the rarest class that the value is about."""
        found = Ordered.of(total).positives(np.ones(total.n), self.range_at)[self.members(total)]
        return float(found[found > 0].min()) if found.any() else 0.0


def _of_classes(rows: Ordered, letters: Any, who: str) -> Any:
    """The letter of each class, empty for classes without truths."""
    if (letters == "").any():
        raise InputError(
            who,
            "frequency",
            f"selects groups of classes, but the ground truth does not have them ({int((letters == '').sum())} of {len(letters)} "
            "objects have none)",
            "Give 'frequency', r, c or f for each object.",
        )
    found = np.full(len(rows.names), "", dtype="U1")
    found[rows.truth] = letters
    wrong = found[rows.truth] != letters
    if wrong.any():
        at = int(np.argmax(wrong))
        pair = f"{str(found[rows.truth[at]])!r} and {str(letters[at])!r}"
        raise InputError(
            who, "y_true", f"class {rows.names[rows.truth[at]]} has the frequencies {pair}, but a class has one"
        )
    return found


@dataclass(frozen=True, kw_only=True)
class LVIS(LvisMetric):
    r"""Mean average precision of LVIS, over classes that are labelled in some images only.

    .. math:: AP = \frac{1}{|K|\,|T|} \sum_{k, t} \frac{1}{101} \sum_{r \in \{0, .01, ..., 1\}} \max_{r' \ge r} p_{k,t}(r')

    As ``coco``, but a class counts in those images alone where it was looked for: in the truth, or in ``neg_category_ids``.
    ``frequency="rare"`` is APr; ``iou=0.5`` is AP50, ``area_range="small"`` APs, ``iou_type="segm"`` that of masks.

    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "neg_category_ids": [2], "not_exhaustive_category_ids": []}]
    >>> found = [{"boxes": [[0, 0, 10, 7], [20, 0, 30, 10]], "labels": [1, 3], "scores": [0.9, 0.99]}]
    >>> round(lvis(truth, found), 6), round(lvis(truth, found, iou=0.5), 6)
    (0.5, 1.0)
    """

    record = Record(
        title="LVIS average precision",
        range=(0, 1),
        better="higher",
        family="envelope",
        takes=TAKES,
        undefined="no ground truth of the class",
        use="detectors of many classes on sets that label each image with some of them: LVIS and its like",
        misleads="the mean gives a class of one object the weight of one of thousands: read APr, APc and APf; scores must be comparable "
        "between classes, since 300 detections of an image count over all of them",
        equals=("lvis 0.5.3 AP, AP50, AP75, APs, APm, APl (area_range=...), APr, APc, APf (frequency=...)",),
        references=("gupta2019", "lin2014"),
        traps=(3,),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    def of(self, total: Rows) -> Any:
        """Average precision of each class."""
        return self.grouped(self.precisions(total), total)

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """All replicates in one walk over the detections."""
        return self.settled(self.grouped(self.drawn_precisions(total, weights), total), total)


@dataclass(frozen=True, kw_only=True)
class LVISRecall(LvisMetric):
    r"""Average recall of LVIS: the fraction of objects found by the best 300 detections of each image.

    .. math:: AR = \frac{1}{|K|\,|T|} \sum_{k, t} \text{recall}_{k,t}

    ``max_detections`` counts detections of all classes of an image, where ``average_recall`` counts those of each class.
    ``area_range="small"`` is ARs.

    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "neg_category_ids": [2], "not_exhaustive_category_ids": []}]
    >>> found = [{"boxes": [[0, 0, 10, 7]], "labels": [1], "scores": [0.9]}]
    >>> round(lvis_recall(truth, found), 6)
    0.5
    """

    record = Record(
        title="LVIS average recall",
        range=(0, 1),
        better="higher",
        family="bootstrap",
        takes=TAKES,
        undefined="no ground truth of the class",
        use="how much a detector of many classes finds within its best detections of an image",
        misleads="false alarms cost nothing up to max_detections",
        equals=("lvis 0.5.3 AR@300, ARs@300, ARm@300, ARl@300 (area_range=...)",),
        references=("gupta2019", "hosang2016"),
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    def of(self, total: Rows) -> Any:
        """Final recall of each class."""
        return self.grouped(self.recalls(total), total)

    def reweighed(self, total: Rows, weights: Floats) -> Floats:
        """Recall is a ratio of sums, so that replicates need no walk."""
        return self.settled(self.grouped(self.drawn_recalls(total, weights), total), total)
