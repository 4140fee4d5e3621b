"""Pictures of any form as a column: one array of them, or where they differ in shape or are files, a column of cells."""

from __future__ import annotations

from typing import Any, cast

from assay.core.arrays import ArrayLike
from assay.data.cells import object_column


def as_pictures(value: ArrayLike) -> ArrayLike:
    """Pictures as one array, or where their shapes differ or they are files as a column of them; the rest as it came."""
    if not isinstance(value, list | tuple):
        return value
    cells = list(cast("list[Any]", value))
    if not cells or not all(hasattr(cell, "__array__") for cell in cells):
        return cells
    return object_column(cells)
