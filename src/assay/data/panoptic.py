"""Panoptic maps: the segment of each pixel, and the class of each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, to_host
from assay.core.errors import InputError


@dataclass(frozen=True, eq=False)
class PanopticMap:
    """A map of segment numbers (height, width), 0 where nothing is known, and its segments.

    ``segments`` are rows (number, class, crowd). `of` makes it from the ``segments_info`` of COCO. A prediction may list 0 as a
    segment like any other, as panopticapi reads it; in the ground truth 0 is void.
    """

    ids: NDArray[np.integer]
    segments: NDArray[np.int64]
    name: str = ""

    @classmethod
    def of(cls, ids: ArrayLike, segments_info: Sequence[Mapping[str, Any]], name: str = "") -> PanopticMap:
        """From a map and a list of ``{"id": ..., "category_id": ..., "iscrowd": ...}``."""
        return cls(np.asarray(to_host(ids)), segment_rows(segments_info, name or "segments_info"), name)


def segment_rows(segments_info: Sequence[Mapping[str, Any]], who: str) -> NDArray[np.int64]:
    """The segments as rows (number, class, crowd) in order of their numbers; refuses what lacks a field or comes twice."""
    try:
        rows = sorted([(s["id"], s["category_id"], s.get("iscrowd", 0)) for s in segments_info])
        table = np.array(rows)
    except (KeyError, TypeError, AttributeError, ValueError):
        return _slowly(segments_info, who)
    if table.dtype == np.int64 and rows[0][0] >= 0 and len({row[0] for row in rows}) == len(rows):
        return table
    return _slowly(segments_info, who)


def _slowly(segments_info: Sequence[Mapping[str, Any]], who: str) -> NDArray[np.int64]:
    """The same with a look at every field, which finds what is wrong."""
    rows: list[tuple[int, int, int]] = []
    for at, segment in enumerate(segments_info):
        for field in ("id", "category_id"):
            if not isinstance(cast(Any, segment), Mapping) or type(segment.get(field)) is not int:
                got = cast(Any, segment).get(field) if isinstance(cast(Any, segment), Mapping) else segment
                raise InputError(who, f"segments_info[{at}]", f"must have an integer as {field!r}, got {got!r}")
        if segment["id"] < 0:
            raise InputError(who, f"segments_info[{at}]", f"has the id {segment['id']}; ids must not be negative")
        rows.append((segment["id"], segment["category_id"], int(bool(segment.get("iscrowd", 0)))))
    rows.sort()
    for a, b in pairwise(rows):
        if a[0] == b[0]:
            raise InputError(who, "segments_info", f"lists the id {a[0]} twice")
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
