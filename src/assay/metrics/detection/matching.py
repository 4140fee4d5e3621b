"""Detections matched with truths: done once, kept as bits of every detection, so that weights of images cost one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Rows
from assay.core.ragged import Ragged
from assay.core.statistic import Statistic
from assay.metrics.detection.shapes import Shapes, area_of, refuse_federated, refuse_sizes

Labels: TypeAlias = NDArray[np.generic]  # integers or text


@dataclass(frozen=True)
class Matches(Statistic[Rows]):
    """The outcome of every detection at every threshold and range of sizes.

    A unit is an image. ``found`` and ``there`` count its detections and truths; the columns of these follow image by image.
    Detections of equal score keep the order of their images.
    """

    shapes: Shapes
    thresholds: tuple[float, ...]
    ranges: tuple[tuple[float, float], ...]
    most: int
    by_class: bool = True

    @memo
    def of(self, inputs: Inputs) -> Rows:
        """Match all images."""
        return self.matched(*self.sides(inputs), inputs)

    def sides(self, inputs: Inputs) -> tuple[Ragged, Ragged]:
        """Truths and detections as they are matched."""
        refuse_federated(cast(Ragged, inputs["y_true"]), inputs.who)
        return self.alike(inputs)

    def alike(self, inputs: Inputs) -> tuple[Ragged, Ragged]:
        """Truths with the areas that count, and detections of the same images."""
        truth, found = cast(Ragged, inputs["y_true"]), cast(Ragged, inputs["y_pred"])
        if self.shapes.iou_type == "segm":
            refuse_sizes(truth, found, inputs.who)
        return self.shapes.truths(truth, inputs.who), found

    def matched(self, truth: Ragged, found: Ragged, inputs: Inputs) -> Rows:
        """The outcomes of these detections against these truths."""
        label, _ = shared_codes(truth["label"], found["label"])
        codes = label if self.by_class else tuple(np.zeros_like(one) for one in label)
        names: Any = truth["label"], found["label"]
        if not self.by_class:  # one class for all, or a class could have more hits than objects
            names = tuple(np.full(len(one), "all") for one in label)
        ignore = self.shapes.idle(truth)
        limits = tuple(np.array(part, dtype=np.float64) for part in (self.thresholds, *zip(*self.ranges, strict=True)))
        rank, hit, skip = kernels.coco_matching.match(
            self.shapes.arrays(found, inputs.who), found.starts, codes[1],
            found["score"].astype(np.float64, copy=False), self.shapes.arrays(truth, inputs.who), truth.starts, codes[0],
            ignore, self.shapes.spread, limits, self.most,
        )  # fmt: skip
        kept: Any = rank < self.most
        whole = bool(kept.all())
        taken: Any = slice(None) if whole else kept  # no copies where nothing is cut
        counts = found.counts if whole else np.bincount(found.row[kept], minlength=found.n)
        return Rows(
            {
                "found": counts, "score": found["score"][taken], "label": names[1][taken], "rank": rank[taken],
                "hit": hit[taken], "skip": skip[taken], "there": truth.counts, "truth": names[0],
                "counted": self._counted(truth, ignore),
            },
            inputs.n, weight=inputs.host_weight(),
        )  # fmt: skip

    def _counted(self, truth: Ragged, ignore: Any) -> Any:
        """Whether each truth is to be found, in each range of sizes."""
        low, high = (np.array(ends) for ends in zip(*self.ranges, strict=True))
        area = area_of(truth)[:, None]
        return (ignore == 0)[:, None] & (area >= low) & (area <= high)


def shared_codes(truth: Labels, found: Labels) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], Any]:
    """Labels of both sides as codes from 0, and the labels in order."""
    both = np.concatenate([truth, found]) if len(found) or len(truth) else np.zeros(0, np.int64)
    names, codes = coded(both)
    return (codes[: len(truth)], codes[len(truth) :]), names


def coded(labels: Labels) -> tuple[Any, NDArray[np.int64]]:
    """(names, codes): small integers are counted instead of sorted."""
    if (
        labels.dtype.kind in "iu"
        and len(labels)
        and int(labels.min()) >= 0
        and int(labels.max()) < 4 * len(labels) + 1024
    ):
        names = np.flatnonzero(np.bincount(labels))
        lookup = np.zeros(int(names[-1]) + 1, np.int64)
        lookup[names] = np.arange(len(names))
        return names, lookup[labels.astype(np.int64, copy=False)]
    names, codes = np.unique(labels, return_inverse=True)
    return names, codes.reshape(-1)


@dataclass(frozen=True, eq=False)
class Ordered:
    """Kept detections by class and falling score, with what is asked of them again and again."""

    names: Any
    edges: Any
    order: Any
    image: Any
    rank: Any
    hit: Any
    skip: Any
    truth: Any
    truth_image: Any
    counted: Any

    @classmethod
    def of(cls, total: Rows) -> Ordered:
        """Once for all metrics and reweighted copies."""
        return total.remember("ordered", lambda: cls._made(total))

    @classmethod
    def _made(cls, total: Rows) -> Ordered:
        (truth, found), names = shared_codes(total["truth"], total["label"])
        order, edges = kernels.average_precision.by_class(
            found, total["score"].astype(np.float64, copy=False), len(names)
        )
        image, truth_image = (np.repeat(np.arange(total.n, dtype=np.int32), total[name]) for name in ("found", "there"))
        hit, skip = (kernels.average_precision.bits_by_range(total[name], order) for name in ("hit", "skip"))
        return cls(
            names, edges, order, image[order], total["rank"][order], hit, skip, truth, truth_image, total["counted"]
        )

    def positives(self, weight: Floats, at: int) -> Floats:
        """Weight of the truths to be found in one range of sizes, one number per class."""
        w = weight[self.truth_image] * self.counted[:, at]
        return cast(Floats, np.bincount(self.truth, w, minlength=len(self.names)))

    def measured(self, weight: Floats, at: int, most: int, thresholds: int, levels: Floats) -> tuple[Floats, Floats]:
        """Average precision and recall (classes, thresholds) in one range of sizes, under weights of the images."""
        return kernels.average_precision.areas(
            self.edges, self.image, self.rank, self.hit[at], self.skip[at], weight.astype(np.float64, copy=False),
            self.positives(weight, at), thresholds, most, levels,
        )  # fmt: skip

    def recalled(self, weights: Floats, at: int, most: int, chosen: NDArray[np.int64]) -> Floats:
        """Final recall (replicates, classes), the mean over the chosen thresholds."""
        wanted = np.uint64(sum(1 << int(t) for t in chosen))
        bits = self.hit[at].astype(np.uint64) & ~self.skip[at].astype(np.uint64) & wanted
        hits = np.bitwise_count(bits) * (self.rank < most)
        found = np.flatnonzero(hits)
        label = np.repeat(np.arange(len(self.names)), np.diff(self.edges))[found]
        share, image = hits[found] / len(chosen), self.image[found]
        values = np.empty((len(weights), len(self.names)))
        with np.errstate(invalid="ignore", divide="ignore"):
            for row, weight in zip(values, weights, strict=True):
                row[:] = np.bincount(label, weight[image] * share, minlength=len(self.names)) / self.positives(
                    weight, at
                )
        return values

    def replicated(self, weights: Floats, at: int, most: int, chosen: NDArray[np.int64], levels: Floats) -> Floats:
        """Average precision (replicates, classes), the mean over the chosen thresholds."""
        positives = np.stack([self.positives(weight, at) for weight in weights], axis=1)
        return kernels.average_precision.replicates(
            self.edges, self.image, self.rank, self.hit[at], self.skip[at], weights, positives, most, chosen, levels
        )
