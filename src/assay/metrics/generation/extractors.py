"""Extractors of your own: any function of pictures, with the facts that results must carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.core.arrays import ArrayLike


@dataclass(frozen=True)
class Named:
    """A function of pictures as an extractor: ``Named(function, name="clip", hash="a1b2c3", resize="bicubic-224")``.

    ``hash`` should tell its weights apart from others, ``resize`` how pictures come to the size that it takes.
    """

    function: Callable[[ArrayLike], ArrayLike]
    name: str
    hash: str
    resize: str = "none"

    def __call__(self, pictures: ArrayLike) -> ArrayLike:
        """What the function returns."""
        return self.function(pictures)
