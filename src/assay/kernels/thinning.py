"""Thinning of masks to lines: pixels whose neighbours allow it are taken away, from two sides in turn, until nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import kernels
from assay.kernels.jit import exact


@exact("u1[:,::1], u1[:,::1]")
def _thinned(mask: Any, tables: Any) -> None:
    """Thin a mask with a border of zeros in place; a row of ``tables`` says which neighbourhoods lose their pixel in a pass."""
    rows, columns = mask.shape
    gone = np.empty((rows * columns, 2), np.int64)
    changed = True
    while changed:
        changed = False
        for side in range(2):
            used = 0
            for y in range(1, rows - 1):
                for x in range(1, columns - 1):
                    if mask[y, x] == 0:
                        continue
                    code = (
                        mask[y, x + 1] | mask[y - 1, x + 1] << 1 | mask[y - 1, x] << 2 | mask[y - 1, x - 1] << 3
                        | mask[y, x - 1] << 4 | mask[y + 1, x - 1] << 5 | mask[y + 1, x] << 6 | mask[y + 1, x + 1] << 7
                    )  # fmt: skip
                    if tables[side, code]:
                        gone[used, 0], gone[used, 1] = y, x
                        used += 1
            for at in range(used):
                mask[gone[at, 0], gone[at, 1]] = 0
            changed = changed or used > 0


def thinned(mask: NDArray[np.bool_], tables: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The centre line of a mask; see `assay.metrics.segmentation.centre_lines`."""
    padded = np.pad(mask.astype(np.uint8), 1)
    _thinned(padded, kernels.ready(tables, np.uint8))
    return padded[1:-1, 1:-1].astype(np.bool_)
