"""What overlap metrics gather: for each image and class the pixels that agree, the true ones and the predicted ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.statistic import Linear, Statistic
from assay.metrics.averages import mean_defined
from assay.metrics.segmentation.maps import image_pair, large, named_row, over_images, same_form
from assay.ops import divide

Average: TypeAlias = Literal["macro", "frequency"] | None
Kind: TypeAlias = Literal["iou", "dice", "accuracy", "pixel"]
NOTHING = -(1 << 62)  # a label that no map has
MOST_CLASSES = 1 << 20
VOID = (255, 65535)  # the largest numbers of maps of 8 and 16 bits
COUNTS = ("agree", "true", "predicted")


@dataclass(frozen=True)
class Table:
    """``counts`` (images, classes, 3) of the classes ``labels``."""

    labels: tuple[int, ...]
    counts: Floats


@dataclass(frozen=True)
class Overlaps(Statistic[Sum]):
    """Sums of pixels per class over images; ``width`` counts only the rims of regions (boundary IoU)."""

    classes: tuple[int, ...] | None = None
    ignore: int | None = None
    width: float | None = None
    unit: str = "pixels"

    @memo
    def table(self, inputs: Inputs) -> Table:
        """The counts of every image, made once."""
        same_form(inputs)
        compiled = large(inputs)
        found = None if compiled or self.width is not None else self._at_once(inputs)
        if found is None:
            found = over_images(inputs, lambda at: self._image(inputs, at, compiled), compiled=compiled)
        weight = inputs.host_weight()
        seen = {label for at, (labels, _) in enumerate(found) if weight is None or weight[at] > 0 for label in labels}
        labels = tuple(sorted(seen)) if self.classes is None else self.classes
        if not labels:
            raise InputError(inputs.who, "y_true", f"has only pixels of the ignored label {self.ignore}")
        if self.classes is None and self.ignore is None:
            refuse_void(inputs, found)
        where = {label: at for at, label in enumerate(labels)}
        counts = np.zeros((inputs.n, len(labels), 3))
        for at, (own, rows) in enumerate(found):
            known = [where.get(label, -1) for label in own]
            if -1 in known and self.classes is not None:
                self._refuse(inputs, at, own, rows, known)
            keep = [i for i, place in enumerate(known) if place >= 0]
            counts[at, [known[i] for i in keep]] = rows[keep]
        return Table(labels, counts)

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return COUNTS

    def of(self, inputs: Inputs) -> Sum:
        """Their weighted sums."""
        table = self.table(inputs)
        weight = inputs.host_weight()
        totals = table.counts.sum(axis=0) if weight is None else np.tensordot(weight, table.counts, 1)
        return Sum(COUNTS, totals, inputs.n, labels=table.labels)

    def linear(self, inputs: Inputs) -> Linear:
        """One row of counts an image, class after class."""
        table = self.table(inputs)
        k = len(table.labels)

        def build(t: Floats) -> Sum:
            return Sum(COUNTS, t.reshape(*t.shape[:-1], k, 3), inputs.n, labels=table.labels)

        return Linear(build, 3 * k, rows=table.counts.reshape(inputs.n, 3 * k))

    # ---- counting

    def _at_once(self, inputs: Inputs) -> list[tuple[list[int], Any]] | None:
        """Small maps in one array, all in one go: a label of an image is a label of its own. None if that does not do."""
        true, predicted = inputs.host("y_true"), inputs.host("y_pred")
        if any(a.dtype.kind not in "biu" or a.ndim not in (3, 4) for a in (true, predicted)):
            return None
        ignore = NOTHING if self.ignore is None else self.ignore
        extents = [label_extent(a, ignore) for a in (true, _counted(predicted, true, ignore))]
        size = max(high for _, high in extents) + 1
        if min(low for low, _ in extents) < 0 or size * inputs.n > MOST_CLASSES:
            return None
        keep, flat = true != ignore, (inputs.n, -1)
        place = np.arange(inputs.n)[:, None] * size
        t, p = (place + a.astype(np.int64).reshape(flat) for a in (true, predicted))
        keep, known = keep.reshape(flat), (predicted != ignore).reshape(flat)
        chosen = (t[keep & (t == p)], t[keep], p[keep & known])
        counts = np.stack([np.bincount(c, minlength=inputs.n * size) for c in chosen], axis=-1)
        counts = counts.reshape(inputs.n, size, 3)
        labels = [np.flatnonzero(image.any(axis=1)) for image in counts]
        return [(own.tolist(), image[own]) for own, image in zip(labels, counts, strict=True)]

    def _refuse(self, inputs: Inputs, at: int, own: list[int], rows: Any, known: list[int]) -> None:
        i = known.index(-1)
        name = "y_true" if rows[i, 1] else "y_pred"
        raise InputError(
            inputs.who,
            named_row(inputs, name, at),
            f"holds the label {own[i]}, which is not among classes={shown(self.classes)}",
            f"Add it to classes, or exclude its pixels with {arg('ignore_index', int(own[i]))}; {arg('background', int(own[i]))} "
            "keeps a class out of the mean.",
        )

    def _image(self, inputs: Inputs, at: int, compiled: bool) -> tuple[list[int], Any]:
        """The labels of one image and their counts."""
        true, predicted = image_pair(inputs, at)
        ignore = NOTHING if self.ignore is None else self.ignore
        counts = None
        if compiled and self.classes is not None and self.width is None:
            counts = kernels.label_maps.counts(true, predicted, ignore, max(self.classes) + 1)
        if counts is None:
            counts = self._counts(inputs, true, predicted, ignore, self._size(inputs, at, true, predicted), compiled)
        present = np.flatnonzero(counts.any(axis=1))
        return present.tolist(), counts[present]

    def _size(self, inputs: Inputs, at: int, true: Any, predicted: Any) -> int:
        """One more than the largest label."""
        ignore = NOTHING if self.ignore is None else self.ignore
        extents = {
            "y_true": label_extent(true, ignore),
            "y_pred": label_extent(_counted(predicted, true, ignore), ignore),
        }
        for name, (low, high) in extents.items():
            if low < 0 or high >= MOST_CLASSES:
                raise InputError(
                    inputs.who,
                    named_row(inputs, name, at),
                    f"holds the label {low if low < 0 else high}; classes are integers from 0 to {MOST_CLASSES - 1}",
                    f"Exclude such pixels with {arg('ignore_index')}; maps of segment numbers go to panoptic_quality.",
                )
        return max(high for _, high in extents.values()) + 1

    def _counts(self, inputs: Inputs, true: Any, predicted: Any, ignore: int, size: int, compiled: bool) -> Any:
        if self.width is None:
            return (kernels.label_maps.counts if compiled else plain_counts)(true, predicted, ignore, size)
        if true.ndim != 2:
            raise InputError(inputs.who, "", f"boundaries are defined for maps (height, width), got {true.shape}")
        reach = max(1, reach_of(self.width, self.unit, true.shape))
        predicted = cast(Any, np.where(true == ignore, true, predicted))  # both regions end where nothing is known
        return (kernels.label_maps.boundary_counts if compiled else plain_rim_counts)(
            true, predicted, reach, ignore, size
        )


def refuse_void(inputs: Inputs, found: list[tuple[list[int], Any]]) -> None:
    """A label for pixels that nobody labelled would be a class with the value 0.

    Decided on all images of a call. A stream decides batch by batch and so refuses whatever the whole would, or more, never less.
    """
    void = void_label({label for labels, _ in found for label in labels})
    if void is None:
        return
    counts = [(at, rows[labels.index(void)]) for at, (labels, rows) in enumerate(found) if void in labels]
    if not any(predicted for _, (_, _, predicted) in counts):
        raise void_error(inputs, counts[0][0], void)


def void_label(labels: set[int]) -> int | None:
    """The largest label if it is one that stands for void by custom, and no class next to it says otherwise."""
    largest = max(labels, default=0)
    return largest if largest in VOID and largest - 1 not in labels else None


def void_error(inputs: Inputs, at: int, void: int) -> InputError:
    """What to say about a label that may not be a class."""
    return InputError(
        inputs.who,
        named_row(inputs, "y_true", at),
        f"holds the label {void}, which is never predicted; it often marks pixels without a class, and would count as a class with value 0",
        f"Exclude its pixels with {arg('ignore_index', void)}, or name the classes if it is one: classes=(0, 1, {void}).",
    )


def reach_of(width: float, unit: str, shape: tuple[int, ...]) -> int:
    """A width in whole pixels."""
    return round(width * math.hypot(*shape)) if unit == "diagonal" else round(width)


def label_extent(labels: NDArray[np.integer], ignore: int) -> tuple[int, int]:
    """Smallest (at most 0) and largest label that is not ignored; (0, -1) if there is none."""
    high = int(labels.max()) if labels.size else -1
    low = min(0, int(labels.min())) if labels.size and labels.dtype.kind == "i" else 0
    if ignore not in (low, high):
        return low, high
    kept = labels[labels != ignore]
    return (min(0, int(kept.min())), int(kept.max())) if kept.size else (0, -1)


def _counted(predicted: Any, true: Any, ignore: int) -> Any:
    """What is predicted where something is known."""
    known = true != ignore if ignore != NOTHING else None
    return predicted if known is None or known.all() else predicted[known]


def shown(classes: tuple[int, ...] | None) -> str:
    """The classes, cut short."""
    text = [str(c) for c in classes or ()]
    return "(" + ", ".join(text if len(text) < 12 else [*text[:5], "...", text[-1]]) + ")"


# ---- the plain twins of the kernels


def plain_counts(true: NDArray[np.integer], predicted: NDArray[np.integer], ignore: int, size: int) -> Any:
    """Agreeing, true and predicted pixels of each class."""
    keep = true != ignore
    t, p = true[keep].astype(np.int64), predicted[keep].astype(np.int64)
    parts = (t[t == p], t, p[p != ignore])
    return np.stack([np.bincount(part, minlength=size)[:size] for part in parts], axis=1)


def plain_rim(labels: NDArray[np.integer], reach: int) -> Any:
    """Pixels within ``reach`` of another label or of the border of the map."""
    padded = np.pad(labels.astype(np.int64), reach, constant_values=NOTHING)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))
    return (windows != labels[..., None, None]).any(axis=(-1, -2))


def plain_rim_counts(
    true: NDArray[np.integer], predicted: NDArray[np.integer], reach: int, ignore: int, size: int
) -> Any:
    """As `plain_counts`, of the rims alone."""
    rims, keep = (plain_rim(true, reach), plain_rim(predicted, reach)), true != ignore
    t, p = true.astype(np.int64), predicted.astype(np.int64)
    chosen = (keep & rims[0] & rims[1] & (t == p), keep & rims[0], keep & rims[1] & (p != ignore))
    parts = (t[chosen[0]], t[chosen[1]], p[chosen[2]])
    return np.stack([np.bincount(part, minlength=size)[:size] for part in parts], axis=1)


# ---- ratios


def ratio(kind: Kind, counts: Any) -> Any:
    """The value of each class from its three counts (..., classes, 3), or of all pixels."""
    agree, true, predicted = counts[..., 0], counts[..., 1], counts[..., 2]
    if kind == "pixel":
        return divide(agree.sum(axis=-1), true.sum(axis=-1))
    if kind == "accuracy":
        return divide(agree, true)
    return divide(2 * agree, true + predicted) if kind == "dice" else divide(agree, true + predicted - agree)


def foreground(labels: tuple[int, ...], background: int | None, totals: Any) -> Any:
    """The numbers (..., classes, 3) of all classes but one."""
    if background not in labels:
        return totals
    return totals[..., [at for at, label in enumerate(labels) if label != background], :]


def averaged(average: Average, values: Any, counts: Any) -> Any:
    """The mean over the classes that have a value, plain or by their true pixels."""
    if average is None:
        return values
    return mean_defined(values, counts[..., 1] if average == "frequency" else None)


@dataclass(frozen=True)
class ImageOverlaps(Statistic[Sum]):
    """Sums over images of the value of each image, and of the images that have one."""

    base: Overlaps
    kind: Kind
    average: Average
    fill: float | None = None  # what a class without a value counts inside an image
    background: int | None = None  # a class that the mean of an image leaves out
    names: ClassVar[tuple[str, ...]] = ("weight", "exists", "absent", "value")

    @memo
    def rows(self, inputs: Inputs) -> tuple[tuple[int, ...], Floats]:
        """(images, values, 4): one, whether there is a value, whether there is none, the value."""
        table = self.base.table(inputs)
        each = self.kind != "pixel" and self.average is None
        counts = table.counts if each else foreground(table.labels, self.background, table.counts)
        values = ratio(self.kind, counts)
        if self.kind != "pixel":
            values = values if self.fill is None else np.where(np.isnan(values), self.fill, values)
            values = averaged(self.average, values, counts)
        values = values if each else values[:, None]
        exists = ~np.isnan(values)
        rows = np.stack([np.ones(values.shape), exists, ~exists, np.where(exists, values, 0.0)], axis=-1)
        return (table.labels if each else ()), rows

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """Their weighted sums."""
        labels, rows = self.rows(inputs)
        weight = inputs.host_weight()
        totals = rows.sum(axis=0) if weight is None else np.tensordot(weight, rows, 1)
        return Sum(self.names, totals if labels else totals[0], inputs.n, labels=labels)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per image."""
        labels, rows = self.rows(inputs)
        shape = (len(labels), 4) if labels else (4,)

        def build(t: Floats) -> Sum:
            return Sum(self.names, t.reshape(*t.shape[:-1], *shape), inputs.n, labels=labels)

        return Linear(build, int(np.prod(shape)), rows=rows.reshape(inputs.n, -1))
