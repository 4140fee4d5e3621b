"""Width and height of images by name: from a folder of pictures, of which only the headers are read, or as given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, ParameterError, arg
from assay.io.pictures import SUFFIXES, _pillow  # pyright: ignore[reportPrivateUsage]

Sizes = tuple[int, int] | Mapping[str, tuple[int, int]]


class ImageSizes:
    """Sizes of images, looked up when they are needed; ``sizes`` is one for all, or a mapping by the name of the image."""

    def __init__(self, images: str | Path | None, sizes: Sizes | None, who: str) -> None:
        if images is not None and sizes is not None:
            raise ParameterError(
                who,
                "sizes",
                f"must not be given together with {arg('images')}",
                f"Give the sizes of the images either by {arg('images')} (a folder) or by {arg('sizes')} (width and height).",
            )
        self.pictures = None if images is None else _pictures(Path(images), who)
        self.sizes, self.who = sizes, who
        self.seen: dict[str, tuple[float, float]] = {}

    def __bool__(self) -> bool:
        """Whether any size is known."""
        return self.pictures is not None or self.sizes is not None

    def names(self) -> list[str]:
        """Images that are known by their size alone."""
        if self.pictures is not None:
            return list(self.pictures)
        return [str(name) for name in self.sizes] if isinstance(self.sizes, Mapping) else []

    def __call__(self, name: str, place: str) -> tuple[float, float]:
        """(width, height) of an image; ``place`` is who asks."""
        if name not in self.seen:
            self.seen[name] = self._looked_up(name, place)
        return self.seen[name]

    def _looked_up(self, name: str, place: str) -> tuple[float, float]:
        if self.pictures is not None:
            stem = name if name in self.pictures else Path(name).stem
            if stem not in self.pictures:
                raise InputError(place, "", f"no picture is named {name}, so its size is unknown")
            return _size_of(self.pictures[stem])
        given: Any = self.sizes[name] if isinstance(self.sizes, Mapping) and name in self.sizes else self.sizes
        if isinstance(given, Mapping):
            raise InputError(place, "sizes", f"has no entry {name!r}")
        pair: tuple[Any, ...] = tuple(given)
        if len(pair) != 2 or not all(side > 0 for side in pair):
            raise InputError(self.who, "sizes", f"must hold (width, height) above 0 for each image, got {given!r}")
        return float(pair[0]), float(pair[1])


def _pictures(path: Path, who: str) -> dict[str, Path]:
    if not path.is_dir():
        raise InputError(f"{who}: {path}", "", "is a file, not a folder" if path.exists() else "no such folder")
    found: dict[str, Path] = {}
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in SUFFIXES:
            other = found.setdefault(file.stem, file)
            if other is not file:
                raise InputError(
                    f"{who}: {path}", "", f"{other.name} and {file.name} share a name", "Keep one of them."
                )
    if not found:
        raise InputError(f"{who}: {path}", "", f"contains no picture ({', '.join(SUFFIXES)})")
    return found


def _size_of(path: Path) -> tuple[float, float]:
    """From the head of the file: Pillow reads pixels only when they are asked for."""
    pillow = _pillow()
    try:
        with pillow.open(path) as image:
            return image.size
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise InputError(str(path), "", f"is not a readable picture, or is damaged at its start ({error})") from error
