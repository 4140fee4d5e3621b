"""What the four numbers of a box mean: corners or sizes, pixels or fractions of the image; what the file does not say must be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike as NumberLike
from numpy.typing import NDArray

from assay.core.errors import InputError, arg
from assay.core.parameters import choice
from assay.data.objects import BoxFormat, to_xywh
from assay.io.image_sizes import ImageSizes

CORNERS: dict[str, tuple[str, ...]] = {
    "xyxy": ("x1", "y1", "x2", "y2"), "xywh": ("x", "y", "w", "h"), "cxcywh": ("cx", "cy", "w", "h")
}  # fmt: skip
SLACK = 1e-3  # fractions are written with few digits
_REMEDY = (
    f"Give {arg('box_format', 'xyxy')} (two corners), {arg('box_format', 'xywh')} (corner and size) or "
    f"{arg('box_format', 'cxcywh')} (centre and size)."
)


def ask_format(who: str, place: str, line: str) -> InputError:
    """The question after a format, with a line of the file to answer it by."""
    return InputError(
        f"{who}: {place}", "", f"the file does not say what the four numbers of a box are: {line!r}", _REMEDY
    )


@dataclass(frozen=True)
class Boxes:
    """The meaning of boxes as it was said; None where it was not."""

    who: str
    box_format: BoxFormat | None
    normalized: bool | None
    sizes: ImageSizes

    def __post_init__(self) -> None:
        """Formats that exist; fractions need the sizes of the images."""
        choice(self.who, "box_format", self.box_format, (*CORNERS, None))
        choice(self.who, "normalized", self.normalized, (True, False, None))

    def names(self, place: str, line: str) -> tuple[str, ...]:
        """What the numbers are called, once the format is known."""
        if self.box_format is None:
            raise ask_format(self.who, place, line)
        return CORNERS[self.box_format]

    def pixels(
        self,
        boxes: NumberLike,
        image: NDArray[np.generic],
        where: Callable[[int], str],
        line: str,
        box_format: BoxFormat | None = None,
    ) -> NDArray[np.float64]:
        """Boxes (x, y, width, height) in pixels; ``line`` is a sample, and ``box_format`` that of a file that says it."""
        boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
        if not len(boxes):
            return boxes
        known = box_format or self.box_format
        if known is None:
            raise ask_format(self.who, where(0), line)
        outside = ~((boxes >= -SLACK) & (boxes <= 1 + SLACK))  # NaN counts as outside
        if self.normalized is None and not outside.any():
            raise InputError(
                f"{self.who}: {where(0)}",
                "",
                f"all boxes lie between 0 and 1: {line!r}",
                f"If they are fractions of the image, give {arg('normalized', True)} and the sizes of the images ({arg('images')}, "
                f"a folder); if they are pixels, give {arg('normalized', False)}.",
            )
        return to_xywh(self._scaled(boxes, outside, image, where, known) if self.normalized else boxes, known)

    def _scaled(self, boxes: Any, outside: Any, image: Any, where: Callable[[int], str], known: str) -> Any:
        if outside.any():
            at = int(np.argmax(outside.any(axis=1)))
            column = int(np.argmax(outside[at]))
            raise InputError(
                where(at),
                CORNERS[known][column],
                f"must be a fraction of the image from 0 to 1, got {boxes[at].tolist()}",
                f"If it is in pixels, give {arg('normalized', False)}. {_REMEDY}",
            )
        if not self.sizes:
            raise InputError(
                f"{self.who}: {where(0)}",
                "",
                "boxes as fractions of the image need the sizes of the images",
                f"Give {arg('images')} (a folder) or {arg('sizes')} (width, height).",
            )
        size = np.array([self.sizes(str(name), where(at)) for at, name in enumerate(image.tolist())])
        return boxes * np.concatenate([size, size], axis=1)
