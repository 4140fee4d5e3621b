"""Surfaces of two masks and the exact distances between them, inside the box that holds both.

Maps are volumes (depth, height, width); an image is a volume of depth 1 without neighbours in depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels.jit import exact

_FAR = np.int32(1 << 30)  # no site in this row
NORMS = ("euclidean", "taxicab", "chessboard")  # kernels take them by number


@exact
def _box(a: Any, b: Any) -> Any:
    """First and last index of either mask on each axis; an empty box has its last before its first."""
    box = np.array([a.shape[0], a.shape[1], a.shape[2], -1, -1, -1])
    for z in range(a.shape[0]):
        for y in range(a.shape[1]):
            left, right = -1, -1
            for x in range(a.shape[2]):
                if a[z, y, x] | b[z, y, x]:
                    left = x
                    break
            if left < 0:
                continue
            for x in range(a.shape[2] - 1, -1, -1):
                if a[z, y, x] | b[z, y, x]:
                    right = x
                    break
            box[0], box[3] = min(box[0], z), max(box[3], z)
            box[1], box[4] = min(box[1], y), max(box[4], y)
            box[2], box[5] = min(box[2], left), max(box[5], right)
    return box


@exact
def _pixel_sites(mask: Any, box: Any, flat: bool, grid: Any) -> int:
    """Mark the pixels of the mask with a neighbour along an axis outside it; returns their number."""
    found = 0
    depth, height, width = mask.shape
    for z in range(box[0], box[3] + 1):
        for y in range(box[1], box[4] + 1):
            for x in range(box[2], box[5] + 1):
                if not mask[z, y, x]:
                    continue
                inner = 0 < y < height - 1 and 0 < x < width - 1 and (flat or 0 < z < depth - 1)
                if inner:
                    inner = bool(mask[z, y - 1, x] & mask[z, y + 1, x] & mask[z, y, x - 1] & mask[z, y, x + 1])
                    if inner and not flat:
                        inner = bool(mask[z - 1, y, x] & mask[z + 1, y, x])
                if not inner:
                    grid[z - box[0], y - box[1], x - box[2]] = 1
                    found += 1
    return found


@exact
def _corner_sites(mask: Any, box: Any, flat: bool, grid: Any) -> int:
    """Mark the corners between pixels where mask and background meet, by a code of the surrounding pixels; returns their number."""
    found = 0
    depth, height, width = mask.shape
    full = 15 if flat else 255
    for z in range(grid.shape[0]):
        for y in range(grid.shape[1]):
            for x in range(grid.shape[2]):
                code = 0
                for dz in range(0 if flat else -1, 1):
                    for dy in range(-1, 1):
                        for dx in range(-1, 1):
                            u, v, w = box[0] + z + dz, box[1] + y + dy, box[2] + x + dx
                            inside = 0 <= u < depth and 0 <= v < height and 0 <= w < width
                            code = 2 * code + (1 if inside and mask[u, v, w] else 0)
                if code not in (0, full):
                    grid[z, y, x] = code
                    found += 1
    return found


@exact
def _listed(grid: Any, found: int) -> Any:
    """Positions and codes of the marked sites, one row each."""
    sites = np.empty((found, 4), dtype=np.int64)
    at = 0
    for z in range(grid.shape[0]):
        for y in range(grid.shape[1]):
            for x in range(grid.shape[2]):
                if grid[z, y, x]:
                    sites[at, 0], sites[at, 1], sites[at, 2], sites[at, 3] = z, y, x, grid[z, y, x]
                    at += 1
    return sites


@exact
def _along_rows(grid: Any) -> Any:
    """Steps to the nearest site of the same row."""
    out = np.empty(grid.shape, dtype=np.int32)
    width = grid.shape[2]
    for z in range(grid.shape[0]):
        for y in range(grid.shape[1]):
            gap = _FAR
            for x in range(width):
                gap = np.int32(0) if grid[z, y, x] else (gap + np.int32(1) if gap < _FAR else _FAR)
                out[z, y, x] = gap
            gap = _FAR
            for x in range(width - 1, -1, -1):
                gap = np.int32(0) if grid[z, y, x] else (gap + np.int32(1) if gap < _FAR else _FAR)
                out[z, y, x] = min(out[z, y, x], gap)
    return out


@exact
def _in_slice(rows: Any, z: int, y: int, x: int, sy: float, sx: float, best: float) -> float:
    """Squared distance to the nearest site of the slice; the search goes outwards and ends when the distance can only increase."""
    height = rows.shape[1]
    for step in range(height):
        across = step * sy
        across *= across
        if across >= best:
            break
        up, down = y - step, y + step
        if up < 0 and down >= height:
            break
        if up >= 0 and rows[z, up, x] < _FAR:
            along = rows[z, up, x] * sx
            best = min(best, across + along * along)
        if down < height and rows[z, down, x] < _FAR:
            along = rows[z, down, x] * sx
            best = min(best, across + along * along)
    return best


@exact
def _distances(sites: Any, rows: Any, spacing: Any, out: Any) -> None:
    """The distance of each site to the nearest one of the other surface."""
    depth = rows.shape[0]
    sz, sy, sx = spacing[0], spacing[1], spacing[2]
    for i in range(len(sites)):
        z, y, x = sites[i, 0], sites[i, 1], sites[i, 2]
        best = np.inf
        for step in range(depth):
            through = step * sz
            through *= through
            if through >= best or (z - step < 0 and z + step >= depth):
                break
            if z - step >= 0:
                best = min(best, through + _in_slice(rows, z - step, y, x, sy, sx, best - through))
            if step > 0 and z + step < depth:
                best = min(best, through + _in_slice(rows, z + step, y, x, sy, sx, best - through))
        out[i] = np.sqrt(best)


@exact
def _joined(a: float, b: float, largest: bool) -> float:
    """Steps along two axes by another norm: their sum, or the larger one."""
    return max(a, b) if largest else a + b


@exact
def _other_distances(sites: Any, rows: Any, spacing: Any, largest: bool, out: Any) -> None:
    """As `_distances`, by the sum of the steps along the axes or by the largest of them."""
    for i in range(len(sites)):
        z, y, x = sites[i, 0], sites[i, 1], sites[i, 2]
        best = np.inf
        for level in range(rows.shape[0]):
            through = abs(level - z) * spacing[0]
            if through >= best:
                continue
            for row in range(rows.shape[1]):
                across = _joined(through, abs(row - y) * spacing[1], largest)
                if across < best and rows[level, row, x] < _FAR:
                    best = min(best, _joined(across, rows[level, row, x] * spacing[2], largest))
        out[i] = best


@exact("b1[:, :, ::1], b1[:, :, ::1], b1, b1, f8[::1], i8")
def _between(a: Any, b: Any, flat: bool, corners: bool, spacing: Any, norm: int) -> Any:
    box = _box(a, b)
    empty = np.empty((0, 4), dtype=np.int64)
    if box[3] < 0:
        return empty, empty, np.empty(0), np.empty(0)
    more = 1 if corners else 0
    shape = (
        box[3] - box[0] + 1 + (0 if flat else more),
        box[4] - box[1] + 1 + more,
        box[5] - box[2] + 1 + more,
    )
    grid_a, grid_b = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    if corners:
        many_a, many_b = _corner_sites(a, box, flat, grid_a), _corner_sites(b, box, flat, grid_b)
    else:
        many_a, many_b = _pixel_sites(a, box, flat, grid_a), _pixel_sites(b, box, flat, grid_b)
    sites_a, sites_b = _listed(grid_a, many_a), _listed(grid_b, many_b)
    to_b, to_a = np.full(many_a, np.inf), np.full(many_b, np.inf)
    if many_a and many_b:
        near_a, near_b = _along_rows(grid_a), _along_rows(grid_b)
        if norm == 0:
            _distances(sites_a, near_b, spacing, to_b)
            _distances(sites_b, near_a, spacing, to_a)
        else:
            _other_distances(sites_a, near_b, spacing, norm == 2, to_b)
            _other_distances(sites_b, near_a, spacing, norm == 2, to_a)
    return sites_a, sites_b, to_b, to_a


def between(
    a: Any, b: Any, spacing: tuple[float, ...], *, corners: bool, norm: str = "euclidean"
) -> tuple[Any, Any, Any, Any]:
    """Codes of the sites of both surfaces, and the distances of each to the other surface."""
    flat = a.ndim == 2
    a, b = (m.reshape((1, *m.shape) if flat else m.shape) for m in (a, b))
    steps = np.array((1.0, *spacing) if flat else spacing, dtype=np.float64)
    sites_a, sites_b, to_b, to_a = _between(a, b, flat, corners, steps, NORMS.index(norm))
    return sites_a[:, 3], sites_b[:, 3], to_b, to_a
