"""Columns of images that are read when a metric walks over them: files, members of archives, arrays of different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np


class Cell(Protocol):
    """An image that is read when a statistic walks over it: a file, a slice of an archive."""

    @property
    def name(self) -> str:
        """What the image is called in messages."""
        ...

    def read(self) -> Any:
        """The image."""
        ...


def is_cell(item: object) -> TypeGuard[Cell]:
    """Whether it is such an image; Python's own check of a protocol takes longer than a small file."""
    return hasattr(item, "read") and hasattr(item, "name")


def object_column(items: Sequence[object]) -> Any:
    """A column of one object per row, whatever the objects are."""
    cells = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        cells[at] = item
    return cells
