"""The pattern of the records of a file: programs write them all alike, except for the numbers."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import numpy as np

from assay.kernels.coco_keys import FLOATS, INTEGERS

_NOTHING = np.zeros(0, np.uint8), np.zeros(2, np.int64), np.zeros((0, 2), np.int64)
NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LEAVES = re.compile(rb'"[^"\\]*"|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)')
_LONGEST = 4096  # bytes; longer records make no pattern


def pattern_of(text: Any, start: int) -> tuple[Any, Any, Any]:
    """What all records are likely to look like: the text between the numbers of the first one, and which column each number goes to.

    Most records are then read by comparing text. Only flat records of numbers, possibly with a box, make a pattern; an empty pattern
    means that there is none.
    """
    head = text[start : start + _LONGEST].tobytes().lstrip()
    try:
        record, length = json.JSONDecoder().raw_decode(head.split(b"}", 1)[0].decode("ascii") + "}")
    except (ValueError, RecursionError):  # not ASCII, or not a flat record
        return _NOTHING
    if not isinstance(record, dict):
        return _NOTHING
    fields = cast("dict[str, Any]", record)
    sizes = {key: len(cast("list[Any]", v)) if isinstance(v, list) else 1 for key, v in fields.items()}
    leaves = [(key, at) for key, size in sizes.items() for at in range(size)]
    plain = all((key == "bbox" and sizes[key] == 4) or type(v) in (int, float) for key, v in fields.items())
    found = [m for m in _LEAVES.finditer(head[:length]) if m.group(1) is not None]
    if not plain or len(found) != len(leaves):
        return _NOTHING
    slots = np.array([_slot(key, at) for key, at in leaves], dtype=np.int64).reshape(-1, 2)
    ends = [0, *(m.end() for m in found)]
    pieces = [head[a:b] for a, b in zip(ends, [*(m.start() for m in found), length], strict=True)]
    edges = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])
    return np.frombuffer(b"".join(pieces), np.uint8).copy(), edges, slots


def _slot(key: str, at: int) -> tuple[int, int]:
    """The kind of column that a number goes to, and its index; kind 3 is skipped."""
    if key in INTEGERS:
        return 0, INTEGERS.index(key)
    if key in FLOATS:
        return 1, FLOATS.index(key)
    return (2, at) if key == "bbox" else (3, 0)
