"""Average precision of Pascal VOC: the rules of its devkit, which are not those of COCO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay import kernels
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Rows
from assay.core.parameters import choice
from assay.core.ragged import Ragged
from assay.core.record import Record
from assay.core.sources import METRICS_LIST
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.metrics.detection.family import ClassMean, check_thresholds
from assay.metrics.detection.matching import Ordered, shared_codes
from assay.metrics.detection.shapes import refuse_federated

# Eleven levels as published code has them: 0.3, 0.6 and 0.7 lie a rounding above, so that 9 of 15 found do not reach 0.6.
_LEVELS = {"all": np.zeros(0), "eleven": np.linspace(0.0, 1.0, 11)}
TAKES = ("y_true: objects of each image", "y_pred: objects of each image with scores")


@dataclass(frozen=True)
class VocMatches(Statistic[Rows]):
    """The outcome of every detection by the rule of VOC, as `Matches` keeps it; nothing is cut off."""

    thresholds: tuple[float, ...]
    inclusive: bool

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """Match all images."""
        truth, found = cast(Ragged, inputs["y_true"]), cast(Ragged, inputs["y_pred"])
        refuse_federated(truth, inputs.who)
        label, names = shared_codes(truth["label"], found["label"])
        idle: Any = truth["ignore"] | truth["crowd"]
        hit, skip = kernels.voc.match(
            np.ascontiguousarray(found["box"]), found.starts, label[1], found["score"].astype(np.float64, copy=False),
            np.ascontiguousarray(truth["box"]), truth.starts, label[0], idle.astype(np.uint8), np.array(self.thresholds),
            float(self.inclusive),
        )  # fmt: skip
        columns = {
            "found": found.counts, "score": found["score"], "label": names[label[1]],
            "rank": np.zeros(len(hit), np.int32), "hit": hit[:, None], "skip": skip[:, None], "there": truth.counts,
            "truth": names[label[0]], "counted": (idle == 0)[:, None],
        }  # fmt: skip
        return Rows(columns, inputs.n, weight=inputs.host_weight())


@dataclass(frozen=True, kw_only=True)
class AveragePrecisionVOC(ClassMean):
    r"""Average precision of Pascal VOC, the mean over the classes.

    .. math:: AP = \int_0^1 \max_{r' \ge r} p(r')\,dr \quad\text{or}\quad \tfrac{1}{11}\sum_{r \in \{0, .1, ..., 1\}} \max_{r' \ge r} p(r')

    ``points="all"`` is the area of VOC 2010 and later, ``"eleven"`` the mean at eleven levels of recall of VOC 2007 (as
    published code has them: in floats 0.3, 0.6 and 0.7 lie a rounding above, and a recall of 9/15 does not reach 0.6). A detection,
    by decreasing score, looks at the truth of its class that it overlaps most: below ``iou`` it is a false alarm; a truth that is
    taken already makes it one too (COCO would let it take the next best); a truth that does not count (``ignore``: VOC's
    *difficult*) makes it not count either. Several ``iou`` are averaged. Detections of equal score keep the order of images and lines.

    ``inclusive=True`` takes corners as pixels that belong to the box, as VOC's devkit does: a side is x2 - x1 + 1 long. With
    ``False`` a side is x2 - x1, as in COCO.

    >>> truth = [{"boxes": [[1, 1, 10, 10], [21, 1, 30, 10]], "labels": [0, 0]}]
    >>> found = [{"boxes": [[1, 1, 10, 10], [1, 2, 10, 10], [21, 1, 30, 9]], "labels": [0, 0, 0], "scores": [0.9, 0.8, 0.7]}]
    >>> round(average_precision_voc(truth, found), 6)
    0.833333
    """

    record = Record(
        title="VOC average precision",
        range=(0, 1),
        better="higher",
        family="bootstrap",
        takes=TAKES,
        undefined="no ground truth of the class",
        use="results that must be comparable with those of Pascal VOC",
        misleads="libraries differ in the added pixel, the interpolation and the rule of second detections",
        equals=(
            "Padilla's PascalVOCMetrics: points='all' (EveryPointInterpolation), 'eleven' (ElevenPointInterpolation)",
            "VOC devkit VOCevaldet.m: points='eleven' (2007), 'all' (2010)",
        ),
        references=("everingham2015", "padilla2021"),
        traps=(3,),
        aliases=("voc_ap",),
        erratum=f"{METRICS_LIST}, gives a detection to the best box that is still free; by the rules of VOC it is compared "
        "with the best box, and is a false positive if that one is taken.",
    )
    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))

    points: Literal["all", "eleven"] = "all"
    iou: float | tuple[float, ...] = 0.5
    inclusive: bool = True

    def check(self) -> None:
        """Known points; thresholds above 0 and up to 1."""
        super().check()
        choice(self.name, "points", self.points, tuple(_LEVELS))
        check_thresholds(self.name, "iou", self.ious)

    @property
    def ious(self) -> tuple[float, ...]:
        """The thresholds."""
        return self.iou if isinstance(self.iou, tuple) else (self.iou,)

    def statistic(self) -> VocMatches:
        """The match at all thresholds."""
        return VocMatches(tuple(float(t) for t in self.ious), self.inclusive)

    def of(self, total: Rows) -> Any:
        """Average precision of each class."""
        rows = Ordered.of(total)
        weight = np.asarray(total.weights(), dtype=np.float64)
        values = kernels.voc.areas(
            rows.edges, rows.image, rows.hit[0], rows.skip[0], weight, rows.positives(weight, 0), len(self.ious),
            _LEVELS[self.points],
        )  # fmt: skip
        return values.mean(axis=-1)
