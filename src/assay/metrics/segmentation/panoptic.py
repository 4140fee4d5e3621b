"""Panoptic quality: recognition and segmentation of things and stuff in one number."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay.core.arrays import ArrayLike, Floats
from assay.core.errors import ParameterError
from assay.core.inputs import Inputs
from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.core.takes import Takes
from assay.data.cells import object_column
from assay.data.maps import column
from assay.data.panoptic import PanopticMap
from assay.metrics.averages import mean_defined
from assay.metrics.segmentation.maps import MapMetric
from assay.metrics.segmentation.overlap import check_label, labels_of
from assay.metrics.segmentation.panoptic_rows import Segments
from assay.ops import divide, real

Quality = Literal["panoptic", "segmentation", "recognition"]
Over = Literal["all", "things", "stuff"]


@dataclass(frozen=True, kw_only=True)
class SegmentMetric(MapMetric):
    """A mean over classes of numbers of their segments."""

    takes = Takes(("y_true", "y_pred"))

    over: Over = "all"
    things: tuple[int, ...] | None = None
    classes: tuple[int, ...] | int | None = None
    void: int | None = None
    average: Literal["macro"] | None = "macro"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        choice(self.name, "over", self.over, ("all", "things", "stuff"))
        choice(self.name, "average", self.average, ("macro", None))
        check_label(self.name, "void", self.void)
        labels_of(self.name, self.classes)
        if self.things is not None and (
            not isinstance(cast(Any, self.things), tuple) or any(type(c) is not int for c in self.things)
        ):
            raise ParameterError(self.name, "things", f"must name the classes that have instances, got {self.things!r}")
        if self.over != "all" and self.things is None:
            raise ParameterError(
                self.name,
                "over",
                f"is {self.over!r}, which needs to know which classes are things",
                "Give things=(1, 2).",
            )

    map_axes: ClassVar[int] = 3

    def is_map(self, value: Any) -> bool:
        """Class and instance of each pixel."""
        return bool(np.shape(value)[-1] == 2)

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The data of a call; pairs of a map and its segments_info become `PanopticMap`."""
        bound = self.takes.bind(self.name, args, named)
        return super().inputs(weight=weight, **{name: _cells(value, name) for name, value in bound.items()})

    @abstractmethod
    def of_class(self, totals: Floats) -> Floats:
        """The value of each class from (..., classes, numbers)."""

    def of(self, total: Sum) -> Floats:
        """One value per class."""
        return self.of_class(total.totals[..., self._chosen(total), :])

    def combine(self, values: Any, total: Sum) -> Any:
        """The mean over the classes that have segments."""
        return values if self.average is None else mean_defined(values)

    def part_names(self, total: Sum) -> tuple[Any, ...]:
        """The classes."""
        return tuple(total.labels[i] for i in self._chosen(total))

    def _chosen(self, total: Sum) -> list[int]:
        things = self.things or ()
        wanted = {"all": (True, False), "things": (True,), "stuff": (False,)}[self.over]
        return [i for i, label in enumerate(total.labels) if (label in things) in wanted]


@dataclass(frozen=True, kw_only=True)
class PanopticQuality(SegmentMetric):
    r"""Panoptic quality: the IoU of matched segments, lowered by false alarms and misses, averaged over classes.

    .. math:: \frac1K \sum_c \frac{\sum_{(t,p) \in M_c} \mathrm{IoU}(t, p)}{|M_c| + \tfrac12 |FP_c| + \tfrac12 |FN_c|}

    Segments of one class match if their IoU is above 0.5. Inputs are pairs (class, instance) of shape (images, height, width,
    2), or lists of `PanopticMap` (or of pairs: a map of segment numbers and its ``segments_info``). ``void`` is the class of
    pixels that stand for nothing. ``quality="segmentation"`` is the mean IoU of matches and ``"recognition"`` the F1 of segments;
    their product is the value of a class. ``over`` takes all classes, ``things`` or the rest; stuff has one segment per image.

    >>> t = [[[[1, 1], [1, 1], [1, 2], [0, 0]]]]
    >>> p = [[[[1, 1], [1, 1], [1, 1], [0, 0]]]]
    >>> panoptic_quality(t, p, quality="segmentation")
    0.8333333333333333
    """

    record = Record(
        title="Panoptic quality", range=(0, 1), better="higher", family="bounded_mean", transform="logit",
        takes=("y_true: panoptic maps", "y_pred: panoptic maps"), undefined="a class has no segment, true or predicted",
        use="things and stuff in one map, every pixel in one segment",
        misleads="small segments count as much as large ones, and stuff as much as things; an IoU of 0.5 is a miss, 0.51 a match",
        equals=(
            "panopticapi pq_compute, with one crowd region per class", "hotcoco PanopticEval, with one crowd region per class",
            "torchmetrics PanopticQuality where nothing is predicted void and no truth is crowd",
        ),
        references=("kirillov2019",), traps=(5,), properties=frozenset(),
        aliases=("PQ",),
        erratum=f"{SURVEY}, text after eq. 68, leaves the halves out of the recognition quality, TP / (TP + FP/2 + FN/2); a "
        "match is an IoU strictly above 0.5.",
    )  # fmt: skip

    quality: Quality = "panoptic"

    def check(self) -> None:
        """A known quality."""
        choice(self.name, "quality", self.quality, ("panoptic", "segmentation", "recognition"))

    def statistic(self) -> Segments:
        """Matches, false alarms and misses of each class, one row per image."""
        return Segments(labels_of(self.name, self.classes), self.void, self.things)

    def of_class(self, totals: Floats) -> Floats:
        """Its quality."""
        return of_quality(self.quality, totals)

    def table(self, *args: ArrayLike, **named: ArrayLike | None) -> dict[Any, dict[str, float]]:
        """PQ, SQ, RQ and counts of every class, and their means over all classes, things and stuff."""
        total = self.statistic().of(self.inputs(*args, **named))
        return table_of(total, self.things)


def of_quality(quality: Quality, totals: Any) -> Any:
    """The value of each class from (..., classes, 4)."""
    iou, tp, fp, fn = (totals[..., j] for j in range(4))
    whole = tp + fp / 2 + fn / 2
    if quality == "panoptic":
        return divide(iou, whole)
    if quality == "recognition":
        return divide(tp, whole)
    none = (real(tp) == 0) & (real(whole) > 0)  # segments, but no match: 0 as in the reference
    return np.where(none, 0.0, divide(iou, tp))


def table_of(total: Sum, things: tuple[int, ...] | None) -> dict[Any, dict[str, float]]:
    """Rows by class, and under "all", "things" and "stuff" the means over their classes that have segments."""
    names: dict[str, Quality] = {"pq": "panoptic", "sq": "segmentation", "rq": "recognition"}
    values = {short: of_quality(quality, total.totals) for short, quality in names.items()}
    found: dict[Any, dict[str, float]] = {}
    groups: dict[str, list[bool]] = {"all": [True] * len(total.labels)}
    if things is not None:
        groups["things"] = [label in things for label in total.labels]
        groups["stuff"] = [not thing for thing in groups["things"]]
    for group, chosen in groups.items():
        at = np.flatnonzero(chosen)
        found[group] = {short: float(mean_defined(v[at])) if len(at) else float("nan") for short, v in values.items()}
        found[group]["classes"] = float((~np.isnan(values["pq"][at])).sum())
    for i, label in enumerate(total.labels):
        counts = {name: float(total.totals[i, j]) for j, name in ((1, "tp"), (2, "fp"), (3, "fn"))}
        found[label] = {**{short: float(v[i]) for short, v in values.items()}, **counts}
    return found


def _cells(value: ArrayLike, name: str) -> ArrayLike:
    """Pairs of a map and its segments as `PanopticMap`, in a column; a single one is a column of one."""
    if isinstance(value, PanopticMap) or _is_pair(value):
        return _cells(cast(Any, [value]), name)
    if not isinstance(value, list | tuple):
        return value
    items: list[Any] = list(cast(Any, value))
    found = [
        PanopticMap.of(item[0], item[1], f"{name}[{at}]") if _is_pair(item) else item for at, item in enumerate(items)
    ]
    return object_column(found) if any(isinstance(item, PanopticMap) for item in found) else column(found)


def _is_pair(item: Any) -> bool:
    if not isinstance(item, list | tuple) or len(cast(Any, item)) != 2:
        return False
    segments: Any = cast(Any, item)[1]
    return isinstance(segments, list | tuple) and all(isinstance(s, dict) for s in cast("list[Any]", segments))
