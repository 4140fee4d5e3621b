"""Overlap of probabilities with a mask, without a threshold: soft Dice and soft IoU, image by image or of the whole set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.arrays import Floats, describe, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.parameters import choice
from assay.core.record import Record
from assay.core.statistic import Linear, Statistic
from assay.core.takes import Takes
from assay.metrics.averages import mean_of_rows
from assay.metrics.segmentation.maps import MapMetric, named_row
from assay.metrics.segmentation.overlap import check_label
from assay.ops import divide, sigmoid

TAKES = ("y_true: masks", "y_prob: probabilities of pixels", "logits: logits of pixels")
COMMON: dict[str, Any] = {
    "range": (0, 1), "better": "higher", "family": "bounded_mean", "transform": "logit", "takes": TAKES,
    "undefined": "mask and prediction are both empty",
}  # fmt: skip
SUMS = ("shared", "sizes")
MEANS = ("weight", "exists", "absent", "value")


@dataclass(frozen=True)
class SoftOverlaps(Statistic[Sum]):
    """What numerator and denominator add up, over all images, or the value of each image."""

    kind: Literal["dice", "squared dice", "iou"]
    ignore: int | None
    each: bool  # a value per image

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return MEANS if self.each else SUMS

    @memo
    def rows(self, inputs: Inputs) -> Floats:
        """One row per image."""
        sums = np.array([self._image(inputs, at) for at in range(inputs.n)])
        if not self.each:
            return sums
        values = divide(sums[:, 0], sums[:, 1])
        exists = ~np.isnan(values)
        return np.stack([np.ones(inputs.n), exists, ~exists, np.where(exists, values, 0.0)], axis=1)

    def of(self, inputs: Inputs) -> Sum:
        """Their weighted sums."""
        rows, weight = self.rows(inputs), inputs.host_weight()
        return Sum(self.holds, rows.sum(axis=0) if weight is None else weight @ rows, inputs.n)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per image."""
        return Linear(lambda t: Sum(self.holds, t, inputs.n), len(self.holds), rows=self.rows(inputs))

    def _image(self, inputs: Inputs, at: int) -> tuple[float, float]:
        """Above and below the fraction line."""
        name = "y_prob" if "y_prob" in inputs else "logits"
        true, found = (_numbers(inputs, one, at) for one in ("y_true", name))
        if true.shape != found.shape:
            problem = (
                f"is {true.shape} and {named_row(inputs, name, at)} is {found.shape}; they must have the same size"
            )
            raise InputError(inputs.who, named_row(inputs, "y_true", at), problem, "Pass one probability per pixel.")
        if self.ignore is not None:
            known = true != self.ignore
            true, found = true[known], found[known]
        _refuse_values(inputs, at, true, found, name)
        p = sigmoid(np, found) if name == "logits" else found
        shared = float((p * true).sum())
        if self.kind == "squared dice":
            return 2 * shared, float((p**2).sum() + true.sum())
        sizes = float(p.sum() + true.sum())
        return (2 * shared, sizes) if self.kind == "dice" else (shared, sizes - shared)


def _numbers(inputs: Inputs, name: str, at: int) -> Any:
    found = np.asarray(to_host(inputs.host(name)[at]))
    if found.dtype.kind not in "biuf" or found.ndim not in (2, 3):
        problem = f"must be (height, width) or (depth, height, width) of numbers, got {describe(found)}"
        raise InputError(inputs.who, named_row(inputs, name, at), problem)
    return found.astype(np.float64)


def _refuse_values(inputs: Inputs, at: int, true: Floats, found: Floats, name: str) -> None:
    if not ((true == 0) | (true == 1)).all():
        bad = true[(true != 0) & (true != 1)][0]
        fix = f"Compare with one class at a time (mask == 3), or name what is unknown: {arg('ignore_index', 255)}."
        raise InputError(inputs.who, named_row(inputs, "y_true", at), f"must be a mask of 0 and 1, got {bad:g}", fix)
    wrong = ~np.isfinite(found) if name == "logits" else ~((found >= 0) & (found <= 1))
    if wrong.any():
        what = "finite" if name == "logits" else "between 0 and 1"
        fix = "" if name == "logits" else f"Pass logits as {arg('logits')}."
        raise InputError(inputs.who, named_row(inputs, name, at), f"must be {what}, got {found[wrong][0]:g}", fix)


@dataclass(frozen=True, kw_only=True)
class SoftOverlap(MapMetric):
    """A ratio of sums of probabilities.

    Inputs are a mask of 0 and 1 and a probability (or logit) per pixel: one image, an array of images, or a list of images of
    different sizes. ``level="image"`` takes the mean over images, ``"set"`` forms the ratio once. Pixels whose truth is
    ``ignore_index`` count nowhere.
    """

    takes = Takes(("y_true",), ("y_prob", "logits"), one_of=True)

    level: Literal["image", "set"] = "image"
    ignore_index: int | None = None

    def __post_init__(self) -> None:
        """Check what both have in common."""
        super().__post_init__()
        choice(self.name, "level", self.level, ("image", "set"))
        check_label(self.name, "ignore_index", self.ignore_index)

    @property
    def kind(self) -> Literal["dice", "squared dice", "iou"]:
        """Which ratio."""
        return "iou"

    def statistic(self) -> SoftOverlaps:
        """Sums of the set, or values of the images."""
        return SoftOverlaps(self.kind, self.ignore_index, self.level == "image")

    def of(self, total: Sum) -> Any:
        """The ratio, or the mean over images."""
        if self.level == "set":
            return divide(total["shared"], total["sizes"])
        return mean_of_rows(total["value"], total["exists"], total["absent"], self.undefined)

    def remarks(self, total: Sum) -> dict[str, float]:
        """Images without a value."""
        if self.level == "set":
            return {}
        how = "excluded" if isinstance(self.undefined, str) else f"counted as {self.undefined:g}"
        return {f"images undefined ({how})": float(total["absent"])}


@dataclass(frozen=True, kw_only=True)
class SoftDice(SoftOverlap):
    r"""Dice of probabilities and a mask: what the Dice loss trains, as a measure.

    .. math:: \frac{2 \sum_i p_i t_i}{\sum_i p_i + \sum_i t_i}

    No threshold is chosen; for probabilities of 0 and 1 it is the Dice of the mask. ``squared=True`` has the squares of the
    probabilities in the denominator (V-Net). No smoothing term is added, so an empty mask is 0 for any prediction but the empty one.

    >>> soft_dice([[0, 1, 1]], y_prob=[[0.0, 0.5, 1.0]])
    0.8571...
    """

    record = Record(
        title="Soft Dice coefficient", **COMMON, use="overlap of a segmentation before a threshold is chosen",
        misleads="unsure probabilities lower it though every pixel may be right at a threshold; the best p is 0 or 1, not the true chance",
        equals=("1 - monai DiceLoss(smooth_nr=0, smooth_dr=0), the mean over images",),
        references=("milletari2016",),
    )  # fmt: skip

    squared: bool = False

    @property
    def kind(self) -> Literal["dice", "squared dice"]:
        """Plain or squared."""
        return "squared dice" if self.squared else "dice"


@dataclass(frozen=True, kw_only=True)
class SoftIoU(SoftOverlap):
    r"""Intersection over union of probabilities and a mask.

    .. math:: \frac{\sum_i p_i t_i}{\sum_i p_i + \sum_i t_i - \sum_i p_i t_i}

    No threshold is chosen; for probabilities of 0 and 1 it is the IoU of the mask. Below `SoftDice` everywhere but at 0 and 1.

    >>> soft_iou([[0, 1, 1]], y_prob=[[0.0, 0.5, 1.0]])
    0.75
    """

    key = "soft_iou"
    record = Record(
        title="Soft intersection over union", **COMMON, use="as soft Dice, on the scale of IoU",
        misleads="unsure probabilities lower it though every pixel may be right at a threshold",
        equals=("1 - monai DiceLoss(jaccard=True, smooth_nr=0, smooth_dr=0), the mean over images",),
        references=("rahman2016",), aliases=("soft_jaccard",),
    )  # fmt: skip
