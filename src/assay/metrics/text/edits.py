"""Edits between a reference and a text: hits, substitutions, deletions and insertions along one of the shortest ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.core.inputs import Inputs
from assay.data.texts import Offsets
from assay.metrics.text.tokenizers import Tokenizer
from assay.metrics.text.words import Words, compiled_pays, words

Kind: TypeAlias = Literal["hit", "substitution", "deletion", "insertion"]
Alignment: TypeAlias = Literal["standard", "most_hits", "fewest_hits"]
EDITS = ("hits", "substitutions", "deletions", "insertions")


@dataclass(frozen=True)
class Edits:
    """What is counted on each row. ``alignment`` says which of the shortest ways is taken: they may differ in their hits."""

    tokenizer: Tokenizer
    alignment: Alignment = "standard"

    names = EDITS

    def rows(self, inputs: Inputs) -> Floats:
        """The four counts of every row."""
        found = words(inputs, self.tokenizer)
        left = np.ascontiguousarray(found.first[:-1])
        right = found.first[-1] + np.arange(found.rows)
        if compiled_pays(_cells(found, left, right)):
            counted = self._compiled(found, left, right)
        else:
            counted = [self._plain(found.text(a), found.text(b)) for a, b in zip(left, right, strict=True)]
        return np.array(counted, dtype=np.float64).reshape(-1, len(EDITS))

    def _compiled(self, found: Words, left: Offsets, right: Offsets) -> Offsets:
        if self.alignment == "standard":
            return kernels.edit_distance.edits(found.ids, found.starts, left, right, found.size)
        most = self.alignment == "most_hits"
        return kernels.edit_distance.extreme_edits(found.ids, found.starts, left, right, most)

    def _plain(self, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
        if self.alignment == "standard":
            kinds = [edit[0] for edit in shortest(a, b)]
            return tuple(kinds.count(kind) for kind in ("hit", "substitution", "deletion", "insertion"))
        return _extreme(a, b, 1 if self.alignment == "most_hits" else -1)


def _cells(found: Words, left: Offsets, right: Offsets) -> int:
    """How many places the tables of all pairs have, in tens: about what plain Python does in the time of a character."""
    lengths = found.lengths
    return int((lengths[left] * lengths[right]).sum()) // 10


def shortest(a: Sequence[object], b: Sequence[object]) -> list[tuple[Kind, int, int]]:
    """One of the shortest ways from ``a`` to ``b`` as (kind, place in a, place in b): the one that RapidFuzz takes.

    What both begin and end with counts as hits; in between, from the end, a deletion is preferred, then an insertion.
    """
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    n, m = len(a) - head - tail, len(b) - head - tail
    table = distances(a[head : head + n], b[head : head + m])
    back = list[tuple[Kind, int, int]]()
    col, row = n, m
    while row and col:
        if table[row][col] == table[row][col - 1] + 1:
            col -= 1
            back.append(("deletion", head + col, head + row))
            continue
        row -= 1
        if row and table[row][col] == table[row][col - 1] - 1:
            back.append(("insertion", head + col, head + row))
            continue
        col -= 1
        kind: Kind = "hit" if a[head + col] == b[head + row] else "substitution"
        back.append((kind, head + col, head + row))
    for at in range(col)[::-1]:
        back.append(("deletion", head + at, head + row))
    for at in range(row)[::-1]:
        back.append(("insertion", head, head + at))
    begin: list[tuple[Kind, int, int]] = [("hit", k, k) for k in range(head)]
    end: list[tuple[Kind, int, int]] = [("hit", len(a) - tail + k, len(b) - tail + k) for k in range(tail)]
    return [*begin, *back[::-1], *end]


def distances(a: Sequence[object], b: Sequence[object]) -> list[list[int]]:
    """The table of distances between the beginnings of ``b`` (rows) and of ``a`` (columns)."""
    table = [list(range(len(a) + 1))]
    for j, symbol in enumerate(b):
        above, row = table[-1], [j + 1]
        for i, other in enumerate(a):
            row.append(min(above[i] + (symbol != other), above[i + 1] + 1, row[i] + 1))
        table.append(row)
    return table


def _common(a: Sequence[object], b: Sequence[object]) -> int:
    size = min(len(a), len(b))
    return next((k for k in range(size) if a[k] != b[k]), size)


def _extreme(a: Sequence[object], b: Sequence[object], sign: int) -> tuple[int, ...]:
    """The counts along a shortest way with the most hits (``sign`` 1) or the fewest (-1)."""
    row = [(i, 0) for i in range(len(a) + 1)]  # (distance, -sign * hits), of which the least is wanted
    for symbol in b:
        corner, row[0] = row[0], (row[0][0] + 1, row[0][1])
        for i, other in enumerate(a):
            same = (corner[0], corner[1] - sign) if symbol == other else (corner[0] + 1, corner[1])
            corner = row[i + 1]
            row[i + 1] = min(same, (corner[0] + 1, corner[1]), (row[i][0] + 1, row[i][1]))
    cost, hits = row[-1][0], -sign * row[-1][1]
    insertions = cost - len(a) + hits
    deletions = insertions + len(a) - len(b)
    return hits, len(a) - hits - deletions, deletions, insertions
