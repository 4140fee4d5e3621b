"""Distances between surfaces: Hausdorff, average surface distances, normalised surface Dice, boundary F1."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np

from assay.core.errors import ParameterError
from assay.core.monoids import Sum
from assay.core.parameters import choice, number
from assay.core.record import Record
from assay.core.sources import SURVEY
from assay.core.takes import Takes
from assay.metrics.averages import mean_of_rows
from assay.metrics.segmentation.maps import MapMetric
from assay.metrics.segmentation.overlap import check_label, labels_of
from assay.metrics.segmentation.surface_rows import Missed, Norm, Reduction, SurfaceMeans, Surfaces
from assay.ops import real

Direction = Literal["both", "to_truth", "from_truth"]
TAKES = ("y_true: masks or maps of classes", "y_pred: masks or maps of classes")
SHARE: dict[str, Any] = {
    "range": (0, 1), "better": "higher", "family": "bounded_mean", "transform": "logit", "takes": TAKES,
    "undefined": "truth and prediction are both empty in every image", "properties": frozenset({"symmetric"}),
}  # fmt: skip
LENGTH: dict[str, Any] = {
    "range": (0, np.inf), "better": "lower", "family": "mean", "transform": "log", "takes": TAKES,
    "undefined": "truth and prediction are both empty in every image", "properties": frozenset({"symmetric"}),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SurfaceMetric(MapMetric):
    """The mean over images of a number of the distances between two surfaces.

    Inputs are masks or label maps: pictures (images, height, width), volumes (images, depth, height, width), or a list of
    either. ``classes`` names the classes whose surfaces count; without it all that occur in an image but the ``background``.
    ``average="macro"`` takes the mean over the classes of an image, None returns one value per class (which must be named, unless
    the maps are masks of 0 and 1). Pixels whose truth is ``ignore_index`` are taken as background on both sides.
    Images in which both sides are empty have no value: left out and counted, unless ``undefined`` gives them a number.
    """

    takes = Takes(("y_true", "y_pred"))

    classes: tuple[int, ...] | None = None
    ignore_index: int | None = None
    background: int | None = 0
    average: Literal["macro"] | None = "macro"

    def __post_init__(self) -> None:
        """Check what all of them have in common."""
        super().__post_init__()
        choice(self.name, "average", self.average, ("macro", None))
        check_label(self.name, "ignore_index", self.ignore_index)
        check_label(self.name, "background", self.background)
        if self.classes is not None and not isinstance(cast(Any, self.classes), tuple):
            raise ParameterError(self.name, "classes", f"must name the classes, such as (1, 2), got {self.classes!r}")
        labels_of(self.name, self.classes)

    @abstractmethod
    def reduction(self) -> Reduction:
        """The number of an image."""

    def surfaces(self) -> Surfaces:
        """The surfaces it is a number of."""
        return Surfaces(self.classes, self.ignore_index, self.background)

    @property
    def when_missed(self) -> Missed:
        """What an image counts in which one side is empty; fractions count it as 0."""
        return "infinite"

    def statistic(self) -> SurfaceMeans:
        """One row per image, from distances that all surface metrics share."""
        return SurfaceMeans(self.surfaces(), self.reduction(), self.average, self.when_missed)

    def of(self, total: Sum) -> Any:
        """The mean over the images that have a value."""
        value = mean_of_rows(total["value"], total["exists"], total["absent"], self.undefined)
        if self.reduction().is_distance and self.when_missed == "infinite":
            return np.where(real(total["missed"]) > 0, np.inf, value)
        return value

    def part_names(self, total: Sum) -> tuple[Any, ...]:
        """The classes, if each has a value."""
        return total.labels

    def remarks(self, total: Sum) -> dict[str, float]:
        """Images in which one side or both are empty."""
        if total.labels:
            return {}
        distance = self.reduction().is_distance
        how = {"infinite": "are infinitely far", "diagonal": "count the diagonal", "skip": "were left out"}[
            self.when_missed
        ]
        skipped = float(total["missed"]) if distance and self.when_missed == "skip" else 0.0
        both = "were left out" if isinstance(self.undefined, str) else f"count {self.undefined:g}"
        return {
            f"images have an empty truth or prediction and {how if distance else 'count 0'}": float(total["missed"]),
            f"images are empty on both sides and {both}": float(total["absent"]) - skipped,
        }


@dataclass(frozen=True, kw_only=True)
class SpacedMetric(SurfaceMetric):
    """A surface metric in real units.

    ``spacing`` is the size of a pixel along each axis. ``surface="pixels"`` takes the pixels of the mask that touch the
    outside along an axis, all alike; ``"surfels"`` takes surface elements at the corners between pixels, weighed by area.
    """

    spacing: tuple[float, ...] | None = None
    surface: Literal["pixels", "surfels"] = "pixels"

    def __post_init__(self) -> None:
        """Check spacing and surface too."""
        super().__post_init__()
        choice(self.name, "surface", self.surface, ("pixels", "surfels"))
        if self.spacing is None:
            return
        if not isinstance(cast(Any, self.spacing), tuple) or len(self.spacing) not in (2, 3):
            raise ParameterError(self.name, "spacing", f"must be one number per axis, got {self.spacing!r}")
        for step in self.spacing:
            number(self.name, "spacing", step, low=0, open_low=True)

    def surfaces(self) -> Surfaces:
        """With spacing, by pixels or surface elements."""
        spacing = None if self.spacing is None else tuple(float(s) for s in self.spacing)
        return Surfaces(self.classes, self.ignore_index, self.background, spacing, self.surface == "surfels")


@dataclass(frozen=True, kw_only=True)
class DistanceMetric(SpacedMetric):
    """A distance. ``missed`` says what an image counts in which only one side is empty: ``"infinite"``, ``"diagonal"`` (that
    of the image) or ``"skip"``; it is counted in each case. ``norm`` is how steps along the axes add up: ``"euclidean"``,
    ``"taxicab"`` (their sum) or ``"chessboard"`` (the largest)."""

    missed: Missed = "infinite"
    norm: Norm = "euclidean"

    def __post_init__(self) -> None:
        """Check missed too."""
        super().__post_init__()
        choice(self.name, "missed", self.missed, ("infinite", "diagonal", "skip"))
        choice(self.name, "norm", self.norm, ("euclidean", "taxicab", "chessboard"))

    def surfaces(self) -> Surfaces:
        """With distances by this norm."""
        return replace(super().surfaces(), norm=self.norm)

    @property
    def when_missed(self) -> Missed:
        """As asked."""
        return self.missed


@dataclass(frozen=True, kw_only=True)
class Hausdorff(DistanceMetric):
    r"""How far the surfaces are from each other where they are farthest, or at a percentile.

    .. math:: \max\Bigl(P_q\{d(t, S_P) : t \in S_T\},\; P_q\{d(p, S_T) : p \in S_P\}\Bigr)

    ``percentile=100`` is the Hausdorff distance, 95 the robust form: the larger of the two directed percentiles.
    ``direction="to_truth"`` is the directed distance of the predicted surface to the true one, ``"from_truth"`` that of the true
    one to the predicted one. The value is the mean over images.

    >>> hausdorff([[[1, 1, 0, 0, 0]]], [[[1, 1, 1, 1, 0]]])
    2.0
    """

    record = Record(
        title="Hausdorff distance", **LENGTH, use="the worst place of a contour decides, as in planning of treatment",
        misleads="one stray pixel sets the maximum; choose percentile=95 where masks have such",
        equals=(
            "monai compute_hausdorff_distance(percentile=...)",
            "monai compute_hausdorff_distance(directed=True) for direction='to_truth'; its distance_metric is norm",
            "scipy directed_hausdorff of the edge pixels, the larger direction",
            "surface-distance compute_robust_hausdorff for surface='surfels'",
        ),
        references=("huttenlocher1993",), traps=(6,),
        aliases=("hausdorff_distance",),
    )  # fmt: skip

    percentile: float = 100
    direction: Direction = "both"

    def check(self) -> None:
        """A percentile and a direction."""
        number(self.name, "percentile", self.percentile, low=0, high=100)
        choice(self.name, "direction", self.direction, ("both", "to_truth", "from_truth"))

    @property
    def properties(self) -> frozenset[str]:
        """One direction tells truth and prediction apart."""
        return self.record.properties if self.direction == "both" else frozenset()

    def reduction(self) -> Reduction:
        """The larger of two percentiles, or one of them."""
        return Reduction("hausdorff", float(self.percentile), self.direction)


@dataclass(frozen=True, kw_only=True)
class AverageSurfaceDistance(DistanceMetric):
    r"""Mean distance between the surfaces.

    .. math:: \frac{\sum_{t \in S_T} d(t, S_P) + \sum_{p \in S_P} d(p, S_T)}{|S_T| + |S_P|}

    ``direction="both"`` is the symmetric form (ASSD); ``"to_truth"`` averages over the predicted surface alone,
    ``"from_truth"`` over the true one. The value is the mean over images. `mean_average_surface_distance` takes the mean of the
    two directions instead.

    >>> average_surface_distance([[[1, 1, 0, 0, 0]]], [[[1, 1, 1, 1, 0]]])
    0.5
    """

    record = Record(
        title="Average surface distance", **LENGTH, use="how well contours follow the truth on the whole",
        misleads="a few places far off vanish in the mean; large objects have more surface to hide them",
        equals=(
            "monai compute_average_surface_distance(symmetric=True); symmetric=False is direction='to_truth'",
            "surface-distance compute_average_surface_distance for surface='surfels' and one direction",
        ),
        references=("heimann2009",),
        aliases=("ASD", "ASSD"),
    )  # fmt: skip

    direction: Direction = "both"

    def check(self) -> None:
        """A direction."""
        choice(self.name, "direction", self.direction, ("both", "to_truth", "from_truth"))

    @property
    def properties(self) -> frozenset[str]:
        """One direction tells truth and prediction apart."""
        return self.record.properties if self.direction == "both" else frozenset()

    def reduction(self) -> Reduction:
        """The mean over sites."""
        return Reduction("average", option=self.direction)


@dataclass(frozen=True, kw_only=True)
class MeanAverageSurfaceDistance(DistanceMetric):
    r"""Mean of the two directed average surface distances (MASD).

    .. math:: \frac12 \left(\frac{\sum_{t \in S_T} d(t, S_P)}{|S_T|} + \frac{\sum_{p \in S_P} d(p, S_T)}{|S_P|}\right)

    Both surfaces count alike, whatever their sizes; `average_surface_distance` weighs them by size. The value is the mean over
    images.

    >>> mean_average_surface_distance([[[1, 1, 0, 0, 0]]], [[[1, 1, 1, 1, 0]]])
    0.375
    """

    record = Record(
        title="Mean average surface distance", **LENGTH,
        use="how well contours follow the truth on the whole, where one surface is much larger than the other",
        misleads="a few places far off vanish in the mean; a small surface counts as much as a large one",
        equals=(
            "monai compute_average_surface_distance(symmetric=False), the mean of both orders of its inputs",
            "surface-distance compute_average_surface_distance, the mean of both, for surface='surfels'",
        ),
        references=("maierhein2024",),
        aliases=("MASD",),
    )  # fmt: skip

    def reduction(self) -> Reduction:
        """The mean of both directions."""
        return Reduction("average", option="mean")


@dataclass(frozen=True, kw_only=True)
class NormalizedSurfaceDice(SpacedMetric):
    r"""Share of both surfaces that lies within a tolerance of the other one.

    .. math:: \frac{|\{t : d(t, S_P) \le \tau\}| + |\{p : d(p, S_T) \le \tau\}|}{|S_T| + |S_P|}

    ``tolerance`` is in the units of ``spacing``; take it from the disagreement of annotators. One side empty counts 0. The
    value is the mean over images.

    >>> normalized_surface_dice([[[1, 1, 0, 0, 0]]], [[[1, 1, 1, 1, 0]]])
    0.8333333333333334
    """

    record = Record(
        title="Normalised surface Dice", **SHARE, use="deviations up to a known tolerance are as good as none",
        misleads="the tolerance decides; beyond it, near and far misses count alike",
        equals=(
            "surface-distance compute_surface_dice_at_tolerance for surface='surfels'",
            "monai compute_surface_dice(class_thresholds=[tolerance])",
        ),
        references=("nikolov2021",),
        aliases=("NSD", "surface_dice"),
    )  # fmt: skip

    tolerance: float = 1.0

    def check(self) -> None:
        """A tolerance."""
        number(self.name, "tolerance", self.tolerance, low=0)

    def reduction(self) -> Reduction:
        """The fraction within the tolerance."""
        return Reduction("dice", float(self.tolerance))


@dataclass(frozen=True, kw_only=True)
class BoundaryF1(SurfaceMetric):
    r"""F1 score of contours: precision and recall of boundary pixels within a tolerance.

    .. math:: \frac{2 P R}{P + R}, \quad P = \frac{|\{p : d(p, S_T) \le \tau\}|}{|S_P|},\; R = \frac{|\{t : d(t, S_P) \le \tau\}|}{|S_T|}

    ``tolerance`` is in pixels, or with ``unit="diagonal"`` a fraction of the diagonal of the image (0.0075 in the literature).
    One side empty counts 0. The value is the mean over images.

    >>> boundary_f1([[[1, 1, 0, 0, 0]]], [[[1, 1, 1, 1, 0]]], tolerance=1)
    0.8571428571428571
    """

    record = Record(
        title="Boundary F1", **SHARE, use="contours matter and a few pixels of play do not",
        misleads="the tolerance decides; regions that are right inside and rough outside score low",
        equals=("MATLAB bfscore for unit='diagonal', tolerance=0.0075",), references=("csurka2013",),
        aliases=("bf_score",),
        erratum=f"{SURVEY}, eq. 67, has one count of matches for precision and recall; there are two, of predicted and of "
        "true boundary pixels.",
    )  # fmt: skip
    key: ClassVar[str] = "boundary_f1"

    tolerance: float = 2.0
    unit: Literal["pixels", "diagonal"] = "pixels"

    def check(self) -> None:
        """A tolerance in its unit."""
        choice(self.name, "unit", self.unit, ("pixels", "diagonal"))
        number(self.name, "tolerance", self.tolerance, low=0, high=np.inf if self.unit == "pixels" else 1)

    def reduction(self) -> Reduction:
        """The F1 of both fractions."""
        return Reduction("f1", float(self.tolerance), self.unit)
