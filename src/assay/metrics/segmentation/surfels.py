"""Areas of surface elements: what a corner between pixels adds to a contour or a surface, by which of its pixels are set."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

# Marching cubes: the triangles around a corner, each by its area along the three axes in eighths, for one arrangement of the
# eight voxels out of each class of alike ones; turns, mirrors and the exchange of inside and outside give the other 242.
_TRIANGLES = {
    0: "",
    1: "111",
    3: "220 220",
    6: "111 111",
    7: "111 222 400",
    15: "400 400",
    22: "111 111 111",
    23: "111 111 222 222",
    24: "111 111",
    25: "022 022 111",
    27: "022 111 202 333",
    30: "111 111 222 400",
    60: "220 220 220 220",
    105: "111 111 111 111",
}
_BITS = 2 ** np.arange(7, -1, -1).reshape(2, 2, 2)


@functools.cache
def _normals() -> tuple[Any, ...]:
    """The triangles of all 256 arrangements, one row of three areas each."""
    found: dict[int, Any] = {}
    for base, text in _TRIANGLES.items():
        cells = (base & _BITS) > 0
        areas = np.array([[int(digit) for digit in word] for word in text.split()]).reshape(-1, 3) / 8
        for order in itertools.permutations(range(3)):
            turned, along = cells.transpose(order), areas[:, order]
            for axes in itertools.chain.from_iterable(itertools.combinations(range(3), r) for r in range(4)):
                code = int((np.flip(turned, axes) * _BITS).sum())
                found[code] = found[255 - code] = along
    return tuple(found[code] for code in range(256))


@functools.lru_cache(maxsize=64)
def areas(spacing: tuple[float, ...]) -> Any:
    """Length (16 codes of 2 x 2 pixels) or area (256 codes of 2 x 2 x 2 voxels) of the element at a corner."""
    if len(spacing) == 3:
        a, b, c = spacing
        faces = np.array([b * c, a * c, a * b])
        return np.array([np.sqrt(((rows * faces) ** 2).sum(axis=1)).sum() for rows in _normals()])
    down, across = spacing
    slant = np.hypot(down, across) / 2
    lengths = np.full(16, slant)
    lengths[[0, 15]] = 0
    lengths[[3, 12]], lengths[[5, 10]], lengths[[6, 9]] = across, down, 2 * slant
    return lengths
