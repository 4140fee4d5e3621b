"""Overlap of label maps: pixel accuracy, class accuracy, IoU, Dice and boundary IoU, of the set or image by image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from assay.core.errors import ParameterError, arg
from assay.core.monoids import Sum
from assay.core.parameters import choice, number
from assay.core.record import Record
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.metrics.averages import mean_of_rows
from assay.metrics.segmentation.maps import MapMetric
from assay.metrics.segmentation.overlap_rows import Average, ImageOverlaps, Kind, Overlaps, averaged, foreground, ratio

MOST_CLASSES = 2**20  # a tuple of them all is kept
TAKES = ("y_true: label maps", "y_pred: label maps", "logits: scores of each class, (images, classes, height, width)")
COMMON: dict[str, Any] = {
    "range": (0, 1), "better": "higher", "family": "bounded_mean", "transform": "logit", "takes": TAKES,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OverlapMetric(MapMetric):
    """A ratio of pixel counts.

    Inputs are maps of class numbers: an array (images, height, width) or (images, depth, height, width), or a list of maps of
    different sizes. ``logits`` in the place of ``y_pred`` hold one score per class, (images, classes, height, width), of which the
    largest is taken; a single class is 1 from a logit of 0 on. ``classes`` names the classes (a number K means 0 to K-1); without it
    they are those that occur. Pixels whose truth is ``ignore_index`` count nowhere; it is a miss where it is predicted elsewhere.
    A true 255 or 65535 that is never predicted is refused unless one of the two tells what it is. ``level="set"`` forms the ratio
    once, from the counts of all images; ``level="image"`` forms it in each image and takes the mean over images.
    """

    takes = Takes(("y_true",), ("y_pred", "logits"), one_of=True)
    kind: ClassVar[Kind]

    classes: tuple[int, ...] | int | None = None
    ignore_index: int | None = None
    level: Literal["set", "image"] = "set"

    def __post_init__(self) -> None:
        """Check what all of them have in common."""
        super().__post_init__()
        choice(self.name, "level", self.level, ("set", "image"))
        check_label(self.name, "ignore_index", self.ignore_index)
        if self.class_labels is not None and self.ignore_index in self.class_labels:
            raise ParameterError(
                self.name,
                "ignore_index",
                f"is {self.ignore_index}, which is among classes; a class that counts cannot be ignored",
            )

    @property
    def class_labels(self) -> tuple[int, ...] | None:
        """The classes by number, if they were given."""
        return labels_of(self.name, self.classes)

    @property
    def averaging(self) -> Average:
        """How classes are averaged."""
        return None

    @property
    def left_out(self) -> int | None:
        """The class that has no value of its own."""
        return None

    def counted(self) -> Overlaps:
        """Which pixels are counted."""
        return Overlaps(self.class_labels, self.ignore_index)

    def statistic(self) -> Statistic[Sum]:
        """Counts of the set, or values of the images."""
        if self.level == "set":
            return self.counted()
        fill = None if isinstance(self.undefined, str) or self.averaging is None else float(self.undefined)
        if fill is not None and self.classes is None and self.kind != "pixel":
            raise ParameterError(
                self.name,
                "undefined",
                f"is {self.undefined:g}, which counts the classes that an image lacks, so the classes must be known",
                f"Give {arg('classes')}: their number K, or the labels.",
            )
        return ImageOverlaps(self.counted(), self.kind, self.averaging, fill, self.left_out)

    def of(self, total: Sum) -> Any:
        """One value per class, or the one there is."""
        totals = foreground(total.labels, self.left_out, total.totals)
        if self.level == "set":
            return ratio(self.kind, totals)
        _, exists, absent, value = (totals[..., i] for i in range(4))
        filled = not isinstance(self.undefined, str) and self.averaging is not None  # within each image already
        return mean_of_rows(value, exists, absent, "nan" if filled else self.undefined)

    def combine(self, values: Any, total: Sum) -> Any:
        """The average over classes; images have theirs already."""
        if self.level == "image" or self.kind == "pixel":
            return values
        return averaged(self.averaging, values, foreground(total.labels, self.left_out, total.totals))

    def part_names(self, total: Sum) -> tuple[Any, ...]:
        """The classes that have a value of their own."""
        return () if self.kind == "pixel" else tuple(label for label in total.labels if label != self.left_out)

    def remarks(self, total: Sum) -> dict[str, float]:
        """Images without a value."""
        if self.level == "set" or total.labels:
            return {}
        how = "excluded" if isinstance(self.undefined, str) else f"counted as {self.undefined:g}"
        return {f"images undefined ({how})": float(total["absent"])}


@dataclass(frozen=True, kw_only=True)
class ClassOverlap(OverlapMetric):
    """A ratio per class, averaged.

    ``average="macro"`` is the mean over the classes that have a value, ``"frequency"`` weighs them by their true pixels, None
    returns one value per class. Classes without a value are left out and counted, unless ``undefined`` gives them a number.
    ``background`` is a class that gets no value of its own, such as 0 where the rest of the image is nothing in particular: its
    pixels are misses and false alarms of the others only.
    """

    average: Average = "macro"
    background: int | None = None

    def __post_init__(self) -> None:
        """Check the average too."""
        super().__post_init__()
        choice(self.name, "average", self.average, ("macro", "frequency", None))
        check_label(self.name, "background", self.background)

    @property
    def averaging(self) -> Average:
        """As asked."""
        return self.average

    @property
    def left_out(self) -> int | None:
        """The background."""
        return self.background


def labels_of(who: str, classes: tuple[int, ...] | int | None) -> tuple[int, ...] | None:
    """The class numbers that ``classes`` stands for."""
    if classes is None:
        return None
    if type(classes) is int and classes > MOST_CLASSES:
        raise ParameterError(who, "classes", f"must be at most {MOST_CLASSES}, got {classes}")
    found: Any = tuple(range(classes)) if type(classes) is int else classes
    if not isinstance(found, tuple) or not found or any(type(c) is not int or c < 0 for c in cast(Any, found)):
        raise ParameterError(
            who, "classes", f"must be the number of classes, or distinct integers from 0, got {classes!r}"
        )
    labels = cast("tuple[int, ...]", found)
    if len(set(labels)) != len(labels):
        raise ParameterError(who, "classes", f"must name each class once, got {classes!r}")
    return labels


def check_label(who: str, name: str, value: object) -> None:
    """Refuse what is not a label."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise ParameterError(who, name, f"must be an integer or None, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class PixelAccuracy(OverlapMetric):
    r"""Share of the pixels whose class is right.

    .. math:: \frac{\sum_c n_{cc}}{\sum_c t_c}

    Large classes decide it. ``level="image"`` is the mean over images of the fraction in each, which differs where images differ
    in size or in ignored pixels.

    >>> pixel_accuracy([[[0, 0, 1, 1]]], [[[0, 1, 1, 1]]])
    0.75
    """

    record = Record(
        title="Pixel accuracy", **COMMON, undefined="no pixel counts",
        use="all pixels matter alike, and classes are of similar size",
        misleads="a map of background alone scores high where objects are small",
        equals=("scikit-learn accuracy_score on flattened maps", "mmsegmentation aAcc"), references=("long2015",), traps=(4,),
        aliases=("aAcc",),
    )  # fmt: skip
    kind: ClassVar[Kind] = "pixel"


@dataclass(frozen=True, kw_only=True)
class MeanClassAccuracy(ClassOverlap):
    r"""Mean over classes of the fraction of their true pixels that were found.

    .. math:: \frac1K \sum_c \frac{n_{cc}}{t_c}

    The recall of each class. It says nothing about pixels that were taken for a class wrongly.

    >>> mean_class_accuracy([[[0, 0, 1, 1]]], [[[0, 1, 1, 1]]])
    0.75
    """

    record = Record(
        title="Mean class accuracy", **COMMON, undefined="a class has no true pixel",
        use="small classes must be found, and false alarms cost little",
        misleads="painting everything as the rare class helps that class and is hardly punished",
        equals=("scikit-learn balanced_accuracy_score on flattened maps", "mmsegmentation mAcc"), references=("long2015",),
        traps=(4,),
        aliases=("mAcc",),
    )  # fmt: skip
    kind: ClassVar[Kind] = "accuracy"


@dataclass(frozen=True, kw_only=True)
class MeanIoU(ClassOverlap):
    r"""Mean over classes of intersection over union.

    .. math:: \frac1K \sum_c \frac{n_{cc}}{t_c + p_c - n_{cc}}

    One table of counts for the whole set, as in VOC and Cityscapes. ``level="image"`` averages the classes within each image
    first, then the images. ``average="frequency"`` weighs classes by their true pixels.

    >>> mean_iou([[[0, 0, 1, 1]]], [[[0, 1, 1, 1]]])
    0.5833333333333333
    """

    record = Record(
        title="Mean intersection over union", **COMMON, undefined="a class has no pixel, true or predicted",
        use="semantic segmentation, classes of unequal size", misleads="thin and small structures hardly move it",
        equals=(
            "scikit-learn jaccard_score(average='macro') on flattened maps", "torchmetrics JaccardIndex(average='macro')",
            "torchmetrics functional.segmentation.mean_iou and monai MeanIoU, their mean over images, for level='image'",
            "mmsegmentation mIoU",
        ),
        references=("everingham2015", "long2015"), traps=(4,), properties=frozenset({"symmetric"}),
        aliases=("mIoU", "mean_intersection_over_union"),
    )  # fmt: skip
    kind: ClassVar[Kind] = "iou"

    @property
    def properties(self) -> frozenset[str]:
        """Weights by true pixels tell truth and prediction apart."""
        return self.record.properties - ({"symmetric"} if self.average == "frequency" else set[str]())


@dataclass(frozen=True, kw_only=True)
class Dice(ClassOverlap):
    r"""Mean over classes of twice the intersection over the sum of both areas.

    .. math:: \frac1K \sum_c \frac{2 n_{cc}}{t_c + p_c}

    The F1 score of pixels. ``level="image"``, usual in medicine, scores each image and takes the mean over images; there
    ``background=0`` belongs to it, which leaves the Dice of the background, near 1 for all, out of the mean.

    >>> dice([[[0, 0, 1, 1]]], [[[0, 1, 1, 1]]])
    0.7333333333333334
    """

    record = Record(
        title="Dice coefficient", **COMMON, undefined="a class has no pixel, true or predicted",
        use="overlap of a structure, above all in medical images",
        misleads="one pixel more or less decides it where structures are small; it says nothing about where borders fail",
        equals=(
            "scikit-learn f1_score(average='macro') on flattened maps", "monai DiceMetric(reduction='mean') for level='image'",
        ),
        references=("dice1945",), traps=(4,), properties=frozenset({"symmetric"}),
        aliases=("dice_score", "dice_coefficient"),
    )  # fmt: skip
    kind: ClassVar[Kind] = "dice"

    @property
    def properties(self) -> frozenset[str]:
        """Weights by true pixels tell truth and prediction apart."""
        return self.record.properties - ({"symmetric"} if self.average == "frequency" else set[str]())


@dataclass(frozen=True, kw_only=True)
class BoundaryIoU(ClassOverlap):
    r"""Mean over classes of the IoU of the rims of true and predicted regions.

    .. math:: \frac1K \sum_c \frac{|R_c(T) \cap R_c(P)|}{|R_c(T) \cup R_c(P)|}

    The rim of a region is what lies inside it within ``width`` of its contour, with steps to all eight neighbours; the border
    of the map is a contour. ``width`` is a fraction of the diagonal (``unit="diagonal"``, at least one pixel) or in pixels.

    >>> boundary_iou([[[0, 0, 0, 1, 1, 1]] * 3], [[[0, 0, 1, 1, 1, 1]] * 3], width=1, unit="pixels")
    0.595959595959596
    """

    record = Record(
        title="Boundary IoU", **COMMON, undefined="a class has no rim pixel, true or predicted",
        use="the quality of contours of large objects, where IoU is near 1 for all",
        misleads="for thin objects the rim is the whole object, and it equals IoU",
        equals=(
            "boundary-iou-api mask_to_boundary with dilation_ratio=width", "faster-coco-eval rleToBoundary(dilation_ratio=width), pooled",
        ), references=("cheng2021",), traps=(4,),
    )  # fmt: skip
    kind: ClassVar[Kind] = "iou"

    width: float = 0.02
    unit: Literal["diagonal", "pixels"] = "diagonal"

    def check(self) -> None:
        """A width above 0."""
        choice(self.name, "unit", self.unit, ("diagonal", "pixels"))
        if self.unit == "pixels":
            number(self.name, "width", self.width, low=1)
        else:
            number(self.name, "width", self.width, low=0, high=1, open_low=True)

    def counted(self) -> Overlaps:
        """Rims only."""
        return Overlaps(self.class_labels, self.ignore_index, float(self.width), self.unit)
