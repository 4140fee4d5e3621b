"""Sums of a polynomial kernel over blocks of inner products: powers, row sums and column sums in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import kernels
from assay.kernels.jit import lanes


@lanes("T[:, ::1], f8, f8, i8, f8[::1], f8[::1], f8[::1], f8[::1]", T="f4 f8")
def _powers(
    block: Any, scale: float, shift: float, degree: int, rows_w: Any, columns_w: Any, rows: Any, columns: Any
) -> None:
    for i in range(block.shape[0]):
        line, w, total = block[i], rows_w[i], 0.0
        for j in range(block.shape[1]):
            base = float(line[j]) * scale + shift
            value = base
            for _ in range(degree - 1):
                value *= base
            total += columns_w[j] * value
            columns[j] += w * value
        rows[i] = total


@lanes("T[:, ::1], f8, f8, f8[::1], f8[::1], f8[::1], f8[::1]", T="f4 f8")
def _cubes(block: Any, scale: float, shift: float, rows_w: Any, columns_w: Any, rows: Any, columns: Any) -> None:
    for i in range(block.shape[0]):
        line, w, total = block[i], rows_w[i], 0.0
        for j in range(block.shape[1]):
            base = float(line[j]) * scale + shift
            value = base * base * base
            total += columns_w[j] * value
            columns[j] += w * value
        rows[i] = total


def sums(block: Any, scale: float, shift: float, degree: int, rows_w: Any, columns_w: Any) -> tuple[Any, Any]:
    """Of ``k = (scale * block + shift) ** degree``: ``k @ columns_w`` and ``rows_w @ k``."""
    rows = np.empty(block.shape[0])

    def work(start: int, stop: int) -> Any:
        columns = np.zeros(block.shape[1])
        piece = slice(start, stop)
        if degree == 3:
            _cubes(block[piece], scale, shift, rows_w[piece], columns_w, rows[piece], columns)
        else:
            _powers(block[piece], scale, shift, degree, rows_w[piece], columns_w, rows[piece], columns)
        return columns

    return rows, np.sum(kernels.over_chunks(block.shape[0], work, least=16), axis=0)
