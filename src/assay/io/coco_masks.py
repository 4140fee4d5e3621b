"""The masks of COCO's records: strings of runs and polygons in one pass, everything else record by record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.data.masks import Masks

if TYPE_CHECKING:
    from assay.io.coco import Records


def masks_of(records: Records, sizes: NDArray[np.int64]) -> Masks:
    """The masks of all records; polygons are drawn in ``sizes``, height and width of the image of each.

    Runs say their own size, as pycocotools reads them: where the list of images is wrong, they are right. That all masks of an
    image have one size is checked where they are compared.
    """
    if records.values is not None or not records.n:
        values = [] if records.values is None else records.values["segmentation"]
        return Masks.from_coco(values, sizes, where=records.where)
    places = records.place[:, 0]
    segments = kernels.coco_segmentations
    kinds, rows, numbers, ends = segments.look(records.file.text, places)
    if (kinds == segments.STRING).all():
        flat, offsets = segments.strings(records.file.text, rows[:, 2], rows[:, 3])
        return Masks.from_strings(flat, offsets, rows[:, 0], rows[:, 1], where=records.where)
    if (kinds == segments.POLYGONS).all():
        edges = np.concatenate([[0], ends])
        owned = np.concatenate([rows[:, 2], rows[-1:, 3]])
        return Masks.from_polygons(numbers, edges, owned, sizes[:, 0], sizes[:, 1], where=records.where)
    return _mixed(records, kinds, rows, numbers, ends, sizes)


def _mixed(records: Records, kinds: Any, rows: Any, numbers: Any, ends: Any, sizes: Any) -> Masks:
    """Polygons and runs in one file, as COCO's own truth has them: each kind by its own way, then put in order."""
    segments, edges = kernels.coco_segmentations, np.concatenate([[0], ends])
    parts: list[Masks] = []
    order: list[Any] = []
    for kind in (segments.STRING, segments.POLYGONS, segments.OTHER):
        at = np.flatnonzero(kinds == kind)
        if not len(at):
            continue
        order.append(at)

        def where(i: int, at: Any = at) -> str:
            return records.where(int(at[i]))

        if kind == segments.STRING:
            flat, offsets = segments.strings(records.file.text, rows[at, 2], rows[at, 3])
            parts.append(Masks.from_strings(flat, offsets, rows[at, 0], rows[at, 1], where=where))
        elif kind == segments.POLYGONS:
            owned = np.concatenate([rows[at, 2], rows[at[-1:], 3]])
            parts.append(Masks.from_polygons(numbers, edges, owned, sizes[at, 0], sizes[at, 1], where=where))
        else:
            values = [records.file.parsed(int(a), int(b)) for a, b in records.place[at, 0]]
            parts.append(Masks.from_coco(values, sizes[at], where=where))
    return Masks.joined(parts).take(np.argsort(np.concatenate(order), kind="stable"))
