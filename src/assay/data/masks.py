"""Masks of objects, many at once: from COCO's strings, lists of runs and polygons, and from arrays of pixels.

>>> masks = Masks.from_coco([{"size": [2, 3], "counts": [2, 3, 1]}])
>>> masks.area().tolist(), masks.boxes().tolist()
([3], [[1.0, 0.0, 2.0, 2.0]])
>>> masks.dense(0).astype(int).tolist()
[[0, 1, 1], [0, 1, 0]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike as NumberLike
from numpy.typing import NDArray

from assay.core.errors import InputError, ParameterError
from assay.data.coco_segmentations import Sizes, Where, label, parsed

_MOST_PIXELS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Masks:
    """Masks as one pool of runs: 0s and 1s alternating along the columns, 0s first.

    Mask i has the runs ``counts[starts[i]:starts[i + 1]]`` and is ``height[i]`` by ``width[i]`` pixels large. Make them with
    ``from_...``, which check what they are given; ``where`` says how a mask is named in an error, by a list or a function of
    its number.
    """

    counts: NDArray[np.uint32]
    starts: NDArray[np.int64]
    height: NDArray[np.int64]
    width: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.height)

    @classmethod
    def from_coco(cls, segments: Sequence[object], sizes: Sizes = None, *, where: Where = None) -> Masks:
        """Masks from COCO's ``segmentation`` fields.

        Each is ``{"size": [height, width], "counts": string or list}`` or a list of polygons. ``sizes``, one (height, width)
        for each, are needed for polygons; runs say their own size.
        """
        return parsed(cls, segments, sizes, where)

    @classmethod
    def from_strings(
        cls, text: NumberLike, offsets: NumberLike, height: NumberLike, width: NumberLike, *, where: Where = None
    ) -> Masks:
        """Masks from compressed strings that lie one after the other; string i is ``text[offsets[i]:offsets[i + 1]]``."""
        height, width = sizes_of(height, width, where)
        letters = np.ascontiguousarray(text, np.uint8)
        edges = _offsets(offsets, len(height), len(letters), "offsets of the strings")
        counts, starts, fault = _kernel().decoded(letters, edges, height * width)
        _refuse_runs(fault, starts, height, width, where, lambda i, at: chr(letters[edges[i] + at]))
        return cls(counts, starts, height, width)

    @classmethod
    def from_runs(
        cls, runs: NumberLike, starts: NumberLike, height: NumberLike, width: NumberLike, *, where: Where = None
    ) -> Masks:
        """Masks from lists of runs that lie one after the other; mask i is ``runs[starts[i]:starts[i + 1]]``."""
        height, width = sizes_of(height, width, where)
        lengths = np.ascontiguousarray(runs, np.int64)
        edges = _offsets(starts, len(height), len(lengths), "starts of the runs")
        _refuse_runs(_kernel().checked(lengths, edges, height * width), edges, height, width, where, lambda i, at: "")
        return cls(lengths[edges[0] : edges[-1]].astype(np.uint32), edges - edges[0], height, width)

    @classmethod
    def from_polygons(
        cls,
        xy: NumberLike,
        polygons: NumberLike,
        masks: NumberLike,
        height: NumberLike,
        width: NumberLike,
        *,
        where: Where = None,
    ) -> Masks:
        """Masks from polygons, drawn as COCO draws them; the polygons of a mask are united.

        Polygon p is ``xy[polygons[p]:polygons[p + 1]]``, x and y alternating; mask i has polygons ``masks[i]`` to ``masks[i + 1]``.
        """
        from assay.kernels import polygons as kernel

        height, width = sizes_of(height, width, where)
        points = np.ascontiguousarray(xy, np.float64)
        edges = _offsets(polygons, None, len(points), "offsets of the polygons")
        owned = _offsets(masks, len(height), len(edges) - 1, "offsets of the masks")
        counts, starts, fault = kernel.drawn(points, edges, owned, height, width)
        bad = np.flatnonzero(fault[:, 0])
        if len(bad):
            i = int(bad[0])
            _refuse_polygon(int(fault[i, 0]), int(fault[i, 1]), points, edges, int(owned[i]), label(where, i))
        return cls(counts, starts, height, width)

    @classmethod
    def from_dense(cls, images: Any, *, where: Where = None) -> Masks:
        """Masks from pixels: an array (m, h, w), or a list of (h, w) arrays; every pixel that is not 0 is inside."""
        if hasattr(images, "ndim") and images.ndim == 3:
            return _encoded(cls, np.asarray(images), where, 0)
        if hasattr(images, "ndim") and images.ndim != 1:
            raise InputError(
                "Masks",
                "images",
                f"must have shape (masks, height, width), got {images.shape}",
                "Add an axis or stack.",
            )
        parts: list[Masks] = []
        for i, image in enumerate(images):
            pixels = np.asarray(image)
            if pixels.ndim != 2:
                raise InputError(label(where, i), "", f"a mask must have shape (height, width), got {pixels.shape}")
            parts.append(_encoded(cls, pixels[None], where, i))
        return cls.joined(parts)

    @classmethod
    def joined(cls, parts: Sequence[Masks]) -> Masks:
        """All masks of several collections, in order."""
        if not parts:
            none = np.zeros(0, np.int64)
            return cls(np.zeros(0, np.uint32), np.zeros(1, np.int64), none, none)
        ends = np.cumsum([0, *(int(p.starts[-1]) for p in parts)])
        starts = [p.starts[:-1] + end for p, end in zip(parts, ends, strict=False)]
        return cls(
            np.concatenate([p.counts for p in parts]),
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([p.height for p in parts]),
            np.concatenate([p.width for p in parts]),
        )

    def area(self) -> NDArray[np.int64]:
        """How many pixels each mask has."""
        return _kernel().area(self.counts, self.starts)

    def boxes(self) -> NDArray[np.float64]:
        """The boxes around the masks, (x, y, width, height); an empty mask has four zeros."""
        return _kernel().boxes(self.counts, self.starts, self.height)

    def dense(self, i: int) -> NDArray[np.bool_]:
        """The pixels of mask i, True inside."""
        runs = self.counts[self.starts[i] : self.starts[i + 1]]
        inside = np.arange(len(runs)) % 2 == 1
        return np.repeat(inside, runs).reshape(int(self.width[i]), int(self.height[i])).T

    def strings(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """(bytes, offsets) of the compressed strings of all masks, as ``from_strings`` takes them."""
        return _kernel().encoded(self.counts, self.starts)

    def to_coco(self, i: int) -> dict[str, Any]:
        """Mask i as COCO writes it: its size and its compressed string."""
        text, _ = self.take([i]).strings()
        return {"size": [int(self.height[i]), int(self.width[i])], "counts": text.tobytes().decode("ascii")}

    def take(self, indices: NumberLike) -> Masks:
        """The masks at these places, in this order."""
        chosen = np.asarray(indices)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= len(self)):
            raise InputError(
                "Masks.take", "indices", f"must be from 0 to {len(self) - 1}, got {chosen.min()} to {chosen.max()}"
            )
        counts, starts = _kernel().take(self.counts, self.starts, chosen)
        return Masks(counts, starts, self.height[chosen], self.width[chosen])

    def boundary(self, ratio: float = 0.02) -> Masks:
        """The bands along the boundaries, as Boundary IoU has them (Cheng et al. 2021).

        A band is as wide as ``ratio`` of the diagonal of the image, one pixel at least, and lies inside of its mask.
        """
        from assay.kernels import boundary_bands as kernel

        if not 0 < ratio < np.inf:
            raise ParameterError("Masks.boundary", "ratio", f"must be a fraction of the diagonal above 0, got {ratio}")
        diagonal: Any = np.sqrt(self.height.astype(np.float64) ** 2 + self.width.astype(np.float64) ** 2)
        distance: Any = np.minimum(np.maximum(np.rint(ratio * diagonal), 1), 2**31)
        counts, starts = kernel.bands(self.counts, self.starts, self.height, self.width, distance.astype(np.int64))
        return Masks(counts, starts, self.height, self.width)


def mask_iou(a: Masks, b: Masks, crowd: NumberLike | None = None) -> NDArray[np.float64]:
    """Intersection over union of all pairs, (len(a), len(b)).

    Where ``crowd`` is set, one flag for each mask of ``b``, the intersection is divided by the area of the first mask alone.
    """
    flags = np.zeros(len(b), np.uint8) if crowd is None else np.asarray(crowd).astype(bool).astype(np.uint8)
    if flags.shape != (len(b),):
        raise InputError(
            "mask_iou", "crowd", f"must be one flag for each of the {len(b)} masks of b, got shape {flags.shape}"
        )
    sides = np.unique(np.concatenate([np.stack([m.height, m.width], 1) for m in (a, b)]), axis=0)
    if len(sides) > 1:
        raise InputError(
            "mask_iou",
            "",
            f"masks must have the same size, got {_size(sides[0])} and {_size(sides[1])} (height x width)",
            "Compare the masks of one image at a time.",
        )
    first, second = ((m.counts, m.starts, m.boxes(), m.area()) for m in (a, b))
    return _kernel().iou(first, second, flags)


def sizes_of(height: NumberLike, width: NumberLike, where: Where) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Heights and widths as integers, none of them below 1 and no image too large for 32 bits."""
    sides = [np.atleast_1d(np.asarray(side)) for side in (height, width)]
    if sides[0].shape != sides[1].shape or sides[0].ndim != 1:
        raise InputError(
            "Masks",
            "",
            f"height and width must be one number per mask, got shapes {sides[0].shape} and {sides[1].shape}",
        )
    for side, name in zip(sides, ("height", "width"), strict=True):
        if side.dtype.kind not in "iuf" or (side.dtype.kind == "f" and not np.all(side == np.floor(side))):
            raise InputError("Masks", name, f"must be an integer number of pixels, got {side.dtype}")
    h, w = (side.astype(np.float64) for side in sides)
    bad = np.flatnonzero(~((h >= 1) & (w >= 1) & (h * w <= _MOST_PIXELS)))
    if len(bad):
        i = int(bad[0])
        raise InputError(
            label(where, i),
            "size",
            f"{sides[0][i]} x {sides[1][i]} (height x width) is not possible for an image; both must be at least 1 and their "
            f"product at most {_MOST_PIXELS}",
            "Correct the size.",
        )
    return sides[0].astype(np.int64), sides[1].astype(np.int64)


def _kernel() -> Any:
    """The compiled loops, loaded when they are first needed."""
    from assay.kernels import masks

    return masks


def _size(size: Any) -> str:
    return f"{size[0]} x {size[1]}"


def _offsets(offsets: NumberLike, masks: int | None, most: int, what: str) -> NDArray[np.int64]:
    """Offsets that rise and stay within the numbers: the loops rely on it."""
    places = np.ascontiguousarray(offsets, np.int64)
    if places.ndim != 1 or len(places) < 1 or (masks is not None and len(places) != masks + 1):
        raise InputError("Masks", what, f"must be one more than there are masks or polygons, got shape {places.shape}")
    if places[0] < 0 or places[-1] > most or np.any(places[1:] < places[:-1]):
        raise InputError("Masks", what, f"must increase from 0 or more to at most {most}")
    return places


def _encoded(cls: type[Masks], images: Any, where: Where, first: int) -> Masks:
    """Images (m, h, w) of one size; those whose columns lie in one piece are read that way."""
    m, h, w = images.shape
    if images.dtype.kind not in "biu":
        raise InputError(
            label(where, first),
            "pixels",
            f"must be bool or integers, got {images.dtype}",
            "Threshold scores first: scores > 0.5.",
        )
    height, width = sizes_of(np.full(m, h), np.full(m, w), where)
    if images.dtype != np.uint8:
        images = images.view(np.uint8) if images.dtype == bool else images != 0
    by_row = not images.transpose(0, 2, 1).flags.c_contiguous
    pixels = np.ascontiguousarray(images if by_row else images.transpose(0, 2, 1)).view(np.uint8)
    counts, starts = _kernel().from_pixels(pixels, by_row=by_row)
    return cls(counts, starts, height, width)


def _refuse_runs(
    fault: Any, starts: Any, height: Any, width: Any, where: Where, character: Callable[[int, int], str]
) -> None:
    """Raise for the first mask whose runs are not those of its size."""
    bad = np.flatnonzero(fault[:, 0])
    if not len(bad):
        return
    kernel, i = _kernel(), int(bad[0])
    kind, at = int(fault[i, 0]), int(fault[i, 1])
    pixels = f"{height[i] * width[i]} pixels of size [{height[i]}, {width[i]}]"
    text = {
        kernel.CUT: f"the string ends within a number, after {at} characters; it has been cut off",
        kernel.LONG: f"the number that ends at character {at} is longer than any run can be",
        kernel.RUN: f"run {at} is negative or goes beyond the {pixels}",
        kernel.SUM: f"the runs add up to {at}, not to the {pixels}",
    }
    if kind == kernel.CHARACTER:
        text[kind] = f"character {at} is {character(i, at)!r}, which compressed runs never hold"
    raise InputError(
        label(where, i),
        "segmentation.counts",
        f"is damaged: {text[kind]}",
        "Write the mask again, or correct its size.",
    )


def _refuse_polygon(kind: int, p: int, xy: Any, polygons: Any, first: int, name: str) -> None:
    """Raise for one polygon."""
    from assay.kernels import polygons as kernel

    if kind == kernel.NONE:
        raise InputError(name, "segmentation", "is empty", "Give at least one polygon, or remove the record.")
    numbers = xy[polygons[first + p] : polygons[first + p + 1]]
    text = {
        kernel.ODD: f"has {len(numbers)} numbers, and x and y come in pairs",
        kernel.SHORT: f"has {len(numbers)} numbers, and three corners need 6",
        kernel.NUMBER: "has a coordinate that is NaN or infinite",
        kernel.FAR: f"has a coordinate beyond {kernel.FARTHEST:g} pixels",
        kernel.MANY: "crosses the columns of the image too often to be the outline of anything",
    }
    raise InputError(name, f"segmentation[{p}]", text[kind], "Correct it, or give the mask as runs.")
