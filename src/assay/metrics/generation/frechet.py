"""The Fréchet distance of two normal distributions from means and covariances, and its derivatives; covariances may be singular."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay import kernels
from assay.core.arrays import Floats
from assay.kernels import products


def _lapack(name: str) -> Any:
    from scipy.linalg import lapack  # pyright: ignore

    return getattr(cast(Any, lapack), name)


def root(covariance: Floats) -> tuple[Floats, Any, int]:
    """Lower triangle L, order and rank with ``covariance[order][:, order] = L L'``: Cholesky with pivots, which stops at the rank."""
    size = np.abs(np.diagonal(covariance)).max(initial=0.0)
    if size == 0:
        return np.zeros((len(covariance), 0)), np.arange(len(covariance)), 0
    lower, pivots, rank, _ = _lapack("dpstrf")(covariance, lower=1)
    return np.tril(lower)[:, : int(rank)], pivots - 1, int(rank)


def _factored(covariance: Floats, lower: Floats) -> bool:
    """Put the Cholesky factor into the lower half, in a third of the time of one with pivots; False if the rank may not be full."""
    lower[...] = covariance.T
    _, info = _lapack("dpotrf")(lower, lower=1, clean=1, overwrite_a=1)
    doubt = len(covariance) * np.finfo(np.float64).eps * np.abs(np.diagonal(covariance)).max(initial=0.0)
    return info == 0 and bool((np.diagonal(lower) ** 2).min(initial=np.inf) > doubt)


def factor(covariance: Floats) -> Floats:
    """A matrix A of full column rank with ``A A' = covariance``."""
    lower, order, _ = root(covariance)
    out = np.empty_like(lower)
    out[order] = lower
    return out


def trace_of_root(first: Floats, second: Floats) -> float:
    """Trace of ``(first second)^½``.

    The eigenvalues of the product are those of ``L' second L``, which is symmetric. Where a covariance has no full rank, zeros
    would come out as roots of rounding errors; there the singular values of the product of both factors are taken instead.
    """
    with products.one_thread() if len(first) ** 3 > products.LARGE else nullcontext():
        lower, other = (np.empty(first.shape, order="F") for _ in range(2))  # as LAPACK wants them
        sides = ((first, lower), (second, other))
        if not all(kernels.over_chunks(2, lambda at, _: _factored(*sides[at]), least=1, most=2)):
            return _nuclear(factor(second).T @ factor(first))
        from scipy.linalg import eigvalsh  # pyright: ignore

        product = products.between(lower, second)
        values = cast(Any, eigvalsh)(product.T, lower=False, driver="evd", overwrite_a=True, check_finite=False)
    return float(np.sqrt(np.maximum(values, 0)).sum())


def _nuclear(matrix: Floats) -> float:
    return float(np.linalg.svd(matrix, compute_uv=False).sum()) if matrix.size else 0.0


def distance(
    mean_a: Floats, cov_a: Floats, mean_b: Floats, cov_b: Floats, over: tuple[float, float] = (1.0, 1.0)
) -> float:
    """Squared distance of the means plus the distance of the covariances, which are divided by ``over``; never below 0."""
    gap = mean_a - mean_b
    spread = float(np.trace(cov_a)) / over[0] + float(np.trace(cov_b)) / over[1]
    return max(0.0, float(gap @ gap) + spread - 2 * trace_of_root(cov_a, cov_b) / float(np.sqrt(over[0] * over[1])))


@dataclass(frozen=True)
class Slopes:
    """Gradient of the distance in the covariance of each sample, and in the mean of the second (minus that of the first)."""

    cov_a: Floats
    cov_b: Floats
    mean_b: Floats


def slopes(mean_a: Floats, cov_a: Floats, mean_b: Floats, cov_b: Floats) -> Slopes:
    """``I - T`` for the transport map T between the laws, in each direction; within the common support if they are singular."""
    a, b = factor(cov_a), factor(cov_b)
    left, values, right = np.linalg.svd(b.T @ a, full_matrices=False)
    kept = values > values.max(initial=0.0) * len(cov_a) * np.finfo(np.float64).eps
    scale = 1 / np.sqrt(np.where(kept, values, 1)) * kept
    to_b, to_a = b @ (left * scale), a @ (right.T * scale)
    eye = np.eye(len(cov_a))
    return Slopes(eye - to_b @ to_b.T, eye - to_a @ to_a.T, 2 * (mean_b - mean_a))
