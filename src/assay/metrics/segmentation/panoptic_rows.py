"""What panoptic quality gathers: for each image and class the matches, their IoU, false alarms and misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.core.arrays import Floats, describe, to_host
from assay.core.errors import InputError, arg
from assay.core.inputs import Inputs, memo
from assay.core.monoids import Sum
from assay.core.statistic import Linear, Statistic
from assay.data.cells import is_cell
from assay.data.maps import native
from assay.data.panoptic import PanopticMap
from assay.metrics.segmentation.maps import named_row, over_images, same_form

NAMES = ("iou", "tp", "fp", "fn")
LARGE = 20_000  # pixels from which loading compiled code pays
_CLASS = 32  # a pair (class, instance) is one number: the class above this many bits


@dataclass(frozen=True)
class Segments(Statistic[Sum]):
    """Sums per class over images of (IoU of matches, matches, false alarms, misses)."""

    classes: tuple[int, ...] | None = None
    void: int | None = None
    things: tuple[int, ...] | None = None
    names: ClassVar[tuple[str, ...]] = NAMES

    @memo
    def rows(self, inputs: Inputs) -> tuple[tuple[int, ...], Floats]:
        """Classes, and (images, classes, numbers), made once."""
        same_form(inputs)
        array = inputs.host("y_true")
        compiled = array.dtype.kind == "O" or array.size >= LARGE
        found = over_images(inputs, lambda at: self._image(inputs, at, compiled), compiled=compiled)
        weight = inputs.host_weight()
        seen = {int(c) for at, (own, _) in enumerate(found) if weight is None or weight[at] > 0 for c in own}
        labels = tuple(sorted(seen)) if self.classes is None else self.classes
        where = {label: at for at, label in enumerate(labels)}
        out = np.zeros((inputs.n, len(labels), len(self.names)))
        for at, (own, rows) in enumerate(found):
            keep = [i for i, c in enumerate(own) if int(c) in where]
            if len(keep) < len(own) and self.classes is not None:
                unknown = next(int(c) for c in own if int(c) not in where)
                raise InputError(
                    inputs.who,
                    named_row(inputs, "y_true", at),
                    f"or its prediction has a segment of class {unknown}, which is not among classes",
                    f"Add it, or name it as {arg('void')} if it stands for nothing.",
                )
            out[at, [where[int(own[i])] for i in keep]] = rows[keep]
        return labels, out

    @property
    def holds(self) -> tuple[str, ...]:
        """Its names."""
        return self.names

    def of(self, inputs: Inputs) -> Sum:
        """Their weighted sums."""
        labels, rows = self.rows(inputs)
        weight = inputs.host_weight()
        totals = rows.sum(axis=0) if weight is None else np.tensordot(weight, rows, 1)
        return Sum(self.names, totals, inputs.n, labels=labels)

    def linear(self, inputs: Inputs) -> Linear:
        """One row per image, class after class."""
        labels, rows = self.rows(inputs)

        def build(t: Floats) -> Sum:
            return Sum(self.names, t.reshape(*t.shape[:-1], len(labels), -1), inputs.n, labels=labels)

        return Linear(build, len(self.names) * len(labels), rows=rows.reshape(inputs.n, -1))

    def _image(self, inputs: Inputs, at: int, compiled: bool) -> tuple[Any, Any]:
        """The classes of one image and their numbers."""
        (true, own_t), (predicted, own_p) = (self._segments(inputs, name, at) for name in ("y_true", "y_pred"))
        if true.shape != predicted.shape:
            raise InputError(
                inputs.who,
                named_row(inputs, "y_true", at),
                f"is {true.shape} and {named_row(inputs, 'y_pred', at)} is {predicted.shape}; they must have the same size",
            )
        true, predicted = (m.reshape(-1) for m in (true, predicted))
        pairs = (kernels.panoptic.shared if compiled else plain_shared)(true, predicted)
        own_t = self._of_pairs(pairs[:, 0]) if own_t is None else own_t
        own_p = self._of_pairs(pairs[:, 1]) if own_p is None else own_p
        labels = np.unique(np.concatenate([own_t[:, 1], own_p[:, 1]]))
        coded_t, coded_p = _coded(own_t, labels), _coded(own_p, labels)
        measure: Any = kernels.panoptic.quality if compiled else plain_quality
        out, wrong, segment = measure(pairs, coded_t, coded_p, len(labels))
        if wrong:
            name = "y_true" if wrong == 1 else "y_pred"
            what = "which segments_info does not list" if wrong < 3 else "which no pixel of the map has"
            raise InputError(inputs.who, named_row(inputs, name, at), f"has a segment {segment}, {what}")
        return labels, self.numbers(pairs, coded_t, coded_p, out)

    def numbers(
        self, pairs: NDArray[np.int64], true: NDArray[np.int64], predicted: NDArray[np.int64], quality: Floats
    ) -> Floats:
        """The numbers of each class: those of panoptic quality."""
        return quality

    def _segments(self, inputs: Inputs, name: str, at: int) -> tuple[Any, Any]:
        """The map of segment numbers of one image, and its segments if they are listed."""
        array = inputs.host(name)
        found: Any = array[at]
        if array.dtype.kind == "O":
            found = found.read() if is_cell(found) else found
        if isinstance(found, PanopticMap):
            ids = found.ids
            if ids.ndim != 2 or ids.dtype.kind not in "iu":
                raise InputError(
                    inputs.who,
                    named_row(inputs, name, at),
                    f"must be a map (height, width) of segment numbers, got {describe(ids)}",
                )
            if name == "y_true" and len(found.segments) and found.segments[0, 0] == 0:
                raise InputError(
                    inputs.who,
                    named_row(inputs, name, at),
                    "lists a segment with the id 0, which is void in a ground truth: panopticapi would count it as both",
                    "Give the segment another id.",
                )
            return native_ids(ids), found.segments
        found = np.asarray(to_host(found))
        if found.ndim != 3 or found.shape[-1] != 2 or found.dtype.kind not in "iu":
            raise InputError(
                inputs.who,
                named_row(inputs, name, at),
                f"must be (height, width, 2) of class and instance, or a PanopticMap, got {describe(found)}",
            )
        return self._numbered(inputs, name, at, found), None

    def _numbered(self, inputs: Inputs, name: str, at: int, both: Any) -> Any:
        """Class and instance as one number above 0; void is 0, and stuff has no instances if things are named."""
        classes, instances = both[..., 0].astype(np.int64), both[..., 1].astype(np.int64)
        void = np.zeros(classes.shape, dtype=np.bool_) if self.void is None else classes == self.void
        bad = ~void & ((classes < 0) | (instances < 0) | (instances >= 1 << _CLASS))
        if bad.any():
            y, x = np.argwhere(bad)[0].tolist()
            raise InputError(
                inputs.who,
                named_row(inputs, name, at),
                f"has class {classes[y, x]}, instance {instances[y, x]} at row {y}, column {x}; both must be integers from 0",
                f"Name the class that stands for nothing: {arg('void', int(classes[y, x]))}.",
            )
        if self.things is not None:
            instances = np.where(np.isin(classes, self.things), instances, 0)
        return np.where(void, 0, ((classes + 1) << _CLASS) | instances)

    def _of_pairs(self, numbers: Any) -> Any:
        """The segments that occur, where class and instance are the number itself."""
        own = np.unique(numbers)
        own = own[own != 0]
        return np.column_stack([own, (own >> _CLASS) - 1, np.zeros(len(own), dtype=np.int64)])


def _coded(segments: Any, labels: Any) -> Any:
    """The segments with the places of their classes among ``labels``."""
    out = segments.copy()
    out[:, 1] = np.searchsorted(labels, segments[:, 1])
    return out


def native_ids(ids: NDArray[np.integer]) -> NDArray[np.integer]:
    """Segment numbers as kernels read them; those of png files (uint32) as they are."""
    return np.ascontiguousarray(ids) if ids.dtype == np.uint32 else native(ids)


# ---- the plain twins of the kernels


def plain_shared(true: NDArray[np.integer], predicted: NDArray[np.integer]) -> NDArray[np.int64]:
    """Rows of (true segment, predicted segment, pixels in both), in order."""
    both = np.stack([true.astype(np.int64), predicted.astype(np.int64)], axis=1)
    pairs, counts = np.unique(both, axis=0, return_counts=True)
    return np.column_stack([pairs, counts])


def plain_quality(
    pairs: NDArray[np.integer], true: NDArray[np.integer], predicted: NDArray[np.integer], classes: int
) -> tuple[Floats, int, int]:
    """(classes, 4) of one image, what is wrong (0: nothing) and with which segment."""
    out = np.zeros((classes, 4))
    t_info, p_info = ({int(number): (int(c), bool(crowd)) for number, c, crowd in s} for s in (true, predicted))
    shared: dict[tuple[int, int], int] = {(t, p): count for t, p, count in pairs.tolist()}
    area_t, area_p = dict.fromkeys(t_info, 0), dict.fromkeys(p_info, 0)
    for (t, p), count in shared.items():
        if t and t not in t_info:
            return out, 1, t
        if p and p not in p_info:
            return out, 2, p
        area_t[t], area_p[p] = area_t.get(t, 0) + count, area_p.get(p, 0) + count
    met: set[tuple[str, int]] = set()
    for (t, p), count in shared.items():
        if t and p in p_info and not t_info[t][1] and t_info[t][0] == p_info[p][0]:
            union = area_t[t] + area_p[p] - count - shared.get((0, p), 0)
            if 2 * count > union:
                out[t_info[t][0], :2] += count / union, 1
                met |= {("t", t), ("p", p)}
    for p, (c, _) in p_info.items():
        if not area_p[p]:
            return out, 3, p
        crowds = [t for t, (own, crowd) in t_info.items() if crowd and own == c]
        free = sum(shared.get((t, p), 0) for t in (0, *crowds))
        out[c, 2] += ("p", p) not in met and 2 * free <= area_p[p]
    for t, (c, crowd) in t_info.items():
        out[c, 3] += ("t", t) not in met and not crowd
    return out, 0, 0
