"""The ``segmentation`` fields of COCO records, sorted by kind and read kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError, arg

if TYPE_CHECKING:
    from assay.data.masks import Masks

Where = Callable[[int], str] | Sequence[str] | None
Sizes = Sequence[Sequence[int]] | NDArray[np.int64] | None

_KINDS = "a dict with 'size' and 'counts', or a list of polygons [[x, y, x, y, ...], ...]"
_LISTS = (list, tuple, np.ndarray)


def parsed(cls: type[Masks], segments: Sequence[object], sizes: Sizes, where: Where) -> Masks:
    """One mask per segmentation, in order."""
    if sizes is not None and len(sizes) != len(segments):
        raise InputError(
            "Masks.from_coco", "sizes", f"must hold one size per mask, got {len(sizes)} for {len(segments)} masks"
        )
    kinds = [_kind(s, i, where) for i, s in enumerate(segments)]
    parts: list[Masks] = []
    order: list[int] = []
    for kind, read in (("string", _strings), ("runs", _runs), ("polygons", _polygons)):
        places = [i for i, k in enumerate(kinds) if k == kind]
        if places:
            chosen = [segments[i] for i in places]
            h, w = np.array([_size(segments[i], sizes, i, where) for i in places], np.int64).T
            parts.append(read(cls, chosen, h, w, _PickedNames(where, places)))
            order += places
    return parts[0] if len(parts) == 1 else cls.joined(parts).take(np.argsort(order))


@dataclass(frozen=True)
class _PickedNames:
    """What masks are called that were picked out of all."""

    where: Where
    places: list[int]

    def __call__(self, i: int) -> str:
        return label(self.where, self.places[i])


def label(where: Where, i: int) -> str:
    """What mask i is called in an error."""
    if where is None:
        return f"Mask {i}"
    return where(i) if callable(where) else str(where[i])


def _is(value: Any, *kinds: type) -> bool:
    return isinstance(value, kinds)


def _kind(segment: Any, i: int, where: Where) -> str:
    if _is(segment, dict):
        if "counts" not in segment or "size" not in segment:
            raise InputError(
                label(where, i), "segmentation", f"must have 'size' and 'counts', got keys {list(segment)}"
            )
        counts: Any = segment["counts"]
        if isinstance(counts, (str, bytes)):
            return "string"
        if _is(counts, *_LISTS):
            return "runs"
        raise InputError(
            label(where, i), "segmentation.counts", f"must be a string or a list, got {type(counts).__name__}"
        )
    if _is(segment, list, tuple):
        if segment and not _is(segment[0], *_LISTS):
            raise InputError(
                label(where, i), "segmentation", "is a list of numbers", "Give a list of polygons: [[x, y, ...]]."
            )
        return "polygons"
    raise InputError(label(where, i), "segmentation", f"must be {_KINDS}, got {type(segment).__name__}")


def _size(segment: Any, sizes: Any, i: int, where: Where) -> tuple[int, int]:
    """The size that a mask of runs says, as pycocotools reads it; polygons are drawn in that of their image."""
    given = None if sizes is None else _pair(sizes[i], "the size of the image", i, where)
    if not _is(segment, dict):
        if given is None:
            raise InputError(
                label(where, i),
                "segmentation",
                "is a list of polygons, which do not carry the size of the image",
                f"Give {arg('sizes')}.",
            )
        return given
    return _pair(segment["size"], "segmentation.size", i, where)


def _pair(size: Any, what: str, i: int, where: Where) -> tuple[int, int]:
    try:
        height, width = size
        pair = int(height), int(width)
        whole = pair == (height, width)
    except (TypeError, ValueError, OverflowError):
        pair, whole = (0, 0), False
    if not whole:
        raise InputError(label(where, i), what, f"must be [height, width] in pixels, got {str(size)[:60]}")
    # Any number beyond this is refused with the rest of the sizes, and must only fit into 64 bits until then.
    return min(max(pair[0], -1), 2**40), min(max(pair[1], -1), 2**40)


def _strings(cls: type[Masks], segments: list[Any], h: Any, w: Any, where: Any) -> Masks:
    pieces: list[Any] = [s["counts"] for s in segments]
    try:
        data = [p.encode("latin-1") if isinstance(p, str) else p for p in pieces]
    except UnicodeEncodeError:
        i = next(k for k, p in enumerate(pieces) if isinstance(p, str) and any(ord(c) > 255 for c in p))
        raise InputError(
            where(i), "segmentation.counts", "holds characters that never occur in compressed runs"
        ) from None
    offsets = np.cumsum([0, *map(len, data)])
    return cls.from_strings(np.frombuffer(b"".join(data), np.uint8), offsets, h, w, where=where)


def _runs(cls: type[Masks], segments: list[Any], h: Any, w: Any, where: Any) -> Masks:
    pieces: list[Any] = [s["counts"] for s in segments]
    runs = _numbers(pieces, where, "segmentation.counts", whole=True)
    return cls.from_runs(runs, np.cumsum([0, *map(len, pieces)]), h, w, where=where)


def _polygons(cls: type[Masks], segments: list[Any], h: Any, w: Any, where: Any) -> Masks:
    pieces: list[Any] = list(chain.from_iterable(segments))
    masks = np.cumsum([0, *map(len, segments)])

    def named(p: int) -> str:
        return where(int(np.searchsorted(masks, p, side="right")) - 1)

    for p, piece in enumerate(pieces):
        if not _is(piece, *_LISTS):
            raise InputError(
                named(p), "segmentation", f"must hold polygons as lists of numbers, got {type(piece).__name__}"
            )
    xy = _numbers(pieces, named, "segmentation", whole=False)
    return cls.from_polygons(xy, np.cumsum([0, *map(len, pieces)]), masks, h, w, where=where)


def _numbers(pieces: list[Any], where: Any, field: str, *, whole: bool) -> Any:
    """All numbers of many lists at once; only if that fails is the bad list looked for."""
    numbers = _plain(list(chain.from_iterable(pieces)), whole)
    if numbers is None:
        i = next((k for k, p in enumerate(pieces) if _plain(list(p), whole) is None), 0)
        kind = "integers" if whole else "numbers"
        raise InputError(where(i), field, f"must hold {kind} only, got {str(list(pieces[i]))[:60]}")
    return numbers


def _plain(values: list[Any], whole: bool) -> Any:
    """A flat array of numbers, or None."""
    try:
        array = np.asarray(values) if values else np.zeros(0)
    except (ValueError, OverflowError):
        return None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return None
    if not whole:
        return array.astype(np.float64)
    if not np.all(np.abs(array.astype(np.float64)) < 2**62) or not np.all(array == np.floor(array)):
        return None
    return array.astype(np.int64)
