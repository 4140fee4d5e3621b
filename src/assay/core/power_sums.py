"""Sums of products of columns over rows, on the host or on the device where the rows are."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from assay.core.arrays import Array, Floats, Host, has_float64, is_numpy, namespace, to_host

_CHUNK = 1 << 14
_BLOCK = 1 << 12  # on a device that adds in single precision: block sums are added on the host and lose no digits
_NARROW = 8


def sums_of(h: Array, weight: Array | None, *, cubes: bool) -> tuple[Floats, Floats | None]:
    """Sums over rows of ``w^2 h h'`` and, if wanted, of ``w^3 h h' h''``; only the sums come to the host."""
    n, width = map(int, h.shape)
    square, cube = np.zeros((width, width)), np.zeros((width,) * 3) if cubes else None
    chunk = _CHUNK if is_numpy(h) or has_float64(namespace(h), h) else _BLOCK
    for start in range(0, n, chunk):
        at = slice(start, min(n, start + chunk))
        add(square, cube, h[at, ...] if weight is None else h[at, ...] * weight[at, None])
    return square, cube


def add(square: Floats, cube: Floats | None, h: Array) -> None:
    """Add products of the columns of ``h``; of those that are not zero throughout, as the weights around their mean are."""
    at, columns = _varying(h)
    square[np.ix_(at, at)] += _products(columns, columns)
    if cube is not None:
        for i, a in enumerate(at):
            cube[a][np.ix_(at, at)] += _products(columns * columns[i, ...], columns)


def _varying(h: Any) -> tuple[Any, Any]:
    """Places of the columns that are not zero throughout, and these as rows; on a device, where looking costs more, all."""
    if not isinstance(h, np.ndarray):
        return np.arange(int(h.shape[1])), h.T
    host = cast(Host, h)
    at: Any = np.flatnonzero(host.any(axis=0))
    return at, np.ascontiguousarray(host[:, at].T)


def _products(a: Any, b: Any) -> Any:
    if a.shape[0] > _NARROW:
        return to_host(a @ b.T)
    if is_numpy(a):
        return np.einsum("in,jn->ij", a, b)  # the threads of BLAS cost more than they save here
    return to_host(namespace(a).sum(a[:, None, :] * b[None, :, :], axis=-1))
