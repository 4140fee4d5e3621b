"""Panoptic maps as files: json and png on both sides, and what other tools make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

CATEGORIES = [
    {"id": 1, "isthing": 1, "name": "cat"},
    {"id": 2, "isthing": 1, "name": "dog"},
    {"id": 5, "isthing": 0, "name": "sky"},
]


def write_png(path: Path, ids: Any) -> None:
    wide = np.asarray(ids)
    Image.fromarray(np.stack([wide & 255, wide >> 8 & 255, wide >> 16], axis=-1).astype(np.uint8)).save(path)


def segments_of(
    ids: Any, classes: dict[int, int], crowds: tuple[int, ...] = (), *, zero: bool = False
) -> list[dict[str, int]]:
    """The segments that a map has, with class and area; ``zero``: 0 is one of them."""
    found = [int(i) for i in np.unique(ids) if i or zero]
    return [
        {"id": i, "category_id": classes[i], "iscrowd": int(i in crowds), "area": int((np.asarray(ids) == i).sum())}
        for i in found
    ]


def write_side(folder: Path, name: str, maps: list[Any], segments: list[Any]) -> Path:
    """``folder/name.json`` and ``folder/name/*.png``."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    records = []
    for at, (ids, own) in enumerate(zip(maps, segments, strict=True)):
        write_png(folder / name / f"{at}.png", ids)
        records.append({"image_id": at, "file_name": f"{at}.png", "segments_info": own})
    images = [{"id": at, "file_name": f"{at}.jpg", "height": len(m), "width": len(m[0])} for at, m in enumerate(maps)]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"images": images, "annotations": records, "categories": CATEGORIES}))
    return path
