"""The array functions that the Python array API standard lacks: one agnostic body each, native where that is faster."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator
from types import ModuleType
from typing import TypeAlias, TypeVar

import numpy as np

from assay.core.arrays import Array, Floats, Host, Namespace, has_float64, is_numpy, like, namespace, to_host
from assay.core.arrays import stop_gradient as stop_gradient

F = TypeVar("F", bound=Callable[..., object])
Torch: TypeAlias = ModuleType  # PyTorch itself
_BLOCK = 4096


def divide(a: Array, b: Array) -> Array:
    """``a / b`` with NaN where ``b`` is zero, without a warning; of complex numbers and of tensors too."""
    if not isinstance(b, np.ndarray | np.generic | complex | float | int):
        xp = namespace(b)
        zero = b == 0
        return xp.where(zero, xp.full_like(b, xp.nan), a / xp.where(zero, xp.ones_like(b), b))
    a, b = np.asarray(a), np.asarray(b)
    zero = b == 0
    return np.where(zero, np.nan, a / np.where(zero, 1, b))


def real(value: Array) -> Array:
    """The real part: what comparisons look at when a gradient is taken by complex step."""
    return np.real(value)


def within(value: Array, low: float, high: float) -> Array:
    """A value that rounding has pushed past its range by a last digit, back on its bound."""
    size = real(value)
    return np.where(size > high, high, np.where(size < low, low, value))


def total(xp: Namespace, values: Array, weight: Array | None) -> Floats:
    """Sum over the first axis, weighted, in double precision, as a small host array.

    Where the device computes in single precision only, blocks are added there and their sums on the host, so that ten
    million rows lose no digits.
    """
    if weight is not None:
        values = values * (weight if values.ndim == 1 else weight[:, None])
    if has_float64(xp, values):
        return np.asarray(to_host(xp.sum(xp.astype(values, xp.float64, copy=False), axis=0)), dtype=np.float64)
    n = values.shape[0]
    cut = n - n % _BLOCK
    parts = [xp.sum(values[cut:, ...], axis=0)[None, ...]] if cut < n else []
    if cut:
        parts.append(xp.sum(xp.reshape(values[:cut, ...], (cut // _BLOCK, _BLOCK, *values.shape[1:])), axis=1))
    return np.sum([np.sum(to_host(p).astype(np.float64), axis=0) for p in parts], axis=0)


def powers_of(values: Array, weight: Array | None) -> tuple[float, float]:
    """Sums of squares and cubes of weighted row values on the host."""
    values = values if weight is None else weight * values
    square = values * values
    return float(square.sum()), float(
        (square * values).sum()
    )  # not by BLAS, whose threads cost more than they save here


def bincount(xp: Namespace, cells: Array, weight: Array | None, length: int) -> Host:
    """How often each of ``0 .. length-1`` occurs, or the sum of its weights, as a host array."""
    name = xp.__name__.rsplit(".", 1)[-1]
    if is_numpy(cells):
        return np.bincount(cells, weight, minlength=length)
    if name == "torch":
        return to_host(xp.bincount(cells, weights=weight, minlength=length))
    if "jax" in xp.__name__:
        if weight is None:
            return to_host(xp.bincount(cells, length=length)).astype(np.int64)
        return _blocked_bincount(xp, cells, weight, length)
    if weight is not None:  # not from differences of a running sum, which lose the light rows behind heavy ones
        return np.bincount(to_host(cells), to_host(weight), minlength=length)
    order = xp.argsort(cells)
    edges = to_host(xp.searchsorted(xp.take(cells, order), xp.astype(like(cells, np.arange(length + 1)), cells.dtype)))
    return np.diff(edges)


def _blocked_bincount(xp: Namespace, cells: Array, weight: Array, length: int) -> Floats:
    """Blocks of rows are added on the device and their sums on the host, so that single precision loses no digits."""
    block = max(_BLOCK, 64 * length)
    blocks = -(-cells.shape[0] // block)
    at = cells + length * (xp.arange(cells.shape[0], dtype=cells.dtype) // block)
    sums = to_host(xp.bincount(at, weights=weight, length=length * blocks))
    return sums.astype(np.float64).reshape(blocks, length).sum(axis=0)


def native(xp: Namespace) -> Torch | None:
    """PyTorch itself where the arrays are its tensors, else None: some of its own functions are one pass instead of many."""
    return sys.modules["torch"] if xp.__name__.endswith("torch") else None


def clamp(xp: Namespace, x: Array, low: float | None, high: float | None) -> Array:
    """Values within two bounds."""
    torch = native(xp)
    return torch.clamp(x, low, high) if torch else xp.clip(x, low, high)


def ramp(xp: Namespace, x: Array) -> Array:
    """``max(x, 0)``, flat at 0; NaN stays NaN, which a test for ``x > 0`` would turn into a perfect 0."""
    torch = native(xp)
    if torch:
        return torch.relu(x)
    return xp.where(x <= 0, xp.zeros_like(x), x)


def log_softmax(xp: Namespace, logits: Array) -> Array:
    """Log-probabilities over the last axis; no overflow at any size."""
    torch = native(xp)
    if torch:
        return torch.log_softmax(logits, dim=-1)
    shifted = logits - stop_gradient(xp.max(logits, axis=-1, keepdims=True))
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))


def log_sigmoid(xp: Namespace, logits: Array) -> Array:
    """``log(1 / (1 + exp(-z)))``; no overflow at any size, and the right gradient at 0, where a branch would give none."""
    torch = native(xp)
    if torch:
        return torch.nn.functional.logsigmoid(logits)
    size = xp.abs(logits)
    return 0.5 * (logits - size) - xp.log1p(xp.exp(-size))


def softplus(xp: Namespace, x: Array) -> Array:
    """``log(1 + exp(x))`` without overflow, with the right gradient everywhere, at 0 too."""
    return -log_sigmoid(xp, -x)


def softmax(xp: Namespace, logits: Array) -> Array:
    """Probabilities over the last axis; no overflow at any size."""
    torch = native(xp)
    if torch:
        return torch.softmax(logits, dim=-1)
    grown = xp.exp(logits - stop_gradient(xp.max(logits, axis=-1, keepdims=True)))
    return grown / xp.sum(grown, axis=-1, keepdims=True)


def logsumexp(xp: Namespace, x: Array, axis: int = -1) -> Array:
    """``log(sum(exp(x)))`` along an axis; of nothing but minus infinity it is minus infinity, with a gradient of 0."""
    top = stop_gradient(xp.max(x, axis=axis, keepdims=True))
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    total = xp.sum(xp.exp(x - top), axis=axis)
    none = total == 0
    value = xp.log(xp.where(none, xp.ones_like(total), total)) + xp.squeeze(top, axis=axis)
    return xp.where(none, xp.full_like(value, -xp.inf), value)


def checkpointed(function: F, array: Array) -> F:
    """The function, computed again for its gradient on JAX, so that nothing between its ends is kept."""
    return sys.modules["jax"].checkpoint(function) if "jax" in type(array).__module__ else function


def sigmoid(xp: Namespace, logits: Array) -> Array:
    """``1 / (1 + exp(-z))``; no overflow at any size."""
    torch = native(xp)
    if torch:
        return torch.sigmoid(logits)
    small = xp.exp(-xp.abs(logits))
    return xp.where(logits >= 0, 1 / (1 + small), small / (1 + small))


@contextlib.contextmanager
def quiet() -> Generator[None, None, None]:
    """NumPy's own warnings off: infinities and NaN are looked for and worded by us."""
    with np.errstate(all="ignore"):
        yield


def erf(xp: Namespace, x: Array) -> Array:
    """The error function; native on PyTorch and JAX, SciPy's elsewhere."""
    module = xp.__name__
    if "torch" in module:
        return xp.erf(x)
    if "jax" in module:
        return sys.modules["jax"].scipy.special.erf(x)
    from scipy.special import erf as host_erf  # pyright: ignore

    return like(x, host_erf(to_host(x)))
