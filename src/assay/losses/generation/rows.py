"""What losses of generation share: one kind of several, sums over all but the first axis, precision for sums, repetition."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from assay.core.arrays import Array, Namespace, epsilon
from assay.core.errors import InputError, ParameterError
from assay.losses.basis import arrays, floating


def named(who: str, **kinds: Any) -> tuple[str, Any]:
    """The one kind that was given, with its name: it is never guessed from the values."""
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) != 1:
        choice = ", ".join(kinds)
        raise InputError(f"{who}: give exactly one of {choice}; got {' and '.join(given) or 'none of them'}.")
    return given[0], kinds[given[0]]


def whole(who: str, least: int, **parameters: Any) -> None:
    """Refuse a parameter that is not a whole number from ``least`` on, or more than any library counts."""
    for name, value in parameters.items():
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
            raise ParameterError(f"{who}: {name} must be a whole number from {least} to {2**31 - 1}, got {value!r}.")


def per_row(xp: Namespace, values: Array) -> Array:
    """Sums over all axes but the first."""
    return values if values.ndim == 1 else xp.sum(values, axis=tuple(range(1, values.ndim)))


def floats(who: str, **given: Any) -> tuple[Namespace, list[Array]]:
    """Arrays of one library, as floats."""
    xp, found = arrays(who, **given)
    return xp, [floating(xp, array) for array in found]


def wide(xp: Namespace, array: Array) -> Array:
    """Single precision at least: sums over many points need its digits."""
    return xp.astype(array, xp.float32) if epsilon(array) > 1e-4 else array


def repeated(xp: Namespace, steps: int, step: Callable[[Any, Any], Any], state: Any) -> Any:
    """``state = step(k, state)`` for k = 0, 1, ...; JAX compiles the step once instead of once for each."""
    if "jax" in xp.__name__:
        return importlib.import_module("assay.jax.autodiff").repeated(steps, step, state)
    for k in range(steps):
        state = step(k, state)
    return state


def gradient(who: str, xp: Namespace, function: Callable[[Array], Array], at: Array, *, graph: bool) -> Array:
    """The gradient of the sum of ``function`` at ``at``, by PyTorch or JAX; with ``graph`` it can be differentiated again."""
    for library in ("torch", "jax"):
        if library in xp.__name__:
            return importlib.import_module(f"assay.{library}.autodiff").gradient(function, at, graph=graph)
    library = xp.__name__.rsplit(".", 1)[-1]
    raise InputError(
        f"{who}: it needs the gradient of a function, which {library} cannot take. Pass PyTorch tensors or JAX arrays."
    )
