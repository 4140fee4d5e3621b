"""Label maps of any form as a column: one array of all images, maps of different sizes, or cells."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ArrayLike, to_host
from assay.data.cells import is_cell, object_column

NATIVE = (
    "uint8",
    "uint16",
    "int32",
    "int64",
)  # what kernels read as it is; the rest is widened image by image


def column(value: ArrayLike) -> ArrayLike:
    """Maps that do not fill one array, as a column of objects; anything else as it is."""
    if not isinstance(value, list | tuple) or not cast(Any, value):
        return cast(Any, value)
    items: list[Any] = list(cast(Any, value))
    if not any(is_cell(item) or hasattr(item, "shape") for item in items):
        return items
    shapes = {tuple(item.shape) if hasattr(item, "shape") else None for item in items}
    if len(shapes) == 1 and None not in shapes:
        return np.stack([to_host(item) for item in items])
    return object_column(items)


def native(found: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.integer]:
    """The same numbers in a kind that kernels know, C-ordered; no copy if they are so already."""
    whole = cast("NDArray[np.integer]", found.view(np.uint8) if found.dtype == np.bool_ else found)
    if whole.dtype.name not in NATIVE or not whole.dtype.isnative:
        whole = whole.astype(np.int32 if whole.dtype.itemsize <= 2 else np.int64)
    return np.ascontiguousarray(whole)
