"""What metrics of detection share: how objects come in, and the match that all of them rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import ArrayLike
from assay.core.errors import InputError, ParameterError
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Rows
from assay.core.parameters import choice, whole
from assay.metrics.detection.matching import SIGMAS, Kind, Matches, Ordered
from assay.metrics.detection.objects import BoxFormat, from_images, refuse_kinds

IOUS = tuple(float(t) for t in np.linspace(0.5, 0.95, 10))
SIZES: dict[str, tuple[float, float]] = {
    "all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)
}  # fmt: skip
LEVELS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, kw_only=True)
class ObjectMetric(Metric[Rows]):
    """A metric of objects in images; a unit is an image.

    ``y_true`` and ``y_pred`` are lists with one mapping an image (``boxes``, ``labels``; ``scores`` of predictions; perhaps
    ``masks``, ``keypoints``, ``iscrowd``, ``area``), or what the readers of `assay.io` give. ``box_format`` says how four numbers
    are meant; it is never guessed.
    """

    box_format: BoxFormat = "xyxy"

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The objects of a call as columns, checked."""
        bound = self.takes.bind(self.name, args, named)
        columns = {
            name: from_images(
                bound[name], predicted=name == "y_pred", box_format=self.box_format, who=self.name, name=name
            )
            for name in ("y_true", "y_pred")
        }
        refuse_kinds(columns["y_true"], columns["y_pred"], self.name)
        sizes = {name: column.n for name, column in columns.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(
                f"{self.name}: y_true has {sizes['y_true']} images, y_pred has {sizes['y_pred']}. Give an empty entry for images "
                "without objects."
            )
        return Inputs(columns, weight=weight, who=self.name)

    def check(self) -> None:
        """A box format that exists."""
        choice(self.name, "box_format", self.box_format, ("xyxy", "xywh", "cxcywh"))


@dataclass(frozen=True, kw_only=True)
class ClassMean(ObjectMetric):
    """The mean of a value over the classes that have something to find."""

    def part_names(self, total: Rows) -> tuple[Any, ...]:
        """The classes."""
        return tuple(Ordered.of(total).names.tolist())

    def combine(self, values: Any, total: Rows) -> Any:
        """The mean over the classes that have something to find."""
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1)

    def remarks(self, total: Rows) -> dict[str, float]:
        """Detections of classes that no image has: nobody measures such a class."""
        without = ~np.isin(total["label"], np.unique(total["truth"]))
        return {"detections of classes without ground truth, left out": float(without.sum())}


@dataclass(frozen=True, kw_only=True)
class CocoMetric(ClassMean):
    """A number of COCO's evaluation.

    ``kind`` is what overlaps are measured by. Matching is done at all ``ious`` and in the ranges of ``sizes`` (areas in pixels) for
    at most ``caps[-1]`` detections of an image and class, once for every metric with these parameters; ``iou``, ``size`` and
    ``cap`` then say which of them the value is about: one threshold or the mean of all (None), the last cap without ``cap``.
    ``caps`` are 1, 10 and 100 if they are not given, and 20 for keypoints, as in COCO.
    """

    kind: Kind = "bbox"
    iou: float | None = None
    size: str = "all"
    cap: int | None = None
    ious: tuple[float, ...] = IOUS
    sizes: tuple[tuple[str, float, float], ...] = tuple((name, *ends) for name, ends in SIZES.items())
    caps: tuple[int, ...] | None = None
    by_class: bool = True
    sigmas: tuple[float, ...] = SIGMAS

    def check(self) -> None:
        """Thresholds between 0 and 1; what the value is about must be among what is matched."""
        super().check()
        choice(self.name, "kind", self.kind, ("bbox", "segm", "keypoints"))
        if not self.ious or len(self.ious) > 64 or not all(0 < t <= 1 for t in self.ious):
            raise ParameterError(
                f"{self.name}: ious must be 1 to 64 thresholds above 0 and up to 1, got {self.ious!r}."
            )
        if self.iou is not None and self._at(self.iou) is None:
            raise ParameterError(
                f"{self.name}: iou={self.iou!r} is not among ious. Add it there: ious=({self.iou!r},)."
            )
        choice(self.name, "size", self.size, tuple(name for name, *_ in self.sizes))
        for cap in self.all_caps:
            whole(self.name, "caps", cap)
        if self.cap is not None and self.cap not in self.all_caps:
            raise ParameterError(f"{self.name}: cap={self.cap!r} is not among caps={self.all_caps!r}. Add it there.")

    @property
    def all_caps(self) -> tuple[int, ...]:
        """The caps that are matched: poses are few in an image."""
        return self.caps or ((20,) if self.kind == "keypoints" else (1, 10, 100))

    @property
    def most(self) -> int:
        """The cap that the value is about."""
        return self.all_caps[-1] if self.cap is None else self.cap

    def _at(self, iou: float) -> int | None:
        return next((i for i, t in enumerate(self.ious) if abs(t - iou) < 1e-9), None)

    def statistic(self) -> Matches:
        """The match that every number of these parameters shares."""
        ranges = tuple((float(low), float(high)) for _, low, high in self.sizes)
        return Matches(self.kind, self.ious, ranges, max(self.all_caps), self.by_class, self.sigmas)

    @property
    def range_at(self) -> int:
        """Which range of sizes the value is about."""
        return [name for name, *_ in self.sizes].index(self.size)

    @property
    def chosen(self) -> Any:
        """Which thresholds the value is about."""
        at = None if self.iou is None else self._at(self.iou)
        return np.arange(len(self.ious)) if at is None else np.array([at])

    def measured(self, total: Rows) -> tuple[Any, Any]:
        """Average precision and recall (classes, thresholds), computed once for all metrics that read them."""

        def work() -> tuple[Any, Any]:
            return Ordered.of(total).measured(total.weights(), self.range_at, self.most, len(self.ious), LEVELS)

        return total.remember((self.size, self.sizes, self.most), work) if total.weight is None else work()

    def fewest(self, total: Rows) -> float:
        """The number of objects of the rarest class that the value is about."""
        found = Ordered.of(total).positives(np.ones(total.n), self.range_at)
        return float(found[found > 0].min()) if found.any() else 0.0
