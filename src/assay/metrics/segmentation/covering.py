"""Parsing covering: how well the segments of an image are covered, weighted by area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Floats
from assay.core.record import Record
from assay.metrics.segmentation.overlap import labels_of
from assay.metrics.segmentation.panoptic import SegmentMetric
from assay.metrics.segmentation.panoptic_rows import Segments
from assay.ops import divide


@dataclass(frozen=True)
class Coverings(Segments):
    """Sums per class over images of (area times the best IoU, area) of true segments."""

    names: ClassVar[tuple[str, ...]] = ("covered", "area")

    def numbers(
        self, pairs: NDArray[np.int64], true: NDArray[np.int64], predicted: NDArray[np.int64], quality: Floats
    ) -> Floats:
        """Every true segment but crowds, with the predicted segment of its class that fits best; true void counts nowhere."""
        out = np.zeros((len(quality), 2))
        kinds: dict[int, int] = {int(p): int(c) for p, c, _ in predicted}
        sizes = dict.fromkeys(kinds, 0)
        for t, p, count in pairs.tolist():
            if t and p in sizes:
                sizes[p] += count
        for segment, kind, crowd in true.tolist():
            if crowd:
                continue
            own = pairs[pairs[:, 0] == segment]
            area = int(own[:, 2].sum())
            met = [(n, sizes[p]) for _, p, n in own.tolist() if kinds.get(p) == kind]
            best = max((n / (area + size - n) for n, size in met), default=0.0)
            out[kind] += area * best, area
        return out


@dataclass(frozen=True, kw_only=True)
class ParsingCovering(SegmentMetric):
    r"""Parsing covering: the IoU of each true segment with the predicted one that fits it best, weighted by area.

    .. math:: \frac1K \sum_c \frac{1}{N_c} \sum_{t \in S_c} |t| \max_{p \in P_c} \mathrm{IoU}(t, p), \quad N_c = \sum_{t \in S_c} |t|

    Inputs as for `panoptic_quality`. Large segments count as much as they cover, there is no threshold at an IoU of 0.5, and it does not
    matter which of the instances was found. Pixels that are ``void`` in the truth count nowhere; crowds are not asked for.

    >>> t = [[[[1, 1], [1, 1], [1, 2], [0, 0]]]]
    >>> p = [[[[1, 1], [1, 1], [1, 1], [0, 0]]]]
    >>> parsing_covering(t, p)
    0.7777...
    """

    record = Record(
        title="Parsing covering", range=(0, 1), better="higher", family="bounded_mean", transform="logit",
        takes=("y_true: panoptic maps", "y_pred: panoptic maps"), undefined="a class has no true segment",
        use="whole-image parsing in which large segments matter more than the count of small ones",
        misleads="false alarms cost nothing unless they take pixels from a true segment; small objects hardly count",
        references=("yang2019",), aliases=("PC",),
    )  # fmt: skip

    def statistic(self) -> Coverings:
        """Covered and true areas of each class, one row per image."""
        return Coverings(labels_of(self.name, self.classes), self.void, self.things)

    def of_class(self, totals: Floats) -> Floats:
        """The covered fraction."""
        return divide(totals[..., 0], totals[..., 1])
