"""Base classes of detection metrics: how objects come in, and the matching that all of them read their values from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, Floats
from assay.core.errors import InputError, ParameterError, arg
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.core.parameters import choice, number, whole
from assay.core.value_checks import Says
from assay.data.image_records import from_images
from assay.data.objects import BoxFormat
from assay.metrics.detection.matching import Matches, Ordered
from assay.metrics.detection.shapes import IOU_TYPES, SIGMAS, IouType, Shapes, Sigmas, refuse_kinds

IOUS = tuple(float(t) for t in np.linspace(0.5, 0.95, 10))
AREA_RANGES: dict[str, tuple[float, float]] = {
    "all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)
}  # fmt: skip
LEVELS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, kw_only=True)
class ObjectMetric(Metric[Rows]):
    """A metric of objects in images; a unit is an image.

    ``y_true`` and ``y_pred`` are lists with one mapping per image (``boxes``, ``labels``; ``scores`` of predictions; perhaps
    ``masks``, ``keypoints``, ``iscrowd``, ``area``), or what the readers of `assay.io` give. ``box_format`` says what four numbers
    mean; it is never guessed.
    """

    box_format: BoxFormat = "xyxy"

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The objects of a call as columns, checked."""
        bound = self.takes.bind(self.name, args, named)
        self._same_number(bound)
        columns = {
            name: from_images(
                bound[name], predicted=name == "y_pred", box_format=self.box_format, who=self.name, name=name
            )
            for name in ("y_true", "y_pred")
        }
        refuse_kinds(columns["y_true"], columns["y_pred"], self.name)
        return Inputs(columns, weight=weight, who=self.name)

    def _same_number(self, bound: Mapping[str, Any]) -> None:
        """Refuse numbers of images that differ, before any is looked at: one of them may be zero."""
        sizes = [len(bound[name]) for name in ("y_true", "y_pred") if _has_length(bound[name])]
        if len(set(sizes)) > 1:
            raise InputError(
                self.name,
                "y_true",
                f"has {sizes[0]} images, but y_pred has {sizes[1]}",
                "Give an empty entry for images without objects.",
            )

    def check(self) -> None:
        """A box format that exists."""
        choice(self.name, "box_format", self.box_format, ("xyxy", "xywh", "cxcywh"))


def _has_length(value: object) -> bool:
    """Whether len() works: an array without axes has the method and no length."""
    return isinstance(value, Sized) and getattr(value, "ndim", 1) != 0


@dataclass(frozen=True, kw_only=True)
class ShapedMetric(ObjectMetric):
    """A metric of overlaps: of boxes, of masks, or of keypoints.

    Distances of keypoints are measured in units of ``sigmas`` and of the area of the object. ``use_area=False`` takes 0.53 of its box
    for that, as CrowdPose does, whose truth has no areas; with ``sigmas="crowdpose"`` this is its evaluation.
    """

    iou_type: IouType = "bbox"
    sigmas: Sigmas = "coco"
    use_area: bool = True

    def check(self) -> None:
        """A kind that exists, and a sigma above 0 for each keypoint."""
        super().check()
        choice(self.name, "iou_type", self.iou_type, IOU_TYPES)
        choice(self.name, "use_area", self.use_area, (True, False))
        if isinstance(self.sigmas, str):
            choice(self.name, "sigmas", self.sigmas, tuple(SIGMAS))
        else:
            for sigma in listed(self.name, "sigmas", self.sigmas, "(0.026, 0.025, ...)"):
                number(self.name, "sigmas", sigma, low=0, high=1e6, open_low=True)

    @property
    def shapes(self) -> Shapes:
        """What overlaps are measured by."""
        return Shapes(
            self.iou_type, SIGMAS[self.sigmas] if isinstance(self.sigmas, str) else self.sigmas, self.use_area
        )


def listed(who: str, name: str, value: object, example: str) -> tuple[Any, ...]:
    """A parameter that holds several values; one alone is not taken for a list."""
    if not isinstance(value, tuple) or not value:
        raise ParameterError(who, name, f"must be one or more values, such as {name}={example}, got {value!r}")
    return cast("tuple[Any, ...]", value)


def check_thresholds(who: str, name: str, values: tuple[float, ...]) -> None:
    """One to 64 overlaps: the outcome of a detection at each of them is a bit of a word."""
    for threshold in listed(who, name, values, "(0.5, 0.75)"):
        number(who, name, threshold, low=0, high=1, open_low=True)
    if len(values) > 64:
        raise ParameterError(who, name, f"must be 1 to 64 thresholds above 0 and up to 1, got {len(values)}")


def check_area_ranges(who: str, ranges: object) -> None:
    """Ranges of areas, each with a name."""
    for entry in listed(who, "area_ranges", ranges, "(('all', 0, 1e10), ('small', 0, 1024))"):
        ends: tuple[Any, ...] = cast(Any, entry) if isinstance(entry, tuple) else ()
        if len(ends) != 3:
            raise ParameterError(who, "area_ranges", f"must hold (name, least area, largest area), got {entry!r}")
        number(who, "area_ranges", ends[1], low=0)
        number(who, "area_ranges", ends[2], low=ends[1])


def mean_of_known(values: Floats) -> Floats:
    """The mean over the last axis of what has a value; NaN if nothing has."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1)


@dataclass(frozen=True, kw_only=True)
class ClassMean(ObjectMetric):
    """The mean of a value over the classes that have something to find."""

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """The classes."""
        return tuple(Ordered.of(total).names.tolist())

    def combine(self, values: Any, total: Rows) -> Any:
        """The mean over the classes that have something to find."""
        return mean_of_known(values)

    def remarks(self, total: Rows) -> dict[str, float]:
        """Detections of classes that no image has: nobody measures such a class."""
        without = ~np.isin(total["label"], np.unique(total["truth"]))
        return {"detections of classes without ground truth, left out": float(without.sum())}


@dataclass(frozen=True, kw_only=True)
class RankedMetric(ClassMean):
    """A number read off detections by decreasing score, at several overlaps and sizes of objects that share one match.

    Matching is done at all ``iou_thresholds`` and in all ``area_ranges`` (areas in pixels). ``iou`` and ``area_range`` select what the
    value is about: one threshold, or the mean of all (None).
    """

    iou: float | None = None
    area_range: str = "all"
    iou_thresholds: Annotated[tuple[float, ...], Says("a list of numbers, such as (0.5, 0.75)")] = IOUS
    area_ranges: Annotated[tuple[tuple[str, float, float], ...], Says("a list of (name, least area, largest area)")] = (
        tuple((name, *ends) for name, ends in AREA_RANGES.items())
    )

    def check(self) -> None:
        """Thresholds between 0 and 1; what the value is about must be among what is matched."""
        super().check()
        check_thresholds(self.name, "iou_thresholds", self.iou_thresholds)
        if self.iou is not None:
            number(self.name, "iou", self.iou, low=0, high=1)
            if self._at(self.iou) is None:
                raise ParameterError(
                    self.name,
                    "iou",
                    f"must be one of {arg('iou_thresholds')}, got {self.iou!r}",
                    f"Add it there: {arg('iou_thresholds', (self.iou,))}.",
                )
        check_area_ranges(self.name, self.area_ranges)
        choice(self.name, "area_range", self.area_range, tuple(name for name, *_ in self.area_ranges))

    @property
    @abstractmethod
    def most(self) -> int:
        """How many detections the value is about."""

    def _at(self, iou: float) -> int | None:
        return next((i for i, t in enumerate(self.iou_thresholds) if abs(t - iou) < 1e-9), None)

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The ranges of sizes."""
        return tuple((float(low), float(high)) for _, low, high in self.area_ranges)

    @property
    def range_at(self) -> int:
        """Which range of sizes the value is about."""
        return [name for name, *_ in self.area_ranges].index(self.area_range)

    @property
    def chosen(self) -> NDArray[np.int64]:
        """Which thresholds the value is about."""
        at = None if self.iou is None else self._at(self.iou)
        return np.arange(len(self.iou_thresholds)) if at is None else np.array([at])

    def measured(self, total: Rows) -> tuple[Floats, Floats]:
        """Average precision and recall (classes, thresholds), computed once for all metrics that read them."""

        def work() -> tuple[Floats, Floats]:
            return Ordered.of(total).measured(
                total.weights(), self.range_at, self.most, len(self.iou_thresholds), LEVELS
            )

        return total.remember((self.area_range, self.area_ranges, self.most), work) if total.weight is None else work()

    def precisions(self, total: Rows) -> Floats:
        """Average precision of each class."""
        return self.measured(total)[0][:, self.chosen].mean(axis=-1)

    def recalls(self, total: Rows) -> Floats:
        """Final recall of each class."""
        return self.measured(total)[1][:, self.chosen].mean(axis=-1)

    def drawn_precisions(self, total: Rows, weights: Floats) -> Floats:
        """Average precision (replicates, classes): all replicates in one walk over the detections."""
        return Ordered.of(total).replicated(weights, self.range_at, self.most, self.chosen, LEVELS)

    def drawn_recalls(self, total: Rows, weights: Floats) -> Floats:
        """Final recall (replicates, classes): a ratio of sums, so that replicates need no walk."""
        return Ordered.of(total).recalled(weights, self.range_at, self.most, self.chosen)

    def fewest(self, total: Rows) -> float:
        """The number of objects of the rarest class that the value is about."""
        found = Ordered.of(total).positives(np.ones(total.n), self.range_at)
        return float(found[found > 0].min()) if found.any() else 0.0


@dataclass(frozen=True, kw_only=True)
class CocoMetric(RankedMetric, ShapedMetric):
    """A number of COCO's evaluation.

    ``iou_type`` is what overlaps are measured by. Matching is done at all ``iou_thresholds`` and in all ``area_ranges`` (areas in pixels)
    for at most ``max_detection_thresholds[-1]`` detections per image and class, once for every metric with these parameters. ``iou``,
    ``area_range`` and ``max_detections`` then select what the value is about: one threshold or the mean of all (None); without
    ``max_detections`` the last of its thresholds, which are 1, 10 and 100 by default, and 20 for keypoints, as in COCO.
    """

    max_detections: int | None = None
    max_detection_thresholds: Annotated[
        tuple[int, ...] | None, Says("a list of integers, such as (1, 10, 100), or None")
    ] = None
    class_agnostic: bool = False

    def check(self) -> None:
        """The number of detections that the value is about must be among those that are matched."""
        super().check()
        name, given = "max_detection_thresholds", self.max_detection_thresholds
        for most in () if given is None else listed(self.name, name, given, "(1, 10, 100)"):
            whole(self.name, name, most)
        if self.max_detections is not None and self.max_detections not in self.all_max_detections:
            raise ParameterError(
                self.name, "max_detections", f"must be one of {arg(name, self.all_max_detections)}, got {self.max_detections!r}",
                "Add it there.",
            )  # fmt: skip

    @property
    def all_max_detections(self) -> tuple[int, ...]:
        """The numbers of detections that are matched: an image has few poses."""
        return self.max_detection_thresholds or ((20,) if self.iou_type == "keypoints" else (1, 10, 100))

    @property
    def most(self) -> int:
        """The number of detections that the value is about."""
        return self.all_max_detections[-1] if self.max_detections is None else self.max_detections

    def statistic(self) -> Matches:
        """The match that every number of these parameters shares."""
        return Matches(
            self.shapes, self.iou_thresholds, self.ranges, max(self.all_max_detections), not self.class_agnostic
        )
